/* SPDX-License-Identifier: Apache-2.0 */
/* The wall without a screen: its text, when it turns, the keys it ignores. */
#include <malloc.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/noc_stage.h"
#include "views/noc/noc_private.h"

#define MONO (INT64_C(5000) * CLOCK_SEC)

struct wall_test {
	struct model *m;
	struct diag *d;
	struct keymap *keys;
	struct noc *n;
};

static int setup(void **state)
{
	static struct wall_test x;
	struct noc_opts o = {0};

	x.m = fix_model();
	x.d = diag_new();
	fake_verdict(x.d)->state = FABRIC_CLEAN;
	x.keys = noc_stage_keys();
	o.keymap = x.keys;
	x.n = noc_new(&o, fix_time(0), MONO);
	*state = &x;
	return 0;
}

static int teardown(void **state)
{
	struct wall_test *x = *state;

	noc_free(x->n);
	keymap_free(x->keys);
	diag_free(x->d);
	model_free(x->m);
	return 0;
}

static int64_t mono(int s)
{
	return MONO + s * CLOCK_SEC;
}

/* All devices answer at second s, and the wall hears of it. */
static void poll_fabric(struct wall_test *x, int s)
{
	fix_poll(x->m, s, NULL, 0);
	noc_data(x->n, x->m, x->d, fix_time(s), mono(s));
}

static void tick(struct wall_test *x, int s)
{
	noc_tick(x->n, fix_time(s), mono(s));
}

CASE_WITH(no_data_is_not_green, setup, teardown)
{
	struct wall_test *x = *state;

	assert_int_equal(noc_word(x->n), NOC_BLIND);
	noc_data(x->n, x->m, x->d, fix_time(0), mono(0));
	assert_int_equal(noc_word(x->n), NOC_BLIND);
	poll_fabric(x, 0);
	poll_fabric(x, 1);
	assert_int_equal(noc_word(x->n), NOC_OK);
}

CASE_WITH(half_of_the_devices_must_answer, setup, teardown)
{
	struct wall_test *x = *state;
	size_t n = x->m->devices.n;

	poll_fabric(x, 0);
	poll_fabric(x, 1);
	/* All but half of them fall silent. */
	for (int s = 2; s < 30; s++) {
		for (size_t i = 0; i < n / 2; i++)
			fix_poll_device(x->m, x->m->devices.at[i], s, NULL, 0);
		(void)model_age(x->m, fix_time(s));
		noc_data(x->n, x->m, x->d, fix_time(s), mono(s));
	}
	assert_int_equal(noc_word(x->n), NOC_DEGRADED);
	for (int s = 30; s < 60; s++) {
		for (size_t i = 0; i < n / 2 - 1; i++)
			fix_poll_device(x->m, x->m->devices.at[i], s, NULL, 0);
		(void)model_age(x->m, fix_time(s));
		noc_data(x->n, x->m, x->d, fix_time(s), mono(s));
	}
	assert_int_equal(noc_word(x->n), NOC_BLIND);
	/* And it recovers by itself. */
	poll_fabric(x, 60);
	poll_fabric(x, 61);
	assert_int_equal(noc_word(x->n), NOC_OK);
}

/* Also when the model's own clock stands still and calls everything fresh. */
CASE_WITH(silence_is_told_whatever_the_clock_says, setup, teardown)
{
	struct wall_test *x = *state;

	poll_fabric(x, 0);
	poll_fabric(x, 1);
	for (int s = 2; s < 60; s++) {
		/* The wall clock was set back by an hour. */
		noc_tick(x->n, fix_time(s - 3600), mono(s));
		assert_int_equal(noc_word(x->n), s < 16 ? NOC_OK : NOC_DEGRADED);
	}
	noc_tick(x->n, fix_time(-3540), mono(61));
	assert_int_equal(noc_word(x->n), NOC_BLIND);
	/* Set ahead: nothing was heard later than it was. */
	poll_fabric(x, 62);
	noc_tick(x->n, fix_time(500000), mono(63));
	assert_int_equal(noc_word(x->n), NOC_OK);
}

CASE_WITH(strangers_do_not_make_it_blind, setup, teardown)
{
	struct wall_test *x = *state;

	poll_fabric(x, 0);
	for (int i = 0; i < 200; i++) {
		char name[32];
		struct obs *o;

		(void)str_printf(name, sizeof(name), "stranger%d", i);
		o = obs_new(name, "fast");
		o->result = OBS_DATA;
		o->received_us = fix_time(0);
		obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 1000);
		model_apply(x->m, o, fix_time(0));
		obs_free(o);
	}
	for (int s = 60; s < 62; s++) {
		for (size_t i = 0; i < 12; i++)
			fix_poll_device(x->m, x->m->devices.at[i], s, NULL, 0);
		(void)model_age(x->m, fix_time(s));
		noc_data(x->n, x->m, x->d, fix_time(s), mono(s));
	}
	assert_int_equal(noc_word(x->n), NOC_OK);
}

