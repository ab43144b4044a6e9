# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The modelled disks of the bench, by name: parameters of ssdup-disks.

# disk_parameters NAME[-PERCENT] - with the HDD's nominal size as much of what it is
disk_parameters()
{
	local parameters gb sata=(hdd_rpm=7200 hdd_rate_mbps=180 hdd_nominal_gb=1000 hdd_cache_mb=64)

	case $1 in
	sata) echo "${sata[*]} ssd_rate_mbps=450 ssd_latency_us=60" ;;
	nvme) echo "${sata[*]} ssd_rate_mbps=2000 ssd_latency_us=20" ;;
	paper) echo "hdd_rpm=10000 hdd_rate_mbps=130 hdd_nominal_gb=300 hdd_cache_mb=16" \
		"hdd_seek_track_us=400 hdd_seek_avg_us=4500 hdd_seek_full_us=9500" \
		"ssd_rate_mbps=250 ssd_latency_us=80" ;;
	instant) echo "instant=1" ;;
	*-*)
		parameters=$(disk_parameters "${1%-*}") || return
		gb=$(sed -E 's/.*hdd_nominal_gb=([0-9]+).*/\1/' <<<"$parameters")
		echo "${parameters/nominal_gb=$gb/nominal_gb=$((gb * ${1##*-} / 100))}"
		;;
	*) return 1 ;;
	esac
}

# disk_words NAME - the same for people
disk_words()
{
	case $1 in
	sata) echo "7200 rpm, 180 MB/s, 1 TB, 64 MB cache; SATA SSD 450 MB/s, 60 us" ;;
	nvme) echo "7200 rpm, 180 MB/s, 1 TB, 64 MB cache; NVMe SSD 2 GB/s, 20 us" ;;
	paper) echo "10000 rpm, 130 MB/s, 300 GB, 16 MB cache; SATA SSD 250 MB/s, 80 us" ;;
	instant) echo "disks that take no time" ;;
	esac
}
