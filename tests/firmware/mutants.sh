#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh [BUILD_DIR [LIST]]: break the application on purpose, see a script
# fail
#
# As tests/core/mutants.sh, for firmware/app and the scripts of this folder: a
# line of LIST, mutants.txt by default, names a file, a text in it and what to
# put in its place. A mutant that all scripts accept is a rule that nobody
# watches.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$top/build}
list=${2:-$top/tests/firmware/mutants.txt}
cd "$top" || exit 1
mkdir -p "$build/firmware" || exit 1
out=$(cd "$build/firmware" && pwd)/mutants
rm -rf "$out"
mkdir -p "$out" || exit 1

CC=${CC:-cc}

# object SOURCE OBJECT
object()
{
	$CC -std=gnu11 -D_GNU_SOURCE -O1 -w -iquote policies/core \
		-iquote firmware/abi -iquote firmware/app \
		-iquote firmware/host -c "$1" -o "$2"
}

for f in policies/core/*.c firmware/app/*.c firmware/host/*.c; do
	object "$f" "$out/$(basename "$f" .c).o" || exit 1
done

# tests OBJECT...: 0 when all scripts pass
tests()
{
	$CC -o "$out/nst-firmware" "$@" -lm || return 1
	for s in tests/firmware/*.fw; do
		timeout 120 "$out/nst-firmware" "$s" > "$out/log" 2>&1 ||
			return 1
	done
}

# say RESULT: as it is, for the texts have backslashes
say()
{
	printf '%s\n' "$1"
}

# The first test that noticed, for the record.
who()
{
	grep -m 1 '^not ok' "$out/log" | sed 's/^not ok [0-9]* - //'
}

echo "KTAP version 1"
count=1
failed=0
if tests "$out"/*.o; then
	echo "ok 1 - unchanged"
else
	echo "not ok 1 - unchanged # $(who)"
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
		END { exit($n ? 0 : 3) }' "firmware/app/$file" \
	     > "$out/$file"; then
		failed=$((failed + 1))
		say "not ok $count - $name # no such text"
		continue
	fi
	if ! object "$out/$file" "$out/mutant" 2> "$out/log"; then
		failed=$((failed + 1))
		say "not ok $count - $name # does not compile"
		continue
	fi
	others=$(for o in "$out"/*.o; do
		[ "$o" = "$out/${file%.c}.o" ] || echo "$o"
	done)
	mv "$out/mutant" "$out/mutant.obj"
	# shellcheck disable=SC2086 # a list of files
	if tests $others "$out/mutant.obj"; then
		failed=$((failed + 1))
		say "not ok $count - $name # survived"
	else
		say "ok $count - $name # $(who)"
	fi
done < "$list"
echo "1..$count"
[ $failed = 0 ]
