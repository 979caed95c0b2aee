/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"
#include "fabric/ref.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/stand.h"
#include "tests/support/cases.h"

static int setup(void **state)
{
	*state = stand_new();
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static struct ref parse(void **state, const char *text)
{
	struct ref r = {.kind = REF_NONE};
	struct err err = {0};

	if (!ref_parse(*state, text, &r, &err))
		fail_msg("%s: %s", text, err.text);
	return r;
}

static void expect_error(void **state, const char *text, const char *want, const char *cure)
{
	struct ref r = {.kind = REF_NONE};
	struct err err = {0};

	assert_false(ref_parse(*state, text, &r, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, want);
	assert_string_equal(err.cure, cure);
	assert_int_equal(r.kind, REF_NONE);
}

CASE_WITH(locators_go_there_and_back, setup, teardown)
{
	static const char *const list[] = {"cluster", "rail 0", "rail 1", "leaf-r0-00",
		"leaf-r0-00:Ethernet12", "spine-000:Ethernet1/1", "node001:mlx5_1",
		"leaf-r0-00:Ethernet12:3", "leaf-r0-00:Ethernet12:rx_bytes",
		"leaf-r0-00:Ethernet12:pfc_rx_frames:7"};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct ref r = parse(state, list[i]);
		char text[200];

		assert_true(ref_format(*state, r, text, sizeof(text)));
		assert_string_equal(text, list[i]);
		for (size_t j = 0; j < i; j++) {
			assert_false(ref_eq(r, parse(state, list[j])));
			assert_true(ref_key(r) != ref_key(parse(state, list[j])));
		}
		assert_true(ref_eq(r, parse(state, list[i])));
	}
}

CASE_WITH(locators_forgive_case_and_space, setup, teardown)
{
	assert_int_equal(parse(state, " Cluster ").kind, REF_FABRIC);
	assert_int_equal(parse(state, "RAIL1").rail, 1);
	assert_int_equal(parse(state, "rail  1").rail, 1);
	assert_true(ref_eq(
		parse(state, "LEAF-R0-00:ethernet12:3"), parse(state, "leaf-r0-00:Ethernet12:3")));
	assert_int_equal(parse(state, "leaf-r0-00:Ethernet12:3").priority, 3);
}

CASE_WITH(ports_go_by_alias_and_netdev, setup, teardown)
{
	struct port *p = stand_port(*state, "node000", "mlx5_1");

	string_pool_set(((struct model *)*state)->texts, &p->netdev, "eth1:0");
	string_pool_set(((struct model *)*state)->texts, &port_more(p)->alias, "PCI-7");
	assert_int_equal(parse(state, "node000:pci-7").port, p->id);
	/* A colon within the name: the longest name that is a port wins. */
	assert_int_equal(parse(state, "node000:eth1:0").kind, REF_PORT);
	assert_int_equal(parse(state, "node000:eth1:0").port, p->id);
	assert_int_equal(parse(state, "node000:eth1:0:5").kind, REF_PRIORITY);
	assert_int_equal(parse(state, "node000:eth1:0:5").priority, 5);
}

CASE_WITH(a_priority_may_follow_a_slash, setup, teardown)
{
	struct port *p = stand_port(*state, "leaf-r0-00", "Ethernet12");
	struct ref r = parse(state, "leaf-r0-00:Ethernet12/3");

	assert_int_equal(r.kind, REF_PRIORITY);
	assert_int_equal(r.priority, 3);
	assert_int_equal(r.port, p->id);
	/* Names with slashes: a port of exactly that name goes first. */
	string_pool_set(((struct model *)*state)->texts, &port_more(p)->alias, "Ethernet1/3");
	r = parse(state, "leaf-r0-00:Ethernet1/3");
	assert_int_equal(r.kind, REF_PORT);
	r = parse(state, "leaf-r0-00:Ethernet1/3/3");
	assert_int_equal(r.kind, REF_PRIORITY);
	assert_int_equal(r.priority, 3);
	assert_int_equal(r.port, p->id);
	assert_int_equal(parse(state, "leaf-r0-00:Ethernet1/3:rx_bytes").kind, REF_COUNTER);
	string_pool_set(((struct model *)*state)->texts, &port_more(p)->alias, "Ethernet12/3");
	assert_int_equal(parse(state, "leaf-r0-00:Ethernet12/3").kind, REF_PORT);
	/* A suffix that is no part of a port makes the name of another port, which does not
	 * exist. */
	expect_error(state, "leaf-r0-00:Ethernet12/9", "there is no port \"Ethernet12/9\"",
		"did you mean Ethernet12/3, Ethernet12 or Ethernet0?");
}

CASE_WITH(links_and_tiers_have_locators, setup, teardown)
{
	struct port *p = stand_port(*state, "node000", "mlx5_0");
	struct ref link = {.kind = REF_LINK, .port = p->id};
	char text[300];

	assert_true(ref_format(*state, link, text, sizeof(text)));
	assert_non_null(strstr(text, " - leaf-r0-00:"));
	assert_true(ref_eq(parse(state, text), link));
	expect_error(state, "node000:mlx5_0 - spine-000:Ethernet1/1",
		"there is no link between these two ports",
		"the first one leads to leaf-r0-00:Ethernet0");
	assert_int_equal(parse(state, "spine").kind, REF_TIER);
	assert_int_equal(parse(state, "spine").tier, TIER_SPINE);
}

CASE_WITH(errors_name_what_is_not_there, setup, teardown)
{
	char longer[400];

	expect_error(state, "", "no name given", "");
	expect_error(state, "  ", "no name given", "");
	expect_error(state, "leaf-r0-01", "there is no device \"leaf-r0-01\"",
		"did you mean leaf-r0-00 or leaf-r1-00?");
	expect_error(state, "clutser", "there is no device \"clutser\"", "did you mean cluster?");
	expect_error(state, "zzzzzz", "there is no device \"zzzzzz\"",
		"5 devices, such as node000: the view devices lists them");
	expect_error(state, "rail 2", "there is no rail 2: they are 0 to 1", "");
	expect_error(
		state, "rail 99999999999", "there is no rail 99999999999: they are 0 to 1", "");
	expect_error(state, "rail x", "there is no device \"rail x\"",
		"5 devices, such as node000: the view devices lists them");
	expect_error(state, "leaf-r0-00:Ethernet13", "there is no port \"Ethernet13\"",
		"did you mean Ethernet12, Ethernet0 or Ethernet4?");
	expect_error(state, "leaf-r0-00:", "there is no port \"\"", "");
	expect_error(state, "leaf-r0-00:swp1:3", "there is no port \"swp1\"", "");
	expect_error(state, "leaf-r0-00:Ethernet0:8", "there is no priority or counter \"8\"",
		"priorities are 0 to 7; counters have names such as rx_bytes");
	expect_error(state, "leaf-r0-00:Ethernet0:rx_bytes:1", "rx_bytes has no part \"1\"", "");
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	expect_error(state, longer, "the name has 399 characters, more than any known name", "");
	longer[100] = '\0';
	longer[50] = ':';
	longer[60] = ':';
	assert_false(ref_parse(*state, longer, &(struct ref){0}, NULL));
}

CASE_WITH(a_fabric_without_rails_says_so, setup, teardown)
{
	((struct model *)*state)->rails = 0;
	expect_error(state, "rail 0", "this fabric has no rails", "");
}

CASE_WITH(format_refuses_what_is_not_there, setup, teardown)
{
	char text[16];

	assert_false(ref_format(*state, (struct ref){.kind = REF_NONE}, text, sizeof(text)));
	assert_string_equal(text, "");
	assert_false(ref_format(
		*state, (struct ref){.kind = REF_DEVICE, .device = 999}, text, sizeof(text)));
	assert_false(ref_format(
		*state, (struct ref){.kind = REF_PORT, .port = 999}, text, sizeof(text)));
	assert_false(
		ref_format(*state, (struct ref){.kind = REF_COUNTER, .port = 0, .cell = CELL_COUNT},
			text, sizeof(text)));
	assert_false(ref_format(*state, parse(state, "leaf-r0-00:Ethernet12"), text, sizeof(text)));
	assert_true(
		ref_format(*state, (struct ref){.kind = REF_EVENT, .seq = 17}, text, sizeof(text)));
	assert_string_equal(text, "event 17");
}

/* Of each kind with numbers that the model has, and that it has not. */
CASE_WITH(a_reference_stands_for_what_is_there_or_nothing, setup, teardown)
{
	static const uint32_t ids[] = {0, 1, 1000, UINT32_MAX};
	const struct model *m = *state;

	for (int kind = REF_NONE; kind <= REF_KINDS; kind++) {
		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
			struct ref r = {.kind = (enum ref_kind)kind,
				.rail = (int)ids[i],
				.device = ids[i],
				.port = ids[i],
				.priority = 3,
				.cell = (uint16_t)ids[i],
				.job = ids[i],
				.comm = ids[i],
				.rank = (int32_t)ids[i]};
			bool of_port = kind == REF_PORT || kind == REF_PRIORITY ||
				       kind == REF_COUNTER || kind == REF_LINK;
			bool of_device = kind == REF_DEVICE || kind == REF_BGP || kind == REF_NEED;
			const struct port *p = ref_port(m, r);
			const struct device *d = ref_device(m, r);
			struct ref wider = ref_wider(m, r);

			assert_true((p != NULL) == (of_port && ids[i] < m->ports.n));
			assert_true((d != NULL) == (p || (of_device && ids[i] < m->devices.n)));
			assert_ptr_equal(d, p ? model_dev_of(m, p) : d);
			/* Nothing runs here, and no device has told of a need. */
			assert_null(ref_job(m, r));
			assert_null(ref_comm(m, r));
			assert_null(ref_rank(m, r));
			assert_null(ref_need(m, r));
			assert_true(ref_lives(m, wider));
			if (ref_lives(m, r) && of_port && kind != REF_PORT)
				assert_ptr_equal(ref_port(m, wider), p);
			if (ref_lives(m, r) && (kind == REF_PORT || kind == REF_BGP))
				assert_ptr_equal(ref_device(m, wider), d);
			if (kind == REF_NEED)
				assert_false(ref_lives(m, r));
		}
	}
}

