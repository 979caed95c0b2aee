/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/incremental/poll_decode.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/incremental/cache_both.h"
#include "tests/support/incremental/answer_change.h"
#include "tests/support/obs_find.h"

/* A reply that resembles the last one gives the same batch as parse(). */

#define ANSWERS 300

static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 1u << 3};
static const struct target host = {
	.device = "node000", .tier = TIER_HOST, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

struct device {
	const struct backend_ops *ops;
	const struct target *target;
	char *text;
	size_t len;
};

static struct device device(const char *dialect, const struct target *t, const char *file)
{
	struct device d = {.ops = backend_by_name(dialect), .target = t};

	d.text = read_file(file, &d.len);
	assert_non_null(d.text);
	return d;
}

static struct device a_switch(void)
{
	return device("sonic", &leaf, "tests/backends/fixtures/sonic_fast.txt");
}

static struct device a_host(void)
{
	return device("linux", &host, "tests/backends/fixtures/linux_fast.txt");
}

static void read_both(
	struct answer_cache_both *b, const struct device *d, const char *text, size_t len)
{
	if (!again_both_read(b, d->ops, d->target, "fast", text, len))
		fail_msg("%s: %s, in an answer of %zu bytes", d->ops->name, b->why, len);
}

/*
 * Counters grow; nothing else changes, so that each answer but the first resembles the one before.
 */
static void numbers_grow(struct device d, const char *behind, char until)
{
	struct answer_cache_both b;
	struct answer_change c = {.seed = 1};
	size_t first = d.len;

	again_both_begin(&b);
	for (int i = 0; i < ANSWERS; i++) {
		struct buf next;

		read_both(&b, &d, d.text, d.len);
		answer_grow(&c, d.text, d.len, behind, until, &next);
		free(d.text);
		d.text = buf_take(&next, &d.len);
	}
	assert_int_equal(b.lessons, 1);
	assert_int_equal(b.fits, ANSWERS - 1);
	assert_int_equal(b.by_changes, ANSWERS - 1);
	assert_true(d.len > first + 10);
	again_both_end(&b);
	free(d.text);
}

CASE(test_numbers_grow)
{
	numbers_grow(a_switch(), "\"c\":[", ']');
	numbers_grow(a_host(), "counters/port_", '\n');
}

/* Anything may change: lines, states, single bytes, the end. Then it goes on as before. */
static void anything_changes(struct device d)
{
	struct answer_cache_both b;
	struct answer_change c = {.seed = 7};

	again_both_begin(&b);
	for (int i = 0; i < ANSWERS; i++) {
		struct buf next = {0};

		read_both(&b, &d, d.text, d.len);
		answer_mangle(&c, d.text, d.len, &next);
		read_both(&b, &d, next.data, next.len);
		buf_free(&next);
	}
	assert_true(b.lessons > 1);
	again_both_end(&b);
	free(d.text);
}

CASE(test_anything_changes)
{
	anything_changes(a_switch());
	anything_changes(a_host());
}

/* Replaces the first of the words; the same length is not asked for. */
static char *with(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	struct buf b;

	assert_non_null(at);
	buf_init(&b, (size_t)1 << 24);
	(void)buf_add(&b, text, (size_t)(at - text));
	(void)buf_adds(&b, to);
	(void)buf_adds(&b, at + strlen(from));
	return buf_take(&b, NULL);
}

static const char small[] = "@@begin\n1795415165056120000\n@@uptime\n3977272.43 5.00\n"
			    "@@map\nmlx5_0/device/net/eth0\n@@ib\n"
			    "mlx5_0/ports/1/state:4: ACTIVE\n"
			    "mlx5_0/ports/1/counters/port_rcv_data:NUMBER\n"
			    "mlx5_0/ports/1/hw_counters/unheard_of:7\n"
			    "@@end\n1795415165056130000\n";

/* Reads the host with one number and then the other; how often it was like the last. */
static unsigned fits(const char *first, const char *then)
{
	struct device d = {.ops = backend_by_name("linux"), .target = &host};
	char *a = with(small, "NUMBER", first), *b = with(small, "NUMBER", then);
	struct answer_cache_both both;
	unsigned n;

	again_both_begin(&both);
	read_both(&both, &d, a, strlen(a));
	read_both(&both, &d, b, strlen(b));
	n = both.fits;
	again_both_end(&both);
	free(a);
	free(b);
	return n;
}

CASE(test_what_a_number_may_be)
{
	assert_int_equal(fits("5", "5"), 1);
	assert_int_equal(fits("9", "10"), 1);
	assert_int_equal(fits("10", "9"), 1);
	assert_int_equal(fits("0", "123456789012345678"), 1);
	assert_int_equal(fits("99999999", "100000000"), 1);
	/* More digits than surely fit, and forms that other readers take for another number. */
	assert_int_equal(fits("0", "1234567890123456789"), 0);
	assert_int_equal(fits("5", "05"), 0);
	assert_int_equal(fits("05", "06"), 0);
	assert_int_equal(fits("5", "-5"), 0);
	assert_int_equal(fits("5", "5.0"), 0);
	assert_int_equal(fits("0e3", "5e3"), 0);
	assert_int_equal(fits("1,000", "2,000"), 0);
	assert_int_equal(fits("5", ""), 0);
	assert_int_equal(fits("5", "N/A"), 0);
	assert_int_equal(fits("5", "5\nmlx5_0/ports/1/counters/port_xmit_data:3"), 0);
}

/* The number of a name that nobody knows may be anything. */
CASE(test_what_nobody_reads)
{
	struct device d = {.ops = backend_by_name("linux"), .target = &host};
	char *a = with(small, "NUMBER", "5"), *b = with(a, "unheard_of:7", "unheard_of:812");
	struct answer_cache_both both;

	again_both_begin(&both);
	read_both(&both, &d, a, strlen(a));
	read_both(&both, &d, b, strlen(b));
	assert_int_equal(both.fits, 1);
	again_both_end(&both);
	free(a);
	free(b);
}

/* A clock that went back is for parse(): perhaps the device restarted. */
CASE(test_time_that_goes_back)
{
	struct device d = {.ops = backend_by_name("linux"), .target = &host};
	char *a = with(small, "NUMBER", "5"), *b = with(a, "3977272.43", "3.12");
	struct answer_cache_both both;

	again_both_begin(&both);
	read_both(&both, &d, a, strlen(a));
	read_both(&both, &d, b, strlen(b));
	assert_int_equal(both.fits, 0);
	again_both_end(&both);
	free(a);
	free(b);
}

static bool is_word_of_port(const struct obs_item *it)
{
	return (it->kind == OBS_WORD || it->kind == OBS_NUMBER) && it->port != OBS_NO_PORT;
}

/* Only changed cells are named, the device's own attributes, and the state of ports. */
CASE(test_a_sparse_batch)
{
	char *a = with(small, "NUMBER", "5"), *b = with(a, "rcv_data:5", "rcv_data:6");
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct decode decode = {.shelf = shelf};
	size_t counts[3], words[3], rest[3];

	for (int i = 0; i < 3; i++) {
		struct obs *o = obs_new(host.device, "fast");
		const char *text = i == 2 ? b : a;
		struct err err = {0};

		assert_true(decode_answer(&decode, backend_by_name("linux"), &host, "fast", text,
			strlen(text), 1000 + i, o, &err));
		assert_int_equal(o->number, i + 1);
		assert_int_equal(o->unchanged_rest, i > 0);
		assert_int_equal(o->ports.n, 1);
		counts[i] = words[i] = rest[i] = 0;
		for (size_t k = 0; k < o->items.n; k++) {
			const struct obs_item *it = &o->items.at[k];

			counts[i] += it->kind <= OBS_VALID;
			rest[i] += is_word_of_port(it) && it->code != ATTR_OPER;
			words[i] += it->kind > OBS_VALID &&
				    (!is_word_of_port(it) || it->code == ATTR_OPER);
		}
		if (i == 2)
			assert_int_equal(cell_count(at_port(o, "mlx5_0"), "rx_bytes", 0), 24);
		obs_free(o);
	}
	assert_true(counts[0] > 10);
	assert_int_equal(counts[1], 0);
	assert_int_equal(counts[2], 1);
	assert_int_equal(words[1], words[0]);
	assert_int_equal(words[2], words[0]);
	assert_true(rest[0] > 0);
	assert_int_equal(rest[1] + rest[2], 0);
	decode_free(&decode);
	answer_shelf_free(shelf);
	free(a);
	free(b);
}

/* Facts that answers are read with make the next one a whole one; how it is asked does not. */
CASE(test_facts_of_answers)
{
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct decode decode = {.shelf = shelf};
	struct facts facts = {0};
	struct target t = host;
	char *a = with(small, "NUMBER", "5");

	t.facts = &facts;
	for (int i = 0; i < 6; i++) {
		struct obs *o = obs_new(host.device, "fast");
		struct err err = {0};

		if (i == 2)
			facts_set(&facts, FACT_ASK "fast", "5f");
		if (i == 4)
			facts_set(&facts, "stuck.fast", "mlx5_0");
		assert_true(decode_answer(&decode, backend_by_name("linux"), &t, "fast", a,
			strlen(a), 1000 + i, o, &err));
		assert_int_equal(o->unchanged_rest, i > 0 && i < 4);
		facts_learn(&facts, o);
		obs_free(o);
	}
	facts_free(&facts);
	decode_free(&decode);
	answer_shelf_free(shelf);
	free(a);
}

/* Whole: the first, after a silence, at least once in a while, after other facts. */
CASE(test_whole_batches)
{
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct decode decode = {.shelf = shelf};
	struct facts facts = {0};
	struct target t = host;
	char *a = with(small, "NUMBER", "5");
	unsigned whole = 0, n = 0;

	t.facts = &facts;
	for (int64_t now = 1; n < 800; now += 5000000, n++) {
		struct obs *o = obs_new(host.device, "fast");
		struct err err = {0};
		bool must = n < 1 || n == 50 || n == 101 || n == 150;

		if (n == 50)
			now += DECODE_BROKEN_US;
		if (n == 101)
			decode_forget(&decode);
		if (n == 150)
			facts_set(&facts, "timeout", "1");
		assert_true(decode_answer(
			&decode, backend_by_name("linux"), &t, "fast", a, strlen(a), now, o, &err));
		if (must)
			assert_false(o->unchanged_rest);
		whole += !o->unchanged_rest;
		obs_free(o);
	}
	/* 4,000 s and the four above. */
	assert_in_range(whole, 4000 / 300 - 1, 4000 / 300 + 7);
	facts_free(&facts);
	decode_free(&decode);
	assert_int_equal(answer_shelf_bytes(shelf), 0);
	answer_shelf_free(shelf);
	free(a);
}

/*
 * A device that is polled rarely is not silent in between, and gets as many sparse batches to a
 * whole one.
 */
CASE(whole_batches_of_who_is_asked_rarely)
{
	const int64_t every = 30 * CLOCK_SEC;
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct decode decode = {.shelf = shelf, .every_us = every};
	char *a = with(small, "NUMBER", "5");
	unsigned whole = 0, n = 0;

	for (int64_t now = 1; n < 600; now += every + (n % 3) * CLOCK_SEC, n++) {
		struct obs *o = obs_new(host.device, "fast");
		struct err err = {0};

		/* One was missed. */
		if (n == 300)
			now += every;
		assert_true(decode_answer(&decode, backend_by_name("linux"), &host, "fast", a,
			strlen(a), now, o, &err));
		if (n == 300)
			assert_false(o->unchanged_rest);
		whole += !o->unchanged_rest;
		obs_free(o);
	}
	assert_in_range(whole, 600 / DECODE_WHOLE_POLLS - 1, 600 / DECODE_WHOLE_POLLS + 4);
	decode_free(&decode);
	answer_shelf_free(shelf);
	free(a);
}

static bool names(const struct obs *o, enum obs_attr attr)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (is_word_of_port(&o->items.at[i]) && o->items.at[i].code == attr)
			return true;
	return false;
}

