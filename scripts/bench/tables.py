# SPDX-License-Identifier: GPL-2.0-only
"""Tables out of results: lists of rows of words, the first being the head."""

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


def targets(results):
    """MB/s and seconds of each system, columns are workloads; the independent
    model's in brackets."""
    workloads = unique(r["workload"] for r in results)
    rows = [["SSD, system"] + workloads]
    sizes = sorted(set(r["ssd_mb"] for r in results if r["system"] not in ("hdd", "ssd")))
    lines = [(None, "hdd"), (None, "ssd")] + \
        [(size, s) for size in sizes for s in
         sorted(set(r["system"] for r in results) - {"hdd", "ssd"}, key=order)]
    for size, system in lines:
        row = ["%s%s" % ("" if size is None else "%d MB, " % size, system)]
        for workload in workloads:
            r = next((r for r in results if r["system"] == system and
                      r["workload"] == workload and size in (None, r["ssd_mb"])), None)
            theirs = INDEPENDENT.get((workload, size or 512), {}).get(system)
            row.append(cell(r, theirs))
        if any(word != "" for word in row[1:]):
            rows.append(row)
    return rows


def cell(r, theirs):
    if r is None:
        return ""
    if r.get("fault"):
        return "failed"
    text = "%s, %s" % (number(r["mb_s"]), seconds(r.get("drained_ms")))
    if theirs:
        text += " (%g, %s)" % (theirs[0], "-" if theirs[1] is None else "%g" % theirs[1])
    return text


def full(results):
    """A line for each result with what every table wants to know."""
    rows = [["workload", "SSD MB", "system", "MB/s", "p50 ms", "p99 ms", "p99.9 ms", "max ms",
             "drained s", "seeks", "HDD ops", "to SSD %"]]
    for r in results:
        if r.get("fault"):
            rows.append([r["workload"], str(r["ssd_mb"]), r["system"], r["fault"][:40]] + [""] * 8)
            continue
        rows.append([r["workload"], str(r["ssd_mb"]), r["system"], number(r["mb_s"]),
                     latency(r["p50_us"]), latency(r["p99_us"]), latency(r["p999_us"]),
                     latency(r["max_us"]), seconds(r.get("drained_ms")),
                     str(r.get("hdd_seeks", "-")), str(r.get("hdd_ops", "-")), to_ssd(r)])
    return rows


def make(results):
    """List of (name, title, table) for the groups there are."""
    found = []
    for group in unique(r["group"] for r in results):
        mine = sorted((r for r in results if r["group"] == group), key=sort_key(results))
        if group == "targets":
            found.append(("targets", "MB/s seen by the writers, seconds until drained "
                          "(in brackets: the independent model)", targets(mine)))
        found.append((group + "-full", "%s: everything" % group, full(mine)))
    return found


def sort_key(results):
    workloads = unique(r["workload"] for r in results)
    return lambda r: (workloads.index(r["workload"]), r["ssd_mb"], order(r["system"]))


def plain(title, rows):
    """A table for a terminal."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    text = [title]
    for n, row in enumerate(rows):
        cells = [word.ljust(width) if i == 0 else word.rjust(width)
                 for i, (word, width) in enumerate(zip(row, widths))]
        text.append("  ".join(cells).rstrip())
        if n == 0:
            text.append("-" * (sum(widths) + 2 * len(widths) - 2))
    return "\n".join(text) + "\n"
