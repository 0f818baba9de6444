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
# The kernel's own headers are not ours to mend.
if grep -E '(warning|error):' "$dir/warnings" | grep -F "$top/$dir/" |
   sed "s|$top/$dir/||" | sort -u | grep .; then
	exit 1
fi
