/* SPDX-License-Identifier: Apache-2.0 */
/* A diagnosis that was saved and loaded goes on as the original does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/diag_state.h"
#include "diagnosis/engine/engine.h"
#include "tests/diagnosis/engine/incidents.h"
#include "tests/support/cases.h"

#define BYTES_MOST ((size_t)64 << 20)

/* Each step's bytes. */
struct saved {
	struct buf *at;
	size_t n;
};

static struct saved save(struct diag *d, const struct model *m)
{
	struct saved k = {mem_calloc(diag_state_steps(d), sizeof(struct buf)), diag_state_steps(d)};

	for (size_t i = 0; i < k.n; i++) {
		struct state s;

		buf_init(&k.at[i], BYTES_MOST);
		state_saves(&s, &k.at[i]);
		assert_true(diag_state_step(&s, d, m, i));
	}
	return k;
}

static void drop(struct saved *k)
{
	for (size_t i = 0; i < k->n; i++)
		buf_free(&k->at[i]);
	free(k->at);
}

/*
 * NULL: refused. The bytes of a step are copied to memory of their own, so that a sanitizer catches
 * a read beyond them.
 */
static struct diag *load_with(const struct saved *k, const struct model *m, size_t odd,
	const char *bytes, size_t n, void (*rewrite)(void *ctx, char *text, size_t size))
{
	struct diag *d = diag_new();

	for (size_t i = 0; i < k->n; i++) {
		const char *from = i == odd ? bytes : k->at[i].data;
		size_t len = i == odd ? n : k->at[i].len;
		char *copy = mem_alloc(len ? len : 1);
		struct state s;
		bool good;

		if (len)
			memcpy(copy, from, len);
		state_loads(&s, copy, len);
		s.rewrite = rewrite;
		good = diag_state_step(&s, d, m, i) && state_ended(&s) &&
		       (i || diag_state_steps(d) == k->n);
		free(copy);
		if (!good) {
			diag_free(d);
			return NULL;
		}
	}
	return d;
}

static struct diag *load(const struct saved *k, const struct model *m)
{
	return load_with(k, m, SIZE_MAX, NULL, 0, NULL);
}

static void expect_same(struct diag *a, struct diag *b, const struct model *m, const char *when)
{
	struct saved x = save(a, m), y = save(b, m);

	if (x.n != y.n)
		fail_msg("%s: %zu steps, %zu", when, x.n, y.n);
	for (size_t i = 0; i < x.n; i++)
		if (x.at[i].len != y.at[i].len ||
			(x.at[i].len && memcmp(x.at[i].data, y.at[i].data, x.at[i].len) != 0))
			fail_msg("%s: step %zu of %zu differs", when, i, x.n);
	drop(&x);
	drop(&y);
}

/* As the stand does after it has applied the devices' batches. */
static void follow(const struct stand *s, struct diag *d)
{
	for (size_t i = 0; i < s->m->devices.n; i++)
		if (s->m->devices.at[i]->last_ok_us == s->now_us)
			diag_note(d, s->m, (uint32_t)i, s->now_us);
	diag_run(d, s->m, s->now_us);
}

static void acknowledge(struct diag *d, int64_t now_us, unsigned n)
{
	size_t count;
	const struct finding *const *all = diag_findings(d, &count);
	struct err err;

	if (n % 4 == 2 && count)
		assert_true(diag_ack(d, all[n % count]->key, now_us,
			n % 8 == 2 ? INT64_MAX : now_us + 20000000, "ops", "seen", &err));
	if (n % 4 == 3 && count)
		assert_true(diag_unack(d, all[n % count]->key, &err));
}

/* ---- going on ---- */

#define DIAGS 3

