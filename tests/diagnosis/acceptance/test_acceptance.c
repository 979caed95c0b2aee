/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnosis/acceptance/acceptance.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

static accept_vec rows;

static int end(void **state)
{
	vec_free(&rows);
	return stand_teardown(state);
}

static enum accept_result judged(struct stand *s, const char *place)
{
	struct err err = {0};
	struct ref at;

	assert_true(ref_parse(s->m, place, &at, &err));
	rows.n = 0;
	model_links(s->m);
	acceptance_check(s->m, s->d, at, &rows);
	return acceptance_overall(&rows);
}

/* The first row of the check with that result; at NULL: of any place. */
static const struct accept_row *row_of(
	struct stand *s, enum accept_check c, enum accept_result r, const char *at)
{
	char place[160];

	for (size_t i = 0; i < rows.n; i++) {
		(void)ref_format(s->m, rows.at[i].at, place, sizeof(place));
		if (rows.at[i].check == c && rows.at[i].result == r &&
			(!at || strcmp(place, at) == 0))
			return &rows.at[i];
	}
	return NULL;
}

static unsigned count(enum accept_check c, enum accept_result r)
{
	unsigned n = 0;

	for (size_t i = 0; i < rows.n; i++)
		n += rows.at[i].check == c && rows.at[i].result == r;
	return n;
}

/* No readings of light, no settings: nothing fails, and it is not accepted. */
CASE_WITH(what_is_not_known_never_passes, stand_setup, end)
{
	struct stand *s = *state;

	assert_int_equal(judged(s, "node000"), ACCEPT_UNKNOWN);
	for (size_t i = 0; i < rows.n; i++) {
		assert_int_not_equal(rows.at[i].result, ACCEPT_FAIL);
		if (rows.at[i].result == ACCEPT_UNKNOWN && !rows.at[i].cure[0])
			fail_msg("no cure: %s", rows.at[i].is);
	}
	assert_int_equal(count(ACCEPT_LINK, ACCEPT_PASS), 2);
	assert_int_equal(count(ACCEPT_WIRING, ACCEPT_PASS), 2);
	assert_int_equal(count(ACCEPT_FINDINGS, ACCEPT_PASS), 1);
	/* Both ends of both links. */
	assert_int_equal(count(ACCEPT_OPTICS, ACCEPT_UNKNOWN), 4);
	assert_int_equal(count(ACCEPT_COUNTERS, ACCEPT_PASS), 4);
	assert_int_equal(acceptance_overall(&(accept_vec){0}), ACCEPT_UNKNOWN);
}

CASE_WITH(a_host_that_is_silent_is_unknown, stand_setup, end)
{
	struct stand *s = *state;

	stand_silent(s, "node000", true);
	stand_poll(s, 30);
	assert_int_equal(judged(s, "node000"), ACCEPT_UNKNOWN);
	assert_non_null(row_of(s, ACCEPT_ANSWERS, ACCEPT_UNKNOWN, "node000"));
	/* Its counters are those of before, and stand for nothing. */
	assert_null(row_of(s, ACCEPT_COUNTERS, ACCEPT_PASS, "node000:mlx5_0"));
}

CASE_WITH(a_link_that_is_down_fails, stand_setup, end)
{
	struct stand *s = *state;

	stand_link(s, "node000:mlx5_1", false);
	stand_poll(s, 2);
	assert_int_equal(judged(s, "node000"), ACCEPT_FAIL);
	assert_non_null(row_of(s, ACCEPT_LINK, ACCEPT_FAIL, "node000:mlx5_1"));
	assert_non_null(row_of(s, ACCEPT_LINK, ACCEPT_PASS, "node000:mlx5_0"));
	/* The other rail's link alone has nothing against it. */
	assert_int_not_equal(judged(s, "node000:mlx5_0"), ACCEPT_FAIL);
	assert_int_equal(judged(s, "leaf-r1-00:Ethernet0"), ACCEPT_FAIL);
}

