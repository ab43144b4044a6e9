# SPDX-License-Identifier: GPL-2.0-only
"""How the policies do on pairs of disks drawn at random, beside the best of the others.

A ratio of 1 is as good as the best of them, 0.5 half as fast or twice as late.
"""

import statistics

WRITERS = ("contiguous", "random", "mixed", "strided", "small", "gaps")


def speed(r):
    return r["mb_s"]


def earliness(r):
    """Until everything is on the hard disk."""
    return 1 / max(r["drained_ms"], 1)


def rate(r):
    """Requests a second."""
    return r["requests"] / r["ms"]


# Loads, figure, what is the better the greater it is, and who is compared with.
FIGURES = (
    (WRITERS, "MB/s", speed, ("hdd", "dm-writecache", "dm-cache")),
    (WRITERS, "drained", earliness, ("dm-writecache", "dm-cache")),
    (("reader",), "reader's MB/s", lambda r: speed(r["aside"]), ("hdd",)),
    (("reader",), "writers' MB/s", speed, ("hdd",)),
    (("reader",), "both", lambda r: speed(r) + speed(r["aside"]), ("hdd",)),
    (("reader",), "p99 of a write", lambda r: 1 / max(r["p99_us"], 1), ("hdd",)),
    (("database",), "commits a second", lambda r: rate(r["aside"]), ("dm-writecache",)),
    (("database",), "pages a second", rate, ("dm-writecache",)),
)


def load_of(r):
    """The workload without the pair of disks."""
    return r["workload"].removesuffix("-" + r["disks"])


def ratios(results, loads, value, others):
    """(ratio, load, pair of disks, name of the best) for each pair on which all of them ran."""
    of = {(load_of(r), r["disks"], r["system"]): value(r) for r in results
          if load_of(r) in loads and not r.get("fault")}
    found = []
    for (load, disks, system), own in of.items():
        peers = [(of[load, disks, o], o) for o in others if (load, disks, o) in of]
        if system == "balance" and len(peers) == len(others) and max(peers)[0] > 0:
            found.append((own / max(peers)[0], load, disks, max(peers)[1]))
    return found


def row_of(load, figure, found):
    worst = min(found)
    return [load, figure, str(len(found)), "%.2f" % worst[0],
            "%s, %s" % (worst[2].removeprefix("family"), worst[3]) if load != "all" else
            "%s, %s" % (worst[2].removeprefix("family"), worst[1]),
            "%.2f" % statistics.median(ratio for ratio, *_ in found),
            str(sum(ratio < 0.98 for ratio, *_ in found))]


def family(results):
    """For each load and figure of balance: the smallest ratio, where that was, and the median."""
    rows = [["load", "figure", "pairs", "smallest", "seed, best", "median", "below 0.98"]]
    for loads, figure, value, others in FIGURES:
        found = ratios(results, loads, value, others)
        for load in loads:
            of_load = [f for f in found if f[1] == load]
            if of_load:
                rows.append(row_of(load, figure, of_load))
        if len(loads) > 1 and found:
            rows.append(row_of("all", figure, found))
    return rows
