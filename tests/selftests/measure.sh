#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# measure.sh - fidelity that is measured: an emva task on the emulated camera.
# nst-vision measures its frames on a card in the scene and on the dark rows,
# and nstctl status shows SNR, bound and margin. What is measured is held
# against what the model says of the frames. Then the lens is capped, and the
# camera goes away and comes back.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

for _p in nst-vision nstd nstctl; do
	command -v $_p > /dev/null || skip_all "needs $_p"
done
begin_camera
plan 18

SOCK=$PWD/nstd.sock
cat > profile.yaml << 'END'
version: 1
sensors:
  - name: eye
    device: cam
    camera: "card:nst-sim cam"
    thermal: { preset: stacked-reference }
    noise: { model: emva, preset: reference-sensor, signal_permyriad: 2800 }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: office }
tasks:
  - name: see
    sensor: eye
    kind: vision
    fps: 30
    fidelity: { min_snr_db: 22 }
    policy: seasonal-migration
END

says()
{
	grep -q -- "$1" "$2" && return 0
	sed 's/^/# /' "$2"
	return 1
}

# wait_for COMMAND...: up to 40 s
wait_for()
{
	_t=200
	while [ "$_t" -gt 0 ]; do
		"$@" > /dev/null 2>&1 && return 0
		sleep 0.2
		_t=$((_t - 1))
	done
	return 1
}

status()
{
	nstctl status --socket "$SOCK" --json > status.json 2> status.err
}

# value KEY: of the task in the newest status
value()
{
	sed -n '/"tasks"/,$'"s/.*\"$1\": *\"*\([a-z0-9.-]*\)\"*,*$/\1/p" \
		status.json | head -n 1
}

# predicted: what the model says of a frame of now, in cdB
predicted()
{
	sed -n '/"noise"/,/}/s/.*"snr_cdb": *\(-*[0-9]*\),*$/\1/p' status.json
}

measured_is()
{
	status && [ "$(value measured)" = "$1" ]
}

begin_stack()
{
	stack cam clock=scaled clock_scale=8 scene_card=1
	video
	v4l2-ctl -d "$VIDEO" \
		-c exposure_time_absolute=320,analogue_gain=400 > v4l2.out 2>&1
}

begin_stack
nstd --foreground --config profile.yaml --socket "$SOCK" 2> nstd.log &
nstd=$!
wait_for [ -S "$SOCK" ]
check "nothing is measured yet" measured_is unmeasured
nst-vision --reopen --profile profile.yaml --socket "$SOCK" > out 2> err &
vision=$!

check "it is measured" wait_for measured_is measured
wait_for grep -q '"dark_measured":"measured"' out
check "the patch is on the card" \
	says '"patch":\[[0-9]\{1,2\},[0-9]\{1,2\},128,128\]' out
check "the dark rows are measured" says '"dark_measured":"measured"' out

# Through several seasons of a stack at its limit: never below the demand, as far
# as nstd is in time. A tenth of a second is 3 K on this clock.
watch_lateness
_met=0 _unmet=0 _lowest=99999
for _i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	status
	if [ "$(value met)" = true ]; then
		_met=$((_met + 1))
		_m=$(value margin_cdb)
		[ "$_m" -ge "$_lowest" ] || _lowest=$_m
	elif [ "$(value measured)" = measured ]; then
		_unmet=$((_unmet + 1))
	fi
	sleep 0.4
done
note "$(sed -n 's/.*\("hottest_exposure_mc":[0-9]*\).*/\1/p' out | tail -n 1)," \
	"$_met times met, lowest margin $_lowest cdB"
lateness
check "the demand is met" at_least "$_met" 6
in_time 300 "and never seen unmet" same 0 $_unmet
nstctl status --socket "$SOCK" > text
check "nstctl status tells it" \
	says 'measured     see: total SNR .* asked for 22.00: met, margin +' text
note "$(grep measured text)"

