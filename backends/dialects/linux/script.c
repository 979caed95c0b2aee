/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/linux/linux.h"
#include "backends/dialects/poll_path.h"
#include "backends/dialects/role.h"

/*
 * The scripts that a host runs through `sh -s`. They use a small part of the shell language only,
 * so that dash, bash, busybox and restricted shells all run them alike. They write nothing and need
 * no privilege. Some tools need root, and the host may let this user run them as root without a
 * password (detect finds that out). Then $SUDO holds the prefix. It is used only after the plain
 * form was refused, and only for commands that read. $T is "timeout 2" if there is such a program;
 * it stands before $SUDO, as the host grants the tool and not `timeout`.
 *
 * Output: sections that start with a line "@@name [argument]". A tool that is missing or refuses
 * leaves its message in its own section. The decoder turns that into a cure; the other sections are
 * not affected.
 *
 * A tool in uninterruptible sleep (dead firmware) cannot be killed. The script then hangs, and its
 * output so far is the answer. So cheap and safe reads come first, and "@@try NAME" announces the
 * next NIC. The NIC of the last "@@try" is in $Q at the next poll. While one of our tools still
 * hangs on it, it is skipped ("@@skip NAME"); otherwise it is read last.
 *
 * SYS: another root of sysfs, for tests. A device's first GID names the netdev of the port. Without
 * one, it is the only netdev of its PCI function; a switchdev NIC has hundreds, and then there is
 * none.
 *
 * The other Ethernet ports of the machine, such as those of the frontend, are read by the kernel's
 * own files alone: no tool is run for them. Virtual functions, representors of them, and netdevs of
 * the functions of RDMA devices are none of them, nor is what hangs on USB.
 *
 * The netdev of a bonded RDMA device is the bond, which counts nothing. So its slaves are read in
 * its place. The list of slaves needs the kernel's network lock, hence the timeout. A team has no
 * such list, but a link to each of its slaves. A GID on a VLAN names the VLAN, which counts nothing
 * either: the netdev below it is read.
 */

#define BEGIN                                                                                      \
	"PATH=$PATH:/usr/sbin:/sbin:/opt/mellanox/iproute2/sbin:/opt/mellanox/ethtool/sbin\n"      \
	"LC_ALL=C\n"                                                                               \
	"export LC_ALL\n"                                                                          \
	"C=${SYS:-/sys}/class\n"                                                                   \
	"cd $C\n"                                                                                  \
	"cd infiniband 2>/dev/null\n"                                                              \
	"echo @@begin 1\n"                                                                         \
	"date +%s%N\n"
#define END                                                                                        \
	"echo @@end\n"                                                                             \
	"date +%s%N\n"

/*
 * Sets D to the netdevs, each once; G to the bonds, which are not in D; Y to those of D that are
 * slaves of a bond without RDMA. Containers may hide sysfs: rdma(8) reads from the kernel.
 */
