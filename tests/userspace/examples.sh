#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# examples.sh - the Python module and the programs of userspace/examples against
# a daemon with emulated stacks: they compile with no warning, run, and are told
# what there is to tell. Where picamera2 and rpicam-apps are absent, which is
# everywhere but on a Raspberry Pi, a stream of metadata stands in for a camera.

top=${NST_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${NST_BUILD:-$top/build}
examples=$top/userspace/examples
dir=$(mktemp -d) || exit 1
# the system's, which picamera2 would be of too
python=/usr/bin/python3
[ -x $python ] || python=python3
pid=
n=0
failed=0

cleanup()
{
	[ -z "$pid" ] || kill "$pid" 2> /dev/null
	wait
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
cd "$dir" || exit 1

check()
{
	_name=$1
	shift
	n=$((n + 1))
	if "$@" > out 2>&1; then
		echo "ok $n $_name"
	else
		failed=$((failed + 1))
		sed 's/^/# /' out
		echo "not ok $n $_name"
	fi
}

echo "KTAP version 1"
echo "1..15"

cat > nst.yaml << EOF
version: 1
sensors:
  - name: cam0
    device: emu0
    thermal: { preset: stacked-reference }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }
  - name: cam1
    device: emu1
    thermal: { preset: stacked-reference }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }
tasks:
  - name: detect
    sensor: cam0
    kind: vision
    fidelity: { min_snr_db: 20 }
    policy: seasonal-migration
  - name: other
    sensor: cam1
    kind: vision
    policy: seasonal-migration
EOF
export NST_SOCKET="$dir/nstd.sock"
export PYTHONPATH="$top/userspace/python" PYTHONDONTWRITEBYTECODE=1
# bytes that a C library at fault would leave behind are not the programs' own
export ASAN_OPTIONS=detect_leaks=0
"$build/nstd" --config nst.yaml --socket "$NST_SOCKET" --foreground \
	--emulate 64 > nstd.log 2>&1 &
pid=$!
_i=0
while [ ! -S "$NST_SOCKET" ] && [ $_i -lt 1000 ]; do
	sleep 0.02
	_i=$((_i + 1))
done

# what was built with sanitizers is linked with them
sanitize=
case $build in
*san) sanitize=-fsanitize=address,undefined ;;
esac

# says PATTERN COMMAND...
says()
{
	_pattern=$1
	shift
	timeout 60 "$@" > said 2>&1
	_rc=$?
	cat said
	[ $_rc = 0 ] && grep -q -e "$_pattern" said
}

# --- C

watch_compiles()
{
	# shellcheck disable=SC2086 # nothing, or one word
	cc -O1 -Wall -Wextra -Werror $sanitize -I "$top/userspace/include" \
		-o nst_watch "$examples/nst_watch.c" "$build/libnst.a" -lm
}
check c_compiles watch_compiles
check c_follows_frames says '^frame [0-9]*: near.* dB' ./nst_watch cam0 22 200
check c_is_told_why sh -c '! ./nst_watch cam0 44.9999 1 2> said &&
	grep -q "no temperature\|below" said || { cat said; false; }'

# --- Python

check python_follows_frames says '^frame [0-9]*: near.* dB' \
	$python "$examples/nst_watch.py" cam0 22 200
python_watch_says()
{
	! $python "$examples/nst_watch.py" cam0 "$1" 1 2> said &&
		grep -q "$2" said && ! grep -q Traceback said && return
	cat said
	false
}
check python_says_what_is_no_number python_watch_says abc "'abc'"
NST_SOCKET=$dir/none check python_says_where_nobody_is \
	python_watch_says 22 "cannot connect to '$dir/none': No such file"

cat > verbs.py << 'EOF'
import errno
import math
import select
import time

import nst


