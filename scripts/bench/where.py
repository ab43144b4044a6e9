#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: where.py FOLDER - the tables of scripts/bench/where, from its counts."""

import bisect
import json
import os
import sys

import tables

# Parts of the kernel: the first whose word begins a function's name, or is its module.
PARTS = [
    ("stream: sort, threshold", ("ssdup_detector", "sorted", "ssdup_threshold",
                                 "ssdup_stream_full", "ssdup_policy_next")),
    ("balance: windows", ("ssdup_window",)),
    ("commit of its share", ("ssdup_commit", "ssdup_log_page", "crc", "collect_half",
                             "write_round")),
    ("map", ("ssdup_map", "map_", "send_write", "route_write")),
    ("end_io, insert", ("ssdup_end_io", "ssdup_insert", "ssdup_extent", "rb_", "tree_")),
    ("rest of dm-ssdup", ("[dm_ssdup]",)),
    ("dm-writecache", ("[dm_writecache]",)),
    ("device mapper", ("[dm_mod]",)),
    ("locks", ("_raw_spin", "__rcu_read", "mutex_")),
    ("memory", ("kmem_cache", "mempool_", "__slab", "___slab", "allocate_slab", "new_slab")),
    ("disks' driver", ("[ssdup_disks]",)),
]
REST = "block layer and others"


def symbols(path):
    found = []
    with open(path) as f:
        for line in f:
            words = line.split()
            if words[1] in "tTwW":
                found.append((int(words[0], 16), " ".join(words[2:])))
    found.sort()
    return [address for address, _ in found], [name for _, name in found]


def part_of(name):
    for part, beginnings in PARTS:
        if any(b in name if b[0] == "[" else name.startswith(b) for b in beginnings):
            return part
    return REST


def counted(path, addresses, names):
    """Instructions by part of the kernel, between two marks."""
    sums = {}
    with open(path) as f:
        for line in f:
            address, length, times = line.split()
            address = int(address, 16)
            part = "the writer"
            if address >> 63:
                part = part_of(names[bisect.bisect_right(addresses, address) - 1])
            sums[part] = sums.get(part, 0) + int(length) * int(times)
    return sums


def read_all(folder):
    """(workload, system) -> instructions of a request, by part."""
    addresses, names = symbols(os.path.join(folder, "symbols"))
    with open(os.path.join(folder, "output")) as f:
        results = [json.loads(line[8:]) for line in f if line.startswith("@result ")]
    with open(os.path.join(folder, "units")) as f:
        units = [line.rstrip("\n").split("|") for line in f]
    found, mark = {}, 0
    for unit, result in zip(units, results):
        mark += 2 * unit[7].count("burst ")
        requests = result["requests"] + result.get("read_requests", 0)
        sums = counted(os.path.join(folder, "counts.%d" % (mark - 1)), addresses, names)
        found[unit[1], unit[2]] = {part: n / requests for part, n in sums.items()}
    return found


def table(found, workload):
    systems = [s for w, s in found if w == workload and s != "hdd"]
    bare = found[workload, "hdd"]
    rows = [["above the bare disk"] + systems]
    for part in [part for part, _ in PARTS] + [REST]:
        row = [found[workload, s].get(part, 0) - bare.get(part, 0) for s in systems]
        if any(abs(n) >= 0.5 for n in row):
            rows.append([part] + ["%.0f" % n for n in row])
    rows.append(["together"] + ["%.0f" % (sum(found[workload, s].values()) - sum(bare.values()))
                                for s in systems])
    return rows


def main():
    found = read_all(sys.argv[1])
    made = [("where-" + workload, "Instructions of a request, " + workload,
             table(found, workload)) for workload in tables.unique(w for w, _ in found)]
    for _, title, rows in made:
        print(tables.plain(title, rows))


main()
