#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh [BUILD_DIR [LIST]]: break the core on purpose, see a test fail
#
# Each line of LIST, mutants.txt by default, names a file of policies/core, a
# text in it and what to put in its place. The change is made in a copy,
# compiled, and the tests of the core are run until one fails. A mutant that
# all of them accept is a rule that nobody watches: "not ok". So is one whose
# text is not found, for then the list is out of date.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$top/build}
list=${2:-$top/tests/core/mutants.txt}
cd "$top" || exit 1
mkdir -p "$build" || exit 1
out=$(cd "$build" && pwd)/mutants
rm -rf "$out"
mkdir -p "$out/core" || exit 1

CC=${CC:-gcc}
flags="-std=gnu11 -O1 -w -Ipolicies/tests -Itests/core -Itests/shim"

# object SOURCE OBJECT
object()
{
	# the mutant's own folder first, then the core's headers
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

# tests OBJECTS...: 0 when all pass
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

# The first test that noticed, for the record.
who()
{
	grep -m 1 '^not ok' "$out/log" | sed 's/^not ok [0-9]* //; s/ #.*//'
}

echo "KTAP version 1"
count=1
failed=0
if tests $objects; then
	echo "ok 1 unchanged"
else
	echo "not ok 1 unchanged # $(who)"
	echo "1..1"
	exit 1
fi

tab=$(printf '\t')
while IFS="$tab" read -r file from to; do
	case $file in
	'' | '#'*) continue ;;
	esac
	count=$((count + 1))
	name="$file: $from -> $to"
	if ! FROM=$from TO=$to perl -0pe '
		BEGIN {
			for ($ENV{FROM}, $ENV{TO}) {
				s/\\n/\n/g;
				s/\\t/\t/g;
			}
		}
		$n += s/\Q$ENV{FROM}\E/$ENV{TO}/;
		END { exit($n ? 0 : 3) }' "policies/core/$file" \
	     > "$out/$file"; then
		failed=$((failed + 1))
		echo "not ok $count $name # no such text"
		continue
	fi
	case $file in
	*.h)
		changed=
		mkdir -p "$out/h"
		rm -f "$out/h"/*
		cp policies/core/*.c policies/core/*.h "$out/h"
		mv "$out/$file" "$out/h/$file"
		for f in "$out/h"/*.c; do
			object "$f" "${f%.c}.o" || break
			changed="$changed ${f%.c}.o"
		done
		;;
	*)
		object "$out/$file" "$out/mutant.o" && changed=$(
			for o in $objects; do
				case $o in
				*/"${file%.c}.o") echo "$out/mutant.o" ;;
				*) echo "$o" ;;
				esac
			done)
		rm -f "$out/$file"
		;;
	esac
	if tests $changed; then
		failed=$((failed + 1))
		echo "not ok $count $name # survived"
	else
		echo "ok $count $name # $(who)"
	fi
done < "$list"
echo "1..$count"
[ $failed = 0 ]
