#!/usr/bin/env bash
# disk.sh GB: warns of every disk that tests write to and that has less than this free; they would fail halfway and
# not say why.
set -euo pipefail

places=(. "${TMPDIR:-/tmp}")
for place in /var/tmp /var/lib/docker /var/lib/containers; do
    [[ ! -d $place ]] || places+=("$place")
done
df --block-size=M --output=avail,target "${places[@]}" | tail -n +2 | sort -u | while read -r free disk; do
    ((${free%M} >= $1 * 1000)) ||
        echo "warning: the disk at $disk has $free free, and the tests need about $1 GB there: they may fail for want of it" >&2
done
