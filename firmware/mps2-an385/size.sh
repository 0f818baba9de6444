#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# size.sh ELF [PREFIX]: what the image takes of flash and RAM, in bytes, one
# line: flash, static RAM, and what the RAM leaves for the stack

set -eu
elf=$1
pre=${2:-arm-none-eabi-}

symbol()
{
	echo $((0x$("${pre}nm" "$elf" | awk -v s="$1" '$3 == s { print $1 }')))
}

# text, data and bss as the tool counts them: data is in both
# shellcheck disable=SC2046 # numbers
set -- $("${pre}size" "$elf" | tail -n 1)
echo "flash $(($1 + $2)) static $(($2 + $3))" \
	"stack $(($(symbol _stack_top) - $(symbol _stack_bottom)))"
