#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# gpio_line.sh - a line of the host by libgpiod, 1 and 2: taken as it is,
# driven, active-low, busy, and safe in every end; and nstd on a board whose
# driver has no gate.

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci

NAME=lines
board $NAME attach=cci gate=none clock=real bus_hz=0 || exit 1
if ! ls /dev/gpiochip* > /dev/null 2>&1; then
	unstack $NAME
	nst_unload
	skip_all "needs the GPIO character device"
fi
GPIOD2=$NST_BUILD/gpiod2/gpio_line
[ -x "$GPIOD2" ] || GPIOD2=
# libgpiod 1 wants GPIO_CDEV_V1, which the user-mode kernel has not.
case $(gpio_line nothing) in
EOPNOTSUPP*) GPIOD1= ;;
*) GPIOD1=gpio_line ;;
esac
unstack $NAME
TESTS=1
[ -z "$GPIOD1" ] || TESTS=$((TESTS + 16 + 9))
[ -z "$GPIOD2" ] || TESTS=$((TESTS + 16))
plan $TESTS
LINE=nst-sim-$NAME:0

# hold: take the line and wait; what is written to fd 7 is set
hold()
{
	rm -f in
	mkfifo in
	$PROGRAM $LINE hold < in > out 2>&1 &
	HOLDER=$!
	exec 7> in
	waits out '*holding' 20
}

# numberless: on one line, less the number of the chip, which 6.1 keeps from
# one that went
numberless()
{
	sed 's/gpiochip[0-9]*/gpiochip/' | paste -s -d ' '
}

# gate_becomes GATE: within ten seconds
gate_becomes()
{
	waits "$SIM/truth" "*gate $1
*" 10
}

# lines VERSION: one version of the library
# Writing to one that ended must not end us.
trap "" PIPE

lines()
{
	_v="libgpiod $1"
	board $NAME attach=cci gate=none clock=real bus_hz=0 || exit 1
	check "$_v: take, look" sh -c "$PROGRAM $LINE get > out"
	check "$_v: it was as it is" same \
		"taken $LINE (gpiochip line 0) 1 1" "$(numberless < out)"
	check "$_v: let go it is safe" same standby "$(truth gate)"
	hold
	check "$_v: and stays so when taken again" same standby "$(truth gate)"
	echo 1 >&7
	check "$_v: driven: run" gate_becomes run
	echo 0 >&7
	check "$_v: driven: standby" gate_becomes standby
	check "$_v: somebody else is told who has it" same \
		"EBUSY line $LINE (gpiochip line 0) is taken by 'nst'" \
		"$($PROGRAM $LINE | numberless)"
	echo 1 >&7
	gate_becomes run
	exec 7>&-
	wait $HOLDER
	check "$_v: an end in order" same standby "$(truth gate)"

	hold
	echo 1 >&7
	gate_becomes run
	kill -KILL $HOLDER
	wait $HOLDER 2> /dev/null
	exec 7>&-
	check "$_v: killed: its guard stops the VPU" gate_becomes standby

	check "$_v: active-low" sh -c "$PROGRAM $LINE low get 0 get > out"
	check "$_v: low is active" same \
		"taken $LINE (gpiochip line 0) 1 1 0" "$(numberless < out)"
	check "$_v: and not active is high: run" same run "$(truth gate)"
	check "$_v: so is one that a driver has" same \
		"EBUSY line nst-sim-$NAME:1 (gpiochip line 1) is taken by 'frame-sync'" \
		"$($PROGRAM nst-sim-$NAME:1 | numberless)"
	check "$_v: no such line" same \
		"ENODEV no line 'nst-sim-$NAME:9' on any chip" \
		"$($PROGRAM nst-sim-$NAME:9)"

	hold
	check "$_v: the stack goes while it is held" \
		put "$CONFIG/$NAME/live" 0
	echo 1 >&7
	wait $HOLDER
	exec 7>&-
	check "$_v: who holds it is told" \
		sh -c "tail -n 1 out | grep -q '^ENODEV'"
	rmdir "$CONFIG/$NAME"
}

PROGRAM=$GPIOD1
[ -z "$PROGRAM" ] || lines 1
PROGRAM=$GPIOD2
[ -z "$PROGRAM" ] || lines 2

# --- nstd on a board without a gate of the driver's --------------------------

# It is built with version 1.
[ -n "$GPIOD1" ] || { check "the modules go" nst_unload; finish; exit; }

# profile LINE
profile()
{
	cat > nst.yaml <<- END
	version: 1
	sensors:
	  - name: cam0
	    device: gated
	    thermal: { preset: stacked-reference }
	    power: { preset: neurostream, capture_mw: 100 }
	    light: { preset: dim }
	    gpio: { gate_line: "$1" }
	tasks:
	  - name: see
	    sensor: cam0
	    kind: vision
	    fps: 30
	    fidelity: { max_temp_mc: 45000 }
	    policy: stop-capture-go
	END
}

SOCK=$PWD/nstd.sock

sensor gated imx477 gate=none power_run_mw=2500
check "a board whose driver has no gate" same 0 $?
profile nst-sim-gated:9
check "no line: nstd does not start" \
	sh -c "! nstd -f -c nst.yaml -s $SOCK 2> log"
check "and says which" grep -q "no line 'nst-sim-gated:9' on any chip" log

profile nst-sim-gated:0
nstd -f -c nst.yaml -s "$SOCK" 2> log &
NSTD=$!
check "with its line nstd governs it" waits log '*governs*' 60
active 1
check "above 45 degC it stops the VPU" gate_becomes standby
check "and lets it run again, and so on" sh -c "
	i=0
	while [ \$i -lt 100 ]; do
		nstctl status --json --socket $SOCK > status 2> /dev/null
		grep -q '\"placement\": *\"near\"' status && near=1
		grep -q '\"placement\": *\"paused\"' status && paused=1
		[ -z \"\$near\" ] || [ -z \"\$paused\" ] || exit 0
		sleep 0.1
		i=\$((i + 1))
	done
	exit 1"
kill -KILL $NSTD
wait $NSTD 2> /dev/null
check "killed: the VPU is stopped" gate_becomes standby
unstack gated

sensor gated imx477
check "a driver with a gate" same 0 $?
check "needs no line: refused" sh -c "! nstd -f -c nst.yaml -s $SOCK 2> log &&
	grep -q 'has a gate of its own' log"
unstack gated
check "the modules go" nst_unload
finish
