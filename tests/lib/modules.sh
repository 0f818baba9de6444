#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# modules.sh KERNELDIR OUTDIR [kunit] [MAKE-ARGUMENT...]: build the modules
# against the kernel in KERNELDIR; objects and modules go to OUTDIR.
#
# Kbuild leaves its objects beside the sources, and several kernels are built
# from these. So it works in OUTDIR on links to the sources. `kunit` builds
# nst-kunit.ko (tests/uml/Kbuild) instead of the modules.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
kdir=$1
out=$2
shift 2

kbuild=Kbuild
dirs="kmod kmod/uapi policies/core firmware/abi firmware/app firmware/vpu"
if [ "${1:-}" = kunit ]; then
	shift
	kbuild=tests/uml/Kbuild
	dirs="$dirs policies/tests kmod/tests tests/uml"
fi

[ -e "$kdir/Makefile" ] || {
	echo "modules.sh: $kdir is no kernel build directory" >&2
	exit 2
}

mkdir -p "$out"
out=$(cd "$out" && pwd)
exec 9> "$out/.lock"
flock 9

# An object whose source is gone must not be linked again, and neither must
# one be kept that was built with another compiler line: kbuild sees to the
# second, the dangling links tell the first.
find "$out" -xtype l -delete
for d in $dirs; do
	[ -d "$top/$d" ] || continue
	mkdir -p "$out/$d"
	for f in "$top/$d"/*.c "$top/$d"/*.h; do
		[ -e "$f" ] || continue
		l=$out/$d/${f##*/}
		[ -L "$l" ] && [ "$(readlink "$l")" = "$f" ] ||
			ln -sf "$f" "$l"
	done
done
ln -sf "$top/$kbuild" "$out/Kbuild"

# pahole's type information is of no use here and older pahole fails on 6.12
exec make -s -C "$kdir" M="$out" CONFIG_DEBUG_INFO_BTF_MODULES= "$@" modules
