#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_calibrate.sh: nstctl calibrate without a device: its command line, and
# the thermal fit on recordings. thermal-step/ holds real ones of boards under
# load, in which no reading comes near enough to a step to see a die: each has
# to be refused with what is missing, none may give a preset.

top=${NST_TOP:-.}
nstctl=${NST_BUILD:-$top/build}/nstctl
data=$top/tests/userspace/thermal-step
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# font files are read once and kept by the font library
echo 'leak:libfontconfig' > "$tmp/suppress"
LSAN_OPTIONS=suppressions=$tmp/suppress:print_suppressions=0
export LSAN_OPTIONS

n=0
failed=0

result()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		failed=1
		sed 's/^/# out: /' "$tmp/out" | head -n 20
		sed 's/^/# err: /' "$tmp/err" | head -n 20
		echo "not ok $n - $2"
	fi
}

# runs CODE NAME ARGUMENTS...
runs()
{
	code=$1
	name=$2
	shift 2
	"$nstctl" calibrate "$@" > "$tmp/out" 2> "$tmp/err"
	got=$?
	[ "$got" = "$code" ] || echo "# exit code $got, wanted $code"
	[ "$got" = "$code" ]
	result $? "$name"
}

# says FILE TEXT
says()
{
	grep -qF -- "$2" "$tmp/$1"
	result $? "it says: $2"
}

# The two equations in small steps: R_jp 5.5, R_pa 28.5, 5 ms, 19.95 s, at
# 26.4 degC; half a minute of 2.5 W, eight short stops, a minute of rest.
# model LSB LONG_S
model()
{
	awk -v lsb="$1" -v long="$2" '
	function hold(watts, s,    end, from, next_at, dt) {
		p = watts
		printf "%.6f,,%g\n", t, p
		from = t
		next_at = t + 0.002
		for (end = t + s; t < end - 1e-9; t += dt) {
			dt = t - from < 0.1 ? 0.0002 : 0.001
			flow = (j - c) / 5.5
			out = (c - 26.4) / 28.5
			j += dt * (p - flow) / 0.000909
			c += dt * (flow - out) / 0.7
			if (t + dt < next_at - 1e-9)
				continue
			seen = lsb ? int(j / lsb + 0.5) * lsb : j
			printf "%.6f,%.3f,%g\n", t + dt, seen, p
			next_at += t - from < 0.06 ? 0.0021 : 0.25
		}
	}
	BEGIN {
		print "# made, not measured\nt_s,temp_C,power_W"
		c = 27; p = 0.1; j = c + 5.5 * p
		hold(0.1, 1); hold(2.5, long)
		for (i = 0; i < 8; i++) { hold(0.1, 0.1); hold(2.5, 0.1) }
		hold(0.1, 2 * long)
	}'
}

# holds KEY TRUE PERCENT FILE
holds()
{
	awk -v key="$1:" -v true="$2" -v most="$3" '
		$1 == key { off = 100 * ($2 / true - 1); n++ }
		END { exit !(n && off < most && off > -most) }' "$4"
	result $? "$1 within $3 %"
}

echo "KTAP version 1"
echo "1..60"

runs 0 "help" --help
says out "--thermal"
runs 3 "nothing" --output x
says err "--device NAME is required"
runs 3 "no camera" --device sim0
says err "--camera and --output are required"
runs 3 "an argument too many" sim0
runs 3 "unknown option" --devise sim0
says err "did you mean '--device'?"
runs 3 "a gain that is no number" --gains 100,x --device a --camera b --output c
says err "--gains '100,x': valid are 1 to 6 numbers"
runs 3 "gains that end in a comma" --gains 100, --device a
runs 3 "too many gains" --gains 1,2,3,4,5,6,7 --device a
runs 3 "an exposure of nothing" --exposures 0
runs 3 "two temperatures" --temperatures 2
runs 3 "a picture of another kind" --device a --camera b --output c --plot x.gif
says err ".svg or .png"
runs 3 "--only what" --only warm
says err "valid"
runs 3 "--from for noise" --from x.csv
runs 3 "--camera for heat" --thermal --device a --camera b
runs 3 "--record of a recording" --thermal --from a --record b
runs 2 "no such device" --thermal --device nobody
runs 2 "no such camera" --device a --camera /dev/video99 --output "$tmp/x"
runs 1 "a selector of another form" --device a --camera x --output "$tmp/x"
says err "valid are /dev/videoN and card:NAME"