CASE_WITH(half_the_speed_fails, stand_setup, end)
{
	struct stand *s = *state;

	stand_number(s, "node000:mlx5_0", ATTR_SPEED_MBPS, 0, 200000);
	stand_poll(s, 1);
	(void)judged(s, "node000");
	assert_non_null(row_of(s, ACCEPT_LINK, ACCEPT_FAIL, "node000:mlx5_0"));
	assert_string_equal(row_of(s, ACCEPT_LINK, ACCEPT_FAIL, NULL)->is, "up, 200 Gb/s");
	assert_string_equal(
		row_of(s, ACCEPT_LINK, ACCEPT_FAIL, NULL)->should, "up, 400 Gb/s (plan)");
}

CASE_WITH(a_cable_in_the_wrong_port_fails, stand_setup, end)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "node000");

	obs_lldp(o, obs_port(o, "mlx5_0"), "leaf-r0-01", "Ethernet0");
	stand_poll(s, 2);
	assert_int_equal(judged(s, "node000"), ACCEPT_FAIL);
	assert_non_null(row_of(s, ACCEPT_WIRING, ACCEPT_FAIL, "node000:mlx5_0"));
}

CASE_WITH(errors_that_grow_at_either_end_fail, stand_setup, end)
{
	struct stand *s = *state;

	stand_rate(s, "leaf-r0-00:Ethernet0", CTR_RX_FCS_ERRORS, 0, 3);
	stand_poll(s, 3);
	assert_int_equal(judged(s, "node000"), ACCEPT_FAIL);
	assert_non_null(row_of(s, ACCEPT_COUNTERS, ACCEPT_FAIL, "leaf-r0-00:Ethernet0"));
	assert_non_null(
		strstr(row_of(s, ACCEPT_COUNTERS, ACCEPT_FAIL, NULL)->is, "rx_fcs_errors 3/s"));
	assert_non_null(row_of(s, ACCEPT_COUNTERS, ACCEPT_PASS, "node000:mlx5_0"));
}

CASE_WITH(light_and_bit_errors, stand_setup, end)
{
	struct stand *s = *state;

	for (unsigned lane = 0; lane < 4; lane++) {
		stand_gauge(s, "node000:mlx5_0", CTR_RX_POWER_DBM, lane, -1.5);
		stand_gauge(s, "node000:mlx5_1", CTR_RX_POWER_DBM, lane, lane == 2 ? -9.5 : -1.5);
		stand_gauge(s, "leaf-r0-00:Ethernet0", CTR_RX_POWER_DBM, lane, -1.5);
		stand_unsupported(s, "leaf-r1-00:Ethernet0", CTR_RX_POWER_DBM, lane);
	}
	stand_gauge(s, "node000:mlx5_0", CTR_PRE_FEC_BER, 0, 2e-8);
	stand_gauge(s, "node000:mlx5_1", CTR_PRE_FEC_BER, 0, 4e-6);
	for (unsigned i = 0; i < 2; i++)
		stand_number(s, i ? "node000:mlx5_0" : "node000:mlx5_1", ATTR_RX_POWER_LIMIT,
			LIMIT_LOW_WARN, -6);
	stand_word(s, "leaf-r1-00:Ethernet0", ATTR_MEDIA, 0, "400GBASE-CR4");
	stand_poll(s, 2);
	assert_int_equal(judged(s, "node000"), ACCEPT_FAIL);
	assert_non_null(row_of(s, ACCEPT_OPTICS, ACCEPT_PASS, "node000:mlx5_0"));
	assert_non_null(row_of(s, ACCEPT_OPTICS, ACCEPT_FAIL, "node000:mlx5_1"));
	assert_int_equal(count(ACCEPT_OPTICS, ACCEPT_FAIL), 2); /* light, and bit errors */
	/* Light without limits proves nothing; a copper cable has none. */
	assert_non_null(row_of(s, ACCEPT_OPTICS, ACCEPT_UNKNOWN, "leaf-r0-00:Ethernet0"));
	assert_non_null(row_of(s, ACCEPT_OPTICS, ACCEPT_PASS, "leaf-r1-00:Ethernet0"));
}

