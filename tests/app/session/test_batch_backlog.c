/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "app/session/batch_backlog.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

static struct obs *batch(unsigned ports)
{
	struct obs *o = obs_new("leaf-r0-00", "fast");
	char name[16];

	for (unsigned i = 0; i < ports; i++) {
		(void)str_printf(name, sizeof(name), "Ethernet%u", i);
		obs_count(o, obs_port(o, name), CTR_RX_BYTES, 0, i);
	}
	return o;
}

static void the_oldest_comes_first(void **state)
{
	struct batch_backlog h = {0};
	struct obs *o[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		o[i] = batch(1);
		batch_backlog_add(&h, o[i], SIZE_MAX);
	}
	assert_int_equal(h.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(batch_backlog_take(&h), o[i]);
		assert_null(o[i]->next);
		obs_free(o[i]);
	}
	assert_null(batch_backlog_take(&h));
	assert_int_equal(h.bytes, 0);
}

static void bytes_are_bounded_and_one_stays(void **state)
{
	struct batch_backlog h = {0};
	struct obs *last = NULL;
	size_t gone = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		gone += batch_backlog_add(&h, last = batch(64), 20000);
	assert_int_equal(h.n + gone, 100);
	assert_true(h.bytes <= 20000 || h.n == 1);
	assert_true(h.n < 100);
	batch_backlog_add(&h, last = batch(2000), 20000);
	assert_int_equal(h.n, 1);
	assert_ptr_equal(batch_backlog_take(&h), last);
	obs_free(last);
}

/* Whatever a batch holds counts towards the bound. */
static void bgp_sessions_and_the_command_are_counted(void **state)
{
	struct batch_backlog h = {0};
	struct obs *o = batch(1);
	size_t bytes;

	(void)state;
	(void)batch_backlog_add(&h, batch(1), SIZE_MAX);
	bytes = h.bytes;
	obs_free(batch_backlog_take(&h));
	for (unsigned i = 0; i < 100; i++) {
		char peer[16];

		(void)str_printf(peer, sizeof(peer), "10.0.0.%u", i);
		assert_non_null(obs_bgp(o, BGP_IPV4, "default", peer, "", BGP_ESTABLISHED));
	}
	o->asked = mem_calloc(1, 3001);
	memset(o->asked, 'x', 3000);
	(void)batch_backlog_add(&h, o, SIZE_MAX);
	assert_true(h.bytes >= bytes + 100 * sizeof(struct obs_bgp) + 3001);
	assert_int_equal(batch_backlog_add(&h, batch(1), h.bytes), 1);
	obs_free(batch_backlog_take(&h));
	assert_int_equal(h.bytes, 0);
}

/* The recorder keeps a batch after the model has released it. */
static void a_shared_batch_lives_until_its_last_owner(void **state)
{
	struct obs *o = batch(2), *second = obs_share(o);

	(void)state;
	assert_ptr_equal(o, second);
	obs_free(o);
	assert_int_equal(second->ports.n, 2);
	assert_string_equal(second->ports.at[1].name, "Ethernet1");
	obs_free(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_comes_first),
		cmocka_unit_test(bytes_are_bounded_and_one_stays),
		cmocka_unit_test(bgp_sessions_and_the_command_are_counted),
		cmocka_unit_test(a_shared_batch_lives_until_its_last_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
