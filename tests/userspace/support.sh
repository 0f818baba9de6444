#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# support.sh [--write]: the tables of the manual against what they speak of
#
#	nst-cci.rst, models	the driver's own table (cci_table prints it)
#	support.rst, sensors	rows of that table; "run" are those that
#				tests/selftests/cci_families.sh reads
#	support.rst, kernels	"run" are the lines that check.sh starts VMs of,
#				"built" those that headers are fetched for; no line
#				in between is left out
#	attach.rst		the four recipes are there
#
# --write puts the first two into the manual anew.

# shellcheck disable=SC2154 # check.inc sets top, build, dir, n and failed

. "${NST_TOP:-$(dirname "$0")/../..}/tests/userspace/check.inc"
doc=$top/kmod/doc
. "$top/tests/lib/kernels.sh"

# between FILE WHAT: what stands between its two marks
between()
{
	sed -n "/^\.\. $2 begins*\$/,/^\.\. $2 ends*\$/p" "$1" |
		sed '1d;$d' | sed '/./,$!d'
}

models()
{
	"$build/tests/selftests/cci_table"
}

# The models that are read on an emulated bus.
emulated()
{
	sed -n '/^models="/,/"$/p' "$top/tests/selftests/cci_families.sh" |
		tr -d '"' | sed 's/^models=//' | tr -s ' \t' '\n\n' |
		sed 's/:.*//' | grep .
	# tests/selftests/cci_estimate.sh
	echo none
}

sensors()
{
	emulated > "$dir/emulated"
	models | awk -v emulated="$dir/emulated" '
		BEGIN {
			while ((getline m < emulated) > 0)
				run[m] = 1
			print ".. list-table::\n   :header-rows: 1\n"
			print "   * - Sensor\n     - State\n     - Confidence"
			print "     - Temperature"
		}
		/^   \* - / { model = substr($0, 8); field = 0; next }
		/^     - / {
			field++
			value = substr($0, 8)
			if (field == 2)
				conf = value
			if (field == 3)
				die = value !~ /^none/
			if (field != 8 || model == "Model")
				next
			off = value ~ /^off: /
			state = off ? "off" : run[model] ? "run" : "built"
			temp = "estimated from a board sensor"
			if (die)
				temp = "of the die"
			if (off)
				temp = "refused"
			printf "   * - %s\n     - %s\n     - %s\n     - %s\n",
				model, state, conf, temp
		}'
}

# put FILE WHAT: standard input between its marks
put()
{
	{
		sed "/^\.\. $2 begins*\$/q" "$1"
		echo
		cat
		sed -n "/^\.\. $2 ends*\$/,\$p" "$1"
	} > "$dir/new" && cat "$dir/new" > "$1"
}

same()
{
	diff "$1" "$2" > "$dir/diff" || sed 's/^/# /' "$dir/diff" | head -n 40
	[ -s "$1" ] && [ ! -s "$dir/diff" ]
}

if [ "${1:-}" = --write ]; then
	models | put "$doc/nst-cci.rst" "table of models" &&
		sensors | put "$doc/support.rst" sensors
	exit
fi

echo "KTAP version 1"

models > "$dir/has"
between "$doc/nst-cci.rst" "table of models" > "$dir/says"
check "models of nst-cci.rst are those of the driver" \
	same "$dir/has" "$dir/says"
sensors > "$dir/has"
between "$doc/support.rst" sensors > "$dir/says"
check "sensors of support.rst are those that are run and built" \
	same "$dir/has" "$dir/says"
some_are_emulated()
{
	[ "$(wc -l < "$dir/emulated")" -ge 9 ]
}
check "a sensor of each family is run" some_are_emulated

# kernels STATE: of the table
kernels()
{
	between "$doc/support.rst" kernels |
		awk -v want="$1" '/^   \* - / { k = substr($0, 8); f = 0; next }
			/^     - / && ++f == 1 && substr($0, 8) == want {
				print k
			}' | sort
}
kernels run > "$dir/says"
# what check.sh starts a VM of, by default
sed -n '/^\(all | long\|_half\))/,/;;/s/^[[:space:]]*do_vm \([0-9.]*\)$/\1/p' \
	"$top/tests/lib/check.sh" | sort > "$dir/has"
