#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms.sh install|build LINE: the modules as a DKMS package
#
#	install		what `make dkms-install` does: sources to
#			$DESTDIR/usr/src/nst-<version>; without DESTDIR also
#			registered, built and installed for the running kernel,
#			and again by DKMS for every kernel to come. The version
#			before is removed.
#	build LINE	for tests: in trees of its own under build/, for a kernel
#			of the cache (6.1, 6.12), as DKMS would on that machine.
#			Leaves build/dkms-root-<release>/, for `modprobe -d`.
#
# The version is what tests/lib/version.sh says.

set -eu
cd "$(dirname "$0")/../.."
top=$PWD

version=$(tests/lib/version.sh)

# sources DIRECTORY: all that DKMS needs to build
sources()
{
	for d in . kmod kmod/uapi policies/core firmware/abi firmware/app \
		 firmware/vpu; do
		mkdir -p "$1/$d"
		for f in "$d"/*.c "$d"/*.h; do
			[ ! -f "$f" ] || install -m 644 "$f" "$1/$d/"
		done
	done
	install -m 644 Kbuild LICENSE "$1/"
	{
		sed "s/@VERSION@/$version/" kmod/dkms.conf.in
		i=0
		for m in nst nst-cci nst-mcu nst-sim; do
			[ "$m" = nst ] || ls kmod/"$m"*.c > /dev/null 2>&1 ||
				continue
			echo "BUILT_MODULE_NAME[$i]=\"$m\""
			echo "DEST_MODULE_LOCATION[$i]=\"/updates/dkms\""
			i=$((i + 1))
		done
	} > "$1/dkms.conf"
}

need_dkms()
{
	command -v dkms > /dev/null || {
		echo "dkms.sh: DKMS is not installed (Debian: apt-get" \
			"install dkms)" >&2
		exit 2
	}
	# it insists, whichever trees it is given
	[ "$(id -u)" = 0 ] || {
		echo "dkms.sh: DKMS works for root only" >&2
		exit 2
	}
}

install_package()
{
	dst=${DESTDIR:-}/usr/src/nst-$version
	if [ -n "${DESTDIR:-}" ]; then
		rm -rf "$dst"
		sources "$dst"
		echo "  INSTALL $dst"
		return
	fi
	need_dkms
	kernel=$(uname -r)
	[ -e "/lib/modules/$kernel/build/Makefile" ] || {
		echo "dkms.sh: no headers of the running kernel, $kernel" \
			"(Debian: apt-get install linux-headers-$kernel);" \
			"nothing was changed" >&2
		exit 2
	}
	for old in /var/lib/dkms/nst/*/; do
		[ -e "$old/source" ] || continue
		old=$(basename "$old")
		dkms remove "nst/$old" --all
		rm -rf "/usr/src/nst-$old"
	done
	rm -rf "$dst"
	sources "$dst"
	dkms add "nst/$version"
	dkms install "nst/$version"
	echo "  DKMS    nst/$version; load with: modprobe nst-cci," \
		"nst-mcu or nst-sim"
}

# build_package LINE: what says whether the sources changed is their sum
build_package()
{
	. tests/lib/kernels.sh
	rel=$(nst_kernel_release "$1")
	kdir=$(nst_kernel_build "$1")
	need_dkms
	out=$top/build/dkms-$rel
	mkdir -p "$out"
	exec 9> "$out/.lock"
	flock 9
	version="test"
	rm -rf "$out/new"
	sources "$out/new"
	sum=$(cd "$out/new" && find . -type f | sort | xargs sha256sum |
		sha256sum)
	installed=$out/modules/$rel/updates/dkms
	built=
	if [ "$sum" != "$(cat "$out/sum" 2> /dev/null)" ]; then
		rm -rf "$out/sum" "$out/src" "$out/tree" "$out/modules"
		mkdir -p "$out/src" "$out/tree" "$out/modules/$rel"
		mv "$out/new" "$out/src/nst-$version"
		# by this DKMS knows whether that kernel's are compressed
		cp "$(nst_kernel_dir "$line")/lib/modules/$rel/modules.dep" \
			"$out/modules/$rel/"
		# nothing of the host's: no keys, no hooks, no depmod
		sign_file=/nonexistent
		export sign_file
		set -- -m nst -v "$version" --dkmstree "$out/tree" \
			--sourcetree "$out/src" --installtree "$out/modules"
		dkms add "$@" > "$out/log" 2>&1 &&
			dkms build "$@" -k "$rel" --kernelsourcedir "$kdir" \
				--config "$kdir/.config" \
				-j "$(nproc)" >> "$out/log" 2>&1 &&
			dkms install "$@" -k "$rel" --no-depmod \
				>> "$out/log" 2>&1 || {
			cat "$out/log" \
				"$out/tree/nst/$version/build/make.log" \
				2> /dev/null | tail -n 60 >&2
			exit 1
		}
		echo "$sum" > "$out/sum"
		built=", $(dkms status -m nst --dkmstree "$out/tree" \
			--installtree "$out/modules")"
	fi
	rm -rf "$out/new"
	# each module that has sources, and nothing else
	for m in nst nst-cci nst-mcu nst-sim; do
		[ "$m" = nst ] || ls kmod/"$m"*.c > /dev/null 2>&1 || continue
		set -- "$installed/$m.ko"*
		[ -f "$1" ] || {
			echo "dkms.sh: $m was not installed" >&2
			exit 1
		}
	done
	tests/lib/modroot.sh "$(nst_kernel_dir "$line")" "$rel" \
		"$top/build/dkms-root-$rel" "$installed"
	echo "  DKMS    build/dkms-root-$rel$built"
}

case ${1:-} in
install)
	install_package
	;;
build)
	line=${2:?which kernel}
	build_package "$line"
	;;
*)
	echo "dkms.sh: install, or build LINE" >&2
	exit 2
	;;
esac
