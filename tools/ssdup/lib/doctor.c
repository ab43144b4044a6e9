// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup doctor: each fact is well, or has something that can be done about it. Pure.
 */
#include <string.h>

#include "doctor.h"
#include "tool.h"

#define finding(verdict, ...)	((struct finding){ VERDICT_##verdict, xprintf(__VA_ARGS__) })

struct finding doctor_module(const struct doctor_facts *f)
{
	if (!f->installed && !f->loaded)
		return finding(WRONG,
			       "not built for %s: install dm-ssdup-dkms, and the headers of this kernel; \"dkms status\" says how that went",
			       f->release);
	if (!f->loaded)
		return finding(OK, "built for %s, loaded when a device is made", f->release);
	if (!f->installed)
		return finding(ADVICE,
			       "loaded, but not installed for %s: after a boot it is missing",
			       f->release);
	if (f->other)
		return finding(ADVICE,
			       "another one is installed than the one loaded: it is used from the next boot on");
	return finding(OK, "loaded, and installed for %s", f->release);
}

struct finding doctor_signature(const struct doctor_facts *f)
{
	if (!f->enforced)
		return finding(OK, "not needed: Secure Boot is off, or does not ask for it");
	if (f->loaded)
		return finding(OK, "%s asks for one, and the kernel has taken the module",
			       f->enforced_by);
	if (!f->installed)
		return finding(ADVICE,
			       "%s asks for one: see \"Secure Boot\" in boot.rst before you build the module",
			       f->enforced_by);
	if (!f->signer)
		return finding(WRONG,
			       "%s asks for one, and the module has none: see \"Secure Boot\" in boot.rst",
			       f->enforced_by);
	return finding(ADVICE,
		       "%s asks for one, the module has that of \"%s\": if \"modprobe dm-ssdup\" refuses it, enrol that key with mokutil",
		       f->enforced_by, f->signer);
}

struct finding doctor_kernel(const struct doctor_facts *f)
{
	if (f->without)
		return finding(ADVICE,
			       "no module for %s: install the headers of that kernel, or do not boot it",
			       f->without);
	if (!f->headers)
		return finding(ADVICE,
			       "%s has no headers here: a new version of the module cannot be built for it",
			       f->release);
	return finding(OK, "%s, and each other kernel has the module", f->release);
}

struct finding doctor_udev(const struct doctor_facts *f)
{
	if (!f->rules)
		return finding(ADVICE,
			       "63-ssdup.rules is not there: no device is made at boot, and no HDD is hidden; install the package ssdup");
	if (!f->udev)
		return finding(ADVICE, "it does not run: no device is made at boot");
	return finding(OK, "it runs, with the rules of dm-ssdup");
}

struct finding doctor_initramfs(const struct doctor_facts *f)
{
	if (!f->lines || !f->initramfs)
		return finding(OK,
			       f->lines ? "there is none for %s" : "%s: ssduptab has no lines",
			       f->release);
	if (!f->hook)
		return finding(ADVICE,
			       "neither initramfs-tools nor dracut knows of ssduptab: install the package ssdup");
	if (f->outdated)
		return finding(ADVICE,
			       "ssduptab is younger: \"update-initramfs -u\", or \"dracut --force\"");
	return finding(OK, "made after the last change of ssduptab");
}

struct finding doctor_tab(const struct doctor_facts *f)
{
	if (f->errors)
		return finding(WRONG,
			       "%u errors, %u warnings: see \"ssdup tab --check\"", f->errors,
			       f->warnings);
	if (f->warnings)
		return finding(ADVICE, "%u warnings: see \"ssdup tab --check\"", f->warnings);
	return finding(OK, "%u devices", f->lines);
}

struct finding doctor_disk(const struct doctor_disk *d)
{
	if (d->gone)
		return finding(WRONG, "%s is gone: see \"ssdup status\"", d->name);
	if (!d->hdd && d->rotates)
		return finding(ADVICE, "%s is below an SSD, and rotates: are HDD and SSD swapped?",
			       d->name);
	return finding(OK, "%s, below %s", d->name, d->hdd ? "an HDD" : "an SSD");
}

