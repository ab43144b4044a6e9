/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: X-macro table of the keys of a table line. Define SSDUP_KEY(name, file in sysfs,
 * default, words, least, most, accepted values, meaning), SSDUP_AMOUNT_KEY(same) for bytes or
 * drive writes, SSDUP_FIXED_KEY(name, default ...) and SSDUP_TEXT_KEY(name, which of enum
 * settings_kind, accepted values, meaning), then include this. Fixed and text keys cannot change
 * while the table is loaded, and have no file.
 */
#ifndef SSDUP_KEY
#define SSDUP_KEY(...)
#endif
#ifndef SSDUP_AMOUNT_KEY
#define SSDUP_AMOUNT_KEY(...)
#endif
#ifndef SSDUP_FIXED_KEY
#define SSDUP_FIXED_KEY(...)
#endif
#ifndef SSDUP_TEXT_KEY
#define SSDUP_TEXT_KEY(...)
#endif

SSDUP_KEY(policy, policy, SSDUP_POLICY_BALANCE, policies, 0, 0,
	  "adaptive, watermark, all, none or balance",
	  "where writes go that overlap nothing in the log")
SSDUP_FIXED_KEY(max_mb, 0, NULL, 0, 67108864, "a number up to 67108864",
		"MiB for this log; 0 is an equal part")
SSDUP_KEY(drain, drain, SSDUP_DRAIN_AUTO, drains, 0, 0, "auto, eager or manual",
	  "when sealed segments are drained")
SSDUP_KEY(autocommit_ms, autocommit_ms, 1000, NULL, 1, 3600000, "a number from 1 to 3600000",
	  "longest time in milliseconds until a log entry is committed without a FLUSH")
SSDUP_KEY(clean, clean_percent, 0, NULL, 0, SSDUP_CLEAN_MAX, "a per cent from 0 to 90",
	  "part of the log that may still be read from the SSD after it was written back")
SSDUP_AMOUNT_KEY(promote, promote, 0, NULL, 0, 0,
		 "0, bytes as 200G (or M, T), or drive writes as 0.5dwpd",
		 "what may be copied in a day of what is read from the HDD again; 0 is nothing")
SSDUP_TEXT_KEY(classes, CLASSES,
	       "1 to 7 names with + between, each perhaps with :late and :hint=WORD",
	       "classes of data by lifetime; an empty log takes a new number of them")
SSDUP_TEXT_KEY(log, UUID, "a lower-case UUID",
	       "which log of the SSD, if that holds several")
SSDUP_TEXT_KEY(ssd, DEVICE, "another device",
	       "another SSD of the log, once for each")
SSDUP_TEXT_KEY(mirror, MIRROR, "another device, or -",
	       "an SSD that holds the same as the one before it; - says that it is lost")
SSDUP_TEXT_KEY(host, UUID, "a lower-case UUID",
	       "this machine; another one's active log is refused")
SSDUP_FIXED_KEY(guard, 1, NULL, 0, 1, "0 or 1",
		"whether the HDD says whose it is while the log is not empty")
SSDUP_FIXED_KEY(override, 0, overrides, 0, 0, "none, host, hdd or both",
		"what is no reason to refuse: another host has the log, the HDD was written to")
SSDUP_AMOUNT_KEY(ssd_budget, ssd_budget, 0, NULL, 0, 0,
		 "0, bytes as 200G (or M, T), or drive writes as 0.5dwpd",
		 "what balance may write to the SSD in a day, on average; 0 is no limit")

#undef SSDUP_KEY
#undef SSDUP_AMOUNT_KEY
#undef SSDUP_FIXED_KEY
#undef SSDUP_TEXT_KEY
