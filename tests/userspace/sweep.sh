#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sweep.sh: nstctl sweep in shards, stopped and gone on with, put together;
# and files of shards that overlap, miss, break off or are of something else

# shellcheck disable=SC2154 # check.inc sets top, build, dir, n and failed

. "${NST_TOP:-$(dirname "$0")/../..}/tests/userspace/check.inc"
nstctl=$build/nstctl

echo "TAP version 14"

# Small: 1 power, 1 light, 2 demands, 3 modes, 2 sensors: 12 cells.
small()
{
	"$nstctl" sweep --near-mw 2500 --ambient-mc 26400 --light office \
		--snr 26,none --bound on-demand --sensor exact,1c \
		--duration 20 "$@" 2> "$dir/err"
}

# code WANTED COMMAND...: exit status
code()
{
	_want=$1
	shift
	"$@" > "$dir/out"
	_got=$?
	[ "$_got" = "$_want" ] && return
	echo "# exit status $_got, wanted $_want"
	sed 's/^/# /' "$dir/err"
	return 1
}

# says TEXT: so did the last command, on standard error
says()
{
	grep -qF -- "$1" "$dir/err" && return
	echo "# wanted: $1"
	sed 's/^/# /' "$dir/err"
	return 1
}

merge()
{
	"$nstctl" sweep --merge "$@" 2> "$dir/err"
}

# --- a whole and its parts ---
check "the whole runs" code 0 small --output "$dir/all.csv"
for i in 1 2 3; do
	check "shard $i of 3 runs" code 0 small --shard $i/3 \
		--output "$dir/$i.csv"
done
check "shards go together, in any order" code 0 \
	merge "$dir/3.csv" "$dir/1.csv" "$dir/2.csv" --output "$dir/sum.csv"
check "and are the whole, byte by byte" cmp "$dir/all.csv" "$dir/sum.csv"
small > "$dir/direct.csv"
check "standard output is the same" cmp "$dir/all.csv" "$dir/direct.csv"
rows()
{
	grep -vc '^#' "$1"
}
cells=$(awk -F, '!/^#/ && $1 != "cell" { print $1 }' "$dir/all.csv" |
	sort -un | tr '\n' ' ')
check "twelve cells" [ "$cells" = "0 1 2 3 4 5 6 7 8 9 10 11 " ]

# --- gone on with ---
cp "$dir/2.csv" "$dir/cut.csv"
for bytes in 1 100 700 1200; do
	head -c -$bytes "$dir/2.csv" > "$dir/cut.csv"
	check "goes on after losing $bytes bytes" \
		code 0 small --shard 2/3 --output "$dir/cut.csv"
	check "to the same" cmp "$dir/2.csv" "$dir/cut.csv"
done
check "another shard does not go on there" code 4 \
	small --shard 1/3 --output "$dir/cut.csv"
check "and says where" says "cut.csv:3: shard 2/3, not 1/3"
check "nor another matrix" code 4 \
	small --seed 2 --shard 2/3 --output "$dir/cut.csv"
check "and says where" says "cut.csv:2: another matrix"
check "which it left alone" cmp "$dir/2.csv" "$dir/cut.csv"
echo precious > "$dir/other"
check "nor what is no sweep" code 4 small --output "$dir/other"
check "and says so" says "other:1: not a result of nstctl sweep"
check "which it left alone" [ "$(cat "$dir/other")" = precious ]
(
	flock 9
	code 5 small --output "$dir/locked.csv" 9>&-
) 9> "$dir/locked.csv"
check "one run a file" [ $? = 0 ]

# --- shards that overlap or miss ---
check "a shard twice" code 4 \
	merge "$dir/1.csv" "$dir/2.csv" "$dir/3.csv" "$dir/1.csv"
check "told by line" says "1.csv:5: cell 0 again, first at $dir/1.csv:5"
check "overlapping shards" code 4 merge "$dir/all.csv" "$dir/3.csv"
check "told by line" says "cell 2 again, first at"
check "a shard missing" code 4 merge "$dir/1.csv" "$dir/3.csv"
check "told by number" says "missing: cells 1, 4, 7, 10; 4 of 12"
check "with its name" says "no file is of shard 2/3"
check "nothing is written" [ ! -s "$dir/out" ]
check "shards of different counts that fit" code 4 merge "$dir/1.csv"
small --seed 2 --shard 2/3 > "$dir/seed.csv"
check "a shard of another seed" code 4 \
	merge "$dir/1.csv" "$dir/seed.csv" "$dir/3.csv"
