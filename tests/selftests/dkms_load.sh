#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms_load.sh - the modules that DKMS built and installed, loaded on the stock
# kernel that they are for: they are found with what they depend on, are what
# the package has and not what this tree built, and a stack of theirs works.

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

rel=$(uname -r)
root=${NST_BUILD:-$TOP/build}/dkms-root-$rel
dkms=${NST_BUILD:-$TOP/build}/dkms-$rel/modules/$rel/updates/dkms
[ "${NST_GUEST:-}" = vm ] || skip_all "DKMS packages are for stock kernels"
[ -d "$root/lib/modules/$rel" ] ||
	skip_all "no package was built (tests/lib/dkms.sh build)"

# kmod's own, which know -d and -F; the shell of a guest has others
modprobe=/sbin/modprobe
modinfo=/sbin/modinfo
modules=$(cd "$dkms" && ls | sed 's/\.ko.*//')
plan 9

loads()
{
	for _m in $modules; do
		$modprobe -d "$root" "$_m" || return 1
	done
}

# The build id is part of a module and is shown while it is loaded.
same_build()
{
	for _m in $modules; do
		case $(ls "$dkms/$_m".ko*) in
		*.xz) xz -dc "$dkms/$_m.ko.xz" > module ;;
		*) cat "$dkms/$_m.ko" > module ;;
		esac
		objcopy -O binary --only-section=.note.gnu.build-id \
			--set-section-flags .note.gnu.build-id=alloc \
			module id && [ -s id ] &&
			cmp -s id "/sys/module/$(echo "$_m" |
				tr - _)/notes/.note.gnu.build-id" || {
			note "$_m is another one"
			return 1
		}
	done
}

# An installed module says where it is for.
for_this_kernel()
{
	for _m in $modules; do
		case $($modinfo -F vermagic "$(ls "$dkms/$_m".ko*)") in
		"$rel "*) ;;
		*) return 1 ;;
		esac
	done
}

check "package_has_the_core" \
	[ -n "$(ls "$dkms"/nst.ko* 2> /dev/null)" ]
check "package_has_the_emulation" \
	[ -n "$(ls "$dkms"/nst-sim.ko* 2> /dev/null)" ]
check "for_this_kernel" for_this_kernel
check "load" loads
check "are_the_package" same_build
use sim0
check "default_stack" same sim0 "$(get "$NST/name")"
check "temperature" at_least "$(die_mc)" 20000
check "gate" put "$NST/gate" standby
unload_all()
{
	# emulation first, then what it needs
	for _m in nst-sim nst-cci nst-mcu nst; do
		[ ! -d "/sys/module/$(echo "$_m" | tr - _)" ] ||
			/sbin/rmmod "$_m" || return 1
	done
}
check "unload" unload_all
finish
