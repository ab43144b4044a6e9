# SPDX-License-Identifier: GPL-2.0-only
"""The tables of the pages, made of the data file (measured.py) alone.

A page has a place for a table between the comments ".. begin NAME" and ".. end NAME", in
Markdown between "<!-- begin NAME -->" and "<!-- end NAME -->".
"""

import glob
import os
import re

import judge
import paper
import tables
from tables import latency, number, one, order, seconds, unique

TOP = os.path.realpath(os.path.join(tables.DOCS, ".."))
PEERS = ["hdd", "dm-writecache", "dm-cache", "bcache", "dm-writeboost"]
NAMES = {"hdd": "HDD alone"}

BURSTS = ["contiguous", "random", "mixed", "strided"]

# What users do, as the pages call it.
LOADS = {
    ("targets", "contiguous"): "16 writers, 256 KiB, contiguous",
    ("targets", "strided"): "16 writers, 256 KiB, strided",
    ("targets", "random"): "16 writers, 256 KiB, random",
    ("targets", "mixed"): "8 contiguous and 8 random ones",
    ("targets", "small"): "16 writers, 4 KiB, random",
    ("small", "depth-1-sata"): "1 writer, 4 KiB, random",
    ("small", "depth-32-sata"): "32 writers, 4 KiB, random",
    ("fsync", "fsync-4k-sata"): "4 writers, fdatasync after each 4 KiB",
    ("fsync", "fsync-16k-sata"): "4 writers, fdatasync after each 16 KiB",
    ("zipf", "zipf-sata"): "16 writers, 4 KiB, over each other",
    ("checkpoint", "gap-2-sata"): "checkpoints of 256 MiB, 2 s apart",
    ("sustained", "sustained-sata"): "random data, 4 times the SSD",
    ("sustained", "times-8-sata"): "random data, 8 times the SSD",
    ("full", "writers-sata"): "random data, the log is full",
    ("untar", "untar-sata"): "a tree of small files onto ext4",
    ("readwrite", "reads-70-sata"): "70 % reads, 30 % writes of 4 KiB",
    ("beside", "reader-sata"): "a reader beside 16 writers",
    ("beside", "database-sata"): "commits beside page writes",
}


def speed(r):
    return r["mb_s"]


# Of some loads other figures than MB/s.
FIGURES = {
    ("readwrite", "reads-70-sata"): [("MB/s read", lambda r: r["read_mb_s"]),
                                     ("MB/s written", speed)],
    ("beside", "reader-sata"): [("MB/s read", lambda r: r["aside"]["mb_s"]),
                                ("MB/s written", speed)],
    ("beside", "database-sata"): [
        ("commits a second", lambda r: 1000 * judge.rate(r["aside"])),
        ("pages a second", lambda r: 1000 * judge.rate(r))],
}


def sized(results):
    """Where a group has several sizes of SSD, that of the smallest one."""
    least = {}
    for r in results:
        if r["system"] not in ("hdd", "ssd"):
            key = r["group"], r["workload"]
            least[key] = min(least.get(key, r["ssd_mb"]), r["ssd_mb"])
    return [r for r in results if not r.get("fault") and
            (r["system"] in ("hdd", "ssd") or r["ssd_mb"] == least[r["group"], r["workload"]])]


def loads(results):
    """(load, figure, system -> value) of what users do."""
    results = sized(results)
    for (group, workload), name in LOADS.items():
        mine = {r["system"]: r for r in results
                if (r["group"], r["workload"]) == (group, workload)}
        for figure, value in FIGURES.get((group, workload), [("MB/s", speed)]):
            if "balance" in mine and set(PEERS) & set(mine):
                yield name, figure, {system: value(r) for system, r in mine.items()}


