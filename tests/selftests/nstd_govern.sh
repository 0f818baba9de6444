#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nstd on the real kernel and the emulated stack: it keeps the limits, adopts
# what a user sets, puts back what it found, and when it is killed the
# kernel's guard has the stack. Time is the step clock's, so that nstd is in
# time on any machine; only waits for nstd itself are in real time.

. "$NST_SELFTESTS/nst_lib.inc"

SOCK=$PWD/nstd.sock
NSTD=

# profile FILE SENSOR DEVICE POLICY [SENSOR DEVICE POLICY]
profile()
{
	_f=$1
	shift
	_sensors=
	_tasks=
	while [ $# -ge 3 ]; do
		_sensors="$_sensors
  - name: $1
    device: $2
    camera: \"card:nst-sim $2\"
    thermal: { preset: stacked-reference }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }"
		_tasks="$_tasks
  - name: see-$1
    sensor: $1
    kind: vision
    fps: 30
    fidelity: { min_snr_db: 20 }
    policy: $3"
		shift 3
	done
	printf 'version: 1\nsensors:%s\ntasks:%s\n' "$_sensors" "$_tasks" \
		> "$_f"
}

# start PROFILE [OPTION]...
start()
{
	_p=$1
	shift
	nstd --foreground --config "$_p" --socket "$SOCK" "$@" 2>> log &
	NSTD=$!
	_t=200
	while [ "$_t" -gt 0 ] && ! nstctl status --socket "$SOCK" \
		> /dev/null 2>&1; do
		kill -0 "$NSTD" 2> /dev/null || break
		sleep 0.05
		_t=$((_t - 1))
	done
	kill -0 "$NSTD" 2> /dev/null && return 0
	note "nstd did not start: $(tail -n 3 log)"
	return 1
}

stop()
{
	kill "$NSTD" 2> /dev/null && wait "$NSTD"
}

