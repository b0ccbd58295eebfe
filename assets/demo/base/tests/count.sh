#!/bin/sh
# count.sh N: are there N winter departures, every one with a harbor, a time and a destination?
cd "$(dirname "$0")/.." || exit 2
[ -f data/winter.csv ] || { echo "no data/winter.csv"; exit 1; }
good=$(grep -c '^[A-Z][a-z]*,[0-2][0-9]:[0-5][0-9],[A-Z][a-z]*$' data/winter.csv)
for harbor in Amrum Hooge Wyk; do
  echo "$harbor $(grep -c "^$harbor," data/winter.csv)"
done
echo "rows $good, want $1"
[ "$good" = "$1" ] || exit 1
echo "loaded-$good"
