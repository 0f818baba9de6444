#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_gate.sh - the gate at its boundary, gates that lie, storms of requests
#
# A request that finds its boundary is at the hardware when the next exposure
# starts, to the microsecond, with gates that are told ahead and with gates
# that only know now. A gate that reports run whatever it is told is found
# out: a fault, once, and the books follow the hardware, so that nobody blames
# the sensor. A slow gate is none. Two processes that call as fast as they can
# leave a device in order.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
plan 47

# --- at the boundary --------------------------------------------------------

for at_time in 1 0; do
	stack edge clock=step gate_at_time=$at_time gate_enter_us=0 \
		gate_exit_us=0 max_temp_mc=150000
	put "$NST/policy/engine" none
	advance 500
	nst_boundary "$DEV" "$SIM" 200 > boundary.out 2>&1
	status=$?
	sed 's/^/  /' boundary.out
	check "boundary: 200 requests, told ahead $at_time" same 0 $status
	check "boundary: no retry" same 0 "$(get "$NST/stats/gate_retries")"
	unstack edge
done

# --- a liar -------------------------------------------------------------------

# said TEXT: lines of the log about this device, or one before of its number
said()
{
	dmesg | grep -c "nst$ID: $1"
}

for at_time in 1 0; do
	l="liar, told ahead $at_time"
	stack liar clock=step gate_at_time=$at_time gate_enter_us=0 \
		gate_exit_us=0 max_temp_mc=150000
	put "$NST/policy/engine" none
	faults=$(said "the gate does not obey")
	obeys=$(said "the gate obeys again")
	advance 2000
	put "$SIM/fault" "gate_ignored 1"
	put "$NST/gate" standby
	advance_us $((4 * 33333))
	check "$l: a few boundaries are not a fault" same 0 \
		"$(get "$NST/stats/gate_faults")"
	advance 3000
	check "$l: ten are" same 1 "$(get "$NST/stats/gate_faults")"
	check "$l: sysfs tells what the hardware has" same run \
		"$(get "$NST/gate")"
	retries=$(get "$NST/stats/gate_retries")
	advance 20000
	check "$l: still one" same 1 "$(get "$NST/stats/gate_faults")"
	check "$l: said once" same 1 \
		$(($(said "the gate does not obey") - faults))
	retries=$(($(get "$NST/stats/gate_retries") - retries))
	check "$l: told again once a second" near 20 "$retries" 2
	check "$l: the sensor is not to blame" same 0 \
		"$(get "$HWMON/temp1_fault")"
	check "$l: nor are its readings" same 0 \
		"$(get "$NST/stats/failsafe_entries")"
	run=$(get "$NST/stats/time_in_run_ms")
	check "$l: the books have the time in run" near \
		$(($(truth time_run_us) / 1000)) "$run" 200
	put "$SIM/fault" "gate_ignored 0"
	advance 1500
	check "$l: it obeys again" same standby "$(get "$NST/gate")"
	check "$l: which is said once too" same 1 \
		$(($(said "the gate obeys again") - obeys))
	put "$NST/gate" run
	advance 100
	check "$l: and can be opened" same run "$(get "$NST/gate")"

	# Told in vain by itself it is seldom told; who asks is answered anew.
	put "$SIM/fault" "gate_ignored 1"
	put "$NST/gate" standby
	advance 5000
	put "$NST/gate" run
	advance 40
	put "$SIM/fault" "gate_ignored 0"
	check "$l: what is asked for then is not what it was" hold -n -r -b 60000 -g 1
	check "$l: and is so" same standby "$(truth gate)"
	kill -9 "$HOLDER" 2> /dev/null
	wait "$HOLDER" 2> /dev/null
	unstack liar
done

# The ceiling keeps trying a gate that does not close, and is heard of.
stack oven clock=step gate_enter_us=0 gate_exit_us=0 max_temp_mc=70000
put "$NST/policy/engine" none
advance 1000
put "$SIM/fault" "gate_ignored 1"
advance 60000
check "oven: the ceiling is told" at_least \
	"$(get "$NST/stats/failsafe_entries")" 1
check "oven: and the gate" same 1 "$(get "$NST/stats/gate_faults")"
check "oven: the temperature is the true one" near "$(truth die_mc)" \
	"$(die_mc)" 100
put "$SIM/fault" "gate_ignored 0"
advance 60000
check "oven: it cools as soon as it can" at_most "$(truth die_mc)" 70000
unstack oven

# --- slow ---------------------------------------------------------------------

stack slow clock=step gate_enter_us=0 gate_exit_us=0 max_temp_mc=150000
put "$NST/policy/engine" none
advance 2000
put "$SIM/fault" "slow_gate 150000"
put "$NST/gate" standby
advance 1000
check "slow: it arrives" same standby "$(get "$NST/gate")"
check "slow: that is no fault" same 0 "$(get "$NST/stats/gate_faults")"
check "slow: nor is the sensor bad" same 0 "$(get "$HWMON/temp1_fault")"
unstack slow

# --- two processes ------------------------------------------------------------

stack storm clock=real max_temp_mc=150000
put "$NST/policy/engine" none
nst_storm "$DEV" 20000 > storm.out 2>&1
status=$?
sed 's/^/  /' storm.out
check "storm: every refusal is one of uapi/nst.h" same 0 $status
check "storm: the kernel governs" waits "$NST/owner" kernel 20
low=$(get "$NST/policy/low_temp")
high=$(get "$NST/policy/high_temp")
check "storm: low is below high" at_most "$low" $((high - 1))
check "storm: high is not above max" at_most "$high" \
	"$(get "$NST/policy/max_temp")"
put "$NST/policy/max_temp" 150000
put "$NST/policy/high_temp" 140000
put "$NST/gate" standby
check "storm: the gate closes" waits "$NST/gate" standby 20
put "$NST/gate" run
check "storm: and opens" waits "$NST/gate" run 20
nst_ticket "$DEV" 140000 20000000 1 > ticket 2>&1
check "storm: tickets are free" grep -q ready ticket
check "storm: nothing is at fault" same 0 "$(get "$NST/stats/faults")"
unstack storm

nst_unload
finish
