#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_ask.sh - 200 answers in advance, on the plant and the gate of nst-sim
#
# Three stacks on the step clock with one history: gated from the moment that
# the answer names, a frame later and a frame earlier (sim_ask.c). Nothing
# governs them.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
plan 6

set --
for s in now early late; do
	stack ask-$s clock=step max_temp_mc=150000 frame_period_us=40000 \
		readout_us=0 gate_enter_us=400 \
		gate_exit_us=0 c_p_uj_per_k=100000 power_run_mw=2500 \
		power_standby_mw=100 ambient_mc=26400
	put "$NST/policy/engine" none
	set -- "$@" "$SIM" "$NST"
done
sim_ask 200 5 "$@" > ask.out 2> ask.err
check "200 questions are asked" same 0 $?
sed 's/^/# /' ask.out ask.err
# key NAME: a figure of it
key()
{
	awk -v k="$1" '$1 == k { print $2 }' ask.out
}
check "none is answered wrongly" same 0 "$(key wrong)"
check "at most 2 % are uncertain" at_least 4 "$(key uncertain)"
check "some are yes, with a gate" at_least \
	"$(($(key yes) - $(key free)))" 20
check "some are no" at_least "$(key no)" 20
check "of most the last frame is known" at_least "$(key late)" 20
for s in now early late; do
	unstack ask-$s
done
nst_unload
finish
