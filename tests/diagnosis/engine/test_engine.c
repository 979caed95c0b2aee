/* SPDX-License-Identifier: Apache-2.0 */
/* The engine, with a detector whose claims the test sets: hysteresis, roots, acknowledgements. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

/* A claim of this test's detector. */
struct wish {
	enum finding_id id;
	struct ref at;
	enum severity severity; /* SEV_UNKNOWN: the table's */
	double lr;
	struct ref member, other;
	bool link, kept, off, risk;
};
#define WISHES 16
struct wishes {
	struct wish at[WISHES];
	unsigned n;
};
static struct wishes *wishes_of(struct diag_run *r)
{
	return *r->memory;
}

static void grant(struct diag_run *r, const struct wish *w)
{
	struct finding *f =
		w->link ? diag_claim_link(r, w->id, w->at.port) : diag_claim(r, w->id, w->at);

	if (w->risk)
		f->role = ROLE_RISK;
	if (w->severity != SEV_UNKNOWN)
		f->severity = w->severity;
	if (w->lr > 0)
		finding_weigh(f, SIGNAL_FACT, w->lr);
	if (w->member.kind != REF_NONE)
		vec_push(&f->members, w->member);
	if (w->other.kind != REF_NONE)
		vec_push(&f->members, w->other);
	(void)finding_number(f, f->at, "row", 1, "", "", "counter");
}

static void grant_device(struct diag_run *r, const struct device *d)
{
	const struct wishes *w = wishes_of(r);

	for (unsigned i = 0; i < w->n; i++) {
		const struct wish *one = &w->at[i];
		uint32_t device = one->at.kind == REF_DEVICE ? one->at.device
							     : r->m->ports.at[one->at.port]->device;

		if (one->kept && !one->off && device == d->id)
			grant(r, one);
	}
}

static void run(struct diag_run *r)
{
	const struct wishes *w = wishes_of(r);

	diag_each_device(r, grant_device);
	for (unsigned i = 0; i < w->n; i++)
		if (!w->at[i].kept && !w->at[i].off)
			grant(r, &w->at[i]);
}

static const struct detector wisher = {"wisher", run, free, NULL, NULL};
static const struct detector *const table[] = {&wisher};

static struct wishes *wishes(struct stand *s)
{
	return s->d->memory[0];
}

static struct wish *wish(struct stand *s, enum finding_id id, struct ref at)
{
	struct wish *w = &wishes(s)->at[wishes(s)->n++];

	assert_true(wishes(s)->n <= WISHES);
	*w = (struct wish){.id = id, .at = at};
	return w;
}

static struct wish *wish_link(struct stand *s, enum finding_id id, const char *port)
{
	struct wish *w = wish(s, id, at_port(stand_port(s, port)));

	w->link = true;
	w->lr = 100;
	return w;
}

static int setup(void **state)
{
	struct stand *s = stand_new();

	s->d->table = table;
	s->d->ndetectors = 1;
	s->d->memory[0] = mem_calloc(1, sizeof(struct wishes));
	stand_poll(s, 2);
	*state = s;
	return 0;
}

#define LEAF "leaf-r0-00:Ethernet16"
#define HOST "leaf-r0-00:Ethernet0"

/* ---- hysteresis ---- */

CASE_WITH(a_fact_opens_at_once, setup, stand_teardown)
{
	struct stand *s = *state;

	(void)wish_link(s, FIND_LINK_DOWN, LEAF);
	assert_null(stand_found(s, "link.down", LEAF));
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "link.down", LEAF));
}

CASE_WITH(others_need_two_of_three_samples, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish(s, FIND_SLOW_RECEIVER, at_port(stand_port(s, HOST)));

	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "host.slow_receiver"), 0);
	w->off = true;
	stand_poll(s, 2);
	w->off = false;
	/* The first was four samples ago. */
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "host.slow_receiver"), 0);
	w->off = true;
	stand_poll(s, 1);
	w->off = false;
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "host.slow_receiver"), 1);
}

