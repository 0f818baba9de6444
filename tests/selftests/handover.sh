#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# handover.sh - a task moves between the processor of an emulated stack and the
# host: nstd, two nst-worker, many moves. What comes out is what comes out of a
# run without any, frame for frame; and when workers or nstd are killed, or one
# never answers, no frame is done twice, what is lost is said, and the stack
# stays cool.
#
# NST_MOVES: moves of the exact run (50; a thousand takes minutes).

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

command -v nst-worker > /dev/null || skip_all "needs nst-worker"
# Frames of a guest that cannot keep up are lost by its camera, not by us.
[ "${NST_GUEST:-}" = uml ] || skip_all "needs a guest whose time waits"

SOCK=$PWD/nstd.sock
MOVES=${NST_MOVES:-50}
NSTD=
NEAR=
FAR=

# profile NEAR_MW: written to profile.yaml
profile()
{
	cat > profile.yaml << END
version: 1
sensors:
  - name: cam
    device: one
    camera: "card:nst-sim one"
    thermal: { preset: stacked-reference }
    power: { near_mw: $1, far_mw: 3900, capture_mw: 100 }
    light: { preset: dim }
tasks:
  - name: see
    sensor: cam
    kind: vision
    fps: 30
    fidelity: { min_snr_db: 20 }
    policy: ${2:-full-near}
END
}

# wait_for COMMAND...: up to 20 s
wait_for()
{
	jitter
	_t=200
	while [ "$_t" -gt 0 ]; do
		"$@" > /dev/null 2>&1 && return 0
		sleep 0.1
		_t=$((_t - 1))
	done
	return 1
}

start_nstd()
{
	jitter
	nstd --foreground --config profile.yaml --socket "$SOCK" 2>> log &
	NSTD=$!
	wait_for nstctl status --socket "$SOCK"
}

# worker HOME FILE: its results are appended
worker()
{
	jitter
	nst-worker "$1" --task see --socket "$SOCK" --output "$2" 2>> log &
}

near_worker()
{
	worker near near.out
	NEAR=$!
}

far_worker()
{
	worker far far.out
	FAR=$!
}

# has KEY VALUE: in the status of the workers
has()
{
	jitter
	nstctl status --json --socket "$SOCK" | tr -d ' ,' |
		grep -q "^\"$1\":\"*$2\"*\$"
}

# settled: nstd may begin with a stop, and what a worker that is there by then
# cannot do is gated, and counted. After some frames it has let the VPU run.
settled()
{
	at_least "$(total frames)" 5 && same run "$(get "$NST/gate")"
}

both_there()
{
	has near true && has far true && has step idle
}

stop_all()
{
	for _p in $NEAR $FAR $NSTD; do
		kill "$_p" 2> /dev/null
	done
	for _p in $NEAR $FAR $NSTD; do
		wait "$_p" 2> /dev/null
	done
	NSTD=
	NEAR=
	FAR=
}

cleanup()
{
	for _p in $NEAR $FAR $NSTD; do
		kill -9 "$_p" 2> /dev/null
	done
	cleanup_stacks
}

# value KEY: of what handover_drive printed
value()
{
	sed -n "s/^$1 //p" drive
}

# merged FILE: results of both, in the order of the frames, without the home
merged()
{
	cat near.out far.out | sed 's/,"home":"[a-z]*"//; s/,"deliver".*/}/' |
		sort -t: -k2n > "$1"
}

seqs()
{
	cat near.out far.out | sed 's/^{"seq":\([0-9]*\),.*/\1/' | sort -n
}

no_frame_twice()
{
	_twice=$(seqs | uniq -d | wc -l)
	same 0 "$_twice"
}

# total KEY: of the workers in the status, now
total()
{
	nstctl status --json --socket "$SOCK" | tr -d ' ,' |
		sed -n "s/^\"$1\"://p" | head -n 1
}

# lost_is_said FROM: frames after FROM that nobody published are in the sums
lost_is_said()
{
	_first=$1
	_last=$(seqs | tail -n 1)
	_there=$(seqs | awk -v f="$1" '$1 >= f' | wc -l)
	_missing=$((_last - _first + 1 - _there))
	_said=$(($(total frames_lost) + $(total frames_gated)))
	note "$_missing frames missing of $((_last - _first + 1)), $_said said"
	at_most "$_missing" "$_said"
}

# exact NOISE: forth and back, then the same frames without
exact()
{
	rm -f near.out far.out
	profile 700
	stack one vpu=1 metadata=1 clock=real noise="$1" power_run_mw=700 ||
		return 1
	start_nstd
	wait_for settled
	near_worker
	far_worker
	wait_for both_there
	handover_drive "$SOCK" cam "$2" 3000 > drive
	_rc=$?
	stop_all
	unstack one
	note "noise $1: $(value moves) moves, both on for $(value frames_both)" \
		"frames, switch at most $(value switch_max_us) us"
	return $_rc
}

# each_way: one message of the switch, and one back
each_way()
{
	same "$(value commits)" "$(value acks)" &&
		same "$(value commits)" $(($(value moved) + $(value fresh)))
}

