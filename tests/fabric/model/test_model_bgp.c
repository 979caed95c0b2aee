/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

static struct obs *batch(void)
{
	return feed_batch_of("leaf-r0-00", "bgp");
}

static struct obs_bgp *session(struct obs *o, const char *peer, enum bgp_state state)
{
	return obs_bgp(o, BGP_IPV4, "default", peer, "", state);
}

/* One answer about 10.0.0.1 alone. */
static void one(struct model *m, double t, enum bgp_state state, uint64_t drops)
{
	struct obs *o = batch();

	session(o, "10.0.0.1", state)->drops = drops;
	feed(m, o, t);
}

static const struct bgp_session *at(const struct model *m, size_t i)
{
	return &model_device(m, "leaf-r0-00")->bgp.at[i];
}

CASE_WITH(sessions_are_merged_by_vrf_peer_and_family, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	struct obs_bgp *s;

	for (int i = 0; i < 2; i++) {
		struct obs *o = batch();

		s = session(o, "10.0.0.10", BGP_ESTABLISHED);
		s->remote_as = 65001;
		s->prefixes = 12;
		s->since_s = 100;
		(void)session(o, "10.0.0.9", BGP_ADMIN_DOWN);
		(void)obs_bgp(o, BGP_EVPN, "default", "10.0.0.10", "spine-000", BGP_ACTIVE);
		(void)obs_bgp(o, BGP_IPV4, "blue", "10.0.0.10", "", BGP_ESTABLISHED);
		feed(m, o, i * 30);
	}
	assert_int_equal(d->bgp.n, 4);
	assert_string_equal(at(m, 0)->vrf, "blue");
	assert_string_equal(at(m, 1)->peer, "10.0.0.9");
	assert_string_equal(at(m, 2)->peer, "10.0.0.10");
	assert_int_equal(at(m, 2)->afi, BGP_IPV4);
	assert_int_equal(at(m, 2)->remote_as, 65001);
	assert_int_equal(at(m, 2)->prefixes, 12);
	assert_true(at(m, 2)->since_us == feed_time(30 - 100));
	assert_int_equal(at(m, 3)->afi, BGP_EVPN);
	assert_string_equal(at(m, 3)->host, "spine-000");
	assert_int_equal(at(m, 3)->prefixes, UINT64_MAX);
	assert_int_equal(device_bgp(d).all, 4);
	assert_int_equal(device_bgp(d).ok, 3);
	assert_int_equal(feed_events(m, EV_BGP_DOWN) + feed_events(m, EV_BGP_UP), 0);
}

/* In the order in which they are kept, in others, with some missing and with new ones between. */
CASE_WITH(sessions_are_found_in_any_order, feed_setup, feed_teardown)
{
	static const unsigned orders[][8] = {{1, 3, 5, 7, 9, 11, 13, 15},
		{1, 3, 5, 7, 9, 11, 13, 15}, {15, 13, 11, 9, 7, 5, 3, 1},
		{7, 9, 1, 3, 15, 5, 13, 11}, {1, 2, 3, 4, 5, 6, 7, 8}, {3, 5, 9, 9, 11, 1, 16, 15},
		{0, 1, 10, 12, 13, 14, 15, 16}};
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	uint64_t told[17] = {0};
	char peer[32];

	for (size_t k = 0; k < sizeof(orders) / sizeof(orders[0]); k++) {
		struct obs *o = batch();

		for (size_t i = 0; i < 8; i++) {
			unsigned n = orders[k][i];

			(void)str_printf(peer, sizeof(peer), "10.0.0.%u", n);
			told[n] = k * 100 + n + 1;
			session(o, peer, BGP_ESTABLISHED)->prefixes = told[n];
		}
		feed(m, o, (double)k * 30);
	}
	assert_int_equal(d->bgp.n, 17);
	for (size_t i = 0; i < 17; i++) {
		(void)str_printf(peer, sizeof(peer), "10.0.0.%zu", i);
		assert_string_equal(at(m, i)->peer, peer);
		assert_int_equal(at(m, i)->prefixes, told[i]);
	}
}

CASE_WITH(down_and_up_are_told_with_the_peers_name, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();

	(void)obs_bgp(o, BGP_IPV4, "blue", "10.0.0.1", "spine-000", BGP_ESTABLISHED);
	feed(m, o, 0);
	o = batch();
	(void)obs_bgp(o, BGP_IPV4, "blue", "10.0.0.1", "", BGP_IDLE);
	feed(m, o, 30);
	assert_string_equal(
		feed_event(m, EV_BGP_DOWN)->text, "10.0.0.1 (spine-000) vrf blue: idle");
	assert_int_equal(at(m, 0)->downs, 1);
	assert_true(at(m, 0)->last_down_us == feed_time(30));
	o = batch();
	(void)obs_bgp(o, BGP_IPV4, "blue", "10.0.0.1", "", BGP_ESTABLISHED);
	feed(m, o, 60);
	assert_string_equal(
		feed_event(m, EV_BGP_UP)->text, "10.0.0.1 (spine-000) vrf blue: established");
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 1);
	assert_int_equal(at(m, 0)->downs, 1);
}

