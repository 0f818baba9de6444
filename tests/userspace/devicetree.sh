#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# devicetree.sh - the schemas of boards/bindings and the overlays of boards/
#
# The schemas are valid by dt-schema's meta-schemas, their examples by the
# schemas, together with the thermal schemas and the list of vendor prefixes
# of the 6.1 kernel, which are what Debian 12's dt-schema understands. Every
# impossible value in the list below is refused, and its possible neighbour is
# not. The overlays are applied to device trees of Debian's arm64 kernel and
# the result is validated.

# shellcheck disable=SC2154 # check.inc sets top, build, dir, n and failed

. "${NST_TOP:-$(dirname "$0")/../..}/tests/userspace/check.inc"
. "$top/tests/lib/kernels.sh"
. "$top/tests/lib/cross.sh"
. "$top/tests/lib/devicetree.sh"

echo "KTAP version 1"
for tool in dtc fdtoverlay fdtget dt-validate dt-doc-validate dt-mk-schema; do
	command -v $tool > /dev/null || {
		echo "1..0 # SKIP needs $tool (dt-schema, device-tree-compiler)"
		exit 0
	}
done
[ -f "$NST_BINDINGS/version" ] && [ -f "$NST_DTB/version" ] || {
	echo "1..0 # SKIP no schemas in the cache, make deps fetches them"
	exit 0
}

cd "$dir" || exit 1

# --- the schemas --------------------------------------------------------------

mkdir -p bindings/thermal
cp "$NST_BINDINGS"/bindings/thermal/thermal-*.yaml bindings/thermal/
cp "$top"/boards/bindings/thermal/*.yaml bindings/thermal/
cp "$top"/boards/bindings/*.yaml bindings/
# the kernel's list with our line in it, in its place
awk '/^  "\^[a-z0-9]+,\.\*":/ && !done && $1 > "\"^nst,.*\":" {
		while ((getline line < own) > 0)
			if (line ~ /^  "\^nst,/ || line ~ /^    description: nst/)
				print line
		done = 1
	} { print }' own="$top/boards/bindings/nst-vendor-prefix.yaml" \
	"$NST_BINDINGS/bindings/vendor-prefixes.yaml" \
	> bindings/vendor-prefixes.yaml

# quiet COMMAND...: succeeds and has nothing to say
quiet()
{
	"$@" > out 2>&1
	_rc=$?
	[ -s out ] && sed 's/^/# /' out
	[ $_rc = 0 ] && [ ! -s out ]
}

# compile DTS DTB
compile()
{
	cpp -nostdinc -I "$NST_BINDINGS/include" -undef -D__DTS__ \
		-x assembler-with-cpp -P "$1" > preprocessed.dts &&
		dtc -q -@ -I dts -O dtb -o "$2" preprocessed.dts
}

schema_valid()
(
	cd bindings || exit 1
	quiet dt-doc-validate -u . "$1"
)

example_valid()
{
	dt-extract-example "bindings/$1" > example.dts &&
		compile example.dts example.dtb &&
		quiet dt-validate -s schema.json example.dtb
}

for s in "$top"/boards/bindings/*.yaml "$top"/boards/bindings/thermal/*.yaml; do
	s=${s#"$top/boards/bindings/"}
	check "schema ${s##*/}" schema_valid "$s"
done
check "schemas can be used together" \
	quiet dt-mk-schema -j -o schema.json bindings
for s in nst,companion nst,mcu; do
	check "examples of $s" example_valid "thermal/$s.yaml"
	# as many nodes of it as the schema has examples
	check "examples of $s are of $s" \
		[ "$(grep -c "compatible = \"$s\"" example.dts)" = \
		  "$(grep -c '^  - |' "bindings/thermal/$s.yaml")" ]
done

# --- values, impossible and possible ------------------------------------------

