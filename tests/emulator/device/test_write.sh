#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Write commands and bad days by the real ssh and curl: three fabrics with every kind of switch.
set -u
needs=openssl always=
. tests/emulator/support/switches.sh

options() {
	echo "-F none -n -o BatchMode=yes -o UserKnownHostsFile=$dir/known_hosts -o LogLevel=ERROR" \
		"-o IdentitiesOnly=yes -i $dir/id_ed25519 -p $ssh_port"
}

eapi() { # commands as JSON
	web "$spine" /command-api -u "$login" -d "{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":1,\"params\":{\"version\":1,\"format\":\"${2:-json}\",\"cmds\":$1}}"
}

nxapi() { # commands, each as one argument
	list=
	for c in "$@"; do
		list="$list${list:+,}{\"jsonrpc\":\"2.0\",\"method\":\"cli_ascii\",\"params\":{\"cmd\":\"$c\",\"version\":1},\"id\":1}"
	done
	web "$spine" /ins -u "$login" -H 'content-type: application/json-rpc' -d "[$list]"
}

nvue() { # state of swp1: up or down, by a revision
	rev=$(web "$leaf" /nvue_v1/revision -u "$login" -X POST | sed -n 's/^  "\([^"]*\)": {.*/\1/p')
	web "$leaf" "/nvue_v1/interface/swp1/link/state?rev=$rev" -u "$login" -X PATCH -d "{\"$1\":{}}" >/dev/null
	web "$leaf" "/nvue_v1/revision/$rev" -u "$login" -X PATCH \
		-d '{"state":"apply","auto-prompt":{"ays":"ays_yes"}}' >/dev/null
}

# ---- SONiC ----
use sonic
ctl inject pfc-storm:node004:mlx5_0
until_has 'Ethernet16:3 *stormed *1/0' on "$leaf" 'show pfcwd stats'
report $? "sonic: a storm is detected"
on "$leaf" 'sudo pfcwd stop Ethernet16' >/dev/null
on "$leaf" 'show pfcwd stats' | grep -q 'Ethernet16:3 *stormed'
[ $? = 1 ]
report $? "sonic: stop clears the state"
on "$leaf" 'sudo config pfcwd start --action drop --restoration-time 400 Ethernet16 200' >/dev/null
until_has 'Ethernet16:3 *stormed *2/1' on "$leaf" 'show pfcwd stats'
report $? "sonic: after start it is detected again"
ctl heal all
on "$leaf" 'sudo config interface shutdown Ethernet128' >/dev/null
eapi '["show bgp summary"]' | grep -q '"peerState":"\(Idle\|Active\|Connect\)"'
report $? "sonic: an uplink that is shut ends the spine's session"
# The job goes on by the other uplinks.
sent() {
	on "$leaf" 'sonic-db-cli COUNTERS_DB HGET COUNTERS:$(sonic-db-cli COUNTERS_DB HGET \
		COUNTERS_PORT_NAME_MAP Ethernet132) SAI_PORT_STAT_IF_OUT_OCTETS'
}
before=$(sent)
grows() {
	[ "$(sent)" -gt $((before + 1000000000)) ] && echo grown
}
until_has grown grows
report $? "sonic: the other uplinks go on"
on "$leaf" 'sudo config interface shutdown Ethernet0' >/dev/null
on "$host" 'ip -br link show eth0' | grep -q DOWN &&
	! on "$host" 'lldpcli show neighbors ports eth0 -f keyvalue' | grep -q leaf-r0-00
report $? "sonic: a port that is shut takes the host's down, and its neighbour is gone"
on "$leaf" 'sudo config interface startup Ethernet0,Ethernet128' >/dev/null
lost_sessions() {
	echo "$(on "$leaf" 'show ip bgp summary' | grep -cE 'Idle|Active|Connect') lost"
}
until_has UP on "$host" 'ip -br link show eth0' &&
	until_has leaf-r0-00 on "$host" 'lldpcli show neighbors ports eth0 -f keyvalue' &&
	until_has '^0 lost' lost_sessions
report $? "sonic: startup brings link, neighbour and session back"

on "$leaf" 'sudo counterpoll port interval 3000; counterpoll show; sonic-db-cli CONFIG_DB HGET "FLEX_COUNTER_TABLE|PORT" POLL_INTERVAL' >"$top/poll"
grep -q 'PORT_STAT *3000 *enable' "$top/poll" && grep -qx 3000 "$top/poll"
report $? "sonic: the interval of counters is told"

