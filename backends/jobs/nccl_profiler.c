/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/first_line.h"
#include "backends/parse/json_select.h"
#include "base/str.h"
#include "base/vec.h"

/*
 * Decodes files of two profiler plugins that record network steps with their peer. CoMMA writes
 * JSON, one object per operation. NCCL's example writes a Chrome trace that is not valid JSON
 * (values without quotes, an empty object at the end). Both count time from the start of the
 * process, so durations are used and times are not.
 */

/* Sends to one peer within one operation. */
struct edge {
	int32_t peer;
	unsigned steps;
	double sum_us, max_us, credit_us;
};

static void add_step(struct edge *e, double us)
{
	if (!(us >= 0))
		return;
	e->steps++;
	e->sum_us += us;
	if (us > e->max_us)
		e->max_us = us;
}

/* Returns false if the batch is full. */
static bool add_edge(struct obs *o, const struct obs_nccl *op, const struct edge *e)
{
	struct obs_nccl *r = nccl_add(o, NCCL_EDGE, SOURCE_PROFILER);

	if (!r)
		return false;
	r->comm = op->comm;
	r->rank = op->rank;
	r->func = op->func;
	r->seq = op->seq;
	r->bytes = op->bytes;
	r->peer = e->peer;
	r->took_us = e->steps ? e->sum_us / e->steps : (double)NAN;
	r->took_max_us = e->steps ? e->max_us : (double)NAN;
	r->credit_us = e->credit_us;
	return true;
}