# Each line: a word, the properties of a companion, or of an MCU where the word
# says so, and after "!" what is wrong with them; without, they are right. One
# tree has them all.
cat > values << 'END'
minimal		nst,sensor = <&cam>;
nowhere		label = "x"; ! is a required property
half_address	nst,sensor-bus = <&bus>; ! sensor-addr
other_half	nst,sensor = <&cam>; nst,sensor-addr = <0x1a>; ! sensor-bus
both_ways	nst,sensor = <&cam>; nst,sensor-bus = <&bus>; nst,sensor-addr = <0x1a>; ! should not be valid
by_bus		nst,sensor-bus = <&bus>; nst,sensor-addr = <0x1a>;
addr_reserved	nst,sensor-bus = <&bus>; nst,sensor-addr = <0x78>; ! maximum of 119
addr_low	nst,sensor-bus = <&bus>; nst,sensor-addr = <0x07>; ! minimum of 8
addr_last	nst,sensor-bus = <&bus>; nst,sensor-addr = <0x77>;
unknown_model	nst,sensor = <&cam>; nst,model = "imx99"; ! is not one of
known_model	nst,sensor = <&cam>; nst,model = "imx708";
none_alone	nst,sensor = <&cam>; nst,model = "none"; ! nst,board-sensor
none_hwmon	nst,model = "none"; nst,board-sensor = "hwmon:tmp102:temp1";
none_zone	nst,model = "none"; nst,board-sensor = "zone:cpu-thermal";
none_iio	nst,model = "none"; nst,board-sensor = "iio:adc0:temp"; io-channels = <&adc 1>; io-channel-names = "temp";
iio_nowhere	nst,model = "none"; nst,board-sensor = "iio:adc0:temp"; ! 'io-channels' is a required property
board_free	nst,model = "none"; nst,board-sensor = "tmp102"; ! does not match
board_temp0	nst,model = "none"; nst,board-sensor = "hwmon:tmp102:temp0"; ! does not match
board_iio	nst,model = "none"; nst,board-sensor = "iio:"; ! does not match
board_names	nst,model = "none"; nst,board-sensor = "iio:board"; io-channels = <&adc 3>; io-channel-names = "board";
board_itself	nst,model = "none"; nst,board-sensor = "hwmon:nst:temp1"; ! does not match
board_itself_at	nst,model = "none"; nst,board-sensor = "hwmon:nst@nst-companion.0:temp1"; ! does not match
board_nst9	nst,model = "none"; nst,board-sensor = "hwmon:nst9:temp1";
board_device	nst,model = "none"; nst,board-sensor = "hwmon:tmp102@1-0048:temp1";
pause_other	nst,sensor = <&cam>; nst,model = "imx477"; nst,imx500-dnn-pause; ! is not one of
pause_imx500	nst,sensor = <&cam>; nst,model = "imx500"; nst,imx500-dnn-pause;
pause_by_owner	nst,sensor = <&cam>; nst,imx500-dnn-pause;
pause_and_line	nst,sensor = <&cam>; nst,imx500-dnn-pause; run-gpios = <&gpio 1 0>; ! False schema does not allow
pause_imx501	nst,sensor = <&cam>; nst,model = "imx501"; nst,imx500-dnn-pause;
board_unnamed	nst,board-sensor = "hwmon:tmp102:temp1"; ! 'nst,model' is a required property
board_die	nst,sensor = <&cam>; nst,model = "imx477"; nst,board-sensor = "hwmon:tmp102:temp1"; ! False schema does not allow
nodie_alone	nst,sensor = <&cam>; nst,model = "imx290"; ! 'nst,board-sensor' is a required property
nodie_board	nst,sensor = <&cam>; nst,model = "imx290"; nst,board-sensor = "zone:cpu-thermal";
owner_nodie	nst,sensor = <&cam>; nst,board-sensor = "zone:cpu-thermal";
depth_no_gpio	nst,sensor = <&cam>; nst,run-gpio-depth = "standby"; ! run-gpios
depth_gpio	nst,sensor = <&cam>; run-gpios = <&gpio 1 0>; nst,run-gpio-depth = "standby";
depth_cleared	nst,sensor = <&cam>; run-gpios = <&gpio 1 0>; nst,run-gpio-depth = "cleared"; ! 'standby' was expected
depth_unknown	nst,sensor = <&cam>; run-gpios = <&gpio 1 0>; nst,run-gpio-depth = "sleep"; ! is not one of
depth_run	nst,sensor = <&cam>; run-gpios = <&gpio 1 0>; nst,run-gpio-depth = "run"; ! is not one of
two_lines	nst,sensor = <&cam>; run-gpios = <&gpio 1 0>, <&gpio 2 0>; ! is too long
supply_alone	nst,sensor = <&cam>; vpu-supply = <&reg>; nst,supply-depth = "standby";
supply_off	nst,sensor = <&cam>; vpu-supply = <&reg>; nst,supply-depth = "off"; ! 'standby' was expected
supply_default	nst,sensor = <&cam>; vpu-supply = <&reg>; ! 'nst,supply-depth' is a required property
supply_none	nst,sensor = <&cam>; nst,supply-depth = "off"; ! vpu-supply
both_standby	nst,sensor = <&cam>; run-gpios = <&gpio 1 0>; vpu-supply = <&reg>; nst,supply-depth = "standby";
both_off	nst,sensor = <&cam>; run-gpios = <&gpio 1 0>; nst,run-gpio-depth = "standby"; vpu-supply = <&reg>;
power		nst,sensor = <&cam>; nst,gate-milliwatt = <50000 100 90 0>;
power_three	nst,sensor = <&cam>; nst,gate-milliwatt = <2500 100 90>; ! is too short
power_five	nst,sensor = <&cam>; nst,gate-milliwatt = <2500 100 90 0 0>; ! is too long
power_huge	nst,sensor = <&cam>; nst,gate-milliwatt = <50001 100 90 0>; ! maximum of 50000
cost_huge	nst,sensor = <&cam>; nst,gate-exit-us = <0 0 0 600000001>; ! maximum of 600000000
cost		nst,sensor = <&cam>; nst,gate-exit-us = <0 0 0 600000000>;
budget_run	nst,sensor = <&cam>; nst,gate-budget = <0 5 0 20>; ! 0 was expected
budget		nst,sensor = <&cam>; nst,gate-budget = <0 0 5 20>;
thermal_zero	nst,sensor = <&cam>; nst,die-package-mk-per-w = <0>; ! minimum of 10
thermal_pair	nst,sensor = <&cam>; nst,die-package-mk-per-w = <5500 5500>; ! is too long
capacity_huge	nst,sensor = <&cam>; nst,die-capacity-uj-per-k = <100000001>; ! maximum of 100000000
below_zero	nst,sensor = <&cam>; nst,ambient-millicelsius = <(-20000)>;
below_all	nst,sensor = <&cam>; nst,ambient-millicelsius = <(-60001)>; ! less than the minimum of 4294907296
ambient_huge	nst,sensor = <&cam>; nst,ambient-millicelsius = <250001>; ! greater than the maximum of 250000
max_huge	nst,sensor = <&cam>; nst,max-millicelsius = <300000>; ! maximum of 250000
max_kelvin	nst,sensor = <&cam>; nst,max-millicelsius = <0>; ! minimum of 1
period_short	nst,sensor = <&cam>; nst,frame-period-us = <999>; ! minimum of 1000
period		nst,sensor = <&cam>; nst,frame-period-us = <33333>; nst,exposure-us = <10000>; nst,readout-us = <0>;
exposure_huge	nst,sensor = <&cam>; nst,exposure-us = <10000001>; ! maximum of 10000000
label_slash	nst,sensor = <&cam>; label = "a/b"; ! does not match
label		nst,sensor = <&cam>; label = "cam-0.left";
unknown_prop	nst,sensor = <&cam>; nst,gate-watt = <1 1 1 1>; ! was unexpected
policy_prop	nst,sensor = <&cam>; nst,high-millicelsius = <80000>; ! was unexpected
cells_wrong	nst,sensor = <&cam>; #thermal-sensor-cells = <0>; ! 1 was expected
cooling_wrong	nst,sensor = <&cam>; #cooling-cells = <1>; ! 2 was expected
mcu_minimal	reg = <0x36>;
mcu_frames	reg = <0x36>; frame-sync-gpios = <&gpio 6 0>;
mcu_line	reg = <0x36>; run-gpios = <&gpio 1 0>; ! False schema does not allow
mcu_supply	reg = <0x36>; vpu-supply = <&reg>; nst,supply-depth = "standby"; ! False schema does not allow
END
{
	echo '/dts-v1/;'
	echo '/ { compatible = "vendor,board"; model = "values";'
	echo '#address-cells = <1>; #size-cells = <0>;'
	echo 'cam: cam {}; bus: bus {}; reg: reg {};'
	echo 'adc: adc { #io-channel-cells = <1>; };'
	echo 'gpio: gpio { gpio-controller; #gpio-cells = <2>; };'
	while read -r word rest; do
		case $word in
		mcu_*) kind=mcu ;;
		*) kind=companion ;;
		esac
		echo "companion-$word { compatible = \"nst,$kind\";"
		case $rest in
		*thermal-sensor-cells*) ;;
		*) echo "#thermal-sensor-cells = <1>;" ;;
		esac
		echo "${rest%% !*} };"
	done < values
	echo '};'
} > values.dts
check "values compile" compile values.dts values.dtb
dt-validate -s schema.json values.dtb > said 2>&1

