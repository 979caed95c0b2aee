#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes that fail, by the real ssh and curl, on every kind of device; and the log of what was sent.
set -u
needs=python3 always=--steady
. tests/emulator/support/switches.sh

# One write command of each dialect, and the words that show whether it took effect.
write() { # up or down
	case $kind in
	sonic) [ "$1" = up ] && word=startup || word=shutdown
		on "$leaf" "sudo -n config interface $word Ethernet16" ;;
	linux) on "$host" "sudo -n ip link set dev eth1 $1" ;;
	frr) [ "$1" = up ] && word='no shutdown' || word=shutdown
		on "$spine" "sudo -n vtysh -c 'configure terminal' -c 'interface swp1' -c '$word'" ;;
	eos) [ "$1" = up ] && word='no shutdown' || word=shutdown
		web "$spine" /command-api -u "$login" -d "{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":7,\"params\":{\"version\":1,\"cmds\":[\"enable\",\"configure\",\"interface Ethernet1/1\",\"$word\"]}}" ;;
	nxos) [ "$1" = up ] && word='no shutdown' || word=shutdown
		web "$spine" /ins -u "$login" -H 'content-type: application/json-rpc' -d "[$(for c in 'configure terminal' 'interface Ethernet1/1' "$word"; do
			printf '%s{"jsonrpc":"2.0","method":"cli","params":{"cmd":"%s","version":1},"id":1}' "${sep:-}" "$c"
			sep=,
		done)]" ;;
	esac
}
state() {
	case $kind in
	sonic) on "$leaf" "sonic-db-cli CONFIG_DB HGET 'PORT|Ethernet16' admin_status" ;;
	linux) on "$host" "cat /sys/class/net/eth1/operstate" ;;
	frr) on "$spine" "ip -o link show dev swp1" | sed 's/.*[<,]UP[,>].*/up/; s/.*state.*/down/' ;;
	eos) web "$spine" /command-api -u "$login" -d '{"jsonrpc":"2.0","method":"runCmds","id":1,"params":{"version":1,"cmds":["show interfaces status"]}}' |
		grep -o '"Ethernet1/1": *{[^}]*"linkStatus": *"[a-z]*"' | sed 's/.*disabled"/down/; s/.*connected"/up/' ;;
	nxos) web "$spine" /ins -u "$login" -H 'content-type: application/json-rpc' -d '[{"jsonrpc":"2.0","method":"cli_ascii","params":{"cmd":"show running-config interface Ethernet1/1","version":1},"id":1}]' |
		sed 's/.*no shutdown.*/up/; s/.*shutdown.*/down/' ;;
	esac
}
is() {
	[ "$(state | tr -d '\n' | tail -c 4)" = "$1" ] || state | grep -qx "$1"
}

device() {
	case $kind in
	sonic | cumulus) echo leaf-r0-00 ;;
	linux) echo node000 ;;
	*) echo spine-000 ;;
	esac
}

