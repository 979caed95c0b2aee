/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml.h"
#include "backends/contract/backend.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define INTERVAL_DEFAULT_US (5 * CLOCK_SEC)
#define RAILS_MAX           64
#define NETS_PORTS_MAX      256 /* names of a network in one group */
#define NO_DEVICE           UINT32_MAX

struct name {
	char text[NAME_MAX_LEN];
};
typedef VEC(struct name) name_vec;

struct build {
	const struct inventory *inv;
	struct plan *plan;
	struct problems *problems;
	struct name_index *names;
	VEC(unsigned) group_of; /* group number of each device */
	VEC(name_vec) rails;    /* of each group: names of the hosts' ports, by rail */
	VEC(unsigned)
	by_index[TIER_COUNT]; /* device with the preset's number in its tier, or NO_DEVICE */
};

/* ---- from names to devices ---- */

static void collect_name(void *ctx, const char *name)
{
	name_vec *names = ctx;
	struct name *n = vec_add(names);

	(void)str_copy(n->text, sizeof(n->text), name);
}

static bool expand_list(struct build *b, const struct group *g, const char *key, unsigned line,
	const char *list, size_t limit, name_vec *out)
{
	struct err err = {0};

	if (hostlist_expand(list, limit, collect_name, out, &err))
		return true;
	(void)problem_add(b->problems, line, NULL, "%s.%s: %s", g->label, key, err.text);
	return err.cure[0] ? problem_cure(b->problems, "%s", err.cure) : false;
}

/* ':' separates locators, ',' and '[' lists; blanks and quotes the filter language. */
bool inventory_name_ok(const char *s)
{
	if (!*s || strlen(s) >= NAME_MAX_LEN || *s == '-')
		return false;
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && !strchr("._-", *s))
			return false;
	}
	return true;
}

/* Finds the rail in names like those of the presets: "-r3" in leaf-r3-05. */
static int rail_in_name(const char *name)
{
	for (const char *s = strstr(name, "-r"); s; s = strstr(s + 1, "-r")) {
		size_t digits = strspn(s + 2, "0123456789");
		char after = s[2 + digits];

		if (digits && digits < 3 && (!after || after == '-' || after == '.'))
			return (int)strtol(s + 2, NULL, 10);
	}
	return -1;
}

static char *own_or(const char *own, const char *inherited)
{
	const char *s = own ? own : inherited;

	return s ? mem_strdup(s) : NULL;
}

static void fill_device(const struct build *b, const struct group *g, struct plan_device *d)
{
	const struct access *a = &g->access, *def = &b->inv->defaults;

	d->tier = (enum tier)g->tier;
	d->net = g->net;
	(void)str_copy(d->site, sizeof(d->site), g->site);
	d->rail = g->rail;
	if (d->rail < 0 && !g->host)
		d->rail = rail_in_name(d->name);
	d->dialect = mem_strdup(g->dialect);
	d->transport = g->transport ? mem_strdup(g->transport) : NULL;
	d->by_engine = g->source == SOURCE_ENGINE;
	d->port = g->port;
	d->user = own_or(a->user, def->user);
	d->identity = own_or(a->identity, def->identity);
	d->credentials = own_or(a->credentials, def->credentials);
	d->ssh_config = own_or(a->ssh_config, def->ssh_config);
	d->known_hosts = own_or(a->known_hosts, def->known_hosts);
	d->jump = own_or(a->jump, def->jump);
	d->tls_ca = own_or(a->tls_ca, def->tls_ca);
	d->interval_us = a->interval_us ? a->interval_us : def->interval_us;
	if (!d->interval_us)
		d->interval_us = INTERVAL_DEFAULT_US;
	/* The data cannot arrive more often than the engine is polled. */
	if (d->by_engine && d->interval_us < b->inv->engine.interval_us)
		d->interval_us = b->inv->engine.interval_us;
	d->medium_us = a->medium_us ? a->medium_us : def->medium_us;
	d->slow_us = a->slow_us ? a->slow_us : def->slow_us;
	if (a->poll || def->poll)
		d->poll = (enum poll_way)((a->poll ? a->poll : def->poll) - 1);
	(void)str_printf(
		d->source, sizeof(d->source), "%s:%u", g->file ? g->file : b->inv->file, g->line);
}

