/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup doctor: what is made of the facts. Pure.
 */
#ifndef SSDUP_DOCTOR_H
#define SSDUP_DOCTOR_H

#include <stdbool.h>

#include "identity.h"

/* Of the machine. */
struct doctor_facts {
	const char	*release;	/* of the kernel that runs */
	bool		loaded;		/* the module */
	bool		installed;	/* for this kernel */
	bool		other;		/* the one that is loaded is not the one installed */
	bool		enforced;	/* the kernel takes signed modules alone */
	const char	*enforced_by;	/* "Secure Boot", "lockdown", ... */
	const char	*signer;	/* of the module; NULL: it is not signed */
	bool		headers;	/* of this kernel: DKMS can build a module */
	const char	*without;	/* other kernels without a module, NULL: none */
	bool		udev;		/* it runs */
	bool		rules;		/* ours are there, and what they start */
	unsigned int	lines;		/* of ssduptab */
	unsigned int	errors;		/* of "ssdup tab --check" */
	unsigned int	warnings;
	bool		hook;		/* for an initramfs */
	bool		initramfs;	/* there is one for this kernel */
	bool		outdated;	/* ssduptab is younger */
};

/* Of a disk below a device. */
struct doctor_disk {
	const char	*name;		/* as in /sys/block */
	bool		hdd;		/* it is below the HDD of a device, not below its SSD */
	bool		rotates;
	bool		gone;
	bool		ata;
	bool		array;		/* it is a member of an md array */
	const char	*cache;		/* "write back", "write through", NULL: not known */
	const char	*scheduler;	/* "[none] mq-deadline", NULL: not known */
};

enum verdict {
	VERDICT_OK,
	VERDICT_ADVICE,		/* it works, but not as it should */
	VERDICT_WRONG,		/* no device can be made */
	NR_VERDICTS,
};

struct finding {
	enum verdict	verdict;
	char		*text;		/* free() it */
};

struct finding doctor_module(const struct doctor_facts *f);
struct finding doctor_signature(const struct doctor_facts *f);
struct finding doctor_kernel(const struct doctor_facts *f);
struct finding doctor_udev(const struct doctor_facts *f);
struct finding doctor_initramfs(const struct doctor_facts *f);
struct finding doctor_tab(const struct doctor_facts *f);
struct finding doctor_cache(const struct doctor_disk *d);
struct finding doctor_scheduler(const struct doctor_disk *d);
struct finding doctor_disk(const struct doctor_disk *d);

/**
 * doctor_hdd() - is the HDD of a device the one that its log is for?
 * @name: of the device
 * @log: what the log says of its HDD; @hdd: what the HDD says of itself, see identity.h
 */
struct finding doctor_hdd(const char *name, const u8 log[SSDUP_HDD_ID_BYTES],
			  const u8 hdd[SSDUP_HDD_ID_BYTES]);

/** doctor_size() - has the HDD still the size of the device? In sectors */
struct finding doctor_size(const char *name, uint64_t sectors, uint64_t hdd_sectors);

/**
 * doctor_read_ahead() - is that of the device as large as that of its HDD?
 * @kib: of the device, @hdd_kib: of its HDD
 */
struct finding doctor_read_ahead(const char *name, unsigned int kib, unsigned int hdd_kib);

/** doctor_line() - has the device a line in the tab? */
struct finding doctor_line(const char *name, const char *tab, bool listed);

#endif
