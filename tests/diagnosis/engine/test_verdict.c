/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "fabric/ref.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "tests/diagnosis/engine/wisher.h"

static int setup(void **state)
{
	struct stand *s = stand_new();

	wisher_setup(s);
	wisher_job(s, 8); /* node000 to node003: both leaves -00 */
	stand_poll(s, 3);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	stand_free(*state);
	return 0;
}

static struct ref rank(int32_t r)
{
	return (struct ref){.kind = REF_RANK, .comm = 0, .rank = r};
}

static const struct proof *proof(const struct verdict_report *v, const char *beginning)
{
	for (size_t i = 0; i < v->proof.n; i++)
		if (str_starts(v->proof.at[i].text, beginning))
			return &v->proof.at[i];
	fail_msg("no line \"%s\"", beginning);
	return NULL;
}

CASE_WITH(test_nothing_wrong, setup, teardown)
{
	struct stand *s = *state;
	const struct verdict_report *v = diag_verdict(s->d);

	assert_false(v->trouble);
	assert_int_equal(v->verdict, VERDICT_UNKNOWN);
	assert_true(proof(v, "links down")->ok);
	assert_string_equal(
		proof(v, "links down")->text, "links down against the plan: 0 of 64 ports");
	assert_true(proof(v, "links not as planned")->ok);
	assert_true(proof(v, "devices fresh")->ok);
	/* Nobody told of a BGP session: that line is not made up, and "clean" needs it. */
	assert_false(proof(v, "BGP")->checked);
	assert_false(v->fabric_clean);
}

static const char *port_name(const struct stand *s, size_t id)
{
	static char name[2 * NAME_MAX_LEN];

	(void)ref_format(s->m, at_port((uint32_t)id), name, sizeof(name));
	return name;
}

static void tell_bgp(struct stand *s)
{
	struct obs *o = stand_batch(s, "leaf-r0-00");

	(void)obs_bgp(o, BGP_IPV4, "default", "10.0.0.1", "spine-000", BGP_ESTABLISHED);
}

CASE_WITH(test_clean_with_proof, setup, teardown)
{
	struct stand *s = *state;
	const struct verdict_report *v;

	tell_bgp(s);
	(void)wisher_wish(s, FIND_NCCL_STRAGGLER, rank(3), 1000);
	stand_poll(s, 3);
	v = diag_verdict(s->d);
	for (size_t i = 0; i < v->proof.n; i++)
		if (!v->proof.at[i].ok || !v->proof.at[i].checked)
			fail_msg("%s", v->proof.at[i].text);
	assert_true(v->trouble);
	assert_true(v->fabric_clean);
	assert_int_equal(v->verdict, VERDICT_GPU);
	assert_true(v->confidence > 0.7);
	assert_true(v->culprit == finding_key(FIND_NCCL_STRAGGLER, rank(3)));
}

CASE_WITH(test_silent_device_is_named, setup, teardown)
{
	struct stand *s = *state;
	const struct verdict_report *v;

	tell_bgp(s);
	stand_silent(s, "spine-001", true);
	stand_poll(s, 6);
	v = diag_verdict(s->d);
	assert_false(v->fabric_clean);
	assert_non_null(strstr(proof(v, "devices fresh")->text, "spine-001"));
}

/* A silent device's last values are no proof of its present state, except for bad ones. */
CASE_WITH(test_last_words_are_no_proof, setup, teardown)
{
	static const char *const lines[] = {"links down", "ports that flapped", "ports below",
		"links not as planned", "BGP sessions"};
	struct stand *s = *state;
	const struct proof *p;

	tell_bgp(s);
	stand_poll(s, 2);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_true(proof(diag_verdict(s->d), lines[i])->ok);
	for (size_t i = 0; i < s->m->devices.n; i++)
		stand_silent(s, s->m->devices.at[i]->name, true);
	stand_poll(s, 40);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		p = proof(diag_verdict(s->d), lines[i]);
		if (p->checked)
			fail_msg("%s", p->text);
		assert_true(p->cure[0]);
	}
	assert_false(diag_verdict(s->d)->fabric_clean);
}

CASE_WITH(test_bad_last_words_stand, setup, teardown)
{
	struct stand *s = *state;
	const struct proof *p;

	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 2);
	for (size_t i = 0; i < s->m->devices.n; i++)
		stand_silent(s, s->m->devices.at[i]->name, true);
	stand_poll(s, 40);
	p = proof(diag_verdict(s->d), "links down");
	assert_true(p->checked && !p->ok);
}

