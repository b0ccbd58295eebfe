# Writes the faults of a list into a copy of the sources: mutations.pl LIST SOURCES TABLE.
# TABLE gets a row for each: number, name, tests.
use strict;
use warnings;

my ($list, $sources, $table) = @ARGV;
sub slurp { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; <$in> }
sub spill { open my $out, '>', $_[0] or die "$_[0]: $!\n"; print $out $_[1]; close $out or die }

my ($number, @rows, %bug) = (0);
sub done {
  return unless $bug{bug};
  $number++;
  my $file = "$sources/$bug{file}";
  my $text = slurp($file);
  my $count = () = $text =~ /\Q$bug{old}\E/g;
  die "bug $number, $bug{bug}: its text stands $count times in $bug{file}\n" if $count != 1;
  my $new = $bug{new};
  die "bug $number: nothing is seeded\n" unless $new =~ /SEEDED/;
  $new =~ s/\bSEEDED\b/crate::seeded::on($number)/g;
  $text =~ s/\Q$bug{old}\E/$new/;
  spill($file, $text);
  (my $tests = $bug{test}) =~ s/unit /unit=/g;
  $tests =~ s/,//g;
  push @rows, sprintf("%03d\t%s\t%s\n", $number, $bug{bug}, $tests);
  %bug = ();
}
my $field;
for my $line (split /\n/, slurp($list)) {
  next if $line =~ /^#/;
  if ($line eq '') { done(); next }
  if ($line =~ /^(bug|file|old|new|test) (.*)$/) { $field = $1; $bug{$field} = $2 }
  else { $bug{$field} .= "\n$line" }
}
done();
spill($table, join '', @rows);

my $lib = slurp("$sources/src/lib.rs");
spill("$sources/src/lib.rs", "$lib\n/// Which fault is awake.\npub mod seeded;\n");
spill("$sources/src/seeded.rs", <<'RUST');
//! Which of the faults that were put in is awake: a number in the built program.

static AWAKE: &[u8; 26] = b"COUNTERSIGN-SEEDED-BUG:000";

/// Whether it is this one.
#[must_use]
pub fn on(number: u32) -> bool {
    let awake = std::hint::black_box(AWAKE);
    let digits = awake.iter().rev().take(3).rev();
    digits.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')) == number
}
RUST
