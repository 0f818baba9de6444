# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# devicetree.sh - what device trees are checked against, in the cache
#
#	$NST_CACHE/bindings-6.1/bindings/	schemas of the 6.1 kernel; the
#						newest that Debian 12's dt-schema
#						understands
#	$NST_CACHE/bindings-6.1/include/	headers for its examples
#	$NST_CACHE/dtb-6.12/			device trees of boards, from
#						Debian's arm64 kernel
#
# `version` in each names the package. Source after kernels.sh and cross.sh.

NST_BINDINGS="$NST_CACHE/bindings-6.1"
NST_DTB="$NST_CACHE/dtb-6.12"

# nst_bindings_fetch: unpack schemas and their headers
nst_bindings_fetch()
(
	set -e
	[ ! -f "$NST_BINDINGS/version" ] || exit 0
	# their test is skipped then
	command -v apt-get > /dev/null || exit 0
	echo "deps: fetching schemas of linux-source-6.1" >&2
	tmp=$NST_BINDINGS.new.$$
	trap 'rm -rf "$tmp"' EXIT
	mkdir -p "$tmp"
	_nst_download "$tmp" linux-source-6.1
	rm -f "$tmp/apt.log"
	dpkg --fsys-tarfile "$tmp"/linux-source-6.1_*.deb |
		tar -C "$tmp" -x ./usr/src/linux-source-6.1.tar.xz
	# the binding headers of this version lie in a directory of their own
	tar -C "$tmp" -xf "$tmp/usr/src/linux-source-6.1.tar.xz" \
		--strip-components=1 \
		linux-source-6.1/include/dt-bindings \
		linux-source-6.1/Documentation/devicetree/bindings
	mv "$tmp/Documentation/devicetree/bindings" "$tmp/bindings"
	dpkg-deb -f "$tmp"/linux-source-6.1_*.deb Version > "$tmp/version"
	rm -rf "$tmp"/*.deb "${tmp:?}/usr" "$tmp/Documentation"
	rm -rf "$NST_BINDINGS"
	mv "$tmp" "$NST_BINDINGS"
)

# nst_dtb_fetch: unpack the device trees of the boards that boards/ has
# overlays for
nst_dtb_fetch()
(
	set -e
	[ ! -f "$NST_DTB/version" ] || exit 0
	command -v apt-get > /dev/null || exit 0
	echo "deps: fetching device trees of Debian's arm64 kernel 6.12" >&2
	tmp=$NST_DTB.new.$$
	trap 'rm -rf "$tmp"' EXIT
	mkdir -p "$tmp/debs"
	APT_CONFIG=$(_nst_archive arm64 arm64 bookworm bookworm-security)
	export APT_CONFIG
	pkg=$(apt-cache pkgnames linux-image-6.12. |
		grep -x 'linux-image-6\.12\.[0-9.]*+deb12-arm64' |
		sort -V | tail -n 1)
	[ -n "$pkg" ] || {
		echo "no kernel 6.12 in the archive for arm64" >&2
		exit 1
	}
	_nst_download "$tmp/debs" "$pkg"
	unset APT_CONFIG
	dpkg --fsys-tarfile "$tmp"/debs/*.deb |
		tar -C "$tmp" -x --wildcards --strip-components=4 \
			'./usr/lib/linux-image-*/*/bcm2711-rpi-4-b.dtb' \
			'./usr/lib/linux-image-*/*/bcm2712-rpi-5-b.dtb' \
			'./usr/lib/linux-image-*/*/imx8mp-venice-gw74xx*'
	rm -rf "$tmp/debs"
	echo "$pkg" > "$tmp/version"
	rm -rf "$NST_DTB"
	mv "$tmp" "$NST_DTB"
)
