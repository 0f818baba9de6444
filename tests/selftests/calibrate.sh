#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# calibrate.sh - nstctl calibrate finds what the emulated stack was made with
#
# Cameras whose every figure is another than the default, so that nothing is
# right by habit. A calibration sees frames, readings and what the driver
# tells; the true figures are looked at when the file is there. Then what can
# go wrong: it is killed, told to stop, the camera goes, the lease is taken.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

command -v nstctl > /dev/null || skip_all "needs nstctl"
# Minutes of heating and cooling, which cost nothing in time travel.
[ "${NST_GUEST:-}" = uml ] || skip_all "needs a clock that jumps"
begin
plan 56

WELL=12000 DOUBLING=6200 DARK=310 READ=4000 DSNU=1300 PRNU=140
R_JP=6200 R_PA=24000 C_J=1100 C_P=250000 AMBIENT=31000

# camera NAME [ATTRIBUTE=VALUE]...
camera()
{
	_c=$1
	shift
	stack "$_c" full_well_e=$WELL doubling_mc=$DOUBLING \
		dark_e_per_s_60c=$DARK read_noise_me=$READ \
		dsnu_permyriad=$DSNU prnu_permyriad=$PRNU \
		r_jp_mk_per_w=$R_JP r_pa_mk_per_w=$R_PA \
		c_j_uj_per_k=$C_J c_p_uj_per_k=$C_P ambient_mc=$AMBIENT "$@"
}

# calibrate NAME [OPTION]...: small and quick; status, ./out and ./err
calibrate()
{
	_c=$1
	shift
	nstctl calibrate --device "$_c" --camera "card:nst-sim $_c" \
		--output "$_c.yaml" --gains 100,200,800 --settle-frames 1 \
		--exposures 8000,32000 --levels 6 --temperatures 5 \
		"$@" > out 2> err
}

# start NAME: the same in the background; sets pid
start()
{
	nstctl calibrate --device "$1" --camera "card:nst-sim $1" \
		--output "$1.yaml" --gains 100,200,800 --settle-frames 1 \
		--exposures 8000,32000 --levels 6 --temperatures 5 \
		> out 2> err &
	pid=$!
}

# says TEXT FILE
says()
{
	grep -q -- "$1" "$2" && return 0
	sed 's/^/# /' "$2"
	return 1
}

# value KEY FILE: of a calibration
value()
{
	awk -v key="$1:" '$1 == key { print $2; exit }' "$2"
}

# gain ISO KEY FILE
gain()
{
	awk -v iso="$1" -v key="$2:" '$2 == "iso:" { on = $3 == iso }
		on && $1 == key { print $2; exit }' "$3"
}

# within PERCENT TRUE GOT LO HI: says by how much it is off
within()
{
	echo "${3:-0} ${4:-0} ${5:-0}" | awk -v most="$1" -v true="$2" '{
		off = 100 * ($1 / true - 1)
		printf "# %.6g (95 %%: %.6g to %.6g), true %.6g, off by %+.2f %%\n",
			$1, $2, $3, true, off
		exit !(off <= most && off >= -most && $2 <= $1 && $1 <= $3) }'
}

# figure PERCENT TRUE KEY FILE
figure()
{
	within "$1" "$2" "$(value "$3" "$4")" "$(value "$3_lo" "$4")" \
		"$(value "$3_hi" "$4")"
}

# held TRUE KEY FILE: the truth is in the interval, or beside it by half of its
# half. One in twenty is beside it by right; a check that is made of ten of them
# has to allow that one, and intervals that are wrong miss by several times.
held()
{
	echo "$(value "$2" "$3") $(value "$2_lo" "$3") $(value "$2_hi" "$3")" |
		awk -v true="$1" -v key="$2" '{
		off = $1 - true; half = ($3 - $2) / 2
		printf "# %s: off by %+.2f of half its interval\n", key, off / half
		exit !(off * off <= 2.25 * half * half) }'
}

# of_gain PERCENT TRUE ISO KEY FILE
of_gain()
{
	within "$1" "$2" "$(gain "$3" "$4" "$5")" \
		"$(gain "$3" "$4_lo" "$5")" "$(gain "$3" "$4_hi" "$5")"
}

# bound TRUE ISO FILE: below quantisation, and the truth is below the bound
bound()
{
	_b=$(gain "$2" read_noise_max_e "$3")
	note "at most ${_b:-nothing} e-, true $1"
	[ -z "$(gain "$2" read_noise_e "$3")" ] && [ -n "$_b" ] &&
		echo "$_b $1" | awk '{ exit !($1 >= $2 && $1 < 2 * $2) }'
}

# dn_per_e ISO: (white - black) over the full scale at that gain
dn_per_e()
{
	echo "$1" | awk -v well=$WELL '{ print 959 / (well * 100 / $1) }'
}

# --- what is said about a wrong call -----------------------------------------

