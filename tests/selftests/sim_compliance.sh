#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_compliance.sh - the camera does what V4L2 asks of one
#
# VGA and 1080p with streaming and, where the stack has a second camera to
# take buffers from, DMABUF.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

command -v v4l2-compliance > /dev/null || skip_all "needs v4l2-compliance"
begin_camera
plan 11

# comply NAME OPTION...
comply()
{
	_n=$1
	shift
	v4l2-compliance -d "$VIDEO" "$@" > "$_n.out" 2>&1
	_rc=$?
	grep '^Total' "$_n.out" | sed 's/^/# /'
	# A tool older than Linux 6.8 takes the count that CREATE_BUFS tells of
	# since then for reserved bytes that are not zero, and knows NV12 by
	# another name: not ours to fail on.
	if [ $_rc = 1 ] && grep -q '^Total' "$_n.out" &&
			! grep 'fail: ' "$_n.out" |
			grep -qv 'crbufs.reserved\|Y/UV 4:2:0'; then
		note "v4l2-compliance is older than this kernel"
		_rc=0
	fi
	check "$_n: complies" same 0 $_rc
	[ $_rc = 0 ] || grep -i 'fail' "$_n.out" | sed 's/^/# /'
}

stack other clock=real
video
other=$VIDEO
stack vga clock=real scene_card=1 metadata=1 scene_input=1
video
comply vga --streaming=30 --expbuf-device="$other"
check "vga: DMABUF was tested" \
	grep -q 'test DMABUF (select): OK' vga.out
check "vga: it tells its dark rows" sh -c \
	"v4l2-ctl -d $VIDEO -C optical_dark_rows | grep -qx 'optical_dark_rows: 8'"
VIDEO=$(node metadata)
comply metadata --streaming=30
VIDEO=$(node scene)
comply scene --streaming=30
check "scene: writing was tested" grep -q 'test read/write: OK' scene.out
unstack other
unstack vga

stack full clock=real width=1920 height=1080
video
comply 1080p --streaming=5
sizes=$(v4l2-ctl -d "$VIDEO" --list-framesizes='Y10 ' | grep -c Discrete)
check "1080p: four sizes" same 4 "$sizes"
unstack full

# An array of its own size; frames at a fixed distance from each other.
stack odd clock=scaled clock_scale=4 width=1024 height=768
video
comply odd --streaming=10
check "odd: its own size is offered" sh -c \
	"v4l2-ctl -d $VIDEO --list-framesizes=GREY | grep -q 1024x768"
unstack odd
check "the modules go" nst_unload
finish