# --- recordings -----------------------------------------------------------

runs 1 "no such file" --thermal --from "$tmp/none.csv"
model 0 30 > "$tmp/exact.csv"
runs 0 "an exact recording" --thermal --from "$tmp/exact.csv" \
	--output "$tmp/heat.yaml" --plot "$tmp/heat.svg" --device sim0
holds r_jp_mk_per_w 5500 2 "$tmp/heat.yaml"
holds r_pa_mk_per_w 28500 2 "$tmp/heat.yaml"
holds tau_j_us 5000 5 "$tmp/heat.yaml"
holds tau_p_us 19950000 2 "$tmp/heat.yaml"
holds ambient_mc 26400 2 "$tmp/heat.yaml"
grep -q '</svg>' "$tmp/heat.svg"
result $? "a picture"
# The same with bounds of when power changes, one of them of a machine that
# stood still.
awk -F, -v OFS=, '/^t_s/ { print $0, "late_s"; next }
	/^[^#]/ && $2 == "" { edges++; late = edges == 5 ? 0.02 : 0.0004
		print $0, late; next }
	{ print }' "$tmp/exact.csv" > "$tmp/late.csv"
runs 0 "a change of power at which the machine was late" --thermal \
	--from "$tmp/late.csv" --output "$tmp/late.yaml"
says err "late at 1 of the changes of power"
holds tau_j_us 5000 5 "$tmp/late.yaml"
holds r_jp_mk_per_w 5500 2 "$tmp/late.yaml"
runs 0 "as JSON" --thermal --from "$tmp/exact.csv" --json
says out '"tau_p"'
model 1 30 > "$tmp/coarse.csv"
runs 0 "whole degrees" --thermal --from "$tmp/coarse.csv" \
	--output "$tmp/coarse.yaml"
holds r_jp_mk_per_w 5500 5 "$tmp/coarse.yaml"
holds tau_p_us 19950000 5 "$tmp/coarse.yaml"
model 1 2 > "$tmp/short.csv"
runs 1 "two seconds" --thermal --from "$tmp/short.csv" \
	--output "$tmp/short.yaml"
says err "the steps are too short"
[ ! -e "$tmp/short.yaml" ]
result $? "and no preset"
runs 1 "a full disk" --thermal --from "$tmp/exact.csv" --output /dev/full
printf 't_s,temp_C\n1,2\n' > "$tmp/bad.csv"
runs 1 "no power" --thermal --from "$tmp/bad.csv"
says err "no columns for time (t_s, sample), temperature (temp_C) and power"
printf 't_s,temp_C,power_W\n1,2,3\n2,nan,3\n' > "$tmp/bad.csv"
runs 1 "not a number" --thermal --from "$tmp/bad.csv"
says err "bad.csv:3: no number"
printf 't_s,temp_C,power_W\n1,2,3\n0,2,3\n' > "$tmp/bad.csv"
runs 1 "time goes backwards" --thermal --from "$tmp/bad.csv"
says err "one run at a time"
runs 1 "a column that is not there" --thermal --from "$tmp/exact.csv" \
	--column cpu_C

for f in rpi5-1ULtUe rpi5-4JAv; do
	runs 1 "real: $f" --thermal --from "$data/$f.csv" \
		--output "$tmp/real.yaml"
	says err "would be"
done
runs 1 "real: jetson-nano" --thermal --from "$data/jetson-nano.csv" \
	--column thermal_C --output "$tmp/real.yaml"
[ ! -e "$tmp/real.yaml" ]
result $? "no preset of any of them"
exit $failed
