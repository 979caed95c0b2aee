/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/linux/switch.h"
#include "backends/dialects/poll_path.h"

/*
 * The scripts that a switch runs through `sh -s`, with the rules of
 * backends/dialects/linux/script.c. Programs that may hang on their own (vtysh, lldpcli, the bus of
 * a module) are requests of their own, so that a stopped daemon affects only its own need.
 *
 * Hardware has CLASS/net/NAME/device; virtual ports have no chip.
 */

#define BEGIN                                                                                      \
	"PATH=$PATH:/usr/sbin:/sbin\n"                                                             \
	"C=${SYS:-/sys}/class\n"                                                                   \
	"cd $C/net\n"                                                                              \
	"echo @@begin 1\n"                                                                         \
	"date +%s%N\n"
#define END                                                                                        \
	"echo @@end\n"                                                                             \
	"date +%s%N\n"
#define EACH_CHIP_PORT                                                                             \
	"for p in */device; do\n"                                                                  \
	"[ -e \"$p\" ] || continue\n"                                                              \
	"n=${p%/device}\n"

/*
 * Selects the useful lines of `ethtool -S`, which is long for a NIC as well as for a switch chip.
 */
#define WANTED_STATS                                                                               \
	"_phy: |prio_?[0-7]|pri[0-7]|_pripause_|pfc|discard|link_down|fec|symbol|fcs_err|crc_err|" \
	"corrected_bits|a_octets|a_frame|if_out_errors|_tc_?[0-7]"
#define UNWANTED_STATS "^ *(rx|tx|ch)_?[0-9]+_|^ *[[]|_to_[0-9]+_|_(oversize|undersize|fragments)_"

const char sw_detect_script[] = BEGIN
	"echo @@vtysh\n"
	"vtysh -c 'show version' >/dev/null 2>&1 ||"
	" { sudo -n vtysh -c 'show version' >/dev/null 2>&1 && echo sudo; }\n"
	"echo @@lldpcli\n"
	"lldpcli show chassis >/dev/null 2>&1 ||"
	" { sudo -n lldpcli show chassis >/dev/null 2>&1 && echo sudo; }\n"
	"echo @@module\n" EACH_CHIP_PORT "ethtool -m \"$n\" 2>&1 | grep -q 'not permitted' &&"
	" { sudo -n ethtool -m \"$n\" 2>&1 | grep -q Identifier && echo sudo && break; }\n"
	"done\n"
	"echo @@log\n"
	"journalctl --system -n 1 2>&1 && echo journal\n"
	"for f in /var/log/syslog /var/log/messages; do [ -r $f ] && echo $f; done\n"
	"echo @@pfc\n" EACH_CHIP_PORT
	"ethtool -S \"$n\" 2>/dev/null | grep -qE 'prio_?[0-7]_pause|pause_prio|pfc' &&"
	" { echo ethtool; break; }\n"
	"dcb -j -s pfc show dev \"$n\" 2>/dev/null | grep -q requests && { echo dcb; break; }\n"
	"done\n" END;

const char sw_fast_dcb[] = "echo \"@@dcb $n\"\n"
			   "dcb -j -s pfc show dev \"$n\" 2>&1\n";

const char sw_fast_script[] =
	BEGIN "echo @@name\n"
	      "uname -n\n"
	      "echo @@boot\n"
	      "cat /proc/sys/kernel/random/boot_id 2>/dev/null\n"
	      "echo @@uptime\n"
	      "cat /proc/uptime 2>/dev/null\n"
	      "echo @@link\n"
	      "ip -j -s -s -d link show 2>&1\n"
	      "echo @@net\n"
	      "grep -sH '' */speed */carrier_down_count\n"
	      "echo @@qdisc\n"
	      "tc -j -s qdisc show 2>&1\n" EACH_CHIP_PORT "echo \"@@stats $n\"\n"
	      "ethtool -S \"$n\" 2>&1 | grep -E '" WANTED_STATS
	      "|not found' | grep -vE '" UNWANTED_STATS "'\n"
	      "echo \"@@fec $n\"\n"
	      "ethtool -I --show-fec \"$n\" 2>&1\n"
	      "{}"
	      "done\n" END;

/*
 * On success vtysh may still print a warning without a line end; on failure it prints the reason.
 */
const char sw_bgp_script[] = BEGIN "echo @@bgp\n"
				   "{}vtysh -c 'show bgp vrf all summary json' 2>/dev/null ||"
				   " {}vtysh -c 'show bgp vrf all summary json' 2>&1\n"
				   "echo @@segments\n"
				   "{}vtysh -c 'show evpn es json' 2>/dev/null\n" END;

const char sw_lldp_script[] = BEGIN "echo @@link\n"
				    "ip -j -d link show 2>&1\n"
				    "echo @@lldp\n"
				    "{}lldpcli -f json0 show neighbors details 2>&1\n" END;

const char sw_optics_script[] =
	BEGIN "echo @@link\n"
	      "ip -j -d link show 2>&1\n" EACH_CHIP_PORT "echo \"@@reason $n\"\n"
	      "ethtool \"$n\" 2>&1 | grep 'Link detected'\n"
	      "echo \"@@module $n\"\n"
	      "{}ethtool -m \"$n\" 2>&1 | "
#include "backends/dialects/linux/module_grep.def"
	      "done\n" END;

const char sw_slow_script[] =
	BEGIN "echo @@os\n"
	      "cat /etc/os-release 2>/dev/null\n"
	      "echo @@kernel\n"
	      "cat /proc/sys/kernel/osrelease 2>/dev/null\n"
	      "echo @@frr\n"
	      "{}vtysh -c 'show version' 2>&1\n"
	      "echo @@dmi\n"
	      "grep -sH '' ../dmi/id/product_name ../dmi/id/product_serial\n"
	      "echo @@hash\n"
	      "grep -sH '' /proc/sys/net/ipv4/fib_multipath_hash_policy"
	      " /proc/sys/net/ipv4/fib_multipath_hash_fields */bonding/xmit_hash_policy\n" POLL_PATH
	      "echo @@link\n"
	      "ip -j -d link show 2>&1\n"
	      "echo @@qdisc\n"
	      "tc -j -s -d qdisc show 2>&1\n"
	      "echo @@neigh\n"
	      "ip -j neigh show 2>/dev/null\n"
	      "echo @@fdb\n"
	      "bridge -j fdb show 2>/dev/null\n" EACH_CHIP_PORT "echo \"@@driver $n\"\n"
	      "ethtool -i \"$n\" 2>&1\n"
	      "for k in pfc ets app buffer apptrust; do\n"
	      "echo \"@@$k $n\"\n"
	      "dcb -j -N $k show dev \"$n\" 2>&1\n"
	      "done\n"
	      "done\n" END;