# Each complaint names its node; one of several alternatives stands in the
# lines below it.
complaints()
{
	awk -v node=": companion-$1: " '/^\// { on = index($0, node) } on' said
}

refused()
{
	complaints "$1" | grep -qe "$2" && return 0
	complaints "$1" | sed 's/^/# /'
	return 1
}

accepted()
{
	! complaints "$1" | grep -v '^	From schema' | sed 's/^/# /' | grep .
}

while read -r word rest; do
	case $rest in
	*" ! "*) check "refused $word" refused "$word" "${rest##* ! }" ;;
	*) check "accepted $word" accepted "$word" ;;
	esac
done < values

# --- schemas and sources say the same ---------------------------------------

# Names of properties in quotes, in what reads them; nst,bus-number is for
# software nodes alone, which have no phandle of a bus.
same_properties()
{
	cat "$top"/kmod/nst-board*.c "$top"/kmod/nst-cci*.c |
		grep -oE '"nst,[a-z0-9-]+"' | tr -d '"' | sort -u |
		grep -vx -e nst,companion -e nst,bus-number > used
	cat "$top"/boards/bindings/thermal/nst-common.yaml \
		"$top/boards/bindings/thermal/nst,companion.yaml" |
		sed -n 's/^  \(nst,[a-z0-9-]*\):$/\1/p' | sort -u > described
	diff used described > out || sed 's/^/# /' out
	[ -s used ] && [ ! -s out ]
}
check "properties that are read and that are described" same_properties

