/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialect_nxos.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define TIER(t)      (1u << POLL_##t)

/* A command of NX-API waits for a shell of its own; details of 64 modules take seconds. */
#define BATCH_TIMEOUT_US INT64_C(60000000)
#define SLOW_TIMEOUT_US  INT64_C(45000000)
#define BODY_CAP         ((size_t)4096)
#define ANSWER_CAP       ((size_t)16 << 20)

/*
 * SSH asks each group in an exec of its own, so that no session of the switch's few is held long.
 * HTTPS asks the groups of a tier in one array, where a command that fails is an error of its own.
 */
const struct nxos_group nxos_groups[] = {
	{"brief", TIER(FAST), 0, false, {"show interface brief"}, NXOS_BIT(PORT_STATE),
		VALID_UNSUPPORTED, "", nxos_brief, NULL, NULL},
	{"counters", TIER(FAST), 0, false, {"show interface counters"}, NXOS_BIT(PORT_COUNTERS),
		VALID_UNSUPPORTED, "", nxos_counters, NULL, NULL},
	{"errors", TIER(FAST), 0, false, {"show interface counters errors"}, 0, VALID_UNSUPPORTED,
		"", nxos_errors, NULL, NULL},
	{"interface", TIER(MEDIUM), 0, false, {"show interface"}, NXOS_BIT(LINK_FLAPS),
		VALID_UNSUPPORTED, "", nxos_interface, NULL, NULL},
	{"queuing", TIER(MEDIUM), TIER(MEDIUM), true, {"show queuing interface"},
		NXOS_BIT(PFC) | NXOS_BIT(QUEUES) | NXOS_BIT(QUEUE_DROPS) | NXOS_BIT(ECN_MARKS),
		VALID_UNSUPPORTED, "", nxos_queuing, NULL, NULL},
	{"watchdog", TIER(MEDIUM), TIER(MEDIUM), false, {"show queuing pfc-queue detail"},
		NXOS_BIT(WATCHDOG) | NXOS_BIT(WATCHDOG_CONFIG), VALID_UNSUPPORTED, "",
		nxos_watchdog, NULL, NULL},
	{"optics", TIER(MEDIUM), TIER(MEDIUM), false, {"show interface transceiver details"},
		NXOS_BIT(OPTICS_RX) | NXOS_BIT(OPTICS_TX) | NXOS_BIT(OPTICS_BIAS) |
			NXOS_BIT(OPTICS_TEMPERATURE) | NXOS_BIT(OPTICS_LIMITS),
		VALID_UNSUPPORTED, "", nxos_optics, NULL, NULL},
	/* Commands of a feature that is off do not exist. */
	{"bgp", TIER(MEDIUM), TIER(MEDIUM), false,
		{"show bgp all summary vrf all", "show bgp sessions vrf all"}, NXOS_BIT(BGP),
		VALID_DISABLED, "feature bgp", nxos_bgp, NULL, NULL},
	{"lldp", TIER(MEDIUM), 0, false, {"show interface brief", "show lldp neighbors detail"},
		NXOS_BIT(LLDP), VALID_DISABLED, "feature lldp", nxos_lldp, NULL, NULL},
	{"log", TIER(MEDIUM), TIER(MEDIUM), false, {"=show logging last 200"}, NXOS_BIT(LOG),
		VALID_UNSUPPORTED, "", NULL, nxos_log_text, NULL},
	{"identity", TIER(SLOW) | TIER(DETECT), TIER(SLOW), false,
		{"show version", "show system uptime", "show inventory"},
		NXOS_BIT(IDENTITY) | NXOS_BIT(UPTIME), VALID_UNSUPPORTED, "", nxos_identity, NULL,
		NULL},
	/* The first has the ports that the others are about. */
	{"settings", TIER(SLOW) | TIER(DETECT), TIER(SLOW) | TIER(DETECT), false,
		{"show interface priority-flow-control", "=show policy-map system type network-qos",
			"=show policy-map type queuing", "=show class-map type qos",
			"=show policy-map type qos"},
		NXOS_BIT(PFC_CONFIG) | NXOS_BIT(ECN_CONFIG) | NXOS_BIT(QOS_MAPS), VALID_UNSUPPORTED,
		"", nxos_pfc, nxos_qos_text, nxos_qos_end},
	{"multipliers", TIER(SLOW) | TIER(DETECT), TIER(SLOW) | TIER(DETECT), false,
		{"=show running-config | include multiplier"}, 0, VALID_UNSUPPORTED, "", NULL,
		nxos_multipliers_text, NULL},
	{"hash", TIER(SLOW), TIER(SLOW), false,
		{"=show port-channel load-balance", "=show ip load-sharing"}, NXOS_BIT(HASH),
		VALID_UNSUPPORTED, "", NULL, nxos_hash_text, NULL},
};
const size_t nxos_group_count = ARRAY_LEN(nxos_groups);

#define COMMANDS_MAX ARRAY_LEN(nxos_groups[0].commands)

static const char *const batch_names[POLL_TIER_COUNT] = {
	[POLL_MEDIUM] = "medium",
	[POLL_SLOW] = "slow",
	[POLL_DETECT] = "detect",
};

static bool is_text(const char *command)
{
	return command[0] == '=';
}

/* ---- plan ---- */

/* Each request of NX-API leaves a line in the log, so that its queues are the second choice. */
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
	for (size_t i = 0; i < COMMANDS_MAX && g->commands[i]; i++) {
		const char *c = g->commands[i];

		(void)buf_addf(&line, "%s%s%s", i ? " ; " : "", c + is_text(c),
			is_text(c) ? ""
			: old      ? " | json"
				   : " | json native");
	}
	r = requests_ssh(out, g->name, line.data, NULL);
	r->timeout_us = g->ssh & TIER(FAST) ? r->timeout_us : SLOW_TIMEOUT_US;
	r->cap = ANSWER_CAP;
	buf_free(&line);
}

