# SPDX-License-Identifier: GPL-2.0-only
#
# The emulated wire: what it counts, how long it takes, and every fault of it as
# a host sees it. Then what configfs refuses.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_bus.inc"

begin_bus
plan 49

board w attach=cci clock=step sensor_model=ar0234 owner_autosuspend_ms=600000 ||
	exit 1
put "$SIM/owner_active" 1
advance 100

# counted KEY N COMMAND...: N more after the command
counted()
{
	_key=$1
	_want=$(($(wire "$1") + $2))
	shift 2
	"$@" > /dev/null
	same "$_want" "$(wire "$_key")"
}

# bytes on the wire of one combined read: 2 out, 2 in, 2 addresses
check "a transfer is counted" counted transfers 1 reg 0x1a 30b2 2
check "its bytes to the chip are" counted bytes_written 2 reg 0x1a 30b2 2
check "its bytes from the chip are" counted bytes_read 2 reg 0x1a 30b2 2
check "its address bytes are" counted address_bytes 2 reg 0x1a 30b2 2
check "nobody at an address is a NACK" same ENXIO "$(i2c 0x50 r 1)"
check "and is counted" counted nacks 1 i2c 0x50 r 1
check "a write of mode select over the wire is told" \
	counted foreign_stream 1 setreg 0100 00

# --- faults ----------------------------------------------------------------

GOOD=$(reg 0x1a 30b2 2)
one()
{
	fault "$1" 1 && reg 0x1a 30b2 2
}

check "nack: nobody answers" same ENXIO "$(one nack)"
check "nack: once" same "$GOOD" "$(reg 0x1a 30b2 2)"
check "arbitration lost" same EAGAIN "$(one arb_lost)"
check "arbitration lost: once" same "$GOOD" "$(reg 0x1a 30b2 2)"
check "all ones" same "ff ff" "$(one all_ones)"
check "all zeros" same "00 00" "$(one all_zeros)"
check "healthy again" same "$GOOD" "$(reg 0x1a 30b2 2)"
hi=${GOOD%% *}
check "torn: high byte of another conversion" \
	same "$(printf '%02x' $((0x$hi ^ 1))) ${GOOD##* }" "$(one torn)"
