#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deps.sh [--bench]: have what building and testing needs, and with --bench
# what only `make bench` does.
#
# On Debian 12 root gets missing packages installed with apt. Anybody else, and
# any other system, gets the list of what is missing, and exit status 2. The
# kernels are only unpacked in the cache (kernels.sh). Nothing is asked of the
# network when nothing is missing.

set -eu

. "$(dirname "$0")/kernels.sh"
. "$(dirname "$0")/cross.sh"
. "$(dirname "$0")/devicetree.sh"
. "$(dirname "$0")/thermald.sh"

packages="
build-essential gcc-12 pkg-config perl xz-utils git
libyaml-dev libjson-c-dev libcairo2-dev libv4l-dev libdrm-dev
libsensors-dev libgpiod-dev
flex bison bc libelf-dev cpio kmod
qemu-system-x86 busybox-static v4l-utils
lm-sensors sparse cppcheck shellcheck gcc-arm-none-eabi
qemu-system-arm device-tree-compiler dt-schema dkms python3
"

missing=
for p in $packages; do
	case $(dpkg-query -W -f '${Status}' "$p" 2> /dev/null || true) in
	"install ok installed") ;;
	*) missing="$missing $p" ;;
	esac
done

debian12()
{
	[ -r /etc/os-release ] &&
		(. /etc/os-release && [ "$ID" = debian ] &&
		 [ "$VERSION_ID" = 12 ])
}

if [ -n "$missing" ]; then
	if ! debian12 || [ "$(id -u)" != 0 ]; then
		echo "Missing packages (names of Debian 12):" >&2
		for p in $missing; do
			echo "  $p" >&2
		done
		if debian12; then
			echo "As root: apt-get update && apt-get install" \
				"--no-install-recommends$missing" >&2
		fi
		exit 2
	fi
	echo "deps: installing$missing" >&2
	log=$(mktemp)
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # a list of words
	if ! { apt-get -q update &&
	       apt-get -qy install --no-install-recommends $missing; } \
	     > "$log" 2>&1; then
		tail -n 30 "$log" >&2
		rm -f "$log"
		exit 1
	fi
	rm -f "$log"
fi

if ! command -v apt-get > /dev/null; then
	for l in $NST_LINES $NST_HEADERS; do
		[ -f "$NST_CACHE/kernel-$l/release" ] || {
			echo "The kernels are Debian's packages; without" \
				"apt-get they have to be unpacked in" \
				"$NST_CACHE by hand (tests/lib/kernels.sh)" >&2
			exit 2
		}
	done
fi

mkdir -p "$NST_CACHE"
(
	flock 9
	for l in $NST_LINES; do
		nst_kernel_fetch "$l"
	done
	nst_source_fetch
	nst_backports_fetch
	nst_arm_fetch
	nst_i386_fetch
	nst_gpiod2_fetch
	nst_bindings_fetch
	nst_dtb_fetch
	# package thermald: a rival, unpacked and never installed
	[ "${1:-}" != --bench ] || nst_thermald_fetch
) 9> "$NST_CACHE/deps.lock"
