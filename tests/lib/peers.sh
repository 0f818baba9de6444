#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# peers.sh: tests/peers.txt as KTAP, a result per row, and the table itself as
# figures, which ktap.pl shows. A row is good when it has a sentence why it has
# no test, or when each test that it names is a result of the file it names: a
# string in quotes, a word after check, in_time, ok or KUNIT_CASE, or a line "test NAME"
# of a firmware script. Every row of groups A, B, C and E has to be there.

top=${NST_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 1

# Rows of A, B, C and E that the driver has to answer.
want="A1 A2 A4 A5 A7 A9 A10 A11 A13 A14 A16 A17 A18 A19 A21 A22
B1 B2 B4 B5 B7 B8 B9 B11 B12 B13 B15 B17 B18 B19 B21 B22
C2 C3 C4 C6 C8 C9 C10 C11 C12 E2 E3 E4 E6"

# has FILE CASE. A case that begins with ": " is the rest of a name that starts
# with a variable.
has()
{
	case $1 in
	*.fw) grep -qxF "test $2" "$1" ;;
	*.c) grep -qE "KUNIT_CASE[A-Z_]*\\($2[,)]" "$1" ||
		grep -qF "\"$2\"" "$1" ;;
	*.sh)
		case $2 in
		*[!a-zA-Z0-9_]*) grep -qE "\\b(check|ok|not_ok|skip|in_time [0-9]+) \"[^\"]*$(
			printf '%s' "$2" | sed 's/[.[\*^$()+?{|/]/\\&/g')" "$1" ;;
		*) grep -qE "\\b(check|ok|skip) \"?(\\\$[^\"]*)?$2(\"|[[:space:]])" "$1" ;;
		esac ;;
	*) return 1 ;;
	esac
}

echo "KTAP version 1"
n=0
failed=0
id=
seen=

# finish the row that was being read
row()
{
	[ -n "$id" ] || return 0
	n=$((n + 1))
	seen="$seen $id "
	if [ -z "$what" ] || [ $((tests + nones)) = 0 ] ||
	   { [ $tests -gt 0 ] && [ $nones -gt 0 ]; }; then
		echo "# $id: needs what, and tests or a sentence"
		bad=1
	fi
	if [ $tests -gt 0 ]; then
		echo "# figure: $id  $what: $names"
	else
		echo "# figure: $id  $what: no test. $names"
	fi
	if [ $bad = 0 ]; then
		echo "ok $n $id $thread"
	else
		echo "not ok $n $id $thread"
		failed=$((failed + 1))
	fi
}

tab=$(printf '\t')
while IFS= read -r line; do
	case $line in
	'#'* | '') ;;
	"what$tab"*) what=${line#*"$tab"} ;;
	"none$tab"*)
		nones=$((nones + 1))
		names=${line#*"$tab"}
		;;
	"test$tab"*)
		line=${line#*"$tab"}
		file=${line%%: *}
		name=${line#*: }
		tests=$((tests + 1))
		short=${file##*/}
		names="$names${names:+; }${short%.*} '${name#: }'"
		if [ ! -f "$file" ]; then
			echo "# $id: there is no $file"
			bad=1
		elif ! has "$file" "$name"; then
			echo "# $id: $file has no '$name'"
			bad=1
		fi
		;;
	[A-F][0-9]*)
		row
		id=${line%% *}
		# numbers of threads begin KTAP's comments
		thread=$(echo "${line#* }" | tr '#' ' ')
		what=
		names=
		tests=0
		nones=0
		bad=0
		;;
	*)
		echo "# peers.txt: '$line' is nothing"
		failed=$((failed + 1))
		;;
	esac
done < tests/peers.txt
row
missing=
for w in $want; do
	case $seen in
	*" $w "*) ;;
	*) missing="$missing $w" ;;
	esac
done
n=$((n + 1))
if [ -z "$missing" ]; then
	echo "ok $n every row is there"
else
	echo "# missing:$missing"
	echo "not ok $n every row is there"
	failed=$((failed + 1))
fi
echo "1..$n"
[ $failed = 0 ]
