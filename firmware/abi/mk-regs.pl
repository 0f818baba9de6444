#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# mk-regs.pl [--check]: make nst-regs.h and registers.rst of registers.def,
# beside it. With --check nothing is written; exit status 1 when one of the
# two is not what it would write. What contradicts itself in registers.def is
# an error with its line.

use strict;
use warnings;

(my $dir = $0) =~ s{[^/]*$}{};
$dir = './' if $dir eq '';
my $check = @ARGV && $ARGV[0] eq '--check';

my ($major, $minor);
my (@item, %word, %owner, %kind, %command, %defined);

sub bad {
	die "registers.def:$.: @_\n";
}

sub number {
	my ($text) = @_;
	bad("'$text' is not a number") unless $text =~ /^(0x[0-9a-f]+|\d+)$/;
	return oct($text) if $text =~ /^0x/;
	return $text;
}

sub one_of {
	my ($what, $text, @may) = @_;
	$text = '' unless defined $text;
	bad("$what '$text' is none of @may") unless grep { $_ eq $text } @may;
	return $text;
}

sub take {
	my ($addr, $name) = @_;
	bad(sprintf('0x%02x is no register, those end at 0xbf', $addr))
		if $addr > 0xbf;
	bad(sprintf('0x%02x is %s already', $addr, $word{$addr}))
		if defined $word{$addr};
	$word{$addr} = $name;
}

sub define {
	my ($name) = @_;
	bad("$name is there already") if $defined{$name}++;
	return $name;
}

my @access = qw(ro rw w1c bw);
my @kinds = qw(u16 s16 temp mw mk ms us bits enum count);

