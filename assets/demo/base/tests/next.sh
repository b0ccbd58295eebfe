#!/bin/sh
# The 24 recorded cases: harbor, time, day, the boat, its destination.
cd "$(dirname "$0")/.." || exit 2
failed=0
while read -r harbor now day boat to; do
  got=$(sh bin/ferry next "$harbor" "$now" "$day")
  if [ "$got" = "$boat $to" ]; then
    echo "ok $harbor $now on $day: $got"
  else
    echo "FAIL $harbor $now on $day: $got, want $boat $to"
    failed=1
  fi
done <tests/cases.txt
[ "$failed" = 0 ] && echo next-ok
