/* SPDX-License-Identifier: Apache-2.0 */
/* The notices of a fabric: one a root, and what may be said of a finding that is not seen. */
#include <string.h>

#include "archive/notice/notice.h"
#include "base/str.h"
#include "tests/diagnosis/engine/incidents.h"
#include "tests/support/cases.h"

static struct notice_watch watch;
static notice_told_vec told;

static int setup(void **state)
{
	memset(&watch, 0, sizeof(watch));
	memset(&told, 0, sizeof(told));
	return stand_setup(state);
}

static int teardown(void **state)
{
	notice_watch_free(&watch);
	vec_free(&told);
	return stand_teardown(state);
}

static struct notice_set *set_of(const struct stand *s)
{
	return notice_set_make(&watch, s->m, s->d, SEV_CRIT, &told, s->now_us);
}

/* A receiver was told of all notices of the set. */
static void tell_all(const struct notice_set *set)
{
	for (size_t i = 0; i < set->at.n; i++) {
		struct notice_told *t = vec_add(&told);

		memset(t, 0, sizeof(*t));
		(void)str_copy(t->key, sizeof(t->key), set->at.at[i].key);
		memcpy(t->devices, set->at.at[i].devices, sizeof(t->devices));
		t->ndevices = set->at.at[i].ndevices;
		t->every = set->at.at[i].every;
		t->long_us = notice_least_us(set->at.at[i].id);
	}
}

CASE_WITH(a_healthy_fabric_has_no_notice, setup, teardown)
{
	const struct stand *s = *state;
	struct notice_set *set = set_of(s);

	assert_int_equal(set->at.n, 0);
	assert_int_equal(set->gone.n, 0);
	notice_set_drop(set);
}

CASE_WITH(a_link_is_one_notice_with_a_stable_key, setup, teardown)
{
	struct stand *s = *state;
	struct notice_set *set;
	const struct notice *n;
	char key[NOTICE_KEY], text[400];

	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 2);
	set = set_of(s);
	assert_int_equal(set->at.n, 1);
	n = &set->at.at[0];
	assert_string_equal(n->id, "link.down");
	assert_string_equal(n->device[0] == 'l' ? "leaf-r0-00" : "node000", n->device);
	assert_int_equal(n->severity, SEV_CRIT);
	assert_int_equal(n->ndevices, 1);
	assert_false(n->every);
	assert_non_null(strstr(n->json, "\"id\":\"link.down\""));
	assert_non_null(strstr(notice_summary(n, text, sizeof(text)), n->place));
	(void)str_copy(key, sizeof(key), n->key);
	notice_set_drop(set);
	stand_poll(s, 3);
	set = set_of(s);
	assert_non_null(notice_find(set, key));
	notice_set_drop(set);
}

CASE_WITH(a_storm_is_one_notice_with_its_victims, setup, teardown)
{
	struct stand *s = *state;
	struct ring r = ring_make(s);
	struct notice_set *set;
	const struct notice *storm = NULL;
	size_t open;

	for (unsigned i = 0; i < 14; i++) {
		incident_step(s, &r, INCIDENT_STORM, i);
		stand_poll(s, 1);
	}
	set = set_of(s);
	(void)diag_findings(s->d, &open);
	for (size_t i = 0; i < set->at.n; i++)
		if (str_eq(set->at.at[i].id, "host.slow_receiver"))
			storm = &set->at.at[i];
	if (!storm)
		stand_print(s);
	assert_non_null(storm);
	assert_true(open >= set->at.n);
	assert_true(storm->victims > 0);
	assert_int_equal(set->at.n, 1);
	notice_set_drop(set);
}

