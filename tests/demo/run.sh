#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh: the demonstration, after make has built everything. Boots the VM,
# goes through the day of demo.phases in $DURATION seconds and leaves
#
#	run/report.html		table, curves and pictures, one file
#	run/demo.rec		every frame of both stacks, for nstctl plot
#	run/vision.jsonl	what the vision task saw, second by second
#	run/vm/			console, kernel log and nstd's log of the VM
#
# Ctrl-C asks the run inside the VM to end and reports what there is; a second
# one ends the VM at once.
#
#	DURATION	seconds of the day (60)
#	DEMO_SCALE	device seconds per second (8)
#	DEMO_SEED	of scene and noise (1)

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1

duration=${DURATION:-60}
scale=${DEMO_SCALE:-8}
seed=${DEMO_SEED:-1}

number()
{
	case $2 in
	'' | *[!0-9]* | ??????*) ;;
	*) [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ] || return 0 ;;
	esac
	echo "$1 is a number from $3 to $4, not '$2'" >&2
	exit 2
}
number DURATION "$duration" 8 3600
number DEMO_SCALE "$scale" 1 64
number DEMO_SEED "$seed" 0 99999

run=$top/run
vm=$run/vm
guest=
interrupts=0

# In the VM: asked, not killed, so that what was seen is not lost.
interrupted()
{
	interrupts=$((interrupts + 1))
	[ -n "$guest" ] || exit 130
	if [ "$interrupts" = 1 ]; then
		echo "stopping; once more to end the VM at once" >&2
		: > "$vm/stop"
	else
		kill "$guest" 2> /dev/null
	fi
}
ended()
{
	[ -z "$guest" ] || kill "$guest" 2> /dev/null
	[ -z "$guest" ] || wait "$guest"
	exit 143
}
trap interrupted INT
trap ended TERM HUP

rm -rf "$run"
mkdir -p "$vm"
began=$(date +%s)

cat << END
Two emulated stacks in a VM, cam0 governed by nstd, cam1 near whatever it costs:
$duration s, in which $((duration * scale)) s of the device pass if the machine keeps up.
One line a second: die temperature/limit, who processes, gate, power (the
model's), duty, frames a second, precision and recall.
END

# The counters of emulated processors are one counter, which the kernel's test
# on a busy host does not see: it falls back to the HPET, where reading the time
# costs an exit, and a frame 24 ms of the host instead of 17.
export NST_VM_APPEND="${NST_VM_APPEND-tsc=reliable}"

# A session of its own: Ctrl-C of the terminal must not reach QEMU.
setsid tests/qemu/vm.sh -o "$vm" -t $((duration + 180)) \
	-e "DEMO_DURATION=$duration" -e "DEMO_SCALE=$scale" \
	-e "DEMO_SEED=$seed" tests/demo/guest.sh &
guest=$!
while :; do
	wait "$guest"
	rc=$?
	# wait also returns for a signal that was trapped
	kill -0 "$guest" 2> /dev/null || break
done
guest=

if [ ! -s "$vm/vision.jsonl" ]; then
	if [ "$interrupts" -gt 0 ]; then
		echo "interrupted: the VM is gone, and nothing to report" >&2
		exit 130
	fi
	echo "no result from the VM (status $rc); see $vm" >&2
	exit 1
fi

mv "$vm/vision.jsonl" "$vm"/*.pgm "$run/" 2> /dev/null
[ ! -f "$vm/demo.rec" ] || mv "$vm/demo.rec" "$run/"

report()
{
	build/nst-vision --draw "$run" || return
	for s in $(sed -n 's/^# sensor \([^ ]*\).*/\1/p' "$run/demo.rec"); do
		build/nstctl plot "$run/demo.rec" --sensor "$s" \
			--title "$s" --width 1100 --height 620 \
			--output "$run/$s.svg" || return
	done
	build/nst-vision --report "$run"
}
if ! report; then
	echo "the report could not be made; the data are in $run" >&2
	[ "$rc" != 0 ] || rc=1
fi
rm -f "$run"/*.pgm

echo
[ ! -f "$run/report.html" ] ||
	echo "run/report.html and run/demo.rec after" \
		"$(($(date +%s) - began)) s"
if [ "$interrupts" -gt 0 ]; then
	echo "interrupted: the report covers what was seen until then" >&2
	exit 130
fi
if [ "$rc" != 0 ]; then
	echo "the demonstration failed (status $rc); see run/vm/" >&2
	exit 1
fi
