/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/json_select.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/*
 * Decodes a dump of PyTorch's flight recorder: the operations that one rank has enqueued, started
 * and completed in each of its process groups, and its newest operations.
 *
 * A group has no hash: its communicator is named "pg" and the group's name, which is unique within
 * one job only. collective_seq_id numbers all collectives of a group together, from 1. Ranks are
 * given as numbers within the job and are converted to numbers within the group.
 */

struct group {
	uint32_t comm, name;
	int32_t nranks, own; /* ranks in the group; the dump's own rank in it, -1: unknown */
	const char *key;     /* key in pg_config */
	const char *ranks;   /* "[0, 1, 4]", numbers within the job */
};

struct dump {
	struct obs *o;
	const struct json_value *doc, *entries;
	int32_t rank; /* within the job, -1: unknown */
	VEC(struct group) groups;
};

/*
 * Calls one() for each number of a list "[0, 1, 2]" with its position. Returns the length of the
 * list.
 */
static int32_t each_rank(
	const char *s, void (*one)(void *ctx, int32_t place, int32_t rank), void *ctx)
{
	int64_t rank;
	int32_t n = 0;

	(void)scan_text(&s, "[");
	while (scan_int(&s, &rank) && rank < NCCL_RANKS_MAX && n < NCCL_RANKS_MAX) {
		if (one)
			one(ctx, n, (int32_t)rank);
		n++;
		if (!scan_text(&s, ","))
			break;
	}
	return n;
}

struct vote {
	uint32_t *groups; /* by rank: number of groups with it so far; not in all: excluded */
	uint32_t turn;
};

static void vote_for(void *ctx, int32_t place, int32_t rank)
{
	struct vote *v = ctx;

	(void)place;
	if (v->groups[rank] == v->turn)
		v->groups[rank]++;
}

/*
 * A dump contains the groups of its own rank only. So that rank is the one member of all groups, if
 * only one is.
 */
static int32_t rank_in_all(const struct dump *d)
{
	struct vote v = {.groups = mem_calloc(NCCL_RANKS_MAX, sizeof(*v.groups))};
	int32_t found = -1;
	unsigned n = 0;

	for (size_t i = 0; i < d->groups.n; i++) {
		(void)each_rank(d->groups.at[i].ranks, vote_for, &v);
		v.turn++;
	}
	for (int32_t rank = 0; v.turn && rank < NCCL_RANKS_MAX; rank++)
		if (v.groups[rank] == v.turn) {
			found = rank;
			n++;
		}
	free(v.groups);
	return n == 1 ? found : -1;
}

struct place {
	int32_t rank, found;
};

static void note_place(void *ctx, int32_t place, int32_t rank)
{
	struct place *p = ctx;

	if (rank == p->rank)
		p->found = place;
}

static int by_number(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return str_natcmp(x->key, y->key);
}

static void read_groups(struct dump *d)
{
	const struct json_value *config = json_value_get(d->doc, "pg_config");

	for (json_value_members(v, config)) {
		const char *key = json_value_name(v);
		struct group g = {.key = key, .own = -1};
		char id[96];

		g.ranks = json_value_text_or(json_value_get(v, "ranks"), "");
		g.nranks = each_rank(g.ranks, NULL, NULL);
		(void)str_printf(
			id, sizeof(id), "pg%s", json_value_text_or(json_value_get(v, "name"), key));
		g.comm = obs_string(d->o, id);
		g.name = nccl_string(d->o, json_value_get(v, "desc"));
		vec_push(&d->groups, g);
	}
	if (d->groups.n)
		qsort(d->groups.at, d->groups.n, sizeof(d->groups.at[0]), by_number);
}

/* The groups are sorted by key. */
static const struct group *group_by_key(const struct dump *d, const char *key)
{
	const struct group wanted = {.key = key};

	if (!key || !d->groups.n)
		return NULL;
	return bsearch(&wanted, d->groups.at, d->groups.n, sizeof(wanted), by_number);
}

