#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# soak_owner.sh - the sensor's own driver unbinds and binds 1,000 times, with
# the camera streaming and a governor's file open
#
# The companion must go before its owner and come back after it, every time,
# and the kernel hold no more memory than before. NST_SOAK_BINDS is the number.

. "${NST_TOP:-$(dirname "$0")/../..}/tests/soak/soak_lib.inc"

BINDS=${NST_SOAK_BINDS:-1000}
WARM=$((BINDS / 20 + 10))
OWNER=/sys/bus/i2c/drivers/nst-sim-sensor
command -v v4l2-ctl > /dev/null || skip_all "needs v4l2-ctl"
begin
plan 11

stack soak clock=real attach=cci sensor_model=imx477 || exit 1
stream soak
sleep 1
device=$(printf '%d-%04x' "$(bus adapter)" 26)
check "the owner is bound to $device" test -e "$OWNER/$device"
soak_binds -n $WARM $OWNER "$device" soak > warm 2>&1
before_kb=$(kernel_kb)
frames=$(truth frames_delivered)
since=$(truth now_us)
resumes=$(bus owner_resumes)
suspends=$(bus owner_suspends)
soak_binds -n "$BINDS" $OWNER "$device" soak > binds 2>&1
check "every time gone, dead, back and answering" same \
	"rounds $BINDS gone $BINDS dead $BINDS back $BINDS answered $BINDS" \
	"$(cat binds)"
check "the camera still streams" streams_run
frames=$(($(truth frames_delivered) - frames))
took=$(($(truth now_us) - since))
note "$frames frames in $took us"
# one in ten may be late or dropped: the host is busy binding
check "frames came all the while" at_least $frames $((took / 33333 * 9 / 10))
check "nobody started the sensor but its owner" same 0 "$(bus foreign_stream)"
# by each probe and each removal once
check "nor resumed or suspended it" same "$BINDS $BINDS" \
	"$(($(bus owner_resumes) - resumes)) $(($(bus owner_suspends) - suspends))"
power=/sys/bus/i2c/devices/$device/power
check "in use it is on" same active "$(get "$power/runtime_status")"
use soak
check "the sensor still reads" waits "$HWMON/temp1_input" '[0-9]*' 5
after_kb=$(kernel_kb)
allowed_kb=$(kernel_kb_allowed)
note "the kernel holds $before_kb KiB before, $after_kb KiB after" \
	"$BINDS rounds; $allowed_kb more are allowed"
check "memory is flat" at_most $((after_kb - before_kb)) "$allowed_kb"
streams_stop
check "and off when nobody streams: no reference was left" waits \
	"$power/runtime_status" suspended 10
cleanup_stacks
check "the modules go" nst_unload
finish
