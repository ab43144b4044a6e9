# SPDX-License-Identifier: GPL-2.0-only
"""Tables out of results: lists of rows of words, the first being the head."""

import os

import judge
import paper

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Documentation")

PEERS = ["hdd", "ssd", "linear", "dm-writecache", "dm-cache", "bcache", "dm-writeboost"]

# The table of the independent model: MB/s seen by the writers, seconds until drained.
INDEPENDENT = {
    ("contiguous", 512): {"hdd": (164, 7.4), "dm-writecache": (241, 10.1), "dm-cache": (247, 10.1),
                          "bcache": (163, None), "dm-writeboost": (72, 22.6), "limit": (360, 6.0)},
    ("random", 512): {"hdd": (117, 10.0), "dm-writecache": (200, 11.7), "dm-cache": (194, 12.4),
                      "bcache": (129, None), "dm-writeboost": (47, 33), "limit": (360, 6.0)},
    ("mixed", 512): {"hdd": (137, 8.7), "dm-writecache": (214, 10.4), "dm-cache": (224, 11.1),
                     "bcache": (223, None), "dm-writeboost": (53, 30), "limit": (360, 6.0)},
    ("strided", 512): {"hdd": (157, 7.7), "dm-writecache": (212, 8.3), "dm-cache": (233, 11.0),
                       "bcache": (151, None), "dm-writeboost": (44, 35), "limit": (360, 6.0)},
    ("small", 512): {"hdd": (5.2, 6.9), "dm-writecache": (208, 4.0), "dm-cache": (4.4, 13.0),
                     "bcache": (87, None), "dm-writeboost": (149, 5.9)},
    ("contiguous", 2560): {"dm-writecache": (445, 11.1), "limit": (622, 6.0)},
    ("random", 2560): {"dm-writecache": (447, 11.6), "limit": (622, 6.0)},
    ("mixed", 2560): {"dm-writecache": (447, 11.7), "limit": (622, 6.0)},
    ("strided", 2560): {"dm-writecache": (447, 10.3), "limit": (622, 6.0)},
}


def order(system):
    """Peers first, in their order."""
    return (PEERS.index(system), "") if system in PEERS else (len(PEERS), system)


def seconds(ms):
    return "-" if ms is None else "%.1f" % (ms / 1000)


def number(value, digits=1):
    return "-" if value is None else "%.*f" % (digits, value)


def latency(us):
    """Microseconds as a short text in milliseconds."""
    if us is None:
        return "-"
    return "%.2f" % (us / 1000) if us < 10000 else "%.0f" % (us / 1000)


def unique(values):
    return list(dict.fromkeys(values))


def to_ssd(r):
    """Share of the written data that went to the SSD first, per cent."""
    if not r.get("bytes") or r["system"] in ("hdd", "ssd", "linear"):
        return "-"
    return "%.0f" % (100 * r.get("ssd_written", 0) / r["bytes"])


TARGETS = ["contiguous", "random", "mixed", "strided", "small"]

# What tells one unit from another; a unit may have several runs.
UNIT = ("group", "workload", "system", "disks", "ssd_mb", "keys")


def median_runs(results):
    """Of each unit the run with the median of the MB/s, or one that failed; "runs" has all."""
    units = {}
    for r in results:
        units.setdefault(tuple(r.get(key) for key in UNIT), []).append(r)
    found = []
    for runs in units.values():
        runs.sort(key=lambda r: (not r.get("fault"), r.get("mb_s") or 0))
        at = 0 if runs[0].get("fault") else (len(runs) - 1) // 2
        found.append({**runs[at], "runs": runs})
    return found


def spread(r, key, words):
    """A figure; of several runs the least and the greatest."""
    if r.get(key) is None:
        return "-"
    values = [run[key] for run in r.get("runs", [r])]
    ends = [words(min(values)), words(max(values))]
    return " to ".join(unique(ends))


def targets(results):
    """MB/s and seconds of each system, columns are workloads; the independent
    model's in brackets."""
    workloads = [w for w in TARGETS if any(r["workload"] == w for r in results)]
    rows = [["SSD, system"] + workloads]
    for disks in unique(r["disks"] for r in results):
        rows += targets_on(disks, [r for r in results if r["disks"] == disks], workloads)
    return rows


