#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_input.sh - what must be refused, with which errno, and what stays
#
# Texts that no attribute knows, thresholds out of order, ioctls of wrong
# sizes and flags, a second lease. After each refusal all values are as before.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
stack input clock=step

# FILE TEXT ERRNO, with the thresholds at 60000, 80000, 100000
cases="
policy/engine|Hold|EINVAL
policy/engine|holdx|EINVAL
policy/engine|auto|EINVAL
policy/high_temp|hot|EINVAL
policy/high_temp|80000 C|EINVAL
policy/high_temp|80.5|EINVAL
policy/high_temp|none|EINVAL
policy/high_temp|99999999999999999999|EINVAL
policy/high_temp|4294967296|EINVAL
policy/high_temp|100001|EINVAL
policy/high_temp|60000|EINVAL
policy/high_temp|59999|EINVAL
policy/low_temp|80000|EINVAL
policy/low_temp|80001|EINVAL
policy/low_temp|-60001|EINVAL
policy/low_temp|cold|EINVAL
policy/max_temp|79999|EINVAL
policy/max_temp|105001|EINVAL
policy/max_temp|max|EINVAL
policy/capture_temp|soon|EINVAL
policy/capture_temp|250001|EINVAL
policy/auto|2|EINVAL
policy/auto|yes|EINVAL
policy/auto|-1|EINVAL
policy/dwell_ms|-1|EINVAL
policy/dwell_ms|60001|EINVAL
policy/dwell_ms|1s|EINVAL
policy/stop_frames|0|EINVAL
policy/stop_frames|1001|EINVAL
policy/lease_ms|9|EINVAL
policy/lease_ms|600001|EINVAL
gate|open|EINVAL
gate|Run|EINVAL
gate|0|EINVAL
gate_off/budget|many|EINVAL
gate_off/budget|-1|EINVAL
gate_off/budget|4294967296|EINVAL
exposure_us|long|EINVAL
exposure_us|0|EINVAL
frame_period_us|10|EINVAL
frame_period_us|99999999|EINVAL
"

put "$NST/policy/low_temp" 60000
put "$NST/policy/high_temp" 80000
put "$NST/policy/max_temp" 100000
plan 15

nst_refuse "$NST" policy/engine policy/high_temp policy/low_temp \
	policy/max_temp policy/capture_temp policy/auto policy/dwell_ms \
	policy/stop_frames policy/lease_ms gate owner exposure_us readout_us \
	frame_period_us gate_run/budget gate_off/budget > refuse.out << EOF
$cases
EOF
status=$?
sed 's/^/  /' refuse.out
check "texts that no attribute knows" same 0 "$status"

# root may open what nobody can write
for f in name provider owner frame_source stats/samples; do
	check "$f cannot be written" same 444 "$(stat -c %a "$NST/$f")"
done

check "a threshold by hand turns auto off" same 0 "$(get "$NST/policy/auto")"
put "$NST/policy/auto" 1
check "auto can be turned on" same 1 "$(get "$NST/policy/auto")"
put "$NST/policy/capture_temp" 74000
check "capture_temp by hand too" same "74000 0" \
	"$(get "$NST/policy/capture_temp") $(get "$NST/policy/auto")"
put "$NST/policy/capture_temp" none
check "capture_temp can be none" same none "$(get "$NST/policy/capture_temp")"
put "$NST/policy/dwell_ms" 10
put "$NST/policy/auto" 1
check "dwell_ms is no threshold" same 1 "$(get "$NST/policy/auto")"
put "$NST/policy/dwell_ms" 0

# Values with a line feed, as a shell writes them, are values.
echo standby > "$NST/gate" && echo none > "$NST/policy/engine" &&
	echo 81000 > "$NST/policy/high_temp"
check "a line feed does not matter" same "none 81000" \
	"$(get "$NST/policy/engine") $(get "$NST/policy/high_temp")"
put "$NST/policy/auto" 1
put "$NST/policy/engine" hold
put "$NST/gate" run

# A lease that runs out is another test's affair.
put "$NST/policy/lease_ms" 600000
nst_ioctl "$DEV" > ioctl.out
status=$?
sed 's/^/  /' ioctl.out
check "ioctls" same 0 "$status"
check "SET_LIMITS leaves auto on" same 1 "$(get "$NST/policy/auto")"
check "and the limits are there" same 80000 "$(get "$NST/policy/high_temp")"

unstack input
nst_unload
finish