/* A need lies in its device; it is no counter of a port, even with the same number. */
CASE_WITH(a_need_lies_in_its_device, setup, teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	struct obs *o = obs_new(d->name, "slow");
	struct ref r = {.kind = REF_NEED, .device = d->id, .cell = 0}, counter = r;
	char text[64];

	o->result = OBS_DATA;
	o->received_us = INT64_C(1700000000000000);
	obs_capability(o, "ECN marks", VALID_DISABLED, "x");
	model_apply(m, o, o->received_us);
	obs_free(o);
	assert_true(ref_lives(m, r));
	assert_string_equal(ref_need(m, r)->need, "ECN marks");
	assert_null(ref_port(m, r));
	assert_ptr_equal(ref_device(m, r), d);
	assert_int_equal(ref_wider(m, r).kind, REF_DEVICE);
	assert_false(ref_format(m, r, text, sizeof(text)));
	counter.kind = REF_COUNTER;
	assert_false(ref_eq(r, counter));
	r.cell = 1;
	assert_false(ref_lives(m, r));
}

CASE_WITH(links_show_both_ends, setup, teardown)
{
	struct ref link = {.kind = REF_LINK, .port = stand_port(*state, "node000", "mlx5_0")->id};
	char text[200];

	assert_true(ref_format(*state, link, text, sizeof(text)));
	assert_string_equal(text, "node000:mlx5_0 - leaf-r0-00:Ethernet0");
	stand_port(*state, "node000", "mlx5_0")->plan_peer = PORT_NONE;
	assert_true(ref_format(*state, link, text, sizeof(text)));
	assert_string_equal(text, "node000:mlx5_0");
}

