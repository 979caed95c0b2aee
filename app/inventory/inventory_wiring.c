/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the wiring table: one link per line, "device,port,device,port[,speed]"; '#' starts a
 * comment. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml.h"
#include "backends/parse/units.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"

#define COLUMNS          5 /* the planned speed may be missing */
#define SPEED_LEAST_MBPS 1000
#define SPEED_MOST_MBPS  10000000
#define COLUMNS_CURE     "device,port,device,port, and the speed if it is known: 400G"

struct table {
	const char *file; /* for messages */
	unsigned line;
	struct plan *plan;
	struct problems *problems;
	struct name_index *devices, *ports; /* ports: "device:port" with its line */
};

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

/* Splits at commas in place. Returns the number of columns; stores at most COLUMNS. */
static size_t split_columns(char *line, char *columns[COLUMNS])
{
	size_t n = 0;
	char *rest = line, *field;

	while ((field = strsep(&rest, ","))) {
		if (n < COLUMNS)
			columns[n] = trim_blanks(field);
		n++;
	}
	return n;
}

static bool find_device(struct table *t, const char *name, unsigned *out)
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

/* Each port has at most one cable. */
static bool take_port(struct table *t, const char *device, const char *port)
{
	char key[2 * NAME_MAX_LEN];
	unsigned before = 0;

	(void)str_printf(key, sizeof(key), "%s:%s", device, port);
	if (name_index_add(t->ports, key, t->line, &before))
		return true;
	return problem_add_in(t->problems, t->file, t->line,
		"%s is wired a second time (first in line %u)", key, before);
}

static bool port_ok(struct table *t, const char *port)
{
	if (port[0] && strlen(port) < NAME_MAX_LEN)
		return true;
	return problem_add_in(t->problems, t->file, t->line, "\"%.80s\" is not a port name", port);
}

/* "400G", "1.6T", or in Mb/s "400000"; "400" is ambiguous and refused. "": not stated. */
static bool read_speed(struct table *t, const char *text, unsigned *mbps)
{
	char digits[12];
	uint64_t n = 0;
	double v = 0;
	size_t len = strspn(text, "0123456789");
	bool giga = (text[len] == 'G' || text[len] == 'g') && !text[len + 1];

	*mbps = 0;
	if (!text[0])
		return true;
	if (len && strspn(text, "0123456789.T") == strlen(text) && strchr(text, 'T') &&
		units_speed_mbps(text, strlen(text), &v)) {
		n = (uint64_t)v;
	} else if (len < sizeof(digits) && (giga || !text[len])) {
		(void)str_copyn(digits, sizeof(digits), text, len);
		if (str_to_u64(digits, &n))
			n *= giga ? 1000 : 1;
	}
	if (n >= SPEED_LEAST_MBPS && n <= SPEED_MOST_MBPS) {
		*mbps = (unsigned)n;
		return true;
	}
	(void)problem_add_in(t->problems, t->file, t->line, "\"%.40s\" is not a speed", text);
	return problem_cure(t->problems, "400G, 1.6T, or in Mb/s: 400000");
}

static void swap_ends(struct plan_link *l)
{
	struct plan_link old = *l;

	l->a = old.b;
	l->b = old.a;
	memcpy(l->a_port, old.b_port, sizeof(l->a_port));
	memcpy(l->b_port, old.a_port, sizeof(l->b_port));
}

static void add_link(struct table *t, char *columns[COLUMNS])
{
	struct plan_link l = {0};
	const struct plan_device *a, *b;

	if (!find_device(t, columns[0], &l.a) || !find_device(t, columns[2], &l.b) ||
		!port_ok(t, columns[1]) || !port_ok(t, columns[3]) ||
		!read_speed(t, columns[4], &l.speed_mbps) ||
		!take_port(t, columns[0], columns[1]) || !take_port(t, columns[2], columns[3]))
		return;
	(void)str_copy(l.a_port, sizeof(l.a_port), columns[1]);
	(void)str_copy(l.b_port, sizeof(l.b_port), columns[3]);
	if (t->plan->devices.at[l.a].tier > t->plan->devices.at[l.b].tier)
		swap_ends(&l);
	a = &t->plan->devices.at[l.a];
	b = &t->plan->devices.at[l.b];
	l.rail = a->rail >= 0 ? a->rail : b->rail;
	vec_push(&t->plan->links, l);
}

static void read_line(struct table *t, char *line)
{
	char none[] = "", *columns[COLUMNS] = {none, none, none, none, none};
	size_t n;

	line[strcspn(line, "#")] = '\0';
	line = trim_blanks(line);
	if (!line[0])
		return;
	n = split_columns(line, columns);
	if (n != COLUMNS && n != COLUMNS - 1) {
		(void)problem_add_in(
			t->problems, t->file, t->line, "%zu columns where 4 or 5 are expected", n);
		(void)problem_cure(t->problems, COLUMNS_CURE);
		return;
	}
	/* Spreadsheets export a heading first. */
	if (t->line == 1 && strcasecmp(columns[0], "device") == 0)
		return;
	add_link(t, columns);
}

static void read_rows(struct table *t, struct buf *b)
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

static void read_table(struct table *t, unsigned line)
{
	struct err err = {0};
	struct buf b;

	if (ends_with(t->file, ".dot")) {
		(void)problem_add(t->problems, line, "wiring.file",
			"a graph of Cumulus PTM is no wiring table");
		(void)problem_cure(
			t->problems, "railtop import ptm FILE.dot -o NAME.yaml makes one");
		return;
	}
	buf_init(&b, INVENTORY_FILE_MAX);
	if (!inventory_slurp(t->file, &b, &err))
		(void)problem_add(t->problems, line, "wiring.file", "%s %s", err.origin, err.text);
	else if (!b.len)
		(void)problem_add_in(t->problems, t->file, 0, "is empty");
	else
		read_rows(t, &b);
	buf_free(&b);
}

void inventory_read_wiring(
	const struct inventory *inv, struct plan *plan, struct problems *problems)
{
	struct table t = {.plan = plan, .problems = problems};
	unsigned at;

	t.devices = name_index_new();
	t.ports = name_index_new();
	for (unsigned i = 0; i < plan->devices.n; i++)
		(void)name_index_add(t.devices, plan->devices.at[i].name, i, &at);
	if (inv->wiring == WIRING_FILE && inv->wiring_file) {
		t.file = inv->wiring_file;
		read_table(&t, inv->wiring_line);
	}
	for (size_t i = 0; i < inv->tables.n; i++) {
		problems->part = inv->tables.at[i].stated_in;
		t.file = inv->tables.at[i].file;
		read_table(&t, inv->tables.at[i].line);
	}
	problems->part = NULL;
	name_index_free(t.devices);
	name_index_free(t.ports);
}