#define PORTS                                                                                      \
	"H=$(grep -sH '' */ports/*/gid_attrs/ndevs/0 */parent)\n"                                  \
	"N=\n"                                                                                     \
	"for l in $H; do N=\"$N ${l##*:}\"; done\n"                                                \
	"echo @@map\n"                                                                             \
	"echo \"$H\"\n"                                                                            \
	"for d in */device/net; do\n"                                                              \
	"set -- \"$d\"/*\n"                                                                        \
	"[ -e \"$1\" ] || continue\n"                                                              \
	"echo \"$1\"\n"                                                                            \
	"[ \"$2\" ] && echo \"$2\"\n"                                                              \
	"case \"$H\" in *\"${d%%/*}/\"*) continue ;; esac\n"                                       \
	"[ $# = 1 ] && N=\"$N ${1##*/}\"\n"                                                        \
	"done\n"                                                                                   \
	"echo @@ports\n"                                                                           \
	"grep -sH '' */ports/*/state */ports/*/phys_state\n"                                       \
	"for p in */ports/*/state; do\n"                                                           \
	"[ -e \"$p\" ] && break\n"                                                                 \
	"echo @@rlink\n"                                                                           \
	"rdma -j link 2>&1\n"                                                                      \
	"N=$(rdma link 2>/dev/null | sed -n 's/.* netdev \\([^ ]*\\).*/\\1/p')\n"                  \
	"break\n"                                                                                  \
	"done\n"                                                                                   \
	"echo @@ports\n"                                                                           \
	"echo \"$H\"\n"                                                                            \
	"G=\n"                                                                                     \
	"Y=\n"                                                                                     \
	"bond() {\n"                                                                               \
	"echo \"$*\"\n"                                                                            \
	"G=\"$G $1\"\n"                                                                            \
	"for n; do\n"                                                                              \
	"case \"$N \" in *\" $n \"*) shift; N=\"$N $*\"; return ;; esac\n"                         \
	"done\n"                                                                                   \
	"shift\n"                                                                                  \
	"Y=\"$Y $*\"\n"                                                                            \
	"}\n"                                                                                      \
	"V=\n"                                                                                     \
	"echo @@lower\n"                                                                           \
	"for t in $N; do\n"                                                                        \
	"set -- $C/net/$t/lower_*\n"                                                               \
	"if [ -e \"$1\" ] && [ ! \"$2\" ] && [ ! -e $C/net/$t/bonding ]; then\n"                   \
	"echo \"$t ${1##*/lower_}\"\n"                                                             \
	"t=${1##*/lower_}\n"                                                                       \
	"fi\n"                                                                                     \
	"V=\"$V $t\"\n"                                                                            \
	"done\n"                                                                                   \
	"N=$V\n"                                                                                   \
	"echo @@bonds\n"                                                                           \
	"l=\n"                                                                                     \
	"set -- $C/net/*/bonding/slaves\n"                                                         \
	"[ -e \"$1\" ] && for w in $($T grep -sH '' \"$@\" </dev/null) /bonding/slaves:; do\n"     \
	"case $w in\n"                                                                             \
	"*/bonding/slaves:*)\n"                                                                    \
	"[ \"$l\" ] && bond $l\n"                                                                  \
	"l=${w%/bonding/slaves:*}\n"                                                               \
	"l=\"${l##*/} ${w#*/bonding/slaves:}\"\n"                                                  \
	";;\n"                                                                                     \
	"*) l=\"$l $w\" ;;\n"                                                                      \
	"esac\n"                                                                                   \
	"done\n"                                                                                   \
	"for t in $N; do\n"                                                                        \
	"set -- $C/net/$t/lower_*\n"                                                               \
	"case \"$G \" in *\" $t \"*) continue ;; esac\n"                                           \
	"[ -e \"$2\" ] || continue\n"                                                              \
	"l=$t\n"                                                                                   \
	"for n; do l=\"$l ${n##*/lower_}\"; done\n"                                                \
	"bond $l\n"                                                                                \
	"done\n"                                                                                   \
	"D=\n"                                                                                     \
	"L=\n"                                                                                     \
	"for n in $N $Y; do\n"                                                                     \
	"case \"$D$L$G \" in *\" $n \"*) continue ;; esac\n"                                       \
	"case \" $Q \" in *\" $n \"*) L=\"$L $n\" ;; *) D=\"$D $n\" ;; esac\n"                     \
	"done\n"                                                                                   \
	"D=\"$D$L\"\n"                                                                             \
	"X=\n"                                                                                     \
	"[ \"$Q\" ] && grep -qsE '[(](grep|ethtool|dcb|mlnx_qos)[)] D'"                            \
	" ${PROC:-/proc}/[0-9]*/stat && X=\" $Q \"\n"                                              \
	"try() {\n"                                                                                \
	"case \"$X\" in *\" $1 \"*) echo \"@@skip $1\"; return 1 ;; esac\n"                        \
	"echo \"@@try $1\"\n"                                                                      \
	"}\n"

/*
 * Sets W to the Ethernet ports beside those: their names are at most sixteen. The class of a PCI
 * function tells it, and the files that virtio and Hyper-V have in its place.
 */
#define PLAIN                                                                                      \
	"echo @@plain\n"                                                                           \
	"W=\n"                                                                                     \
	"w=\n"                                                                                     \
	"for c in $(grep -slE '^0x0200' $C/net/*/device/class </dev/null)"                         \
	" $C/net/*/device/class_id $C/net/*/device/features; do\n"                                 \
	"d=${c%/*}\n"                                                                              \
	"t=${d%/*}\n"                                                                              \
	"n=${t##*/}\n"                                                                             \
	"[ -e $c ] && [ ! -e $d/infiniband ] && [ ! -e $d/physfn ] || continue\n"                  \
	"x=\n"                                                                                     \
	"{ read -r x <$t/phys_port_name; } 2>/dev/null\n"                                          \
	"case \"$x@$D$G \" in *vf*@* | *sf*@* | *\" $n \"*) continue ;; esac\n"                    \
	"w=$w.\n"                                                                                  \
	"[ ${#w} -gt 16 ] && break\n"                                                              \
	"echo $n\n"                                                                                \
	"W=\"$W $n\"\n"                                                                            \
	"done\n"

