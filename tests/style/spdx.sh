#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# spdx.sh: every file says its licence in its first two lines, and the one that
# its folder has. Exit status 1 when a file does not.

set -eu
cd "$(dirname "$0")/../.."

bad=0
for f in $(git ls-files -co --exclude-standard); do
	[ -f "$f" ] || continue
	both="GPL-2.0-only OR MIT"
	case $f in
	LICENSE | *.png | *.svg | *.json | *.rec | *.bin) continue ;;
	# expected output and data of tests are compared byte by byte
	tests/*.out | tests/*.expect | tests/*.csv | tests/*.txt) continue ;;
	kmod/uapi/*) want="GPL-2.0-only WITH Linux-syscall-note" ;;
	*.md) want= ;;
	policies/profiles/* | boards/*) want= ;;
	policies/* | firmware/*) want=$both ;;
	userspace/*.[ch]) want=$both ;;
	kmod/doc/ABI/*) continue ;;	# the format has no comments
	kmod/*.[ch] | tests/*.sh | Makefile | Kbuild) want="GPL-2.0-only" ;;
	*) want= ;;
	esac
	has=$(sed -n '1,3s/.*SPDX-License-Identifier: *//p' "$f" | head -n 1 |
		sed 's/ *\(\*\/\|-->\|\\" *\)$//')
	if [ -z "$has" ]; then
		case $f in
		*.md | *.yaml) ;;
		*)
			echo "$f:1: no SPDX-License-Identifier"
			bad=1
			;;
		esac
	elif [ -n "$want" ] && [ "$has" != "$want" ]; then
		echo "$f:1: licence is '$has', this folder has '$want'"
		bad=1
	fi
done
exit $bad