static struct obs_nccl *add_record(struct dump *d, enum nccl_kind kind, const struct group *g)
{
	struct obs_nccl *r = nccl_add(d->o, kind, SOURCE_FLIGHT_RECORDER);

	if (r) {
		r->comm = g->comm;
		r->comm_name = g->name;
		r->rank = g->own;
		r->nranks = g->nranks;
	}
	return r;
}

static void add_ranks(struct dump *d)
{
	for (size_t i = 0; i < d->groups.n; i++) {
		struct place p = {.rank = d->rank, .found = -1};

		(void)each_rank(d->groups.at[i].ranks, note_place, &p);
		d->groups.at[i].own = p.found;
		if (p.found >= 0 && !add_record(d, NCCL_RANK, &d->groups.at[i]))
			return;
	}
}

/* -1 means "never": nothing was launched. */
static int64_t read_progress(const struct json_value *status, const char *key)
{
	const struct json_value *v = json_value_get(status, key);
	int64_t n = nccl_wide(v);
	double d;

	if (n < 0 && v && json_value_real(v, &d) == NUMBER_OK && d < 0)
		return 0;
	return n;
}

/* A group is identified by its number in this process, or by its name. */
struct numbered {
	int64_t id;
	const struct json_value *status;
	const char *key;
};
typedef VEC(struct numbered) numbered_vec;

static int by_id(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void sort_numbered(numbered_vec *list)
{
	if (list->n)
		qsort(list->at, list->n, sizeof(list->at[0]), by_id);
}

static void read_names(const struct dump *d, numbered_vec *names)
{
	for (json_value_items(v, d->entries)) {
		struct numbered n = {.id = nccl_wide(json_value_get(v, "pg_id")),
			.key = json_value_text(
				json_value_at(json_value_get(v, "process_group"), 0))};

		if (n.id >= 0 && n.key && (!names->n || names->at[names->n - 1].id != n.id))
			vec_push(names, n);
	}
	sort_numbered(names);
}

static void read_status(const struct dump *d, numbered_vec *list)
{
	const struct json_value *status = json_value_get(d->doc, "pg_status");

	for (json_value_members(v, status)) {
		struct numbered n = {.status = v};
		const char *s = json_value_name(v);

		if (scan_int(&s, &n.id) && !*s)
			vec_push(list, n);
	}
	sort_numbered(list);
}

/*
 * pg_status is indexed by the group's number in this process, pg_config by its name. Entries have
 * both. For a group without entries the position is used: both lists are in order of creation.
 */
static void add_progress(struct dump *d)
{
	numbered_vec list = {0}, names = {0};

	read_status(d, &list);
	read_names(d, &names);
	for (size_t i = 0; i < list.n; i++) {
		const struct numbered *name = names.n ? bsearch(&list.at[i], names.at, names.n,
								sizeof(names.at[0]), by_id)
						      : NULL;
		const struct group *g = name ? group_by_key(d, name->key) : NULL;
		struct obs_nccl *r;

		if (!name && list.n == d->groups.n)
			g = &d->groups.at[i];
		if (!g || g->own < 0)
			continue;
		r = add_record(d, NCCL_COUNT, g);
		if (!r)
			break;
		r->func = obs_string(d->o, NCCL_ANY_FUNC);
		r->seq = read_progress(list.at[i].status, "last_enqueued_collective");
		r->completed = read_progress(list.at[i].status, "last_completed_collective");
	}
	vec_free(&list);
	vec_free(&names);
}

/* Maps "nccl:_all_gather_base" or "nccl:send 0->3" to NCCL's own name; unknown names are kept. */
static uint32_t function_of(struct obs *o, const char *name)
{
	static const struct {
		const char *torch, *nccl;
	} names[] = {{"all_reduce", "AllReduce"}, {"allreduce_coalesced", "AllReduce"},
		{"_all_gather_base", "AllGather"}, {"all_gather", "AllGather"},
		{"all_gather_into_tensor_coalesced", "AllGather"},
		{"_reduce_scatter_base", "ReduceScatter"}, {"reduce_scatter", "ReduceScatter"},
		{"reduce_scatter_tensor_coalesced", "ReduceScatter"}, {"broadcast", "Broadcast"},
		{"_broadcast_oop", "Broadcast"}, {"reduce", "Reduce"}, {"all_to_all", "AlltoAll"},
		{"send", "Send"}, {"recv", "Recv"}};
	const char *s = str_starts(name, "nccl:") ? name + 5 : name;
	size_t n = strcspn(s, " ");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].torch) == n && strncmp(names[i].torch, s, n) == 0)
			return obs_string(o, names[i].nccl);
	return nccl_stringn(o, s, n);
}

