#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_families.sh - one sensor of every family, read over its owner's bus
#
# The emulated sensors turn a temperature into a code, the companion a code into
# a temperature; the two share nothing. Each is read at three temperatures while
# the owner streams, and is left alone, not woken, while it does not.

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci

# model, and half a step of its reading, or a step where the source is a table
models="imx477:500 imx708:500 imx500:500 imx219:1650 imx296:160 ar0144:360
	ar0234:360 ar0331:360 ar0231:360 ov48b:500 ox03c10:10 s5kjn1:10
	vd56g3:500"
# shellcheck disable=SC2086 # a list of words
set -- $models
plan $(($# * 8 + 4))

for m; do
	model=${m%:*}
	tolerance=$((${m#*:} + 60))
	sensor "$model" "$model" owner_autosuspend_ms=100 \
		property="nst,model \"$model\"" || exit 1
	check "$model: its name" same "$model" "$(get "$NST/model")"
	put "$NST/gate" standby

	# Nobody streams: the owner has put it to sleep.
	check "$model: sleeps" asleep
	resumes=$(wire owner_resumes)
	transfers=$(wire transfers)
	nst_read "$HWMON/temp1_input" > /dev/null
	check "$model: asleep it is not ready" same EAGAIN \
		"$(nst_read "$HWMON/temp1_input")"
	check "$model: and is let sleep" same "$resumes $transfers suspended" \
		"$(wire owner_resumes) $(wire transfers) $(get \
		"$CLIENT/power/runtime_status")"

	active 1
	becomes 0
	for mc in 27000 48500 71300; do
		fault hot $mc
		sleep 0.1
		check "$model: at $mc" reads_truth $tolerance
	done
	check "$model: nothing of the owner's was written" same "0 0" \
		"$(wire foreign_stream) $(wire foreign_enable)"
	if [ "$model" = ar0231 ]; then
		check "two dies: the second has a name" same die2 \
			"$(get "$HWMON/temp2_label")"
		check "two dies: and reads" becomes 0 "$HWMON/temp2_input"
		# Which is the die's: with the gate closed no layer heats.
		check "two dies: by its own calibration" reads_truth \
			$tolerance die_mc temp2_input
	fi
	active 0
	unstack "$model"
done
check "the modules go" nst_unload
finish
