/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/eos/eos_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/*
 * The allow-list of EOS: see backends/contract/reads.h. Over SSH each line ends in one of these
 * pipes.
 */
static const char *const pipes[] = {" | json", " | no-more", NULL};

static const char *const cli[] = {
	"show arp",
	"show arp vrf all",
	"show bgp evpn instance",
	"show bgp summary vrf all",
	"show clock",
	"show configuration sessions",
	"show hardware counter drop",
	"show hostname",
	"show interfaces",
	"show interfaces *",
	"show interfaces * priority-flow-control counters detail",
	"show interfaces counters queue detail",
	"show interfaces counters queue drops",
	"show interfaces phy detail",
	"show interfaces priority-flow-control counters detail",
	"show interfaces status",
	"show interfaces status errdisabled",
	"show interfaces transceiver",
	"show interfaces transceiver detail",
	"show interfaces transceiver dom thresholds",
	"show ip bgp summary vrf all",
	"show lldp neighbors detail",
	"show load-balance profile",
	"show locator-led",
	"show logging 200",
	"show logging last 15 minutes",
	"show mlag",
	"show port-channel",
	"show port-channel load-balance",
	"show priority-flow-control",
	"show priority-flow-control counters detail",
	"show priority-flow-control counters watchdog",
	"show priority-flow-control status",
	"show qos interfaces",
	"show qos interfaces ecn",
	"show qos interfaces ecn counters queue",
	"show qos interfaces trust",
	"show qos maps",
	"show queue-monitor length limit 90 seconds",
	"show running-config section load-balance",
	"show version",
	NULL,
};

/* Only these may have "enable" before them. */
static const char *const privileged[] = {
	"show running-config interfaces *",
	"show running-config section bgp",
	"show running-config section random-detect|service-profile",
	NULL,
};

static bool cli_command(const char *command)
{
	size_t n = strlen(command), tail;
	char *line;
	bool ok;

	for (const char *const *p = pipes; *p; p++) {
		tail = strlen(*p);
		if (n < tail || !str_eq(command + n - tail, *p))
			continue;
		line = mem_strndup(command, n - tail);
		ok = reads_match_any(cli, line) || reads_match_any(privileged, line);
		free(line);
		return ok;
	}
	return false;
}

/* Several lines, as eos_look() sends them (change_readback.c). */
#define ENABLE "enable\nshow running-config interfaces * | no-more"

static const char *const several[] = {
	ENABLE,
	ENABLE "\nshow running-config section bgp | no-more\nshow bgp summary vrf all | no-more",
	NULL,
};

static bool is_allowed_post(const struct request *r)
{
	return str_eq(r->path, "/command-api") && str_eq(r->content_type, "application/json-rpc") &&
	       reads_eapi_body(r->body, cli, privileged);
}

static const struct read_list list = {
	.commands = several, .command = cli_command, .post = is_allowed_post};

bool eos_reads(const struct request *r)
{
	return reads_listed(&list, r);
}