# Rows of the table that are on, in any order.
same_models()
{
	sed '/\.name = NULL/,$d' "$top/kmod/nst-cci-table.c" | tr '\n' ' ' |
		sed 's/\.name = "/\n&/g' |
		sed -n '/\.family = &/{/why_off/!s/^\.name = "\([a-z0-9]*\)".*/\1/p}' |
		sort > rows
	sed -n '/^  nst,model:/,/^  nst,imx500/s/^      - //p' \
		"$top/boards/bindings/thermal/nst,companion.yaml" |
		sort > named
	diff rows named > out || sed 's/^/# /' out
	[ -s rows ] && [ ! -s out ]
}
check "models of the table and of the schema" same_models

cat > prefix.dts << 'END'
/dts-v1/;
/ { compatible = "vendor,board"; model = "prefix"; node { nts,x = <1>; }; };
END
compile prefix.dts prefix.dtb && dt-validate -s schema.json prefix.dtb > said 2>&1
check "a prefix that nobody has is refused" grep -q "nts,x.*does not match" said

# --- overlays -----------------------------------------------------------------

# What the vendor's kernel calls them, for a base of the mainline kernel: an
# overlay that does nothing but name nodes.
cat > vendor.dts << 'END'
/dts-v1/;
/plugin/;
&{/i2c-mux0/i2c@1} { };
/ {
	fragment@8 {
		target-path = "/i2c-mux0/i2c@1";
		i2c_csi_dsi: __overlay__ { };
	};
	fragment@9 {
		target-path = "/i2c-mux0/i2c@0";
		i2c_csi_dsi0: __overlay__ { };
	};
	fragment@10 {
		target-path = "/soc/i2c@7e804000";
		i2c_arm: __overlay__ { };
	};
};
END
compile vendor.dts vendor.dtbo

