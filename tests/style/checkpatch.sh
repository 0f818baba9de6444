#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# checkpatch.sh [FILE...]: checkpatch of the kernel source package over our C:
# --strict where the code runs in the kernel, errors and warnings elsewhere,
# less what only makes sense inside the kernel's own tree. Prints what it finds;
# exit status 1 when that is anything. It takes most of a second a file, so what
# passed is remembered outside of the tree, by path, content, checkpatch and
# the options it was called with: a fresh clone reads what is new to it.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
. tests/lib/kernels.sh
CHECKPATCH=$(nst_kernel_source)/scripts/checkpatch.pl
export CHECKPATCH

# One file: the worker of the loop below.
if [ "${1:-}" = --one ]; then
	f=$2
	# Kbuild knows the versions, kernel-doc is not this tool's matter.
	ignore=FILE_PATH_CHANGES,SPDX_LICENSE_TAG
	strict=--strict
	case $f in
	kmod/compat.h)
		# the one place for version tests
		ignore=$ignore,LINUX_VERSION_CODE,CONSTANT_COMPARISON ;;
	kmod/nst-sim-configfs.c)
		# a name of an array, for its count as well
		ignore=$ignore,MACRO_ARG_REUSE ;;
	kmod/nst-mcu-* | kmod/tests/mcu_*)
		# rows of the register map, of which a table takes some columns
		ignore=$ignore,MACRO_ARG_UNUSED ;;
	kmod/nst-export.c)
		# exports of pure code, which cannot export by itself
		ignore=$ignore,EXPORT_SYMBOL ;;
	kmod/nst-trace.h)
		# a table for macros that look like code
		ignore=$ignore,SPACING,PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE ;;
	kmod/nst-sim-render.h | kmod/nst-sim-noise.c)
		# built in userspace too, where these are not; macros because
		# the compiler has to see constants
		ignore=$ignore,BIT_MACRO,PREFER_DEFINED_ATTRIBUTE_MACRO
		ignore=$ignore,MACRO_ARG_REUSE ;;
	kmod/*) ;;
	policies/core/*)
		ignore=$ignore,BIT_MACRO,ARRAY_SIZE,NEW_TYPEDEFS,CAMELCASE
		ignore=$ignore,PREFER_KERNEL_TYPES ;;
	*)
		strict=
		# no kernel here: its types, macros and string functions do not
		# exist, and messages for people are long
		ignore=$ignore,PREFER_KERNEL_TYPES,ARRAY_SIZE,BIT_MACRO
		ignore=$ignore,STRCPY,STRNCPY,STRLCPY,SSCANF_TO_KSTRTO
		ignore=$ignore,PREFER_DEFINED_ATTRIBUTE_MACRO,NEW_TYPEDEFS
		ignore=$ignore,SPLIT_STRING,EMBEDDED_FUNCTION_NAME,VOLATILE
		ignore=$ignore,CAMELCASE,CONSIDER_KSTRTO,USE_NEGATIVE_ERRNO
		ignore=$ignore,IN_ATOMIC,AVOID_EXTERNS,AVOID_BUG,YIELD
		ignore=$ignore,UNCOMMENTED_BARRIER,UNCOMMENTED_DEFINITION
		# nor does it know _cleanup_ and tables made by macros
		ignore=$ignore,LINE_SPACING,COMPLEX_MACRO,MISSING_SPACE
		ignore=$ignore,STATIC_CONST_CHAR_ARRAY,LEADING_SPACE,STRING_FRAGMENTS
		ignore=$ignore,SUSPECT_CODE_INDENT,MACRO_ARG_UNUSED
		ignore=$ignore,QUOTED_WHITESPACE_BEFORE_NEWLINE
		# a build without a library answers so
		ignore=$ignore,ENOSYS ;;
	esac
	stamp=$({
		printf '%s\n' "$f" "$strict" "$ignore"
		cat "$CHECKPATCH" "$f"
	} | sha256sum)
	stamp=$NST_CACHE/checkpatch/${stamp%% *}
	[ ! -e "$stamp" ] || exit 0
	# from a folder without .git: it would read the whole history for names
	# shellcheck disable=SC2086 # strict may be no word at all
	if ! found=$(cd build/style && perl "$CHECKPATCH" --no-tree $strict \
			--terse --no-summary --quiet --show-types \
			--ignore "$ignore" -f "$top/$f" 2> /dev/null); then
		echo "${found:-$f: checkpatch does not run}" |
			sed "s|^$top/||"
		exit 1
	fi
	: > "$stamp"
	exit 0
fi

if [ $# -eq 0 ]; then
	# tests/shim looks like kernel headers and is none, headers of the
	# example for rpicam-apps are C++
	# shellcheck disable=SC2046 # no file of ours has a blank in its name
	set -- $(git ls-files -co --exclude-standard -- '*.c' '*.h' |
		grep -v -e '^tests/shim/' -e '^userspace/examples/rpicam/')
fi
mkdir -p build/style "$NST_CACHE/checkpatch"
printf '%s\n' "$@" |
	xargs -P "$(nproc)" -n 1 tests/style/checkpatch.sh --one || exit 1
