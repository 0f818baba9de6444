#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_meta.sh - a record beside each frame, for who has never heard of nstd
#
# Records against the truth, with a sensor that fails in all its ways; what a
# governor tells, and for how long it holds; consumers that come too late.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin
plan 39

# records TEST [ATTRIBUTE=VALUE]...: a stack with a metadata node, a part of
# sim_meta
records()
{
	_test=$1
	shift
	stack meta metadata=1 clock=step max_temp_mc=150000 "$@" || return 1
	put "$NST/policy/engine" none
	sim_meta "$_test" "$(node)" "$(node metadata)" "$SIM" \
		> "$_test.out" 2>&1
	check "$_test: ends well" same 0 $?
	judged "$_test.out"
}

records record
unstack meta
records sensor sensor_lsb_mc=500 sensor_noise_mc=100
unstack meta
records tell
unstack meta
records late
check "those that found no buffer were counted" same 2 \
	"$(truth records_missed)"
check "there is no VPU" test ! -e /dev/nst-vpu-meta
unstack meta
check "the modules go" nst_unload
finish
