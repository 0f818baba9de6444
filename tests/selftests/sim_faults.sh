#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_faults.sh - every fault of debugfs, as a reader of hwmon meets it
#
# The kernel's own samples use up counted faults as well, so the clock stands
# still while they are counted.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
plan 38

stack faults clock=step max_temp_mc=150000 gate_enter_us=300 \
	gate_exit_us=200 rail_low_mc=-20000 rail_high_mc=80000
put "$NST/policy/engine" none
advance 1000
T=$HWMON/temp1_input
F=$SIM/fault

value() { get "$T"; }

check "healthy" same 0 "$(nst_read "$T")"

put "$F" "read_error 3"
check "three errors: first" same EIO "$(nst_read "$T")"
check "three errors: second" same EIO "$(nst_read "$T")"
check "listed" grep -qx "read_error=1" "$F"
check "three errors: third" same EIO "$(nst_read "$T")"
check "then healthy" same 0 "$(nst_read "$T")"
put "$F" "read_error -1"
check "for ever" same EIO "$(nst_read "$T")"
check "vpu, too" same EIO "$(nst_read "$HWMON/temp2_input")"
put "$F" "read_error 0"
check "until it is taken back" same 0 "$(nst_read "$T")"

put "$F" "not_ready 2"
check "not ready" same EAGAIN "$(nst_read "$T")"
check "not ready, again" same EAGAIN "$(nst_read "$T")"
check "ready" same 0 "$(nst_read "$T")"

put "$F" "stuck 1"
was=$(value)
true_was=$(truth die_mc)
advance 5000
check "stuck: the value stays" same "$was" "$(value)"
check "stuck: the truth goes on" at_least "$(truth die_mc)" \
	$((true_was + 500))
put "$F" "stuck 0"
check "not stuck: the truth" same "$(truth die_mc)" "$(value)"

put "$F" "rail high"
check "rail high" same 80000 "$(value)"
put "$F" "rail low"
check "rail low" same -20000 "$(value)"
put "$F" "rail off"
check "rail off" same "$(truth die_mc)" "$(value)"

put "$F" "hot 95000"
check "hot: the truth" same 95000 "$(truth die_mc)"
check "hot: package as well" same 95000 "$(truth package_mc)"
check "hot: the sensor ends at its rail" same 80000 "$(value)"
put "$F" "hot 60000"
check "hot: within its range" same 60000 "$(value)"

# The edge of a gate asked for now, on a boundary and at once.
period=$(truth frame_period_us)
put "$NST/gate" standby
advance_us $((period * 3))
check "gate follows" same standby "$(truth gate)"
put "$F" "slow_gate 50000"
put "$NST/gate" run
advance_us "$period"
check "slow gate: not after a frame" same standby "$(truth gate)"
advance_us $((period * 3))
check "slow gate: in the end" same run "$(truth gate)"
put "$F" "slow_gate 0"
run_us=$(truth time_run_us)
advance_us 100000
check "time in run is counted" same $((run_us + 100000)) \
	"$(truth time_run_us)"

# One that is refused is told again at the next boundaries.
put "$F" "gate_refused 2"
put "$NST/gate" standby
advance_us $((period * 5))
check "refused gate: told again until it is taken" same standby "$(truth gate)"
check "refused gate: which was counted" same 2 "$(get "$NST/stats/gate_retries")"
check "refused gate: listed" grep -qx "gate_refused=0" "$F"
put "$NST/gate" run
advance_us $((period * 3))
check "no MCU, none that restarts" same EOPNOTSUPP \
	"$(errno_of "$F" "mcu_restart 1")"

for bad in "read_error -2" "read_error x" "stuck maybe" "rail up" \
	"slow_gate -1" "hot 300000" "smoke 1"; do
	want=EINVAL
	case $bad in *-2 | hot*) want=ERANGE ;; esac
	check "refused: $bad" same $want "$(errno_of "$F" "$bad")"
done
unstack faults
check "the modules go" nst_unload
finish
