// SPDX-License-Identifier: GPL-2.0-only
/* The mechanics of one hard disk arm. */
#include <linux/kernel.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include "hdd_model.h"

#define HDD_CURVE_STEP_BITS	4
#define HDD_CURVE_STEPS		16

static u64 hdd_isqrt(u64 x)
{
	u64 root = 0, bit = 1ULL << 62;

	while (bit > x)
		bit >>= 2;
	while (bit) {
		if (x >= root + bit) {
			x -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
		bit >>= 2;
	}
	return root;
}

/*
 * The table's index is a small floating point number: distances below 16 stand
 * for themselves, from there on each doubling has 16 equal steps. That keeps
 * the relative error of the interpolated root below 0.1 % at any distance.
 */
static unsigned int hdd_curve_index(u64 tracks, unsigned int *shift)
{
	unsigned int msb;

	*shift = 0;
	if (tracks < HDD_CURVE_STEPS)
		return tracks;
	msb = 63 - __builtin_clzll(tracks);
	*shift = msb - HDD_CURVE_STEP_BITS;
	return (*shift << HDD_CURVE_STEP_BITS) + (unsigned int)(tracks >> *shift);
}

static u64 hdd_curve_distance(unsigned int index)
{
	unsigned int shift;

	if (index < 2 * HDD_CURVE_STEPS)
		return index;
	shift = (index >> HDD_CURVE_STEP_BITS) - 1;
	return (u64)(HDD_CURVE_STEPS + (index & (HDD_CURVE_STEPS - 1))) << shift;
}

/*
 * settle + a * sqrt(d) + b * d for d = distance / full stroke. Over random
 * pairs the mean of d is 1/3 and that of sqrt(d) is 8/15, so that
 *	avg - settle = a * 8/15 + b / 3  and  full - settle = a + b.
 */
static int hdd_curve_init(struct hdd_model *m, const struct hdd_params *p, u64 tracks)
{
	s64 settle = p->seek_track_us * 1000LL;
	s64 avg = p->seek_avg_us * 1000LL - settle;
	s64 full = p->seek_full_us * 1000LL - settle;
	s64 a = 5 * avg - div_s64(5 * full, 3);
	s64 b = full - a;
	unsigned int i;

	if (a < 0 || b < 0)
		return -EINVAL;
	m->curve[0] = 0;
	for (i = 1; i < HDD_CURVE_POINTS; i++) {
		u64 d = min_t(u64, hdd_curve_distance(i), tracks);
		u64 frac = div64_u64(d << 24, tracks);
		u64 ns = settle + ((a * hdd_isqrt(frac << 16)) >> 20) + ((b * frac) >> 24);

		m->curve[i] = min_t(u64, ns, U32_MAX);
	}
	return 0;
}

int hdd_model_init(struct hdd_model *m, const struct hdd_params *p)
{
	u64 nominal_tracks, device_tracks, bytes;

	if (!p->rpm || !p->rate_kbps || !p->sectors || p->nominal_sectors < p->sectors)
		return -EINVAL;
	m->rev_ns = div_u64(60ULL * 1000 * 1000 * 1000, p->rpm);
	m->skew_ns = p->seek_track_us * 1000ULL;
	if (!m->skew_ns || m->skew_ns >= m->rev_ns)
		return -EINVAL;
	bytes = div_u64(m->rev_ns * p->rate_kbps, 1000 * 1000);
	m->spt = bytes >> 9;
	if (!m->spt)
		return -EINVAL;
	nominal_tracks = div64_u64(p->nominal_sectors, m->spt) + 1;
	device_tracks = div64_u64(p->sectors, m->spt) + 1;
	if (nominal_tracks >> 36)
		return -EINVAL;
	m->stretch = p->spread ? div64_u64(nominal_tracks << 16, device_tracks) : 1 << 16;
	m->turn_ns = p->turn_us * 1000ULL;
	m->readahead_ns = p->readahead_us * 1000ULL;
	m->head_lba = 0;
	m->head_time = 0;
	m->head_read = false;
	return hdd_curve_init(m, p, nominal_tracks);
}

u64 hdd_seek_ns(const struct hdd_model *m, u64 tracks)
{
	unsigned int shift, i = hdd_curve_index(tracks, &shift);
	u64 rest;

	if (i >= HDD_CURVE_POINTS - 1)
		return m->curve[HDD_CURVE_POINTS - 1];
	rest = tracks & ((1ULL << shift) - 1);
	return m->curve[i] + (((u64)(m->curve[i + 1] - m->curve[i]) * rest) >> shift);
}

u64 hdd_angle_ns(const struct hdd_model *m, u64 lba)
{
	u64 rest, track = div64_u64_rem(lba, m->spt, &rest);
	u64 angle;

	div64_u64_rem(div64_u64(rest * m->rev_ns, m->spt) + track * m->skew_ns,
		      m->rev_ns, &angle);
	return angle;
}

/* The track the arm is over: that of the last sector, not of the one behind it. */
static u64 hdd_head_track(const struct hdd_model *m)
{
	return m->head_lba ? div64_u64(m->head_lba - 1, m->spt) : 0;
}

u64 hdd_position(const struct hdd_model *m, u64 lba, bool read, u64 now,
		 struct hdd_cost *cost)
{
	u64 idle = now - m->head_time;
	u64 from, to, tracks, angle, arrival;

	cost->seek = 0;
	cost->rotate = 0;
	cost->contiguous = lba == m->head_lba &&
		(idle <= m->turn_ns || (read && m->head_read && idle <= m->readahead_ns));
	if (cost->contiguous)
		return 0;

	from = hdd_head_track(m);
	to = div64_u64(lba, m->spt);
	tracks = from < to ? to - from : from - to;
	if (tracks)
		cost->seek = hdd_seek_ns(m, (tracks * m->stretch) >> 16);
	div64_u64_rem(now + cost->seek, m->rev_ns, &arrival);
	angle = hdd_angle_ns(m, lba);
	cost->rotate = angle >= arrival ? angle - arrival : angle + m->rev_ns - arrival;
	return cost->seek + cost->rotate;
}

u64 hdd_access(struct hdd_model *m, u64 lba, u64 sectors, bool read, u64 now,
	       struct hdd_cost *cost)
{
	u64 positioning = hdd_position(m, lba, read, now, cost);
	u64 last = div64_u64(lba + sectors - 1, m->spt);
	u64 first = cost->contiguous ? hdd_head_track(m) : div64_u64(lba, m->spt);
	u64 done;

	cost->transfer = div64_u64(sectors * m->rev_ns, m->spt) + (last - first) * m->skew_ns;
	done = now + positioning + cost->transfer;
	if (cost->contiguous && read && m->head_read) {
		/* The disk had gone on reading: what it holds already costs nothing. */
		done = max(now, m->head_time + cost->transfer);
		cost->transfer = done - now;
	}
	m->head_lba = lba + sectors;
	m->head_time = done;
	m->head_read = read;
	return done;
}
