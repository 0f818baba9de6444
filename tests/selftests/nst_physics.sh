#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_physics.sh - four published numbers, read through hwmon
#
# On the step clock and by the gate of sysfs, with nothing that governs:
# 250 and 150 mW (35.0 and 31.6 degC), 1 W (60.7 degC), the fall of the die
# when 2.5 W go to 0.1 W (13.2 K, 12.9 of it in 20 ms), and 87 to 74 degC in
# one frame of 33 ms.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
plan 10

# Ten time constants of the package.
SETTLE=200000

stack physics-1 clock=step ambient_mc=26500 power_run_mw=250 \
	power_standby_mw=150
advance $SETTLE
t=$(die_mc)
note "250 mW: $t mC, published 35.0 degC"
check "250 mW settle at 35.0 degC" near 35000 "$t" 300
put "$NST/gate" standby
advance $SETTLE
t=$(die_mc)
note "150 mW: $t mC, published 31.6 degC"
check "150 mW settle at 31.6 degC" near 31600 "$t" 300
check "sysfs says standby" same standby "$(get "$NST/gate")"
check "power1_input says 150 mW" same 150000 "$(get "$HWMON/power1_input")"
unstack physics-1

stack physics-2 clock=step power_run_mw=1000
advance $SETTLE
t=$(die_mc)
note "1 W: $t mC, published 60.7 degC"
check "1 W settles at 60.7 degC" near 60700 "$t" 500
unstack physics-2

# Boundaries every 40 ms: a gate asked for on one comes with the next.
stack physics-3 clock=step max_temp_mc=150000 frame_period_us=40000 \
	gate_enter_us=0 gate_exit_us=0
put "$NST/policy/engine" none
advance $SETTLE
put "$NST/gate" standby
advance 40
from=$(die_mc)
advance 20
t20=$((from - $(die_mc)))
advance 20
t40=$((from - $(die_mc)))
note "2.5 W to 0.1 W: $t20 mK in 20 ms, $t40 mK in 40 ms"
check "2.5 W to 0.1 W: at least 12.9 K in 20 ms" at_least "$t20" 12900
check "and 13.2 K in all" near 13200 "$t40" 150
unstack physics-3

stack physics-4 clock=step max_temp_mc=150000 gate_enter_us=0 \
	gate_exit_us=0
put "$NST/policy/engine" none
n=0
while [ "$(die_mc)" -lt 86000 ] && [ $n -lt 300 ]; do
	advance_us $((10 * 33333))
	n=$((n + 1))
done
while [ "$(die_mc)" -lt 87000 ] && [ $n -lt 400 ]; do
	advance_us 33333
	n=$((n + 1))
done
put "$NST/gate" standby
advance_us 33333
from=$(die_mc)
advance_us 33333
to=$(die_mc)
note "$from mC to $to mC in one frame"
check "the die was at 87 degC" near 87000 "$from" 200
check "and is at 74 degC after one frame" near 74000 "$to" 500
check "as the truth has it" near "$(truth die_mc)" "$to" 1
unstack physics-4

nst_unload
finish