def targets_on(disks, results, workloads):
    """The rows of one pair of disks; the independent model has but the first."""
    rows = []
    sizes = sorted(set(r["ssd_mb"] for r in results if r["system"] not in ("hdd", "ssd")))
    lines = [(None, "hdd"), (None, "ssd")] + \
        [(size, s) for size in sizes for s in
         sorted(set(r["system"] for r in results) - {"hdd", "ssd"}, key=order)]
    for size, system in lines:
        row = ["%s%s%s" % ("" if disks == "sata" else disks + ", ",
                           "" if size is None else "%d MB, " % size, system)]
        for workload in workloads:
            r = next((r for r in results if r["system"] == system and
                      r["workload"] == workload and size in (None, r["ssd_mb"])), None)
            theirs = INDEPENDENT.get((workload, size or 512), {}).get(system)
            row.append(cell(r, theirs if disks == "sata" else None))
        if any(word != "-" for word in row[1:]):
            rows.append(row)
    return rows


def cell(r, theirs):
    if r is None:
        return "-"
    if r.get("fault"):
        return "failed"
    text = "%s, %s" % (spread(r, "mb_s", number), spread(r, "drained_ms", seconds))
    if theirs:
        text += " (%g, %s)" % (theirs[0], "-" if theirs[1] is None else "%g" % theirs[1])
    return text


def full(results):
    """A line for each result with what every table wants to know."""
    rows = [["workload", "SSD MB", "system", "MB/s", "p50 ms", "p99 ms", "p99 / p50", "p99.9 ms",
             "max ms", "drained s", "seeks", "HDD ops", "to SSD %"]]
    for r in results:
        name = [workload_of(r), str(r["ssd_mb"]), r["system"]]
        if r.get("fault"):
            rows.append(name + [r["fault"][:40]] + [""] * 9)
            continue
        rows.append(name + [spread(r, "mb_s", number), latency(r.get("p50_us")),
                            latency(r.get("p99_us")), tail(r), latency(r.get("p999_us")),
                            spread(r, "max_us", latency), spread(r, "drained_ms", seconds),
                            str(r.get("hdd_seeks", "-")), str(r.get("hdd_ops", "-")), to_ssd(r)])
    return rows


def workload_of(r):
    """Its name, with the pair of disks if that is not the usual one."""
    usual = r["disks"] in ("sata", "paper", "instant") or r["workload"].endswith("-" + r["disks"])
    return r["workload"] + ("" if usual else "-" + r["disks"])


def tail(r):
    """The 99th percentile of the waits over the median."""
    return "%.1f" % (r["p99_us"] / r["p50_us"]) if r.get("p99_us") and r["p50_us"] else "-"


def percentages(results):
    rows = [["workload", "random percentage", "the paper"]]
    for r in results:
        rows.append([r["workload"], number(r["percentage_1e4"] / 100),
                     paper.PERCENTAGES.get(r["workload"], "-")])
    return rows


def beside_paper(results):
    """A line for each workload: MB/s of each system (and per cent to the SSD), the
    ratios that the paper gives, and the paper's."""
    systems = sorted(unique(r["system"] for r in results), key=order)
    rows = [["workload"] + systems + ["ours", "the paper"]]
    for workload in unique(r["workload"] for r in results):
        row = [workload]
        for system in systems:
            r = one(results, workload, system)
            share = to_ssd(r) if r else "-"
            row.append("-" if not r or r.get("fault") else number(r["mb_s"]) +
                       ("" if share == "-" else " (%s %%)" % share))
        pairs = [("adaptive", "hdd"), ("adaptive", "all"), ("adaptive", "watermark")]
        ratios = [paper.ratio(results, workload, *pair) for pair in pairs]
        row.append(", ".join(words for words in ratios if words) or "-")
        row.append(paper.REMARKS.get((results[0]["group"], workload), "-"))
        rows.append(row)
    return rows


def one(results, workload, system):
    return next((r for r in results if r["workload"] == workload and r["system"] == system), None)


def instructions(results):
    """A request's price: virtual nanoseconds on disks that take no time."""
    rows = [["workload", "system", "instructions", "above the disk", "above dm-linear"]]
    for r in results:
        if r.get("fault"):
            continue
        price = per_request(r)
        row = [r["workload"], r["system"], "%.0f" % price]
        for other in ("hdd", "linear"):
            base = one(results, r["workload"], other)
            row.append("%.0f" % (price - per_request(base)) if base else "-")
        rows.append(row)
    return rows


def per_request(r):
    return r["ns"] / (r["requests"] + r.get("read_requests", 0))


