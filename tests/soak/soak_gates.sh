#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# soak_gates.sh - 10,000 stop/go cycles on each of three stacks, all streaming
#
# One stack speaks to the core directly, one through a line and the companion of
# a sensor, one through the registers of an MCU. Each is stopped and let go at
# frame boundaries by a lease holder of its own. Afterwards everybody who counts
# must have counted the same: the holder's events, the core, the hardware; and
# the kernel must hold no more memory than before. NST_SOAK_CYCLES is the number.

. "${NST_TOP:-$(dirname "$0")/../..}/tests/soak/soak_lib.inc"

CYCLES=${NST_SOAK_CYCLES:-10000}
WARM=$((CYCLES / 20 + 20))
KINDS="direct cci mcu"
command -v v4l2-ctl > /dev/null || skip_all "needs v4l2-ctl"
begin
plan $((3 * 8 + 2))

# cycles N: on all three at once; their reports to gates-KIND
cycles()
{
	_pids=
	for _k in $KINDS; do
		use "soak-$_k"
		soak_cycles -n "$1" "$DEV" > "gates-$_k" 2>&1 &
		_pids="$_pids $!"
	done
	for _p in $_pids; do
		wait "$_p"
	done
}

# of the stack in use
gates_failed()
{
	echo $(($(get "$NST/stats/gate_faults") + $(get "$NST/stats/gate_retries")))
}

was=
for k in $KINDS; do
	stack "soak-$k" clock=real attach="$k" || exit 1
	[ "$(get "$NST/name")" = "soak-$k" ] || {
		echo "Bail out! the stack with attach=$k makes no device"
		exit 1
	}
	put "$NST/policy/dwell_ms" 0
	stream "soak-$k"
done
sleep 2
cycles $WARM
before_kb=$(kernel_kb)
for k in $KINDS; do
	use "soak-$k"
	eval "changes_$k=$(get "$NST/stats/gate_changes")"
	eval "errors_$k=$(get "$NST/stats/sample_errors")"
	# An MCU that starts keeps the VPU gated until it has a temperature, and
	# a boundary within that time sees it.
	eval "failed_$k=$(gates_failed)"
	eval "cycles_$k=$(get "$NST/gate_standby/cycles")"
	eval "frames_$k=$(truth frames_delivered)"
	[ "$k" = direct ] || eval "wire_$k=$(bus gate_cycles)"
done
cycles "$CYCLES"
for k in $KINDS; do
	use "soak-$k"
	check "$k: the holder saw $CYCLES stops and as many starts" same \
		"cycles $CYCLES closed $CYCLES opened $CYCLES lost 0 faults 0" \
		"$(cat "gates-$k")"
	eval "was=\$changes_$k"
	check "$k: the core counted twice that" same $((2 * CYCLES)) \
		$(($(get "$NST/stats/gate_changes") - was))
	eval "was=\$cycles_$k"
	check "$k: and the gate its cycles" same "$CYCLES" \
		$(($(get "$NST/gate_standby/cycles") - was))
	if [ "$k" = direct ]; then
		skip "$k: the hardware" "the stack is the provider"
	else
		eval "was=\$wire_$k"
		check "$k: and the hardware" same "$CYCLES" \
			$(($(bus gate_cycles) - was))
	fi
	eval "was=\$failed_$k"
	check "$k: no gate failed, or was told again" same 0 \
		$(($(gates_failed) - was))
	eval "was=\$errors_$k"
	check "$k: no reading failed" same 0 \
		$(($(get "$NST/stats/sample_errors") - was))
	check "$k: no fail-safe" same 0 "$(get "$NST/stats/failsafe_entries")"
	eval "was=\$frames_$k"
	now=$(truth frames_delivered)
	note "$k: $((now - was)) frames, $(truth frames_missed) missed"
	check "$k: frames came all the while" at_least $((now - was)) \
		$((2 * CYCLES - 2))
done
check "the cameras still stream" streams_run
after_kb=$(kernel_kb)
allowed_kb=$(kernel_kb_allowed)
note "the kernel holds $before_kb KiB before, $after_kb KiB after" \
	"$CYCLES cycles; $allowed_kb more are allowed"
check "memory is flat" at_most $((after_kb - before_kb)) "$allowed_kb"
streams_stop
cleanup_stacks
nst_unload
finish