static uint32_t function_of(struct obs *o, const char *name)
{
	static const struct {
		const char *comma, *nccl;
	} names[] = {{"all_reduce", "AllReduce"}, {"all_gather", "AllGather"},
		{"reduce_scatter", "ReduceScatter"}, {"broadcast", "Broadcast"},
		{"reduce", "Reduce"}, {"send", "Send"}, {"recv", "Recv"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(name, names[i].comma))
			return obs_string(o, names[i].nccl);
	return obs_string(o, name);
}

/* ---- CoMMA ---- */

#define PEERS_MAX 64 /* per operation: two in a ring, few in a tree */

static struct edge *edge_to(struct edge *edges, unsigned *n, int32_t peer)
{
	for (unsigned i = 0; i < *n; i++)
		if (edges[i].peer == peer)
			return &edges[i];
	if (*n >= PEERS_MAX)
		return NULL;
	edges[*n] = (struct edge){.peer = peer, .credit_us = (double)NAN};
	return &edges[(*n)++];
}

static bool add_proxies(struct obs *o, const struct obs_nccl *op, const struct json_value *proxies)
{
	struct edge edges[PEERS_MAX];
	unsigned n = 0;

	for (json_value_items(v, proxies)) {
		int32_t peer = nccl_int(json_value_get(v, "peer"), NCCL_RANKS_MAX);
		struct edge *e = peer >= 0 && json_value_is(json_value_get(v, "is_send"), DV_TRUE)
					 ? edge_to(edges, &n, peer)
					 : NULL;

		if (!e)
			continue;
		for (json_value_items(step, json_value_get(v, "steps")))
			add_step(e, nccl_real(json_value_get(step, "end_time")) -
					    nccl_real(json_value_get(step, "start_time")));
	}
	for (unsigned j = 0; j < n; j++)
		if (!add_edge(o, op, &edges[j]))
			return false;
	return true;
}

static bool is_comma(const struct json_value *doc)
{
	return json_value_text(json_value_get(doc, "comm_hash")) &&
	       json_value_text(json_value_get(doc, "name"));
}

static void add_comma(struct obs *o, const struct json_value *doc)
{
	struct obs_nccl *r = nccl_add(o, NCCL_OP, SOURCE_PROFILER), op;
	int64_t bytes = nccl_wide(json_value_path(doc, "args.size"));

	if (!r)
		return;
	r->comm = nccl_string(o, json_value_get(doc, "comm_hash"));
	r->rank = nccl_int(json_value_get(doc, "rank"), NCCL_RANKS_MAX);
	r->pid = nccl_int(json_value_get(doc, "pid"), INT32_MAX);
	r->func = function_of(o, json_value_text(json_value_get(doc, "name")));
	r->seq = nccl_wide(json_value_get(doc, "seq_num"));
	r->took_us = nccl_real(json_value_get(doc, "dur"));
	r->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	r->end_us = 1; /* ended: only finished operations are written */
	op = *r;
	(void)add_proxies(o, &op, json_value_get(doc, "proxyops"));
}

/* ---- NCCL's example ---- */

struct trace {
	struct obs *o;
	bool known;
	bool in_op;
	int64_t op_id;
	double op_ts, net_ts;
	struct obs_nccl op;
	struct edge edge; /* peer -1: not within a send */
};

/* Reads the quoted text after "key": */
static bool read_quoted(const char *line, const char *key, char *dst, size_t size)
{
	const char *s = line, *word;
	size_t n;

	*dst = '\0';
	return scan_find(&s, key) && scan_text(&s, "\"") && scan_word(&s, "\"", &word, &n) &&
	       str_copyn(dst, size, word, n);
}

static double time_of(const char *line)
{
	const char *s = line;
	double us;
	char *end;

	if (!scan_find(&s, "\"ts\":"))
		return (double)NAN;
	us = strtod(s, &end);
	return end != s ? us : (double)NAN;
}

static void begin_op(struct trace *t, const char *line, const char *name)
{
	const char *s = line;
	char hash[32];

	t->in_op = true;
	t->op_id = scan_after(line, "\"id\":", INT64_MAX);
	t->op_ts = time_of(line);
	t->op = (struct obs_nccl){.rank = -1, .seq = -1};
	t->op.func = obs_string(t->o, name);
	t->op.seq = scan_after(line, "\"SeqNum\":", INT64_MAX);
	t->op.rank = (int32_t)scan_after(line, "\"Rank\":", NCCL_RANKS_MAX);
	if (!scan_find(&s, "\"CommHash\":"))
		return;
	/* An unsigned number of 64 bits. */
	(void)str_printf(hash, sizeof(hash), "0x%016llx", strtoull(s, NULL, 10));
	t->op.comm = obs_string(t->o, hash);
}

static void end_op(struct trace *t, const char *line)
{
	struct obs_nccl *r;
	double took = time_of(line) - t->op_ts;

	if (!t->in_op || scan_after(line, "\"id\":", INT64_MAX) != t->op_id)
		return;
	t->in_op = false;
	r = nccl_add(t->o, NCCL_OP, SOURCE_PROFILER);
	if (!r)
		return;
	r->comm = t->op.comm;
	r->rank = t->op.rank;
	r->func = t->op.func;
	r->seq = t->op.seq;
	r->took_us = took >= 0 ? took : (double)NAN;
	r->end_us = 1;
}

static void end_edge(struct trace *t)
{
	if (t->edge.peer >= 0 && t->in_op && (t->edge.steps || !isnan(t->edge.credit_us)))
		(void)add_edge(t->o, &t->op, &t->edge);
	t->edge.peer = -1;
}

static void read_proxy(struct trace *t, const char *line, const char *name, bool begins)
{
	if (!str_eq(name, "ProgressSend"))
		return;
	if (begins) {
		t->edge = (struct edge){.credit_us = (double)NAN};
		t->edge.peer = (int32_t)scan_after(line, "\"Peer\":", NCCL_RANKS_MAX);
		return;
	}
	end_edge(t);
}

static void read_net(struct trace *t, const char *line, const char *name, bool begins)
{
	double us;

	if (t->edge.peer < 0)
		return;
	if (begins) {
		t->net_ts = time_of(line);
		return;
	}
	us = time_of(line) - t->net_ts;
	if (str_eq(name, "SendWait"))
		add_step(&t->edge, us);
	else if (str_eq(name, "SendPeerWait") && us >= 0)
		t->edge.credit_us = (isnan(t->edge.credit_us) ? 0 : t->edge.credit_us) + us;
}

static bool read_line(void *ctx, const char *bytes, size_t n)
{
	struct trace *t = ctx;
	char line[1024], cat[32], ph[8], name[40];
	bool begins;

	(void)str_copyn(line, sizeof(line), bytes, n < sizeof(line) - 1 ? n : sizeof(line) - 1);
	if (!read_quoted(line, "\"cat\":", cat, sizeof(cat)) ||
		!read_quoted(line, "\"ph\":", ph, sizeof(ph)) ||
		!read_quoted(line, "name\":", name, sizeof(name)))
		return true;
	t->known = true;
	begins = str_eq(ph, "b");
	if (!begins && !str_eq(ph, "e"))
		return true;
	if (str_eq(cat, "COLL") && begins)
		begin_op(t, line, name);
	else if (str_eq(cat, "COLL"))
		end_op(t, line);
	else if (str_eq(cat, "PROXY"))
		read_proxy(t, line, name, begins);
	else if (str_eq(cat, "NET"))
		read_net(t, line, name, begins);
	return t->o->nccl.n < OBS_NCCL_MAX;
}

static bool read_documents(const char *bytes, size_t len, struct obs *out, struct err *first)
{
	struct json_value *doc;
	size_t at = 0;
	bool known = false;

	do {
		struct err e = {0};

		doc = json_value_parse_next(bytes, len, &at, out->device, &e);
		if (e.code != ERR_NONE && first->code == ERR_NONE)
			*first = e;
		if (is_comma(doc)) {
			known = true;
			add_comma(out, doc);
		}
		for (json_value_items(v, doc)) {
			if (is_comma(v)) {
				known = true;
				add_comma(out, v);
			}
		}
		free(doc);
	} while (doc && out->nccl.n < OBS_NCCL_MAX);
	return known;
}

bool nccl_profiler_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct trace t = {.o = out, .edge.peer = -1};
	struct err first = {0};
	char line[128];

	if (read_documents(bytes, len, out, &first)) {
		if (first.code != ERR_NONE && out->err.code == ERR_NONE)
			out->err = first;
		return true;
	}
	(void)nccl_lines(bytes, len, read_line, &t);
	end_edge(&t); /* a truncated trace still has its steps */
	return t.known || err_set(err, ERR_PROTOCOL, out->device,
				  "expected the operations of a profiler plugin, got: %s",
				  parse_first_line(bytes, len, line, sizeof(line)));
}