# --- against the model -------------------------------------------------------

# The same temperature for long: gated.
sed 's/policy: .*/policy: full-far/' profile.yaml > far.yaml
cat far.yaml > profile.yaml
kill -HUP $nstd
wait_for grep -q 'in force' nstd.log
cold()
{
	_hot=$(tail -n 1 out |
		sed -n 's/.*"hottest_exposure_mc":\(-*[0-9]*\).*/\1/p')
	[ "${_hot:-99999}" -le 33000 ]
}
# lines N: so many seconds have been told of
lines()
{
	[ "$(wc -l < out)" -ge "$1" ]
}
wait_for cold
wait_for lines $(($(wc -l < out) + 3))
status
_snr=$(value snr_cdb)
tail -n 1 out > last
_truth=$(sed -n 's/.*"hottest_exposure_mc":\(-*[0-9]*\).*/\1/p' last)
note "full-far, exposures at ${_truth:-?} mC: measured ${_snr:-0} cdB," \
	"$(sed -n 's/.*\("temporal_mdn":[0-9]*\).*\("hot_ppm":[0-9]*\).*/\1 \2/p' last)"
# Cold: 553 e- of signal, photon and read noise, 1 % PRNU: 27.1 dB in eight
# bits, whose 8.2 e- a code add 2.4 e- of noise.
check "cold frames are worth what physics says" sh -c \
	"[ ${_snr:-0} -gt 2640 ] && [ ${_snr:-0} -lt 2740 ]"
_model=$(predicted)
note "the model predicts ${_model:-?} cdB"
check "and what the model says" sh -c \
	"[ $((${_snr:-0} - ${_model:-9999})) -gt -40 ] &&
	 [ $((${_snr:-0} - ${_model:-9999})) -lt 40 ]"

# --- ten bits ---------------------------------------------------------------

kill $vision
wait $vision 2> /dev/null
nst-vision --bits 10 --black 1023 --ungoverned --duration 1 \
	"eye=card:nst-sim cam" > out.black 2>&1
check "ten bits: a black that is white is refused" \
	says 'black has to be below the white of 10 bits' out.black
nst-vision --reopen --bits 10 --profile profile.yaml --socket "$SOCK" \
	> out 2> err &
vision=$!
check "ten bits: it is measured" wait_for grep -q '"measured":"measured"' out
# a second of a slow machine may have no figure
wait_for lines 3
_fine=$(sed -n 's/.*[{,]"snr_cdb":\(-*[0-9]*\).*/\1/p' out | tail -n 1)
note "ten bits: ${_fine:-?} cdB, eight: $_snr"
# 0.29 DN of 0.81 e- each adds next to nothing to what eight bits add 2.4 e- to.
check "ten bits: what physics says" sh -c \
	"[ ${_fine:-0} -gt 2640 ] && [ ${_fine:-0} -lt 2760 ]"

# --- lens cap, camera gone ---------------------------------------------------

v4l2-ctl -d "$VIDEO" -c test_pattern=1 > v4l2.out 2>&1
check "a lens cap is a state" wait_for measured_is no-patch
check "and no number" [ -z "$(value snr_cdb)" ]
v4l2-ctl -d "$VIDEO" -c test_pattern=0 > v4l2.out 2>&1
check "and it is measured again" wait_for measured_is measured

unstack cam
check "the camera goes: said" wait_for grep -q 'the camera is gone' err
begin_stack
wait_for grep -q 'the camera is back' err
wait_for lines $(($(wc -l < out) + 2))
check "it comes back and is measured" wait_for sh -c \
	"tail -n 1 out | grep -q '\"measured\":\"measured\"' &&
	 tail -n 1 out | grep -q '\"delivered\":[1-9]'"
kill $vision $nstd
wait $vision $nstd 2> /dev/null
sed 's/^/# /' err
unstack cam
check "the modules go" nst_unload
finish
