#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_edges.sh - frames from a wire, and parts without a gate
#
# The frame-sync line of an emulated board: the period is measured, a lost edge
# is counted, a source that stops leaves the guard to the clock, and what is
# asked for then comes at once. How exact the period is says something only
# where timers are never late. A part of which only the temperature is known
# has no gate and no cooling device, and its ceiling is still told.

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 33

# exact NAME COMMAND...: a check of time, of steps that take none: they are in
# passages without jitter
exact()
{
	if [ -n "${NST_TIME_TRAVEL:-}" ]; then
		check "$@"
	else
		skip "$1" "timers are late here"
	fi
}

# --- a camera that runs -------------------------------------------------------

sensor wire imx477 gate=gpio || exit 1
active 1
check "frames come from a wire" same gpio "$(get "$NST/frame_source")"
sleep 2
period=$(get "$NST/frame_period_us")
note "period $period us, edges $(get "$NST/stats/edge_jitter_us") us off"
exact "the period is measured" near 33333 "$period" 300
jitter_off
count=$(get "$NST/frame_count")
sleep 3
count=$(($(get "$NST/frame_count") - count))
jitter_on
note "$count frames in 3 s"
exact "every frame is counted" near 90 $count 1
check "frames are counted" at_least $count 10
exact "none is missed" same 0 "$(get "$NST/stats/frames_missed")"
exact "no edge is doubled" same 0 "$(get "$NST/stats/edges_doubled")"
check "the companion reads" becomes 0
changes=$(get "$NST/stats/gate_changes")
n=0
ok=1
while [ $n -lt 20 ]; do
	want=run
	[ $((n % 2)) = 1 ] || want=standby
	put "$NST/gate" $want
	waits "$NST/gate" $want 20 || ok=0
	gives $want truth gate || ok=0
	n=$((n + 1))
done
check "the line does what is asked" test $ok = 1
check "nothing had to be asked again" same 0 "$(get "$NST/stats/gate_retries")"
check "and nothing more" same 20 \
	$(($(get "$NST/stats/gate_changes") - changes))
unstack wire

# --- edges by hand ------------------------------------------------------------

# Between two edges the time of the stack stands still and that of the driver
# does not: a gate that saves 1 mW, so that there is nothing to disagree about.
board hand clock=step attach=cci sensor_model=imx477 gate=gpio bus_hz=0 \
	power_run_mw=101 power_standby_mw=100 || exit 1
appears hand || exit 1
use hand
put "$NST/policy/engine" none
active 1
# For the first conversion; its edges come all at once, and then none.
advance 200
sleep 1

# free_running: the guard samples by the clock, for no edges come
free_running()
{
	sampled 5
}

# comes NAME GATE: it has, with the last frame; a late machine is given time
comes()
{
	if [ -n "${NST_TIME_TRAVEL:-}" ]; then
		check "$1" same "$2" "$(truth gate)"
	else
		check "$1" gives "$2" truth gate
	fi
}

# at_once GATE: it is there without a frame
at_once()
{
	put "$NST/gate" "$1"
	sleep 0.05
	same "$1" "$(truth gate)"
}

check "no edges: the guard samples" free_running
check "no edges: a gate comes at once" at_once standby
check "no edges: and goes" at_once run

# centis: hundredths of a second since the start
centis()
{
	read -r _up _idle < /proc/uptime
	echo $((${_up%.*} * 100 + 1${_up#*.} - 100))
}

# frames COUNT: as a camera of some 20 frames a second would
frames()
{
	_n=0
	while [ $_n -lt "$1" ]; do
		advance_us 33333
		sleep 0.0333
		_n=$((_n + 1))
	done
}

jitter_off
frames 10
count=$(get "$NST/frame_count")
start=$(centis)
frames 30
period=$((($(centis) - start) * 10000 / 30))
exact "edges are frames" near 30 $(($(get "$NST/frame_count") - count)) 1
exact "with their period" near $period "$(get "$NST/frame_period_us")" \
	$((period / 20))
missed=$(get "$NST/stats/frames_missed")
sleep "$((period / 1000000)).$(printf %06d $((period % 1000000)))"
frames 4
exact "a lost edge is a missed frame" same $((missed + 1)) \
	"$(get "$NST/stats/frames_missed")"
put "$NST/gate" standby
exact "a gate waits for its frame" same run "$(truth gate)"
frames 2
comes "and comes with it" standby
jitter_on
# After two periods, of what the edges were, and 100 ms it goes by the clock.
check "stopped: the guard samples on" free_running
check "stopped: a gate goes at once" at_once run
check "stopped: and comes" at_once standby
missed=$(get "$NST/stats/frames_missed")
jitter_off
frames 10
exact "stopped: is not missed" same "$missed" \
	"$(get "$NST/stats/frames_missed")"
put "$NST/gate" run
exact "frames again: a gate waits" same standby "$(truth gate)"
frames 2
comes "frames again: for one" run
jitter_on
unstack hand

# --- no gate ------------------------------------------------------------------

sensor bare imx477 gate=none || exit 1
active 1
check "no gate: it reads" becomes 0
check "no gate: none" same none "$(get "$NST/gate")"
check "no gate: standby is refused" same EOPNOTSUPP \
	"$(errno_of "$NST/gate" standby)"
check "no gate: so is run" same EOPNOTSUPP "$(errno_of "$NST/gate" run)"
check "no gate: no cooling device" test -z "$(cooling_of "nst${ID}_duty")"
check "no gate: no depths" test ! -e "$NST/gate_standby"
nst_hold -g 1 "$DEV" > hold 2>&1
check "no gate: nor by the lease" grep -q "SET_GATE: Operation not supported" \
	hold
put "$NST/policy/low_temp" 0
put "$NST/policy/high_temp" 1000
put "$NST/policy/max_temp" 2000
check "no gate: the ceiling is told" grows 1 get "$NST/stats/failsafe_entries"
check "no gate: and nothing is at fault" same 0 "$(get "$NST/stats/faults")"
unstack bare

nst_unload
finish