static void add_text(void *ctx, const char *text)
{
	(void)buf_addf(ctx, "%s;", text);
}

static void expect_completion(void **state, const char *prefix, size_t limit, const char *want)
{
	struct buf b;

	buf_init(&b, 4096);
	(void)buf_adds(&b, "");
	ref_complete(*state, prefix, limit, add_text, &b);
	assert_string_equal(b.data ? b.data : "", want);
	buf_free(&b);
}

CASE_WITH(completion_before_the_colon, setup, teardown)
{
	expect_completion(state, "", 99,
		"cluster;rail 0;rail 1;leaf-r0-00;leaf-r1-00;node000;node001;spine-000;");
	expect_completion(state, "", 3, "cluster;rail 0;rail 1;");
	expect_completion(state, "", 0, "");
	expect_completion(state, "r", 99, "rail 0;rail 1;");
	expect_completion(state, "LEAF", 99, "leaf-r0-00;leaf-r1-00;");
	expect_completion(state, "x", 99, "");
}

CASE_WITH(completion_after_the_colon, setup, teardown)
{
	string_pool_set(((struct model *)*state)->texts,
		&stand_port(*state, "node000", "mlx5_1")->netdev, "eth3");
	expect_completion(state, "leaf-r0-00:", 99,
		"leaf-r0-00:Ethernet0;leaf-r0-00:Ethernet4;leaf-r0-00:Ethernet12;");
	expect_completion(state, "leaf-r0-00:e", 2, "leaf-r0-00:Ethernet0;leaf-r0-00:Ethernet4;");
	expect_completion(state, "Leaf-R0-00:Ethernet1", 99, "leaf-r0-00:Ethernet12;");
	expect_completion(state, "node000:et", 99, "node000:mlx5_1;");
	expect_completion(state, "nobody:", 99, "");
	expect_completion(state, "node000:mlx5_1:", 2, "node000:mlx5_1:0;node000:mlx5_1:1;");
	expect_completion(state, "node000:mlx5_1:3", 99, "node000:mlx5_1:3;");
	expect_completion(state, "node000:mlx5_1:9", 99, "");
}