/* The model may have the value of another request for these ports: it is named each time. */
CASE(test_what_others_tell_too)
{
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct decode decode = {.shelf = shelf};
	struct obs *other = obs_new(host.device, "slow");
	char *a = with(small, "NUMBER", "5");
	struct err err = {0};

	obs_word(other, OBS_NO_PORT, ATTR_NETDEV, 0, "of the device");
	decode_saw(&decode, other);
	for (int i = 0; i < 8; i++) {
		struct obs *o = obs_new(host.device, "fast");
		bool sparse = i > 0 && i != 4;

		if (i == 4)
			obs_word(other, obs_port(other, "mlx5_0"), ATTR_NETDEV, 0, "eth7");
		if (i >= 4)
			decode_saw(&decode, other);
		assert_true(decode_answer(&decode, backend_by_name("linux"), &host, "fast", a,
			strlen(a), 1000 + i, o, &err));
		assert_int_equal(o->unchanged_rest, sparse);
		assert_int_equal(names(o, ATTR_NETDEV), !sparse || i >= 4);
		assert_true(names(o, ATTR_OPER));
		obs_free(o);
	}
	obs_free(other);
	decode_free(&decode);
	answer_shelf_free(shelf);
	free(a);
}

/* A counter and a FEC mode of one port. */
static void say(struct obs *o, uint64_t n, const char *fec)
{
	uint32_t port = obs_port(o, "Ethernet0");

	obs_count(o, port, CTR_RX_BYTES, 0, n);
	obs_word(o, port, ATTR_FEC, 0, fec);
}