/* Neither an unchecked nor an unproven state is green. */
CASE_WITH(the_word_is_no_calmer_than_the_evidence, setup, teardown)
{
	struct wall_test *x = *state;
	struct verdict_report *v = fake_verdict(x->d);

	poll_fabric(x, 0);
	poll_fabric(x, 1);
	assert_int_equal(noc_word(x->n), NOC_OK);
	v->state = FABRIC_UNKNOWN;
	assert_int_equal(noc_word(x->n), NOC_UNKNOWN);
	assert_string_equal(noc_word_name(NOC_UNKNOWN), "UNKNOWN");
	v->state = FABRIC_SUSPECT;
	assert_int_equal(noc_word(x->n), NOC_DEGRADED);
	v->state = FABRIC_TROUBLE;
	assert_int_equal(noc_word(x->n), NOC_DEGRADED);
}

static struct finding *open_finding(struct wall_test *x, enum finding_id id, const char *leaf)
{
	return fake_finding(x->d, id, fix_port_ref(x->m, leaf, "Ethernet4"), ROLE_CULPRIT, 0);
}

/* The line of a warning that does critical harm is as red as it was before it had a name. */
CASE_WITH(a_named_cause_is_no_milder, setup, teardown)
{
	struct wall_test *x = *state;
	struct verdict_report *v = fake_verdict(x->d);
	struct noc_facts f;
	char text[520];

	poll_fabric(x, 0);
	poll_fabric(x, 1);
	v->culprit = open_finding(x, FIND_ECMP_COLLISION, "leaf-r1-00")->key;
	v->verdict = VERDICT_NETWORK;
	v->state = FABRIC_TROUBLE;
	v->critical = v->trouble = true;
	noc_facts(x->n, &f);
	assert_int_equal(noc_verdict(x->n, &f, text, sizeof(text)), ROLE_CRIT);
}

CASE_WITH(findings_make_the_word, setup, teardown)
{
	struct wall_test *x = *state;
	struct finding *f;

	poll_fabric(x, 0);
	poll_fabric(x, 1);
	f = open_finding(x, FIND_LINT_MTU, "leaf-r0-00");
	f->role = ROLE_RISK;
	fake_verdict(x->d)->state = FABRIC_CLEAN;
	assert_int_equal(noc_word(x->n), NOC_OK); /* harms nobody now */
	(void)open_finding(x, FIND_LINK_FEC_MARGIN, "leaf-r1-00");
	assert_int_equal(noc_word(x->n), NOC_DEGRADED);
	f = open_finding(x, FIND_LINK_DOWN, "leaf-r2-00");
	assert_int_equal(noc_word(x->n), NOC_CRITICAL);
	/* An acknowledged finding is not mended. */
	f->acked_us = fix_time(1);
	f->ack_until_us = fix_time(3600);
	assert_int_equal(noc_word(x->n), NOC_DEGRADED);
}

CASE_WITH(blocked_gpus_are_critical, setup, teardown)
{
	struct wall_test *x = *state;
	struct finding *f;

	poll_fabric(x, 0);
	poll_fabric(x, 1);
	f = open_finding(x, FIND_LINK_FEC_MARGIN, "leaf-r1-00");
	f->gpus_blocked = 8;
	assert_int_equal(noc_word(x->n), NOC_CRITICAL);
}

static void add_job(struct wall_test *x, const char *name, const char *host)
{
	struct obs *o = obs_new("", "jobs");
	struct obs_nccl *r = obs_nccl(o, NCCL_JOB, SOURCE_SLURM);

	r->job = obs_string(o, name);
	r->host = obs_string(o, host);
	r->nranks = 8;
	model_apply(x->m, o, fix_time(1));
	obs_free(o);
}

/* A communicator of one rank on the host has launched so many operations. */
static void tell_count(struct wall_test *x, const char *host, int64_t launched)
{
	struct obs *o = obs_new(host, "nccl");
	struct obs_nccl *r = obs_nccl(o, NCCL_RANK, SOURCE_RAS);

	o->result = OBS_DATA;
	r->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
	r->rank = 0;
	r->nranks = 1;
	r->host = obs_string(o, host);
	r = obs_nccl(o, NCCL_COUNT, SOURCE_RAS);
	r->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
	r->rank = 0;
	r->nranks = 1;
	r->func = obs_string(o, "AllReduce");
	r->seq = launched;
	model_apply(x->m, o, fix_time(1));
	obs_free(o);
}

