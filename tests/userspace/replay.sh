#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# replay.sh: nstctl replay, on recordings that are whole and on others

# shellcheck disable=SC2154 # check.inc sets top, build, dir, n and failed

. "$(dirname "$0")/check.inc"

nstctl=$build/nstctl
profile=$top/policies/profiles/reference.yaml
# font files are read once and kept by the font library
echo 'leak:libfontconfig' > "$dir/suppress"
LSAN_OPTIONS=suppressions=$dir/suppress:print_suppressions=0
export LSAN_OPTIONS
out=$dir/out
err=$dir/err

# runs CODE ARGUMENT...: nstctl replay ends with this code
runs()
{
	_code=$1
	shift
	"$nstctl" replay "$@" > "$out" 2> "$err"
	_got=$?
	[ $_got = "$_code" ] && return 0
	echo "# exit code $_got, wanted $_code"
	sed 's/^/# /' "$err"
	return 1
}

# says FILE TEXT
says()
{
	grep -qF -- "$2" "$1" && return 0
	echo "# wanted: $2"
	sed 's/^/# /' "$1" | head -n 5
	return 1
}

# number KEY: the first of that name in the JSON
number()
{
	sed -n "s/^ *\"$1\": \\(-*[0-9]*\\).*/\\1/p" "$out" | head -n 1
}

# refused NAME TEXT: such a recording ends it, and it says so with the line
refused()
{
	runs 4 "$dir/$1" --policy full-near --profile "$profile" &&
		says "$err" "$dir/$1:$2" && [ ! -s "$out" ]
}

# column NUMBER VALUE LINES: change a column of the good recording in records
# of this awk condition
column()
{
	awk -F, -v OFS=, -v c="$1" -v v="$2" "
		/^#/ || /^seq/ { print; next } { n++ } $3 { \$c = v } { print }" \
		"$dir/good.rec"
}

good="--policy stop-capture-go --profile $profile"

echo "KTAP version 1"
echo "1..36"

# A minute and a half at 30 frames a second.
"$nstctl" sim --profile "$profile" --stack stop --light office --duration 90 \
	--record "$dir/good.rec" --json > "$dir/sim.json"
lines=$(grep -c . "$dir/good.rec")

check help runs 0 --help
check needs_a_recording runs 3 --policy full-near
check needs_a_policy runs 3 "$dir/good.rec"
unknown_policy()
{
	runs 3 "$dir/good.rec" --policy full-nea &&
		says "$err" "did you mean 'full-near'? valid: "
}
check unknown_policy unknown_policy
check policy_twice runs 3 "$dir/good.rec" --policy full-far --policy full-far
missing_profile()
{
	runs 4 "$dir/good.rec" --policy full-near --profile "$dir/none" &&
		says "$err" "No such file"
}
check missing_profile missing_profile
check missing_recording runs 4 "$dir/none.rec" --policy full-near \
	--profile "$profile"

# The same policy on the same light comes to the same: the start is the die's
# reading, and so nearly that of the run that was recorded.
same_again()
{
	# shellcheck disable=SC2086 # options
	runs 0 "$dir/good.rec" $good --json && [ ! -s "$err" ] || return 1
	_want=$(sed -n 's/^ *"frames_delivered": \([0-9]*\).*/\1/p' "$dir/sim.json")
	_got=$(number frames_delivered)
	echo "# $_got delivered, $_want recorded"
	[ $((_got - _want)) -le 3 ] && [ $((_want - _got)) -le 3 ] &&
		[ "$(number gaps)" = 0 ] && [ "$(number violations)" = 0 ]
}
check the_same_policy_does_the_same same_again
keys_of_sim()
{
	for k in $(sed -n 's/^  "\([a-z0-9_]*\)":.*/\1/p' "$dir/sim.json"); do
		grep -q "^  \"$k\":" "$out" || { echo "# no $k"; return 1; }
	done
}
check prints_what_sim_prints keys_of_sim
two_policies()
{
	# shellcheck disable=SC2086
	runs 0 "$dir/good.rec" $good --policy full-near --json --record \
		"$dir/two.rec" && [ "$(grep -c '^    "policy":' "$out")" = 2 ] &&
		[ "$(head -c 1 "$out")" = "[" ] &&
		grep -q ',stop-capture-go,' "$dir/two.rec" &&
		grep -q ',full-near,' "$dir/two.rec" &&
		"$nstctl" plot "$dir/two.rec" --output "$dir/two.svg" \
			--sensor full-near
}
check two_policies_side_by_side two_policies
table()
{
	# shellcheck disable=SC2086
	runs 0 "$dir/good.rec" $good --policy full-near &&
		says "$out" "as recorded" && says "$out" "violations"
}
check a_table_for_people table
sensors()
{
	runs 3 "$dir/good.rec" --policy full-near --profile "$profile" \
		--stack stpo && says "$err" "did you mean 'stop'" &&
		runs 3 "$dir/good.rec" --policy full-near --profile \
			"$profile" --stack stop --sensor none &&
		says "$err" "no sensor 'none' in $dir/good.rec"
}
check sensors_that_are_none sensors

