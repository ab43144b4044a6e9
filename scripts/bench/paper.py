# SPDX-License-Identifier: GPL-2.0-only
"""What the SSDUP+ paper measured, beside ours.  Its "OrangeFS" is hdd here,
"OrangeFS-BB" all, "SSDUP" watermark, "SSDUP+" adaptive; two I/O nodes, so that its
MB/s are halved."""

# random percentage, by workload
PERCENTAGES = {
    "contiguous-16": "11", "strided-16": "15 (Fig. 5: 45)", "random-16": "100",
    "mixed-16": "72", "strided-8": "7", "strided-32": "28", "strided-64": "46",
    "strided-128": "71",
}

# share that SSDUP+ buffered, per cent
SWEEP = {8: 25, 16: 25, 32: 25, 64: 40, 128: 66, 256: 84.5, 512: 97}

REMARKS = {
    ("scarce", "contiguous+random"): "adaptive / all 1.24, adaptive / watermark 1.34",
    ("scarce", "random+random"): "adaptive / all 1.37, adaptive / watermark 1.0",
    ("gaps", "gap-0"): "adaptive / all 1.10 to 1.12, with any gap",
    ("hpio", "region-32"): "adaptive / all 0.97, 17 % less SSD",
    ("hpio", "region-64"): "adaptive / all 0.95, 16 % less SSD",
    ("hpio", "region-128"): "adaptive / all 0.95, 14 % less SSD",
    ("hpio", "region-256"): "adaptive / all 0.99, 20 % less SSD",
    ("tile", "procs-16"): "nothing to the SSD, adaptive / hdd 1.0",
    ("tile", "procs-32"): "adaptive / all 1.0, 47 % to the SSD",
    ("tile", "procs-64"): "adaptive / all 1.0, 72 % to the SSD",
    ("tile", "procs-128"): "adaptive / all 1.0, 85 % to the SSD",
    ("beyond", "times-1"): "the same speed at any size",
}
REMARKS.update({("sweep", "procs-%d" % n): "%g %% to the SSD" % share +
                (", adaptive / all 0.95 to 0.98" if n >= 128 else "")
                for n, share in SWEEP.items()})


def ratio(results, workload, a, b):
    """MB/s of system a over those of b, as words, or None."""
    speed = {r["system"]: r.get("mb_s") for r in results if r["workload"] == workload}
    if speed.get(a) and speed.get(b):
        return "%s / %s %.2f" % (a, b, speed[a] / speed[b])
    return None