clean_run()
{
	for _k in frames_lost frames_gated rolled_back diverged inexact \
		taken_over; do
		same "$_k 0" "$_k $(value $_k)" || return 1
	done
}

no_gap()
{
	_first=$(seqs | head -n 1)
	_last=$(seqs | tail -n 1)
	same $((_last - _first + 1)) "$(seqs | uniq | wc -l)"
}

begin
trap cleanup EXIT
plan 28
: > log

# --- many moves, and none ----------------------------------------------------

exact 0 "$MOVES"
check "noise off: the task moves" same 0 $?
check "one message each way" each_way
check "both are on before each switch" \
	at_least "$(value frames_both)" "$(value moved)"
check "nothing lost, gated, rolled back or different" clean_run
check "no frame twice" no_frame_twice
check "no frame missing" no_gap
merged moved.out
stack ref vpu=1 metadata=1 clock=real noise=0 power_run_mw=700
put "$NST/policy/engine" none
handover_ref /dev/nst-vpu-ref "card:nst-sim ref metadata" \
	"$(seqs | head -n 1)" "$(wc -l < moved.out)" 2>> log |
	sed 's/,"home":"[a-z]*"//' > none.out
unstack ref
note "$(wc -l < none.out) frames compared"
check "and equals a run without moves, frame for frame" \
	cmp moved.out none.out
exact 1 20
check "noise on: the task moves" same 0 $?
check "ownership, sequence and checksums are as they should" clean_run
check "no frame twice with noise" no_frame_twice
check "no frame missing with noise" no_gap

# --- workers that die ----------------------------------------------------------

rm -f near.out far.out
stack one vpu=1 metadata=1 clock=real noise=0 power_run_mw=700
start_nstd
near_worker
far_worker
wait_for both_there
handover_drive "$SOCK" cam 1000000 60 > drive 2>> log &
DRIVE=$!
wait_for has fresh 1
sleep 2
i=0
while [ $i -lt 4 ]; do
	# at any time of a hand-over, which takes five frames
	sleep "1.$((i * 37 % 10))$((i * 13 % 10))"
	if [ $((i % 2)) = 0 ]; then
		kill -9 "$NEAR"
		wait "$NEAR" 2> /dev/null
		sleep 0.3
		near_worker
	else
		kill -9 "$FAR"
		wait "$FAR" 2> /dev/null
		sleep 0.3
		far_worker
	fi
	wait_for both_there
	i=$((i + 1))
done
before=$(total moved)
sleep 3
check "it goes on moving" at_least "$(total moved)" $((before + 5))
kill $DRIVE
wait $DRIVE 2> /dev/null
check "workers killed: no frame twice" no_frame_twice
check "what is lost is said" lost_is_said "$(seqs | head -n 1)"
note "moved $(total moved), taken over $(total taken_over), without a state" \
	"$(total fresh), lost $(total frames_lost)"

# --- nstd dies -------------------------------------------------------------------

kill -9 "$NSTD"
wait "$NSTD" 2> /dev/null
frames=$(seqs | wc -l)
sleep 1
check "without nstd nobody publishes" at_most "$(seqs | wc -l)" $((frames + 1))
start_nstd
check "the workers find the new one" wait_for both_there
check "and said why they looked" grep -q "nstd ended the connection" log
frames=$(seqs | wc -l)
sleep 2
check "and go on" at_least "$(seqs | wc -l)" $((frames + 30))
check "no frame twice over a restart" no_frame_twice
stop_all
unstack one

# --- heat --------------------------------------------------------------------------

rm -f near.out far.out
profile 2500 seasonal-migration
stack one vpu=1 metadata=1 clock=real noise=0 hot_start_mc=74000
v4l2-ctl -d "$(node)" -c exposure_time_absolute=640,analogue_gain=800 \
	> /dev/null 2>&1
start_nstd
near_worker
far_worker
wait_for both_there
# a hot start, before there were both
sleep 1
gated=$(total frames_gated)
sleep 8
limit=$(get "$NST/policy/high_temp")
check "it moves with the seasons" at_least "$(total moved)" 2
check "without a loss" same 0 "$(total frames_lost)"
check "and without a stop" same "$gated" "$(total frames_gated)"
check "the stack stays cool" at_most "$(truth die_mc)" "$limit"
# far is there and says nothing
kill -STOP "$FAR"
max=0
i=0
while [ $i -lt 24 ]; do
	sleep 0.25
	die=$(truth die_mc)
	[ "$die" -le "$max" ] || max=$die
	i=$((i + 1))
done
check "far never answers: the stack stays cool" at_most "$max" "$limit"
check "it has been rolled back, or closed" at_least \
	$(($(total rolled_back) + $(total closed))) 1
check "what near cannot do is gated, and said" at_least \
	"$(total frames_gated)" 10
note "hottest $max, T_high $limit, gated $(total frames_gated)"
kill -CONT "$FAR"
before=$(total moved)
sleep 6
check "and comes back" at_least "$(total moved)" $((before + 1))
check "no frame twice after all that" no_frame_twice
stop_all
cleanup_stacks
_stacks=
nst_unload || note "modules stay"
finish
