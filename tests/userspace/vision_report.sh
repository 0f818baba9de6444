#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst-vision --report on a run made by hand: 4 frames of 100 ms at 3900 mW.
# Energy per delivered frame is that of full-far when all are delivered, and
# four times as much, a saving of -300 %, when one is.

top=${NST_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
vision=${NST_BUILD:-$top/build}/nst-vision
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
bad=0

# saving DELIVERED...: what the row "all" says, with a frame per argument
saving()
{
	echo '{"kind":"phase","phase":"dim","sensor":"cam0","near_mw":2500,"far_mw":3900,"from_us":0,"to_us":1000000,"duty_permyriad":5000}' \
		> "$dir/vision.jsonl"
	{
		echo "# nst-recording 1"
		echo "seq,t_us,sensor,temp_mc,temp_state,gate,placement,exposure_temp_mc,limit_mc,high_mc,low_mc,max_mc,power_mw,ambient_mc,exposure_us,iso,lux_milli,delivered,reason"
		_i=1
		# the last one tells when the one before it ended
		for _d in "$@" 1; do
			echo "$_i,${_i}00000,cam0,60000,valid,standby,far,60000,81000,81000,63000,105000,3900,26400,64000,800,3200,$_d,steady"
			_i=$((_i + 1))
		done
	} > "$dir/demo.rec"
	"$vision" --report "$dir" 2> /dev/null | awk '$1 == "all" { print $5 }'
}

# check NAME WANTED GOT
check()
{
	n=$((n + 1))
	if [ "$3" = "$2" ]; then
		echo "ok $n - $1"
	else
		echo "# '$3', not '$2'"
		echo "not ok $n - $1"
		bad=1
	fi
}

echo "KTAP version 1"
echo "1..8"
check nothing_saved 0.0 "$(saving 1 1 1 1)"
check saving_below_zero -300.0 "$(saving 0 1 0 0)"
check no_figure - "$(saving 0 0 0 0)"
sed -i 's/}$/,"mean_snr_cdb":2560,"lowest_snr_cdb":2410,"snr_frames":90}/' \
	"$dir/vision.jsonl"
# snr: what the table says of the measured SNR
snr()
{
	"$vision" --table "$dir" 2> /dev/null |
		sed -n '/measured SNR/ { n; s/  */ /g; s/^ //p; }'
}
check measured "dim 25.6 dB, at least 24.1 (90 frames)" "$(snr)"
sed -i 's/}$/,"demand_cdb":2450,"snr_asked":80,"snr_below":3}/' \
	"$dir/vision.jsonl"
check asked "dim 25.6 dB, at least 24.1 (90 frames), asked for 24.5: 3 of 80 bounds below" \
	"$(snr)"
"$vision" --report "$dir" > /dev/null 2>&1
check page "asked for 24.5: 3 of 80 bounds below" \
	"$(grep -o 'asked for [^.]*\.[0-9]: .* below' "$dir/report.html")"
check one_stack "An emulated stack was governed" \
	"$(grep -o 'An emulated stack was governed' "$dir/report.html")"
sed 's/cam0/cam1/' "$dir/vision.jsonl" > "$dir/more.jsonl"
cat "$dir/more.jsonl" >> "$dir/vision.jsonl"
"$vision" --report "$dir" > /dev/null 2>&1
check two_stacks "2 emulated stacks saw the same scene" \
	"$(grep -o '[0-9]* emulated stacks saw the same scene' "$dir/report.html")"
exit $bad
