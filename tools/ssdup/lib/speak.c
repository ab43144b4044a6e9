// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: complaints, notes, memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static void complain(const struct ssdup_ctx *ctx, const char *kind, const char *subject,
		     const char *fmt, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "ssdup %s: ", ctx->command);
	fputs(kind, stderr);
	if (subject)
		fprintf(stderr, "%s: ", subject);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

int fail(const struct ssdup_ctx *ctx, int code, const char *subject, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(ctx, "", subject, fmt, args);
	va_end(args);
	return code;
}

void warn(const struct ssdup_ctx *ctx, const char *subject, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(ctx, "warning: ", subject, fmt, args);
	va_end(args);
}

void note(const struct ssdup_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	if (ctx->quiet)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
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