ids() {
	on "$leaf" 'cat /proc/sys/kernel/random/boot_id; sonic-db-cli COUNTERS_DB HGET COUNTERS_PORT_NAME_MAP Ethernet0'
}
ids >"$top/ids"
ctl inject reboot:leaf-r0-00,down=2s
booted() {
	ids >"$top/ids.new" && grep -q oid "$top/ids.new" && ! cmp -s "$top/ids" "$top/ids.new" && echo booted
}
until_has booted booted &&
	[ "$(sort "$top/ids" "$top/ids.new" | uniq -d | wc -l)" = 0 ] &&
	[ "$(wc -l <"$top/ids.new")" = 2 ]
report $? "sonic: a reboot renumbers ports and the boot"
ctl heal all

mkfifo "$top/tail"
timeout 60 ssh $(options) "noc@$leaf" "sudo tail -n 0 -F /var/log/syslog | grep Ethernet4" >"$top/tail" 2>&1 &
follower=$!
exec 8<"$top/tail"
# The link goes down and up until the reader, whenever it came, has a line.
(while :; do on "$leaf" 'sudo config interface shutdown Ethernet4; sudo config interface startup Ethernet4' >/dev/null; done) &
mover=$!
read -r line <&8
kill $mover $follower 2>/dev/null
wait $mover $follower 2>/dev/null
exec 8<&-
case $line in *Ethernet4*) true ;; *) false ;; esac
report $? "sonic: tail -F prints what is logged later"

# ---- EOS ----
eapi '["enable","configure","interface Ethernet1/1","shutdown"]' | grep -q '"result"' &&
	eapi '["show interfaces Ethernet1/1 status"]' | grep -q '"linkStatus":"disabled"' &&
	on "$leaf" 'show interfaces status Ethernet128' | grep -q 'down *up'
report $? "eos: shutdown takes the leaf's port down"
eapi '["enable","configure","interface Ethernet1/1","no shutdown"]' >/dev/null
until_has 'up *up' on "$leaf" 'show interfaces status Ethernet128'
report $? "eos: no shutdown brings it back"

# ---- hosts ----
on "$host" 'sudo ip link set eth3 down' >/dev/null
on "$net.4" 'show interfaces status Ethernet0' | grep -q 'down *up'
report $? "host: ip link set down is seen by the leaf"
on "$host" 'sudo ip link set eth3 up' >/dev/null
until_has 'up *up' on "$net.4" 'show interfaces status Ethernet0'
report $? "host: and up again"

# ---- NX-OS ----
use broadcom
nxapi 'configure terminal' 'interface Ethernet1/1' shutdown >/dev/null
nxapi 'show interface Ethernet1/1 brief' | grep -q 'Administratively down' &&
	on "$leaf" 'show interfaces status Ethernet128' | grep -q 'down *up'
report $? "nx-os: shutdown takes the leaf's port down"
nxapi 'configure terminal' 'interface Ethernet1/1' 'no shutdown' >/dev/null
until_has 'up *up' on "$leaf" 'show interfaces status Ethernet128'
report $? "nx-os: no shutdown brings it back"
curl -sS --max-time 20 --cacert "$dir/ca.pem" -c "$top/jar" -o "$top/aaa" \
	-d "{\"aaaUser\":{\"attributes\":{\"name\":\"${login%%:*}\",\"pwd\":\"${login#*:}\"}}}" \
	"https://$spine:$https_port/api/aaaLogin.json"
dme() {
	curl -sS --max-time 20 --cacert "$dir/ca.pem" -b "$top/jar" -w ' %{http_code}\n' \
		"https://$spine:$https_port/api/class/topSystem.json"
}
dme | grep -q ' 200$'
report $? "nx-os: a cookie opens the object store"
ctl inject clock-skew:spine-000,by=700s
dme | grep -q ' 403$'
report $? "nx-os: after ten minutes it does not"
ctl heal all

# ---- Cumulus and FRR ----
use cumulus
nvue down
web "$leaf" /nvue_v1/interface/swp1/link/state -u "$login" | grep -q '"down"' &&
	on "$host" 'ip -br link show eth0' | grep -q DOWN
report $? "cumulus: a revision takes a link down once it is applied"
nvue up
until_has UP on "$host" 'ip -br link show eth0'
report $? "cumulus: and up again"
ctl inject password-expired:leaf-r0-00
web "$leaf" /nvue_v1/system -u "$login" | grep -q ' 403$' &&
	on "$leaf" 'echo cumulus:Range-0815 | sudo chpasswd' >/dev/null &&
	web "$leaf" /nvue_v1/system -u "$login" | grep -q ' 200$'
