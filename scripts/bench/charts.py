# SPDX-License-Identifier: GPL-2.0-only
"""Which figures are made of which results."""

import figures
from tables import TARGETS, order, unique


def speed_by_number(results, title, x_label, log=True):
    """MB/s over the number at the end of the workload's name."""
    series = {}
    for r in sorted(results, key=lambda r: order(r["system"])):
        if r.get("mb_s"):
            series.setdefault(r["system"], []).append(
                (int(r["workload"].rsplit("-", 1)[1]), r["mb_s"]))
    return figures.lines(title, x_label, "MB/s", series, log) if series else None


def targets(results, size):
    mine = [r for r in results if r["ssd_mb"] == size or r["system"] in ("hdd", "ssd")]
    workloads = [w for w in TARGETS[:-1] if any(r["workload"] == w for r in mine)]
    series = {}
    for system in sorted(unique(r["system"] for r in mine), key=order):
        speed = {r["workload"]: r.get("mb_s") for r in mine if r["system"] == system}
        series[system] = [speed.get(w) for w in workloads]
    if not workloads or not any(any(v) for v in series.values()):
        return None
    return figures.bars("16 writers of 256 KiB, 1 GiB, SSD %d MB" % size, "MB/s", workloads, series)


def course(results, what):
    """The course of time: MB/s, or the longest request in milliseconds."""
    series = {}
    for r in sorted(results, key=lambda r: order(r["system"])):
        if r.get("course"):
            width = r["slice_ms"] / 1000
            series[r["system"]] = [
                ((i + 0.5) * width, value[0] / 1e6 / width if what == "speed" else value[1] / 1000)
                for i, value in enumerate(r["course"])]
    title = "Random data of four times the SSD"
    label = "MB/s" if what == "speed" else "longest request, ms"
    return figures.lines(title, "seconds", label, series) if series else None


def tenants(results):
    """Write amplification in the course of what was written, eight tenants on one SSD."""
    series = {}
    for r in results:
        _, _, streams, _, _, discard = r["workload"].split("-")
        if r["disks"] == "tenants" and streams != "4" and r.get("waf_course"):
            name = "%s, %s%s" % (r["system"], streams, "" if discard == "off" else ", discard")
            series[name] = [((i + 1) / 4, value / 1000)
                            for i, value in enumerate(r["waf_course"])]
    return figures.lines("Write amplification by system and streams, eight tenants",
                         "written, times the SSD", "WAF", series) if series else None


def make(results):
    """name -> SVG of all figures that the results are there for."""
    groups = {}
    for r in results:
        groups.setdefault(r["group"], []).append(r)
    drawn = {}
    for disks in unique(r["disks"] for r in groups.get("targets", [])):
        mine = [r for r in groups["targets"] if r["disks"] == disks]
        name = "targets-" + ("" if disks == "sata" else disks + "-")
        for size in sorted(set(r["ssd_mb"] for r in mine if r["system"] not in ("hdd", "ssd"))):
            drawn[name + str(size)] = targets(mine, size)
    for group, title, label in (("sweep", "Three patterns in turn, SSD large enough", "processes"),
                                ("beyond", "Random data through an SSD of 128 MB", "times the SSD"),
                                ("gaps", "Two bursts with a gap, SSD half the data", "seconds")):
        if group in groups:
            drawn[group] = speed_by_number(groups[group], title, label, log=group != "gaps")
    if "tenants" in groups:
        drawn["tenants"] = tenants(groups["tenants"])
    for disks in unique(r["disks"] for r in groups.get("sustained", [])):
        mine = [r for r in groups["sustained"] if r["disks"] == disks]
        drawn["sustained-%s-speed" % disks] = course(mine, "speed")
        drawn["sustained-%s-latency" % disks] = course(mine, "latency")
    return {name: svg for name, svg in drawn.items() if svg}
