#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh: run every program of tests/bench and print the figures. A program
# says by its exit status whether it reached what it is to reach.

set -u
cd "$(dirname "$0")/../.." || exit 1

bad=0
ran=0
for c in tests/bench/*.c; do
	b=build/${c%.c}
	[ -x "$b" ] || continue
	echo "== ${b##*/}"
	"$b" || { echo "${b##*/}: exit status $?"; bad=1; }
	ran=1
done
for s in tests/bench/*.sh; do
	[ -f "$s" ] || continue
	echo "== $(basename "$s" .sh)"
	NST_BUILD=$PWD/build sh "$s" || { echo "$s: exit status $?"; bad=1; }
	ran=1
done
[ "$ran" = 1 ] || { echo "nothing to measure" >&2; exit 1; }
exit $bad
