# SPDX-License-Identifier: GPL-2.0-only
"""The data file of Documentation/: a line for each run that its figures are taken from."""

import csv
import os

import tables

PATH = os.path.join(tables.DOCS, "benchmarks", "measured.csv")

# What the tables of the pages use.  A figure of others than the writers has a point in its name.
WORDS = ["group", "workload", "system", "disks", "keys", "kernel", "source", "fault"]
NUMBERS = """ssd_mb bytes mb_s requests ms ns p50_us p99_us max_us drained_ms ssd_written ssd_nand ssd_host
ssd_read_p99_us hdd_seeks write_ms read_mb_s read_p99_us read_requests percentage_1e4 memory_kb
held_kb restart_us restart_read""".split()
NUMBERS += ["aside." + key for key in ("mb_s", "requests", "ms")]
NUMBERS += ["%s.%s%s" % (when, kind, key) for when in ("during", "quiet")
            for kind in ("", "read_") for key in ("p50_us", "p99_us", "max_us")]


def value_of(result, name):
    of, _, key = name.rpartition(".")
    return (result.get(of) or {} if of else result).get(key)


def unit_of(result):
    return tuple(str(result.get(key, "")) for key in tables.UNIT)


def save(results):
    """All runs, in the order of the groups."""
    rows = [{name: value_of(r, name) for name in WORDS + NUMBERS} for r in results]
    groups = list(tables.TITLES)
    rows.sort(key=lambda row: groups.index(row["group"]))
    with open(PATH, "w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, WORDS + NUMBERS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def number(word):
    return float(word) if "." in word else int(word)


def load():
    """Of each unit the run with the median of the MB/s, and all in "runs"."""
    found = []
    if not os.path.exists(PATH):
        return found
    with open(PATH, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            result = {name: row[name] for name in WORDS if row[name] or name != "fault"}
            for name in NUMBERS:
                of, _, key = name.rpartition(".")
                if row[name]:
                    (result.setdefault(of, {}) if of else result)[key] = number(row[name])
            found.append(result)
    return tables.median_runs(found)


def merge(results):
    """New runs take the place of those of the same units."""
    units = {unit_of(r) for r in results}
    kept = [run for r in load() if unit_of(r) not in units for run in r["runs"]]
    save(kept + results)
