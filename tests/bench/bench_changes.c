/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/incremental/answer_cache.h"
#include "backends/contract/backend.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/fail.h"
#include "tests/bench/load/parse_docs.h"
#include "tests/support/incremental/answer_change.h"
#include "tests/support/incremental/delta_make.h"
#include "tests/support/figures.h"

/*
 * The cost of a number that a device's filter reports as changed. Part one turns the difference
 * into a text (backends/incremental/text_delta.h). Part two reads the changed part
 * (backends/incremental/answer_cache.h). DEVICES of a kind are asked in turn, so that the data of
 * one has left the caches by its next turn, as in a large fabric. All report the same series; each
 * time is the median of ROUNDS of it, in CPU time of this thread.
 *
 *   bench_changes [DEVICES]     1000
 */
#define TURNS  12
#define ROUNDS 3

struct device {
	struct text_delta delta;
	struct answer_cache *again;
	struct text_before before;
};

/* An answer, and the previous one beside it. */
struct step {
	struct buf text, delta;
	struct delta_mark mark;
};

struct kind {
	const char *name, *dialect;
	void (*doc)(struct buf *b, unsigned parts);
	unsigned parts;
	bool is_host;
	struct buf first;
	struct step steps[TURNS];
	struct device *devices;
	size_t n;
	struct answer_shelf *shelf;
	struct delta_scratch scratch;
};

static struct facts known;
static volatile double sink;

static void tell(
	const struct kind *k, struct figures *f, const char *what, double value, const char *unit)
{
	char name[96];

	(void)str_printf(name, sizeof(name), "%s: %s", k->name, what);
	figure(f, name, value, unit, 0);
}

/* ---- the series ---- */

static struct obs *parsed(
	const struct kind *k, const char *text, size_t len, struct number_positions *slots)
{
	const struct target t = {.device = "leaf-r0-00",
		.tier = k->is_host ? TIER_HOST : TIER_LEAF,
		.transport = TRANSPORT_SSH,
		.lossless = 0xff,
		.facts = &known,
		.slots = slots};
	struct obs *o = obs_new(t.device, "fast");
	struct err err = {0};

	if (!backend_by_name(k->dialect)->parse(&t, "fast", text, len, o, &err)) {
		bench_fail_err(k->name, &err);
	}
	return o;
}

