/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/nxos/nxos.h"

#include <stdlib.h>
#include <string.h>

#include "backends/dialects/nxos/change.h"
#include "backends/contract/known_fields.h"
#include "backends/contract/login_body.h"
#include "base/buf.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define TIER(t)      (1u << POLL_##t)

/* A command of NX-API waits for a shell of its own; the details of 64 modules take seconds. */
#define BATCH_TIMEOUT_US INT64_C(60000000)
#define SLOW_TIMEOUT_US  INT64_C(45000000)
#define BODY_CAP         ((size_t)4096)
#define ANSWER_CAP       ((size_t)16 << 20)

/*
 * SSH runs each group in an exec channel of its own, so that no session of the few is occupied for
 * long. HTTPS sends the groups of a tier in one array, where each failed command has an error of
 * its own.
 */
const struct nxos_group nxos_groups[] = {
	{"brief", TIER(FAST), 0, false, {"show interface brief"}, NEED_BIT(PORT_STATE),
		VALID_UNSUPPORTED, "", nxos_brief, NULL, NULL},
	{"counters", TIER(FAST), 0, false, {"show interface counters"}, NEED_BIT(PORT_COUNTERS),
		VALID_UNSUPPORTED, "", nxos_counters, NULL, NULL},
	{"errors", TIER(FAST), 0, false, {"show interface counters errors"}, 0, VALID_UNSUPPORTED,
		"", nxos_errors, NULL, NULL},
	{"interface", TIER(MEDIUM), 0, false, {"show interface"}, NEED_BIT(LINK_FLAPS),
		VALID_UNSUPPORTED, "", nxos_interface, NULL, NULL},
	{"queuing", TIER(MEDIUM), TIER(MEDIUM), true, {"show queuing interface"},
		NEED_BIT(PFC) | NEED_BIT(QUEUES) | NEED_BIT(QUEUE_DROPS) | NEED_BIT(ECN_MARKS) |
			NEED_BIT(SCHEDULERS),
		VALID_UNSUPPORTED, "", nxos_queuing, NULL, NULL},
	{"watchdog", TIER(MEDIUM), TIER(MEDIUM), false, {"show queuing pfc-queue detail"},
		NEED_BIT(WATCHDOG) | NEED_BIT(WATCHDOG_CONFIG), VALID_UNSUPPORTED, "",
		nxos_watchdog, NULL, NULL},
	{"optics", TIER(MEDIUM), TIER(MEDIUM), false, {"show interface transceiver details"},
		NEED_BIT(OPTICS_RX) | NEED_BIT(OPTICS_TX) | NEED_BIT(OPTICS_BIAS) |
			NEED_BIT(OPTICS_TEMPERATURE) | NEED_BIT(OPTICS_LIMITS),
		VALID_UNSUPPORTED, "", nxos_optics, NULL, NULL},
	/* Commands of a feature that is off do not exist. */
	{"bgp", TIER(MEDIUM), TIER(MEDIUM), false,
		{"show bgp all summary vrf all", "show bgp sessions vrf all"}, NEED_BIT(BGP),
		VALID_DISABLED, "feature bgp", nxos_bgp, NULL, NULL},
	{"lldp", TIER(MEDIUM), 0, false, {"show interface brief", "show lldp neighbors detail"},
		NEED_BIT(LLDP), VALID_DISABLED, "feature lldp", nxos_lldp, NULL, NULL},
	{"lag", TIER(MEDIUM), TIER(MEDIUM), false, {"show port-channel summary"}, NEED_BIT(BUNDLES),
		VALID_UNSUPPORTED, "", nxos_lag, NULL, NULL},
	/* Without "feature vpc" there is no such command. */
	{"vpc", TIER(MEDIUM), TIER(MEDIUM), false, {"show vpc"}, 0, VALID_UNSUPPORTED, "", nxos_vpc,
		NULL, NULL},
	{"log", TIER(MEDIUM), TIER(MEDIUM), false, {"=show logging last 200"}, NEED_BIT(LOG),
		VALID_UNSUPPORTED, "", NULL, nxos_log_text, NULL},
	{"identity", TIER(SLOW) | TIER(DETECT), TIER(SLOW), false,
		{"show version", "show system uptime", "show inventory"},
		NEED_BIT(IDENTITY) | NEED_BIT(UPTIME), VALID_UNSUPPORTED, "", nxos_identity, NULL,
		NULL},
	/*
	 * The first command lists the ports for the others. The group is a request of its own:
	 * NX-API documents ten commands per request for its older format, and silently drops
	 * further ones.
	 */
	{"settings", TIER(SLOW) | TIER(DETECT), TIER(SLOW) | TIER(DETECT), true,
		{"show interface priority-flow-control", "=show policy-map system type network-qos",
			"=show policy-map type queuing", "=show class-map type qos",
			"=show policy-map type qos"},
		NEED_BIT(PFC_CONFIG) | NEED_BIT(ECN_CONFIG) | NEED_BIT(QOS_MAPS), VALID_UNSUPPORTED,
		"", nxos_pfc, nxos_qos_text, nxos_qos_end},
	{"multipliers", TIER(SLOW) | TIER(DETECT), TIER(SLOW) | TIER(DETECT), false,
		{"=show running-config | include multiplier"}, 0, VALID_UNSUPPORTED, "", NULL,
		nxos_multipliers_text, NULL},
	{"hash", TIER(SLOW), TIER(SLOW), false,
		{"=show port-channel load-balance", "=show ip load-sharing"}, NEED_BIT(HASH),
		VALID_UNSUPPORTED, "", NULL, nxos_hash_text, NULL},
	{"balancing", TIER(SLOW), TIER(SLOW), false, {"=show running-config | section dlb"}, 0,
		VALID_UNSUPPORTED, "", NULL, nxos_balancing_text, NULL},
	{"least", TIER(SLOW), TIER(SLOW), false, {"=show running-config | section port-channel"}, 0,
		VALID_UNSUPPORTED, "", NULL, nxos_least_text, NULL},
	/* Without "nv overlay evpn" there is no such command. */
	{"segments", TIER(MEDIUM), TIER(MEDIUM), false, {"show nve ethernet-segment"}, 0,
		VALID_UNSUPPORTED, "", nxos_segments, NULL, NULL},
	{"buffers", TIER(MEDIUM), TIER(MEDIUM), false,
		{"show hardware internal buffer info pkt-stats"}, NEED_BIT(POOLS),
		VALID_UNSUPPORTED, "this chip has no such table", nxos_buffers, NULL, NULL},
};
const size_t nxos_group_count = ARRAY_LEN(nxos_groups);

