#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fan.sh ZONE COOLING_DEVICE [ZONE COOLING_DEVICE]...: what fancontrol does,
# with our cooling device for a fan. Every second: nothing below the lower
# point, everything above the upper one, in proportion between them. The upper
# point is trip 1 of the zone, the lower one SPAN below it.

SPAN=10000

# step ZONE COOLING_DEVICE
step()
{
	read -r t < "$1/temp" || return
	read -r upper < "$1/trip_point_1_temp" || return
	read -r max < "$2/max_state" || return
	s=$(((t - upper + SPAN) * max / SPAN))
	[ "$s" -ge 0 ] || s=0
	[ "$s" -le "$max" ] || s=$max
	echo "$s" > "$2/cur_state"
}

while :; do
	i=0
	for a; do
		i=$((i + 1))
		if [ $((i % 2)) = 1 ]; then zone=$a; else step "$zone" "$a"; fi
	done
	sleep 1
done
