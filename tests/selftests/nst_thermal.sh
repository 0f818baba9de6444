#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_thermal.sh - the zone, its trips and the cooling device
#
# Trips are the policy values, both ways. Nothing acts until a governor is
# selected; step_wise then bounds the duty and keeps the die near the trip.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

[ -d /sys/class/thermal ] || skip_all "no thermal core"
begin
plan 38

stack zone clock=step
tz=$(zone_of "nst${ID}_die")
cd=$(cooling_of "nst${ID}_duty")
check "there is a zone" test -n "$tz"
check "and a cooling device" test -n "$cd"
check "governor user_space" same user_space "$(get "$tz/policy")"
types=$(get "$tz/trip_point_0_type")
types="$types $(get "$tz/trip_point_1_type") $(get "$tz/trip_point_2_type")"
check "trips" same "passive passive hot" "$types"
check "no critical trip, no fourth" test ! -e "$tz/trip_point_3_temp"
bound=$(readlink -f "$tz/cdev0")
check "the cooling device is bound" same "$(readlink -f "$cd")" "$bound"
check "to trip 1" same 1 "$(get "$tz/cdev0_trip_point")"
n=$(grep -l "^nst${ID}_die$\|^nst$" /sys/class/hwmon/*/name | wc -l)
check "no second hwmon chip" same 1 "$n"

check "trip 0 is low_temp" same "$(get "$NST/policy/low_temp")" \
	"$(get "$tz/trip_point_0_temp")"
check "trip 1 is high_temp" same "$(get "$NST/policy/high_temp")" \
	"$(get "$tz/trip_point_1_temp")"
check "trip 2 is max_temp" same "$(get "$NST/policy/max_temp")" \
	"$(get "$tz/trip_point_2_temp")"

put "$NST/policy/low_temp" 61000
put "$NST/policy/high_temp" 81000
put "$NST/policy/max_temp" 99000
check "policy to trip 0" same 61000 "$(get "$tz/trip_point_0_temp")"
check "policy to trip 1" same 81000 "$(get "$tz/trip_point_1_temp")"
check "policy to trip 2" same 99000 "$(get "$tz/trip_point_2_temp")"
put "$NST/policy/auto" 1
if [ -w "$tz/trip_point_1_temp" ]; then
	put "$tz/trip_point_0_temp" 62000
	put "$tz/trip_point_1_temp" 82000
	put "$tz/trip_point_2_temp" 98000
	check "trip 0 to policy" same 62000 "$(get "$NST/policy/low_temp")"
	check "trip 1 to policy" same 82000 "$(get "$NST/policy/high_temp")"
	check "trip 2 to policy" same 98000 "$(get "$NST/policy/max_temp")"
	check "a trip by hand turns auto off" same 0 \
		"$(get "$NST/policy/auto")"
	check "trips out of order" same EINVAL \
		"$(errno_of "$tz/trip_point_0_temp" 82000)"
	check "change nothing" same "62000 62000" \
		"$(get "$NST/policy/low_temp") $(get "$tz/trip_point_0_temp")"
else
	for i in 0 1 2 auto order nothing; do
		skip "trip $i to policy" "trips cannot be written here"
	done
fi
check "temp1_max follows" same "$(get "$NST/policy/high_temp")" \
	"$(get "$HWMON/temp1_max")"
check "temp1_crit follows" same "$(get "$NST/policy/max_temp")" \
	"$(get "$HWMON/temp1_crit")"

check "no temperature before the first frame" same EAGAIN \
	"$(nst_read "$HWMON/temp1_highest")"
advance 2000
put "$NST/gate" standby
advance_us 33333
advance_us 33333
check "the zone tells the envelope, not the die" at_least \
	"$(($(get "$tz/temp") - $(die_mc)))" 5000
advance 1000
# The package falls by some mK from frame to frame.
check "which passes" near "$(get "$tz/temp")" "$(die_mc)" 200
put "$NST/gate" run
check "nobody has moved the duty" same 0 "$(get "$cd/cur_state")"
unstack zone

# A governor: real time, a stack that is ten times faster.
stack governed clock=scaled clock_scale=10 max_temp_mc=150000
tz=$(zone_of "nst${ID}_die")
cd=$(cooling_of "nst${ID}_duty")
put "$NST/policy/engine" none
put "$NST/policy/low_temp" 40000
put "$NST/policy/high_temp" 60000
check "step_wise can be selected" put "$tz/policy" step_wise
n=0
while [ "$(get "$cd/cur_state")" = 0 ] && [ $n -lt 300 ]; do
	sleep 0.1
	n=$((n + 1))
done
check "step_wise bounds the duty" at_least "$(get "$cd/cur_state")" 1
watch_lateness
sleep 5
die=$(truth die_mc)
lateness
# 36 K a second are what the package warms by on this clock.
in_time 500 "and the die stays under what it would be" at_most "$die" 85000
put "$tz/policy" user_space
put "$cd/cur_state" 16
check "a bound of 16 gates" gives standby get "$NST/gate"
put "$cd/cur_state" 0
check "and 0 opens" gives run get "$NST/gate"
unstack governed

# --- the other governors ------------------------------------------------------

# governed GOVERNOR: the die ends below 66 degC, and the duty was bounded
governed()
{
	case $(get "$tz/available_policies") in
	*"$1"*) ;;
	*)
		skip "$1 bounds the duty" "no such governor"
		skip "$1 keeps the die near the trip" "no such governor"
		return
		;;
	esac
	put "$tz/policy" "$1" || note "cannot select $1"
	watch_lateness
	_n=0
	_most=0
	while [ $_n -lt 120 ]; do
		sleep 0.1
		_s=$(get "$cd/cur_state")
		[ "$_s" -le "$_most" ] || _most=$_s
		_n=$((_n + 1))
	done
	_die=$(truth die_mc)
	lateness
	check "$1 bounds the duty" at_least "$_most" 1
	# A poll that is late by 100 ms finds it 3.6 K higher.
	in_time 60 "$1 keeps the die near the trip" at_most "$_die" 66000
	put "$tz/policy" user_space
	put "$cd/cur_state" 0
}

ready()
{
	tz=$(zone_of "nst${ID}_die")
	cd=$(cooling_of "nst${ID}_duty")
	put "$NST/policy/engine" none
	put "$NST/policy/low_temp" 40000
	put "$NST/policy/high_temp" 60000
}

stack power clock=scaled clock_scale=10 max_temp_mc=150000
ready
governed power_allocator
unstack power

levels=/sys/module/nst/parameters/cooling_levels
check "no levels" same EINVAL "$(errno_of $levels 0)"
check "33 levels" same EINVAL "$(errno_of $levels 33)"
put $levels 1
stack bang clock=scaled clock_scale=10 max_temp_mc=150000
ready
check "one level: two states" same 1 "$(get "$cd/max_state")"
governed bang_bang
unstack bang
put $levels 16

nst_unload
finish