static void rpc_commands(const struct nxos_group *g, struct buf *body)
{
	size_t index = (size_t)(g - nxos_groups);

	for (size_t i = 0; i < COMMANDS_MAX && g->commands[i]; i++) {
		const char *c = g->commands[i];

		(void)buf_addf(body,
			"%s{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{\"cmd\":\"%s\","
			"\"version\":1},\"id\":%zu}",
			body->len > 1 ? "," : "", is_text(c) ? "cli_ascii" : "cli", c + is_text(c),
			index * COMMANDS_MAX + i + 1);
	}
}

static void post(struct request_list *out, const char *name, struct buf *body)
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
			requests_http(
				out, nxos_classes[i].name, "GET", nxos_classes[i].path, NULL, NULL);
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
		post(out, g->name, &own);
		buf_free(&own);
	}
	if (batch.len > 1)
		post(out, batch_names[tier], &batch);
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

/* ---- refusals ---- */

enum refusal { REFUSED_NOT, REFUSED_MISSING, REFUSED_ROLE, REFUSED_OTHER };

static enum refusal refusal_of(const char *text)
{
	static const struct {
		const char *words;
		enum refusal what;
	} known[] = {
		{"Permission denied", REFUSED_ROLE},
		{"not authorized", REFUSED_ROLE},
		{"Invalid command", REFUSED_MISSING},
		{"Invalid parameter", REFUSED_MISSING},
		{"Incomplete command", REFUSED_MISSING},
		{"Invalid input", REFUSED_MISSING},
		{"Invalid params", REFUSED_MISSING},
		{"structured output", REFUSED_MISSING},
		{"Syntax error", REFUSED_MISSING},
		{"not supported", REFUSED_MISSING},
		{"ERROR:", REFUSED_OTHER},
		{"% ", REFUSED_OTHER},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcasestr(text, known[i].words))
			return known[i].what;
	return REFUSED_NOT;
}

static bool role_error(struct err *err, const char *device, const char *command)
{
	err_set(err, ERR_UNAUTHORISED, device, "\"%s\": permission denied for the user's role",
		command);
	return err_cure(err,
		"give the user a role that may run it: role name network-operator, "
		"rule permit command %.100s",
		command);
}

/* What a group costs when its first command, or the only one, is refused. */
static void lose(
	struct nxos_job *j, const struct nxos_group *g, enum refusal why, const char *command)
{
	char cure[160];

