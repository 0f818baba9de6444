#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# qemu.pl ELF STACK_BOTTOM STACK_TOP FAULT_HANDLER: the image in QEMU's
# mps2-an385, as KTAP. All but the first are addresses of symbols.
#
# The serial line carries the tunnel of firmware/mps2-an385/board.h, QMP sets
# the temperature of the TMP105. Nothing is asserted about time: each wait is
# for a state and has a limit of its own.

use strict;
use warnings;
use File::Temp qw(tempdir);
use IO::Select;
use IO::Socket::UNIX;
use JSON::PP;
use POSIX ':sys_wait_h';
use Time::HiRes qw(time sleep);

my ($elf, $stack_bottom, $stack_top, $fault_handler) = @ARGV;
die "usage: qemu.pl ELF STACK_BOTTOM STACK_TOP FAULT_HANDLER\n"
	unless defined $fault_handler;

my $LIMIT = $ENV{FW_LIMIT} || 60;	# seconds for anything
my $ADDRESS = 0x36;
my $dir = tempdir(CLEANUP => 1);

$SIG{PIPE} = 'IGNORE';
# so that END is reached, and QEMU does not stay behind
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP);
$| = 1;

# --- registers, from the header the firmware is made with

my %reg;
(my $here = $0) =~ s{[^/]*$}{};
open(my $h, '<', "${here}../../firmware/abi/nst-regs.h") or die "nst-regs.h: $!\n";
while (<$h>) {
	my ($name, $value) =
		/^#define NST_MCU_(\w+)\s+(0x[0-9a-f]+|\d+)$/ or next;
	$reg{$name} = $value =~ /^0x/ ? oct($value) : $value;
}
close $h;

# --- KTAP

my ($count, $failed, $bad) = (0, 0, 0);

sub fail {
	my ($why) = @_;
	my (undef, undef, $line) = caller(0);
	my $at = $line;
	for my $n (1 .. 4) {
		my @c = caller($n);
		last unless @c;
		$at .= " < $c[2]";
	}
	print "# qemu.pl:$at: $why\n";
	$bad = 1;
}

sub done {
	my ($what) = @_;
	$count++;
	$failed++ if $bad;
	print $bad ? 'not ' : '', "ok $count - $what\n";
	$bad = 0;
}

# --- the machine

my ($pid, $uart, $qmp, $pending);

# QEMU has ended by itself: what were its last words?
sub next_of_kin {
	undef $pid;
	if (open(my $log, '<', "$dir/log")) {
		print "# $_" while <$log>;
	}
	die "QEMU has ended\n";
}

sub connect_to {
	my ($path) = @_;
	my $end = time + $LIMIT;
	while (time < $end) {
		my $s = IO::Socket::UNIX->new(Peer => $path);
		return $s if $s;
		next_of_kin() if waitpid($pid, WNOHANG) == $pid;
		sleep 0.05;
	}
	die "$path: nobody answers\n";
}

sub machine {
	my (@devices) = @_;
	stop_machine();
	unlink "$dir/uart", "$dir/qmp";
	$pid = fork();
	die "fork: $!\n" unless defined $pid;
	if (!$pid) {
		# It has nothing to say but that it was asked to end.
		open(STDOUT, '>', '/dev/null');
		open(STDERR, '>', "$dir/log");
		exec('qemu-system-arm', '-machine', 'mps2-an385', '-accel',
		     'tcg', '-display', 'none', '-nodefaults', '-nic', 'none', '-kernel', $elf,
		     '-serial', "unix:$dir/uart,server=on,wait=off",
		     '-qmp', "unix:$dir/qmp,server=on,wait=off",
		     '-gdb', "unix:$dir/gdb,server=on,wait=off", @devices)
			or die "qemu-system-arm: $!\n";
	}
	$uart = connect_to("$dir/uart");
	$qmp = connect_to("$dir/qmp");
	$pending = '';
	read_line($qmp);		# its greeting
	qmp('qmp_capabilities');
}

