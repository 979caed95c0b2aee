/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/observation.h"
#include "tests/support/cases.h"

CASE(ports_are_found_again)
{
	struct obs *o = obs_new("leaf", "fast");
	char longest[NAME_MAX_LEN], longer[NAME_MAX_LEN + 1];
	uint32_t a, b;

	a = obs_port(o, "Ethernet0");
	b = obs_port(o, "Ethernet4");
	assert_int_not_equal(a, b);
	assert_int_equal(obs_port(o, "Ethernet0"), a);
	assert_int_equal(obs_port(o, ""), OBS_NO_PORT);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_not_equal(obs_port(o, longest), OBS_NO_PORT);
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(obs_port(o, longer), OBS_NO_PORT);
	obs_free(o);
	obs_free(NULL);
}

/* One the end of another, the beginning, or alike but for the first character. */
CASE(names_that_are_alike_are_not_the_same)
{
	static const char *const names[] = {"Ethernet4", "xEthernet4", "thernet4", "hernet4",
		"ernet4", "rnet4", "net4", "4", "Ethernet40", "Ethernet", "Fthernet4", "Ethernet4 ",
		"ethernet4", "Ethernet14", "Ethernet4/1", "fthernet4"};
	const size_t n = sizeof(names) / sizeof(names[0]);
	struct obs *o = obs_new("leaf", "fast");

	for (size_t round = 0; round < 2; round++)
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(obs_port(o, names[i]), i);
			assert_string_equal(o->ports.at[i].name, names[i]);
		}
	assert_int_equal(o->ports.n, n);
	obs_free(o);
}

CASE(text_is_harmless)
{
	struct obs *o = obs_new("le\033[2Jaf", "fa\nst");
	uint32_t p = obs_port(o, "Eth\033]0;x\007net0");

	assert_string_equal(o->device, "le?[2Jaf");
	assert_string_equal(o->request, "fa st");
	assert_null(strchr(o->ports.at[p].name, '\033'));
	obs_word(o, p, ATTR_DESCRIPTION, 0, "a\033[31mb");
	assert_string_equal(obs_text(o, o->items.at[0].text), "a?[31mb");
	assert_string_equal(obs_text(o, 0), "");
	assert_string_equal(obs_text(o, UINT32_MAX), "");
	obs_word(o, p, ATTR_DESCRIPTION, 0, "");
	assert_int_equal(o->items.at[1].text, 0);
	obs_free(o);
}

CASE(nonsense_is_not_added)
{
	struct obs *o = obs_new("leaf", "fast");
	uint32_t p = obs_port(o, "Ethernet0");

	obs_count(o, OBS_NO_PORT, CTR_RX_BYTES, 0, 1);
	obs_count(o, 77, CTR_RX_BYTES, 0, 1);
	obs_count(o, p, COUNTER_COUNT, 0, 1);
	obs_count(o, p, CTR_RX_BYTES, 1, 1);
	obs_count(o, p, CTR_PFC_RX_FRAMES, 8, 1);
	obs_gauge(o, p, CTR_PRE_FEC_BER, 0, (double)NAN);
	obs_gauge(o, p, CTR_PRE_FEC_BER, 0, (double)INFINITY);
	obs_gauge(o, p, CTR_RX_BYTES, 0, -1);
	obs_gauge(o, p, CTR_RX_BYTES, 0, 1e30);
	obs_number(o, p, ATTR_MTU, 0, (double)NAN);
	obs_number(o, p, OBS_ATTR_COUNT, 0, 1);
	obs_number(o, p, ATTR_PFCWD_DETECT_MS, 8, 1);
	obs_word(o, p, ATTR_PFCWD_STATE, 8, "stormed");
	assert_int_equal(o->items.n, 0);
	obs_free(o);
}

/* JSON readers do not know which counters are readings. */
CASE(counts_and_readings_find_their_kind)
{
	struct obs *o = obs_new("leaf", "fast");
	uint32_t p = obs_port(o, "Ethernet0");

	obs_count(o, p, CTR_PCIE_WIDTH, 0, 16);
	obs_gauge(o, p, CTR_RX_BYTES, 0, 1000);
	assert_int_equal(o->items.at[0].kind, OBS_GAUGE);
	assert_true(o->items.at[0].real == 16);
	assert_int_equal(o->items.at[1].kind, OBS_COUNT);
	assert_int_equal(o->items.at[1].u64, 1000);
	obs_free(o);
}

CASE(a_flood_is_bounded)
{
	struct obs *o = obs_new("leaf", "fast");
	char name[32], big[4096];
	uint32_t last = 0;

	for (unsigned i = 0; i < 5000; i++) {
		(void)snprintf(name, sizeof(name), "p%u", i);
		last = obs_port(o, name);
	}
	assert_int_equal(last, OBS_NO_PORT);
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	for (unsigned i = 0; i < 30000; i++)
		obs_word(o, 0, ATTR_DESCRIPTION, 0, big);
	assert_true(o->strings.n <= 8U << 20);
	assert_true(strlen(obs_text(o, o->items.at[0].text)) < 512);
	for (unsigned i = 0; i < 1100000; i++)
		obs_count(o, 0, CTR_RX_BYTES, 0, i);
	assert_int_equal(o->items.n, 1000000);
	obs_free(o);
}

