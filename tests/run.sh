#!/bin/sh
# Runs the tests of the named folders: every program build/tests/FOLDER/test_* and every script
# tests/FOLDER/test_*.sh, all of which print TAP. Ends with a line that counts.
#   ONLY=pattern tests/run.sh fabric     only programs whose path contains the pattern
set -u
cd "$(dirname "$0")/.."
: "${BUILD:=build}"
export BUILD
export CMOCKA_MESSAGE_OUTPUT=TAP
export LC_ALL=C.UTF-8
log=${TEST_LOG:-$BUILD/test.log}
one=$log.$$ # two runs may share the folder (make -j)
# What a program keeps for its user is not to be this user's, nor the next program's.
home=$(mktemp -d)
export XDG_STATE_HOME="$home/state" XDG_CONFIG_HOME="$home/config"
trap 'rm -rf "$one" "$home"' EXIT
: >"$log"
passed=0 failed=0 skipped=0

run() { # name, command...
	name=$1
	shift
	rm -rf "$home/state" "$home/config"
	begun=$(date +%s)
	timeout --kill-after=10 "${TEST_TIMEOUT:-600}" "$@" >"$one" 2>&1
	code=$?
	took=$(($(date +%s) - begun))
	ok=$(grep -c '^ok [0-9]' "$one")
	# cmocka before 1.1.6 writes a skipped test as "not ok 3 # SKIP".
	notok=$(grep '^not ok' "$one" | grep -cvi '# skip')
	ok=$((ok + $(grep -ci '^not ok [0-9].*# skip' "$one")))
	skip=$(grep -Eci '^(not )?ok [0-9]+ .*# skip' "$one")
	[ "$code" = 0 ] || [ "$notok" != 0 ] || notok=1
	[ "$ok" != 0 ] || [ "$notok" != 0 ] || { notok=1; echo "no test ran" >>"$one"; }
	ok=$((ok - skip))
	passed=$((passed + ok)) failed=$((failed + notok)) skipped=$((skipped + skip))
	{ echo "== $name (exit $code)"; cat "$one"; } >>"$log"
	if [ "$notok" != 0 ]; then
		printf 'FAIL  %s (%s of %s, exit %s, %s s)\n' "$name" "$notok" $((ok + notok)) "$code" "$took"
		# What failed is said before what a sanitizer has to say of a test that was left midway.
		[ "$(grep -cvE '^ok ' "$one")" -le "${TAIL:-40}" ] ||
			grep -A 8 '^not ok' "$one" | grep -vE '^ok ' | head -n "${TAIL:-40}" | sed 's/^/      /'
		grep -vE '^ok ' "$one" | tail -n "${TAIL:-40}" | sed 's/^/      /'
	else
		printf 'ok    %-48s %4s %4s s' "$name" "$ok" "$took"
		[ "$skip" = 0 ] || printf ' (%s skipped)' "$skip"
		printf '\n'
	fi
	grep -E '^# figure' "$one" | sed 's/^# figure/      /'
}

# Tests with real programs wait most of the time: they run beside all others, as a run of their own.
beside=
case " $* " in
*" integration "*)
	if [ $# -gt 1 ]; then
		beside=$log.integration
		TEST_LOG=$beside.log sh tests/run.sh integration >"$beside" 2>&1 &
	fi
	;;
esac
for folder in "$@"; do
	[ "$folder" != integration ] || [ -z "$beside" ] || continue
	for program in "$BUILD/tests/$folder"/test_*; do
		[ -x "$program" ] && [ ! -d "$program" ] || continue
		case $program in *.o | *.d) continue ;; esac
		case $program in *"${ONLY:-}"*) run "${program#"$BUILD"/}" "$program" ;; esac
	done
	for script in tests/"$folder"/test_*.sh; do
		[ -e "$script" ] || continue
		case $script in *"${ONLY:-}"*) run "$script" sh "$script" ;; esac
	done
done
if [ -n "$beside" ]; then
	wait
	sed '$d' "$beside"
	cat "$beside.log" >>"$log"
	# "12 passed, 0 failed, 1 skipped"
	counts=$(tail -n 1 "$beside" | tr -dc '0-9 ')
	# shellcheck disable=SC2086
	set -- $counts
	if [ $# -lt 2 ]; then
		echo "FAIL  tests/integration: it did not end: $(tail -n 1 "$beside")"
		failed=$((failed + 1))
	fi
	passed=$((passed + ${1:-0})) failed=$((failed + ${2:-0})) skipped=$((skipped + ${3:-0}))
	rm -f "$beside" "$beside.log"
fi
if [ "$skipped" != 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ] && [ "$passed" != 0 ]
