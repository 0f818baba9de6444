#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# modroot.sh KERNEL-ROOT RELEASE DEST OUR-DIRECTORY...: make
# DEST/lib/modules/RELEASE from a kernel's modules and ours, so that modprobe
# knows both. Does nothing when it is up to date.

set -eu

src=$1/lib/modules/$2
rel=$2
dst=$3
shift 3
mod=$dst/lib/modules/$rel

mkdir -p "$dst"
exec 9> "$dst/.lock"
flock 9

have=$(for d in "$@"; do
	ls "$d"/*.ko "$d"/*.ko.xz 2> /dev/null || :
done)
# shellcheck disable=SC2086 # a list of files
if [ -f "$mod/modules.dep.bin" ] &&
   [ "$(cat "$dst/.ours" 2> /dev/null)" = "$src
$have" ] &&
   { [ -z "$have" ] ||
     [ -z "$(find $have -newer "$mod/modules.dep.bin")" ]; }; then
	exit 0
fi

rm -rf "$mod"
mkdir -p "$mod/updates"
ln -s "$src/kernel" "$mod/kernel"
for f in order builtin builtin.modinfo; do
	[ ! -f "$src/modules.$f" ] || cp "$src/modules.$f" "$mod/"
done
for ko in $have; do
	ln -s "$ko" "$mod/updates/"
done
depmod -b "$dst" "$rel"
echo "$src
$have" > "$dst/.ours"
