#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# far_nstd.sh - what nstd sees around a stack: a thermometer by its name in
# libsensors, through hot-plug, and a far device that comes and goes. The
# thermometer is that of a stack: two of them have one name, as two equal
# chips on one bus would.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin

SOCK=$PWD/nstd.sock
modprobe -q vgem 2> /dev/null && modprobe -r vgem && VGEM=1 || VGEM=
[ -n "$VGEM" ] && plan 19 || plan 12

cat > nst.yaml <<- END
	version: 1
	sensors:
	  - name: cam0
	    device: cam
	    ambient_sensor: nst-isa-*/die
	    board_sensor: nst-isa-0000/vpu
	    thermal: { preset: stacked-reference }
	    power: { preset: neurostream, capture_mw: 100 }
	    light: { preset: dim }
	    far: { device: "bus:platform-vgem" }
	tasks:
	  - name: see
	    sensor: cam0
	    kind: vision
	    fps: 30
	    fidelity: { min_snr_db: 20 }
	    policy: full-far
END

# status PATTERN: the JSON status has it, within twenty seconds
status()
{
	_t=200
	while [ $_t -gt 0 ]; do
		nstctl status --json --socket "$SOCK" 2> /dev/null |
			tr -d ' \n' > status
		grep -q "$1" status && return 0
		sleep 0.1
		_t=$((_t - 1))
	done
	note "no '$1' in: $(grep -o '"ambient":{[^}]*}' status)" \
		"$(grep -o '"far":{[^}]*}' status)"
	return 1
}

# helpers: processes that look at the host
helpers()
{
	cat /proc/[0-9]*/comm 2> /dev/null | grep -c '^nstd-host$'
}

# told_anew COUNT: a worker has told another one, and no copies
told_anew()
{
	_t=40
	while [ $_t -gt 0 ]; do
		status '"workers":{' || return 1
		_now=$(sed -n 's/.*"workers":{[^}]*"imports":\([0-9]*\),"copies":0}.*/\1/p' \
			status)
		[ "${_now:-$1}" = "$1" ] || return 0
		sleep 0.1
		_t=$((_t - 1))
	done
	note "imports ${_now:-none}, before $1"
	return 1
}

stack air power_run_mw=100
stack cam power_run_mw=100
nstd -f -c nst.yaml -s "$SOCK" 2> log &
NSTD=$!
check "it starts" waits log '*governs*' 60
check "a name that two thermometers have is told" \
	waits log "*'nst-isa-\*/die': the name fits more than one*" 20
check "the profile's ambient stands" \
	status '"ambient":{"source":"profile","temp_mc":26400'
check "a far device that is not there is refused" \
	status '"far":{"allowed":"refused","why":"refused:thedeviceisnotthere"'
check "so full-far works near" status '"placement":"near"'
check "one process looks at the host" same 1 "$(helpers)"

unstack air
check "one of the two goes: the other one is read" \
	status '"ambient":{"source":"sensor"'
check "and the board's" status '"board_mc":[0-9]'
check "that is said" grep -q 'ambient is measured' log

if [ -n "$VGEM" ]; then
	modprobe vgem
	check "the far device comes: welcome" \
		status '"far":{"allowed":"welcome"'
	check "with its node" status '"node":"[^"]*renderD[0-9]*"'
	check "and frames go far" status '"placement":"far"'
	nst-vision --socket "$SOCK" --far bus:platform-vgem --duration 6 \
		"cam0=card:nst-sim cam" > vision 2>> log
	check "nst-vision's far worker copies none" grep -q \
		'"phase".*"far_imports":[1-9][0-9]*,"far_copies":0' vision
	check "and tells nstd" status '"imports":[1-9][0-9]*,"copies":0'
	_node=$(tr -d '\\' < status |
		sed -n 's/.*"node":"\([^"]*renderD[0-9]*\)".*/\1/p')
	_told=$(sed -n 's/.*"imports":\([0-9]*\).*/\1/p' status)
	nst-worker far --task see --socket "$SOCK" --output worker \
		--camera "card:nst-sim cam" --node "$_node" 2>> log &
	WORKER=$!
	check "nst-worker tells it, too" told_anew "$_told"
	kill $WORKER
	wait $WORKER 2> /dev/null
	modprobe -r vgem
	check "it goes: refused" status '"far":{"allowed":"refused"'
fi

kill "$(grep -l '^nstd-host$' /proc/[0-9]*/comm | sed 's/[^0-9]//g')"
check "the process that looks is killed: another one" \
	waits log '*has ended; it is started again*' 20
kill -KILL $NSTD
wait $NSTD 2> /dev/null
i=0
while [ "$(helpers)" != 0 ] && [ $i -lt 100 ]; do
	sleep 0.1
	i=$((i + 1))
done
check "it ends with nstd, however that ends" same 0 "$(helpers)"
unstack cam
check "the modules go" nst_unload
finish
