#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh - the guest's side of tests/bench/gate_path.sh: SET_GATE on a stack
# with an MCU, and bare writes of the same register, in turns
#
# Prints lines "BUS_HZ ioctl MEDIAN_NS LEAST_NS MEDIAN_OF_CALL_NS" and "BUS_HZ
# regmap MEDIAN_NS LEAST_NS", and last how many writes the wire saw.

set -eu

. "$NST_TOP/tests/selftests/nst_lib.inc"

CALLS=${NST_BENCH_CALLS:-400}
ROUNDS=5

nst_load stacks=0
insmod "$1"
bench=/sys/module/nst_bench/parameters
trap 'cleanup_stacks' EXIT

for hz in 100000 0; do
	# Few frames, so that samples are seldom on the wire.
	stack bench attach=mcu clock=real bus_hz=$hz frame_period_us=100000
	put "$NST/policy/engine" none
	waits "$NST/gate" run 10
	sed -n 's/^adapter //p' "$SIM/bus" \
		> $bench/adapter
	w=$(sed -n 's/^gate_writes //p' "$SIM/bus")
	i=0
	while [ $i -lt $ROUNDS ]; do
		i=$((i + 1))
		t=$(mcu_gate_time "$DEV" "$CALLS" $bench/end_ns)
		echo "$hz ioctl $t"
		echo "$CALLS" > $bench/run
		echo "$hz regmap $(get $bench/run)"
	done
	n=$(sed -n 's/^gate_writes //p' "$SIM/bus")
	echo "$hz writes $((n - w)) $((2 * ROUNDS * CALLS))"
	unstack bench
done
rmmod nst_bench
nst_unload
