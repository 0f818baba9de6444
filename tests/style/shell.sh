#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# shell.sh: every shell script parses and shellcheck has no error or warning

set -eu
cd "$(dirname "$0")/../.."

scripts=$(git ls-files -co --exclude-standard | while read -r f; do
	[ -f "$f" ] || continue
	case $f in
	*.sh) echo "$f" ;;
	*.*) ;;
	*) ! head -c 32 "$f" | head -n 1 | grep -Eq '^#!.*\bsh\b' || echo "$f" ;;
	esac
done)
bad=0
for f in $scripts; do
	sh -n "$f" || bad=1
done
# Beyond POSIX we use "local" and -nt, which dash and busybox have.
# shellcheck disable=SC2086
shellcheck -s sh -S warning -f gcc -e SC1090,SC1091,SC3043,SC3013,SC2039 $scripts ||
	bad=1
exit $bad