def expect(results):
    """Each load: dm-ssdup, the bare disk and the best peer. Where a peer is ahead stands first."""
    rows = []
    for name, figure, of in loads(results):
        peers = {system: of[system] for system in PEERS if system in of}
        best = max(peers, key=peers.get)
        rows.append((of["balance"] / peers[best], [
            name, figure, digits(of["balance"]), digits(of.get("hdd")),
            "%s, %s" % (digits(peers[best]), NAMES.get(best, best)),
            "%.2f" % (of["balance"] / peers[best])]))
    return [["load", "figure", "dm-ssdup", "HDD alone", "the best other one", "ratio"]] + \
        [row for _, row in sorted(rows, key=lambda row: row[0])]


def digits(value):
    return "-" if value is None else "%.0f" % value if value >= 100 else "%.1f" % value


def users(results):
    """MB/s, and in brackets the 99th percentile of the waits in ms, of every system."""
    results = sized(results)
    systems = PEERS + ["balance"]
    rows = [["load"] + systems]
    for (group, workload), name in LOADS.items():
        if group in ("targets", "readwrite", "beside"):
            continue
        mine = [r for r in results if r["group"] == group]
        row = [one(mine, workload, system) for system in systems]
        if any(row):
            rows.append([name] + [timed(r) if r else "-" for r in row])
    return rows


def timed(r):
    """MB/s, and the waits if there are any."""
    return number(r["mb_s"]) + (" (%s)" % latency(r["p99_us"]) if r.get("p99_us") else "")


def bursts(results):
    """The four bursts, MB/s; a row for each, for README.md."""
    mine = [r for r in sized(results) if r["group"] == "targets"]
    systems = PEERS + ["balance"]
    rows = [["writes"] + [NAMES.get(s, s) for s in PEERS] + ["**dm-ssdup**"]]
    for pattern in BURSTS:
        speeds = [one(mine, pattern, system) for system in systems]
        words = [r and "%.0f" % r["mb_s"] or "-" for r in speeds]
        rows.append([pattern] + words[:-1] + ["**%s**" % words[-1]])
    return rows


def letter(results):
    """The same for the cover letter, with the seconds until all is on the hard disk."""
    mine = [r for r in sized(results) if r["group"] == "targets"]
    rows = [[""] + BURSTS]
    for system in PEERS + ["balance"]:
        cells = [one(mine, pattern, system) for pattern in BURSTS]
        rows.append([{"balance": "dm-ssdup", "hdd": "hard disk"}.get(system, system)] +
                    [r and "%.1f, %4s" % (r["mb_s"], seconds(r["drained_ms"])) or "-"
                     for r in cells])
    return rows


def behind(results):
    """The loads in which another is ahead by more than runs differ."""
    rows = expect(results)
    return [["dm-ssdup is behind with", "", "", "the best", ""]] + [
        [row[0], row[1], row[2], row[4], row[5]] for row in rows[1:] if float(row[5]) < 0.97]


def paper_table(results):
    """Ratios of the paper's experiments, beside its own."""
    rows = [["experiment", "workload", "hdd", "all", "adaptive", "balance", "ours", "the paper"]]
    for group, words in (("sweep", "Fig. 9, processes"),
                         ("scarce", "Fig. 11, two bursts at once"),
                         ("gaps", "Fig. 12, a gap between them"), ("hpio", "Fig. 13, HPIO"),
                         ("tile", "Fig. 14, MPI-Tile-IO"), ("beyond", "Fig. 15, more data")):
        mine = [r for r in results if r["group"] == group and not r.get("fault")]
        for workload in unique(r["workload"] for r in mine):
            speeds = [one(mine, workload, s) for s in ("hdd", "all", "adaptive", "balance")]
            ratios = [paper.ratio(mine, workload, "adaptive", other) for other in ("hdd", "all")]
            rows.append([words, workload] +
                        [r and number(r["mb_s"]) + share(r) or "-" for r in speeds] +
                        [", ".join(filter(None, ratios)) or "-",
                         paper.REMARKS.get((group, workload), "-")])
    return rows


def share(r):
    """What went to the SSD of what was written, in brackets."""
    part = tables.to_ssd(r)
    return "" if part == "-" else " (%s %%)" % part


