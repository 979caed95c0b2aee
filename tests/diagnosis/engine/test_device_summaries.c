/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state kept from run to run changes no result. The same fabric, with random faults that come
 * and go, is judged twice: by an engine that keeps state and by one that computes everything in
 * each run.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/state.h"
#include "base/str.h"
#include "diagnosis/engine/diag_state.h"
#include "diagnosis/engine/engine.h"
#include "diagnosis/window/sample_window_internal.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define ROUNDS     160
#define BYTES_MOST ((size_t)64 << 20)

struct pair {
	struct stand *s; /* keeps */
	struct diag *d;  /* does not */
	uint64_t random;
	unsigned opened; /* findings that were seen, all rounds together */
	uint64_t kinds;  /* of these, by id modulo 64 */
	size_t kept;     /* devices that a run did not look at */
	size_t parts;    /* runs that had several to look at */
};

static int setup(void **state)
{
	struct pair *t = test_calloc(1, sizeof(*t));

	t->s = stand_new();
	t->d = diag_new();
	t->d->digests.always = true;
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct pair *t = *state;

	diag_free(t->d);
	stand_free(t->s);
	test_free(t);
	return 0;
}

static unsigned any(struct pair *t, unsigned below)
{
	t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(t->random >> 33) % below;
}

/* ---- the same, byte for byte ---- */

static void expect_same_lists(const struct finding *a, const struct finding *b)
{
	assert_int_equal(a->members.n, b->members.n);
	for (size_t i = 0; i < a->members.n; i++)
		assert_true(ref_eq(a->members.at[i], b->members.at[i]));
	assert_int_equal(a->nvictims, b->nvictims);
	assert_int_equal(a->victims.n, b->victims.n);
	for (size_t i = 0; i < a->victims.n; i++) {
		assert_true(ref_eq(a->victims.at[i].at, b->victims.at[i].at));
		assert_memory_equal(
			&a->victims.at[i].percent, &b->victims.at[i].percent, sizeof(float));
	}
	assert_int_equal(a->refuted.n, b->refuted.n);
	for (size_t i = 0; i < a->refuted.n; i++) {
		assert_int_equal(a->refuted.at[i].id, b->refuted.at[i].id);
		assert_string_equal(a->refuted.at[i].why, b->refuted.at[i].why);
	}
}

static void expect_same_evidence(const struct evidence *a, const struct evidence *b)
{
	assert_true(ref_eq(a->at, b->at));
	assert_string_equal(a->what, b->what);
	assert_memory_equal(&a->value, &b->value, sizeof(a->value));
	assert_string_equal(a->unit, b->unit);
	assert_string_equal(a->text, b->text);
	assert_string_equal(a->threshold, b->threshold);
	assert_int_equal(a->t_us, b->t_us);
	assert_int_equal(a->against, b->against);
}

static void expect_same_finding(const struct finding *a, const struct finding *b)
{
	assert_int_equal(a->key, b->key);
	assert_true(ref_eq(a->at, b->at) && ref_eq(a->peer, b->peer));
	assert_int_equal(a->severity, b->severity);
	assert_int_equal(a->role, b->role);
	assert_int_equal(a->root, b->root);
	assert_memory_equal(a->signal, b->signal, sizeof(a->signal));
	assert_memory_equal(&a->confidence, &b->confidence, sizeof(float));
	assert_memory_equal(&a->rank, &b->rank, sizeof(float));
	assert_memory_equal(&a->blame_gbps, &b->blame_gbps, sizeof(float));
	assert_int_equal(a->onset_us, b->onset_us);
	assert_int_equal(a->first_seen_us, b->first_seen_us);
	assert_int_equal(a->last_seen_us, b->last_seen_us);
	assert_int_equal(a->seen_bits, b->seen_bits);
	assert_string_equal(a->title, b->title);
	assert_int_equal(a->evidence.n, b->evidence.n);
	for (size_t i = 0; i < a->evidence.n; i++)
		expect_same_evidence(&a->evidence.at[i], &b->evidence.at[i]);
	expect_same_lists(a, b);
}

static void expect_same_proof(const struct verdict_report *v, const struct verdict_report *w)
{
	assert_int_equal(v->verdict, w->verdict);
	assert_true(v->fabric_clean == w->fabric_clean && v->culprit == w->culprit);
	assert_int_equal(v->proof.n, w->proof.n);
	for (size_t i = 0; i < v->proof.n; i++) {
		assert_string_equal(v->proof.at[i].text, w->proof.at[i].text);
		assert_int_equal(v->proof.at[i].ok, w->proof.at[i].ok);
		assert_int_equal(v->proof.at[i].checked, w->proof.at[i].checked);
	}
}

