/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/number_positions_json.h"

#include <string.h>

#include "base/str.h"

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

void slots_size(
	struct slots *s, const struct dv *v, uint32_t port, enum counter_id id, unsigned sub)
{
	struct slot_word text = slots_text(s, v);

	if (text.at && dv_text(v))
		slots_amount(s, text.at, text.n, port, counter_cell(id, sub));
	else if (text.at)
		slots_add(s, text.at, text.n, port, counter_cell(id, sub), 1);
}

void slots_any(struct slots *s, const struct dv *v)
{
	struct slot_word text = slots_text(s, v);

	if (text.at)
		slots_unused(s, text.at, text.n);
}

static void add_unused(struct slots *s, const struct dv *v)
{
	struct slot_word text = slots_text(s, v);

	if (text.at && is_number(v))
		slots_real(s, text.at, text.n);
	else if (text.at)
		slots_string(s, text.at, text.n);
}

void slots_idle(struct slots *s, const struct dv *v)
{
	if (!s)
		return;
	for (dv_members(member, v))
		slots_idle(s, member);
	for (dv_items(item, v))
		slots_idle(s, item);
	add_unused(s, v);
}

#define PATH_MOST 256

static void add_unread(struct slots *s, const struct dv *v, const char *within, char between,
	bool (*is_read)(const char *path))
{
	char path[PATH_MOST];

	for (dv_members(member, v))
		if (str_printf(path, sizeof(path), "%s%.*s%s", within, *within != '\0', &between,
			    dv_name(member)))
			add_unread(s, member, path, between, is_read);
	for (dv_items(item, v))
		add_unread(s, item, within, between, is_read);
	if (!is_read(within))
		add_unused(s, v);
}

void slots_unread(
	struct slots *s, const struct dv *v, char between, bool (*is_read)(const char *path))
{
	if (s)
		add_unread(s, v, "", between, is_read);
}