CASE_WITH(a_burst_of_two_samples_is_no_incast, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish(s, FIND_INCAST, at_port(stand_port(s, HOST)));

	stand_poll(s, 2);
	w->off = true;
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
	w->off = false;
	stand_poll(s, 2);
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "congestion.incast"), 1);
}

CASE_WITH(runs_between_two_samples_are_not_samples, setup, stand_teardown)
{
	struct stand *s = *state;

	(void)wish(s, FIND_SLOW_RECEIVER, at_port(stand_port(s, HOST)));
	for (unsigned i = 0; i < 4; i++)
		stand_poll_one(s, "spine-000", 1000000);
	assert_int_equal(stand_count(s, "host.slow_receiver"), 0);
	stand_poll_one(s, "leaf-r0-00", 500000);
	assert_int_equal(stand_count(s, "host.slow_receiver"), 1);
}

CASE_WITH(what_is_about_no_device_goes_by_intervals, setup, stand_teardown)
{
	struct stand *s = *state;

	(void)wish(s, FIND_NCCL_SLOW_EDGE, (struct ref){.kind = REF_FABRIC});
	stand_poll_one(s, "spine-000", 1000000);
	for (unsigned i = 0; i < 3; i++)
		stand_poll_one(s, "spine-001", 1000000);
	assert_int_equal(stand_count(s, "nccl.slow_edge"), 0);
	stand_poll_one(s, "spine-001", 1000000);
	assert_int_equal(stand_count(s, "nccl.slow_edge"), 1);
}

CASE_WITH(three_quiet_samples_close, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish_link(s, FIND_LINK_DOWN, LEAF);
	int64_t closed_us;
	uint64_t generation;

	stand_poll(s, 3);
	w->off = true;
	stand_poll(s, 2);
	assert_non_null(stand_found(s, "link.down", LEAF));
	assert_null(diag_closed(s->d, 0, &closed_us));
	generation = diag_generation(s->d);
	stand_poll(s, 1);
	assert_null(stand_found(s, "link.down", LEAF));
	assert_true(diag_generation(s->d) > generation);
	assert_non_null(diag_closed(s->d, 0, &closed_us));
	assert_true(closed_us == s->now_us);
	assert_int_equal(diag_closed(s->d, 0, &closed_us)->id, FIND_LINK_DOWN);
	assert_true(diag_closed(s->d, 0, &closed_us)->evidence.n >= 1);
	assert_null(diag_closed(s->d, 1, &closed_us));
}

CASE_WITH(trouble_that_recurs_opens_and_stays_between_its_times, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish(s, FIND_SLOW_RECEIVER, at_port(stand_port(s, HOST)));
	unsigned open = 0;

	/* Never two of three samples. */
	for (int i = 0; i < 40; i++) {
		w->off = i % 4 != 0;
		stand_poll(s, 1);
		open += stand_found(s, "host.slow_receiver", HOST) != NULL;
		if (i > 20)
			assert_non_null(stand_found(s, "host.slow_receiver", HOST));
	}
	assert_true(open >= 20);
	w->off = true;
	stand_poll(s, 6);
	assert_null(stand_found(s, "host.slow_receiver", HOST));
}

/* A link that breaks a packet now and then: a healthy one breaks none. */
CASE_WITH(errors_of_a_link_open_at_their_third_time, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish_link(s, FIND_LINK_CORRUPTING, LEAF);

	for (int i = 0; i < 9; i++) {
		w->off = i % 4 != 0;
		stand_poll(s, 1);
		assert_int_equal(stand_found(s, "link.corrupting", LEAF) != NULL, i == 8);
	}
	w->off = true;
	stand_poll(s, 8);
	assert_null(stand_found(s, "link.corrupting", LEAF));
}

CASE_WITH(trouble_that_is_rare_does_not_recur, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish(s, FIND_SLOW_RECEIVER, at_port(stand_port(s, HOST)));

	for (int i = 0; i < 80; i++) {
		w->off = i % 16 != 0;
		stand_poll(s, 1);
		assert_null(stand_found(s, "host.slow_receiver", HOST));
	}
}

