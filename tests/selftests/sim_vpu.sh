#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_vpu.sh - the task under the pixels does what it does on the host
#
# The state after every frame and all results are those of the host, which
# works on the frames that the capture node gives: in both depths, over stops,
# gates and copies of the state, and with gates that lie. What can be refused
# is. The stack may go with everything open.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin
plan 151

# near TEST [ATTRIBUTE=VALUE]...: a stack with a VPU, and a part of sim_vpu
near()
{
	_test=$1
	shift
	stack vpu vpu=1 metadata=1 clock=step gate_enter_us=0 gate_exit_us=0 \
		max_temp_mc=150000 "$@" || return 1
	put "$NST/policy/engine" none
	sim_vpu "$_test" "$(node)" "$(node metadata)" /dev/nst-vpu-vpu "$SIM" \
		"$NST" > "$_test.out" 2>&1
	check "$_test: ends well" same 0 $?
	judged "$_test.out"
	unstack vpu
}

near equal
near equal10
near schedule
near gate
near faults
near faults gate_at_time=0
near bad
near alone
grep checksum alone.out > one.sum
near alone
grep checksum alone.out > two.sum
check "two runs come to the same state" cmp one.sum two.sum
near alone seed=2
grep checksum alone.out > three.sum
check "another scene to another" sh -c '! cmp -s one.sum three.sum'
# Without noise a hot run is a cold one: what two placements are compared on.
near alone noise=0 ambient_mc=10000
grep checksum alone.out > cold.sum
near alone noise=0 ambient_mc=60000
grep checksum alone.out > hot.sum
check "without noise heat makes no difference" cmp cold.sum hot.sum
near alone ambient_mc=60000
grep checksum alone.out > noisy.sum
check "with noise it does" sh -c '! cmp -s one.sum noisy.sum'
near copies clock=real

# --- going away -------------------------------------------------------------

stack vpu vpu=1 metadata=1 scene_input=1 clock=real frame_period_us=100000
sim_vpu gone "$(node)" "$(node metadata)" /dev/nst-vpu-vpu "$SIM" "$NST" \
	> gone.out 2>&1 &
holder=$!
waits gone.out '# ready*' 30
put /sys/bus/platform/drivers/nst-sim/unbind \
	"$(basename "$(readlink -f "$NST/device")")"
wait $holder
check "gone: ends well" same 0 $?
judged gone.out
check "its device is gone" test ! -e /dev/nst-vpu-vpu
unstack vpu

stack plain
check "no VPU unless it is asked for" test ! -e /dev/nst-vpu-plain
check "nor a node" sh -c \
	"[ $(find "$(readlink -f "$NST/device")/video4linux" -mindepth 1 \
		-name 'video*' | wc -l) = 1 ]"
unstack plain
check "the modules go" nst_unload
finish
