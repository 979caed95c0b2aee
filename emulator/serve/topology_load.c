/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/names.h"
#include "emulator/serve/topology_file.h"
#include "emulator/sim/topology.h"

#define uthash_malloc(size) mem_alloc(size)
#define uthash_free(p, n)   free(p)
#include <uthash.h>

/* From the inventory's groups and its wiring table to devices, ports and cables. */

#define NONE     UINT32_MAX
#define RAILS    64U
#define COLUMNS  4
#define NAME_LEN sizeof(((struct topo_device *)0)->name)
#define PORT_LEN sizeof(((struct topo_port *)0)->name)

struct named {
	UT_hash_handle hh;
	unsigned at;
	char name[];
};

struct load {
	const struct topo_file *file;
	struct err *err;
	struct topo_draft draft;
	struct named *devices, *ports; /* ports: "device:port" */
	VEC(unsigned) wired;           /* of each port: the line of its cable, 0: none */
	VEC(unsigned) group;           /* of each device */
	/* while a group is expanded */
	unsigned at;
	/* while the table is read */
	unsigned line;
	unsigned *index[TIER_COUNT]; /* the preset's n-th of a tier: device, NONE */
};

static unsigned find(const struct named *table, const char *name)
{
	struct named *n;

	HASH_FIND_STR(table, name, n);
	return n ? n->at : NONE;
}

static void put(struct named **table, const char *name, unsigned at)
{
	size_t size = strlen(name) + 1;
	struct named *n = mem_alloc(sizeof(*n) + size);

	n->at = at;
	memcpy(n->name, name, size);
	HASH_ADD_STR(*table, name, n);
}

static void forget(struct named **table)
{
	struct named *n, *next;

	HASH_ITER (hh, *table, n, next) {
		HASH_DEL(*table, n);
		free(n);
	}
}

/* ---- devices ---- */

