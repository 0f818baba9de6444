#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# board.sh - every provider binds from a device tree (board.dts)
#
# Run in the user-mode kernel booted with that tree (tests/uml/dt.sh).

. "${NST_TOP:-$(dirname "$0")/../..}/tests/selftests/nst_lib.inc"

TREE=/sys/firmware/devicetree/base
[ -d "$TREE/stack-0" ] || skip_all "not booted with tests/dt/board.dts"
PLATFORM=/sys/bus/platform/drivers

# named NAME: point NST, DEV and HWMON at the device of that label
named()
{
	for NST in "$CLASS"/nst*; do
		[ "$(get "$NST/name")" = "$1" ] || continue
		ID=${NST##*/nst}
		for HWMON in /sys/class/hwmon/hwmon*; do
			[ "$(readlink -f "$HWMON/device")" = \
			  "$(readlink -f "$NST/device")" ] && return 0
		done
		note "$1 has no hwmon"
		return 1
	done
	note "no device $1; there is $(cat "$CLASS"/nst*/name 2> /dev/null |
		tr '\n' ' ')"
	return 1
}

# present NAME SECONDS
present()
{
	_t=$(($2 * 10))
	while [ "$_t" -gt 0 ]; do
		named "$1" 2> /dev/null > /dev/null && return 0
		sleep 0.1
		_t=$((_t - 1))
	done
	named "$1"
}

absent()
{
	! named "$1" > /dev/null
}

# of_node FILE: path of the node in the tree
of_node()
{
	_p=$(readlink -f "$1/device/of_node")
	echo "${_p#*devicetree/base}"
}

zones()
{
	for _z in /sys/class/thermal/thermal_zone*; do
		get "$_z/type"
	done | sort | tr '\n' ' '
}

# streaming NAME ON: as if somebody streamed from the stack's camera
streaming()
{
	put "$DEBUG/$1/owner_active" "$2"
}

# bus KEY: a counter of the wire of the stack in use
bus()
{
	while read -r _k _v; do
		[ "$_k" != "$1" ] || echo "$_v"
	done < "$SIM/bus"
}

# over LOW HIGH: by how much the estimate of the die is above the board
over()
{
	_over=$(($(die_mc) - $(get "$HWMON/temp2_input")))
	[ "$_over" -ge "$1" ] && [ "$_over" -le "$2" ] && return 0
	note "$_over mC above the board, not $1 to $2"
	return 1
}

plan 95
modprobe nst-sim stacks=0
modprobe -a nst-cci nst-mcu
for s in dt0 dt1; do
	streaming $s 1
done

# --- who is there ---------------------------------------------------------