/* One answer with two batches: the second changes the values of the first, each time. */
CASE(test_words_told_twice)
{
	static const char *const text = "12 34\n";
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct answer_cache *a = answer_cache_new(shelf);
	struct obs *o = obs_new("leaf-r0-00", "fast"), *more = obs_more(o, "pfc");
	struct number_positions *s = answer_cache_lesson(a, text, strlen(text));
	uint16_t cell = counter_cell(CTR_RX_BYTES, 0);

	say(o, 12, "rs");
	positions_add(s, text, 2, 0, cell, 1);
	positions_next(s);
	say(more, 34, "none");
	obs_word(more, 0, ATTR_ALIAS, 0, "etp1");
	positions_add(s, text + 3, 2, 0, cell, 1);
	assert_true(answer_cache_attrs(o) == ANSWER_CACHE_ATTR(ATTR_FEC));
	assert_true(answer_cache_attrs(more) ==
		    (ANSWER_CACHE_ATTR(ATTR_FEC) | ANSWER_CACHE_ATTR(ATTR_ALIAS)));
	assert_true(answer_cache_learn(a, o));
	obs_free(o);
	o = obs_new("leaf-r0-00", "fast");
	assert_true(answer_cache_read(a, "13 34\n", strlen(text), o));
	assert_true(names(o, ATTR_FEC));
	assert_true(names(o->more, ATTR_FEC));
	assert_false(names(o->more, ATTR_ALIAS));
	obs_free(o);
	answer_cache_free(a);
	assert_int_equal(answer_shelf_bytes(shelf), 0);
	answer_shelf_free(shelf);
}

