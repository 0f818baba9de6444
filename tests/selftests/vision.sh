#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vision.sh - nst-vision on an emulated camera: it finds the objects of a cold
# stack near and far, says what is missing, and ends well when the camera
# goes, when nstd goes and when it is told to.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

command -v nst-vision > /dev/null || skip_all "needs nst-vision"
begin
plan 19

CARD="card:nst-sim cam"
PROFILE=$PWD/profile.yaml
SOCK=$PWD/nstd.sock
cat > "$PROFILE" << 'END'
version: 1
sensors:
  - name: eye
    device: cam
    camera: "card:nst-sim cam"
    thermal: { preset: stacked-reference }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }
tasks:
  - name: see
    sensor: eye
    kind: vision
    fps: 30
    fidelity: { min_snr_db: 20 }
    policy: seasonal-migration
END

# says TEXT FILE
says()
{
	grep -q -- "$1" "$2" && return 0
	sed 's/^/# /' "$2"
	return 1
}

# number KEY FILE: of the last line that has it
number()
{
	sed -n "s/.*\"$1\":\(-*[0-9]*\)[,}].*/\1/p" "$2" | tail -n 1
}

# wait_for COMMAND...: up to a minute
wait_for()
{
	_t=600
	while [ "$_t" -gt 0 ]; do
		"$@" > /dev/null 2>&1 && return 0
		sleep 0.1
		_t=$((_t - 1))
	done
	return 1
}

# --- command line and what is missing ----------------------------------------

nst-vision --bogus > out 2>&1
check "an unknown option is refused" same 3 $?
nst-vision nonsense > out 2>&1
check "an argument that is no camera is refused" same 3 $?
nst-vision --ungoverned "eye=card:nobody" > out 2>&1
rc=$?
check "a camera that is not there: status" same 2 $rc
check "a camera that is not there: message" says "no camera 'card:nobody', there are: " out

stack cam clock=scaled clock_scale=8
nst-vision --socket "$SOCK" "eye=$CARD" > out 2>&1
rc=$?
check "without nstd: status" same 2 $rc
check "without nstd: message" says "nstd does not answer" out
echo "dim 1 64000 lots 3200 26400" > bad.phases
nst-vision --ungoverned --phases bad.phases --duration 5 "eye=$CARD" \
	> out 2>&1
check "a bad file of phases is refused" same 4 $?

# --- alone -------------------------------------------------------------------

# However long it takes till there is an object, the stack stays cold.
put "$NST/policy/engine" none
put "$NST/gate" standby
nst-vision --ungoverned "eye=$CARD" > out 2>&1 &
pid=$!
wait_for grep -q '"matches":[1-9]' out
check "it finds objects" says '"matches":[1-9]' out
kill -INT $pid
wait $pid
check "SIGINT ends it" same 130 $?
check "and it sums up" says '"kind":"phase"' out
note "precision $(number precision_permyriad out)," \
	"recall $(number recall_permyriad out)"
check "most detections are objects" \
	at_least "$(number precision_permyriad out)" 9000

# Light changes under it: each phase has the rate of its own light.
seconds()
{
	[ "$(grep -c '"kind":"second"' out)" -ge "$1" ]
}
# expected N: frames a thousand seconds that phase N should have had
expected()
{
	sed -n 's/.*"kind":"phase".*"expected_fps_milli":\([0-9]*\).*/\1/p' \
		out | sed -n "$1p"
}
nst-vision --ungoverned "eye=$CARD" > out 2>&1 &
pid=$!
wait_for seconds 6
v4l2-ctl -d "$(readlink -f /dev/video0)" \
	--set-ctrl=exposure_time_absolute=640 > /dev/null 2>&1
wait_for seconds 10
kill -INT $pid
wait $pid
note "expected $(expected 1) and $(expected 2) mHz"
check "a phase expects the frames of its own light" \
	at_least "$(expected 1)" 25000
check "so does the one behind it" at_most "$(expected 2)" 20000

# --- governed ----------------------------------------------------------------

put "$NST/gate" run
put "$NST/policy/engine" hold
nstd --foreground --config "$PROFILE" --socket "$SOCK" 2> nstd.log &
nstd=$!
wait_for [ -S "$SOCK" ]
nst-vision --profile "$PROFILE" --socket "$SOCK" > out 2> err &
pid=$!
# Seasons of the dim room are a second long on this clock.
v4l2-ctl -d "$(readlink -f /dev/video0)" \
	--set-ctrl=exposure_time_absolute=640,analogue_gain=800 \
	> /dev/null 2>&1
wait_for grep -q '"far":[1-9]' out
check "far frames are processed" says '"far":[1-9]' out
wait_for grep -q '"handovers":[1-9]' out
check "the task is handed over" says '"handovers":[1-9]' out
kill -9 $nstd
wait $nstd 2> /dev/null
wait $pid
check "nstd is killed: status" same 1 $?
check "nstd is killed: message" says "nstd is gone" err

# --- the camera goes ----------------------------------------------------------

nst-vision --ungoverned "eye=$CARD" > out 2> err &
pid=$!
wait_for grep -q '"kind":"second"' out
unstack cam
_stacks=
wait $pid
rc=$?
note "$(cat err)"
check "the camera goes: status and message" sh -c \
	"[ $rc = 1 ] && grep -q 'the camera is gone' err"
check "the modules go" nst_unload
finish