static void add_device(struct build *b, unsigned group, const char *name, const char *address)
{
	const struct group *g = &b->inv->groups.at[group];
	struct plan_device *d;
	unsigned at;

	if (!inventory_name_ok(name)) {
		(void)problem_add(b->problems, g->names_line, NULL,
			"%s.names: \"%s\" is not a device name", g->label, name);
		(void)problem_cure(b->problems, "use letters, digits, '.', '_' and '-'");
		return;
	}
	if (!name_index_add(b->names, name, (unsigned)b->plan->devices.n, &at)) {
		(void)problem_add(b->problems, g->names_line, NULL,
			"%s.names: the device \"%s\" exists already (%s)", g->label, name,
			b->plan->devices.at[at].source);
		return;
	}
	d = vec_add(&b->plan->devices);
	(void)str_copy(d->name, sizeof(d->name), name);
	fill_device(b, g, d);
	d->address = mem_strdup(address ? address : name);
	vec_push(&b->group_of, group);
}

/* One address for the whole group, or one per name. */
static bool expand_addresses(struct build *b, const struct group *g, size_t names, name_vec *out)
{
	if (!g->address || !strpbrk(g->address, "[,"))
		return true;
	if (!expand_list(b, g, "address", g->address_line, g->address, INVENTORY_DEVICES_MAX, out))
		return false;
	if (out->n == names)
		return true;
	(void)problem_add(b->problems, g->address_line, NULL,
		"%s.address: %zu addresses for %zu names", g->label, out->n, names);
	return problem_cure(b->problems, "give one for all names, or one for each name");
}

/* The lists of ports of other networks, for all devices of the group. */
static void add_nets(struct build *b, const struct group *g, size_t from)
{
	for (unsigned k = 0; k < NET_COUNT; k++) {
		name_vec ports = {0};

		if (g->nets[k])
			(void)expand_list(
				b, g, "nets", g->nets_line, g->nets[k], NETS_PORTS_MAX, &ports);
		for (size_t i = 0; i < ports.n && from < b->plan->devices.n; i++) {
			struct plan_net *n = vec_add(&b->plan->nets);

			n->from = (unsigned)from;
			n->to = (unsigned)b->plan->devices.n;
			n->net = (enum net_kind)k;
			(void)str_copy(n->ports, sizeof(n->ports), ports.at[i].text);
		}
		vec_free(&ports);
	}
}

static void add_group(struct build *b, unsigned group)
{
	const struct group *g = &b->inv->groups.at[group];
	name_vec names = {0}, addresses = {0}, *rails = vec_add(&b->rails);
	size_t from = b->plan->devices.n, left = INVENTORY_DEVICES_MAX - from;

	if (g->rails && expand_list(b, g, "rails", g->rails_line, g->rails, RAILS_MAX, rails) &&
		b->inv->sizing && b->inv->wiring == WIRING_FORMULA &&
		rails->n != b->inv->sizing->rails) {
		(void)problem_add(b->problems, g->rails_line, NULL,
			"%s.rails: %zu ports, the preset %s has %u rails", g->label, rails->n,
			b->inv->sizing->preset, b->inv->sizing->rails);
	}
	if (g->names && expand_list(b, g, "names", g->names_line, g->names, left, &names) &&
		expand_addresses(b, g, names.n, &addresses)) {
		for (size_t i = 0; i < names.n && !problems_full(b->problems); i++)
			add_device(b, group, names.at[i].text,
				addresses.n ? addresses.at[i].text : g->address);
	}
	add_nets(b, g, from);
	vec_free(&names);
	vec_free(&addresses);
}

/* ---- wiring by the preset's formula ---- */

static unsigned count_tier(const struct plan *plan, enum tier t)
{
	unsigned n = 0;

	for (size_t i = 0; i < plan->devices.n; i++)
		n += plan->devices.at[i].tier == t && plan->devices.at[i].net == NET_BACKEND;
	return n;
}

static unsigned map_by_name(struct build *b, enum tier t, unsigned want)
{
	unsigned found = 0;
	char name[NAME_MAX_LEN];

	for (unsigned i = 0; i < want; i++) {
		unsigned at = NO_DEVICE;

		if (sizing_device_name(b->inv->sizing, t, i, name, sizeof(name)) &&
			name_index_find(b->names, name, &at) && b->plan->devices.at[at].tier == t)
			found++;
		else
			at = NO_DEVICE;
		vec_push(&b->by_index[t], at);
	}
	return found;
}

static void map_by_order(struct build *b, enum tier t)
{
	unsigned n = 0;

	for (size_t i = 0; i < b->plan->devices.n; i++) {
		const struct plan_device *d = &b->plan->devices.at[i];

		if (d->tier == t && d->net == NET_BACKEND && n < b->by_index[t].n)
			b->by_index[t].at[n++] = (unsigned)i;
	}
}

