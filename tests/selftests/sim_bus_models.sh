# SPDX-License-Identifier: GPL-2.0-only
#
# Every model of an emulated sensor, read as bytes off the wire and turned into
# a temperature by the datasheet's rule, against the truth of the stack. No
# driver of ours takes part.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_bus.inc"

MODELS="imx477 imx708 imx500 imx296 imx219 ar0144 ar0234 ar0331 ar0231 ov48b
	ox03c10 s5kjn1 vd56g3"
# -15 is below what an IMX219 reads, 95 above a CCS part.
TEMPS="-15000 0 25000 55000 79000 95000"

begin_bus
set -- $MODELS
plan $(($# * 3 + 6))

# bytes REGISTER COUNT: as one number, high byte first
bytes()
{
	_b=$(reg 0x1a "$1" "$2") || return 1
	echo $((0x$(echo "$_b" | tr -d ' ')))
}

# line RAW CODE0 MC0 CODE1 MC1: on the line through two points
line()
{
	echo $(($3 + ($1 - $2) * ($5 - $3) / ($4 - $2)))
}

clip()
{
	if [ "$1" -lt "$2" ]; then
		echo "$2"
	elif [ "$1" -gt "$3" ]; then
		echo "$3"
	else
		echo "$1"
	fi
}

# trigger MODEL: what has to be written for a reading, while streaming
trigger()
{
	case $1 in
	ov48b) setreg 4d12 01 ;;
	imx296) setreg 301d 01 && setreg 301d 00 ;;
	esac
}

# decode MODEL: sets MC, and HALF, half a step; LOW and HIGH, where it ends
decode()
{
	LOW=-40000
	HIGH=125000
	case $1 in
	imx477 | imx708 | imx500)
		_r=$(bytes 013a 1)
		[ "$_r" -lt 128 ] || _r=$((_r - 256))
		MC=$((_r * 1000)) HALF=500 LOW=-20000 HIGH=80000
		;;
	imx296)
		# low byte first
		_r=$(bytes 301e 2)
		_r=$(((_r & 255) << 8 | _r >> 8))
		MC=$((246312 - 304 * _r)) HALF=152
		;;
	imx219)
		_r=$(($(bytes 0140 1) & 127))
		LOW=-10000 HIGH=95000 HALF=500
		if [ "$_r" -le 12 ]; then MC=$(line $_r 0 -10000 12 0)
		elif [ "$_r" -le 36 ]; then MC=$(line $_r 12 0 36 20000)
		elif [ "$_r" -le 43 ]; then MC=$(line $_r 36 20000 43 25000)
		else MC=$(line $_r 43 25000 61 40000)
		fi
		# the table ends at 61, its slope does not quite fit the end
		[ "$_r" -le 61 ] || HALF=1000
		;;
	ar0144 | ar0234)
		MC=$((55000 + ($(bytes 30b2 2) - $(bytes 30c6 2)) * 700))
		HALF=350
		;;
	ar0331)
		MC=$(line "$(bytes 30b2 2)" "$(bytes 30c8 2)" 55000 \
			"$(bytes 30c6 2)" 70000)
		HALF=341
		;;
	ar0231)
		MC=$(line "$(bytes 20b0 2)" "$(bytes 30c8 2)" 55000 \
			"$(bytes 30c6 2)" 125000)
		HALF=350
		;;
	ov48b)
		_r=$(bytes 4d13 1)
		[ "$_r" -lt 192 ] || _r=$((192 - _r))
		MC=$((_r * 1000)) HALF=500
		;;
	ox03c10)
		_r=$(bytes 4d2a 2)
		[ "$_r" -le 49152 ] || _r=$((49152 - _r))
		MC=$((_r * 1000 / 256)) HALF=3
		;;
	s5kjn1)
		_r=$(bytes 0020 2)
		[ "$_r" -lt 32768 ] || _r=$((_r - 65536))
		MC=$((_r * 1000 / 256)) HALF=3
		;;
	vd56g3)
		_r=$(bytes 004c 2)
		_r=$(((_r & 255) << 8 | _r >> 8))
		[ "$_r" -lt 32768 ] || _r=$((_r - 65536))
		MC=$((_r * 1000)) HALF=500
		;;
	esac
}

