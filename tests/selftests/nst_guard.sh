#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_guard.sh - the kernel's own loop, measured on the true plant
#
# The hold engine, the ceiling above a lease holder, the bound of the cooling
# device, a holder that dies or falls silent and the heat after it, a sensor
# that goes bad and comes back, dwell and wear budget. Time is the step clock,
# except for the heartbeat, which watches a program by the wall clock.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
plan 58

# limits LOW HIGH MAX: in an order that keeps them in order
limits()
{
	put "$NST/policy/low_temp" -40000
	put "$NST/policy/high_temp" -30000
	put "$NST/policy/max_temp" "$3"
	put "$NST/policy/high_temp" "$2"
	put "$NST/policy/low_temp" "$1"
	[ "$(get "$NST/policy/low_temp") $(get "$NST/policy/high_temp")" = \
	  "$1 $2" ] || note "cannot set limits $*"
}

# --- the engine ------------------------------------------------------------

stack hold clock=step
limits 60000 80000 100000
advance 60000
check "hold: never above high_temp" at_most "$(truth max_die_mc)" 80000
check "hold: and close to it" at_least "$(truth max_die_mc)" 79500
check "hold: gates and opens" at_least "$(get "$NST/stats/gate_changes")" 4
check "hold: no lease, the kernel owns it" same kernel "$(get "$NST/owner")"
put "$NST/policy/engine" none
advance 60000
check "none: only the ceiling is left" at_least "$(truth max_die_mc)" 99000
check "none: never above max_temp" at_most "$(truth max_die_mc)" 100000
unstack hold

# --- a sensor that ends below the limits -------------------------------------

# 2.5 W lead to 111 degC; a limit of 105 is nothing that this sensor can see.
stack rail clock=step rail_high_mc=80000 ambient_mc=26400
limits 90000 100000 105000
advance 60000
check "rail: a reading at the end of the range gates" at_most \
	"$(truth max_die_mc)" 81000
check "rail: but not before" at_least "$(truth max_die_mc)" 79500
check "rail: counted as the ceiling" at_least \
	"$(get "$NST/stats/failsafe_entries")" 1
advance 30000
check "rail: does not flutter" at_most \
	"$(get "$NST/stats/gate_changes")" 200
put "$DEBUG/rail/ambient_mc" -20000
advance 60000
before=$(truth time_run_us)
advance 30000
check "rail: work goes on where it is cold" at_least \
	$(($(truth time_run_us) - before)) 29000000
hold -r -b 60000 -g 0
put "$DEBUG/rail/ambient_mc" 40000
advance 60000
check "rail: above a lease holder, too" at_most "$(truth die_mc)" 81000
kill -9 "$HOLDER" 2> /dev/null
wait "$HOLDER" 2> /dev/null
unstack rail

# --- the ceiling above a lease holder --------------------------------------

stack ceiling clock=step
limits 40000 69000 70000
hold -r -b 60000 -g 0
check "lease: owner" same "user $HOLDER nst_hold" "$(get "$NST/owner")"
check "lease: sysfs gate is taken" same EBUSY \
	"$(errno_of "$NST/gate" standby)"
advance 60000
check "ceiling: holds against a holder that wants run" at_most \
	"$(truth max_die_mc)" 70000
check "ceiling: but not before" at_least "$(truth max_die_mc)" 69000
check "ceiling: counted" at_least "$(get "$NST/stats/failsafe_entries")" 1
check "ceiling: the request comes back" at_least \
	"$(get "$NST/stats/gate_changes")" 4
before=$(truth time_run_us)
advance 30000
check "ceiling: again and again" at_least \
	$(($(truth time_run_us) - before)) 1000000

# --- the bound, always -----------------------------------------------------

kill -9 "$HOLDER" 2> /dev/null
wait "$HOLDER" 2> /dev/null
check "kill -9: the kernel governs" waits "$NST/owner" kernel 20
unstack ceiling

# It plans with what is really to come.
stack ahead clock=step max_temp_mc=150000 c_j_uj_per_k=6000 \
	gate_enter_us=0 gate_exit_us=0 hot_start_mc=65000
put "$NST/policy/engine" none
put "$NST/gate" standby
advance 100
nst_ahead "$DEV" "$SIM" "$NST" > ahead.out 2>&1
status=$?
sed 's/^/  /' ahead.out
check "ceiling: a period that is gated crosses nothing" same 0 $status
unstack ahead

stack bound clock=step max_temp_mc=150000
cd=$(cooling_of "nst${ID}_duty")
check "cooling device: 16 states" same 16 "$(get "$cd/max_state")"
hold -r -b 60000 -g 0
for state in 4 8 12; do
	put "$cd/cur_state" $state
	advance 1000
	before=$(truth time_run_us)
	# 96 frames: whole periods of every pattern
	advance_us $((96 * 33333))
	run=$((($(truth time_run_us) - before) / 333))
	check "bound: state $state leaves $((16 - state))/16 to a holder" near \
		$((9600 * (16 - state) / 16)) "$run" 30
