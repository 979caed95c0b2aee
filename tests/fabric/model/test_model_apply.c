/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

CASE_WITH(attributes_land, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");
	struct obs *o = feed_batch();
	uint32_t at = obs_port(o, "Ethernet0");

	obs_word(o, at, ATTR_OPER, 0, "up");
	obs_word(o, at, ATTR_ADMIN, 0, "down");
	obs_number(o, at, ATTR_SPEED_MBPS, 0, 400000);
	obs_number(o, at, ATTR_MTU, 0, 9100);
	obs_number(o, at, ATTR_PFC_ENABLED, 0, 8);
	obs_word(o, at, ATTR_FEC, 0, "rs");
	obs_word(o, at, ATTR_DOWN_REASON, 0, "errdisabled");
	obs_word(o, at, ATTR_MEDIA, 0, "400GBASE-DR4");
	obs_word(o, at, ATTR_PFCWD_ACTION, 3, "drop");
	obs_number(o, at, ATTR_PFCWD_DETECT_MS, 3, 200);
	obs_number(o, at, ATTR_PFCWD_RESTORE_MS, 3, 400);
	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "SN5600");
	obs_word(o, OBS_NO_PORT, ATTR_OS_VERSION, 0, "202405");
	obs_capability(o, "ECN marks per queue", VALID_DISABLED, "counterpoll");
	o->took_us = 1234;
	o->bytes = 99;
	feed(m, o, 0);
	assert_true(p->seen && d->connected);
	assert_int_equal(p->oper, OPER_UP);
	assert_int_equal(p->admin, OPER_DOWN);
	assert_int_equal(p->speed_mbps, 400000);
	assert_int_equal(p->mtu, 9100);
	assert_int_equal(p->pfc_enabled, 0x108);
	assert_int_equal(p->ecn_enabled, 0);
	assert_string_equal(p->more->fec, "rs");
	assert_string_equal(p->wd[3].action, "drop");
	assert_int_equal(p->wd[3].detect_ms, 200);
	assert_int_equal(p->wd[3].restore_ms, 400);
	assert_string_equal(d->model, "SN5600");
	assert_string_equal(d->os_version, "202405");
	assert_string_equal(d->caps.at[0].need, "ECN marks per queue");
	assert_int_equal(d->caps.at[0].valid, VALID_DISABLED);
	assert_int_equal(d->took_us, 1234);
	assert_int_equal(d->bytes, 99);
	assert_int_equal(d->last_ok_us, feed_time(0));
	assert_int_equal(model_census(m).ports_up, 1);
}

static struct obs *same_again(void)
{
	struct obs *o = feed_batch();
	uint32_t p = obs_port(o, "Ethernet0");

	obs_word(o, p, ATTR_OPER, 0, "up");
	obs_word(o, p, ATTR_ALIAS, 0, "etp1");
	obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, p, CTR_RX_BYTES, 0, 5);
	obs_gauge(o, p, CTR_TEMPERATURE_C, 0, 44.5);
	obs_invalid(o, p, CTR_WRED_DROPS, 0, VALID_UNSUPPORTED, "not on this chip");
	obs_lldp(o, p, "node000", "mlx5_0");
	obs_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, "leaf");
	obs_word(o, OBS_NO_PORT, ATTR_BOOT_ID, 0, "b");
	obs_capability(o, "need", VALID_OK, "");
	return o;
}

CASE_WITH(nothing_new_is_nothing_to_draw, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t generation;

	feed(m, same_again(), 0);
	model_links(m);
	model_age(m, feed_time(0));
	generation = m->generation;
	assert_true(generation > 0);
	for (int i = 1; i < 4; i++) {
		feed(m, same_again(), i * 5);
		model_links(m);
		model_age(m, feed_time(i * 5));
		assert_int_equal(m->generation, generation);
	}
	feed_count(m, 20, "Ethernet0", CTR_RX_BYTES, 6);
	assert_true(m->generation > generation);
	assert_int_equal(m->batches, 5);
}

static void failure(
	struct model *m, double t, const char *request, enum err_code code, const char *text)
{
	struct obs *o = feed_batch_of("leaf-r0-00", request);

	o->result = OBS_FAILED;
	err_set(&o->err, code, "leaf-r0-00", "%s", text);
	feed(m, o, t);
}

CASE_WITH(failures_keep_the_values, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	uint64_t generation;

	feed_count(m, 0, "Ethernet0", CTR_RX_BYTES, 7);
	failure(m, 5, "fast", ERR_UNREACHABLE, "no route");
	assert_false(d->connected);
	assert_int_equal(d->failures, 1);
	assert_int_equal(d->polls, 2);
	assert_string_equal(d->err->text, "no route");
	assert_int_equal(d->last_ok_us, feed_time(0));
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_BYTES, 0)->u64, 7);
	generation = m->generation;
	failure(m, 10, "fast", ERR_UNREACHABLE, "no route");
	assert_int_equal(m->generation, generation);
	feed_count(m, 15, "Ethernet0", CTR_RX_BYTES, 7);
	assert_int_equal(d->err->code, ERR_NONE);
	assert_true(d->connected);
}