# at TEMPERATURE: the whole stack, with no time to move away from it
follows()
{
	for _t in $TEMPS; do
		fault hot "$_t" || return 1
		trigger "$1" || return 1
		decode "$1"
		near "$(clip "$_t" $LOW $HIGH)" "$MC" $((HALF + 1)) || {
			note "$1 at $_t mC"
			return 1
		}
	done
}

identity()
{
	case $1 in
	imx477) same "04 77" "$(reg 0x1a 0016 2)" ;;
	imx708) same "07 08" "$(reg 0x1a 0016 2)" ;;
	imx500) same "05 00" "$(reg 0x1a 0016 2)" ;;
	imx296) same "00 4a" "$(reg 0x1a 3148 2)" ;;
	imx219) same "02 19" "$(reg 0x1a 0000 2)" ;;
	ar0144) same "13 56" "$(reg 0x1a 3000 2)" ;;
	ar0234) same "0a 56" "$(reg 0x1a 3000 2)" ;;
	ar0331) same "26 02" "$(reg 0x1a 3000 2)" ;;
	ar0231) same "03 54" "$(reg 0x1a 3000 2)" ;;
	ov48b) same "56 48 42" "$(reg 0x1a 300a 3)" ;;
	ox03c10) same "58 03" "$(reg 0x1a 300a 2)" ;;
	s5kjn1) same "38 e1" "$(reg 0x1a 0000 2)" ;;
	vd56g3) same "03 56" "$(reg 0x1a 0000 2)" ;;
	esac
}

# What the register holds before there ever was a conversion.
idle()
{
	case $1 in
	imx477 | imx708 | imx500) same 80 "$(reg 0x1a 013a 1)" ;;
	imx296) same "00 00" "$(reg 0x1a 301e 2)" ;;
	imx219) same 00 "$(reg 0x1a 0140 1)" ;;
	ar0144 | ar0234 | ar0331) same "00 00" "$(reg 0x1a 30b2 2)" ;;
	ar0231) same "00 00" "$(reg 0x1a 20b0 2)" ;;
	ov48b) same 00 "$(reg 0x1a 4d13 1)" ;;
	# free running since there is power: at ambient, which is 26.4
	ox03c10) same "1a 66" "$(reg 0x1a 4d2a 2)" ;;
	s5kjn1) same "00 00" "$(reg 0x1a 0020 2)" ;;
	vd56g3) same "00 00" "$(reg 0x1a 004c 2)" ;;
	esac
}

for m in $MODELS; do
	board "$m" attach=cci clock=step bus_hz=0 sensor_model="$m" \
		owner_autosuspend_ms=600000 || exit 1
	check "$m identifies itself" identity "$m"
	check "$m has no reading before the first conversion" idle "$m"
	put "$SIM/owner_active" 1
	# an IMX500 takes 50 ms for its firmware, CCS parts 21 ms to settle
	advance 100
	check "$m follows the die from -15 to 95 degC" follows "$m"
	unstack "$m"
done

# Two dies in one part.
board two attach=cci clock=step bus_hz=0 sensor_model=ar0231 || exit 1
put "$SIM/owner_active" 1
advance 500
a=$(line "$(bytes 20b0 2)" "$(bytes 30c8 2)" 55000 "$(bytes 30c6 2)" 125000)
b=$(line "$(bytes 20b2 2)" "$(bytes 30cc 2)" 55000 "$(bytes 30ca 2)" 125000)
# 0.2 K/W below the pixels, at 2.4 W
check "ar0231: the lower die is warmer by what it dissipates" \
	near $((a + 480)) "$b" 715
unstack two

board one attach=cci clock=step bus_hz=0 sensor_model=imx477 \
	owner_autosuspend_ms=600000 || exit 1
setreg 0138 01
advance 20
check "imx477: no value 20 ms after it was enabled" same 80 "$(reg 0x1a 013a 1)"
advance 2
check "imx477: a value 22 ms after" same 28 "$(reg 0x1a 013a 1)"
setreg 0138 00
fault hot 60000
check "imx477: disabled, it keeps the last value" same 28 "$(reg 0x1a 013a 1)"
check "registers can be written, and count up by themselves" \
	same "12 34 56" "$(setreg 4000 12 34 56 && reg 0x1a 4000 3)"
unstack one
check "the modules go" nst_unload
finish
