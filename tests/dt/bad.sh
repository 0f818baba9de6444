#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bad.sh - impossible values in a device tree (bad.dts): the probe fails, names
# the property, and nothing is half made
#
# Run in the user-mode kernel booted with that tree (tests/uml/dt.sh).

. "${NST_TOP:-$(dirname "$0")/../..}/tests/selftests/nst_lib.inc"

TREE=/sys/firmware/devicetree/base
[ -d "$TREE/bad-model" ] || skip_all "not booted with tests/dt/bad.dts"

# wrong NODE: the property that is wrong
wrong()
{
	tr -d '\0' < "$TREE/$1/test,wrong"
}

# told NODE: the log has a line of that device that names the property, and the
# probe failed with EINVAL
told()
{
	_line=$(dmesg | grep " $1: " | grep -F "$(wrong "$1")" | head -n 1)
	note "${_line#*] }"
	[ -n "$_line" ] || return 1
	dmesg | grep -q "$1: probe with driver .* failed with error -22"
}

unbound()
{
	[ ! -e "/sys/bus/platform/devices/$1/driver" ]
}

set -- "$TREE"/bad-*
plan $((2 * ($# + 2) + 3))
modprobe nst-sim stacks=0
modprobe -a nst-cci nst-mcu
put "$DEBUG/dt0/owner_active" 1
sleep 2
for n in stack-1 stack-2 "$@"; do
	n=${n##*/}
	check "$n: $(wrong "$n") is named" told "$n"
	check "$n: is not bound" unbound "$n"
done
check "no device was made" same 0 "$(ls "$CLASS" | wc -l)"
check "nor a cooling device" same 0 \
	"$(grep -l nst /sys/class/thermal/cooling_device*/type 2> /dev/null |
		wc -l)"
check "the modules go" nst_unload
finish