	if (why == REFUSED_ROLE)
		str_printf(
			cure, sizeof(cure), "give the user a role that may run: %.100s", command);
	else
		str_copy(cure, sizeof(cure), g->cure);
	for (unsigned n = 0; n < NEED_COUNT; n++)
		if (g->needs >> n & 1)
			need_say(j->o, (enum need_id)n,
				why == REFUSED_ROLE ? VALID_DISABLED : g->without, cure);
}

/* False: the answer as a whole is of no use; err says why. True: it was dealt with. */
static bool refuse(struct nxos_job *j, const struct nxos_group *g, size_t command, const char *text,
	struct err *err)
{
	const char *words = g->commands[command] + is_text(g->commands[command]);
	enum refusal why = refusal_of(text);
	char line[128];

	if (why == REFUSED_ROLE) {
		role_error(err, j->t->device, words);
		j->o->err = *err;
	} else if (why != REFUSED_MISSING) {
		parse_first_line(text, strlen(text), line, sizeof(line));
		err_set(err, ERR_PROTOCOL, j->t->device, "\"%s\" answers: %s", words, line);
		return err_cure(err, "try the command on the switch");
	}
	if (command == 0)
		lose(j, g, why, words);
	*err = (struct err){0};
	return true;
}

/* ---- NX-API ---- */

/* The words of an error: what the CLI said, else what NX-API says. */
static const char *rpc_words(const json_t *error)
{
	const char *said = pj_text(pj_path(error, "data.msg"));

	return said ? said : pj_text_or(pj_get(error, "message"), "no reason");
}

static void decode_one(
	struct nxos_job *j, const struct nxos_group *g, size_t command, const json_t *result)
{
	const char *text = pj_text(pj_get(result, "msg"));

	/* Some releases put the text of cli_ascii into the body. */
	text = text ? text : pj_text(pj_get(result, "body"));
	if (!is_text(g->commands[command]) && g->json)
		g->json(j, pj_get(result, "body"));
	else if (is_text(g->commands[command]) && g->text)
		g->text(j, text ? text : "", text ? strlen(text) : 0);
}

struct rpc {
	struct nxos_job *j;
	size_t answered, useful;
	uint64_t groups; /* bit set: who had an answer */
	struct err err;  /* the first that was no refusal */
};

static void rpc_answer(struct rpc *r, const json_t *one)
{
	const json_t *error = pj_get(one, "error");
	const struct nxos_group *g;
	struct err err = {0};
	uint64_t id;
	size_t command;

	if (!pj_u64(pj_get(one, "id"), &id) || id < 1 || id > nxos_group_count * COMMANDS_MAX)
		return;
	g = &nxos_groups[(id - 1) / COMMANDS_MAX];
	command = (id - 1) % COMMANDS_MAX;
	if (!g->commands[command])
		return;
	r->answered++;
	if (!error) {
		r->groups |= UINT64_C(1) << (g - nxos_groups);
		decode_one(r->j, g, command, pj_get(one, "result"));
		r->useful++;
	} else if (refuse(r->j, g, command, rpc_words(error), &err)) {
		r->useful++;
	} else if (r->err.code == ERR_NONE) {
		r->err = err;
	}
}

static bool rpc_end(struct rpc *r, const json_t *doc, struct err *err)
{
	for (size_t i = 0; i < nxos_group_count; i++)
		if (r->groups >> i & 1 && nxos_groups[i].end)
			nxos_groups[i].end(r->j);
	if (!r->answered) {
		err_set(err, ERR_PROTOCOL, r->j->t->device, "NX-API answers: %s",
			rpc_words(pj_get(doc, "error")));
		return err_cure(err, "try the command at https://SWITCH/ (NX-API sandbox)");
	}
	if (!r->useful) {
		*err = r->err;
		return false;
	}
	if (r->err.code != ERR_NONE && r->j->o->err.code == ERR_NONE)
		r->j->o->err = r->err;
	return true;
}

