/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: which machine this is. A log says which one has it active.
 */
#ifndef SSDUP_HOST_H
#define SSDUP_HOST_H

#include "dm-ssdup/core/codec.h"

#define HOST_TEXT	(SSDUP_HOST_NAME_BYTES + 1)

/**
 * host_of() - the UUID of a machine, as it stands in a record
 * @machine: what /etc/machine-id says, see machine-id(5); it is not for others to see
 *
 * Return: false when it says nothing.
 */
bool host_of(const char *machine, u8 host[SSDUP_HOST_BYTES]);

/** this_host() - of this machine; all zero: not known */
const u8 *this_host(void);

/** host_known() - is it that of a machine? In a record: that has the log active */
bool host_known(const u8 host[SSDUP_HOST_BYTES]);

/** host_text() - its name in a record, for people; any bytes may stand there. Returns @text */
const char *host_text(char text[HOST_TEXT], const u8 name[SSDUP_HOST_NAME_BYTES]);

#endif
