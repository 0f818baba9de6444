#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests.sh [SCRIPT...]: run self-tests inside a guest, one after the other in
# one boot, as one KTAP stream. Default: all of tests/selftests/*.sh, with
# $NST_SHORT set those that tests/qemu/long.txt does not name.
#
# A self-test prints KTAP, exits 0 when all went well, finds no module of ours
# loaded and leaves none (what it leaves is removed, and is a failure). It has
# the variables of vm.sh, NST_GUEST (vm or uml) and NST_ROUNDS (how often to
# repeat what is repeated), $NST_TEST_LIMIT seconds (default 900 and 5 a round:
# sim_bus_models took 290 in a VM at a load of 17) and a directory of its own to
# write to as the present one. A test that does not suit the guest says
# "1..0 # SKIP why". Sourced files end in .inc, not .sh.
#
# An emulated machine on a host that others use stands still for a second now and
# then, and a test that rests on a timer fails for it. How late timers were is
# measured beside every test in a VM; one that failed while they were more than
# $NST_LATE_MS (default 100) late says nothing, and is run once more, which
# counts, late or not. The user-mode kernel is never late.
#
# What fails once in hundreds of runs is a defect, of the test or of what it
# tests, that whoever makes the next change has not made. The first $NST_AGAIN
# tests (default none) that fail for whatever reason, but for the time limit, are
# run once more, too: make check gives each guest one, and names it at its end;
# the checks that look for such defects, check-uml, check-vm and check-long, give
# none. What the kernel's log complains of stays a failure.
#
# With $NST_JITTER_MS each helper of the library sleeps up to so long first, which
# finds checks that rest on how fast the script is: see nst_lib.inc.

cd "$NST_TOP" || exit 1
if [ $# = 0 ]; then
	left_out=0
	for t in tests/selftests/*.sh; do
		if [ -n "${NST_SHORT:-}" ] &&
		   grep -qx "$(basename "$t" .sh)" tests/qemu/long.txt; then
			left_out=$((left_out + 1))
		else
			set -- "$@" "$t"
		fi
	done
	[ $left_out = 0 ] ||
		echo "# figure: $left_out more in check-long (tests/qemu/long.txt)"
fi
[ -e "$1" ] || { echo "1..0 # SKIP no self-tests"; exit 0; }

# Under TCG the better part of a short command is the dynamic linker: 50 ms with
# it, 11 ms without. The commonest commands come from busybox, which is static,
# and whose shell sleeps without a program.
if { [ "${NST_GUEST:-}" = vm ] || [ -n "${NST_JITTER_MS:-}" ]; } &&
   mkdir -p /run/nst-bin; then
	cp "$(command -v busybox)" /run/nst-bin/busybox
	for c in sh cat sleep basename dirname readlink mkdir rmdir rm true \
		 false tr head tail wc seq kill touch; do
		ln -sf busybox "/run/nst-bin/$c"
	done
	PATH=/run/nst-bin:$PATH
fi

export NST_SELFTESTS="$NST_TOP/tests/selftests"
late_max=${NST_LATE_MS:-100}
again_left=${NST_AGAIN:-0}

# run_test SCRIPT: its output, indented; sets rc and left
run_test()
{
	(
		cd "$dir" || exit 1
		PATH=$NST_BUILD/tests/selftests:$PATH
		export PATH
		timeout -k 5 "${NST_TEST_LIMIT:-$((900 + 5 * ${NST_ROUNDS:-5}))}" \
			sh "$NST_TOP/$1" < /dev/null 2>&1
		echo $? > "$dir/.rc"
	) | sed -u 's/^/  /'
	rc=$(cat "$dir/.rc")
	left=
	for m in nst_sim nst_cci nst_mcu nst; do
		[ ! -d /sys/module/$m ] || left="$left $m"
	done
	if [ -n "$left" ]; then
		echo "# $name left modules loaded:$left"
		if ! nst_unload 2>&1 | sed 's/^/# /'; then
			echo "# and they cannot be unloaded"
		fi
	fi
	case $rc in
	124 | 137) echo "# $name ran into the time limit" ;;
	esac
}

# late_begin, late_end: sets late_ms, 0 where nobody looked
late_begin()
{
	late_pid=
	[ "${NST_GUEST:-}" = vm ] || return 0
	"$NST_BUILD/tests/selftests/nst_late" > /tmp/nst-selftest/late &
	late_pid=$!
}

late_end()
{
	late_ms=0
	[ -n "$late_pid" ] || return 0
	kill "$late_pid"
	wait "$late_pid"
	late_ms=$(sed -n 's/^late //p' /tmp/nst-selftest/late)
	late_ms=${late_ms:-0}
}

echo "KTAP version 1"
echo "1..$#"
n=0
bad=0
for t; do
	n=$((n + 1))
	name=$(basename "$t" .sh)
	dir=/tmp/nst-selftest/$name
	mkdir -p "$dir"
	echo "nst-test: $name" > /dev/kmsg
	echo "# $name"
	late_begin
	run_test "$t"
	late_end
	why=
	case $rc in
	0 | 124 | 137)
		# no time for a second that hangs
		;;
	*)
		if [ -n "$left" ]; then
			:
		elif [ "$late_ms" -gt "$late_max" ]; then
			why="exit status $rc while timers were $late_ms ms late"
		elif [ "$again_left" -gt 0 ]; then
			why="exit status $rc"
			again_left=$((again_left - 1))
		fi
		;;
	esac
	if [ -n "$why" ]; then
		# behind a line that may have no end
		echo
		echo "# again: $name: $why"
		echo "nst-test: $name, again" > /dev/kmsg
		mv "$dir" "$dir.first"
		mkdir -p "$dir"
		run_test "$t"
	fi
	if [ "$rc" = 0 ] && [ -z "$left" ]; then
		echo "ok $n - $name"
	else
		[ "$rc" = 0 ] || echo "# exit status $rc"
		echo "not ok $n - $name"
		bad=1
	fi
done
exit $bad
