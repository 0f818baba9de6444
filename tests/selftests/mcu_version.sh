#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mcu_version.sh - an MCU of another version, one that describes what cannot be,
# one that has stopped sampling
#
# The firmware of this tree is of one version. The others are played by i2c-stub:
# registers that say what was written to them, without PEC.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

mcu()
{
	mcu_stub "$bus" 36 "$@"
}

# fresh: a chip that says all that an MCU of version 1.0 says
fresh()
{
	rmmod i2c_stub 2> /dev/null
	# every SMBus call that i2c-stub knows, blocks included
	modprobe i2c-stub chip_addr=0x36 functionality=0x0f7f0000 || return 1
	bus=
	for _b in /sys/bus/i2c/devices/i2c-*; do
		[ "$(get "$_b/name")" != "SMBus stub driver" ] ||
			bus=${_b##*/i2c-}
	done
	mcu word 00 0100 && mcu word 01 0002 && mcu word 02 4e53 &&
		mcu word 27 3480 && mcu word 21 03e8 &&
		mcu block c0 0100 0002 4e53 0001 7374 7562 0 0 0 0 0 0 \
			0 0 0 2a &&
		mcu block c1 0001 0 0 0 0 64 09c4 0 1900 8000 8000 8000 \
			0002 0202 0 0001 &&
		mcu block c9 0 0 0 0 2710 0 0 &&
		mcu block ca 0 157c 0 6f54 0 038d a a8e0 0d33 &&
		mcu block cb 09c4 0064 0 0 &&
		mcu block cc 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
}

bind()
{
	dmesg -c > /dev/null
	put "/sys/bus/i2c/devices/i2c-$bus/new_device" "nst-mcu 0x36"
	dmesg > said
}

unbind()
{
	put "/sys/bus/i2c/devices/i2c-$bus/delete_device" 0x36
}

# refused WORDS: no device, and the log says why
refused()
{
	bind
	_left=$(ls "$CLASS")
	unbind
	[ -z "$_left" ] && grep -qF -e "$1" said && return 0
	sed 's/^/# /' said
	return 1
}

taken()
{
	bind
	NST=$CLASS/$(ls "$CLASS")
	[ "$(get "$NST/provider")" = nst-mcu ] && grep -qF -e "$1" said &&
		return 0
	sed 's/^/# /' said
	return 1
}

begin
modprobe -q i2c-dev || [ -d /sys/class/i2c-dev ] || skip_all "needs i2c-dev"
[ -d /sys/module/nst_mcu ] || skip_all "needs nst-mcu.ko"
fresh || skip_all "needs i2c-stub"
plan 14

check "1.0" taken "stub, register map 1.0, serial 000000000000002a"
check "is read" same "stub 105000" \
	"$(get "$NST/model") $(get "$NST/policy/max_temp")"
# Its sample stays what it was: after a while that is none.
for HWMON in "$(readlink -f "$NST/device")"/hwmon/hwmon*; do :; done
check "an MCU that stopped sampling: EIO" gives EIO \
	nst_read "$HWMON/temp1_input"
check "and fail-safe" grows 1 get "$NST/stats/failsafe_entries"
unbind

fresh
mcu word 00 0107
mcu block c0 0107 f002 4e53 0001 7374 7562 0 0 0 0 0 0 0 0 0 2a
mcu word 01 f002
mcu block c9 0 0 0 0 2710 0 0 aaaa bbbb
mcu block ca 0 157c 0 6f54 0 038d a a8e0 0d33 cccc
check "1.7, with blocks that are longer and bits of its own" taken \
	"register map 1.7, serial"
unbind

fresh
mcu word 00 0200
check "2.0" refused "register map 2.0: this driver has 1.x"
mcu word 00 0009
check "0.9" refused "register map 0.9: this driver has 1.x"
mcu word 00 0100
mcu word 02 ffff
check "an idle bus" refused "not our MCU: register 0x02 is 0xffff, not 0x4e53"
mcu word 02 4e53
mcu word 01 0012
check "words that are not the block's" refused "block IDENTITY: impossible"

fresh
mcu block ca 0 157c 0 6f54 0 0 a a8e0 0d33
check "no capacity" refused "block PLANT: impossible values"
fresh
mcu block cb 0064 09c4 0 0
check "more power when stopped" refused "block POWERS: impossible values"
fresh
mcu block c9 0 0 0 0 0 0 0
check "samples at no distance" refused "block SENSOR: impossible values"
fresh
mcu word 27 8000
check "a maximum that is none" refused "block RATED_MAX: impossible values"
rmmod i2c_stub
check "the modules go" nst_unload
finish
