#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_imx500.sh - AI camera: upload, network, pause of the DNN, dying bridge

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 49

# --- firmware on its way: not ready, not disturbed
sensor ai imx500 gate=dnn upload_ms=8000 owner_autosuspend_ms=100 \
	bridge_life=0 || exit 1
check "the pause is called unproven" at_least \
	"$(dmesg | grep -c 'unproven on silicon')" 1
sleep 1
active 1
before=$(wire transfers)
since=$(wire now_us)
check "while it uploads: not ready" stays EAGAIN 2
used=$(($(wire transfers) - before))
took=$(($(wire now_us) - since))
note "$used transfers in $took us of upload"
# Asked less and less often: five times in the first 300 ms, then every 320 ms,
# gate and die, and of each whether it is on and what it does. Two words more
# at the first time.
check "and the bus is left alone" at_most $used \
	$((2 + 4 * (6 + took / 320000)))
check "nothing of it streams yet" same "0 0" \
	"$(wire streaming) $(wire network)"
check "it is read when it is through" becomes 0
check "the upload did not fail" same "0 0" \
	"$(wire upload_failures) $(wire foreign_enable)"
check "it has its network" same 1 "$(wire network)"

# --- the gate is the DNN
# the guard had gated while there was no temperature
waits "$NST/gate" run 10
check "it runs" same run "$(truth gate)"
fault hot 45000
sleep 0.1
# running the package warms by 1 K a second, and a reading may be 55 ms old
check "the truth" reads_truth 760
put "$NST/gate" standby
check "paused" gives standby truth gate
check "the sensor still streams" same 1 "$(wire streaming)"
check "and has its network" same 1 "$(wire network)"
fault hot 45000
sleep 0.1
check "read while it rests" reads_truth 560
put "$NST/gate" run
check "it runs again" gives run truth gate

# --- the owner's own start lets it run; what was asked for holds
put "$NST/gate" standby
gives standby truth gate
active 0
sleep 0.05
active 1
becomes 0
check "paused across a restart of the owner" gives standby truth gate
check "and so says the device" same standby "$(get "$NST/gate")"

# --- power off: the network is gone and comes with the next upload
quiet
put "$SIM/fault" "upload 0"
active 0
check "suspended" asleep
check "suspended: no temperature, not a cool one" same EAGAIN \
	"$(nst_read "$HWMON/temp1_input")"
check "the network went with the power" same 0 "$(wire network)"
active 1
check "back" becomes 0
check "with a network: no fault" same 0 "$(said '0x102')"
check "still paused" waits "$SIM/truth" '*gate standby*' 10

# --- image only: what was there is lost
active 0
asleep
put "$SIM/fault" "upload 60000"
active 1
sleep 0.2
setreg 0138 1 > /dev/null
check "an upload that failed" at_least "$(wire upload_failures)" 1
# by a work, when a reading has shown it
check "the lost network is told once" once '0x102'
check "and read on" becomes 0
check "nothing of it was ours" at_most "$(wire foreign_enable)" 1
active 0
unstack ai

# --- the owner takes the whole bus for its upload, and comes back for more
sensor taken imx500 gate=dnn upload_ms=6000 upload_lock_ms=700 \
	owner_autosuspend_ms=100 bridge_life=0 || exit 1
sleep 1
quiet
put "$NST/gate" standby
active 1
check "the bus is taken: not ready" stays EAGAIN 3
check "we have waited for it" at_least "$(wire lock_waits)" 1
check "its owner has got on" at_least "$(wire owner_transfers)" 4
check "no failure is made of it" same 0 "$(said 'does not answer')"
check "it is read when the bus is free" becomes 0
check "the upload did not fail" same "1 0 0" "$(wire uploads) $(wire \
	upload_failures) $(wire foreign_enable)"
check "what was asked meanwhile is so" waits "$SIM/truth" \
	'*gate standby*' 10

# --- and is unbound in the middle
active 0
asleep
active 1
sleep 0.5
check "unbound with the bus taken" put "$OWNER_DRIVER/unbind" "${CLIENT##*/}"
check "the companion went" vanishes taken
check "and bound" put "$OWNER_DRIVER/bind" "${CLIENT##*/}"
check "it is back" appears taken
use taken
check "and it reads, after another upload" becomes 0
check "which did not fail" same "3 0" \
	"$(wire uploads) $(wire upload_failures)"
active 0
unstack taken

# --- a kernel whose driver never turns the thermometer on
quiet
sensor old imx500 gate=dnn upload_ms=200 owner_temp_enable=0 \
	bridge_life=0 || exit 1
active 1
check "never turned on: not ready" stays EAGAIN 2
check "said once, with what follows" once \
	'no temperature and no pause with this kernel'
put "$NST/gate" standby
check "it is not called paused" waits "$NST/gate" run 10
check "nor is it" same run "$(truth gate)"
check "and nothing was written" same "0 04" \
	"$(wire foreign_enable) $(reg 0x1a d100 1)"
unstack old

# --- a bridge that dies
sensor dying imx500 owner_autosuspend_ms=50 upload_ms=50 || exit 1
active 1
becomes 0
active 0
asleep
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
check "told once" once '0x101'
check "and in words" once 'does not answer when it should'
check "the device stays" test -n "$(device dying)"
active 0
unstack dying

check "the modules go" nst_unload
finish
