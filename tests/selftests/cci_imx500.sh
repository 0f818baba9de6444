#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_imx500.sh - AI camera: upload, network, pause of the DNN, dying bridge

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 30

# --- firmware on its way: not ready, not disturbed
sensor ai imx500 gate=dnn upload_ms=8000 owner_autosuspend_ms=100 \
	bridge_life=0 || exit 1
check "the pause is called unproven" at_least \
	"$(dmesg | grep -c 'unproven on silicon')" 1
sleep 1
active 1
before=$(wire transfers)
check "while it uploads: not ready" stays EAGAIN 2
used=$(($(wire transfers) - before))
note "$used transfers in 2 s of upload"
# how often in a time says nothing where a guest is late by seconds
if [ "${NST_GUEST:-}" = vm ]; then
	skip "and the bus is left alone" "timers are late here"
else
	check "and the bus is left alone" at_most $used 120
fi
check "it is read when it is through" becomes 0
check "the upload did not fail" same "0 0" \
	"$(wire upload_failures) $(wire foreign_enable)"
check "it has its network" same 1 "$(wire network)"
fault hot 45000
sleep 0.1
check "the truth" reads_truth 15000

# --- the gate is the DNN
# the guard had gated while there was no temperature
waits "$NST/gate" run 10
check "it runs" same run "$(truth gate)"
put "$NST/gate" standby
sleep 0.3
check "paused" same standby "$(truth gate)"
check "the sensor still streams" same 1 "$(wire streaming)"
check "and has its network" same 1 "$(wire network)"
fault hot 45000
sleep 0.1
check "read while it rests" reads_truth 560
put "$NST/gate" run
sleep 0.3
check "it runs again" same run "$(truth gate)"

# --- the owner's own start lets it run; what was asked for holds
put "$NST/gate" standby
sleep 0.3
active 0
sleep 0.05
active 1
becomes 0
sleep 0.5
check "paused across a restart of the owner" same standby "$(truth gate)"
check "and so says the device" same standby "$(get "$NST/gate")"

# --- power off: the network is gone and comes with the next upload
quiet
put "$SIM/fault" "upload 0"
active 0
check "suspended" waits "$CLIENT/power/runtime_status" suspended 10
check "suspended: no temperature, not a cool one" same EAGAIN \
	"$(nst_read "$HWMON/temp1_input")"
check "the network went with the power" same 0 "$(wire network)"
active 1
check "back" becomes 0
check "with a network: no fault" same 0 "$(said '0x102')"
check "still paused" waits "$SIM/truth" '*gate standby*' 10

# --- image only: what was there is lost
active 0
waits "$CLIENT/power/runtime_status" suspended 10
put "$SIM/fault" "upload 60000"
active 1
sleep 0.2
setreg 0138 1 > /dev/null
check "an upload that failed" at_least "$(wire upload_failures)" 1
sleep 1
becomes 0
check "the lost network is told once" same 1 "$(said '0x102')"
check "and read on" becomes 0
check "nothing of it was ours" at_most "$(wire foreign_enable)" 1
active 0
unstack ai

# --- a bridge that dies
sensor dying imx500 owner_autosuspend_ms=50 upload_ms=50 || exit 1
active 1
becomes 0
active 0
waits "$CLIENT/power/runtime_status" suspended 10
quiet
fault bridge_dead_after 1
for _i in 1 2 3; do
	active 1
	sleep 0.3
	active 0
	sleep 0.3
done
active 1
check "nobody turns it on any more" becomes EIO
sleep 2
check "told once" same 1 "$(said '0x101')"
check "and in words" same 1 "$(said 'does not answer when it should')"
check "the device stays" test -n "$(device dying)"
active 0
unstack dying

check "the modules go" nst_unload
finish
