#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_lifetime.sh - descriptions, and stacks that go while they are in use
#
# What configfs takes and refuses; a camera that streams when its directory
# is removed, its description told not to live, or its driver unbound; and a
# module that stays while a camera is open.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin_camera
plan 55
DRIVER=/sys/bus/platform/drivers/nst-sim

# --- descriptions -----------------------------------------------------------

C=$CONFIG/item
mkdir "$C"
abi=$TOP/kmod/doc/ABI/testing/configfs-nst-sim
ls "$C" | sort > there
sed -n 's#^What:.*/config/nst-sim/<name>/\(..*\)#\1#p' "$abi" | sort > told
check "an ABI entry for each attribute, and no other" cmp there told
check "not live at first" same 0 "$(get "$C/live")"
check "default clock" same real "$(get "$C/clock")"
check "no hot start" same none "$(get "$C/hot_start_mc")"
for bad in clock=fast clock_scale=0 clock_scale=65 clock_scale=x \
	frame_period_us=999 readout_us=1000001 width=639 width=650 \
	width=1936 height=1082 height=481 ambient_mc=-70000 \
	hot_start_mc=warm power_run_mw=-1 power_run_mw=50001 \
	sensor_lsb_mc=10001 scene_objects=9 doubling_mc=999 \
	full_well_e=1999 dsnu_permyriad=3001 seed=-1 live=2; do
	key=${bad%%=*}
	was=$(get "$C/$key")
	e=$(errno_of "$C/$key" "${bad#*=}")
	case $e in
	EINVAL | ERANGE) check "refused: $bad" same "$was" "$(get "$C/$key")" ;;
	*) not_ok "refused: $bad ($e)" ;;
	esac
done

put "$C/power_standby_mw" 3000
check "standby above run: no stack" same EINVAL "$(errno_of "$C/live" 1)"
check "and not live" same 0 "$(get "$C/live")"
put "$C/power_standby_mw" 100
put "$C/clock_scale" 2
check "a scale without its clock" same EINVAL "$(errno_of "$C/live" 1)"
put "$C/clock_scale" 1
put "$C/c_j_uj_per_k" 500000
check "a die as heavy as its package" same ERANGE "$(errno_of "$C/live" 1)"
put "$C/c_j_uj_per_k" 909
check "good after all" put "$C/live" 1
check "live" same 1 "$(get "$C/live")"
check "twice is once" same 0 "$(errno_of "$C/live" 1)"
check "read-only while live" same EBUSY "$(errno_of "$C/seed" 5)"
check "and a number, too" same EBUSY "$(errno_of "$C/power_run_mw" 5)"
check "but for the ambient" put "$C/ambient_mc" 31000
# what a stack without a bus has, and what a bus adds
{ ls "$DEBUG/item"; echo bus; echo owner_active; } | sort > there
sed -n 's#^What:.*/debug/nst-sim/<name>/\(..*\)#\1#p' "$abi" | sort > told
check "the same for debugfs" cmp there told
check "which is real" same 31000 \
	"$(get "$DEBUG/item/ambient_mc")"
rmdir "$C"
check "a directory takes its stack along" test ! -e "$DEBUG/item"

for bad in "a b" .hidden "way-too-long-a-name"; do
	check "no such name: $bad" sh -c "! mkdir '$CONFIG/$bad' 2> /dev/null"
done

# --- names ------------------------------------------------------------------

nst_unload
nst_load clock=step seed=3
check "default stack" test -d "$DEBUG/sim0"
mkdir "$CONFIG/sim0"
check "its name is taken" same EEXIST "$(errno_of "$CONFIG/sim0/live" 1)"
rmdir "$CONFIG/sim0"
check "and it goes on" test -d "$DEBUG/sim0"

# --- going away -------------------------------------------------------------

# stream: sim_cam at work on $VIDEO; sets CAMERA
stream()
{
	: > cam.out
	sim_cam "$VIDEO" > cam.out 2>&1 &
	CAMERA=$!
	waits cam.out 'streaming*' 20
}

# gone HOW: sim_cam has ended as it should
gone()
{
	wait "$CAMERA"
	check "$1: the consumer ends by itself" same 0 $?
	check "$1: no such device" sh -c \
		"grep -qx 'poll POLLERR' cam.out &&
		 grep -qx 'querycap ENODEV' cam.out &&
		 grep -qx 'dqbuf ENODEV' cam.out"
}

stack going clock=scaled clock_scale=8
video
stream
rmdir "$CONFIG/going"
gone "rmdir"

stack going clock=real
video
stream
put "$CONFIG/going/live" 0
gone "live=0"

pdev=$(basename "$(readlink -f "$NST/device")")
put "$CONFIG/going/live" 1
use going
pdev=$(basename "$(readlink -f "$NST/device")")
video
stream
put $DRIVER/unbind "$pdev"
gone "unbind"
put $DRIVER/bind "$pdev"
use going
check "bound again" same going "$(get "$NST/name")"
video
check "and it streams again" stream
check "the module is in use" sh -c '! rmmod nst_sim 2> /dev/null'
rmdir "$CONFIG/going"
wait "$CAMERA"
check "the modules go" nst_unload
finish
