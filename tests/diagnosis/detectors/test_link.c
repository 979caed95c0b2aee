/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about links, BGP and devices, on a fabric that is polled by hand. */
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define LEAF  "leaf-r0-00:Ethernet16"
#define SPINE "spine-000:Ethernet1/1"
#define NIC   "node000:mlx5_0"
#define HOST  "leaf-r0-00:Ethernet0"

CASE_WITH(a_planned_link_that_goes_down_is_one_culprit, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_link(s, LEAF, false);
	stand_poll(s, 1);
	f = stand_found(s, "link.down", LEAF);
	assert_non_null(f);
	assert_int_equal(stand_count(s, "link.down"), 1);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_int_equal(f->peer.port, stand_port(s, SPINE));
	assert_true(f->confidence > 0.7);
	assert_true(stand_has_evidence(f, "plan"));
}

/* The host's answers are late: its switch alone tells that the slave is down. */
CASE_WITH(a_bond_suffers_from_a_slave_that_its_switch_tells_of, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "node000");
	const struct finding *f;

	obs_word(o, obs_port(o, "mlx5_0"), ATTR_BOND, 0, "bond9");
	obs_word(o, obs_port(o, "bond9"), ATTR_BOND, 0, "bond9");
	obs_word(o, obs_port(o, "bond9"), ATTR_OPER, 0, "up");
	stand_poll(s, 1);
	stand_silent(s, "node000", true);
	stand_link(s, HOST, false);
	stand_poll(s, 1);
	f = stand_found(s, "link.down", NULL);
	assert_non_null(f);
	assert_int_equal(stand_count(s, "link.down"), 1);
	assert_int_equal(f->members.n, 1);
	assert_int_equal(f->members.at[0].port, stand_port(s, "node000:bond9"));
}

/* The flap was the first of what goes on: the link is the fault, and no remnant of the flap. */
CASE_WITH(a_link_that_stopped_flapping_and_is_down_is_the_culprit, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_add(s, NIC, CTR_LINK_DOWN_EVENTS, 0, 1);
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "link.flapping", NULL));
	stand_link(s, NIC, false);
	for (unsigned i = 0; i < 20; i++) {
		stand_poll(s, 1);
		f = stand_found(s, "link.down", NULL);
		assert_non_null(f);
		if (f->role != ROLE_CULPRIT && !diag_finding(s->d, f->root))
			fail_msg("poll %u: role %d without a root", i, (int)f->role);
	}
	assert_int_equal(f->role, ROLE_CULPRIT);
}

CASE_WITH(a_shut_port_is_nobodys_fault, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_link(s, LEAF, false);
	stand_word(s, LEAF, ATTR_ADMIN, 0, "down");
	stand_poll(s, 3);
	f = stand_found(s, "link.down", NULL);
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_INFO);
	assert_non_null(strstr(f->title, "operator"));
	stand_expect_innocent(s);
}

CASE_WITH(a_spare_port_is_nothing, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "leaf-r0-00");

	obs_word(o, obs_port(o, "Ethernet252"), ATTR_OPER, 0, "down");
	obs_word(o, obs_port(o, "Ethernet252"), ATTR_ADMIN, 0, "up");
	stand_poll(s, 3);
	stand_expect_innocent(s);
}

CASE_WITH(the_end_that_says_why_is_named, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_link(s, LEAF, false);
	stand_word(s, SPINE, ATTR_DOWN_REASON, 0, "Bad signal integrity");
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "link.down", SPINE));
}

CASE_WITH(a_flap_between_two_polls_is_seen, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_add(s, NIC, CTR_LINK_DOWN_EVENTS, 0, 1);
	stand_add(s, HOST, CTR_LINK_DOWN_EVENTS, 0, 1);
	stand_poll(s, 1);
	f = stand_found(s, "link.flapping", NIC);
	assert_non_null(f);
	assert_int_equal(stand_count(s, "link.flapping"), 1);
	assert_int_equal(f->role, ROLE_CULPRIT);
	/* Its harm is over soon, and the line about it later. */
	stand_poll(s, 14);
	assert_int_equal(stand_found(s, "link.flapping", NIC)->role, ROLE_RISK);
	stand_poll(s, 120);
	assert_null(stand_found(s, "link.flapping", NIC));
}

