#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mcu_probe.sh - nst-mcu.ko on an emulated bus: what it finds, what it reads, the
# gate, what goes over the wire, unbinding while all of it is in use
#
# The clock is the host's, for an MCU that does not sample is a fault: values
# are compared after they have settled, and bytes are counted between two looks
# at the counters that saw no transfer half done.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

bus()
{
	while read -r _k _v; do
		[ "$_k" != "$1" ] || echo "$_v"
	done < "$SIM/bus"
}

# counters: S of the core, T A W R of the wire at one moment, S of the core
counters()
{
	get "$NST/stats/samples"
	sed -n 's/^transfers //p; s/^address_bytes //p; s/^bytes_written //p
		s/^bytes_read //p' "$SIM/bus"
	get "$NST/stats/samples"
}

# A sample is a block of 16 words: 2 addresses, 1 command, then the count, 32
# bytes and the PEC. A look at the gate is a word: 2, 1, and 2 bytes and PEC.
# Without the PEC it would be 33 and 2. What is read tells how many were blocks,
# as many as the core took samples. Its counter is read before and after those of
# the wire; besides, a block may be read and not be a sample yet, at either end.
# Moments within a transfer, when it is counted and its bytes are not, add up to
# nothing: others will come.
reads_add_up()
{
	_try=0
	while [ $_try -lt 40 ]; do
		_try=$((_try + 1))
		# shellcheck disable=SC2046 # six words each
		set -- $(counters)
		sampled 10
		# shellcheck disable=SC2046
		set -- "$@" $(counters)
		_t=$(($8 - $2)) _a=$(($9 - $3)) _w=$((${10} - $4))
		_r=$((${11} - $5)) _least=$(($7 - $6)) _most=$((${12} - $1))
		_blocks=$(((_r - 3 * _t) / 31))
		[ $_a = $((2 * _t)) ] && [ $_w = $_t ] &&
			[ $_r = $((3 * _t + 31 * _blocks)) ] &&
			[ $_blocks -ge $((_least - 1)) ] &&
			[ $_blocks -le $((_most + 1)) ] && return 0
	done
	note "$_t transfers, $_a addresses, $_w written, $_r read," \
		"$_least to $_most samples"
	return 1
}

# die_is_true TOLERANCE: of one moment, which two readings are not always
die_is_true()
{
	soon reads_true "$1"
}

reads_true()
{
	near "$(truth die_mc)" "$(die_mc)" "$1"
}

begin
[ -d /sys/module/nst_mcu ] || skip_all "needs nst-mcu.ko"
plan 34

check "a stack with an MCU" stack mcu0 attach=mcu clock=real \
	max_temp_mc=95000
check "its name is the label" same mcu0 "$(get "$NST/name")"
check "its provider" same nst-mcu "$(get "$NST/provider")"
check "its model is the MCU's" same nst-sim "$(get "$NST/model")"
check "frames from the line" same gpio "$(get "$NST/frame_source")"
check "rated maximum" same 95000 "$(get "$NST/policy/max_temp")"
check "three channels" same "die vpu dram " \
	"$(cat "$HWMON"/temp?_label | tr '\n' ' ')"
check "power per gate" same "2500 100 90 0 " \
	"$(cat "$NST"/gate_run/power_mw "$NST"/gate_standby/power_mw \
	   "$NST"/gate_cleared/power_mw "$NST"/gate_off/power_mw | tr '\n' ' ')"
waits "$NST/gate" run 10

check "frames come" grows $(($(get "$NST/frame_count") + 20)) \
	get "$NST/frame_count"
if [ -n "${NST_TIME_TRAVEL:-}" ]; then
	check "at their period" near 33333 "$(get "$NST/frame_period_us")" 700
else
	skip "at their period" "timers are late here"
fi

put "$NST/policy/engine" none
check "standby is asked for" put "$NST/gate" standby
check "and there" waits "$NST/gate" standby 20
check "of the emulated VPU as well" gives standby truth gate
# Both have come to rest, in the time of a hundred samples of the MCU.
sleep 1
# the die is where the package is, which moves by 0.1 K a second
check "cold: the die as it is" die_is_true 60
check "vpu" near "$(truth die_mc)" "$(get "$HWMON/temp2_input")" 2000
check "power" same 100000 "$(get "$HWMON/power1_input")"
check "reads carry a PEC" reads_add_up

# Below zero, beside the other one, on an adapter without block reads.
check "a stack in the cold" stack cold attach=mcu clock=real bus_blocks=0 \
	ambient_mc=-30000
put "$NST/policy/engine" none
put "$NST/gate" off
waits "$NST/gate" off 20
sleep 1
check "below zero: as it is" die_is_true 60
check "it is below" at_most "$(die_mc)" -25000
check "plain transfers carry a PEC too" reads_add_up
put "$SIM/fault" "pec_error -1"
check "which is looked at" gives EIO nst_read "$HWMON/temp1_input"
put "$SIM/fault" "pec_error 0"
unstack cold
use mcu0

w=$(bus gate_writes)
put "$NST/gate" run
waits "$NST/gate" run 20
check "run" gives run truth gate
check "one write opened it" same $((w + 1)) "$(bus gate_writes)"
for g in cleared off standby run; do
	put "$NST/gate" $g
	gives $g get "$NST/gate"
	check "gate $g" gives $g truth gate
done

# Thresholds go down to the MCU, in 1/128 degC, and hold there.
reg()
{
	sed -n "s/^$1: //p" /sys/kernel/debug/regmap/*-0036/registers
}
put "$NST/policy/high_temp" 80000
put "$NST/policy/low_temp" 60000
put "$NST/policy/max_temp" 90000
check "thresholds are the MCU's too" same "2800 1e00 2d00" \
	"$(reg 24) $(reg 25) $(reg 26)"
check "its watchdog is armed" same 03e8 "$(reg 21)"
check "the host governs" same 1 $((0x$(reg 11) & 1))

# Gone and back, with files open and readers at it.
client=$(readlink -f "$NST/device")
driver=/sys/bus/i2c/drivers/nst-mcu
dev=${client##*/}
(
	exec 9< "$DEV"
	i=0
	while [ $i -lt 200 ]; do
		cat "$HWMON/temp1_input" > /dev/null 2>&1
		i=$((i + 1))
	done
) &
reader=$!
rebound=0
for i in 1 2 3 4 5; do
	put $driver/unbind "$dev" && [ ! -d "$NST/policy" ] &&
		put $driver/bind "$dev" && use mcu0 &&
		[ -d "$NST/policy" ] && rebound=$((rebound + 1))
done
wait $reader
check "unbound and bound again" same 5 $rebound
waits "$NST/gate" run 20
check "and it works" die_is_true 1500
unstack mcu0
check "the modules go" nst_unload
finish
