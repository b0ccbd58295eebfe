#!/bin/sh
# The night of 2026-10-24/25: at 03:00 it is 02:00 again. Every boat must be listed once.
cd "$(dirname "$0")/.." || exit 2
harbor=Amrum held=0 failed=0
echo "changeover: harbor $harbor, night 2026-10-24/25"
list=$(sh bin/ferry night "$harbor" 2026-10-25)
echo "$list" | xargs
awk 'BEGIN { for (m = 0; m < 207; m++)
  printf "minute %3d after 00:30, %02d:%02d\n", m, (30 + m) / 60, (30 + m) % 60 }'
hold() {
  if [ "$2" = "$3" ]; then
    held=$((held + 1))
  else
    echo "FAIL $1 $2 times, want $3"
    failed=1
  fi
}
# the winter boats of Amrum between ten and six
for boat in 22:25 23:30 00:30 01:30 02:30 03:30 04:30 05:30 05:40; do
  hold "$boat listed" "$(echo "$list" | grep -cx "$boat")" 1
done
echo "$held of 9 checks hold"
[ "$failed" = 0 ] || { echo "exit 1"; exit 1; }
echo changeover-ok
