#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fabrics of real programs for `railtop discover`: FRR, lldpd, sshd, each device in network, mount
# and host name namespaces of its own. Every device has the same programs. Started by test_labs.c as
# the first process of a process namespace: when it ends, everything in here ends with it.
#
#   lab.sh DIR TOPOLOGY    DIR has host_key, authorized_keys. Management: 192.0.2.1 is the test,
#                          192.0.2.11 and up the devices in the order of NODES. No name resolves.
# Prints "ready", and "converged" when all routes are there; ends with its input.
DIR=$1
TOPOLOGY=$2
PATH=$PATH:/usr/sbin:/sbin:/usr/lib/frr

fail() { echo "failed $*"; exit 1; }

# A line a step: the test gives up on a lab that says nothing. Busy machines need long for all of it.
BEGUN=$(date +%s)
step() {
	echo "step $*"
	[ $(($(date +%s) - BEGUN)) -lt 150 ] || fail "at $*"
}

node_main() {
	mount --make-rprivate / && mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/log || exit 1
	mount -t sysfs sysfs /sys
	mkdir -p /run/sshd /run/frr /run/lldpd
	chown frr:frr /run/frr
	ip link set lo up
	hostname "$1" # the sign that all is in place
	exec sleep 1000000
}
[ -n "$3" ] && node_main "$3"

in_node() {
	n=$1
	shift
	nsenter -t "$(cat "$DIR/$n.pid")" -n -m -u "$@"
}

cable() { # node port node port
	ip link add "$2" netns "$(cat "$DIR/$1.pid")" mtu 9216 type veth \
		peer name "$4" netns "$(cat "$DIR/$3.pid")" mtu 9216 || fail "cable $*"
	in_node "$1" ip link set "$2" up
	in_node "$3" ip link set "$4" up
}

# A device that is slow: each of its answers comes five seconds late.
start_sshd() { # node [late]
	cat >"$DIR/$1/late" <<-'END'
		#!/bin/sh
		sleep 5
		exec sh -c "$SSH_ORIGINAL_COMMAND"
	END
	chmod 755 "$DIR/$1/late"
	late="${2:+ForceCommand=$DIR/$1/late}"
	in_node "$1" /usr/sbin/sshd -o PidFile=none -o UsePAM=no -o StrictModes=no -o ListenAddress=0.0.0.0 \
		-o HostKey="$DIR/host_key" -o AuthorizedKeysFile="$DIR/authorized_keys" \
		-o SetEnv="SYS=$DIR/$1/sys" -o PermitRootLogin=prohibit-password \
		-o "${late:-ForceCommand=none}" -f /dev/null || fail "sshd of $1"
}

start_lldpd() { # node
	in_node "$1" sh -c "
		printf '%s\n' 'configure lldp tx-interval 1' 'configure lldp tx-hold 30' \
			'configure lldp portidsubtype ifname' 'configure system hostname $1' >/run/lldpd.conf
		lldpd -m '192.0.2.*' -I 'swp*,eth*,!eth0' -O /run/lldpd.conf" || fail "lldpd of $1"
}

start_frr() { # node as peers...
	{
		echo "hostname $1"
		echo "router bgp $2"
		echo " bgp router-id 10.255.$(($2 / 250 % 250)).$(($2 % 250))"
		echo " no bgp ebgp-requires-policy"
		echo " timers bgp 1 3"
		echo " neighbor FABRIC peer-group"
		echo " neighbor FABRIC remote-as external"
		echo " neighbor FABRIC timers connect 1"
		echo " neighbor FABRIC advertisement-interval 0"
		node=$1
		shift 2
		for p; do
			echo " neighbor $p interface peer-group FABRIC"
			printf 'interface %s\n ipv6 nd ra-interval 1\n no ipv6 nd suppress-ra\n' "$p" \
				>>"$DIR/$node/zebra.conf"
		done
		echo " address-family ipv4 unicast"
		echo "  redistribute connected"
	} >"$DIR/$1/bgpd.conf"
	for d in zebra bgpd; do # as their own user, who cannot read in $DIR
		in_node "$node" sh -c "cat >/run/frr/$d.conf" <"$DIR/$node/$d.conf"
		in_node "$node" "$d" -d -f "/run/frr/$d.conf" || fail "$d of $node"
	done
	step "FRR of $node"
}

# Two RDMA devices, as sysfs shows them.
add_rdma() { # node
	for i in 0 1; do
		d="$DIR/$1/sys/class/infiniband/mlx5_$i"
		mkdir -p "$d/ports/1/gid_attrs/ndevs" "$d/device/net/eth$((i + 1))"
		echo "4: ACTIVE" >"$d/ports/1/state"
		echo "5: LinkUp" >"$d/ports/1/phys_state"
		echo "eth$((i + 1))" >"$d/ports/1/gid_attrs/ndevs/0"
	done
}

forward() { in_node "$1" sysctl -qw net.ipv4.ip_forward=1; }
loopback() { in_node "$1" ip addr add "$2" dev lo; }

