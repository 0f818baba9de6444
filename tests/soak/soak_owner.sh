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
plan 8

stack soak clock=real attach=cci sensor_model=imx477 || exit 1
stream soak
sleep 1
device=$(printf '%d-%04x' "$(bus adapter)" 26)
check "the owner is bound to $device" test -e "$OWNER/$device"
soak_binds -n $WARM $OWNER "$device" soak > warm 2>&1
before_kb=$(kernel_kb)
frames=$(truth frames_delivered)
soak_binds -n "$BINDS" $OWNER "$device" soak > binds 2>&1
check "every time gone, dead, back and answering" same \
	"rounds $BINDS gone $BINDS dead $BINDS back $BINDS answered $BINDS" \
	"$(cat binds)"
check "the camera still streams" streams_run
note "$(($(truth frames_delivered) - frames)) frames meanwhile"
check "frames came all the while" at_least \
	$(($(truth frames_delivered) - frames)) $((BINDS / 100))
check "nobody resumed or started the sensor but its owner" same 0 \
	"$(bus foreign_stream)"
use soak
check "the sensor still reads" waits "$HWMON/temp1_input" '[0-9]*' 5
after_kb=$(kernel_kb)
allowed_kb=$(kernel_kb_allowed)
note "the kernel holds $before_kb KiB before, $after_kb KiB after" \
	"$BINDS rounds; $allowed_kb more are allowed"
check "memory is flat" at_most $((after_kb - before_kb)) "$allowed_kb"
streams_stop
cleanup_stacks
check "the modules go" nst_unload
finish
