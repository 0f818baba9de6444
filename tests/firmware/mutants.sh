#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh [BUILD_DIR [LIST]]: break the application on purpose, see a script
# fail
#
# The files of LIST, mutants.txt by default, are those of firmware/app; the
# tests are the scripts of this folder. See tests/lib/mutants.inc.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$top/build}
list=${2:-$top/tests/firmware/mutants.txt}
cd "$top" || exit 1
mkdir -p "$build/firmware" || exit 1
out=$(cd "$build/firmware" && pwd)/mutants
rm -rf "$out"
mkdir -p "$out/app" || exit 1
. tests/lib/mutants.inc

CC=${CC:-cc}

# object SOURCE OBJECT
object()
{
	$CC -std=gnu11 -D_GNU_SOURCE -O1 -w -iquote policies/core \
		-iquote firmware/abi -iquote firmware/app \
		-iquote firmware/host -c "$1" -o "$2"
}

for f in policies/core/*.c firmware/app/*.c firmware/host/*.c; do
	object "$f" "$out/app/$(basename "$f" .c).o" || exit 1
done

tests()
{
	$CC -o "$out/nst-firmware" "$@" -lm || return 1
	for s in tests/firmware/*.fw; do
		timeout 120 "$out/nst-firmware" "$s" > "$out/log" 2>&1 ||
			return 1
	done
}

mutant()
{
	object "$2" "$out/mutant.o" || return 1
	mutant=$out/mutant.o
	for _o in "$out/app"/*.o; do
		[ "$_o" = "$out/app/${1%.c}.o" ] || mutant="$mutant $_o"
	done
}

mutants firmware/app "$list" "$out/app"/*.o