lo=${GOOD##* }
check "a flipped bit in the last byte" \
	same "$hi $(printf '%02x' $((0x$lo ^ 1)))" "$(one pec_error)"
# 40 degC at 0.7 a step
check "spike: 40 degC more, once" \
	near $((0x$hi$lo + 57)) $((0x$(one spike | tr -d ' '))) 1
check "spike: gone" same "$GOOD" "$(reg 0x1a 30b2 2)"
fault nack -1
reg 0x1a 30b2 2 > /dev/null
check "-1 lasts" same ENXIO "$(reg 0x1a 30b2 2)"
fault nack 0
check "0 ends it" same "$GOOD" "$(reg 0x1a 30b2 2)"

fault frozen 1
fault hot 80000
check "frozen: the die warms, the reading does not" \
	same "$GOOD" "$(reg 0x1a 30b2 2)"
fault frozen 0
# 55 degC is code 455
check "thawed" same $((455 + 36)) $((0x$(reg 0x1a 30b2 2 | tr -d ' ')))
fault power_on_default 1
fault hot 40000
check "no conversion ends: the register stays" \
	same $((455 + 36)) $((0x$(reg 0x1a 30b2 2 | tr -d ' ')))
fault power_on_default 0
fault rail high
check "high rail: 125 degC" same $((455 + 100)) \
	$((0x$(reg 0x1a 30b2 2 | tr -d ' ')))
fault rail low
check "low rail: -40 degC" same $((455 - 136)) \
	$((0x$(reg 0x1a 30b2 2 | tr -d ' ')))
fault rail off
# at 70 degC now, at 40 before
fault hot 40000
advance 300
was=$((0x$(reg 0x1a 30b2 2 | tr -d ' ')))
fault hot 70000
advance 100
fault late_conversion 150000
check "a late conversion is of the past" \
	near "$was" $((0x$(reg 0x1a 30b2 2 | tr -d ' '))) 1
fault late_conversion 0
check "a prompt one is not" at_least \
	$((0x$(reg 0x1a 30b2 2 | tr -d ' '))) $((was + 30))
unstack w

# --- time ------------------------------------------------------------------

# A transfer of 2 and 2 bytes is 56 bit times and the two starts.
took()
{
	read -r _t _ < /proc/uptime
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		reg 0x1a 0016 2 > /dev/null
	done
	read -r _u _ < /proc/uptime
	# hundredths of a second
	echo $(((${_u%.*}${_u#*.} - ${_t%.*}${_t#*.}) * 10))
}
board slow attach=cci bus_hz=1000 || exit 1
# one that sleeps does not answer, which is soon over
put "$SIM/owner_active" 1
check "ten transfers at 1 kHz take at least 560 ms" at_least "$(took)" 560
unstack slow

# --- stacks without a bus --------------------------------------------------

stack plain clock=step || exit 1
check "direct: none of the files of a bus" \
	[ ! -e "$SIM/bus" -a ! -e "$SIM/owner_active" ]
for f in "nack 1" "torn 1" "owner_gone 1" "upload 5"; do
	check "direct: fault $f needs a wire" \
		same EOPNOTSUPP "$(errno_of "$SIM/fault" "$f")"
done
unstack plain

# --- configfs --------------------------------------------------------------

mkdir "$CONFIG/bad"
# said TEXT: the kernel has, since it was last refused something
said()
{
	dmesg | sed -n "/wire mark $$.$mark\$/,\$p" | grep -q -e "$1" &&
		return 0
	note "the kernel did not say '$1'"
	return 1
}

mark=0
refused()
{
	mark=$((mark + 1))
	echo "nst-test: wire mark $$.$mark" > /dev/kmsg
	same "$3" "$(errno_of "$CONFIG/bad/$1" "$2")"
}

check "attach: what is valid is said" \
	eval 'refused attach usb EINVAL && said "direct cci mcu, not .usb"'
check "gate: what is valid is said" \
	eval 'refused gate valve EINVAL && said "none gpio dnn, not .valve"'
check "run_depth: what is valid is said" \
	eval 'refused run_depth run EINVAL && said "standby cleared off"'
check "sensor_model: what is valid is said" \
	eval 'refused sensor_model imx999 EINVAL && said "imx477.*ov9281"'
check "sensor_addr: reserved addresses" refused sensor_addr 0x03 ERANGE
check "bus_hz: no faster than high speed" refused bus_hz 3400001 ERANGE
check "property: too many numbers" refused property "a 1 2 3 4 5" EINVAL
check "property: too large a number" refused property "a 4294967296" ERANGE
put "$CONFIG/bad/attach" cci
put "$CONFIG/bad/clock" scaled
check "a scaled clock is none of a bus" \
	eval 'refused live 1 EINVAL && said "real and step"'
put "$CONFIG/bad/clock" real
put "$CONFIG/bad/gate" dnn
check "gate dnn is of an imx500" eval 'refused live 1 EINVAL && said imx500'
put "$CONFIG/bad/gate" gpio
put "$CONFIG/bad/property" 'nst,model "ar0234"'
put "$CONFIG/bad/property" 'nst,gate-milliwatt 5 4 3 2'
check "properties are kept" same \
	'nst,model "ar0234"|nst,gate-milliwatt 5 4 3 2' \
	"$(paste -s -d '|' "$CONFIG/bad/property")"
put "$CONFIG/bad/property" 'nst,model "imx477"'
check "and replaced by name" same 'nst,model "imx477"' \
	"$(head -n 1 "$CONFIG/bad/property")"
check "after all that it starts" put "$CONFIG/bad/live" 1
check "a live one is not to be changed" refused attach direct EBUSY
put "$CONFIG/bad/live" 0
put "$CONFIG/bad/property" '
'
check "an empty line removes all properties" same 0 \
	"$(wc -l < "$CONFIG/bad/property")"
rmdir "$CONFIG/bad"
check "the modules go" nst_unload
finish
