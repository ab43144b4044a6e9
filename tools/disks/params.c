// SPDX-License-Identifier: GPL-2.0-only
/* From what a user says about disks to the parameters of their models. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "params.h"

#define PAGES_PER_MB	(1048576 / FTL_PAGE_BYTES)

/* What a die programs at once. */
#define UNIT_KB		64

bool disks_fault(const struct disks_params *p)
{
	const struct ftl_params f = disks_flash(p);

	if (!p->hdd_bus_mbps || !p->hdd_cache_runs || !p->hdd_depth || !p->ssd_depth ||
	    p->hdd_order > HDD_ORDER_ARRIVAL || p->hdd_destage > HDD_DESTAGE_FULL)
		return true;
	if (p->ssd_ftl && (p->ssd_block_kb % UNIT_KB || p->ssd_buffer_kb % UNIT_KB ||
			   p->ssd_size_mb > FTL_MAX_PAGES / PAGES_PER_MB || !ftl_size(&f)))
		return true;
	return (p->hdd_block_size != 512 && p->hdd_block_size != 4096) ||
	       (p->ssd_block_size != 512 && p->ssd_block_size != 4096);
}

struct hdd_params disks_mechanics(const struct disks_params *p)
{
	const u64 sectors = (u64)p->hdd_size_mb << 11;

	return (struct hdd_params){
		.sectors	 = sectors,
		.nominal_sectors = max(div_u64(p->hdd_nominal_gb * 1000000000ULL, 512), sectors),
		.rpm		 = p->hdd_rpm,
		.rate_kbps	 = p->hdd_rate_mbps * 1000,
		.seek_track_us	 = p->hdd_seek_track_us,
		.seek_avg_us	 = p->hdd_seek_avg_us,
		.seek_full_us	 = p->hdd_seek_full_us,
		.turn_us	 = 200,
		.readahead_us	 = 40000,
		.spread		 = p->hdd_spread,
	};
}

struct hdd_queue_params disks_electronics(const struct disks_params *p)
{
	return (struct hdd_queue_params){
		.cache_sectors	 = (u64)p->hdd_cache_mb << 11,
		.window		 = 16,
		.slice_sectors	 = 1024,
		.bus_kbps	 = p->hdd_bus_mbps * 1000,
		.command_us	 = 20,
		.age_ms		 = 500,
		.order		 = p->hdd_order,
		.destage	 = p->hdd_destage,
		.reads_first	 = p->hdd_reads_first,
	};
}

struct ssd_params disks_interface(const struct disks_params *p)
{
	return (struct ssd_params){
		.read_kbps	  = (p->ssd_read_mbps ?: p->ssd_rate_mbps) * 1000,
		.write_kbps	  = p->ssd_rate_mbps * 1000,
		.read_latency_us  = p->ssd_read_latency_us ?: p->ssd_latency_us,
		.write_latency_us = p->ssd_latency_us,
		.flush_us	  = p->ssd_cache_mb ? p->ssd_flush_us : 20,
		.volatile_cache	  = p->ssd_cache_mb != 0,
	};
}

struct ftl_params disks_flash(const struct disks_params *p)
{
	return (struct ftl_params){
		.pages		= p->ssd_size_mb * PAGES_PER_MB,
		.spare_percent	= p->ssd_spare_percent,
		.unit_pages	= UNIT_KB * 1024 / FTL_PAGE_BYTES,
		.block_units	= p->ssd_block_kb / UNIT_KB,
		.streams	= p->ssd_streams,
		.nand = {
			.dies		= p->ssd_dies,
			.buffer_units	= p->ssd_buffer_kb / UNIT_KB,
			.read_us	= p->ssd_die_read_us,
			.program_us	= p->ssd_die_program_us,
			.erase_us	= p->ssd_die_erase_us,
		},
	};
}

u64 disks_age(const struct disks_params *p)
{
	return p->ssd_aged ? (u64)p->ssd_size_mb * PAGES_PER_MB * (p->ssd_aged + 1) : 0;
}