# Other powers than the profile's are the recording's.
sed 's/near_mw=2500/near_mw=3000/' "$dir/good.rec" > "$dir/power.rec"
powers()
{
	# shellcheck disable=SC2086
	runs 0 "$dir/good.rec" $good --json && _p=$(number frames_delivered) &&
		runs 0 "$dir/power.rec" $good --json &&
		[ "$(number frames_delivered)" -lt "$_p" ]
}
check powers_are_the_recordings powers
sed 's/near_mw=2500/near_mw=2500000/' "$dir/good.rec" > "$dir/absurd.rec"
absurd_power()
{
	runs 4 "$dir/absurd.rec" --policy full-near --profile "$profile" &&
		says "$err" "near_mw=2500000' of the description is not valid"
}
check absurd_power absurd_power
other_limit()
{
	sed 's/preset: dim/preset: office/' "$profile" |
		awk '{ print } /name: stop-detect/ { v = 1 }
		     v && /kind: vision/ { print "    fidelity: { min_snr_db: 20 }"; v = 0 }' \
		> "$dir/limit.yaml"
	runs 0 "$dir/good.rec" --policy stop-capture-go --profile \
		"$dir/limit.yaml" &&
		says "$err" "has no limit, that of the profile is 95.0"
}
check another_limit_is_told other_limit

# --- two policies in one picture ---
# plots CODE ARGUMENT...
plots()
{
	_code=$1
	shift
	rm -f "$dir/pair.svg"
	"$nstctl" plot "$@" --output "$dir/pair.svg" > "$out" 2> "$err"
	[ $? = "$_code" ] || { sed 's/^/# /' "$err"; return 1; }
	[ "$_code" = 0 ] || [ ! -e "$dir/pair.svg" ]
}
pair()
{
	plots 0 "$dir/two.rec" --sensor stop-capture-go --against full-near &&
		_two=$(grep -c . "$dir/pair.svg") &&
		plots 0 "$dir/two.rec" --sensor stop-capture-go &&
		[ "$(grep -c . "$dir/pair.svg")" -lt "$_two" ]
}
check a_sensor_against_another_one pair
check two_recordings plots 0 "$dir/good.rec" "$dir/two.rec" --sensor stop \
	--against full-near --from 10 --to 20
check two_recordings_of_the_first_in_each plots 0 "$dir/good.rec" "$dir/two.rec"
check three_recordings plots 3 "$dir/good.rec" "$dir/good.rec" "$dir/good.rec"
against_none()
{
	plots 1 "$dir/two.rec" --against full-nea &&
		says "$err" "did you mean 'full-near'"
}
check against_what_is_not_there against_none

# --- recordings that are not whole ---
head -c 40000 "$dir/good.rec" > "$dir/cut.rec"
check cut_in_a_line refused cut.rec \
	"$(($(grep -c . "$dir/cut.rec"))): the file ends in the middle of a line"
: > "$dir/empty.rec"
check empty refused empty.rec "1: the file is empty"
sed -n '/^#/p;/^seq/p' "$dir/good.rec" > "$dir/head.rec"
check no_frames refused head.rec "4: the recording has no frames"
cat "$dir/good.rec" "$dir/good.rec" > "$dir/twice.rec"
check two_in_one_file refused twice.rec "$((lines + 4)): "
column 2 50000 'n == 30' > "$dir/back.rec"
check time_goes_back refused back.rec "34: t_us 50000 after "
column 1 3 'n == 30' > "$dir/seq.rec"
check frames_go_back refused seq.rec "34: seq 3 after 28: frames go back"
column 4 nan 'n == 30' > "$dir/nan.rec"
check no_number refused nan.rec "34: temp_mc is 'nan'"
column 14 2640000 'n == 30' > "$dir/hot.rec"
check absurd_ambient refused hot.rec "34: ambient_mc is '2640000'"