/* Maps the preset's numbers to devices: by the preset's names, else by the order in the file. */
static void map_tier(struct build *b, enum tier t)
{
	const struct sizing *s = b->inv->sizing;
	unsigned want = sizing_devices(s, t), have = count_tier(b->plan, t);
	char first[NAME_MAX_LEN];

	if (map_by_name(b, t, want) || !have)
		return;
	if (have == want) {
		map_by_order(b, t);
		return;
	}
	if (b->inv->wiring != WIRING_FORMULA)
		return;
	(void)sizing_device_name(s, t, 0, first, sizeof(first));
	(void)problem_add(b->problems, b->inv->wiring_line, "wiring.plan",
		"the preset %s has %u devices of tier %s, the inventory %u", s->preset, want,
		tier_name(t), have);
	(void)problem_cure(
		b->problems, "use the preset's names (%s, ...), or list all of them", first);
}

static void rails_by_preset(struct build *b, enum tier t)
{
	for (unsigned i = 0; i < b->by_index[t].n; i++) {
		unsigned at = b->by_index[t].at[i];

		/* NO_DEVICE is above all. */
		if (at >= b->group_of.n || !b->group_of.at ||
			b->inv->groups.at[b->group_of.at[at]].rail >= 0)
			continue;
		b->plan->devices.at[at].rail = sizing_rail(b->inv->sizing, t, i);
	}
}

/* Fills in the port's name, "" if unknown. False: this end is not in the inventory. */
static bool wire_end(
	const struct build *b, struct wire_end end, unsigned *device, char *port, size_t size)
{
	const name_vec *rails;

	if (end.device >= b->by_index[end.tier].n)
		return false;
	*device = b->by_index[end.tier].at[end.device];
	if (*device == NO_DEVICE)
		return false;
	rails = &b->rails.at[b->group_of.at[*device]];
	if (rails->n)
		return end.port < rails->n && str_copy(port, size, rails->at[end.port].text);
	if (!sizing_port_name(end.tier, b->plan->devices.at[*device].dialect, end.port, port, size))
		port[0] = '\0';
	return true;
}

static void wire_by_formula(struct build *b)
{
	const struct sizing *s = b->inv->sizing;
	size_t wires = sizing_wires(s);

	for (size_t i = 0; i < wires; i++) {
		struct wire w = sizing_wire(s, i);
		struct plan_link link = {.a_place = w.a.port,
			.b_place = w.b.port,
			.rail = w.rail,
			.speed_mbps = s->speed_mbps};

		if (wire_end(b, w.a, &link.a, link.a_port, sizeof(link.a_port)) &&
			wire_end(b, w.b, &link.b, link.b_port, sizeof(link.b_port)))
			vec_push(&b->plan->links, link);
	}
}

/* Hosts whose NICs have names of their own: their rails are known without any wiring. */
static void list_nics(struct build *b)
{
	for (unsigned i = 0; i < b->plan->devices.n && i < b->group_of.n; i++) {
		const name_vec *rails = &b->rails.at[b->group_of.at[i]];

		for (size_t rail = 0; rail < rails->n; rail++) {
			struct plan_nic nic = {.device = i, .rail = (int)rail};

			if (str_copy(nic.port, sizeof(nic.port), rails->at[rail].text))
				vec_push(&b->plan->nics, nic);
		}
	}
}

/* ---- the whole plan ---- */

static unsigned count_rails(const struct build *b)
{
	unsigned n = b->inv->sizing ? b->inv->sizing->rails : 0;

	for (size_t i = 0; i < b->plan->devices.n; i++) {
		int rail = b->plan->devices.at[i].rail;

		if (rail >= 0 && (unsigned)rail + 1 > n)
			n = (unsigned)rail + 1;
	}
	for (size_t i = 0; i < b->rails.n; i++) {
		if (b->rails.at[i].n > n)
			n = (unsigned)b->rails.at[i].n;
	}
	return n;
}

static void build_free(struct build *b)
{
	for (size_t i = 0; i < b->rails.n; i++)
		vec_free(&b->rails.at[i]);
	vec_free(&b->rails);
	vec_free(&b->group_of);
	for (unsigned t = 0; t < TIER_COUNT; t++)
		vec_free(&b->by_index[t]);
	name_index_free(b->names);
}

/* A list of device names in the file, each of which must exist. */
struct named {
	struct build *b;
	const char *place;
	unsigned line;
};

static void check_named(void *ctx, const char *name)
{
	struct named *n = ctx;
	unsigned at;

	if (!name_index_find(n->b->names, name, &at)) {
		(void)problem_add(n->b->problems, n->line, n->place, "there is no device %s", name);
		(void)problem_cure(n->b->problems, "name devices of hosts: or switches:");
	}
}

