/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/eos/change.h"
#include "backends/dialects/eos/eos_private.h"
#include "backends/contract/known_fields.h"
#include "backends/contract/login_body.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * Arista EOS. Over HTTPS it uses eAPI, JSON-RPC that runs commands. A command that a release, a
 * chip or a licence may lack is sent alone until the switch has answered it. Then all commands of a
 * tier share a call (eapi_call.c). Revisions are pinned, because "latest" changes its format with
 * an upgrade. Over SSH the CLI runs the same commands, one per exec channel, with the same answers.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SECOND       INT64_C(1000000)
#define LARGE        ((size_t)16 << 20) /* a chassis prints about 10 KB per port for its PHYs */

#define ON(tier) (1u << POLL_##tier)

#define EVERYWHERE(tiers)                                                                          \
	{                                                                                          \
		[TRANSPORT_SSH] = (tiers), [TRANSPORT_HTTPS] = (tiers)                             \
	}

static const struct eos_question questions[] = {
	{"version",
		.tiers =
			{[TRANSPORT_SSH] = ON(DETECT) | ON(MEDIUM), [TRANSPORT_HTTPS] = ON(DETECT)},
		.commands = {{"show version", 1, eos_parse_version, NULL, false}}, .need_count = 2,
		.needs = {NEED_IDENTITY, NEED_UPTIME}, .is_vital = true},
	{"ports", EVERYWHERE(ON(DETECT)),
		{{"show interfaces status", 1, eos_parse_ports, NULL, false}}, .need_count = 0},
	{"hostname", EVERYWHERE(ON(DETECT) | ON(SLOW)),
		{{"show hostname", 1, eos_parse_hostname, NULL, false}}, .need_count = 0},
	{"clock", EVERYWHERE(ON(DETECT) | ON(SLOW)),
		{{"show clock", 1, eos_parse_clock, NULL, false}}, .need_count = 0},
	{"fast", EVERYWHERE(ON(FAST)), {{"show interfaces", 1, eos_parse_interfaces, NULL, false}},
		.need_count = 3, .needs = {NEED_PORT_STATE, NEED_PORT_COUNTERS, NEED_LINK_FLAPS},
		.is_vital = true},
	{"pfc", EVERYWHERE(ON(FAST)),
		{{"show interfaces priority-flow-control counters detail", 0, eos_parse_pfc, NULL,
			 false},
			{"show priority-flow-control counters detail", 0, eos_parse_pfc, NULL,
				false}},
		.need_count = 3, .needs = {NEED_PFC, NEED_PAUSE_RX, NEED_PAUSE_TX}},
	{"ecn", EVERYWHERE(ON(FAST)),
		{{"show qos interfaces ecn counters queue", 1, eos_parse_ecn, NULL, false}},
		.need_count = 1, .needs = {NEED_ECN_MARKS},
		.cure = "configure on the switch: hardware counter feature ecn out"},
	/* Modular systems count at virtual output queues; some releases print only text. */
	{"queues", EVERYWHERE(ON(FAST)),
		{{"show interfaces counters queue detail", 1, eos_parse_queues, NULL, false},
			{"show interfaces counters queue drops", 1, eos_parse_queues, NULL, false},
			{"show interfaces counters queue detail", 0, NULL, eos_read_queues, false}},
		.need_count = 4,
		.needs = {NEED_QUEUES, NEED_QUEUE_DROPS, NEED_HEADROOM, NEED_PG_DROPS}},
	{"watchdog", EVERYWHERE(ON(FAST)),
		{{"show priority-flow-control counters watchdog", 0, eos_parse_watchdog, NULL,
			false}},
		.need_count = 1, .needs = {NEED_WATCHDOG}},
	{"phy", EVERYWHERE(ON(MEDIUM)),
		{{"show interfaces phy detail", 2, eos_parse_phy, NULL, false}}, .need_count = 3,
		.needs = {NEED_FEC, NEED_FEC_BINS, NEED_PRE_FEC_BER}, .timeout_us = 20 * SECOND},
	{"optics", EVERYWHERE(ON(MEDIUM)),
		{{"show interfaces transceiver dom thresholds", 1, eos_parse_optics, NULL, false},
			{"show interfaces transceiver detail", 1, eos_parse_optics, NULL, false},
			{"show interfaces transceiver", 1, eos_parse_optics, NULL, false}},
		.need_count = 6,
		.needs = {NEED_OPTICS_RX, NEED_OPTICS_TX, NEED_OPTICS_BIAS, NEED_OPTICS_TEMPERATURE,
			NEED_OPTICS_VDM, NEED_OPTICS_LIMITS},
		.timeout_us = 20 * SECOND},
	{"lldp", EVERYWHERE(ON(MEDIUM)),
		{{"show lldp neighbors detail", 1, eos_parse_lldp, NULL, false}}, .need_count = 1,
		.needs = {NEED_LLDP}, .cure = "configure on the switch: lldp run"},
	{"bgp", EVERYWHERE(ON(MEDIUM)),
		{{"show bgp summary vrf all", 1, eos_parse_bgp, NULL, false},
			{"show ip bgp summary vrf all", 0, eos_parse_bgp, NULL, false}},
		.need_count = 1, .needs = {NEED_BGP},
		.cure = "configure on the switch: router bgp AS"},
	{"lag", EVERYWHERE(ON(MEDIUM)), {{"show port-channel", 1, eos_parse_lag, NULL, false}},
		.need_count = 1, .needs = {NEED_BUNDLES}},
	{"mlag", EVERYWHERE(ON(MEDIUM)), {{"show mlag", 2, eos_parse_mlag, NULL, false}},
		.need_count = 0},
	/* Without BGP's EVPN there is no such command. */
	{"segments", EVERYWHERE(ON(MEDIUM)),
		{{"show bgp evpn instance", 1, eos_parse_segments, NULL, false}}, .need_count = 0},
	{"lanz", EVERYWHERE(ON(MEDIUM)),
		{{"show queue-monitor length limit 90 seconds", 1, eos_parse_lanz, NULL, false}},
		.need_count = 1, .needs = {NEED_QUEUE_WATERMARKS}, .cure = EOS_LANZ_CURE},
	/* Chips without virtual output queues do not have it. */
	{"drops", EVERYWHERE(ON(MEDIUM)),
		{{"show hardware counter drop", 1, eos_parse_drops, NULL, false}}, .need_count = 0},
	{"errdisabled", EVERYWHERE(ON(MEDIUM)),
		{{"show interfaces status errdisabled", 1, eos_parse_errdisabled, NULL, false}},
		.need_count = 0},
	/* An entry of a VLAN names its port, too: "Vlan100, Ethernet4". */
	{"arp", EVERYWHERE(ON(SLOW)),
		{{"show arp vrf all", 1, eos_parse_arp, NULL, false},
			{"show arp", 1, eos_parse_arp, NULL, false}},
		.need_count = 0},
	{"log", EVERYWHERE(ON(MEDIUM)),
		{{"show logging last 15 minutes", 0, NULL, eos_read_log, false},
			{"show logging 200", 0, NULL, eos_read_log, false}},
		.need_count = 1, .needs = {NEED_LOG},
		.cure = "configure on the switch: logging buffered 1000 informational"},
	{"pfc_status", EVERYWHERE(ON(SLOW)),
		{{"show priority-flow-control status", 0, NULL, eos_read_pfc_status, false},
			{"show priority-flow-control", 0, NULL, eos_read_pfc_status, false}},
		.need_count = 2, .needs = {NEED_PFC_CONFIG, NEED_WATCHDOG_CONFIG}},
	{"ecn_config", EVERYWHERE(ON(SLOW)),
		{{"show qos interfaces ecn", 0, NULL, eos_read_ecn_config, false},
			{"show running-config section random-detect|service-profile", 0, NULL,
				eos_read_ecn_running, true}},
		.need_count = 1, .needs = {NEED_ECN_CONFIG}},
	{"maps", EVERYWHERE(ON(SLOW)), {{"show qos maps", 0, NULL, eos_read_maps, false}},
		.need_count = 1, .needs = {NEED_QOS_MAPS}},
	{"schedulers", EVERYWHERE(ON(SLOW)),
		{{"show qos interfaces", 0, NULL, eos_read_schedulers, false}}, .need_count = 1,
		.needs = {NEED_SCHEDULERS}},
	{"trust", EVERYWHERE(ON(SLOW)),
		{{"show qos interfaces trust", 0, NULL, eos_read_trust, false}}, .need_count = 0},
	{"hash", EVERYWHERE(ON(SLOW)),
		{{"show load-balance profile", 0, NULL, eos_read_hash, false},
			{"show port-channel load-balance", 0, NULL, eos_read_hash, false}},
		.need_count = 1, .needs = {NEED_HASH}},
	/* Without the privilege it is refused, and stays unknown. */
	{"balancing", EVERYWHERE(ON(SLOW)),
		{{"show running-config section load-balance", 0, NULL, eos_read_balancing, false}},
		.need_count = 0},
};

