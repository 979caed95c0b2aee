/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/schedule.h"

#include <string.h>

#include "base/str.h"

static void add(struct schedule *s, unsigned queue, const char *type, const char *weight)
{
	size_t at = strlen(s->text);

	if (!str_printf(s->text + at, sizeof(s->text) - at, "%s%u:%s%s%s", at ? " " : "", queue,
		    type, *weight ? " " : "", weight))
		s->text[at] = '\0';
}

void schedule_strict(struct schedule *s, unsigned queue)
{
	add(s, queue, "STRICT", "");
}

void schedule_weighted(struct schedule *s, unsigned queue, const char *type, const char *weight)
{
	add(s, queue, type, str_eq(weight, "-") ? "" : weight);
}

bool schedule_emit(const struct schedule *s, struct obs *o, uint32_t port)
{
	if (*s->text)
		obs_word(o, port, ATTR_SCHEDULER, 0, s->text);
	return *s->text != '\0';
}