CASE_WITH(a_cause_does_not_begin_after_its_effect, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *session;
	struct obs *o = stand_batch(s, "leaf-r0-00");
	struct ref at = {.kind = REF_BGP, .device = stand_device(s, "leaf-r0-00")};

	(void)obs_bgp(o, BGP_IPV4, "default", "Ethernet24", "", BGP_IDLE);
	stand_poll(s, 1);
	at.seq = bgp_session_key(&s->m->devices.at[at.device]->bgp.at[0]);
	session = wish(s, FIND_BGP_DOWN, at);
	session->lr = 200;
	stand_poll(s, 6);
	(void)wish_link(s, FIND_LINK_DOWN, "leaf-r0-00:Ethernet24");
	stand_poll(s, 2);
	assert_int_equal(stand_found(s, "bgp.down", NULL)->role, ROLE_CULPRIT);
}

CASE_WITH(nothing_closes_because_nobody_looked, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish(s, FIND_SLOW_RECEIVER, at_port(stand_port(s, HOST)));
	const struct finding *f;

	w->kept = true;
	stand_poll(s, 3);
	f = stand_found(s, "host.slow_receiver", HOST);
	assert_non_null(f);
	assert_true(f->silent_us == 0);
	w->off = true;
	stand_silent(s, "leaf-r0-00", true);
	stand_poll(s, 20);
	f = stand_found(s, "host.slow_receiver", HOST);
	assert_non_null(f);
	assert_true(f->silent_us == s->now_us - 20 * STAND_INTERVAL);
	assert_true(f->last_seen_us == f->silent_us);
	stand_silent(s, "leaf-r0-00", false);
	stand_poll(s, 2);
	assert_non_null(stand_found(s, "host.slow_receiver", HOST));
	assert_true(stand_found(s, "host.slow_receiver", HOST)->silent_us == 0);
	stand_poll(s, 1);
	assert_null(stand_found(s, "host.slow_receiver", HOST));
}

/* The device that is blamed is gone; its neighbour sees that the link is well again. */
CASE_WITH(the_other_end_can_say_that_it_is_over, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish_link(s, FIND_LINK_DOWN, "node000:mlx5_0");

	stand_poll(s, 2);
	stand_silent(s, "node000", true);
	stand_poll(s, 4);
	w->off = true;
	stand_poll(s, 8);
	assert_int_equal(stand_count(s, "link.down"), 0);
}

CASE_WITH(kept_claims_last_until_the_device_is_heard_again, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish_link(s, FIND_LINK_CORRUPTING, LEAF);
	const struct finding *f;

	w->kept = true;
	stand_poll(s, 2);
	for (unsigned i = 0; i < 30; i++)
		stand_poll_one(s, "spine-001", 200000);
	f = stand_found(s, "link.corrupting", LEAF);
	assert_non_null(f);
	assert_true(f->claimed);
	/* Rows do not pile up: its own and that about GPUs. */
	assert_int_equal(f->evidence.n, 2);
}

CASE_WITH(both_ends_of_a_link_are_one_finding, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *a = wish_link(s, FIND_LINK_CORRUPTING, LEAF);
	struct wish *b = wish_link(s, FIND_LINK_CORRUPTING, "spine-000:Ethernet1/1");
	const struct finding *f;

	a->kept = b->kept = true;
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "link.corrupting"), 1);
	/* The later call said all of it. */
	f = stand_found(s, "link.corrupting", NULL);
	assert_int_equal(f->evidence.n, 2);
	assert_int_equal(f->at.port, stand_port(s, "spine-000:Ethernet1/1"));
	assert_int_equal(f->peer.port, stand_port(s, LEAF));
	assert_true(f->key == finding_key(f->id, diag_link_place(s->m, f->peer.port)));
}

/* ---- acknowledgements ---- */