static bool parse_rpc(struct nxos_job *j, const char *bytes, size_t len, struct err *err)
{
	struct rpc r = {.j = j};
	size_t at = 0, i;
	const json_t *one;
	json_t *doc = parse_json_next(bytes, len, &at, j->t->device, err);
	char line[128];
	bool ok;

	if (!doc && err->code == ERR_NONE)
		err_set(err, ERR_PROTOCOL, j->t->device, "expected JSON of NX-API, got: %s",
			parse_first_line(bytes, len, line, sizeof(line)));
	if (!doc)
		return err_cure(err, "is NX-API on? feature nxapi");
	if (json_is_object(doc))
		rpc_answer(&r, doc);
	json_array_foreach(doc, i, one) rpc_answer(&r, one);
	ok = rpc_end(&r, doc, err);
	json_decref(doc);
	return ok;
}

/* ---- SSH ---- */

/* The first command that the CLI complained about: as many answered before it as it has. */
static bool complaint_line(const char *bytes, size_t len, char *dst, size_t size)
{
	for (size_t i = 0; i + 2 < len; i++) {
		bool start = i == 0 || bytes[i - 1] == '\n';

		if (start &&
			(strncmp(bytes + i, "% ", 2) == 0 || strncmp(bytes + i, "ERROR:", 6) == 0 ||
				strncmp(bytes + i, "Syntax error", 12) == 0)) {
			parse_first_line(bytes + i, len - i, dst, size);
			return true;
		}
	}
	return false;
}

static size_t decode_documents(struct nxos_job *j, const struct nxos_group *g, const char *bytes,
	size_t len, struct err *err)
{
	size_t at = 0, n = 0;
	json_t *doc;

	while (g->json && (doc = parse_json_next(bytes, len, &at, j->t->device, err))) {
		g->json(j, doc);
		n += json_is_object(doc);
		json_decref(doc);
	}
	return n;
}

static bool no_documents(struct nxos_job *j, const struct nxos_group *g, const char *bytes,
	size_t len, struct err *err)
{
	char line[128];

	if (complaint_line(bytes, len, line, sizeof(line)))
		return refuse(j, g, 0, line, err);
	/* A table without rows prints nothing. */
	if (!len || strspn(bytes, " \r\n") >= len)
		return true;
	err_set(err, ERR_PROTOCOL, j->t->device, "\"%s\": expected JSON, got: %s", g->commands[0],
		parse_first_line(bytes, len, line, sizeof(line)));
	return err_cure(err, "railtop needs a shell that runs show commands: the user's own, not "
			     "bash or guestshell");
}

/* "| json native" came with 9.3(1); before it the word is no filter. */
static bool is_old(struct nxos_job *j, const struct nxos_group *g, const char *line)
{
	if (g->json != nxos_identity || refusal_of(line) != REFUSED_MISSING ||
		*facts_get(j->t->facts, NXOS_FACT_NATIVE))
		return false;
	obs_fact(j->o, NXOS_FACT_NATIVE, "no");
	return true;
}

static bool parse_group(struct nxos_job *j, const struct nxos_group *g, const char *bytes,
	size_t len, struct err *err)
{
	size_t n = decode_documents(j, g, bytes, len, err);
	char line[128];
	bool complains = complaint_line(bytes, len, line, sizeof(line));

	if (err->code != ERR_NONE && !n)
		return false;
	if (err->code != ERR_NONE) {
		j->o->err = *err;
		*err = (struct err){0};
	}
	if (g->json && !n && complains && is_old(j, g, line))
		return true;
	if (g->json && !n)
		return no_documents(j, g, bytes, len, err);
	if (!g->json && complains)
		return refuse(j, g, 0, line, err);
	/* A neighbour table after another document: the feature's own command failed. */
	if (complains && g->without == VALID_DISABLED && g->json == nxos_lldp)
		lose(j, g, refusal_of(line), g->commands[1]);
	if (g->text)
		g->text(j, bytes, len);
	if (g->end)
		g->end(j);
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
		ok = parse_rpc(&j, bytes, len, err);
	else if (g)
		ok = parse_group(&j, g, bytes, len, err);
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
	json_t *o = json_pack(
		"{s:{s:{s:s,s:s}}}", "aaaUser", "attributes", "name", user, "pwd", password);
	char *text = json_dumps(o, JSON_COMPACT);

	json_decref(o);
	return text;
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
};
