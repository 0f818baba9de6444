#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# uml.sh [-f FLAVOUR] [-r] [-d DTS] [-t SECONDS] [-o DIR] [-e NAME=VALUE]...
#	SCRIPT [ARG...]
#
# Run SCRIPT in the user-mode kernel, with the host's tree as it is: same paths,
# same programs, writable in memory only. Same surroundings for the script as
# in tests/qemu/vm.sh, and our modules from build/uml-<flavour>/.
#
#	-f	kasan (default; KASAN, lockdep, atomic-sleep checks) or kmemleak
#	-r	real time. Without it guest time stands still while the guest
#		computes and jumps when it sleeps (time-travel=inf-cpu): sleeps
#		cost nothing, timers are never late, runs repeat. A loop that
#		waits for a clock without sleeping never ends.
#	-d	boot with this device tree, compiled with dtc from its source
#		(default tests/dt/plain.dts)
#	-t	seconds of the host after which the guest is ended (default 600)
#	-o, -e	as vm.sh
#
# Exit status: as vm.sh; also 123 when lockdep had switched itself off, or
# kmemleak has something to report.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/kernels.sh"

flavour=kasan
travel=time-travel=inf-cpu
dts=$top/tests/dt/plain.dts
limit=600
out=
envs=
quote()
{
	printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}
while getopts f:rd:t:o:e: o; do
	case $o in
	f) flavour=$OPTARG ;;
	r) travel= ;;
	d) dts=$OPTARG ;;
	t) limit=$OPTARG ;;
	o) out=$OPTARG ;;
	e) envs="$envs
export ${OPTARG%%=*}=$(quote "${OPTARG#*=}")" ;;
	*) sed -n '4,24s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { echo "uml.sh: which script?" >&2; exit 2; }

kernel=$("$top/tests/uml/build.sh" "$flavour")
rel=$(cat "$kernel/include/config/kernel.release")
build=$top/build
script=$(readlink -f "$1") || { echo "uml.sh: no script '$1'" >&2; exit 2; }
shift

uml=
keep=$out
cleanup()
{
	trap '' INT TERM HUP
	if [ -n "$uml" ]; then
		kill "$uml" 2> /dev/null || true
		wait "$uml" 2> /dev/null || true
	fi
	rm -rf "$tmp"
}
tmp=$(mktemp -d)
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
[ -n "$out" ] || out=$tmp/out
mkdir -p "$out"
out=$(cd "$out" && pwd)
for f in status dmesg console tainted lockdep kmemleak; do
	rm -f "${out:?}/$f"
done

dtc -q -I dts -O dtb -o "$tmp/dtb" "$dts" || {
	echo "uml.sh: $dts is no device tree" >&2
	exit 2
}

modroot=$build/root-uml-$flavour
"$top/tests/lib/modroot.sh" "$kernel/root" "$rel" "$modroot" \
	"$build/uml-$flavour" "$build/uml-$flavour-kunit"

cp "$top/tests/lib/guest.sh" "$out/guest.sh"
{
	echo "export NST_TOP=$(quote "$(readlink -f "$top")")"
	echo "export NST_BUILD=$(quote "$(readlink -f "$top")/build")"
	echo "export NST_MODROOT=$(quote "$(readlink -f "$modroot")")"
	echo "export NST_GUEST=uml NST_CACHE=$(quote "$NST_CACHE")"
	echo "export NST_TIME_TRAVEL=$travel"
	echo "$envs"
} > "$out/env"
{
	printf exec
	for a in "$script" "$@"; do
		printf ' %s' "$(quote "$a")"
	done
	echo
} > "$out/cmd"

# What the script prints comes on tty1, kernel messages on tty0. This shell
# keeps the pipe open till the kernel is gone, so that cat sees an end.
mkfifo "$tmp/pipe"
exec 8<> "$tmp/pipe"
cat < "$tmp/pipe" 8>&- &
reader=$!

set -- "$kernel/linux" "mem=${NST_UML_MEM:-1024M}" \
	root=/dev/root rootfstype=hostfs rootflags=/ ro \
	"init=$(readlink -f "$top")/tests/uml/init" "NST_TEST_OUT=$out" \
	con0=null,fd:1 con1=null,fd:3 con=null ssl=null \
	"umid=nst$$" "uml_dir=$tmp/" kunit.enable=1 panic=-1 oops=panic \
	loglevel=5 "dtb=$tmp/dtb" $travel
if command -v setpriv > /dev/null; then
	set -- setpriv --pdeathsig TERM "$@"
fi
timeout -k 5 "$limit" "$@" < /dev/null > "$out/console" 2>&1 \
	3> "$tmp/pipe" 8>&- &
uml=$!
rc=0
wait "$uml" || rc=$?
uml=
exec 8>&-
wait "$reader" || true

if [ "$rc" = 124 ] || [ "$rc" = 137 ]; then
	echo "uml: ended after $limit s" >&2
	tail -n 20 "$out/console" >&2
	status=124
elif [ ! -s "$out/status" ]; then
	echo "uml: the kernel died (exit status $rc); its last words:" >&2
	tail -n 60 "$out/console" >&2 || true
	status=125
else
	status=$(cat "$out/status")
fi

fault()
{
	echo "uml: $1" >&2
	[ "$status" != 0 ] || status=123
}
log=$out/dmesg
[ -s "$log" ] || log=$out/console
if [ -s "$log" ] && ! complaint=$("$top/tests/lib/klog.sh" \
	-b "$top/tests/lib/baseline/uml-$flavour" "$log"); then
	fault "the kernel complained:"
	echo "$complaint" | head -n 80 >&2
fi
if [ -s "$out/lockdep" ] && ! grep -q 'debug_locks: *1' "$out/lockdep"; then
	fault "lockdep is off ($(tr -s ' ' < "$out/lockdep")); see $log"
fi
if [ -s "$out/kmemleak" ]; then
	fault "kmemleak reports:"
	head -n 60 "$out/kmemleak" >&2
fi
[ -n "$keep" ] || rm -rf "$out"
exit "$status"