/* The warning explains the link that is down: told as a warning it would be told to nobody. */
CASE_WITH(a_mild_root_with_a_critical_follower_is_critical, setup, teardown)
{
	struct stand *s = *state;
	struct notice_set *set;
	const struct finding *down = NULL;

	for (unsigned i = 0; i < 3 && (!down || !down->root); i++) {
		stand_link(s, "leaf-r0-00:Ethernet0", false);
		stand_poll(s, 2);
		stand_link(s, "leaf-r0-00:Ethernet0", true);
		stand_poll(s, 2);
		stand_link(s, "leaf-r0-00:Ethernet0", false);
		stand_poll(s, 2);
		down = stand_found(s, "link.down", "node000:mlx5_0");
	}
	assert_non_null(down);
	assert_int_equal(down->severity, SEV_CRIT);
	assert_true(down->root != 0);
	set = set_of(s);
	assert_int_equal(set->at.n, 1);
	assert_int_equal(set->at.at[0].severity, SEV_CRIT);
	assert_string_equal(set->at.at[0].id, "link.flapping");
	assert_int_equal(set->at.at[0].follows, 1);
	notice_set_drop(set);
}

CASE_WITH(many_of_a_kind_are_one_notice_until_the_last_is_over, setup, teardown)
{
	static const char *const ports[] = {"leaf-r0-00:Ethernet0", "leaf-r0-00:Ethernet4",
		"leaf-r0-00:Ethernet8", "leaf-r0-00:Ethernet12", "leaf-r0-01:Ethernet0",
		"leaf-r0-01:Ethernet4", "leaf-r0-01:Ethernet8"};
	struct stand *s = *state;
	struct notice_set *set;

	for (size_t i = 0; i < 7; i++)
		stand_link(s, ports[i], false);
	stand_poll(s, 2);
	set = set_of(s);
	assert_int_equal(set->at.n, 1);
	assert_int_equal(set->at.at[0].members, 7);
	assert_non_null(strstr(set->at.at[0].key, "link.down (many)"));
	assert_non_null(strstr(set->at.at[0].title, "at 7 places"));
	assert_null(set->at.at[0].json);
	tell_all(set);
	notice_set_drop(set);
	for (size_t i = 1; i < 7; i++)
		stand_link(s, ports[i], true);
	stand_poll(s, 5);
	set = set_of(s);
	assert_int_equal(set->at.n, 1);
	assert_non_null(strstr(set->at.at[0].key, "link.down (many)"));
	assert_int_equal(set->at.at[0].members, 1);
	notice_set_drop(set);
}

CASE_WITH(a_single_page_becomes_part_of_the_crowd, setup, teardown)
{
	struct stand *s = *state;
	struct notice_set *set;
	const struct notice_gone *gone;

	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 2);
	set = set_of(s);
	tell_all(set);
	notice_set_drop(set);
	stand_link(s, "leaf-r0-00:Ethernet4", false);
	stand_link(s, "leaf-r0-00:Ethernet8", false);
	stand_link(s, "leaf-r0-00:Ethernet12", false);
	stand_link(s, "leaf-r0-01:Ethernet0", false);
	stand_link(s, "leaf-r0-01:Ethernet4", false);
	stand_poll(s, 2);
	set = set_of(s);
	assert_int_equal(set->gone.n, 1);
	gone = &set->gone.at[0];
	assert_int_equal(gone->fate, NOTICE_MERGED);
	assert_non_null(notice_find(set, gone->into));
	notice_set_drop(set);
}

static enum notice_fate fate_of_first(const struct notice_set *set)
{
	assert_int_equal(set->gone.n, 1);
	return set->gone.at[0].fate;
}

CASE_WITH(its_end_is_known_when_its_device_was_heard, setup, teardown)
{
	struct stand *s = *state;
	struct notice_set *set;

	set = set_of(s); /* the device is current from here on */
	notice_set_drop(set);
	stand_poll(s, 14);
	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 2);
	set = set_of(s);
	tell_all(set);
	notice_set_drop(set);
	stand_link(s, "leaf-r0-00:Ethernet0", true);
	stand_poll(s, 5);
	set = set_of(s);
	assert_int_equal(fate_of_first(set), NOTICE_HEALED);
	notice_set_drop(set);
}