static void play(enum incident which)
{
	struct stand *s = stand_new();
	struct ring r = ring_make(s);
	struct diag *d[DIAGS] = {NULL};
	size_t open, most = 0;
	int64_t closed_us;
	char when[64];

	for (unsigned n = 0; n < INCIDENT_POLLS; n++) {
		incident_step(s, &r, which, n);
		stand_poll(s, 1);
		(void)diag_findings(s->d, &open);
		most = open > most ? open : most;
		(void)str_printf(when, sizeof(when), "%s, poll %u", incident_name(which), n);
		for (unsigned i = 0; i < DIAGS; i++) {
			struct saved k;

			if (d[i]) {
				follow(s, d[i]);
				expect_same(s->d, d[i], s->m, when);
			}
			/* At each poll one of them is loaded again, so that each goes on for
			 * three. */
			if (n % DIAGS != i)
				continue;
			k = save(s->d, s->m);
			diag_free(d[i]);
			d[i] = load(&k, s->m);
			drop(&k);
			if (!d[i])
				fail_msg("%s: cannot be loaded", when);
			expect_same(s->d, d[i], s->m, when);
		}
		acknowledge(s->d, s->now_us, n);
		for (unsigned i = 0; i < DIAGS; i++)
			if (d[i])
				acknowledge(d[i], s->now_us, n);
	}
	/* It was about something. */
	if (!most)
		fail_msg("%s: nothing was found", incident_name(which));
	if (!diag_closed(s->d, 0, &closed_us))
		fail_msg("%s: nothing closed", incident_name(which));
	for (unsigned i = 0; i < DIAGS; i++)
		diag_free(d[i]);
	stand_free(s);
}

CASE(it_goes_on_as_it_would_have)
{
	for (unsigned i = 0; i < INCIDENT_COUNT; i++)
		play((enum incident)i);
}

/* ---- the results right after loading ---- */

static struct stand *in_the_middle(enum incident which, unsigned polls)
{
	struct stand *s = stand_new();
	struct ring r = ring_make(s);

	for (unsigned n = 0; n < polls; n++) {
		incident_step(s, &r, which, n);
		stand_poll(s, 1);
		acknowledge(s->d, s->now_us, n);
	}
	return s;
}

CASE(findings_and_pauses_are_there_at_once)
{
	struct stand *s = in_the_middle(INCIDENT_STORM, 10);
	struct saved k = save(s->d, s->m);
	struct diag *d = load(&k, s->m);
	const struct pause_graph *a = diag_pauses(s->d), *b = diag_pauses(d);
	const struct finding *const *x, *const *y;
	size_t nx, ny;

	x = diag_findings(s->d, &nx);
	y = diag_findings(d, &ny);
	assert_true(nx > 0);
	assert_int_equal(nx, ny);
	for (size_t i = 0; i < nx; i++) {
		assert_true(x[i] != y[i]);
		assert_int_equal(x[i]->key, y[i]->key);
		assert_string_equal(x[i]->title, y[i]->title);
		assert_ptr_equal(diag_finding(d, y[i]->key), y[i]);
	}
	assert_true(a->held > 0);
	assert_int_equal(a->held, b->held);
	for (size_t i = 0; i < s->m->ports.n; i++) {
		const struct pause_node *p = pause_node_of(a, (uint32_t)i),
					*q = pause_node_of(b, (uint32_t)i);

		assert_int_equal(!p, !q);
		if (!p)
			continue;
		assert_int_equal(p - a->nodes.at, q - b->nodes.at);
		assert_int_equal(p->since_us, q->since_us);
	}
	drop(&k);
	diag_free(d);
	stand_free(s);
}

CASE(between_runs_only)
{
	struct stand *s = in_the_middle(INCIDENT_FLAP, 6);
	struct buf b;
	struct state st;

	diag_note(s->d, s->m, 0, s->now_us + 1);
	assert_false(diag_run_some(s->d, s->m, s->now_us + 1, 0));
	buf_init(&b, BYTES_MOST);
	state_saves(&st, &b);
	assert_false(diag_state_step(&st, s->d, s->m, 0));
	buf_free(&b);
	stand_free(s);
}

/* ---- texts ---- */

static void shout(void *ctx, char *text, size_t size)
{
	(void)ctx;
	for (size_t i = 0; i < size && text[i]; i++)
		if (text[i] >= 'a' && text[i] <= 'z')
			text[i] = (char)(text[i] - 'a' + 'A');
}

