#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What `make run` does inside the VM: two stacks that see the same scene, nstd
# on both of them, and the vision task on the frames of both cameras for
# $DEMO_DURATION seconds. Device time runs $DEMO_SCALE times as fast as real
# time, so that a phase of the demonstration is several time constants of the
# package. Results go to $NST_OUT.

set -eu

work=/run/demo
profile=$NST_TOP/policies/profiles/demo.yaml
nstd=
mkdir -p "$work"

finish()
{
	rc=$?
	trap '' INT TERM
	if [ -n "$nstd" ]; then
		kill "$nstd" 2> /dev/null || true
		wait "$nstd" || true
	fi
	cp "$work"/* "$NST_OUT/" 2> /dev/null || true
	exit "$rc"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

. "$NST_TOP/tests/demo/stack.inc"

nst_load stacks=0
make_stack sim0
make_stack sim1

nstd --foreground --config "$profile" --record "$work/demo.rec" \
	2> "$work/nstd.log" &
nstd=$!
i=0
while [ ! -S /run/nst/nstd.sock ]; do
	if ! kill -0 "$nstd" 2> /dev/null; then
		echo "nstd did not start:" >&2
		cat "$work/nstd.log" >&2
		exit 1
	fi
	i=$((i + 1))
	[ "$i" -lt 100 ] || { echo "nstd opens no socket" >&2; exit 1; }
	sleep 0.1
done

nst-vision --status --profile "$profile" \
	--phases "$NST_TOP/tests/demo/demo.phases" \
	--duration "$DEMO_DURATION" --out "$work" &
vision=$!

# The host asks for an early end by a file: it has no other way in.
while [ ! -e "$NST_OUT/stop" ]; do sleep 1; done > /dev/null &&
	kill -INT "$vision" 2> /dev/null &
watch=$!

rc=0
wait "$vision" || rc=$?
kill "$watch" 2> /dev/null || true
[ "$rc" != 130 ] || rc=0
[ ! -s "$work/vision.jsonl" ] || nstctl status > "$work/status.txt" 2>&1 || true
exit "$rc"
