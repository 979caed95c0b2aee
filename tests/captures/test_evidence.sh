#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the decoders rest on: for each dialect and need the best evidence that the tests before this
# one have printed ("# covered DIALECT NEED: real"). R: a real device or program printed it.
# a: somebody wrote it in the device's shape. -: only our own fixtures.
set -u
cd "$(dirname "$0")/../.."
log=${BUILD:-build}/test.log
if ! grep -q '^# covered ' "$log" 2>/dev/null; then
	echo "ok 1 - evidence # SKIP no test has said what it covers"
	echo 1..1
	exit 0
fi
# Without the captures beside the checkout nothing can be real; the table says so all the same.
captures=0
[ ! -d "${RAILTOP_SHARED:-../shared}/captures" ] || captures=1
awk -v captures=$captures '
FNR == NR {
	if (/^NEED/ && match($0, /"[^"]+"\)$/)) {
		need[++needs] = substr($0, RSTART + 1, RLENGTH - 3)
		known[need[needs]] = 1
	}
	next
}
/^# covered / {
	line = $0; sub(/^# covered /, "", line)
	dialect = line; sub(/ .*/, "", dialect)
	rest = line; sub(/^[^ ]+ /, "", rest)
	by = rest; sub(/.*: /, "", by)
	name = rest; sub(/: [^:]*$/, "", name)
	if (!(dialect in column)) { column[dialect] = ++columns; title[columns] = dialect }
	rank = by == "real" ? 2 : by == "test-authored" ? 1 : 0
	if (!((name, dialect) in best) || rank > best[name, dialect]) best[name, dialect] = rank
	if (!(name in known)) { known[name] = 1; need[++needs] = name }
	if (rank == 2) real++
}
END {
	head = sprintf("%-32s", "evidence (R real, a authored)")
	for (c = 1; c <= columns; c++) head = head sprintf(" %8s", title[c])
	print "# figure " head
	for (i = 1; i <= needs; i++) {
		row = sprintf("%-32s", need[i])
		for (c = 1; c <= columns; c++) {
			k = (need[i] SUBSEP title[c])
			row = row sprintf(" %8s", !(k in best) ? "" : substr("-aR", best[k] + 1, 1))
		}
		print "# figure " row
	}
	said = " 1 - evidence is printed for each dialect and need"
	print (real || !captures ? "ok" : "not ok") said (captures ? "" : " # SKIP no captures beside the checkout")
	print "1..1"
	exit captures && !real
}' fabric/vocabulary/capabilities.def "$log"
