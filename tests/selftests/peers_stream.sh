#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# peers_stream.sh - stop and start a camera while its stack is governed, the
# way that users of other drivers report to break; tests/peers.txt has who

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin
plan 5
# a hundred times in the VM's quick check, a thousand where rounds are many
rounds=$((5 * ${NST_ROUNDS:-5}))
[ $rounds -le 1000 ] || rounds=1000
[ $rounds -ge 25 ] || rounds=25

stack cam clock=step width=1280 height=720
video
peers_stream "$VIDEO" $rounds > out 2>&1
rc=$?
sed 's/^/    /' out
check "streams" same 0 $rc

# The gate in standby, and by turns: no start and no frame fails for heat.
put "$NST/gate" standby
advance 40
peers_stream "$VIDEO" 25 > out 2>&1
check "streams while the gate is closed" same 0 $?
put "$SIM/fault" "hot 104000"
advance 40
check "the guard has gated" same standby "$(get "$NST/gate")"
peers_stream "$VIDEO" 25 > out 2>&1
check "streams while the guard gates" same 0 $?
unstack cam
check "the modules go" nst_unload
finish
