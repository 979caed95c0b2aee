/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/ufm/ufm.h"
#include "backends/parse/first_line.h"
#include "backends/parse/json_select.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * UFM Enterprise, the manager of InfiniBand fabrics, over REST. A device of the inventory
 * with the name of one of UFM's systems is that switch or host: its ports, its counters and what
 * UFM says of it. A device of another name is the UFM itself: what it says of the whole fabric.
 *
 * Bodies: the REST guides 6.11 to 6.23, the samples of Mellanox/ufm_sdk_3.0, IBM/CSM. Alarms have
 * two shapes (to 6.16, and from 6.17).
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ANSWER_CAP   ((size_t)32 << 20) /* systems with their modules: some kilobytes each */

enum whose { OF_ANY, OF_SYSTEM, OF_FABRIC };

static const struct question {
	const char *name;
	enum poll_tier tier;
	enum whose whose;
	const char *path; /* "{}": the GUID */
	const char *want; /* of json_select: what a row is */
	ufm_row_fn *row;
	const char *lacks; /* the capability that is missing without it; NULL: it is vital */
	const char *cure;
	int kind; /* of notes; -1: none */
} questions[] = {
	{"systems", POLL_SLOW, OF_ANY, UFM_API "/resources/systems", "[]", ufm_take_system, NULL,
		NULL, -1},
	{"version", POLL_SLOW, OF_FABRIC, UFM_API "/app/ufm_version", "", ufm_take_version,
		"identity", "", -1},
	{"alarms", POLL_FAST, OF_ANY, UFM_API "/app/alarms", "[]", ufm_take_alarm, NULL, NULL,
		MANAGER_ALARM},
	{"unhealthy", POLL_MEDIUM, OF_ANY, UFM_API "/app/unhealthy_ports", "[]", ufm_take_unhealthy,
		UFM_NEED_UNHEALTHY, "this release of UFM does not have it", MANAGER_UNHEALTHY},
	{"congestion", POLL_MEDIUM, OF_FABRIC,
		UFM_API "/telemetry?type=topX&membersType=Ports&PickBy=Infiniband_Normalized_CBW"
			"&limit=24&attributes=%5BInfiniband_Normalized_CBW,Infiniband_CBW%5D",
		"[]", ufm_take_congested, UFM_NEED_CONGESTION,
		"telemetry is off or its plugin is missing: see /ufmRest/app/ufm_config, and "
		"enable UFM Telemetry",
		MANAGER_CONGESTION},
	{"ports", POLL_MEDIUM, OF_SYSTEM, UFM_API "/resources/ports?system={}", "[]", ufm_take_port,
		NULL, NULL, -1},
	{"counters", POLL_MEDIUM, OF_SYSTEM,
		UFM_API "/telemetry?type=history&membersType=Device&attributes=%5B"
			"Infiniband_MBOut,Infiniband_MBIn,Infiniband_PckOut,Infiniband_PckIn,"
			"Infiniband_XmitWait,Infiniband_SymbolErrors,Infiniband_LinkRecovers,"
			"Infiniband_LinkDowned,Infiniband_RcvErrors,Infiniband_XmtDiscards,"
			"Infiniband_Normalized_CBW%5D&result_format=Port&members=%5B{}%5D"
			"&start_time=-5min&end_time=-0min",
		"", ufm_take_history, "port counters",
		"UFM keeps no history of telemetry: in gv.cfg, [Telemetry], history_enabled = true",
		MANAGER_CONGESTION},
};

/* ---- the dialect ---- */

static const struct question *question_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(questions); i++)
		if (str_eq(questions[i].name, name))
			return &questions[i];
	return NULL;
}

const char *ufm_guid(const struct facts *facts)
{
	static const char signs[] = "0123456789abcdefABCDEFxX_-";
	const char *guid = facts_get(facts, UFM_FACT_GUID);

	return guid[strspn(guid, signs)] ? "" : guid;
}

static bool is_due(const struct question *q, const struct target *t, enum poll_tier tier)
{
	bool all = *facts_get(t->facts, UFM_FACT_ALL), system = *ufm_guid(t->facts);

	/* Nothing is asked of a fabric that UFM has not named yet. */
	if (tier == POLL_DETECT || (tier == POLL_FAST && !all && !system))
		return q->tier == POLL_SLOW && q->whose == OF_ANY;
	if (q->tier != tier)
		return false;
	return q->whose == OF_ANY ? all || system || tier == POLL_SLOW
				  : (q->whose == OF_SYSTEM ? system : all);
}

