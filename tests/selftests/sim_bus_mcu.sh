# SPDX-License-Identifier: GPL-2.0-only
#
# The management MCU on the emulated bus: the firmware answers, its words have
# their PEC, its fail-safe acts in the millisecond it is due, its alert line is
# an interrupt. Nothing of ours is bound to it; SMBus calls are the host.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_bus.inc"

begin_bus
plan 28

word()
{
	i2c 0x36 smbus "$1" pec
}

put_word()
{
	i2c 0x36 put "$1" "$2" pec
}

board mcu attach=mcu clock=step bus_hz=0 || exit 1
check "the magic number" same 4e53 "$(word 02)"
check "version 1.0" same 0100 "$(word 00)"
check "power-on is told" same 1 $((0x$(word 12) & 1))
check "without a temperature the gate is closed" same standby "$(truth gate)"
advance 20
check "with one it opens" same run "$(truth gate)"
advance 1000
# 1/128 degC; a sample is 2 ms old at most
t=$((0x$(word 18)))
check "the die temperature" near "$(truth die_mc)" $((t * 125 / 16)) 60
check "the power" same "$(truth power_mw)" $((0x$(word 16)))

# word reads: command and two addresses out, two bytes and PEC in
b=$(wire bytes_read)
word 18 > /dev/null
check "a word with PEC is three bytes" same $((b + 3)) "$(wire bytes_read)"
b=$(wire bytes_read)
i2c 0x36 block c1 pec > /dev/null
check "a block of 16 registers is 34" same $((b + 34)) "$(wire bytes_read)"

fault pec_error 1
check "a flipped bit on the way in is seen by the host" same EBADMSG "$(word 18)"
fault pec_error 1
put_word 20 1 > /dev/null
check "on the way out by the MCU: nothing changes" same run "$(truth gate)"
check "and it is told" same 64 $((0x$(word 12) & 64))
# numbers: the sample number at the start and at the end of the block
numbers()
{
	i2c 0x36 block c1 pec > block || return 1
	echo "$(cut -d ' ' -f 1,2 block) $(cut -d ' ' -f 31,32 block)"
}
n=$(numbers)
check "a block has one sample number" same "${n%% ?? ??}" "${n##?? ?? }"
fault torn 1
n=$(numbers)
check "a torn one has two" eval '[ "${n%% ?? ??}" != "${n##?? ?? }" ]'
fault nack 1
check "nack" same ENXIO "$(word 18)"

put_word 20 1
check "a gate request takes effect at the end of its write" \
	same standby "$(truth gate)"
put_word 20 0
check "and back" same run "$(truth gate)"

fault gate_ignored 1
put_word 20 1
advance 60
check "a gate that does not obey is told" same 16 $((0x$(word 12) & 16))
fault gate_ignored 0
put_word 20 0
put_word 12 0010

# The watchdog is 1 s: the request of a host that fell silent no longer counts,
# what it had closed stays closed.
put_word 21 0064
put_word 20 1
put_word 20 0
advance 99
check "heard 99 ms ago the host governs" same 1 $((0x$(word 11) & 1))
advance 102
check "not heard for 101 ms it does not" same 0 $((0x$(word 11) & 1))

# --- fail-safe -------------------------------------------------------------

# limits low, high, ceiling in one block: 55, 60, 62 degC
raw()
{
	printf '%04x' $(($1 * 128))
}
put_word 25 "$(raw 50)"
put_word 24 "$(raw 60)"
put_word 26 "$(raw 62)"
check "limits are taken" same "$(raw 62)" "$(word 26)"
put_word 23 0004
fault hot 61000
advance 40
check "above the ceiling the gate is closed" same standby "$(truth gate)"
check "the millisecond it was due" at_most \
	$(($(wire gate_at_us) % 1000)) 0
check "in 4 ms at most" at_most \
	$(($(truth now_us) - 40000 + 4000)) $(($(wire gate_at_us) + 8000))
if [ -e /dev/gpiochip0 ]; then
	check "the alert line is down" same 0 "$(sim_gpio nst-sim-mcu get 2)"
	put_word 12 0004
	check "and up when that is cleared" same 1 \
		"$(sim_gpio nst-sim-mcu get 2)"
else
	skip "the alert line is down" "no GPIO character device"
	skip "and up when that is cleared" "no GPIO character device"
fi
unstack mcu

mkdir "$CONFIG/mcu"
put "$CONFIG/mcu/attach" mcu
put "$CONFIG/mcu/max_temp_mc" -50000
check "no room for limits is refused" same ENODEV \
	"$(errno_of "$CONFIG/mcu/live" 1)"
rmdir "$CONFIG/mcu"
check "the modules go" nst_unload
finish