CASE(string_pool_may_be_rewritten_and_keys_stay)
{
	struct stand *s = in_the_middle(INCIDENT_MIXED, 12);
	struct saved k = save(s->d, s->m);
	struct diag *d = load_with(&k, s->m, SIZE_MAX, NULL, 0, shout);
	const struct finding *const *x, *const *y;
	size_t nx, ny;

	assert_non_null(d);
	x = diag_findings(s->d, &nx);
	y = diag_findings(d, &ny);
	assert_int_equal(nx, ny);
	assert_true(nx > 0);
	for (size_t i = 0; i < nx; i++) {
		assert_int_equal(x[i]->key, y[i]->key);
		assert_int_equal(x[i]->root, y[i]->root);
		assert_int_equal(strpbrk(y[i]->title, "abcdefghijklmnopqrstuvwxyz"), NULL);
	}
	stand_poll(s, 1);
	follow(s, d);
	(void)diag_findings(s->d, &nx);
	(void)diag_findings(d, &ny);
	assert_int_equal(nx, ny);
	drop(&k);
	diag_free(d);
	stand_free(s);
}

/* ---- bytes that differ from the saved ones ---- */

CASE(cut_bytes_are_refused)
{
	struct stand *s = in_the_middle(INCIDENT_MIXED, 12);
	struct saved k = save(s->d, s->m);

	for (size_t i = 0; i < k.n; i++)
		for (size_t cut = 0;
			cut<k.at[i].len; cut += k.at[i].len> 2000 ? 1 + k.at[i].len / 300 : 1)
			assert_null(load_with(&k, s->m, i, k.at[i].data, cut, NULL));
	drop(&k);
	stand_free(s);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Any loaded state can be shown and used to judge. */
static void use(const struct stand *s, struct diag *d)
{
	const struct finding *at[8];
	int64_t closed_us;
	size_t n;
	const struct finding *const *all = diag_findings(d, &n);

	for (size_t i = 0; i < n; i++) {
		char where[256];

		finding_locator(s->m, all[i], where, sizeof(where));
	}
	for (uint32_t i = 0; i < s->m->ports.n; i++) {
		const struct pause_node *p = pause_node_of(diag_pauses(d), i);

		(void)diag_findings_at(d, s->m, at_port(i), at, 8);
		if (p)
			(void)pause_graph_upstream(
				diag_pauses(d), (uint32_t)(p - diag_pauses(d)->nodes.at), &n);
	}
	(void)diag_closed(d, 0, &closed_us);
	for (unsigned i = 1; i <= 2; i++) {
		for (uint32_t k = 0; k < s->m->devices.n; k += 3)
			diag_note(d, s->m, k, s->now_us + i * STAND_INTERVAL);
		diag_run(d, s->m, s->now_us + i * STAND_INTERVAL);
	}
}

CASE(changed_bytes_do_no_harm)
{
	static const enum incident which[] = {
		INCIDENT_MIXED, INCIDENT_STORM, INCIDENT_STRAGGLER, INCIDENT_WIRING};
	uint32_t seed = 20261122;
	unsigned loaded = 0, refused = 0;

	for (unsigned w = 0; w < 4; w++) {
		struct stand *s = in_the_middle(which[w], 12);
		struct saved k = save(s->d, s->m);

		for (unsigned round = 0; round < 400; round++) {
			size_t i = next_random(&seed) % k.n, len = k.at[i].len;
			char *bytes;
			struct diag *d;

			if (!len)
				continue;
			bytes = mem_alloc(len);
			memcpy(bytes, k.at[i].data, len);
			for (unsigned n = 1 + next_random(&seed) % 3; n; n--)
				bytes[next_random(&seed) % len] = (char)next_random(&seed);
			d = load_with(&k, s->m, i, bytes, len, NULL);
			free(bytes);
			loaded += d != NULL;
			refused += !d;
			if (d)
				use(s, d);
			diag_free(d);
		}
		drop(&k);
		stand_free(s);
	}
	assert_true(loaded && refused);
}

CASE(another_fabric_is_refused)
{
	struct stand *s = in_the_middle(INCIDENT_STORM, 10);
	struct saved k = save(s->d, s->m);
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	m = model_new(&plan);
	assert_null(load(&k, m));
	model_free(m);
	plan_free(&plan);
	drop(&k);
	stand_free(s);
}

CASE(the_stamp_is_of_the_tables)
{
	assert_int_equal(diag_state_stamp(), diag_state_stamp());
	assert_true(diag_state_stamp() != 0);
}

CASES_MAIN(NULL, NULL)