/*
 * `run ARGUMENTS` puts the output of ethtool into $o. A NIC with dead firmware costs two seconds
 * once. After three such waits no further NIC is read, or the poll itself would be late. Sections
 * of a NIC that hung are discarded.
 */
#define RUN                                                                                        \
	"b=0\n"                                                                                    \
	"run() {\n"                                                                                \
	"if [ $b -lt 3 ]; then\n"                                                                  \
	"o=$($T ethtool \"$@\" 2>&1)\n"                                                            \
	"case $? in\n"                                                                             \
	"124|137|143) b=$((b + 1)) ;;\n"                                                           \
	"*) return 0 ;;\n"                                                                         \
	"esac\n"                                                                                   \
	"fi\n"                                                                                     \
	"echo \"@@hung $n\"\n"                                                                     \
	"return 1\n"                                                                               \
	"}\n"

/*
 * `stats` likewise puts the lines of `ethtool -S` that match $W into $s. Other lines do not even
 * reach the shell: a NIC of many rings prints a hundred kilobytes. The status follows the last "@",
 * on a line of its own even if ethtool was killed within a line.
 */
#define STATS                                                                                      \
	"stats() {\n"                                                                              \
	"if [ $b -lt 3 ]; then\n"                                                                  \
	"o=$({ $T ethtool -S \"$n\" 2>&1; e=$?; echo; echo \"@$e\"; } | grep -E \"^@|${W:-.}\")\n" \
	"case ${o##*@} in\n"                                                                       \
	"124|137|143) b=$((b + 1)) ;;\n"                                                           \
	"*) s=${o%@*}; return 0 ;;\n"                                                              \
	"esac\n"                                                                                   \
	"fi\n"                                                                                     \
	"echo \"@@hung $n\"\n"                                                                     \
	"return 1\n"                                                                               \
	"}\n"

const char linux_fast_script[] =
	/* clang-format off */
	BEGIN
	"echo @@name\n"
	"uname -n\n"
	"echo @@boot\n"
	"cat /proc/sys/kernel/random/boot_id 2>/dev/null\n"
	"echo @@uptime\n"
	"cat /proc/uptime 2>/dev/null\n"
	PORTS
	PLAIN
	"for d in */ports; do\n"
	"d=${d%/ports}\n"
	"[ -e \"$d/ports\" ] && try \"$d\" || continue\n"
	"echo @@ib\n"
	"grep -sH '' \"$d\"/ports/*/rate \"$d\"/ports/*/link_layer"
	" \"$d\"/ports/*/counters/port_* \"$d\"/ports/*/counters/link_*"
	" \"$d\"/ports/*/counters/symbol_error \"$d\"/ports/*/hw_counters/*\n"
	"done\n"
	"for p in */ports/*/hw_counters; do\n"
	"[ -e \"$p\" ] && break\n"
	"echo @@rstat\n"
	"rdma -j statistic 2>&1\n"
	"break\n"
	"done\n"
	"cd $C/net 2>/dev/null\n"
	"F=\n"
	"for n in $D $G $W; do F=\"$F $n/operstate $n/flags $n/speed $n/mtu $n/carrier_changes"
	" $n/carrier_down_count $n/statistics/rx_errors $n/statistics/tx_errors"
	" $n/statistics/rx_bytes $n/statistics/tx_bytes $n/statistics/rx_packets"
	" $n/statistics/tx_packets $n/statistics/rx_missed_errors $n/statistics/rx_crc_errors"
	" $n/statistics/tx_dropped\"; done\n"
	"for n in $G; do F=\"$F $n/bonding/mode\"; done\n"
	"[ \"$G\" ] && for n in $D; do F=\"$F $n/bonding_slave/mii_status\"; done\n"
	"echo @@net\n"
	/* If the kernel's network lock is stuck, a read of the speed spins forever. */
	"$T grep -sH '' $F </dev/null\n"
	RUN
	STATS
	"for n in $D; do\n"
	"try \"$n\" || continue\n"
	"stats || continue\n"
	"echo \"@@stats $n\"\n"
	"printf '%s' \"$s\"\n"
	"run -I --show-fec \"$n\" || continue\n"
	"echo \"@@fec $n\"\n"
	"printf '%s\\n' \"$o\"\n"
	/*
	 * The reason for a missing link; and the number of link losses, for drivers without that
	 * counter.
	 */
	"u=\n"
	"[ -r \"$n/operstate\" ] && read -r u <\"$n/operstate\"\n"
	"case \"$u $s\" in\n"
	"up*link_down_events*) ;;\n"
	"*)\n"
	"run -I \"$n\" || continue\n"
	"echo \"@@link $n\"\n"
	"printf '%s\\n' \"$o\" | grep -E 'Link |Lanes:'\n"
	";;\n"
	"esac\n"
	"case $s in\n"
	"*pause*|*flow_control*) ;;\n"
	"*)\n"
	"run -I -a \"$n\" || continue\n"
	"echo \"@@pause $n\"\n"
	"printf '%s\\n' \"$o\"\n"
	";;\n"
	"esac\n"
	"done\n"
	END;