check "cam0 binds" present cam0 10
check "cam0 by the companion" same nst-cci "$(get "$NST/provider")"
check "cam0 of its node" same /companion-0 "$(of_node "$NST")"
check "cam0 is an IMX477" same imx477 "$(get "$NST/model")"
check "its stack has a processor to use" [ -c /dev/nst-vpu-dt0 ]
check "and records beside its frames" \
	grep -qsx "nst-sim dt0 metadata" /sys/class/video4linux/*/name
check "cam0 has a line for its frames" same gpio "$(get "$NST/frame_source")"
check "cam1 binds" present cam1 10
check "cam1 is an AR0234" same ar0234 "$(get "$NST/model")"
check "cam2 binds" present cam2 10
check "cam2 by the MCU's driver" same nst-mcu "$(get "$NST/provider")"
check "cam2 of its node" same /stack-2/i2c/vpu@36 "$(of_node "$NST")"
check "cam3 binds, with no sensor to wait for" present cam3 10
check "cam3 by the companion" same nst-cci "$(get "$NST/provider")"
check "cam3 of its node" same /companion-3 "$(of_node "$NST")"
check "cam3 is no part that is known" same none "$(get "$NST/model")"
check "cam3: a regulator that is merely called vpu is not its supply" \
	test ! -d "$NST/gate_off"
check "cam5 binds" present cam5 10
check "cam5 by the companion" same nst-cci "$(get "$NST/provider")"
check "cam5 of its node" same /companion-5 "$(of_node "$NST")"
check "cam5 is an IMX500" same imx500 "$(get "$NST/model")"
check "cam5 has a pause for a gate, and nothing deeper" test \
	-d "$NST/gate_standby" -a ! -d "$NST/gate_off"
check "cam5: which is called unproven" sh -c \
	"dmesg | grep -q 'companion-5.*unproven on silicon'"
check "and nobody else" same 5 "$(ls "$CLASS" | wc -l)"

# --- temperatures -----------------------------------------------------------

for n in 0 1 2; do
	use_sim=dt$n
	named cam$n
	check "cam$n reads" waits "$HWMON/temp1_input" '[0-9]*' 10
	SIM=$DEBUG/$use_sim
	check "cam$n reads what the die has" near "$(truth die_mc)" \
		"$(die_mc || echo 0)" 2000
done

# --- a DNN that is paused -----------------------------------------------------

SIM=$DEBUG/dt5
named cam5
check "cam5: nobody streams: not ready" same EAGAIN \
	"$(nst_read "$HWMON/temp1_input")"
streaming dt5 1
check "cam5 reads, after the upload" waits "$HWMON/temp1_input" '[0-9]*' 10
check "cam5 reads what the die has" near "$(truth die_mc)" \
	"$(die_mc || echo 0)" 2000
check "cam5: the DNN runs" waits "$SIM/truth" '*gate run*' 10
before=$(get "$NST/frame_count")
sleep 1
check "cam5: frames come by its line" at_least "$(get "$NST/frame_count")" \
	$((before + 20))
put "$NST/gate" standby
check "cam5: it pauses" waits "$SIM/truth" '*gate standby*' 10
check "cam5: what is the owner's was left alone" same "0 0" \
	"$(bus foreign_enable) $(bus foreign_stream)"
put "$NST/gate" run
check "cam5: and goes on" waits "$SIM/truth" '*gate run*' 10
put "$PLATFORM/nst-companion/unbind" companion-5
check "cam5's driver lets go" absent cam5
check "and the DNN runs on" same run "$(truth gate)"
put "$PLATFORM/nst-companion/bind" companion-5
check "and takes it again" present cam5 10
check "and it reads" waits "$HWMON/temp1_input" '[0-9]*' 10

# --- a line and nothing else ------------------------------------------------

SIM=$DEBUG/dt3
named cam3
zone=$(zone_of cam2-thermal)
check "cam3 reads" waits "$HWMON/temp1_input" '[0-9]*' 10
check "cam3: and says that it is an estimate" same "die (estimated)" \
	"$(get "$HWMON/temp1_label")"
check "cam3: the board's own reading is none" same board \
	"$(get "$HWMON/temp2_label")"
# read twice a second, while the zone warms up
check "cam3: which is the zone's" near "$(get "$zone/temp")" \
	"$(get "$HWMON/temp2_input")" 2000
# As long as the zone had nothing to tell it was stopped.
check "cam3: then it runs" waits "$NST/gate" run 10
sleep 1
# 2.5 W over 5.5 K/W, give or take by what a package warms up between readings
check "cam3: run is so much warmer" over 11000 17000
put "$NST/gate" standby
check "cam3: stopped" waits "$NST/gate" standby 10
check "cam3: and the hardware says so" waits "$SIM/truth" '*gate standby*' 10
sleep 0.5
check "cam3: and the estimate knows" over -2500 3000
put "$NST/gate" run
check "cam3: and goes again" waits "$SIM/truth" '*gate run*' 10

# --- a channel of IIO --------------------------------------------------------

# near_truth: what is told of the die is what it has. A reading is of one time
# and the truth of another, and the die jumps with the gate.
near_truth()
{
	sleep 1
	near "$(truth die_mc)" "$(die_mc || echo 0)" 500
}

SIM=$DEBUG/dt4
check "cam4 waits for its thermometer" absent cam4
modprobe mlx90614
iio=$(for d in /sys/bus/iio/devices/iio:device*; do
	[ "$(get "$d/name")" != mlx90614 ] || echo "$d"
done)
check "which is one of IIO" test -d "$iio"
check "cam4 binds" present cam4 10
check "cam4 reads" waits "$HWMON/temp1_input" '[0-9]*' 10
check "cam4: and says that it is an estimate" same "die (estimated)" \
	"$(get "$HWMON/temp1_label")"
# 0.02 K a step from 0 K; read twice a second, while the package warms up
check "cam4: from what the channel has" near \
	"$(($(get "$iio/in_temp_ambient_raw") * 20 - 273150))" \
	"$(get "$HWMON/temp2_input")" 2000
check "cam4: which is the package" near "$(truth package_mc)" \
	"$(get "$HWMON/temp2_input")" 2000
check "cam4: the estimate is the die" near_truth
put "$NST/gate" standby
check "cam4: stopped" waits "$SIM/truth" '*gate standby*' 10
check "cam4: and still it is" near_truth
put "$NST/gate" run
check "cam4: goes again" waits "$SIM/truth" '*gate run*' 10
check "cam4: and still it is" near_truth
client=$(basename "$(readlink -f "$iio/..")")
put /sys/bus/i2c/drivers/mlx90614/unbind "$client"
check "cam4 goes with its thermometer" absent cam4
put /sys/bus/i2c/drivers/mlx90614/bind "$client"
check "and comes back with it" present cam4 10
check "and reads" waits "$HWMON/temp1_input" '[0-9]*' 10

# --- gates ------------------------------------------------------------------

for n in 0 1 2; do
	SIM=$DEBUG/dt$n
	named cam$n
	# a supply without volts is off, whatever the tree calls it
	deep=standby
	[ $n != 1 ] || deep=off
	put "$NST/gate" standby
	check "cam$n: stopped" waits "$NST/gate" standby 10
	check "cam$n: and the hardware says so" waits "$SIM/truth" \
		"*gate $deep*" 10
	put "$NST/gate" run
	check "cam$n: and goes again" waits "$SIM/truth" '*gate run*' 10
done

# --- thermal ----------------------------------------------------------------

# cam1 has a sensor that the tree could make a zone of, and none is made of it
check "the zones are the tree's, and none is there twice" same \
	"cam0-thermal cam2-thermal " "$(zones)"

for n in 0 2; do
	SIM=$DEBUG/dt$n
	named cam$n
	zone=$(zone_of cam$n-thermal)
	cooling=$(readlink -f "$zone/cdev0")
	check "cam$n: its zone has a cooling device" test -d "$cooling"
	check "cam$n: which is cam$n's" same "nst${ID}_duty" \
		"$(get "$cooling/type")"
	check "cam$n: the zone reads as hwmon does" near "$(die_mc)" \
		"$(get "$zone/temp")" 2000
	# 2.5 W take the die far above 60 degC, and step_wise, which is the
	# governor of the kernel's choice, acts. How well it does with a die
	# that jumps at every gate is its own matter: nst_governors.sh.
	put "$SIM/ambient_mc" 45000
	was=$(get "$NST/stats/frames_bound")
	sleep 20
	note "cam$n: $(truth die_mc) mC, state $(get "$cooling/cur_state")"
	check "cam$n: the governor of the zone takes frames from it" at_least \
		$(($(get "$NST/stats/frames_bound") - was)) 20
done

# --- coming and going -------------------------------------------------------

named cam0
put "$PLATFORM/nst-companion/unbind" companion-0
check "cam0's driver lets go" absent cam0
put "$PLATFORM/nst-companion/bind" companion-0
check "and takes it again" present cam0 10
put "$PLATFORM/nst-sim/unbind" stack-1
check "cam1 goes with its stack" absent cam1
put "$PLATFORM/nst-sim/bind" stack-1
streaming dt1 1
check "and comes back with it" present cam1 10
put "$PLATFORM/nst-companion/unbind" companion-3
check "cam3's driver lets go" absent cam3
put "$PLATFORM/nst-companion/bind" companion-3
check "and takes it again" present cam3 10
check "and it reads" waits "$HWMON/temp1_input" '[0-9]*' 10
# Lines that are in use hold the stacks: first who uses them goes.
put "$PLATFORM/reg-fixed-voltage/unbind" regulator-vpu
put "$PLATFORM/reg-fixed-voltage/unbind" regulator-namesake
check "the providers go" rmmod nst_cci nst_mcu
check "and the thermometer" rmmod mlx90614
check "and the rest" nst_unload
finish
