/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/json_select.h"
#include "base/str.h"

/* Decodes the "nccl" object of an observation line. */

static bool not_a(const struct obs *out, struct err *err, const char *key, const char *what)
{
	return err_set(err, ERR_PROTOCOL, out->device, "nccl: \"%s\" must be %s", key, what);
}

static bool read_log(const struct json_value *v, struct obs *out, struct err *err)
{
	struct err ignored = {0};

	if (!json_value_text(v))
		return not_a(out, err, "log", "a line of text");
	/* A line without known content is not an error of the file. */
	(void)nccl_log_parse(json_value_text(v), json_value_text_len(v), out, &ignored);
	return true;
}

static bool read_job(const struct json_value *v, struct obs *out, struct err *err)
{
	const struct json_value *hosts = json_value_get(v, "hosts");
	uint32_t name = nccl_string(out, json_value_get(v, "name"));
	int32_t nranks = nccl_int(json_value_get(v, "nranks"), NCCL_RANKS_MAX + 1);

	if (!name || !json_value_is(hosts, DV_ARRAY))
		return err_set(err, ERR_PROTOCOL, out->device,
			"nccl: each of \"jobs\" needs a \"name\" and a list of \"hosts\"");
	for (json_value_items(host, hosts)) {
		struct obs_nccl *r;

		if (!json_value_text(host) || !*json_value_text(host))
			return not_a(out, err, "hosts", "names");
		r = nccl_add(out, NCCL_JOB, SOURCE_FILE);
		if (!r)
			return true;
		r->job = name;
		r->host = nccl_string(out, host);
		r->nranks = nranks;
	}
	return true;
}

static double read_us(const struct json_value *v)
{
	double us = nccl_real(v);

	return us >= 0 && us < 1e15 ? us : (double)NAN;
}

static int64_t read_time(const struct json_value *v)
{
	double us = nccl_real(v); /* since 1970: currently 1.8e15 */

	return us > 0 && us < 1e18 ? (int64_t)llround(us) : 0;
}

/* Consecutive operations repeat their words, so the last text is reused. */
static uint32_t read_word(struct obs *out, const struct json_value *v, uint32_t last)
{
	const char *s = json_value_text(v);

	return s && last && str_eq(s, obs_text(out, last)) ? last : obs_string(out, s);
}

static void read_whose(const struct json_value *v, struct obs *out, struct obs_nccl *r)
{
	const struct obs_nccl none = {0};
	size_t n = out->nccl.n;
	const struct obs_nccl *last = n > 1 ? &out->nccl.at[n - 2] : &none;

	r->job = read_word(out, json_value_get(v, "job"), last->job);
	r->comm = read_word(out, json_value_get(v, "comm"), last->comm);
	r->comm_name = read_word(out, json_value_get(v, "comm_name"), last->comm_name);
	r->host = read_word(out, json_value_get(v, "host"), last->host);
	r->nic = read_word(out, json_value_get(v, "nic"), last->nic);
	r->func = read_word(out, json_value_get(v, "func"), last->func);
	r->rank = nccl_int(json_value_get(v, "rank"), NCCL_RANKS_MAX);
	r->nranks = nccl_int(json_value_get(v, "nranks"), NCCL_RANKS_MAX + 1);
	r->pid = nccl_int(json_value_get(v, "pid"), INT32_MAX);
	r->gpu = nccl_int(json_value_get(v, "gpu"), NCCL_GPUS_MAX);
	r->seq = nccl_wide(json_value_get(v, "seq"));
	r->peer = nccl_int(json_value_get(v, "peer"), NCCL_RANKS_MAX);
}

/* Reads an operation of a rank (NCCL_OP), and its sends if they are given (NCCL_EDGE). */
static bool read_op(const struct json_value *v, struct obs *out, struct err *err)
{
	int64_t bytes = nccl_wide(json_value_get(v, "bytes"));
	struct obs_nccl *op, *edge;
	double send = read_us(json_value_get(v, "send_us"));
	size_t at = out->nccl.n;

	if (nccl_int(json_value_get(v, "rank"), NCCL_RANKS_MAX) < 0)
		return err_set(err, ERR_PROTOCOL, out->device,
			"nccl: each of \"ops\" needs a \"rank\" from 0 to %d", NCCL_RANKS_MAX - 1);
	op = nccl_add(out, NCCL_OP, SOURCE_FILE);
	if (!op)
		return true;
	read_whose(v, out, op);
	op->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	op->begin_us = read_time(json_value_get(v, "begin_us"));
	op->end_us = read_time(json_value_get(v, "end_us"));
	op->took_us = read_us(json_value_get(v, "took_us"));
	if (isnan(op->took_us) && op->begin_us > 0 && op->end_us >= op->begin_us)
		op->took_us = (double)(op->end_us - op->begin_us);
	if (isnan(send) && isnan(read_us(json_value_get(v, "wait_us"))) &&
		isnan(read_us(json_value_get(v, "credit_us"))))
		return true;
	edge = nccl_add(out, NCCL_EDGE, SOURCE_FILE);
	if (!edge)
		return true;
	*edge = out->nccl.at[at];
	edge->kind = NCCL_EDGE;
	edge->took_us = send;
	edge->took_max_us = read_us(json_value_get(v, "send_max_us"));
	edge->wait_us = read_us(json_value_get(v, "wait_us"));
	edge->credit_us = read_us(json_value_get(v, "credit_us"));
	return true;
}

static bool read_list(const struct json_value *list, const char *key, struct obs *out,
	struct err *err, bool (*one)(const struct json_value *v, struct obs *out, struct err *err))
{
	if (!json_value_is(list, DV_ARRAY))
		return not_a(out, err, key, "a list");
	for (json_value_items(v, list))
		if (!one(v, out, err))
			return false;
	return true;
}

bool nccl_object(const struct json_value *v, struct obs *out, struct err *err)
{
	const struct json_value *part;

	if (!json_value_is(v, DV_OBJECT))
		return err_set(err, ERR_PROTOCOL, out->device, "\"nccl\" must be an object");
	if (json_value_get(v, "header"))
		return nccl_inspector_document(v, out, err);
	if (json_value_get(v, "communicators"))
		return nccl_ras_document(v, out, err);
	if (json_value_get(v, "event"))
		return nccl_ras_event(v, out, err);
	if (json_value_get(v, "entries") || json_value_get(v, "pg_status"))
		return nccl_flight_document(
			v, nccl_int(json_value_get(v, "rank"), NCCL_RANKS_MAX), out, err);
	if ((part = json_value_get(v, "log")))
		return read_log(part, out, err);
	if ((part = json_value_get(v, "jobs")))
		return read_list(part, "jobs", out, err, read_job);
	if ((part = json_value_get(v, "ops")))
		return read_list(part, "ops", out, err, read_op);
	err_set(err, ERR_UNSUPPORTED, out->device, "\"nccl\" is not a known object");
	return err_cure(err, "use one of the Inspector, RAS, the flight recorder, and {\"log\"}, "
			     "{\"jobs\"}, {\"ops\"}: see railtop(1)");
}
