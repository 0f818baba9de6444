#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_poll.sh - poll() on gate, owner and the files of policy/ wakes up, and
# only when there is something to see

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
plan 14
stack poll clock=step

# wakes FILE COMMAND...: the command wakes up who polls the file
wakes()
{
	_f=$1
	shift
	: > wait.out
	nst_wait "$NST/$_f" 20000 > wait.out 2>&1 &
	_p=$!
	waits wait.out 'ready*' 10 || return 1
	"$@" > /dev/null 2>&1
	wait "$_p"
	same woken "$(tail -n 1 wait.out)"
}

to_standby()
{
	put "$NST/gate" standby
	advance 100
}

to_run()
{
	put "$NST/gate" run
	advance 100
}

check "gate" wakes gate to_standby
check "gate again" wakes gate to_run
check "owner, by a lease" wakes owner hold -r -b 60000
check "owner, by its end" wakes owner kill -9 "$HOLDER"
wait "$HOLDER" 2> /dev/null
check "policy/high_temp" wakes policy/high_temp put "$NST/policy/high_temp" \
	90000
check "policy/low_temp" wakes policy/low_temp put "$NST/policy/low_temp" 50000
check "policy/max_temp" wakes policy/max_temp put "$NST/policy/max_temp" 99000
check "policy/capture_temp" wakes policy/capture_temp \
	put "$NST/policy/capture_temp" 74000
check "policy/engine" wakes policy/engine put "$NST/policy/engine" none
check "policy/auto" wakes policy/auto put "$NST/policy/auto" 1
check "policy/auto, by a threshold" wakes policy/auto \
	put "$NST/policy/high_temp" 91000
check "policy/dwell_ms" wakes policy/dwell_ms put "$NST/policy/dwell_ms" 7
check "policy/lease_ms" wakes policy/lease_ms put "$NST/policy/lease_ms" 777
nst_wait "$NST/policy/stop_frames" 300 > quiet.out 2>&1
check "nothing, nobody wakes" same timeout "$(tail -n 1 quiet.out)"

unstack poll
nst_unload
finish
