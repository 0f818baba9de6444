#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# readme.sh - the commands of README's "Trying the policies without a kernel" as
# they are written there, with a folder of their own for /tmp, and every file,
# make target and program that README names.

# shellcheck disable=SC2154 # check.inc sets top, build, dir and failed

. "${NST_TOP:-$(dirname "$0")/../..}/tests/userspace/check.inc"

# font files are read once and kept by the font library
echo 'leak:libfontconfig' > "$dir/suppress"
LSAN_OPTIONS=suppressions=$dir/suppress:print_suppressions=0
export LSAN_OPTIONS

echo "KTAP version 1"
sed -n '/^## Trying the policies/,/^## /p' "$top/README.md" |
	sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' |
	sed -n 's/^    \(build\/.*\)/\1/p' |
	sed "s/  *#.*//; s|/tmp/|$dir/|g; s|^build/|$build/|
	     s|my\.yaml|policies/profiles/demo.yaml|" > "$dir/commands"
count=$(wc -l < "$dir/commands")
echo "1..$((count + 4))"
check "there are commands" [ "$count" -ge 5 ]

cd "$top" || exit 1
run()
{
	sh -c "$1" > "$dir/out" 2>&1 < /dev/null && return 0
	sed 's/^/# /' "$dir/out" | tail -n 5
	return 1
}
while read -r line; do
	check "$(echo "$line" | sed "s|$dir/||g; s|$build/||")" run "$line"
done < "$dir/commands"

# all WHAT COMMAND... < WORDS: there are words, and COMMAND is true of each
all()
{
	_what=$1
	shift
	_some=
	_bad=0
	while read -r _word; do
		_some=1
		"$@" "$_word" || {
			echo "# no $_what $_word"
			_bad=1
		}
	done
	[ -n "$_some" ] && return $_bad
}

# Words in backquotes that look like a path of the tree.
grep -o '`[a-z][A-Za-z0-9_./-]*`' README.md | tr -d '`' |
	grep -E '^(kmod|userspace|policies|firmware|tests|boards)/' \
	> "$dir/paths"
check "its paths are there" all path test -e < "$dir/paths"
is_target()
{
	grep -q "^$1:" Makefile
}
tr '\n' ' ' < README.md | grep -oE '(`|    )[A-Z=0-9_]* ?make [a-z-]+' |
	sed 's/.*make //' | sort -u > "$dir/targets"
check "its targets are there" all target is_target < "$dir/targets"
is_selftest()
{
	[ -e "tests/selftests/$1.sh" ]
}
sed -n 's/.*make check-\(vm\|uml\)` (\(`[^)]*\)).*/\2/p' README.md |
	grep -o '`[a-z_]*`' | tr -d '`' > "$dir/suites"
check "its self-tests are there" all self-test is_selftest < "$dir/suites"
[ $failed = 0 ]
