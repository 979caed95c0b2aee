/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/names.h"
#include "emulator/serve/topology_internal.h"

/* Converts the inventory's groups and its wiring table to devices, ports and cables. */

#define RAILS       64U
#define SPEED_LEAST 1000U
#define SPEED_MOST  10000000U
#define COLUMNS     5 /* the last, the speed, may be missing */
/* SONiC names a port by its first lane; a part of a broken out port by that of the part. */
#define SONIC_LANES 4U
#define NAME_LEN    sizeof(((struct topo_device *)0)->name)

unsigned topo_find(const struct topo_name *table, const char *name)
{
	struct topo_name *n;

	HASH_FIND_STR(table, name, n);
	return n ? n->at : TOPO_NONE;
}

static void put_name(struct topo_name **table, const char *name, unsigned at)
{
	size_t size = strlen(name) + 1;
	struct topo_name *n = mem_alloc(sizeof(*n) + size);

	n->at = at;
	memcpy(n->name, name, size);
	HASH_ADD_STR(*table, name, n);
}

static void free_names(struct topo_name **table)
{
	struct topo_name *all = *table, *next;

	HASH_CLEAR(hh, *table);
	for (struct topo_name *n = all; n; n = next) {
		next = n->hh.next;
		free(n);
	}
}

/* ---- devices ---- */

static bool add_device(void *arg, const char *name, struct err *err)
{
	struct topo_load *l = arg;
	const struct topo_group *g = &l->file->groups.at[l->at];
	int rail = g->rail;

	for (const char *s = name; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._-", *s))
			return err_set(err, ERR_CONFIG, "", "\"%s\" is not a device name", name);
	if (strlen(name) >= NAME_LEN)
		return err_set(
			err, ERR_CONFIG, "", "\"%s\" is longer than %zu bytes", name, NAME_LEN - 1);
	if (topo_find(l->devices, name) != TOPO_NONE)
		return err_set(err, ERR_CONFIG, "", "\"%s\" is a device already", name);
	if (rail < 0 && g->tier != TIER_HOST)
		rail = topo_rail_in_name(name);
	put_name(&l->devices, name,
		topo_draft_device(&l->draft, name, g->tier, g->net, rail, g->platform));
	l->draft.device.at[l->draft.device.n - 1].nccl = g->nccl;
	l->draft.device.at[l->draft.device.n - 1].bundle_min = g->bundle_min;
	vec_push(&l->group, l->at);
	return true;
}

struct rails {
	enum sim_nics nics;
	unsigned n;
};

static bool count_rail(void *arg, const char *name, struct err *err)
{
	struct rails *r = arg;
	char want[24];

	sim_rdma_name(r->nics, r->n++, want);
	if (strcmp(name, want) == 0)
		return true;
	err_set(err, ERR_CONFIG, "", "rails: \"%s\" where the emulator's hosts have %s", name,
		want);
	return err_cure(err, "rails: \"%.*s[0-7]\"", (int)strcspn(want, "0"), want);
}

bool topo_placed(struct topo_load *l, const struct topo_group *g, bool ok)
{
	if (!ok)
		(void)str_printf(
			l->err->origin, sizeof(l->err->origin), "%s:%u", l->file->path, g->line);
	return ok;
}

static bool add_groups(struct topo_load *l)
{
	for (l->at = 0; l->at < l->file->groups.n; l->at++) {
		const struct topo_group *g = &l->file->groups.at[l->at];

		if (!topo_placed(l, g,
			    names_expand(g->names, TOPO_DEVICES_MAX - l->draft.device.n, add_device,
				    l, l->err)))
			return false;
	}
	return true;
}

bool topo_rails_of(struct topo_load *l, unsigned device, unsigned *n)
{
	const struct topo_group *g = &l->file->groups.at[l->group.at[device]];
	struct rails r = {.nics = g->platform->nics};

	*n = 0;
	if (!g->rails)
		return true;
	if (!topo_placed(l, g, names_expand(g->rails, RAILS, count_rail, &r, l->err)))
		return false;
	*n = r.n;
	return true;
}

/* ---- ports ---- */

static bool speaks_sonic(const struct topo_device *d)
{
	return d->tier != TIER_HOST && strcmp(d->platform->dialect, "sonic") == 0;
}

/*
 * The number of a port whose name has the form of the n-th port. A device has all ports below the
 * last one in use, like a real one. TOPO_NONE: a name of another form, such as a part of a port.
 */
#define RDMA_HEADS 3 /* of the heads of names */
static unsigned number_of(const struct topo_device *d, const char *port)
{
	static const char *const heads[] = {
		"mlx5_", "ionic_", "bnxt_re", "eth", "swp", "Ethernet1/", "Ethernet"};
	unsigned most = d->tier == TIER_HOST ? RAILS : TOPO_PORTS_MAX;
	char name[TOPO_PORT_LEN];

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *digits = port + strlen(heads[i]);
		unsigned long v;

		if (!str_starts(port, heads[i]) || !isdigit((unsigned char)*digits))
			continue;
		v = strtoul(digits, NULL, 10);
		if (d->tier == TIER_HOST && i < RDMA_HEADS)
			return v < most && !digits[strspn(digits, "0123456789")] ? (unsigned)v
										 : TOPO_NONE;
		if (speaks_sonic(d))
			v /= SONIC_LANES;
		else if (d->tier != TIER_HOST)
			v--;
		if (v >= most)
			continue;
		topo_port_name(d, (unsigned)v, name);
		if (strcmp(name, port) == 0)
			return (unsigned)v;
	}
	return TOPO_NONE;
}

