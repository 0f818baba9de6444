#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# measure_vivid.sh - nst-vision on a camera that is not ours: the kernel's test
# driver vivid, which can damage buffers and be unplugged while it streams.
# Its pictures have no noise, so what is measured is what eight bits allow.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

command -v nst-vision > /dev/null || skip_all "needs nst-vision"
command -v v4l2-ctl > /dev/null || skip_all "needs v4l2-ctl"

plug_in()
{
	modprobe vivid n_devs=1 node_types=0x1 > modprobe.out 2>&1
}

plug_in || skip_all "needs vivid"
plan 9
CARD=card:vivid-000-vid-cap

# node: sets NODE
node()
{
	for _v in /sys/class/video4linux/video*; do
		NODE=/dev/${_v##*/}
		grep -q vivid-000-vid-cap "$_v/name" && [ -c "$NODE" ] &&
			return 0
	done
	return 1
}

control()
{
	v4l2-ctl -d "$NODE" -c "$1" > v4l2.out 2>&1 && return 0
	sed 's/^/# /' v4l2.out
	return 1
}

# wait_for COMMAND...: up to 60 s
wait_for()
{
	_t=300
	while [ "$_t" -gt 0 ]; do
		"$@" > /dev/null 2>&1 && return 0
		sleep 0.2
		_t=$((_t - 1))
	done
	sed 's/^/# /' err
	tail -n 1 out
	return 1
}

# last TEXT: is it in the newest line?
last()
{
	tail -n 1 out | grep -q -- "$1"
}

node
control osd_text_mode=2
# A plain colour: flat.
control test_pattern=7
nst-vision --reopen --ungoverned --size 640x480 "eye=$CARD" > out 2> err &
vision=$!
check "a foreign camera is measured" wait_for last '"measured":"measured"'
snr=$(tail -n 1 out | sed -n 's/.*"snr_cdb":\([0-9]*\).*/\1/p')
note "$snr cdB without any noise"
# 20 log10(255 sqrt(12)) is 58.92 dB.
check "no better than eight bits allow" sh -c \
	"[ ${snr:-0} -gt 2000 ] && [ ${snr:-0} -le 5892 ]"
check "no dark rows are made up" sh -c \
	"tail -n 1 out | grep -q dark_measured && exit 1; exit 0"

check "damage is injected" control inject_v4l2_buf_flag_error=1
check "damaged frames are counted" \
	wait_for grep -q '"damaged":[1-9]' out
check "and measuring goes on" wait_for last '"measured":"measured"'

control disconnect=1
check "unplugged while streaming: said" \
	wait_for grep -q 'the camera is gone, looking' err
_t=50
while [ $_t -gt 0 ] && ! rmmod vivid 2> /dev/null; do
	sleep 0.2
	_t=$((_t - 1))
done
plug_in
node
control osd_text_mode=2
control test_pattern=7
check "plugged in: said" wait_for grep -q 'the camera is back' err
check "and measured" wait_for last '"measured":"measured"'
kill $vision
wait $vision
rmmod vivid 2> /dev/null
sed 's/^/# /' err
finish