CASE_WITH(an_unnumbered_session_is_told_of_its_port, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet12");
	struct obs *o = batch();

	(void)session(o, "Ethernet12", BGP_ESTABLISHED);
	feed(m, o, 0);
	o = batch();
	(void)session(o, "Ethernet12", BGP_ACTIVE);
	feed(m, o, 30);
	assert_int_equal(feed_event(m, EV_BGP_DOWN)->port, p->id);
}

CASE_WITH(a_count_that_grew_between_two_looks_is_one_event, feed_setup, feed_teardown)
{
	struct model *m = *state;

	one(m, 0, BGP_ESTABLISHED, 4);
	one(m, 30, BGP_ESTABLISHED, 4);
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 0);
	one(m, 60, BGP_ESTABLISHED, 6);
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 1);
	assert_int_equal(at(m, 0)->downs, 2);
	assert_non_null(strstr(feed_event(m, EV_BGP_DOWN)->text, "2 times"));
	assert_int_equal(feed_events(m, EV_BGP_UP), 0);
}

CASE_WITH(
	a_down_is_counted_once_whether_its_count_comes_with_it_or_later, feed_setup, feed_teardown)
{
	struct model *m = *state;

	one(m, 0, BGP_ESTABLISHED, 4);
	one(m, 30, BGP_IDLE, 5);
	one(m, 60, BGP_ESTABLISHED, 5);
	assert_int_equal(at(m, 0)->downs, 1);
	one(m, 90, BGP_IDLE, 5);
	one(m, 120, BGP_ESTABLISHED, 6); /* the count is late */
	assert_int_equal(at(m, 0)->downs, 2);
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 2);
	assert_int_equal(feed_events(m, EV_BGP_UP), 2);
	one(m, 150, BGP_IDLE, 9); /* three times, the last one is still on */
	assert_int_equal(at(m, 0)->downs, 5);
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 3);
}

CASE_WITH(without_a_count_the_age_tells, feed_setup, feed_teardown)
{
	struct model *m = *state;
	static const double ages[] = {1000, 1030, 1060, 12, 42};
	struct obs_bgp *s;

	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		struct obs *o = batch();

		s = session(o, "10.0.0.1", BGP_ESTABLISHED);
		s->since_s = ages[i];
		feed(m, o, (double)i * 30);
	}
	assert_int_equal(at(m, 0)->downs, 1);
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 1);
}

CASE_WITH(a_restart_of_bgp_is_one_event_and_one_down_each, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char peer[32];

	for (int look = 0; look < 4; look++) {
		struct obs *o = batch();

		for (int i = 0; i < 8; i++) {
			struct obs_bgp *s;

			(void)str_printf(peer, sizeof(peer), "10.0.0.%d", i);
			s = session(o, peer, BGP_ESTABLISHED);
			s->drops = look < 2 ? 3 : 0;
			s->since_s = look < 2 ? 1e5 : 10 + 30 * (look - 2);
		}
		feed(m, o, look * 30);
	}
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 1);
	assert_non_null(strstr(feed_event(m, EV_BGP_DOWN)->text, "8 sessions"));
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(at(m, i)->downs, 1);
}

CASE_WITH(a_restart_of_the_device_tells_no_flaps, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();

	obs_word(o, OBS_NO_PORT, ATTR_BOOT_ID, 0, "one");
	session(o, "10.0.0.1", BGP_ESTABLISHED)->drops = 7;
	session(o, "10.0.0.2", BGP_ESTABLISHED)->drops = 7;
	feed(m, o, 0);
	o = batch();
	obs_word(o, OBS_NO_PORT, ATTR_BOOT_ID, 0, "two");
	session(o, "10.0.0.1", BGP_ESTABLISHED)->drops = 0;
	session(o, "10.0.0.2", BGP_CONNECT)->drops = 0;
	feed(m, o, 300);
	assert_int_equal(feed_events(m, EV_REBOOT), 1);
	assert_int_equal(at(m, 0)->downs, 0);
	assert_int_equal(at(m, 1)->downs, 1); /* it is down */
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 1);
}

