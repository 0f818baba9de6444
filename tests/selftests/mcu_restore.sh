#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mcu_restore.sh - somebody else on the bus, and a system that sleeps: what the
# MCU was told is told again
#
# The other master writes plain transfers, PEC included, beside the driver.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

REGS=/sys/kernel/debug/regmap

# reg NAME-OF-DIGITS: a register of the MCU, four hex digits
reg()
{
	sed -n "s/^$1: //p" "$REGS"/*-0036/registers
}

host_governs()
{
	soon governs
}

governs()
{
	[ $((0x$(reg 11) & 1)) = 1 ] || {
		note "STATE is $(reg 11)"
		return 1
	}
}

# other BYTE...: a write of another master
other()
{
	sim_i2c "$wire" 0x36 w "$@"
}

sleeps()
{
	_rc=0
	echo devices > /sys/power/pm_test
	echo freeze > /sys/power/state || _rc=1
	echo none > /sys/power/pm_test
	return $_rc
}

begin
[ -d /sys/module/nst_mcu ] || skip_all "needs nst-mcu.ko"
modprobe -q i2c-dev || [ -d /sys/class/i2c-dev ] || skip_all "needs i2c-dev"
plan 20

# 800 mW lead to 55 degC: no limit is reached, however long it takes
stack shared attach=mcu clock=real power_run_mw=800
wire=$(sed -n 's/^adapter //p' "$SIM/bus")
put "$NST/policy/engine" none
put "$NST/policy/low_temp" 60000
put "$NST/policy/high_temp" 80000
put "$NST/policy/max_temp" 90000
put "$NST/gate" standby
waits "$NST/gate" standby 20
put "$NST/gate" run
waits "$NST/gate" run 20
check "the host governs" host_governs
check "by limits of its own" same "2800 1e00 2d00" \
	"$(reg 24) $(reg 25) $(reg 26)"

# Gate asked for by somebody else: the one that the core wants comes back.
check "another master writes a gate" other 20 00 01 f9
check "which is put right" waits "$SIM/truth" '*gate run*' 10
sleep 1
check "and stays" same "run run" "$(get "$NST/gate") $(truth gate)"
put "$NST/gate" standby
waits "$SIM/truth" '*gate standby*' 20
check "a gate that opens" other 20 00 00 fe
check "is shut again" waits "$SIM/truth" '*gate standby*' 20
put "$NST/gate" run
waits "$SIM/truth" '*gate run*' 20

# A watchdog shorter than a frame: the MCU thinks nobody is there.
check "another master writes a watchdog" other 21 00 0a a3
check "which is put right" gives 03e8 reg 21
check "and the host governs" host_governs

# A wrong PEC of another master changes nothing.
check "a write with a wrong PEC" same EIO "$(other 20 00 01 00)"
check "changes nothing" same run "$(truth gate)"
check "and is counted" same 0001 "$(reg 53)"

if [ "${NST_GUEST:-}" = uml ] && [ -w /sys/power/pm_test ]; then
	was=$(get "$NST/stats/failsafe_entries")
	check "the system sleeps" sleeps
	check "the gate comes back" waits "$NST/gate" run 10
	check "the VPU's as well" waits "$SIM/truth" '*gate run*' 20
	check "the host governs again" host_governs
	check "by the same limits" same "2800 1e00 2d00" \
		"$(reg 24) $(reg 25) $(reg 26)"
	check "and that was no failure" same "$was" \
		"$(get "$NST/stats/failsafe_entries")"
else
	for t in "the system sleeps" "the gate comes back" \
		"the VPU's as well" "the host governs again" \
		"by the same limits" "and that was no failure"; do
		skip "$t" "for the user-mode kernel"
	done
fi
unstack shared
check "the modules go" nst_unload
finish