/* One request that cannot be decoded must stay visible beside others that can. */
CASE_WITH(a_bad_answer_is_told_once_and_stays, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");

	for (int i = 0; i < 4; i++) {
		failure(m, i * 5, "optics", ERR_PROTOCOL, "not JSON");
		feed_count(m, i * 5 + 1, "Ethernet0", CTR_RX_BYTES, 7);
		assert_int_equal(d->err->code, ERR_PROTOCOL);
	}
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 1);
	feed(m, feed_batch_of("leaf-r0-00", "optics"), 20);
	assert_int_equal(d->err->code, ERR_NONE);
	failure(m, 35, "optics", ERR_LIMIT, "more than 8 MB");
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 2);
}

/* A device that never gave a valid answer may speak another dialect. */
CASE_WITH(a_device_that_never_fits_is_doubted, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");

	failure(m, 0, "fast", ERR_PROTOCOL, "show: command not found");
	assert_non_null(strstr(d->err->cure, "railtop discover --seed leaf-r0-00"));
	feed_count(m, 5, "Ethernet0", CTR_RX_BYTES, 7);
	failure(m, 10, "fast", ERR_PROTOCOL, "show: command not found");
	assert_string_equal(d->err->cure, "");
}

/* One agent that died behind the CLI is one trouble, though every command says so in its way. */
CASE_WITH(a_dozen_complaints_are_a_few_events, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char request[16], text[32];
	struct obs *o;

	for (int t = 0; t < 600; t += 5)
		for (int i = 0; i < 12; i++) {
			(void)snprintf(request, sizeof(request), "r%d", i);
			(void)snprintf(text, sizeof(text), "command %d failed", i);
			failure(m, t, request, ERR_PROTOCOL, text);
		}
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 12); /* each once, three a minute */
	o = feed_batch_of("leaf-r0-00", "r11");
	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "DCS-7060X6");
	feed(m, o, 2000);
	failure(m, 2005, "r11", ERR_PROTOCOL, "command 11 failed");
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 13); /* it was over for a while */
}

CASE_WITH(a_partly_decoded_answer_counts, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch();

	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 1);
	err_set(&o->err, ERR_PROTOCOL, "leaf-r0-00", "queue part missing");
	feed(m, o, 0);
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_BYTES, 0)->u64, 1);
	assert_int_equal(model_device(m, "leaf-r0-00")->err->code, ERR_PROTOCOL);
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 1);
}

CASE_WITH(strangers_get_a_tier, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("gpu-17", "fast");

	obs_count(o, obs_port(o, "mlx5_0"), CTR_CNP_SENT, 0, 1);
	feed(m, o, 0);
	feed(m, feed_batch_of("sw-9", "fast"), 0);
	assert_int_equal(model_device(m, "gpu-17")->tier, TIER_HOST);
	assert_int_equal(model_device(m, "sw-9")->tier, TIER_LEAF);
	assert_false(model_device(m, "sw-9")->planned);
	assert_int_equal(model_device(m, "sw-9")->interval_us, 5000000);
	feed(m, feed_batch_of("", "fast"), 0);
	assert_int_equal(m->devices.n, 6);
	for (unsigned i = 0; i < 2 * UNPLANNED_MAX; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "x%u", i);
		feed(m, feed_batch_of(name, "fast"), 0);
	}
	assert_int_equal(m->devices.n, 4 + UNPLANNED_MAX);
}

/* ---- hostile batches ---- */

static struct obs_item *raw(struct obs *o, enum obs_kind kind)
{
	struct obs_item *it = vec_add(&o->items);

	it->kind = (uint8_t)kind;
	return it;
}

/* Replay passes on the content of a file: every index may be wrong. */
CASE_WITH(wrong_indexes_are_skipped, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t seq = m->event_seq;

	for (unsigned kind = 0; kind < 12; kind++) {
		struct obs *o = feed_batch();
		struct obs_item *it;

		obs_port(o, "Ethernet0");
		it = raw(o, (enum obs_kind)kind);
		it->cell = CELL_COUNT;
		it->code = 200;
		it->sub = 200;
		it->text = it->text2 = UINT32_MAX;
		it = raw(o, (enum obs_kind)kind);
		it->port = 1;
		it->cell = UINT16_MAX;
		it->code = EVENT_COUNT;
		it = raw(o, (enum obs_kind)kind);
		it->port = OBS_NO_PORT;
		it->sub = 8;
		it->code = OBS_ATTR_COUNT;
		it = raw(o, (enum obs_kind)kind);
		it->code = ATTR_PFCWD_ACTION;
		it->sub = 8;
		feed(m, o, kind);
	}
	assert_int_equal(m->event_seq, seq);
}

