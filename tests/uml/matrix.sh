#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# matrix.sh [OPTION...]: build the modules against kernels without HWMON,
# THERMAL, OF, DEBUG_FS or PM, and one without all five, as KTAP
#
# User-mode configurations of the kernel source in the cache, prepared and not
# built: what a module is compiled against is there, the symbols it will be
# linked to are not, so modpost only warns of those. A warning of the compiler
# is a failure.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
. tests/lib/kernels.sh

[ $# -gt 0 ] || set -- HWMON THERMAL OF DEBUG_FS PM ALL
src=$(nst_kernel_source) || exit 1
ver=$(cat "$src/.nst-version")

# without OPTION: tests/uml/config less that option and what hangs on it
without()
{
	case $1 in
	HWMON) _drop='HWMON|SENSORS_.*' ;;
	THERMAL) _drop='THERMAL.*' ;;
	OF) _drop='OF|THERMAL_OF' ;;
	DEBUG_FS) _drop='DEBUG_FS|KUNIT_DEBUGFS' ;;
	PM) _drop='PM|SUSPEND|PM_DEBUG' ;;
	ALL) _drop='HWMON|SENSORS_.*|THERMAL.*|OF|DEBUG_FS|KUNIT_DEBUGFS|PM|SUSPEND|PM_DEBUG' ;;
	*) echo "matrix.sh: no option '$1'" >&2; return 1 ;;
	esac
	grep -Ev "^CONFIG_($_drop)=" tests/uml/config
}

# prepare OPTION: the kernel's build directory
prepare()
{
	_wanted=$(without "$1") || return 1
	_hash=$(echo "$_wanted" | sha256sum | cut -c1-12)
	_out=$NST_CACHE/uml-$ver-no-$1-$_hash
	if [ ! -f "$_out/done" ]; then
		mkdir -p "$_out"
		echo "$_wanted" > "$_out/wanted"
		for _goal in allnoconfig modules_prepare; do
			make -s -C "$src" ARCH=um O="$_out" CC="${CC:-gcc}" \
				KCONFIG_ALLCONFIG="$_out/wanted" \
				-j"$(nproc)" $_goal > "$_out/log" 2>&1 || {
				tail -n 20 "$_out/log" >&2
				return 1
			}
		done
		: > "$_out/done"
	fi
	# what was to be off is off, and the rest is on
	for _o in HWMON THERMAL OF DEBUG_FS PM; do
		_is=$(grep -c "^CONFIG_$_o=" "$_out/.config")
		_want=1
		if [ "$1" = ALL ] || [ "$1" = "$_o" ]; then
			_want=0
		fi
		[ "$_is" = "$_want" ] || {
			echo "without $1: CONFIG_$_o is $_is, not $_want" >&2
			return 1
		}
	done
	echo "$_out"
}

modules()
{
	_kernel=$(prepare "$1") || return 1
	_dir=build/uml-no-$1
	tests/lib/modules.sh "$_kernel" "$_dir" ARCH=um W=1 \
		KBUILD_MODPOST_WARN=1 > "$log" 2>&1 || {
		tail -n 40 "$log"
		return 1
	}
	# of our files; what modpost misses it was not given. An object that
	# was warned of is built again next time.
	if grep -E "(^|/)(kmod|policies|firmware)/.*(warning|error):" "$log"; then
		find "$_dir" -name '*.o' -delete
		return 1
	fi
	for _m in nst nst-cci nst-mcu nst-sim; do
		[ -s "$_dir/$_m.ko" ] || { echo "no $_m.ko"; return 1; }
	done
}

log=$(mktemp)
said=$(mktemp)
trap 'rm -f "$log" "$said"' EXIT
echo "KTAP version 1"
echo "1..$#"
n=0
bad=0
for o; do
	n=$((n + 1))
	if modules "$o" > "$said" 2>&1; then
		echo "ok $n - without $o"
	else
		head -n 60 "$said" | sed 's/^/# /'
		echo "not ok $n - without $o"
		bad=1
	fi
done
exit $bad
