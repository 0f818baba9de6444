#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The image of the emulated board: it is built, fits 16 KiB of flash and
# 4 KiB of RAM, keeps no float and nothing of libc, and works in QEMU.

set -u
cd "$(dirname "$0")/../.." || exit 1
build=${FW_BUILD:-build}
cross=${CROSS_COMPILE:-arm-none-eabi-}
elf=$build/firmware/mps2-an385.elf

if ! command -v "${cross}gcc" > /dev/null; then
	echo "KTAP version 1"
	echo "1..0 # SKIP needs ${cross}gcc"
	exit 0
fi

n=0
bad=0
result()
{
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" && return
	echo "not ok $n - $2"
	bad=1
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

echo "KTAP version 1"
make -s -f firmware/Makefile BUILD="$build" CROSS_COMPILE="$cross" image \
	> "$log" 2>&1
rc=$?
[ $rc = 0 ] || sed 's/^/# /' "$log"
result $rc "builds"
if [ $rc != 0 ]; then
	echo "1..$n"
	exit 1
fi

# shellcheck disable=SC2046 # numbers and their names
set -- $(firmware/mps2-an385/size.sh "$elf" "$cross")
echo "# figure: firmware: $2 of 16384 bytes flash, $4 of 4096 bytes static RAM"
[ "$2" -gt 0 ] && [ "$2" -le 16384 ]
result $? "16 KiB of flash"
[ "$4" -gt 0 ] && [ "$(($4 + 1024))" -le 4096 ]
result $? "4 KiB of RAM, with 1 KiB for the stack at the least"

if "${cross}nm" "$elf" | grep -E ' (__aeabi_[fd]|__(add|mul|div)[sd]f|malloc|printf)'
then rc=1; else rc=0; fi
result $rc "no floating point, no heap"

if command -v qemu-system-arm > /dev/null; then
	symbol()
	{
		"${cross}nm" "$elf" | awk -v s="$1" '$3 == s { print "0x" $1 }'
	}
	perl tests/firmware/qemu.pl "$elf" "$(symbol _stack_bottom)" \
		"$(symbol _stack_top)" "$(symbol fault_handler)" \
		> "$log" 2>&1
	rc=$?
	sed 's/^/    /' "$log"
	result $rc "in QEMU"
else
	n=$((n + 1))
	echo "ok $n - in QEMU # SKIP needs qemu-system-arm"
fi
echo "1..$n"
exit $bad