/* Of the CLI over SSH, and of managed objects over HTTPS. */
static const struct known_fields known[] = {
	{"brief", "interface state speed"},
	{"counters", "eth_inbytes eth_outbytes eth_inucast eth_outucast"},
	{"errors", "eth_fcs_err eth_rcv_err eth_xmit_err eth_outdisc"},
	{"in", "octets ucastPkts"},
	{"out", "octets ucastPkts"},
	{"errors-in", "errors discards"},
	{"errors-out", "errors discards"},
	{"oper", "operSt operStQual operSpeed"},
	{NULL, NULL},
};

static const char *const batch_names[POLL_TIER_COUNT] = {
	[POLL_MEDIUM] = "medium",
	[POLL_SLOW] = "slow",
	[POLL_DETECT] = "detect",
};

bool nxos_is_text(const char *command)
{
	return command[0] == '=';
}

/* ---- plan ---- */

/* Each request of NX-API writes a line to the log, so its queue counters are the second choice. */
static bool is_wanted(const struct target *t, const struct nxos_group *g, enum poll_tier tier)
{
	if (t->transport == TRANSPORT_SSH)
		return g->ssh >> tier & 1;
	if (!(g->https >> tier & 1))
		return false;
	return g->json != nxos_queuing || !str_eq(facts_get(t->facts, NXOS_FACT_QUEUES), "dme");
}

static void plan_ssh(const struct target *t, const struct nxos_group *g, struct request_list *out)
{
	bool old = str_eq(facts_get(t->facts, NXOS_FACT_NATIVE), "no");
	struct request *r;
	struct buf line;

	buf_init(&line, BODY_CAP);
	for (size_t i = 0; i < NXOS_COMMANDS_MAX && g->commands[i]; i++) {
		const char *c = g->commands[i];

		(void)buf_addf(&line, "%s%s%s", i ? " ; " : "", c + nxos_is_text(c),
			nxos_is_text(c) ? ""
			: old           ? " | json"
					: " | json native");
	}
	r = requests_ssh(out, g->name, line.data, NULL);
	r->timeout_us = g->ssh & TIER(FAST) ? r->timeout_us : SLOW_TIMEOUT_US;
	r->cap = ANSWER_CAP;
	buf_free(&line);
}

static void rpc_commands(const struct nxos_group *g, struct buf *body)
{
	size_t index = g->alone ? 0 : (size_t)(g - nxos_groups);

	for (size_t i = 0; i < NXOS_COMMANDS_MAX && g->commands[i]; i++) {
		const char *c = g->commands[i];

		(void)buf_addf(body,
			"%s{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{\"cmd\":\"%s\","
			"\"version\":1},\"id\":%zu}",
			body->len > 1 ? "," : "", nxos_is_text(c) ? "cli_ascii" : "cli",
			c + nxos_is_text(c), index * NXOS_COMMANDS_MAX + i + 1);
	}
}

