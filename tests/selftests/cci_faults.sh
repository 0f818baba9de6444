#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_faults.sh - what a bad bus and a bad part do to a reading

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 33

sensor cam imx477 owner_temp_enable=0 max_temp_mc=150000 || exit 1
T=$HWMON/temp1_input
put "$NST/gate" standby

# --- the enable bit is ours where the table says so, and only while it streams
check "not streaming: not ready" becomes EAGAIN
active 1
check "enabled by us, it reads" becomes 0
check "by one write of two bytes and one" at_least "$(wire bytes_written)" 3
fault hot 45000
sleep 0.1
check "the truth" reads_truth 560

# --- arbitration lost is tried again
lost=$(wire arbitration_lost)
errors=$(get "$NST/stats/sample_errors")
fault arb_lost 1
check "arbitration was lost" gives $((lost + 1)) wire arbitration_lost
sampled 2
check "and no reading with it" same "$errors" \
	"$(get "$NST/stats/sample_errors")"

# --- garbage is no temperature
fault all_ones -1
check "all ones" becomes EIO
fault all_ones 0
waits "$T" '[0-9]*' 70
fault all_zeros -1
check "all zeros: never zero degrees" becomes EAGAIN
stays EAGAIN 1
fault all_zeros 0
check "and back" becomes 0

# --- rails are bounds
fault rail high
sleep 0.1
check "rail high" same 80000 "$(get "$T")"
fault rail low
sleep 0.1
check "rail low" same -20000 "$(get "$T")"
fault rail off
sleep 0.1
check "no rail" reads_truth 560

# --- the value before the first conversion
fault power_on_default 1
active 0
asleep
active 1
check "no value yet: not ready" becomes EAGAIN
stays EAGAIN 1
fault power_on_default 0
check "then there is one" becomes 0

# --- a conversion that comes late is waited for
active 0
asleep
fault late_conversion 200000
active 1
becomes 0
# of up to 200 ms ago, when the die was a little elsewhere: half a step more
check "late, but the truth" reads_truth 1060
fault late_conversion 0

# --- nobody answers
quiet
fault nack -1
check "nobody answers" becomes EIO
check "said once" once 'does not answer when it should'
before=$(wire transfers)
since=$(truth now_us)
sleep 5
tried=$(($(wire transfers) - before))
took=$(($(truth now_us) - since))
note "$tried transfers in $took us"
# after a second, then after twice as long each time
check "then tried slowly" at_most $tried $((1 + took / 1000000))
check "but tried" grows $((before + 1)) wire transfers
check "the guard has gated" same standby "$(get "$NST/gate")"
fault nack 0
check "and found when it is back" waits "$T" '[0-9]*' 70
check "said once more" once 'answers again'
check "not more often" same 1 "$(said 'does not answer when it should')"
unstack cam

# --- two bytes that do not belong together
sensor torn s5kjn1 || exit 1
active 1
becomes 0
put "$NST/gate" standby
fault hot 50000
sleep 1
entries=$(get "$NST/stats/failsafe_entries")
fault torn 1
sampled 5
check "after a torn reading the truth" reads_truth 60
check "and no fail-safe" same "$entries" \
	"$(get "$NST/stats/failsafe_entries")"
unstack torn

# --- a thermometer that shares its transfer with nothing
sensor alone ox03c10 || exit 1
active 1
becomes 0
put "$NST/gate" standby
fault all_zeros -1
check "zeros and nothing else: never zero degrees" becomes EAGAIN
check "not once" stays EAGAIN 1
fault all_zeros 0
check "and back" becomes 0
unstack alone

# --- somebody who cannot get enough; a reading is three transfers
sensor greedy imx296 || exit 1
active 1
becomes 0
before=$(wire transfers)
since=$(truth now_us)
for _i in $(seq 300); do
	cat "$HWMON/temp1_input" > /dev/null
done
took=$(($(truth now_us) - since))
tried=$(($(wire transfers) - before))
note "$tried transfers in $took us"
check "the bus is left to its owner" at_most $tried \
	$((6 * (took / 10000 + 2)))
unstack greedy

# --- one that has lost its calibration
sensor blank ar0331 || exit 1
active 1
becomes 0
put "$NST/gate" standby
sleep 0.3
check "calibrated" reads_truth 420
setreg 30c6 0 0 > /dev/null
setreg 30c8 0 0 > /dev/null
sleep 0.3
check "read once, it stays calibrated" reads_truth 420
put "$COMPANION_DRIVER/unbind" "$(basename "$(readlink -f "$NST/device")")"
put "$COMPANION_DRIVER/bind" "nst-companion.$BUS"
appears blank
use blank
quiet
check "without: no temperature, ever" becomes ENODATA
unstack blank

check "the modules go" nst_unload
finish