def memory(results):
    """What is held for the data on the SSD and at most meanwhile, less what the writers
    alone take. For peers the former comes out negative, and is left out."""
    rows = [["system", "256 KiB writes: SSD MB", "peak MiB", "held", "4 KiB writes: SSD MB",
             "peak MiB", "held", "bytes for each more"]]
    for system in unique(r["system"] for r in results if r["system"] not in ("hdd", "ssd")):
        row, points = [system], []
        for workload, size in (("fill-256k", 262144), ("fill-4k", 4096)):
            mine, base = one(results, workload, system), one(results, workload, "hdd")
            if not mine or not base or mine.get("fault"):
                row += ["-"] * 3
                continue
            peak, held = [mine[key] - base[key] for key in ("memory_kb", "held_kb")]
            row += ["%.0f" % (mine["ssd_written"] / 1048576), "%.1f" % (peak / 1024),
                    "-" if system in PEERS else "%.1f" % (held / 1024)]
            points.append((mine["ssd_written"] / size, held * 1024))
        each = "-"
        if system not in PEERS and len(points) == 2 and points[1][0] > 2 * points[0][0] + 1000:
            each = "%.0f" % ((points[1][1] - points[0][1]) / (points[1][0] - points[0][0]))
        rows.append(row + [each])
    return rows


def start(results):
    """How long it takes until a device that holds data is there."""
    rows = [["MiB written", "in writes of", "system", "start ms", "MiB read"]]
    for r in results:
        _, size, mib = r["workload"].split("-")
        rows.append([mib, size.replace("k", " KiB"), "dm-ssdup" if r["system"] == "all"
                     else r["system"], "%.0f" % (r["restart_us"] / 1000),
                     "%.1f" % (r["restart_read"] / 1048576)])
    return rows


def drains(results):
    """Latencies of others during a drain, and without one."""
    rows = [["workload", "system", "drain: p50 ms", "p99 ms", "max ms", "quiet: p50 ms",
             "p99 ms", "max ms", "p99 ratio"]]
    for r in results:
        if r.get("fault"):
            continue
        kind = "read_" if r["workload"].startswith("readers") else ""
        row = [r["workload"], r["system"]]
        for when in ("during", "quiet"):
            row += [latency(r[when][kind + key]) for key in ("p50_us", "p99_us", "max_us")]
        row.append("%.2f" % (r["during"][kind + "p99_us"] / max(1, r["quiet"][kind + "p99_us"])))
        rows.append(row)
    return rows


def staging(results):
    """Writers whose arrays others read: how long all took, and a process at its requests."""
    rows = [["workload", "system", "all s", "requests s", "write: p50 ms", "read: p50 ms",
             "p99 ms", "R", "most"]]
    for r in results:
        if r.get("fault"):
            continue
        rows.append([r["workload"], r["system"], "%.2f" % (r["ns"] / 1e9),
                     "%.2f" % (r["io_ms"] / 1e3), latency(r["p50_us"]),
                     latency(r["read_p50_us"]), latency(r["read_p99_us"])] +
                    ["%.2f" % (r[key] / 1e4) if r.get(key) else "-"
                     for key in ("interference_1e4", "interference_most_1e4")])
    return rows


def readwrite(results):
    """Readers and writers of one load apart."""
    rows = [["workload", "system", "reads: MB/s", "p50 ms", "p99 ms", "writes: MB/s", "p50 ms",
             "p99 ms", "drained s"]]
    for r in results:
        if r.get("fault"):
            continue
        rows.append([r["workload"], r["system"]] +
                    [make(r.get(kind + key)) for kind in ("read_", "")
                     for make, key in ((number, "mb_s"), (latency, "p50_us"), (latency, "p99_us"))] +
                    [seconds(r.get("drained_ms"))])
    return rows


def beside(results):
    """Two loads at once: the writers, and what others do meanwhile."""
    rows = [["workload", "system", "writers: MB/s", "a second", "p50 ms", "p99 ms", "max ms",
             "others: MB/s", "a second", "p50 ms", "p99 ms", "max ms"]]
    for r in results:
        row = [r["workload"], r["system"]]
        if r.get("fault"):
            rows.append(row + [r["fault"][:40]] + [""] * 9)
            continue
        runs = r.get("runs", [r])
        for sides in (runs, [run["aside"] for run in runs]):
            both = [dict(side, rate=1000 * side["requests"] / side["ms"]) for side in sides]
            side = {**both[0], "runs": both}
            row += [spread(side, "mb_s", number), spread(side, "rate", "{:.0f}".format)] + \
                [spread(side, key, latency) for key in ("p50_us", "p99_us", "max_us")]
        rows.append(row)
    return rows


