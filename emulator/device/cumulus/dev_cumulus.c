/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/cumulus/dev_cumulus.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* The two interfaces of the switch: NVUE's REST API and the shell. */

#define API "/nvue_v1"

static struct cumulus_box *box_new(const struct sim_device *d)
{
	struct cumulus_box *box = mem_calloc(1, sizeof(*box));

	box->d = d;
	box->nprofiles = 2;
	box->profile[0] = (struct cumulus_profile){.name = "default-global",
		.congestion = true,
		.ecn = true,
		.min_bytes = ECN_MIN_BYTES,
		.max_bytes = ECN_MAX_BYTES,
		.max_percent = 20};
	box->profile[1] =
		(struct cumulus_profile){.name = "default-global", .pfc_mask = LOSSLESS_MASK};
	return box;
}

struct cumulus_box *cumulus_box(struct personality_ctx *ctx, const struct sim_device *d)
{
	struct cumulus_box **at;

	if (!ctx->cumulus)
		ctx->cumulus = mem_calloc(1, sizeof(*ctx->cumulus));
	for (at = &ctx->cumulus->first; *at; at = &(*at)->next)
		if ((*at)->d == d) {
			struct cumulus_box *box = *at;

			/* The next request is most often for the same switch. */
			*at = box->next;
			box->next = ctx->cumulus->first;
			return ctx->cumulus->first = box;
		}
	return *at = box_new(d);
}

void cumulus_free(struct cumulus *c)
{
	struct cumulus_box *box;
	unsigned i;

	while (c && (box = c->first)) {
		c->first = box->next;
		for (i = 0; i < CUMULUS_REVISIONS; i++)
			json_decref(box->revision[i].patch);
		free(box->base);
		free(box->phy_us);
		free(box);
	}
	if (c)
		vfs_free(c->files);
	free(c);
}

struct sim_port *cumulus_port(const struct machine *m, const char *name)
{
	uint64_t n;

	/* Ports are normally named by number, but an inventory may give other names. */
	if (str_starts(name, "swp") && str_to_u64(name + 3, &n) && n && n <= m->d->nports &&
		!strcmp(m->d->ports[n - 1].name, name))
		return &m->d->ports[n - 1];
	for (n = 0; n < m->d->nports; n++)
		if (!strcmp(m->d->ports[n].name, name))
			return &m->d->ports[n];
	return NULL;
}

unsigned cumulus_release(const struct sim_device *d)
{
	char *end;
	unsigned long major = strtoul(d->os_version, &end, 10);
	unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

	return (unsigned)(major % 100 * 100 + minor % 100);
}

int64_t cumulus_now(const struct machine *m)
{
	return personality_clock(m->ctx, m->d);
}

int64_t cumulus_uptime_us(const struct machine *m)
{
	return sim_now(m->ctx->sim) - m->d->boot_us;
}

/* ---- REST ---- */

struct rest {
	struct machine m;
	const struct http_request *q;
	struct http_reply *reply;
	char path[512], rev[64];
	const char *words[CUMULUS_WORDS];
	unsigned n;
};

static void send_json(struct rest *r, json_t *o)
{
	char *text = json_dumps(o, JSON_INDENT(2) | JSON_ENCODE_ANY);

	json_decref(o);
	if (!text || !buf_addf(r->reply->out, "%s\n", text))
		r->reply->status = 500;
	free(text);
}

static void send_problem(struct rest *r, unsigned status, const char *detail)
{
	r->reply->status = status;
	r->reply->type = "application/problem+json";
	send_json(r, cumulus_problem(status, detail));
}

static void not_found(struct rest *r)
{
	send_problem(r, 404, "The requested item does not exist.");
}

/* Copies one parameter of the query to dst; false if it is missing. */
static bool query_parameter(const char *query, const char *name, char *dst, size_t size)
{
	size_t len = strlen(name);

	while (*query) {
		size_t n = strcspn(query, "&");

		if (n > len && !strncmp(query, name, len) && query[len] == '=')
			return str_copyn(dst, size, query + len + 1, n - len - 1);
		query += n + (query[n] == '&');
	}
	return false;
}

