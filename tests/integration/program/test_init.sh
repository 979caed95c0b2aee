#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `railtop init`: the answers of a script, wrong ones, and a first hour on an emulated fabric up to the
# inventory. The console at the end needs a terminal, which a script has not.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/act.sh
trap 'kill "$pid" 2>/dev/null; wait; rm -rf "$top"' EXIT
new=$top/new.yaml

"$railtop" init -o "$new" >"$top/out" 2>"$top/err" </dev/null
code=$?
[ $code = 2 ] && grep -q 'one switch or host is needed' "$top/err" && [ ! -e "$new" ]
report $? "an end of the input is no answer to the first question"

printf '127.0.0.1\n-oProxyCommand=x\na b\nops\n/nowhere\n\nx@@y\nnone\n' |
	"$railtop" init -o "$new" --for 1s >"$top/out" 2>"$top/err"
code=$?
[ $code = 3 ] && [ "$(grep -c 'it is one word, and no option' "$top/err")" = 2 ] &&
	grep -q '/nowhere: No such file' "$top/err" && [ ! -e "$new" ]
report $? "wrong answers are asked again, nothing found writes nothing"

head -c 100000 /dev/zero | tr '\0' 'x' | "$railtop" init -o "$new" --for 1s >"$top/out" 2>"$top/err"
[ $? -le 3 ] && [ ! -e "$new" ]
report $? "an answer without an end"

emulate
printf 'leaf-r0-00, node000\n\n\n\n' |
	"$railtop" init -o "$new" --ssh-config "$top/r/ssh_config" --known-hosts "$top/r/known_hosts" --for 120s \
		>"$top/out" 2>"$top/err"
code=$?
grep -q '^switches:' "$new" && grep -q '^hosts:' "$new" && [ -s "$top/new.wiring.csv" ] &&
	grep -q 'railtop check -f' "$top/err" && [ $code -le 3 ] &&
	# The cure for unknown keys is for devices that could not be asked.
	if [ $code = 0 ]; then ! grep -q 'ssh-keyscan' "$top/err"; else grep -q 'ssh-keyscan' "$top/err"; fi
report $? "the inventory of an emulated fabric, and the next steps"
"$railtop" devices -f "$new" --for 60s >"$top/out" 2>"$top/err"
grep -q 'leaf-r0-00' "$top/out" && grep -q 'spine-' "$top/out"
report $? "the inventory is read, and its devices answer"

echo "1..$n"
exit $failed
