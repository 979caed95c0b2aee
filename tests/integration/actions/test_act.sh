#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `railtop act`, `approve` and `ledger` as an operator runs them, on an emulated fabric behind real
# SSH and HTTPS. What each step of an action may meet is in tests/actions and test_act_faults.
set -u
. "$(dirname "$0")/../../support/act.sh"

emulate

# The emulator's own inventory with another section: what, where to put the ledger.
inventory() { # name, text of actions:
	# Data of six seconds is current then: a machine with other work to do answers that late.
	sed '/^actions:/,$d; s/interval: 1s/interval: 2s/' "$top/r/fabric.yaml" >"$top/r/$1.yaml"
	[ -z "$2" ] || echo "actions: $2" >>"$top/r/$1.yaml"
}
inventory none ""
inventory one "{ledger: one/actions.jsonl, watchdog: {action: drop, detect: 200ms, restore: 400ms}}"
inventory eyes "{ledger: eyes/actions.jsonl, four_eyes: yes}"
inventory words "{ledger: words/actions.jsonl, hosts_out: 24}"
sed -i 's/^jobs:.*/jobs: [{source: nccl-ras}, {source: slurm, hosts: node000}]/' "$top/r/words.yaml"
inventory narrow "{ledger: one/actions.jsonl, allow: locate, devices: leaf-r0-00}"

act() { # inventory, words...
	file=$1
	shift
	timeout 120 "$railtop" act -f "$top/r/$file.yaml" --for 4s "$@" >"$top/out" 2>"$top/err"
	code=$?
}
says() { # text
	grep -qF -- "$1" "$top/out" "$top/err"
}
run() { # words...
	timeout 60 "$railtop" "$@" >"$top/out" 2>"$top/err"
	code=$?
}
why="--reason=cable-is-to-be-moved --incident=INC-4711"

act none port-drain spine-000:Ethernet1/1 --execute $why
[ $code = 4 ] && says "refused by grant"
report $? "without actions: in the inventory there are none"
act one port-drain spine-000:Ethernet1/1 --execute $why --read-only
[ $code = 4 ] && says "refused by mode"
report $? "read-only refuses before anything is connected to"
act narrow port-drain spine-000:Ethernet1/1
[ $code = 4 ] && says "refused by grant"
report $? "an action or a device that is not granted is refused"
act one reboot spine-000:Ethernet1/1
[ $code = 2 ] && says "pfcwd-reset"
report $? "an unknown action names those that exist"
act one port-drain spine-000:Ethernet999
[ $code = 2 ] && says "Ethernet999"
report $? "an unknown port is an error of usage"

act one port-drain spine-000:Ethernet1/1
[ $code = 0 ] && says "shutdown" && says "leaf-r0-00:Ethernet128" && says "no shutdown"
report $? "a dry run shows the commands, both ends and the way back"
[ ! -e "$top/r/one/actions.jsonl" ] || ! grep -q begun "$top/r/one/actions.jsonl"
report $? "and begins nothing"
act one port-drain spine-000:Ethernet1/1 --json
[ $code = 0 ] && says '"stage": "planned"' && says '"refusals": []' && says '"schema": 1'
report $? "the same as JSON"
act one port-drain spine-000:Ethernet1/1 --execute --reason short --incident INC-1
[ $code = 4 ] && says "refused by reason"
report $? "a reason of a word is none"
act one port-drain node003:mlx5_1 --execute $why
[ $code = 4 ] && says "refused by"
report $? "the link of a host whose job runs is not taken away"
act one pfcwd-reset leaf-r0-00:Ethernet0 --execute $why
[ $code = 4 ] && says "nothing"
report $? "a watchdog that is not stuck is not reset"

# Words: the leaf's port names the host behind it, and nobody is connected to.
act words host-drain leaf-r0-00
[ $code = 4 ] && says "a scheduler drains hosts"
report $? "a switch has no words"
act one host-drain node003
[ $code = 4 ] && says "no scheduler is known" && says "jobs:"
report $? "without a scheduler there are none"
act words host-drain node003 --read-only --execute $why
[ $code = 4 ] && says "refused by mode"
report $? "nor read-only"
act words host-drain node003:mlx5_1 --execute $why
[ $code = 0 ] && tail -n 1 "$top/out" | grep -qx "scontrol update nodename=node003 state=drain reason='railtop: [^']*node003:mlx5_1, INC-4711'"
report $? "host-drain: the last line is the command, with place and incident"
run ledger show -f "$top/r/words.yaml"
says "written for the operator" && grep -q '"words":\["scontrol update nodename=node003 ' "$top/r/words/actions.jsonl" &&
	! grep -q '"event":"sending"' "$top/r/words/actions.jsonl"
report $? "the ledger has it, and nothing that was sent"
act words host-drain node003 --json
[ $code = 4 ] && says '"guard": "rate-switch"' && says '"system": "slurm"'
report $? "the limits of rate hold for words too"

mkdir -p "$top/r/one" && : >"$top/r/one/actions.stop"
act one port-drain spine-000:Ethernet1/1 --execute $why
[ $code = 4 ] && says "refused by kill-switch" && says "actions.stop"
report $? "the kill switch stops everybody"
rm "$top/r/one/actions.stop"