sub stop_machine {
	return unless defined $pid;
	kill 'TERM', $pid;
	waitpid($pid, 0);
	undef $pid;
}

END {
	my $status = $?;
	stop_machine();
	$? = $status;
}

sub bytes {
	my ($from, $n) = @_;
	my $end = time + $LIMIT;
	my $got = '';
	while (length($got) < $n) {
		my $left = $end - time;
		return undef if $left <= 0 ||
			!IO::Select->new($from)->can_read($left);
		my $r = sysread($from, my $piece, $n - length($got));
		die "QEMU closed a line\n" unless $r;
		$got .= $piece;
	}
	return $got;
}

sub read_line {
	my ($from) = @_;
	my $end = time + $LIMIT;
	while ($pending !~ /\n/) {
		my $left = $end - time;
		die "no answer by QMP\n" if $left <= 0 ||
			!IO::Select->new($from)->can_read($left);
		die "QEMU closed QMP\n" unless sysread($from, $pending, 65536, length $pending);
	}
	$pending =~ s/^(.*?)\r?\n//;
	return decode_json($1);
}

sub qmp {
	my ($what, %arguments) = @_;
	my $json = encode_json({ execute => $what, arguments => \%arguments });
	syswrite($qmp, "$json\n");
	while (1) {
		my $answer = read_line($qmp);
		return $answer->{return} if exists $answer->{return};
		die "QMP $what: $answer->{error}{desc}\n" if $answer->{error};
	}
}

