#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# probe.sh - nstctl probe on trees of machines that are not here: what it finds,
# what it says is missing, and that it knows the same parts as the kernel does.

# shellcheck disable=SC2154 # check.inc sets top, build, dir, n and failed

. "${NST_TOP:-$(dirname "$0")/../..}/tests/userspace/check.inc"

nstctl=$build/nstctl
root=$dir/root

# probe OPTION...: status, ./out and ./err
probe()
{
	"$nstctl" probe --root "$root" "$@" > "$dir/out" 2> "$dir/err"
}

# says PATTERN
says()
{
	grep -q -e "$1" "$dir/out" && return 0
	sed 's/^/# /' "$dir/out" "$dir/err"
	return 1
}

# attributes DIRECTORY NAME=VALUE...
attributes()
{
	_d=$root/$1
	shift
	mkdir -p "$_d"
	for _a; do
		mkdir -p "$(dirname "$_d/${_a%%=*}")"
		echo "${_a#*=}" > "$_d/${_a%%=*}"
	done
}

parts_of_kernel()
{
	awk '/nst_cci_models\[\]/ { on = 1 }
		on && match($0, /\.name = "[^"]*"/) {
			name = substr($0, RSTART + 9, RLENGTH - 10) }
		on && match($0, /\.family = &[a-z0-9_]*/) {
			if (substr($0, RSTART + 11, RLENGTH - 11) != "none")
				print name }' "$top/kmod/nst-cci-table.c" |
		sort -u
}

parts_of_probe()
{
	sed -n '/with_thermometer\[\]/,/};/p' "$top/userspace/nstctl/probe.c" |
		grep -o '"[^"]*"' | tr -d '"' | sort
}

same_parts()
{
	parts_of_kernel > "$dir/kernel"
	parts_of_probe > "$dir/probe"
	[ "$(wc -l < "$dir/kernel")" -gt 20 ] &&
		diff "$dir/kernel" "$dir/probe"
}

echo "KTAP version 1"
echo "1..21"

check same_parts_as_the_kernel same_parts

# --- nothing at all

mkdir -p "$root"
probe
check nothing_is_no_device [ $? = 2 ]
check nothing_the_module says 'module nst: it is not loaded'
check nothing_no_daemon sh -c "! grep -q nstd '$dir/out'"

# --- a board with an IMX477, nst loaded, nothing attached

attributes proc/sys/kernel osrelease=6.12.9-board
mkdir -p "$root/sys/class/nst" "$root/sys/module/nst"
attributes sys/class/video4linux/video0 "name=unicam-image"
attributes sys/class/video4linux/v4l-subdev0 "name=imx477 10-001a"
attributes sys/class/video4linux/v4l-subdev1 "name=ov5647 1-0036"
attributes sys/class/video4linux/v4l-subdev2 "name=bridge"
probe
check board_no_device [ $? = 2 ]
check board_its_kernel says '^kernel *6.12.9-board, nst loaded: nst$'
check board_a_part_to_attach says 'imx477 10-001a: nothing attaches nst to it'
check board_a_part_without says 'ov5647 1-0036", no thermometer'
check board_no_far_device says 'a far device: no render or accel node'

# --- a stack that is governed

attributes sys/devices/platform/stack
attributes sys/class/nst/nst0 name=front provider=nst-cci model=imx477 \
	gate=run owner=kernel frame_source=none
ln -s ../../../devices/platform/stack "$root/sys/class/nst/nst0/device"
attributes sys/class/hwmon/hwmon3 name=nst temp1_input=41250
ln -s ../../../devices/platform/stack "$root/sys/class/hwmon/hwmon3/device"
attributes sys/class/hwmon/hwmon0 name=cpu_thermal
mkdir -p "$root/dev"
: > "$root/dev/nst0"
probe
check stack_is_a_device [ $? = 0 ]
check stack_is_told says \
	'nst0 "front" (nst-cci, imx477), gate run, held by kernel, frames from none, die 41.25 degC'
check stack_is_attached sh -c "! grep -q 'nothing attaches' '$dir/out'"
check stack_frames says 'nst0: nobody says when its frames begin'
rm "$root/sys/class/hwmon/hwmon3/temp1_input"
probe
check stack_without_temperature says 'nst0: its temperature is not told'
check stack_no_board_sensor sh -c "! grep -q 'board.sensor' '$dir/out'"
attributes sys/class/hwmon/hwmon3 "temp1_label=die (estimated)"
probe
check stack_without_its_board_sensor says 'estimated from nst,board-sensor, and'
probe --json
check stack_json /usr/bin/env python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
assert found["devices"][0]["name"] == "front", found
assert found["hwmon"] == [{"node": "hwmon0", "name": "cpu_thermal"}], found
assert {m["what"] for m in found["missing"]} >= {"nst0", "a far device"}
' "$dir/out"

# --- of this machine: a profile with a mistake

echo 'version: 2' > "$dir/bad.yaml"
"$nstctl" probe --profile "$dir/bad.yaml" --socket "$dir/none" \
	> "$dir/out" 2> "$dir/err"
check profile_that_is_wrong says "a profile: $dir/bad.yaml:1:"
check nobody_listens says "nstd *not running at $dir/none"
NST_SOCKET=$dir/env "$nstctl" probe > "$dir/out" 2> "$dir/err"
check socket_of_the_environment says "nstd *not running at $dir/env"
if [ -e /etc/nst/nst.yaml ] || [ -e /usr/local/share/nst/nst.yaml ] ||
		[ -e /usr/share/nst/nst.yaml ]; then
	skip no_profile "this machine has one"
else
	check no_profile says \
		'no /etc/nst/nst.yaml, /usr/local/share/nst/nst.yaml or /usr/share'
fi
[ $failed = 0 ]