CASE_WITH(acknowledged_sinks_until_it_expires_or_gets_worse, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish_link(s, FIND_LINK_FLAPPING, LEAF);
	struct err err;
	const struct finding *f;
	uint64_t key;
	size_t n;

	w->severity = SEV_WARN;
	wish_link(s, FIND_LINK_DOWN, "leaf-r1-00:Ethernet0")->severity = SEV_WARN;
	stand_poll(s, 1);
	key = diag_findings(s->d, &n)[0]->key;
	assert_int_equal(n, 2);
	assert_true(diag_ack(
		s->d, key, s->now_us, s->now_us + 3 * STAND_INTERVAL, "noc", "known\033", &err));
	stand_poll(s, 1);
	f = diag_findings(s->d, &n)[1];
	assert_true(f->key == key && finding_acked(f, s->now_us));
	assert_null(strchr(f->ack_note, '\033'));
	stand_poll(s, 3);
	assert_false(finding_acked(diag_finding(s->d, key), s->now_us));
	assert_true(diag_findings(s->d, &n)[0]->key == key);

	assert_true(
		diag_ack(s->d, key, s->now_us, s->now_us + 1000 * STAND_INTERVAL, "", "", &err));
	for (unsigned i = 0; i < wishes(s)->n; i++)
		wishes(s)->at[i].severity = SEV_CRIT;
	stand_poll(s, 1);
	assert_false(finding_acked(diag_finding(s->d, key), s->now_us));
}

CASE_WITH(acknowledging_what_is_not_there_fails, setup, stand_teardown)
{
	struct stand *s = *state;
	struct err err;

	assert_false(diag_ack(s->d, 42, s->now_us, s->now_us, "", "", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_false(diag_unack(s->d, 42, &err));
}

CASE_WITH(what_closed_and_opens_again_is_not_acknowledged, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w = wish_link(s, FIND_LINK_DOWN, LEAF);
	uint64_t key;
	struct err err;

	stand_poll(s, 1);
	key = stand_found(s, "link.down", LEAF)->key;
	assert_true(diag_ack(s->d, key, s->now_us, INT64_MAX, "", "", &err));
	w->off = true;
	stand_poll(s, 6);
	assert_null(diag_finding(s->d, key));
	w->off = false;
	stand_poll(s, 1);
	assert_false(finding_acked(diag_finding(s->d, key), s->now_us));
}

/* ---- roots and symptoms ---- */

CASE_WITH(a_session_follows_from_its_link, setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "leaf-r0-00");
	const struct finding *link, *bgp;
	struct ref at = {.kind = REF_BGP, .device = stand_device(s, "leaf-r0-00")};

	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "spine-000", BGP_IDLE);
	stand_poll(s, 1);
	at.seq = bgp_session_key(&s->m->devices.at[at.device]->bgp.at[0]);
	wish(s, FIND_BGP_DOWN, at)->lr = 200;
	(void)wish_link(s, FIND_LINK_DOWN, LEAF);
	stand_poll(s, 1);
	link = stand_found(s, "link.down", LEAF);
	bgp = stand_found(s, "bgp.down", NULL);
	assert_int_equal(link->role, ROLE_CULPRIT);
	assert_int_equal(bgp->role, ROLE_SYMPTOM);
	assert_true(bgp->root == link->key);
	assert_true(bgp->confidence < link->confidence);
}

CASE_WITH(a_session_elsewhere_does_not, setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "leaf-r0-00");
	struct ref at = {.kind = REF_BGP, .device = stand_device(s, "leaf-r0-00")};

	(void)obs_bgp(o, BGP_IPV4, "default", "Ethernet20", "", BGP_IDLE);
	stand_poll(s, 1);
	at.seq = bgp_session_key(&s->m->devices.at[at.device]->bgp.at[0]);
	wish(s, FIND_BGP_DOWN, at)->lr = 200;
	(void)wish_link(s, FIND_LINK_DOWN, LEAF);
	stand_poll(s, 1);
	assert_int_equal(stand_role(s, ROLE_CULPRIT), 2);
}

/* Most switches tell a peer by its address alone: a link of the device to another switch may be it.
 */