camera one
nstctl calibrate --device nobody --camera "card:nst-sim one" \
	--output x.yaml 2> err
check "no such device: status" same 2 $?
check "no such device: the right names" says "there are: one" err
nstctl calibrate --device one --camera card:nobody --output x.yaml 2> err
check "no such camera" same 2 $?
nstctl calibrate --device one --camera "card:nst-sim one" \
	--output x.yaml --gains 7 2> err
check "a gain that the camera does not have" says "between 100 and 6400" err
calibrate one --hot-mc 104000
check "too near to the ceiling" says "at most 100000" err
hold || note "no lease"
calibrate one
check "another governor: status" same 5 $?
check "another governor: who it is" says "governed by user $HOLDER" err
kill "$HOLDER"
wait "$HOLDER" 2> /dev/null
check "nothing was begun" same "" "$(ls ./*.yaml ./*.state 2> /dev/null)"

# --- an exact sensor ----------------------------------------------------------

calibrate one --plot one.svg
rc=$?
sed 's/^/# /' out
[ $rc = 0 ] || sed 's/^/# /' err
check "exact sensor: it is done" same 0 $rc
check "it tells no target that cannot be" sh -c "! grep 'to -[0-9]' err"
for iso in 100 200 800; do
	check "gain at ISO $iso" of_gain 2 "$(dn_per_e $iso)" $iso dn_per_e \
		one.yaml
done
check "read noise of 0.3 DN is a bound" bound 4 100 one.yaml
check "read noise of 0.64 DN" of_gain 5 4 200 read_noise_e one.yaml
check "read noise of 2.6 DN" of_gain 5 4 800 read_noise_e one.yaml
check "dark current" figure 5 $DARK dark_e_per_s one.yaml
check "doubling temperature" figure 3 $DOUBLING doubling_mc one.yaml
check "DSNU" figure 5 $DSNU dsnu_permyriad one.yaml
check "PRNU" figure 5 $PRNU prnu_permyriad one.yaml
check "it is drawn" says "doubles\|</svg>" one.svg
check "its state is not needed any more" [ ! -e one.yaml.state ]
check "what was found is put back" same "kernel Scene" "$(get "$NST/owner") $(
	video && v4l2-ctl -d "$VIDEO" -C test_pattern -L |
		sed -n 's/.*0: \(Scene\)/\1/p')"

# --- heat ---------------------------------------------------------------------

nstctl calibrate --thermal --device one --output heat.yaml --plot heat.png \
	> out 2> err
rc=$?
[ $rc = 0 ] || sed 's/^/# /' err
check "--thermal: it is done" same 0 $rc
thermal()
{
	figure 5 $R_JP r_jp_mk_per_w heat.yaml &&
		figure 5 $R_PA r_pa_mk_per_w heat.yaml &&
		figure 5 $((R_JP * C_J / 1000)) tau_j_us heat.yaml &&
		figure 5 $((R_PA * C_P / 1000)) tau_p_us heat.yaml &&
		figure 5 $AMBIENT ambient_mc heat.yaml
}
check "--thermal: constants of the stack" thermal
# intervals FILE
intervals()
{
	_bad=0
	held $R_JP r_jp_mk_per_w "$1" || _bad=1
	held $R_PA r_pa_mk_per_w "$1" || _bad=1
	held $((R_JP * C_J / 1000)) tau_j_us "$1" || _bad=1
	held $((R_PA * C_P / 1000)) tau_p_us "$1" || _bad=1
	held $AMBIENT ambient_mc "$1" || _bad=1
	return $_bad
}
sed 's/^/# /' out
check "--thermal: intervals hold" intervals heat.yaml
# Both files describe the sensor of a profile.
cat > eye.yaml << 'END'
version: 1
sensors:
  - name: eye
    device: one
    camera: "card:nst-sim one"
    thermal: { calibration: heat.yaml }
    noise: { model: emva, calibration: one.yaml }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }
tasks:
  - name: see
    sensor: eye
    kind: vision
    fps: 15
    fidelity: { min_snr_db: 22 }
    policy: seasonal-migration
END
nstctl check eye.yaml > out 2> err
rc=$?
sed 's/^/# /' out err
check "a profile takes both calibrations" same 0 $rc
# The engine lets it run once it is cool.
check "cool again, it runs as before" waits "$NST/gate" run 20
check "and the kernel governs" same kernel "$(get "$NST/owner")"

# A sensor that says nothing, a gate that does not move.
put "$SIM/fault" "read_error -1"
nstctl calibrate --thermal --device one > out 2> err
check "no temperature: message" says "no valid temperature\|the guard" err
put "$SIM/fault" "read_error 0"
sleep 2
put "$SIM/fault" "gate_ignored 1"
nstctl calibrate --thermal --device one > out 2> err
rc=$?
put "$SIM/fault" "gate_ignored 0"
check "the gate does nothing: status" at_least $rc 1
check "the gate does nothing: message" says "gate" err
note "$(tail -n 1 err)"
unstack one