/* "type=swp", "link/oper-status=up": keeps the rows with this value. */
static void filter_rows(json_t *rows, const char *text)
{
	char path[128], *value;
	const char *words[CUMULUS_WORDS], *name;
	json_t *row;
	void *tmp;
	unsigned i, n;

	if (!str_copy(path, sizeof(path), text) || !(value = strchr(path, '=')))
		return;
	*value++ = '\0';
	for (i = 0; path[i]; i++)
		path[i] = path[i] == '.' ? '/' : path[i];
	n = cumulus_split(path, words);
	json_object_foreach_safe(rows, tmp, name, row)
	{
		const json_t *at = row;

		for (i = 0; i < n && at; i++)
			at = json_object_get(at, words[i]);
		if (!json_is_string(at) || strcmp(json_string_value(at), value) != 0)
			(void)json_object_del(rows, name);
	}
}

static void get_item(struct rest *r)
{
	char wanted[128], include[256] = "", omit[256] = "";
	bool bad_rev;
	json_t *o = cumulus_get(&r->m, r->rev, r->words, r->n, &bad_rev);

	if (!o && bad_rev) {
		char text[128];

		(void)str_printf(text, sizeof(text), "Revision '%s' does not exist.", r->rev);
		send_problem(r, 404, text);
		return;
	}
	if (!o) {
		not_found(r);
		return;
	}
	if (r->n == 1 && !strcmp(r->words[0], "interface")) {
		(void)query_parameter(r->q->query, "include", include, sizeof(include));
		(void)query_parameter(r->q->query, "omit", omit, sizeof(omit));
		o = cumulus_select(&r->m, o, include, omit);
	}
	if (r->n == 1 && query_parameter(r->q->query, "filter", wanted, sizeof(wanted)))
		filter_rows(o, wanted);
	send_json(r, o);
}

static void get_revisions(struct rest *r)
{
	struct cumulus_box *box = cumulus_box(r->m.ctx, r->m.d);
	json_t *all = json_object();
	char id[12];
	unsigned i;

	for (i = 0; i < CUMULUS_REVISIONS; i++)
		if (box->revision[i].id) {
			(void)str_printf(id, sizeof(id), "%u", box->revision[i].id);
			(void)json_object_set_new(
				all, id, cumulus_revision_json(&r->m, &box->revision[i]));
		}
	(void)json_object_set_new(all, "applied",
		json_pack("{s:s,s:{s:{},s:s}}", "state", "applied", "transition", "issue",
			"progress", ""));
	send_json(r, all);
}

static const char *answer_to_prompt(const json_t *body)
{
	const char *state = json_string_value(json_object_get(body, "state"));
	const char *ays =
		json_string_value(json_object_get(json_object_get(body, "auto-prompt"), "ays"));

	if (str_eq(state, "ays_yes") || str_eq(state, "ays_no"))
		return state;
	return ays;
}

static void patch_revision(struct rest *r, struct cumulus_revision *v)
{
	json_t *body = json_loadb(r->q->body, r->q->len, 0, NULL), *o;
	const char *state = json_string_value(json_object_get(body, "state"));
	const char *answer = answer_to_prompt(body);
	bool asked = v->phase == CUMULUS_ASKING;

	if (asked && str_eq(answer, "ays_no")) {
		v->phase = CUMULUS_PENDING;
		o = cumulus_revision_json(&r->m, v);
	} else if (str_eq(state, "apply") || (asked && str_eq(state, "ays_yes"))) {
		cumulus_apply(&r->m, v, str_eq(answer, "ays_yes"));
		o = cumulus_revision_json(&r->m, v);
		/* The answer repeats the requested state; a later GET shows the result. */
		(void)json_object_set_new(o, "state", json_string("apply"));
		(void)json_object_set_new(
			o, "transition", json_pack("{s:{},s:s}", "issue", "progress", ""));
	} else {
		json_decref(body);
		send_problem(r, 400, "The state of a revision can be set to 'apply'.");
		return;
	}
	json_decref(body);
	send_json(r, o);
}

