/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/clock_steps.h"

#include "base/json_out.h"
#include "base/str.h"

static bool in_window(const struct clock_track *t, size_t i, int64_t from_us, int64_t to_us)
{
	return t->steps.at[i].at_us > from_us && t->steps.at[i].at_us <= to_us;
}

json_t *clock_steps_json(const struct model *m, int64_t from_us, int64_t to_us)
{
	const struct clock_track *t = model_clock(m);
	json_t *list = NULL;
	char text[96];

	for (size_t i = 0; t && i < t->steps.n; i++) {
		const struct clock_step *s = &t->steps.at[i];
		int64_t after = clock_track_wall(t, s->at_us);

		if (!in_window(t, i, from_us, to_us))
			continue;
		list = list ? list : json_array();
		json_append(list, json_pack("{s:o, s:o, s:o, s:s}", "t",
					  json_number_or_null((double)after / 1e6), "from",
					  json_number_or_null((double)(after - s->by_us) / 1e6),
					  "by_s", json_number_or_null((double)s->by_us / 1e6),
					  "text", clock_step_sentence(t, i, text, sizeof(text))));
	}
	return list ? list : json_null();
}

size_t clock_steps_line(
	const struct model *m, int64_t from_us, int64_t to_us, char *dst, size_t size)
{
	const struct clock_track *t = model_clock(m);
	char text[96] = "", more[48] = "";
	size_t n = 0;

	for (size_t i = t ? t->steps.n : 0; i-- > 0;)
		if (in_window(t, i, from_us, to_us) && n++ == 0)
			(void)clock_step_sentence(t, i, text, sizeof(text));
	if (n > 1)
		(void)str_printf(
			more, sizeof(more), ", and %zu earlier step%s", n - 1, str_plural(n - 1));
	(void)str_printf(dst, size, "%s%s", text, more);
	return n;
}