def behind(results):
    """Where a bare hard disk or a peer has more MB/s, or everything on the disk earlier, by
    more than two runs differ."""
    rows = [["group, workload", "system", "MB/s", "the better ones", "drained s", "earlier ones"]]
    others = [s for s in PEERS if s not in ("ssd", "linear")]
    for r in results:
        if r["system"] != "balance" or r.get("fault") or \
           r["group"] in ("targets",) + APART:
            continue
        peers = rivals(results, r, others)
        faster = ["%s %s" % (o["system"], number(o["mb_s"])) for o in peers
                  if o.get("mb_s") and o["mb_s"] * 0.97 > r["mb_s"]]
        earlier = ["%s %s" % (o["system"], seconds(o["drained_ms"])) for o in peers
                   if o.get("drained_ms") and o["drained_ms"] < r["drained_ms"] * 0.97 - 50]
        if faster or earlier:
            rows.append(["%s, %s" % (r["group"], r["workload"]), r["system"], number(r["mb_s"]),
                         ", ".join(faster) or "-", seconds(r.get("drained_ms")),
                         ", ".join(earlier) or "-"])
    return rows


def rivals(results, r, systems):
    """What these systems have done of the same."""
    return [o for o in results if o["system"] in systems and not o.get("fault") and
            all(o[k] == r[k] for k in ("group", "workload", "disks")) and
            (o["ssd_mb"] == r["ssd_mb"] or o["system"] == "hdd")]


# What balance is held against, and how much slower it may be.
BEST_OF = ("hdd", "dm-writecache", "dm-cache")
SLOWER = 0.02


def slower(results):
    """How many figures of balance were judged, and a row for each that is too slow."""
    rows, judged = [["group, workload", "SSD MB", "figure", "balance", "the best", "ratio"]], 0
    for r in results:
        if r["system"] != "balance" or r.get("fault") or r["group"] in APART:
            continue
        for key, name in (("mb_s", "MB/s"), ("read_mb_s", "MB/s read")):
            peers = [o for o in rivals(results, r, BEST_OF) if o.get(key)]
            if not peers or r.get(key) is None:
                continue
            judged += 1
            best = max(peers, key=lambda o: o[key])
            if r[key] < best[key] * (1 - SLOWER):
                rows.append(["%s, %s" % (r["group"], workload_of(r)), str(r["ssd_mb"]), name,
                             number(r[key]), "%s %s" % (best["system"], number(best[key])),
                             "%.3f" % (r[key] / best[key])])
    return judged, rows


def reads(results):
    """MB/s of what reads, seconds of find, MB/s of a second burst; rows are systems and keys."""
    workloads = unique(r["workload"] for r in results)
    rows = [["system"] + workloads]
    units = unique((r["system"], r["keys"].strip()) for r in results)
    for system, keys in sorted(units, key=lambda unit: (order(unit[0]), unit[1])):
        cells = [next((r for r in results if (r["workload"], r["system"],
                       r["keys"].strip()) == (workload, system, keys)), None)
                 for workload in workloads]
        rows.append([system + (", " + keys if keys else "")] + [
            r and (seconds(r["ms"]) + " s" if r["workload"].startswith("find") else
                   number(r.get("read_mb_s") or r["mb_s"])) or "-" for r in cells])
    return rows


def ordered(results):
    """MB/s of readers in order, and the longest wait, by read-ahead and scheduler."""
    systems = sorted(unique(r["system"] for r in results), key=order)
    rows = [["readers", "read-ahead KiB", "scheduler", "disks"] + systems]
    for workload in unique(r["workload"] for r in results):
        _, readers, kib, scheduler, disks = workload.replace("mq-", "mq_").split("-")
        cells = [next((r for r in results if (r["workload"], r["system"]) == (workload, system)),
                      None) for system in systems]
        rows.append([readers, kib if kib != "0" else "none: direct",
                     scheduler.replace("_", "-"), disks] +
                    [r and "%s (%s)" % (number(r["mb_s"]), latency(r["max_us"])) or "-"
                     for r in cells])
    return rows


def liu(results):
    """Of programs: MB/s of writes and reads, seeks; or seconds. Rows are systems and keys."""
    def name(r):
        return r["system"] + (", read ahead" if r["workload"].startswith("ahead-") else "") + (
            ", " + r["keys"] if r["keys"].strip() else "")

    def one_of(cell):
        if cell is None:
            return "-"
        if cell["workload"].startswith("bt-"):
            return seconds(cell["write_ms"] + cell["ms"]) + " s"
        read = "%s (%s seeks)" % (number(cell["mb_s"]), cell["hdd_seeks"])
        if "-beside-" in cell["workload"]:
            return read
        return "%s, %s" % (number(448 * 1048.576 / max(cell["write_ms"], 1)), read)

    found = {(name(r), r["workload"].replace("ahead-", "", 1)): r for r in results}
    rows = sorted(unique(name(r) for r in results), key=lambda n: (order(n.split(",")[0]), n))
    columns = unique(r["workload"].replace("ahead-", "", 1) for r in results)
    return [["system"] + columns] + [
        [row] + [one_of(found.get((row, column))) for column in columns] for row in rows]


