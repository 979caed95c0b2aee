/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/json_select.h"
#include "base/str.h"

/*
 * Decodes NCCL's Inspector plugin: one JSON object per finished operation. The id has 14 digits of
 * the communicator's hash. coll_exec_time_us of "kernel_gpu" is the run time of the kernel. Early
 * ranks wait inside of the kernel, so the late rank has the shortest time.
 */

struct op {
	const char *func; /* key of the function's name */
	const char *prefix;
	bool p2p;
};

static const struct json_value *get_field(
	const struct json_value *perf, const struct op *op, const char *name)
{
	char key[40];

	str_printf(key, sizeof(key), "%s_%s", op->prefix, name);
	return json_value_get(perf, key);
}

static void widen_range(int64_t *begin, int64_t *end, int64_t start, int64_t stop)
{
	if (start > 0 && (*begin == 0 || start < *begin))
		*begin = start;
	if (stop > *end)
		*end = stop;
}

/*
 * Verbose dumps have times: of each channel's kernel, and of the call on the host, which returns
 * long before the operation is done. Uses those of the kernels if there are any.
 */
static void read_times(const struct json_value *perf, const struct op *op, struct obs_nccl *r)
{
	const struct json_value *ts = json_value_get(perf, "event_trace_ts");
	const struct json_value *kernels = json_value_get(ts, "kernel_events");
	int64_t begin = 0, end = 0;
	char start[40], stop[40];

	for (json_value_items(v, kernels))
		widen_range(&begin, &end, nccl_wide(json_value_get(v, "kernel_start_ts")),
			nccl_wide(json_value_get(v, "kernel_stop_ts")));
	if (begin == 0 || end == 0) {
		begin = end = 0;
		str_printf(start, sizeof(start), "%s_start_ts", op->prefix);
		str_printf(stop, sizeof(stop), "%s_stop_ts", op->prefix);
		widen_range(&begin, &end, nccl_wide(json_value_get(ts, start)),
			nccl_wide(json_value_get(ts, stop)));
	}
	r->begin_us = begin;
	r->end_us = end;
}

static bool read_op(const struct json_value *doc, const struct json_value *perf,
	const struct op *op, const struct obs_nccl *who, struct obs *out)
{
	struct obs_nccl *r = nccl_add(out, NCCL_OP, SOURCE_INSPECTOR);
	int64_t bytes = nccl_wide(get_field(perf, op, "msg_size_bytes"));

	if (!r)
		return false;
	r->comm = who->comm;
	r->comm_name = who->comm_name;
	r->rank = who->rank;
	r->nranks = who->nranks;
	r->host = who->host;
	r->pid = who->pid;
	r->local_gpu = who->local_gpu;
	r->func = nccl_string(out, json_value_get(perf, op->func));
	r->seq = nccl_wide(get_field(perf, op, "sn"));
	r->took_us = nccl_real(get_field(perf, op, "exec_time_us"));
	r->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	if (op->p2p)
		r->peer = nccl_int(json_value_get(perf, "p2p_peer"), NCCL_RANKS_MAX);
	read_times(perf, op, r);
	/*
	 * Only finished operations are dumped, so the time of the dump is the best substitute for
	 * the end.
	 */
	if (r->end_us == 0) {
		int64_t dumped = nccl_wide(json_value_path(doc, "metadata.dump_timestamp_us"));

		r->begin_us = 0;
		r->end_us = dumped > 0 ? dumped : 1;
	}
	return true;
}