/* swp1s0 and Ethernet1/1/2 are parts of swp1 and Ethernet1/1, which are no ports then. */
static void note_part(struct topo_load *l, const struct topo_device *d, const char *port)
{
	size_t n = strlen(port);
	char whole[TOPO_PORT_LEN], key[NAME_LEN + TOPO_PORT_LEN];

	while (n && isdigit((unsigned char)port[n - 1]))
		n--;
	if (n < 2 || !strchr("s/", port[n - 1]) || !str_copyn(whole, sizeof(whole), port, n - 1) ||
		number_of(d, whole) == TOPO_NONE)
		return;
	(void)str_printf(key, sizeof(key), "%s:%s", d->name, whole);
	if (topo_find(l->broken_out, key) == TOPO_NONE)
		put_name(&l->broken_out, key, 0);
}

static unsigned have_port(struct topo_load *l, unsigned device, const char *port)
{
	const struct topo_device *d = &l->draft.device.at[device];
	int rail = d->tier == TIER_HOST ? -1 : d->rail;
	char key[NAME_LEN + TOPO_PORT_LEN];
	unsigned at;

	(void)str_printf(key, sizeof(key), "%s:%s", d->name, port);
	at = topo_find(l->ports, key);
	if (at != TOPO_NONE)
		return at;
	at = topo_draft_port(&l->draft, device, port, topo_net_speed(d->net), rail);
	put_name(&l->ports, key, at);
	if (d->tier != TIER_HOST)
		note_part(l, d, port);
	vec_push(&l->wired, 0);
	return at;
}

static bool is_broken_out(const struct topo_load *l, unsigned device, unsigned n)
{
	const struct topo_device *d = &l->draft.device.at[device];
	char name[TOPO_PORT_LEN], key[NAME_LEN + TOPO_PORT_LEN];

	topo_port_name(d, n, name);
	(void)str_printf(key, sizeof(key), "%s:%s", d->name, name);
	return topo_find(l->broken_out, key) != TOPO_NONE;
}

static unsigned nth_port(struct topo_load *l, unsigned device, unsigned n)
{
	char name[TOPO_PORT_LEN];

	topo_port_name(&l->draft.device.at[device], n, name);
	return have_port(l, device, name);
}

static bool line_error(struct topo_load *l, const char *text, const char *what)
{
	return topo_wrong(l->err, l->file->wiring, l->line, "\"%.60s\" %s", text, what);
}