CASE_WITH(down_and_up_again_is_flapping, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_link(s, LEAF, false);
	stand_poll(s, 1);
	assert_null(stand_found(s, "link.flapping", NULL));
	stand_link(s, LEAF, true);
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "link.flapping", LEAF));
	/* One story: the finding for the link being down follows from the flapping. */
	assert_int_equal(stand_role(s, ROLE_CULPRIT), 1);
}

CASE_WITH(a_repeat_offender_stays_a_risk, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	for (unsigned i = 0; i < 3; i++) {
		stand_add(s, NIC, CTR_LINK_DOWN_EVENTS, 0, 1);
		stand_poll(s, 30);
	}
	stand_poll(s, 200);
	f = stand_found(s, "link.flapping", NIC);
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	assert_int_equal(f->severity, SEV_CRIT);
}

CASE_WITH(a_flap_by_our_own_change_is_no_fault, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "leaf-r0-00");

	obs_log(o, OBS_NO_PORT, -1, false, s->now_us, "configured from vty by admin");
	stand_add(s, LEAF, CTR_LINK_DOWN_EVENTS, 0, 1);
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "link.flapping", NULL));
	assert_int_equal(stand_found(s, "link.flapping", NULL)->role, ROLE_RISK);
	assert_true(
		stand_has_evidence(stand_found(s, "link.flapping", NULL), "change by an operator"));
}

/* It was away for a minute: its boot is told long after its links went down. */
CASE_WITH(a_restart_is_no_fault_of_the_links, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o;

	stand_add(s, LEAF, CTR_LINK_DOWN_EVENTS, 0, 1);
	stand_poll(s, 1);
	assert_int_equal(stand_found(s, "link.flapping", NULL)->role, ROLE_CULPRIT);
	stand_poll(s, 6);
	o = stand_batch(s, "leaf-r0-00");
	obs_event(o, OBS_NO_PORT, EV_REBOOT, s->now_us, "");
	stand_poll(s, 1);
	assert_int_equal(stand_found(s, "link.flapping", NULL)->role, ROLE_RISK);
	assert_true(
		stand_has_evidence(stand_found(s, "link.flapping", NULL), "change by an operator"));
}

/* The spine's clock is an hour off, and it went down two seconds before the leaf. */
CASE_WITH(who_went_first_is_told_by_device_times, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *leaf, *spine;
	int64_t skew = INT64_C(3600) * 1000000;

	s->m->devices.at[stand_device(s, "spine-000")]->clock_skew_us = skew;
	leaf = stand_batch(s, "leaf-r0-00");
	spine = stand_batch(s, "spine-000");
	obs_event(leaf, obs_port(leaf, "Ethernet16"), EV_LINK_FLAP, s->now_us + 3000000, "");
	obs_event(spine, obs_port(spine, "Ethernet1/1"), EV_LINK_FLAP, s->now_us + 1000000 + skew,
		"");
	spine->device_us = 0;
	stand_poll(s, 1);
	s->m->devices.at[stand_device(s, "spine-000")]->clock_skew_us = skew;
	stand_poll_one(s, "leaf-r0-00", 1000000);
	assert_non_null(stand_found(s, "link.flapping", SPINE));
	assert_true(stand_has_evidence(stand_found(s, "link.flapping", SPINE), "went down first"));
	/* The next time the leaf is first: the finding keeps its name while it is open. */
	leaf = stand_batch(s, "leaf-r0-00");
	spine = stand_batch(s, "spine-000");
	obs_event(leaf, obs_port(leaf, "Ethernet16"), EV_LINK_FLAP, s->now_us + 6000000, "");
	obs_event(spine, obs_port(spine, "Ethernet1/1"), EV_LINK_FLAP, s->now_us + 9000000 + skew,
		"");
	spine->device_us = 0;
	stand_poll(s, 2);
	assert_int_equal(stand_count(s, "link.flapping"), 1);
	assert_non_null(stand_found(s, "link.flapping", SPINE));
	/* Without order too, an hour later. */
	stand_poll(s, 60);
	stand_add(s, LEAF, CTR_LINK_DOWN_EVENTS, 0, 1);
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "link.flapping", SPINE));
}

