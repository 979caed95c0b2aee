/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/first_line.h"
#include "backends/parse/json_select.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Decodes the JSON that NCCL's RAS prints for STATUS (2.28.7 and later). Records for each
 * communicator:
 *   - NCCL_RANK: each rank with its state
 *   - NCCL_COUNT: operations launched by each rank, for functions that any rank has launched
 *   - NCCL_STATE: ranks that do not answer
 *   - NCCL_DONE: the whole communicator could be read
 */

#define FUNCS_MAX 16 /* functions that RAS counts: five in 2.30 */

struct ras {
	struct obs *o;
	uint32_t comm;
	int32_t nranks;
	struct {
		const char *name;
		uint32_t text;
	} func[FUNCS_MAX]; /* functions that any rank has launched */
	unsigned nfuncs;
};

static enum nccl_state rank_state(const struct json_value *status, const char **text)
{
	int32_t init = nccl_int(json_value_get(status, "init_state"), 256);
	int32_t async = nccl_int(json_value_get(status, "async_error"), 256);
	const char *why = nccl_result_text(async < 0 ? 0 : async);

	if (!why)
		why = nccl_result_text(init < 0 ? 0 : init);
	*text = NULL;
	if (json_value_is(json_value_get(status, "considered_dead"), DV_TRUE))
		return NCCL_DEAD;
	if (json_value_is(json_value_get(status, "unresponsive"), DV_TRUE))
		return NCCL_UNRESPONSIVE;
	if (json_value_is(json_value_get(status, "abort_flag"), DV_TRUE))
		return NCCL_ABORTED;
	*text = why;
	if (why)
		return NCCL_ASYNC_ERROR;
	if (json_value_is(json_value_get(status, "finalize_called"), DV_TRUE) ||
		json_value_is(json_value_get(status, "destroy_flag"), DV_TRUE))
		return NCCL_FINALIZING;
	if (init < 0)
		return NCCL_UNKNOWN;
	return init == 0 ? NCCL_RUNNING : NCCL_INIT;
}

static struct obs_nccl *add_rank(
	const struct ras *r, enum nccl_kind kind, int32_t rank, enum nccl_state state)
{
	struct obs_nccl *n = nccl_add(r->o, kind, SOURCE_RAS);

	if (!n)
		return NULL;
	n->comm = r->comm;
	n->nranks = r->nranks;
	n->rank = rank;
	n->state = (uint8_t)state;
	return n;
}

static bool read_counts(
	const struct ras *r, int32_t rank, enum nccl_state state, const struct json_value *v)
{
	for (unsigned i = 0; i < r->nfuncs; i++) {
		int64_t count = nccl_wide(json_value_get(v, r->func[i].name));
		struct obs_nccl *n = count >= 0 ? add_rank(r, NCCL_COUNT, rank, state) : NULL;

		if (count >= 0 && !n)
			return false;
		if (n) {
			n->func = r->func[i].text;
			n->seq = count;
		}
	}
	return true;
}

static bool read_rank(const struct ras *r, const struct json_value *v)
{
	int32_t rank = nccl_int(json_value_get(v, "rank"), NCCL_RANKS_MAX);
	const struct json_value *status = json_value_get(v, "status");
	const char *why;
	enum nccl_state state = rank_state(status, &why);
	struct obs_nccl *n;
	uint32_t host;

	if (rank < 0)
		return true;
	n = add_rank(r, NCCL_RANK, rank, state);
	if (!n)
		return false;
	host = n->host = nccl_string(r->o, json_value_get(v, "host"));
	n->pid = nccl_int(json_value_get(v, "pid"), INT32_MAX);
	n->local_gpu = nccl_int(json_value_get(v, "cuda_dev"), NCCL_GPUS_MAX);
	n->gpu = nccl_int(json_value_get(v, "nvml_dev"), NCCL_GPUS_MAX);
	n->text = obs_string(r->o, why);
	if (state != NCCL_RUNNING || !r->nfuncs) {
		int32_t pid = n->pid;

		n = add_rank(r, NCCL_STATE, rank, state);
		if (!n)
			return false;
		n->host = host;
		n->pid = pid;
		n->text = obs_string(r->o, why);
	}
	return read_counts(r, rank, state, json_value_get(v, "collective_counts"));
}

static void note_function(struct ras *r, const char *name, const struct json_value *count)
{
	if (nccl_wide(count) <= 0 || r->nfuncs >= FUNCS_MAX)
		return;
	for (unsigned i = 0; i < r->nfuncs; i++)
		if (str_eq(r->func[i].name, name))
			return;
	r->func[r->nfuncs].text = obs_string(r->o, name);
	r->func[r->nfuncs++].name = name;
}

/* Most functions were never called by any rank; they are skipped. */
static void functions_used(struct ras *r, const struct json_value *ranks)
{
	for (json_value_items(v, ranks)) {
		const struct json_value *counts = json_value_get(v, "collective_counts");

		for (json_value_members(count, counts))
			note_function(r, json_value_name(count), count);
	}
}

