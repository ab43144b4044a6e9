// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: why the kernel refuses. A table or a message that is refused gets an errno;
 * the words are in the kernel log, one record a read of /dev/kmsg:
 *
 *	3,1234,5678,-;device-mapper: table: 253:0: ssdup: hdd: no such device (-ENODEV)
 *	3,1235,5679,-;device-mapper: ssdup: burst (253:0): colour: unknown key
 *	3,1236,5680,-;device-mapper: table: 253:0: ssdup: refused, see above (-EINVAL)
 *	3,1237,5681,-;device-mapper: ssdup: burst (253:0): message set policy: not ...
 *	3,1238,5682,-;device-mapper: ssdup: burst (253:0): log refused: a page that was ...
 *	3,1239,5683,-;device-mapper: table: 253:0: ssdup: preresume failed, error = -22
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dmdev.h"

#define RECORD		8192
#define OURS		"device-mapper: ssdup: "

static int kmsg = -1;

void reason_mark(void)
{
	if (kmsg < 0)
		kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg >= 0)
		lseek(kmsg, 0, SEEK_END);
}

/* What stands behind @prefix in @text; NULL when it does not begin so. */
static char *after(char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}

static char *words_of(char *record, const char *table, const char *message)
{
	char *text = strchr(record, ';'), *words, *code;

	if (!text)
		return NULL;
	text++;
	text[strcspn(text, "\n")] = '\0';
	words = after(text, table);
	if (!words && after(text, OURS)) {
		words = strstr(text, message);
		words = words ? words + strlen(message) : NULL;
	}
	if (!words)
		return NULL;
	/* The errno in words, of a table; it is no news. */
	code = strstr(words, " (-E");
	if (code && code[strlen(code) - 1] == ')')
		*code = '\0';
	return words;
}

char *reason_read(dev_t rdev)
{
	char record[RECORD], *table, *message, *words, *found = NULL;
	ssize_t n;

	if (kmsg < 0)
		return NULL;
	table = xprintf("device-mapper: table: %u:%u: ssdup: ", major(rdev), minor(rdev));
	message = xprintf(" (%u:%u): ", major(rdev), minor(rdev));
	/* EPIPE: records were lost, those that follow are not. */
	while ((n = read(kmsg, record, sizeof(record) - 1)) > 0 || errno == EPIPE) {
		if (n <= 0)
			continue;
		record[n] = '\0';
		words = words_of(record, table, message);
		/* That the core has heard of what we said is no news either. */
		if (!words || (found && (after(words, "preresume failed") ||
					 after(words, "refused, see above"))))
			continue;
		free(found);
		found = xstrdup(words);
	}
	free(table);
	free(message);
	return found;
}
