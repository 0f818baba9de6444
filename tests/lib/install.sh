#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh [--remove]: what `make install` and `make uninstall` do. DESTDIR and
# PREFIX as usual; removed is what would be installed. Nothing is
# enabled or started; an existing configuration is never touched, for none is
# installed: profiles go to share/nst, where nstd finds nst.yaml, and /etc is the
# administrator's. With PREFIX=/usr and /usr/local udev, systemd and nstd look
# where things are put; the modules are `make dkms-install`.

set -eu
cd "$(dirname "$0")/../.."

p=${DESTDIR:-}${PREFIX:?}
build=${BUILD:-build}

if [ "${1:-}" = --remove ]; then
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT
	DESTDIR=$stage tests/lib/install.sh > /dev/null
	(cd "$stage$PREFIX" && find . ! -type d) | while read -r f; do
		case $f in
		*.py)	# what Python made of it
			c=$p/${f%/*}/__pycache__
			m=${f##*/}
			rm -f "$c/${m%.py}".cpython-*.pyc
			rmdir "$c" 2> /dev/null || true
			;;
		esac
		[ -e "$p/$f" ] || [ -L "$p/$f" ] || continue
		rm -f "$p/$f"
		echo "  REMOVE $p/${f#./}"
	done
	# Of the directories those that bear our name, the innermost first.
	(cd "$stage$PREFIX" && find . -depth -type d -path '*/nst*') |
		while read -r d; do
			rmdir "$p/$d" 2> /dev/null || true
		done
	exit
fi

put()
{
	_mode=$1
	_dir=$2
	shift 2
	for f; do
		[ -f "$f" ] || continue
		install -D -m "$_mode" "$f" "$_dir/${f##*/}"
		echo "  INSTALL $_dir/${f##*/}"
	done
}

put 755 "$p/bin" "$build/nstd" "$build/nstctl" "$build/nst-vision" \
	"$build/nst-worker"
for m in userspace/man/*.[1-9]; do
	put 644 "$p/share/man/man${m##*.}" "$m"
done
put 644 "$p/share/nst" policies/profiles/*.yaml
put 644 "$p/share/nst/accuracy" policies/profiles/accuracy/*
put 644 "$p/include/nst" kmod/uapi/nst.h userspace/include/nst/libnst.h
put 755 "$p/lib" "$build/libnst.so.0"
put 644 "$p/lib" "$build/libnst.a"
ln -sf libnst.so.0 "$p/lib/libnst.so"
install -d "$p/lib/pkgconfig"
sed "s|@PREFIX@|$PREFIX|" userspace/lib/libnst.pc.in > "$p/lib/pkgconfig/libnst.pc"
chmod 644 "$p/lib/pkgconfig/libnst.pc"
echo "  INSTALL $p/lib/pkgconfig/libnst.pc"
# where Debian's Python looks, which has its own place under /usr
site=lib/python3/dist-packages
if [ "$PREFIX" != /usr ] && [ -x /usr/bin/python3 ]; then
	site=lib/python$(/usr/bin/python3 -c 'import sys
print("%d.%d" % sys.version_info[:2])')/dist-packages
fi
put 644 "$p/$site" userspace/python/nst.py
for d in userspace/examples boards; do
	(cd "$d" && find . -type f ! -path '*/__pycache__/*') |
		while read -r f; do
			t=$p/share/doc/nst/${d##*/}/${f#./}
			install -D -m 644 "$d/${f#./}" "$t"
			echo "  INSTALL $t"
		done
done
put 644 "$p/share/nst/modprobe.d" userspace/modprobe/*.conf
put 644 "$p/lib/udev/rules.d" userspace/udev/*.rules
put 644 "$p/share/doc/nst" README.md kmod/doc/*.rst firmware/abi/registers.rst
sed -i 's|\.\./\.\./firmware/abi/||' "$p/share/doc/nst/nst-mcu.rst"
for s in userspace/systemd/*.sysusers; do
	[ -f "$s" ] || continue
	t=${s##*/}
	install -D -m 644 "$s" "$p/lib/sysusers.d/${t%.sysusers}.conf"
	echo "  INSTALL $p/lib/sysusers.d/${t%.sysusers}.conf"
done
for u in userspace/systemd/*.service; do
	[ -f "$u" ] || continue
	t=$p/lib/systemd/system/${u##*/}
	install -d "${t%/*}"
	# the unit is written for /usr
	sed "s|/usr/bin/nst|${PREFIX}/bin/nst|" "$u" > "$t"
	chmod 644 "$t"
	echo "  INSTALL $t"
done