static bool add_device(void *arg, const char *name, struct err *err)
{
	struct load *l = arg;
	const struct topo_group *g = &l->file->groups.at[l->at];
	int rail = g->rail;

	for (const char *s = name; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._-", *s))
			return err_set(err, ERR_CONFIG, "", "\"%s\" is not a device name", name);
	if (strlen(name) >= NAME_LEN)
		return err_set(
			err, ERR_CONFIG, "", "\"%s\" is longer than %zu bytes", name, NAME_LEN - 1);
	if (find(l->devices, name) != NONE)
		return err_set(err, ERR_CONFIG, "", "\"%s\" is a device already", name);
	if (rail < 0 && g->tier != TIER_HOST)
		rail = topo_rail_in_name(name);
	put(&l->devices, name,
		topo_draft_device(&l->draft, name, g->tier, g->net, rail, g->platform));
	vec_push(&l->group, l->at);
	return true;
}

struct rails {
	unsigned n;
};

static bool count_rail(void *arg, const char *name, struct err *err)
{
	struct rails *r = arg;
	char want[32];

	(void)str_printf(want, sizeof(want), "mlx5_%u", r->n++);
	if (strcmp(name, want) == 0)
		return true;
	err_set(err, ERR_CONFIG, "", "rails: \"%s\" where the emulator's hosts have %s", name,
		want);
	return err_cure(err, "rails: \"mlx5_[0-7]\"");
}

/* Lists know no lines. */
static bool placed(struct load *l, const struct topo_group *g, bool ok)
{
	if (!ok)
		(void)str_printf(
			l->err->origin, sizeof(l->err->origin), "%s:%u", l->file->path, g->line);
	return ok;
}

static bool add_groups(struct load *l)
{
	for (l->at = 0; l->at < l->file->groups.n; l->at++) {
		const struct topo_group *g = &l->file->groups.at[l->at];

		if (!placed(l, g,
			    names_expand(g->names, TOPO_DEVICES_MAX - l->draft.device.n, add_device,
				    l, l->err)))
			return false;
	}
	return true;
}

/* What rails: says of a device, 0 where it says nothing. */
static bool rails_of(struct load *l, unsigned device, unsigned *n)
{
	const struct topo_group *g = &l->file->groups.at[l->group.at[device]];
	struct rails r = {0};

	*n = 0;
	if (!g->rails)
		return true;
	if (!placed(l, g, names_expand(g->rails, RAILS, count_rail, &r, l->err)))
		return false;
	*n = r.n;
	return true;
}

/* ---- ports ---- */

/*
 * Hosts and SONiC count their ports in the name, so that the n-th port must be there for the
 * n+1-th to have its place. NONE: not such a name.
 */
static unsigned number_of(const struct topo_device *d, const char *port)
{
	const char *digits = NULL;
	uint64_t v;

	if (d->tier == TIER_HOST)
		digits = str_starts(port, "mlx5_") ? port + 5
			 : str_starts(port, "eth") ? port + 3
						   : NULL;
	else if (str_starts(port, "Ethernet"))
		digits = port + 8;
	if (!digits || !str_to_u64(digits, &v) || v >= (uint64_t)TOPO_PORTS_MAX * 4)
		return NONE;
	if (d->tier == TIER_HOST)
		return v < RAILS ? (unsigned)v : NONE;
	return v % 4 ? NONE : (unsigned)v / 4;
}

static bool counts_ports(const struct topo_device *d)
{
	return d->tier == TIER_HOST || strcmp(d->platform->dialect, "sonic") == 0;
}

static unsigned have_port(struct load *l, unsigned device, const char *port)
{
	const struct topo_device *d = &l->draft.device.at[device];
	int rail = d->tier == TIER_HOST ? -1 : d->rail;
	char key[NAME_LEN + PORT_LEN];
	unsigned at;

	(void)str_printf(key, sizeof(key), "%s:%s", d->name, port);
	at = find(l->ports, key);
	if (at != NONE)
		return at;
	at = topo_draft_port(&l->draft, device, port, topo_net_speed(d->net), rail);
	put(&l->ports, key, at);
	vec_push(&l->wired, 0);
	return at;
}

static unsigned nth_port(struct load *l, unsigned device, unsigned n)
{
	char name[PORT_LEN];

	topo_port_name(&l->draft.device.at[device], n, name);
	return have_port(l, device, name);
}

static bool wrong(struct load *l, const char *text, const char *what)
{
	return topo_wrong(l->err, l->file->wiring, l->line, "\"%.60s\" %s", text, what);
}

/* The port of one end of a cable; false and *err when there is no such thing. */
static bool find_end(struct load *l, const char *device, const char *port, unsigned *at)
{
	unsigned d = find(l->devices, device), n;

	if (d == NONE)
		return wrong(l, device, "is not a device of the inventory");
	if (counts_ports(&l->draft.device.at[d])) {
		n = number_of(&l->draft.device.at[d], port);
		if (n == NONE) {
			wrong(l, port, "is not a port of this device");
			return err_cure(l->err, "%s",
				l->draft.device.at[d].tier == TIER_HOST
					? "hosts: mlx5_0 to mlx5_63"
					: "SONiC: Ethernet0, Ethernet4, Ethernet8 ...");
		}
		*at = nth_port(l, d, n);
	} else {
		if (!*port || strlen(port) >= PORT_LEN)
			return wrong(l, port, "is not a port name");
		*at = have_port(l, d, port);
	}
	if (l->wired.at[*at])
		return topo_wrong(l->err, l->file->wiring, l->line,
			"%s:%s is wired a second time (first in line %u)", device, port,
			l->wired.at[*at]);
	l->wired.at[*at] = l->line;
	return true;
}

/* The switch's network is the cable's; hosts count their rails in the backend. */
static void take_net(struct load *l, unsigned port, unsigned peer)
{
	struct topo_port *p = &l->draft.port.at[port];
	const struct topo_device *d = &l->draft.device.at[p->device];
	const struct topo_device *far = &l->draft.device.at[l->draft.port.at[peer].device];

	if (d->tier != TIER_HOST)
		return;
	p->speed_mbps = topo_net_speed(far->net);
	p->rail = -1;
	if (d->net == NET_BACKEND && far->net == NET_BACKEND)
		p->rail = (int)number_of(d, p->name);
	if (l->draft.port.at[peer].rail < 0)
		l->draft.port.at[peer].rail = p->rail;
}

static bool add_cable(struct load *l, char *const column[COLUMNS])
{
	const struct topo_draft *d = &l->draft;
	unsigned a, b;

	if (!find_end(l, column[0], column[1], &a) || !find_end(l, column[2], column[3], &b))
		return false;
	if (d->port.at[a].device == d->port.at[b].device)
		return wrong(l, column[0], "is wired to itself");
	if (d->device.at[d->port.at[a].device].tier == TIER_HOST &&
		d->device.at[d->port.at[b].device].tier == TIER_HOST)
		return wrong(l, column[0], "is wired to another host, without a switch");
	if (d->device.at[d->port.at[a].device].tier > d->device.at[d->port.at[b].device].tier)
		topo_draft_cable(&l->draft, b, a);
	else
		topo_draft_cable(&l->draft, a, b);
	take_net(l, a, b);
	take_net(l, b, a);
	return true;
}

/* ---- the wiring table ---- */

static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	for (n = strlen(s); n && strchr(" \t\r", s[n - 1]); n--)
		;
	s[n] = '\0';
	return s;
}

