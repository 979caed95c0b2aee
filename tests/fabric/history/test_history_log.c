/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/history/history_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "tests/support/cases.h"

static uint64_t seed;

static uint64_t random_bits(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return seed >> 11 ^ seed << 53;
}

static uint64_t below(uint64_t n)
{
	return random_bits() % n;
}

/* From small steps to the ends of the numbers. */
static uint64_t any_number(void)
{
	return random_bits() >> below(64);
}

static int64_t any_time(int64_t before)
{
	switch (below(10)) {
	case 0:
		return before;
	case 1:
		return 0;
	case 2:
		return HLOG_MS_MOST;
	case 3:
		return (int64_t)(any_number() % HLOG_MS_MOST);
	default:
		return before < HLOG_MS_MOST - 10000 ? before + (int64_t)below(10000) : before;
	}
}

static void make(struct hlog_record *r, unsigned series, int64_t before)
{
	int64_t took = 5000000;

	memset(r, 0, sizeof(*r));
	r->at_ms = any_time(before);
	for (unsigned s = 0; s < series; s++) {
		if (below(8) == 0)
			hlog_set(r->gap, s);
		if (below(4) == 0)
			continue;
		hlog_set(r->has, s);
		if (below(20) == 0)
			took = (int64_t)(any_number() >> 1 | 1);
		r->took_us[s] = took;
		r->growth[s] = below(3) ? any_number() : 0;
	}
}

static void assert_same(const struct hlog_record *a, const struct hlog_record *b)
{
	assert_int_equal(a->at_ms, b->at_ms);
	assert_memory_equal(a->has, b->has, sizeof(a->has));
	assert_memory_equal(a->gap, b->gap, sizeof(a->gap));
	for (unsigned s = 0; s < HLOG_SERIES; s++) {
		if (!hlog_bit(a->has, s))
			continue;
		assert_true(a->growth[s] == b->growth[s]);
		assert_true(a->took_us[s] == b->took_us[s]);
	}
}

/* The written records, from record `from` on. */
static void assert_reads(
	const struct hlog *l, uint32_t newest, const struct hlog_record *at, size_t n)
{
	struct hlog_reader reader;
	struct hlog_record r;
	size_t i = n - l->records;

	hlog_read(&reader, l, newest);
	for (const struct hlog_block *b = l->first; b != reader.block; b = b->next)
		i += b->records;
	assert_true(newest >= l->records ? i == n - l->records : n - i >= newest);
	for (; hlog_next(&reader, &r); i++) {
		assert_true(i < n);
		assert_same(&at[i], &r);
	}
	assert_false(reader.bad);
	assert_int_equal(i, n);
}

CASE(what_is_read_is_what_was_written)
{
	enum { N = 400 };
	struct hlog_record *at = mem_calloc(N, sizeof(*at));

	for (unsigned round = 0; round < 60; round++) {
		unsigned series = (unsigned)below(HLOG_SERIES) + 1;
		struct hlog l = {0};
		size_t got = 0, dropped = 0;

		seed = round + 1;
		for (size_t i = 0; i < N; i++) {
			struct hlog_told told;
			size_t needs;

			make(&at[i], series, i ? at[i - 1].at_ms : 1700000000000);
			needs = hlog_tell(&l, &at[i], &told);
			/* Room is made before it is taken. */
			if (below(50) == 0 && l.blocks > 1)
				dropped += hlog_drop(&l);
			assert_int_equal(hlog_take(&l, &at[i], &told), needs);
			got += needs;
		}
		assert_int_equal(hlog_bytes(&l), got - dropped);
		assert_true(hlog_valid(&l, l.first, series));
		assert_reads(&l, UINT32_MAX, at, N);
		assert_reads(&l, 120, at, N);
		assert_reads(&l, 1, at, N);
		hlog_free(&l);
	}
	free(at);
}

CASE(no_counters_and_all_counters)
{
	struct hlog_record r[3] = {{.at_ms = 1}, {.at_ms = 2}, {.at_ms = 3}};
	struct hlog l = {0};

	for (unsigned s = 0; s < HLOG_SERIES; s++) {
		hlog_set(r[1].has, s);
		hlog_set(r[1].gap, s);
		r[1].growth[s] = UINT64_MAX - s;
		r[1].took_us[s] = s % 2 ? INT64_MAX : 1;
	}
	for (unsigned i = 0; i < 3; i++)
		(void)hlog_append(&l, &r[i]);
	assert_reads(&l, UINT32_MAX, r, 3);
	assert_true(hlog_valid(&l, l.first, HLOG_SERIES));
	assert_false(hlog_valid(&l, l.first, HLOG_SERIES - 1));
	hlog_free(&l);
}

