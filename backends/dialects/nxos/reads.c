/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/nxos/nxos.h"

#include <stdlib.h>
#include <string.h>

#include "backends/contract/reads.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * The allow-list of NX-OS: see backends/contract/reads.h. A line over SSH consists of some of these
 * commands, each with one of the pipes or none.
 */
static const char *const pipes[] = {" | json native", " | json", NULL};

static const char *const cli[] = {
	"show bgp all summary vrf all",
	"show bgp sessions vrf all",
	"show class-map type qos",
	"show hardware internal buffer info pkt-stats",
	"show interface",
	"show interface *",
	"show interface * priority-flow-control",
	"show interface brief",
	"show interface counters",
	"show interface counters errors",
	"show interface priority-flow-control",
	"show interface transceiver details",
	"show inventory",
	"show ip load-sharing",
	"show lldp neighbors detail",
	"show logging last 200",
	"show nve ethernet-segment",
	"show policy-map system type network-qos",
	"show policy-map type qos",
	"show policy-map type queuing",
	"show port-channel load-balance",
	"show port-channel summary",
	"show queuing interface",
	"show queuing interface *",
	"show queuing pfc-queue detail",
	"show queuing pfc-queue interface * detail",
	"show running-config bgp",
	"show running-config interface *",
	"show running-config | include multiplier",
	"show running-config | section dlb",
	"show running-config | section port-channel",
	"show system uptime",
	"show version",
	"show vpc",
	NULL,
};

#define CLASS "/api/node/class/"

/* DME is queried with GET only; its changes use POST. */
static const char *const gets[] = {
	CLASS "ethpmPhysIf.json",
	CLASS "ipqosQueuingStats.json",
	CLASS "l1PhysIf.json",
	CLASS "lldpIf.json?rsp-subtree=children&rsp-subtree-class=lldpAdjEp",
	CLASS "rmonDot3Stats.json",
	CLASS "rmonEtherStats.json",
	CLASS "rmonIfHCIn.json",
	CLASS "rmonIfHCOut.json",
	CLASS "rmonIfIn.json",
	CLASS "rmonIfOut.json",
	NULL,
};

static bool one_command(char *line)
{
	size_t n = strlen(line), tail;

	for (const char *const *p = pipes; *p; p++) {
		tail = strlen(*p);
		if (n < tail || !str_eq(line + n - tail, *p))
			continue;
		line[n - tail] = '\0';
		break;
	}
	return reads_match_any(cli, line);
}

static bool cli_commands(const char *command)
{
	static const char between[] = " ; ";
	char *copy = mem_strdup(command), *next;
	bool ok = true;

	for (char *at = copy; at && ok; at = next) {
		next = strstr(at, between);
		if (next) {
			*next = '\0';
			next += sizeof(between) - 1;
		}
		ok = one_command(at);
	}
	free(copy);
	return ok;
}

static bool is_allowed_post(const struct request *r)
{
	return str_eq(r->path, "/ins") && str_eq(r->content_type, "application/json-rpc") &&
	       reads_nxapi_body(r->body, cli);
}

static const struct read_list list = {
	.command = cli_commands, .gets = gets, .post = is_allowed_post};

bool nxos_reads(const struct request *r)
{
	return reads_listed(&list, r);
}
