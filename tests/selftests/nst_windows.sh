#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_windows.sh - a window of the gate where its frame is late, lost or
# corrected, where it gives way, where the gate refuses; its peak; frames of a
# wire
#
# The holder tells the frames of a stack on the step clock, so every time is
# exact. How exact edges are by the wire says something only where timers are
# never late.

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 33

# --- frames told by the holder ------------------------------------------------

late=0
for ahead in 0 1; do
	for case in late lost jump phase gives-way offset short capture refused refused-offset; do
		stack told clock=step tell_frames=0 gate_at_time=$ahead \
			gate_enter_us=0 gate_exit_us=0 max_temp_mc=150000
		put "$NST/policy/engine" none
		case $case$ahead in
		refused*1)
			unstack told
			continue
			;;
		esac
		nst_windows "$DEV" "$SIM" $ahead $case > windows.out 2>&1
		status=$?
		sed 's/^/  /' windows.out
		check "$case, told ahead $ahead" same 0 $status
		[ "$case$ahead" != late0 ] || late=$(get "$NST/stats/windows_late")
		unstack told
	done
done
check "what was cut or left out is counted" same 4 "$late"

# --- the peak -----------------------------------------------------------------

stack peak clock=step power_run_mw=9700 power_standby_mw=100 gate_enter_us=0 \
	gate_exit_us=0 max_temp_mc=150000
put "$NST/policy/engine" none
put "$NST/gate" standby
advance 200
nst_window "$DEV" "$SIM" 9000 8000 0 > window.out 2>&1
status=$?
sed 's/^/  /' window.out
check "windows of which no boundary sees the peak" same 0 $status
peak=$(truth max_die_mc)
hold -r -b 60000 -g 0 -w 9000 -W 8000
advance 2000
highest=$(get "$HWMON/temp1_highest")
note "die at the boundary $(die_mc), highest $highest, it was $(truth max_die_mc)"
check "temp1_highest has the peak" at_least "$highest" $((peak - 500))
check "and not more" at_most "$highest" "$(($(truth max_die_mc) + 200))"
check "the zone sees it" same "$highest" \
	"$(get "$(zone_of "nst${ID}_die")/temp")"
nst_windows "$DEV" "$SIM" 1 highest > highest
check "and it is told as an estimate" same "state 0 value_mc $highest estimated 1" \
	"$(tr '\n' ' ' < highest | sed 's/ $//')"
kill -9 "$HOLDER" 2> /dev/null
wait "$HOLDER" 2> /dev/null
unstack peak

# --- frames of a wire ---------------------------------------------------------

sensor wire imx477 gate=gpio max_temp_mc=150000 || exit 1
active 1
becomes 0
sleep 1
check "wire: frames" same gpio "$(get "$NST/frame_source")"
nst_windows "$DEV" "$SIM" 0 wire > wire.out 2>&1
note "$(tr '\n' ' ' < wire.out)"
# wire KEY
of_wire()
{
	sed -n "s/^$1 //p" wire.out
}

frames=$(of_wire frames)
if [ -n "${NST_TIME_TRAVEL:-}" ]; then
	check "wire: a window in every frame" near $((frames - 2)) \
		"$(of_wire opened)" 1
	check "wire: and its end" near "$(of_wire opened)" "$(of_wire closed)" 1
	check "wire: where they are to be" at_most "$(of_wire late_us)" 1000
	check "wire: none is late" same 0 "$(get "$NST/stats/windows_late")"
else
	check "wire: windows open" at_least "$(of_wire opened)" 1
	check "wire: and close" at_least "$(of_wire closed)" 1
	skip "wire: where they are to be" "timers are late here"
	skip "wire: none is late" "timers are late here"
fi
check "wire: the kernel governs after it" waits "$NST/owner" kernel 20

# The driver goes in the middle of a window, and nobody would ever end it.
open_now()
{
	[ "$(truth gate)" = run ]
}
put "$NST/gate" standby
hold -r -b 60000 -g 0 -w 9000 -W 8000
jitter_off
_n=0
while ! open_now && [ $_n -lt 2000 ]; do
	sleep 0.001
	_n=$((_n + 1))
done
put "$COMPANION_DRIVER/unbind" "$(basename "$(readlink -f "$NST/device")")"
jitter_on
check "wire: the driver goes in a window, which closes" same standby \
	"$(truth gate)"
kill -9 "$HOLDER" 2> /dev/null
wait "$HOLDER" 2> /dev/null
unstack wire

# --- frames of a wire, made by hand -------------------------------------------

if [ -n "${NST_TIME_TRAVEL:-}" ]; then
	# Between two edges the stack's time stands still and the driver's does
	# not: a gate that saves 1 mW, so that there is nothing to disagree about.
	board hand clock=step attach=cci sensor_model=imx477 gate=gpio bus_hz=0 \
		power_run_mw=101 power_standby_mw=100 max_temp_mc=150000
	appears hand
	use hand
	put "$NST/policy/engine" none
	active 1
	advance 200
	sleep 1
	jitter_off
	nst_windows "$DEV" "$SIM" 0 wall > wall.out 2>&1
	status=$?
	sed 's/^/  /' wall.out
	check "wall: the driver alone" same 0 $status
	unstack hand
	jitter_on
else
	skip "wall: the driver alone" "timers are late here"
fi

check "the modules go" nst_unload
finish