static bool ufm_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		const struct question *q = &questions[i];
		const char *hole = strstr(q->path, "{}");
		struct request *r;
		char path[640];

		if (!is_due(q, t, tier))
			continue;
		(void)str_printf(path, sizeof(path), "%.*s%s%s",
			(int)(hole ? (size_t)(hole - q->path) : strlen(q->path)), q->path,
			hole ? ufm_guid(t->facts) : "", hole ? hole + 2 : "");
		r = requests_http(out, q->name, "GET", path, NULL, NULL);
		r->timeout_us = 20 * CLOCK_SEC;
		r->spare = q->tier != POLL_FAST;
		r->may_lack = true;
		if (q->tier == POLL_SLOW)
			r->cap = ANSWER_CAP;
	}
	return true;
}

/* The answer is no JSON of this question: a page of the web server, or an error of UFM. */
static bool is_missing(const struct question *q, const struct target *t, struct obs *o,
	const char *bytes, size_t len, struct err *err)
{
	char line[80], cure[160];

	parse_first_line(bytes, len, line, sizeof(line));
	if (q->lacks) {
		(void)str_printf(cure, sizeof(cure), "%s", *q->cure ? q->cure : line);
		obs_capability(o, q->lacks, VALID_UNSUPPORTED, cure);
		return true;
	}
	err_set(err, ERR_PROTOCOL, t->device, "UFM has no answer to \"%s\": %s", q->name, line);
	return err_cure(err, "check that address: is the UFM Enterprise server, that its REST API "
			     "is on, and that the user may read it: curl -u USER "
			     "https://ADDRESS" UFM_API "/app/ufm_version");
}

static bool on_row(void *ctx, size_t want, const char *name, const struct json_value *v)
{
	struct {
		struct ufm_reading *r;
		ufm_row_fn *row;
	} *c = ctx;

	(void)want, (void)name;
	c->r->rows++;
	c->row(c->r, v);
	return true;
}

/* What the end of the answer tells. */
static void settle(struct ufm_reading *r, const struct question *q)
{
	if (str_eq(q->name, "systems"))
		ufm_settle_systems(r);
	else if (str_eq(q->name, "ports"))
		ufm_settle_ports(r);
	else if (str_eq(q->name, "alarms"))
		obs_capability(r->o, UFM_NEED_ALARMS, VALID_OK, "");
	else if (q->lacks && (r->told || q->kind == MANAGER_UNHEALTHY))
		obs_capability(r->o, q->lacks, VALID_OK, "");
	/* An empty list of the ports with most congestion is an answer; rows without it are none.
	 */
	else if (str_eq(q->name, "congestion") && !r->rows)
		obs_capability(r->o, q->lacks, VALID_OK, "");
	else if (q->lacks)
		obs_capability(r->o, q->lacks, VALID_UNSUPPORTED, q->cure);
	if (q->kind >= 0 && (q->kind != MANAGER_CONGESTION || r->told || !r->rows))
		ufm_emit_notes(r);
}

static bool ufm_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	const struct question *q = question_of(request);
	struct ufm_reading r = {.t = t, .o = o, .kind = MANAGER_ALARM};
	struct json_want want = {.path = q ? q->want : ""};
	struct {
		struct ufm_reading *r;
		ufm_row_fn *row;
	} ctx = {&r, q ? q->row : NULL};
	struct json_select d;
	const char *at = bytes;
	struct err why = {0};
	bool ok;

	if (!q)
		return err_set(err, ERR_INTERNAL, t->device, "UFM has no \"%s\"", request);
	if (q->kind >= 0)
		r.kind = (enum manager_note_kind)q->kind;
	while (at < bytes + len && (unsigned char)*at <= ' ')
		at++;
	/* A list where one is due: an error of UFM is an object or a page. */
	if (at == bytes + len || *at != (*q->want ? '[' : '{'))
		return is_missing(q, t, o, bytes, len, err);
	json_select_begin(&d, &want, 1, on_row, &ctx, NULL, 0);
	d.is_list = *q->want;
	ok = json_select_read(&d, at, (size_t)(bytes + len - at), t->device, &why);
	json_select_free(&d);
	if (!ok) {
		*err = why;
		return false;
	}
	if (!r.rows && str_eq(q->name, "systems")) {
		err_set(err, ERR_PROTOCOL, t->device, "UFM lists no system: []");
		return err_cure(err, "is its fabric discovered, and may this user see it?");
	}
	settle(&r, q);
	return true;
}

const struct backend_ops backend_ufm = {
	.name = "ufm",
	.title = "UFM Enterprise (REST)",
	.transports = 1u << TRANSPORT_HTTPS,
	.refused = "UFM wants a user of its own for " UFM_API " (basic authentication): "
		   "Settings, User Management",
	.plan = ufm_plan,
	.parse = ufm_parse,
	.reads = ufm_reads,
};