/* Frames alone give an upper bound: a high one is neither "ok" nor trouble. */
CASE_WITH(test_high_bound_is_not_known, setup, teardown)
{
	struct stand *s = *state;
	const struct proof *p;

	tell_bgp(s);
	for (size_t i = 0; i < s->m->ports.n; i++)
		stand_unsupported(s, port_name(s, i), CTR_PFC_RX_DURATION_US, STAND_LOSSLESS);
	for (unsigned i = 0; i < 4; i++) {
		static const char *const uplinks[] = {"leaf-r0-00:Ethernet16",
			"leaf-r0-00:Ethernet20", "leaf-r0-00:Ethernet24", "leaf-r0-00:Ethernet28"};

		stand_hold(s, uplinks[i], 60);
	}
	stand_poll(s, 3);
	assert_true(window_last(s->d->windows, stand_port(s, "leaf-r0-00:Ethernet16"))->held_bound);
	p = proof(diag_verdict(s->d), "ports paused");
	assert_false(p->checked);
	assert_non_null(strstr(p->text, "0 of 60 ports, at most "));
	assert_null(strstr(p->text, "at most 0.0%"));
	assert_false(diag_verdict(s->d)->fabric_clean);
}

/* A cable that is found is as it is; whether it is right only a plan tells. */
CASE_WITH(test_wiring_needs_a_plan, setup, teardown)
{
	struct stand *s = *state;
	const struct proof *p;

	tell_bgp(s);
	for (size_t i = 0; i < s->m->ports.n; i++)
		s->m->ports.at[i]->plan_peer = PORT_NONE;
	for (size_t i = 0; i < s->m->links.n; i++)
		s->m->links.at[i].state = LINK_FOUND;
	stand_poll(s, 1);
	p = proof(diag_verdict(s->d), "links not as planned");
	assert_false(p->checked);
	assert_non_null(strstr(p->text, "unknown: no plan for 32 links"));
	assert_non_null(strstr(p->cure, "\"wiring:\" file"));
	assert_int_equal(diag_verdict(s->d)->state, FABRIC_UNKNOWN);
}

CASE_WITH(test_links_without_names_are_not_compared, setup, teardown)
{
	struct verdict_report v = {0};
	const struct proof *p;
	struct diag *d = diag_new();
	struct plan plan;
	struct model *m;

	stand_plan(&plan);
	(void)plan_make_device(&plan, "spine-004", TIER_SPINE, -1);
	for (unsigned i = 0; i < 8; i++)
		plan_make_link(&plan, 8, "Ethernet64", 16, "", 0);
	m = model_new(&plan);
	plan_free(&plan);
	model_links(m);
	for (size_t i = 0; i < m->devices.n; i++)
		m->devices.at[i]->state = DEV_FRESH;
	for (size_t i = 0; i < m->links.n; i++)
		m->links.at[i].state = LINK_AS_PLANNED;
	verdict_make(&v, d, m, JOB_NONE, STAND_T0);
	p = proof(&v, "links not as planned");
	assert_false(p->checked);
	assert_non_null(strstr(p->text, "0 of 32 links; 20.0% not seen"));
	assert_non_null(strstr(p->cure, "\"dialect:\""));
	verdict_free(&v);
	diag_free(d);
	model_free(m);
}

CASE_WITH(test_network, setup, teardown)
{
	struct stand *s = *state;
	const struct verdict_report *v;
	bool against = false;

	(void)wisher_wish(s, FIND_LINK_FLAPPING, at_port(stand_port(s, "node001:mlx5_0")), 100);
	wisher_wish(s, FIND_NCCL_STRAGGLER, rank(6), 2)->role = ROLE_CULPRIT;
	stand_poll(s, 3);
	v = diag_verdict(s->d);
	assert_int_equal(v->verdict, VERDICT_NETWORK);
	assert_false(v->fabric_clean);
	assert_false(proof(v, "ports that flapped")->ok);
	for (size_t i = 0; i < v->evidence.n; i++)
		against |= v->evidence.at[i].against &&
			   str_eq(v->evidence.at[i].what, "nccl.straggler");
	assert_true(against);
}

/* Until it closes, its cause is told as one that is over. */
CASE_WITH(test_cause_that_ended, setup, teardown)
{
	struct stand *s = *state;
	struct wished *w =
		wisher_wish(s, FIND_LINK_DOWN, at_port(stand_port(s, "node000:mlx5_0")), 200);
	const struct verdict_report *v;
	char text[VERDICT_SENTENCE];

	stand_poll(s, 3);
	verdict_sentence(diag_verdict(s->d), s->m, s->now_us, text, sizeof(text));
	assert_null(strstr(text, "ended"));
	w->off = true;
	stand_poll(s, 2);
	v = diag_verdict(s->d);
	assert_int_equal(v->verdict, VERDICT_NETWORK);
	assert_true(v->ended_us > 0 && v->ended_us < s->now_us);
	verdict_sentence(v, s->m, s->now_us, text, sizeof(text));
	assert_non_null(strstr(text, "), ended 10 s ago"));
	stand_poll(s, 1);
	assert_int_equal(diag_verdict(s->d)->ended_us, 0);
}