const char linux_optics_script[] =
	BEGIN
	PORTS
	RUN
	"for n in $D; do\n"
	"try \"$n\" || continue\n"
	"run -m \"$n\" || continue\n"
	"case $o in\n"
	"*'not permitted'*) [ \"$SUDO\" ] && o=$($T $SUDO ethtool -m \"$n\" 2>&1) ;;\n"
	"esac\n"
	"echo \"@@module $n\"\n"
	"printf '%s\\n' \"$o\" | "
#include "backends/dialects/linux/module_grep.def"
	"done\n"
	END;

#define NEIGHBOURS                                                                                 \
	"o=$($T lldpcli -f json0 show neighbors details 2>&1)\n"                                   \
	"case $o in\n"                                                                             \
	"*lldp*:*) ;;\n"                                                                           \
	"*) [ \"$SUDO\" ] && o=$($T $SUDO lldpcli -f json0 show neighbors details 2>&1) ;;\n"      \
	"esac\n"                                                                                   \
	"echo @@lldp\n"                                                                            \
	"printf '%s\\n' \"$o\"\n"

const char linux_lldp_script[] =
	BEGIN
	PORTS
	PLAIN
	NEIGHBOURS
	END;

/*
 * Once by `railtop discover`: the neighbours, and what tells a switch from a host (role.c). Routes
 * are those with a gateway or of a routing protocol. What is cut off is the same each time.
 */
const char linux_role_script[] =
	"timeout 1 true 2>/dev/null && T='timeout 4'\n"
	BEGIN
	"echo @@name\n"
	"uname -n\n"
	PORTS
	"lldpcli show chassis >/dev/null 2>&1 || [ \"$(id -u)\" = 0 ] ||"
	" { command -v sudo >/dev/null 2>&1 &&"
	" sudo -n -l \"$(command -v lldpcli)\" -f json0 show neighbors details >/dev/null 2>&1 &&"
	" SUDO='sudo -n'; }\n"
	NEIGHBOURS
	"echo @@chassis\n"
	"$T lldpcli -f json0 show chassis 2>&1\n"
	"echo @@accel\n"
	"for c in $(grep -slE '^0x(0302|0300|0380|1200)' \"${SYS:-/sys}\"/bus/pci/devices/*/class"
	" </dev/null); do\n"
	"grep -sE '^0x(10de|1002|1da3)' \"${c%/class}/vendor\"\n"
	"done\n"
	"echo @@forward\n"
	"P=${PROC:-/proc}/sys/net\n"
	"grep -sH '' $P/ipv4/ip_forward $P/ipv6/conf/all/forwarding\n"
	"echo @@chip\n"
	"cd $C/net 2>/dev/null\n"
	"grep -sH '' */phys_switch_id\n"
	"echo @@bridged\n"
	"for n in */master/bridge; do [ -e \"$n\" ] && echo \"${n%%/*}\"; done\n"
	"echo @@addr\n"
	"ip -o addr show scope global 2>/dev/null | head -n 200\n"
	"echo @@route\n"
	"{ ip -4 -o route show table all type unicast; ip -6 -o route show table all type unicast; }"
	" 2>/dev/null | grep -E 'proto (bgp|ospf|isis|bird|babel|rip|eigrp|openr|zebra|1[0-9][0-9])|"
	" via ' | sort | head -n 500\n"
	"echo @@bgp\n"
	"b='show bgp vrf all summary json'\n"
	"$T vtysh -c \"$b\" 2>/dev/null || { sudo -n -l vtysh -c \"$b\" >/dev/null 2>&1 &&"
	" sudo -n $T vtysh -c \"$b\" 2>/dev/null; }\n"
	"echo @@via\n"
	"echo \"$SSH_CONNECTION\"\n"
	END;