make_nodes() {
	ip link add br0 type bridge && ip addr add 192.0.2.1/24 dev br0 && ip link set br0 up || fail bridge
	for n in $NODES; do
		mkdir -p "$DIR/$n/sys/class/infiniband"
		: >"$DIR/$n/zebra.conf"
		unshare --net --mount --uts sh "$0" "$DIR" "$TOPOLOGY" "$n" >/dev/null 2>&1 &
		echo $! >"$DIR/$n.pid"
	done
	i=10
	for n in $NODES; do
		until [ "$(in_node "$n" hostname 2>/dev/null)" = "$n" ]; do
			kill -0 "$(cat "$DIR/$n.pid")" 2>/dev/null || fail "namespaces of $n"
		done
		i=$((i + 1))
		ip link add "m$i" type veth peer name eth0 netns "$(cat "$DIR/$n.pid")" || fail "veth of $n"
		ip link set "m$i" master br0 up
		step "$n"
		in_node "$n" sh -c "ip addr add 192.0.2.$i/24 dev eth0; ip link set eth0 up"
	done
}

# Servers of a Clos: host1 and host2 announce a loopback, host3 does so to two leaves and would
# carry their traffic, host4 forwards for containers, the rest are silent.
clos() { # spines leaves hosts a leaf
	spines=$1 leaves=$2 each=$3
	for l in $(seq "$leaves"); do
		for s in $(seq "$spines"); do
			cable "leaf$l" "swp$((48 + s))" "spine$s" "swp$l"
		done
		for h in $(seq "$each"); do
			cable "leaf$l" "swp$h" "host$(((l - 1) * each + h))" eth1
		done
		loopback "leaf$l" "10.1.$l.1/24"
		forward "leaf$l"
	done
	[ "$each" -lt 2 ] || cable leaf2 swp9 host3 eth2
	for s in $(seq "$spines"); do
		loopback "spine$s" "10.2.$s.1/32"
		forward "spine$s"
		start_frr "spine$s" $((65010 + s)) $(seq -f 'swp%g' "$leaves")
	done
	for l in $(seq "$leaves"); do
		start_frr "leaf$l" $((65100 + l)) $(seq -f 'swp%g' 49 $((48 + spines))) $(seq -f 'swp%g' "$each") \
			$([ "$l" = 2 ] && [ "$each" -ge 2 ] && echo swp9)
	done
	for h in 1 2 3; do
		loopback "host$h" "10.3.$h.1/32"
		start_frr "host$h" $((65200 + h)) eth1 $([ "$h" = 3 ] && [ "$each" -ge 2 ] && echo eth2)
	done
	in_node host4 sh -c 'ip link add docker0 type bridge; ip addr add 172.17.0.1/16 dev docker0'
	forward host4
}

names() { seq -f "$1%g" -s ' ' "$2"; }

case $TOPOLOGY in
clos | late) NODES="$(names spine 2) $(names leaf 4) $(names host 8)" ;;
large) NODES="$(names spine 4) $(names leaf 8) $(names host 16)" ;;
single) NODES="$(names spine 1) $(names leaf 2) $(names host 4)" ;;
rail) NODES="$(names leaf 2) $(names host 4)" ;;
*) fail "no such topology: $TOPOLOGY" ;;
esac
make_nodes
case $TOPOLOGY in
clos | late) clos 2 4 2 ;;
large) clos 4 8 2 ;;
single) clos 1 2 2 ;;
rail)
	for h in 1 2 3 4; do
		cable "host$h" eth1 leaf1 "swp$h"
		cable "host$h" eth2 leaf2 "swp$h"
		loopback "host$h" "10.3.$h.1/32"
		add_rdma "host$h"
	done
	for l in 1 2; do
		loopback "leaf$l" "10.1.$l.1/32"
		start_frr "leaf$l" $((65100 + l)) swp1 swp2 swp3 swp4
	done
	start_frr host1 65201 eth1 eth2
	start_frr host2 65202 eth1 eth2
	;;
esac
for n in $NODES; do
	case $TOPOLOGY/$n in
	late/leaf3) start_sshd "$n" late ;;
	*) start_sshd "$n" ;;
	esac
	start_lldpd "$n"
	step "daemons of $n"
done
echo ready
# Each leaf knows the last leaf, or the first announced host; each device has a neighbour.
last="$(echo "$NODES" | tr ' ' '\n' | grep -c leaf)"
for n in $NODES; do
	case $n in
	leaf"$last") net=10.1.1. ;;
	leaf*) net=10.1.$last. ;;
	*) net= ;;
	esac
	[ "$TOPOLOGY" = rail ] && net=${net:+10.3.2.}
	until in_node "$n" lldpcli -f keyvalue show neighbors | grep -q chassis.name &&
		{ [ -z "$net" ] || in_node "$n" ip route show proto bgp | grep -qF "$net"; }; do
		sleep 0.2
		step "routes of $n"
	done
done
# The last cable's neighbours are there, too, and the last announcement.
for n in $NODES; do
	until [ "$(in_node "$n" lldpcli -f keyvalue show neighbors | grep -c 'chassis.name=')" = \
		"$(in_node "$n" sh -c 'ls /sys/class/net | grep -cE "^(swp|eth[1-9])"')" ]; do
		sleep 0.2
		step "neighbours of $n"
	done
done
echo converged
while read -r _; do :; done