# 51 frames less: told with the line, and the answer counts them.
awk '/^#/ || /^seq/ { print; next } { n++ } n < 100 || n > 150' \
	"$dir/good.rec" > "$dir/gap.rec"
gap()
{
	# shellcheck disable=SC2086
	runs 0 "$dir/gap.rec" $good --json &&
		says "$err" "gap.rec:104: 51 frames, 1.733 s, are missing after" &&
		[ "$(number gaps)" = 1 ] &&
		[ "$(number frames_missing)" = 51 ] &&
		[ "$(number unknown_us)" = 0 ]
}
check gap_is_told gap
# Constant power stays that, however much of it is missing.
awk -F, -v OFS=, '/^#/ { print; next } /^seq/ { for (i = 1; i <= NF; i++)
		if ($i == "power_mw") c = i
		print; next }
	{ n++ } n % 10 < 7 || n % 10 == 9 { $c = 1000; print }' \
	"$dir/good.rec" > "$dir/holes.rec"
power_with_gaps()
{
	# shellcheck disable=SC2086
	runs 0 "$dir/holes.rec" $good --json || return 1
	_mw=$(sed -n 's/.*"mean_power_mw": \([0-9]*\).*/\1/p' "$out" | tail -n 1)
	echo "# $_mw mW"
	[ "$_mw" -ge 999 ] && [ "$_mw" -le 1001 ]
}
check gaps_take_no_power power_with_gaps
secret()
{
	cp "$dir/good.rec" "$dir/secret.rec"
	chmod 0 "$dir/secret.rec"
	if [ "$(id -u)" != 0 ]; then
		# shellcheck disable=SC2086
		runs 6 "$dir/secret.rec" $good
		return
	fi
	# Root may read all, unless it may not any more.
	command -v setpriv > /dev/null || return 0
	_caps=-dac_override,-dac_read_search
	# shellcheck disable=SC2086
	setpriv --inh-caps=$_caps --bounding-set=$_caps "$nstctl" replay \
		"$dir/secret.rec" $good > "$out" 2> "$err"
	[ $? = 6 ]
}
check may_not_be_read secret
# 400 s of nothing: light is unknown after five minutes of it.
awk -F, -v OFS=, '/^#/ || /^seq/ { print; next }
	{ n++ } n > 100 { $2 += 400000000; $1 += 12000 } { print }' \
	"$dir/good.rec" > "$dir/long.rec"
long_gap()
{
	# shellcheck disable=SC2086
	runs 0 "$dir/long.rec" $good --json &&
		says "$err" "then light to be dim" &&
		[ "$(number unknown_us)" = 100033333 ]
}
check light_of_a_long_gap_is_unknown long_gap
# as nstctl record --device has them
awk -F, -v OFS=, '/^#/ || /^seq/ { print; next } { $16 = 0; $14 = "" } 1' \
	"$dir/good.rec" > "$dir/device.rec"
without()
{
	# shellcheck disable=SC2086
	runs 0 "$dir/device.rec" $good --json &&
		says "$err" "device.rec:5: exposure or gain are not recorded from here on: taken as the profile has them, 64000 us" &&
		says "$err" "device.rec:5: ambient temperature is not recorded" &&
		[ "$(number frames_without_light)" = \
		  "$(grep -c ',stop,' "$dir/device.rec")" ]
}
check what_is_not_recorded_is_told without
head -n 24 "$dir/good.rec" > "$dir/short.rec"
short()
{
	runs 4 "$dir/short.rec" --policy full-near --profile "$profile" &&
		says "$err" "duration out of range; valid: "
}
check too_short short
no_profile()
{
	runs 4 "$dir/good.rec" --policy full-near &&
		says "$err" "nst.yaml, and no --profile"
}
if [ -e /etc/nst/nst.yaml ] || [ -e /usr/local/share/nst/nst.yaml ] ||
		[ -e /usr/share/nst/nst.yaml ]; then
	skip no_profile "this machine has one"
else
	check no_profile no_profile
fi
full()
{
	[ -c /dev/full ] || return 0
	# shellcheck disable=SC2086
	"$nstctl" replay "$dir/good.rec" $good --json > /dev/full 2> "$err"
	[ $? = 1 ]
}
check a_full_disk_is_a_failure full

[ $failed = 0 ]