CASE_WITH(a_link_below_its_plan_is_found, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_number(s, LEAF, ATTR_SPEED_MBPS, 0, 100000);
	stand_number(s, SPINE, ATTR_SPEED_MBPS, 0, 100000);
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "link.speed"), 1);
	f = stand_found(s, "link.speed", NULL);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_non_null(strstr(f->title, "100G instead of 400G"));
	stand_number(s, LEAF, ATTR_SPEED_MBPS, 0, 400000);
	stand_number(s, SPINE, ATTR_SPEED_MBPS, 0, 400000);
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "link.speed"), 0);
}

CASE_WITH(corruption_is_blamed_where_it_arrives, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_rate(s, SPINE, CTR_RX_FCS_ERRORS, 0, 50);
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "link.corrupting"), 0);
	stand_poll(s, 2);
	f = stand_found(s, "link.corrupting", SPINE);
	assert_non_null(f);
	assert_int_equal(f->peer.port, stand_port(s, LEAF));
	assert_true(stand_has_evidence(f, "alternative"));
	assert_true(f->refuted.n >= 1);
}

CASE_WITH(broken_frames_that_were_passed_on_are_a_symptom, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_rate(s, SPINE, CTR_RX_FCS_ERRORS, 0, 50);
	stand_rate(s, SPINE, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, 10);
	stand_rate(s, "leaf-r0-01:Ethernet16", CTR_RX_FCS_ERRORS, 0, 40);
	stand_poll(s, 3);
	assert_int_equal(stand_role(s, ROLE_CULPRIT), 1);
	f = stand_found(s, "link.corrupting", "leaf-r0-01:Ethernet16");
	assert_int_equal(f->role, ROLE_SYMPTOM);
	assert_true(f->root == stand_found(s, "link.corrupting", SPINE)->key);
}

CASE_WITH(stomped_frames_accuse_nobody_here, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_rate(s, SPINE, CTR_RX_FCS_ERRORS, 0, 50);
	stand_rate(s, SPINE, CTR_RX_STOMPED_CRC, 0, 50);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "link.corrupting"), 0);
}

/* ---- BGP ---- */

static void session_of(struct stand *s, const char *device, const char *peer, const char *host,
	enum bgp_state state, uint64_t drops)
{
	struct obs *o = stand_batch(s, device);
	struct obs_bgp *b = obs_bgp(o, BGP_IPV4, "default", peer, host, state);

	b->since_s = 10;
	b->drops = drops;
	o->bgp_whole = true;
}

static void session(struct stand *s, enum bgp_state state, uint64_t drops)
{
	session_of(s, "leaf-r0-00", "10.0.0.1", "spine-000", state, drops);
}

CASE_WITH(a_session_that_went_down_is_found, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	session(s, BGP_ESTABLISHED, 0);
	stand_poll(s, 1);
	session(s, BGP_ACTIVE, 1);
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "bgp.down", NULL));
	assert_int_equal(stand_found(s, "bgp.down", NULL)->role, ROLE_CULPRIT);
	session(s, BGP_ESTABLISHED, 1);
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "bgp.flapping"), 1);
}

