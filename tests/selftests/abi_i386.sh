#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# abi_i386.sh - 32-bit programs on the 64-bit kernel
#
# Self-tests whose programs speak to /dev/nstN, again with those programs
# compiled as 32-bit code: every struct of uapi/nst.h must be laid out as the
# kernel has it, and every call must get through.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

[ "$NST_GUEST" = vm ] ||
	skip_all "the user-mode kernel runs no 32-bit programs"
dir=${NST_BUILD:-$TOP/build}/i386
[ -x "$dir/tests/selftests/nst_ioctl" ] ||
	skip_all "no 32-bit C library to build them with"

tests="nst_input nst_capture nst_frames"
# shellcheck disable=SC2086 # a list of words
set -- $tests
plan $(($# + 1))
# the ELF class says 1: 32-bit
class=$(dd if="$dir/tests/selftests/nst_ioctl" bs=1 skip=4 count=1 \
	2> /dev/null | od -An -tu1 | tr -d ' ')
check "the programs are 32-bit" same 1 "$class"
for t; do
	NST_BUILD=$dir sh "$NST_SELFTESTS/$t.sh" > "$t.out" 2>&1
	rc=$?
	sed 's/^/    /' "$t.out"
	check "$t with 32-bit programs" same 0 $rc
done
finish