MAKERS = {"liu": liu, "reads": reads, "ordered": ordered, "copies": reads, "targets": targets,
          "percentages": percentages,
          "cpu": instructions, "memory": memory,
          "drain": drains, "sweep": beside_paper, "scarce": beside_paper,
          "gaps": beside_paper, "hpio": beside_paper, "tile": beside_paper,
          "beyond": beside_paper, "readwrite": readwrite, "beside": beside,
          "start": start, "family": judge.family,
          "flashstager": staging}

# These have numbers of their own, and no use for the table of everything.
SPECIAL = ("liu", "reads", "ordered", "copies", "percentages", "cpu", "memory", "start", "drain",
           "beside", "family", "flashstager")

# Here the writers' MB/s are no measure.
APART = ("liu", "reads", "ordered", "copies", "cpu", "memory", "start", "drain", "percentages",
         "beside", "family", "flashstager")

TITLES = {
    "targets": "MB/s seen by the writers, seconds until drained (in brackets: the independent model)",
    "percentages": "Random percentage of streams (Fig. 5 and 6)",
    "sweep": "Processes, SSD large enough (Fig. 9): MB/s, and share of the data that took the SSD",
    "scarce": "Two bursts at once, SSD half the data (Fig. 11)",
    "gaps": "Time to compute between two bursts, SSD half the data (Fig. 12)",
    "hpio": "HPIO by region size in KiB (Fig. 13)",
    "tile": "MPI-Tile-IO by number of processes (Fig. 14)",
    "beyond": "Random data, times the SSD (Fig. 15)",
    "small": "4 KiB random writes at depth 1 and 32",
    "fsync": "4 writers, fdatasync after every write",
    "readwrite": "70 % reads, 30 % writes of 4 KiB",
    "zipf": "Rewrites of 4 KiB by Zipf's law",
    "checkpoint": "Four checkpoints of 256 MiB",
    "sustained": "Random data of four and of eight times the SSD",
    "beside": "Loads beside each other",
    "full": "Writers at a full log",
    "drain": "Others during a drain",
    "flashstager": "Arrays that are read as soon as they are there (FlashStager, Fig. 2, 4 and 6)",
    "family": "Pairs of disks drawn at random: of the best of the others (1: as good)",
    "liu": "Programs of the LiU paper (Fig. 4, Tables I to III): MB/s, seeks, seconds",
    "copies": "What is read again, without copies on the SSD and with them: MB/s, or seconds",
    "reads": "Reads of what was written back (MB/s), and a burst after it",
    "ordered": "Readers in order: MB/s, and the longest wait in ms",
    "untar": "A tree of files onto ext4, and sync",
    "cpu": "Instructions of a request",
    "memory": "Memory while the SSD fills",
    "start": "How long a device that holds data takes to start",
}


def make(results):
    """List of (name, title, table) for the groups there are."""
    found = []
    for group in unique(r["group"] for r in results):
        mine = [r for r in results if r["group"] == group]
        mine.sort(key=sort_key(mine))
        if group in SPECIAL:
            good = [r for r in mine if not r.get("fault")]
            found.append((group, TITLES[group], MAKERS[group](good)))
            continue
        if group in MAKERS:
            found.append((group, TITLES[group], MAKERS[group](mine)))
        found.append((group + "-full" if group in MAKERS else group,
                      TITLES[group] + (": everything" if group in MAKERS else ""),
                      full(mine)))
    rows = behind(results)
    if len(rows) > 1:
        found.append(("behind", "Where balance is behind", rows))
    return found


def sort_key(results):
    workloads = unique([w for w in TARGETS if any(r["workload"] == w for r in results)] +
                       [r["workload"] for r in results])
    disks = unique(r["disks"] for r in results)
    return lambda r: (disks.index(r["disks"]), workloads.index(r["workload"]), r["ssd_mb"],
                      order(r["system"]))


def plain(title, rows):
    """A table for a terminal."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    text = [title]
    for n, row in enumerate(rows):
        cells = [word.ljust(width) if i == 0 or len(row) == 2 else word.rjust(width)
                 for i, (word, width) in enumerate(zip(row, widths))]
        text.append("  ".join(cells).rstrip())
        if n == 0:
            text.append("-" * (sum(widths) + 2 * len(widths) - 2))
    return "\n".join(text) + "\n"


def rst(rows):
    """A simple table of reStructuredText."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip()
             for row in rows]
    return "\n".join([rule, lines[0], rule] + lines[1:] + [rule]) + "\n"