CASE_WITH(settings_unlike_those_of_the_siblings_fail, stand_setup, end)
{
	struct stand *s = *state;
	const struct accept_row *r;

	for (unsigned n = 0; n < 8; n++)
		for (unsigned i = 0; i < 2; i++) {
			char port[32];

			(void)snprintf(port, sizeof(port), "node00%u:mlx5_%u", n, i);
			stand_number(s, port, ATTR_MTU, 0, n == 3 && i ? 1500 : 9000);
		}
	stand_poll(s, 1);
	assert_int_equal(judged(s, "node003"), ACCEPT_FAIL);
	r = row_of(s, ACCEPT_SETTINGS, ACCEPT_FAIL, "node003:mlx5_1");
	assert_non_null(r);
	assert_string_equal(r->is, "lint.mtu: mtu 1500");
	assert_string_equal(r->should, "mtu 9000 (siblings)");
	(void)judged(s, "node002");
	assert_null(row_of(s, ACCEPT_SETTINGS, ACCEPT_FAIL, NULL));
}

CASE(a_measurement_is_compared_with_the_baseline)
{
	accept_vec v = {0};
	struct accept_measured w = {.what = "ib_write_bw",
		.unit = "Gb/s",
		.value = 352,
		.baseline = 391,
		.source = "this port before, 1 time"};

	acceptance_add_measured(&w, &v);
	w.value = 351;
	acceptance_add_measured(&w, &v);
	w.baseline = (double)NAN;
	acceptance_add_measured(&w, &v);
	w.value = (double)NAN;
	w.why = "Couldn't connect";
	acceptance_add_measured(&w, &v);
	w = (struct accept_measured){.what = "ib_read_lat",
		.unit = "us",
		.value = 3.9,
		.baseline = 3.6,
		.less_is_better = true,
		.source = "x"};
	acceptance_add_measured(&w, &v);
	w.value = 4.1;
	acceptance_add_measured(&w, &v);
	assert_int_equal(v.at[0].result, ACCEPT_PASS);
	assert_int_equal(v.at[1].result, ACCEPT_FAIL);
	assert_int_equal(v.at[2].result, ACCEPT_UNKNOWN);
	assert_int_equal(v.at[3].result, ACCEPT_FAIL);
	assert_string_equal(v.at[3].is, "not measured: ib_write_bw: Couldn't connect");
	assert_int_equal(v.at[4].result, ACCEPT_PASS);
	assert_int_equal(v.at[5].result, ACCEPT_FAIL);
	assert_non_null(strstr(v.at[5].should, "at most 4 us: 111 % of 3.6"));
	vec_free(&v);
}

/* A host tells the numbers itself. */
CASE(a_number_that_no_link_has_passes_nobody)
{
	accept_vec v = {0};
	struct accept_measured w = {.what = "ib_write_bw",
		.unit = "Gb/s",
		.value = 1e300,
		.baseline = 391,
		.possible = 408,
		.source = "x"};

	acceptance_add_measured(&w, &v);
	w.value = 407;
	acceptance_add_measured(&w, &v);
	w = (struct accept_measured){.what = "ib_read_lat",
		.unit = "us",
		.value = 1e-9,
		.baseline = 3.6,
		.possible = 0.1,
		.less_is_better = true,
		.source = "x"};
	acceptance_add_measured(&w, &v);
	assert_int_equal(v.at[0].result, ACCEPT_UNKNOWN);
	assert_non_null(strstr(v.at[0].is, "cannot be"));
	assert_true(v.at[0].cure[0]);
	assert_int_equal(v.at[1].result, ACCEPT_PASS);
	assert_int_equal(v.at[2].result, ACCEPT_UNKNOWN);
	assert_int_equal(acceptance_overall(&v), ACCEPT_UNKNOWN);
	vec_free(&v);
}

CASES_MAIN(NULL, NULL)
