/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases/switches/log_lines.h"

#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

static void describe(const struct obs *o, char *dst, size_t size)
{
	size_t n = 0;

	str_copy(dst, size, "nothing");
	for (size_t i = 0; i < o->items.n && n < size; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_EVENT)
			n += str_printf(dst + n, size - n, "%s of \"%s\"; ",
				     event_info[it->code].name,
				     it->port < o->ports.n ? o->ports.at[it->port].name : "")
				     ? strlen(dst + n)
				     : size;
	}
}

/* True where the one event of the text is that of the line. */
static bool is_read(const struct log_line *l, const struct obs *o)
{
	const struct obs_item *event = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_EVENT) {
			event = &o->items.at[i];
			n++;
		}
	if (l->kind == EVENT_COUNT)
		return n == 0;
	if (n != 1 || event->code != l->kind)
		return false;
	return str_eq(event->port < o->ports.n ? o->ports.at[event->port].name : "",
		l->port ? l->port : "");
}

void log_lines_expect(const struct log_line *lines, size_t n)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < n; i++) {
		struct obs *o = decode_ssh(lines[i].dialect, "log", lines[i].text);
		char said[300];

		if (!is_read(&lines[i], o)) {
			describe(o, said, sizeof(said));
			print_message("%s: %.90s...: %s\n", lines[i].dialect, lines[i].text, said);
			wrong++;
		}
		obs_free(o);
	}
	assert_int_equal(wrong, 0);
}
