#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh [BUILD_DIR [LIST]]: break the core on purpose, see a test fail
#
# The files of LIST, mutants.txt by default, are those of policies/core; the
# tests are its KUnit suites, the oracle and the two beside it. See
# tests/lib/mutants.inc.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$top/build}
list=${2:-$top/tests/core/mutants.txt}
cd "$top" || exit 1
mkdir -p "$build" || exit 1
out=$(cd "$build" && pwd)/mutants
rm -rf "$out"
mkdir -p "$out/core" || exit 1
. tests/lib/mutants.inc

CC=${CC:-gcc}
flags="-std=gnu11 -O1 -w -Ipolicies/tests -Itests/core -Itests/shim"

# object SOURCE OBJECT
object()
{
	# the mutant's own folder first, then the core's headers
	# shellcheck disable=SC2086 # a list of flags
	$CC $flags "-I$(dirname "$1")" -Ipolicies/core -c "$1" -o "$2"
}

objects=
for f in policies/core/*.c; do
	object "$f" "$out/core/$(basename "$f" .c).o" || exit 1
	objects="$objects $out/core/$(basename "$f" .c).o"
done
for f in tests/shim/kunit_main.c policies/tests/*_kunit.c; do
	object "$f" "$out/$(basename "$f" .c).o" || exit 1
done
for f in fixp_test rk4_test oracle_test oracle; do
	object "tests/core/$f.c" "$out/$f.o" || exit 1
done

tests()
{
	$CC -o "$out/kunit" "$out"/*_kunit.o "$out/kunit_main.o" "$@" ||
		return 1
	timeout 120 "$out/kunit" > "$out/log" 2>&1 || return 1
	for t in fixp rk4 oracle; do
		$CC -o "$out/$t" "$out/${t}_test.o" "$out/oracle.o" "$@" \
			-lm || return 1
		timeout 120 "$out/$t" > "$out/log" 2>&1 || return 1
	done
}

# A header changes every file that may include it.
mutant()
{
	mutant=
	case $1 in
	*.h)
		rm -rf "$out/h"
		mkdir "$out/h"
		cp policies/core/*.c policies/core/*.h "$out/h"
		mv "$2" "$out/h/$1"
		for _c in "$out/h"/*.c; do
			object "$_c" "${_c%.c}.o" || return 1
			mutant="$mutant ${_c%.c}.o"
		done
		;;
	*)
		object "$2" "$out/mutant.o" || return 1
		rm "$2"
		for _o in $objects; do
			case $_o in
			*/"${1%.c}.o") _o=$out/mutant.o ;;
			esac
			mutant="$mutant $_o"
		done
		;;
	esac
}

# shellcheck disable=SC2086 # a list of files
mutants policies/core "$list" $objects
