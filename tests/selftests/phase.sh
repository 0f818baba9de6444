#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# phase.sh - the VPU works while the pixels collect no light: one cell of the
# map (tests/bench/phase_map.c) that windows win and one that they lose, on the
# step clock, under nstd. How warm the pixels were is measured from frames.
#
# A VPU that does the work of a frame in a quarter of it draws 9700 mW for
# that time, and one that spreads it 2500 mW all the time: the same mean. The
# first is gated by windows in each period, the second by whole frames.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

for _p in nstd nstctl; do
	command -v $_p > /dev/null || skip_all "needs $_p"
done
begin_camera

SOCK=$PWD/nstd.sock
NSTD=
EXPOSURE_US=8000
# 959 DN over the full scale of 7900 electrons at ISO 100
UDN_PER_E=121392
DARK_E=6000
FRAMES=150

cleanup()
{
	[ -z "$NSTD" ] || kill -9 "$NSTD" 2> /dev/null
	cleanup_stacks
}
trap cleanup EXIT
plan 18
: > log

# --- edges of the kernel ------------------------------------------------------

# Told ahead they are exact, else as late as the next call comes.
for _at in "1 0" "0 250"; do
	set -- $_at
	stack cam clock=step gate_at_time="$1" gate_enter_us=0 gate_exit_us=0 \
		max_temp_mc=150000
	put "$NST/policy/engine" none
	advance 200
	nst_window "$DEV" "$SIM" 9000 8000 "$2" > window.out 2>&1
	_status=$?
	sed 's/^/  /' window.out
	check "windows, told ahead $1" same 0 $_status
	unstack cam
done

# --- under nstd ---------------------------------------------------------------

# profile POLICY LIMIT_MC BUSY_US
profile()
{
	cat > profile.yaml <<- END
	version: 1
	sensors:
	  - name: eye
	    device: cam
	    camera: "card:nst-sim cam"
	    thermal: { preset: stacked-reference }
	    power: { near_mw: 2500, far_mw: 3900, capture_mw: 100, vpu_busy_us: $3 }
	    light: { exposure_us: $EXPOSURE_US, iso: 100 }
	tasks:
	  - name: see
	    sensor: eye
	    kind: vision
	    fps: 30
	    fidelity: { max_temp_mc: $2 }
	    policy: $1
	END
}

# cell NAME POLICY LIMIT_MC BUSY_US RUN_MW PACKAGE_MC: some seconds to settle
# from about the steady state, then frames; the result is in ./NAME
cell()
{
	stack cam clock=step power_run_mw="$5" power_standby_mw=100 \
		dark_e_per_s_60c=$DARK_E dsnu_permyriad=0 prnu_permyriad=0 \
		hot_ppm=0 frame_period_us=33333 gate_enter_us=0 \
		gate_exit_us=0
	video
	v4l2-ctl -d "$VIDEO" -c exposure_time_absolute=$((EXPOSURE_US / 100)) \
		-c analogue_gain=100 > v4l2.out 2>&1
	put "$NST/policy/engine" none
	put "$NST/gate" standby
	# It is closed from the next boundary on.
	advance 200
	put "$SIM/fault" "hot $6"
	profile "$2" "$3" "$4"
	nstd --foreground --config profile.yaml --socket "$SOCK" 2>> log &
	NSTD=$!
	soon nstctl status --socket "$SOCK"
	changes=$(get "$NST/stats/gate_changes")
	if nstd_step "$SOCK" eye "$SIM" 450 > warm &&
	   phase_frames "$SOCK" eye "$VIDEO" $FRAMES $EXPOSURE_US $UDN_PER_E \
		$DARK_E 2700 7000 > "$1" 2> err; then
		note "$1: $(tr '\n' ' ' < "$1")"
	else
		note "$1 failed: $(tail -n 1 err) $(tail -n 2 log)"
	fi
	changes=$(($(get "$NST/stats/gate_changes") - changes))
	kill "$NSTD" && wait "$NSTD"
	NSTD=
	unstack cam
}

of()
{
	sed -n "s/^$2 //p" "$1"
}

# cold NAME LIMIT_MC: what was delivered is as cold as the task asks, by the
# noise of each frame (5120 pixels tell it to 0.2 K) and of all
cold()
{
	check "$1: every frame got a verdict" same $FRAMES \
		$(($(of "$1" delivered) + $(of "$1" dropped) +
		   $(of "$1" withheld)))
	check "$1: no delivered frame is noisier than its limit" at_most \
		"$(of "$1" hottest_mc)" $(($2 + 1000))
	check "$1: nor are they all" at_most "$(of "$1" mean_mc)" $(($2 + 100))
}

cell win-windows phase-locked 60000 8333 9700 58500
check "the kernel makes two edges in each period" at_least "$changes" 400
cold win-windows 60000
cell win-whole predictive-stop 60000 0 2500 52400
cold win-whole 60000
cell lose-windows phase-locked 95000 8333 9700 61500
cold lose-windows 95000
cell lose-whole predictive-stop 95000 0 2500 80500
cold lose-whole 95000

# 44 % to 34 %, and 47 % to 76 %
check "at 60 degC windows deliver more" at_least \
	$((10 * $(of win-windows delivered))) \
	$((12 * $(of win-whole delivered)))
check "at 95 degC they deliver less: their peak meets the ceiling" at_most \
	$((10 * $(of lose-windows delivered))) \
	$((8 * $(of lose-whole delivered)))
check "the modules go" nst_unload
finish
