#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# An older host and a newer minor version of the map. The map is taken as if
# CEILING had been added to the block of the limits by version 1.1, with a
# register and a bit of STATUS besides: what a host of 1.0 writes and reads
# works and leaves what it does not know alone.

set -u
cd "$(dirname "$0")/../.." || exit 1
build=${FW_BUILD:-build}/firmware/minor
rm -rf "$build"
mkdir -p "$build"
cp -r firmware policies "$build"
def=$build/firmware/abi/registers.def

fail()
{
	echo "KTAP version 1"
	sed 's/^/# /' "$build/log"
	echo "not ok 1 - $1"
	echo "1..1"
	exit 1
}

sed -i 's/^version 1 0$/version 1 1/
	s/^\(block 0xc2 LIMITS 0x24 0x26\) 3/\1 2/
	s/^\(block 0xc6 FAULTS 0x38\) 0x3a 3/\1 0x3b 3/
	/^word 0x3a LAST_ERROR/i word 0x3b NEW ro u16 Added by 1.1' "$def"
if grep -q '^version 1 1' "$def" && grep -q '^block 0xc2.* 2 rw' "$def" &&
   grep -q '^block 0xc6.* 0x3b ' "$def"; then
	sed -i 's/^\tcase NST_MCU_REG_LAST_ERROR:$/\tcase NST_MCU_REG_NEW:\n\t\treturn 0x4711;\n&/' \
		"$build/firmware/app/app-regs.c"
else
	echo "registers.def has other lines" > "$build/log"
	fail "a map of version 1.1"
fi
"$build/firmware/abi/mk-regs.pl" > "$build/log" 2>&1 || fail "generates"
(cd "$build" && make -s -j"$(nproc)" -f firmware/Makefile BUILD=build SAN=1 host) \
	> "$build/log" 2>&1 || fail "builds"

cat > "$build/minor.fw" << 'END'
test the version says so
power
wait 20ms
expect VERSION == 0x0101

test a host of 1.0 ends the block earlier, and the rest stays
power
wait 20ms
raw S A c2 A 04 A 1e A 00 A 14 A 00 A PEC A P
expect THRESH_HIGH == 60C
expect THRESH_LOW == 40C
expect CEILING == 85C
expect PROTOCOL_ERRORS == 0

test what it leaves is judged with what it writes
power
wait 20ms
raw S A c2 A 04 A 2b A 00 A 14 A 00 A PEC N P
expect LAST_ERROR == 0xc207
expect THRESH_HIGH == 65C

test a host of 1.1 writes all of it
power
wait 20ms
block LIMITS 60C 40C 70C
expect CEILING == 70C
raw S A c2 A 02 N P
expect LAST_ERROR == 0xc202

test a block is longer and begins as it did
power
wait 20ms
raw S A c6 A R A =08 =00 =00 =00 =00 =00 =00 =47 =11 =PEC P
raw S A 3b A R A =47 =11 =PEC P
END
"$build/build/firmware/host-san/nst-firmware" "$build/minor.fw"
