#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_lifetime.sh - the device goes while it is in use
#
# Readers blocked in read() and poll(), a lease, tickets, open sysfs files and
# a governor at work: the stack is taken away under them by configfs and by
# the driver's unbind, several times. All get ENODEV, all can close, and then
# the modules go.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
ROUNDS=${NST_ROUNDS:-5}
[ "$ROUNDS" -le 6 ] || ROUNDS=6
plan $((ROUNDS * 5 + 4))

# busy: nst_stress at work on $DEV; sets STRESS
busy()
{
	: > stress
	nst_stress -n 8 "$DEV" > stress 2>&1 &
	STRESS=$!
	waits stress '*busy*' 20
}

r=0
while [ $r -lt "$ROUNDS" ]; do
	r=$((r + 1))
	stack "life$r" clock=scaled clock_scale=8
	pdev=$(basename "$(readlink -f "$NST/device")")
	check "round $r: at work" busy
	exec 5< "$NST/gate" 6< "$DEV" 7< "$NST/policy/high_temp"
	tz=$(zone_of "nst${ID}_die") && put "$tz/policy" step_wise
	sleep 0.5
	check "round $r: in use, the core stays" sh -c '! rmmod nst 2> /dev/null'
	if [ $((r % 2)) = 0 ]; then
		put /sys/bus/platform/drivers/nst-sim/unbind "$pdev"
	else
		put "$CONFIG/life$r/live" 0
	fi
	check "round $r: gone" test ! -e "$NST"
	wait "$STRESS"
	check "round $r: everybody got ENODEV" same 0 $?
	note "$(tail -n 1 stress)"
	# shellcheck disable=SC2034
	if read -r _l <&5 2> /dev/null; then
		not_ok "round $r: an open sysfs file"
	else
		ok "round $r: an open sysfs file"
	fi
	exec 5<&- 6<&- 7<&-
	unstack "life$r"
done

# A file that outlives the device, and a new device beside it.
stack old clock=step
exec 6< "$DEV"
unstack old
stack new clock=step
check "the number is free again" test -e "$NST"
check "the new device works" same 0 "$(nst_read "$HWMON/temp1_input")"
check "the old file is dead" sh -c '! head -c 64 <&6 > /dev/null 2>&1'
exec 6<&-
unstack new
check "the modules go" nst_unload
finish
