#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh - what `make install` puts down works from where it is put: in a
# mount namespace where /usr/local is the installed tree, nstd starts without
# options, the unit is valid, and every option of the modprobe.d example is a
# parameter of a module.

# shellcheck disable=SC2154 # check.inc sets top, build, dir, n and failed

. "${NST_TOP:-$(dirname "$0")/../..}/tests/userspace/check.inc"

echo "KTAP version 1"
echo "1..18"

BUILD=${build#"$top/"} DESTDIR=$dir PREFIX=/usr/local \
	"$top/tests/lib/install.sh" > "$dir/log" 2>&1 ||
	sed 's/^/# /' "$dir/log"
p=$dir/usr/local

there()
{
	for _f; do
		[ -s "$p/$_f" ] || {
			echo "# no $_f"
			return 1
		}
	done
}
check programs there bin/nstd bin/nstctl bin/nst-vision bin/nst-worker
check pages there share/man/man1/nstctl.1 share/man/man1/nst-worker.1 \
	share/man/man1/nst-vision.1 share/man/man8/nstd.8 \
	share/man/man5/nst.yaml.5
# say_version: what make says that it built
say_version()
{
	_want=$(cat "$build/obj/.version")
	for _p in nstd nstctl nst-vision nst-worker; do
		[ "$("$p/bin/$_p" --version)" = "$_p $_want" ] || return 1
	done
}
check version say_version
check profile there share/nst/nst.yaml share/nst/reference.yaml
check curves there share/nst/accuracy/retinanet-r50-coco.csv \
	share/nst/accuracy/README.md
check header there include/nst/nst.h include/nst/libnst.h

# A program that knows nothing but pkg-config, in both languages and both ways.
pkg_config()
{
	PKG_CONFIG_PATH=$p/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dir \
		pkg-config "$@" libnst
}
library()
{
	there lib/libnst.so.0 lib/libnst.a lib/pkgconfig/libnst.pc || return 1
	printf '%s\n' '#include <nst/libnst.h>' 'int main(void)' \
		'{ struct nst_conn *c; return nst_connect(&c, "/none") != -2; }' \
		> "$dir/use.c"
	cp "$dir/use.c" "$dir/use.cc"
	for _c in "cc $dir/use.c" "c++ $dir/use.cc"; do
		# shellcheck disable=SC2046,SC2086 # lists of words
		$_c -Wall -Wextra -Werror ${SANLINK:-} -o "$dir/use" \
			$(pkg_config --cflags --libs) &&
			LD_LIBRARY_PATH=$p/lib "$dir/use" || return 1
	done
	# shellcheck disable=SC2046,SC2086 # lists of words
	cc "$dir/use.c" ${SANLINK:-} -o "$dir/use" $(pkg_config --cflags) \
		"$p/lib/libnst.a" -lm && "$dir/use"
}
# what was built with sanitizers is linked with them
case $build in
*san) SANLINK=-fsanitize=address,undefined ;;
esac
check library library
python_module()
{
	_m=$(find "$p/lib" -name nst.py)
	[ -n "$_m" ] && PYTHONPATH=${_m%/*} python3 -c 'import nst, sys
try:
    nst.connect("/none")
except FileNotFoundError:
    sys.exit(0)
sys.exit(1)'
}
check python_module python_module
check rules_and_groups there lib/udev/rules.d/60-nst.rules \
	lib/sysusers.d/nst.conf
check modprobe_example there share/nst/modprobe.d/nst.conf
manual()
{
	there share/doc/nst/nst.rst share/doc/nst/attach.rst || return 1
	# what a page includes is beside it
	for _i in $(sed -n 's/^\.\. include:: //p' "$p"/share/doc/nst/*.rst); do
		there "share/doc/nst/$_i" || return 1
	done
}
check manual manual
check overlays there share/doc/nst/boards/README.md \
	share/doc/nst/boards/raspberrypi/nst-gpio-overlay.dts
unit_names_what_is_there()
{
	there lib/systemd/system/nstd.service &&
		grep -q "^ExecStart=/usr/local/bin/nstd " \
			"$p/lib/systemd/system/nstd.service"
}
check unit_names_what_is_there unit_names_what_is_there
nothing_in_etc()
{
	[ ! -e "$dir/etc" ]
}
check nothing_in_etc nothing_in_etc

# Each "#options MODULE NAME=VALUE..." against module_param of its sources.
options_exist()
{
	_bad=0
	while read -r _word _module _options; do
		[ "$_word" = "#options" ] || continue
		# shellcheck disable=SC2086 # a list of words
		for _o in $_options; do
			_files=$(ls "$top/kmod/$_module"*.c)
			[ "$_module" != nst ] || _files=$(ls "$top"/kmod/nst-*.c)
			# shellcheck disable=SC2086 # a list of files
			grep -qE "^module_param[a-z_]*\\(${_o%%=*}," $_files || {
				echo "# $_module has no ${_o%%=*}"
				_bad=1
			}
		done
	done < "$p/share/nst/modprobe.d/nst.conf"
	return $_bad
}
check options_exist options_exist

# in_place COMMAND...: with /usr/local being the installed one
in_place()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount --make-rprivate / &&
		mount --bind "$1" /usr/local && shift && cd / && exec "$@"' \
		- "$p" "$@" 2>&1
}
if [ "$(id -u)" = 0 ] && in_place true > /dev/null; then
	# An administrator's profile would be taken before ours.
	mkdir -p "$dir/empty"
	starts()
	{
		_said=$(in_place timeout 20 /usr/local/bin/nstd --check \
			--root "$dir/empty")
		_rc=$?
		[ $_rc = 2 ] && case $_said in
		*"cam0: device 'nst0': No such device"*) true ;;
		*)
			echo "# $_rc: $_said"
			false
			;;
		esac
	}
	if [ -e /etc/nst/nst.yaml ]; then
		skip starts_without_options "this machine has a profile"
	else
		check starts_without_options starts
	fi
	if command -v systemd-analyze > /dev/null; then
		unit_valid()
		{
			in_place systemd-analyze verify --man=no \
				/usr/local/lib/systemd/system/nstd.service \
				> "$dir/said" 2>&1
			_rc=$?
			# of other units of this machine it has opinions too
			grep nstd "$dir/said" | sed 's/^/# /'
			[ $_rc = 0 ] && ! grep -q nstd "$dir/said"
		}
		check unit_valid unit_valid
	else
		skip unit_valid "needs systemd-analyze"
	fi
else
	skip starts_without_options "needs root and mount namespaces"
	skip unit_valid "needs root and mount namespaces"
fi

# Nothing of ours stays, and nothing of others goes.
nothing_left()
{
	echo "theirs" > "$p/bin/theirs"
	BUILD=${build#"$top/"} DESTDIR=$dir PREFIX=/usr/local \
		"$top/tests/lib/install.sh" --remove > "$dir/log" 2>&1 ||
		return 1
	_left=$(cd "$p" && find . ! -type d)
	[ "$_left" = ./bin/theirs ] && [ ! -d "$p/share/nst" ] &&
		[ ! -d "$p/share/doc/nst" ] && return 0
	echo "$_left" | sed 's/^/# left: /'
	return 1
}
check nothing_left nothing_left
[ "$n" = 18 ] && [ $failed = 0 ]
