#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cci_refuse.sh - properties that cannot be: a clear line in the log, no device

. "${NST_SELFTESTS:-$(dirname "$0")}/cci_lib.inc"

begin_cci
plan 64

# refused WHAT PATTERN MODEL PROPERTY...: no device, and a line like PATTERN
refused()
{
	_what=$1
	_pattern=$2
	_model=$3
	shift 3
	quiet
	set -- "$@" --
	while [ "$1" != -- ]; do
		_p=$1
		shift
		set -- "$@" "property=$_p"
	done
	shift
	board bad clock=real attach=cci sensor_model="$_model" "$@" || {
		not_ok "$_what: the board"
		not_ok "$_what: the log"
		unstack bad
		return
	}
	# A probe that was deferred is made by a work.
	grows 1 said "$_pattern"
	_rc=$?
	if device bad > /dev/null; then
		not_ok "$_what: no device"
	else
		ok "$_what: no device"
	fi
	if [ $_rc = 0 ]; then
		ok "$_what: said"
	else
		note "no '$_pattern' in the log:"
		dmesg | tail -n 3 | sed 's/^/# /'
		not_ok "$_what: said"
	fi
	unstack bad
}

# written: what the transfers have written beyond two bytes of an address each,
# by counts of one moment. A transfer counts when it begins, its bytes when they
# are over, so a moment within one has up to two too few, and never any too many.
written()
{
	while read -r _k _v; do
		case $_k in
		transfers) _transfers=$_v ;;
		bytes_written) _written=$_v ;;
		esac
	done < "$SIM/bus"
	[ "$_transfers" -ge 1 ] && echo $((_written - 2 * _transfers))
}

# only_read: nothing but addresses was written; a moment between two transfers
# comes soon
only_read()
{
	gives 0 written
}

refused "an unknown model" 'nst,model "imx478" is not a model' imx477 \
	'nst,model "imx478"'
check "the log has the models that there are" test \
	"$(said 'may be.* imx477')" = 1
refused "no model" 'nst,model "" is not a model' imx477 'nst,model ""'
refused "one weak source, not asked for" 'nst,model = "vd56g3" to use' vd56g3
refused "a model that is off" 'mira220 is not supported: no thermometer' \
	imx477 'nst,model "mira220"'
refused "an address out of range" 'sensor-addr 0x99 is not within 0x8 to' \
	imx477 'nst,sensor-addr 0x99'
refused "an address that is reserved" 'sensor-addr 0x3 is not within' imx477 \
	'nst,sensor-addr 3'
refused "two places" 'give one of nst,sensor,' imx477 'nst,sensor 1'
refused "a pause of what has no DNN" 'dnn-pause is for imx500' imx477 \
	'nst,imx500-dnn-pause'
refused "two gates" 'choose' imx500 'nst,imx500-dnn-pause'
refused "no thermometer at all" 'has no thermometer: nst,board-sensor' ov9281
refused "two thermometers" 'board-sensor is for models without' imx477 \
	'nst,board-sensor "zone:soc"'
for text in "" soc "hwmon:tmp102" "hwmon:tmp102:in0" "zone:" "iio:"; do
	refused "board sensor '$text'" "is none of hwmon:" ov9281 \
		"nst,board-sensor \"$text\""
done
refused "itself" 'is what it is to be made from' ov9281 \
	'nst,board-sensor "hwmon:nst:temp1"'
refused "itself, by its zone" 'is what it is to be made from' ov9281 \
	'nst,board-sensor "zone:nst0_die"'
refused "an impossible plant" 'nst,die-package-mk-per-w' imx477 \
	'nst,die-package-mk-per-w 0'
refused "an impossible ceiling" 'nst,max-millicelsius' imx477 \
	'nst,max-millicelsius 400000'

# A model of the table, but not the one that is there: found when it answers.
quiet
sensor wrong imx477 property='nst,model "imx708"' || exit 1
active 1
check "another part: never a temperature" becomes ENODATA
stays ENODATA 1
check "another part: said once" same 1 "$(said 'calls itself 0x0477')"
check "another part: nothing is written" same "0 0" \
	"$(wire foreign_enable) $(wire foreign_stream)"
active 0
unstack wrong

# The same of each family that has identities.
for pair in ar0234:ar0144 ov48b:ov13b10 vd56g3:vd55g1 s5kjn1:vd56g3; do
	there=${pair%:*}
	said=${pair#*:}
	quiet
	sensor wrong "$there" property="nst,model \"$said\"" || exit 1
	active 1
	check "$there is no $said: never a temperature" becomes ENODATA
	stays ENODATA 1
	check "$there is no $said: said once" same 1 \
		"$(said "a $said is .*: nst,model is wrong")"
	check "$there is no $said: the stream is the owner's" same 0 \
		"$(wire foreign_stream)"
	check "$there is no $said: nothing is written" only_read
	active 0
	unstack wrong
done

# After all that a right one works.
sensor right imx477 || exit 1
active 1
check "and a right one works" becomes 0
unstack right
check "the modules go" nst_unload
finish