static void check_list(struct named *n, const char *list)
{
	struct err err = {0};

	if (list && !hostlist_expand(list, n->b->plan->devices.n + 64, check_named, n, &err))
		(void)problem_add(n->b->problems, n->line, n->place, "%s", err.text);
}

static unsigned line_of(const struct plan_jobs *j)
{
	const char *colon = strrchr(j->where, ':');

	return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

/* The included file of an entry of jobs: NULL: the first file. */
static const char *part_of(const struct build *b, const struct plan_jobs *j)
{
	for (size_t i = 0; i < b->inv->files.n; i++)
		if (str_starts(j->where, b->inv->files.at[i]))
			return b->inv->files.at[i];
	return NULL;
}

static void add_jobs(struct build *b)
{
	for (size_t i = 0; i < b->inv->jobs.n; i++) {
		const struct plan_jobs *from = &b->inv->jobs.at[i];
		struct plan_jobs *to = vec_add(&b->plan->jobs);

		*to = *from;
		to->path = from->path ? mem_strdup(from->path) : NULL;
		to->hosts = from->hosts ? mem_strdup(from->hosts) : NULL;
		to->name = from->name ? mem_strdup(from->name) : NULL;
		to->url = from->url ? mem_strdup(from->url) : NULL;
		to->token = from->token ? mem_strdup(from->token) : NULL;
		to->tls_ca = from->tls_ca ? mem_strdup(from->tls_ca) : NULL;
		b->problems->part = part_of(b, to);
		check_list(&(struct named){b, "jobs.hosts", line_of(to)}, to->hosts);
		b->problems->part = NULL;
	}
}

static void add_pins(struct build *b)
{
	for (size_t i = 0; i < b->inv->pins.n; i++) {
		const struct plan_pin *pin = &b->inv->pins.at[i];

		check_named(&(struct named){b, "pins", pin->line}, pin->device);
		vec_push(&b->plan->pins, *pin);
	}
}

static void take_actions(struct build *b, struct inventory *inv)
{
	b->plan->actions = inv->actions;
	memset(&inv->actions, 0, sizeof(inv->actions));
	check_list(&(struct named){b, "actions.devices", 0}, b->plan->actions.devices);
}

static void take_notify(struct plan *plan, struct inventory *inv)
{
	plan->notify = inv->notify;
	memset(&inv->notify, 0, sizeof(inv->notify));
}

static void take_engine(struct plan *plan, struct inventory *inv)
{
	plan->engine = inv->engine;
	(void)str_copy(plan->warning, sizeof(plan->warning), inv->warning);
	memset(&inv->engine, 0, sizeof(inv->engine));
}

void inventory_build(struct inventory *inv, struct plan *plan, struct problems *problems)
{
	struct build b = {
		.inv = inv, .plan = plan, .problems = problems, .names = name_index_new()};

	if (inv->fabric)
		(void)str_copy(plan->fabric, sizeof(plan->fabric), inv->fabric);
	if (inv->sizing)
		(void)str_copy(plan->preset, sizeof(plan->preset), inv->sizing->preset);
	plan->lossless = inv->lossless;
	memcpy(plan->tier_words, inv->tier_words, sizeof(plan->tier_words));
	for (unsigned i = 0; i < inv->groups.n && !problems_full(problems); i++) {
		problems->part = inv->groups.at[i].file;
		add_group(&b, i);
	}
	problems->part = NULL;
	for (unsigned t = 0; inv->sizing && t < TIER_COUNT; t++) {
		map_tier(&b, (enum tier)t);
		rails_by_preset(&b, (enum tier)t);
	}
	add_jobs(&b);
	add_pins(&b);
	take_actions(&b, inv);
	take_engine(plan, inv);
	take_notify(plan, inv);
	inventory_place_devices(inv, plan, problems);
	if (inv->wiring == WIRING_FORMULA && inv->sizing)
		wire_by_formula(&b);
	plan->rails = count_rails(&b);
	list_nics(&b);
	if (inv->wiring == WIRING_FORMULA && inv->tables.n)
		(void)problem_add(problems, inv->wiring_line, "wiring.plan",
			"an included file has a table: %s", inv->tables.at[0].stated_in);
	else if ((inv->wiring == WIRING_FILE && inv->wiring_file) || inv->tables.n)
		inventory_read_wiring(inv, plan, problems);
	/* A plan from a faulty inventory may be used to look, but never for actions. */
	if (problems->at.n)
		plan_actions_free(&plan->actions);
	build_free(&b);
}