CASE(test_whole_after_a_loss)
{
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	atomic_uint lost = 0;
	struct decode decode = {.shelf = shelf, .lost = &lost};
	char *a = with(small, "NUMBER", "5");
	struct err err = {0};

	for (int i = 0; i < 9; i++) {
		struct obs *o = obs_new(host.device, "fast");

		lost += i == 4 || i == 6;
		assert_true(decode_answer(&decode, backend_by_name("linux"), &host, "fast", a,
			strlen(a), 1000 + i, o, &err));
		assert_int_equal(o->unchanged_rest, i > 0 && i != 4 && i != 6);
		obs_free(o);
	}
	decode_free(&decode);
	answer_shelf_free(shelf);
	free(a);
}

/* The cache learns an answer that differs each time ever more rarely. */
CASE(test_never_alike)
{
	struct device d = {.ops = backend_by_name("linux"), .target = &host};
	struct answer_cache_both b;
	char word[64];

	again_both_begin(&b);
	for (int i = 0; i < 1000; i++) {
		char *text;

		(void)str_printf(word, sizeof(word), "4: STATE%d", i);
		text = with(small, "4: ACTIVE", word);
		read_both(&b, &d, text, strlen(text));
		free(text);
	}
	assert_int_equal(b.fits, 0);
	assert_in_range(b.lessons, 4, 40);
	again_both_end(&b);
}

