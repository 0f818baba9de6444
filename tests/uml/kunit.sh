#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kunit.sh: in the guest, run every KUnit suite and print its results as KTAP.
# Loading the module runs them; debugfs keeps what they said.

d=/sys/kernel/debug/kunit
suites()
{
	for s in "$d"/*/; do
		[ ! -d "$s" ] || basename "$s"
	done
}

before=" $(suites | tr '\n' ' ') "
echo "KTAP version 1"
if ! modprobe nst-kunit; then
	echo "Bail out! nst-kunit.ko does not load"
	exit 1
fi
set --
for s in $(suites); do
	case $before in
	*" $s "*) ;;
	*) set -- "$@" "$s" ;;
	esac
done
echo "1..$#"
n=0
for s; do
	n=$((n + 1))
	# a stream of its own, of one result: numbered anew
	grep -Ev '^(KTAP version 1|1\.\.1)$' "$d/$s/results" |
		sed "s/^\(not ok\|ok\) [0-9]* /\1 $n /"
done
rmmod nst_kunit