for pair in sonic:sonic sonic:linux sonic:eos broadcom:nxos cumulus:frr; do
	use "${pair%:*}"
	kind=${pair#*:}
	d=$(device)
	write up >/dev/null
	is up
	report $? "$kind: the port is up"
	ctl inject "write-cut:$d"
	write down >"$top/said" 2>&1
	code=$?
	[ $code != 0 ] && [ $code != 124 ] && is down
	report $? "$kind: cut after the write took effect"
	write up >/dev/null
	is up
	report $? "$kind: the next write is answered"
	ctl heal all
	ctl inject "write-cut:$d,before=yes,n=2"
	write up >/dev/null && ! write down >/dev/null 2>&1 && is up
	report $? "$kind: the second write is cut before it takes effect"
	ctl heal all
	ctl inject "write-hang:$d"
	patience=2 write down >"$top/said" 2>&1
	code=$?
	{ [ $code = 124 ] || [ $code = 28 ]; } && is down
	report $? "$kind: a write that took effect is not answered, reads are"
	ctl heal all
	ctl inject "write-hang:$d,before=yes"
	patience=2 write up >"$top/said" 2>&1
	code=$?
	{ [ $code = 124 ] || [ $code = 28 ]; } && is down
	report $? "$kind: a write that is not answered took no effect"
	ctl heal all
	ctl inject "write-noop:$d"
	write up >"$top/said" && is down
	report $? "$kind: a write is taken and changes nothing"
	ctl heal all
	ctl inject "write-denied:$d"
	write up >"$top/said"
	grep -qE 'a password is required|privileged mode required|Permission denied for the role' "$top/said" && is down
	report $? "$kind: a write is denied in the vendor's words"
	ctl heal all
	if [ $kind = eos ] || [ $kind = nxos ]; then
		ctl inject "session-expired:$d"
		write up | grep -q ' 401$' && is down && write up >/dev/null && is up
		report $? "$kind: the session is gone at the write"
		ctl heal all
	fi
	write up >/dev/null
	is up
	report $? "$kind: healed, all is as before"
done

# ---- sessions of eAPI really end ----
use sonic
jar=$top/jar
web "$spine" /login -c "$jar" -d "{\"username\":\"${login%%:*}\",\"password\":\"${login#*:}\"}" >/dev/null
ask() {
	web "$spine" /command-api -b "$jar" -d "{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":1,\"params\":{\"version\":1,\"cmds\":[$1]}}"
}
ctl inject session-expired:spine-000
ask '"show version"' | grep -q ' 200$' &&
	ask '"enable","configure","interface Ethernet1/1","shutdown"' | grep -q ' 401$' &&
	ask '"show version"' | grep -q ' 401$'
report $? "eos: an expired session is gone for reads as well"
ctl heal all

# ---- NVUE: every step of a change is a write ----
use cumulus
nv() { # method, path, body
	web "$leaf" "/nvue_v1$2" -u "$login" -X "$1" ${3:+-d "$3"}
}
revision() {
	nv POST /revision | sed -n 's/^  "\([^"]*\)": {.*/\1/p'
}
shut() {
	nv PATCH "/interface/swp1/link/state?rev=$rev" '{"down":{}}' >"$top/said" 2>&1 || return 1
	nv PATCH "/revision/$rev" '{"state":"apply","auto-prompt":{"ays":"ays_yes"}}' >"$top/said" 2>&1
}
swp1() {
	nv GET '/interface/swp1/link?rev=operational' | tr -d ' \n' | grep -q "\"state\":{\"$1\""
}
ctl inject write-denied:leaf-r0-00
nv POST /revision | grep -q ' 403$' && nv GET /interface/swp1/link | grep -q ' 200$'
report $? "nvue: a user without the right gets 403, and may read"
ctl heal all
ctl inject write-cut:leaf-r0-00,n=3,before=yes
rev=$(revision)
! shut && swp1 up && nv GET "/revision/$rev" | grep -q '"pending"'
report $? "nvue: cut before an apply leaves the revision pending"
ctl heal all
ctl inject write-cut:leaf-r0-00,n=3
rev=$(revision)
! shut && swp1 down && nv GET "/revision/$rev" | grep -qE '"(ready|reloading|applied)"'
report $? "nvue: cut after an apply"
ctl heal all

# ---- a stuck watchdog ----
use sonic
stats() {
	on "$leaf" 'show pfcwd stats'
}
ctl inject watchdog-stuck:leaf-r0-00:Ethernet20
until_has 'Ethernet20:3 *stormed' stats
report $? "sonic: a watchdog is stuck"
on "$leaf" 'sudo -n pfcwd stop Ethernet20 && sudo -n pfcwd start --action drop Ethernet20 200 --restoration-time 400' >/dev/null
stats | grep -q 'Ethernet20:3 *stormed'
[ $? = 1 ]
report $? "sonic: stop and start on the port free it"
"$emulator" ctl "$dir" list | grep -q 'over .*watchdog-stuck'
report $? "sonic: the fault is over by it"

# ---- the log ----
python3 - "$top/sonic.log" "$top/broadcom.log" "$top/cumulus.log" <<'EOF'
import json, sys
lines = [json.loads(l) for name in sys.argv[1:] for l in open(name)]
assert all(l["device"] and l["via"] in ("ssh", "https", "forward") for l in lines)
reads = [l for l in lines if l.get("command") == "show pfcwd stats"]
assert reads and not any(l["wrote"] or l["changed"] for l in reads)
stop = [l for l in lines if l.get("command", "").startswith("sudo -n pfcwd stop")]
assert len(stop) == 1 and stop[0]["wrote"] and stop[0]["changed"] and stop[0]["user"] == "noc"
lost = [l for l in lines if l["via"] != "forward" and l["wrote"] and not l["changed"]]
assert {l["via"] for l in lost} == {"ssh", "https"}
calls = [l for l in lines if l["via"] == "https"]
assert any(l["method"] == "POST" and l["path"] == "/command-api" and "runCmds" in l["body"] for l in calls)
assert any(l["path"] == "/nvue_v1/interface/swp1/link" for l in calls)
EOF
report $? "the log has every command, and whether it changed anything"
[ "$(stat -c %a "$top/sonic.log")" = 600 ]
report $? "the log is its owner's only"

echo "1..$n"
exit $failed
