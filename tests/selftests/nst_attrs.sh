#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# nst_attrs.sh - every attribute is there, and each has its ABI entry
#
# The entries of kmod/doc/ABI are the list: what they name has to exist, and
# no file may exist that they do not name.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

begin
abi=$TOP/kmod/doc/ABI/testing/sysfs-class-nst
entries=$(sed -n 's|^What:[[:space:]]*/sys/class/nst/nst<N>/||p' "$abi")
stack attrs clock=step
advance 1000

files=$(cd "$NST" && find . -type f \( -path './power/*' -prune -o \
	-name uevent -prune -o -name dev -prune -o -print \) |
	sed 's|^\./||' | sort)
hwmon="temp1_input temp1_max temp1_crit temp1_fault temp1_label
temp1_highest temp2_input temp2_max temp2_crit temp2_fault temp2_label
temp3_input temp3_max temp3_crit temp3_fault temp3_label power1_input"

# shellcheck disable=SC2086 # lists of words
set -- $entries
n=$#
# shellcheck disable=SC2086
set -- $files
n=$((n + $#))
# shellcheck disable=SC2086
set -- $hwmon
plan $((n + $# + 5))

# all_read TITLE DIRECTORY FILE...: one result for each
all_read()
{
	_title=$1
	_dir=$2
	shift 2
	for _f; do
		echo "$_dir/$_f"
	done | xargs nst_read > reads
	for _f; do
		read -r _e
		check "$_title $_f" same 0 "$_e"
	done < reads
}

# shellcheck disable=SC2086 # lists of words
all_read "there is and one can read" "$NST" $entries
for f in $files; do
	case "
$entries
" in
	*"
$f
"*) ok "file $f has an entry" ;;
	*) not_ok "file $f has an entry" ;;
	esac
done
# shellcheck disable=SC2086
all_read "hwmon has" "$HWMON" $hwmon

check "the path of the manual to hwmon" same "$(readlink -f "$HWMON")" \
	"$(readlink -f "$NST"/device/hwmon/hwmon*)"
check "labels" same "die vpu dram" "$(get "$HWMON/temp1_label") $(
	get "$HWMON/temp2_label") $(get "$HWMON/temp3_label")"
check "no fourth channel" test ! -e "$HWMON/temp4_input"
check "vpu is hotter than dram, dram than the die" test \
	"$(get "$HWMON/temp2_input")" -gt "$(get "$HWMON/temp3_input")" -a \
	"$(get "$HWMON/temp3_input")" -gt "$(get "$HWMON/temp1_input")"
check "libsensors sees the chip" sh -c \
	'! command -v sensors > /dev/null || sensors | grep -q "^nst-"'

unstack attrs
nst_unload
finish
