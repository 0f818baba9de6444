#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# step.sh NAME COMMAND...: a command as a KTAP test of one result, its output
# as diagnostics

name=$1
shift
echo "KTAP version 1"
echo "1..1"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if "$@" > "$log" 2>&1; then
	echo "ok 1 - $name"
else
	rc=$?
	tail -n 40 "$log" | sed 's/^/# /'
	echo "not ok 1 - $name"
	exit $rc
fi
