/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a user says about modelled disks, for the module that makes block devices of them and for
 * the simulation of tools/sim. Pure.
 */
#ifndef SSDUP_DISKS_PARAMS_H
#define SSDUP_DISKS_PARAMS_H

#include "ftl_model.h"
#include "hdd_queue.h"
#include "ssd_model.h"

struct disks_params {
#define DISKS_PARAM(name, type, ...)	type name;
#include "param_list.h"
};

/** disks_fault() - are there values that no disk can have? */
bool disks_fault(const struct disks_params *p);

/** disks_mechanics() - of a hard disk */
struct hdd_params disks_mechanics(const struct disks_params *p);

/** disks_electronics() - of a hard disk */
struct hdd_queue_params disks_electronics(const struct disks_params *p);

/** disks_interface() - of an SSD */
struct ssd_params disks_interface(const struct disks_params *p);

/** disks_flash() - of an SSD that has flash memory */
struct ftl_params disks_flash(const struct disks_params *p);

/** disks_age() - pages that were written to the flash memory before its time begins */
u64 disks_age(const struct disks_params *p);

#endif /* SSDUP_DISKS_PARAMS_H */
