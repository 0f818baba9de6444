#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_frames.sh - hardware without a frame source, or without timed gates
#
# Without frames the guard samples by itself and acts at once; a lease holder
# can tell the frames. Without timed gates the kernel makes the edges itself.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
plan 15

stack still clock=real tell_frames=0
check "no frame source" same none "$(get "$NST/frame_source")"
put "$NST/policy/low_temp" 35500
put "$NST/policy/high_temp" 50000
n=0
while [ "$(get "$NST/stats/gate_changes")" -lt 2 ] && [ $n -lt 600 ]; do
	sleep 0.1
	n=$((n + 1))
done
check "hold gates and opens without frames" at_least \
	"$(get "$NST/stats/gate_changes")" 2
note "high_temp 50000 mC, hottest $(truth max_die_mc) mC"
if [ -n "${NST_TIME_TRAVEL:-}" ]; then
	check "and keeps the die under high_temp" at_most \
		"$(truth max_die_mc)" 50000
else
	# How late its timer is depends on the machine and what else it does.
	skip "and keeps the die under high_temp" "timers are late here"
fi
check "no frame was counted" same 0 "$(get "$NST/frame_count")"
put "$NST/policy/engine" none
put "$NST/gate" standby
check "a gate of sysfs comes at once" same standby "$(get "$NST/gate")"
put "$NST/gate" run
check "and goes at once" same run "$(get "$NST/gate")"
since=$(truth now_us)
samples=$(get "$NST/stats/samples")
sleep 2
samples=$(($(get "$NST/stats/samples") - samples))
took=$(($(truth now_us) - since))
note "$samples samples in $took us"
check "sampled at 100 Hz at the most" at_most "$samples" \
	$((took / 10000 + took / 200000))
check "and sampled" sampled 20
nst_frames "$DEV" > frames.out
status=$?
sed 's/^/  /' frames.out
check "a lease holder tells the frames" same 0 "$status"
unstack still

# The same where time is the kernel's own.
if [ -d /sys/module/nst_mcu ]; then
	stack told attach=mcu clock=real tell_frames=0 max_temp_mc=150000
	put "$NST/policy/engine" none
	# closed till there is a temperature, which is no answer to anybody
	waits "$NST/gate" run 20
	nst_frames "$DEV" > frames.out
	status=$?
	sed 's/^/  /' frames.out
	check "it tells them by the kernel's clock" same 0 "$status"
	unstack told
else
	skip "it tells them by the kernel's clock" "needs nst-mcu.ko"
fi

stack late clock=step gate_at_time=0
put "$NST/policy/low_temp" 60000
put "$NST/policy/high_temp" 80000
advance 60000
check "hold without timed gates: never above high_temp" at_most \
	"$(truth max_die_mc)" 80000
check "and close to it" at_least "$(truth max_die_mc)" 79500
check "gates and opens" at_least "$(get "$NST/stats/gate_changes")" 4
unstack late

stack late clock=real gate_at_time=0 frame_period_us=100000
hold -r -b 60000 -g 0 -o 50000
sleep 1
if [ -n "${NST_TIME_TRAVEL:-}" ]; then
	changes=$(get "$NST/stats/gate_changes")
	frames=$(get "$NST/frame_count")
	sleep 3
	changes=$(($(get "$NST/stats/gate_changes") - changes))
	frames=$(($(get "$NST/frame_count") - frames))
	note "$changes changes in $frames frames"
	check "edges inside frames without timed gates" near \
		$((2 * frames)) "$changes" 2
else
	# One whose time has passed when its frame is told is left out.
	check "edges inside frames without timed gates" grows \
		$(($(get "$NST/stats/gate_changes") + 10)) \
		get "$NST/stats/gate_changes"
fi
kill -9 "$HOLDER"
wait "$HOLDER" 2> /dev/null
check "end with their holder" waits "$NST/owner" kernel 20
unstack late

nst_unload
finish
