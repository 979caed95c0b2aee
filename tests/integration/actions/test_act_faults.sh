#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An action whose writes fail, each in its own way, on an emulated fabric behind real SSH: no switch
# is left changed without a line in the ledger, and no line claims what did not happen.
set -u
. "$(dirname "$0")/../../support/act.sh"

# What fails at which leaf; all of them have a watchdog that is stuck.
cases="leaf-r0-00 none
leaf-r1-00 write-denied
leaf-r2-00 write-noop
leaf-r3-00 write-cut,n=1
leaf-r4-00 write-cut,n=1,before=yes
leaf-r5-00 write-cut,n=2
leaf-r6-00 write-cut,n=2,before=yes
leaf-r7-00 write-hang,n=1"
port=Ethernet20
back='the port is set as it was'
set --
for leaf in $(echo "$cases" | cut -d' ' -f1); do
	set -- "$@" --fault "watchdog-stuck:$leaf:$port"
	fault=$(echo "$cases" | sed -n "s/^$leaf //p")
	[ "$fault" = none ] || set -- "$@" --fault "$(echo "$fault" | sed "s/^[a-z-]*/&:$leaf/")"
done
emulate --command-log "$top/log" "$@"

# Each with a ledger of its own, all at once: one that hangs takes its time.
for leaf in $(echo "$cases" | cut -d' ' -f1); do
	mkdir "$top/r/$leaf"
	{
		# The leaves are enough: what nobody asks here is not polled.
		sed '/^actions:/,$d; /^jobs:/d; /^hosts:/d; /node\[/d; /spine-/d; s/interval: 1s/interval: 4s/' "$top/r/fabric.yaml"
		echo "actions: {ledger: $leaf/actions.jsonl}"
	} >"$top/r/$leaf.yaml"
	(
		# On a starved machine the counters may be too old to begin: the operator asks again.
		for try in 1 2 3; do
			timeout 200 "$railtop" act pfcwd-reset "$leaf:$port" -f "$top/r/$leaf.yaml" --for 20s \
				--execute --watch 0 --reason stuck-since-the-morning --incident INC-4711 \
				>"$top/$leaf.out" 2>"$top/$leaf.err"
			code=$?
			[ $code = 4 ] && grep -q "refused by fresh" "$top/$leaf.out" "$top/$leaf.err" || break
		done
		echo $code >"$top/$leaf.code"
	) &
	waits="${waits:-} $!"
done
for w in $waits; do
	wait "$w"
done

ssh_port=$(sed -n 's/.*names: "node.*, port: \([0-9]*\).*/\1/p' "$top/r/fabric.yaml")
on() { # leaf's number, command
	timeout 20 ssh -F none -n -o BatchMode=yes -o LogLevel=ERROR -o IdentitiesOnly=yes \
		-o UserKnownHostsFile="$top/r/known_hosts" -i "$top/r/id_ed25519" -p "$ssh_port" \
		"noc@$slot_net.0.$1" "$2" 2>&1
}
# What the ledger says of its one action.
outcome() {
	grep -o '"outcome":"[^"]*"' "$top/r/$leaf/actions.jsonl" | tail -n 1 | cut -d'"' -f4
}

i=0
for leaf in $(echo "$cases" | cut -d' ' -f1); do
	said="$leaf.out $leaf.err"
	fault=$(echo "$cases" | sed -n "s/^$leaf //p")
	i=$((i + 1))
	code=$(cat "$top/$leaf.code")
	said=$(outcome)
	echo "# $leaf $fault: exit $code, ledger: $said"
	timeout 30 "$railtop" ledger verify -f "$top/r/$leaf.yaml" >"$top/verify" 2>&1 &&
		grep -q '1 actions, 0 without an end' "$top/verify"
	report $? "$fault: the ledger is whole, and says how it ended"
	on "$i" "sonic-db-cli CONFIG_DB HGETALL 'PFC_WD|$port'" | grep -q "'detection_time': '200'" &&
		on "$i" "sonic-db-cli CONFIG_DB HGETALL 'PFC_WD|$port'" | grep -q "'action': 'drop'"
	report $? "$fault: the port has its watchdog, with the values it had"
	on "$i" 'show pfcwd stats' | grep -q "$port:3 *stormed"
	stormed=$?
	if [ "$said" = done ]; then
		[ $code = 0 ] && [ $stormed = 1 ]
		report $? "$fault: done is what happened"
	else
		[ $code != 0 ]
		report $? "$fault: what is not done is not called so"
	fi
	case $fault in
	none) [ "$said" = done ] ;;
	write-denied | write-noop) [ "$said" = "$back" ] && [ $stormed = 0 ] ;;
	*) [ "$said" = done ] || [ "$said" = "$back" ] ;;
	esac
	report $? "$fault: nothing stays unknown where it can be read again"
	# Every write that changed something was announced in the ledger before it was sent.
	grep "\"device\":\"$leaf\"" "$top/log" | grep '"wrote":true' |
		sed 's/.*"command":"\([^"]*\)".*/\1/' | sort >"$top/sent"
	grep '"event":"sending"' "$top/r/$leaf/actions.jsonl" |
		sed 's/.*"request":"\([^"]*\)".*/\1/' | sort >"$top/announced"
	cmp -s "$top/sent" "$top/announced"
	code=$?
	[ $code = 0 ] || diff "$top/sent" "$top/announced" | sed 's/^/# /'
	report $code "$fault: each write was announced once, and sent once"
done
echo "1..$n"
exit $failed