# overlay FILE BASE [OVERLAY]: apply to BASE, with another one before it
overlay()
{
	compile "$1" own.dtbo || return 1
	_file=$1
	_base=$NST_DTB/$2
	shift 2
	fdtoverlay -i "$_base" -o merged.dtb "$@" own.dtbo 2> out || {
		sed 's/^/# /' out
		return 1
	}
	# only what concerns our nodes: a base has troubles of its own
	dt-validate -s schema.json merged.dtb 2>&1 |
		grep -A 1 -E ': (nst[-_]|companion|cam0die|thermal-mcu)' > out
	sed 's/^/# /' out
	[ ! -s out ]
}

# prop NODE PROPERTY WANT: of the merged tree
prop()
{
	_has=$(fdtget merged.dtb "$1" "$2" 2>&1)
	[ "$_has" = "$3" ] || {
		echo "# $1 $2 is '$_has', not '$3'"
		return 1
	}
}

# The phandle that a property begins with is that of a node.
points()
{
	_at=$(fdtget merged.dtb "$1" "$2" | cut -d' ' -f1)
	[ -n "$_at" ] && [ "$_at" = "$(fdtget merged.dtb "$3" phandle)" ] ||
		{
			echo "# $1 $2 does not point at $3"
			return 1
		}
}

b=$top/boards
rpi=broadcom/bcm2711-rpi-4-b.dtb
check "companion on a Raspberry Pi 4" \
	overlay "$b/raspberrypi/nst-companion-overlay.dts" $rpi vendor.dtbo
check "companion: its bus" \
	points /nst-companion nst,sensor-bus /i2c-mux0/i2c@1
check "companion: its sensor" prop /nst-companion nst,sensor-addr 26
check "IMX500 on a Raspberry Pi 4" \
	overlay "$b/raspberrypi/nst-imx500-overlay.dts" $rpi vendor.dtbo
check "IMX500: its bus" points /nst-imx500 nst,sensor-bus /i2c-mux0/i2c@1
check "IMX500: no pause unless asked for" \
	prop /nst-imx500 nst,imx500-dnn-pause \
	"Error at 'nst,imx500-dnn-pause': FDT_ERR_NOTFOUND"
check "GPIO on a Raspberry Pi 4" \
	overlay "$b/raspberrypi/nst-gpio-overlay.dts" $rpi vendor.dtbo
check "GPIO: its line" points /nst-stack0 run-gpios /soc/gpio@7e200000
# What a parameter turns on, as if somebody had given it. libfdt looks for all
# targets before it merges, so the node is there from a first time.
awake()
{
	compile "$b/raspberrypi/$1-overlay.dts" asleep.dtbo &&
		sed -e 's/__dormant__/__overlay__/' \
		-e "s|target = <&nst_.*>;|target-path = \"/$2\";|" \
		"$b/raspberrypi/$1-overlay.dts" > awake.dts &&
		overlay "$PWD/awake.dts" $rpi vendor.dtbo asleep.dtbo
}
reference=$(sed -n 's/^static.* reference_power_mw\[.*{ \(.*\) };/\1/p' \
	"$top/kmod/nst-board-props.c" | tr -d ,)
for o in gpio:stack0 imx500:imx500; do
	check "${o%:*} with powers" awake "nst-${o%:*}" "nst-${o#*:}"
	check "${o%:*}: they begin as the driver's" \
		prop "/nst-${o#*:}" nst,gate-milliwatt "$reference"
done
check "MCU on a Raspberry Pi 4" \
	overlay "$b/raspberrypi/nst-mcu-overlay.dts" $rpi vendor.dtbo
