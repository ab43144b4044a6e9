/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * X-macro table of what a user says about modelled disks. Define DISKS_PARAM(name, type, value
 * unless given, description), then include this.
 */
DISKS_PARAM(hdds, uint, 1, "hard disks")
DISKS_PARAM(hdd_size_mb, uint, 4096, "size of a hard disk in MiB")
DISKS_PARAM(hdd_nominal_gb, uint, 1000, "size of the disk it stands for in GB")
DISKS_PARAM(hdd_spread, bool, false, "stretch it over all of the nominal disk")
DISKS_PARAM(hdd_rpm, uint, 7200, "revolutions per minute")
DISKS_PARAM(hdd_rate_mbps, uint, 180, "transfer rate in MB/s")
DISKS_PARAM(hdd_seek_track_us, uint, 500, "seek to the next track, and the skew of tracks")
DISKS_PARAM(hdd_seek_avg_us, uint, 8500, "mean seek")
DISKS_PARAM(hdd_seek_full_us, uint, 16000, "seek over the whole disk")
DISKS_PARAM(hdd_depth, uint, 32, "queue depth")
DISKS_PARAM(hdd_cache_mb, uint, 64, "volatile write cache in MiB, 0 for none, and for no flushes")
DISKS_PARAM(hdd_cache_runs, uint, 512, "separate runs of sectors the cache can hold")
DISKS_PARAM(hdd_order, uint, 0, "0 nearest command first, 1 elevator, 2 as they arrive")
DISKS_PARAM(hdd_destage, uint, 0,
	    "the cache is written 0 when idle, 1 at once, 2 when it is full")
DISKS_PARAM(hdd_reads_first, bool, false, "reads come before writes")
DISKS_PARAM(hdd_bus_mbps, uint, 550, "interface rate in MB/s")
DISKS_PARAM(hdd_block_size, uint, 512, "logical block size")
DISKS_PARAM(hdd_discard, bool, false, "takes discards and write-zeroes")

DISKS_PARAM(ssds, uint, 1, "solid state disks")
DISKS_PARAM(ssd_size_mb, uint, 512, "size of an SSD in MiB")
DISKS_PARAM(ssd_rate_mbps, uint, 450, "write rate in MB/s, and read rate unless given")
DISKS_PARAM(ssd_read_mbps, uint, 0, "read rate in MB/s")
DISKS_PARAM(ssd_latency_us, uint, 60, "latency of a write, and of a read unless given")
DISKS_PARAM(ssd_read_latency_us, uint, 0, "latency of a read")
DISKS_PARAM(ssd_flush_us, uint, 1500, "time of a flush with a volatile cache")
DISKS_PARAM(ssd_depth, uint, 32, "queue depth")
DISKS_PARAM(ssd_cache_mb, uint, 0, "volatile cache in MiB, 0 for power-loss protection")
DISKS_PARAM(ssd_block_size, uint, 512, "logical block size")
DISKS_PARAM(ssd_discard, bool, true, "takes discards and write-zeroes")

DISKS_PARAM(ssd_ftl, bool, false, "has flash memory and a flash translation layer")
DISKS_PARAM(ssd_spare_percent, uint, 7, "spare area of the flash memory in per cent: 7 or 28")
DISKS_PARAM(ssd_dies, uint, 8, "dies of the flash memory")
DISKS_PARAM(ssd_block_kb, uint, 256, "block of a die in KiB, a multiple of 64")
DISKS_PARAM(ssd_die_read_us, uint, 60, "time in which a die reads up to 64 KiB")
DISKS_PARAM(ssd_die_program_us, uint, 600, "time in which a die programs 64 KiB")
DISKS_PARAM(ssd_die_erase_us, uint, 1000, "time in which a die erases a block")
DISKS_PARAM(ssd_buffer_kb, uint, 2048, "write buffer in KiB, a multiple of 64")
DISKS_PARAM(ssd_streams, uint, 0, "write streams, up to 16")
DISKS_PARAM(ssd_aged, uint, 0, "how many times it was written at random before")

DISKS_PARAM(instant, bool, false, "requests take no time")
DISKS_PARAM(late, bool, false, "data of a write are there only when it ends")
DISKS_PARAM(ready_mb, uint, 0, "memory taken beforehand for the data of each disk in MiB")

#undef DISKS_PARAM