/* All that either remembers. */
static void expect_same_state(const struct pair *t)
{
	for (size_t i = 0; i < diag_state_steps(t->s->d); i++) {
		struct buf a, b;
		struct state s;

		buf_init(&a, BYTES_MOST);
		buf_init(&b, BYTES_MOST);
		state_saves(&s, &a);
		assert_true(diag_state_step(&s, t->s->d, t->s->m, i));
		state_saves(&s, &b);
		assert_true(diag_state_step(&s, t->d, t->s->m, i));
		assert_int_equal(a.len, b.len);
		assert_true(!a.len || memcmp(a.data, b.data, a.len) == 0);
		buf_free(&a);
		buf_free(&b);
	}
}

static const struct sample *newest_of_any_age(const struct sample_windows *w, uint32_t port)
{
	return port < w->tracks.n && w->tracks.at[port].used
		       ? &w->rings.at[(size_t)port * WINDOW_SAMPLES + w->last.at[port]]
		       : NULL;
}

/* The marks equal a scan of all ports. */
static void expect_marks(const struct stand *s)
{
	for (uint32_t i = 0; i < s->m->ports.n; i++) {
		const struct sample *k = newest_of_any_age(s->d->windows, i);

		assert_int_equal(window_marked(s->d->windows, WINDOW_PAUSING, i) == i,
			k && (k->held > PAUSE_HELD_LEAST || k->holds > PAUSE_HELD_LEAST));
		assert_int_equal(window_marked(s->d->windows, WINDOW_LOSING, i) == i,
			k && k->lossless_drops > 0);
	}
}

static void expect_same(struct pair *t)
{
	const struct finding *const *a, *const *b;
	size_t na, nb;

	a = diag_findings(t->s->d, &na);
	b = diag_findings(t->d, &nb);
	assert_int_equal(na, nb);
	for (size_t i = 0; i < na; i++) {
		expect_same_finding(a[i], b[i]);
		t->kinds |= UINT64_C(1) << (a[i]->id % 64);
	}
	t->opened += (unsigned)na;
	expect_same_proof(diag_verdict(t->s->d), diag_verdict(t->d));
	assert_int_equal(diag_generation(t->s->d), diag_generation(t->d));
	expect_marks(t->s);
	t->kept += t->s->m->devices.n - t->s->d->digests.due.n;
	t->parts += t->s->d->digests.due.n > 1;
}

/* ---- events in the fabric ---- */

static void port_text(struct pair *t, char *dst, size_t size)
{
	const struct model *m = t->s->m;
	const struct port *p = m->ports.at[any(t, (unsigned)m->ports.n)];

	(void)str_printf(dst, size, "%s:%s", model_dev_of(m, p)->name, p->name);
}

static void nic_text(struct pair *t, char *dst, size_t size)
{
	(void)str_printf(dst, size, "node%03u:mlx5_%u", any(t, 8), any(t, 2));
}

static void leaf_text(struct pair *t, char *dst, size_t size)
{
	(void)str_printf(
		dst, size, "leaf-r%u-%02u:Ethernet%u", any(t, 2), any(t, 2), any(t, 8) * 4);
}