check "MCU: on the header's bus" \
	prop /soc/i2c@7e804000/thermal-mcu@36 compatible nst,mcu
check "MCU: bus is on" prop /soc/i2c@7e804000 status okay
check "IMX219 on a Raspberry Pi 4, mainline" \
	overlay "$b/raspberrypi,4-model-b/nst-imx219.dtso" $rpi
check "IMX219, mainline: its bus" \
	points /nst-cam0 nst,sensor-bus /i2c-mux0/i2c@1
check "IMX219, mainline: its zone" \
	points /thermal-zones/cam0die-thermal thermal-sensors /nst-cam0
imx8=freescale/imx8mp-venice-gw74xx-imx219.dtb
check "IMX219 with a VPU on a GW74xx" \
	overlay "$b/gateworks,imx8mp-gw74xx/nst-imx219-vpu.dtso" $imx8
check "GW74xx: the sensor is where it points" \
	prop /soc@0/bus@30800000/i2c@30a50000/sensor@10 compatible sony,imx219
check "GW74xx: its bus" points /nst-cam0 nst,sensor-bus \
	/soc@0/bus@30800000/i2c@30a50000
check "GW74xx: its cooling map" \
	points /thermal-zones/cam0die-thermal/cooling-maps/map0 \
	cooling-device /nst-cam0

# "Validating your own" of the README, as it stands there: own MODEL prints what
# it prints of an overlay with that model
own()
(
	rm -rf own && mkdir own && cd own || exit 1
	ln -s "$b" boards
	mkdir -p linux/Documentation
	ln -s "$NST_BINDINGS" linux/Documentation/devicetree
	sed "s/nst,model = \"none\"/nst,model = \"$1\"/" \
		"$b/raspberrypi/nst-gpio-overlay.dts" > own-overlay.dts
	sed -n '/^## Validating your own/,$s/^    //p' "$b/README.md" |
		sed "s|<linux>|linux|; s|<board>.dtb|$NST_DTB/$rpi|" > commands
	grep -q dt-validate commands && sh ./commands 2>&1
)
own_is()
{
	own "$1" > out
	case $2 in
	valid) [ ! -s out ] ;;
	*) grep -q "$2" out ;;
	esac && return 0
	sed 's/^/# /' out
	return 1
}
check "README: an own overlay that is right" own_is none valid
check "README: and one that is not" own_is imx99 "'imx99' is not one of"

# The tree that the user-mode kernel boots with is one of ours, too.
test_board()
{
	compile "$top/tests/dt/board.dts" board.dtb || return 1
	dt-validate -s schema.json board.dtb 2>&1 |
		grep -B 1 'From schema.*/\(nst[-,]\|thermal-\|vendor-\)' > out
	sed 's/^/# /' out
	[ ! -s out ] && dtc -q -I dtb -O dts board.dtb > board.txt &&
		grep -q 'compatible = "nst,companion"' board.txt &&
		grep -q 'compatible = "nst,mcu"' board.txt
}
check "tree of the user-mode kernel" test_board

# Parameters are applied by the boot loader of the Raspberry Pi: here, that
# the table of the README has what the overlay has.
parameters()
{
	compile "$b/raspberrypi/$1-overlay.dts" own.dtbo || return 1
	fdtget -p own.dtbo /__overrides__ | sort > has
	sed -n "s/^| .$1. |[^|]*|//p" "$b/README.md" | tr -d '|`=' |
		tr ' ' '\n' | grep . | sort > told
	diff has told > out || sed 's/^/# /' out
	[ -s has ] && [ ! -s out ]
}
no_critical()
{
	! grep -rnE '"critical"' "$b" --include='*.dts*' --include='*.yaml' |
		grep -v 'none of type' | sed 's/^/# /' | grep .
}
for o in "$b"/raspberrypi/*-overlay.dts; do
	o=${o##*/}
	check "parameters of ${o%-overlay.dts}" parameters "${o%-overlay.dts}"
done
check "no critical trip anywhere" no_critical

echo "1..$n"
[ $failed = 0 ]