static bool read_line(struct load *l, char *line)
{
	char *column[COLUMNS], *field;
	unsigned n = 0;

	line[strcspn(line, "#")] = '\0';
	line = trim(line);
	if (!*line)
		return true;
	while ((field = strsep(&line, ","))) {
		if (n < COLUMNS)
			column[n] = trim(field);
		n++;
	}
	if (n != COLUMNS) {
		topo_wrong(l->err, l->file->wiring, l->line, "%u columns where 4 are expected", n);
		return err_cure(l->err, "device,port,device,port");
	}
	/* A heading is what spreadsheets export first. */
	if (l->line == 1 && strcasecmp(column[0], "device") == 0)
		return true;
	return add_cable(l, column);
}

static bool read_table(struct load *l)
{
	char *rest, *line;
	bool ok = true;
	struct buf b;

	buf_init(&b, TOPO_FILE_MAX);
	if (!topo_slurp(l->file->wiring, &b, l->err)) {
		buf_free(&b);
		return false;
	}
	for (rest = b.data; ok && (line = strsep(&rest, "\n"));) {
		l->line++;
		ok = read_line(l, line);
	}
	buf_free(&b);
	return ok;
}

/* Ports that nothing is plugged into: rails, and what lies below the last one that is in use. */
static bool fill_ports(struct load *l)
{
	unsigned *most = mem_calloc(l->draft.device.n + 1, sizeof(*most));
	bool ok = true;

	for (size_t i = 0; i < l->draft.port.n; i++) {
		unsigned d = l->draft.port.at[i].device;
		unsigned n = number_of(&l->draft.device.at[d], l->draft.port.at[i].name);

		if (counts_ports(&l->draft.device.at[d]) && n != NONE && n + 1 > most[d])
			most[d] = n + 1;
	}
	for (unsigned d = 0; ok && d < l->draft.device.n; d++) {
		unsigned rails;

		ok = rails_of(l, d, &rails);
		for (unsigned n = 0; ok && (n < most[d] || n < rails); n++) {
			unsigned p = nth_port(l, d, n);

			if (n < rails && !l->wired.at[p] &&
				l->draft.device.at[d].net == NET_BACKEND)
				l->draft.port.at[p].rail = (int)n;
		}
	}
	free(most);
	return ok;
}

static struct topology *by_table(struct load *l)
{
	struct topology *t;

	if (!read_table(l) || !fill_ports(l))
		return NULL;
	t = mem_calloc(1, sizeof(*t));
	topo_draft_finish(&l->draft, t);
	return t;
}

/* ---- the preset's formula ---- */

static bool wrong_count(struct load *l, enum tier t, unsigned have)
{
	const struct sizing *z = l->file->sizing;
	char first[NAME_MAX_LEN];

	(void)sizing_device_name(z, t, 0, first, sizeof(first));
	err_set(l->err, ERR_CONFIG, l->file->path,
		"the preset %s has %u devices of tier %s, the inventory %u", z->preset,
		sizing_devices(z, t), tier_name(t), have);
	return err_cure(l->err, "use the preset's names (%s, ...), or list all of them", first);
}

