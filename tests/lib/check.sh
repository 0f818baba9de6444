#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh all|style|core|vm|uml|long: the tests behind make check. Every part speaks
# KTAP through ktap.pl; the last line is the sum, "N passed, N failed". Exit
# status 0 only when something passed and nothing failed.
#
# Two halves of about the same length run beside each other. The user-mode
# kernel takes the longest to build and needs nothing of the rest: all about it
# runs in the background, before the rest when both want the processor, and is
# shown when it is done.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
. tests/lib/kernels.sh

what=${1:-all}
# Rounds of loading, streaming, unbinding and unloading. One takes 2 s in the
# VM under TCG and 1 s in the user-mode kernel, where KASAN and lockdep watch:
# check does 50 there and 20 in the VM; check-uml, check-long, and check-vm with
# NST_ROUNDS=200, do 200.
uml_rounds=${NST_ROUNDS:-200}
[ "$what" != all ] || uml_rounds=${NST_ROUNDS:-50}
vm_rounds=${NST_ROUNDS:-20}
[ "$what" != long ] || vm_rounds=${NST_ROUNDS:-200}
# The self-tests of tests/qemu/long.txt: in the user-mode kernel alone.
vm_short=
[ "$what" != all ] || vm_short=1
# Self-tests of a guest that may fail once: see selftests.sh.
[ "$what" != all ] || NST_AGAIN=${NST_AGAIN:-1}
export NST_AGAIN="${NST_AGAIN:-0}"
# Moves of a task between its workers (tests/selftests/handover.sh).
[ "$what" != long ] || export NST_MOVES="${NST_MOVES:-1000}"
# Stop/go cycles of each of three stacks in the soak: 10,200 of them together in
# check, 10,000 on each in check-uml and check-long.
[ "$what" != all ] || export NST_SOAK_CYCLES="${NST_SOAK_CYCLES:-3400}"
mkdir -p build
# a tally of its own: two checks of one tree may run at a time
tally=${NST_TALLY:-build/tally.$$}
[ -n "${NST_TALLY:-}" ] || : > "$tally"
began=$(date +%s)
background=

finish()
{
	trap '' INT TERM HUP
	# a process group of its own: all of it
	[ -z "$background" ] || kill -- "-$background" 2> /dev/null
	[ -n "${NST_TALLY:-}" ] || rm -f "$tally" "$tally.half" "$tally.again"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

part()
{
	echo "== $1"
}

ktap()
{
	tests/lib/ktap.pl ${V:+-v} "$@"
}

# A step that is a test by itself: it has to succeed.
step()
{
	_name=$1
	shift
	ktap "$_name" "$tally" tests/lib/step.sh "$_name" "$@"
}

do_core()
{
	part "core and userspace, under ASan and UBSan"
	step build-sanitized make -s -j"$(nproc)" SAN=1 userspace test-programs
	ktap core "$tally" tests/core/run.sh
	do_userspace
}

do_firmware()
{
	part "firmware: its application on the host, its image in QEMU"
	ktap firmware "$tally" tests/firmware/run.sh
}

do_userspace()
{
	export NST_TOP="$top" NST_BUILD="$top/build/san"
	for t in build/san/tests/userspace/*; do
		[ -f "$t" ] && [ -x "$t" ] || continue
		# only what there is a source for: build/ may be older
		[ -e "tests/userspace/${t##*/}.c" ] || continue
		ktap "userspace/${t##*/}" "$tally" timeout 900 "$t"
	done
	for t in tests/userspace/*.sh; do
		[ -e "$t" ] || continue
		ktap "userspace/$(basename "$t" .sh)" "$tally" \
			timeout 900 sh "$t"
	done
	unset NST_BUILD NST_TOP
}

# do_vm LINE
do_vm()
{
	part "self-tests on the stock kernel $1"
	step "module-$1" tests/lib/module.sh "$1" || return
	# it works for root only
	[ "$(id -u)" != 0 ] || step "dkms-$1" tests/lib/dkms.sh build "$1"
	ktap "vm-$1" "$tally" tests/qemu/vm.sh -k "$1" -t "${VM_LIMIT:-3000}" \
		-e "NST_ROUNDS=$vm_rounds" -e "NST_SHORT=$vm_short" \
		-e "NST_AGAIN=$NST_AGAIN" \
		tests/lib/selftests.sh
}

# do_uml FLAVOUR
do_uml()
{
	part "KUnit, self-tests and soak in a user-mode kernel with $1"
	step "uml-build-$1" tests/uml/build.sh "$1" || return
	ktap "uml-$1" "$tally" tests/uml/run.sh "$1"
	part "binding from a device tree in the user-mode kernel with $1"
	ktap "dt-$1" "$tally" tests/uml/dt.sh "$1"
}

# The table of what users of other drivers reported, with its tests.
do_peers()
{
	part "reported of others, and the test for it here (tests/peers.txt)"
	ktap peers "$tally" tests/lib/peers.sh
}

programs()
{
	part "programs"
	step build make -s -j"$(nproc)" userspace test-programs
}

summary()
{
	# shellcheck disable=SC2046 # three numbers
	set -- $(awk '{ p += $2; f += $3; s += $4 }
		END { print p + 0, f + 0, s + 0 }' "$tally")
	echo "== $what took $(($(date +%s) - began)) s"
	awk '$3 > 0 { print "failed: " $1 }' "$tally"
	[ "$3" = 0 ] || echo "$3 skipped"
	_again=$([ ! -e "$tally.again" ] || wc -l < "$tally.again")
	[ "${_again:-0}" = 0 ] || {
		echo "$_again ran twice, failing first:"
		sed 's/^/  /' "$tally.again"
	}
	echo "$1 passed, $2 failed"
	[ "$1" -gt 0 ] && [ "$2" = 0 ]
}

[ "$what" = _half ] || tests/lib/deps.sh || exit

case $what in
style)
	ktap style "$tally" tests/style/style.sh
	;;
core)
	do_core
	do_firmware
	;;
vm)
	programs
	do_vm "${KVER:-6.1}"
	;;
uml)
	programs
	do_uml kasan
	do_uml kmemleak
	;;
all | long)
	programs
	NST_TALLY=$tally NST_ROUNDS=$uml_rounds \
		perl -e 'setpgrp(0, 0); exec @ARGV' \
		tests/lib/check.sh _half > "$tally.half" 2>&1 &
	background=$!
	renice -n 5 -p $$ > /dev/null
	part style
	ktap style "$tally" tests/style/style.sh
	do_peers
	do_core
	do_firmware
	do_vm 6.1
	# the same sources on the newer kernel: whether they work there, not
	# for how long
	[ "$what" = long ] || vm_rounds=${NST_ROUNDS:-5}
	do_vm 6.12
	wait "$background"
	background=
	cat "$tally.half"
	# died before it could say so
	grep -q "^dt-kasan " "$tally" || echo "dt-kasan 0 1 0 0" >> "$tally"
	if [ "$what" = long ]; then
		do_uml kmemleak
		part "kernels without this and that"
		ktap matrix "$tally" tests/uml/matrix.sh
		part "the VM to sit in: calibrate, a task, dim light"
		ktap walk "$tally" tests/demo/walk.sh
		part "the core broken on purpose"
		ktap mutants "$tally" tests/core/mutants.sh
		ktap firmware-mutants "$tally" tests/firmware/mutants.sh
	fi
	;;
_half)
	do_uml kasan
	exit
	;;
*)
	echo "check.sh: all, style, core, vm, uml or long" >&2
	exit 2
	;;
esac
summary