CASE_WITH(a_session_by_address_follows_from_a_link_to_a_switch, setup, stand_teardown)
{
	static const struct {
		const char *link;
		enum finding_role role;
	} links[] = {{HOST, ROLE_CULPRIT}, {"leaf-r0-01:Ethernet16", ROLE_CULPRIT},
		{"leaf-r0-00:Ethernet24", ROLE_SYMPTOM}};
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "leaf-r0-00");
	struct ref at = {.kind = REF_BGP, .device = stand_device(s, "leaf-r0-00")};
	struct wish *session;

	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "", BGP_IDLE);
	stand_poll(s, 1);
	at.seq = bgp_session_key(&s->m->devices.at[at.device]->bgp.at[0]);
	session = wish(s, FIND_BGP_DOWN, at);
	session->lr = 200;
	for (size_t i = 0; i < 3; i++) {
		/* It goes down anew with each link: a later failure explains no earlier one. */
		session->off = true;
		stand_poll(s, 10);
		session->off = false;
		(void)wish_link(s, FIND_LINK_DOWN, links[i].link);
		stand_poll(s, 2);
		assert_int_equal(stand_found(s, "bgp.down", NULL)->role, links[i].role);
	}
}

CASE_WITH(what_follows_from_a_symptom_follows_from_its_root, setup, stand_teardown)
{
	struct stand *s = *state;
	const char *port = "node000:mlx5_0";
	const struct finding *root;

	/* A narrow slot, harmless as such, makes the NIC slow, so that its leaf port's watchdog
	 * acts. */
	wish(s, FIND_PCIE_WIDTH, at_port(stand_port(s, port)))->risk = true;
	wishes(s)->at[0].lr = 100;
	wish(s, FIND_PCIE_BOUND, at_port(stand_port(s, port)))->lr = 40;
	wish(s, FIND_WATCHDOG_FIRED, at_priority(stand_port(s, HOST), 3))->lr = 100;
	stand_poll(s, 1);
	/* Nobody is slow yet: the watchdog's finding is all there is to blame. */
	assert_int_equal(stand_found(s, "pfc.watchdog_fired", NULL)->role, ROLE_CULPRIT);
	stand_poll(s, 1);
	root = stand_found(s, "host.pcie_width", port);
	assert_int_equal(root->role, ROLE_CULPRIT);
	assert_true(stand_found(s, "host.pcie_bound", port)->root == root->key);
	assert_true(stand_found(s, "pfc.watchdog_fired", NULL)->root == root->key);
	assert_int_equal(stand_role(s, ROLE_CULPRIT), 1);
}

CASE_WITH(two_faults_are_two_roots, setup, stand_teardown)
{
	struct stand *s = *state;
	size_t n;

	(void)wish_link(s, FIND_LINK_FLAPPING, LEAF);
	wish(s, FIND_PFC_STORM, at_port(stand_port(s, "node005:mlx5_1")))->lr = 100;
	wish(s, FIND_WATCHDOG_FIRED, at_priority(stand_port(s, "leaf-r1-01:Ethernet4"), 3))->lr =
		100;
	stand_poll(s, 3);
	assert_int_equal(stand_role(s, ROLE_CULPRIT), 2);
	/* The symptom stands below its own root. */
	(void)diag_findings(s->d, &n);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		const struct finding *f = diag_findings(s->d, &n)[i];

		if (f->root)
			assert_true(i > 0 && diag_findings(s->d, &n)[i - 1]->key == f->root);
	}
}

CASE_WITH(a_root_that_came_much_later_explains_nothing, setup, stand_teardown)
{
	struct stand *s = *state;

	wish(s, FIND_WATCHDOG_FIRED, at_priority(stand_port(s, HOST), 3))->lr = 100;
	stand_poll(s, 20);
	wish(s, FIND_SLOW_RECEIVER, at_port(stand_port(s, "node000:mlx5_0")))->lr = 10;
	stand_poll(s, 2);
	assert_int_equal(stand_role(s, ROLE_CULPRIT), 2);
}

CASE_WITH(one_lost_uplink_is_the_link_many_are_the_switch, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w;

	(void)wish_link(s, FIND_LINK_DOWN, LEAF);
	w = wish(s, FIND_ECMP_CAPACITY, at_device(stand_device(s, "leaf-r0-00")));
	w->lr = 100;
	w->member = at_port(stand_port(s, LEAF));
	stand_poll(s, 1);
	assert_int_equal(stand_found(s, "link.down", LEAF)->role, ROLE_CULPRIT);
	assert_int_equal(stand_found(s, "ecmp.capacity", NULL)->role, ROLE_SYMPTOM);
}

