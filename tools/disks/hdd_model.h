/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mechanics of one hard disk arm: where a sector passes under the head, how
 * long the arm takes to get there, how long a transfer lasts.
 *
 * Nothing here reads a clock, takes a lock or allocates: the time comes in as
 * nanoseconds since any fixed moment, addresses and lengths as 512-byte
 * sectors. Callers serialise.
 */
#ifndef SSDUP_HDD_MODEL_H
#define SSDUP_HDD_MODEL_H

#include <linux/types.h>

/* Entries of the seek table: 16 per doubling of the distance, up to 2^40. */
#define HDD_CURVE_POINTS	(16 * 38)

/**
 * struct hdd_params - what a data sheet says about a disk
 * @sectors: size of the modelled device
 * @nominal_sectors: size of the disk it stands for; seeks are measured on it
 * @rpm: revolutions per minute
 * @rate_kbps: transfer rate within a track, in 1000 bytes per second; the same
 *	all over the disk
 * @seek_track_us: seek to the neighbouring track, which is also the track skew
 * @seek_avg_us: mean seek between two random addresses
 * @seek_full_us: seek over the whole disk
 * @turn_us: how late a command may come and still continue the one before it
 *	without losing a revolution
 * @readahead_us: how long the disk goes on reading after a read
 * @spread: true to stretch the device over the whole nominal disk, false to
 *	lay it out from the outer edge as a partition would be
 */
struct hdd_params {
	u64 sectors;
	u64 nominal_sectors;
	u32 rpm;
	u32 rate_kbps;
	u32 seek_track_us;
	u32 seek_avg_us;
	u32 seek_full_us;
	u32 turn_us;
	u32 readahead_us;
	bool spread;
};

/**
 * struct hdd_model - geometry derived from the parameters, and the arm
 * @rev_ns: time of a revolution
 * @skew_ns: time the surface turns between the end of a track and the start of
 *	the next
 * @spt: sectors on a track
 * @stretch: nominal tracks for each of the device's tracks, 16 fraction bits
 * @turn_ns: see &hdd_params.turn_us
 * @readahead_ns: see &hdd_params.readahead_us
 * @head_lba: sector after the last one transferred
 * @head_time: when that transfer ended
 * @head_read: it was a read
 * @curve: seek time in ns, see hdd_seek_ns()
 */
struct hdd_model {
	u64 rev_ns;
	u64 skew_ns;
	u64 spt;
	u64 stretch;
	u64 turn_ns;
	u64 readahead_ns;
	u64 head_lba;
	u64 head_time;
	bool head_read;
	u32 curve[HDD_CURVE_POINTS];
};

/**
 * struct hdd_cost - what one access is made of, in nanoseconds
 * @seek: moving the arm
 * @rotate: waiting for the first sector
 * @transfer: from the first sector to the last, track changes included
 * @contiguous: it continued the access before it
 */
struct hdd_cost {
	u64 seek;
	u64 rotate;
	u64 transfer;
	bool contiguous;
};

/**
 * hdd_model_init() - derive the geometry; the arm rests at sector 0
 * @m: model to fill
 * @p: parameters
 *
 * Return: 0, or -EINVAL for parameters no disk can have.
 */
int hdd_model_init(struct hdd_model *m, const struct hdd_params *p);

/**
 * hdd_seek_ns() - time of a seek
 * @m: model
 * @tracks: distance in tracks of the nominal disk
 *
 * Settling, plus a part that grows with the root of the distance
 * (acceleration) and one that grows with the distance (coasting). Monotone.
 *
 * Return: nanoseconds, 0 for distance 0.
 */
u64 hdd_seek_ns(const struct hdd_model *m, u64 tracks);

/**
 * hdd_angle_ns() - when in a revolution a sector passes under the head
 * @m: model
 * @lba: sector
 *
 * Return: nanoseconds after the index mark, below @m->rev_ns.
 */
u64 hdd_angle_ns(const struct hdd_model *m, u64 lba);

/**
 * hdd_position() - cost of getting to a sector
 * @m: model
 * @lba: first sector of the access
 * @read: it is a read
 * @now: time at which the arm may start
 * @cost: seek, rotate and contiguous are filled in
 *
 * Return: seek and rotation together.
 */
u64 hdd_position(const struct hdd_model *m, u64 lba, bool read, u64 now,
		 struct hdd_cost *cost);

/**
 * hdd_access() - carry out one access
 * @m: model; the arm ends behind the last sector
 * @lba: first sector
 * @sectors: length, at least 1
 * @read: it is a read
 * @now: time at which the arm may start
 * @cost: filled in
 *
 * Return: time at which the last sector has been transferred.
 */
u64 hdd_access(struct hdd_model *m, u64 lba, u64 sectors, bool read, u64 now,
	       struct hdd_cost *cost);

#endif /* SSDUP_HDD_MODEL_H */
