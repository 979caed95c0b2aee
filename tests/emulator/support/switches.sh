# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests that write to emulated switches with the real ssh and curl: TAP lines, and
# fabrics with every kind of switch that end with the test. $needs are the programs that it wants.
: "${BUILD:=build}"
. tests/support/slot.sh
emulator=$BUILD/railtop-emulator
for need in "$emulator" ssh curl $needs; do
	if ! command -v "$need" >/dev/null; then
		echo "1..1"
		echo "ok 1 - network # SKIP $need is missing"
		exit 0
	fi
done
top=$(mktemp -d)
pids=
n=0
failed=0
trap 'for p in $pids; do kill "$p" 2>/dev/null; done; wait; rm -rf "$top"' EXIT

report() { # status, name
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

# Fabric time passes ten times as fast, so that hold times and re-connects are over soon.
start() { # name, first three numbers of its addresses, options...
	name=$1 net=$2
	shift 2
	mkfifo "$top/$name.ready"
	"$emulator" --preset ref256 --dir "$top/$name" --listen "$net.1" --speed 10 $always \
		--command-log "$top/$name.log" --die-with-parent --for 300s "$@" \
		</dev/null >"$top/$name.ready" 2>"$top/$name.err" &
	pids="$pids $!"
	read -r _ <"$top/$name.ready"
	echo "$net" >"$top/$name.net"
}

use() {
	dir=$top/$1 log=$top/$1.log net=$(cat "$top/$1.net")
	ssh_port=$(sed -n 's/.*names: "node.*, port: \([0-9]*\).*/\1/p' "$dir/fabric.yaml")
	https_port=$(sed -n 's/.*, port: \([0-9]*\).*transport: https.*/\1/p' "$dir/fabric.yaml")
	login=$(cat "$dir"/*.password)
	leaf=$net.1 spine=$net.9 host=$net.13
}

on() { # address, command
	timeout "${patience:-20}" ssh -F none -n -o BatchMode=yes -o LogLevel=ERROR \
		-o UserKnownHostsFile="$dir/known_hosts" -o IdentitiesOnly=yes \
		-i "$dir/id_ed25519" -p "$ssh_port" "noc@$1" "$2" 2>&1
}

web() { # address, path, options...
	where=https://$1:$https_port$2
	shift 2
	curl -sS --max-time "${patience:-20}" --cacert "$dir/ca.pem" -w ' %{http_code}' "$@" "$where" 2>&1
}

ctl() {
	"$emulator" ctl "$dir" "$@" >/dev/null
}

# Asks again until the answer has the words: each question takes its time, and that is all it waits.
until_has() { # words, function and arguments...
	want=$1 tries=0
	shift
	while [ $tries -lt 60 ]; do
		"$@" 2>&1 | grep -qE "$want" && return 0
		tries=$((tries + 1))
	done
	return 1
}

start sonic "$slot_net.0"
start broadcom "$slot_net.1" --platforms leaf=sonic-broadcom,spine=nxos
start cumulus "$slot_net.2" --platforms leaf=cumulus,spine=frr
