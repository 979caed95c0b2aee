/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the wiring table: one link per line, "device,port,device,port[,speed]"; '#' starts a
 * comment. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory_table.h"
#include "app/inventory/inventory_yaml.h"
#include "backends/parse/number.h"
#include "backends/parse/units.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"

#define SPEED_LEAST_MBPS 1000
#define SPEED_MOST_MBPS  10000000
#define LENGTH_MOST_M    20000000 /* half of the globe */
#define COLUMNS_CURE     "device,port,device,port, then speed and length if they are known: 400G,30m"

struct wiring_table {
	struct inventory_table table;
	struct name_index *ports; /* "device:port" with its line */
};

/* Each port has at most one cable. */
static bool take_port(struct inventory_table *t, const char *device, const char *port)
{
	const struct wiring_table *w = t->ctx;
	char key[2 * NAME_MAX_LEN];
	unsigned before = 0;

	(void)str_printf(key, sizeof(key), "%s:%s", device, port);
	if (name_index_add(w->ports, key, t->line, &before))
		return true;
	return problem_add_in(t->problems, t->file, t->line,
		"%s is wired a second time (first in line %u)", key, before);
}

static bool port_ok(struct inventory_table *t, const char *port)
{
	if (port[0] && strlen(port) < NAME_MAX_LEN)
		return true;
	return problem_add_in(t->problems, t->file, t->line, "\"%.80s\" is not a port name", port);
}

/* "400G", "1.6T", or in Mb/s "400000"; "400" is ambiguous and refused. "": not stated. */
static bool read_speed(struct inventory_table *t, const char *text, unsigned *mbps)
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

/* "30m", "12km", "1.5km", or in metres "800". "": not stated. */
static bool read_length(struct inventory_table *t, const char *text, unsigned *metres)
{
	size_t digits = strspn(text, "0123456789."), n = strlen(text);
	bool kilo = str_eq(text + digits, "km");
	double v;

	*metres = 0;
	if (!n)
		return true;
	if (digits && (kilo || !text[digits] || str_eq(text + digits, "m")) &&
		parse_real(text, digits, &v) == NUMBER_OK) {
		v *= kilo ? 1000 : 1;
		if (v >= 0.5 && v <= LENGTH_MOST_M) {
			*metres = (unsigned)(v + 0.5);
			return true;
		}
	}
	(void)problem_add_in(t->problems, t->file, t->line, "\"%.40s\" is not a length", text);
	return problem_cure(t->problems, "30m, 1.5km, or in metres: 800");
}

static void swap_ends(struct plan_link *l)
{
	struct plan_link old = *l;

	l->a = old.b;
	l->b = old.a;
	memcpy(l->a_port, old.b_port, sizeof(l->a_port));
	memcpy(l->b_port, old.a_port, sizeof(l->b_port));
}

static void add_link(struct inventory_table *t, char *columns[TABLE_COLUMNS])
{
	struct plan_link l = {0};
	const struct plan_device *a, *b;

	if (!inventory_table_device(t, columns[0], &l.a) ||
		!inventory_table_device(t, columns[2], &l.b) || !port_ok(t, columns[1]) ||
		!port_ok(t, columns[3]) || !read_speed(t, columns[4], &l.speed_mbps) ||
		!read_length(t, columns[5], &l.metres) || !take_port(t, columns[0], columns[1]) ||
		!take_port(t, columns[2], columns[3]))
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

static void read_table(struct wiring_table *w, const char *file, unsigned key_line)
{
	w->table.file = file;
	w->table.key_line = key_line;
	inventory_table_read(&w->table);
}

void inventory_read_wiring(
	const struct inventory *inv, struct plan *plan, struct problems *problems)
{
	struct wiring_table w = {.table = {.place = "wiring.file",
					 .least = 4,
					 .most = 6,
					 .cure = COLUMNS_CURE,
					 .row = add_link,
					 .plan = plan,
					 .problems = problems}};

	w.table.ctx = &w;
	w.table.devices = inventory_device_index(plan);
	w.ports = name_index_new();
	if (inv->wiring == WIRING_FILE && inv->wiring_file)
		read_table(&w, inv->wiring_file, inv->wiring_line);
	for (size_t i = 0; i < inv->tables.n; i++) {
		problems->part = inv->tables.at[i].stated_in;
		read_table(&w, inv->tables.at[i].file, inv->tables.at[i].line);
	}
	problems->part = NULL;
	name_index_free(w.table.devices);
	name_index_free(w.ports);
}
