#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_sleep.sh - the system sleeps beside a sensor that another driver owns
#
# The owner cuts the sensor's power in its own suspend. What its thermometer
# said before is nothing then, and what it says at first after it is none.
# As peers_sleep.sh, for the user-mode kernel.

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

[ "${NST_GUEST:-}" = uml ] || skip_all "for the user-mode kernel"
[ -w /sys/power/pm_test ] || skip_all "needs PM_DEBUG"
begin_cci
plan 37

# sleeps: devices go down and come up again; each says so where the kernel can
sleeps()
{
	_rc=0
	quiet
	echo devices > /sys/power/pm_test
	echo freeze > /sys/power/state || _rc=1
	echo none > /sys/power/pm_test
	return $_rc
}

entries()
{
	get "$NST/stats/failsafe_entries"
}

governed()
{
	waits "$HWMON/temp1_fault" 0 20 && waits "$NST/gate" run 20
}

# --- somebody streams; the thermometer is ours to turn on
sensor cam imx477 owner_temp_enable=0 || exit 1
active 1
check "governed" governed
was=$(entries)
resumes=$(wire owner_resumes)
suspends=$(wire owner_suspends)
check "it sleeps in the middle of a stream" sleeps
check "the sensor lost its power" same "$((suspends + 1)) $((resumes + 1))" \
	"$(wire owner_suspends) $(wire owner_resumes)"
check "the stream goes on" same 1 "$(wire streaming)"
check "governed again" governed
fault hot 45000
sleep 0.1
check "by what is there" reads_truth 760
check "the thermometer is on again, by us" same 01 "$(reg 0x1a 0138 1)"
check "that was no fault" same "$was 0" \
	"$(entries) $(said 'does not answer')"

# --- before its first conversion there is no temperature
fault power_on_default 1
check "it sleeps, and no conversion ends after it" sleeps
check "not ready" becomes EAGAIN
stays EAGAIN 1
check "the VPU waits" same standby "$(truth gate)"
fault power_on_default 0
check "then it is governed" governed

# --- the bus does not answer at first
fault nack 5
was=$(entries)
check "it sleeps, and the bus wakes late" sleeps
check "governed when it is awake" governed
check "that was forgiven" same "$was" "$(entries)"

# --- one that was given up is tried at once after it, not in half a minute
fault nack -1
check "given up" becomes EIO
sleep 40
fault nack 0
check "it sleeps" sleeps
check "and is tried at once" waits "$HWMON/temp1_input" '[0-9]*' 5
check "governed" governed

# --- nobody streams: a sleep of the system wakes no sensor
active 0
waits "$CLIENT/power/runtime_status" suspended 10
resumes=$(wire owner_resumes)
transfers=$(wire transfers)
check "it sleeps with the sensor off" sleeps
sleep 1
check "nobody woke it" same "$resumes $transfers suspended" \
	"$(wire owner_resumes) $(wire transfers) $(get \
	"$CLIENT/power/runtime_status")"
check "not ready, as before" same EAGAIN "$(nst_read "$HWMON/temp1_input")"
active 1
check "and governed with the next stream" governed
unstack cam

# --- the network of an IMX500 is gone, and comes back with an upload
sensor ai imx500 gate=dnn upload_ms=500 bridge_life=0 || exit 1
active 1
check "AI: governed" governed
was=$(entries)
uploads=$(wire uploads)
check "AI: it sleeps" sleeps
check "AI: an upload follows" same $((uploads + 1)) "$(wire uploads)"
check "AI: governed after it" governed
check "AI: the DNN runs" gives run truth gate
check "AI: no network was lost, none failed" same "0 0" \
	"$(said '0x102') $(wire upload_failures)"
check "AI: that was no fault" same "$was" "$(entries)"
check "AI: what is the owner's was left alone" same "0 0" \
	"$(wire foreign_enable) $(wire foreign_stream)"
unstack ai

# --- an estimate begins anew
stack board clock=real || exit 1
put "$NST/policy/engine" none
zone=$(basename "$NST")_die
sensor blind ov9281 power_run_mw=2500 \
	property="nst,board-sensor \"zone:$zone\"" || exit 1
check "estimate: governed" governed
was=$(entries)
check "estimate: it sleeps" sleeps
check "estimate: governed again" governed
check "estimate: above its board by what the power makes" near \
	$(($(get "$HWMON/temp2_input") + 13750)) \
	"$(get "$HWMON/temp1_input")" 2500
check "estimate: that was no fault" same "$was" "$(entries)"
unstack blind
unstack board
check "the modules go" nst_unload
finish
