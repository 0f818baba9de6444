#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# style.sh: everything that is judged without running it, as KTAP. `make style`
# shows it through ktap.pl.

set -u
cd "$(dirname "$0")/../.." || exit 1

n=0
bad=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# judge WHAT COMMAND...
judge()
{
	n=$((n + 1))
	_what=$1
	shift
	if "$@" > "$out" 2>&1; then
		echo "ok $n - $_what"
	else
		head -n "${NST_STYLE_LINES:-60}" "$out" | sed 's/^/# /'
		echo "# $(wc -l < "$out") lines in all"
		echo "not ok $n - $_what"
		bad=1
	fi
}

userspace_warnings()
{
	make -s -j"$(nproc)" userspace test-programs
}

echo "KTAP version 1"
judge "top of the tree" tests/style/toplevel.sh
judge "licences" tests/style/spdx.sh
judge "include rules" tests/style/includes.sh
judge "shell scripts" tests/style/shell.sh
judge "ABI entries" tests/style/abi.pl
judge "userspace warnings" userspace_warnings
judge "cppcheck" tests/style/cppcheck.sh
judge "modules on 6.1: W=1, sparse" tests/style/modules.sh 6.1
judge "modules on 6.12: W=1, sparse" tests/style/modules.sh 6.12
judge "modules on the newest kernel: W=1" tests/style/modules.sh backports
judge "modules on 32-bit ARM: W=1" tests/style/modules.sh armhf
judge "checkpatch" tests/style/checkpatch.sh
echo "1..$n"
exit $bad
