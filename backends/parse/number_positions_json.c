/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/number_positions_json.h"

#include <string.h>

#include "base/str.h"

static bool is_number(const struct json_value *v)
{
	return json_value_is(v, DV_INTEGER) || json_value_is(v, DV_UNSIGNED) ||
	       json_value_is(v, DV_REAL);
}

struct position_word positions_text(const struct number_positions *s, const struct json_value *v)
{
	const char *at = s && s->doc ? json_select_source(s->doc, v) : NULL;
	size_t n = 0, left;

	if (!at)
		return (struct position_word){0};
	if (!is_number(v))
		return (struct position_word){at, json_value_text_len(v)};
	left = (size_t)(s->bytes + s->len - at);
	while (n < left && strchr("0123456789+-.eE", at[n]) && at[n])
		n++;
	return (struct position_word){at, n};
}

void positions_value(struct number_positions *s, const struct json_value *v, uint32_t port,
	counter_id id, unsigned sub)
{
	struct position_word text = positions_text(s, v);

	if (text.at)
		positions_add(s, text.at, text.n, port, counter_cell(id, sub), 1);
}

void positions_size(struct number_positions *s, const struct json_value *v, uint32_t port,
	counter_id id, unsigned sub)
{
	struct position_word text = positions_text(s, v);

	if (text.at && json_value_text(v))
		positions_amount(s, text.at, text.n, port, counter_cell(id, sub));
	else if (text.at)
		positions_add(s, text.at, text.n, port, counter_cell(id, sub), 1);
}

void positions_any(struct number_positions *s, const struct json_value *v)
{
	struct position_word text = positions_text(s, v);

	if (text.at)
		positions_unused(s, text.at, text.n);
}

static void add_unused(struct number_positions *s, const struct json_value *v)
{
	struct position_word text = positions_text(s, v);

	if (text.at && is_number(v))
		positions_real(s, text.at, text.n);
	else if (text.at)
		positions_string(s, text.at, text.n);
}

void positions_idle(struct number_positions *s, const struct json_value *v)
{
	if (!s)
		return;
	for (json_value_members(member, v))
		positions_idle(s, member);
	for (json_value_items(item, v))
		positions_idle(s, item);
	add_unused(s, v);
}

#define PATH_MOST 256

static void add_unread(struct number_positions *s, const struct json_value *v, const char *within,
	char between, bool (*is_read)(const char *path))
{
	char path[PATH_MOST];

	for (json_value_members(member, v))
		if (str_printf(path, sizeof(path), "%s%.*s%s", within, *within != '\0', &between,
			    json_value_name(member)))
			add_unread(s, member, path, between, is_read);
	for (json_value_items(item, v))
		add_unread(s, item, within, between, is_read);
	if (!is_read(within))
		add_unused(s, v);
}

void positions_unread(struct number_positions *s, const struct json_value *v, char between,
	bool (*is_read)(const char *path))
{
	if (s)
		add_unread(s, v, "", between, is_read);
}