/*
 * Relates a job's processes to NICs: the host's addresses, its GPUs, and their distance. Without
 * its persistence daemon nvidia-smi wakes every GPU first, which takes seconds.
 */
const char linux_topology_script[] =
	BEGIN
	"P=${SYS:-/sys}/bus/pci/devices\n"
	"echo @@addr\n"
	"ip -j addr 2>&1\n"
	"echo @@pci\n"
	"for p in */device; do [ -e \"$p\" ] && echo \"$p:$(readlink -f \"$p\")\"; done\n"
	"echo @@gpupci\n"
	"for v in $(grep -slxE '0x(10de|1002)' \"$P\"/*/vendor </dev/null); do\n"
	"p=${v%/vendor}\n"
	"c=\n"
	"[ -r \"$p/class\" ] && read -r c <\"$p/class\"\n"
	/* 3D and display controllers, processing accelerators; no audio, no bridge */
	"case $c in 0x0302* | 0x0380* | 0x1200*) readlink -f \"$p\" ;; esac\n"
	"done\n"
	"S=\n"
	"[ \"$T\" ] && S='timeout 15'\n"
	"echo @@gpus\n"
	"$S nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader 2>&1\n"
	"echo @@topo\n"
	"$S nvidia-smi topo -m 2>&1\n"
	END;

/*
 * Links between GPUs. A count that is zero is left out where the first link has it too: of NVLink
 * 5 a host prints a quarter of a megabyte. nvidia-smi has flags that set counters to zero (-r,
 * -re) or change links (-sc, -sLowPwrThres, -sBwMode): none of them is here.
 */
const char linux_nvlink_script[] =
	BEGIN
	"S=\n"
	"[ \"$T\" ] && S='timeout 15'\n"
	"echo @@links\n"
	"$S nvidia-smi nvlink -s 2>&1\n"
	"echo \"@@told $?\"\n"
	"echo @@errors\n"
	"{ $S nvidia-smi nvlink -e 2>&1; echo \"@@told $?\"; } |"
	" grep -vE 'Link [1-9][0-9]*: .*: 0$|FEC Errors|BER|[Pp]ackets:|[Bb]ytes:|Raw |^$'\n"
	END;

const char linux_xgmi_script[] =
	BEGIN
	"S=\n"
	"[ \"$T\" ] && S='timeout 15'\n"
	"echo @@xgmi\n"
	"$S amd-smi xgmi 2>&1\n"
	"echo \"@@told $?\"\n"
	END;

/* What is at the other end of an InfiniBand port, and who manages its subnet: reads of one hop. */
const char linux_subnet_script[] =
	BEGIN
	"for l in */ports/*/link_layer; do\n"
	"x=\n"
	"{ read -r x <\"$l\"; } 2>/dev/null\n"
	"[ \"$x\" = InfiniBand ] || continue\n"
	"d=${l%%/*}\n"
	"p=${l%/link_layer}\n"
	"p=${p##*/}\n"
	"echo \"@@peer $d/$p\"\n"
	"$T $SUDO smpquery -C \"$d\" -P \"$p\" -D nodedesc \"0,$p\" 2>&1\n"
	"$T $SUDO smpquery -C \"$d\" -P \"$p\" -D nodeinfo \"0,$p\" 2>&1 |"
	" grep -E '^(NodeType|LocalPort|Guid):'\n"
	"echo \"@@sm $d/$p\"\n"
	"$T $SUDO sminfo -C \"$d\" -P \"$p\" 2>&1\n"
	"done\n"
	END;

/*
 * The management controller: its firmware as the kernel asks for it, and its port in the network.
 * The list of settings has the community of SNMP, which must not leave the host: only three kinds of
 * lines do. "lan print" sets nothing.
 */
