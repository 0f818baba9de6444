#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_nstctl.sh: the command line of nstctl, its exit codes and its files

top=${NST_TOP:-.}
nstctl=${NST_BUILD:-$top/build}/nstctl
profile=$top/policies/profiles/reference.yaml
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

# runs CODE NAME ARGUMENTS...: the command must end with this code
runs()
{
	code=$1
	name=$2
	shift 2
	"$nstctl" "$@" > "$tmp/out" 2> "$tmp/err"
	got=$?
	[ "$got" = "$code" ] || echo "# exit code $got, wanted $code"
	[ "$got" = "$code" ]
	result $? "$name"
}

# says FILE TEXT: the last command said so
says()
{
	grep -qF -- "$2" "$tmp/$1"
	result $? "it says: $2"
}

echo "KTAP version 1"
echo "1..107"

runs 3 "no command"
runs 0 "help" --help
says out "plot"
runs 3 "unknown command" simm
says err "did you mean 'sim'? valid commands: probe, status, ask, record"
for c in probe status record sim plot check explain dump; do
	runs 0 "$c --help" $c --help
	says out "usage: nstctl $c"
done

# --- sim ---
runs 3 "sim without a profile" sim
says err "--profile FILE is required"
runs 3 "unknown option" sim --profile "$profile" --polcy x
says err "did you mean '--policy'? valid options: --profile"
runs 3 "short option" sim -p "$profile"
runs 3 "option without its value" sim --profile
says err "needs a value: FILE"
runs 3 "option twice" sim --profile "$profile" --seed 1 --seed 2
runs 3 "argument that is none" sim --profile "$profile" extra
runs 3 "number that is none" sim --profile "$profile" --duration 10s
says err "a number from 10 to 315360000"
runs 3 "number out of range" sim --profile "$profile" --ambient-mc 26400000
runs 3 "hexadecimal seed" sim --profile "$profile" --seed 0x10
runs 3 "unknown policy" sim --profile "$profile" --policy full-nea
says err "did you mean 'full-near'? valid: full-near, full-far, stop-capture-go, seasonal-migration"
runs 3 "unknown light" sim --profile "$profile" --light duskk
says err "valid: dim, office, daylight, night, fast, or a file TRACE.csv"
runs 3 "unknown sensor model" sim --profile "$profile" --sensor 2c
says err "valid: exact, 1c, 1c-noisy"
runs 3 "unknown figure of a plant" sim --profile "$profile" \
	--plant-error r_jb=20
says err "unknown parameter 'r_jb'; did you mean 'r_jp'?"
runs 3 "figure of a plant without a number" sim --profile "$profile" \
	--plant-error r_jp=20,near
says err "near wants a percentage from -50 to 50"
runs 3 "figure of a plant beyond reason" sim --profile "$profile" \
	--plant-error r_jp=51
says err "r_jp wants a percentage from -50 to 50"
runs 3 "figure of a plant twice" sim --profile "$profile" \
	--plant-error r_jp=5,r_jp=6
says err "r_jp is given twice"
runs 3 "unknown switch cost" sim --profile "$profile" --switch-cost none
says err "valid: zero, real"
runs 3 "unknown stack" sim --profile "$profile" --stack sesaon
says err "did you mean 'season'? valid: season, stop"
runs 4 "missing profile" sim --profile "$tmp/none.yaml"
says err "none.yaml: No such file or directory"
runs 4 "broken profile" sim --profile \
	"$top/tests/userspace/profiles-bad/unknown-power-key.yaml"
says err "unknown-power-key.yaml:5:7: unknown key 'near_mv'"
printf 't_s,light\n0,dusk\n' > "$tmp/bad.csv"
runs 4 "broken trace" sim --profile "$profile" --light "$tmp/bad.csv"
says err "bad.csv:2: unknown light 'dusk'"
runs 4 "missing trace" sim --profile "$profile" --light "$tmp/none.csv"
printf '2023-05-02,10:00:00,-2\n' > "$tmp/log.csv"
runs 4 "log of a meter that never worked" sim --profile "$profile" \
	--light "$tmp/log.csv"
says err "log.csv:1: no good reading in the whole log"
printf '2023-05-02,10:00:00,900\n2023-05-02,10:01:00,-1\n2023-05-02,10:10:00,5\n' \
	> "$tmp/log.csv"
runs 0 "log of a light meter" sim --json \
	--profile "$top/policies/profiles/emva.yaml" --light "$tmp/log.csv"
says out '"invalid": 1'
says out '"unknown_us": 300000000'
says out '"noise_model": "emva"'
says out '"frames_impossible": 0'
runs 1 "recording that cannot be written" sim --profile "$profile" \
	--record "$tmp/none/x.rec"