CASE_WITH(two_lost_uplinks_are_the_switch, setup, stand_teardown)
{
	struct stand *s = *state;
	struct wish *w;

	(void)wish_link(s, FIND_LINK_DOWN, LEAF);
	w = wish(s, FIND_ECMP_CAPACITY, at_device(stand_device(s, "leaf-r0-00")));
	w->lr = 100;
	w->member = at_port(stand_port(s, LEAF));
	w->other = at_port(stand_port(s, "node005:mlx5_1"));
	stand_poll(s, 1);
	assert_int_equal(stand_found(s, "link.down", LEAF)->role, ROLE_SYMPTOM);
	assert_int_equal(stand_found(s, "ecmp.capacity", NULL)->role, ROLE_CULPRIT);
}

CASE_WITH(risks_come_last_and_are_never_promoted_without_reason, setup, stand_teardown)
{
	struct stand *s = *state;
	size_t n;

	wish(s, FIND_PCIE_WIDTH, at_port(stand_port(s, "node000:mlx5_0")))->risk = true;
	wish(s, FIND_WATCHDOG_MISSING, at_device(stand_device(s, "leaf-r0-00")));
	wish_link(s, FIND_LINK_FLAPPING, LEAF)->severity = SEV_WARN;
	stand_poll(s, 2);
	assert_int_equal(stand_found(s, "pfc.watchdog_missing", NULL)->role, ROLE_RISK);
	assert_int_equal(stand_role(s, ROLE_RISK), 2);
	assert_int_equal(diag_findings(s->d, &n)[0]->id, FIND_LINK_FLAPPING);
}

CASE_WITH(a_nic_blocks_its_gpu_and_a_leaf_slows_its_hosts, setup, stand_teardown)
{
	struct stand *s = *state;

	(void)wish_link(s, FIND_LINK_DOWN, "node000:mlx5_0");
	(void)wish_link(s, FIND_LINK_SPEED, LEAF);
	stand_poll(s, 2);
	assert_int_equal(stand_found(s, "link.down", NULL)->gpus_blocked, 1);
	assert_int_equal(stand_found(s, "link.speed", NULL)->gpus_slow, 4);
	assert_int_equal(stand_found(s, "link.speed", NULL)->gpus_blocked, 0);
}

/* Collectives wait for all: known from where the job runs, before NCCL itself has noticed. */
CASE_WITH(a_nic_that_is_cut_off_blocks_its_job, setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "node000");

	for (int32_t i = 0; i < 8; i++) {
		struct obs_nccl *r = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
		char host[16];

		(void)str_printf(host, sizeof(host), "node%03d", (int)i / 2);
		r->job = obs_string(o, "pretrain");
		r->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		r->rank = i;
		r->nranks = 8;
		r->host = obs_string(o, host);
		r->gpu = i % 2;
	}
	(void)wish_link(s, FIND_LINK_DOWN, "node001:mlx5_0");
	(void)wish_link(s, FIND_PFC_STORM, "node007:mlx5_0"); /* of no job */
	stand_poll(s, 2);
	assert_int_equal(stand_found(s, "link.down", NULL)->gpus_blocked, 8);
	assert_int_equal(stand_found(s, "pfc.storm", NULL)->gpus_blocked, 1);
}

CASE_WITH(findings_are_found_by_port_and_device, setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *out[4];

	(void)wish_link(s, FIND_LINK_DOWN, LEAF);
	stand_poll(s, 1);
	assert_int_equal(diag_findings_at(s->d, s->m, at_port(stand_port(s, LEAF)), out, 4), 1);
	assert_int_equal(
		diag_findings_at(s->d, s->m, at_device(stand_device(s, "spine-000")), out, 4), 1);
	assert_int_equal(
		diag_findings_at(s->d, s->m, at_device(stand_device(s, "spine-001")), out, 4), 0);
}

CASES_MAIN(NULL, NULL)
