#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# plot_sweep.sh: nstctl plot, of what nstctl sweep wrote

# shellcheck disable=SC2154 # check.inc sets top, build, dir, n and failed

. "$(dirname "$0")/check.inc"

nstctl=$build/nstctl
out=$dir/picture.svg
err=$dir/err
# font files are read once and kept by the font library
echo 'leak:libfontconfig' > "$dir/suppress"
LSAN_OPTIONS=suppressions=$dir/suppress:print_suppressions=0
export LSAN_OPTIONS

# plots CODE ARGUMENT...: ends with this code, and leaves a picture or none
plots()
{
	_code=$1
	shift
	rm -f "$out"
	"$nstctl" plot "$@" --output "$out" 2> "$err"
	_got=$?
	if [ $_got != "$_code" ]; then
		echo "# exit code $_got, wanted $_code"
		sed 's/^/# /' "$err"
		return 1
	fi
	if [ "$_code" = 0 ]; then
		grep -q '</svg>' "$out"
	else
		[ ! -e "$out" ]
	fi
}

# says TEXT
says()
{
	grep -qF -- "$1" "$err" && return 0
	echo "# wanted: $1"
	sed 's/^/# /' "$err"
	return 1
}

# sweep FILE SNR: four cells, in the least time
sweep()
{
	"$nstctl" sweep --near-mw 1300,2500 --ambient-mc 26400 --light office \
		--snr "$2" --bound continuous --switch-cost zero \
		--sensor exact --duration 30 --output "$1" 2> "$err"
}

echo "KTAP version 1"
echo "1..11"

check a_sweep sweep "$dir/good.csv" 35
check is_drawn plots 0 "$dir/good.csv"
check over_another_column plots 0 "$dir/good.csv" --over light --title none
"$nstctl" plot "$dir/good.csv" --output "$dir/a.png" 2> /dev/null
check as_png test "$(head -c 4 "$dir/a.png" | tail -c 3)" = PNG
no_column()
{
	plots 3 "$dir/good.csv" --over ligth && says "did you mean 'light'?"
}
check over_what_is_none no_column
check no_sensors_in_it plots 3 "$dir/good.csv" --sensor cam
check no_second_one plots 3 "$dir/good.csv" "$dir/good.csv"
head -n 7 "$dir/good.csv" > "$dir/part.csv"
breaks_off()
{
	plots 1 "$dir/part.csv" && says "part.csv:7:"
}
check a_cell_that_breaks_off_is_told breaks_off
sed '6s/,binds,/,bound,/;6s/,[0-9]*,full-near/,x,full-near/;6s/^0,/zero,/' \
	"$dir/good.csv" > "$dir/bad.csv"
broken()
{
	plots 1 "$dir/bad.csv" && says "bad.csv:6:"
}
check broken_line_is_told broken
# In daylight nothing binds at 1.3 W.
free()
{
	"$nstctl" sweep --near-mw 1000 --ambient-mc 20000 --light daylight \
		--snr 20 --bound continuous --switch-cost zero \
		--sensor exact --duration 30 --output "$dir/free.csv" \
		2> "$err" && plots 1 "$dir/free.csv" &&
		says "no cell in which a limit binds"
}
check where_nothing_binds free
printf '# nst-recording 1\n' > "$dir/rec"
over_recording()
{
	plots 3 "$dir/rec" --over light && says "--over is of a sweep"
}
check over_is_of_a_sweep over_recording

[ $failed = 0 ]
