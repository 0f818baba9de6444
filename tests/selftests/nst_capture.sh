#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_capture.sh - tickets, and gates inside a frame
#
# From 87 degC at 2.5 W: a frame of 32 ms that starts with the stop has an
# exposure temperature of 76.6 degC, the next one is below 74.1. The kernel
# reports which frame was cold, and gives the gate back. A phase-locked gate
# is open for the same part of every frame.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
plan 21

# heat: to 87 degC, at a boundary
heat()
{
	put "$NST/policy/engine" none
	_n=0
	while [ "$(die_mc)" -lt 87000 ] && [ $_n -lt 400 ]; do
		advance_us 33333
		_n=$((_n + 1))
		[ "$(die_mc)" -gt 86000 ] || advance_us $((9 * 33333))
	done
}

# ticket TEMP_MC DEADLINE_US FRAMES: asked; the answer comes in ./ticket
ticket()
{
	: > ticket
	nst_ticket "$DEV" "$@" > ticket 2>&1 &
	TICKET=$!
	waits ticket 'asked*' 10
}

# answer N FIELD
answer()
{
	grep '^ready\|^missed' ticket | sed -n "$1p" | cut -d' ' -f"$2"
}

# exposure of 32 ms, read out in 1 ms, as published
stack ticket clock=step max_temp_mc=150000 gate_enter_us=0 gate_exit_us=0
heat
note "at $(die_mc) mC"
seq=$(truth frame_seq)
ticket 74100 200000 1
advance_us $((6 * 33333))
wait "$TICKET"
check "74.1 degC: ready" same ready "$(answer 1 1)"
check "74.1 degC: the second frame of the stop" same $((seq + 2)) \
	"$(answer 1 2)"
check "74.1 degC: it is" at_most "$(answer 1 3)" 74100
check "74.1 degC: the gate is given back" same run "$(get "$NST/gate")"
check "counted" same 1 "$(get "$NST/stats/captures")"
check "none late" same 0 "$(get "$NST/stats/captures_late")"

advance 2000
seq=$(truth frame_seq)
from=$(die_mc)
ticket 74100 40000 1
advance_us $((6 * 33333))
wait "$TICKET"
t=$(($(answer 1 3) - from + 87000))
note "first frame of the stop: $t mC from 87000 mC, published 76.6 degC"
check "no time: missed" same missed "$(answer 1 1)"
check "no time: the first frame" same $((seq + 1)) "$(answer 1 2)"
check "no time: with the temperature reached" near 76600 "$t" 200
check "no time: late" same 1 "$(get "$NST/stats/captures_late")"

ticket 80000 300000 3
advance_us $((8 * 33333))
wait "$TICKET"
check "three frames: three answers" same 3 "$(grep -c ^ready ticket)"
check "three frames: in a row" same 2 \
	$(($(answer 3 2) - $(answer 1 2)))
check "three frames: and the gate is back" same run "$(get "$NST/gate")"

ticket 20000 300000 1
advance_us 40000
kill -9 "$TICKET"
wait "$TICKET" 2> /dev/null
advance_us $((2 * 33333))
check "a ticket dies with its file" same run "$(get "$NST/gate")"

# The frame is chosen, and the sensor dies before a sample confirms it.
ticket 120000 300000 1
advance_us 33333
put "$SIM/fault" "read_error -1"
advance_us $((12 * 33333))
check "no sample confirms a frame: missed" waits ticket '*missed*' 20
check "no sample confirms a frame: no temperature" same 1000000 \
	"$(answer 1 3)"
kill -9 "$TICKET" 2> /dev/null
wait "$TICKET" 2> /dev/null
unstack ticket

# --- an edge inside every frame ---------------------------------------------

stack phase clock=step gate_enter_us=0 gate_exit_us=0
hold -r -b 60000 -g 0 -o 10000
advance 500
before=$(truth time_run_us)
changes=$(get "$NST/stats/gate_changes")
advance_us $((30 * 33333))
check "phase: open for 10 ms of every frame" near 300000 \
	$(($(truth time_run_us) - before)) 50
check "phase: two changes a frame" same 60 \
	$(($(get "$NST/stats/gate_changes") - changes))
cd=$(cooling_of "nst${ID}_duty")
put "$cd/cur_state" 8
advance 1000
before=$(truth time_run_us)
advance_us $((32 * 33333))
check "phase: the bound halves that" near 160000 \
	$(($(truth time_run_us) - before)) 50
put "$cd/cur_state" 0
kill -9 "$HOLDER"
wait "$HOLDER" 2> /dev/null
check "phase: ends with its holder" waits "$NST/owner" kernel 20
advance 500
before=$(truth time_run_us)
advance 1000
check "phase: and the gate is open" same 1000000 \
	$(($(truth time_run_us) - before))
unstack phase

nst_unload
finish
