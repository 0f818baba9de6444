#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mcu_faults.sh - everything that can go wrong between host and MCU: which errno
# a reader gets, and that the VPU ends up gated by whoever can still gate it
#
# Faults last until they are taken back: counted ones would be used up by the
# kernel's own samples.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

bus()
{
	while read -r _k _v; do
		[ "$_k" != "$1" ] || echo "$_v"
	done < "$SIM/bus"
}

# gate_is GATE: of the emulated VPU, within twenty seconds
gate_is()
{
	gives "$1" truth gate
}

# reads ERRNO [FILE]: so does the die, or that, within twenty seconds
reads()
{
	gives "$1" nst_read "${2:-$T}"
}

# healthy: read well again, and open
healthy()
{
	gate_is run && reads 0
}

# host_governs: says the MCU, bit 0 of STATE
host_governs()
{
	[ $((0x$(sed -n 's/^11: //p' \
		/sys/kernel/debug/regmap/*-0036/registers) & 1)) = 1 ]
}

said()
{
	dmesg | grep -c "$1"
}

begin
[ -d /sys/module/nst_mcu ] || skip_all "needs nst-mcu.ko"
plan 74

# 800 mW: however long it takes, the die stays below 54 degC, far from rails.
stack faults attach=mcu clock=real power_run_mw=800 rail_low_mc=-20000 \
	rail_high_mc=80000
T=$HWMON/temp1_input
F=$SIM/fault
check "healthy" healthy

# What spoils samples and lets a write through: the host gates.
for f in all_ones all_zeros torn; do
	put "$F" "$f -1"
	check "$f: EIO" reads EIO
	check "$f: the other channels, too" reads EIO "$HWMON/temp2_input"
	check "$f: gated" gate_is standby
	put "$F" "$f 0"
	check "$f: over" healthy
done

# What lets nothing through: the MCU is alone, and holds by itself.
for f in nack arb_lost pec_error; do
	put "$F" "$f -1"
	check "$f: EIO" reads EIO
	# longer than its watchdog
	sleep 1.5
	put "$F" "$f 0"
	check "$f: over" healthy
	check "$f: the host governs again" soon host_governs
done
check "the silence was noticed" grows 1 said 'the MCU governed'

# What the MCU meets at its own sensor.
put "$F" "read_error -1"
check "read error: EIO" reads EIO
check "read error: gated" gate_is standby
put "$F" "read_error 0"
check "read error: over" healthy
check "read error: said once" gives 1 said 'MCU lost the die sensor'

put "$F" "not_ready -1"
check "not ready: EAGAIN" reads EAGAIN
put "$F" "not_ready 0"
check "not ready: over" healthy

put "$F" "power_on_default 1"
check "no conversion yet: EAGAIN" reads EAGAIN
put "$F" "power_on_default 0"
check "no conversion yet: over" healthy

entries=$(get "$NST/stats/failsafe_entries")
put "$F" "spike 1"
sampled 20
check "a spike does nothing" same "$entries run" \
	"$(get "$NST/stats/failsafe_entries") $(truth gate)"

# The rail is further away than any die moves: not believed.
put "$F" "rail high"
check "high rail from nowhere: EIO" reads EIO
check "high rail from nowhere: gated" gate_is standby
put "$F" "rail off"
check "high rail from nowhere: over" healthy
put "$F" "rail low"
check "low rail: gated" gate_is standby
put "$F" "rail off"
check "low rail: over" healthy

# Too hot for a host that is asleep: the ceiling is the MCU's.
put "$NST/policy/engine" none
put "$NST/policy/low_temp" 50000
put "$NST/policy/high_temp" 60000
check "ceiling without a host: set" put "$NST/policy/max_temp" 65000
sleep 0.2
put "$F" "nack -1"
put "$F" "hot 68000"
check "ceiling without a host: gated" gate_is standby
put "$F" "hot 40000"
put "$F" "nack 0"
check "ceiling without a host: over" healthy

# A gate that lies.
put "$F" "gate_ignored 1"
put "$NST/gate" standby
sleep 3
check "gate ignored: the VPU runs" same run "$(truth gate)"
check "gate ignored: said" grows 1 get "$NST/stats/gate_faults"
put "$F" "gate_ignored 0"
check "gate ignored: tried until it obeys" gate_is standby
put "$NST/gate" run
check "gate ignored: over" healthy

put "$F" "slow_gate 50000"
put "$NST/gate" standby
check "slow gate: it comes" gate_is standby
put "$NST/gate" run
check "slow gate: back" healthy
put "$F" "slow_gate 0"

# An opening that did not get there is not made up for when nobody wants it.
put "$NST/gate" standby
check "no opening: shut" gate_is standby
ran=$(truth time_run_us)
put "$F" "nack -1"
put "$NST/gate" run
sleep 0.3
put "$NST/gate" standby
sleep 1.5
put "$F" "nack 0"
sleep 1
check "no opening: not for an instant" same "$ran" "$(truth time_run_us)"
put "$NST/gate" run
check "no opening: over" healthy

# A gate request that the MCU does not take.
put "$F" "gate_refused 1"
put "$NST/gate" standby
check "gate refused once: it comes" gate_is standby
put "$NST/gate" run
check "gate refused once: over" healthy
put "$F" "gate_refused -1"
nst_hold -n -g 1 "$DEV" > hold 2>&1
check "gate refused: who asks is told" grep -q \
	"SET_GATE: Input/output error" hold
check "gate refused: and what is so" same "run run" \
	"$(get "$NST/gate") $(truth gate)"
was=$(get "$NST/stats/gate_faults")
put "$NST/gate" standby
check "gate refused: a fault in the end" gives $((was + 1)) \
	get "$NST/stats/gate_faults"
put "$F" "gate_refused 0"
check "gate refused: and closed when it is taken" gate_is standby
put "$NST/gate" run
check "gate refused: over" healthy

# Its power fails for a moment: what it was told is told again.
limits()
{
	sed -n 's/^2[456]: //p' /sys/kernel/debug/regmap/*-0036/registers |
		paste -s -d ' '
}
told=$(limits)
entries=$(get "$NST/stats/failsafe_entries")
put "$F" "mcu_restart 1"
check "restart: the host governs again" soon host_governs
check "restart: by its limits" gives "$told" limits
check "restart: over" healthy
check "restart: no sensor was at fault" same "$entries" \
	"$(get "$NST/stats/failsafe_entries")"
put "$NST/gate" standby
gate_is standby
put "$F" "mcu_restart 1"
check "restart: the gate, too" soon host_governs
check "restart: is what it was" gate_is standby
put "$NST/gate" run
check "restart: and opens" healthy

# Limits that no register can tell: 5 mK apart, at the lower end.
put "$NST/policy/low_temp" -60000
put "$NST/policy/high_temp" -59995
refused=$(said 'the MCU refused')
before=$(bus transfers)
since=$(truth now_us)
sleep 2
tried=$(($(bus transfers) - before))
took=$(($(truth now_us) - since))
note "$tried transfers in $took us"
# every 2 ms one; in the log ten in each 5 s, of which it is not known when one
# has begun
check "refused limits: no storm on the bus" at_most $tried $((took / 2000))
check "refused limits: nor in the log" at_most \
	$(($(said 'the MCU refused') - refused)) $((20 + took / 500000))
put "$NST/policy/high_temp" 60000
put "$NST/policy/low_temp" 50000

# The device goes in the middle of it.
dev=$(basename "$(readlink -f "$NST/device")")
put "$F" "nack -1"
put /sys/bus/i2c/drivers/nst-mcu/unbind "$dev"
check "unbound from a dead bus" same "" "$(ls "$CLASS")"
check "and not bound to one" same EIO \
	"$(errno_of /sys/bus/i2c/drivers/nst-mcu/bind "$dev")"
unstack faults

# Hotter than the sensor can tell: what it says is a bound, and gates.
stack rails attach=mcu clock=real ambient_mc=85000 rail_high_mc=80000
T=$HWMON/temp1_input
check "high rail: the bound" gives 80000 get "$T"
check "high rail: gated" gate_is standby
check "high rail: it is hotter" grows 84000 truth die_mc
unstack rails

# Work leads to the end of the range: with no dwell it is not gone back to at
# once, for the die falls below it in milliseconds and would be there again.
stack edge attach=mcu clock=real ambient_mc=40000 rail_high_mc=60000
T=$HWMON/temp1_input
put "$NST/policy/engine" none
# That it works is over in two seconds, which is soon on a slow machine.
check "edge of the range: it has worked" grows 1000000 truth time_run_us
check "edge of the range: gated" gate_is standby
cycles=$(sed -n 's/^gate_cycles //p' "$SIM/bus")
sleep 5
check "edge of the range: it stays so" same "$cycles standby" \
	"$(sed -n 's/^gate_cycles //p' "$SIM/bus") $(truth gate)"
unstack edge
check "the modules go" nst_unload
finish
