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

# governed GOVERNOR LEVELS SECONDS
governed()
{
	put "$LEVELS" "$2"
	# 2 K under max_temp is where high_temp begins: 87 degC, as published.
	stack "gov$2" clock=real max_temp_mc=89000 hot_start_mc=64000
	_tz=$(zone_of "nst${ID}_die")
	_cd=$(cooling_of "nst${ID}_duty")
	case $(get "$_tz/available_policies") in
	*"$1"*) ;;
	*)
		for _c in acts overshoot ceiling duty changes back; do
			skip "$1: $_c" "not in this kernel"
		done
		unstack "gov$2"
		return
		;;
	esac
	put "$NST/policy/engine" none
	watch_lateness
	put "$_tz/policy" "$1" || note "cannot select $1"

	_n=0
	while [ "$(get "$_cd/cur_state")" = 0 ] && [ $_n -lt 600 ]; do
		sleep 0.1
		_n=$((_n + 1))
	done
	check "$1: acts" at_least "$(get "$_cd/cur_state")" 1
	# Twice the constant of the package is still a start.
	sleep 25
	_run0=$(truth time_run_us)
	_now0=$(truth now_us)
	_changes0=$(get "$NST/stats/bound_changes")
	sleep "$3"
	_run=$(($(truth time_run_us) - _run0))
	_time=$(($(truth now_us) - _now0))
	_changes=$(($(get "$NST/stats/bound_changes") - _changes0))
	_max=$(truth max_die_mc)
	lateness
	_high=$(get "$NST/policy/high_temp")
	_want=$(d_max "gov$2")
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
	put "$_tz/policy" user_space
	put "$_cd/cur_state" 0
	sleep 0.2
	check "$1: gives the duty back" gives 0 get "$_cd/cur_state"
	unstack "gov$2"
}

governed step_wise 16 50
governed power_allocator 16 50
governed bang_bang 1 50
put "$LEVELS" 16
check "the default is back" same 16 "$(get "$LEVELS")"

nst_unload
finish