static void happen(struct pair *t)
{
	static const double shares[] = {0, 0, 0.5, 3, 15, 60, 95};
	struct stand *s = t->s;
	char port[96], device[32];

	port_text(t, port, sizeof(port));
	switch (any(t, 12)) {
	case 0:
	case 1:
		stand_hold(s, port, shares[any(t, 7)]);
		break;
	case 2:
		stand_load(s, port, any(t, 3) ? any(t, 100) : 0);
		break;
	case 3:
		stand_link(s, port, any(t, 3) != 0);
		break;
	case 4:
		(void)str_copyn(device, sizeof(device), port, strcspn(port, ":"));
		stand_silent(s, device, any(t, 3) == 0);
		break;
	case 5:
		leaf_text(t, port, sizeof(port));
		stand_rate(s, port, CTR_PG_DROPS, STAND_LOSSLESS, any(t, 2) * 500.0);
		break;
	case 6:
		leaf_text(t, port, sizeof(port));
		stand_load(s, port, 40 + any(t, 60));
		stand_gauge(s, port, CTR_QUEUE_DEPTH_BYTES, STAND_LOSSLESS, any(t, 2) * 4e6);
		stand_rate(s, port, CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, any(t, 2) * 1e5);
		break;
	case 7:
		nic_text(t, port, sizeof(port));
		stand_rate(s, port, CTR_CNP_IGNORED, 0, any(t, 2) * 300.0);
		stand_rate(s, port, CTR_PAUSE_STORM_ERRORS, 0, any(t, 3) == 0);
		break;
	case 8:
		nic_text(t, port, sizeof(port));
		stand_rate(s, port, CTR_QUEUE_TX_BYTES, any(t, 2) ? 0 : STAND_LOSSLESS,
			any(t, 2) * 3e9);
		break;
	case 9:
		stand_rate(s, port, CTR_RX_FCS_ERRORS, 0, any(t, 2) * 20.0);
		break;
	case 10:
		(void)str_copyn(device, sizeof(device), port, strcspn(port, ":"));
		obs_lldp(stand_batch(s, device),
			obs_port(stand_batch(s, device), strchr(port, ':') + 1), "leaf-r0-00",
			"Ethernet4");
		break;
	default:
		stand_number(s, port, ATTR_SPEED_MBPS, 0, any(t, 2) ? 400000 : 200000);
		break;
	}
}

static void judge_other(struct pair *t)
{
	for (uint32_t d = 0; d < t->s->m->devices.n; d++)
		if (t->s->d->noted_us.at[d] == t->s->now_us)
			diag_note(t->d, t->s->m, d, t->s->now_us);
	diag_run(t->d, t->s->m, t->s->now_us);
	expect_same(t);
}

/* Devices answer one by one, as they do when polls are spread over the interval, or all at once. */
static void go_on(struct pair *t)
{
	char port[96], device[32];

	if (any(t, 4) == 0) {
		stand_poll(t->s, 1);
		judge_other(t);
		return;
	}
	for (unsigned i = 0; i < 6; i++) {
		port_text(t, port, sizeof(port));
		(void)str_copyn(device, sizeof(device), port, strcspn(port, ":"));
		stand_poll_one(t->s, device, STAND_INTERVAL / 6 + any(t, 3));
		judge_other(t);
	}
}

static void run_from(struct pair *t, uint64_t seed)
{
	t->random = seed;
	for (unsigned i = 0; i < 3; i++) {
		stand_poll(t->s, 1);
		judge_other(t);
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned k = any(t, 4); k > 0; k--)
			happen(t);
		go_on(t);
	}
	expect_same_state(t);
	/* Otherwise it has proved nothing. */
	assert_true(t->opened > ROUNDS);
	assert_true(__builtin_popcountll(t->kinds) > 8);
	assert_true(t->kept > ROUNDS);
}

CASE_WITH(same_1, setup, teardown)
{
	run_from(*state, 1);
}

CASE_WITH(same_2, setup, teardown)
{
	run_from(*state, 20251);
}

CASE_WITH(same_3, setup, teardown)
{
	run_from(*state, 777216);
}

/* A large fabric's steps are gone on with: here one device at a time, and its ports are more than
 * that. */
CASE_WITH(same_in_parts, setup, teardown)
{
	struct pair *t = *state;

	t->s->d->at_once = 1;
	run_from(t, 90125);
	assert_true(t->parts > ROUNDS / 8);
}

/* None of it is saved: a loaded diagnosis computes it, and goes on alike. */
CASE_WITH(same_after_loading, setup, teardown)
{
	struct pair *t = *state;
	struct diag *loaded = diag_new();

	run_from(t, 4711);
	for (size_t i = 0; i == 0 || i < diag_state_steps(t->s->d); i++) {
		struct buf bytes;
		struct state s;

		buf_init(&bytes, BYTES_MOST);
		state_saves(&s, &bytes);
		assert_true(diag_state_step(&s, t->s->d, t->s->m, i));
		state_loads(&s, bytes.data, bytes.len);
		assert_true(diag_state_step(&s, loaded, t->s->m, i));
		buf_free(&bytes);
	}
	diag_free(t->d);
	t->d = loaded;
	for (unsigned i = 0; i < 12; i++) {
		happen(t);
		go_on(t);
	}
}

CASES_MAIN(NULL, NULL)
