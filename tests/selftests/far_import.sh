#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# far_import.sh - frames reach a render node without a copy, or with one
#
# The render node is vgem's where the kernel has it (Debian's do, the
# user-mode kernel has no DRM). What has to hold without one holds anywhere.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin_camera

modprobe -q vgem 2> /dev/null
node=
for n in /sys/class/drm/renderD*; do
	case $(readlink -f "$n/device") in
	*/vgem) node=/dev/dri/${n##*/} ;;
	esac
done
[ -n "$node" ] && plan 14 || plan 7

# says LINE: the last run printed that line
says()
{
	grep -qx "$1" out && return 0
	sed 's/^/# /' out
	return 1
}
run()
{
	far_import "$VIDEO" "$1" 12 > out 2>&1
}

stack far frame_period_us=10000
video

check "a run without a node" run ""
check "copies every frame, and they are whole" \
	says "frames 12 imports 0 copies 12 differ 0 handles 0"
check "and says why" says "why no node: No such device"

check "a run with a node that is not there" run /dev/dri/renderD99
check "copies as well" says "frames 12 imports 0 copies 12 differ 0 handles 0"
run /dev/null
check "what is no DRM node is told apart" \
	says "why node: Inappropriate ioctl for device"

if [ -n "$node" ]; then
	check "a run with vgem" run "$node"
	check "copies nothing: four objects, twelve frames, every byte" \
		says "frames 12 imports 12 copies 0 differ 0 handles 4"
	check "and has nothing to explain" sh -c '! grep why out'
	check "vgem is let go of" modprobe -r vgem
	check "a run after it went copies again" run "$node"
	check "whole frames" says "frames 12 imports 0 copies 12 differ 0 handles 0"

	# The camera goes while its buffers are the node's.
	modprobe -q vgem
	far_import "$VIDEO" "$node" 100000 > out 2>&1 &
	pid=$!
	grows $(($(truth frames_delivered) + 5)) truth frames_delivered
	unstack far
	wait $pid
	check "a camera that goes ends the run, frames till then were whole" \
		grep -q "imports [1-9][0-9]* copies 0 differ 0 handles 4" out
else
	unstack far
fi
check "the modules go" nst_unload
finish