open(my $in, '<', "${dir}registers.def") or die "registers.def: $!\n";
while (<$in>) {
	chomp;
	next if /^\s*(#|$)/;
	my ($what, $rest) = split(/\s+/, $_, 2);
	if ($what eq 'version') {
		($major, $minor) = map { number($_) } split(/\s+/, $rest);
	} elsif ($what eq 'group') {
		push @item, { what => 'group', text => $rest };
	} elsif ($what eq 'word' || $what eq 'long') {
		my ($addr, $name, $access, $kind, $text) = split(/\s+/, $rest, 5);
		$addr = number($addr);
		one_of('access', $access, @access);
		one_of('kind', $kind, @kinds);
		define($name);
		take($addr, $name);
		take($addr + 1, $name) if $what eq 'long';
		$owner{$addr} = { access => $access };
		$owner{$addr + 1} = { access => $access } if $what eq 'long';
		$kind{$name} = $kind;
		push @item, { what => $what, addr => $addr, name => $name,
			      access => $access, kind => $kind, text => $text };
	} elsif ($what eq 'text') {
		my ($addr, $name, $words, $text) = split(/\s+/, $rest, 4);
		$addr = number($addr);
		define($name);
		for my $i (0 .. $words - 1) {
			take($addr + $i, $name);
			$owner{$addr + $i} = { access => 'ro' };
		}
		push @item, { what => 'text', addr => $addr, name => $name,
			      words => $words, access => 'ro', kind => 'text',
			      text => $text };
	} elsif ($what eq 'bit' || $what eq 'value') {
		my ($reg, $name, $n, $text) = split(/\s+/, $rest, 4);
		bad("$reg is not known yet") unless defined $kind{$reg};
		define("$reg.$name");
		$n = number($n);
		bad("bit $n of 16") if $what eq 'bit' && $n > 15;
		push @item, { what => $what, reg => $reg, name => $name,
			      n => $n, text => $text };
	} elsif ($what eq 'block') {
		my ($cmd, $name, $first, $last, $min, $access, $text) =
			split(/\s+/, $rest, 7);
		($cmd, $first, $last) = map { number($_) } $cmd, $first, $last;
		define("block $name");
		bad(sprintf('0x%02x is no block, those begin at 0xc0', $cmd))
			if $cmd < 0xc0 || $cmd > 0xff;
		bad(sprintf('0x%02x is %s already', $cmd, $command{$cmd}))
			if defined $command{$cmd};
		$command{$cmd} = $name;
		one_of('access', $access, 'ro', 'rw');
		my $words = $last - $first + 1;
		bad("$words registers do not fit 32 bytes")
			if $words < 1 || $words > 16;
		bad("at least $min of $words") if $min < 1 || $min > $words;
		for my $addr ($first .. $last) {
			bad(sprintf('no register 0x%02x', $addr))
				unless defined $word{$addr};
			bad("$word{$addr} cannot be written")
				if $access eq 'rw' &&
				   $owner{$addr}{access} !~ /^(rw|bw)$/;
		}
		push @item, { what => 'block', cmd => $cmd, name => $name,
			      first => $first, words => $words, min => $min,
			      access => $access, text => $text };
	} else {
		bad("'$what' is none of version, group, word, long, text," .
		    " bit, value, block");
	}
}
close $in;
die "registers.def: no version\n" unless defined $minor;

# a define, its value in a column
sub line {
	my ($name, $value) = @_;
	my $tabs = int((40 - length("#define $name") + 7) / 8);
	return "#define $name" . "\t" x ($tabs > 0 ? $tabs : 1) . "$value\n";
}

sub hex2 { return sprintf('0x%02x', $_[0]) }

my $h = <<'END';
/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nst-regs.h - register map of the management MCU
 *
 * Made from registers.def by mk-regs.pl: change that. registers.rst says
 * what the registers mean, nst-wire.h how numbers are carried.
 *
 * Of 32 bits the high half is read first, each time: what is held for the low
 * half does not expire.
 */
#ifndef NST_REGS_H
#define NST_REGS_H

END
$h .= line('NST_MCU_VERSION_MAJOR', $major);
$h .= line('NST_MCU_VERSION_MINOR', $minor);
$h .= line('NST_MCU_MAGIC_VALUE', '0x4e53');
$h .= "\n/* Commands below this are registers, from it on blocks. */\n";
$h .= line('NST_MCU_BLOCKS_BEGIN', '0xc0');
my $rows = '';
my $blocks = '';
my $names = '';
for my $i (@item) {
	my $n = $i->{name};
	if ($i->{what} eq 'group') {
		$h .= "\n/* $i->{text} */\n";
	} elsif ($i->{what} eq 'word') {
		$h .= line("NST_MCU_REG_$n", hex2($i->{addr}));
		$rows .= sprintf("\tX(%s, %s, %s, %s) \\\n", $n, hex2($i->{addr}),
			uc $i->{access}, uc $i->{kind});
	} elsif ($i->{what} eq 'long') {
		$h .= line("NST_MCU_REG_${n}_HI", hex2($i->{addr}));
		$h .= line("NST_MCU_REG_${n}_LO", hex2($i->{addr} + 1));
		$rows .= sprintf("\tX(%s_HI, %s, %s, HIGH) \\\n", $n,
			hex2($i->{addr}), uc $i->{access});
		$rows .= sprintf("\tX(%s_LO, %s, %s, LOW) \\\n", $n,
			hex2($i->{addr} + 1), uc $i->{access});
	} elsif ($i->{what} eq 'text') {
		$h .= line("NST_MCU_REG_$n", hex2($i->{addr}));
		$h .= line("NST_MCU_${n}_WORDS", $i->{words});
		$rows .= sprintf("\tX(%s_%d, %s, RO, TEXT) \\\n", $n, $_,
			hex2($i->{addr} + $_)) for 0 .. $i->{words} - 1;
	} elsif ($i->{what} eq 'bit') {
		$h .= line("NST_MCU_$i->{reg}_$n",
			sprintf('0x%04x', 1 << $i->{n}));
		$names .= sprintf("\tX(%s, %s, 0x%04x) \\\n", $i->{reg}, $n,
			1 << $i->{n});
	} elsif ($i->{what} eq 'value') {
		$h .= line("NST_MCU_$i->{reg}_$n",
			$i->{n} > 9 ? hex2($i->{n}) : $i->{n});
		$names .= sprintf("\tX(%s, %s, %s) \\\n", $i->{reg}, $n,
			$i->{n} > 9 ? hex2($i->{n}) : $i->{n});
	} elsif ($i->{what} eq 'block') {
		$h .= line("NST_MCU_BLK_$n", hex2($i->{cmd}));
		$h .= line("NST_MCU_BLK_${n}_FIRST", hex2($i->{first}));
		$h .= line("NST_MCU_BLK_${n}_WORDS", $i->{words});
		$h .= line("NST_MCU_BLK_${n}_MIN", $i->{min});
		$blocks .= sprintf("\tX(%s, %s, %s, %d, %d, %s) \\\n", $n,
			hex2($i->{cmd}), hex2($i->{first}), $i->{words},
			$i->{min}, uc $i->{access});
	}
}
s/ \\\n$/\n/ for $rows, $blocks, $names;
$h .= <<"END";

/*
 * All of them, for tables: X(name, address, access, kind), access RO, RW, W1C
 * or BW, kind U16 S16 TEMP MW MK MS US BITS ENUM COUNT TEXT, or HIGH and LOW
 * for the halves of 32 bits.
 */
#define NST_MCU_REGISTERS(X) \\
$rows
/* X(name, command, first register, registers, least of a write, access) */
#define NST_MCU_BLOCKS(X) \\
$blocks
/* X(register, name, value) of bits, as masks, and of values */
#define NST_MCU_NAMES(X) \\
$names
#endif /* NST_REGS_H */
END

# --- the document

my %unit = (u16 => '', s16 => '', temp => '1/128 degC', mw => 'mW', mk => 'mK',
	    ms => 'ms', us => 'us', bits => 'bits', enum => 'value',
	    count => '', text => 'ASCII');

sub rows {
	my ($head, @row) = @_;
	my $out = ".. list-table::\n   :header-rows: 1\n\n";
	for my $r ($head, @row) {
		my $first = 1;
		for my $cell (@$r) {
			$out .= ($first ? '   * - ' : '     - ') . $cell . "\n";
			$first = 0;
		}
	}
	$out =~ s/ +$//mg;
	return "$out\n";
}

my $d = <<"END";
.. SPDX-License-Identifier: GPL-2.0-only OR MIT
.. Made from registers.def by mk-regs.pl: change that.

=====================================
Registers of the management MCU ($major.$minor)
=====================================

Transfers are SMBus: a command byte names a register (below 0xc0: Read Word,
Write Word) or a block (from 0xc0: Block Read, Block Write). A register has 16
bits and travels high byte first, unlike the words of SMBus, which is what
``i2c_smbus_read_word_swapped()`` expects. The 7-bit address is 0x36 unless the
board says otherwise.

**PEC.** With CAPS.PEC a CRC-8 (x^8 + x^2 + x + 1) over the whole transfer,
addresses included, ends each one. A write whose PEC is wrong or missing
changes nothing. A read gives the PEC to a host that clocks one byte more; one
that does not is served too, so that CAPS can be read before anything is known.

**Refused** is a transfer that the MCU does not take: the byte that makes it
impossible is not acknowledged (the command byte for a register that is not
there, the last byte for a wrong value or PEC), STATUS and LAST_ERROR say why,
a counter counts. Nothing is ever taken in half: a write takes effect at its
stop condition, whole, or not at all.

**32 bits** are two registers. Reading the high half by a word holds the low
half as it was then; reading that low half gives what was held, as often as it
is read, until another high half is. That has no age: a low half which is read
without its high half may be of any time before. Read the high half first, each
time, or a block, which gives both of one instant.

**Temperatures** are signed, in 1/128 degC; 0x8000 is no temperature. A channel
that is not VALID has none. A dead sensor never reads as a cold one.

**Versions.** A minor version adds registers, bits and ends of blocks and
changes nothing that was there. A host takes as much of a block as it knows; of
an older MCU it gets less than it knows. A host of a minor version of its own
or newer may write a block up to its own end only if the MCU's version has it,
an older host ends its block earlier and the rest stays as it is.

**Governing.** The MCU gates by itself, strictest first: no trusted
temperature; the ceiling; a capture under way; then the host's GATE_REQUEST
while the host is heard. When it falls silent the gate is the deeper of its
last request and the MCU's own hold between THRESH_LOW and THRESH_HIGH, until
GATE_REQUEST is written again.
END
my (@table, @detail, $group);
sub flush_group {
	return unless defined $group;
	$d .= "\n$group\n" . '-' x length($group) . "\n\n";
	$d .= rows(['Address', 'Name', 'Access', 'Unit', 'Meaning'], @table);
	for my $x (@detail) {
		$d .= "$x->[0]:\n\n" . rows([$x->[1], 'Name', 'Meaning'],
					   @{$x->[2]});
	}
	(@table, @detail) = ();
}
for my $i (@item) {
	my $text = defined $i->{text} ? $i->{text} : '';
	if ($i->{what} eq 'group') {
		flush_group();
		$group = $i->{text};
	} elsif ($i->{what} =~ /^(word|long|text)$/) {
		my $last = $i->{addr} + ($i->{what} eq 'word' ? 0 :
			$i->{what} eq 'long' ? 1 : $i->{words} - 1);
		push @table, [hex2($i->{addr}) . ($last > $i->{addr} ?
			'..' . hex2($last) : ''), $i->{name}, $i->{access},
			$unit{$i->{kind}}, $text];
	} elsif ($i->{what} eq 'block') {
		push @table, [hex2($i->{cmd}), "block $i->{name}", $i->{access},
			'', sprintf('%s to %s. %s', hex2($i->{first}),
			hex2($i->{first} + $i->{words} - 1), $text)];
	} else {
		push @detail, [$i->{reg}, $i->{what} eq 'bit' ? 'Bit' : 'Value',
			       []] if !@detail || $detail[-1][0] ne $i->{reg};
		push @{$detail[-1][2]}, [$i->{what} eq 'bit' || $i->{n} < 10 ?
			$i->{n} : hex2($i->{n}), $i->{name}, $text];
	}
}
flush_group();
$d =~ s/\n+$/\n/;

my $bad = 0;
for my $f (['nst-regs.h', $h], ['registers.rst', $d]) {
	my ($name, $text) = @$f;
	if ($check) {
		my $has = '';
		if (open(my $old, '<', "$dir$name")) {
			local $/;
			$has = <$old>;
			close $old;
		}
		next if $has eq $text;
		print "firmware/abi/$name is not what mk-regs.pl makes of" .
		      " registers.def\n";
		$bad = 1;
		next;
	}
	open(my $out, '>', "$dir$name") or die "$name: $!\n";
	print $out $text;
	close $out or die "$name: $!\n";
}
exit $bad;
