/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/need.h"

#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define NO_COUNTER COUNTER_COUNT

const struct need_info need_info[NEED_COUNT] = {
#define NEED(id, number, who, group, counter, name)                                                \
	[NEED_##id] = {name, number, NEED_OF_##who, group, counter},
#include "fabric/vocabulary/capabilities.def"
#undef NEED
};

enum need_id need_by_name(const char *name)
{
	unsigned i = 0;

	while (i < NEED_COUNT && !str_eq(need_info[i].name, name))
		i++;
	return (enum need_id)i;
}

bool need_applies(enum need_id need, enum tier tier)
{
	enum need_who who = need_info[need].who;

	return who == NEED_OF_ANY || (who == NEED_OF_HOST) == (tier == TIER_HOST);
}