/* The running and the startup configuration: GET shows them, PATCH saves the running one. */
static void named_revision(struct rest *r)
{
	json_t *body = json_loadb(r->q->body, r->q->len, 0, NULL);
	bool save = str_eq(json_string_value(json_object_get(body, "state")), "save");

	json_decref(body);
	if (!strcmp(r->q->method, "GET") || (!strcmp(r->q->method, "PATCH") && save))
		send_json(r, json_pack("{s:s,s:{s:{},s:s}}", "state", save ? "save" : "applied",
				     "transition", "issue", "progress", ""));
	else
		send_problem(r, 400, "This revision can be saved only.");
}

static void serve_revisions(struct rest *r)
{
	struct cumulus_revision *v;
	const char *method = r->q->method;
	char id[12];

	if (r->n == 1 && !strcmp(method, "POST")) {
		v = cumulus_revision_new(&r->m);
		(void)str_printf(id, sizeof(id), "%u", v->id);
		send_json(r, json_pack("{s:o}", id, cumulus_revision_json(&r->m, v)));
		return;
	}
	if (r->n == 1 && !strcmp(method, "GET")) {
		get_revisions(r);
		return;
	}
	if (r->n == 2 && (!strcmp(r->words[1], "applied") || !strcmp(r->words[1], "startup"))) {
		named_revision(r);
		return;
	}
	v = r->n == 2 ? cumulus_revision(&r->m, r->words[1]) : NULL;
	if (!v)
		not_found(r);
	else if (!strcmp(method, "GET"))
		send_json(r, cumulus_revision_json(&r->m, v));
	else if (!strcmp(method, "PATCH"))
		patch_revision(r, v);
	else
		send_problem(r, 405, "The method is not allowed for the requested URL.");
}

/* PATCH and DELETE write into a revision; they take effect only when it is applied. */
static void write_config(struct rest *r, json_t *body)
{
	struct cumulus_revision *v = r->rev[0] ? cumulus_revision(&r->m, r->rev) : NULL;
	char why[160] = "";
	json_t *reply;

	if (!v || v->phase == CUMULUS_APPLIED) {
		json_decref(body);
		send_problem(r, r->rev[0] && !v ? 404 : 400,
			!r->rev[0] ? "Missing query parameter 'rev'"
			: !v       ? "The requested revision does not exist."
				   : "The requested revision is not writable.");
		return;
	}
	reply = json_deep_copy(body);
	if (cumulus_stage(&r->m, v, r->words, r->n, body, why)) {
		v->phase = CUMULUS_PENDING;
		send_json(r, reply);
		return;
	}
	json_decref(reply);
	send_problem(r, 400, why);
}

/* {"@clear": {"state": "start", "parameters": {}}} */
static void post_action(struct rest *r)
{
	json_t *body = json_loadb(r->q->body, r->q->len, 0, NULL);
	const json_t *clear = json_object_get(body, "@clear");
	bool start = str_eq(json_string_value(json_object_get(clear, "state")), "start");
	const struct cumulus_action *a;

	json_decref(body);
	if (!start) {
		send_problem(r, 400, "The body does not start an action of this object.");
		return;
	}
	a = cumulus_clear(&r->m, r->words, r->n);
	if (a)
		send_json(r, cumulus_u64(a->id));
	else
		not_found(r);
}

static void get_action(struct rest *r)
{
	const struct cumulus_action *a = r->n == 2 ? cumulus_action(&r->m, r->words[1]) : NULL;

	if (a)
		send_json(r, cumulus_action_json(a));
	else
		not_found(r);
}

