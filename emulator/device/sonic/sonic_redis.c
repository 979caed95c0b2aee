/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/sonic/sonic_redis.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"

void redis_open(struct redis *r, struct personality_ctx *ctx, struct sim_device *d, unsigned db)
{
	const char *p;
	unsigned h = 0;

	for (p = d->boot_id; *p; p++)
		h = h * 31 + (unsigned char)*p;
	*r = (struct redis){ctx, d, db, 2 + (h & 0xff) * 0x10};
}

bool redis_db_by_name(const char *name, unsigned *db)
{
	static const struct {
		const char *name;
		unsigned db;
	} all[] = {
		{"APPL_DB", APPL_DB},
		{"ASIC_DB", 1},
		{"COUNTERS_DB", COUNTERS_DB},
		{"CONFIG_DB", CONFIG_DB},
		{"PFC_WD_DB", 5},
		{"FLEX_COUNTER_DB", 5},
		{"STATE_DB", STATE_DB},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(all[i].name, name)) {
			*db = all[i].db;
			return true;
		}
	}
	return false;
}

/* ---- finding keys ---- */

static const struct redis_table *const *all_tables(void)
{
	static const struct redis_table *const all[] = {redis_counter_tables, redis_state_tables,
		redis_config_tables, redis_qos_tables, redis_map_tables, redis_optics_tables,
		redis_rate_tables, redis_bundle_tables, NULL};

	return all;
}

static void note_field(void *arg, const char *name, size_t n, const struct redis_value *v)
{
	(void)name, (void)n, (void)v;
	*(bool *)arg = true;
}

/* Redis has no empty hash: a row without fields does not exist as a key. */
static bool row_exists(
	const struct redis *r, const struct redis_table *t, const struct redis_row *row)
{
	bool some = false;

	t->each(r, row, note_field, &some);
	return some;
}

const struct redis_table *redis_find(
	const struct redis *r, const char *key, size_t len, struct redis_row *row)
{
	const struct redis_table *const *set, *t;

	for (set = all_tables(); *set; set++) {
		for (t = *set; t->prefix; t++) {
			size_t n = strlen(t->prefix);

			if (t->db != r->db || len < n || memcmp(key, t->prefix, n) != 0)
				continue;
			*row = (struct redis_row){.table = t};
			if (t->open(r, key + n, len - n, row))
				return t;
		}
	}
	return NULL;
}

static const struct redis_table *find_row(
	const struct redis *r, const struct redis_arg *key, struct redis_row *row)
{
	return redis_find(r, key->p, key->n, row);
}

struct search {
	const char *field;
	size_t n;
	struct redis_value *v;
	bool found;
};

static void search_field(void *arg, const char *name, size_t n, const struct redis_value *v)
{
	struct search *s = arg;

	if (!s->found && n == s->n && !memcmp(name, s->field, n)) {
		*s->v = *v;
		s->found = true;
	}
}

static bool get_field(const struct redis *r, const struct redis_table *t,
	const struct redis_row *row, const struct redis_arg *field, struct redis_value *v)
{
	struct search s = {field->p, field->n, v, false};

	if (!t)
		return false;
	if (t->get)
		return t->get(r, row, field->p, field->n, v);
	t->each(r, row, search_field, &s);
	return s.found;
}

bool redis_field(const struct redis *r, const char *key, const char *field, struct redis_value *v)
{
	struct redis_row row;
	struct redis_arg name = {field, strlen(field)};

	return get_field(r, redis_find(r, key, strlen(key), &row), &row, &name, v);
}

/* ---- commands ---- */

struct walk {
	const struct redis_sink *sink;
	const struct redis *r;
	const char *pattern;
	bool names, values;
	int64_t count;
};

static void reply_field(void *arg, const char *name, size_t n, const struct redis_value *v)
{
	struct walk *w = arg;

	w->count++;
	if (w->names)
		w->sink->str(w->sink->arg, name, n);
	if (w->values)
		w->sink->str(w->sink->arg, v->text, v->len);
}

static void do_fields(struct redis *r, const struct redis_arg *argv, const struct redis_sink *sink,
	bool names, bool values)
{
	struct walk w = {sink, r, NULL, names, values, 0};
	struct redis_row row;
	const struct redis_table *t = find_row(r, &argv[1], &row);

	if (names || values)
		sink->array(sink->arg);
	if (t)
		t->each(r, &row, reply_field, &w);
	if (names || values)
		sink->end(sink->arg);
	else
		sink->integer(sink->arg, w.count);
}

/* Collects several fields of a row in one pass: some rows compute all their fields together. */
struct gather {
	const struct redis_arg *fields;
	size_t n;
	struct redis_value *v;
	bool *found;
};

static void gather_field(void *arg, const char *name, size_t n, const struct redis_value *v)
{
	struct gather *g = arg;

	for (size_t i = 0; i < g->n; i++) {
		if (g->found[i] || g->fields[i].n != n || memcmp(g->fields[i].p, name, n) != 0)
			continue;
		memcpy(g->v[i].text, v->text, v->len + 1);
		g->v[i].len = v->len;
		g->found[i] = true;
	}
}

