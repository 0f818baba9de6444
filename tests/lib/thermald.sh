# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# thermald.sh - Debian's thermald, for the bench alone
#
# As kernels.sh: downloaded, unpacked in the cache, run from there. Installing
# would start a daemon that takes over the cooling of the machine that the
# bench is run on.
#
#	$NST_CACHE/thermald/usr/sbin/thermald
#	$NST_CACHE/thermald/usr/lib/x86_64-linux-gnu	libraries of it that this
#					machine has not
#
# Source after kernels.sh and cross.sh.

# nst_thermald_fetch: unpack it, and what it needs
nst_thermald_fetch()
(
	set -e
	dst=$NST_CACHE/thermald
	[ ! -f "$dst/release" ] || exit 0
	echo "deps: fetching thermald" >&2
	need=
	for p in $(apt-cache depends --recurse --no-recommends --no-suggests \
		--no-conflicts --no-breaks --no-replaces --no-enhances \
		thermald 2> /dev/null | sed -n 's/^\(lib[a-z0-9.+-]*\)$/\1/p' |
		sort -u); do
		dpkg-query -W -f '${Status}' "$p" 2> /dev/null |
			grep -q '^install ok installed' || need="$need $p"
	done
	tmp=$dst.new.$$
	trap 'rm -rf "$tmp"' EXIT
	# shellcheck disable=SC2086 # a list of words
	_nst_unpack "$tmp" thermald $need
	rm -rf "${tmp:?}/usr/share"
	LD_LIBRARY_PATH=$tmp/usr/lib/x86_64-linux-gnu \
		"$tmp/usr/sbin/thermald" --version > "$tmp/release"
	rm -rf "$dst"
	mv "$tmp" "$dst"
)

# nst_thermald_dir: print where it is; fails where it has not been fetched
nst_thermald_dir()
{
	[ -f "$NST_CACHE/thermald/release" ] || {
		echo "no thermald in $NST_CACHE; run 'tests/lib/deps.sh --bench'" >&2
		return 1
	}
	echo "$NST_CACHE/thermald"
}
