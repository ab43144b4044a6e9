/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup metrics: which metric comes from which file of the device's folder in sysfs.
 *
 * Names, labels and units are an interface: rules and dashboards of others use them.
 * New ones may come; none changes its meaning. Documentation/monitoring.rst has them all.
 */
#ifndef SSDUP_METRICS_H
#define SSDUP_METRICS_H

#define METRIC_SERIES		2	/* of a device, at most */
#define METRIC_PAGE_BYTES	4096ULL	/* of metadata */

enum metric_unit {
	PLAIN,
	SECTORS,	/* to bytes */
	PAGES,		/* to bytes */
	PER_10000,	/* to a ratio */
};

struct metric {
	const char	*name;
	const char	*help;
	enum metric_unit	unit;
	struct {
		const char	*file;
		const char	*label;		/* besides those of the device, or NULL */
		char		op;		/* with the other file: '*', '-', or none */
		const char	*other;
	} series[METRIC_SERIES];
};

extern const struct metric metrics[];
extern const unsigned int nr_metrics;

#endif
