#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: pool.py FILE - the tables of scripts/bench/pool, from its lines."""

import sys

import tables

HEAD = ["disks", "pattern", "alone", "partitions", "logs", "of alone", "of partitions"]


def percent(part, whole):
    return "%.0f %%" % (100 * part / whole)


def beside(lines):
    """What each of two gets: the slower one."""
    speed = {(disks, pattern, how): min(map(int, mbps)) for disks, pattern, how, *mbps in lines}
    rows = [HEAD]
    for disks, pattern in tables.unique((d, p) for d, p, _ in speed):
        alone, parts, logs = (speed[disks, pattern, how] for how in HEAD[2:5])
        rows.append([disks, pattern, str(alone), str(parts), str(logs), percent(logs, alone),
                     percent(logs, parts)])
    return rows


def many(lines):
    rows = [["logs", "KiB of each", "ms of the first", "ms of the last"]]
    for nr, kib, first, last in lines:
        # What the machine frees meanwhile is as much as a single device takes.
        rows.append([nr, kib if int(nr) > 1 else "-", "%.1f" % (int(first) / 1e3), "%.1f" % (int(last) / 1e3)])
    return rows


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        lines = [line.split() for line in f]
    print(tables.plain("Two logs, each with half of an SSD: MB/s of the slower one",
                       beside(x[1:] for x in lines if x[0] == "beside")))
    print(tables.plain("Logs on an SSD of 1023 segments",
                       many(x[1:] for x in lines if x[0] == "logs")))


main()
