#!/bin/sh
# Runs one test program or script for tests/run.sh: NUMBER PATH. It prints one line, or why the test
# failed, and leaves NUMBER.log and NUMBER.counts ("passed failed skipped") in $results.
# Each has a home and a temporary directory that go with it, and a slot of this machine to itself, of
# which its addresses and ports are made (tests/support/slot.h).
set -u
name=${2#"$BUILD"/}
# Long judgements over simulated hours are those of the plain build, where the caller has one.
program=$2
if [ -n "${PLAIN:-}" ] && grep -qxF "$name" tests/plain; then
	program=$PLAIN/$name
	export BUILD="$PLAIN"
fi
out=$results/$1.out
home=$(mktemp -d /tmp/railtop-home-XXXXXX)
mkdir "$home/tmp"
chmod 755 "$home" # some tests act as another user in here
chmod 1777 "$home/tmp"
slots=/tmp/railtop-slots-$(id -u)
mkdir -p "$slots"
# The lock is held while this script runs. Other runs of the suite on this machine take other slots.
slot=0
while exec 9>"$slots/$slot" && ! flock -n 9; do
	slot=$(((slot + 1) % 100))
done
number=$1
case $program in
*.sh) set -- sh "$program" ;;
*) set -- "$program" ;;
esac
begun=$(date +%s)
HOME=$home TMPDIR=$home/tmp XDG_STATE_HOME=$home/state XDG_CONFIG_HOME=$home/config \
	TEST_SLOT=$slot CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C.UTF-8 \
	timeout --kill-after=10 "${TEST_TIMEOUT:-600}" "$@" >"$out" 2>&1 9>&-
code=$?
took=$(($(date +%s) - begun))
# "0m1.23s 0m0.40s" of all children: seconds of CPU.
times >"$out.times"
cpu=$(awk 'NR == 2 { split($1 "m" $2, t, /[ms]/); printf "%.1f", 60 * (t[1] + t[4]) + t[2] + t[5] }' "$out.times")
rm -rf "$home"

ok=$(grep -c '^ok [0-9]' "$out")
# cmocka before 1.1.6 writes a skipped test as "not ok 3 # SKIP".
notok=$(grep '^not ok' "$out" | grep -cvi '# skip')
ok=$((ok + $(grep -ci '^not ok [0-9].*# skip' "$out")))
skip=$(grep -Eci '^(not )?ok [0-9]+ .*# skip' "$out")
[ "$code" = 0 ] || [ "$notok" != 0 ] || notok=1
[ "$ok" != 0 ] || [ "$notok" != 0 ] || { notok=1; echo "no test ran" >>"$out"; }
ok=$((ok - skip))
{ echo "== $name (exit $code)"; cat "$out"; } >"$results/$number.log"
echo "$ok $notok $skip" >"$results/$number.counts"

report() {
	if [ "$notok" != 0 ]; then
		printf 'FAIL  %s (%s of %s, exit %s, %s s)\n' "$name" "$notok" $((ok + notok)) "$code" "$took"
		# What failed is said before what a sanitizer has to say of a test that was left midway.
		[ "$(grep -cvE '^ok ' "$out")" -le "${TAIL:-40}" ] ||
			grep -A 8 '^not ok' "$out" | grep -vE '^ok ' | head -n "${TAIL:-40}" | sed 's/^/      /'
		grep -vE '^ok ' "$out" | tail -n "${TAIL:-40}" | sed 's/^/      /'
	else
		printf 'ok    %-48s %4s %4s s %6s s CPU' "$name" "$ok" "$took" "$cpu"
		[ "$skip" = 0 ] || printf ' (%s skipped)' "$skip"
		printf '\n'
	fi
	grep -E '^# figure' "$out" | sed 's/^# figure/      /'
}
# One at a time, so that the lines of two programs do not mix.
exec 8>"$results/printing"
flock 8
report
