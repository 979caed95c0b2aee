#!/bin/sh
# Makes DIR the SONiC switch of device_cost.sh: sonic-db-cli, of which each call that polls is a line in DIR/polls, and DIR/load,
# what goes into Redis: 64 ports, all counters that are asked for; the priorities of PFC (0,1,2) are lossless.
set -eu
dir=$1
mkdir -p "$dir/tools"
cat >"$dir/tools/sonic-db-cli" <<END
#!/bin/sh
case \$1 in
PING) echo PONG; exit 0 ;;
APPL_DB) n=0 ;; COUNTERS_DB) n=2 ;; CONFIG_DB) n=4 ;; STATE_DB) n=6 ;;
*) echo "Invalid database name input : '\$1'" >&2; exit 1 ;;
esac
[ "\$2" != EVALSHA ] || echo x >>$dir/polls
shift
exec redis-cli -e --raw -s $dir/redis.sock -n \$n "\$@"
END
cat >"$dir/tools/cat" <<'END'
#!/bin/sh
for f; do case $f in
/usr/share/sonic/platform/asic.conf) echo NUM_ASIC=1 ;;
/etc/sonic/sonic_version.yml) echo "build_version: 'SONiC.202411.9'" ;;
*) /bin/cat "$f" ;;
esac; done
END
printf '#!/bin/sh\nexit 1\n' >"$dir/tools/sudo"
cp "$dir/tools/sudo" "$dir/tools/vtysh"
cp "$dir/tools/sudo" "$dir/tools/rvtysh"
cp "$dir/tools/sudo" "$dir/tools/tail"
chmod +x "$dir/tools"/*

awk -v pfc="$PFC" 'BEGIN {
	n = split("IF_IN_OCTETS IF_OUT_OCTETS IF_IN_UCAST_PKTS IF_IN_NON_UCAST_PKTS IF_OUT_UCAST_PKTS IF_OUT_NON_UCAST_PKTS IF_IN_ERRORS IF_OUT_ERRORS IF_IN_DISCARDS IF_OUT_DISCARDS DOT3_STATS_FCS_ERRORS DOT3_STATS_SYMBOL_ERRORS PAUSE_RX_PKTS PAUSE_TX_PKTS IF_IN_FEC_CORRECTABLE_FRAMES IF_IN_FEC_NOT_CORRECTABLE_FRAMES IF_IN_FEC_SYMBOL_ERRORS IF_IN_FEC_CORRECTED_BITS", port, " ")
	for (i = 0; i < 16; i++)
		port[++n] = "IF_IN_FEC_CODEWORD_ERRORS_S" i
	for (p = 0; p < 8; p++) {
		port[++n] = "PFC_" p "_RX_PKTS"
		port[++n] = "PFC_" p "_TX_PKTS"
		port[++n] = "PFC_" p "_RX_PAUSE_DURATION_US"
	}
	m = split("PACKETS BYTES DROPPED_PACKETS WRED_ECN_MARKED_PACKETS WRED_DROPPED_PACKETS CURR_OCCUPANCY_BYTES", queue, " ")
	for (k = 0; k < 64; k++) {
		name = "Ethernet" 4 * k
		oid = "oid:0x1" sprintf("%04d", k)
		print "SELECT 2"
		print "HSET COUNTERS_PORT_NAME_MAP " name " " oid
		for (i = 1; i <= n; i++)
			print "HSET COUNTERS:" oid " SAI_PORT_STAT_" port[i] " " 123456789012 + k * 1000 + i
		print "HSET RATES:" oid " FEC_PRE_BER 1.2e-09 FEC_POST_BER 0"
		for (p = 0; p < 8; p++) {
			q = "oid:0x2" sprintf("%04d%d", k, p)
			g = "oid:0x3" sprintf("%04d%d", k, p)
			print "HSET COUNTERS_QUEUE_NAME_MAP " name ":" p " " q
			print "HSET COUNTERS_PG_NAME_MAP " name ":" p " " g
			for (i = 1; i <= m; i++)
				print "HSET COUNTERS:" q " SAI_QUEUE_STAT_" queue[i] " " 98765432109 + k * 10 + p
			print "HSET COUNTERS:" q " PFC_WD_STATUS operational PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED 0 PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED 0 PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS 0 PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS 0"
			print "HSET COUNTERS:" g " SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS 0"
			print "HSET USER_WATERMARKS:" q " SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES 4096"
			print "HSET USER_WATERMARKS:" g " SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES 4096 SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES 0"
		}
		print "SELECT 0"
		print "HSET PORT_TABLE:" name " oper_status up admin_status up speed 400000 mtu 9100 fec rs alias etp" k + 1
		print "SELECT 4"
		print "HSET PORT_QOS_MAP|" name " pfc_enable " pfc " pfcwd_sw_enable " pfc
		print "SELECT 6"
		print "HSET PORT_TABLE|" name " speed 400000 fec rs"
	}
}' >"$dir/load"
