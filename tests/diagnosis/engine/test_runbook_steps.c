/* SPDX-License-Identifier: Apache-2.0 */
/* A run in steps comes to the same as a whole one. */
#include <string.h>

#include "diagnosis/engine/engine.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

/* The same model is judged twice: by the stand, whole, and by this one in steps. */
struct twin {
	struct stand *s;
	struct diag *d;
	unsigned most_calls;
};

static int setup(void **state)
{
	struct twin *t = test_calloc(1, sizeof(*t));

	t->s = stand_new();
	t->d = diag_new();
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct twin *t = *state;

	diag_free(t->d);
	stand_free(t->s);
	test_free(t);
	return 0;
}

static void expect_same_finding(const struct finding *a, const struct finding *b)
{
	assert_int_equal(a->key, b->key);
	assert_int_equal(a->severity, b->severity);
	assert_int_equal(a->role, b->role);
	assert_int_equal(a->root, b->root);
	assert_true(a->confidence == b->confidence && a->rank == b->rank);
	assert_true(a->first_seen_us == b->first_seen_us && a->onset_us == b->onset_us);
	assert_string_equal(a->title, b->title);
	assert_int_equal(a->evidence.n, b->evidence.n);
	for (size_t i = 0; i < a->evidence.n; i++)
		assert_string_equal(a->evidence.at[i].what, b->evidence.at[i].what);
}

static void expect_same(const struct twin *t)
{
	const struct verdict_report *v = diag_verdict(t->s->d), *w = diag_verdict(t->d);
	const struct finding *const *a, *const *b;
	size_t na, nb;

	a = diag_findings(t->s->d, &na);
	b = diag_findings(t->d, &nb);
	assert_int_equal(na, nb);
	for (size_t i = 0; i < na; i++)
		expect_same_finding(a[i], b[i]);
	assert_int_equal(v->verdict, w->verdict);
	assert_int_equal(v->culprit, w->culprit);
	assert_true(v->confidence == w->confidence && v->fabric_clean == w->fabric_clean);
	assert_int_equal(v->proof.n, w->proof.n);
	for (size_t i = 0; i < v->proof.n; i++)
		assert_string_equal(v->proof.at[i].text, w->proof.at[i].text);
	assert_int_equal(diag_generation(t->s->d), diag_generation(t->d));
}

/* Between any two steps the list is one of before or of after, and can be read. */
static void read_all(const struct diag *d)
{
	size_t n;
	const struct finding *const *f = diag_findings(d, &n);

	for (size_t i = 0; i < n; i++) {
		assert_true(f[i]->open);
		assert_ptr_equal(diag_finding(d, f[i]->key), f[i]);
	}
}

/* The graph that views see is whole, of the last run or of this one. */
static void read_graph(const struct diag *d, const struct model *m)
{
	const struct pause_graph *g = diag_pauses(d);
	unsigned held = 0;
	double lost = 0, blame = 0;

	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct pause_node *n = &g->nodes.at[i];

		held += n->held > 0;
		lost += (double)n->lost_bps * (n->bound ? 0.1 : 1);
		blame += (double)n->blame_bps;
		assert_true(n->since_us > 0 && n->root < g->nodes.n);
		assert_non_null(pause_node_of(g, n->port));
	}
	assert_int_equal(held, g->held);
	assert_true(!g->nodes.n || g->terminals.n);
	assert_true(blame >= lost * 0.999 && blame <= lost * 1.001);
	for (uint32_t p = 0; p < m->ports.n; p++) {
		const struct pause_node *n = pause_node_of(g, p);

		assert_true(!n || n->port == p);
	}
}

