/* SPDX-License-Identifier: Apache-2.0 */
#include "app/inventory/inventory_table.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory_yaml.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"

static char *trim_blanks(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	for (n = strlen(s); n && isspace((unsigned char)s[n - 1]); n--)
		;
	s[n] = '\0';
	return s;
}

/* Splits at commas in place. Returns the number of columns; stores at most TABLE_COLUMNS. */
static size_t split_columns(char *line, char *columns[TABLE_COLUMNS])
{
	size_t n = 0;
	char *rest = line, *field;

	while ((field = strsep(&rest, ","))) {
		if (n < TABLE_COLUMNS)
			columns[n] = trim_blanks(field);
		n++;
	}
	return n;
}

bool inventory_table_device(struct inventory_table *t, const char *name, unsigned *out)
{
	struct name_suggestions near;
	char names[4 * NAME_MAX_LEN];

	if (name_index_find(t->devices, name, out))
		return true;
	(void)problem_add_in(
		t->problems, t->file, t->line, "there is no device \"%s\" in the inventory", name);
	name_suggestions_init(&near, name);
	for (size_t i = 0; i < t->plan->devices.n; i++)
		name_suggestions_offer(&near, t->plan->devices.at[i].name);
	if (name_suggestions_format(&near, names, sizeof(names)))
		return problem_cure(t->problems, "did you mean %s?", names);
	return false;
}

static void read_line(struct inventory_table *t, char *line)
{
	char none[] = "", *columns[TABLE_COLUMNS] = {none, none, none, none, none, none};
	size_t n;

	line[strcspn(line, "#")] = '\0';
	line = trim_blanks(line);
	if (!line[0])
		return;
	n = split_columns(line, columns);
	if (n < t->least || n > t->most) {
		(void)problem_add_in(t->problems, t->file, t->line,
			"%zu columns where %zu to %zu are expected", n, t->least, t->most);
		(void)problem_cure(t->problems, "%s", t->cure);
		return;
	}
	/* Spreadsheets export a heading first. */
	if (t->line == 1 && strcasecmp(columns[0], "device") == 0)
		return;
	t->row(t, columns);
}

static void read_rows(struct inventory_table *t, struct buf *b)
{
	char *rest = b->data, *line;

	if (memchr(b->data, '\0', b->len)) {
		(void)problem_add_in(
			t->problems, t->file, 0, "is not a text file (it has a zero byte)");
		return;
	}
	t->line = 0;
	while ((line = strsep(&rest, "\n")) && !problems_full(t->problems)) {
		t->line++;
		read_line(t, line);
	}
}

static bool ends_with(const char *s, const char *end)
{
	size_t ls = strlen(s), le = strlen(end);

	return ls >= le && strcasecmp(s + ls - le, end) == 0;
}

void inventory_table_read(struct inventory_table *t)
{
	struct err err = {0};
	struct buf b;

	if (ends_with(t->file, ".dot")) {
		(void)problem_add(t->problems, t->key_line, t->place,
			"a graph of Cumulus PTM is no wiring table");
		(void)problem_cure(
			t->problems, "railtop import ptm FILE.dot -o NAME.yaml makes one");
		return;
	}
	buf_init(&b, INVENTORY_FILE_MAX);
	if (!inventory_slurp(t->file, &b, &err))
		(void)problem_add(
			t->problems, t->key_line, t->place, "%s %s", err.origin, err.text);
	else if (!b.len)
		(void)problem_add_in(t->problems, t->file, 0, "is empty");
	else
		read_rows(t, &b);
	buf_free(&b);
}

struct name_index *inventory_device_index(const struct plan *plan)
{
	struct name_index *x = name_index_new();
	unsigned at;

	for (unsigned i = 0; i < plan->devices.n; i++)
		(void)name_index_add(x, plan->devices.at[i].name, i, &at);
	return x;
}
