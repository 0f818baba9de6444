#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh [kasan|kmemleak]: build the user-mode kernel of that flavour in the
# cache, unless it is there, and print its build directory.
#
# The directory's name carries the kernel's version and a hash of the
# configuration, so a change of either builds anew and a clean clone finds what
# another one built. It is complete only when it holds `done`; a lock keeps two
# callers from building the same one twice. Progress goes to stderr.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/kernels.sh"

flavour=${1:-kasan}
frag=$here/config-$flavour
[ -f "$frag" ] || {
	echo "build.sh: no flavour '$flavour'; there is kasan, kmemleak" >&2
	exit 2
}

src=$(nst_kernel_source)
ver=$(cat "$src/.nst-version")
hash=$(cat "$here/config" "$frag" | sha256sum | cut -c1-12)
out=$NST_CACHE/uml-$ver-$flavour-$hash

exec 9> "$out.lock"
if ! flock -n 9; then
	echo "uml: another build of $flavour is running; waiting for it" >&2
	flock 9
fi

if [ ! -f "$out/done" ]; then
	# what an interrupted build left is gone on with
	mkdir -p "$out"
	rm -f "$out/build.log"
	cat "$here/config" "$frag" > "$out/wanted"
	echo "uml: building the $flavour kernel $ver in $out" >&2
	start=$(date +%s)
	umlmake() {
		make -s -C "$src" ARCH=um O="$out" CC="${CC:-gcc}" \
			"$@" >> "$out/build.log" 2>&1 || {
			tail -n 30 "$out/build.log" >&2
			echo "uml: make $* failed; see $out/build.log" >&2
			exit 1
		}
	}
	# UML keeps the guest's floating-point state in a buffer of the size
	# that AVX-512 needs. On a host CPU with AMX the state is 11008 bytes,
	# and the first guest process dies with "ptrace set fp regs failed".
	sed -i 's/(HOST_FP_SIZE, 2696)/(HOST_FP_SIZE, 12288)/' \
		"$src/arch/x86/um/user-offsets.c"
	umlmake KCONFIG_ALLCONFIG="$out/wanted" allnoconfig
	lost=$(grep '^CONFIG_' "$out/wanted" | grep -v '=n$' |
		grep -vxFf "$out/.config" || true)
	if [ -n "$lost" ]; then
		echo "uml: the kernel's Kconfig dropped:" >&2
		echo "$lost" >&2
		exit 1
	fi
	umlmake -j"$(nproc)" all
	umlmake INSTALL_MOD_PATH="$out/root" INSTALL_MOD_STRIP=1 \
		modules_install
	echo "uml: built in $(($(date +%s) - start)) s" >&2
	: > "$out/done"
fi
echo "$out"
