#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What happens around a command in scripts: a reader that has enough, a full disk behind standard
# output, streams that are closed, an environment as cron has it, signals. Nothing is polled.
set -u
: "${BUILD:=build}"
railtop=$PWD/$BUILD/railtop
case $BUILD in /*) railtop=$BUILD/railtop ;; esac
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 2
export HOME="$top" XDG_STATE_HOME="$top/state"
unset RAILTOP_FABRIC XDG_CONFIG_HOME
n=0 failed=0

report() { # status, name
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2 (exit $code)"
		sed 's/^/# /' err
		failed=1
	fi
}

awk 'BEGIN { for (t = 0; t < 3; t++) for (i = 0; i < 400; i++)
	printf "{\"t\":%d,\"device\":\"leaf\",\"port\":\"e%d\",\"counters\":{\"rx_bytes\":%d},\"state\":{\"oper\":\"up\"}}\n",
		1700000000 + 5 * t, i, t * 1000 }' >quiet.jsonl
"$railtop" snapshot --observations quiet.jsonl -o s.rts >out 2>err || exit 2
cat >f.yaml <<-END
	fabric: t
	switches:
	  - {names: "leaf-[00-01]", tier: leaf, dialect: sonic, transport: ssh, address: 127.0.0.1, port: 1}
END

commands='help
help check
version
--version
runbook
runbook --json
findings --from s.rts
findings --from s.rts --json
check --from s.rts
check --from s.rts --json
lint --from s.rts
timeline --from s.rts
rows ports --from s.rts
rows ports --from s.rts --json
rows ports --from s.rts --csv
rows ports --from s.rts --md -
runbook pfc-storm --from s.rts
trace leaf:e1 --from s.rts
diff s.rts s.rts
export --once --from s.rts
snapshot --from s.rts --text -
snapshot --from s.rts --json -'

# A full disk: code 5 and a message, from each of them.
echo "$commands" | while read -r words; do
	# shellcheck disable=SC2086
	timeout 20 "$railtop" $words >/dev/full 2>err </dev/null
	code=$?
	if [ $code = 5 ] && grep -q "written" err; then echo ok; else echo "$words: $code"; fi
done >full
code=0
! grep -v '^ok$' full >err
report $? "a full disk behind standard output is code 5 and a message, for each command"

# A reader that has enough: no message, and no code but that of the command or of SIGPIPE.
echo "$commands" | while read -r words; do
	# shellcheck disable=SC2086
	{ timeout 20 "$railtop" $words 2>err </dev/null; echo $? >code; } | head -c 1 >/dev/null
	# The report may be short enough to be written before the reader is gone.
	if [ ! -s err ] && grep -qE '^(0|1|3|141)$' code; then echo ok; else echo "$words: $(cat code err)"; fi
done >pipes
code=0
! grep -v '^ok$' pipes >err
report $? "a reader that has enough is no error"

# Closed streams, one and all. What nobody gets is an error, and nothing aborts.
"$railtop" findings --from s.rts >&- 2>err </dev/null
code=$?
[ $code = 5 ] && grep -q "written" err
report $? "standard output is closed"
"$railtop" findings --from s.rts >out 2>&- </dev/null
code=$?
[ $code = 0 ] && grep -q "0 findings" out
report $? "standard error is closed"
"$railtop" findings --from s.rts >out 2>err <&-
code=$?
[ $code = 0 ] && grep -q "0 findings" out
report $? "standard input is closed"
"$railtop" findings --from s.rts <&- >&- 2>&-
code=$?
[ $code = 5 ]
report $? "all are closed"
"$railtop" findings --observations - >out 2>err <&-
code=$?
[ $code = 2 ] || [ $code = 3 ]
report $? "standard input is closed and is to be read"
"$railtop" lint -f f.yaml --for 1s >&- 2>err </dev/null
code=$?
[ $code = 5 ] && ! grep -qi assert err
report $? "the same while devices are asked"
"$BUILD/railtop-emulator" --version >&- 2>/dev/null || "${railtop%/*}/railtop-emulator" --version >/dev/null
code=$?
[ $code = 0 ]
report $? "the emulator"

# cron: no HOME, TERM, LANG, and another directory.
(cd / && env -i "$railtop" check -f "$top/f.yaml" --for 1s) >out 2>err </dev/null
code=$?
[ $code = 3 ] && grep -q unreachable out
report $? "as cron starts it"
env -i "$railtop" findings --from s.rts >out 2>err </dev/null
code=$?
[ $code = 0 ] && grep -q "0 findings" out
report $? "a recording, as cron starts it"
env -i "$railtop" check >out 2>err </dev/null
code=$?
[ $code = 2 ] && grep -q RAILTOP_FABRIC err
report $? "no inventory, as cron starts it"
env -i "$railtop" -f f.yaml >out 2>err </dev/null
code=$?
[ $code = 2 ] && grep -q "not a terminal" err && grep -q "railtop snapshot" err
report $? "the console without a terminal: a cure"
"$railtop" demo >out 2>err </dev/null
code=$?
[ $code = 2 ] && grep -q "not a terminal" err && ! grep -q starting err
report $? "the demo without a terminal starts no fabric"

# A script that is stopped says what it has, or ends by the signal; it leaves no file half written.
for signal in INT TERM HUP; do
	timeout -s $signal 1 "$railtop" findings -f f.yaml --for 60s >out 2>err </dev/null
	code=$?
	[ $code = 124 ]
	report $? "findings ends by SIG$signal"
	timeout -s $signal 1 "$railtop" record -f f.yaml -o $signal.rts >out 2>err </dev/null
	code=$?
	[ $code = 124 ] && [ "$(ls $signal.rts*)" = "$signal.rts" ] && "$railtop" check --from $signal.rts >out 2>>err
	[ $? = 3 ]
	report $? "a recording ends whole by SIG$signal"
	timeout -s $signal 1 "$railtop" snapshot -f f.yaml --for 60s -o s-$signal.rts >out 2>err </dev/null
	code=$?
	for left in s-$signal.rts*; do
		[ "$left" = "s-$signal.rts" ] || [ "$left" = "s-$signal.rts*" ]
	done
	report $? "a snapshot leaves nothing beside it by SIG$signal"
done
echo "1..$n"
exit $failed
