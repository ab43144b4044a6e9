# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The modelled disks of the bench, by name: parameters of ssdup-disks.

# disk_table - a line for each pair of disks: its name, the HDD's parameters, the SSD's;
# those before "paper" are what users have; of "ftl" and "aged" the SSD has flash memory, new or
# written at random before, of "two" there are two such new ones, else they are sata's
disk_table()
{
	local hdd="hdd_rpm=7200 hdd_rate_mbps=180 hdd_nominal_gb=1000 hdd_cache_mb=64"
	local sata="ssd_rate_mbps=450 ssd_latency_us=60" nvme="ssd_rate_mbps=2000 ssd_latency_us=15"

	cat <<-EOT
	sata|$hdd|$sata
	nvme|$hdd|$nvme
	nocache|${hdd/cache_mb=64/cache_mb=0}|$sata
	array|hdd_rpm=15000 hdd_rate_mbps=800 hdd_nominal_gb=1000 hdd_cache_mb=512 hdd_cache_runs=1024 hdd_bus_mbps=2000 ready_mb=1600|$nvme
	slow|hdd_rpm=5400 hdd_rate_mbps=120 hdd_nominal_gb=1000 hdd_cache_mb=16|ssd_rate_mbps=250 ssd_latency_us=90
	even|${hdd/mbps=180/mbps=450}|$sata
	paper|hdd_rpm=10000 hdd_rate_mbps=130 hdd_nominal_gb=300 hdd_cache_mb=16 hdd_seek_track_us=400 hdd_seek_avg_us=4500 hdd_seek_full_us=9500|ssd_rate_mbps=250 ssd_latency_us=80
	instant|instant=1|
	ftl|$hdd|$sata ssd_ftl=1
	two|$hdd|$sata ssd_ftl=1 ssds=2
	aged|$hdd|$sata ssd_ftl=1 ssd_aged=1
	EOT
	# those of the group family, as family.py draws them
	cat "${FAMILY:-/dev/null}"
}

# disk_pairs - the names of those that users have
disk_pairs()
{
	disk_table | sed '/^paper/,$d; s/|.*//'
}

# disk_parameters NAME[-PERCENT] - with the HDD's nominal size as much of what it is
disk_parameters()
{
	local name hdd ssd gb

	while IFS='|' read -r name hdd ssd; do
		[ "$name" = "${1%-*}" ] || continue
		if [[ $1 = *-* ]]; then
			gb=$(sed -E 's/.*hdd_nominal_gb=([0-9]+).*/\1/' <<<"$hdd")
			hdd=${hdd/nominal_gb=$gb/nominal_gb=$((gb * ${1##*-} / 100))}
		fi
		echo "$hdd $ssd"
		return
	done < <(disk_table)
	return 1
}
