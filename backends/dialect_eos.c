/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialect_eos.h"

#include <ctype.h>
#include <string.h>

#include "backends/parse_cells.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * Arista EOS over eAPI: JSON-RPC on HTTPS. A batch stops at its first bad command, so that only
 * what every release knows shares one call; each command that a release, a chip or a licence may
 * lack has its own. Revisions are pinned: "latest" changes shape with an upgrade.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct question {
	const char *request;
	enum poll_tier tier;
	const char *cmds; /* JSON */
	const char *need; /* what is lost without it; NULL: the call must work */
	const char *cure;
	void (*decode)(const struct target *t, const json_t *body, struct obs *o);
};

static const struct question questions[] = {
	{"fast", POLL_FAST,
		"{\"cmd\":\"show version\",\"revision\":1},{\"cmd\":\"show "
		"interfaces\",\"revision\":1}",
		NULL, NULL, NULL},
	{"pfc", POLL_FAST, "{\"cmd\":\"show interfaces priority-flow-control counters detail\"}",
		"PFC frames per priority", "", eos_parse_pfc},
	{"ecn", POLL_FAST, "{\"cmd\":\"show qos interfaces ecn counters queue\",\"revision\":1}",
		"ECN marks", "", eos_parse_ecn},
	{"queues", POLL_FAST, "{\"cmd\":\"show interfaces counters queue detail\",\"revision\":1}",
		"queue drops", "", eos_parse_queues},
	{"watchdog", POLL_FAST, "{\"cmd\":\"show priority-flow-control counters watchdog\"}",
		"PFC watchdog", "", eos_parse_watchdog},
	/* Modular systems drop at virtual output queues; fixed ones do not know the command. */
	{"voq", POLL_MEDIUM, "{\"cmd\":\"show interfaces counters queue drops\",\"revision\":1}",
		"", "", eos_parse_queues},
	{"phy", POLL_MEDIUM, "{\"cmd\":\"show interfaces phy detail\",\"revision\":2}",
		"FEC counters", "", eos_parse_phy},
	{"optics", POLL_MEDIUM,
		"{\"cmd\":\"show interfaces transceiver dom thresholds\",\"revision\":1}",
		"optics: light received", "", eos_parse_optics},
	{"lldp", POLL_SLOW, "{\"cmd\":\"show lldp neighbors detail\",\"revision\":1}",
		"LLDP neighbours", "configure on the switch: lldp run", eos_parse_lldp},
	{"errdisabled", POLL_MEDIUM,
		"{\"cmd\":\"show interfaces status errdisabled\",\"revision\":1}", "", "",
		eos_parse_errdisabled},
};

static const struct question *question_find(const char *request)
{
	for (size_t i = 0; i < ARRAY_LEN(questions); i++)
		if (str_eq(questions[i].request, request))
			return &questions[i];
	return NULL;
}

bool eos_is_front_panel(const char *name)
{
	return str_starts(name, "Ethernet") && isdigit((unsigned char)name[8]) &&
	       !strchr(name, '.');
}

static bool eos_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)t;
	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		const struct question *q = &questions[i];
		char body[512];

		if (q->tier != tier)
			continue;
		str_printf(body, sizeof(body),
			"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":\"railtop-%s\","
			"\"params\":"
			"{\"version\":1,\"format\":\"json\",\"timestamps\":false,\"cmds\":[%s]}}",
			q->request, q->cmds);
		requests_http(
			out, q->request, "POST", "/command-api", "application/json-rpc", body);
	}
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

/* The words of the last failed command: error.data[n].errors[0]. */
static const char *error_detail(const json_t *error)
{
	const json_t *data = pj_get(error, "data");
	size_t n = json_array_size(data);

	return n ? pj_text_or(pj_at(pj_get(pj_at(data, n - 1), "errors"), 0), "") : "";
}

static bool set_rpc_error(const struct target *t, const json_t *error, struct err *err)
{
	uint64_t code = 0;
	const char *detail = error_detail(error), *text = pj_text_or(pj_get(error, "message"), "");

	(void)pj_u64(pj_get(error, "code"), &code);
	err_set(err, ERR_PROTOCOL, t->device, "eAPI error %u: %s%s%s", (unsigned)code, text,
		*detail ? ": " : "", detail);
	if (strstr(text, "permission") || strstr(text, "not authorized") ||
		strstr(detail, "not authorized") || strstr(detail, "ermission")) {
		err->code = ERR_UNAUTHORISED;
		err_cure(err, "give the user a role that may run show commands");
	} else if (code == 1002 || code == 1003) {
		err->code = ERR_UNSUPPORTED;
		err_cure(err, "this EOS release or chip does not have the command");
	} else {
		err_cure(err, "try the command in the switch's own eAPI page at /explorer.html");
	}
	return false;
}

/* A command that this system lacks costs its need, not the poll. */
static bool parse_refusal(const struct question *q, const struct target *t, const json_t *error,
	struct obs *o, struct err *err)
{
	uint64_t code = 0;

	set_rpc_error(t, error, err);
	(void)pj_u64(pj_get(error, "code"), &code);
	if (!q->need || (code != 1002 && code != 1003))
		return false;
	if (*q->need)
		obs_capability(o, q->need, VALID_UNSUPPORTED, q->cure);
	*err = (struct err){0};
	return true;
}

/* True when the list held what the poll needs. */
static bool parse_fast(const struct target *t, const json_t *results, struct obs *o)
{
	const json_t *interfaces = pj_at(results, 1);

	eos_parse_version(pj_at(results, 0), o);
	if (!json_is_object(pj_get(interfaces, "interfaces")))
		return false;
	eos_parse_interfaces(t, interfaces, o);
	return true;
}

static bool parse_results(const struct question *q, const struct target *t, const json_t *results,
	struct obs *o, struct err *err)
{
	if (!json_is_object(pj_at(results, 0)))
		return err_set(err, ERR_PROTOCOL, t->device,
			"the eAPI answer to \"%s\" has no result", q->request);
	if (q->decode) {
		q->decode(t, pj_at(results, 0), o);
		return true;
	}
	if (!parse_fast(t, results, o))
		return err_set(err, ERR_PROTOCOL, t->device, "the eAPI answer has no interfaces");
	return true;
}

static bool eos_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	const struct question *q = question_find(request);
	const json_t *error;
	json_t *doc;
	bool ok;

	if (!q)
		return err_set(err, ERR_INTERNAL, t->device, "eos has no request \"%s\"", request);
	doc = parse_json(bytes, len, t->device, err);
	if (!doc)
		return err_cure(err, "is eAPI on? management api http-commands, no shutdown");
	error = pj_get(doc, "error");
	if (error && !q->need && parse_fast(t, pj_get(error, "data"), o)) {
		set_rpc_error(t, error, &o->err);
		ok = true;
	} else if (error) {
		ok = parse_refusal(q, t, error, o, err);
	} else {
		ok = parse_results(q, t, pj_get(doc, "result"), o, err);
	}
	json_decref(doc);
	return ok;
}

const struct backend_ops backend_eos = {
	.name = "eos",
	.title = "Arista EOS (eAPI over HTTPS)",
	.transports = 1u << TRANSPORT_HTTPS,
	.probe = NULL,
	.score = eos_score,
	.plan = eos_plan,
	.parse = eos_parse,
};