CASE_WITH(numbers_out_of_range_are_ignored, feed_setup, feed_teardown)
{
	static const double bad[] = {-1, 1e300, -1e300};
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");

	for (unsigned attr = 0; attr < OBS_ATTR_COUNT; attr++) {
		for (size_t i = 0; i < 3; i++) {
			struct obs *o = feed_batch();

			obs_number(o, obs_port(o, "Ethernet0"), (enum obs_attr)attr, 7, bad[i]);
			obs_number(o, OBS_NO_PORT, (enum obs_attr)attr, 7, bad[i]);
			feed(m, o, attr);
		}
	}
	assert_int_equal(p->speed_mbps, 0);
	assert_int_equal(p->mtu, 0);
	assert_int_equal(p->pfc_enabled, 0);
	assert_int_equal(p->more->last_change_us, 0);
}

CASE_WITH(ports_without_end, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 4000; i++) {
		struct obs *o = feed_batch();
		char name[32];

		(void)snprintf(name, sizeof(name), "flood%u", i);
		obs_count(o, obs_port(o, name), CTR_RX_BYTES, 0, 1);
		feed(m, o, i);
	}
	assert_int_equal(model_device(m, "leaf-r0-00")->ports.n, DEVICE_PORTS_MAX);
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 1);
}

CASE_WITH(events_without_end, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 3; i++) {
		struct obs *o = feed_batch();

		for (unsigned j = 0; j < 10000; j++)
			obs_event(o, OBS_NO_PORT, EV_LINK_UP, 0, "again");
		feed(m, o, i * 5);
	}
	assert_true(m->event_seq <= 3 * 257);
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 1);
}

CASE_WITH(the_same_cell_twice, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 4; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		obs_count(o, p, CTR_RX_BYTES, 0, i * 500);
		obs_count(o, p, CTR_RX_BYTES, 0, i * 500);
		feed(m, o, i * 5);
	}
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	assert_int_equal(m->event_seq, 0);
}

CASE_WITH(long_words_are_cut, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char big[500];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	for (unsigned attr = 0; attr < OBS_ATTR_COUNT; attr++) {
		struct obs *o = feed_batch();

		obs_word(o, obs_port(o, "Ethernet0"), (enum obs_attr)attr, 7, big);
		obs_word(o, OBS_NO_PORT, (enum obs_attr)attr, 0, big);
		obs_lldp(o, 0, big, big);
		obs_capability(o, big, VALID_OK, big);
		feed(m, o, attr);
	}
	assert_int_equal(strlen(model_device(m, "leaf-r0-00")->serial), 47);
	assert_string_equal(feed_port(m, "leaf-r0-00", "Ethernet0")->more->alias, "");
	assert_int_equal(feed_events(m, EV_REBOOT), 0);
}

CASE_WITH(received_in_the_future_is_now, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch();

	o->received_us = INT64_MAX;
	o->device_us = 1;
	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "DCS-7060X6");
	model_apply(m, o, feed_time(0));
	obs_free(o);
	assert_int_equal(model_device(m, "leaf-r0-00")->last_ok_us, feed_time(0));
}

/* A port that is known by that name or another, in any order of an answer. */
CASE_WITH(ports_in_any_order, feed_setup, feed_teardown)
{
	static const char *const orders[][8] = {
		{"Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12", "Ethernet16", "Ethernet20"},
		{"Ethernet20", "Ethernet16", "Ethernet12", "Ethernet8", "Ethernet4", "Ethernet0"},
		{"Ethernet0", "Ethernet16", "Ethernet20", "Ethernet4", "Ethernet12", "Ethernet8"},
		{"other8", "Ethernet12", "other4", "Ethernet16", "Ethernet2", "Ethernet20"},
		{"Ethernet4", "Ethernet4", "other4", "Ethernet8", "", "Ethernet16"},
	};
	struct model *m = *state;
	struct obs *o = feed_batch();

	for (unsigned i = 0; i < 6; i++)
		(void)obs_port(o, orders[0][i]);
	obs_word(o, 1, ATTR_ALIAS, 0, "other4");
	obs_word(o, 2, ATTR_ALIAS, 0, "other8");
	feed(m, o, 0);
	for (unsigned n = 0; n < sizeof(orders) / sizeof(orders[0]); n++) {
		o = feed_batch();
		for (unsigned i = 0; i < 6; i++)
			obs_count(o, obs_port(o, orders[n][i]), CTR_RX_PACKETS, 0, 100 * n + i);
		feed(m, o, 5 * (n + 1));
		for (unsigned i = 0; i < 6; i++) {
			const struct port *p =
				model_port(m, model_device(m, "leaf-r0-00"), orders[n][i]);
			const struct cell *c = p ? port_cell(p, CTR_RX_PACKETS, 0) : NULL;

			if (!orders[n][i][0] || (n == 4 && i < 2))
				continue; /* nobody's; named once more behind */
			assert_non_null(c);
			assert_int_equal(c->u64, 100 * n + i);
		}
	}
	assert_ptr_equal(
		feed_port(m, "leaf-r0-00", "other8"), feed_port(m, "leaf-r0-00", "Ethernet8"));
}

CASES_MAIN(NULL, NULL)
