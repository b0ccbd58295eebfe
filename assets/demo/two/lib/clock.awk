# clock.awk: boats of one harbor from rows "harbor,HH:MM,destination".
#   -v harbor=NAME        whose boats
#   -v now=HH:MM          the next boat at or after it, else the first of tomorrow
#   -v mode=board         the next six
#   -v mode=night -v night=DAY    all boats from 22:00 to 06:00 of the night that ends on DAY
#       (in the night of the clock change the hour from 02:00 comes twice,
#       and a boat in it belongs to the second one)

# minutes since midnight
function minutes(hhmm,  p) {
  split(hhmm, p, ":")
  return p[1] * 60 + p[2]
}

# the night the clocks go back has one hour twice
function shift(t, night) {
  if (night == changeover && t >= 1560 && t < 1620) return t + 60
  return t
}

# in order of time within the night: evening first
function late(t) {
  if (t < 360) return t + 1440
  return t
}

function list(night,  i) {
  for (i = 1; i <= n; i++) {
    print dep[i]
    if (shift(t[i], night) != t[i]) print dep[i]
  }
}

# the first boat at or after a time, by number
function first(now,  i) {
  for (i = 1; i <= n; i++) if (t[i] >= now) return i
  return 1
}

BEGIN {
  FS = ","
  # the night to the last Sunday of October, as announced
  # by the harbor office
  changeover = "2026-10-25"
}

$1 == harbor && mode == "night" {
  m = minutes($2)
  if (m < 360 || m >= 1320) { n++; dep[n] = $2; t[n] = late(m) }
  next
}

$1 == harbor { n++; dep[n] = $2; to[n] = $3; t[n] = minutes($2) }

END {
  if (n == 0) exit 3
  if (mode == "night") { sort_by_time(); list(night); exit }
  at = first(minutes(now))
  boats = (mode == "board") ? 6 : 1
  for (k = 0; k < boats; k++) {
    i = (at + k - 1) % n + 1
    print dep[i], to[i]
  }
}

function sort_by_time(  i, j, d, m) {
  for (i = 2; i <= n; i++) {
    d = dep[i]; m = t[i]
    for (j = i - 1; j >= 1 && t[j] > m; j--) { dep[j + 1] = dep[j]; t[j + 1] = t[j] }
    dep[j + 1] = d; t[j + 1] = m
  }
}