done
put "$cd/cur_state" 16
advance 1000
before=$(truth time_run_us)
advance 5000
check "bound: state 16 leaves nothing" same 0 \
	$(($(truth time_run_us) - before))
check "bound: 17 is refused" same EINVAL "$(errno_of "$cd/cur_state" 17)"
put "$cd/cur_state" 0
advance 1000
before=$(truth time_run_us)
advance 5000
check "bound: state 0 leaves all" same 5000000 \
	$(($(truth time_run_us) - before))
check "bound: counted" at_least "$(get "$NST/stats/frames_bound")" 100
kill -9 "$HOLDER" 2> /dev/null
wait "$HOLDER" 2> /dev/null
unstack bound

# --- a holder that dies, a holder that is silent, then the heat --------------

stack killed clock=step
limits 60000 80000 100000
hold -r -b 60000 -g 0
advance 5000
check "killed: the holder ran" same run "$(get "$NST/gate")"
kill -9 "$HOLDER"
wait "$HOLDER" 2> /dev/null
check "killed: the kernel governs" waits "$NST/owner" kernel 20
advance 90000
check "killed: the guard holds in the heat" at_most "$(truth max_die_mc)" 80000
check "killed: which came" at_least "$(truth max_die_mc)" 79500
unstack killed

stack silent clock=step
limits 60000 80000 100000
hold -b 300 -g 0
check "silent: heartbeat runs out" waits "$NST/owner" kernel 20
check "silent: counted" same 1 "$(get "$NST/stats/lease_expiries")"
check "silent: and told" waits hold '*lost 1*' 20
advance 90000
check "silent: the guard holds in the heat" at_most "$(truth max_die_mc)" 80000
check "silent: which came" at_least "$(truth max_die_mc)" 79500
kill -9 "$HOLDER" 2> /dev/null
wait "$HOLDER" 2> /dev/null
unstack silent

# --- a sensor --------------------------------------------------------------

# said: how often it was said of this device, or one before of its number
said()
{
	dmesg | grep -c "nst$ID: no trustworthy temperature"
}

stack sensor clock=step
said=$(said)
advance 1000
put "$SIM/fault" "read_error 1"
advance 200
check "one bad sample does nothing" same run "$(get "$NST/gate")"
check "but is counted" same 1 "$(get "$NST/stats/sample_errors")"
put "$SIM/fault" "not_ready 1"
check "not ready is EAGAIN" same EAGAIN "$(nst_read "$HWMON/temp1_input")"
check "and never again" same 0 "$(nst_read "$HWMON/temp1_input")"
put "$SIM/fault" "read_error -1"
check "a bus fault is EIO" same EIO "$(nst_read "$HWMON/temp1_input")"
advance 2000
check "a sensor that stays bad: standby" same standby "$(get "$NST/gate")"
check "temp1_fault says so" same 1 "$(get "$HWMON/temp1_fault")"
check "no envelope without a sensor" same EAGAIN \
	"$(nst_read "$HWMON/temp1_highest")"
check "said once" same 1 $(($(said) - said))
put "$SIM/fault" "read_error 0"
advance 2000
check "good samples bring it back" same run "$(get "$NST/gate")"
check "temp1_fault is clear" same 0 "$(get "$HWMON/temp1_fault")"
unstack sensor

# --- dwell and wear --------------------------------------------------------

stack wear clock=step
put "$NST/policy/dwell_ms" 500
put "$NST/gate" standby
advance 100
put "$NST/gate" run
advance 200
check "dwell: a gate stays for its time" same standby "$(get "$NST/gate")"
advance 500
check "dwell: and opens then" same run "$(get "$NST/gate")"
put "$NST/policy/dwell_ms" 0
put "$NST/gate_off/budget" 1
put "$NST/gate" off
advance 100
check "wear: the first cycle is free" same off "$(get "$NST/gate")"
put "$NST/gate" run
advance 100
check "wear: the second is beyond the budget" same EPERM \
	"$(errno_of "$NST/gate" off)"
check "wear: counted" same 1 "$(get "$NST/gate_off/cycles")"
put "$NST/gate_off/budget" 3
hold -r -b 60000 -g 0 -o 10000 -G 3
advance 500
check "wear: a gate of every frame ends there too" same 3 \
	"$(get "$NST/gate_off/cycles")"
before=$(truth time_run_us)
advance_us $((30 * 33333))
check "wear: standby does instead" near 300000 \
	$(($(truth time_run_us) - before)) 50
kill -9 "$HOLDER"
wait "$HOLDER" 2> /dev/null
check "wear: the holder is gone" waits "$NST/owner" kernel 20
put "$NST/policy/dwell_ms" 500
hold -r -b 60000 -g 1 -o 10000 -G 0
advance 500
changes=$(get "$NST/stats/gate_changes")
advance 3000
check "dwell: inside a frame too" at_most \
	$(($(get "$NST/stats/gate_changes") - changes)) 14
kill -9 "$HOLDER"
wait "$HOLDER" 2> /dev/null
unstack wear

nst_unload
finish
