// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: which machine this is.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "host.h"

#define MACHINE_ID	"/etc/machine-id"
#define INITRD_ID	"/etc/ssdup-host"	/* a copy of it, in an initrd */
#define INITRD		"/etc/initrd-release"
#define MACHINE_DIGITS	32

bool host_of(const char *machine, u8 host[SSDUP_HOST_BYTES])
{
	static const char name[] = "dm-ssdup";
	char text[UUID_STR_LEN];
	uuid_t space;

	memset(host, 0, SSDUP_HOST_BYTES);
	if (strspn(machine, "0123456789abcdef") != MACHINE_DIGITS)
		return false;
	snprintf(text, sizeof(text), "%.8s-%.4s-%.4s-%.4s-%.12s", machine, machine + 8,
		 machine + 12, machine + 16, machine + 20);
	if (uuid_parse(text, space))
		return false;
	uuid_generate_sha1(host, space, name, strlen(name));
	return true;
}

const u8 *this_host(void)
{
	static u8 host[SSDUP_HOST_BYTES];
	static bool known;
	char machine[MACHINE_DIGITS + 1];
	FILE *f;

	if (known)
		return host;
	known = true;
	/* An initrd may have none, or one that systemd made for this boot alone. */
	f = fopen(INITRD_ID, "re");
	if (!f && access(INITRD, F_OK))
		f = fopen(MACHINE_ID, "re");
	if (!f)
		return host;
	if (fgets(machine, sizeof(machine), f))
		host_of(machine, host);
	fclose(f);
	return host;
}

bool host_known(const u8 host[SSDUP_HOST_BYTES])
{
	return memchr_inv(host, 0, SSDUP_HOST_BYTES);
}

const char *host_text(char text[HOST_TEXT], const u8 name[SSDUP_HOST_NAME_BYTES])
{
	unsigned int i;

	for (i = 0; i < SSDUP_HOST_NAME_BYTES && name[i]; i++)
		text[i] = isgraph(name[i]) ? name[i] : '?';
	text[i] = '\0';
	if (!i)
		snprintf(text, HOST_TEXT, "a host without a name");
	return text;
}