report $? "cumulus: 403 until the password is changed"
on "$spine" 'sudo ip link set swp1 down' >/dev/null
on "$leaf" 'ip -br link' | grep -q '^swp33 *DOWN' &&
	! on "$spine" 'vtysh -c "show bgp summary"' | grep -qE 'swp1\).* [0-9]+[dw:].* [0-9]+ +[0-9]+ N/A'
report $? "frr: ip link set down ends link and session"
on "$spine" 'sudo ip link set swp1 up' >/dev/null
until_has '^swp33 *UP' on "$leaf" 'ip -br link'
report $? "frr: and up again"

# ---- what every device has: slow and failing commands, clocks, names ----
for fabric in sonic broadcom cumulus; do
	use $fabric
	for device in leaf-r0-00 spine-000 node000; do
		ctl inject "clock-skew:$device,by=86400s" && ctl inject "commands-fail:$device"
	done
	tomorrow=$(date -u -d '+1 day' +%b)
	case $fabric in
	sonic)
		bad=$(eapi '["show version"]')$(on "$leaf" 'show version')
		want='500|error|RuntimeError'
		;;
	broadcom)
		bad=$(nxapi 'show version')$(on "$leaf" 'lldpctl')
		want='Service not responding|unable to connect'
		;;
	*)
		bad=$(web "$leaf" /nvue_v1/system -u "$login")$(on "$spine" 'vtysh -c "show bgp summary"')
		want=' 500|shared'
		;;
	esac
	echo "$bad" | grep -qE "$want" && on "$host" 'ip link' | grep -q 'error while loading'
	report $? "$fabric: a dead agent is told in its own words"
	ahead=0
	for a in "$leaf" "$spine" "$host"; do
		t=$(on "$a" 'date +%s' | tail -n 1)
		case $t in *[!0-9]* | '') continue ;; esac
		[ $((t - $(date +%s))) -ge 86400 ] && ahead=$((ahead + 1))
	done
	[ $ahead -ge 2 ] && [ -n "$tomorrow" ]
	report $? "$fabric: clocks are wrong where they are"
	ctl heal all
	for device in leaf-r0-00 spine-000 node000; do
		ctl inject "slow:$device,delay=400ms"
	done
	began=$(date +%s%N)
	bad=$(web "$spine" / -u "$login" -o "$top/page" 2>/dev/null)
	on "$leaf" date >/dev/null && on "$host" date >/dev/null || bad=unanswered
	case $fabric in cumulus) on "$spine" date >/dev/null ;; *) [ "${bad# }" -ge 200 ] ;; esac
	[ $? = 0 ] && [ $(($(date +%s%N) - began)) -ge 1200000000 ]
	report $? "$fabric: slow devices answer late, and do"
	ctl heal all
	for a in "$leaf" "$spine" "$host"; do
		ssh-keyscan -T 5 -p "$ssh_port" "$a" 2>&1
		openssl s_client -connect "$spine:$https_port" </dev/null 2>/dev/null
		web "$spine" / -u "$login" -i
	done >"$top/names" 2>/dev/null
	grep -q 'SSH-2.0-OpenSSH' "$top/names" && ! grep -qiE 'libssh|railtop|emulat|microhttpd' "$top/names"
	report $? "$fabric: greetings, headers and certificates are a device's"
done

# ---- RAS ----
use sonic
ras() {
	printf 'CLIENT PROTOCOL 2\nTIMEOUT 2\nSET FORMAT json\nVERBOSE STATUS\n' |
		timeout 20 ssh $(options | sed 's/ -n / /') -W localhost:28028 "noc@$host" | sed 1,3d
}
judge() { # a Python expression over c, the first communicator, and the total of its counts
	ras | python3 -c 'import json, sys
o = json.load(sys.stdin)
c = o["communicators"][0]
total = sum(sum(r["collective_counts"].values()) for r in c["ranks"] if "collective_counts" in r)
def done(host):
	return [sum(r["collective_counts"].values()) for r in c["ranks"] if r["host"] == host]
print("yes" if eval(sys.argv[1]) else "no", total)' "$1"
}
if command -v python3 >/dev/null; then
	first=$(judge True)
	until_has '^yes' judge "total > ${first#yes }"
	report $? "ras: the report is JSON, and its counts grow"
	ctl inject gpu-straggler:node003,delay=1500ms
	until_has '^yes' judge "max(done('10.10.0.4')) < max(done('10.10.0.5'))"
	report $? "ras: a late host is behind"
	ctl heal all
	ctl inject rank-dead:node003
	until_has '^yes' judge 'c["missing_ranks_count"] > 0'
	report $? "ras: dead ranks are missing"
	ctl heal all
fi

echo "1..$n"
exit $failed
