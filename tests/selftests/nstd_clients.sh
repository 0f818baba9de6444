#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nstd on the real kernel, and a program in Python that brings tasks to it: an
# answer in advance, a capture that becomes the kernel's ticket, and the gate and
# the thresholds as they were when the program is gone. Time is the step clock's.

. "$NST_SELFTESTS/nst_lib.inc"

SOCK=$PWD/nstd.sock
NSTD=
PYTHON=/usr/bin/python3

[ -x $PYTHON ] || skip_all "no python3"

cleanup()
{
	[ -z "$NSTD" ] || kill -9 "$NSTD" 2> /dev/null
	cleanup_stacks
}

begin
trap cleanup EXIT
plan 8

stack one clock=step
cat > nst.yaml << EOF
version: 1
sensors:
  - name: cam
    device: one
    camera: "card:nst-sim one"
    thermal: { preset: stacked-reference }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }
tasks:
  - name: see
    sensor: cam
    kind: vision
    fps: 30
    fidelity: { min_snr_db: 20 }
    policy: seasonal-migration
EOF
nstd --foreground --config nst.yaml --socket "$SOCK" 2> log &
NSTD=$!
t=200
while [ $t -gt 0 ] && ! nstctl status --socket "$SOCK" > /dev/null 2>&1; do
	sleep 0.05
	t=$((t - 1))
done

cat > program.py << 'EOF'
import sys
import time

import nst

sim, sock = sys.argv[1:3]
PERIOD_US = 65000       # 64 ms of exposure and the read-out


def newest(stack):
    return stack.status()["sensors"][0].get("frame_seq", -1)


def step(stack, count=1):
    """Frames, each of them with its decision."""
    for _ in range(count):
        seq = newest(stack)
        with open(sim + "/advance_us", "w") as f:
            f.write(str(PERIOD_US))
        until = time.monotonic() + 20
        while newest(stack) <= seq:
            if time.monotonic() > until:
                raise SystemExit("nstd does not keep up")
            time.sleep(0.001)


def until_ready(stack, ticket):
    for _ in range(200):
        event = stack.next_event(0)
        if event and event["event"] == "capture":
            assert event["ticket"] == ticket, event
            return event
        step(stack)
    raise SystemExit("no answer to the ticket")


with nst.connect(sock) as stack:
    step(stack, 120)
    before = stack.snapshot("cam")
    print("limit_before", before["limit_mc"])
    with nst.connect(sock) as other:
        limit = other.task_add("still", "cam", "imaging", min_snr_db=26,
                               deadline_ms=3000)["limit_mc"]
        other.task_add("strict", "cam", min_snr_db=22)
        step(stack, 3)
        print("limit_with", stack.snapshot("cam")["limit_mc"])
        asked = other.capture_ask(task="still")
        print("answer", asked["answer"], asked.get("reached_mc"))
        ticket = other.capture_trigger(task="still")
        event = until_ready(other, ticket)
        print("result", event["result"])
        print("reached", event["temp_mc"])
        print("limit_of_still", limit)
        cold = other.capture_trigger(sensor="cam", temp_mc=-10000,
                                     deadline_ms=300)
        print("hopeless", until_ready(other, cold)["result"])
        other.capture_trigger(sensor="cam", temp_mc=-10000,
                              deadline_ms=60000)
        step(stack, 3)
    # It is gone, with a ticket open and two tasks.
    step(stack, 60)
    print("limit_after", stack.snapshot("cam")["limit_mc"])
    print("placement", stack.snapshot("cam")["placement"])
EOF
said()
{
	sed -n "s/^$1 //p" out
}
runs()
{
	PYTHONPATH="$NST_TOP/userspace/python" PYTHONDONTWRITEBYTECODE=1 \
		timeout 200 $PYTHON program.py "$SIM" "$SOCK" > out 2>&1 &&
		return 0
	note "$(tail -n 3 out)"
	note "$(tail -n 3 log)"
	return 1
}
check program_runs runs
check task_lowers_the_limit at_most "$(said limit_with)" \
	$(($(said limit_before) - 1))
check answer_in_advance_is_yes same yes "$(said answer | cut -d ' ' -f 1)"
check capture_is_ready same ready "$(said result)"
check capture_is_cold_enough at_most "$(said reached)" "$(said limit_of_still)"
check hopeless_one_is_missed same missed "$(said hopeless)"
check limit_is_back same "$(said limit_before)" "$(said limit_after)"
check gate_is_back same near "$(said placement)"
kill "$NSTD" && wait "$NSTD"
NSTD=
cleanup_stacks
nst_unload || note "modules stay"
finish
