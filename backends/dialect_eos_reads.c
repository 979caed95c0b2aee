/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialect_eos_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* What may be asked of EOS: see backends/reads.h. Over SSH each line ends in a pipe of these. */
static const char *const pipes[] = {" | json", " | no-more", NULL};

static const char *const cli[] = {
	"show bgp summary vrf all",
	"show clock",
	"show configuration sessions",
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
	"show port-channel load-balance",
	"show priority-flow-control",
	"show priority-flow-control counters detail",
	"show priority-flow-control counters watchdog",
	"show priority-flow-control status",
	"show qos interfaces ecn",
	"show qos interfaces ecn counters queue",
	"show qos interfaces trust",
	"show qos maps",
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

static bool cli_line(const char *line, size_t n, bool *is_privileged)
{
	char *copy = NULL;
	bool ok = false;

	for (const char *const *p = pipes; *p && !copy; p++) {
		size_t tail = strlen(*p);

		if (n >= tail && strncmp(line + n - tail, *p, tail) == 0)
			copy = mem_strndup(line, n - tail);
	}
	if (copy && reads_match_any(privileged, copy))
		ok = *is_privileged = true;
	else if (copy)
		ok = reads_match_any(cli, copy);
	free(copy);
	return ok;
}

/* A command, or "enable" and a line for each of several. */
static bool cli_command(const char *command)
{
	static const char enable[] = "enable\n";
	bool enables = str_starts(command, enable), is_privileged = false;

	for (const char *at = command + (enables ? strlen(enable) : 0);;) {
		size_t n = strcspn(at, "\n");

		if (!cli_line(at, n, &is_privileged))
			return false;
		if (!at[n])
			return is_privileged || !enables;
		at += n + 1;
		/* Several lines come only with "enable". */
		if (!enables)
			return false;
	}
}

static bool post(const struct request *r)
{
	return str_eq(r->path, "/command-api") && str_eq(r->content_type, "application/json-rpc") &&
	       reads_eapi_body(r->body, cli, privileged);
}

static const struct read_list list = {.command = cli_command, .post = post};

bool eos_reads(const struct request *r)
{
	return reads_listed(&list, r);
}
