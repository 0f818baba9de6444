#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_estimate.sh - a sensor without a thermometer, and a board that has one

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 23

# A thermal zone to follow: that of a stack of its own, which stands still.
stack board clock=step ambient_mc=40000 || exit 1
put "$NST/policy/engine" none
put "$NST/gate" standby
advance 1000
zone=$(basename "$NST")_die
zone_mc() { get "$(zone_of "$zone")/temp"; }
check "the board has a zone" test "$(zone_mc)" -gt 30000

# over: by how much the die is above the zone, in mK. Between two readings of this
# board, which stands still, the estimate goes on with the power, in run by up to
# 3.6 K a second; how far apart they are is the machine's affair. Soon after one
# of them it says what the power makes.
over()
{
	echo $(($(get "$HWMON/temp1_input") - $(zone_mc)))
}

# is_run: by 13.75 K, soon by no more than half a second adds, never by less
is_run()
{
	_t=200
	while [ "$_t" -gt 0 ]; do
		_over=$(over)
		at_least "$_over" 13400 || return 1
		[ "$_over" -gt 16200 ] || return 0
		sleep 0.1
		_t=$((_t - 1))
	done
	at_most "$_over" 16200
}

is_standby()
{
	near 550 "$(over)" 1500
}

# --- by zone, with a gate: the die is above it by power times resistance
sensor blind ov9281 power_run_mw=2500 \
	property="nst,board-sensor \"zone:$zone\"" || exit 1
check "marked as an estimate" same "die (estimated)" \
	"$(get "$HWMON/temp1_label")"
check "the board's own is none" same board "$(get "$HWMON/temp2_label")"
check "it reads" becomes 0
check "board: the zone" near "$(zone_mc)" "$(get "$HWMON/temp2_input")" 50
sleep 1
check "run: 2500 mW over 5.5 K/W" is_run
put "$NST/gate" standby
sleep 0.2
check "standby: 100 mW" soon is_standby
put "$NST/gate" run
sleep 0.2
check "and run again" is_run
check "the bus is not used" same 0 "$(wire transfers)"

# --- the board warms up; so does the estimate
put "$DEBUG/board/fault" "hot 60000"
put "$DEBUG/board/advance_us" 1000000
check "the zone is warmer" grows 55000 zone_mc
grows 55000 get "$HWMON/temp2_input"
check "and so is the die" is_run

# --- no reading of the board, no estimate
put "$DEBUG/board/fault" "read_error -1"
put "$DEBUG/board/advance_us" 2000000
check "no board, no die" becomes EAGAIN
put "$DEBUG/board/fault" "read_error 0"
put "$DEBUG/board/advance_us" 2000000
check "and back" becomes 0
unstack blind

# --- without a bus or a sensor: a board with only a line
board line clock=real attach=cci sensor_model=ov9281 \
	property='nst,model "none"' \
	property="nst,board-sensor \"zone:$zone\"" || exit 1
check "model none" appears line
use line
check "model none: reads" becomes 0
unstack line

# --- a board that is not there (yet)
quiet
sensor late ov9281 property='nst,board-sensor "hwmon:lm75:temp1"' || exit 1
check "not there: not ready" same EAGAIN "$(nst_read "$HWMON/temp1_input")"
# looked for twenty times in vain, twice a second
check "not there: said once" once 'board sensor lm75: it is not'
if modprobe -q i2c-stub chip_addr=0x48,0x49 && modprobe -q lm75; then
	for a in /sys/bus/i2c/devices/i2c-*; do
		[ "$(get "$a/name")" != "SMBus stub driver" ] || stub=$a
	done
	put "$stub/new_device" "lm75 0x48"
	check "there: it is found" becomes 0
	i2c_temp=$(get "$HWMON/temp2_input")
	for h in /sys/class/hwmon/hwmon*; do
		[ "$(get "$h/name")" != lm75 ] || chip=$h
	done
	check "and is what the chip says" same "$(get "$chip/temp1_input")" \
		"$i2c_temp"
	put "$stub/new_device" "lm75 0x49"
	check "two of them: which one?" becomes EAGAIN
	check "said" once 'there are several'
	put "$stub/delete_device" 0x49
	check "one again" becomes 0
	unstack late
	put "$stub/delete_device" 0x48
	rmmod lm75 i2c-stub
else
	for _i in 1 2 3 4 5; do
		skip "a chip that comes late" "no i2c-stub and lm75"
	done
	unstack late
fi
unstack board
check "the modules go" nst_unload
finish
