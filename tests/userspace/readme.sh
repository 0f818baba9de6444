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

# Words in backquotes that look like a path of the tree.
paths_there()
{
	_bad=0
	_paths=$(grep -o '`[a-z][A-Za-z0-9_./-]*`' README.md | tr -d '`' |
		 grep -E '^(kmod|userspace|policies|firmware|tests|boards)/')
	[ -n "$_paths" ] || return 1
	for _p in $_paths; do
		[ -e "$_p" ] || {
			echo "# no $_p"
			_bad=1
		}
	done
	return $_bad
}
check "its paths are there" paths_there
targets_there()
{
	_bad=0
	_targets=$(tr '\n' ' ' < README.md |
		   grep -oE '(`|    )[A-Z=0-9_]* ?make [a-z-]+' |
		   sed 's/.*make //' | sort -u)
	[ -n "$_targets" ] || return 1
	for _t in $_targets; do
		grep -q "^$_t:" Makefile || {
			echo "# make has no $_t"
			_bad=1
		}
	done
	return $_bad
}
check "its targets are there" targets_there
suites_there()
{
	_bad=0
	_suites=$(sed -n 's/.*make check-\(vm\|uml\)` (\(`[^)]*\)).*/\2/p' \
		  README.md | grep -o '`[a-z_]*`' | tr -d '`')
	[ -n "$_suites" ] || return 1
	for _s in $_suites; do
		[ -e "tests/selftests/$_s.sh" ] || {
			echo "# no self-test $_s"
			_bad=1
		}
	done
	return $_bad
}
check "its self-tests are there" suites_there
[ $failed = 0 ]
