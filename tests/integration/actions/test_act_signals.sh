#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An action that is interrupted: by the signals of a terminal that goes away, by a reader that goes
# away, and killed at each line of the ledger. On an emulated fabric behind real SSH: what can end
# in order does, and after what cannot ledger and device still say the same.
set -u
. "$(dirname "$0")/../../support/act.sh"

port=Ethernet20
what=pfcwd-reset
long=18s
why="--reason=stuck-since-the-morning --incident=INC-4711"
cases="leaf-r0-00 HUP
leaf-r1-00 TERM
leaf-r2-00 INT
leaf-r3-00 TSTP
leaf-r4-00 readers
leaf-r5-00 KILL 1
leaf-r6-00 KILL 3
leaf-r7-00 KILL 5"
set --
for leaf in $(echo "$cases" | cut -d' ' -f1); do
	set -- "$@" --fault "watchdog-stuck:$leaf:$port"
done
emulate --command-log "$top/log" "$@"
ssh_port=$(sed -n 's/.*names: "node.*, port: \([0-9]*\).*/\1/p' "$top/r/fabric.yaml")

inventory() { # leaf: it alone, with a ledger of its own
	sed "/^actions:/,\$d; /^jobs:/d; /^hosts:/d; /node\\[/d; /spine-/d; s/interval: 1s/interval: 2s/
		s/leaf-r\\[0-7\\]-00/$1/; s/$slot_net.0.\\[1-8\\]/$slot_net.0.$(number_of "$1")/" "$top/r/fabric.yaml"
	echo "actions: {ledger: $1/actions.jsonl, per_hour: 1000, switch_interval: 1s, port_interval: 1s}"
}
number_of() { # leaf-rN-00
	echo "$1" | sed 's/leaf-r\(.\)-00/\1/' | { read -r i && echo $((i + 1)); }
}
on() { # leaf, command
	timeout 20 ssh -F none -n -o BatchMode=yes -o LogLevel=ERROR -o IdentitiesOnly=yes \
		-o UserKnownHostsFile="$top/r/known_hosts" -i "$top/r/id_ed25519" -p "$ssh_port" \
		"noc@$slot_net.0.$(number_of "$1")" "$2" 2>&1
}
act() { # leaf, words...
	file=$top/r/$1.yaml
	shift
	exec "$railtop" act "$what" "$leaf:$port" -f "$file" --for "$long" --watch 0 "$@"
}
lines() { # of an event
	grep -c "\"event\":\"$1\"" "$ledger" 2>/dev/null
}
# Sends the signal when the ledger has so many lines.
signal_at() { # signal, lines, process
	while kill -0 "$3" 2>/dev/null; do
		has=$(grep -c '' "$ledger" 2>/dev/null)
		[ "${has:-0}" -ge "$2" ] && break
		sleep 0.01
	done
	kill -s "$1" "$3"
}
one() { # signal, lines
	ledger=$top/r/$leaf/actions.jsonl
	if [ "$1" = readers ]; then
		mkfifo "$top/$leaf.pipe"
		head -n 1 <"$top/$leaf.pipe" >"$top/$leaf.head" &
		(act "$leaf" --execute $why >"$top/$leaf.pipe" 2>&1)
		echo $? >"$top/$leaf.code"
		return
	fi
	act "$leaf" --execute $why >"$top/$leaf.out" 2>"$top/$leaf.err" &
	running=$!
	signal_at "$1" "${2:-2}" "$running"
	wait "$running"
	echo $? >"$top/$leaf.code"
}

waits=
for leaf in $(echo "$cases" | cut -d' ' -f1); do
	mkdir "$top/r/$leaf"
	inventory "$leaf" >"$top/r/$leaf.yaml"
	one $(echo "$cases" | sed -n "s/^$leaf //p") &
	waits="$waits $!"
done
for w in $waits; do
	wait "$w"
done