/* A poll in which two of eight counters moved a little: the main purpose of the format. */
CASE(a_quiet_record_is_small)
{
	struct hlog_record r = {.at_ms = 1700000000000};
	struct hlog l = {0};
	uint16_t before;

	for (unsigned s = 0; s < 8; s++) {
		hlog_set(r.has, s);
		r.took_us[s] = 5000000;
		r.growth[s] = s < 2 ? 100 : 0;
	}
	(void)hlog_append(&l, &r);
	before = l.last->used;
	r.at_ms += 5000;
	assert_int_equal(hlog_append(&l, &r), 0);
	/* Head, two bytes of time, a byte or two of changed counters, one of run length, two of
	 * growth. */
	assert_true(l.last->used - before <= 8);
	hlog_free(&l);
}

/* Bytes from a file: either refused, or read to their end; never beyond. */
CASE(changed_bytes_are_refused_or_read)
{
	struct hlog l = {0};
	struct hlog_record r;
	unsigned refused = 0;

	seed = 77;
	make(&r, 20, 1700000000000);
	while (l.blocks < 4) {
		make(&r, 20, r.at_ms);
		(void)hlog_append(&l, &r);
	}
	for (unsigned i = 0; i < 20000; i++) {
		struct hlog_block *b = l.first;
		struct hlog_reader reader;
		unsigned char was;
		uint16_t at;
		uint32_t n = 0;

		for (uint64_t k = below(4); k; k--)
			b = b->next;
		at = (uint16_t)below(b->used);
		was = b->data[at];
		b->data[at] = (unsigned char)random_bits();
		hlog_read(&reader, &l, UINT32_MAX);
		while (hlog_next(&reader, &r))
			n++;
		if (hlog_valid(&l, l.first, 20))
			assert_int_equal(n, l.records);
		else
			refused++;
		assert_true(n <= 4 * HLOG_BLOCK);
		b->data[at] = was;
	}
	assert_true(refused > 10000);
	assert_true(hlog_valid(&l, l.first, 20));
	hlog_free(&l);
}

CASE(a_cut_block_is_refused)
{
	struct hlog l = {0};
	struct hlog_record r = {.at_ms = 1700000000000};

	hlog_set(r.has, 3);
	r.took_us[3] = 5000000;
	r.growth[3] = 123456789;
	for (unsigned i = 0; i < 5; i++, r.at_ms += 5000)
		(void)hlog_append(&l, &r);
	for (uint16_t used = l.last->used; l.last->used; l.last->used--)
		assert_int_equal(hlog_valid(&l, l.first, 4), l.last->used == used);
	assert_null(hlog_add_block(&l, UINT16_MAX, UINT16_MAX));
	assert_null(hlog_add_block(&l, 600, 10));
	assert_null(hlog_add_block(&l, 10, 10));
	hlog_free(&l);
	assert_true(hlog_valid(&l, l.first, 4));
}

/* A copy of the log as it is loaded: block by block, its end not known. */
static struct hlog loaded(const struct hlog *from)
{
	struct hlog l = {0};

	for (const struct hlog_block *b = from->first; b; b = b->next) {
		struct hlog_block *to = hlog_add_block(&l, b->size, b->used);

		assert_non_null(to);
		memcpy(to->data, b->data, b->used);
		to->used = b->used;
		to->records = b->records;
		to->first_ms = b->first_ms;
		to->last_ms = b->last_ms;
		l.records += b->records;
	}
	hlog_loaded(&l);
	return l;
}

CASE(what_was_loaded_goes_on)
{
	enum { N = 120 };
	struct hlog_record *at = mem_calloc(N, sizeof(*at));
	struct hlog l = {0}, copy;

	for (unsigned i = 0; i < N; i++) {
		make(&at[i], 20, i ? at[i - 1].at_ms : 1700000000000);
		copy = loaded(&l);
		assert_int_equal(hlog_append(&copy, &at[i]), hlog_append(&l, &at[i]));
		assert_int_equal(hlog_bytes(&copy), hlog_bytes(&l));
		assert_int_equal(copy.last->used, l.last->used);
		assert_reads(&copy, UINT32_MAX, at, i + 1);
		hlog_free(&copy);
	}
	hlog_free(&l);
	free(at);
}

CASE(what_nobody_wrote_is_not_gone_on_with)
{
	struct hlog l = {0}, copy;
	struct hlog_record r = {.at_ms = 1700000000000}, last;
	struct hlog_reader reader;

	for (unsigned i = 0; i < 5; i++) {
		make(&r, 20, r.at_ms);
		(void)hlog_append(&l, &r);
	}
	copy = loaded(&l);
	memset(copy.last->data, 0xff, copy.last->used);
	make(&r, 20, r.at_ms);
	assert_true(hlog_append(&copy, &r) > 0);
	assert_int_equal(copy.blocks, l.blocks + 1);
	assert_int_equal(hlog_append(&copy, &r), 0);
	hlog_read(&reader, &copy, UINT32_MAX);
	assert_false(hlog_next(&reader, &last));
	assert_true(reader.bad);
	hlog_read(&reader, &copy, 1);
	assert_true(hlog_next(&reader, &last));
	assert_true(last.at_ms == r.at_ms);
	hlog_free(&copy);
	hlog_free(&l);
}

CASES_MAIN(NULL, NULL)