static const struct known_fields known[] = {
	{"fast",
		"interfaceStatus lineProtocolStatus bandwidth interfaceCounters inOctets outOctets "
		"inUcastPkts outUcastPkts inDiscards outDiscards totalInErrors totalOutErrors"},
	{NULL, NULL},
};

const struct eos_question *eos_question_at(size_t i)
{
	return i < ARRAY_LEN(questions) ? &questions[i] : NULL;
}

const struct eos_question *eos_question_find(const char *request)
{
	for (size_t i = 0; i < ARRAY_LEN(questions); i++)
		if (str_eq(questions[i].request, request))
			return &questions[i];
	return NULL;
}

uint64_t eos_bit(const struct eos_question *q)
{
	_Static_assert(ARRAY_LEN(questions) <= 64, "a bit for each");
	return UINT64_C(1) << (q - questions);
}

size_t eos_command_count(const struct eos_question *q)
{
	size_t n = 0;

	while (n < EOS_COMMANDS && q->commands[n].line)
		n++;
	return n;
}

static void choice_key(const struct eos_question *q, char dst[32])
{
	str_printf(dst, 32, "use.%s", q->request);
}

size_t eos_choice(const struct eos_question *q, const struct facts *facts)
{
	char key[32];
	uint64_t n;

	choice_key(q, key);
	if (!str_to_u64(facts_get(facts, key), &n) || n > eos_command_count(q))
		return 0;
	return (size_t)n;
}

