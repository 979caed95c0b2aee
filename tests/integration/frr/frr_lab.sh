#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A small fabric of real programs: 2 spines and 4 leaves (FRR, lldpd), 8 hosts (lldpd), each in
# network, mount and host name namespaces of its own with an sshd. Started by test_frr_lab.c as the
# first process of a process namespace: when it ends, everything in here ends with it.
#
#   frr_lab.sh DIR    DIR has host_key, authorized_keys. Management: 192.0.2.1 is whoever started
#                     it, 192.0.2.11 and up the nodes in the order below.
# Prints "ready", then reads lines "NODE COMMAND..." and prints "done STATUS" after each.
DIR=$1
PATH=$PATH:/usr/sbin:/sbin:/usr/lib/frr
NODES="spine1 spine2 leaf1 leaf2 leaf3 leaf4 host1 host2 host3 host4 host5 host6 host7 host8"

fail() { echo "failed $*"; exit 1; }

# Everything that a daemon writes is private to its node.
node_main() {
	mount --make-rprivate / && mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/log || exit 1
	mount -t sysfs sysfs /sys
	mkdir -p /run/sshd /run/frr /run/lldpd
	: >/var/log/syslog
	chown frr:frr /run/frr /var/log/syslog
	ip link set lo up
	hostname "$1" # the sign that all is in place
	exec sleep 1000000
}
[ -n "$2" ] && node_main "$2"

in_node() {
	n=$1
	shift
	nsenter -t "$(cat "$DIR/$n.pid")" -n -m -u "$@"
}

mgmt() { # node number
	ip link add "m$2" type veth peer name eth0 netns "$(cat "$DIR/$1.pid")" || fail "veth of $1"
	ip link set "m$2" master br0 up
	in_node "$1" sh -c "ip addr add 192.0.2.$((10 + $2))/24 dev eth0; ip link set eth0 up"
}

cable() { # node port node port
	ip link add "$2" netns "$(cat "$DIR/$1.pid")" mtu 9216 type veth \
		peer name "$4" netns "$(cat "$DIR/$3.pid")" mtu 9216 || fail "cable $*"
	in_node "$1" ip link set "$2" up
	in_node "$3" ip link set "$4" up
}

start_sshd() {
	in_node "$1" /usr/sbin/sshd -o PidFile=none -o UsePAM=no -o StrictModes=no -o ListenAddress=0.0.0.0 \
		-o HostKey="$DIR/host_key" -o AuthorizedKeysFile="$DIR/authorized_keys" -o SetEnv=SHLVL=2 \
		-o PermitRootLogin=prohibit-password -f /dev/null || fail "sshd of $1"
}

start_lldpd() {
	in_node "$1" sh -c "
		printf '%s\n' 'configure lldp tx-interval 1' 'configure lldp tx-hold 3' \
			'configure lldp portidsubtype ifname' 'configure system hostname $1' >/run/lldpd.conf
		lldpd -I '$2' -O /run/lldpd.conf" || fail "lldpd of $1"
}

bgp_conf() { # node as peers...
	echo "hostname $1"
	echo "log file /var/log/syslog informational"
	echo "router bgp $2"
	echo " bgp router-id 10.255.0.${2#650}"
	echo " no bgp ebgp-requires-policy"
	echo " bgp log-neighbor-changes"
	echo " timers bgp 1 3"
	echo " neighbor FABRIC peer-group"
	echo " neighbor FABRIC remote-as external"
	echo " neighbor FABRIC timers connect 1"
	echo " neighbor FABRIC advertisement-interval 0"
	shift 2
	for p in "$@"; do
		case $p in
		swp*) echo " neighbor $p interface peer-group FABRIC" ;;
		*) echo " neighbor $p peer-group FABRIC" ;;
		esac
	done
	echo " address-family ipv4 unicast"
	echo "  redistribute connected"
}

start_bgpd() {
	in_node "$1" bgpd -d -f /run/frr/bgpd.conf || fail "bgpd of $1"
}

start_frr() { # node as peers...
	bgp_conf "$@" | in_node "$1" sh -c 'cat >/run/frr/bgpd.conf'
	{
		echo "hostname $1"
		for p in swp1 swp2 swp3 swp4 swp49 swp50; do
			printf 'interface %s\n ipv6 nd ra-interval 1\n no ipv6 nd suppress-ra\n' $p
		done
	} | in_node "$1" sh -c 'cat >/run/frr/zebra.conf'
	in_node "$1" zebra -d -f /run/frr/zebra.conf || fail "zebra of $1"
	start_bgpd "$1"
}

ip link add br0 type bridge && ip addr add 192.0.2.1/24 dev br0 && ip link set br0 up || fail bridge
i=0
for n in $NODES; do
	i=$((i + 1))
	mkdir -p "$DIR/$n"
	unshare --net --mount --uts sh "$0" "$DIR" "$n" >/dev/null 2>&1 &
	echo $! >"$DIR/$n.pid"
done
for n in $NODES; do
	until [ "$(in_node "$n" hostname 2>/dev/null)" = "$n" ]; do
		kill -0 "$(cat "$DIR/$n.pid")" 2>/dev/null || fail "namespaces of $n"
	done
done
i=0
for n in $NODES; do
	i=$((i + 1))
	mgmt "$n" $i
	start_sshd "$n"
done
for l in 1 2 3 4; do
	cable leaf$l swp49 spine1 swp$l
	cable leaf$l swp50 spine2 swp$l
	in_node leaf$l ip addr add 10.254.$l.1/31 dev swp50
	in_node spine2 ip addr add 10.254.$l.0/31 dev swp$l
	in_node leaf$l ip addr add 10.1.$l.1/24 dev lo
	cable leaf$l swp1 host$((2 * l - 1)) eth1
	cable leaf$l swp2 host$((2 * l)) eth1
done
start_frr spine1 65011 swp1 swp2 swp3 swp4
start_frr spine2 65012 10.254.1.1 10.254.2.1 10.254.3.1 10.254.4.1
for l in 1 2 3 4; do
	start_frr leaf$l 6502$l swp49 10.254.$l.0
done
for n in $NODES; do
	case $n in host*) start_lldpd "$n" 'eth1' ;; *) start_lldpd "$n" 'swp*' ;; esac
done
echo ready
while read -r node words; do
	case $words in
	start_bgpd) start_bgpd "$node" ;;
	start_lldpd) start_lldpd "$node" 'swp*' ;;
	*) in_node "$node" sh -c "$words" >/dev/null 2>&1 ;;
	esac
	echo "done $?"
done