static struct finding *stuck(struct wall_test *x, enum finding_id id, uint32_t job, unsigned gpus)
{
	struct finding *f =
		fake_finding(x->d, id, (struct ref){.kind = REF_JOB, .job = job}, ROLE_VICTIM, 0);

	f->gpus_blocked = gpus;
	return f;
}

/* Two findings about one job are about the same GPUs; two jobs are not. */
CASE_WITH(gpus_are_counted_once, setup, teardown)
{
	struct wall_test *x = *state;
	struct noc_facts f;

	poll_fabric(x, 0);
	poll_fabric(x, 1);
	noc_facts(x->n, &f);
	assert_false(f.blocked_known); /* nobody told of jobs: not zero */
	add_job(x, "one", "node000");
	add_job(x, "two", "node001");
	noc_facts(x->n, &f);
	assert_false(f.blocked_known); /* a scheduler does not show whether they advance */
	tell_count(x, "node000", 100);
	tell_count(x, "node000", 110);
	noc_facts(x->n, &f);
	assert_true(f.blocked_known);
	assert_int_equal(f.blocked, 0);
	(void)stuck(x, FIND_NCCL_HANG, 0, 8);
	(void)stuck(x, FIND_NCCL_DEAD, 0, 8);
	open_finding(x, FIND_PFC_STORM, "leaf-r0-00")->gpus_blocked = 8;
	noc_facts(x->n, &f);
	assert_int_equal(f.blocked, 8);
	(void)stuck(x, FIND_NCCL_ERROR, 1, 8);
	noc_facts(x->n, &f);
	assert_int_equal(f.blocked, 16);
	open_finding(x, FIND_PFC_STORM, "leaf-r1-00")->gpus_blocked = 24;
	noc_facts(x->n, &f);
	assert_int_equal(f.blocked, 24);
}

/* ---- pages ---- */

CASE_WITH(pages_turn_by_themselves, setup, teardown)
{
	struct wall_test *x = *state;

	poll_fabric(x, 0);
	assert_int_equal(noc_page(x->n), 0);
	for (unsigned page = 1; page <= 2 * noc_pages(); page++) {
		tick(x, (int)page * 20 - 1);
		assert_int_equal(noc_page(x->n), (page - 1) % noc_pages());
		assert_true(noc_due(x->n) <= mono((int)page * 20));
		tick(x, (int)page * 20);
		assert_int_equal(noc_page(x->n), page % noc_pages());
	}
	/* A long sleep is one page, and not many at once. */
	tick(x, 100000);
	assert_int_equal(noc_page(x->n), 1);
	tick(x, 100001);
	assert_int_equal(noc_page(x->n), 1);
}

CASE_WITH(a_hold_holds, setup, teardown)
{
	struct wall_test *x = *state;

	poll_fabric(x, 0);
	noc_key(x->n, 'h', mono(1));
	tick(x, 1000);
	assert_int_equal(noc_page(x->n), 0);
	noc_key(x->n, 'n', mono(1000));
	assert_int_equal(noc_page(x->n), 1);
	noc_key(x->n, TKEY_LEFT, mono(1000));
	noc_key(x->n, TKEY_LEFT, mono(1000));
	assert_int_equal(noc_page(x->n), noc_pages() - 1);
	noc_key(x->n, 'h', mono(1000));
	tick(x, 1020);
	assert_int_equal(noc_page(x->n), 0);
}

CASE_WITH(a_new_critical_finding_keeps_the_page, setup, teardown)
{
	struct wall_test *x = *state;
	struct finding *f;

	/* A finding that is open at the start is no news. */
	(void)open_finding(x, FIND_BGP_DOWN, "leaf-r0-00");
	poll_fabric(x, 0);
	assert_false(noc_pinned(x->n));
	tick(x, 20);
	(void)open_finding(x, FIND_LINK_FEC_MARGIN, "leaf-r1-00");
	poll_fabric(x, 21);
	assert_false(noc_pinned(x->n));
	assert_int_equal(noc_page(x->n), 1);
	f = open_finding(x, FIND_LINK_DOWN, "leaf-r2-00");
	poll_fabric(x, 22);
	assert_true(noc_pinned(x->n));
	assert_int_equal(noc_page(x->n), 0);
	tick(x, 141);
	assert_int_equal(noc_page(x->n), 0);
	tick(x, 142);
	assert_false(noc_pinned(x->n));
	tick(x, 162);
	assert_int_equal(noc_page(x->n), 1);
	/* The same one is no news; closed and opened again it is. */
	poll_fabric(x, 163);
	assert_false(noc_pinned(x->n));
	f->severity = SEV_OK;
	x->d->generation++;
	poll_fabric(x, 164);
	f->severity = SEV_CRIT;
	x->d->generation++;
	poll_fabric(x, 165);
	assert_true(noc_pinned(x->n));
	/* An operator who turns the page has seen it. */
	noc_key(x->n, 'n', mono(166));
	assert_false(noc_pinned(x->n));
	assert_int_equal(noc_page(x->n), 1);
}