# --- a gate that takes its time -------------------------------------------------

# Of which the driver tells no more than what it takes at most. Power that is
# asked for meanwhile is that of before.
camera late gate_enter_us=300 gate_exit_us=900 sensor_lsb_mc=20 \
	sensor_noise_mc=30
nstctl calibrate --thermal --device late --output late.yaml > out 2> err
rc=$?
sed 's/^/# /' out err
check "a gate that takes its time: it is done" same 0 $rc
check "a gate that takes its time: intervals hold" intervals late.yaml
unstack late

# --- a sensor of whole degrees -------------------------------------------------

camera two sensor_lsb_mc=1000
echo "somebody's notes" > two.yaml.state
calibrate two
check "a state of something else: refused" says "no state of a calibration" err
check "and left alone" says "somebody's notes" two.yaml.state
calibrate two --restart
rc=$?
[ $rc = 0 ] || sed 's/^/# /' err
check "1 degC sensor: dark current" figure 10 $DARK dark_e_per_s two.yaml
check "1 degC sensor: doubling temperature" figure 3 $DOUBLING doubling_mc \
	two.yaml
camera three sensor_lsb_mc=10000
nstctl calibrate --thermal --device three --stops 1 --longest 15 --output three.yaml \
	> out 2> err
rc=$?
check "sensor too coarse: refused, nothing written" same "1" \
	"$rc$(ls three.yaml 2> /dev/null)"
check "sensor too coarse: what would do" says "too coarse.* would be enough" \
	err
unstack three
camera four sensor_lsb_mc=1000 c_p_uj_per_k=4000000
nstctl calibrate --thermal --device four --longest 5 --stops 1 > out 2> err
rc=$?
check "steps too short: refused" same 1 $rc
check "steps too short: what would do" says "too short.* would be enough" err
# An engine that holds nothing is set aside meanwhile.
put "$NST/policy/engine" none
# stopped: a calibration that is told to stop after five seconds
stopped()
{
	nstctl calibrate --thermal --device four > out 2> err &
	pid=$!
	sleep 5
	meanwhile=$(get "$NST/policy/engine")
	kill -TERM "$pid"
	wait "$pid"
	note "$(truth die_mc) mC, $(tail -n 1 err)"
	same "$1" "$meanwhile, $(get "$NST/policy/engine") $(get "$NST/gate")"
}
check "engine none, cool: what was found is back" stopped "hold, none run"
put "$SIM/fault" "hot 95000"
check "engine none, hot: it stays on hold" stopped "hold, hold standby"
check "engine none, hot: which it says" says "still hot: its policy/engine" err
unstack four
use two

# --- killed, stopped, gone -----------------------------------------------------

# reaches PATTERN: the state has so much; a wait on the guest's time
reaches()
{
	_t=600
	while [ "$_t" -gt 0 ]; do
		grep -q "$1" two.yaml.state 2> /dev/null && return 0
		sleep 0.2
		_t=$((_t - 1))
	done
	return 1
}
rm -f two.yaml
start two
reaches "done visit-1" || note "did not get so far"
sleep 1
kill -9 "$pid"
wait "$pid" 2> /dev/null
killed()
{
	waits "$NST/owner" kernel 5 && [ ! -e two.yaml ]
}
check "kill -9: the kernel has the sensor" killed
high=$(get "$NST/policy/high_temp")
sleep 5
check "kill -9: and cools it" at_most "$(truth die_mc)" $((high + 500))
nstctl calibrate --device two --camera "card:nst-sim two" \
	--output two.yaml --gains 100 > out 2> err
check "other options than the state has: refused" says \
	"begun with other options" err
# half a block, as a crash while writing leaves
printf 'block visit-2 6\npoint 2 0' >> two.yaml.state
start two
reaches "done visit-3" || note "did not get so far"
kill -INT "$pid"
wait "$pid"
rc=$?
check "SIGINT ends it: status" same 1 $rc
check "SIGINT ends it: it went on, and will" says "the same command goes on" err
left_cool()
{
	same kernel "$(get "$NST/owner")" && sleep 5 &&
		at_most "$(truth die_mc)" $((high + 500))
}
check "SIGINT: the sensor is not left hot" left_cool
calibrate two --json
rc=$?
[ $rc = 0 ] || sed 's/^/# /' err
check "broken off twice: JSON" says '"doubling_mc"' out
check "broken off twice: dark current" figure 10 $DARK dark_e_per_s two.yaml
check "broken off twice: doubling temperature" figure 3 $DOUBLING doubling_mc \
	two.yaml

start two
reaches "done flat-0" || note "did not get so far"
unstack two
_stacks=
wait "$pid"
rc=$?
check "the camera goes: message" says "gone\|No such device" err
note "status $rc: $(tail -n 1 err)"
note "$(cut -d' ' -f1 /proc/uptime) s of the guest's time"
check "the modules go" nst_unload
finish