static void do_hmget(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink)
{
	struct redis_row row;
	const struct redis_table *t = find_row(r, &argv[1], &row);
	struct gather g = {argv + 2, argc - 2, mem_calloc(argc, sizeof(*g.v)),
		mem_calloc(argc, sizeof(*g.found))};

	if (t && !t->get)
		t->each(r, &row, gather_field, &g);
	sink->array(sink->arg);
	for (size_t i = 0; i < g.n; i++) {
		if (t && t->get)
			g.found[i] = get_field(r, t, &row, &g.fields[i], &g.v[i]);
		if (g.found[i])
			sink->str(sink->arg, g.v[i].text, g.v[i].len);
		else
			sink->nil(sink->arg);
	}
	sink->end(sink->arg);
	free(g.v);
	free(g.found);
}

static void do_hget(
	struct redis *r, const struct redis_arg *argv, const struct redis_sink *sink, bool test)
{
	struct redis_row row;
	const struct redis_table *t = find_row(r, &argv[1], &row);
	struct redis_value v;
	bool found = get_field(r, t, &row, &argv[2], &v);

	if (test)
		sink->integer(sink->arg, found);
	else if (found)
		sink->str(sink->arg, v.text, v.len);
	else
		sink->nil(sink->arg);
}

static void match_key(void *arg, const char *key)
{
	struct walk *w = arg;
	struct redis_arg name = {key, strlen(key)};
	struct redis_row row;
	const struct redis_table *t;

	if (w->pattern && fnmatch(w->pattern, key, 0) != 0)
		return;
	t = find_row(w->r, &name, &row);
	if (!t || !row_exists(w->r, t, &row))
		return;
	w->count++;
	if (w->pattern)
		w->sink->str(w->sink->arg, key, name.n);
}

static int64_t walk_keys(struct redis *r, const char *pattern, const struct redis_sink *sink)
{
	struct walk w = {sink, r, pattern, false, false, 0};
	const struct redis_table *const *set, *t;
	/* The part before the first wildcard excludes most tables. */
	size_t fixed = pattern ? strcspn(pattern, "*?[\\") : 0;

	for (set = all_tables(); *set; set++) {
		for (t = *set; t->prefix; t++) {
			size_t n = strlen(t->prefix);

			if (t->db == r->db &&
				!strncmp(t->prefix, pattern ? pattern : "", n < fixed ? n : fixed))
				t->keys(r, t, match_key, &w);
		}
	}
	return w.count;
}

static void do_keys(struct redis *r, const struct redis_arg *argv, const struct redis_sink *sink)
{
	char *pattern = mem_strndup(argv[1].p, argv[1].n);

	sink->array(sink->arg);
	(void)walk_keys(r, pattern, sink);
	sink->end(sink->arg);
	free(pattern);
}

/* The whole result fits into one step of the cursor. */
static void do_scan(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink)
{
	char *pattern = NULL;
	size_t i;

	for (i = 2; i + 1 < argc; i += 2)
		if (argv[i].n == 5 && !strncasecmp(argv[i].p, "MATCH", 5) && !pattern)
			pattern = mem_strndup(argv[i + 1].p, argv[i + 1].n);
	sink->array(sink->arg);
	sink->str(sink->arg, "0", 1);
	sink->array(sink->arg);
	(void)walk_keys(r, pattern ? pattern : "*", sink);
	sink->end(sink->arg);
	sink->end(sink->arg);
	free(pattern);
}

static void do_exists(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink)
{
	int64_t n = 0;
	size_t i;

	for (i = 1; i < argc; i++) {
		struct redis_row row;
		const struct redis_table *t = find_row(r, &argv[i], &row);

		n += t && row_exists(r, t, &row);
	}
	sink->integer(sink->arg, n);
}

static void do_time(struct redis *r, const struct redis_sink *sink)
{
	int64_t now = personality_clock(r->ctx, r->d);
	struct redis_value v;

	sink->array(sink->arg);
	redis_u64(&v, (uint64_t)(now / 1000000));
	sink->str(sink->arg, v.text, v.len);
	redis_u64(&v, (uint64_t)(now % 1000000));
	sink->str(sink->arg, v.text, v.len);
	sink->end(sink->arg);
}

static void do_select(struct redis *r, const struct redis_arg *argv, const struct redis_sink *sink)
{
	char number[8];
	uint64_t db;

	if (!str_copyn(number, sizeof(number), argv[1].p, argv[1].n) || !str_to_u64(number, &db)) {
		sink->error(sink->arg, "ERR value is not an integer or out of range");
	} else if (db > 15) {
		sink->error(sink->arg, "ERR DB index is out of range");
	} else {
		r->db = (unsigned)db;
		sink->status(sink->arg, "OK");
	}
}

static void do_type(struct redis *r, const struct redis_arg *argv, const struct redis_sink *sink)
{
	struct redis_row row;
	const struct redis_table *t = find_row(r, &argv[1], &row);

	sink->status(sink->arg, t && row_exists(r, t, &row) ? "hash" : "none");
}

