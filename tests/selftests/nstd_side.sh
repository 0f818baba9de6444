#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nstd_side.sh - what nstd predicts stands beside each frame
#
# A program that reads the metadata node and knows of no socket sees the
# predicted SNR and the placement, as long as there is a governor. Time is the
# step clock's.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

SOCK=$PWD/nstd.sock
NSTD=

cleanup()
{
	[ -z "$NSTD" ] || kill -9 "$NSTD" 2> /dev/null
	cleanup_stacks
}

# record COUNT: moves time until the records of COUNT frames are there, with nstd
# no faster than it follows; the last one's flags, placement and SNR are in FLAGS,
# PLACEMENT, SNR
record()
{
	dd if="$META" of=rec bs=936 count="$1" 2> /dev/null &
	_dd=$!
	_t=300
	while [ "$_t" -gt 0 ] && kill -0 $_dd 2> /dev/null; do
		if [ -n "$NSTD" ]; then
			nstd_step "$SOCK" cam "$SIM" 1 > step.out 2>&1 ||
				note "$(tail -n 1 step.out)"
		else
			advance_us 33333
		fi
		sleep 0.05
		_t=$((_t - 1))
	done
	wait $_dd
	[ "$(wc -c < rec)" = $((936 * $1)) ] || return 1
	_at=$((936 * ($1 - 1)))
	FLAGS=$(od -A n -t u4 -j $((_at + 24)) -N 4 rec | tr -d ' ')
	PLACEMENT=$(od -A n -t u1 -j $((_at + 56)) -N 1 rec | tr -d ' ')
	SNR=$(od -A n -t d4 -j $((_at + 60)) -N 4 rec | tr -d ' ')
	note "flags $FLAGS, placement $PLACEMENT, $SNR cdB"
}

begin
trap cleanup EXIT
plan 7
: > log

stack side clock=step metadata=1
META=$(node metadata)
record 3
check "without a governor nothing is predicted" same 0 "$FLAGS"

cat > side.yaml << 'EOF'
version: 1
sensors:
  - name: cam
    device: side
    camera: "card:nst-sim side"
    thermal: { preset: stacked-reference }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }
tasks:
  - name: see
    sensor: cam
    kind: vision
    fps: 30
    fidelity: { min_snr_db: 20 }
    policy: full-near
EOF
nstd --foreground --config side.yaml --socket "$SOCK" 2>> log &
NSTD=$!
_t=200
while [ "$_t" -gt 0 ] && ! nstctl status --socket "$SOCK" > /dev/null 2>&1; do
	sleep 0.05
	_t=$((_t - 1))
done
check "nstd starts" kill -0 "$NSTD"
record 12
check "SNR and placement are there" same 3 "$FLAGS"
check "near" same 0 "$PLACEMENT"
# A cool stack in dim light: far above what is asked.
check "the SNR is one" at_least "$SNR" 2500
kill -9 "$NSTD"
wait "$NSTD" 2> /dev/null
NSTD=
record 12
check "a governor that is dead is not quoted" same 0 "$FLAGS"
unstack side
check "the modules go" nst_unload
finish