CASE_WITH(test_storage, setup, teardown)
{
	struct stand *s = *state;
	uint32_t leaf = stand_device(s, "leaf-r1-01");

	s->m->devices.at[leaf]->net = NET_STORAGE;
	(void)wisher_wish(s, FIND_INCAST, at_port(stand_port(s, "leaf-r1-01:Ethernet4")), 100);
	stand_poll(s, 3);
	assert_int_equal(diag_verdict(s->d)->verdict, VERDICT_STORAGE);
}

CASE_WITH(test_application, setup, teardown)
{
	struct stand *s = *state;

	/* Ranks of the job do not launch the same. */
	(void)wisher_wish(s, FIND_NCCL_MISMATCH, (struct ref){.kind = REF_JOB, .job = 0}, 100);
	stand_poll(s, 3);
	assert_int_equal(diag_verdict(s->d)->verdict, VERDICT_APPLICATION);
}

/* One host's processes are stuck: that host, not the code that runs on all of them. */
CASE_WITH(test_one_rank_behind, setup, teardown)
{
	struct stand *s = *state;

	(void)wisher_wish(s, FIND_NCCL_MISMATCH, rank(5), 100);
	stand_poll(s, 3);
	assert_int_equal(diag_verdict(s->d)->verdict, VERDICT_GPU);
}

CASE_WITH(test_risks_are_no_trouble, setup, teardown)
{
	struct stand *s = *state;

	wisher_wish(s, FIND_LINT_PFC, at_device(stand_device(s, "leaf-r0-00")), 50)->role =
		ROLE_RISK;
	stand_poll(s, 3);
	assert_false(diag_verdict(s->d)->trouble);
}

CASE_WITH(test_of_one_job, setup, teardown)
{
	struct stand *s = *state;
	struct verdict_report v = {0};

	(void)wisher_wish(s, FIND_PFC_STORM, at_port(stand_port(s, "node007:mlx5_1")), 100);
	stand_poll(s, 3);
	assert_int_equal(diag_verdict(s->d)->verdict, VERDICT_NETWORK);
	/* The job's hosts are elsewhere, and nothing says that the storm reaches them. */
	verdict_make(&v, s->d, s->m, 0, s->now_us);
	assert_false(v.trouble);
	verdict_free(&v);
	/* Now it does. */
	wisher_wish(s, FIND_DEADLOCK, at_port(stand_port(s, "leaf-r1-01:Ethernet16")), 100)
		->victim = at_port(stand_port(s, "leaf-r1-00:Ethernet16"));
	stand_poll(s, 3);
	verdict_make(&v, s->d, s->m, 0, s->now_us);
	assert_true(v.trouble);
	assert_int_equal(v.verdict, VERDICT_NETWORK);
	verdict_free(&v);
}

static const char *sentence(const struct stand *s)
{
	static char text[VERDICT_SENTENCE];

	verdict_sentence(diag_verdict(s->d), s->m, s->now_us, text, sizeof(text));
	return text;
}

static void clean_stand(struct stand *s)
{
	tell_bgp(s);
	stand_poll(s, 2);
	assert_int_equal(diag_verdict(s->d)->state, FABRIC_CLEAN);
	assert_string_equal(sentence(s), "no trouble seen; the fabric is clean");
	assert_int_equal(diag_verdict(s->d)->since_us, 0);
}

/* A finding that hurts nobody yet is a risk, and no reason to call the fabric clean. */
CASE_WITH(test_a_risk_is_not_clean, setup, teardown)
{
	struct stand *s = *state;

	clean_stand(s);
	wisher_wish(s, FIND_LINT_WATCHDOG, at_device(stand_device(s, "leaf-r0-00")), 50)->role =
		ROLE_RISK;
	stand_poll(s, 3);
	assert_int_equal(diag_verdict(s->d)->state, FABRIC_CLEAN);
	assert_int_equal(diag_verdict(s->d)->risks, 1);
	assert_string_equal(sentence(s), "no trouble seen; 1 risk");
}

