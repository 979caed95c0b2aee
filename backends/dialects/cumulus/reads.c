/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/cumulus/reads.h"

#include "backends/dialects/cumulus/nvue.h"
#include "backends/contract/reads.h"

/* The allow-list of Cumulus Linux: see backends/contract/reads.h. NVUE is queried with GET only. */

#define API  "/nvue_v1/"
#define EACH API "interface?include=/\\*/"

static const char *const gets[] = {
	API "interface/*/counters/qos",
	API "interface/*/link",
	API "interface/*/qos/pfc",
	API "interface/*/qos/pfc-watchdog",
	API "interface/qos-roce-counters",
	API "interface/qos-roce-status",
	API "evpn/multihoming/esi",
	API "mlag",
	API "platform",
	API "platform/transceiver",
	API "qos/buffer/pool",
	API "qos/pfc-watchdog",
	API "system",
	API "router/adaptive-routing",
	API "system/forwarding",
	API "vrf/default/router/bgp",
	API "vrf/default/router/bgp/neighbor",
	API "vrf/default/router/bgp/neighbor?rev=applied",
	EACH "bond",
	EACH "counters/qos",
	EACH "link",
	EACH "link/phy-detail",
	EACH "link/phy/health",
	EACH "lldp",
	EACH "qos",
	EACH "qos/buffer",
	EACH "qos/counters",
	EACH "qos/pfc-watchdog",
	EACH "transceiver",
	NULL,
};

/* `nv show` of the whole system. */
static const char *const commands[] = {
	"nv config diff 2>&1",
	"nv list-commands",
	"nv show interface * counters qos -o json 2>&1",
	"nv show interface * link -o json 2>&1",
	"nv show interface * qos pfc -o json 2>&1",
	"nv show interface * qos pfc-watchdog -o json 2>&1",
	"nv show interface qos-roce-counters -o json 2>&1",
	"nv show interface qos-roce-status -o json 2>&1",
	"nv show mlag -o json 2>&1",
	"nv show platform -o json 2>&1",
	"nv show qos buffer pool -o json 2>&1",
	"nv show qos pfc-watchdog -o json 2>&1",
	"nv show system -o json 2>&1",
	"nv show router adaptive-routing -o json 2>&1",
	"nv show system forwarding -o json 2>&1",
	"nv show vrf default router bgp -o json 2>&1",
	"nv show vrf default router bgp neighbor --rev=applied -o json 2>&1",
	"{ nv show interface --view=lldp -o json; } 2>&1",
	"{ nv show interface -o json; } 2>&1",
	("{ nv show platform transceiver detail -o json 2>/dev/null || "
	 "nv show platform transceiver -o json; } 2>&1"),
	"{ ip -j -d link show; } 2>&1",
	"{ sudo -n vtysh -c 'show bgp vrf all summary json'; } 2>&1",
	("{ sudo -n vtysh -c 'show evpn es json' 2>/dev/null | grep -v ^% || "
	 "echo []; } 2>&1"),
	"tail -n 0 -F /var/log/syslog",
	NULL,
};

/* `nv show interface PORT ...`, port by port. */
static const char *const each_port[] = {
	"counters qos",
	"link phy health",
	"link phy-detail",
	"qos",
	"qos buffer",
	"qos counters",
	"qos pfc-watchdog",
	NULL,
};

static bool is_port_loop(const char *command)
{
	for (const char *const *words = each_port; *words; words++) {
		const char *at = command;

		if (reads_skip(&at, NVUE_LOOP_BEGIN) && reads_skip(&at, *words) &&
			reads_skip(&at, NVUE_LOOP_END) && !*at)
			return true;
	}
	return false;
}

static const struct read_list list = {.commands = commands, .gets = gets, .command = is_port_loop};

bool cumulus_reads(const struct request *r)
{
	return reads_listed(&list, r);
}