CASE_WITH(near_names_are_few_and_best_first, setup, teardown)
{
	struct name_suggestions n;
	char text[64];

	name_suggestions_init(&n, "leef");
	assert_false(name_suggestions_format(&n, text, sizeof(text)));
	assert_string_equal(text, "");
	name_suggestions_offer(&n, "");
	name_suggestions_offer(&n, "spine");
	name_suggestions_offer(&n, "leefs");
	name_suggestions_offer(&n, "leaf");
	name_suggestions_offer(&n, "elef");
	name_suggestions_offer(&n, "leef");
	assert_true(name_suggestions_format(&n, text, sizeof(text)));
	assert_string_equal(text, "leef, leefs or leaf");
	/* Bounded output stays terminated. */
	assert_true(name_suggestions_format(&n, text, 8));
	assert_string_equal(text, "leef, l");
}

CASE_WITH(a_number_alone_is_a_rail, setup, teardown)
{
	assert_true(ref_eq(parse(state, "1"), parse(state, "rail 1")));
	expect_error(state, "7", "there is no rail 7: they are 0 to 1", "");
}

CASE_WITH(devices_go_by_address_where_one_has_it, setup, teardown)
{
	struct device *d = model_device(*state, "leaf-r0-00"),
		      *other = model_device(*state, "node001");
	struct ref r;

	(void)str_copy(d->address, sizeof(d->address), "10.9.8.7");
	assert_true(ref_eq(parse(state, "10.9.8.7"), parse(state, "leaf-r0-00")));
	assert_true(ref_eq(
		parse(state, "10.9.8.7:Ethernet12/3"), parse(state, "leaf-r0-00:Ethernet12:3")));
	/* Behind one tunnel several have it: then it names none. */
	(void)str_copy(other->address, sizeof(other->address), "10.9.8.7");
	assert_false(ref_parse(*state, "10.9.8.7", &r, NULL));
}

CASES_MAIN(NULL, NULL)
