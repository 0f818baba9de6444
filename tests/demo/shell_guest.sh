#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# shell_guest.sh [SCRIPT]: what `make shell` does inside the VM: a stack, nstd that
# governs it, a camera application, and then a shell, or SCRIPT.

set -u

. "$NST_TOP/tests/demo/stack.inc"

PATH=$NST_TOP/tests/demo/guest:$PATH
export PYTHONPATH="$NST_TOP/userspace/python"
export PYTHONDONTWRITEBYTECODE=1
work=/run/demo

nst_load stacks=0 || exit
make_stack sim0 power_run_mw=2000 || exit
mkdir -p /etc/nst
cp "$NST_TOP/tests/demo/shell.yaml" /etc/nst/nst.yaml
light daylight > /dev/null || exit
governor start || exit

rc=0
if [ $# -gt 0 ]; then
	bash "$1" || rc=$?
else
	# shellcheck disable=SC2086 # rows, columns
	set -- ${NST_TTY:-24 80}
	stty rows "$1" cols "$2" 2> /dev/null
	cat "$NST_TOP/tests/demo/shell.txt"
	PS1='nst \w# ' bash --noprofile --norc -i || rc=$?
fi
governor stop > /run/report.txt 2>&1 && cat /run/report.txt
cp "$work"/* "$NST_OUT/" 2> /dev/null
exit "$rc"
