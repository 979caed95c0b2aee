/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tests/support/cases.h"
#include "tests/support/obs_same.h"

static void same_item(const struct obs *a, const struct obs *b, size_t i)
{
	const struct obs_item *x = &a->items.at[i], *y = &b->items.at[i];

	if (x->kind != y->kind || x->code != y->code || x->sub != y->sub || x->cell != y->cell ||
		x->port != y->port || strcmp(obs_text(a, x->text), obs_text(b, y->text)) != 0 ||
		(obs_has_text2(x) ? strcmp(obs_text(a, x->text2), obs_text(b, y->text2)) != 0
				  : x->u64 != y->u64))
		fail_msg("item %zu of %s: \"%s\" and \"%s\"", i, a->request, obs_text(a, x->text),
			obs_text(b, y->text));
}

void obs_same(const struct obs *a, const struct obs *b)
{
	for (; a && b; a = a->more, b = b->more) {
		assert_string_equal(a->request, b->request);
		assert_int_equal(a->err.code, b->err.code);
		assert_int_equal(a->device_us, b->device_us);
		assert_memory_equal(a->refresh_ms, b->refresh_ms, sizeof(a->refresh_ms));
		assert_int_equal(a->ports.n, b->ports.n);
		for (size_t i = 0; i < a->ports.n; i++) {
			assert_string_equal(a->ports.at[i].name, b->ports.at[i].name);
			assert_int_equal(a->ports.at[i].sample_us, b->ports.at[i].sample_us);
		}
		assert_int_equal(a->items.n, b->items.n);
		for (size_t i = 0; i < a->items.n; i++)
			same_item(a, b, i);
	}
	assert_true(!a && !b);
}