CASE_WITH(what_is_missing_in_a_whole_list_is_gone, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();

	(void)session(o, "10.0.0.1", BGP_ESTABLISHED);
	(void)session(o, "10.0.0.2", BGP_ESTABLISHED);
	o->bgp_whole = true;
	feed(m, o, 0);
	o = batch();
	(void)session(o, "10.0.0.2", BGP_ESTABLISHED);
	feed(m, o, 30);
	assert_false(at(m, 0)->gone); /* a part of the list says nothing about the rest */
	o = batch();
	(void)session(o, "10.0.0.2", BGP_ESTABLISHED);
	o->bgp_whole = true;
	feed(m, o, 60);
	assert_true(at(m, 0)->gone);
	assert_false(bgp_session_ok(at(m, 0)));
	assert_false(at(m, 1)->gone);
	assert_int_equal(feed_events(m, EV_BGP_DOWN), 1);
	one(m, 90, BGP_ESTABLISHED, UINT64_MAX);
	assert_false(at(m, 0)->gone);
	assert_int_equal(feed_events(m, EV_BGP_UP), 1);
	o = batch();
	o->bgp_whole = true; /* bgpd is there and has none */
	feed(m, o, 120);
	assert_true(at(m, 0)->gone && at(m, 1)->gone);
}

CASE_WITH(many_downs_at_once_do_not_flood, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char peer[32];

	for (int look = 0; look < 2; look++) {
		struct obs *o = batch();

		for (int i = 0; i < 200; i++) {
			(void)str_printf(peer, sizeof(peer), "10.0.1.%d", i);
			(void)session(o, peer, look ? BGP_IDLE : BGP_ESTABLISHED);
		}
		feed(m, o, look * 30);
	}
	assert_in_range(feed_events(m, EV_BGP_DOWN), 2, 40);
	assert_non_null(strstr(feed_event(m, EV_BGP_DOWN)->text, "more sessions"));
	assert_int_equal(device_bgp(model_device(m, "leaf-r0-00")).ok, 0);
}

CASE_WITH(names_that_sort_alike_are_two_sessions, feed_setup, feed_teardown)
{
	static const char *const vrfs[] = {"tenant-1", "tenant-01", "tenant-1"};
	struct model *m = *state;

	for (int i = 0; i < 6; i++) {
		struct obs *o = batch();

		(void)obs_bgp(o, BGP_IPV6, vrfs[i % 3], "fe80::1%eth1", "", BGP_ESTABLISHED);
		(void)obs_bgp(o, BGP_IPV6, vrfs[i % 3], "fe80::01%eth1", "", BGP_IDLE);
		feed(m, o, i * 30);
	}
	assert_int_equal(model_device(m, "leaf-r0-00")->bgp.n, 4);
	assert_int_equal(feed_events(m, EV_BGP_DOWN) + feed_events(m, EV_BGP_UP), 0);
}

/* A list of n sessions of a device, all of them up or down. */
static void list(struct model *m, const char *device, double t, unsigned n, enum bgp_state state)
{
	struct obs *o = feed_batch_of(device, "bgp");
	char peer[32];

	for (unsigned i = 0; i < n; i++) {
		(void)str_printf(peer, sizeof(peer), "10.0.%u.%u", i / 250, i % 250);
		(void)session(o, peer, state);
	}
	feed(m, o, t);
}

/* The event behind the loss of the fabric's sessions stays in the ring. */
CASE_WITH(a_fabric_that_flaps_leaves_room_for_others, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char name[32];

	model_add_event(m, feed_time(0), EV_REBOOT, NULL, NULL, -1, 0, "the cause");
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 1200; i++) {
			(void)str_printf(name, sizeof(name), "sw%u", i);
			list(m, name, 1 + round, 20, round % 2 ? BGP_IDLE : BGP_ESTABLISHED);
		}
	assert_int_equal(feed_events(m, EV_REBOOT), 1);
	assert_true(m->event_seq < 1100);
	assert_string_equal(feed_event(m, EV_BGP_DOWN)->text,
		"more than 1000 BGP changes within a minute: the rest is skipped");
	assert_int_equal(model_device(m, "sw1199")->bgp.at[19].downs, 1);
	/* The next minute is told again, and a clock that is set back ends one as well. */
	list(m, "sw0", 70, 20, BGP_IDLE);
	assert_string_equal(feed_event(m, EV_BGP_DOWN)->text, "and 4 more sessions");
	list(m, "sw1", 10, 1, BGP_IDLE);
	assert_string_equal(feed_event(m, EV_BGP_DOWN)->text, "10.0.0.0: idle");
}

CASE_WITH(sessions_beyond_the_limit_are_refused_aloud, feed_setup, feed_teardown)
{
	struct model *m = *state;

	list(m, "leaf-r0-00", 0, 4096, BGP_ESTABLISHED);
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 0);
	assert_int_equal(model_device(m, "leaf-r0-00")->bgp.n, 4096);
	one(m, 30, BGP_ESTABLISHED, 0);
	{
		struct obs *o = batch();

		(void)session(o, "10.99.0.1", BGP_ESTABLISHED);
		feed(m, o, 60);
	}
	assert_int_equal(model_device(m, "leaf-r0-00")->bgp.n, 4096);
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 1);
}

CASES_MAIN(NULL, NULL)