struct finding doctor_cache(const struct doctor_disk *d)
{
	bool back = d->cache && !strcmp(d->cache, "write back");

	if (!d->cache)
		return finding(OK, "%s: not known", d->name);
	if (d->array && back)
		return finding(ADVICE,
			       "%s: on, below md, which keeps errors of a flush to itself: \"hdparm -W 0 /dev/%s\"",
			       d->name, d->name);
	if (d->hdd && d->ata && d->rotates && !d->array && !back)
		return finding(ADVICE,
			       "%s: off, so each direct write waits for the disk: \"hdparm -W 1 /dev/%s\"",
			       d->name, d->name);
	return finding(OK, "%s: %s", d->name, d->cache);
}

/* The one in brackets. */
static bool scheduled_by(const struct doctor_disk *d, const char *name)
{
	const char *open = d->scheduler ? strchr(d->scheduler, '[') : NULL;
	size_t len = strlen(name);

	return open && !strncmp(open + 1, name, len) && open[1 + len] == ']';
}

struct finding doctor_scheduler(const struct doctor_disk *d)
{
	if (d->hdd && d->rotates && scheduled_by(d, "none"))
		return finding(ADVICE,
			       "%s: none, which does not sort: \"echo mq-deadline >/sys/block/%s/queue/scheduler\"",
			       d->name, d->name);
	if (!d->hdd && scheduled_by(d, "bfq"))
		return finding(ADVICE,
			       "%s: bfq, which makes a fast SSD slower: \"echo none >/sys/block/%s/queue/scheduler\"",
			       d->name, d->name);
	return finding(OK, "%s: %s", d->name, d->scheduler ?: "none of its own");
}

struct finding doctor_hdd(const char *name, const u8 log[SSDUP_HDD_ID_BYTES],
			  const u8 hdd[SSDUP_HDD_ID_BYTES])
{
	char wanted[IDENTITY_TEXT], is[IDENTITY_TEXT];

	identity_text(wanted, log);
	identity_text(is, hdd);
	if (identity_other(log, hdd))
		return finding(WRONG,
			       "%s: its HDD is %s, and its log is for %s: what the log holds must not get to this disk",
			       name, is, wanted);
	if (identity_known(hdd) && !identity_known(log))
		return finding(ADVICE,
			       "%s: its log does not say for which HDD it is; \"ssdup create\" notes that",
			       name);
	return finding(OK, "%s: its HDD is %s, its log for %s", name, is, wanted);
}

struct finding doctor_size(const char *name, uint64_t sectors, uint64_t hdd_sectors)
{
	char size[SIZE_TEXT];

	if (hdd_sectors > sectors)
		return finding(ADVICE, "%s: its HDD has %s more: \"ssdup resize %s\"", name,
			       format_size(size, (hdd_sectors - sectors) * SECTOR_BYTES), name);
	if (hdd_sectors < sectors)
		return finding(WRONG, "%s: its HDD has %s less: give it its size back", name,
			       format_size(size, (sectors - hdd_sectors) * SECTOR_BYTES));
	return finding(OK, "%s: its HDD has the same size", name);
}

struct finding doctor_read_ahead(const char *name, unsigned int kib, unsigned int hdd_kib)
{
	if (kib < hdd_kib)
		return finding(ADVICE,
			       "%s: %u KiB, and its HDD has %u: \"blockdev --setra %u /dev/mapper/%s\"",
			       name, kib, hdd_kib, 2 * hdd_kib, name);
	return finding(OK, "%s: %u KiB", name, kib);
}

struct finding doctor_line(const char *name, const char *tab, bool listed)
{
	if (listed)
		return finding(OK, "%s: has a line in %s", name, tab);
	return finding(ADVICE,
		       "%s: no line in %s: no boot makes it, and its HDD is not hidden, which may be out of date",
		       name, tab);
}