CASE(what_was_added_can_be_taken_back)
{
	struct obs *o = obs_new("leaf", "fast");
	struct obs_mark mark;

	obs_word(o, obs_port(o, "Ethernet0"), ATTR_OPER, 0, "up");
	o->refresh_ms[GROUP_PORT] = 7;
	mark = obs_mark(o);
	obs_word(o, obs_port(o, "Ethernet4"), ATTR_OPER, 0, "down");
	o->refresh_ms[GROUP_PORT] = 9;
	obs_rewind(o, &mark);
	assert_int_equal(o->ports.n, 1);
	assert_int_equal(o->items.n, 1);
	assert_int_equal(o->refresh_ms[GROUP_PORT], 7);
	assert_string_equal(obs_text(o, o->items.at[0].text), "up");
	obs_word(o, obs_port(o, "Ethernet8"), ATTR_OPER, 0, "testing");
	assert_string_equal(obs_text(o, o->items.at[0].text), "up");
	assert_string_equal(obs_text(o, o->items.at[1].text), "testing");
	obs_free(o);
}

/* All cells of a port in one go are the items that one call each gives. */
CASE(cells_are_counts)
{
	struct obs *one = obs_new("leaf", "fast"), *all = obs_new("leaf", "fast");
	uint64_t value[CELL_COUNT];
	uint8_t has[CELL_COUNT];

	(void)obs_port(one, "Ethernet0");
	(void)obs_port(all, "Ethernet0");
	for (uint16_t cell = 0; cell < CELL_COUNT; cell++) {
		unsigned sub;
		enum counter_id id = counter_of_cell(cell, &sub);

		value[cell] = UINT64_MAX - cell;
		has[cell] = cell % 3 ? 5 : 0;
		if (has[cell])
			obs_count(one, 0, id, sub, value[cell]);
	}
	obs_cells(all, 0, value, has);
	obs_cells(all, 1, value, has);
	obs_cells(all, OBS_NO_PORT, value, has);
	assert_int_equal(all->items.n, one->items.n);
	for (size_t i = 0; i < one->items.n; i++)
		assert_memory_equal(&all->items.at[i], &one->items.at[i], sizeof(struct obs_item));
	obs_free(one);
	obs_free(all);
}

CASE(a_cure_is_kept_once)
{
	static const char odd[] = "run\tthis";
	struct obs *o = obs_new("leaf", "fast");
	struct obs_mark mark;

	(void)obs_port(o, "Ethernet0");
	obs_invalid(o, 0, CTR_RX_BYTES, 0, VALID_DISABLED, "enable it");
	obs_invalid(o, 0, CTR_TX_BYTES, 0, VALID_DISABLED, "enable it");
	assert_int_equal(o->items.at[0].text, o->items.at[1].text);
	obs_invalid(o, 0, CTR_TX_ERRORS, 0, VALID_DISABLED, "enable it all");
	assert_string_equal(obs_text(o, o->items.at[2].text), "enable it all");
	obs_invalid(o, 0, CTR_TX_ERRORS, 0, VALID_DISABLED, "");
	assert_string_equal(obs_text(o, o->items.at[3].text), "");
	obs_invalid(o, 0, CTR_TX_ERRORS, 0, VALID_DISABLED, odd);
	obs_invalid(o, 0, CTR_TX_ERRORS, 0, VALID_DISABLED, odd);
	assert_string_equal(obs_text(o, o->items.at[5].text), "run this");
	/* A value that was taken back is not there to be shared. */
	mark = obs_mark(o);
	obs_invalid(o, 0, CTR_TX_ERRORS, 0, VALID_DISABLED, "gone");
	obs_rewind(o, &mark);
	obs_word(o, 0, ATTR_OPER, 0, "down");
	obs_invalid(o, 0, CTR_TX_ERRORS, 0, VALID_DISABLED, "gone");
	assert_string_equal(obs_text(o, o->items.at[o->items.n - 1].text), "gone");
	assert_string_equal(obs_text(o, o->items.at[o->items.n - 2].text), "down");
	obs_free(o);
}

/* The expected size is a hint: more fits as well, and nothing gets lost. */
CASE(more_than_expected_fits)
{
	struct obs *o = obs_new("leaf", "fast");

	obs_expect(o, 3, 100);
	assert_int_equal(o->items.size, 3);
	(void)obs_port(o, "Ethernet0");
	for (unsigned i = 0; i < 200; i++)
		obs_count(o, 0, CTR_RX_BYTES, 0, i);
	obs_word(o, 0, ATTR_OPER, 0, "up");
	obs_expect(o, 1, 1);
	obs_expect(o, SIZE_MAX, SIZE_MAX);
	assert_int_equal(o->items.n, 201);
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(o->items.at[i].u64, i);
	assert_string_equal(obs_text(o, o->items.at[200].text), "up");
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
