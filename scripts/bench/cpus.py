#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: cpus.py FILE - the table of scripts/bench/cpus, from its lines."""

import sys

import tables


def main():
    price = {}
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            system, cpus, ns, requests = line.split()
            price[system, int(cpus)] = int(ns) / int(requests)
    systems = tables.unique(s for s, _ in price)
    rows = [["processors"] + systems]
    for cpus in tables.unique(n for _, n in price):
        rows.append([str(cpus)] + ["%.0f" % price[s, cpus] for s in systems])
    print(tables.plain("A 4 KiB write by number of processors", rows))


main()
