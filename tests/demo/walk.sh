#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# walk.sh: what shell.txt tells people to try in the VM of `make shell`, typed by
# a script, and then by a terminal. KTAP.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
export NST_RUN="$dir/run"
n=0
failed=0

# check NAME COMMAND...
check()
{
	_name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $_name"
	else
		failed=1
		echo "not ok $n - $_name"
	fi
}

# says PATTERN [FILE]
says()
{
	grep -q -e "$1" "${2:-$dir/out}" && return 0
	sed 's/^/# /' "${2:-$dir/out}" | tail -n 80
	return 1
}

# near_to PERCENT TRUE KEY: of the calibration
near_to()
{
	awk -v most="$1" -v true="$2" -v key="$3:" '$1 == key {
		off = 100 * ($2 / true - 1)
		printf "# %s %g, true %g, off by %+.2f %%\n", key, $2, true, off
		good = off <= most && off >= -most }
		END { exit !good }' "$dir/run/vm/cam0.yaml"
}

# part NAME: what the script printed between two marks
part()
{
	sed -n "/^== $1\$/,/^== /p" "$dir/out" > "$dir/part"
}

# moved: both placements among the lines of the watcher after the light fell
moved()
{
	part watched
	says '^frame [0-9]*: near.*(steady)\|: near.*below T_low' "$dir/part" &&
		says '^frame [0-9]*: far' "$dir/part"
}

# never_below: every measured line of the 22 dB task that had a figure was met
never_below()
{
	part dim
	grep 'measured *watch-py: total SNR .*dB, at least' "$dir/part" \
		> "$dir/figures"
	sed 's/^ */# /' "$dir/figures"
	[ "$(wc -l < "$dir/figures")" -ge 3 ] &&
		! grep -v 'asked for 22.00: met, margin +' "$dir/figures"
}

echo "KTAP version 1"
echo "1..13"

# nstd of a busy machine decides late: it waits for what is to be seen, not for
# a time.
cat > "$dir/script" << 'END_OF_SCRIPT'
# seen TEXT: in the status, within a while
seen()
{
	for _ in $(seq 120); do
		nstctl status > /tmp/status
		grep -q -e "$1" /tmp/status && return
		sleep 0.5
	done
	echo "never seen: $1"
}
light office
governor stop > /dev/null
nstctl calibrate --device sim0 --camera "card:nst-sim sim0" \
	--output /tmp/cam0.yaml --plot /run/nst-test/cam0.svg
echo "calibrate ends with $?"
cp /tmp/cam0.yaml /run/nst-test/
sed -i 's|preset: reference-sensor.*|calibration: /tmp/cam0.yaml|' \
	/etc/nst/nst.yaml
governor start
light daylight
python3 userspace/examples/nst_watch.py cam0 22 1000000 >> /tmp/watch 2>&1 &
seen 'watch-py: total SNR .* asked for 22.00: met'
nstctl probe
echo "probe ends with $?"
echo "== before"
cat /tmp/watch
: > /tmp/watch
echo "== dim"
light dim
seen 'now  *far'
for _ in 1 2 3 4 5 6 7 8; do
	sleep 2
	nstctl status
done
kill %1
wait
echo "== watched"
cat /tmp/watch
echo "== refused"
light dim > /dev/null
python3 userspace/examples/nst_watch.py cam0 40 1
echo "40 dB end with $?"
echo "== report"
governor stop
exit 7
END_OF_SCRIPT
tests/demo/shell.sh < "$dir/script" > "$dir/out" 2>&1
rc=$?
check "the script's exit status comes out" [ $rc = 7 ]
check "the camera is calibrated" says '^calibrate ends with 0$'
# 959 DN of 7900 e-
check "its gain is found" near_to 2 7900 full_well_e
check "its doubling temperature is found" near_to 3 7000 doubling_mc
check "its dark current is found" near_to 5 244 dark_e_per_s
check "the calibration is drawn" says '</svg>' "$dir/run/vm/cam0.svg"
check "a task from Python: met in daylight" sh -c \
	"! grep '^never seen' '$dir/out'"
check "what is here is told" says '^probe ends with 0$'
check "dim light moves it" moved
check "measured SNR stays above its demand in the status" never_below
check "a demand that this light cannot meet is refused" says '^40 dB end with 1$'
check "and in the report" says \
	'64ms-iso800 .* asked for 22.0: 0 of [1-9][0-9]* bounds below' \
	"$dir/out"

# With a terminal: typed, and ended by exit.
typed()
{
	/usr/bin/python3 -c '
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv("tests/demo/shell.sh", ["tests/demo/shell.sh"])
seen, until = b"", time.monotonic() + 400
# a prompt may come with a sequence that switches bracketed paste on, a command
# that runs with one that switches it off
todo = [(b"# ", b"nstctl status\r"), (b"near duty", b"sleep 3000\r"),
        (b"sleep 3000", b"\x03"), (b"^C", b"\recho $((6 * 7))\r"),
        (b"42\r", b"exit 3\r")]
while time.monotonic() < until:
    if select.select([fd], [], [], 1)[0]:
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        sys.stdout.write(data.decode("utf-8", "replace"))
        seen += data
    if todo and todo[0][0] in seen:
        time.sleep(3)   # it has to have begun
        os.write(fd, todo[0][1])
        seen = b""
        del todo[0]
else:
    os.kill(pid, 15)
sys.exit(1 if todo else os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
' > "$dir/typed" 2>&1
	[ $? = 3 ] && return 0
	sed 's/^/# /' "$dir/typed" | tail -n 60
	return 1
}
check "a shell at a terminal: typed, Ctrl-C, exit" typed
[ $failed = 0 ]