static bool is_sonic_port(const char *port)
{
	const char *digits = port + strlen("Ethernet");

	return str_starts(port, "Ethernet") && *digits && strlen(digits) < 6 &&
	       (digits[0] != '0' || !digits[1]) && !digits[strspn(digits, "0123456789")] &&
	       strtoul(digits, NULL, 10) < (unsigned long)SONIC_LANES * TOPO_PORTS_MAX;
}

static bool find_port(struct topo_load *l, unsigned d, const char *port, unsigned *at)
{
	const struct topo_device *dev = &l->draft.device.at[d];

	if (dev->tier == TIER_HOST && str_eq(port, SIM_BMC_PORT)) {
		*at = have_port(l, d, port);
		return true;
	}
	if (dev->tier == TIER_HOST) {
		unsigned n = number_of(dev, port);

		if (n != TOPO_NONE) {
			*at = nth_port(l, d, n);
			return true;
		}
		line_error(l, port, "is not a port of this device");
		return err_cure(l->err, "hosts: mlx5_0 to mlx5_63, or eth0 to eth63");
	}
	if (speaks_sonic(dev) && !is_sonic_port(port)) {
		line_error(l, port, "is not a port of this device");
		return err_cure(l->err, "SONiC: Ethernet0, Ethernet4, Ethernet8 ...; parts of them "
					"Ethernet0, Ethernet2");
	}
	if (!*port || strlen(port) >= TOPO_PORT_LEN)
		return line_error(l, port, "is not a port name");
	*at = have_port(l, d, port);
	return true;
}

/* Finds the port of one end of a cable; false with *err if there is none. */
static bool find_end(struct topo_load *l, const char *device, const char *port, unsigned *at)
{
	unsigned d = topo_find(l->devices, device);

	if (d == TOPO_NONE)
		return line_error(l, device, "is not a device of the inventory");
	if (!find_port(l, d, port, at))
		return false;
	if (l->wired.at[*at])
		return topo_wrong(l->err, l->file->wiring, l->line,
			"%s:%s is wired a second time (first in line %u)", device, port,
			l->wired.at[*at]);
	l->wired.at[*at] = l->line;
	return true;
}

/* The switch gives the cable its network; hosts count their rails in the backend. */
static void take_net(struct topo_load *l, unsigned port, unsigned peer)
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

/* "400G", or in Mb/s "400000", as the console reads it; "": not stated. */
static bool read_speed(struct topo_load *l, const char *text, unsigned *mbps)
{
	size_t len = strspn(text, "0123456789");
	bool giga = (text[len] == 'G' || text[len] == 'g') && !text[len + 1];
	unsigned long n;

	*mbps = 0;
	if (!*text)
		return true;
	n = len && len < 9 && (giga || !text[len]) ? strtoul(text, NULL, 10) : 0;
	n *= giga ? 1000 : 1;
	if (n >= SPEED_LEAST && n <= SPEED_MOST) {
		*mbps = (unsigned)n;
		return true;
	}
	line_error(l, text, "is not a speed");
	return err_cure(l->err, "400G, or in Mb/s: 400000");
}

static bool add_cable(struct topo_load *l, char *const column[COLUMNS])
{
	const struct topo_draft *d = &l->draft;
	unsigned a = 0, b = 0, mbps;

	if (!read_speed(l, column[4], &mbps))
		return false;
	if (!find_end(l, column[0], column[1], &a) || !find_end(l, column[2], column[3], &b))
		return false;
	if (d->port.at[a].device == d->port.at[b].device)
		return line_error(l, column[0], "is wired to itself");
	if (d->device.at[d->port.at[a].device].tier == TIER_HOST &&
		d->device.at[d->port.at[b].device].tier == TIER_HOST)
		return line_error(l, column[0], "is wired to another host, without a switch");
	if (d->device.at[d->port.at[a].device].tier > d->device.at[d->port.at[b].device].tier)
		topo_draft_cable(&l->draft, b, a);
	else
		topo_draft_cable(&l->draft, a, b);
	take_net(l, a, b);
	take_net(l, b, a);
	if (mbps)
		l->draft.port.at[a].speed_mbps = l->draft.port.at[b].speed_mbps = mbps;
	return true;
}

