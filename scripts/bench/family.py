#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: scripts/bench/family.py SEED...

Pairs of disks drawn at random, a line for each seed: its name, parameters of the HDD and
of the SSD for ssdup-disks, as scripts/bench/disks.sh has them for the pairs by name.
A seed always gives the same pair.

The ranges are those of disks that are or were sold.  What is spread over more than a
factor of three is drawn evenly on a logarithmic scale.
"""

import math
import random
import sys


def between(draw, low, high):
    """A whole number, on a logarithmic scale."""
    return round(math.exp(draw.uniform(math.log(low), math.log(high))))


def hard_disk(draw):
    """From a laptop's disk to an array behind a controller."""
    rpm = draw.choice([5400, 5900, 7200, 10000, 15000])
    rate = between(draw, 80, 1000)
    track, full = draw.randint(200, 1500), draw.randint(6000, 25000)
    return {
        "hdd_rpm": rpm,
        "hdd_rate_mbps": rate,
        "hdd_nominal_gb": between(draw, 300, 20000),
        "hdd_seek_track_us": track,
        # Outside of this the curve of the model would fall somewhere.
        "hdd_seek_avg_us": round(track + (full - track) * draw.uniform(0.42, 0.53)),
        "hdd_seek_full_us": full,
        "hdd_depth": draw.choice([1, 4, 32, 64, 128, 256]),
        "hdd_cache_mb": draw.choice([0, 8, 16, 32, 64, 128, 256, 512]),
        "hdd_cache_runs": draw.choice([128, 512, 2048]),
        "hdd_order": draw.choice([0, 0, 1, 2]),
        "hdd_destage": draw.choice([0, 1, 2]),
        "hdd_reads_first": draw.choice([0, 1]),
        "hdd_bus_mbps": max(draw.choice([300, 550, 1200, 2400]), rate * 6 // 5),
    }


def solid_state_disk(draw):
    """From an old SATA disk to a fast NVMe one, with or without flash memory that shows."""
    ssd = {
        "ssd_rate_mbps": between(draw, 200, 7000),
        "ssd_latency_us": between(draw, 10, 200),
        "ssd_depth": draw.choice([32, 128, 1024]),
        "ssd_cache_mb": draw.choice([0, 0, 32, 128]),
        "ssd_flush_us": between(draw, 300, 5000),
    }
    if draw.random() < 0.33:
        # One of which the dies together program as fast as it is sold for.
        dies = draw.choice([8, 16, 32])
        ssd.update({
            "ssd_ftl": 1, "ssd_dies": dies, "ssd_block_kb": 64,
            "ssd_spare_percent": draw.choice([7, 28]),
            "ssd_die_program_us": max(dies * 65536 // ssd["ssd_rate_mbps"], 50),
            "ssd_aged": draw.choice([0, 1]),
        })
    return ssd


def pair(seed):
    """The line of a seed."""
    draw = random.Random("dm-ssdup family %d" % seed)
    words = [" ".join("%s=%d" % item for item in disk(draw).items())
             for disk in (hard_disk, solid_state_disk)]
    return "|".join(["family%d" % seed] + words)


def main():
    if len(sys.argv) < 2 or not all(arg.isdigit() for arg in sys.argv[1:]):
        print(__doc__)
        return 2
    for arg in sys.argv[1:]:
        print(pair(int(arg)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
