#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_output.sh - frames of any program in the place of the scene
#
# What is written comes out, in every format and size, a frame a period; a
# writer that stalls or goes is told apart, one of the wrong size is refused.
# Light and heat work on the frames as on the scene.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin
plan 50

# show TEST [ATTRIBUTE=VALUE]...: a stack with a scene node, a part of
# sim_output
show()
{
	_test=$1
	shift
	stack show metadata=1 scene_input=1 clock=step noise=0 "$@" || return 1
	put "$NST/policy/engine" none
	sim_output "$_test" "$(node)" "$(node metadata)" "$(node scene)" \
		"$SIM" > "$_test.out" 2>&1
	check "$_test: ends well" same 0 $?
	judged "$_test.out"
}

show formats
unstack show
show sizes
unstack show
show pace
check "each frame taken was counted" same 10 "$(truth input_taken)"
check "and each period without one" same 3 "$(truth input_underruns)"
unstack show
show bad
unstack show
show physics noise=1
unstack show

# --- going away -------------------------------------------------------------

stack show metadata=1 scene_input=1 clock=real
scene=$(node scene)
dd if=/dev/zero of="$scene" bs=307200 > writer.out 2>&1 &
writer=$!
check "a writer is at work" grows 3 truth input_taken
put /sys/bus/platform/drivers/nst-sim/unbind \
	"$(basename "$(readlink -f "$NST/device")")"
wait $writer

check "and ends when the stack goes" grep -q 'No such device' writer.out
unstack show
check "the modules go" nst_unload
finish
