#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [BUILD_DIR]: compile and run the tests of the pure core, print KTAP
#
# The KUnit-source suites of policies/tests/ and of kmod/tests/ and the hosted
# programs of this folder under ASan and UBSan, the suites again without 128-bit
# integers and as 32-bit code; the compile checks of the firmware and of 32-bit
# kernels; the cost of a frame. One result for each, with its own results
# nested. Exit status 1 when one failed.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$top/build}
cd "$top" || exit 1
. tests/lib/kernels.sh
. tests/lib/cross.sh
mkdir -p "$build" || exit 1
out=$(cd "$build" && pwd)/check-core
mkdir -p "$out" || exit 1

CC=${CC:-gcc}
ARM_CC=${ARM_CC:-arm-none-eabi-gcc}
warn="-std=gnu11 -Wall -Wextra -Wconversion -Werror"
san="-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
inc="-iquote policies/core -iquote policies/tests -iquote tests/core"
core=$(echo policies/core/*.c)
suites="tests/shim/kunit_main.c $(echo policies/tests/*_kunit.c)"

# The driver's pure files: a suite includes what it tests. Firmware's own
# application is what the tests of the MCU's driver talk to.
kwarn="-std=gnu11 -Wall -Wextra -Werror"
kinc="-iquote kmod -iquote firmware/abi -iquote firmware/app $inc"
ksuites="tests/shim/kunit_main.c $(echo kmod/tests/*_kunit.c)"
ksuites="$ksuites $(find firmware/app -name '*.c' | sort | tr '\n' ' ')"
# no sanitizer's library as 32-bit code: a finding ends the program
san32="-g -O1 -fsanitize=undefined -fsanitize-undefined-trap-on-error"

count=0
failed=0

# result STATUS NAME [COMMENT]
result()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count $2${3:+ # $3}"
	else
		failed=$((failed + 1))
		echo "not ok $count $2${3:+ # $3}"
	fi
}

# compile NAME ARGUMENT...: 0, or the messages as diagnostics
compile()
{
	_name=$1
	shift
	"$@" > "$out/$_name.log" 2>&1 && return 0
	sed 's/^/# /' "$out/$_name.log"
	return 1
}

# program NAME COMPILER ARGUMENT...: compile, run, nest its results
program()
{
	_prog=$1
	shift
	if ! compile "$_prog" "$@" -o "$out/$_prog"; then
		result 1 "$_prog" "does not compile"
		return
	fi
	"$out/$_prog" > "$out/$_prog.ktap" 2> "$out/$_prog.err"
	_rc=$?
	sed 's/^/    /' "$out/$_prog.ktap"
	sed 's/^/# /' "$out/$_prog.err"
	result $_rc "$_prog"
}

# undefined OBJECT: what it needs from elsewhere
undefined()
{
	"${ARM_CC%gcc}nm" -u "$1" | awk '{ print $2 }'
}

# arm_objects NAME ARGUMENT...: every file of the core, and one object of all
arm_objects()
{
	_arm=$1
	shift
	rm -rf "${out:?}/$_arm"
	mkdir -p "$out/$_arm"
	for _f in $core; do
		compile "$_arm" "$ARM_CC" -ffreestanding -mcpu=cortex-m3 \
			-mthumb -Os -std=gnu11 -Wall -Wextra -Werror "$@" \
			-iquote policies/core -c "$_f" \
			-o "$out/$_arm/$(basename "$_f" .c).o" || return 1
	done
	compile "$_arm" "${ARM_CC%gcc}ld" -r -o "$out/$_arm/all.o" \
		"$out/$_arm"/*.o
}

# The compiler's helpers for long integers and blocks, nothing of libc and
# nothing for floating point; and no variable that keeps a state.
firmware()
{
	if ! arm_objects firmware; then
		result 1 firmware "does not compile"
		return
	fi
	_odd=$(undefined "$out/firmware/all.o" | grep -Evx \
		'mem(cpy|set|move|cmp)|__aeabi_(u?ldivmod|u?idiv(mod)?|lmul|u?lcmp|l(lsl|lsr|asr)|mem(cpy|set|move|clr)[48]?)')
	# shellcheck disable=SC2046 # three numbers
	set -- $("${ARM_CC%gcc}size" "$out/firmware/all.o" | tail -n 1)
	echo "# text $1 bytes, data $2, bss $3 on Cortex-M3"
	[ -z "$_odd" ] || echo "# needs" $_odd
	[ -z "$_odd" ] && [ "$2" = 0 ] && [ "$3" = 0 ]
	result $? firmware "text $1 bytes"
}

# As a 32-bit kernel compiles it: no 64-bit division but the kernel's.
kernel32()
{
	if ! arm_objects kernel32 -D__KERNEL__ -Itests/shim/kernel32; then
		result 1 kernel32 "does not compile"
		return
	fi
	_odd=$(undefined "$out/kernel32/all.o" | grep -Evx \
		'mem(cpy|set|move|cmp)|div_s64|div64_u64|fls64|__aeabi_(lmul|u?lcmp|l(lsl|lsr|asr)|u?idiv(mod)?)')
	[ -z "$_odd" ] || echo "# needs" $_odd
	[ -z "$_odd" ]
	result $? kernel32
}

echo "KTAP version 1"

program kunit "$CC" $warn $san $inc -Itests/shim $suites $core
program kunit-no-int128 "$CC" $warn $san $inc -Itests/shim \
	-U__SIZEOF_INT128__ $suites $core
program kunit-kmod "$CC" $kwarn $san $kinc -Itests/shim $ksuites $core
if m32=$(nst_i386_flags); then
	program kunit-m32 "$CC" $warn $san32 $m32 $inc -Itests/shim \
		$suites $core
	program kunit-kmod-m32 "$CC" $kwarn $san32 $m32 $kinc -Itests/shim \
		$ksuites $core
else
	result 0 kunit-m32 "SKIP no 32-bit C library"
	result 0 kunit-kmod-m32 "SKIP no 32-bit C library"
fi
for t in fixp rk4 oracle; do
	program $t "$CC" $warn $san $inc tests/core/${t}_test.c \
		tests/core/oracle.c $core -lm
done
if command -v "$ARM_CC" > /dev/null; then
	firmware
	kernel32
else
	result 0 firmware "SKIP no $ARM_CC"
	result 0 kernel32 "SKIP no $ARM_CC"
fi
program bench "$CC" $warn -O2 $inc tests/core/bench_frame.c $core

echo "1..$count"
[ $failed = 0 ]