void eos_choose(const struct eos_question *q, struct obs *o, size_t n)
{
	char key[32], value[8];

	choice_key(q, key);
	str_printf(value, sizeof(value), "%zu", n);
	obs_fact(o, key, n ? value : "");
}

size_t eos_asked(const struct eos_question *q, const struct facts *facts)
{
	size_t n = eos_choice(q, facts);

	return n < eos_command_count(q) ? n : 0;
}

/*
 * A refused command is tried again now and then: an agent may just have been starting. A command
 * that timed out must not delay its tier again.
 */
bool eos_is_due(const struct eos_question *q, const struct target *t, enum poll_tier tier)
{
	unsigned tiers = q->tiers[t->transport];

	if (eos_choice(q, t->facts) >= eos_command_count(q))
		return tier == POLL_SLOW;
	if (eos_is_late(q, t))
		return tier == (tiers & ON(FAST) ? POLL_MEDIUM : POLL_SLOW);
	return tiers >> tier & 1;
}

/* ---- requests ---- */

static void add_command(const struct eos_ask *a, struct buf *b)
{
	const struct eos_command *c = &a->q->commands[a->choice];

	buf_addf(b, "%s{\"cmd\":\"%s\"", eos_before(a), c->line);
	if (c->revision)
		buf_addf(b, ",\"revision\":%d", c->revision);
	buf_adds(b, "}");
}

static void ask_https(const struct eos_call *call, struct request_list *out)
{
	char id[512];
	struct request *r;
	struct buf b;

	eos_call_id(call, id, sizeof(id));
	buf_init(&b, 16384);
	buf_addf(&b,
		"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":\"%s\",\"params\":{"
		"\"version\":1,\"format\":\"%s\",\"timestamps\":false,\"cmds\":[",
		id, eos_call_is_text(call) ? "text" : "json");
	for (size_t i = 0; i < call->n; i++) {
		buf_adds(&b, i ? "," : "");
		add_command(&call->asks[i], &b);
	}
	buf_adds(&b, "]}}");
	r = requests_http(out, call->name, "POST", "/command-api", "application/json-rpc", b.data);
	buf_free(&b);
	r->spare = call->n > 1 || !call->asks[0].q->is_vital;
	for (size_t i = 0; i < call->n; i++)
		if (call->asks[i].q->timeout_us > r->timeout_us)
			r->timeout_us = call->asks[i].q->timeout_us;
	if (call->n > 1 || call->asks[0].q->timeout_us)
		r->cap = LARGE;
}

static void ask_ssh(
	const struct eos_question *q, const struct eos_command *c, struct request_list *out)
{
	char line[128];
	struct request *r;

	str_printf(line, sizeof(line), "%s | %s", c->line, c->read ? "no-more" : "json");
	r = requests_ssh(out, q->request, line, NULL);
	if (!q->timeout_us)
		return;
	r->timeout_us = q->timeout_us;
	r->cap = LARGE;
}

static bool eos_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	const struct eos_question *q;

	(void)err;
	if (t->transport == TRANSPORT_HTTPS) {
		eos_each_call(t, tier, ask_https, out);
		return true;
	}
	for (size_t i = 0; (q = eos_question_at(i)); i++)
		if (eos_is_due(q, t, tier))
			ask_ssh(q, &q->commands[eos_asked(q, t->facts)], out);
	return true;
}

static int eos_score(const char *text, size_t len)
{
	if (memmem(text, len, "Arista", 6))
		return memmem(text, len, "internalVersion", 15) ||
				       memmem(text, len, "Software image version", 22)
			       ? 100
			       : 80;
	return 0;
}

static bool eos_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	if (t->transport == TRANSPORT_SSH)
		return eos_parse_cli(t, request, bytes, len, o, err);
	return eos_parse_https(t, request, bytes, len, o, err);
}

/* ---- login ---- */

static char *login_body(const char *user, const char *password)
{
	return login_body_json("{\"username\":", user, ",\"password\":", password, "}");
}

static const struct login eos_login = {
	.path = "/login",
	.content_type = "application/json",
	.body = login_body,
	.refresh_us = 0,
};

const struct backend_ops backend_eos = {
	.name = "eos",
	.title = "Arista EOS (eAPI over HTTPS, CLI over SSH)",
	.transports = 1u << TRANSPORT_HTTPS | 1u << TRANSPORT_SSH,
	.login = &eos_login,
	.probe = "show version",
	.score = eos_score,
	.plan = eos_plan,
	.parse = eos_parse,
	.reads = eos_reads,
	.known = known,
	.changes = &eos_changes,
};