static void expect_same_graph(const struct twin *t)
{
	const struct pause_graph *g = diag_pauses(t->s->d), *h = diag_pauses(t->d);

	assert_int_equal(g->held, h->held);
	assert_int_equal(g->nodes.n, h->nodes.n);
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct pause_node *a = &g->nodes.at[i], *b = &h->nodes.at[i];

		assert_true(a->port == b->port && a->end == b->end && a->root == b->root);
		assert_true(a->since_us == b->since_us && a->blame_bps == b->blame_bps);
	}
	assert_int_equal(g->edges.n, h->edges.n);
	for (size_t i = 0; i < g->edges.n; i++)
		assert_memory_equal(&g->edges.at[i], &h->edges.at[i], sizeof(*g->edges.at));
	assert_int_equal(g->terminals.n, h->terminals.n);
	for (size_t i = 0; i < g->terminals.n; i++)
		assert_int_equal(g->terminals.at[i], h->terminals.at[i]);
}

static void poll_both(struct twin *t, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned calls = 1;

		stand_poll(t->s, 1);
		for (uint32_t d = 0; d < t->s->m->devices.n; d++)
			if (t->s->d->noted_us.at[d] == t->s->now_us)
				diag_note(t->d, t->s->m, d, t->s->now_us);
		for (; !diag_run_some(t->d, t->s->m, t->s->now_us, 0); calls++) {
			read_all(t->d);
			read_graph(t->d, t->s->m);
		}
		if (calls > t->most_calls)
			t->most_calls = calls;
		expect_same(t);
		expect_same_graph(t);
	}
}

CASE_WITH(steps_come_to_the_same, setup, teardown)
{
	struct twin *t = *state;
	size_t n;

	poll_both(t, 4);
	stand_hold(t->s, "leaf-r0-00:Ethernet0", 80);
	stand_hold(t->s, "spine-000:Ethernet1/1", 40);
	stand_link(t->s, "leaf-r1-00:Ethernet4", false);
	poll_both(t, 5);
	(void)diag_findings(t->d, &n);
	assert_true(n >= 2);
	/* One device says nothing any more, one fault ends, and all close in their time. */
	stand_silent(t->s, "leaf-r0-01", true);
	stand_link(t->s, "leaf-r1-00:Ethernet4", true);
	poll_both(t, 5);
	stand_hold(t->s, "leaf-r0-00:Ethernet0", 0);
	stand_hold(t->s, "spine-000:Ethernet1/1", 0);
	poll_both(t, 12);
	/* Parts of the graph, digests, each detector, roots, verdict: no step does the work of two.
	 */
	assert_int_equal(t->most_calls, PAUSE_GRAPH_PARTS + 1 + detector_count + 2);
}

CASE_WITH(a_whole_run_ends_the_one_under_way, setup, teardown)
{
	struct twin *t = *state;
	uint64_t runs;

	poll_both(t, 3);
	stand_link(t->s, "leaf-r1-00:Ethernet4", false);
	stand_poll(t->s, 1);
	for (uint32_t d = 0; d < t->s->m->devices.n; d++)
		diag_note(t->d, t->s->m, d, t->s->now_us);
	runs = diag_cost(t->d).runs;
	assert_false(diag_run_some(t->d, t->s->m, t->s->now_us, 0));
	diag_run(t->d, t->s->m, t->s->now_us + 1);
	assert_int_equal(diag_cost(t->d).runs, runs + 1);
	expect_same(t);
	/* And there is nothing left to do. */
	assert_true(diag_run_some(t->d, t->s->m, t->s->now_us + 1, 0));
	assert_int_equal(diag_cost(t->d).runs, runs + 1);
	/* Devices noted during the run wait for the next one. */
	poll_both(t, 1);
	assert_false(t->d->changed.n);
}

CASE_WITH(closed_in_the_middle, setup, teardown)
{
	struct twin *t = *state;

	poll_both(t, 3);
	stand_link(t->s, "leaf-r1-00:Ethernet4", false);
	stand_poll(t->s, 1);
	diag_note(t->d, t->s->m, stand_device(t->s, "leaf-r1-00"), t->s->now_us);
	for (int i = 0; i < PAUSE_GRAPH_PARTS + 4; i++)
		assert_false(diag_run_some(t->d, t->s->m, t->s->now_us, 0));
	/* The teardown frees it with the claims that it has. */
	assert_true(t->d->claims.n > 0);
}

CASES_MAIN(NULL, NULL)
