#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs nstd and nstctl as users start them: exit codes, lock,
# background, signals, what they print. Devices are emulated (--emulate).

top=${NST_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${NST_BUILD:-$top/build}
nstd=$build/nstd
nstctl=$build/nstctl
dir=$(mktemp -d) || exit 1
pid=
n=0
failed=0
planned=26

cleanup()
{
	[ -z "$pid" ] || kill -9 "$pid" 2> /dev/null
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
	fi
}

skip()
{
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}

# gives CODE PATTERN COMMAND...: exit code, and a line of its messages
gives()
{
	_code=$1
	_pattern=$2
	shift 2
	timeout 20 "$@" > out 2>&1 < /dev/null
	_rc=$?
	[ $_rc = "$_code" ] || echo "# exit code $_rc, not $_code"
	grep -q -e "$_pattern" out || sed 's/^/# /' out
	[ $_rc = "$_code" ] && grep -q -e "$_pattern" out
}

# until PATTERN FILE: within ten seconds
until_line()
{
	_t=200
	while [ $_t -gt 0 ]; do
		grep -q -e "$1" "$2" 2> /dev/null && return 0
		sleep 0.05
		_t=$((_t - 1))
	done
	sed 's/^/# /' "$2"
	return 1
}

cat > good.yaml << 'END'
version: 1
sensors:
  - name: cam0
    device: one
    thermal: { preset: stacked-reference }
    power: { preset: neurostream, capture_mw: 100 }
    light: { preset: dim }
tasks:
  - name: see
    sensor: cam0
    kind: vision
    fps: 30
    fidelity: { min_snr_db: 20 }
    policy: seasonal-migration
END
sed 's/policy:/polici:/' good.yaml > typo.yaml

echo "KTAP version 1"
echo "1..$planned"

# --- the command line ------------------------------------------------------

check help gives 0 "^usage: nstd" "$nstd" --help
check bad_option gives 3 "unrecognized option" "$nstd" --nonsense
check nearest_option gives 3 \
	"did you mean '--config'? valid options: --config, --socket" \
	"$nstd" --confg x
check option_without_value gives 3 "requires an argument" "$nstd" --config
check stray_word gives 3 "'status' is not an option" "$nstd" status
check bad_number gives 3 "a whole number from 1 to 64" "$nstd" --emulate 0
check no_profile gives 4 "none.yaml: No such file" \
	"$nstd" -f -c none.yaml -s s.sock --emulate 1
check typo_in_profile gives 4 "typo.yaml:14:5: .*polici" \
	"$nstd" -f -c typo.yaml -s s.sock --emulate 1
mkdir root
check no_device gives 2 "no device named 'one', there are: none" \
	"$nstd" -f -c good.yaml -s s.sock --root root
check check_says_so gives 2 "device 'one': No such device" \
	"$nstd" --check -c good.yaml --root root
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
	chmod 755 .
	mkdir -m 755 closed
	check no_permission gives 6 "lock file" setpriv --reuid 65534 \
		--regid 65534 --clear-groups "$nstd" -f -c good.yaml \
		-s closed/s.sock --emulate 1
else
	skip no_permission "needs root and setpriv"
fi
ln -s victim link.sock.lock
symlink()
{
	gives 1 "lock file 'link.sock.lock'" "$nstd" -f -c good.yaml \
		-s link.sock --emulate 1 && [ ! -e victim ]
}
check lock_follows_no_link symlink
echo mine > file
check socket_replaces_no_file gives 1 "socket 'file': Address already in use" \
	"$nstd" -f -c good.yaml -s file --emulate 1
file_stays()
{
	[ "$(cat file)" = mine ]
}
check file_stays file_stays
mkfifo fifo
# Must not wait for a reader, with the lease taken.
check record_waits_for_no_reader gives 1 "recording 'fifo'" \
	"$nstd" -f -c good.yaml -s s.sock -r fifo --emulate 1
# Whoever reads the messages goes: that must not end the governor.
messages_unread()
{
	mkfifo messages
	"$nstd" -f -c good.yaml -s u.sock --emulate 16 2> messages &
	_p=$!
	head -n 1 messages | grep -q governs || echo "# no message"
	kill -HUP $_p	# something to say, and nobody to say it to
	gives 0 "cam0: plant:one, governed" "$nstctl" status --socket u.sock
	_rc=$?
	kill $_p
	wait $_p || _rc=1
	[ $_rc = 0 ] && [ ! -e u.sock ]
}
check messages_unread messages_unread
check status_needs_nstd gives 2 "nstd is not running" \
	"$nstctl" status --socket s.sock

# --- a run in the background -----------------------------------------------

background()
{
	timeout 20 "$nstd" -c good.yaml -s s.sock -r x.rec --emulate 16 \
		2> log < /dev/null > /dev/null || return 1
	pid=$(cat s.sock.lock)
	kill -0 "$pid" && [ "$(stat -c %a s.sock.lock)" = 600 ] &&
		case $(stat -c %a s.sock) in 600 | 660) true ;; *) false ;; esac
}
check background background
check second_one gives 5 "already running: process $pid" \
	"$nstd" -c good.yaml -s s.sock --emulate 16
