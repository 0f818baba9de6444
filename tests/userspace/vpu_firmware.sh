#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The vision task as the near processor's program: compiles without a C library
# for a Cortex-M3, needs nothing from outside but memset and memcpy, has no
# floating point, no division of 64-bit numbers and no data of its own.

cc=${ARM_CC:-arm-none-eabi-gcc}
pre=${cc%gcc}
top=${NST_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 1

if ! command -v "$cc" > /dev/null; then
	echo "1..0 # SKIP needs $cc"
	exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

echo "KTAP version 1"
echo "1..5"
n=0
bad=0
result()
{
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" && return
	echo "not ok $n - $2"
	bad=1
}

rc=0
for f in firmware/vpu/*.c; do
	"$cc" -mcpu=cortex-m3 -mthumb -std=gnu11 -O2 -ffreestanding \
		-Wall -Wextra -Wconversion -Werror -Wframe-larger-than=1024 \
		-Ifirmware/vpu -Ipolicies/core -c "$f" \
		-o "$tmp/$(basename "$f").o" > "$tmp/log" 2>&1 || rc=1
	sed 's/^/# /' "$tmp/log"
done
result $rc "compiles freestanding, frames of at most 1024 bytes"

"${pre}ld" -r -o "$tmp/vpu.o" "$tmp"/*.c.o
outside=$("${pre}nm" -u "$tmp/vpu.o" | awk '{ print $2 }' |
	grep -vx -e memset -e memcpy | tr '\n' ' ')
[ -z "$outside" ] || echo "# outside symbols: $outside"
[ -z "$outside" ]
result $? "needs memset and memcpy, nothing else"

# What the compiler's helpers for floats and 64-bit quotients are called.
! "${pre}nm" -u "$tmp/vpu.o" | grep -Eq '__aeabi_([fd]|u?ldiv)'
result $? "no floating point, no 64-bit division"

data=$("${pre}size" "$tmp/vpu.o" | awk 'NR == 2 { print $2 + $3 }')
echo "# $("${pre}size" "$tmp/vpu.o" | awk 'NR == 2 { print $1 }') bytes of text"
[ "$data" = 0 ]
result $? "no data of its own"

if grep -nE '\b(float|double)\b' firmware/vpu/*.[ch]; then rc=1; else rc=0; fi
result $rc "no floating-point type in the source"
exit $bad
