#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# photo.sh: a photograph and a stock detector against heat, in a guest:
#
#	tests/qemu/vm.sh -k 6.12 tests/demo/photo.sh [PHOTO]
#
# A stack whose scene is a photograph, in dim light (64 ms, ISO 800), held at
# one temperature after the other. The detector is OpenCV's and knows nothing
# of us; see photo.py for the Debian packages.

set -eu

nst_load stacks=0
stack=/sys/kernel/config/nst-sim/photo
mkdir "$stack"
echo 1 > "$stack/scene_input"
echo 1 > "$stack/metadata"
# as warm as its surroundings: what is shown is the temperature, not the way
echo 100 > "$stack/power_run_mw"
echo 1 > "$stack/live"

# node CARD
node()
{
	for v in /sys/class/video4linux/video*; do
		[ "$(cat "$v/name")" != "$1" ] || echo "/dev/${v##*/}"
	done
}
camera=$(node "nst-sim photo")
v4l2-ctl -d "$camera" -c exposure_time_absolute=640,analogue_gain=800

cd "${NST_OUT:-/tmp}"
/usr/bin/python3 "$NST_TOP/tests/demo/photo.py" "$(node "nst-sim photo scene")" \
	"$camera" "$(node "nst-sim photo metadata")" \
	/sys/kernel/debug/nst-sim/photo "$@"
rmdir "$stack"
nst_unload
