/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of OTLP are read back by a decoder of their own and compared with the exposition: each
 * sample is one data point, with its labels and its number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/openmetrics/otlp.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define NOW  (INT64_C(1700000000) * 1000000)
#define PAGE ((size_t)64 << 20)

/* ---- a decoder of the wire format ---- */

struct slice {
	const unsigned char *at, *end;
};

static uint64_t varint(struct slice *s)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		assert_true(s->at < s->end && shift < 64);
		v |= (uint64_t)(*s->at & 127U) << shift;
		if (!(*s->at++ & 128U))
			return v;
	}
}

struct got {
	unsigned field, wire;
	uint64_t number;
	struct slice bytes;
};

static bool next(struct slice *s, struct got *g)
{
	uint64_t tag;

	if (s->at == s->end)
		return false;
	tag = varint(s);
	g->field = (unsigned)(tag >> 3U);
	g->wire = (unsigned)(tag & 7U);
	if (g->wire == 0) {
		g->number = varint(s);
	} else if (g->wire == 1) {
		assert_true(s->end - s->at >= 8);
		memcpy(&g->number, s->at, 8);
		s->at += 8;
	} else {
		assert_int_equal(g->wire, 2);
		g->number = varint(s);
		assert_true(g->number <= (uint64_t)(s->end - s->at));
		g->bytes = (struct slice){s->at, s->at + g->number};
		s->at += g->number;
	}
	return true;
}

static bool has_text(const struct got *g, const char *text)
{
	return (size_t)(g->bytes.end - g->bytes.at) == strlen(text) &&
	       memcmp(g->bytes.at, text, strlen(text)) == 0;
}

/* The text field of a message; fails the test if it has none. */
static struct got text_of(struct slice s, unsigned field)
{
	struct got g;

	while (next(&s, &g))
		if (g.field == field)
			return g;
	fail_msg("no field %u", field);
	return g;
}

/* ---- back to lines ---- */

typedef VEC(char *) lines;

struct reading {
	lines lines;
	char name[96];
	bool sum, fabric;
	unsigned points;
};

static void add_label(struct buf *b, struct slice attribute)
{
	struct got key = text_of(attribute, 1), any = text_of(attribute, 2),
		   value = text_of(any.bytes, 1);

	(void)buf_addf(b, "%s%.*s=\"", b->len && b->data[b->len - 1] != '{' ? "," : "",
		(int)(key.bytes.end - key.bytes.at), (const char *)key.bytes.at);
	for (const unsigned char *at = value.bytes.at; at < value.bytes.end; at++)
		(void)buf_addf(b, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
	(void)buf_adds(b, "\"");
}

static void read_point(struct reading *r, struct slice s)
{
	struct buf b;
	struct got g;
	char value[64] = "";
	bool timed = false, labels = false;

	buf_init(&b, 1 << 20);
	(void)buf_adds(&b, r->name);
	while (next(&s, &g)) {
		double real;

		if (g.field == 7) {
			(void)buf_adds(&b, labels ? "" : "{");
			labels = true;
			add_label(&b, g.bytes);
		} else if (g.field == 6) {
			(void)snprintf(value, sizeof(value), "%lld", (long long)g.number);
		} else if (g.field == 4) {
			memcpy(&real, &g.number, sizeof(real));
			(void)snprintf(value, sizeof(value), "%.17g", real);
		} else if (g.field == 3) {
			timed = g.number == (uint64_t)NOW * 1000;
		}
	}
	assert_true(timed && *value);
	(void)buf_addf(&b, "%s %s", labels ? "}" : "", value);
	vec_push(&r->lines, buf_take(&b, NULL));
	r->points++;
}

static void read_data(struct reading *r, struct slice s, bool sum)
{
	struct got g;
	uint64_t cumulative = 0, monotonic = 0;

	while (next(&s, &g))
		if (g.field == 1)
			read_point(r, g.bytes);
		else if (g.field == 2)
			cumulative = g.number;
		else if (g.field == 3)
			monotonic = g.number;
	assert_int_equal(cumulative, sum ? 2 : 0);
	assert_int_equal(monotonic, sum);
}

static void read_metric(struct reading *r, struct slice s)
{
	struct got name = text_of(s, 1), g;

	while (next(&s, &g)) {
		if (g.field != 5 && g.field != 7)
			continue;
		(void)snprintf(r->name, sizeof(r->name), "%.*s%s",
			(int)(name.bytes.end - name.bytes.at), (const char *)name.bytes.at,
			g.field == 7 ? "_total" : "");
		read_data(r, g.bytes, g.field == 7);
	}
}

static void read_scope(struct reading *r, struct slice s)
{
	struct got scope = text_of(s, 1), name = text_of(scope.bytes, 1), g;

	assert_true(has_text(&name, "railtop"));
	while (next(&s, &g))
		if (g.field == 2)
			read_metric(r, g.bytes);
}

static void read_resource(struct reading *r, struct slice s)
{
	struct got g;

	while (next(&s, &g)) {
		struct got key = text_of(g.bytes, 1), any = text_of(g.bytes, 2),
			   value = text_of(any.bytes, 1);

		assert_int_equal(g.field, 1);
		if (has_text(&key, "railtop.fabric"))
			r->fabric = has_text(&value, "exposed");
	}
}

static void read_body(struct reading *r, const struct buf *body)
{
	struct slice s = {
		(const unsigned char *)body->data, (const unsigned char *)body->data + body->len};
	struct got request, g;

	assert_true(next(&s, &request) && request.field == 1 && s.at == s.end);
	r->fabric = false;
	for (s = request.bytes; next(&s, &g);)
		if (g.field == 1)
			read_resource(r, g.bytes);
		else if (g.field == 2)
			read_scope(r, g.bytes);
	assert_true(r->fabric);
}

/* ---- the exposition ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The line with its number as the decoder prints it. */
static char *in_form(const char *line)
{
	const char *space = strrchr(line, ' ');
	struct buf b;
	uint64_t whole;
	double real;

	buf_init(&b, 1 << 16);
	(void)buf_add(&b, line, (size_t)(space - line));
	if (str_to_u64(space + 1, &whole) && whole <= INT64_MAX) {
		(void)buf_adds(&b, space);
	} else {
		assert_true(str_to_double(space + 1, &real));
		(void)buf_addf(&b, " %.17g", real);
	}
	return buf_take(&b, NULL);
}

static void expose(const struct metrics *x, lines *to)
{
	struct metrics_reader r = {.of = x, .format = METRICS_TEXT};
	char *page = mem_alloc(PAGE), *at;
	size_t n = metrics_read(&r, page, PAGE - 1);

	page[n] = '\0';
	for (at = strtok(page, "\n"); at; at = strtok(NULL, "\n"))
		if (*at != '#')
			vec_push(to, in_form(at));
	free(page);
}

static void free_lines(lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->at[i]);
	vec_free(l);
}