sub wait_event {
	my ($name) = @_;
	my $end = time + $LIMIT;
	while (time < $end) {
		my $answer = read_line($qmp);
		return 1 if ($answer->{event} // '') eq $name;
	}
	fail("no event $name");
	return 0;
}

# what the LEDs show, which are the run line and the alert line
sub leds {
	my $text = qmp('human-monitor-command',
		       'command-line' => 'xp /1wx 0x40028000');
	die "LEDs: $text\n" unless $text =~ /: 0x([0-9a-f]{8})/;
	return hex $1;
}

# Say where the processor is, and give up.
sub post_mortem {
	my ($why) = @_;
	my $text = qmp('human-monitor-command',
		       'command-line' => 'info registers');
	print "# $_\n" for grep { /R\d\d=|XPSR/ } split(/\r?\n/, $text);
	printf "# LEDs %x\n", leds();
	die "$why\n";
}

# Continue somewhere else, as a processor that runs wild does.
sub jump_to {
	my ($address) = @_;
	my $gdb = connect_to("$dir/gdb");
	# Registers one by one are for who has asked what there are.
	for my $packet ('qXfer:features:read:target.xml:0,10', sprintf('Pf=%s', unpack('H8', pack('V', $address & ~1))),
			'D') {
		my $sum = 0;
		$sum += ord for split(//, $packet);
		syswrite($gdb, sprintf('$%s#%02x', $packet, $sum & 0xff));
		# Why it stopped is told as well, before or after.
		my ($answer, $what) = ('', undef);
		while (!defined $what) {
			my $byte = bytes($gdb, 1);
			die "debugger: '$answer'\n" unless defined $byte;
			$answer .= $byte;
			syswrite($gdb, '+') if $answer =~ /#..$/s;
			$what = $1 if $answer =~ /\$(OK|E..|m.*|)#..$/s;
		}
		die "debugger: '$answer'\n" if $what !~ /^(OK|m)/;
	}
	close $gdb;
}

sub set_mc {
	my ($mc) = @_;
	qmp('qom-set', path => '/machine/peripheral/die',
	    property => 'temperature', value => $mc + 0);
}

# --- transfers

sub pec {
	my $crc = 0;
	for my $byte (@_) {
		$crc ^= $byte;
		$crc = $crc & 0x80 ? ($crc << 1 ^ 0x107) & 0xff : $crc << 1
			for 1 .. 8;
	}
	return $crc;
}

# tunnel(READ, BYTES...): (acknowledged, bytes that came)
sub tunnel {
	my ($read, @write) = @_;
	syswrite($uart, pack('C*', 0xa5, scalar(@write), $read, @write));
	my $head = bytes($uart, 3);
	post_mortem("the image does not answer @write") unless defined $head;
	my ($start, $acked, $n) = unpack('C3', $head);
	die "no answer but $start $acked $n\n" if $start != 0x5a;
	my $data = $n ? bytes($uart, $n) : '';
	return ($acked, unpack('C*', $data));
}

my $W = $ADDRESS << 1;
my $R = $W | 1;

sub number {
	my ($name) = @_;
	return $name if $name =~ /^\d+$/;
	die "no register $name\n" unless defined $reg{"REG_$name"};
	return $reg{"REG_$name"};
}

# a register over the tunnel, or undef and a failure
sub word {
	my ($name) = @_;
	my $n = number($name);
	my ($acked, @in) = tunnel(3, $W, $n);
	if ($acked != 2 || @in != 3) {
		fail("$name: $acked acknowledged, " . @in . ' bytes');
		return undef;
	}
	my $pec = pop @in;
	fail("$name: PEC") if $pec != pec($W, $n, $R, @in);
	return $in[0] << 8 | $in[1];
}

sub block {
	my ($name) = @_;
	my $n = $reg{"BLK_$name"};
	my $words = $reg{"BLK_${name}_WORDS"};
	my ($acked, @in) = tunnel(2 + 2 * $words, $W, $n);
	my $pec = pop @in;
	fail("$name: $acked acknowledged, count $in[0]")
		if $acked != 2 || $in[0] != 2 * $words;
	fail("$name: PEC") if $pec != pec($W, $n, $R, @in);
	shift @in;
	my $at = $reg{"BLK_${name}_FIRST"};
	my %value;
	while (@in) {
		$value{$at++} = shift(@in) << 8 | shift(@in);
	}
	return \%value;
}

# true when the whole write was acknowledged
sub write_word {
	my ($name, $value) = @_;
	my @out = ($W, number($name), $value >> 8, $value & 0xff);
	my ($acked) = tunnel(0, @out, pec(@out));
	return $acked == 5;
}

sub mc {
	my ($raw) = @_;
	return undef if !defined $raw || $raw == 0x8000;
	$raw -= 65536 if $raw & 0x8000;
	return $raw * 1000 / 128;
}

sub raw {
	my ($mc) = @_;
	return int($mc * 128 / 1000 + ($mc < 0 ? -0.5 : 0.5)) & 0xffff;
}

sub near {
	my ($mc, $want) = @_;
	# ten bits, and the part of QEMU cuts off below
	return defined $mc && $mc <= $want + 8 && $mc >= $want - 258;
}

# wait until CODE is true
sub until_true {
	my ($what, $code) = @_;
	my $end = time + $LIMIT;
	while (time < $end) {
		return 1 if $code->();
		return 0 if $bad;
		sleep 0.02;
	}
	fail("$what: not within $LIMIT s");
	return 0;
}

sub gate { return word('GATE_ACTUAL') }
sub has { return (word($_[0]) // 0) & $reg{"$_[0]_$_[1]"} }

# Keep the host heard; it is silent for as long as the tests look elsewhere.
sub govern {
	fail('WATCHDOG_MS refused') unless write_word('WATCHDOG_MS', 60000);
	fail('GATE_REQUEST refused') unless write_word('GATE_REQUEST', $_[0]);
}

# --- the tests

print "KTAP version 1\n1..13\n";

machine('-device', 'tmp105,id=die,address=0x49');
set_mc(26000);

fail('version') unless word('VERSION') == ($reg{VERSION_MAJOR} << 8 | $reg{VERSION_MINOR});
fail('magic') unless word('MAGIC') == $reg{MAGIC_VALUE};
my $id = block('IDENTITY');
my $model = join('', map { pack('n', $id->{$reg{REG_MODEL} + $_}) } 0 .. 7);
fail("model $model") unless $model eq "mps2-an385" . "\0" x 6;
fail('capabilities') unless word('CAPS') ==
	($reg{CAPS_PEC} | $reg{CAPS_STANDBY} | $reg{CAPS_ALERT});
done('boots and says what it is');

until_true('runs', sub { gate() == 0 });
fail('state') if has('STATE', 'PROVING') || has('STATE', 'SENSOR');
fail('power-on bit') unless has('STATUS', 'POWER_ON');
fail('temperature') unless near(mc(word('TEMP0')), 26000);
done('proves its sensor and opens the gate');

for my $t (0, -1000, -250, -25750, -40000, 12340, 30000) {
	set_mc($t);
	until_true("$t", sub { near(mc(word('TEMP0')), $t) });
	my $s = block('SAMPLE');
	fail("channel state at $t")
		unless $s->{$reg{REG_CHANNEL01}} >> 8 == 0;
	fail('torn') unless $s->{$reg{REG_SAMPLE_SEQ}} ==
		$s->{$reg{REG_SAMPLE_SEQ_END}};
	fail("block $t") unless near(mc($s->{$reg{REG_TEMP0}}), $t);
}
done('reads what the sensor has, below zero too');

my $seq = word('SAMPLE_SEQ');
until_true('a new sample', sub { word('SAMPLE_SEQ') != $seq });
my $samples = word('SAMPLES_HI') << 16 | word('SAMPLES_LO');
fail("$samples samples") unless $samples > 5;
done('samples are numbered');

# Steps that a real part would show; the sieve takes the big ones as well,
# one sample later.
set_mc(64000);
until_true('warm', sub { near(mc(word('TEMP0')), 64000) });
fail('gated below the threshold') unless gate() == 0;
set_mc(66000);
until_true('hold', sub { gate() == 1 });
fail('hold bit') unless has('STATE', 'HOLD');
set_mc(50000);
until_true('between', sub { near(mc(word('TEMP0')), 50000) });
fail('opened between the thresholds') unless gate() == 1;
set_mc(44000);
until_true('open', sub { gate() == 0 });
done('holds between its thresholds with no host');

govern(1);
fail('request') unless gate() == 1;
govern(0);
fail('request') unless gate() == 0;
fail('host bit') unless has('STATE', 'HOST');
set_mc(70000);
until_true('warm', sub { near(mc(word('TEMP0')), 70000) });
fail('the host does not govern') unless gate() == 0;
set_mc(86000);
until_true('ceiling', sub { gate() == 1 });
fail('ceiling bits') unless has('STATE', 'CEILING') && has('STATUS', 'CEILING');
fail('taken') unless write_word('GATE_REQUEST', 0);
fail('the host is stronger than the ceiling') unless gate() == 1;
set_mc(80000);
until_true('open', sub { gate() == 0 });
done('a host governs below the ceiling');

fail('watchdog') unless write_word('WATCHDOG_MS', 100);
# silence, until it has to have been noticed; reading is a sign of life
my $end = time + $LIMIT;
do {
	sleep 0.5;
} until (time > $end || !has('STATE', 'HOST'));
fail('still governs') if has('STATE', 'HOST');
fail('watchdog bit') unless has('STATUS', 'WATCHDOG');
until_true('hold', sub { gate() == 1 });
set_mc(40000);
until_true('open', sub { gate() == 0 });
done('a silent host hands over to the hold');

# the highest that the part can say is a bound and no temperature
set_mc(127900);
until_true('rail', sub { gate() == 1 });
until_true('bound', sub { word('CHANNEL01') >> 8 == $reg{CHANNEL01_AT_LEAST} });
set_mc(40000);
until_true('open', sub { gate() == 0 });
done('a rail is a bound and gates');

my @limits = ($W, $reg{BLK_LIMITS}, 6, map { $_ >> 8, $_ & 0xff }
	      raw(60000), raw(30000), raw(70000));
my ($acked) = tunnel(0, @limits, pec(@limits) ^ 1);
fail("wrong PEC: $acked acknowledged") unless $acked == 9;
fail('changed') unless word('THRESH_HIGH') == raw(65000);
($acked) = tunnel(0, @limits);
fail('changed') unless word('THRESH_HIGH') == raw(65000);
($acked) = tunnel(0, @limits, pec(@limits));
fail("right PEC: $acked acknowledged") unless $acked == 10;
my $l = block('LIMITS');
fail('limits') unless $l->{$reg{REG_THRESH_HIGH}} == raw(60000) &&
	$l->{$reg{REG_THRESH_LOW}} == raw(30000) &&
	$l->{$reg{REG_CEILING}} == raw(70000);
my $errors = word('PEC_ERRORS_LO');
fail("$errors PEC errors") unless $errors == 2;
fail('STATUS') unless has('STATUS', 'PEC');
fail('W1C') unless write_word('STATUS', $reg{STATUS_PEC});
fail('STATUS') if has('STATUS', 'PEC');
fail('gate 9 was taken') if write_word('GATE_REQUEST', 9);
($acked) = tunnel(3, 0x6e, 0);
fail('another address was acknowledged') unless $acked == 0;
($acked) = tunnel(3, $W, 0xbf);
fail('register 0xbf was acknowledged') unless $acked == 1;
done('transfers that are wrong change nothing');

# Bytes that are no request, then one that stops in the middle.
srand(1);
for (1 .. 50) {
	my @junk = map { int(rand(256)) } 1 .. 20;
	@junk = map { $_ == 0xa5 ? 0 : $_ } @junk;
	syswrite($uart, pack('C*', @junk));
}
fail('after junk') unless word('MAGIC') == $reg{MAGIC_VALUE};
syswrite($uart, pack('C*', 0xa5, 41, 0, 0xa5, 2, 41));
fail('after impossible lengths') unless word('MAGIC') == $reg{MAGIC_VALUE};
syswrite($uart, pack('C*', 0xa5, 10, 0, 1, 2, 3));
sleep 3;
fail('after half a request') unless word('MAGIC') == $reg{MAGIC_VALUE};
fail('limits') unless word('CEILING') == raw(70000);
done('the serial line recovers from junk');

# All of the stack that was ever touched, in the deepest paths above.
my $file = "$dir/stack";
qmp('pmemsave', val => oct($stack_bottom), size => oct($stack_top) -
    oct($stack_bottom), filename => $file);
open(my $mem, '<:raw', $file) or die "stack: $!\n";
my $image = do { local $/; <$mem> };
close $mem;
my $free = 0;
$free += 4 while substr($image, $free, 4) eq "\xa5\xa5\xa5\xa5";
my $used = length($image) - $free;
my $static = oct($stack_bottom) - 0x20000000;
my $ram = $static + $used;
fail("the paint is gone: $free left") if $free < 256;
fail('the stack was not used') if $used < 64;
fail("$ram bytes of RAM, 4096 there are") if $ram > 4096;
print "# figure: firmware: $ram of 4096 bytes RAM: $static static," .
      " $used stack\n";
done('RAM with the stack that was used');

until_true('runs', sub { gate() == 0 });
fail('run line') unless leds() & 1;
fail('STATUS') unless write_word('STATUS', $reg{STATUS_POWER_ON});
jump_to(oct($fault_handler));
until_true('run line', sub { !(leds() & 1) });
if (wait_event('RESET')) {
	set_mc(40000);
	fail('no power-on') unless has('STATUS', 'POWER_ON');
	fail('limits survived') unless word('CEILING') == raw(85000);
	until_true('runs', sub { gate() == 0 });
	fail('run line') unless leds() & 1;
}
done('a fault stops the VPU, the watchdog starts anew');

machine();
until_true('told', sub { has('STATE', 'SENSOR') });
fail('temperature without a sensor') unless word('TEMP0') == 0x8000;
fail('state of the channel')
	unless word('CHANNEL01') >> 8 == $reg{CHANNEL01_GONE};
fail('never proven') unless has('STATE', 'PROVING');
govern(0);
fail('the VPU runs without a sensor') unless gate() == 1;
fail('fault') unless word('FAULT') == $reg{CHANNEL01_GONE};
done('no sensor: it stays gated and is not cold');

stop_machine();
exit($failed ? 1 : 0);
