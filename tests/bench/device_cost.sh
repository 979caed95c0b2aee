#!/bin/sh
# What a poll costs the device: a host with 8 NICs of 63 channels each (tools that print, no NIC) behind a real sshd on
# loopback, polled each second by railtop. CPU of sshd and all that it started, in a cgroup of its own. Root only (another user's sshd cannot log anybody else in). tests/bench/device_cost.sh [SECONDS]
set -eu
cd "$(dirname "$0")/../.."
: "${BUILD:=build}"
seconds=${1:-20}
dir=$(mktemp -d /tmp/railtop-device-XXXXXX)
pid=
cgroup=
end() {
	[ -z "$pid" ] || kill "$pid"
	rm -rf "$dir"
	[ -z "$cgroup" ] || rmdir "$cgroup" || echo "left: $cgroup"
}
trap end EXIT
port=$((20000 + $$ % 20000))
ssh-keygen -q -t ed25519 -N '' -f "$dir/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$dir/user_key"
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 "$dir/host_key.pub")" >"$dir/known_hosts"

mkdir -p "$dir/tools" "$dir/sys/class/net"
awk 'BEGIN {
	print "NIC statistics:"
	for (r = 0; r < 63; r++)
		for (k = 0; k < 52; k++)
			printf "     rx%d_ring_counter_name_%d: %d\n", r, k, r * 1000 + k
	for (p = 0; p < 8; p++)
		printf "     rx_prio%d_bytes: 1%d\n     rx_prio%d_pause: 2%d\n     tx_prio%d_pause: 3%d\n     rx_prio%d_pause_duration: 4%d\n     tx_prio%d_pause_duration: 5%d\n     rx_prio%d_discards: 6\n     tx_prio%d_bytes: 7\n     tx_prio%d_packets: 8\n", p, p, p, p, p, p, p, p, p, p, p, p, p
	print "     rx_bytes_phy: 9\n     tx_bytes_phy: 9\n     rx_packets_phy: 9\n     tx_packets_phy: 9\n     link_down_events_phy: 1"
}' >"$dir/statistics"
cat >"$dir/tools/ethtool" <<END
#!/bin/sh
case "\$*" in
-S*) echo x >>$dir/polls; exec cat $dir/statistics ;;
*--show-fec*) echo 'Active FEC encoding: RS' ;;
esac
END
chmod +x "$dir/tools/ethtool"
for i in 0 1 2 3 4 5 6 7; do
	p=$dir/sys/class/infiniband/mlx5_$i
	mkdir -p "$p/ports/1/hw_counters" "$p/ports/1/gid_attrs/ndevs" "$dir/sys/class/net/eth$i"
	echo "4: ACTIVE" >"$p/ports/1/state"
	echo "5: LinkUp" >"$p/ports/1/phys_state"
	echo "eth$i" >"$p/ports/1/gid_attrs/ndevs/0"
	for c in out_of_sequence np_cnp_sent rp_cnp_handled packet_seq_err local_ack_timeout_err; do
		echo 7 >"$p/ports/1/hw_counters/$c"
	done
	echo up >"$dir/sys/class/net/eth$i/operstate"
done

# A cgroup counts what no wait() does: a shell that outlives its session's sshd by a moment.
if [ -d /sys/fs/cgroup/cpuacct ]; then
	cgroup=/sys/fs/cgroup/cpuacct/$(basename "$dir")
	spent() { awk '{print $1 / 1e6}' "$cgroup/cpuacct.usage"; }
else
	cgroup=/sys/fs/cgroup/$(basename "$dir")
	spent() { awk '/^usage_usec/ {print $2 / 1e3}' "$cgroup/cpu.stat"; }
fi
mkdir "$cgroup"

run() { # seconds
	HOME=$dir timeout "$(($1 + 20))" "$BUILD/railtop" record -f "$dir/fabric.yaml" --for "$1s" \
		-o "$dir/$1.rts" >"$dir/said" 2>&1 || cat "$dir/said"
	rm -f "$dir/$1.rts"
	echo "$(spent) $(($(wc -l <"$dir/polls") / 8))"
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
defaults: {interval: 1s, poll: $3, user: $(id -un), identity: $dir/user_key, known_hosts: $dir/known_hosts}
hosts:
  - {names: node1, address: 127.0.0.1, port: $port, dialect: linux}
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
