#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_governors.sh - the kernel's own governors drive the cooling device
#
# step_wise, power_allocator (16 levels) and bang_bang (one level), selected in
# the zone and left alone, with no daemon and with policy/engine none, so that
# the governor is the only one that acts below the ceiling. On the true plant:
#
#	overshoot	at most 2 K over policy/high_temp: the ceiling, which
#			is there, never has to act
#	duty		within 5 points of what the package allows at that
#			temperature, computed from the stack's own parameters:
#			d_max = ((T_high - R_jp P_run - T_amb) / R_pa - P_gated)
#				/ (P_run - P_gated)
#	changes		fewer than one change of the cooling state per polling
#			period of the zone, on average
#
# The governors run by the wall clock, so the stack does too.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

[ -d /sys/class/thermal ] || skip_all "no thermal core"
begin
plan 19

LEVELS=/sys/module/nst/parameters/cooling_levels
# the polling period while a passive trip is passed (kmod/nst-thermal.c)
POLL_MS=100

# config ATTRIBUTE: of the stack
config()
{
	get "$CONFIG/$1/$2"
}

# d_max NAME: in permyriad
d_max()
{
	_run=$(config "$1" power_run_mw)
	_gated=$(config "$1" power_standby_mw)
	_jump=$(($(config "$1" r_jp_mk_per_w) * _run / 1000))
	_rise=$(($(get "$NST/policy/high_temp") - _jump -
		 $(config "$1" ambient_mc)))
	_mw=$((_rise * 1000 / $(config "$1" r_pa_mk_per_w)))
	_d=$(((_mw - _gated) * 10000 / (_run - _gated)))
	[ $_d -le 10000 ] || _d=10000
	[ $_d -ge 0 ] || _d=0
	echo $_d
}

# A stack's name is short: the first word of its governor's.
# takes_over GOVERNOR LEVELS: a stack in its hands. Return: this kernel has such
# a governor.
takes_over()
{
	put "$LEVELS" "$2"
	# 2 K under max_temp is where high_temp begins: 87 degC, as published.
	stack "${1%%_*}" clock=real max_temp_mc=89000 hot_start_mc=64000
	_tz=$(zone_of "nst${ID}_die")
	case $(get "$_tz/available_policies") in
	*"$1"*) ;;
	*)
		for _c in acts overshoot ceiling duty changes back; do
			skip "$1: $_c" "not in this kernel"
		done
		unstack "${1%%_*}"
		return 1
		;;
	esac
	put "$NST/policy/engine" none
	put "$_tz/policy" "$1" || note "cannot select $1"
	echo "$_tz" > "$1.zone"
	cooling_of "nst${ID}_duty" > "$1.cooling"
}

# acts GOVERNOR: it has come to its trip, from 64 degC in ten seconds or so
acts()
{
	_cd=$(cat "$1.cooling")
	_n=0
	while [ "$(get "$_cd/cur_state")" = 0 ] && [ $_n -lt 600 ]; do
		sleep 0.1
		_n=$((_n + 1))
	done
	check "$1: acts" at_least "$(get "$_cd/cur_state")" 1
}

# now_of: what is counted of the present stack
now_of()
{
	echo "$(truth time_run_us) $(truth now_us)" \
		"$(get "$NST/stats/bound_changes") $(truth max_die_mc)"
}

# judged GOVERNOR: from what now_of wrote at the beginning and at the end
judged()
{
	read -r _run0 _now0 _changes0 _max < "$1.begin"
	read -r _run _now _changes _max < "$1.end"
	_run=$((_run - _run0))
	_time=$((_now - _now0))
	_changes=$((_changes - _changes0))
	_high=$(get "$NST/policy/high_temp")
	_want=$(d_max "${1%%_*}")
	_got=$((_run * 1000 / (_time / 10)))
	_polls=$((_time / 1000 / POLL_MS))
	note "$1: $((_max - _high)) mK over $_high mC," \
		"duty $_got of $_want permyriad," \
		"$_changes changes in $_polls polls"
	# It warms by 2 K a second while such a governor is asleep.
	in_time 300 "$1: at most 2 K over the trip" at_most "$_max" \
		$((_high + 2000))
	in_time 300 "$1: which is not the ceiling's doing" same 0 \
		"$(get "$NST/stats/failsafe_entries")"
	in_time 300 "$1: duty within 5 points of d_max" near "$_want" "$_got" 500
	check "$1: less than a change per poll" at_most "$_changes" \
		$((_polls - 1))
}

# gives_back GOVERNOR
gives_back()
{
	_cd=$(cat "$1.cooling")
	put "$(cat "$1.zone")/policy" user_space
	put "$_cd/cur_state" 0
	sleep 0.2
	check "$1: gives the duty back" gives 0 get "$_cd/cur_state"
	unstack "${1%%_*}"
}

# Each has a stack of its own, all at the same time: most of it is waiting.
watch_lateness
there=
for g in step_wise:16 power_allocator:16 bang_bang:1; do
	takes_over "${g%:*}" "${g#*:}" && there="$there ${g%:*}"
done
for g in $there; do
	acts "$g"
done
# Twice the constant of the package is still a start.
sleep 25
for g in $there; do
	use "${g%%_*}"
	now_of > "$g.begin"
done
sleep 50
for g in $there; do
	use "${g%%_*}"
	now_of > "$g.end"
done
lateness
for g in $there; do
	use "${g%%_*}"
	judged "$g"
	gives_back "$g"
done
put "$LEVELS" 16
check "the default is back" same 16 "$(get "$LEVELS")"

nst_unload
finish
