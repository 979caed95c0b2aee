/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/slots_doc.h"

#include <string.h>

static bool is_number(const struct dv *v)
{
	return dv_is(v, DV_INTEGER) || dv_is(v, DV_UNSIGNED) || dv_is(v, DV_REAL);
}

struct slot_word slots_text(const struct slots *s, const struct dv *v)
{
	const char *at = s && s->doc ? doc_source(s->doc, v) : NULL;
	size_t n = 0, left;

	if (!at)
		return (struct slot_word){0};
	if (!is_number(v))
		return (struct slot_word){at, dv_text_len(v)};
	left = (size_t)(s->bytes + s->len - at);
	while (n < left && strchr("0123456789+-.eE", at[n]) && at[n])
		n++;
	return (struct slot_word){at, n};
}

void slots_value(
	struct slots *s, const struct dv *v, uint32_t port, enum counter_id id, unsigned sub)
{
	struct slot_word text = slots_text(s, v);

	if (text.at)
		slots_add(s, text.at, text.n, port, counter_cell(id, sub), 1);
}

void slots_idle(struct slots *s, const struct dv *v)
{
	if (!s)
		return;
	for (dv_members(member, v))
		slots_idle(s, member);
	for (dv_items(item, v))
		slots_idle(s, item);
	if (is_number(v)) {
		struct slot_word text = slots_text(s, v);

		slots_real(s, text.at, text.n);
	}
}
