# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# cross.sh - what is compiled here and not run here, and 32-bit programs
#
# As kernels.sh: downloaded, unpacked in the cache, used from there. Installing
# would not do: Debian's 32-bit libraries for gcc -m32 and its cross compilers
# exclude each other, and headers of a later release pull half of that in.
#
#	$NST_CACHE/kernel-backports/	headers of the newest kernel in the
#					backports of the release after Debian 12
#	$NST_CACHE/kernel-armhf/	the 6.12 source, prepared for 32-bit ARM
#	$NST_CACHE/gcc-arm/		the compiler for it
#	$NST_CACHE/lib-i386/		C library and start files for gcc -m32
#	$NST_CACHE/gpiod2/		libgpiod 2, which Debian 12 has not; its
#					archive asks nothing newer of the C library
#
# The first two are lines for nst_kernel_build() and module.sh. Source after
# kernels.sh.

NST_NEXT=trixie

# _nst_archive NAME ARCH SUITE[ SUITE]...: let apt-get, called in a shell with
# what this prints as APT_CONFIG, see these suites and nothing else. The mirror
# is the one that this machine uses; a suite -security has one of its own.
_nst_archive()
{
	_a=$NST_CACHE/apt-$1
	_arch=$2
	shift 2
	mkdir -p "$_a/lists/partial" "$_a/cache/archives/partial"
	: > "$_a/status"
	: > "$_a/sources"
	_main=$(_nst_site bookworm)
	_security=$(_nst_site bookworm-security)
	for _s; do
		case $_s in
		*-security) _site=$_security ;;
		*) _site=$_main ;;
		esac
		[ -n "$_site" ] || {
			echo "apt has no Debian archive to get $_s from" >&2
			return 1
		}
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $_site $_s main" \
			>> "$_a/sources"
	done
	cat > "$_a/apt.conf" <<-EOF
		APT::Architecture "$_arch";
		APT::Architectures { "$_arch"; };
		Dir::Etc::sourcelist "$_a/sources";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State::lists "$_a/lists";
		Dir::State::status "$_a/status";
		Dir::Cache "$_a/cache";
		Acquire::Languages "none";
		APT::Sandbox::User "root";
		Acquire::Retries "3";
	EOF
	# one suite that cannot be had need not be the one that is wanted
	APT_CONFIG=$_a/apt.conf apt-get -qq update > "$_a/log" 2>&1 || true
	echo "$_a/apt.conf"
}

# _nst_site SUITE: where this machine gets that suite from
_nst_site()
{
	apt-get indextargets --format '$(SITE) $(RELEASE)' \
		'Created-By: Packages' 2> /dev/null |
		awk -v s="$1" '$2 == s { print $1; exit }'
}

# _nst_none NAME: that archive has no headers
_nst_none()
{
	cat "$NST_CACHE/apt-$1/log" >&2
	echo "no kernel headers in the archive for $1" >&2
	exit 1
}