static void tell_count(struct stand *s, int64_t launched)
{
	struct obs *o = stand_batch(s, "node000");

	for (int32_t i = 0; i < 8; i++) {
		struct obs_nccl *r = obs_nccl(o, NCCL_COUNT, SOURCE_RAS);

		r->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
		r->rank = i;
		r->nranks = 8;
		r->func = obs_string(o, "AllReduce");
		r->seq = launched;
	}
	stand_poll(s, 1);
}

static enum fabric_state state_of_job(const struct stand *s)
{
	struct verdict_report v = {0};
	enum fabric_state state;

	verdict_make(&v, s->d, s->m, 0, s->now_us);
	assert_true(v.fabric_clean);
	state = v.state;
	verdict_free(&v);
	return state;
}

/* A clean fabric shows nothing of a job whose operations nobody saw, or saw long ago. */
CASE_WITH(test_job_that_nobody_saw_advance, setup, teardown)
{
	struct stand *s = *state;

	clean_stand(s);
	assert_int_equal(state_of_job(s), FABRIC_UNKNOWN);
	tell_count(s, 100);
	tell_count(s, 110);
	assert_int_equal(state_of_job(s), FABRIC_CLEAN);
	stand_poll(s, 70);
	assert_int_equal(state_of_job(s), FABRIC_UNKNOWN);
	tell_count(s, 120);
	assert_int_equal(state_of_job(s), FABRIC_CLEAN);
}

/* From the first poll that shows it, before there is a culprit. */
CASE_WITH(test_suspect_from_the_first_poll, setup, teardown)
{
	struct stand *s = *state;
	const struct verdict_report *v = diag_verdict(s->d);
	int64_t began;

	clean_stand(s);
	stand_hold(s, "leaf-r0-00:Ethernet16", 60);
	stand_hold(s, "leaf-r0-00:Ethernet20", 60);
	stand_poll(s, 1);
	assert_int_equal(v->state, FABRIC_SUSPECT);
	assert_true(v->critical && v->trouble);
	assert_int_equal(v->paused, 2);
	assert_true(str_starts(sentence(s), "cause not proven yet (seen 0 s): 2 ports paused"));
	began = s->now_us;
	stand_poll(s, 1);
	assert_true(v->since_us == began);
	assert_true(str_starts(sentence(s), "cause not proven yet (seen 5 s): "));
	assert_int_equal(verdict_severity(v), SEV_CRIT);
}

/* As red as before its cause was named, though the culprit is no more than a warning. */
CASE_WITH(test_named_cause_is_no_milder, setup, teardown)
{
	struct stand *s = *state;
	const struct verdict_report *v = diag_verdict(s->d);

	clean_stand(s);
	stand_hold(s, "leaf-r0-00:Ethernet16", 60);
	stand_hold(s, "leaf-r0-00:Ethernet20", 60);
	stand_poll(s, 1);
	assert_int_equal(v->state, FABRIC_SUSPECT);
	assert_int_equal(verdict_severity(v), SEV_CRIT);
	(void)wisher_wish(
		s, FIND_ECMP_COLLISION, at_port(stand_port(s, "leaf-r0-00:Ethernet16")), 100);
	wisher_wish(s, FIND_NCCL_SLOW_EDGE, rank(2), 100)->role = ROLE_SYMPTOM;
	stand_poll(s, 3);
	assert_int_equal(v->state, FABRIC_TROUBLE);
	assert_int_equal(v->verdict, VERDICT_NETWORK);
	assert_int_equal(v->criticals, 0);
	assert_int_equal(verdict_severity(v), SEV_CRIT);
}

/* The text names the suspects that are not known any more, and names them first. */
CASE_WITH(test_suspicion_of_the_dark, setup, teardown)
{
	struct stand *s = *state;
	const char *said;

	clean_stand(s);
	(void)wisher_wish(s, FIND_ECMP_COLLISION, at_device(stand_device(s, "leaf-r0-00")), 100);
	stand_silent(s, "spine-003", true);
	stand_poll(s, 6);
	said = sentence(s);
	assert_int_equal(diag_verdict(s->d)->state, FABRIC_SUSPECT);
	assert_non_null(strstr(said, "; 1 of 16 devices report no data"));
	for (size_t i = 0; i < s->m->devices.n; i++)
		stand_silent(s, s->m->devices.at[i]->name, true);
	stand_poll(s, 6);
	said = sentence(s);
	assert_int_equal(diag_verdict(s->d)->state, FABRIC_SUSPECT);
	assert_true(str_starts(said, "none of 16 devices reports data; "));
	assert_null(strstr(said, "; 16 of 16"));
}

