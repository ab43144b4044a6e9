// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: complaints, notes, memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "tool.h"

/* What is said, when it is to be JSON. What is printed goes to memory meanwhile. */
static struct {
	FILE		*to;		/* the real stdout; NULL: no report */
	char		*printed;
	size_t		len;
	struct said {
		const char	*kind;
		char		*subject, *text;
	}		*all;
	size_t		nr;
} report;

static void keep(const char *kind, const char *subject, char *text)
{
	report.all = xmore(report.all, report.nr, sizeof(*report.all));
	report.all[report.nr++] = (struct said){ kind, subject ? xstrdup(subject) : NULL, text };
}

static void print_to_memory(void)
{
	stdout = xgiven(open_memstream(&report.printed, &report.len));
}

/* Each line that was printed is a note. */
static void keep_printed(void)
{
	char *line, *save;

	fclose(stdout);
	for (line = strtok_r(report.printed, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		keep("note", NULL, xstrdup(line));
	free(report.printed);
}

void report_begin(void)
{
	if (report.to)
		return;
	report.to = stdout;
	print_to_memory();
}

void report_end(const char *command, int code)
{
	struct json j = { .to = report.to };
	struct said *x;

	if (!report.to)
		return;
	keep_printed();
	stdout = report.to;
	json_begin(&j, NULL, '{');
	json_text(&j, "command", command);
	json_number(&j, "exit_status", code);
	json_begin(&j, "messages", '[');
	for (x = report.all; x < report.all + report.nr; x++) {
		json_begin(&j, NULL, '{');
		json_text(&j, "kind", x->kind);
		json_text(&j, "subject", x->subject);
		json_text(&j, "text", x->text);
		json_end(&j, '}');
		free(x->subject);
		free(x->text);
	}
	json_end(&j, ']');
	json_end(&j, '}');
	free(report.all);
}

static void complain(const struct ssdup_ctx *ctx, const char *kind, const char *subject,
		     const char *fmt, va_list args)
{
	char *text;

	if (report.to) {
		keep_printed();
		print_to_memory();
		xgiven(vasprintf(&text, fmt, args) < 0 ? NULL : text);
		keep(kind, subject, text);
		return;
	}
	fflush(stdout);
	fprintf(stderr, "ssdup %s: ", ctx->command);
	if (strcmp(kind, "error"))
		fprintf(stderr, "%s: ", kind);
	if (subject)
		fprintf(stderr, "%s: ", subject);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

int fail(const struct ssdup_ctx *ctx, int code, const char *subject, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(ctx, "error", subject, fmt, args);
	va_end(args);
	return code;
}

void warn(const struct ssdup_ctx *ctx, const char *subject, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(ctx, "warning", subject, fmt, args);
	va_end(args);
}

void note(const struct ssdup_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	if (ctx->quiet && !report.to)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

bool confirmed(void)
{
	char answer[16];

	if (report.to)
		return false;
	printf("Go on? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y');
}

const char *error_text(int error)
{
	static char text[200];

	snprintf(text, sizeof(text), "%s%s", strerror(error),
		 error == EPERM || error == EACCES ? root_hint() : "");
	return text;
}

const char *root_hint(void)
{
	return geteuid() ? "; are you root?" : "";
}

void *xgiven(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "ssdup: out of memory\n");
	exit(EXIT_FAILED);
}

void *xalloc(size_t bytes)
{
	return xgiven(calloc(1, bytes));
}

void *xgrow(void *p, size_t bytes)
{
	return xgiven(realloc(p, bytes));
}

/* The room doubles when it is used up, which is at powers of two: @nr tells. */
void *xmore(void *p, size_t nr, size_t size)
{
	return nr & (nr - 1) ? p : xgrow(p, (nr ? 2 * nr : 1) * size);
}

void *xpages(size_t bytes)
{
	void *p;

	return memset(xgiven(posix_memalign(&p, 4096, bytes) ? NULL : p), 0, bytes);
}

char *xstrdup(const char *s)
{
	return xgiven(strdup(s));
}

char *xprintf(const char *fmt, ...)
{
	va_list args;
	char *s;
	int r;

	va_start(args, fmt);
	r = vasprintf(&s, fmt, args);
	va_end(args);
	return xgiven(r < 0 ? NULL : s);
}