/* Which device is the preset's n-th: by the preset's own names, else by the order in the file. */
static bool map_tier(struct load *l, enum tier t)
{
	const struct sizing *z = l->file->sizing;
	unsigned want = sizing_devices(z, t), named = 0, have = 0;
	unsigned *order = mem_calloc(l->draft.device.n + 1, sizeof(*order));
	bool ok = true;

	l->index[t] = mem_calloc(want + 1, sizeof(*l->index[t]));
	for (unsigned i = 0; i < l->draft.device.n; i++)
		if (l->draft.device.at[i].tier == t)
			order[have++] = i;
	for (unsigned i = 0; i < want; i++) {
		char name[NAME_MAX_LEN];
		unsigned at;

		(void)sizing_device_name(z, t, i, name, sizeof(name));
		at = find(l->devices, name);
		l->index[t][i] = at != NONE && l->draft.device.at[at].tier == t ? at : NONE;
		named += l->index[t][i] != NONE;
	}
	if (!named && have == want)
		memcpy(l->index[t], order, want * sizeof(*order));
	else if (named != have)
		ok = wrong_count(l, t, have);
	free(order);
	return ok;
}

/* The device of the file that stands where the formula has one, drawn in the formula's order. */
static bool draw(struct load *l, struct topo_draft *to, enum tier t, unsigned i, unsigned *first)
{
	const struct sizing *z = l->file->sizing;
	unsigned from = l->index[t][i], at, rails;
	const struct topo_device *d;
	char name[PORT_LEN];
	int rail;

	*first = NONE;
	if (from == NONE)
		return true;
	d = &l->draft.device.at[from];
	if (!rails_of(l, from, &rails))
		return false;
	if (rails && rails != z->rails)
		return placed(l, &l->file->groups.at[l->group.at[from]],
			err_set(l->err, ERR_CONFIG, "", "%u rails, the preset %s has %u", rails,
				z->preset, z->rails));
	rail = l->file->groups.at[l->group.at[from]].rail;
	if (rail < 0)
		rail = sizing_rail(z, t, i);
	at = topo_draft_device(to, d->name, t, NET_BACKEND, rail, d->platform);
	*first = (unsigned)to->port.n;
	for (unsigned p = 0; p < sizing_ports(z, t); p++) {
		topo_port_name(d, p, name);
		(void)topo_draft_port(to, at, name, z->speed_mbps, t == TIER_HOST ? (int)p : rail);
	}
	return true;
}

static void wire_by_formula(
	const struct sizing *z, struct topo_draft *to, unsigned *const first[TIER_COUNT])
{
	for (size_t i = 0; i < sizing_wires(z); i++) {
		struct wire w = sizing_wire(z, i);
		unsigned a = first[w.a.tier][w.a.device], b = first[w.b.tier][w.b.device];

		if (a != NONE && b != NONE)
			topo_draft_cable(to, a + w.a.port, b + w.b.port);
	}
}

static struct topology *by_formula(struct load *l)
{
	const struct sizing *z = l->file->sizing;
	unsigned *first[TIER_COUNT] = {NULL}; /* port of each device of a tier */
	struct topo_draft to = {0};
	struct topology *t = NULL;
	bool ok = true, whole = true;

	for (int k = 0; ok && k < TIER_COUNT; k++) {
		unsigned n = sizing_devices(z, (enum tier)k);

		ok = map_tier(l, (enum tier)k);
		first[k] = mem_calloc(n + 1, sizeof(*first[k]));
		for (unsigned i = 0; ok && i < n; i++) {
			ok = draw(l, &to, (enum tier)k, i, &first[k][i]);
			whole = whole && first[k][i] != NONE;
		}
	}
	if (ok) {
		wire_by_formula(z, &to, first);
		t = mem_calloc(1, sizeof(*t));
		t->sizing = whole ? z : NULL;
		topo_draft_finish(&to, t);
	}
	for (int k = 0; k < TIER_COUNT; k++)
		free(first[k]);
	topo_draft_free(&to);
	return t;
}

struct topology *topology_load(const char *path, struct err *err)
{
	struct topology *t = NULL;
	struct topo_file file;
	struct load l = {.file = &file, .err = err};

	if (topo_file_read(path, &file, err) && add_groups(&l))
		t = file.wiring ? by_table(&l) : by_formula(&l);
	if (t)
		(void)str_copy(t->name, sizeof(t->name), file.fabric);
	forget(&l.devices);
	forget(&l.ports);
	vec_free(&l.wired);
	vec_free(&l.group);
	for (int k = 0; k < TIER_COUNT; k++)
		free(l.index[k]);
	topo_draft_free(&l.draft);
	topo_file_free(&file);
	return t;
}
