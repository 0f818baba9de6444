#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hal_test.c, compiled under ASan and UBSan and run

set -u
cd "$(dirname "$0")/../.." || exit 1
out=${FW_BUILD:-build}/firmware/hal_test
mkdir -p "$(dirname "$out")"

if ! ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Wconversion \
	-Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror \
	-fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-iquote policies/core -iquote firmware/hal tests/firmware/hal_test.c \
	firmware/hal/*.c -o "$out" > "$out.log" 2>&1; then
	echo "KTAP version 1"
	sed 's/^/# /' "$out.log"
	echo "not ok 1 - compiles"
	echo "1..1"
	exit 1
fi
exec "$out"
