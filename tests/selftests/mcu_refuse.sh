#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mcu_refuse.sh - impossible properties of a board, an MCU that is none of ours:
# refused with the name, the value and what would be possible, nothing left
#
# The stack itself lives: it is the board that says it wrongly.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

# refused WORDS PROPERTY...: a board with these does not get a device, and the
# log says WORDS
refused()
{
	_words=$1
	shift
	mkdir "$CONFIG/bad" || return 1
	_stacks="$_stacks bad"
	put "$CONFIG/bad/attach" mcu
	for _p; do
		put "$CONFIG/bad/property" "$_p" || {
			note "the stack does not take '$_p'"
			return 1
		}
	done
	dmesg -c > /dev/null
	put "$CONFIG/bad/live" 1 || {
		note "the stack does not start"
		return 1
	}
	_left=$(ls "$CLASS")
	dmesg > said
	unstack bad
	_stacks=
	[ -z "$_left" ] || {
		note "there is $_left"
		return 1
	}
	grep -qF -e "$_words" said || {
		sed 's/^/# /' said
		return 1
	}
}

# taken PROPERTY...: the same for a board that is right
taken()
{
	mkdir "$CONFIG/good" || return 1
	_stacks="$_stacks good"
	put "$CONFIG/good/attach" mcu
	for _p; do
		put "$CONFIG/good/property" "$_p" || return 1
	done
	put "$CONFIG/good/live" 1 && use good &&
		[ "$(get "$NST/provider")" = nst-mcu ]
	_ok=$?
	return $_ok
}

begin
[ -d /sys/module/nst_mcu ] || skip_all "needs nst-mcu.ko"
plan 30

check "temperature too high" refused \
	"nst,max-millicelsius 250001: not in -60000 to 250000" \
	"nst,max-millicelsius 250001"
check "too low, in two's complement" refused \
	"nst,ambient-millicelsius -60001: not in -60000 to 250000" \
	"nst,ambient-millicelsius -60001"
check "above what the MCU is rated for" refused \
	"nst,max-millicelsius 105001: not in -60000 to 105000" \
	"nst,max-millicelsius 105001"
check "below ambient" refused \
	"nst,max-millicelsius 20000: not in 26401" \
	"nst,max-millicelsius 20000"
check "period too short" refused \
	"nst,frame-period-us 999: not in 1000 to 10000000" \
	"nst,frame-period-us 999"
check "period too long" refused \
	"nst,frame-period-us 4294967295: not in 1000 to 10000000" \
	"nst,frame-period-us -1"
check "exposure longer than the frame" refused \
	"nst,exposure-us 33000 and nst,readout-us 1000: together not in 0 to 33333" \
	"nst,exposure-us 33000"
check "no thermal resistance" refused \
	"nst,die-package-mk-per-w 0: not in 10 to 1000000" \
	"nst,die-package-mk-per-w 0"
check "capacities that do not go together" refused \
	"capacity of the package over 20 times" \
	"nst,package-capacity-uj-per-k 18000"
check "text for a number" refused \
	"nst,readout-us: not one number" 'nst,readout-us "soon"'
check "too few powers" refused \
	"nst,gate-milliwatt: 3 numbers, not 4 (run standby cleared off)" \
	"nst,gate-milliwatt 2500 100 90"
check "two exposures" refused \
	"nst,exposure-us: not one number" "nst,exposure-us 100 200"
check "power out of range" refused \
	"nst,gate-milliwatt 50001 (run): not in 0 to 50000" \
	"nst,gate-milliwatt 50001 100 90 0"
check "more power in a deeper gate" refused \
	"nst,gate-milliwatt 91 (cleared): not in 0 to 90" \
	"nst,gate-milliwatt 2500 90 91 0"
check "a jump beyond all thresholds" refused \
	"nst,gate-milliwatt 50000 and 100 with nst,die-package-mk-per-w" \
	"nst,gate-milliwatt 50000 100 90 0"
check "an hour to close" refused \
	"nst,gate-enter-us 3600000000 (off): not in 0 to 600000000" \
	"nst,gate-enter-us 0 0 0 3600000000"
check "a budget for what the guard needs" refused \
	"nst,gate-budget 5 (standby): not 0" "nst,gate-budget 0 5 0 0"
check "no label" refused "label: not 1 to 63 printable characters" 'label ""'
check "a depth that is none" refused \
	'nst,run-gpio-depth "run": not standby, cleared or off' \
	'nst,run-gpio-depth "run"'
check "a depth of nothing" refused \
	'nst,supply-depth "deep": not standby, cleared or off' \
	'nst,supply-depth "deep"'

check "one that is right" taken "nst,gate-milliwatt 2000 150 120 10" \
	"nst,gate-budget 0 0 0 7" "nst,max-millicelsius 90000" \
	"nst,ambient-millicelsius -5000" "nst,gate-exit-us 1 2 3 4" \
	'label "left eye"'
check "its label" same "left eye" "$(get "$NST/name")"
check "its powers" same "2000 150 120 10 " \
	"$(cat "$NST"/gate_run/power_mw "$NST"/gate_standby/power_mw \
	   "$NST"/gate_cleared/power_mw "$NST"/gate_off/power_mw | tr '\n' ' ')"
check "its budget" same 7 "$(get "$NST/gate_off/budget")"
check "its cost" same 4 "$(get "$NST/gate_off/exit_us")"
check "its limit" same 90000 "$(get "$NST/policy/max_temp")"
unstack good

# Nobody there, and a sensor that is no MCU.
stack other attach=cci sensor_model=imx477
wire=$(sed -n 's/^adapter //p' "$SIM/bus")
bus=/sys/bus/i2c/devices/i2c-$wire
dmesg -c > /dev/null
put "$bus/new_device" "nst-mcu 0x36"
dmesg > said
check "nobody at the address" grep -q "no MCU answers at 0x36" said
put "$bus/delete_device" 0x36
set -- /sys/bus/i2c/drivers/nst-mcu/*-0036
check "not left bound" test ! -e "$1"
unstack other
stack real attach=mcu clock=real
check "and now one that is" same nst-mcu "$(get "$NST/provider")"
unstack real
check "the modules go" nst_unload
finish