def refused(wanted, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except nst.Error as error:
        assert error.errno == wanted, error
        assert error.strerror
        return error.strerror
    raise AssertionError("it was taken")


def verdict(stack):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        now = stack.snapshot("cam0")
        if now.get("valid"):
            return now
        time.sleep(0.01)
    raise AssertionError("no frame")


with nst.connect() as stack:
    before = verdict(stack)
    with nst.connect() as other:
        limit = other.task_set("mine", "cam0", min_snr_db=24)["limit_mc"]
        assert limit < before["limit_mc"], (limit, before)
        higher = other.task_set("mine", "cam0", min_snr_db=22)["limit_mc"]
        assert higher > limit
        other.task_update("mine", min_snr_db=None, max_temp_mc=60000)
        refused(errno.EPERM, stack.task_update, "mine", fps=3)
        assert "fsp" in refused(errno.EINVAL, other.task_update, "mine",
                                fsp=3)
        refused(errno.EDOM, other.task_add, "hot", "cam0",
                max_temp_mc=-30000)
        refused(errno.EINVAL, other.task_add, "x", "nowhere")
        refused(errno.ENOENT, stack.snapshot, "nowhere")
        try:
            other.task_add("x", "cam0", min_snr_db=math.nan)
            raise AssertionError("NAN was taken")
        except ValueError:
            pass
        other.task_add("still", "cam0", "imaging", min_snr_db=26,
                       deadline_ms=900)
        answer = other.capture_ask(task="still")
        assert answer["answer"] in ("yes", "no", "uncertain"), answer
        ticket = other.capture_trigger(task="still")
        event = other.next_event(30)
        assert event["event"] == "capture", event
        assert event["ticket"] == ticket, event
        assert event["result"] == "ready", event
    until = time.monotonic() + 30
    while verdict(stack)["limit_mc"] != before["limit_mc"]:
        assert time.monotonic() < until, "its tasks did not end"
    assert stack.admin
    stack.policy_set("cam1", dwell_ms=200)
    refused(errno.EINVAL, stack.policy_set, "cam1", policy="no-such")
    stack.reload()
    frames = 0
    stack.subscribe(frames=True, events=True)
    assert select.select([stack], [], [], 30)[0]
    while frames < 100:
        event = stack.next_event(30)
        frames += event["event"] == "frame"
        if frames == 50:
            assert len(stack.status()["sensors"]) == 2
print("all of them")
EOF
check python_verbs says 'all of them' $python verbs.py

# A task moves from one worker to another and back, with its state.
cat > workers.py << 'EOF'
import errno
import os
import time

import nst

STATE = bytes(range(256)) * 40


class Worker:
    def __init__(self, home):
        self.nst = nst.connect()
        self.place = self.nst.worker_register("detect", home)
        self.nst.subscribe(frames=True)
        self.first = self.last = 0
        self.owner = self.give = False
        self.epoch = 0
        self.loaded = b""

    def order(self, event):
        self.epoch = event["epoch"]
        if event["do"] == "prepare":
            self.nst.worker_ready(self.epoch)
        elif event["do"] == "copy":
            self.give = True
        elif event["do"] == "load":
            self.loaded = os.pread(event["fd"], 1 << 20, 0)
            os.close(event["fd"])
            self.first = event["seq"] + 1
            self.nst.worker_copied(self.epoch, event["seq"])
        elif event["do"] == "commit":
            self.first = event["seq"]
            self.nst.worker_ack(self.epoch, event["seq"])
        elif event["do"] == "release":
            self.first = 0

    def frame(self, seq):
        if not self.first or seq < self.first:
            return
        try:
            self.owner = self.nst.worker_done(seq, 7)["owner"]
            self.last = seq
        except nst.Error as error:
            if error.errno not in (errno.ERANGE, errno.EALREADY,
                                   errno.EACCES, errno.EPERM):
                raise
        if self.give and self.last == seq:
            self.give = False
            self.nst.worker_state(self.epoch, seq, STATE)

    def work(self):
        event = self.nst.next_event(0.01)
        if event is None:
            return
        if event["event"] == "worker":
            self.order(event)
        elif event["event"] == "frame" and event["sensor"] == "cam0":
            self.frame(event["seq"])


with nst.connect() as stack:
    stack.policy_set("cam0", policy="full-near")
    near, far = Worker("near"), Worker("far")
    assert near.place["sensor"] == "cam0", near.place
    try:
        stack.worker_register("detect", "near")
        raise AssertionError("a second near worker")
    except nst.Error as error:
        assert error.errno == errno.EEXIST, error
    try:
        stack.worker_ready(1)
        raise AssertionError("an answer of nobody")
    except nst.Error as error:
        assert error.errno == errno.EPERM, error
    until = time.monotonic() + 50

    def goes(policy, to):
        stack.policy_set("cam0", policy=policy)
        to.owner = False
        while not to.owner:
            assert time.monotonic() < until, stack.status()["sensors"][0]
            near.work()
            far.work()

    goes("full-near", near)
    goes("full-far", far)
    assert far.loaded == STATE
    goes("full-near", near)
    assert near.loaded == STATE
    far.nst.worker_leave()
    near.nst.worker_leave()
    stack.policy_set("cam0", policy="seasonal-migration")
print("there and back")
EOF
# at a frame rate that a program in Python keeps up with
"$build/nstd" --config nst.yaml --socket "$dir/slow.sock" --foreground \
	--emulate 2 > slow.log 2>&1 &
slow=$!
_i=0
while [ ! -S "$dir/slow.sock" ] && [ $_i -lt 1000 ]; do
	sleep 0.02
	_i=$((_i + 1))
done
check python_workers says 'there and back' env NST_SOCKET="$dir/slow.sock" \
	$python workers.py
kill $slow
wait $slow 2> /dev/null

# --- metadata of a camera

check picamera2_reports says '^15 reports, 1 refused\|^16 reports, 0 refused' \
	$python "$examples/picamera2_report.py" cam0 "$examples/metadata.csv"
# The last line of the stream is what holds now: 1683 us, ISO 100.
reported()
{
	$python -c 'import nst, sys, time
with nst.connect() as stack:
    for _ in range(500):
        stack.frame_report(sys.argv[1], exposure_us=1683, iso=100,
                           lux_milli=4252000)
        now = stack.snapshot(sys.argv[1])
        if now.get("iso") == 100:
            sys.exit(0)
        time.sleep(0.01)
    sys.exit(str(now))' "$1"
}
check reports_move_the_light reported cam0

stage_compiles()
{
	# shellcheck disable=SC2086 # nothing, or one word
	c++ -std=c++17 -O1 -Wall -Wextra -Werror $sanitize \
		-I "$top/userspace/include" -I "$examples/rpicam/stub" \
		-o replay "$examples/rpicam/nst_stage.cpp" \
		"$examples/rpicam/stub/replay.cpp" "$build/libnst.a" -lm
}
check rpicam_stage_compiles stage_compiles
check rpicam_stage_reports says '^16 frames, 16 with a verdict' \
	./replay cam1 22 "$examples/metadata.csv"
frames_pass()
{
	NST_SOCKET=$dir/none says '^16 frames, 0 with a verdict' \
		./replay cam1 22 "$examples/metadata.csv" &&
		grep -q 'frames pass as they are' said
}
check frames_pass_without_nstd frames_pass

# --- and the daemon is well

check still_governs says '"governed"' "$build/nstctl" status --json \
	--socket "$NST_SOCKET"
kill "$pid"
wait "$pid"
rc=$?
pid=
check ends_well [ $rc = 0 ]
[ $failed = 0 ]
