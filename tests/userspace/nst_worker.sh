#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst-worker as users start it: exit codes, and what it says is missing. What
# it does on an emulated stack is in tests/selftests/handover.sh.

top=${NST_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${NST_BUILD:-$top/build}
worker=$build/nst-worker
dir=$(mktemp -d) || exit 1
pid=
n=0
failed=0

cleanup()
{
	[ -z "$pid" ] || kill "$pid" 2> /dev/null
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
cd "$dir" || exit 1

check()
{
	_name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n $_name"
	else
		failed=$((failed + 1))
		echo "not ok $n $_name"
		sed 's/^/# /' err
	fi
}

# ends CODE TEXT [ARGUMENT]...: exit status, and a message with TEXT
ends()
{
	_code=$1
	_text=$2
	shift 2
	timeout 20 "$worker" "$@" > out 2> err < /dev/null
	_rc=$?
	[ $_rc = "$_code" ] || { echo "# exit status $_rc"; return 1; }
	grep -q -- "$_text" out err
}

echo "TAP version 14"
check help ends 0 "usage: nst-worker" --help
check "no home" ends 3 "a home (near or far)" --task see
check "no task" ends 3 "and --task are needed" far
check "two homes" ends 3 "one home is enough" near far --task see
check "no such home" ends 3 "near or far" there --task see
check "unknown option" ends 3 "'--bogus'" far --task see --bogus
check "no nstd" ends 2 "nstd does not answer on 'none.sock'" \
	far --task see --socket none.sock
NST_SOCKET=env.sock
export NST_SOCKET
check "no nstd where NST_SOCKET says" \
	ends 2 "nstd does not answer on 'env.sock'" far --task see
check "output that cannot be opened" ends 1 "nowhere/file" \
	far --task see --output nowhere/file

cat > profile.yaml << 'END'
version: 1
sensors:
  - name: cam
    device: plant
    camera: "card:nobody"
    thermal: { preset: stacked-reference }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }
tasks:
  - name: see
    sensor: cam
    kind: vision
    fps: 30
    fidelity: { min_snr_db: 20 }
    policy: seasonal-migration
END
"$build/nstd" --foreground --config profile.yaml --socket sock --emulate 1 \
	2> log &
pid=$!
t=200
while [ $t -gt 0 ] && [ ! -S sock ]; do
	sleep 0.05
	t=$((t - 1))
done
check "no such task, and those there are" ends 2 "there are: see" \
	far --task seen --socket sock
check "the profile's camera is not there" \
	ends 2 "camera 'card:nobody' is not there, there are: " \
	far --task see --socket sock
check "a camera that is none" ends 1 "/dev/null" \
	far --task see --socket sock --camera /dev/null
check "a selector of another form" ends 1 "camera 'video0'" \
	far --task see --socket sock --camera video0
check "no processor" ends 2 "/dev/nst-vpu-" near --task see --socket sock
check "the task is as it was" sh -c \
	"'$build/nstctl' status --socket sock | grep -q 'near missing, far missing'"
NST_SOCKET=sock
check "nstctl looks where NST_SOCKET says" sh -c \
	"'$build/nstctl' status | grep -q 'near missing, far missing'"
echo "1..$n"
[ $failed = 0 ]