# _nst_unpack DIR PACKAGE...: download and unpack there
_nst_unpack()
{
	_d=$1
	shift
	mkdir -p "$_d/debs"
	_nst_download "$_d/debs" "$@" || return 1
	for _deb in "$_d"/debs/*.deb; do
		dpkg -x "$_deb" "$_d" || return 1
	done
	rm -rf "$_d/debs"
}

# _nst_place TMP DST RELEASE: headers name their parts by the installed place
_nst_place()
{
	sed -i "s|/usr/src/|$2/usr/src/|" \
		"$1/usr/src/linux-headers-$3/Makefile"
	rm -rf "${1:?}/usr/share"
	echo "$3" > "$1/release"
	rm -rf "$2"
	mv "$1" "$2"
}

# nst_backports_fetch: headers of the newest kernel in backports
nst_backports_fetch()
(
	set -e
	dst=$NST_CACHE/kernel-backports
	[ ! -f "$dst/release" ] || exit 0
	APT_CONFIG=$(_nst_archive backports amd64 $NST_NEXT-backports $NST_NEXT)
	export APT_CONFIG
	rel=$(apt-cache pkgnames linux-headers- |
		sed -n 's/^linux-headers-\([0-9.]*+deb[0-9]*-amd64\)$/\1/p' |
		sort -V | tail -n 1)
	[ -n "$rel" ] || _nst_none backports
	echo "deps: fetching headers of $rel" >&2
	tmp=$dst.new.$$
	trap 'rm -rf "$tmp"' EXIT
	_nst_unpack "$tmp" "linux-headers-$rel" \
		"linux-headers-${rel%-amd64}-common" \
		"linux-kbuild-${rel%-amd64}"
	# Its programs want the C library of their own release: they get it,
	# and nothing else does.
	_nst_unpack "$tmp/runtime" libc6 libelf1t64 zlib1g libzstd1 libssl3t64
	rm -rf "$tmp/runtime/usr/share"
	find "$tmp/usr/lib" -type f -perm -100 | while read -r f; do
		[ "$(head -c 4 "$f" | tail -c 3)" = ELF ] || continue
		mv "$f" "$f.elf"
		lib=$dst/runtime/usr/lib/x86_64-linux-gnu
		cat > "$f" <<-EOF
			#!/bin/sh
			exec $lib/ld-linux-x86-64.so.2 --library-path $lib \\
				--argv0 "\$0" "$dst${f#"$tmp"}.elf" "\$@"
		EOF
		chmod +x "$f"
	done
	# Configured for a newer compiler than there is here: what that one has
	# and gcc 12 has not.
	h=$tmp/usr/src/linux-headers-$rel
	sed -i 's/gcc-[0-9]*$/gcc/' "$h/.kernelvariables"
	sed -i '/CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT/d' \
		"$h/include/config/auto.conf" \
		"$h/include/generated/autoconf.h"
	_nst_place "$tmp" "$dst" "$rel"
)

# nst_arm_fetch: compiler and kernel headers for 32-bit ARM
nst_arm_fetch()
(
	set -e
	dst=$NST_CACHE/gcc-arm
	if [ ! -f "$dst/done" ]; then
		echo "deps: fetching a compiler for 32-bit ARM" >&2
		tmp=$dst.new.$$
		trap 'rm -rf "$tmp"' EXIT
		_nst_unpack "$tmp" gcc-12-arm-linux-gnueabihf \
			cpp-12-arm-linux-gnueabihf \
			binutils-arm-linux-gnueabihf
		rm -rf "${tmp:?}/usr/share"
		mkdir "$tmp/bin"
		for f in "$tmp"/usr/bin/arm-linux-gnueabihf-*; do
			n=${f##*/}
			cat > "$tmp/bin/$n" <<-EOF
				#!/bin/sh
				LD_LIBRARY_PATH=$dst/usr/lib/x86_64-linux-gnu
				export LD_LIBRARY_PATH
				exec $dst/usr/bin/$n "\$@"
			EOF
			chmod +x "$tmp/bin/$n"
		done
		ln -s arm-linux-gnueabihf-gcc-12 "$tmp/bin/arm-linux-gnueabihf-gcc"
		: > "$tmp/done"
		rm -rf "$dst"
		mv "$tmp" "$dst"
		trap - EXIT
	fi

	# Debian's headers for armhf will not do: modpost of another machine
	# takes a pointer for 64 bits, and refuses tables of device IDs. Those of
	# the 6.12 source bring their own, and no symbols of a kernel.
	dst=$NST_CACHE/kernel-armhf
	[ ! -f "$dst/release" ] || exit 0
	src=$(nst_kernel_source)
	rel=$(sed 's/-.*//' "$src/.nst-version")-armhf
	echo "deps: preparing a 32-bit ARM kernel $rel" >&2
	h=$dst/usr/src/linux-headers-$rel
	rm -rf "$dst"
	mkdir -p "$h"
	for goal in multi_v7_defconfig modules_prepare; do
		make -s -C "$src" O="$h" ARCH=arm -j"$(nproc)" \
			CROSS_COMPILE="$NST_CACHE/gcc-arm/bin/arm-linux-gnueabihf-" \
			$goal > "$dst/log" 2>&1 || {
			tail -n 20 "$dst/log" >&2
			exit 1
		}
	done
	cat > "$dst/Makefile" <<-EOF
		export ARCH := arm
		export CROSS_COMPILE := $NST_CACHE/gcc-arm/bin/arm-linux-gnueabihf-
		export KBUILD_MODPOST_WARN := 1
	EOF
	cat "$h/Makefile" >> "$dst/Makefile"
	mv "$dst/Makefile" "$h/Makefile"
	echo "$rel" > "$dst/release"
)

# nst_i386_fetch: what gcc -m32 needs
nst_i386_fetch()
(
	set -e
	dst=$NST_CACHE/lib-i386
	[ ! -f "$dst/done" ] || exit 0
	echo "deps: fetching the 32-bit C library" >&2
	tmp=$dst.new.$$
	trap 'rm -rf "$tmp"' EXIT
	_nst_unpack "$tmp" libc6-dev-i386 lib32gcc-12-dev
	rm -rf "${tmp:?}/usr/share"
	: > "$tmp/done"
	rm -rf "$dst"
	mv "$tmp" "$dst"
)

# nst_gpiod2_fetch: libgpiod of the release after Debian 12
nst_gpiod2_fetch()
(
	set -e
	dst=$NST_CACHE/gpiod2
	[ ! -f "$dst/done" ] || exit 0
	echo "deps: fetching libgpiod 2" >&2
	APT_CONFIG=$(_nst_archive gpiod2 amd64 $NST_NEXT)
	export APT_CONFIG
	tmp=$dst.new.$$
	trap 'rm -rf "$tmp"' EXIT
	_nst_unpack "$tmp" libgpiod-dev
	rm -rf "${tmp:?}/usr/share"
	: > "$tmp/done"
	rm -rf "$dst"
	mv "$tmp" "$dst"
)

# nst_gpiod2_flags: print what compiles against it and links it statically;
# fails where it has not been fetched
nst_gpiod2_flags()
{
	[ -f "$NST_CACHE/gpiod2/done" ] || return 1
	_r=$NST_CACHE/gpiod2/usr
	echo "-isystem $_r/include" \
		"$_r/lib/x86_64-linux-gnu/libgpiod.a"
}

# nst_i386_flags: print what makes gcc-12 build a 32-bit program, linked
# statically; fails where that is not to be had
nst_i386_flags()
{
	[ -f "$NST_CACHE/lib-i386/done" ] || return 1
	_r=$NST_CACHE/lib-i386/usr
	_g=$_r/lib/gcc/x86_64-linux-gnu/12/32
	echo "-m32 -static -isystem $_r/include/x86_64-linux-gnu" \
		"-idirafter /usr/include/x86_64-linux-gnu" \
		"-B$_g/ -B$_r/lib32/ -L$_r/lib32 -L$_g"
}