static void add_post(struct request_list *out, const char *name, struct buf *body)
{
	struct request *r;

	(void)buf_adds(body, "]");
	r = requests_http(out, name, "POST", "/ins", "application/json-rpc", body->data);
	r->timeout_us = BATCH_TIMEOUT_US;
	r->cap = ANSWER_CAP;
}

static void plan_https(const struct target *t, enum poll_tier tier, struct request_list *out)
{
	struct buf batch, own;

	for (size_t i = 0; i < nxos_class_count; i++)
		if (nxos_classes[i].tiers >> tier & 1)
			/* Queues of a chassis of 16 modules: 9000 objects of a kilobyte. */
			requests_http(
				out, nxos_classes[i].name, "GET", nxos_classes[i].path, NULL, NULL)
				->cap = ANSWER_CAP;
	buf_init(&batch, BODY_CAP);
	(void)buf_adds(&batch, "[");
	for (size_t i = 0; i < nxos_group_count; i++) {
		const struct nxos_group *g = &nxos_groups[i];

		if (!is_wanted(t, g, tier))
			continue;
		if (!g->alone) {
			rpc_commands(g, &batch);
			continue;
		}
		buf_init(&own, BODY_CAP);
		(void)buf_adds(&own, "[");
		rpc_commands(g, &own);
		add_post(out, g->name, &own);
		buf_free(&own);
	}
	if (batch.len > 1)
		add_post(out, batch_names[tier], &batch);
	buf_free(&batch);
}

static bool nxos_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)err;
	if (t->transport == TRANSPORT_HTTPS)
		plan_https(t, tier, out);
	else
		for (size_t i = 0; i < nxos_group_count; i++)
			if (is_wanted(t, &nxos_groups[i], tier))
				plan_ssh(t, &nxos_groups[i], out);
	return true;
}

/* ---- the dialect ---- */

static const struct nxos_group *group_find(const char *request)
{
	for (size_t i = 0; i < nxos_group_count; i++)
		if (str_eq(nxos_groups[i].name, request))
			return &nxos_groups[i];
	return NULL;
}

static const struct nxos_class *class_find(const char *request)
{
	for (size_t i = 0; i < nxos_class_count; i++)
		if (str_eq(nxos_classes[i].name, request))
			return &nxos_classes[i];
	return NULL;
}

static bool is_batch(const char *request)
{
	for (size_t i = 0; i < ARRAY_LEN(batch_names); i++)
		if (batch_names[i] && str_eq(batch_names[i], request))
			return true;
	return false;
}

static bool nxos_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	struct nxos_job j = {.t = t, .o = o};
	bool https = t->transport == TRANSPORT_HTTPS, ok;
	const struct nxos_class *c = https ? class_find(request) : NULL;
	const struct nxos_group *g = group_find(request);

	if (c)
		ok = nxos_parse_dme(c, &j, bytes, len, err);
	else if (https && (is_batch(request) || g))
		ok = nxos_parse_rpc(&j, g, bytes, len, err);
	else if (g)
		ok = nxos_parse_cli(&j, g, bytes, len, err);
	else
		ok = err_set(err, ERR_INTERNAL, t->device, "nxos has no request \"%s\"", request);
	nxos_qos_free(&j);
	return ok;
}

static int nxos_score(const char *text, size_t len)
{
	if (memmem(text, len, "Cisco Nexus Operating System", 28))
		return 100;
	return memmem(text, len, "NX-OS", 5) ? 90 : 0;
}

static char *login_body(const char *user, const char *password)
{
	return login_body_json(
		"{\"aaaUser\":{\"attributes\":{\"name\":", user, ",\"pwd\":", password, "}}}");
}

/* The cookie is valid for 600 s; DME refuses an older one with 403. */
static const struct login login = {
	.path = "/api/aaaLogin.json",
	.content_type = "application/json",
	.body = login_body,
	.refresh_us = INT64_C(500000000),
};

const struct backend_ops backend_nxos = {
	.name = "nxos",
	.title = "Cisco NX-OS (NX-API and DME over HTTPS, CLI over SSH)",
	.transports = 1u << TRANSPORT_HTTPS | 1u << TRANSPORT_SSH,
	.login = &login,
	.probe = "show version",
	.score = nxos_score,
	.plan = nxos_plan,
	.parse = nxos_parse,
	.reads = nxos_reads,
	.known = known,
	.changes = &nxos_changes,
};
