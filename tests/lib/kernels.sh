# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# kernels.sh - the kernels that tests build against and boot
#
# Nothing of a kernel is installed on the host: an image that apt installs adds
# itself to the boot loader, and Debian's headers of a newer kernel pull that
# image in. Packages are downloaded, unpacked in a cache outside the tree and
# used from there, which needs no root either.
#
#	$NST_CACHE/linux-source-6.12/	source, less what other machines need
#	$NST_CACHE/kernel-<line>/	boot/, lib/modules/<release>/ and, below
#					usr/, the headers; `release` names it
#	$NST_CACHE/checkpatch/		what tests/style/checkpatch.sh passed
#
# <line> is 6.1 or 6.12, which are run, or one of those that are only built
# against (cross.sh). An unpacked kernel stays until somebody removes it:
# tests of one tree do not change under it because Debian published an update.

# a service may run us without HOME
: "${HOME:=$(getent passwd "$(id -u)" | cut -d: -f6)}"
: "${NST_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/nst}"
export NST_CACHE
NST_LINES="6.1 6.12"
NST_HEADERS="backports armhf"

# nst_kernel_dir LINE: print the directory of that unpacked kernel
nst_kernel_dir()
{
	if [ ! -f "$NST_CACHE/kernel-$1/release" ]; then
		echo "no kernel '$1' in $NST_CACHE (known: $NST_LINES);" \
			"run 'make deps'" >&2
		return 1
	fi
	echo "$NST_CACHE/kernel-$1"
}

# nst_kernel_release LINE: print what uname -r says in it
nst_kernel_release()
{
	nst_kernel_dir "$1" > /dev/null || return 1
	cat "$NST_CACHE/kernel-$1/release"
}

# nst_kernel_build KVER: print the directory to hand to make -C. KVER is a line
# of the cache or the release of an installed kernel.
nst_kernel_build()
{
	if [ -f "$NST_CACHE/kernel-$1/release" ]; then
		echo "$NST_CACHE/kernel-$1/usr/src/linux-headers-$(
			cat "$NST_CACHE/kernel-$1/release")"
	elif [ -e "/lib/modules/$1/build/Makefile" ]; then
		echo "/lib/modules/$1/build"
	else
		echo "no headers of kernel '$1': neither in $NST_CACHE" \
			"($NST_LINES $NST_HEADERS; 'make deps' fetches them) nor in" \
			"/lib/modules/$1/build" >&2
		return 1
	fi
}

# nst_kernel_source: print the directory of the unpacked 6.12 source
nst_kernel_source()
{
	if [ ! -f "$NST_CACHE/linux-source-6.12/.nst-version" ]; then
		echo "no kernel source in $NST_CACHE; run 'make deps'" >&2
		return 1
	fi
	echo "$NST_CACHE/linux-source-6.12"
}

# nst_image_package LINE: name of the newest image package of a line
nst_image_package()
{
	case $1 in
	6.1)
		# the one that Debian's meta-package stands for today
		apt-cache depends linux-headers-amd64 2> /dev/null |
			sed -n 's/^ *Depends: linux-headers-\(6\.1\..*\)$/\1/p'
		;;
	*)
		apt-cache pkgnames "linux-headers-$1." 2> /dev/null |
			sed -n 's/^linux-headers-\([0-9.]*+deb12-amd64\)$/\1/p' |
			sort -V | tail -n 1
		;;
	esac
}

# _nst_download DIR PACKAGE...: fetch into DIR, with fresh lists if need be
_nst_download()
(
	cd "$1" || exit 1
	shift
	apt-get -qq download "$@" 2> apt.log && exit 0
	# The lists may be older than the archive. Only root may renew them.
	[ "$(id -u)" = 0 ] && apt-get -qq update 2>> apt.log &&
		apt-get -qq download "$@" 2>> apt.log && exit 0
	cat apt.log >&2
	echo "cannot download $*" >&2
	exit 1
)

# nst_kernel_fetch LINE: unpack image and headers of that line in the cache
nst_kernel_fetch()
(
	set -e
	dst=$NST_CACHE/kernel-$1
	[ ! -f "$dst/release" ] || exit 0
	rel=$(nst_image_package "$1")
	if [ -z "$rel" ]; then
		echo "apt knows no kernel $1; is this Debian 12 with its" \
			"security archive?" >&2
		exit 1
	fi
	echo "deps: fetching kernel $rel" >&2
	tmp=$dst.new.$$
	trap 'rm -rf "$tmp"' EXIT
	mkdir -p "$tmp/debs"
	case $1 in
	6.1)	kbuild=linux-kbuild-6.1
		common=linux-headers-${rel%-amd64}-common ;;
	*)	kbuild=linux-kbuild-${rel%-amd64}
		common=linux-headers-${rel%-amd64}-common ;;
	esac
	_nst_download "$tmp/debs" "linux-image-$rel" "linux-headers-$rel" \
		"$common" "$kbuild"
	for deb in "$tmp"/debs/*.deb; do
		dpkg -x "$deb" "$tmp"
	done
	rm -rf "$tmp/debs"
	# headers name their common half by its installed place
	sed -i "s|^include /usr/src/|include $dst/usr/src/|" \
		"$tmp/usr/src/linux-headers-$rel/Makefile"
	depmod -b "$tmp" "$rel"
	echo "$rel" > "$tmp/release"
	rm -rf "$dst"
	mv "$tmp" "$dst"
)

# nst_source_fetch: unpack the 6.12 source in the cache
nst_source_fetch()
(
	set -e
	dst=$NST_CACHE/linux-source-6.12
	[ ! -f "$dst/.nst-version" ] || exit 0
	echo "deps: fetching linux-source-6.12" >&2
	tmp=$dst.new.$$
	trap 'rm -rf "$tmp"' EXIT
	mkdir -p "$tmp"
	_nst_download "$tmp" linux-source-6.12
	dpkg -x "$tmp"/linux-source-6.12_*.deb "$tmp"
	# Kconfig and Makefiles of everything stay; the bulk that a user-mode
	# kernel of x86 never reads does not.
	tar -C "$tmp" -xf "$tmp/usr/src/linux-source-6.12.tar.xz" \
		--exclude='*/drivers/gpu/drm/amd/*.h' \
		--exclude='*/drivers/gpu/drm/*/*.c' \
		--exclude='*/drivers/net/*/*/*/*.c' \
		--exclude='*/drivers/staging/*/*.c' \
		--exclude='*/arch/*/boot/dts/*' \
		--exclude='*/sound/*.c' --exclude='*/fs/xfs/*.c' \
		--exclude='*/fs/btrfs/*.c' --exclude='*/tools/perf/*' \
		--exclude='*/tools/testing/selftests/*' \
		--exclude='*/Documentation/*.rst' \
		--exclude='*/Documentation/*.yaml'
	dpkg-deb -f "$tmp"/linux-source-6.12_*.deb Version \
		> "$tmp/linux-source-6.12/.nst-version"
	rm -rf "$dst"
	mv "$tmp/linux-source-6.12" "$dst"
)
