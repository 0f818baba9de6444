#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# board_gate.sh - a line as the gate of a board: nothing moves while a driver
# comes and goes, what is closed stays closed, a depth that cannot be is refused

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 25

# vpu GATE: of the emulated VPU, within twenty seconds
vpu()
{
	gives "$1" truth gate
}

check "a board with a line" sensor line imx477 gate=gpio run_depth=standby \
	rail_low_mc=-20000 rail_high_mc=80000
companion=$(basename "$(readlink -f "$NST/device")")
put "$NST/policy/engine" none
# Until the sensor streams there is no temperature, and without one no run: the
# guard closes what it found open, after as many bad samples as it takes.
check "without a temperature it closes" vpu standby
put "$SIM/owner_active" 1
check "with one it runs" vpu run
cycles=$(wire gate_cycles)
sleep 1
check "and stays so" same "$cycles" "$(wire gate_cycles)"
check "standby exists" test -d "$NST/gate_standby"
check "off does not" test ! -d "$NST/gate_off"
check "nor can it be asked for" same EINVAL \
	"$(errno_of "$NST/gate" off)"

put "$NST/gate" standby
check "closed" vpu standby
put "$NST/gate" run
check "open" vpu run
cycles=$(wire gate_cycles)
put "$COMPANION_DRIVER"/unbind "$companion"
check "the driver goes, the VPU runs on" same "run $cycles" \
	"$(truth gate) $(wire gate_cycles)"
put "$COMPANION_DRIVER"/bind "$companion"
check "it comes back" appears line
use line
put "$NST/policy/engine" none
sleep 0.5
check "the VPU was never stopped" same "run $cycles" \
	"$(truth gate) $(wire gate_cycles)"

put "$NST/gate" standby
vpu standby
put "$COMPANION_DRIVER"/unbind "$companion"
sleep 0.5
check "closed stays closed without a driver" same standby "$(truth gate)"
put "$COMPANION_DRIVER"/bind "$companion"
check "which is back" appears line
use line

# Found closed by standby, it is the guard's to open again.
check "and opens what it found in standby" vpu run
unstack line

# Line and supply: each of the depth that it has, the supply last to go and
# first to come.
if sensor both imx477 gate=gpio run_depth=standby supply=1 &&
	[ -d "$NST/gate_off" ]; then
	put "$SIM/owner_active" 1
	put "$NST/policy/engine" none
	put "$NST/gate" standby
	check "the line closes to standby" vpu standby
	put "$NST/gate" off
	check "the supply to off" vpu off
	check "and off is read" same off "$(get "$NST/gate")"
	put "$NST/gate" run
	check "both open" vpu run
	unstack both
else
	for t in "the line closes to standby" "the supply to off" \
		"and off is read" "both open"; do
		skip "$t" "no regulators in this kernel"
	done
	unstack both
fi

# refused WORDS DEPTH: no device, and the log says why
refused()
{
	dmesg -c > /dev/null
	board deep clock=real attach=cci sensor_model=imx477 gate=gpio \
		"run_depth=$2" || return 1
	soon log_has "$1"
	_rc=$?
	_there=$(device deep)
	unstack deep
	[ -z "$_there" ] && return $_rc
}

# log_has WORDS: since it was emptied
log_has()
{
	dmesg > said
	grep -qF -e "$1" said && return 0
	sed 's/^/# /' said
	return 1
}

for d in cleared off; do
	check "a line of depth $d alone" refused \
		'no gate of depth "standby"' $d
done
check "a depth that is none" same EINVAL "$(mkdir "$CONFIG/x" &&
	errno_of "$CONFIG/x/run_depth" deeper; rmdir "$CONFIG/x")"

check "no line, no gate" sensor none imx477 gate=none
check "which is said" same none "$(get "$NST/gate")"
unstack none
check "the modules go" nst_unload
finish
