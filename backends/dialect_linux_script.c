/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialect_linux.h"

/*
 * The two scripts that a host runs through `sh -s`. They use a small part of the shell language
 * only (assignment, cd, echo, cat, for, pipes, redirections, parameter expansion), so that dash,
 * busybox and restricted shells all run them alike, and they need no privilege.
 *
 * Output: sections that start with a line "@@name [argument]". A tool that is missing or refuses
 * leaves its message in its own section: the decoder turns that into a cure, the rest goes on.
 *
 * SYS: another root of sysfs, for tests. Everything is read below class/infiniband, because a NIC
 * that is no RDMA device is not part of the fabric; its netdev is at DEVICE/device/net/NAME.
 */

/* Per-ring and packet-size lines are most of `ethtool -S` and say nothing here: they stay there. */
#define WANTED_STATS                                                                               \
	"_phy: |prio[0-7]_|pri[0-7]|_pripause_|pause|pfc|out_of_buffer|discard|link_down|fec|"     \
	"symbol|fcs_err|crc_err|corrected_bits|priority_[0-7]_xoff"
#define UNWANTED_STATS                                                                             \
	"^ *(rx|tx|ch)_?[0-9]+_|^ *[[]|_to_[0-9]+_|_(64|oversize|undersize|fragments|jabbers)_"

const char linux_fast_script[] =
	"PATH=$PATH:/usr/sbin:/sbin\n"
	"cd ${SYS:-/sys}/class\n"
	"cd infiniband 2>/dev/null\n"
	"echo @@begin 1\n"
	"date +%s%N\n"
	"echo @@name\n"
	"uname -n\n"
	"echo @@boot\n"
	"cat /proc/sys/kernel/random/boot_id 2>/dev/null\n"
	"echo @@uptime\n"
	"cat /proc/uptime 2>/dev/null\n"
	"echo @@map\n"
	"for p in */device/net/*; do echo \"$p\"; done\n"
	"echo @@ib\n"
	"grep -sH '' */ports/*/state */ports/*/phys_state"
	" */ports/*/gid_attrs/ndevs/0 */ports/*/counters/port_* */ports/*/hw_counters/*\n"
	"echo @@net\n"
	"grep -sH '' */device/net/*/operstate */device/net/*/flags */device/net/*/speed"
	" */device/net/*/mtu */device/net/*/carrier_changes */device/net/*/carrier_down_count"
	" */device/net/*/statistics/rx_errors */device/net/*/statistics/tx_errors\n"
	"for p in */device/net/*; do\n"
	"n=${p##*/}\n"
	"echo \"@@stats $n\"\n"
	"ethtool -S \"$n\" 2>&1 | grep -E '" WANTED_STATS "' | grep -vE '" UNWANTED_STATS "'\n"
	"echo \"@@fec $n\"\n"
	"ethtool -I --show-fec \"$n\" 2>&1\n"
	"done\n"
	"echo @@end\n"
	"date +%s%N\n";

const char linux_slow_script[] =
	"PATH=$PATH:/usr/sbin:/sbin\n"
	"cd ${SYS:-/sys}/class\n"
	"cd infiniband 2>/dev/null\n"
	"echo @@begin 1\n"
	"date +%s%N\n"
	"echo @@kernel\n"
	"cat /proc/sys/kernel/osrelease 2>/dev/null\n"
	"echo @@tools\n"
	"ethtool --version 2>&1\n"
	"echo @@map\n"
	"for p in */device/net/*; do echo \"$p\"; done\n"
	"echo @@attr\n"
	"grep -sH '' */fw_ver */hca_type */board_id */device/current_link_speed"
	" */device/current_link_width */device/max_link_speed */device/max_link_width"
	" */device/net/*/address */ports/*/state */ports/*/gid_attrs/ndevs/0 "
	"../dmi/id/product_name\n"
	"for p in */device/net/*; do\n"
	"n=${p##*/}\n"
	"echo \"@@driver $n\"\n"
	"ethtool -i \"$n\" 2>&1\n"
	"echo \"@@module $n\"\n"
	"ethtool -m \"$n\" 2>&1 | grep -vE 'alarm|warning'\n"
	"echo \"@@pfc $n\"\n"
	"dcb -j pfc show dev \"$n\" 2>&1\n"
	"done\n"
	"echo @@lldp\n"
	"lldpcli -f json0 show neighbors details 2>&1\n"
	"echo @@end\n"
	"date +%s%N\n";