check "kernels that are run" same "$dir/has" "$dir/says"
echo "$NST_LINES" | tr ' ' '\n' | sort > "$dir/has"
check "kernels that there are" same "$dir/has" "$dir/says"
kernels built | sort > "$dir/says"
echo "$NST_HEADERS" | tr ' ' '\n' | sort > "$dir/has"
check "kernels that are built" same "$dir/has" "$dir/says"
newest_is_named()
{
	_r=$(nst_kernel_release backports 2> /dev/null) || {
		echo "# no backports in the cache"
		return 0
	}
	_r=$(echo "$_r" | cut -d. -f1,2)
	between "$doc/support.rst" kernels | grep -q "($_r when" || {
		echo "# the newest is $_r, support.rst says otherwise"
		return 1
	}
}
check "the newest kernel has its number" newest_is_named
oldest_is_the_header()
{
	grep -q 'LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)' \
		"$top/kmod/compat.h" && kernels "not built here" |
		grep -qx 5.15
}
check "the oldest kernel is compat.h's" oldest_is_the_header
# every line from compat.h's to the newest is in a row, or in a range
no_line_left_out()
{
	between "$doc/support.rst" kernels > "$dir/kernels"
	sed -n 's/^   \* - //p' "$dir/kernels" |
		awk -v newest="$(sed -n 's/.*(\([0-9.]*\) when.*/\1/p' \
			"$dir/kernels")" '
		function key(v, p) { split(v, p, "."); return p[1] * 100 + p[2] }
		/^[0-9]+\.[0-9]+( to [0-9]+\.[0-9]+)?$/ {
			for (i = key($1); i <= key($NF); i++)
				has[i] = 1
		}
		END {
			for (v = key("5.15"); v < key(newest); v++)
				# 5 and 6 ended with 19
				if (v % 100 <= 19 && !has[v]) {
					print "# no row has " int(v / 100) "." v % 100
					bad = 1
				}
			exit bad || newest == ""
		}'
}
check "no kernel between is left out" no_line_left_out
machines()
{
	kernels "not built here" | grep -qx arm64 &&
		kernels "not built here" | grep -qx "Raspberry Pi"
}
check "what the recipes are for is said not to be built" machines

recipes()
{
	for _r in IMX477 AR0234 IMX500 "Board with only a GPIO"; do
		grep -qx "$_r" "$doc/attach.rst" || {
			echo "# attach.rst has no '$_r'"
			return 1
		}
	done
}
check "attach.rst has the four recipes" recipes
# Two chips of ours may have one name there (nst.rst, hwmon).
by_device()
{
	! grep -nE '^ +(\$ )?sensors( |$)' "$doc"/*.rst | sed 's/^/# /' |
		grep . &&
		grep -q '/sys/class/nst/nst0/device/hwmon/' "$doc/attach.rst"
}
check "temperatures of the manual are read by device" by_device
# Every property that the manual names is one of the schema.
properties()
{
	_bad=0
	for _p in $(grep -ohE '\bnst,[a-z0-9-]+' "$doc"/*.rst | sort -u); do
		case $_p in
		nst,companion | nst,mcu | nst,sim | nst,bus-number) continue ;;
		esac
		grep -q "^  $_p:" "$top"/boards/bindings/thermal/*.yaml || {
			echo "# the manual has $_p, the schema has not"
			_bad=1
		}
	done
	return $_bad
}
check "properties of the manual are the schema's" properties
ceiling()
{
	_mc=$(sed -n 's/^#define REFERENCE_MAX_MC[[:space:]]*//p' \
		"$top/kmod/nst-board-props.c")
	[ -n "$_mc" ] && grep -q "is $((_mc / 1000)) degC for every companion" \
		"$doc/attach.rst" &&
		grep -q "^      $_mc if absent" \
			"$top/boards/bindings/thermal/nst-common.yaml"
}
check "the ceiling of a node that names none" ceiling
# Files that the manual points at.
files()
{
	_bad=0
	for _f in $(grep -ohE '(^|[^/a-z])(boards|kmod|tests|firmware)/[A-Za-z0-9_./,-]+' \
			"$doc"/*.rst | sed 's/^[^a-z]//; s/[.,]*$//' | sort -u); do
		[ -e "$top/$_f" ] || {
			echo "# the manual has $_f, the tree has not"
			_bad=1
		}
	done
	return $_bad
}
check "files of the manual are there" files
# Registers of the MCU that it names are in the map.
registers()
{
	_bad=0
	for _r in $(grep -ohE '\b[A-Z]+_[A-Z_]+\b' "$doc/gates.rst" "$doc/nst-mcu.rst" |
			grep -vE '^(NST|SET)_' | sort -u); do
		grep -q "\b$_r\b" "$top/firmware/abi/registers.rst" || {
			echo "# the manual has $_r, the register map has not"
			_bad=1
		}
	done
	return $_bad
}
check "registers of the manual are those of the map" registers
# Messages that it explains are messages of the driver.
messages()
{
	_bad=0
	sed -n '/^What can go wrong$/,$p' "$doc/attach.rst" "$doc/nst-mcu.rst" |
		grep '^"' | grep -oE '"[^"]*"' | tr -d '"' |
		sed 's/\.\.\.*/\n/g' | sed 's/^[ :,]*//; s/[ :,]*$//' |
		grep -E '.{9}' | grep -vE '[0-9]' | sort -u > "$dir/messages"
	while read -r _m; do
		grep -qF -- "$_m" "$top"/kmod/*.c || {
			echo "# no driver says '$_m'"
			_bad=1
		}
	done < "$dir/messages"
	[ "$(wc -l < "$dir/messages")" -ge 8 ] || _bad=1
	return $_bad
}
check "messages of the manual are the drivers'" messages

echo "1..$n"
[ $failed = 0 ]