def cpu(results):
    """Instructions of a request above dm-linear's; columns are requests."""
    mine = [r for r in results if r["group"] == "cpu" and not r.get("fault")]
    workloads = unique(r["workload"] for r in mine)
    rows = [["system"] + workloads]
    systems = [s for s in unique(r["system"] for r in mine) if s not in ("hdd", "linear")]
    for system in sorted(systems, key=order):
        row = [system]
        for workload in workloads:
            r, base = one(mine, workload, system), one(mine, workload, "linear")
            row.append("%.0f" % (tables.per_request(r) - tables.per_request(base))
                       if r and base else "-")
        rows.append(row)
    return rows


def group(name, maker):
    """What makes a table of one group."""
    def make(results):
        mine = [r for r in results if r["group"] == name and not r.get("fault")]
        return maker(sorted(mine, key=tables.sort_key(mine)))
    return make


# Name of a place -> what makes the table, and the groups that it is made of.
PLACES = {
    "expect": (expect, unique(of[0] for of in LOADS)),
    "users": (users, unique(of[0] for of in LOADS)),
    "bursts": (bursts, ["targets"]),
    "letter": (letter, ["targets"]),
    "behind": (behind, unique(of[0] for of in LOADS)),
    "paper": (paper_table, ["sweep", "scarce", "gaps", "hpio", "tile", "beyond"]),
    "percentages": (group("percentages", tables.percentages), ["percentages"]),
    "targets": (group("targets", tables.targets), ["targets"]),
    "reads": (group("reads", tables.reads), ["reads"]),
    "ordered": (group("ordered", tables.ordered), ["ordered"]),
    "copies": (group("copies", tables.reads), ["copies"]),
    "liu": (group("liu", tables.liu), ["liu"]),
    "drain": (group("drain", tables.drains), ["drain"]),
    "cpu": (cpu, ["cpu"]),
    "memory": (group("memory", tables.memory), ["memory"]),
    "start": (group("start", tables.start), ["start"]),
    "family": (group("family", judge.family), ["family"]),
}


def source(results, groups):
    """Of which source and kernel the results are, as words."""
    mine = [r for r in results if r["group"] in groups]
    return "Source %s; Linux %s." % (", ".join(unique(r["source"] for r in mine)),
                                     ", ".join(unique(r["kernel"] for r in mine)))


def markdown(rows):
    return "".join("| %s |\n" % " | ".join(row)
                   for row in [rows[0], ["---"] * len(rows[0])] + rows[1:])


def literal(rows):
    """For the cover letter."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "::\n\n" + "".join("   " + "  ".join(w.ljust(n) for w, n in zip(row, widths)).rstrip() +
                              "\n" for row in rows)


def filled(path, results):
    """A page as it has to be."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    mark = "<!-- %s %s -->\n" if path.endswith(".md") else ".. %s %s\n"
    for name, (maker, groups) in PLACES.items():
        begin, end = mark % ("begin", name), mark % ("end", name)
        if begin not in text or not any(r["group"] in groups for r in results):
            continue
        rows = maker(results)
        if path.endswith(".md"):
            table = markdown(rows)
        elif path.endswith("upstream.rst"):
            table = "\n" + literal(rows) + "\n"
        else:
            table = "\n" + tables.rst(rows) + "\n" + source(results, groups) + "\n\n"
        # a function: what is put in is no pattern
        text = re.sub(re.escape(begin) + ".*?" + re.escape(end),
                      lambda _, new=begin + table + end: new, text, flags=re.S)
    return text


def pages():
    return [os.path.join(TOP, "README.md")] + sorted(glob.glob(os.path.join(tables.DOCS, "*.rst")))


def stale(results):
    """Names of the pages whose tables are not those of the data file."""
    found = []
    for path in pages():
        with open(path, encoding="utf-8") as file:
            if file.read() != filled(path, results):
                found.append(os.path.relpath(path, TOP))
    return found


def write(results):
    for path in pages():
        text = filled(path, results)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
