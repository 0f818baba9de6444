#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_gate_faults.sh - a thermometer that lies and a gate that does not obey,
# over a bus and a line
#
# Of a line is known how it is driven, not what the VPU makes of it: there the
# temperature tells. The DNN of an IMX500 has a register, which can be read.

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 43

# is_there GATE: so is the gate, or there is no temperature to govern it by
is_there()
{
	[ "$(get "$NST/gate")" = "$1" ] || [ "$(get "$HWMON/temp1_fault")" = 1 ]
}

# edge GATE: the gate goes there, and stays long enough for the die to follow and
# for readings of it
edge()
{
	put "$NST/gate" "$1"
	soon is_there "$1"
	sleep 0.2
	sampled 4
}

# edges N: so often to standby and back
edges()
{
	for _e in $(seq "$1"); do
		edge standby
		edge run
	done
}

entries()
{
	get "$NST/stats/failsafe_entries"
}

# believed: the same of a sensor that was lost by contradicting the model. Its
# reading has to move, which gating sees to, unless the VPU had been stopped for
# another reason before: then by what the die does.
believed()
{
	_b=20
	while [ $_b -gt 0 ]; do
		waits "$HWMON/temp1_fault" 0 1 > believed.out &&
			waits "$NST/gate" run 1 > believed.out && return 0
		_b=$((_b - 1))
		fault hot $((30000 + _b % 2 * 10000))
	done
	cat believed.out
	return 1
}

# trusted: the temperature is believed and the VPU runs
trusted()
{
	waits "$HWMON/temp1_fault" 0 20 && waits "$NST/gate" run 20
}

# lost: it is not, and the VPU does not run
lost()
{
	waits "$HWMON/temp1_fault" 1 20 && waits "$SIM/truth" \
		'*gate standby*' 20
}

BAD='no trustworthy temperature'

sensor cam imx477 max_temp_mc=150000 || exit 1
put "$NST/policy/high_temp" 140000
active 1
becomes 0
check "it is trusted" trusted
fault hot 30000
was=$(entries)

# --- one that steps with the gate, and one that has nothing to step for
quiet
edges 5
check "steps of 4 K at the gate are healthy" same "$was 0" \
	"$(entries) $(get "$HWMON/temp1_fault")"
sleep 3
check "and so is a reading that stands" same "$was 0" \
	"$(entries) $(get "$HWMON/temp1_fault")"
check "nothing was said of either" same 0 "$(said "$BAD")"

# --- frozen
fault frozen 1
value=$(get "$HWMON/temp1_input")
sleep 2
check "frozen with nothing to follow: nobody can tell" same "$was run" \
	"$(entries) $(get "$NST/gate")"
edges 5
check "frozen over five stops: found out" lost
check "the reading still stands" same "$value" "$(get "$HWMON/temp1_input")"
check "said once" same 1 "$(said "$BAD")"
check "counted once" same $((was + 1)) "$(entries)"
sleep 2
check "it does not come back by standing still" same "1 standby" \
	"$(get "$HWMON/temp1_fault") $(get "$NST/gate")"
quiet
fault frozen 0
fault hot 30000
check "it lives again" trusted
check "which is said once" same 1 \
	"$(said 'temperature of the die is back')"
check "and reads the truth" reads_truth 760

# --- a spike is no temperature, and many are none either
quiet
was=$(entries)
changes=$(get "$NST/stats/gate_changes")
for _i in 1 2 3 4 5; do
	fault spike 1
	sampled 8
done
check "five spikes, each alone: nothing" same "$was $changes run" \
	"$(entries) $(get "$NST/stats/gate_changes") $(get "$NST/gate")"
check "and nothing is said" same 0 "$(said "$BAD")"
fault hot 30000
fault spike -1
check "40 K off all the time: not believed" lost
check "said once" same 1 "$(said "$BAD")"
# By now it may be believed, for it moves with the gate, and at its rail; then it
# is lost once more.
fault spike 0
sampled 10
check "and believed again" believed

# --- a line that the VPU does not look at: it stays hot, and reads so
quiet
was=$(entries)
fault hot 30000
fault gate_ignored 1
edge standby
sampled 20
check "line ignored: the VPU runs" same run "$(truth gate)"
check "the line is as it was driven, and so is the gate" same standby \
	"$(get "$NST/gate")"
check "the reading is what is there" reads_truth 760
check "one stop proves nothing" same "$was 0" \
	"$(entries) $(said "$BAD")"
edge run
edges 5
check "after five the temperature does not fit what is done" grows 1 \
	said "$BAD"
check "which stops nothing, and the VPU runs" same run "$(truth gate)"
fault gate_ignored 0
edge standby
put "$NST/gate" run
fault hot 30000
check "one that obeys again is trusted" trusted

active 0
unstack cam

# --- a VPU that takes its time, and does not say so: the reading follows it
sensor slow imx477 max_temp_mc=150000 || exit 1
put "$NST/policy/high_temp" 140000
active 1
becomes 0
check "slow: trusted" trusted
quiet
was=$(entries)
fault slow_gate 150000
put "$NST/gate" standby
check "150 ms late: it comes" waits "$SIM/truth" '*gate standby*' 10
sampled 20
check "150 ms late: no fault" same "$was 0 0" "$(entries) $(get \
	"$NST/stats/gate_faults") $(said "$BAD")"
put "$NST/gate" run
check "and goes" waits "$SIM/truth" '*gate run*' 10
watch_lateness
edges 5
lateness
in_time 100 "nor are five stops in a row" same "$was 0 0" "$(entries) $(get \
	"$NST/stats/gate_faults") $(said "$BAD")"
fault slow_gate 0
check "trusted as before" trusted

# --- a line that cannot be driven, as one of an expander whose bus fails
was=$(get "$NST/stats/gate_faults")
fault gate_refused -1
put "$NST/gate" standby
check "line refused: a fault" gives $((was + 1)) get "$NST/stats/gate_faults"
check "line refused: what is told is what is" same "run run" \
	"$(get "$NST/gate") $(truth gate)"
fault gate_refused 0
check "line refused: driven when it can be" gives standby truth gate
put "$NST/gate" run
check "line refused: and back" gives run truth gate
active 0
unstack slow

# --- a register that somebody else writes: read back, and put right
sensor ai imx500 gate=dnn upload_ms=50 bridge_life=0 max_temp_mc=150000 ||
	exit 1
put "$NST/policy/high_temp" 140000
active 1
becomes 0
check "the DNN runs" trusted
quiet
put "$NST/gate" standby
check "and rests" waits "$SIM/truth" '*gate standby*' 10
retries=$(get "$NST/stats/gate_retries")
setreg d100 04 > /dev/null
check "switched on by another: off again" waits "$SIM/truth" \
	'*gate standby*' 10
check "told again" at_least "$(get "$NST/stats/gate_retries")" \
	$((retries + 1))
check "once is no fault" same 0 "$(get "$NST/stats/gate_faults")"
fault gate_ignored 1
edge run
sampled 20
check "the register says run, the DNN rests" same "run standby" \
	"$(get "$NST/gate") $(truth gate)"
check "the reading is what is there" reads_truth 760
fault gate_ignored 0
unstack ai

check "the modules go" nst_unload
finish