/* After a restart nothing is known: what was told before is not over because it is not seen. */
CASE_WITH(after_a_restart_nothing_is_over_before_its_device_was_judged, setup, teardown)
{
	struct stand *s = *state;
	struct notice_told *t = vec_add(&told);
	struct notice_set *set;

	memset(t, 0, sizeof(*t));
	(void)str_copy(t->key, sizeof(t->key), "stand link.down leaf-r0-00:Ethernet0");
	(void)str_copy(t->devices[0], NAME_MAX_LEN, "leaf-r0-00");
	t->ndevices = 1;
	t->long_us = notice_least_us("link.down");
	set = set_of(s);
	assert_int_equal(fate_of_first(set), NOTICE_UNSEEN);
	assert_non_null(strstr(set->gone.at[0].why, "heard again"));
	notice_set_drop(set);
	stand_poll(s, 13);
	set = set_of(s);
	assert_int_equal(fate_of_first(set), NOTICE_HEALED);
	notice_set_drop(set);
	/* A kind that needs minutes of samples takes longer. */
	t->long_us = notice_least_us("ecmp.imbalance");
	set = set_of(s);
	assert_int_equal(fate_of_first(set), NOTICE_UNSEEN);
	notice_set_drop(set);
}

CASE_WITH(a_silent_device_ends_nothing, setup, teardown)
{
	struct stand *s = *state;
	struct notice_told *t = vec_add(&told);
	struct notice_set *set;

	memset(t, 0, sizeof(*t));
	(void)str_copy(t->key, sizeof(t->key), "stand link.down leaf-r0-00:Ethernet0");
	(void)str_copy(t->devices[0], NAME_MAX_LEN, "leaf-r0-00");
	t->ndevices = 1;
	t->long_us = notice_least_us("link.down");
	stand_silent(s, "leaf-r0-00", true);
	stand_poll(s, 40);
	set = set_of(s);
	assert_int_equal(fate_of_first(set), NOTICE_UNSEEN);
	assert_non_null(strstr(set->gone.at[0].why, "leaf-r0-00"));
	notice_set_drop(set);
	/* One that is not in the inventory any more is not known to be healthy. */
	(void)str_copy(t->devices[0], NAME_MAX_LEN, "leaf-r9-00");
	set = set_of(s);
	assert_int_equal(fate_of_first(set), NOTICE_UNSEEN);
	notice_set_drop(set);
	/* Without a device all of them must be heard. */
	t->ndevices = 0;
	set = set_of(s);
	assert_int_equal(fate_of_first(set), NOTICE_UNSEEN);
	notice_set_drop(set);
}

CASE_WITH(an_open_finding_of_a_silent_device_stays_a_notice, setup, teardown)
{
	struct stand *s = *state;
	struct notice_set *set;
	const struct notice *n = NULL;

	stand_link(s, "leaf-r0-00:Ethernet16", false);
	stand_poll(s, 2);
	stand_silent(s, "leaf-r0-00", true);
	stand_silent(s, "spine-000", true);
	stand_poll(s, 30);
	set = set_of(s);
	for (size_t i = 0; i < set->at.n; i++)
		if (str_eq(set->at.at[i].id, "link.down"))
			n = &set->at.at[i];
	assert_true(n && n->silent);
	notice_set_drop(set);
}

CASE(links_are_encoded)
{
	struct notice n = {.place = "leaf-r3-00:Ethernet12", .runbook = "link-flap"};
	char url[200], small[20];

	assert_string_equal(notice_link("https://w/?at={place}&r={runbook}&x={none}", "pod 1", &n,
				    url, sizeof(url)),
		"https://w/?at=leaf-r3-00%3AEthernet12&r=link-flap&x={none}");
	assert_string_equal(notice_link("{fabric}", "pod 1&", &n, url, sizeof(url)), "pod%201%26");
	assert_string_equal(notice_link(NULL, "", &n, url, sizeof(url)), "");
	assert_string_equal(notice_link("https://w/?at={place}", "", &n, small, sizeof(small)), "");
}

CASES_MAIN(NULL, NULL)
