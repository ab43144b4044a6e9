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

/* What is said, when it is to be JSON. */
static struct {
	bool		on;
	struct said {
		const char	*kind;
		char		*subject, *text;
	}		*all;
	size_t		nr;
} report;

void report_begin(void)
{
	report.on = true;
}

void report_end(const char *command, int code)
{
	struct json j = { .to = stdout };
	struct said *x;

	if (!report.on)
		return;
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

static void keep(const char *kind, const char *subject, const char *fmt, va_list args)
{
	struct said x = { kind, subject ? xstrdup(subject) : NULL, NULL };

	xgiven(vasprintf(&x.text, fmt, args) < 0 ? NULL : x.text);
	report.all = xmore(report.all, report.nr, sizeof(x));
	report.all[report.nr++] = x;
}

static void complain(const struct ssdup_ctx *ctx, const char *kind, const char *subject,
		     const char *fmt, va_list args)
{
	if (report.on) {
		keep(kind, subject, fmt, args);
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

	va_start(args, fmt);
	if (report.on) {
		keep("note", NULL, fmt, args);
	} else if (!ctx->quiet) {
		vprintf(fmt, args);
		putchar('\n');
	}
	va_end(args);
}

bool confirmed(void)
{
	char answer[16];

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
