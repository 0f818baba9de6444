#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# module.sh KVER [MAKE-ARGUMENT...]: build the modules for a kernel of the cache
# (6.1, 6.12, backports, armhf) or an installed one (its release) in
# build/kmod-<release>/

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/kernels.sh"

kver=$1
shift
kdir=$(nst_kernel_build "$kver")
rel=$kver
[ ! -f "$NST_CACHE/kernel-$kver/release" ] || rel=$(nst_kernel_release "$kver")

dir=$top/build/kmod-$rel

# Always with all warnings and with sparse, so that building and judging are
# one thing. What they say of an object is kept for as long as the object is:
# a warning is seen in every later build until its file is mended.
mkdir -p "$dir"
check=
case " $NST_HEADERS " in
*" $kver "*)
	# sparse of Debian 12 knows neither the newest headers nor ARM
	;;
*)	! command -v sparse > /dev/null || check=C=1 ;;
esac
rc=0
"$top/tests/lib/modules.sh" "$kdir" "$dir" W=1 $check "$@" \
	2> "$dir/warnings.now" || rc=$?
cat "$dir/warnings.now" >&2
if grep -Eq '(warning|error):' "$dir/warnings.now"; then
	# have those compiled again next time: forget their objects, and all
	# when it is a header that is at fault
	# (paths are absolute, or from 6.13 on begin in this folder)
	! grep -Eq "^($dir/)?(kmod|policies|firmware)/.*\.h:[0-9:]* (warning|error):" \
		"$dir/warnings.now" || find "$dir" -name '*.o' -delete
	sed -n "s|^$dir/||; s|^\([a-z][a-zA-Z0-9_./-]*\)\.c:.*|\1|p" \
		"$dir/warnings.now" | sort -u | while read -r f; do
		rm -f "$dir/$f.o"
	done
fi
mv "$dir/warnings.now" "$dir/warnings"
[ "$rc" = 0 ] || exit "$rc"
echo "  MODULES ${dir#"$top/"}"
