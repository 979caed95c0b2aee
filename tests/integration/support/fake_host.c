/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/fake_host.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

/*
 * One process runs a script from begin to end: its pid tells the runs apart. Other tools are its
 * children or, behind timeout(1), their children.
 */
static const char date_tool[] = "#!/bin/sh\n"
				"case $* in *%z*) exec /bin/date \"$@\" ;; esac\n"
				"f=${0%/*}/run.$PPID\n"
				"if [ -e \"$f\" ]; then cat \"$f\"; rm \"$f\"; exit; fi\n"
				"/bin/date +%s%N >\"$f\"\n"
				"cat \"$f\"\n";

static const char ethtool_tool[] =
	"#!/bin/sh\n"
	"d=${0%/*}\n"
	"for n; do :; done\n"
	"case $n in eth0) part=1 ;; eth1) part=2 ;; esac\n"
	"p=$PPID\n"
	"while [ \"$p\" -gt 1 ] && [ ! -e \"$d/run.$p\" ]; do\n"
	"read -r a b c p rest <\"/proc/$p/stat\"\n"
	"done\n"
	"us=$((($(cat \"$d/run.$p\") - $(cat \"$d/zero\")) / 1000 / ${part:-1}))\n"
	"case \"$*\" in\n"
	"--version) echo 'ethtool version 6.7' ;;\n"
	"'-S '*) cat <<END ;;\n"
	"NIC statistics:\n"
	"     rx0_packets: 77\n"
	"     rx_bytes_phy: $((us * 40000))\n"
	"     tx_bytes_phy: $((us * 30000))\n"
	"     rx_prio3_pause: $((us / 100))\n"
	"     rx_prio3_pause_duration: $((us / 50))\n"
	"     tx_prio3_pause: 0\n"
	"     tx_prio3_pause_duration: 0\n"
	"     link_down_events_phy: 7\n"
	"END\n"
	"'-I --show-fec '*) cat <<END ;;\n"
	"FEC parameters for $n:\n"
	"Supported/Configured FEC encodings: Auto RS\n"
	"Active FEC encoding: RS\n"
	"Statistics:\n"
	"  corrected_blocks: $((us / 20))\n"
	"  uncorrectable_blocks: 0\n"
	"END\n"
	"'-i '*) echo 'driver: mlx5_core' ;;\n"
	"'--get-tunable '*) echo 'pfc-prevention-tout: 8000' ;;\n"
	"'-a '*) printf 'RX:\\t\\toff\\nTX:\\t\\toff\\n' ;;\n"
	"'-m '*) echo 'netlink error: Operation not permitted' >&2; exit 1 ;;\n"
	"*) echo \"ethtool: bad command line argument(s): $*\" >&2; exit 1 ;;\n"
	"esac\n";

static const char dcb_tool[] =
	"#!/bin/sh\n"
	"echo '{\"pfc_cap\":8,\"prio_pfc\":[false,false,false,true,false,false,false,false]}'\n";

/* Ethernet4's leaf is on the first NIC, leaf-b on the second; mgmt0 is none of the fabric's. */
static const char lldpcli_tool[] =
	"#!/bin/sh\n"
	"cat <<END\n"
	"{\"lldp\":[{\"interface\":[\n"
	"{\"name\":\"eth0\",\"chassis\":[{\"name\":[{\"value\":\"leaf-a\"}]}],"
	"\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"Ethernet4\"}]}]},\n"
	"{\"name\":\"mgmt0\",\"chassis\":[{\"name\":[{\"value\":\"oob\"}]}],"
	"\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"ge0\"}]}]},\n"
	"{\"name\":\"eth1\",\"chassis\":[{\"name\":[{\"value\":\"leaf-b\"}]}],"
	"\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"Ethernet8\"}]}]}\n"
	"]}]}\nEND\n";

static void put(const struct scratch *s, const char *dir, const char *file, const char *text)
{
	scratch_run(s, "mkdir -p %s && printf '%%s\\n' '%s' >%s/%s", dir, text, dir, file);
}

static void nic(const struct scratch *s, const char *rdma, const char *netdev, const char *width)
{
	const struct {
		const char *dir, *file, *text;
	} files[] = {
		{".", "fw_ver", "28.43.1000"},
		{"ports/1", "state", "4: ACTIVE"},
		{"ports/1", "phys_state", "5: LinkUp"},
		{"ports/1/gid_attrs/ndevs", "0", netdev},
		{"ports/1/counters", "port_rcv_data", "5"},
		{"ports/1/hw_counters", "rp_cnp_handled", "1200"},
		{"ports/1/hw_counters", "out_of_sequence", "34"},
		{"device", "current_link_width", width},
		{"device", "max_link_width", "16"},
		{"tc/1", "traffic_class", "Global tclass=104"},
		{"net/qos", "trust", "dscp"},
		{"net/ecn/roce_np/enable", "3", "1"},
		{"net/ecn/roce_np", "cnp_dscp", "48"},
		{"device", "current_link_speed", "32.0 GT/s PCIe"},
		{"net", "operstate", "up"},
		{"net", "flags", "0x1003"},
		{"net", "speed", "400000"},
		{"net", "mtu", "9000"},
		{"net", "carrier_changes", "3"},
		{"net/statistics", "rx_errors", "0"},
	};
	char dir[160];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *below = files[i].dir;
		bool is_net = str_starts(below, "net");

		if (is_net)
			(void)str_printf(dir, sizeof(dir), "sys/class/net/%s%s", netdev, below + 3);
		else
			(void)str_printf(
				dir, sizeof(dir), "sys/class/infiniband/%s/%s", rdma, below);
		put(s, dir, files[i].file, files[i].text);
	}
}

void fake_host_write(const struct scratch *s)
{
	scratch_run(s, "mkdir tools");
	scratch_run(s, "/bin/date +%%s%%N >tools/zero");
	scratch_write(s, "tools/date", date_tool);
	scratch_write(s, "tools/ethtool", ethtool_tool);
	scratch_write(s, "tools/dcb", dcb_tool);
	scratch_write(s, "tools/lldpcli", lldpcli_tool);
	scratch_run(s, "chmod +x tools/date tools/ethtool tools/dcb tools/lldpcli");
	nic(s, "mlx5_0", "eth0", "16");
	nic(s, "mlx5_1", "eth1", "8");
	put(s, "sys/class/dmi/id", "product_name", "GPU Server");
}

void fake_host_environment(const struct scratch *s, char *dst, size_t size)
{
	/* The first SetEnv outside a Match block is sshd.c's, and only the first one counts. */
	(void)str_printf(dst, size,
		"Match all\nSetEnv SHLVL=2 \"SYS=%s/sys\" \"PATH=%s/tools:/usr/bin:/bin\"", s->dir,
		s->dir);
}