CASE_WITH(it_leaves_only_when_asked_twice, setup, teardown)
{
	struct wall_test *x = *state;

	poll_fabric(x, 0);
	noc_key(x->n, 'q', mono(1));
	assert_false(noc_quitting(x->n));
	tick(x, 7);
	noc_key(x->n, 'q', mono(7));
	assert_false(noc_quitting(x->n));
	noc_key(x->n, 'x', mono(8)); /* something in between */
	noc_key(x->n, 'q', mono(8));
	assert_false(noc_quitting(x->n));
	noc_key(x->n, 'q', mono(9));
	assert_true(noc_quitting(x->n));
}

CASE_WITH(other_keys_do_nothing, setup, teardown)
{
	struct wall_test *x = *state;

	poll_fabric(x, 0);
	assert_true(noc_draw(x->n));
	for (int key = 0; key < 0x3000; key++) {
		if (strchr("npqh ", key))
			continue;
		noc_key(x->n, key, mono(1));
		noc_key(x->n, key | TKEY_ALT, mono(1));
	}
	for (int key = TKEY_UP; key < TKEY_LAST; key++)
		if (key != TKEY_LEFT && key != TKEY_RIGHT && key != TKEY_PGUP && key != TKEY_PGDN)
			noc_key(x->n, key, mono(1));
	assert_false(noc_dirty(x->n));
	assert_false(noc_quitting(x->n));
	assert_int_equal(noc_page(x->n), 0);
}

/* ---- time ---- */

CASE_WITH(nothing_wakes_it_without_need, setup, teardown)
{
	struct wall_test *x = *state;
	int wakes = 0, now = 0;

	poll_fabric(x, 0);
	noc_key(x->n, 'h', mono(0));
	/* Data is current, the page is held: the minute's clock and the age's first look. */
	for (int s = 1; s <= 600; s++) {
		if (s % 5 == 0)
			poll_fabric(x, s);
		if (noc_due(x->n) <= mono(s)) {
			tick(x, s);
			wakes++;
		}
		now = s;
	}
	assert_int_equal(now, 600);
	assert_in_range(wakes, 9, 11);
}

CASE_WITH(old_data_is_told_in_seconds, setup, teardown)
{
	struct wall_test *x = *state;

	poll_fabric(x, 0);
	(void)noc_draw(x->n);
	assert_true(noc_due(x->n) <= mono(15));
	tick(x, 14);
	(void)noc_draw(x->n);
	tick(x, 15);
	assert_true(noc_dirty(x->n));
	assert_true(noc_due(x->n) <= mono(16));
	(void)noc_draw(x->n);
	tick(x, 19);
	assert_true(noc_dirty(x->n));
	tick(x, 65);
	(void)noc_draw(x->n);
	tick(x, 66);
	assert_false(noc_dirty(x->n) && noc_page(x->n) == 0);
	assert_true(noc_due(x->n) > mono(66) && noc_due(x->n) <= mono(70));
}

/* ---- memory ---- */

/* But for the history of counters, which has bounds of its own. */
static size_t in_use(const struct model *m)
{
	return mallinfo2().uordblks - history_status(m).used;
}

/* Days of news: the kept memory does not grow. */
CASE_WITH(its_memory_is_flat, setup, teardown)
{
	struct wall_test *x = *state;
	struct finding *f[8];
	size_t before = 0;

	for (int i = 0; i < 8; i++) {
		char leaf[32];

		(void)str_printf(leaf, sizeof(leaf), "leaf-r%d-00", i);
		f[i] = open_finding(x, FIND_LINK_DOWN, leaf);
	}
	for (int s = 0; s < 10000; s++) {
		struct fault down = {
			.device = "leaf-r1-00", .port = "Ethernet4", .down = s % 3 == 0};

		/* Findings come and go. */
		f[s % 8]->severity = s / 8 % 2 ? SEV_CRIT : SEV_OK;
		x->d->generation++;
		fix_poll_device(x->m, x->m->devices.at[(size_t)s % x->m->devices.n], s, &down, 1);
		noc_data(x->n, x->m, x->d, fix_time(s), mono(s));
		tick(x, s);
		(void)noc_word(x->n);
		/* By then there is as much history as there will be. */
		if (s == 7000)
			before = in_use(x->m);
	}
	assert_true(in_use(x->m) <= before + 65536);
}

CASES_MAIN(NULL, NULL)
