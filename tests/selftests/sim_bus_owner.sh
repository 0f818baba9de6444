# SPDX-License-Identifier: GPL-2.0-only
#
# The driver that owns an emulated sensor: power follows use, the sensor is not
# there without it, unbind and bind at any time. Then what is an IMX500's own:
# firmware uploads, the network, the switch of the DNN, the bridge that hangs.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_bus.inc"

begin_bus
plan 48

# other BAD GOT: anything else
other()
{
	[ "$1" != "$2" ] && return 0
	note "got '$2'"
	return 1
}

CLIENT=
client()
{
	CLIENT=/sys/bus/i2c/devices/$BUS-001a
	[ -d "$CLIENT" ]
}

status()
{
	get "$CLIENT/power/runtime_status"
}

# asleep: the driver has turned the sensor off
asleep()
{
	waits "$CLIENT/power/runtime_status" suspended 20
}

# linger MS: it does so that long after the last use
linger()
{
	put "$CLIENT/power/autosuspend_delay_ms" "$1"
}

board own attach=cci clock=step bus_hz=0 sensor_model=imx708 \
	owner_autosuspend_ms=600000 || exit 1
check "the sensor is an I2C device" client
check "of the name of the part" same imx708 "$(get "$CLIENT/name")"
check "that a driver owns" same nst-sim-sensor \
	"$(basename "$(readlink "$CLIENT/driver")")"
linger 100
check "it sleeps when nobody uses it" asleep
check "asleep it does not answer" same ENXIO "$(reg 0x1a 0016 2)"
put "$SIM/owner_active" 1
check "in use it is awake" same active "$(status)"
check "and streams" same 01 "$(reg 0x1a 0100 1)"
check "with its thermometer on" same 01 "$(reg 0x1a 0138 1)"
linger 600000
put "$SIM/owner_active" 0
check "stopped, it still has power for a while" same 00 "$(reg 0x1a 0100 1)"
linger 100
check "then none" asleep
put "$CLIENT/power/control" on
check "power/control holds it" same "active 00" \
	"$(status) $(reg 0x1a 0100 1)"
put "$CLIENT/power/control" auto
check "and lets it go" asleep
check "registers are lost with the power" same "00" \
	"$(put "$CLIENT/power/control" on; reg 0x1a 0138 1)"
put "$CLIENT/power/control" auto

put "$SIM/owner_active" 1
fault owner_gone 1
check "without its driver it has no power" same ENXIO "$(reg 0x1a 0016 2)"
check "the device is there" [ ! -e "$CLIENT/driver" ]
fault owner_gone 0
check "with it, the stream goes on" same 01 "$(reg 0x1a 0100 1)"
check "unbind by sysfs" put /sys/bus/i2c/drivers/nst-sim-sensor/unbind \
	"$BUS-001a"
check "no answer" same ENXIO "$(reg 0x1a 0016 2)"
put "$SIM/owner_active" 0
check "bind by sysfs" put /sys/bus/i2c/drivers/nst-sim-sensor/bind "$BUS-001a"
check "it answers, and does not stream" same 00 "$(reg 0x1a 0100 1)"
check "a driver for a sensor that is not there does not bind" \
	eval 'put /sys/bus/i2c/devices/i2c-$BUS/new_device "imx477 0x10" &&
		[ ! -e /sys/bus/i2c/devices/$BUS-0010/driver ]'
put "/sys/bus/i2c/devices/i2c-$BUS/delete_device" 0x10
unstack own

board plain attach=cci clock=step bus_hz=0 bus_blocks=0 || exit 1
client
check "on an adapter without block reads, too" same nst-sim-sensor \
	"$(basename "$(readlink "$CLIENT/driver")")"
unstack plain

board quiet attach=cci clock=step bus_hz=0 owner_temp_enable=0 || exit 1
put "$SIM/owner_active" 1
check "an owner that leaves the thermometer off" same "01 00" \
	"$(reg 0x1a 0100 1) $(reg 0x1a 0138 1)"
put "$SIM/owner_active" 0
unstack quiet

# --- streaming -------------------------------------------------------------

board cam attach=cci owner_autosuspend_ms=100 || exit 1
client
asleep
for v in /sys/devices/platform/nst-sim.*/video4linux/video*; do
	VIDEO=/dev/${v##*/}
done
sim_cam "$VIDEO" > cam.out 2>&1 &
cam=$!
check "a stream wakes the sensor" waits "$CLIENT/power/runtime_status" active 20
check "which streams" gives 01 reg 0x1a 0100 1
kill $cam
wait $cam 2> /dev/null
check "its end lets it sleep" asleep
unstack cam

# --- imx500 ----------------------------------------------------------------

board ai attach=cci clock=step bus_hz=0 sensor_model=imx500 gate=dnn \
	upload_ms=50 owner_autosuspend_ms=100 bridge_life=4 || exit 1
client
asleep
check "without power nothing is dissipated" same off "$(truth gate)"
put "$SIM/owner_active" 1
check "while firmware comes there is no reading" same 80 "$(reg 0x1a 013a 1)"
check "nor a network at work" same standby "$(truth gate)"
check "nor does it stream" same 00 "$(reg 0x1a d02a 1)"
advance 49
check "not after 49 ms" same standby "$(truth gate)"
advance 30
check "after the upload the network runs" same run "$(truth gate)"
check "state: streaming, with a network" same 03 "$(reg 0x1a d02a 1)"
check "and there are readings" other 80 "$(reg 0x1a 013a 1)"
setreg d100 00
check "DNN off: standby" same standby "$(truth gate)"
check "the stream goes on" same 03 "$(reg 0x1a d02a 1)"
setreg d100 04
check "DNN on: run" same run "$(truth gate)"
check "the bridge answers" same 00 "$(i2c 0x40 r 1)"

fault upload 100
setreg 0138 01
check "0x0138 during an upload makes it fail" same 1 "$(wire upload_failures)"
check "there is no network then" same "01 cleared" \
	"$(reg 0x1a d02a 1) $(truth gate)"
put "$SIM/owner_active" 0
asleep
put "$SIM/owner_active" 1
check "the next start loads it again" same "3 00" \
	"$(wire uploads) $(reg 0x1a d02a 1)"
advance 60
check "and has it" same 03 "$(reg 0x1a d02a 1)"
put "$CLIENT/power/control" on
put "$SIM/owner_active" 0
check "stopped with power the network stays" same 02 "$(reg 0x1a d02a 1)"
put "$CLIENT/power/control" auto
asleep
put "$CLIENT/power/control" on
check "a power cycle loses it" same 00 "$(reg 0x1a d02a 1)"
check "that was the fourth" same 4 "$(wire bridge_power_cycles)"
put "$CLIENT/power/control" auto
asleep
put "$SIM/owner_active" 1
check "the fifth finds the bridge dead" same ENXIO "$(i2c 0x40 r 1)"
check "and the sensor in reset" same ENXIO "$(reg 0x1a 0016 2)"
unstack ai
check "the modules go" nst_unload
finish