/* Devices of the same shape have it once; a full shelf takes nothing more. */
CASE(test_the_shelf)
{
	struct device d = a_switch();
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct decode a = {.shelf = shelf}, b = {.shelf = shelf}, c = {.shelf = NULL};
	size_t one = 0, two = 0;

	for (int i = 0; i < 6; i++) {
		struct decode *which = i < 2 ? &a : i < 4 ? &b : &c;
		struct obs *o = obs_new(leaf.device, "fast");
		struct err err = {0};

		assert_true(decode_answer(
			which, d.ops, &leaf, "fast", d.text, d.len, 1000 + i, o, &err));
		assert_int_equal(o->unchanged_rest, i == 1 || i == 3);
		obs_free(o);
		if (i == 1)
			one = answer_shelf_bytes(shelf);
		if (i == 3)
			two = answer_shelf_bytes(shelf);
	}
	assert_true(one > d.len);
	assert_true(two > one && two < 2 * one);
	assert_int_equal(answer_shelf_bytes(shelf), two);
	decode_free(&b);
	assert_int_equal(answer_shelf_bytes(shelf), one);
	decode_free(&a);
	decode_free(&c);
	answer_shelf_free(shelf);
	shelf = answer_shelf_new(d.len);
	a = (struct decode){.shelf = shelf};
	for (int i = 0; i < 4; i++) {
		struct obs *o = obs_new(leaf.device, "fast");
		struct err err = {0};

		assert_true(
			decode_answer(&a, d.ops, &leaf, "fast", d.text, d.len, 1000 + i, o, &err));
		assert_false(o->unchanged_rest);
		obs_free(o);
	}
	assert_int_equal(answer_shelf_bytes(shelf), 0);
	decode_free(&a);
	answer_shelf_free(shelf);
	free(d.text);
}

/* A change that the device reports may be the end of a number that begins before it. */
CASE(test_the_end_of_a_fraction)
{
	struct device d = {.ops = backend_by_name("linux"), .target = &host};
	char *a = with(small, "NUMBER", "5"), *b = with(a, "3977272.43 5.00", "3977272.44 5.00");
	char *c = with(b, "5.00", "5.07"), *e = with(c, "5.07", "5.0x");
	struct answer_cache_both both;

	again_both_begin(&both);
	read_both(&both, &d, a, strlen(a));
	read_both(&both, &d, b, strlen(b));
	read_both(&both, &d, c, strlen(c));
	assert_int_equal(both.fits, 2);
	assert_int_equal(both.by_changes, 2);
	read_both(&both, &d, e, strlen(e));
	assert_int_equal(both.fits, 2);
	again_both_end(&both);
	free(a);
	free(b);
	free(c);
	free(e);
}

/* A text kept elsewhere is not copied here, and no other text than the last one is ever read. */
CASE(test_texts_that_are_kept)
{
	char *a = with(small, "NUMBER", "5"), *b = with(a, "rcv_data:5", "rcv_data:6");
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct text_before before = {.id = 1};
	struct decode decode = {.shelf = shelf};
	size_t own = 0;

	for (int i = 0; i < 8; i++) {
		struct obs *o = obs_new(host.device, "fast");
		const char *text = i % 2 ? b : a;
		struct err err = {0};

		decode.before = i < 2 || i == 6 ? NULL : &before;
		assert_true(decode_answer(&decode, backend_by_name("linux"), &host, "fast", text,
			strlen(text), 1000 + i, o, &err));
		if (i == 1)
			own = answer_shelf_bytes(shelf);
		if (i >= 2 && i <= 5)
			assert_true(answer_shelf_bytes(shelf) + strlen(text) <= own);
		/* An answer was left out before 4; the one before 6 is not kept. */
		assert_int_equal(o->unchanged_rest, i && i != 4 && i != 6);
		obs_free(o);
		before.bytes = text;
		before.len = strlen(text);
		before.was = i == 3 ? 1000 : before.id;
		before.id++;
	}
	decode_free(&decode);
	assert_int_equal(answer_shelf_bytes(shelf), 0);
	answer_shelf_free(shelf);
	free(a);
	free(b);
}

CASES_MAIN(NULL, NULL)