check "told by line" says "seed.csv:2: another matrix"
check "no file" code 4 merge "$dir/none.csv"
check "told" says "none.csv: No such file or directory"

# --- lines that are none ---
# broken NAME TEXT SED: shard 2 with an edit is refused with TEXT
broken()
{
	sed "$3" "$dir/2.csv" > "$dir/bad.csv"
	code 4 merge "$dir/1.csv" "$dir/bad.csv" "$dir/3.csv" && says "$2"
}
check "a field too few" broken x "bad.csv:6: 34 cells where there are 35" \
	'6s/,[^,]*$//'
check "a field too many" broken x "bad.csv:6: at least 36 cells" '6s/$/,1/'
check "no number" broken x \
	"bad.csv:7: frames: 'nan' is not a whole number" \
	'7s/^\(\([^,]*,\)\{15\}\)[^,]*/\1nan/'
check "an infinite one" broken x \
	"bad.csv:7: energy_mj: 'inf' is not a whole number" \
	'7s/^\(\([^,]*,\)\{25\}\)[^,]*/\1inf/'
check "an absurd one" broken x \
	"energy_mj: '99999999999999999999' is not a whole number" \
	'7s/^\(\([^,]*,\)\{25\}\)[^,]*/\199999999999999999999/'
check "nothing where something is" broken x "bad.csv:7: policy is empty" \
	'7s/^\(\([^,]*,\)\{12\}\)[^,]*/\1/'
check "a cell that is not there" broken x \
	"bad.csv:5: cell 99 of a matrix of 12; valid: 0 to 11" '5s/^1,/99,/'
check "a cell of another shard" broken x \
	"bad.csv:5: cell 3 is not of shard 2/3" '5s/^1,/3,/'
check "a row missing" broken x "bad.csv:6: cell 1 breaks off after 1 of" 6d
check "a first row missing" broken x "bad.csv:5: cell 1 begins with run 2" 5d
check "the end missing" broken x "breaks off after" '$d'
check "a shard that is none" broken x \
	"bad.csv:3: '3/2' is no shard; valid: I/N with I from 1 to N" \
	'3s/.*/# shard 3\/2/'
check "other columns" broken x "bad.csv:4: column 'sell' where 'cell' is" \
	'4s/cell/sell/'
head -c -9 "$dir/2.csv" > "$dir/bad.csv"
check "half a line" code 4 merge "$dir/1.csv" "$dir/bad.csv" "$dir/3.csv"
check "told by line" says "the line breaks off"
printf '' > "$dir/bad.csv"
check "an empty file" code 4 merge "$dir/bad.csv"
check "told" says "bad.csv:1: the file breaks off before its first line ends"
printf '# nstctl sweep 1\n# matrix cells=\0007\n' > "$dir/bad.csv"
check "a zero byte" code 4 merge "$dir/bad.csv"
check "told by line" says "bad.csv:2: a zero byte in the line"
printf '# nstctl sweep 1\n# matrix cells=99999999999\n' > "$dir/bad.csv"
check "absurdly many cells" code 4 merge "$dir/bad.csv"
check "told by line" says "bad.csv:2: '99999999999' cells; valid: 1 to"
check "a folder" code 4 merge "$dir"
# Root may read all, unless it may not any more.
: > "$dir/secret.csv"
chmod 0 "$dir/secret.csv"
if [ "$(id -u)" != 0 ]; then
	check "a file that may not be read" code 6 merge "$dir/secret.csv"
elif command -v setpriv > /dev/null; then
	_caps=-dac_override,-dac_read_search
	check "a file that may not be read" code 6 setpriv --inh-caps=$_caps \
		--bounding-set=$_caps sh -c \
		'"$1" sweep --merge "$2/secret.csv" 2> "$2/err"' sh "$nstctl" \
		"$dir"
else
	skip "a file that may not be read" "root, and no setpriv"
fi