runs 0 "sim of another plant" sim --profile "$profile" --cold-start \
	--plant-error r_pa=20,near=-5 --sensor 1c-noisy --json
says out '"violations": 0,'
runs 0 "sim as a table" sim --profile "$profile"
says out "hottest die"
runs 0 "sim as JSON" sim --profile "$profile" --json --captures 0.5 --seed 3
cp "$tmp/out" "$tmp/first.json"
for key in energy_mj mean_power_mw full_far_power_mw energy_per_frame_uj \
	saving_permyriad duty_permyriad frames frames_delivered \
	frames_dropped frames_withheld effective_fps switches max_temp_mc \
	violations violations_avoidable captures captures_missed \
	capture_latency_us_p50 capture_latency_us_p99 oracle_power_mw \
	oracle_frames_delivered oracle_gap_permyriad high_temp_mc \
	low_temp_mc capture_temp_mc; do
	grep -q "^  \"$key\": -\?[0-9]" "$tmp/out" || echo "$key"
done > "$tmp/missing"
[ ! -s "$tmp/missing" ]
result $? "every promised field is there and a number"
runs 0 "the same again" sim --profile "$profile" --json --captures 0.5 \
	--seed 3
cmp -s "$tmp/out" "$tmp/first.json"
result $? "same seed, same JSON"

# --- record and plot ---
printf 't_s,light,ambient_mc\n0,daylight,26400\n20,dim,26400\n' > "$tmp/t.csv"
runs 0 "sim of a trace, recorded" sim --profile \
	"$top/policies/profiles/demo.yaml" --light "$tmp/t.csv" \
	--record "$tmp/a.rec" --captures 0.2
runs 3 "plot without a name" plot "$tmp/a.rec"
runs 3 "plot as JPEG" plot "$tmp/a.rec" --output "$tmp/a.jpg"
says err "must end in .svg or .png"
runs 0 "plot as PNG" plot "$tmp/a.rec" --output "$tmp/a.png"
[ "$(head -c 8 "$tmp/a.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
result $? "it is a PNG"
runs 0 "plot as SVG" plot "$tmp/a.rec" --output "$tmp/a.svg" --from 15 --to 30
grep -q '<svg' "$tmp/a.svg" && grep -q '</svg>' "$tmp/a.svg"
result $? "it is a whole SVG"
runs 1 "plot of a sensor that is not there" plot "$tmp/a.rec" \
	--output "$tmp/b.png" --sensor cam9
says err "valid: cam0"
runs 1 "plot of nothing" plot "$tmp/a.rec" --output "$tmp/b.png" --from 1e6
[ ! -e "$tmp/b.png" ]
result $? "no picture is left behind"
sed '30s/,valid,/,vlaid,/' "$tmp/a.rec" > "$tmp/broken.rec"
runs 1 "plot of a broken recording" plot "$tmp/broken.rec" \
	--output "$tmp/b.png"
says err "broken.rec:30:"
# gaps, readings that were not valid, and one frame alone
awk -F, -v OFS=, '/^#/ || NR < 6 { print; next }
	NR > 100 && NR < 200 { next }
	NR > 300 && NR < 400 { $4 = ""; $5 = "bus-fault" }
	{ print }' "$tmp/a.rec" > "$tmp/gaps.rec"
runs 0 "plot with gaps and bad readings" plot "$tmp/gaps.rec" \
	--output "$tmp/c.png"
head -n 5 "$tmp/a.rec" > "$tmp/one.rec"
runs 0 "plot of one frame" plot "$tmp/one.rec" --output "$tmp/c.svg"

# --- profiles ---
runs 0 "help of check" check --help
says out "usage: nstctl check [OPTIONS] [FILE]"
runs 3 "check of two" check "$profile" "$profile"
says err "nstctl check: one FILE only"
runs 0 "check" check "$profile"
says out "reference.yaml: valid, 2 sensors, 4 tasks"
runs 4 "check of a broken profile as JSON" check --json \
	"$top/tests/userspace/profiles-bad/many-errors.yaml"
says out '"line": 16,'
runs 0 "explain" explain near_mw
says out "range: 1 to 50000"
runs 3 "explain what is not" explain near_mv
says err "did you mean 'near_mw'?"
runs 0 "dump" dump "$profile"
cp "$tmp/out" "$tmp/dumped.yaml"
runs 0 "dump of a dump" dump "$tmp/dumped.yaml"
cmp -s "$tmp/out" "$tmp/dumped.yaml"
result $? "reads back to itself"
"$nstctl" dump "$profile" > /dev/full 2> "$tmp/err"
[ $? = 1 ]
result $? "a full disk is a failure"

[ "$n" = 84 ] || echo "# $n results"
exit $failed