static unsigned compare(const struct metrics *x, size_t most)
{
	struct reading r = {0};
	lines want = {0};
	struct otlp *o = otlp_new(x, "exposed", NOW);
	struct buf body;
	unsigned bodies = 0;

	buf_init(&body, PAGE);
	while (otlp_body(o, most, &body)) {
		bodies++;
		read_body(&r, &body);
	}
	assert_false(body.overflow);
	assert_int_equal(otlp_points(o), r.points);
	expose(x, &want);
	assert_int_equal(r.lines.n, want.n);
	qsort(r.lines.at, r.lines.n, sizeof(char *), by_text);
	qsort(want.at, want.n, sizeof(char *), by_text);
	for (size_t i = 0; i < want.n; i++)
		assert_string_equal(r.lines.at[i], want.at[i]);
	free_lines(&want);
	free_lines(&r.lines);
	buf_free(&body);
	otlp_free(o);
	return bodies;
}

/* A fabric in which each counter of each port has a number, some of them beyond an int64. */
static struct metrics *everything(const char *port)
{
	struct metrics_own own = {.version = "1.2.3", .start_us = NOW};
	struct plan plan;
	struct model *m;
	struct metrics *x;
	struct obs *o = obs_new("leaf-r0-00", "fast");
	uint32_t p = obs_port(o, port);

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "exposed");
	plan.lossless.priorities = 1 << 3;
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	plan_make_link(&plan, 0, "mlx5_0", 1, port, 0);
	m = model_new(&plan);
	o->received_us = NOW;
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		for (unsigned sub = 0; sub < counter_dim_size((counter_id)id); sub++)
			if (counter_info[id].kind == KIND_GAUGE)
				obs_gauge(o, p, (counter_id)id, sub, -0.25 * (double)id);
			else
				obs_count(o, p, (counter_id)id, sub,
					id % 5 ? id * 1000003U : UINT64_MAX - id);
	model_apply(m, o, NOW);
	model_age(m, NOW);
	model_links(m);
	obs_free(o);
	x = metrics_take(m, NULL, &own, NOW);
	model_free(m);
	plan_free(&plan);
	return x;
}

CASE(each_sample_is_a_data_point)
{
	struct metrics *x = everything("Ethernet0");

	assert_int_equal(compare(x, 8 << 20), 1);
	metrics_free(x);
}

CASE(many_small_bodies_have_the_same)
{
	struct metrics *x = everything("Ethernet0");

	assert_true(compare(x, 1000) > 20);
	metrics_free(x);
}

CASE(labels_keep_their_quotes)
{
	struct metrics *x = everything("Eth\"1\\n\\\\2=,}");

	assert_int_equal(compare(x, 8 << 20), 1);
	metrics_free(x);
}

CASE(an_answer_says_what_was_rejected)
{
	static const char some[] = "\x0a\x0d\x08\xac\x02\x12\x08no\033space";
	char why[64];

	assert_int_equal(otlp_rejected(some, sizeof(some) - 1, why, sizeof(why)), 300);
	assert_null(strchr(why, '\033'));
	assert_non_null(strstr(why, "space"));
	assert_int_equal(otlp_rejected("", 0, why, sizeof(why)), 0);
	assert_int_equal(otlp_rejected("{\"partialSuccess\":{}}", 21, why, sizeof(why)), 0);
	/* Any cut of it is read without a read beyond. */
	for (size_t n = 0; n < sizeof(some); n++) {
		char *cut = mem_alloc(n + 1);

		memcpy(cut, some, n);
		(void)otlp_rejected(cut, n, why, sizeof(why));
		free(cut);
	}
}

CASES_MAIN(NULL, NULL)