# --- what comes out ---
check "tables" code 0 merge "$dir/all.csv" --table
last=$(awk '/^\| [a-z]/ && !/^\| policy/ { last = $2 }
	/^$/ && last { print last; last = "" }' "$dir/out" | sort -u)
check "gating for ever is last in each" [ "$last" = gate-for-ever ]
check "six of them" [ "$(grep -c '^###' "$dir/out")" = 6 ]
check "one by light" code 0 merge "$dir/all.csv" --table --by light
check "for each mode" [ "$(grep -c '^###' "$dir/out")" = 2 ]
check "JSON" code 0 merge "$dir/all.csv" --json
check "which is read" python3 - "$dir/out" "$(rows "$dir/all.csv")" << 'PY'
import json
import sys

doc = json.load(open(sys.argv[1], encoding="utf-8"))
assert doc["cells"] == 12, doc["cells"]
assert len(doc["runs"]) == int(sys.argv[2]) - 1
for run in doc["runs"]:
    assert run["frames"] == (run["frames_delivered"] + run["frames_dropped"]
                             + run["frames_withheld"])
    if run["policy"] == "gate-for-ever":
        assert not run["frames_delivered"]
        assert run["saving_permyriad"] is None
PY
check "JSON at once" code 0 small --json

# A list that is wrong costs no work and no file.
echo precious > "$dir/keep"
check "columns that are none" code 3 merge "$dir/all.csv" --table \
	--by ligth --output "$dir/keep"
check "told what is" says "did you mean 'light'?"
check "nothing is lost" [ "$(cat "$dir/keep")" = precious ]
check "nor run" code 3 small --table --by ligth --output "$dir/unborn"
check "nor written" [ ! -e "$dir/unborn" ]

# No policy of migration: no cells of it, which would be missing for good.
one()
{
	"$nstctl" sweep --near-mw 2500 --ambient-mc 26400 --snr 26,none \
		--bound on-demand --sensor exact --policy predictive-stop \
		--duration 20 "$@" 2> "$dir/err"
}
check "a policy of one mode" code 0 one --light office --output "$dir/one.csv"
check "is a whole" code 0 merge "$dir/one.csv" --table
check "a mode without a policy" code 3 one --light office --mode migration
check "told" says "no policy runs in a mode asked for"

# A light is text, whatever it looks like, and called as its file is.
deep=$dir/a-folder-with-a-name/that-is-long-enough-for-a-path-to-end-in-it/deep
mkdir -p "$deep"
printf 't_s,light\n0,office\n20,dim\n' > "$deep/05.12.csv"
check "a trace far down, called like a number" code 0 \
	one --light "$deep/05.12.csv" --json
check "is text" python3 - "$dir/out" << 'PY'
import json
import sys

runs = json.load(open(sys.argv[1], encoding="utf-8"))["runs"]
assert {run["light"] for run in runs} == {"05.12"}, runs[0]["light"]
assert {run["snr_db"] for run in runs} == {26, None}
PY

# --- command lines ---
check "a word that is none" code 3 small --mode stp
check "told what is" says "did you mean 'stop'? valid: stop, migration"
check "a list with a hole" code 3 small --policy full-near,,full-far
check "told" says "--policy: '' is not valid"
check "a word twice" code 3 small --mode stop,stop
check "told" says "'stop' is there twice"
check "a shard past the end" code 3 small --shard 3/2
check "told" says "valid: I/N with I from 1 to N"
check "a shard as a table" code 3 small --shard 1/2 --table
check "files without --merge" code 3 small "$dir/all.csv"
check "--merge without files" code 3 merge
check "no SNR" code 3 "$nstctl" sweep --snr nan
# Sixteen of them are 32 demands with both bounds: as many as there may be.
many=$(seq -s, 1 16)
check "too many SNRs, the last of them none" code 3 sh -c \
	'"$1" sweep --snr "$2,none" 2> "$3/err"' sh "$nstctl" "$many" "$dir"
check "told" says "--snr: 'none' is not valid; valid: fewer of them"
check "a trace that goes back" code 4 sh -c \
	'printf "t_s,light\n0,dim\n9,dim\n8,dim\n" > "$1/t.csv"
	"$2" sweep --light "$1/t.csv" 2> "$1/err"' sh "$dir" "$nstctl"
check "told by line" says "t.csv:4: t_s must rise from line to line"
check "a time that is none" code 4 sh -c \
	'printf "t_s,light\n0,dim\ninf,dim\n" > "$1/t.csv"
	"$2" sweep --light "$1/t.csv" 2> "$1/err"' sh "$dir" "$nstctl"
check "told by line" says "t.csv:3: 'inf' is not a valid t_s"
check "a full disk" code 1 sh -c \
	'"$1" sweep --near-mw 2500 --light dim --sensor exact \
		--ambient-mc 20000 --snr none --duration 10 \
		> /dev/full 2> "$2/err"' sh "$nstctl" "$dir"

echo "1..$n"
[ $failed = 0 ]