/* Both ends of one session, the spine's first. */
CASE_WITH(a_session_is_told_once, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	session_of(s, "leaf-r0-00", "10.0.0.1", "spine-000", BGP_ESTABLISHED, 0);
	session_of(s, "spine-000", "10.0.0.2", "leaf-r0-00", BGP_ESTABLISHED, 0);
	stand_poll(s, 1);
	session_of(s, "spine-000", "10.0.0.2", "leaf-r0-00", BGP_ACTIVE, 1);
	stand_poll(s, 1);
	f = stand_found(s, "bgp.down", NULL);
	assert_non_null(f);
	assert_true(f->at.device == model_device(s->m, "spine-000")->id);
	session_of(s, "leaf-r0-00", "10.0.0.1", "spine-000", BGP_ACTIVE, 1);
	session_of(s, "spine-000", "10.0.0.2", "leaf-r0-00", BGP_ACTIVE, 1);
	for (int i = 0; i < 3; i++) {
		stand_poll(s, 1);
		assert_int_equal(stand_count(s, "bgp.down"), 1);
		f = stand_found(s, "bgp.down", NULL);
		assert_true(f->at.device == model_device(s->m, "spine-000")->id);
		assert_true(f->peer.device == model_device(s->m, "leaf-r0-00")->id);
	}
	/* So is a flap of it. */
	session_of(s, "leaf-r0-00", "10.0.0.1", "spine-000", BGP_ESTABLISHED, 1);
	session_of(s, "spine-000", "10.0.0.2", "leaf-r0-00", BGP_ESTABLISHED, 1);
	stand_poll(s, 2);
	assert_int_equal(stand_count(s, "bgp.flapping"), 1);
	/* One end that is up again does not hide the other. */
	session_of(s, "spine-000", "10.0.0.2", "leaf-r0-00", BGP_ESTABLISHED, 1);
	session_of(s, "leaf-r0-00", "10.0.0.1", "spine-000", BGP_ACTIVE, 1);
	stand_poll(s, 12);
	f = stand_found(s, "bgp.down", NULL);
	assert_non_null(f);
	assert_true(f->at.device == model_device(s->m, "leaf-r0-00")->id);
}

/*
 * Numbered sessions as FRR lists them at one end and EOS at the other: two parallel links, one of
 * which fails, and no name at the spine.
 */
CASE_WITH(a_numbered_session_is_told_once, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	for (int up = 1; up >= 0; up--) {
		enum bgp_state now = up ? BGP_ESTABLISHED : BGP_ACTIVE;

		session_of(s, "leaf-r0-00", "10.64.5.73", "spine-000", now, 0);
		session_of(s, "leaf-r0-00", "10.64.5.75", "spine-000", BGP_ESTABLISHED, 0);
		session_of(s, "spine-000", "10.64.5.72", "", now, 0);
		session_of(s, "spine-000", "10.64.5.74", "", BGP_ESTABLISHED, 0);
		stand_poll(s, 2);
	}
	assert_int_equal(stand_count(s, "bgp.down"), 1);
	f = stand_found(s, "bgp.down", NULL);
	assert_true(f->peer.kind == REF_DEVICE);
	/* Both are down: still two sessions, not four. */
	session_of(s, "leaf-r0-00", "10.64.5.75", "spine-000", BGP_ACTIVE, 1);
	session_of(s, "spine-000", "10.64.5.74", "", BGP_ACTIVE, 1);
	session_of(s, "leaf-r0-00", "10.64.5.73", "spine-000", BGP_ACTIVE, 1);
	session_of(s, "spine-000", "10.64.5.72", "", BGP_ACTIVE, 1);
	stand_poll(s, 2);
	assert_int_equal(stand_count(s, "bgp.down"), 2);
}

/* Neither end has a name, as between NX-OS and EOS; IPv6 likewise. */
CASE_WITH(a_session_without_names_is_told_once, stand_setup, stand_teardown)
{
	static const char *const ends[][2] = {
		{"10.64.5.73", "10.64.5.72"}, {"2001:db8::73", "2001:db8::72"}};
	struct stand *s = *state;
	char title[200];

	for (int up = 1; up >= 0; up--) {
		struct obs *leaf = stand_batch(s, "leaf-r0-00"),
			   *spine = stand_batch(s, "spine-000");

		for (unsigned k = 0; k < 2; k++) {
			(void)obs_bgp(leaf, k ? BGP_IPV6 : BGP_IPV4, "default", ends[k][0], "",
				up ? BGP_ESTABLISHED : BGP_ACTIVE);
			(void)obs_bgp(spine, k ? BGP_IPV6 : BGP_IPV4, "default", ends[k][1], "",
				up ? BGP_ESTABLISHED : BGP_ACTIVE);
		}
		leaf->bgp_whole = spine->bgp_whole = true;
		stand_poll(s, 2);
	}
	assert_int_equal(stand_count(s, "bgp.down"), 2);
	(void)str_copy(title, sizeof(title), stand_found(s, "bgp.down", "leaf-r0-00")->title);
	assert_string_equal(title, "BGP session to spine-000 is down, state active");
}