/* A NIC whose egress is paused by its leaf counts as paused as well: no other port may show it. */
CASE_WITH(test_held_nics_count, setup, teardown)
{
	struct stand *s = *state;

	clean_stand(s);
	stand_hold(s, "node001:mlx5_0", 75);
	stand_poll(s, 1);
	assert_false(proof(diag_verdict(s->d), "ports paused")->ok);
	assert_int_equal(diag_verdict(s->d)->state, FABRIC_SUSPECT);
}

/* In each role, acknowledged or not. */
CASE_WITH(test_critical_is_never_calm, setup, teardown)
{
	static const enum finding_role roles[] = {
		ROLE_CULPRIT, ROLE_SYMPTOM, ROLE_VICTIM, ROLE_RISK, ROLE_INFO};
	struct stand *s = *state;
	struct err err = {0};

	clean_stand(s);
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		uint64_t key = finding_key(FIND_WATCHDOG_SILENT, at_device((uint32_t)i));

		wisher_wish(s, FIND_WATCHDOG_SILENT, at_device((uint32_t)i), 100)->role = roles[i];
		stand_poll(s, 3);
		assert_true(diag_ack(s->d, key, s->now_us, s->now_us + 3600 * INT64_C(1000000),
			"ann", "", &err));
		stand_poll(s, 1);
		assert_true(diag_verdict(s->d)->state >= FABRIC_SUSPECT);
		assert_false(diag_verdict(s->d)->fabric_clean);
		assert_int_equal(verdict_severity(diag_verdict(s->d)), SEV_CRIT);
		assert_null(strstr(sentence(s), "clean"));
	}
}

/* Both ends of a link at half its speed look alike: without a plan nobody knows. */
CASE_WITH(test_speed_needs_a_plan, setup, teardown)
{
	struct stand *s = *state;
	const struct proof *p;

	tell_bgp(s);
	for (size_t i = 0; i < s->m->ports.n; i++)
		s->m->ports.at[i]->plan_speed_mbps = 0;
	stand_number(s, "leaf-r0-00:Ethernet0", ATTR_SPEED_MBPS, 0, 200000);
	stand_number(s, "node000:mlx5_0", ATTR_SPEED_MBPS, 0, 200000);
	stand_poll(s, 3);
	p = proof(diag_verdict(s->d), "ports below their planned speed");
	assert_false(p->checked);
	assert_non_null(strstr(p->text, "unknown: no planned speed"));
	assert_non_null(strstr(p->cure, "fifth column"));
	assert_int_equal(diag_verdict(s->d)->state, FABRIC_UNKNOWN);
	assert_string_equal(sentence(s), "no problem seen; not checked: link speeds");
	/* With one, it is seen. */
	for (size_t i = 0; i < s->m->ports.n; i++)
		s->m->ports.at[i]->plan_speed_mbps = 400000;
	stand_poll(s, 3);
	p = proof(diag_verdict(s->d), "ports below their planned speed");
	assert_true(p->checked && !p->ok);
	assert_string_equal(p->text, "ports below their planned speed: 2 of 64 ports");
}

/* A line that fails names the bad count, not the unknown one. */
CASE_WITH(test_bad_without_a_count, setup, teardown)
{
	struct stand *s = *state;
	const struct proof *p;

	for (size_t i = 0; i < s->m->ports.n; i++)
		s->m->ports.at[i]->plan_speed_mbps = 0;
	(void)wisher_wish(s, FIND_LINK_SPEED, at_port(stand_port(s, "node001:mlx5_0")), 100);
	(void)wisher_wish(s, FIND_LINK_SPEED, at_port(stand_port(s, "node002:mlx5_0")), 100);
	(void)wisher_wish(s, FIND_BGP_DOWN, at_device(stand_device(s, "spine-001")), 100);
	stand_poll(s, 3);
	p = proof(diag_verdict(s->d), "ports slower than they should be");
	assert_true(p->checked && !p->ok);
	assert_string_equal(p->text, "ports slower than they should be: reported by 2 findings; no "
				     "planned speed is known");
	p = proof(diag_verdict(s->d), "BGP");
	assert_true(p->checked && !p->ok);
	assert_string_equal(p->text, "BGP sessions not established: reported by 1 finding");
	for (size_t i = 0; i < diag_verdict(s->d)->proof.n; i++) {
		p = &diag_verdict(s->d)->proof.at[i];
		assert_true(p->ok || !p->checked || !strstr(p->text, "unknown"));
		assert_true(p->ok || !p->checked || !strstr(p->text, "no data"));
	}
}

CASES_MAIN(NULL, NULL)
