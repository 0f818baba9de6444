#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# toplevel.sh: the top of the tree holds exactly what it should, and every file
# below is in a folder that has an owner.

set -eu
cd "$(dirname "$0")/../.."

bad=0
for f in $(git ls-files -c | sed 's|/.*||' | sort -u); do
	case $f in
	Kbuild | Makefile | README.md | LICENSE | .*) ;;
	kmod | userspace | policies | firmware | tests | boards) ;;
	*)
		echo "$f: does not belong at the top of the tree"
		bad=1
		;;
	esac
done
for f in $(git ls-files -c -- '*.ko' '*.o' '*.a' '*.so'); do
	echo "$f: something built is in the tree"
	bad=1
done
exit $bad