static void route_request(struct rest *r)
{
	const char *method = r->q->method, *first = r->n ? r->words[0] : "";
	json_t *body;

	if (!strcmp(first, "revision")) {
		serve_revisions(r);
	} else if (!strcmp(first, "action") && !strcmp(method, "GET")) {
		get_action(r);
	} else if (!strcmp(method, "GET")) {
		get_item(r);
	} else if (!strcmp(method, "POST")) {
		post_action(r);
	} else if (!strcmp(method, "DELETE")) {
		write_config(r, json_null());
	} else if (!strcmp(method, "PATCH")) {
		body = json_loadb(r->q->body, r->q->len, JSON_DECODE_ANY, NULL);
		if (body)
			write_config(r, body);
		else
			send_problem(r, 400, "Request body is not valid JSON");
	} else {
		send_problem(r, 405, "The method is not allowed for the requested URL.");
	}
}

static void serve_rest(struct personality_ctx *ctx, struct sim_device *d,
	const struct http_request *q, struct http_reply *reply)
{
	struct rest r = {.m = {.ctx = ctx, .d = d}, .q = q, .reply = reply};

	reply->type = "application/json";
	if (!q->basic_ok) {
		reply->realm = "Restricted";
		send_problem(&r, 401, "Unauthorized");
		return;
	}
	if (d->must_change_password && !cumulus_box(ctx, d)->password_changed) {
		send_problem(&r, 403, "The default password must be changed first.");
		return;
	}
	if (!str_starts(q->path, API) || (q->path[strlen(API)] && q->path[strlen(API)] != '/') ||
		!str_copy(r.path, sizeof(r.path), q->path + strlen(API))) {
		not_found(&r);
		return;
	}
	if (d->commands_fail) {
		send_problem(&r, 500, "Internal Server Error");
		return;
	}
	/* Each step of a change is a write: a revision that cannot be made, patched or applied. */
	if (strcmp(q->method, "GET") != 0 && sim_write(ctx->sim, d) == SIM_WRITE_LOST) {
		if (sim_write_denied(ctx->sim))
			send_problem(&r, 403, "Forbidden");
		return;
	}
	(void)query_parameter(q->query, "rev", r.rev, sizeof(r.rev));
	r.n = cumulus_split(r.path, r.words);
	route_request(&r);
}

/* ---- the shell ---- */

static int run_command(void *ctx, const struct shell_call *c)
{
	static const struct {
		const char *name;
		int (*run)(struct machine *m, const struct shell_call *c);
	} all[] = {
		{"nv", cumulus_nv},
		{"vtysh", cumulus_vtysh},
		{"lldpctl", cumulus_lldpctl},
		{"lldpcli", cumulus_lldpctl},
		{"ip", cumulus_ip},
		{"ethtool", cumulus_ethtool},
		{"journalctl", cumulus_journalctl},
		{"decode-syseeprom", cumulus_syseeprom},
		{"chpasswd", cumulus_chpasswd},
	};
	const char *slash = strrchr(c->argv[0], '/'), *name = slash ? slash + 1 : c->argv[0];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, name))
			return all[i].run(ctx, c);
	return -1;
}

static int switch_exec(struct personality_ctx *ctx, struct sim_device *d, const char *line,
	const char *input, struct buf *out, struct buf *err)
{
	static const char *const names[] = {"nv", "vtysh", "lldpctl", "lldpcli", "ip", "ethtool",
		"journalctl", "decode-syseeprom", "chpasswd", NULL};
	static const struct shell_machine base = {.command = run_command,
		.commands = names,
		.kernel = "6.1.0-cl-1-amd64",
		.kernel_version =
			"#1 SMP PREEMPT_DYNAMIC Debian 6.1.115-1+cl5.11.1u1 (2024-11-25)"};
	struct machine m = {.ctx = ctx, .d = d};

	(void)cumulus_box(ctx, d);
	if (!ctx->cumulus->files)
		ctx->cumulus->files = cumulus_files();
	m.view.tree = ctx->cumulus->files;
	return personality_shell(&m, &base, line, input, out, err);
}

const struct personality personality_cumulus = {"cumulus", switch_exec, serve_rest, NULL, false};
