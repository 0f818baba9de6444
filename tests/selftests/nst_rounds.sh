#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_rounds.sh [ROUNDS] - load, stream, gate, unbind, unload, again and again
#
# ROUNDS or $NST_ROUNDS, default 5. Every second round unbinds while the
# stream is running. What the kernel says meanwhile is judged by who runs
# this (klog.sh).

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

[ "$(id -u)" = 0 ] || skip_all "needs root"
command -v v4l2-ctl > /dev/null || skip_all "needs v4l2-ctl"
ROUNDS=${1:-${NST_ROUNDS:-5}}
plan 5
loaded=0 streamed=0 gated=0 unbound=0 unloaded=0

video_of()
{
	for _v in "$(readlink -f "$NST/device")"/video4linux/video*; do
		[ -e "$_v" ] && echo "/dev/$(basename "$_v")" && return 0
	done
	return 1
}

r=0
while [ $r -lt "$ROUNDS" ]; do
	r=$((r + 1))
	nst_load clock=scaled clock_scale=4 && loaded=$((loaded + 1))
	use sim0
	pdev=$(basename "$(readlink -f "$NST/device")")
	video=$(video_of)
	v4l2-ctl -d "$video" --stream-mmap --stream-count=4 \
		> stream.out 2>&1 && streamed=$((streamed + 1))
	before=$(get "$NST/stats/gate_changes")
	put "$NST/gate" standby
	waits "$NST/gate" standby 20
	put "$NST/gate" run
	waits "$NST/gate" run 20
	after=$(get "$NST/stats/gate_changes")
	[ $((after - before)) -ge 2 ] && gated=$((gated + 1))
	if [ $((r % 2)) = 0 ]; then
		v4l2-ctl -d "$video" --stream-mmap > stream.out 2>&1 &
		streamer=$!
		sleep 0.3
	fi
	put /sys/bus/platform/drivers/nst-sim/unbind "$pdev" &&
		[ ! -e "$NST" ] && unbound=$((unbound + 1))
	if [ $((r % 2)) = 0 ]; then
		kill "$streamer" 2> /dev/null
		wait "$streamer" 2> /dev/null
	fi
	nst_unload && unloaded=$((unloaded + 1))
	[ $((r % 20)) != 0 ] || note "$r rounds"
done

check "$ROUNDS times loaded" same "$ROUNDS" $loaded
check "$ROUNDS times streamed" same "$ROUNDS" $streamed
check "$ROUNDS times gated" same "$ROUNDS" $gated
check "$ROUNDS times unbound" same "$ROUNDS" $unbound
check "$ROUNDS times unloaded" same "$ROUNDS" $unloaded
finish
