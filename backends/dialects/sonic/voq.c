/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "base/str.h"

/*
 * Virtual output queues of a card that lead to ports of other cards. The ports are none of this
 * device, so what is lost there is told as an event. Counters are cumulative: the first poll only
 * remembers them. Source: portsorch.cpp of sonic-swss, `show queue counters --voq`.
 */

struct far_sum {
	uint64_t dropped, deleted, most;
	const char *where; /* of the most */
};

static uint64_t count_at(const struct json_value *pair, size_t i)
{
	uint64_t n = 0;

	(void)str_to_u64(json_value_text_or(json_value_at(pair, i), ""), &n);
	return n;
}

static struct far_sum sum_of(const struct json_value *queues)
{
	struct far_sum sum = {.where = ""};

	for (json_value_members(v, queues)) {
		uint64_t dropped = count_at(v, 0), deleted = count_at(v, 1);

		sum.dropped += dropped;
		sum.deleted += deleted;
		if (dropped + deleted > sum.most) {
			sum.most = dropped + deleted;
			sum.where = json_value_name(v);
		}
	}
	return sum;
}

static void tell_loss(struct obs *o, const struct far_sum *sum, uint64_t dropped, uint64_t deleted)
{
	char text[240];

	str_printf(text, sizeof(text),
		"packets to ports of other cards are lost: %" PRIu64 " dropped and %" PRIu64
		" deleted by the credit watchdog since they were last read, "
		"most of all time at %.80s",
		sum->dropped > dropped ? sum->dropped - dropped : 0,
		sum->deleted > deleted ? sum->deleted - deleted : 0, sum->where);
	obs_log(o, OBS_NO_PORT, -1, true, 0, text);
}

void sonic_parse_far(const struct target *t, const struct json_value *doc, struct obs *o)
{
	const struct json_value *far = json_value_get(doc, "far");
	const char *at = json_value_text_or(json_value_get(far, "at"), "");
	struct far_sum sum = sum_of(json_value_get(far, "q"));
	double ports = 0, counted = 0;
	char key[80], text[64];
	const char *before;

	if (!json_value_is(far, DV_OBJECT) || !str_printf(key, sizeof(key), "voq %.60s", at))
		return;
	(void)json_value_real(json_value_get(far, "n"), &ports);
	(void)json_value_real(json_value_get(far, "k"), &counted);
	before = facts_get(t->facts, key);
	if (ports > 0 && !(counted > 0)) {
		/* Once: nothing of it is known, which is not nothing lost. */
		if (!str_eq(before, "none"))
			obs_log(o, OBS_NO_PORT, -1, false, 0,
				"the queues to ports of other cards have no counters: losses there "
				"are not seen");
		obs_fact(o, key, "none");
		return;
	}
	if (*before && !str_eq(before, "none")) {
		char *rest;
		uint64_t dropped = strtoull(before, &rest, 10), deleted = strtoull(rest, NULL, 10);

		if (sum.dropped > dropped || sum.deleted > deleted)
			tell_loss(o, &sum, dropped, deleted);
	}
	str_printf(text, sizeof(text), "%" PRIu64 " %" PRIu64, sum.dropped, sum.deleted);
	obs_fact(o, key, text);
}