# status SENSOR-INDEX KEY: a plain value of the JSON status; tasks of a sensor
# have names too, further in
status()
{
	nstctl status --json --socket "$SOCK" |
		awk -v want="$1" -v key="\"$2\":" '
		/^      "name":/ { n++ }
		n == want + 1 && index($0, key) {
			sub(/^[^:]*:[ ]*/, ""); gsub(/[",]/, ""); print; exit
		}'
}

# status_is SENSOR-INDEX KEY VALUE: within ten seconds
status_is()
{
	_t=200
	while [ "$_t" -gt 0 ]; do
		[ "$(status "$1" "$2")" = "$3" ] && return 0
		sleep 0.05
		_t=$((_t - 1))
	done
	note "$2 is '$(status "$1" "$2")', not '$3'"
	return 1
}

# frames SENSOR COUNT: result in ./step
frames()
{
	nstd_step "$SOCK" "$1" "$SIM" "$2" > step && return 0
	note "$(tail -n 3 log)"
	return 1
}

stepped()
{
	sed -n "s/^$1 //p" step
}

cleanup()
{
	[ -z "$NSTD" ] || kill -9 "$NSTD" 2> /dev/null
	cleanup_stacks
}

begin
trap cleanup EXIT
plan 27
: > log

# --- a steady run ----------------------------------------------------------

stack one clock=step
found_high=$(get "$NST/policy/high_temp")
profile season.yaml cam one seasonal-migration
check starts start season.yaml
check takes_the_lease same "user $NSTD nstd" "$(get "$NST/owner")"
# dim light: 64 ms, ISO 800, as the profile says before the camera is asked
v4l2_node()
{
	for _v in /sys/class/video4linux/video*; do
		case $(v4l2-ctl -d "/dev/${_v##*/}" -D 2> /dev/null) in
		*"nst-sim $1"*) echo "/dev/${_v##*/}"; return ;;
		esac
	done
}
VIDEO=$(v4l2_node one)
set_light()
{
	v4l2-ctl -d "$VIDEO" -c "exposure_time_absolute=$1" \
		-c "analogue_gain=$2"
}
set_light 640 800 || note "no camera controls"
frames cam 3 || true
high=$(get "$NST/policy/high_temp")
# the first step of a new stack passes two boundaries at once
late=$(status 0 late_decisions)
check light_moves_the_thresholds near 81050 "$high" 100

steady()
{
	frames cam 2000 &&
		same 0 "$(stepped hot)" && same 0 "$(stepped true_hot)" &&
		same 0 "$(stepped dropped)" && at_most "$(stepped withheld)" 5
}
check steady_migration_keeps_the_limit steady
check die_stays_below_t_high at_most "$(stepped max_die_mc)" "$high"
check no_decision_was_late same "$late" "$(status 0 late_decisions)"
check saves_power at_least "$(status 0 saving_permyriad)" 1000
check switches at_least "$(status 0 switches)" 4
rss=$(awk '/^VmHWM/ { print $2 }' "/proc/$NSTD/status")
note "VmHWM $rss KiB, $(awk '{ print $14 + $15 }' "/proc/$NSTD/stat") ticks" \
	"of CPU for $(status 0 frames) frames"
check below_6_mib at_most "$rss" 6144

# --- what users do ---------------------------------------------------------

set_by_hand()
{
	put "$NST/policy/low_temp" 40000 && put "$NST/policy/high_temp" 60000 &&
		frames cam 2 && status_is 0 auto false &&
		frames cam 900 && same 60000 "$(status 0 high_mc)" &&
		same 60000 "$(get "$NST/policy/high_temp")"
}
check adopts_what_is_set_by_hand set_by_hand
check and_keeps_it at_most "$(truth die_mc)" 60000
automatic_again()
{
	put "$NST/policy/auto" 1 && frames cam 3 &&
		same "$high" "$(get "$NST/policy/high_temp")"
}
check computes_again automatic_again
check gate_is_busy_for_others same EBUSY "$(errno_of "$NST/gate" standby)"

second()
{
	nstd --foreground --config season.yaml --socket "$SOCK" 2> second
	same 5 $? && grep -q "already running" second || return 1
	nstd --foreground --config season.yaml --socket "$SOCK.2" 2> second
	same 5 $? && grep -q "governed already" second
}
check second_nstd_says_so second

sensor_fails()
{
	put "$SIM/fault" "read_error -1" && frames cam 20 &&
		same standby "$(get "$NST/gate")" &&
		status_is 0 reason "no trustworthy temperature" &&
		put "$SIM/fault" "read_error 0" && frames cam 20 &&
		status_is 0 temp_state valid
}
check dead_sensor_gates sensor_fails
frames cam 30
check and_it_comes_back at_least "$(stepped delivered)" 10

# --- ways out --------------------------------------------------------------

nstctl record --socket "$SOCK" --output rec.csv 2>> log &
rec=$!
waits rec.csv '*nst-recording*' 20
# the description of the sensor comes with the subscription
_t=400
while [ "$_t" -gt 0 ] && ! grep -q '# sensor cam' rec.csv; do
	sleep 0.05
	_t=$((_t - 1))
done
frames cam 60
check recording_is_complete grows 55 grep -c ',cam,' rec.csv
kill -INT $rec
wait $rec

check ends_on_sigterm stop
put_back()
{
	same kernel "$(get "$NST/owner")" &&
		same "$found_high" "$(get "$NST/policy/high_temp")" &&
		same run "$(get "$NST/gate")"
}
check and_puts_back_what_it_found put_back
gone()
{
	nstctl status --socket "$SOCK" > /dev/null 2> err
	same 2 $? && grep -q "not running" err
}
check status_without_nstd gone

# kill -9, then heat: the guard has the stack within one heartbeat
start season.yaml
frames cam 30
put "$DEBUG/one/ambient_mc" 40000
frames cam 3
t0=$(/bin/date +%s%N)
kill -9 "$NSTD"
wait "$NSTD" 2> /dev/null
killed()
{
	waits "$NST/owner" kernel 20 || return 1
	note "owner is kernel $((($(/bin/date +%s%N) - t0) / 1000000)) ms later," \
		"shell and machine included"
}
check guard_has_it_after_kill_9 killed
limit=$(get "$NST/policy/high_temp")
advance 60000
i=0
while [ $i -lt 20 ]; do
	advance 3000
	[ "$(truth die_mc)" -le $((limit + 500)) ] || break
	i=$((i + 1))
done
check and_keeps_it_cool at_most "$(truth die_mc)" $((limit + 500))

# --- devices that go -------------------------------------------------------

stack two clock=step
profile both.yaml cam one seasonal-migration other two stop-capture-go
check governs_two start both.yaml
vanish()
{
	use two
	unstack one || return 1
	status_is 0 state absent && frames other 50 &&
		same governed "$(status 1 state)"
}
check one_vanishes_the_other_goes_on vanish
back()
{
	stack one clock=step && status_is 0 state governed &&
		frames cam 30 && at_least "$(stepped delivered)" 20
}
check and_is_found_again back
check ends_with_two stop
profile wrong.yaml cam oen full-far
no_such()
{
	nstd --foreground --config wrong.yaml --socket "$SOCK" 2> err
	same 2 $? && grep -q "no device named 'oen', there are: .*one" err
}
check wrong_name_lists_the_right_ones no_such
NSTD=
cleanup_stacks
nst_unload || note "modules stay"
finish