static uint64_t size_of_type(const char *type)
{
	static const struct {
		const char *type;
		unsigned bytes;
	} types[] = {{"Float", 4}, {"BFloat16", 2}, {"Half", 2}, {"Double", 8}, {"Long", 8},
		{"Int", 4}, {"Short", 2}, {"Byte", 1}, {"Char", 1}, {"Bool", 1},
		{"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"ComplexFloat", 8}};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (str_eq(type, types[i].type))
			return types[i].bytes;
	return 0;
}

static uint64_t bytes_of(const struct json_value *entry)
{
	const struct json_value *sizes = json_value_get(entry, "input_sizes"),
				*types = json_value_get(entry, "input_dtypes");
	const struct json_value *type = json_value_first(types, DV_ARRAY);
	uint64_t sum = 0;

	for (json_value_items(shape, sizes)) {
		uint64_t n = size_of_type(json_value_text(type));

		type = type ? json_value_next(types, type) : NULL;
		for (json_value_items(v, shape)) {
			int64_t dim = nccl_wide(v);

			if (dim < 0 || (dim > 0 && n > UINT64_MAX / 4 / (uint64_t)dim))
				return 0;
			n *= (uint64_t)dim;
		}
		if (n > UINT64_MAX / 4 - sum)
			return 0;
		sum += n;
	}
	return sum;
}

/* Returns the peer of "nccl:send 0->3" or "nccl:recv 3<-0"; *own is our rank in the group. */
static int32_t ends_of(const char *name, int32_t *own)
{
	const char *s = strchr(name, ' ');
	int64_t left, right;

	*own = -1;
	if (!s || !scan_int(&s, &left) || !(scan_text(&s, "->") || scan_text(&s, "<-")) ||
		!scan_int(&s, &right) || left >= NCCL_RANKS_MAX || right >= NCCL_RANKS_MAX)
		return -1;
	*own = (int32_t)left;
	return (int32_t)right;
}

static int64_t ns_to_us(const struct json_value *ns)
{
	int64_t n = nccl_wide(ns);

	return n > 0 ? n / 1000 : 0;
}

static bool add_operation(struct dump *d, const struct json_value *entry)
{
	const char *name = json_value_text_or(json_value_get(entry, "profiling_name"), "");
	const struct group *g = group_by_key(
		d, json_value_text(json_value_at(json_value_get(entry, "process_group"), 0)));
	bool p2p = json_value_is(json_value_get(entry, "is_p2p"), DV_TRUE);
	int64_t seq = nccl_wide(json_value_get(entry, p2p ? "p2p_seq_id" : "collective_seq_id"));
	int64_t started = ns_to_us(json_value_get(entry, "time_discovered_started_ns"));
	double ms = nccl_real(json_value_get(entry, "duration_ms"));
	struct obs_nccl *r;
	int32_t own;

	if (!g || g->own < 0 || !*name)
		return true;
	r = add_record(d, NCCL_OP, g);
	if (!r)
		return false;
	r->func = function_of(d->o, name);
	r->seq = seq > 0 ? seq - 1 : -1;
	r->peer = p2p ? ends_of(name, &own) : -1;
	r->begin_us = ns_to_us(json_value_get(entry, "time_created_ns"));
	r->end_us = ns_to_us(json_value_get(entry, "time_discovered_completed_ns"));
	/* The state is "completed", but no time was recorded. */
	if (r->end_us == 0 && str_eq(json_value_text(json_value_get(entry, "state")), "completed"))
		r->end_us = r->begin_us > 0 ? r->begin_us : 1;
	if (!isnan(ms))
		r->took_us = ms * 1000;
	else if (started > 0 && r->end_us >= started)
		r->took_us = (double)(r->end_us - started);
	r->bytes = bytes_of(entry);
	r->text = nccl_string(d->o, json_value_get(entry, "state"));
	return true;
}

/* With one group only, operations between two ranks still reveal the own rank. */
static int32_t rank_by_ends(const struct dump *d)
{
	for (json_value_items(v, d->entries)) {
		const struct group *g = group_by_key(
			d, json_value_text(json_value_at(json_value_get(v, "process_group"), 0)));
		const char *s = g ? g->ranks : "";
		int64_t rank = -1;
		int32_t own;

		if (!g || !json_value_is(json_value_get(v, "is_p2p"), DV_TRUE) ||
			ends_of(json_value_text_or(json_value_get(v, "profiling_name"), ""), &own) <
				0 ||
			own >= g->nranks)
			continue;
		(void)scan_text(&s, "[");
		for (int32_t k = 0; k <= own; k++)
			if (!scan_int(&s, &rank) || (!scan_text(&s, ",") && k < own))
				return -1;
		return rank < NCCL_RANKS_MAX ? (int32_t)rank : -1;
	}
	return -1;
}

bool nccl_flight_document(
	const struct json_value *doc, int32_t rank, struct obs *out, struct err *err)
{
	struct dump d = {
		.o = out, .doc = doc, .entries = json_value_get(doc, "entries"), .rank = rank};

	if (!json_value_is(json_value_get(doc, "pg_config"), DV_OBJECT))
		return err_set(err, ERR_PROTOCOL, out->device,
			"flight recorder: the dump has no \"pg_config\"");
	read_groups(&d);
	if (d.rank < 0)
		d.rank = rank_in_all(&d);
	if (d.rank < 0)
		d.rank = rank_by_ends(&d);
	if (d.rank < 0) {
		vec_free(&d.groups);
		err_set(err, ERR_PROTOCOL, out->device,
			"flight recorder: the dump does not contain its rank");
		return err_cure(err, "name the file with the rank at its end");
	}
	add_ranks(&d);
	add_progress(&d);
	for (json_value_items(v, d.entries))
		if (!add_operation(&d, v))
			break;
	vec_free(&d.groups);
	return true;
}

/*
 * Reads the rank from a line "# /tmp/nccl_trace_rank_19" before the dump; *at is set behind the
 * line.
 */
static int32_t rank_of_name(const char *bytes, size_t len, size_t *at)
{
	const char *end = len && *bytes == '#' ? memchr(bytes, '\n', len) : NULL;
	int64_t rank = -1, n;
	const char *s;
	char name[512];

	*at = 0;
	if (!end)
		return -1;
	*at = (size_t)(end - bytes) + 1;
	if (!str_copyn(name, sizeof(name), bytes, (size_t)(end - bytes)))
		return -1;
	for (s = name; *s;)
		if (scan_int(&s, &n))
			rank = n;
		else
			s++;
	return rank < NCCL_RANKS_MAX ? (int32_t)rank : -1;
}

bool nccl_flight_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct err e = {0};
	struct json_value *doc;
	size_t at;
	int32_t rank = rank_of_name(bytes, len, &at);
	bool ok;

	if (at < len && (unsigned char)bytes[at] == 0x80)
		doc = nccl_pickle_load(bytes + at, len - at, &e);
	else
		doc = json_value_parse(bytes + at, len - at, out->device, &e);
	if (!doc) {
		(void)str_copy(e.origin, sizeof(e.origin), out->device);
		if (err)
			*err = e;
		return false;
	}
	ok = nccl_flight_document(doc, rank, out, err);
	free(doc);
	return ok;
}