static bool read_ranks(const struct ras *r, const struct json_value *ranks)
{
	for (json_value_items(v, ranks))
		if (!read_rank(r, v))
			return false;
	return true;
}

/* Returns false if the batch is full. */
static bool read_communicator(struct obs *o, const struct json_value *v)
{
	const struct json_value *ranks = json_value_get(v, "ranks"),
				*missing = json_value_get(v, "missing_ranks");
	struct ras r = {.o = o};
	struct obs_nccl *done;

	if (!json_value_text(json_value_get(v, "hash")))
		return true;
	r.comm = nccl_string(o, json_value_get(v, "hash"));
	r.nranks = nccl_int(json_value_get(v, "size"), NCCL_RANKS_MAX + 1);
	functions_used(&r, ranks);
	if (!read_ranks(&r, ranks) || !read_ranks(&r, missing))
		return false;
	/* RAS has lost track of ranks that are in neither list. */
	if (!json_value_is(ranks, DV_ARRAY))
		return true;
	done = add_rank(&r, NCCL_DONE, -1, NCCL_UNKNOWN);
	return done != NULL;
}

bool nccl_ras_document(const struct json_value *doc, struct obs *out, struct err *err)
{
	const struct json_value *list = json_value_get(doc, "communicators");

	if (!json_value_is(list, DV_ARRAY))
		return err_set(
			err, ERR_PROTOCOL, out->device, "RAS: the answer has no \"communicators\"");
	for (json_value_items(v, list))
		if (!read_communicator(out, v))
			break;
	/* A process without communicators, not yet or no longer. */
	if (json_value_length(list) == 0)
		(void)nccl_add(out, NCCL_DONE, SOURCE_RAS);
	return true;
}

/*
 * Inserts the comma that 2.28.7 to 2.28.9 omit after "nvml_dev" of a missing rank. Without it the
 * JSON is invalid exactly when a rank is missing.
 */
static char *with_commas(const char *bytes, size_t len, size_t *out_len)
{
	static const char key[] = "\"nvml_dev\":";
	char *out = mem_alloc(len + len / sizeof(key) + 2);
	size_t n = 0, i = 0;

	while (i < len) {
		size_t at;

		if (len - i < sizeof(key) || memcmp(bytes + i, key, sizeof(key) - 1) != 0) {
			out[n++] = bytes[i++];
			continue;
		}
		at = i + sizeof(key) - 1;
		while (at < len && (bytes[at] == ' ' || (bytes[at] >= '0' && bytes[at] <= '9')))
			at++;
		memcpy(out + n, bytes + i, at - i);
		n += at - i;
		for (i = at; at < len && (unsigned char)bytes[at] <= ' ';)
			at++;
		if (at < len && bytes[at] == '"')
			out[n++] = ',';
	}
	out[n] = '\0';
	*out_len = n;
	return out;
}

static bool parse_document(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct json_value *doc = json_value_parse(bytes, len, out->device, err);
	bool ok;

	if (!doc) {
		struct err second = {0};
		size_t n;
		char *fixed = with_commas(bytes, len, &n);

		if (n != len)
			doc = json_value_parse(fixed, n, out->device, &second);
		free(fixed);
		if (doc && err)
			*err = (struct err){0};
	}
	if (!doc)
		return false;
	ok = nccl_ras_document(doc, out, err);
	free(doc);
	return ok;
}

static bool line_is(const char *s, size_t n, const char *prefix)
{
	return n >= strlen(prefix) && strncmp(s, prefix, strlen(prefix)) == 0;
}

/*
 * Returns the offset behind the answers to the handshake; *refused is the last line that began with
 * ERROR, or NULL.
 */
static size_t behind_handshake(const char *bytes, size_t len, const char **refused)
{
	size_t at = 0;

	*refused = NULL;
	while (at < len) {
		const char *s = bytes + at, *end = memchr(s, '\n', len - at);
		size_t n = end ? (size_t)(end - s) : len - at;

		if (line_is(s, n, "ERROR"))
			*refused = s;
		else if (!line_is(s, n, "SERVER PROTOCOL") && !line_is(s, n, "OK") &&
			 !(n == 0 || (n == 1 && *s == '\r')))
			break;
		at += end ? n + 1 : n;
	}
	return at;
}

bool nccl_ras_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	const char *refused;
	size_t at = behind_handshake(bytes, len, &refused);
	char line[128];

	if (at < len && bytes[at] == '{')
		return parse_document(bytes + at, len - at, out, err);
	if (at < len && nccl_ras_text(bytes + at, len - at, out, err))
		return true;
	if (at >= len && refused)
		return err_set(err, ERR_PROTOCOL, out->device, "RAS refuses: %s",
			parse_first_line(
				refused, len - (size_t)(refused - bytes), line, sizeof(line)));
	err_set(err, ERR_PROTOCOL, out->device, "expected the status of NCCL's RAS, got: %s",
		parse_first_line(bytes + at, len - at, line, sizeof(line)));
	return err_cure(err, "check that the port belongs to NCCL 2.24 or later");
}
