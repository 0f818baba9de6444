#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# module.sh KVER [MAKE-ARGUMENT...]: build the modules for a kernel of the cache
# (6.1, 6.12) or an installed one (its release) in build/kmod-<release>/

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/kernels.sh"

kver=$1
shift
kdir=$(nst_kernel_build "$kver")
rel=$kver
[ ! -f "$NST_CACHE/kernel-$kver/release" ] || rel=$(nst_kernel_release "$kver")

"$top/tests/lib/modules.sh" "$kdir" "$top/build/kmod-$rel" "$@"
echo "  MODULES build/kmod-$rel"
