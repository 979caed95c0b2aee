/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/collector/queue.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define SEC CLOCK_SEC

static struct obs *make(const char *device, const char *request, enum obs_result result)
{
	struct obs *o = obs_new(device, request);

	o->result = result;
	return o;
}

static void expect(struct obs_queue *q, const char *words)
{
	char got[512] = "";
	struct obs *next;

	for (struct obs *o = queue_take_all(q); o; o = next) {
		size_t n = strlen(got);

		next = o->next;
		str_printf(got + n, sizeof(got) - n, "%s/%s ", o->device, o->request);
		obs_free(o);
	}
	assert_string_equal(got, words);
}

CASE(keeps_the_order)
{
	struct obs_queue q;

	queue_init(&q, SEC);
	assert_null(queue_take_all(&q));
	(void)queue_push(&q, make("a", "1", OBS_DATA), SEC);
	(void)queue_push(&q, make("b", "2", OBS_FAILED), SEC);
	(void)queue_push(&q, make("a", "3", OBS_DATA), SEC);
	expect(&q, "a/1 b/2 a/3 ");
	expect(&q, "");
	(void)queue_push(&q, make("a", "4", OBS_DATA), SEC);
	expect(&q, "a/4 ");
	queue_free(&q);
}

CASE(a_full_queue_costs_the_device_its_own_oldest_data)
{
	struct obs_queue q;

	queue_init(&q, SEC);
	q.max_n = 4;
	(void)queue_push(&q, make("a", "1", OBS_CONNECTED), SEC);
	(void)queue_push(&q, make("b", "1", OBS_DATA), SEC);
	(void)queue_push(&q, make("a", "2", OBS_DATA), SEC);
	(void)queue_push(&q, make("a", "3", OBS_DATA), SEC);
	(void)queue_push(&q, make("a", "4", OBS_DATA), SEC);
	(void)queue_push(&q, make("a", "5", OBS_DATA), SEC);
	assert_int_equal(q.n, 4);
	assert_int_equal(q.dropped, 2);
	assert_int_equal(q.lost, 2);
	expect(&q, "a/1 b/1 a/4 a/5 ");
	/* A device without data there takes the place of the oldest of all. */
	for (int i = 0; i < 4; i++)
		(void)queue_push(&q, make("a", i ? "n" : "first", OBS_DATA), SEC);
	(void)queue_push(&q, make("c", "1", OBS_DATA), SEC);
	expect(&q, "a/n a/n a/n c/1 ");
	queue_free(&q);
}

CASE(says_when_enough_waits)
{
	struct obs_queue q;

	queue_init(&q, SEC);
	assert_false(queue_is_full(&q));
	(void)queue_push(&q, make("a", "1", OBS_DATA), SEC);
	q.enough = q.bytes + 1;
	assert_false(queue_is_full(&q));
	(void)queue_push(&q, make("b", "2", OBS_DATA), SEC);
	assert_true(queue_is_full(&q));
	/* The queue calls the writer, and accepts batches that are under way. */
	expect(&q, "a/1 b/2 ");
	assert_false(queue_is_full(&q));
	/* Small ones are dropped by their number: it says so before that, too. */
	q.max_n = 4;
	(void)queue_push(&q, make("a", "1", OBS_DATA), SEC);
	assert_false(queue_is_full(&q));
	q.enough = QUEUE_ENOUGH;
	(void)queue_push(&q, make("a", "2", OBS_DATA), SEC);
	assert_true(queue_is_full(&q));
	expect(&q, "a/1 a/2 ");
	queue_free(&q);
}

CASE(the_last_one_can_be_dropped)
{
	struct obs_queue q;

	queue_init(&q, SEC);
	q.max_n = 1;
	(void)queue_push(&q, make("a", "1", OBS_DATA), SEC);
	(void)queue_push(&q, make("a", "2", OBS_DATA), SEC);
	(void)queue_push(&q, make("b", "3", OBS_DATA), SEC);
	expect(&q, "b/3 ");
	queue_free(&q);
}

CASE(memory_is_bounded_too)
{
	struct obs_queue q;
	struct obs *o;

	queue_init(&q, SEC);
	q.max_bytes = 1 << 20;
	for (int i = 0; i < 100; i++) {
		o = make("a", "big", OBS_DATA);
		for (int k = 0; k < 4000; k++)
			obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, k);
		(void)queue_push(&q, o, SEC);
		assert_true(q.bytes <= q.max_bytes);
	}
	assert_true(q.n >= 1);
	queue_free(&q);
}

CASE(wakes_at_once_after_quiet_then_at_intervals)
{
	struct obs_queue q;

	queue_init(&q, SEC);
	assert_int_equal(queue_push(&q, make("a", "1", OBS_DATA), 10 * SEC), 0);
	/* The next one waits, and only one waker is needed. */
	assert_int_equal(queue_push(&q, make("a", "2", OBS_DATA), 10 * SEC + SEC / 4), SEC * 3 / 4);
	assert_int_equal(queue_push(&q, make("a", "3", OBS_DATA), 10 * SEC + SEC / 2), -1);
	assert_true(queue_wake_due(&q, 11 * SEC));
	assert_int_equal(queue_push(&q, make("a", "4", OBS_DATA), 11 * SEC + 1), SEC - 1);
	expect(&q, "a/1 a/2 a/3 a/4 ");
	/* Drained in the meantime: nothing to wake for, and quiet again. */
	assert_false(queue_wake_due(&q, 12 * SEC));
	assert_int_equal(queue_push(&q, make("a", "5", OBS_DATA), 13 * SEC), 0);
	queue_free(&q);
}

CASES_MAIN(NULL, NULL)