bool nccl_inspector_document(const struct json_value *doc, struct obs *out, struct err *err)
{
	static const struct op ops[] = {{"coll", "coll", false}, {"p2p", "p2p", true}};
	const struct json_value *header = json_value_get(doc, "header"),
				*meta = json_value_get(doc, "metadata");
	struct obs_nccl *n;
	struct obs_nccl who;

	if (!json_value_text(json_value_get(header, "id")) ||
		nccl_int(json_value_get(header, "rank"), NCCL_RANKS_MAX) < 0)
		return err_set(err, ERR_PROTOCOL, out->device,
			"Inspector: an object without \"header\" of \"id\" and \"rank\"");
	n = nccl_add(out, NCCL_RANK, SOURCE_INSPECTOR);
	if (!n)
		return true;
	n->comm = nccl_string(out, json_value_get(header, "id"));
	n->comm_name = nccl_string(out, json_value_get(header, "comm_name"));
	n->rank = nccl_int(json_value_get(header, "rank"), NCCL_RANKS_MAX);
	n->nranks = nccl_int(json_value_get(header, "n_ranks"), NCCL_RANKS_MAX + 1);
	n->host = nccl_string(out, json_value_get(meta, "hostname"));
	n->pid = nccl_int(json_value_get(meta, "pid"), INT32_MAX);
	n->local_gpu = nccl_int(json_value_get(doc, "cuda_dev"), NCCL_GPUS_MAX);
	who = *n;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const struct json_value *perf = json_value_get(doc, i ? "p2p_perf" : "coll_perf");

		if (json_value_text(json_value_get(perf, ops[i].func)) &&
			!read_op(doc, perf, &ops[i], &who, out))
			return true;
	}
	return true;
}

struct dump {
	struct obs *o;
	struct err first; /* error of the first bad object */
	unsigned good, bad;
	struct obs_nccl who; /* identity in the previous object; rank -1: none */
};

/* Each line repeats its rank's identity; one record per run of equal lines is enough. */
static void forget_repetition(struct dump *d, size_t before)
{
	struct obs *o = d->o;
	struct obs_nccl *r = &o->nccl.at[before];

	if (o->nccl.n < before + 2 || r->kind != NCCL_RANK)
		return;
	if (r->rank == d->who.rank && r->pid == d->who.pid && r->nranks == d->who.nranks &&
		str_eq(obs_text(o, r->comm), obs_text(o, d->who.comm)) &&
		str_eq(obs_text(o, r->host), obs_text(o, d->who.host))) {
		memmove(r, r + 1, (o->nccl.n - before - 1) * sizeof(*r));
		o->nccl.n--;
		return;
	}
	d->who = *r;
}

static void read_document(struct dump *d, const struct json_value *doc, struct err *e)
{
	size_t before = d->o->nccl.n;

	if (doc && nccl_inspector_document(doc, d->o, e)) {
		d->good++;
		forget_repetition(d, before);
	} else if (!d->bad++) {
		d->first = *e;
	}
}

static bool read_line(void *ctx, const char *s, size_t n)
{
	struct dump *d = ctx;
	struct err e = {0};
	struct json_value *doc;
	size_t i = 0;

	while (i < n && (unsigned char)s[i] <= ' ')
		i++;
	if (i == n)
		return true;
	doc = json_value_parse(s, n, d->o->device, &e);
	read_document(d, doc, &e);
	free(doc);
	return d->o->nccl.n < OBS_NCCL_MAX;
}

/* Reads one object that is spread over several lines by an editor or a tool. */
static void read_indented(struct dump *d, const char *bytes, size_t len)
{
	size_t at = 0;
	struct json_value *doc;

	d->bad = 0;
	do {
		struct err e = {0};

		doc = json_value_parse_next(bytes, len, &at, d->o->device, &e);
		if (doc || e.code != ERR_NONE)
			read_document(d, doc, &e);
		free(doc);
	} while (doc && d->o->nccl.n < OBS_NCCL_MAX);
}

bool nccl_inspector_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct dump d = {.o = out, .who.rank = -1};
	struct err first;

	(void)nccl_lines(bytes, len, read_line, &d);
	first = d.first;
	if (!d.good && d.bad)
		read_indented(&d, bytes, len);
	if (!d.good && first.code != ERR_NONE) {
		if (err)
			*err = first;
		return false;
	}
	if (d.bad && out->err.code == ERR_NONE)
		out->err = d.first;
	return true;
}
