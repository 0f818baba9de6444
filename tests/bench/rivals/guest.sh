#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh - the guest's side of tests/bench/rivals.sh
#
# Four rounds in one boot. In the first three every stack is on the step clock
# and drive.c takes it through the same trace: nstd, which is waited for; then
# the kernel's governors and a script, and then thermald, both by the wall
# clock. Of those who are given a limit to keep there are two of each: one is
# given the limit itself, the other $BELOW_MC less. In the fourth round nstd
# and thermald have a stack on the real clock each, at the same time, as the time
# of a processor is longer while the host is busy, and nothing else is done but to
# count what they take.
#
# Lines: "stack ..." and "pace ..." of drive.c, "usage NAME SECONDS CPU_MS RSS_KIB
# ANON_KIB", "writes N" of thermald's log. Logs and recordings go to $NST_OUT.
# $ROUNDS is a list of those wanted.

set -eu

. "$NST_TOP/tests/selftests/nst_lib.inc"

BELOW_MC=${BELOW_MC:-3000}
USAGE_S=${USAGE_S:-60}
ROUNDS=${ROUNDS:-ours kernel thermald usage}
TRACE=$NST_TOP/tests/bench/rivals/trace.csv
LEVELS=/sys/module/nst/parameters/cooling_levels
DRIVE=$NST_BUILD/tests/bench/rivals/drive
TD=$THERMALD
work=/run/rivals
pids=

mkdir -p "$work"
cd "$work"

