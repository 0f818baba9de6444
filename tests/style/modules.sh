#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# modules.sh LINE: warnings (W=1) and sparse findings of the modules built for a
# kernel line. module.sh always builds with both on and keeps what they said
# about each object in `warnings`; this reads it.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
. tests/lib/kernels.sh

tests/lib/module.sh "$1" > /dev/null
dir=build/kmod-$(nst_kernel_release "$1")
# The kernel's own headers are not ours to mend. Paths are absolute, or begin in
# the folder of the modules, as the kernel has it.
if grep -E '(warning|error):' "$dir/warnings" | sed "s|^$top/$dir/||" |
   grep -E '^(kmod|policies|firmware)/' | sort -u | grep .; then
	exit 1
fi

# No 32-bit kernel has functions for 64-bit division or floating point, and
# without the kernel's symbols modpost does not tell.
if [ "$1" = armhf ]; then
	odd=$("$NST_CACHE/gcc-arm/bin/arm-linux-gnueabihf-nm" -u "$dir"/*.ko |
		grep -E '__aeabi_(u?ldivmod|[dfil]2|u[il]2|[df](add|sub|mul|div|cmp)|c[df])' |
		sort -u) || true
	if [ -n "$odd" ]; then
		echo "needs $odd"
		exit 1
	fi
fi
