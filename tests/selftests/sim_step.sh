#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_step.sh - on the step clock two runs are the same, to the last bit
#
# A run streams, changes gate, exposure, gain and ambient on the way, and
# keeps pictures, truth and the list of frames.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin_camera
plan 13

# run NAME SEED
run()
{
	stack "$1" clock=step seed="$2" sensor_noise_mc=100 sensor_lsb_mc=250
	put "$NST/policy/engine" none
	video
	: > "$1.temps"
	grab "$1.a" 4 --set-fmt-video=pixelformat=GREY
	get "$HWMON/temp1_input" >> "$1.temps"
	put "$NST/gate" standby
	grab "$1.b" 4 -c exposure_time_absolute=640,analogue_gain=800
	put "$SIM/ambient_mc" 45000
	put "$NST/gate" run
	advance_us 1234567
	get "$HWMON/temp1_input" >> "$1.temps"
	grab "$1.c" 4 --set-fmt-video=pixelformat='Y10 '
	get "$HWMON/temp1_input" >> "$1.temps"
	# How long the host took for the pictures is its own affair.
	grep -v render_us "$SIM/truth" > "$1.truth"
	cat "$SIM/frames" > "$1.frames"
	moved=$(truth now_us)
	unstack "$1"
}

run one 7
at=$moved
run two 7
for f in a b c; do
	check "pictures $f" cmp one.$f two.$f
done
check "truth" cmp one.truth two.truth
check "list of frames" cmp one.frames two.frames
check "measured temperatures" cmp one.temps two.temps
check "time of the end" same "$at" "$moved"
# Four pictures: the start and three returned buffers, at least.
check "twelve frames or more" at_least "$(wc -l < one.frames)" 12

run three 8
check "another seed shows other pictures" \
	sh -c '! cmp -s one.a three.a && ! cmp -s one.c three.c'
check "and another temperature noise" sh -c '! cmp -s one.temps three.temps'

# read() sees the same frames as mmap.
stack four clock=step seed=7
video
v4l2-ctl -d "$VIDEO" --set-fmt-video=pixelformat=GREY > v4l2.out
dd if="$VIDEO" of=four.a bs=307200 count=2 2> /dev/null
head -c 614400 one.a > one.head
check "read() gives what mmap gives" cmp one.head four.a
unstack four

stack five clock=real
check "a running clock is not pushed" same EOPNOTSUPP \
	"$(errno_of "$SIM/advance_us" 1000)"
unstack five
check "the modules go" nst_unload
finish
