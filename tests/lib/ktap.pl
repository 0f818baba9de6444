#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# ktap.pl [-v] NAME TALLY COMMAND [ARGUMENT...]
#
# Run COMMAND, which prints KTAP, show what matters as it comes, and append one
# line "NAME passed failed skipped seconds" to the file TALLY.
#
# Results nest by indentation: a result whose subtests were seen is their sum
# and not counted again, unless it fails although none of them did. What counts
# as one failure more: no plan, or a number of results other than the plan's,
# on any level; a "Bail out!"; a non-zero exit of COMMAND that no result tells
# of; no result at all. "1..0 # SKIP why" is one skipped test. KUnit's subtests
# for the values of a parameter, which begin with "# Subtest:", need no plan.
#
# "# again: WHY" takes back what was counted since the last result on its level:
# the same test follows once more. WHY is shown, and kept in TALLY.again.
#
# Shown: failing results with the diagnostics before them, the sums of the two
# outermost levels and of the whole. -v shows everything.

use strict;
use warnings;

$| = 1;
my $verbose = @ARGV && $ARGV[0] eq '-v' ? shift : '';
my ($name, $tally, @command) = @ARGV;
die "usage: ktap.pl [-v] NAME TALLY COMMAND...\n" unless @command;

my ($pass, $fail, $skip) = (0, 0, 0);
my @level;		# open levels, outermost first: {indent plan seen bad}
my @recent;		# diagnostics since the last result
my $began = time;

sub trouble {
	my ($why) = @_;
	$fail++;
	print "  not ok: $name: $why\n";
}

# close levels deeper than $indent; returns what they held
sub close_to {
	my ($indent) = @_;
	my ($results, $bad) = (0, 0);
	while (@level && $level[-1]{indent} > $indent) {
		my $l = pop @level;
		my $where = $l->{last} ? "after '$l->{last}'" : 'at the start';
		if (!defined $l->{plan} && $l->{header} && @level) {
			# KUnit gives no plan for the values of a parameter
		} elsif (!defined $l->{plan}) {
			trouble("no plan ($where)");
			$l->{bad}++;
		} elsif ($l->{plan} != $l->{seen}) {
			trouble("planned $l->{plan}, ran $l->{seen} ($where)");
			$l->{bad}++;
		}
		$results += $l->{seen} + $l->{skipall};
		$bad += $l->{bad};
		$level[-1]{bad} += $l->{bad} if @level;
	}
	return ($results, $bad);
}

sub level_at {
	my ($indent) = @_;
	if (!@level || $level[-1]{indent} < $indent) {
		push @level, { indent => $indent, plan => undef, seen => 0,
			       bad => 0, last => '', skipall => 0,
			       pass0 => $pass, fail0 => $fail,
			       skip0 => $skip, time0 => time };
	}
	return $level[-1];
}

my $pid = open(my $in, '-|') // die "cannot fork: $!\n";
if (!$pid) {
	open(STDERR, '>&', \*STDOUT) or die;
	exec { $command[0] } @command or die "cannot run $command[0]: $!\n";
}

while (my $line = <$in>) {
	chomp $line;
	$line =~ s/\r$//;
	print "    $line\n" if $verbose;
	$line =~ s/^(<\d>)?\[\s*\d+\.\d+\]\s?//;	# a kernel's time
	my ($space, $text) = $line =~ /^(\s*)(.*)$/;
	my $indent = length($space =~ s/\t/        /gr);

	if ($text =~ /^K?TAP version \d+$/) {
		close_to($indent - 1) if @level && $level[-1]{indent} > $indent;
		# a second stream on the same level goes on with the first
		level_at($indent);
	} elsif ($text =~ /^1\.\.(\d+)(.*)$/) {
		my ($n, $rest) = ($1, $2);
		my $l = level_at($indent);
		if (defined $l->{plan}) {
			$l->{plan} += $n;
		} else {
			$l->{plan} = $n;
		}
		if ($n == 0 && $rest =~ /#\s*SKIP\s*(.*)/i) {
			$skip++;
			$l->{skipall} = 1;
			print "  skipped: $name: $1\n";
		}
	} elsif ($text =~ /^(not )?ok\b\s*(\d*)\s*(?:-\s*)?(.*)$/) {
		my ($bad, $number, $what) = ($1 ? 1 : 0, $2, $3);
		my ($sub, $subbad) = close_to($indent);
		my $l = level_at($indent);
		$l->{seen}++;
		trouble("result $number where $l->{seen} was due ($what)")
			if $number ne '' && $number != $l->{seen};
		$l->{last} = $what;
		my $todo = '';
		my $skipped = $what =~ s/\s*#\s*SKIP\b\s*(.*)$//i ? ($1 || 'yes') : '';
		if ($sub && !($bad && !$subbad)) {
			# the sum of what was counted
		} elsif ($bad) {
			$fail++;
			$l->{bad}++;
		} elsif ($skipped) {
			$skip++;
		} else {
			$pass++;
		}
		if ($bad) {
			unless ($verbose) {
				print "    $_\n" for @recent;
			}
			print "  not ok: $name: $what\n";
		} elsif ($skipped) {
			print "  skipped: $name: $what ($skipped)\n";
		}
		if ($sub && @level <= 2) {
			my $f = $fail - $l->{fail0};
			printf "  %s %-40s %4d passed%s  %d s\n",
				$f || $bad ? 'NOT OK' : 'ok    ', $what,
				$pass - $l->{pass0}, $f ? ", $f failed" : '',
				time - $l->{time0};
		}
		@$l{qw(pass0 fail0 skip0 time0)} = ($pass, $fail, $skip, time);
		@recent = ();
	} elsif ($text =~ /^# again: (.*)/) {
		my $why = $1;
		pop @level while @level && $level[-1]{indent} > $indent;
		my $l = level_at($indent);
		($pass, $fail, $skip) = @$l{qw(pass0 fail0 skip0)};
		# what it said may be all there is to know
		print "    $_\n" for @recent;
		@recent = ();
		print "  AGAIN  $name: $why\n";
		open(my $again, '>>', "$tally.again") or die "$tally: $!\n";
		print $again "$name: $why\n";
		close $again;
	} elsif ($text =~ /^Bail out!\s*(.*)$/) {
		trouble("bail out: $1");
	} elsif ($text ne '') {
		# a subtest's header names it, nothing else
		if ($text =~ /^# Subtest:/) {
			level_at($indent)->{header} = 1;
			next;
		}
		push @recent, $line;
		shift @recent if @recent > 40;
		if ($text =~ /^# figure: (.*)/) {
			print "  $1\n";
		}
	}
}
close_to(-1);
close $in;
my $rc = $? & 127 ? 128 + ($? & 127) : $? >> 8;

if ($rc && !$fail) {
	unless ($verbose) {
		print "    $_\n" for @recent;
	}
	trouble("exit status $rc");
}
if ($pass + $fail + $skip == 0) {
	unless ($verbose) {
		print "    $_\n" for @recent;
	}
	trouble('no test ran');
}

printf "  %s %-40s %4d passed%s%s  %d s\n", $fail ? 'NOT OK' : 'ok    ', "$name:",
	$pass, $fail ? ", $fail failed" : '', $skip ? ", $skip skipped" : '',
	time - $began;
open(my $out, '>>', $tally) or die "$tally: $!\n";
my $took = time - $began;
print $out "$name $pass $fail $skip $took\n";
close $out;
exit($fail ? 1 : 0);