finish()
{
	rc=$?
	trap '' INT TERM
	for p in $pids; do
		kill "$p" 2> /dev/null || true
	done
	cleanup_stacks
	cp "$work"/*.rec "$work"/*.log "$work"/*.yaml "$work"/*.xml \
		"$NST_OUT/" 2> /dev/null || true
	exit "$rc"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ended PID: end a daemon of ours and wait for it
ended()
{
	kill "$1"
	wait "$1" || true
	pids=
}

# make NAME CLOCK: one of the stacks, all alike
make()
{
	# The package is where it will be at the limit: nobody has to wait.
	stack "$1" clock="$2" hot_start_mc=63000
}

# kept NAME: nobody but its governor acts on this one
kept()
{
	use "$1"
	put "$NST/policy/engine" none
	ZONE=$(zone_of "nst${ID}_die")
	COOL=$(cooling_of "nst${ID}_duty")
}

# profile SENSOR POLICY [SENSOR POLICY]...
profile()
{
	echo "version: 1"
	echo "sensors:"
	i=0
	for a; do
		i=$((i + 1))
		[ $((i % 2)) = 1 ] || continue
		cat <<-END
		  - name: $a
		    device: $a
		    camera: "card:nst-sim $a"
		    thermal: { preset: stacked-reference }
		    power: { preset: neurostream }
		    light: { preset: office }
		END
	done
	echo "tasks:"
	i=0
	for a; do
		i=$((i + 1))
		if [ $((i % 2)) = 1 ]; then s=$a; continue; fi
		cat <<-END
		  - name: see-$s
		    sensor: $s
		    kind: vision
		    fps: 30
		    fidelity: { min_snr_db: 35 }
		    policy: $a
		END
	done
}

# start_nstd PROFILE
start_nstd()
{
	nstd --foreground --config "$1" --socket "$work/nstd.sock" \
		2>> nstd.log &
	daemon=$!
	pids=$daemon
	i=0
	until nstctl status --socket "$work/nstd.sock" > /dev/null 2>&1; do
		i=$((i + 1))
		kill -0 "$daemon" && [ "$i" -lt 200 ] || {
			cat nstd.log >&2
			exit 1
		}
		sleep 0.1
	done
}

# trip TEMP ZONE_TYPE COOLING_TYPE: a zone of thermald's with one trip
trip()
{
	cat <<-END
	      <ThermalZone>
	        <Type>$2</Type>
	        <TripPoints>
	          <TripPoint>
	            <SensorType>$2</SensorType>
	            <Temperature>$1</Temperature>
	            <type>passive</type>
	            <ControlType>SEQUENTIAL</ControlType>
	            <CoolingDevice>
	              <index>1</index>
	              <type>$3</type>
	              <influence>100</influence>
	              <SamplingPeriod>1</SamplingPeriod>
	            </CoolingDevice>
	          </TripPoint>
	        </TripPoints>
	      </ThermalZone>
	END
}

# device COOLING_TYPE MAX_STATE: thermald finds it by its type
device()
{
	cat <<-END
	      <CoolingDevice>
	        <Type>$1</Type>
	        <MinState>0</MinState>
	        <IncDecStep>1</IncDecStep>
	        <ReadBack>0</ReadBack>
	        <MaxState>$2</MaxState>
	        <DebouncePeriod>0</DebouncePeriod>
	      </CoolingDevice>
	END
}

# thermal_conf STACK:BELOW...: the whole file
thermal_conf()
{
	sensors=
	zones=
	devices=
	for a; do
		kept "${a%:*}"
		sensors="$sensors
	      <ThermalSensor>
	        <Type>nst${ID}_die</Type>
	        <AsyncCapable>0</AsyncCapable>
	      </ThermalSensor>"
		zones="$zones
$(trip $((LIMIT_MC - ${a#*:})) "nst${ID}_die" "nst${ID}_duty")"
		devices="$devices
$(device "nst${ID}_duty" "$(get "$COOL/max_state")")"
	done
	cat <<-END
	<?xml version="1.0"?>
	<ThermalConfiguration>
	  <Platform>
	    <Name>nst</Name>
	    <ProductName>*</ProductName>
	    <Preference>QUIET</Preference>
	    <ThermalSensors>$sensors
	    </ThermalSensors>
	    <ThermalZones>$zones
	    </ThermalZones>
	    <CoolingDevices>$devices
	    </CoolingDevices>
	  </Platform>
	</ThermalConfiguration>
	END
}

# start_thermald CONFIG LOG [OPTION]...
start_thermald()
{
	c=$1
	l=$2
	shift 2
	mkdir -p /run/thermald /var/run/thermald
	LD_LIBRARY_PATH=$TD/usr/lib/x86_64-linux-gnu "$TD/usr/sbin/thermald" \
		--no-daemon --exclusive-control --ignore-cpuid-check \
		--ignore-default-control --poll-interval=1 --config-file "$c" \
		"$@" > "$l" 2>&1 &
	daemon=$!
	pids=$daemon
	sleep 3
	kill -0 "$daemon" || { tail "$l" >&2; exit 1; }
}

# cpu_ms PID: user and system time of it and of children it has waited for
cpu_ms()
{
	awk '{ sub(/.*\) /, ""); print ($12 + $13 + $14 + $15) * 10 }' \
		"/proc/$1/stat"
}

# policy_of_usage: ours, the one that works hardest
policy_of_usage()
{
	p=predictive-stop
	profile cam $p > try.yaml
	nstctl check try.yaml > /dev/null 2>&1 || p=stop-capture-go
	echo $p
}

# usage SECONDS [NAME PID]...: of all of them in the same time
usage()
{
	s=$1
	shift
	i=0
	for a; do
		i=$((i + 1))
		[ $((i % 2)) = 1 ] || eval "cpu$i=$(cpu_ms "$a")"
	done
	sleep "$s"
	i=0
	for a; do
		i=$((i + 1))
		if [ $((i % 2)) = 1 ]; then name=$a; continue; fi
		c=$(cpu_ms "$a")
		eval "before=\$cpu$i"
		# shellcheck disable=SC2154 # by the line before
		c=$((c - before))
		awk -v n="$name" -v s="$s" -v c="$c" '
			/^VmRSS/ { r = $2 } /^RssAnon/ { a = $2 }
			END { print "usage", n, s, c, r, a }' "/proc/$a/status"
	done
}

# warm STACK...: the first step of a new stack passes two boundaries at once
warm()
{
	for a; do
		use "$a"
		advance_us 33333
		advance_us 33333
	done
}

# ---------------------------------------------------------------- rounds

round_ours()
{
	names=
	set --
	for p in stop-capture-go predictive-stop; do
		s=${p%%-*}
		profile "$s" "$p" > try.yaml
		nstctl check try.yaml > /dev/null 2>&1 || continue
		make "$s" step
		warm "$s"
		names="$names $s:nstd"
		set -- "$@" "$s" "$p"
		echo "name $s nstd $p"
	done
	profile "$@" > ours.yaml
	start_nstd ours.yaml
	# shellcheck disable=SC2086 # a list of words
	"$DRIVE" -s "$work/nstd.sock" -o "$work" ours.yaml "$TRACE" $names
	ended "$daemon"
	cleanup_stacks
}

round_kernel()
{
	names=
	set --
	for g in step_wise power_allocator bang_bang script; do
		for below in 0 "$BELOW_MC"; do
			s=$(echo "$g" | cut -c1-6)$((below / 1000))
			n=16
			[ "$g" != bang_bang ] || n=1
			put "$LEVELS" $n
			make "$s" step
			kept "$s"
			if [ "$g" = script ]; then
				set -- "$@" "$ZONE" "$COOL"
			else
				put "$ZONE/policy" "$g" || {
					echo "no governor $g in this kernel" >&2
					exit 1
				}
			fi
			warm "$s"
			names="$names $s:$below"
			echo "name $s $g $below"
		done
	done
	put "$LEVELS" 16
	sh "$NST_TOP/tests/bench/rivals/fan.sh" "$@" &
	script=$!
	pids=$script
	# shellcheck disable=SC2086
	"$DRIVE" -w -o "$work" plain.yaml "$TRACE" $names
	ended $script
	cleanup_stacks
}

round_thermald()
{
	for below in 0 "$BELOW_MC"; do
		s=therma$((below / 1000))
		make "$s" step
		warm "$s"
		echo "name $s thermald $below"
	done
	thermal_conf therma0:0 "$s:$BELOW_MC" > thermald.xml
	start_thermald thermald.xml thermald.log --loglevel=debug
	"$DRIVE" -w -o "$work" plain.yaml "$TRACE" therma0:0 "$s:$BELOW_MC"
	for s in therma0 "$s"; do
		kept "$s"
		echo "writes $s $(grep -c "Set : threshold:.*(nst${ID}_duty)" \
			thermald.log || true) $(get "$NST/stats/bound_changes")"
	done
	ended "$daemon"
	cleanup_stacks
}

round_usage()
{
	# First, and so the only one that it knows.
	make therma0 real
	thermal_conf therma0:0 > usage.xml
	start_thermald usage.xml usage.log
	thermald=$daemon

	make cam real
	profile cam "$(policy_of_usage)" > usage.yaml
	start_nstd usage.yaml
	make script real
	kept script
	sh "$NST_TOP/tests/bench/rivals/fan.sh" "$ZONE" "$COOL" &
	script=$!
	pids="$thermald $daemon $script"
	sleep 5
	usage "$USAGE_S" thermald "$thermald" nstd "$daemon" script "$script"
	nstctl status --json --socket "$work/nstd.sock" |
		sed -n 's/^ *"\(frames\|late_decisions\)": *\([0-9]*\).*/\1 \2/p' |
		head -n 2
	for p in $pids; do
		kill "$p"
		wait "$p" || true
	done
	pids=
	cleanup_stacks
}

nst_load stacks=0
profile plain stop-capture-go > plain.yaml
# what the rivals are told, as thermald cannot be told later
LIMIT_MC=$(nstctl sim --profile plain.yaml --duration 10 --json |
	sed -n 's/^ *"vision_max_mc": *\([0-9]*\).*/\1/p')
echo "limit $LIMIT_MC"
for r in $ROUNDS; do
	"round_$r"
done
nst_unload
