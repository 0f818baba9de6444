#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# peers_sleep.sh - the system sleeps: what was governed is governed after it,
# and sensors that wake up late are no fault (tests/peers.txt, group F)
#
# Devices are suspended and resumed by the kernel's own test of that
# (pm_test), five seconds each time, which time travel makes short. A stock
# kernel's virtio disks need not survive it, so a VM is left alone.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

[ "${NST_GUEST:-}" = uml ] || skip_all "for the user-mode kernel"
[ -w /sys/power/pm_test ] || skip_all "needs PM_DEBUG"
begin
plan 21

# sleeps: devices go down and come up again
sleeps()
{
	_rc=0
	echo devices > /sys/power/pm_test
	echo freeze > /sys/power/state || _rc=1
	echo none > /sys/power/pm_test
	return $_rc
}

# present: what is read is the die, which warms while the script looks
present()
{
	_before=$(truth die_mc)
	_read=$(die_mc)
	at_least "$_read" $((_before - 500)) &&
		at_most "$_read" $(($(truth die_mc) + 500))
}

stack cam clock=real
put "$NST/policy/high_temp" 90000
put "$NST/gate" run
waits "$NST/gate" run 5
was=$(get "$NST/stats/failsafe_entries")

# --- the gate
changes=$(get "$NST/stats/gate_changes")
check "it sleeps" sleeps
check "asleep the VPU was stopped" at_least \
	"$(get "$NST/stats/gate_changes")" $((changes + 1))
check "the gate comes back" waits "$NST/gate" run 5
check "and the VPU has it" gives run truth gate
check "no fail-safe" same "$was" "$(get "$NST/stats/failsafe_entries")"
check "the reading is the present one" present

# --- a sensor that wakes up late: its first answers after the sleep, not before
jitter_off
put "$SIM/fault" "not_ready 20"
check "it sleeps, and the sensor wakes late" sleeps
jitter_on
check "the device is there" test -e "$NST/name"
check "readings come back" waits "$HWMON/temp1_input" '[0-9]*' 10
check "the gate too" waits "$NST/gate" run 10
check "that was no fault" same "$was" "$(get "$NST/stats/failsafe_entries")"

# --- a holder, whose heartbeat cannot beat while it is frozen
hold -b 500 -r -g 0
check "held" waits "$NST/owner" "user $HOLDER *" 5
check "it sleeps under its holder" sleeps
sleep 2
check "who still has it" same 0 "$(get "$NST/stats/lease_expiries")"
kill "$HOLDER"
wait "$HOLDER" 2> /dev/null

# --- a sensor that does not wake up
put "$NST/gate" run
waits "$NST/gate" run 5
# stopped once, by the sleep or by a guard that misses its readings before it
changes=$(get "$NST/stats/gate_changes")
put "$SIM/fault" "not_ready -1"
check "it sleeps, and the sensor stays asleep" sleeps
sleep 4
check "the gate was not open for an instant" same "$((changes + 1)) standby" \
	"$(get "$NST/stats/gate_changes") $(truth gate)"
check "by now that is a fault" at_least \
	"$(get "$NST/stats/failsafe_entries")" $((was + 1))
put "$SIM/fault" "not_ready 0"
check "the gate comes back with it" waits "$NST/gate" run 10
unstack cam

# --- frames by a line: a program of every frame goes on with the next ones
if [ -d /sys/module/nst_mcu ]; then
	stack line attach=mcu clock=real
	put "$NST/policy/engine" none
	# frames enough that one which is counted anew comes late
	sleep 8
	hold -r -o 10000
	check "it sleeps with a holder by frames" sleeps
	sleep 0.5
	changes=$(get "$NST/stats/gate_changes")
	sleep 1
	check "frames are counted on" at_least \
		"$(get "$NST/stats/gate_changes")" $((changes + 20))
	kill "$HOLDER"
	wait "$HOLDER" 2> /dev/null
	unstack line
else
	skip "frames by a line need nst-mcu.ko"
	skip "frames by a line need nst-mcu.ko"
fi
check "the modules go" nst_unload
finish