static int by_place(const void *a, const void *b)
{
	const struct position_seen *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Each third counter is larger, a few by a digit. */
static void make_next(struct kind *k, struct step *s, const struct number_positions *told,
	struct answer_change *c, uint64_t *values)
{
	const char *from = k->first.data;

	buf_init(&s->text, 2 * k->first.len);
	for (size_t i = 0; i < told->seen.n; i++) {
		const struct position_seen *seen = &told->seen.at[i];
		const char *at = k->first.data + seen->at;

		if (seen->kind != POSITION_COUNT && seen->kind != POSITION_UNUSED)
			continue;
		if (values[i] == UINT64_MAX)
			values[i] = position_number(at, seen->n);
		if (answer_random(c) % 3 == 0)
			values[i] += answer_random(c) % (values[i] / 500 + 10);
		(void)buf_add(&s->text, from, (size_t)(at - from));
		(void)buf_addf(&s->text, "%llu", (unsigned long long)values[i]);
		from = at + seen->n;
	}
	(void)buf_add(&s->text, from, (size_t)(k->first.data + k->first.len - from));
}

static void find_changes(struct kind *k)
{
	uint32_t sum = 0;

	for (size_t i = 1; i < TURNS; i++) {
		const struct buf *was = &k->steps[i - 1].text;
		struct step *s = &k->steps[i];
		uint32_t grows = 0;

		buf_init(&s->delta, 2 * s->text.len);
		if (!delta_make(was->data, was->len, s->text.data, s->text.len, &s->delta, &grows))
			bench_fail("%s: no difference between two answers can be made", k->name);
		sum = (sum + grows) % 1000003;
		s->mark = (struct delta_mark){.seq = (uint32_t)i + 1,
			.tokens = delta_tokens(s->text.data, s->text.len),
			.len = (uint32_t)s->text.len,
			.sum = sum,
			.base = (uint32_t)i};
	}
}

static void make_series(struct kind *k)
{
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct answer_cache *again = answer_cache_new(shelf);
	struct number_positions *told = answer_cache_lesson(again, k->first.data, k->first.len);
	struct answer_change c = {.seed = 7};
	uint64_t *values;

	obs_free(parsed(k, k->first.data, k->first.len, told));
	qsort(told->seen.at, told->seen.n, sizeof(*told->seen.at), by_place);
	values = mem_alloc(told->seen.n * sizeof(*values) + 1);
	memset(values, 0xff, told->seen.n * sizeof(*values));
	for (size_t i = 0; i < TURNS; i++)
		make_next(k, &k->steps[i], told, &c, values);
	find_changes(k);
	free(values);
	answer_cache_free(again);
	answer_shelf_free(shelf);
}

/* ---- devices ---- */

static void begin(struct kind *k, struct device *d)
{
	const struct buf *first = &k->steps[0].text;
	struct delta_mark m = {.seq = 1, .len = (uint32_t)first->len};
	struct buf text;
	struct obs *o;

	buf_init(&text, 2 * first->len);
	(void)buf_add(&text, first->data, first->len);
	m.tokens = delta_tokens(first->data, first->len);
	text_delta_free(&d->delta);
	if (!text_delta_whole(&d->delta, &text, &m))
		bench_fail("the difference of an answer with the whole of it");
	if (!d->again)
		d->again = answer_cache_new(k->shelf);
	answer_cache_forget(d->again);
	d->before.was = d->before.id++;
	d->before.changes = NULL;
	answer_cache_kept(d->again, &d->before);
	o = parsed(k, d->delta.text, d->delta.len,
		answer_cache_lesson(d->again, d->delta.text, d->delta.len));
	if (!answer_cache_learn(d->again, o))
		bench_fail("nothing can be learnt from an answer");
	answer_cache_kept(d->again, NULL);
	obs_free(o);
}

static void make_text(struct kind *k, struct device *d, const struct step *s)
{
	if (!text_delta_apply(&d->delta, s->delta.data, s->delta.len, &s->mark, &k->scratch))
		bench_fail("%s: a difference cannot be applied", k->name);
	d->before.was = d->before.id++;
	d->before.bytes = k->scratch.was.at;
	d->before.len = k->scratch.was.n;
	d->before.changes = k->scratch.changes.at;
	d->before.changes_n = k->scratch.changes.n;
	d->before.tokens = &d->delta;
}

static void read_changes(struct device *d)
{
	struct obs *o = obs_new("leaf-r0-00", "fast");

	answer_cache_kept(d->again, &d->before);
	if (!answer_cache_read(d->again, d->delta.text, d->delta.len, o))
		bench_fail("a difference is not read as one");
	answer_cache_kept(d->again, NULL);
	sink = (double)o->items.n;
	obs_free(o);
}

static void measure(struct kind *k, struct figures *f)
{
	static double made[ROUNDS], read[ROUNDS];
	double changes = 0, at;

	for (size_t round = 0; round < ROUNDS; round++) {
		changes = made[round] = read[round] = 0;
		for (size_t i = 0; i < k->n; i++)
			begin(k, &k->devices[i]);
		for (size_t turn = 1; turn < TURNS; turn++) {
			for (size_t i = 0; i < k->n; i++) {
				at = thread_cpu_us();
				make_text(k, &k->devices[i], &k->steps[turn]);
				made[round] += thread_cpu_us() - at;
				at = thread_cpu_us();
				read_changes(&k->devices[i]);
				read[round] += thread_cpu_us() - at;
			}
			changes += (double)k->scratch.changes.n;
		}
	}
	tell(k, f, "size", (double)k->first.len / 1e3, "kB");
	tell(k, f, "numbers that changed", changes / (TURNS - 1), "");
	tell(k, f, "made a text", median_of(made, ROUNDS) / (double)(k->n * (TURNS - 1)), "us CPU");
	tell(k, f, "read", median_of(read, ROUNDS) / (double)(k->n * (TURNS - 1)), "us CPU");
	tell(k, f, "a number, both",
		1e3 * (median_of(made, ROUNDS) + median_of(read, ROUNDS)) /
			((double)k->n * changes),
		"ns CPU");
}

static void begin_kind(struct kind *k, size_t devices)
{
	buf_init(&k->first, 8 << 20);
	k->doc(&k->first, k->parts);
	make_series(k);
	k->n = devices;
	k->shelf = answer_shelf_new((size_t)4 << 30);
	k->devices = mem_calloc(k->n + 1, sizeof(*k->devices));
}

static void end_kind(struct kind *k)
{
	for (size_t i = 0; i < k->n; i++) {
		answer_cache_free(k->devices[i].again);
		text_delta_free(&k->devices[i].delta);
	}
	for (size_t i = 0; i < TURNS; i++) {
		buf_free(&k->steps[i].text);
		buf_free(&k->steps[i].delta);
	}
	answer_shelf_free(k->shelf);
	free(k->devices);
	delta_scratch_free(&k->scratch);
	buf_free(&k->first);
}

int main(int argc, char **argv)
{
	size_t devices = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	struct figures *f = figures_new("changes");
	struct kind kinds[] = {
		{.name = "host, 8 NICs",
			.dialect = "linux",
			.doc = doc_host,
			.parts = 8,
			.is_host = true},
		{.name = "sonic, 64 ports", .dialect = "sonic", .doc = doc_sonic, .parts = 64},
	};

	if (!devices) {
		(void)fprintf(stderr, "usage: bench_changes [DEVICES]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		begin_kind(&kinds[i], devices);
		measure(&kinds[i], f);
		end_kind(&kinds[i]);
	}
	return figures_end(f) ? 0 : 1;
}