/* ---- the wiring table ---- */

static char *trim_blanks(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	for (n = strlen(s); n && strchr(" \t\r", s[n - 1]); n--)
		;
	s[n] = '\0';
	return s;
}

static bool read_line(struct topo_load *l, char *line)
{
	char none[] = "", *column[COLUMNS] = {none, none, none, none, none}, *field;
	unsigned n = 0;

	line[strcspn(line, "#")] = '\0';
	line = trim_blanks(line);
	if (!*line)
		return true;
	while ((field = strsep(&line, ","))) {
		if (n < COLUMNS)
			column[n] = trim_blanks(field);
		n++;
	}
	if (n != COLUMNS && n != COLUMNS - 1) {
		topo_wrong(l->err, l->file->wiring, l->line, "%u columns where 4 or 5 are expected",
			n);
		return err_cure(
			l->err, "device,port,device,port, and the speed if it is known: 400G");
	}
	/* Spreadsheets export a heading first. */
	if (l->line == 1 && strcasecmp(column[0], "device") == 0)
		return true;
	return add_cable(l, column);
}

static bool read_table(struct topo_load *l)
{
	char *rest, *line;
	bool ok = true;
	struct buf b;

	buf_init(&b, TOPO_FILE_MAX);
	if (!topo_slurp(l->file->wiring, &b, l->err)) {
		buf_free(&b);
		return false;
	}
	if (b.len && memchr(b.data, '\0', b.len))
		ok = err_set(l->err, ERR_CONFIG, l->file->wiring, "is not a text file");
	for (rest = b.data; ok && (line = strsep(&rest, "\n"));) {
		l->line++;
		ok = read_line(l, line);
	}
	buf_free(&b);
	return ok;
}

/* Adds the ports without cables: rails, and ports below the last one that is in use. */
static bool fill_ports(struct topo_load *l)
{
	unsigned *most = mem_calloc(l->draft.device.n + 1, sizeof(*most));
	bool ok = true;

	for (size_t i = 0; i < l->draft.port.n; i++) {
		unsigned d = l->draft.port.at[i].device;
		unsigned n = number_of(&l->draft.device.at[d], l->draft.port.at[i].name);

		if (n != TOPO_NONE && n + 1 > most[d])
			most[d] = n + 1;
	}
	for (unsigned d = 0; ok && d < l->draft.device.n; d++) {
		unsigned rails;

		ok = topo_rails_of(l, d, &rails);
		for (unsigned n = 0; ok && (n < most[d] || n < rails); n++) {
			unsigned p;

			if (is_broken_out(l, d, n))
				continue;
			p = nth_port(l, d, n);
			if (n < rails && !l->wired.at[p] &&
				l->draft.device.at[d].net == NET_BACKEND)
				l->draft.port.at[p].rail = (int)n;
		}
	}
	free(most);
	return ok;
}

static struct topology *by_table(struct topo_load *l)
{
	struct topology *t;

	if (!read_table(l) || !fill_ports(l))
		return NULL;
	t = mem_calloc(1, sizeof(*t));
	topo_draft_finish(&l->draft, t);
	return t;
}

struct topology *topology_load(const char *path, struct err *err)
{
	struct topology *t = NULL;
	struct topo_file file;
	struct topo_load l = {.file = &file, .err = err};

	if (topo_file_read(path, &file, err) && add_groups(&l))
		t = file.wiring ? by_table(&l) : topo_by_formula(&l);
	if (t) {
		(void)str_copy(t->name, sizeof(t->name), file.fabric);
		(void)str_copy(t->job_source, sizeof(t->job_source), file.job_source);
	}
	free_names(&l.devices);
	free_names(&l.ports);
	free_names(&l.broken_out);
	vec_free(&l.wired);
	vec_free(&l.group);
	for (int k = 0; k < TIER_COUNT; k++)
		free(l.index[k]);
	topo_draft_free(&l.draft);
	topo_file_free(&file);
	return t;
}
