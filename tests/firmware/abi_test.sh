#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The generator of the register map: it says when its outputs are old, refuses
# a map that contradicts itself with the line, and what it makes compiles by
# itself and means what the names say.

set -u
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

n=0
bad=0
result()
{
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" && return
	echo "not ok $n - $2"
	bad=1
}

fresh()
{
	cp firmware/abi/mk-regs.pl firmware/abi/registers.def \
		firmware/abi/nst-regs.h firmware/abi/registers.rst "$dir"
}

# refused TEXT MESSAGE: with this line after the version, that is the error
refused()
{
	fresh
	printf '%s\n' "$1" >> "$dir/registers.def"
	line=$(wc -l < "$dir/registers.def")
	if "$dir/mk-regs.pl" > "$dir/out" 2>&1; then
		echo "# it was taken"
		result 1 "refuses $1"
	elif grep -qF "registers.def:$line: $2" "$dir/out" &&
	     cmp -s "$dir/nst-regs.h" firmware/abi/nst-regs.h; then
		result 0 "refuses $1"
	else
		sed 's/^/# /' "$dir/out"
		result 1 "refuses $1"
	fi
}

echo "KTAP version 1"
fresh
"$dir/mk-regs.pl" --check > "$dir/out"
result $? "what is committed is what it makes"

fresh
echo "/* by hand */" >> "$dir/nst-regs.h"
! "$dir/mk-regs.pl" --check > "$dir/out" && grep -q nst-regs.h "$dir/out"
result $? "says that the header was changed by hand"

fresh
sed -i 's/^word 0x03 CHANNELS.*/word 0x03 CHANNELS ro count Other words/' \
	"$dir/registers.def"
! "$dir/mk-regs.pl" --check > "$dir/out" && grep -q registers.rst "$dir/out"
result $? "says that the document is old"

refused "word 0x10 OTHER ro u16 Text" "0x10 is SAMPLE_SEQ already"
refused "long 0x3f OTHER ro count Text" "0x40 is SAMPLES already"
refused "word 0x90 STATE ro u16 Text" "STATE is there already"
refused "word 0xc0 OTHER ro u16 Text" "0xc0 is no register"
refused "word 0x90 OTHER wo u16 Text" "access 'wo' is none of ro rw w1c bw"
refused "word 0x90 OTHER ro u8 Text" "kind 'u8' is none of"
refused "word 90 OTHER" "access '' is none of"
refused "word nine OTHER ro u16 Text" "'nine' is not a number"
refused "bit STATE OTHER 16 Text" "bit 16 of 16"
refused "bit OTHER ONE 1 Text" "OTHER is not known yet"
refused "value FAULT NONE 7 Text" "FAULT.NONE is there already"
refused "block 0x30 OTHER 0x00 0x01 1 ro Text" "0x30 is no block"
refused "block 0xc1 OTHER 0x00 0x01 1 ro Text" "0xc1 is SAMPLE already"
refused "block 0xf0 OTHER 0x40 0x50 1 ro Text" "17 registers do not fit"
refused "block 0xf0 OTHER 0x04 0x03 1 ro Text" "0 registers do not fit"
refused "block 0xf0 OTHER 0x8f 0x90 1 ro Text" "no register 0x8f"
refused "block 0xf0 OTHER 0x00 0x01 3 ro Text" "at least 3 of 2"
refused "block 0xf0 OTHER 0x26 0x27 2 rw Text" "RATED_MAX cannot be written"
refused "register 0x90 OTHER ro u16 Text" "'register' is none of"

cat > "$dir/use.c" << 'END'
#include "nst-wire.h"

/* Every register once, every block within the registers. */
#define ROW(name, addr, access, kind) case addr: return #name;
const char *name_of(int addr);
const char *name_of(int addr)
{
	switch (addr) {
	NST_MCU_REGISTERS(ROW)
	default: return 0;
	}
}
#define BLOCK(name, cmd, first, words, min, access) \
	_Static_assert(NST_MCU_BLK_##name == cmd && \
		       NST_MCU_BLK_##name##_FIRST == first && \
		       first + words <= NST_MCU_BLOCKS_BEGIN && \
		       2 * words <= NST_MCU_BLOCK_MAX && min <= words, #name);
NST_MCU_BLOCKS(BLOCK)
#define NAME(reg, name, value) \
	_Static_assert(NST_MCU_##reg##_##name == value, #name);
NST_MCU_NAMES(NAME)
int main(void)
{
	return !name_of(NST_MCU_REG_CEILING) || name_of(0xbf) ||
	       nst_mcu_pec(nst_mcu_pec(0, 0x12), 0x34) != 0xf1;
}
END
${CC:-cc} -std=gnu11 -Wall -Wextra -Wconversion -Werror \
	-iquote policies/core -iquote firmware/abi "$dir/use.c" \
	-o "$dir/use" > "$dir/out" 2>&1 && "$dir/use"
rc=$?
[ $rc = 0 ] || sed 's/^/# /' "$dir/out"
result $rc "the header compiles by itself, its tables agree with its names"

echo "1..$n"
exit $bad