const char linux_bmc_script[] =
	BEGIN
	"echo @@bmc\n"
	"[ -d $C/ipmi/ipmi0/device/bmc ] && echo present\n"
	"$T grep -sH '' $C/ipmi/ipmi0/device/bmc/firmware_revision </dev/null\n"
	"[ \"$(id -u)\" = 0 ] && SUDO=' '\n"
	"s=$(command -v ipmitool 2>/dev/null)\n"
	"echo \"@@lan ${s:-missing}\"\n"
	"S=\n"
	"[ \"$T\" ] && S='timeout 15'\n"
	"[ \"$s\" ] && [ \"$SUDO\" ] && $S $SUDO ipmitool lan print 2>/dev/null |"
	" grep -E '^(IP Address  |MAC Address  |802.1q VLAN ID  )'\n"
	END;

/* Registration of GPUs with their switches, and with other hosts of one NVLink domain. */
const char linux_nvfabric_script[] =
	BEGIN
	"S=\n"
	"[ \"$T\" ] && S='timeout 15'\n"
	"echo @@fabric\n"
	"$S nvidia-smi -q 2>/dev/null | grep -E '^GPU |^    Fabric|"
	"^ +(State|Status|CliqueId|ClusterUUID|Summary|Bandwidth|Route|Access Timeout|Incorrect) '\n"
	"echo @@fm\n"
	"$T systemctl show --property=LoadState,ActiveState nvidia-fabricmanager 2>&1\n"
	"if command -v nvidia-imex-ctl >/dev/null 2>&1; then\n"
	"echo @@imex\n"
	"$S nvidia-imex-ctl -N -j 2>&1\n"
	"fi\n"
	END;

const char linux_slow_script[] =
	BEGIN
	"echo @@kernel\n"
	"cat /proc/sys/kernel/osrelease 2>/dev/null\n"
	PORTS
	PLAIN
	"echo @@attr\n"
	"grep -sH '' */fw_ver */hca_type */board_id */device/current_link_speed"
	" */device/current_link_width */device/max_link_speed */device/max_link_width"
	" */device/numa_node */device/iommu_group/type"
	" ../dmi/id/product_name ../dmi/id/product_serial ../dmi/id/sys_vendor"
	" ../dmi/id/bios_vendor ../dmi/id/bios_version ../dmi/id/chassis_asset_tag\n"
	"echo @@pci\n"
	"for p in */device; do [ -e \"$p\" ] && echo \"$p:$(readlink -f \"$p\")\"; done\n"
	"echo @@setup\n"
	"M=${C%/class}/module\n"
	"grep -sH '' $M/nvidia/version $M/amdgpu/version $M/mlx5_core/version"
	" $M/bnxt_re/version $M/ionic/version $M/irdma/version $M/efa/version\n"
	"for m in nvidia_peermem nv_peer_mem none; do\n"
	"[ -e $M/$m ] || [ $m = none ] && break\n"
	"done\n"
	"[ -e $M/nvidia ] && echo \"peermem=$m\"\n"
	"s=$(command -v lspci 2>/dev/null)\n"
	"echo \"@@lspci ${s:-missing}\"\n"
	"[ \"$(id -u)\" = 0 ] && SUDO=' '\n"
	"[ \"$s\" ] && [ \"$SUDO\" ] && $T $SUDO lspci -D -vvv 2>/dev/null |"
	" grep -E '^[0-9a-f]{4}:|RlxdOrd|MaxReadReq|ACSCtl'\n"
	"cd $C/net 2>/dev/null\n"
	"F=\n"
	"for n in $D $G $W; do F=\"$F $n/address\"; done\n"
	"echo @@net\n"
	"grep -sH '' $F </dev/null\n"
	POLL_PATH
	RUN
	"for n in $D; do\n"
	"try \"$n\" || continue\n"
	"run -i \"$n\" || continue\n"
	"echo \"@@driver $n\"\n"
	"printf '%s\\n' \"$o\"\n"
	"done\n"
	END;

