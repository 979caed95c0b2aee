#!/bin/sh
# Makes DIR the host of device_cost.sh: tools and sysfs of 8 NICs; each poll of a NIC is a line in DIR/polls.
set -eu
dir=$1
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
