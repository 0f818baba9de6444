#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# abi.pl: what kmod/*.c shows to users and what kmod/doc/ABI says of it are the
# same set, with the same access. Each thing that is in one and not in the
# other is a line; exit status 1 when there is one.
#
# Read from the sources: sysfs attributes of the class (DEVICE_ATTR_*, __ATTR,
# names in arrays of gate files), module parameters, configfs attributes
# (CONFIGFS_ATTR and macros that use it), debugfs files, hwmon attributes.

use strict;
use warnings;
use File::Basename;

chdir(dirname($0) . '/../..') or die;

my (%code, %abi, $bad);

sub complain { print "@_\n"; $bad = 1; }

# has WHERE SURFACE NAME ACCESS: "-" is an access that is not told
sub has {
	my ($where, $surface, $name, $access) = @_;
	$code{"$surface $name"} = { where => $where, access => $access };
}

sub access_of {
	my ($mode) = @_;
	return $mode =~ /^0[0-7]*[2367][0-7]{2}$/
		? ($mode =~ /^0[0-7]*[4567][0-7]{2}$/ ? 'RW' : 'WO') : 'RO';
}

# --- sources --------------------------------------------------------------

for my $file (sort glob 'kmod/*.c') {
	open(my $in, '<', $file) or die "$file: $!";
	my $text = do { local $/; <$in> };
	close $in;
	my $base = basename($file, '.c');
	my $module = $base =~ /^(nst-(sim|cci|mcu))/ ? $1 : 'nst';
	(my $mod = $module) =~ tr/-/_/;
	$text =~ s{/\*.*?\*/}{}gs;

	has($file, 'class', $2, $1)
		while $text =~ /\bDEVICE_ATTR_(RO|RW|WO)\((\w+)\)/g;
	has($file, 'class', $1, access_of($2))
		while $text =~ /\b__ATTR\((\w+),\s*(0\d+)/g;
	has($file, 'class', $1, access_of($2))
		while $text =~ /\.attr = \{\s*\.name = "(\w+)", \.mode = (0\d+)/g;
	if ($text =~ /gate_group_names\[\w+\] = \{(.*?)\};/s) {
		my @groups = $1 =~ /"(\w+)"/g;
		$text =~ /gate_file_names\[\w+\] = \{(.*?)\};/s or die;
		for my $name ($1 =~ /"(\w+)"/g) {
			has($file, 'class', "$_/$name",
			    $name eq 'budget' ? 'RW' : 'RO') for @groups;
		}
	}
	has($file, 'parameter', "$mod/$1", access_of($2))
		while $text =~ /^module_param\((\w+),\s*\w+,\s*(0\d+)\)/mg;
	has($file, 'parameter', "$mod/$1", access_of($2))
		while $text =~ /^module_param_cb\((\w+),[^;]*?,\s*(0\d+)\)/mg;
	has($file, 'parameter', "$mod/$1", access_of($2))
		while $text =~ /^module_param_(?:named|array)\((\w+),[^;]*?(0\d+)\)/mg;

	# a macro that makes an attribute, and what it is used for
	while ($text =~ /^#define (\w+)\(_name\b((?:[^\n]*\\\n)+[^\n]*)/mg) {
		my ($macro, $body) = ($1, $2);
		next unless $body =~ /CONFIGFS_ATTR(_RO|_WO)?\(\w+, _name\)/;
		my $access = $1 ? substr($1, 1) : 'RW';
		# in list context: the loop above keeps its place in $text
		has($file, "configfs $module", $_, $access)
			for (my $copy = $text) =~ /^\Q$macro\E\((\w+)/mg;
	}
	(my $plain = $text) =~ s/^#define (?:[^\n]*\\\n)*[^\n]*//mg;
	has($file, "configfs $module", $2, $1 ? substr($1, 1) : 'RW')
		while $plain =~ /\bCONFIGFS_ATTR(_RO|_WO)?\(\w+,\s*(\w+)\)/g;

	has($file, "debugfs $module", $2, access_of($3)) while $text =~
		/\bdebugfs_create_(\w+)\(\s*"(\w+)",\s*(0\d+)/g;

	while ($text =~ /\bHWMON_([TP])_(\w+)/g) {
		my ($kind, $what) = ($1 eq 'T' ? 'temp' : 'power', lc $2);
		has($file, 'hwmon', "${kind}_$what", 'RO');
	}
}

# --- ABI files ------------------------------------------------------------


for my $file (sort glob 'kmod/doc/ABI/*/*') {
	open(my $in, '<', $file) or die "$file: $!";
	my $text = do { local $/; <$in> };
	close $in;
	for my $entry (split /\n(?=What:)/, $text) {
		my ($what) = $entry =~ /^What:\s+(\S+)$/m;
		if (!defined $what) {
			complain("$file: an entry without What");
			next;
		}
		for my $field ('Date', 'KernelVersion', 'Contact') {
			complain("$file: $what: no $field") unless
				$entry =~ /^$field:\t+\S/m;
		}
		complain("$file: $what: no Description") unless
			$entry =~ /^Description:\n\t\t\S/m;
		my ($access) = $entry =~ /^\t\tAccess: (.+)$/m;
		my ($surface, $name);
		if ($what =~ m{^/sys/class/nst/nst<N>/(.+)$}) {
			($surface, $name) = ('class', $1);
		} elsif ($what =~ m{^/sys/module/(\w+)/parameters/(\w+)$}) {
			($surface, $name) = ('parameter', "$1/$2");
		} elsif ($what =~ m{^/sys/kernel/config/(nst-\w+)/<name>/(\w+)$}) {
			($surface, $name) = ("configfs $1", $2);
		} elsif ($what =~ m{^/sys/kernel/debug/(nst-\w+)/(?:<name>/)?(\w+)$}) {
			($surface, $name) = ("debugfs $1", $2);
		} elsif ($what =~ m{^/sys/class/hwmon/hwmon<X>/(temp|power)[^_]*_(\w+)$}) {
			($surface, $name) = ('hwmon', "$1_$2");
		} else {
			next;	# a directory, a device, the kernel's own
		}
		complain("$file: $what: twice") if $abi{"$surface $name"};
		$abi{"$surface $name"} = { where => $file, access => $access };
	}
}

# The path of an attribute of a group is known to the ABI file alone.
my %leaf;
for (keys %abi) {
	$leaf{"class $2"} = $_ if m{^class (policy|stats)/(\w+)$};
}

# --- the two --------------------------------------------------------------

my %told;
for my $key (sort keys %code) {
	my $where = $code{$key}{where};
	my $entry = $abi{$key} ? $key : $leaf{$key};
	if (!$entry) {
		complain("$where: $key: no entry in kmod/doc/ABI");
		next;
	}
	$told{$entry} = 1;
	my ($is, $says) = ($code{$key}{access}, $abi{$entry}{access});
	next unless defined $says;
	complain("$abi{$entry}{where}: $entry: access is $is, not $says")
		unless $says eq $is || ($is eq 'RW' && $says eq 'RO or RW');
}
for my $key (sort keys %abi) {
	complain("$abi{$key}{where}: $key: not in kmod/*.c")
		unless $told{$key};
}
for my $surface ('class', 'parameter', 'configfs', 'debugfs', 'hwmon') {
	my $count = grep { /^$surface / } keys %code;
	print "# $surface: $count\n" if $ENV{V};
	complain("nothing found for $surface: this script is out of date")
		unless $count;
}
exit($bad ? 1 : 0);