act one port-drain spine-000:Ethernet1/1 --execute $why --watch 5s
[ $code = 0 ] && says "done and read back"
report $? "a link is drained and watched"
secret=$(sed 's/^[^:]*://' "$top/r/eapi.password")
coded=$(tr -d '\n' <"$top/r/eapi.password" | base64 -w 0)
[ ${#secret} -ge 16 ] && [ -s "$top/r/one/actions.jsonl" ] &&
	! grep -rqF -e "$secret" -e "$coded" "$top/r/one" "$top/out" "$top/err"
report $? "no password in the ledger, the snapshots or what is printed"
run ledger show -f "$top/r/one.yaml"
[ $code = 0 ] && says "sent: " && says "INC-4711" && says "shutdown" && says "done"
report $? "the ledger has what was sent, why and what came of it"
run ledger verify -f "$top/r/one.yaml"
[ $code = 0 ] && says "1 actions, 0 without an end"
report $? "and is whole"
grep -oh '^{"name":"[^"]*","tier"' "$top"/r/one/snapshots/*.json | sort >"$top/out" 2>"$top/err"
[ "$(tr -d '\n' <"$top/out")" = '{"name":"leaf-r0-00","tier"{"name":"spine-000","tier"' ]
report $? "both ends were written to a snapshot before"
act one port-drain spine-000:Ethernet9/1 --execute $why
[ $code = 4 ] && says "refused by rate-switch" && says "UTC"
report $? "the same switch again has to wait, and is told until when"
act one port-drain spine-001:Ethernet1/1
[ $code = 4 ] && says "refused by uplinks" && says "leaf-r0-00"
report $? "the leaf would keep fewer than N-1 uplinks"
act one port-undrain spine-000:Ethernet1/1 --execute $why --watch 0
[ $code = 0 ] && says "done and read back"
report $? "the way back does not wait for the limits"
act one port-drain spine-000:Ethernet1/1 --execute $why
[ $code = 4 ] && says "refused by rate-switch"
report $? "but there and back again does"

sed '3s/"uid":0/"uid":7/;3s/"user":"[a-z]*"/"user":"eve"/' "$top/r/one/actions.jsonl" >"$top/other" &&
	cat "$top/other" >"$top/r/one/actions.jsonl"
run ledger verify -f "$top/r/one.yaml"
[ $code = 1 ] && says "line 3"
report $? "a line that was altered is found"
head -c 1200 "$top/other" >"$top/r/one/actions.jsonl"
run ledger verify -f "$top/r/one.yaml"
[ $code = 1 ]
report $? "so is one that was cut off"
act one locate spine-002:Ethernet1/1 --execute $why
[ $code = 4 ] && says "refused by ledger"
report $? "nothing is done while the ledger is not whole"

act eyes port-bounce spine-003:Ethernet9/1 --execute $why
[ $code = 4 ] && says "refused by four-eyes"
report $? "four eyes: not alone"
hash=$(basename "$top"/r/eyes/approvals/*.plan .plan)
run approve "$hash" -f "$top/r/eyes.yaml"
[ $code = 0 ] && says "Asked by" && says "cable-is-to-be-moved" && says "INC-4711" && says "Hits" && says "no shutdown" &&
	says "for ten minutes" && says "nothing was approved yet"
report $? "the colleague sees who asks, why, the same sheet, and what approval means"
run approve "$hash" spine-003:Ethernet9/1 -f "$top/r/eyes.yaml" --execute
[ $code = 4 ]
report $? "nor by one's own second account on the same uid"
run approve "$hash" spine-003:Ethernet2/1 -f "$top/r/eyes.yaml" --execute
[ $code = 2 ] && says "Ethernet9/1"
report $? "nor for another place than the plan's"
# Where the kernel knows a login already, that account is the person, and not the owner of the terminal.
login=$(cat /proc/self/loginuid 2>/dev/null || echo 4294967295)
if [ "$(id -u)" = 0 ] && [ "$login" = 4294967295 ] && command -v setpriv >/dev/null && command -v script >/dev/null; then
	chmod 755 "$top" "$top/r" && chmod 644 "$top/r/eyes.yaml"
	chgrp -R nogroup "$top/r/eyes" && chmod -R g+rwX "$top/r/eyes" && chmod 3770 "$top/r/eyes/approvals"
	cp "$railtop" "$top/railtop" && chmod 755 "$top/railtop"
	timeout 60 setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/nonexistent "$top/railtop" approve "$hash" \
		spine-003:Ethernet9/1 --ledger "$top/r/eyes/actions.jsonl" --execute >"$top/out" 2>"$top/err"
	code=$?
	[ $code = 0 ] && says "approved"
	report $? "another operator approves the very plan"
	act eyes port-bounce spine-003:Ethernet9/1 --execute $why --watch 0
	[ $code = 4 ] && says "root does not identify an operator"
	report $? "root of which no login is known begins nothing"
	# shellcheck disable=SC2086
	as_login daemon "$railtop" act port-bounce spine-003:Ethernet9/1 -f "$top/r/eyes.yaml" --execute $why --watch 0
	[ $code = 0 ]
	report $? "and it is done"
	run ledger show -f "$top/r/eyes.yaml"
	says "nobody" && says "daemon" && run ledger verify -f "$top/r/eyes.yaml" && [ $code = 0 ]
	report $? "the ledger names both"
else
	for what in "another operator approves" "root begins nothing" "and it is done" "the ledger names both"; do
		n=$((n + 1))
		echo "ok $n - $what # SKIP needs root without a login, setpriv and script"
	done
fi
echo "1..$n"
exit $failed