/* dcb if available; mlnx_qos has trust and maps if dcb or the kernel is too old. */
const char linux_qos_script[] =
	BEGIN
	PORTS
	"echo @@drivers\n"
	"for p in */device/driver; do [ -e \"$p\" ] && echo \"$p:$(readlink \"$p\")\"; done\n"
	"echo @@tclass\n"
	"grep -sH '' */tc/*/traffic_class\n"
	"F=\n"
	"for n in $D; do\n"
	"case \"$Y \" in *\" $n \"*) continue ;; esac\n"
	"F=\"$F $C/net/$n/qos/trust $C/net/$n/ecn/roce_np/cnp_dscp"
	" $C/net/$n/ecn/roce_np/cnp_802p_prio $C/net/$n/ecn/roce_np/enable/[0-7]"
	" $C/net/$n/ecn/roce_rp/enable/[0-7]\"\ndone\n"
	"echo @@cma\n"
	"grep -sH '' ${CONFIGFS:-/sys/kernel/config}/rdma_cm/*/ports/*/default_roce_tos\n"
	"echo @@dcqcn\n"
	"$T grep -sH '' $F </dev/null\n"
	RUN
	"for n in $D; do\n"
	"case \"$Y \" in *\" $n \"*) continue ;; esac\n"
	"try \"$n\" || continue\n"
	"for q in pfc ets app apptrust buffer; do\n"
	"echo \"@@$q $n\"\n"
	"$T dcb -j $q show dev \"$n\" 2>&1\n"
	"done\n"
	"if command -v mlnx_qos >/dev/null 2>&1; then\n"
	"echo \"@@mlnx $n\"\n"
	"$T mlnx_qos -i \"$n\" 2>&1\n"
	"fi\n"
	"run --get-tunable \"$n\" pfc-prevention-tout || continue\n"
	"echo \"@@tunable $n\"\n"
	"printf '%s\\n' \"$o\"\n"
	"run -a \"$n\" || continue\n"
	"echo \"@@flow $n\"\n"
	"printf '%s\\n' \"$o\"\n"
	"done\n"
	END;

/*
 * sudo is asked once for its permissions, not with each poll: a refusal is a line in the host's
 * security log. The log: the journal, the kernel's ring buffer, or a file, whichever is readable.
 */
const char linux_detect_script[] =
	BEGIN
	"echo @@kernel\n"
	"cat /proc/sys/kernel/osrelease 2>/dev/null\n"
	PORTS
	PLAIN
	"echo @@pci\n"
	"for p in */device; do [ -e \"$p\" ] && echo \"$p:$(readlink -f \"$p\")\"; done\n"
	"echo @@tools\n"
	"for t in nvidia-smi amd-smi ethtool rdma dcb mlnx_qos lldpcli journalctl dmesg sudo; do\n"
	"command -v $t >/dev/null 2>&1 && echo $t\n"
	"done\n"
	"timeout 1 true 2>/dev/null && echo timeout\n"
	"[ -e $C/ipmi/ipmi0 ] && echo ipmi\n"
	"grep -qs InfiniBand */ports/*/link_layer && command -v smpquery >/dev/null 2>&1 &&"
	" echo smpquery\n"
	"echo @@versions\n"
	"ethtool --version 2>&1\n"
	"rdma -V 2>&1\n"
	"dcb -V 2>&1\n"
	"lldpcli -v 2>&1\n"
	"echo @@sudo\n"
	"if command -v sudo >/dev/null 2>&1 && [ \"$(id -u)\" != 0 ]; then\n"
	"sudo -n -l \"$(command -v ethtool)\" -m lo >/dev/null 2>&1 && echo ethtool\n"
	"sudo -n -l \"$(command -v ipmitool)\" lan print >/dev/null 2>&1 && echo ipmitool\n"
	"sudo -n -l \"$(command -v smpquery)\" >/dev/null 2>&1 && echo smpquery\n"
	"sudo -n -l \"$(command -v lspci)\" -D -vvv >/dev/null 2>&1 && echo lspci\n"
	"sudo -n -l \"$(command -v lldpcli)\" -f json0 show neighbors details >/dev/null 2>&1"
	" && echo lldpcli\n"
	"sudo -n -l \"$(command -v journalctl)\" -k -f -n 0 -o short-iso >/dev/null 2>&1"
	" && echo journalctl\n"
	"fi\n"
	"echo @@log\n"
	"[ \"$(journalctl -q -k -n 1 -o short-iso 2>/dev/null)\" ] && echo journal\n"
	"dmesg >/dev/null 2>&1 && dmesg --help 2>&1 | grep -q follow-new && echo dmesg\n"
	"for f in /var/log/kern.log /var/log/syslog /var/log/messages; do\n"
	"[ -r $f ] && echo $f\n"
	"done\n"
	END;
/* clang-format on */
