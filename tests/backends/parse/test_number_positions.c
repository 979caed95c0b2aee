/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/number_positions.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

/* Slots that give way to better ones, among many that are found in the same row. */

static const char text[] = "7:1\n7:2\n7:3\n7:4\n";
#define LINE 4

static void add(struct number_positions *s, unsigned line, uint32_t port, uint16_t cell)
{
	positions_add(s, text + (size_t)line * LINE + 2, 1, port, cell, 1);
}

static void begin(struct number_positions *s)
{
	positions_begin(s, text, sizeof(text) - 1);
}

/* Another port and another cell that are looked for in the same row. */
static void find_like(uint32_t port, uint16_t cell, uint32_t *other_port, uint16_t *other)
{
	uint64_t row = ((uint64_t)port * CELL_COUNT + cell) % POSITION_ROWS;

	for (*other_port = port + 1; *other_port < 1024; (*other_port)++)
		for (*other = 0; *other < CELL_COUNT; (*other)++)
			if (*other != cell &&
				((uint64_t)*other_port * CELL_COUNT + *other) % POSITION_ROWS ==
					row)
				return;
	fail();
}

CASE(all_of_a_cell_give_way_and_no_other)
{
	struct number_positions s = {0};
	uint32_t port;
	uint16_t cell;

	find_like(3, 5, &port, &cell);
	begin(&s);
	add(&s, 0, 3, 5);
	add(&s, 1, port, cell);
	add(&s, 2, 3, 5);
	add(&s, 3, 3, 6);
	positions_void(&s, 3, 5);
	assert_int_equal(s.seen.n, 4);
	assert_int_equal(s.seen.at[0].kind, POSITION_UNUSED);
	assert_int_equal(s.seen.at[1].kind, POSITION_COUNT);
	assert_int_equal(s.seen.at[2].kind, POSITION_UNUSED);
	assert_int_equal(s.seen.at[3].kind, POSITION_COUNT);
	positions_void(&s, port, cell);
	assert_int_equal(s.seen.at[1].kind, POSITION_UNUSED);
	positions_free(&s);
}

CASE(what_comes_after_counts_again)
{
	struct number_positions s = {0};

	begin(&s);
	add(&s, 0, 3, 5);
	positions_void(&s, 3, 5);
	add(&s, 1, 3, 5);
	assert_int_equal(s.seen.at[0].kind, POSITION_UNUSED);
	assert_int_equal(s.seen.at[1].kind, POSITION_COUNT);
	positions_free(&s);
}

/* Rows are those of one answer. */
CASE(another_answer_begins_with_none)
{
	struct number_positions s = {0};

	begin(&s);
	for (unsigned i = 0; i < 4; i++)
		add(&s, i, 3, 5);
	begin(&s);
	positions_void(&s, 3, 5);
	add(&s, 0, 3, 5);
	assert_int_equal(s.seen.n, 1);
	positions_void(&s, 3, 5);
	assert_int_equal(s.seen.at[0].kind, POSITION_UNUSED);
	positions_free(&s);
}

/* Bounded for any input: beyond that no positions are noted. */
CASE(what_takes_too_long_is_not_told)
{
	struct number_positions s = {0};

	begin(&s);
	for (unsigned i = 0; i < 10000; i++)
		add(&s, i % 4, 3, 5);
	for (unsigned i = 0; i < 2500 && s.seen.n; i++)
		positions_void(&s, 3, 5);
	assert_int_equal(s.seen.n, 0);
	positions_void(&s, 3, 5);
	add(&s, 0, 3, 5);
	assert_int_equal(s.seen.n, 0);
	positions_free(&s);
}

CASES_MAIN(NULL, NULL)
