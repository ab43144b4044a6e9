/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup metrics: which metric shows which field of the status.
 *
 * Names, labels and units are an interface: rules and dashboards of others use them.
 * New ones may come; none changes its meaning. Documentation/monitoring.rst has them all.
 */
#ifndef SSDUP_METRICS_H
#define SSDUP_METRICS_H

#include "dm-ssdup/core/types.h"

/* Sectors and pages are shown as bytes, 1/10000 as a ratio, times as seconds. */
struct metric {
	const char		*name;
	unsigned int		nr;		/* of fields, 1 or 2 */
	enum ssdup_field	field[2];
	const char		*label;		/* that tells the two apart */
	const char		*value[2];
};

extern const struct metric metrics[];
extern const unsigned int nr_metrics;

#endif
