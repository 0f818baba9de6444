# SPDX-License-Identifier: GPL-2.0-only
#
# The lines between an emulated stack and its host, as a program sees them: run
# and supply gate the VPU in the instant they are driven, frame-sync has an edge
# for each exposure, neither is the host's to drive.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_bus.inc"

begin_bus

gpio()
{
	sim_gpio "nst-sim-$NAME" "$@"
}

NAME=lines
board $NAME attach=cci clock=step bus_hz=0 || exit 1
if ! ls /dev/gpiochip* > /dev/null 2>&1; then
	unstack $NAME
	nst_unload
	skip_all "needs the GPIO character device"
fi
plan 36

check "run is up at power-on" same 1 "$(gpio get 0)"
check "so is the supply" same 1 "$(gpio get 3)"
check "the VPU works" same run "$(truth gate)"
advance 50
gpio set 0 0
check "run down: standby, now" same standby "$(truth gate)"
check "the power follows" same 100 "$(truth power_mw)"
check "the time of the edge is told" same "$(truth now_us)" "$(wire gate_at_us)"
check "the level stays when the line is let go" same 0 "$(gpio get 0)"
gpio set 3 0
check "supply down: off" same off "$(truth gate)"
gpio set 0 1
check "run does nothing without supply" same off "$(truth gate)"
gpio set 3 1
check "both up: run" same run "$(truth gate)"
check "one cycle was counted" same 1 "$(wire gate_cycles)"
check "frame-sync is not the host's" same EIO "$(gpio set 1 1)"
check "nor is alert" same EIO "$(gpio set 2 1)"
check "run is no interrupt" same ENXIO "$(gpio watch 0)"

die=$(truth die_mc)
gpio set 0 0
advance 20
check "20 ms of standby cool the die by 11 degC and more" \
	at_least $((die - $(truth die_mc))) 11000
gpio set 0 1

fault gate_ignored 1
gpio set 0 0
check "gate ignored: the line is down" same 0 "$(gpio get 0)"
check "gate ignored: the VPU works on" same run "$(truth gate)"
fault gate_ignored 0
gpio set 0 1
fault slow_gate 5000
gpio set 0 0
check "slow gate: not yet" same run "$(truth gate)"
advance 4
check "slow gate: not after 4 ms" same run "$(truth gate)"
advance 1
check "slow gate: after 5 ms" same standby "$(truth gate)"
fault slow_gate 0
gpio set 0 1

# --- frame sync ------------------------------------------------------------

lines_of()
{
	wc -l < "$1"
}

# edges LINE: start to watch one
edges()
{
	: > edges
	gpio watch "$1" > edges 2>&1 &
	WATCHER=$!
	waits edges 'ready*' 10
}

# seen WANT: so many rising edges, and none that has not come within a while
seen()
{
	grows $(($1 + 1)) lines_of edges
	sleep 0.2
	_w=ready
	_i=0
	while [ $_i -lt "$1" ]; do
		_w="$_w r"
		_i=$((_i + 1))
	done
	same "$_w" "$(paste -s -d ' ' edges)"
}

before=$(wire frame_edges)
check "frame-sync can be watched" edges 1
advance 100
check "three frames, three pulses" seen 3
check "and three are counted" same $((before + 3)) "$(wire frame_edges)"
advance_us 33333
check "one more frame, one more pulse" seen 4

# --- the stack goes under those who hold its lines --------------------------

check "it goes while a line is watched" put "$CONFIG/$NAME/live" 0
rmdir "$CONFIG/$NAME"
wait $WATCHER
check "who watched is told" same ENODEV "$(tail -n 1 edges)"
board $NAME attach=cci clock=step bus_hz=0 || exit 1
check "its lines are there again" same 1 "$(gpio get 0)"
check "and can be watched" edges 1
advance 34
check "and have edges" seen 1
kill $WATCHER 2> /dev/null
wait $WATCHER 2> /dev/null
unstack $NAME

NAME=mute
board $NAME attach=cci clock=step tell_frames=0 run_depth=cleared || exit 1
check "without frame signal the line is quiet" edges 1
advance 100
check "for as long as it takes" seen 0
gpio set 0 0
check "a line that stands for cleared" same cleared "$(truth gate)"
kill $WATCHER 2> /dev/null
wait $WATCHER 2> /dev/null
unstack $NAME

# --- a supply of its own ----------------------------------------------------

modprobe -q nst-cci
NAME=power
if [ -d /sys/class/regulator ] && \
	stack $NAME attach=cci supply=1; then
	check "a supply is a regulator" \
		grep -q nst-sim-power-vpu /sys/class/regulator/*/name
	put "$SIM/owner_active" 1
	put "$NST/gate" off
	check "of the companion: off" waits "$SIM/truth" '*gate off*' 20
	put "$NST/gate" run
	check "and on" waits "$SIM/truth" '*gate run*' 20
else
	for t in "a supply is a regulator" "of the companion: off" "and on"; do
		skip "$t" "needs REGULATOR and nst-cci"
	done
fi
cleanup_stacks
check "the modules go" nst_unload
finish
