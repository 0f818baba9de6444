#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_owner.sh - the owner comes late, goes, comes back; so does its bus
#
# NST_ROUNDS is how often it is done.

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

# asked_each_time: two transfers a reading, the identity and the temperature;
# where runtime PM tells that the sensor is on it is one. Both counts are of one
# moment, which may be after the identity, or within the second transfer: it
# counts when it begins, its reading when the bus has taken its time. So each
# moment has none, one or two transfers that wait for their reading.
counts()
{
	while read -r _k _v; do
		case $_k in
		transfers | readings) echo "$_v" ;;
		esac
	done < "$SIM/bus"
}

asked_each_time()
{
	# shellcheck disable=SC2046 # two words each
	set -- $(counts) $(for _t in 1 2 3 4 5; do
		sleep 0.1
		nst_read "$HWMON/temp1_input" > /dev/null
	done; counts)
	at_least $(($4 - $2)) 5 && near $((2 * ($4 - $2))) $(($3 - $1)) 2
}

begin_cci
rounds=${NST_ROUNDS:-5}
plan 45

sensor cam imx477 || exit 1
active 1
check "reads" becomes 0
id=${CLIENT##*/}
companion=$(basename "$(readlink -f "$NST/device")")

# --- the owner is unbound, with a file of the device open
quiet
exec 9< "$DEV"
check "unbind" put "$OWNER_DRIVER/unbind" "$id"
check "the companion went first" vanishes cam
check "and said why" same 1 "$(said "own driver")"
check "it is not bound" test ! -e "$COMPANION_DRIVER/$companion"
check "but waits" deferred "$companion"
exec 9<&-
check "bind" put "$OWNER_DRIVER/bind" "$id"
check "and it is back" appears cam
use cam
check "it reads again" becomes 0

# --- often, and each way round
ok=1
for i in $(seq "$rounds"); do
	put "$OWNER_DRIVER/unbind" "$id" || ok=0
	[ $((i % 2)) = 0 ] || vanishes cam || ok=0
	put "$OWNER_DRIVER/bind" "$id" || ok=0
	appears cam || ok=0
done
check "$rounds times" test $ok = 1
ok=1
for i in $(seq "$rounds"); do
	put "$OWNER_DRIVER/unbind" "$id" || ok=0
	put "$OWNER_DRIVER/bind" "$id" || ok=0
done
appears cam || ok=0
check "$rounds times in a hurry" test $ok = 1
use cam
check "it still reads" becomes 0

# --- with readers, who leave no processor to one that sleeps
jitter_off
( while :; do
	nst_read "$HWMON/temp1_input"
  done ) > /dev/null 2>&1 &
reader=$!
ok=1
for i in $(seq "$rounds"); do
	put "$OWNER_DRIVER/unbind" "$id" || ok=0
	put "$OWNER_DRIVER/bind" "$id" || ok=0
done
kill $reader
wait $reader 2> /dev/null
jitter_on
check "$rounds times while somebody reads" test $ok = 1
check "there" appears cam

# --- the companion alone; the owner has nothing to do with that
put "$COMPANION_DRIVER/unbind" "$companion"
check "unbound by hand" vanishes cam
put "$OWNER_DRIVER/unbind" "$id"
put "$OWNER_DRIVER/bind" "$id"
sleep 0.5
check "stays unbound" test ! -e "$COMPANION_DRIVER/$companion"
put "$COMPANION_DRIVER/bind" "$companion"
check "bound by hand" appears cam

# --- the module goes, and is there before the owner is
rmmod nst-cci
check "without the module" vanishes cam
put "$OWNER_DRIVER/unbind" "$id"
modprobe nst-cci
check "early: no device" vanishes cam
check "early: it waits" deferred "$companion"
put "$OWNER_DRIVER/bind" "$id"
check "early: until the owner is there" appears cam
use cam
check "it reads as before" becomes 0

# --- the bus goes, with the companion on it
check "the whole board goes" unstack cam
check "no device is left" vanishes cam

# --- where nothing is
board none clock=real attach=cci sensor_model=imx477 \
	property="nst,sensor-addr 0x1b" || exit 1
check "no device at the address: it waits" deferred "no device at 0x1b"
unstack none
board none clock=real attach=cci sensor_model=imx477 \
	property="nst,bus-number 4711" || exit 1
check "no such bus: it waits" deferred "bus 4711"
unstack none

# --- an owner without runtime PM: off is what does not answer
sensor cam imx477 || exit 1
cam_bus=$BUS
put "/sys/bus/i2c/devices/i2c-$cam_bus/new_device" "dummy 0x1b"
quiet
board plain clock=real attach=cci sensor_model=imx477 \
	property="nst,bus-number $cam_bus" property="nst,sensor-addr 0x1b" \
	property='nst,model "imx477"' || exit 1
check "no runtime PM: there" appears plain
use plain
# shellcheck disable=SC2034 # read by cci_lib.inc
SIM=$DEBUG/cam
before=$(wire nacks)
check "no runtime PM: nobody answers, so it is off" same EAGAIN \
	"$(nst_read "$HWMON/temp1_input")"
stays EAGAIN 1
check "it was asked" at_least $(($(wire nacks) - before)) 1
check "and nothing was made of it" same 0 "$(said 'does not answer')"
unstack plain
put "/sys/bus/i2c/devices/i2c-$cam_bus/delete_device" 0x1b
unstack cam

# --- an owner without runtime PM that keeps the sensor on while it is bound, as
# drivers on top of tegracam do: nobody but the sensor tells that it is on
sensor cam imx477 owner_runtime_pm=0 || exit 1
check "always on: no runtime PM" same unsupported \
	"$(get "$CLIENT/power/runtime_status")"
resumes=$(wire owner_resumes)
before=$(wire nacks)
check "always on: not measuring yet" becomes EAGAIN
check "always on: but it answers" same "$before" "$(wire nacks)"
active 1
check "always on: somebody streams" becomes 0
check "always on: the truth" reads_truth 1000
check "always on: asked for its identity each time" asked_each_time
active 0
sleep 2
check "always on: nobody streams, it reads on" reads_truth 1000
check "always on: nobody resumed it" same "$resumes" "$(wire owner_resumes)"
check "always on: nor was it suspended" same 0 "$(wire owner_suspends)"
check "always on: what is the owner's was left alone" same 0 \
	"$(wire foreign_stream)"
id=${CLIENT##*/}
put "$OWNER_DRIVER/unbind" "$id"
check "always on: off without its driver" same 0 "$(wire powered)"
check "always on: the companion went, too" vanishes cam
put "$OWNER_DRIVER/bind" "$id"
check "always on: and comes back" appears cam
use cam
active 1
check "always on: and reads" becomes 0
unstack cam

check "the modules go" nst_unload
finish