/* Commands for types that no key here has. */
static void do_other_type(
	struct redis *r, const struct redis_arg *argv, const struct redis_sink *sink, bool array)
{
	struct redis_row row;
	const struct redis_table *t = find_row(r, &argv[1], &row);

	if (t && row_exists(r, t, &row)) {
		sink->error(sink->arg,
			"WRONGTYPE Operation against a key holding the wrong kind of value");
	} else if (array) {
		sink->array(sink->arg);
		sink->end(sink->arg);
	} else {
		sink->nil(sink->arg);
	}
}

enum op {
	OP_HGETALL,
	OP_HKEYS,
	OP_HVALS,
	OP_HLEN,
	OP_HGET,
	OP_HEXISTS,
	OP_HMGET,
	OP_KEYS,
	OP_SCAN,
	OP_EXISTS,
	OP_TIME,
	OP_SELECT,
	OP_TYPE,
	OP_GET,
	OP_SMEMBERS,
	OP_PING,
	OP_DBSIZE,
	OP_WRITE,
	OP_REFUSED
};

static const struct {
	const char *name;
	enum op op;
	size_t min, max; /* words including the name; max 0: any number */
} commands[] = {
	{"HMGET", OP_HMGET, 3, 0},
	{"HGET", OP_HGET, 3, 3},
	{"HGETALL", OP_HGETALL, 2, 2},
	{"SELECT", OP_SELECT, 2, 2},
	{"TIME", OP_TIME, 1, 1},
	{"KEYS", OP_KEYS, 2, 2},
	{"HKEYS", OP_HKEYS, 2, 2},
	{"HVALS", OP_HVALS, 2, 2},
	{"HLEN", OP_HLEN, 2, 2},
	{"HEXISTS", OP_HEXISTS, 3, 3},
	{"SCAN", OP_SCAN, 2, 0},
	{"EXISTS", OP_EXISTS, 2, 0},
	{"TYPE", OP_TYPE, 2, 2},
	{"GET", OP_GET, 2, 2},
	{"SMEMBERS", OP_SMEMBERS, 2, 2},
	{"PING", OP_PING, 1, 2},
	{"DBSIZE", OP_DBSIZE, 1, 1},
	{"HSET", OP_WRITE, 4, 0},
	{"HMSET", OP_WRITE, 4, 0},
	{"SET", OP_REFUSED, 2, 0},
	{"DEL", OP_WRITE, 2, 0},
	{"HDEL", OP_WRITE, 3, 0},
	{"PUBLISH", OP_WRITE, 3, 3},
	{"FLUSHALL", OP_REFUSED, 1, 0},
	{"FLUSHDB", OP_REFUSED, 1, 0},
};

static void run_command(struct redis *r, enum op op, size_t argc, const struct redis_arg *argv,
	const struct redis_sink *sink)
{
	switch (op) {
	case OP_HGETALL:
		do_fields(r, argv, sink, true, true);
		break;
	case OP_HKEYS:
		do_fields(r, argv, sink, true, false);
		break;
	case OP_HVALS:
		do_fields(r, argv, sink, false, true);
		break;
	case OP_HLEN:
		do_fields(r, argv, sink, false, false);
		break;
	case OP_HGET:
	case OP_HEXISTS:
		do_hget(r, argv, sink, op == OP_HEXISTS);
		break;
	case OP_HMGET:
		do_hmget(r, argc, argv, sink);
		break;
	case OP_KEYS:
		do_keys(r, argv, sink);
		break;
	case OP_SCAN:
		do_scan(r, argc, argv, sink);
		break;
	case OP_EXISTS:
		do_exists(r, argc, argv, sink);
		break;
	case OP_TIME:
		do_time(r, sink);
		break;
	case OP_SELECT:
		do_select(r, argv, sink);
		break;
	case OP_TYPE:
		do_type(r, argv, sink);
		break;
	case OP_GET:
	case OP_SMEMBERS:
		do_other_type(r, argv, sink, op == OP_SMEMBERS);
		break;
	case OP_PING:
		sink->status(sink->arg, "PONG");
		break;
	case OP_DBSIZE:
		sink->integer(sink->arg, walk_keys(r, NULL, sink));
		break;
	case OP_WRITE:
		redis_write(r, argc, argv, sink);
		break;
	case OP_REFUSED:
	default:
		sink->error(sink->arg, "READONLY You can't write against a read only replica.");
	}
}

void redis_command(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink)
{
	char text[160];
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strlen(commands[i].name) != argv[0].n ||
			strncasecmp(commands[i].name, argv[0].p, argv[0].n) != 0)
			continue;
		if (argc < commands[i].min || (commands[i].max && argc > commands[i].max)) {
			(void)snprintf(text, sizeof(text),
				"ERR wrong number of arguments for '%s' command", commands[i].name);
			sink->error(sink->arg, text);
			return;
		}
		run_command(r, commands[i].op, argc, argv, sink);
		return;
	}
	(void)snprintf(text, sizeof(text), "ERR unknown command '%.*s', with args beginning with: ",
		(int)(argv[0].n > 64 ? 64 : argv[0].n), argv[0].p);
	sink->error(sink->arg, text);
}