guarded() { # the row is there, with the values that it had
	on "$leaf" "sonic-db-cli CONFIG_DB HGETALL 'PFC_WD|$port'" >"$top/row"
	grep -q "'detection_time': '200'" "$top/row" && grep -q "'action': 'drop'" "$top/row"
}
stormed() {
	on "$leaf" 'show pfcwd stats' | grep -q "$port:3 *stormed"
}
for leaf in $(echo "$cases" | cut -d' ' -f1); do
	said="$leaf.out $leaf.err verify row"
	how=$(echo "$cases" | sed -n "s/^$leaf //p")
	ledger=$top/r/$leaf/actions.jsonl
	code=$(cat "$top/$leaf.code")
	echo "# $how: exit $code, $(lines sending) sent, $(lines done) done"
	timeout 30 "$railtop" ledger verify -f "$top/r/$leaf.yaml" >"$top/verify" 2>&1
	report $? "$how: the ledger is whole"
	if [ "${how#KILL}" = "$how" ]; then
		[ "$(lines begun)" = 1 ] && [ "$(lines sending)" = 2 ] && [ "$(lines done)" = 1 ] && [ "$code" = 0 ]
		report $? "$how: what was begun is brought to its end"
		guarded && ! stormed
		report $? "$how: the port has its watchdog, and traffic"
		continue
	fi
	# What the switch was told is announced; what is claimed is so.
	grep "\"device\":\"$leaf\"" "$top/log" | grep '"wrote":true' |
		sed 's/.*"command":"\([^"]*\)".*/\1/' >"$top/sent"
	grep '"event":"sending"' "$ledger" | sed 's/.*"request":"\([^"]*\)".*/\1/' >"$top/announced"
	! grep -vxFf "$top/announced" "$top/sent"
	report $? "$how: nothing was sent that was not announced"
	[ "$(lines done)" = 0 ] || { guarded && ! stormed; }
	report $? "$how: done is claimed only where it is true"
	[ "$(lines sending)" != 0 ] || { guarded && stormed; }
	report $? "$how: before the first announcement nothing is changed"
	timeout 30 "$railtop" ledger verify -f "$top/r/$leaf.yaml" | grep -q ' 1 without an end'
	report $? "$how: it has no end"
	act=$(sed -n 's/.*"event":"begun","act":"\([^"]*\)".*/\1/p' "$ledger")
	what=port-bounce
	long=3s
	(act "$leaf" >"$top/$leaf.out" 2>"$top/$leaf.err")
	[ $? = 4 ] && grep -q "refused by unfinished.*settle $act" "$top/$leaf.out"
	report $? "$how: the next is refused by unfinished, with the way out"
	grep -q "$leaf:$port: pfcwd-reset by .* has no end" "$top/$leaf.err" && grep -q "ledger settle $act" "$top/$leaf.err"
	report $? "$how: and told at its start, with the cure"
	timeout 30 "$railtop" ledger settle -f "$top/r/$leaf.yaml" >"$top/$leaf.out" 2>&1
	[ $? = 1 ] && grep -q "ledger settle $act" "$top/$leaf.out"
	report $? "$how: settle without a name lists it"
	timeout 30 "$railtop" ledger settle no-such-act -f "$top/r/$leaf.yaml" \
		--reason "looked at the port, it is fine" >"$top/$leaf.out" 2>&1
	[ $? = 2 ]
	report $? "$how: what is not open cannot be settled"
	timeout 30 "$railtop" ledger settle "$act" -f "$top/r/$leaf.yaml" \
		--reason "looked at the port, it is fine" >"$top/$leaf.out" 2>&1
	report $? "$how: a person settles it"
	timeout 30 "$railtop" ledger settle "$act" -f "$top/r/$leaf.yaml" \
		--reason "looked at the port, it is fine" >"$top/$leaf.out" 2>&1
	[ $? = 2 ]
	report $? "$how: but once"
	timeout 30 "$railtop" ledger settle -f "$top/r/$leaf.yaml" >"$top/$leaf.out" 2>&1
	[ $? = 0 ] && grep -q "every action has an end" "$top/$leaf.out"
	report $? "$how: then every action has an end"
	(act "$leaf" >"$top/$leaf.out" 2>"$top/$leaf.err")
	! grep -q "refused by unfinished" "$top/$leaf.out"
	report $? "$how: and it is out of the way"
done
echo "1..$n"
exit $failed
