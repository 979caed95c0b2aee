#!/bin/sh
# What a poll costs the device, behind a real sshd on loopback, polled each second by railtop: a host with 8 NICs of 63 channels
# each (tools that print, no NIC), or a SONiC switch of 64 ports with eight priorities (a real Redis with its databases; sonic-db-cli
# is a script around redis-cli). CPU of sshd, of Redis and of all that they started, in a cgroup of its own. Root only (another
# user's sshd cannot log anybody else in). tests/bench/device_cost.sh [SECONDS [host|switch]]
set -eu
cd "$(dirname "$0")/../.."
: "${BUILD:=build}"
seconds=${1:-20}
kind=${2:-host}
: "${PFC:=0,1,2,3,4,5,6,7}" # what the switch has lossless
export PFC
dir=$(mktemp -d /tmp/railtop-device-XXXXXX)
pid=
redis=
cgroup=
end() {
	[ -z "$pid" ] || kill "$pid"
	[ -z "$redis" ] || { kill "$redis" && wait "$redis" || true; }
	rm -rf "$dir"
	[ -z "$cgroup" ] || rmdir "$cgroup" || echo "left: $cgroup"
}
trap end EXIT
port=$((20000 + $$ % 20000))
ssh-keygen -q -t ed25519 -N '' -f "$dir/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$dir/user_key"
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 "$dir/host_key.pub")" >"$dir/known_hosts"

tests/bench/device_cost_$kind.sh "$dir"

# A cgroup counts what no wait() does: a shell that outlives its session's sshd by a moment.
if [ -d /sys/fs/cgroup/cpuacct ]; then
	cgroup=/sys/fs/cgroup/cpuacct/$(basename "$dir")
	spent() { awk '{print $1 / 1e6}' "$cgroup/cpuacct.usage"; }
else
	cgroup=/sys/fs/cgroup/$(basename "$dir")
	spent() { awk '/^usage_usec/ {print $2 / 1e3}' "$cgroup/cpu.stat"; }
fi
mkdir "$cgroup"
 each=8 dialect=linux section=hosts name=node1 tier= # lines of a poll in polls: one a NIC
if [ "$kind" = switch ]; then
	each=1 dialect=sonic section=switches name=leaf1 tier=", tier: leaf"
	sh -c 'echo $$ >"$1/cgroup.procs" && exec redis-server --port 0 --unixsocket "$2/redis.sock" --save "" --appendonly no' \
		sh "$cgroup" "$dir" >"$dir/redis.log" 2>&1 &
	redis=$!
	for try in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(redis-cli -s "$dir/redis.sock" PING 2>/dev/null)" != PONG ] || break
		[ "$try" -lt 10 ]
		sleep 0.2
	done
	redis-cli -s "$dir/redis.sock" <"$dir/load" >/dev/null
fi

run() { # seconds
	HOME=$dir timeout "$(($1 + 20))" "$BUILD/railtop" record -f "$dir/fabric.yaml" --for "$1s" \
		-o "$dir/$1.rts" >"$dir/said" 2>&1 || cat "$dir/said" >&2
	rm -f "$dir/$1.rts"
	echo "$(spent) $(($(wc -l <"$dir/polls") / each))"
}

# What is asked once a connection is in both runs of a session: the longer one less the shorter is polls.
measure() { # title, line for sshd_config, how it is polled
	: >"$dir/polls"
	cat >"$dir/sshd_config" <<END
ListenAddress 127.0.0.1
Port $port
HostKey $dir/host_key
AuthorizedKeysFile $dir/user_key.pub
PidFile none
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
$2
SetEnv SHLVL=2 SYS=$dir/sys PATH=$dir/tools:/usr/bin:/bin
END
	mkdir -p /run/sshd
	sh -c 'echo $$ >"$1/cgroup.procs" && exec /usr/sbin/sshd -D -f "$2/sshd_config"' sh "$cgroup" "$dir" >"$dir/log" 2>&1 &
	pid=$!
	cat >"$dir/fabric.yaml" <<END
fabric: bench
lossless: {priorities: [$PFC]}
defaults: {interval: 1s, medium_interval: 1h, slow_interval: 1h, poll: $3, user: $(id -un), identity: $dir/user_key, known_hosts: $dir/known_hosts}
$section:
  - {names: $name, address: 127.0.0.1, port: $port, dialect: $dialect$tier}
END
	for try in 1 2 3 4 5 6 7 8 9 10; do
		ssh-keyscan -p "$port" 127.0.0.1 >/dev/null 2>&1 && break
		[ "$try" -lt 10 ]
	done
	before="$(spent) 0"
	first=$(run 3)
	both=$(run $((seconds + 3)))
	echo "$before $first $both" | awk -v title="$1" '{
		cpu = ($5 - $3) - ($3 - $1); polls = ($6 - $4) - $4
		printf "%-42s %4d polls %8.2f ms of CPU each\n", title, polls, polls ? cpu / polls : 0
	}'
	kill "$pid"
	wait "$pid" || true
	pid=
}

measure "a channel for each poll (MaxSessions 2)" "MaxSessions 2" full
measure "a shell that is kept" "" full
measure "with a filter behind it ($(basename "$(readlink -f "$(command -v awk)")"))" "" filtered
[ -z "$redis" ] || redis-cli -s "$dir/redis.sock" INFO commandstats |
	sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\),usec=[0-9]*,usec_per_call=\([0-9.]*\).*/of it Redis, \1 scripts: \2 us each/p'