/* Addresses of a /30, or of loopbacks, do not tell which of two is which. */
CASE_WITH(parallel_sessions_are_told_at_each_end, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (int up = 1; up >= 0; up--) {
		enum bgp_state now = up ? BGP_ESTABLISHED : BGP_ACTIVE;

		session_of(s, "leaf-r0-00", "10.0.0.1", "spine-000", now, 0);
		session_of(s, "leaf-r0-00", "10.0.1.1", "spine-000", now, 0);
		session_of(s, "spine-000", "10.0.0.2", "leaf-r0-00", now, 0);
		session_of(s, "spine-000", "10.0.1.2", "leaf-r0-00", now, 0);
		stand_poll(s, 2);
	}
	assert_int_equal(stand_count(s, "bgp.down"), 4);
}

CASE_WITH(a_session_that_was_shut_is_right, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	session(s, BGP_ESTABLISHED, 0);
	stand_poll(s, 1);
	session(s, BGP_ADMIN_DOWN, 0);
	stand_poll(s, 2);
	assert_int_equal(stand_count(s, "bgp.down"), 0);
}

CASE_WITH(a_session_that_never_came_harms_nobody, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	session(s, BGP_IDLE, 0);
	stand_poll(s, 2);
	assert_int_equal(stand_found(s, "bgp.down", NULL)->role, ROLE_RISK);
}

CASE_WITH(a_session_falls_with_its_link, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	session(s, BGP_ESTABLISHED, 0);
	stand_poll(s, 1);
	session(s, BGP_ACTIVE, 1);
	stand_link(s, LEAF, false);
	stand_poll(s, 1);
	assert_int_equal(stand_found(s, "bgp.down", NULL)->role, ROLE_SYMPTOM);
	assert_true(
		stand_found(s, "bgp.down", NULL)->root == stand_found(s, "link.down", LEAF)->key);
}

/* ---- devices ---- */

CASE_WITH(a_silent_device_is_a_blind_spot, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_silent(s, "spine-000", true);
	stand_poll(s, 5);
	assert_non_null(stand_found(s, "monitor.blind", "spine-000"));
	stand_expect_innocent(s);
	stand_silent(s, "spine-000", false);
	stand_poll(s, 7);
	assert_null(stand_found(s, "monitor.blind", "spine-000"));
}

CASE_WITH(a_dark_device_explains_its_links, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (unsigned i = 0; i < 4; i++) {
		char port[32];

		(void)str_printf(port, sizeof(port), "spine-000:Ethernet%u/1", i + 1);
		stand_link(s, port, false);
	}
	stand_silent(s, "spine-000", true);
	stand_poll(s, 6);
	assert_int_equal(stand_role(s, ROLE_CULPRIT), 1);
	assert_int_equal(stand_found(s, "monitor.blind", "spine-000")->role, ROLE_CULPRIT);
	assert_int_equal(stand_count(s, "link.down"), 4);
}

CASE_WITH(when_all_are_silent_somebody_says_so, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	for (size_t i = 0; i < s->m->devices.n; i++)
		stand_silent(s, s->m->devices.at[i]->name, true);
	stand_poll(s, 5);
	assert_int_equal(stand_count(s, "monitor.blind"), s->m->devices.n);
	/* Nobody is left to see their links, so none of them counts as up. */
	f = stand_found(s, "monitor.blind", "spine-000");
	assert_string_equal(f->evidence.at[f->evidence.n - 1].what, "its links");
	assert_true(str_starts(f->evidence.at[f->evidence.n - 1].text, "unknown: "));
}

CASES_MAIN(NULL, NULL)
