#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# modroot.sh KERNEL-ROOT RELEASE OUR-MODULES DEST: make DEST/lib/modules/RELEASE
# from a kernel's modules and ours, so that modprobe knows both. Does nothing
# when it is up to date.

set -eu

src=$1/lib/modules/$2
ours=$3
dst=$4/lib/modules/$2

mkdir -p "$4"
exec 9> "$4/.lock"
flock 9

have=$(cd "$ours" 2> /dev/null && echo ./*.ko) || true
if [ -f "$dst/modules.dep.bin" ] &&
   [ "$(cat "$4/.ours" 2> /dev/null)" = "$ours $have" ] &&
   [ -z "$(find "$ours" -maxdepth 1 -name '*.ko' \
		-newer "$dst/modules.dep.bin" 2> /dev/null)" ]; then
	exit 0
fi

rm -rf "$dst"
mkdir -p "$dst/updates"
ln -s "$src/kernel" "$dst/kernel"
for f in order builtin builtin.modinfo; do
	[ ! -f "$src/modules.$f" ] || cp "$src/modules.$f" "$dst/"
done
for ko in "$ours"/*.ko; do
	[ ! -f "$ko" ] || ln -s "$ko" "$dst/updates/"
done
depmod -b "$4" "$2"
echo "$ours $have" > "$4/.ours"