status()
{
	gives 0 "cam0: plant:one, governed, policy seasonal-migration" \
		"$nstctl" status --socket s.sock &&
		gives 0 '"name":"cam0"' sh -c "'$nstctl' status --json \
			--socket s.sock | tr -d ' \n'"
}
check status status
ask()
{
	gives 0 "^yes: " "$nstctl" ask --socket s.sock --sensor cam0 \
		--temp-mc 110000 --in-ms 500 &&
		gives 0 "^no: " "$nstctl" ask --socket s.sock --sensor cam0 \
			--temp-mc 20000 --in-ms 500 --frames 3 &&
		gives 0 '"gate":false' sh -c "'$nstctl' ask --json \
			--socket s.sock --task see --in-ms 60 | tr -d ' \n'" &&
		gives 1 'no task "nobody", there are: see$' "$nstctl" ask --socket s.sock \
			--task nobody --in-ms 1 &&
		gives 1 "--in-ms) is required, 0 to 60000: this task has no" \
			"$nstctl" ask --socket s.sock --task see &&
		gives 1 "--in-ms) is required, 0 to 60000: a sensor has no" \
			"$nstctl" ask --socket s.sock --sensor cam0 \
			--temp-mc 90000 &&
		gives 3 "ask for a --task, or for a --sensor" "$nstctl" ask \
			--socket s.sock --task see --temp-mc 50000 --in-ms 1 &&
		gives 3 "0 to 60000" "$nstctl" ask --task see --in-ms 60001
}
check ask ask
record()
{
	timeout 20 "$nstctl" record --socket s.sock --duration 1 \
		--output y.rec && head -n 1 y.rec | grep -q nst-recording &&
		[ "$(grep -c ',cam0,' y.rec)" -gt 50 ] &&
		gives 2 "no sensor 'cam7', it has: cam0" "$nstctl" record \
			--socket s.sock --sensor cam7 --duration 1
}
check record record
reload()
{
	cp good.yaml kept.yaml
	cp typo.yaml good.yaml
	kill -HUP "$pid"
	until_line "the profile before stays in force" log || return 1
	sed 's/seasonal-migration/full-far/' kept.yaml > good.yaml
	kill -HUP "$pid"
	until_line "'good.yaml' is in force" log &&
		gives 0 "policy full-far" "$nstctl" status --socket s.sock
}
check reload reload
dump()
{
	kill -USR1 "$pid"
	until_line "state: {" log
}
check state_dump dump
# Sanitizers need memory of their own: the plain program, if it is there.
plain=$top/build/nstd
small()
{
	"$plain" -f -c kept.yaml -s p.sock --emulate 16 2> plog &
	_p=$!
	sleep 3
	_kb=$(awk '/^VmHWM/ { print $2 }' /proc/$_p/status)
	_ticks=$(awk '{ print $14 + $15 }' /proc/$_p/stat)
	_frames=$("$nstctl" status --json --socket p.sock |
		awk -F'[:,]' '/"frames":/ { print $2 + 0 }')
	kill $_p
	wait $_p
	echo "# VmHWM $_kb KiB; $_ticks ticks of CPU for $_frames frames"
	[ "$_kb" -gt 500 ] && [ "$_kb" -le 6144 ]
}
if [ -x "$plain" ]; then
	check below_6_mib small
else
	skip below_6_mib "no plain build"
fi
ends()
{
	kill "$pid"
	_t=200
	while [ $_t -gt 0 ] && kill -0 "$pid" 2> /dev/null; do
		sleep 0.05
		_t=$((_t - 1))
	done
	[ $_t -gt 0 ] || return 1
	pid=
	until_line "given back to the kernel, gate run" log &&
		[ ! -e s.sock ] && [ "$(grep -c ',cam0,' x.rec)" -gt 100 ] &&
		tail -c 1 x.rec | od -c | grep -q '\\n'
}
check ends_and_gives_back ends

[ "$n" = "$planned" ] || { echo "# ran $n of $planned"; exit 1; }
[ "$failed" = 0 ]
