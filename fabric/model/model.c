/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/model.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/cells_internal.h"
#include "fabric/model/index.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"

#define DEFAULT_INTERVAL_US (5 * CLOCK_SEC)

static const struct err no_err;

void device_set_err(struct device *d, const struct err *e)
{
	if (!e || e->code == ERR_NONE) {
		if (d->err != &no_err)
			free((void *)(uintptr_t)d->err);
		d->err = &no_err;
		return;
	}
	if (d->err == &no_err)
		d->err = mem_alloc(sizeof(*d->err));
	*(struct err *)(uintptr_t)d->err = *e;
}

struct device *model_add_device(struct model *m, const char *name, enum tier tier)
{
	struct device *d = mem_calloc(1, sizeof(*d));

	d->id = (uint32_t)m->devices.n;
	(void)str_copy(d->name, sizeof(d->name), name);
	d->tier = tier;
	d->rail = -1;
	d->interval_us = DEFAULT_INTERVAL_US;
	d->uptime_s = (double)NAN;
	d->err = &no_err;
	vec_push(&m->devices, d);
	index_put(&m->index, d->name, RANK_NAME, d);
	return d;
}

/* Place of the port in the device's natural order. */
static size_t port_place(const struct model *m, const struct device *d, const char *name)
{
	size_t lo = 0, hi = d->ports.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (str_natcmp(m->ports.at[d->ports.at[mid]]->name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct watchdog no_watchdogs[PRIORITIES];
_Static_assert(sizeof(((struct port_more *)0)->word) == 18 * sizeof(char *),
	"a text for each word, here and in neighbour.c");
static const struct port_more no_more = {
	.word = {"", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ""}};

void port_init(struct model *m, struct port *p)
{
	*p = (struct port){.plan_peer = PORT_NONE, .lldp_peer = PORT_NONE, .wd = no_watchdogs};
	p->name = p->netdev = p->lldp_device = p->lldp_port = "";
	p->more = &no_more;
	port_cells_init(m, p);
}

bool device_spreads(const struct device *d)
{
	return d->balancing[0] && strcmp(d->balancing, "hash") != 0;
}

struct watchdog *port_watchdogs(struct port *p)
{
	if (p->wd == no_watchdogs)
		p->wd = mem_calloc(PRIORITIES, sizeof(*p->wd));
	return (struct watchdog *)(uintptr_t)p->wd;
}

bool port_has_watchdogs(const struct port *p)
{
	return p->wd != no_watchdogs;
}

struct port_more *port_more(struct port *p)
{
	struct port_more *more;

	if (p->more == &no_more) {
		more = mem_alloc(sizeof(*more));
		*more = no_more;
		p->more = more;
	}
	return (struct port_more *)(uintptr_t)p->more;
}

void port_word_set(struct model *m, struct port *p, const char *const *at, const char *text)
{
	size_t i = (size_t)(at - p->more->word);

	if (strcmp(*at, text) != 0)
		string_pool_set(m->texts, &port_more(p)->word[i], text);
}

static void port_free(struct port *p)
{
	port_cells_free(p);
	history_free(p);
	marks_free(p);
	if (port_has_watchdogs(p))
		free(port_watchdogs(p));
	free(p->qos);
	free(p->more->limits);
	if (p->more != &no_more)
		free(port_more(p));
	free(p);
}

/* The rail of a NIC that the inventory lists by this name; else that of its device. */
static int listed_rail(const struct model *m, const struct device *d, const char *name)
{
	size_t from = 0, to = m->nics.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (m->nics.at[mid].device < d->id)
			from = mid + 1;
		else
			to = mid;
	}
	for (; from < m->nics.n && m->nics.at[from].device == d->id; from++)
		if (strcmp(m->nics.at[from].port, name) == 0)
			return m->nics.at[from].rail;
	return d->rail;
}

struct port *model_add_port(struct model *m, struct device *d, const char *name)
{
	size_t at = port_place(m, d, name);
	struct port *p;

	if (d->ports.n >= DEVICE_PORTS_MAX)
		return NULL;
	p = mem_alloc(sizeof(*p));
	port_init(m, p);
	p->id = (uint32_t)m->ports.n;
	p->device = d->id;
	string_pool_set(m->texts, &p->name, name);
	p->rail = listed_rail(m, d, name);
	vec_push(&m->ports, p);
	vec_push(&d->ports, p->id);
	memmove(d->ports.at + at + 1, d->ports.at + at,
		(d->ports.n - 1 - at) * sizeof(*d->ports.at));
	d->ports.at[at] = p->id;
	index_put(&d->index, p->name, RANK_NAME, p);
	return p;
}

void model_merge_port(struct model *m, struct port *p, struct port *q)
{
	struct device *d = m->devices.at[q->device];
	size_t i;

	p->plan_peer = q->plan_peer;
	p->plan_speed_mbps = q->plan_speed_mbps;
	p->rail = q->rail;
	if (p->plan_peer != PORT_NONE)
		m->ports.at[p->plan_peer]->plan_peer = p->id;
	q->plan_peer = PORT_NONE;
	/* A port that heard q by the name that p has now: its peer is p. */
	if (q->lldp_peer != PORT_NONE && m->ports.at[q->lldp_peer]->lldp_peer == q->id) {
		m->ports.at[q->lldp_peer]->lldp_peer = p->id;
		if (!p->lldp_device[0])
			p->lldp_peer = q->lldp_peer;
		wiring_port(m, m->ports.at[q->lldp_peer]);
	}
	q->lldp_peer = PORT_NONE;
	q->merged = true;
	/* The pin moves to p: q can no longer be unpinned. */
	p->pinned |= q->pinned;
	q->pinned = false;
	d->merged++;
	for (i = 0; i < d->ports.n && d->ports.at[i] != q->id; i++)
		;
	if (i < d->ports.n) {
		memmove(d->ports.at + i, d->ports.at + i + 1,
			(d->ports.n - i - 1) * sizeof(*d->ports.at));
		d->ports.n--;
	}
	index_drop(&d->index, q->name, RANK_NAME, q);
	index_put(&d->index, q->name, RANK_ALIAS, p);
	wiring_port(m, p);
	wiring_port(m, q);
	if (p->plan_peer != PORT_NONE)
		wiring_port(m, m->ports.at[p->plan_peer]);
	wiring_ports_of(m, d);
}

static void build_device(struct model *m, const struct plan_device *pd)
{
	struct device *d = model_add_device(m, pd->name, pd->tier);

	d->net = pd->net;
	d->rail = pd->rail;
	(void)str_copy(d->site, sizeof(d->site), pd->site);
	(void)str_copy(d->rack, sizeof(d->rack), pd->rack);
	(void)str_copy(d->unit, sizeof(d->unit), pd->unit);
	m->has_racks |= pd->rack[0] != '\0';
	d->planned = true;
	if (pd->interval_us > 0)
		d->interval_us = pd->interval_us;
	(void)str_copy(d->dialect, sizeof(d->dialect), pd->dialect ? pd->dialect : "");
	(void)str_copy(d->transport, sizeof(d->transport), pd->transport ? pd->transport : "");
	(void)str_copy(d->address, sizeof(d->address), pd->address ? pd->address : pd->name);
}

const char *device_stand(const struct device *d, char *out, size_t size)
{
	bool number = d->unit[0] >= '0' && d->unit[0] <= '9';

	(void)str_printf(
		out, size, "%s%s%s%s", d->rack, d->unit[0] ? " " : "", number ? "U" : "", d->unit);
	return out;
}

const char *model_tier_word(const struct model *m, enum tier t)
{
	return (unsigned)t < TIER_COUNT && m->tier_words[t][0] ? m->tier_words[t] : tier_name(t);
}

static struct port *planned_port(
	struct model *m, unsigned device, const char *name, const struct plan_link *l)
{
	struct device *d = m->devices.at[device];
	struct port *p = model_port(m, d, name);

	if (!p)
		p = model_add_port(m, d, name);
	if (!p)
		return NULL;
	p->plan_speed_mbps = l->speed_mbps;
	if (l->metres)
		port_more(p)->metres = l->metres;
	if (l->rail >= 0)
		p->rail = l->rail;
	return p;
}

void model_plan_link(struct model *m, const struct plan_link *l)
{
	struct port *a, *b;

	if (l->a >= m->devices.n || l->b >= m->devices.n)
		return;
	a = l->a_port[0] ? planned_port(m, l->a, l->a_port, l) : NULL;
	b = l->b_port[0] ? planned_port(m, l->b, l->b_port, l) : NULL;
	if (!l->a_port[0] || !l->b_port[0])
		unnamed_add(m, l);
	/* A plan that uses a port twice keeps its first use; the loader reports the second with
	 * its line. */
	if (!a || !b || a == b || a->plan_peer != PORT_NONE || b->plan_peer != PORT_NONE)
		return;
	a->plan_peer = b->id;
	b->plan_peer = a->id;
}

struct model *model_new(const struct plan *plan)
{
	struct model *m = mem_calloc(1, sizeof(*m));

	(void)str_copy(m->fabric, sizeof(m->fabric), plan->fabric);
	m->rails = plan->rails;
	m->lossless = plan->lossless;
	memcpy(m->tier_words, plan->tier_words, sizeof(m->tier_words));
	m->texts = string_pool_new();
	m->nccl = nccl_new();
	m->history = history_store_new();
	m->census = mem_calloc(1, sizeof(*m->census));
	daily_counts_init(&m->tally);
	m->events = mem_calloc(EVENT_RING, sizeof(*m->events));
	for (size_t i = 0; i < plan->devices.n; i++)
		build_device(m, &plan->devices.at[i]);
	for (size_t i = 0; i < plan->nics.n; i++)
		vec_push(&m->nics, plan->nics.at[i]);
	for (size_t i = 0; i < plan->nets.n; i++)
		vec_push(&m->nets, plan->nets.at[i]);
	for (size_t i = 0; i < plan->links.n; i++)
		model_plan_link(m, &plan->links.at[i]);
	m->links_dirty = true;
	m->wiring_generation++;
	model_links(m);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->ports.n; i++) {
		/* NULL in a partially loaded model. */
		if (!m->ports.at[i])
			continue;
		port_free(m->ports.at[i]);
	}
	for (size_t i = 0; i < m->devices.n; i++) {
		struct device *d = m->devices.at[i];

		vec_free(&d->caps);
		vec_free(&d->bgp);
		free(d->log);
		free(d->gpus);
		free(d->notes);
		device_set_err(d, NULL);
		vec_free(&d->ports);
		index_free(&d->index);
		free(d);
	}
	if (m->clock)
		clock_track_free(m->clock);
	free(m->clock);
	vec_free(&m->ports);
	vec_free(&m->devices);
	vec_free(&m->links);
	vec_free(&m->sources);
	vec_free(&m->nics);
	vec_free(&m->nets);
	unnamed_free(m);
	wiring_forget(m);
	free(m->census);
	nccl_free(m->nccl);
	history_store_free(m->history);
	index_free(&m->index);
	index_free(&m->macs);
	maps_free(m);
	string_pool_free(m->texts);
	layouts_free(m);
	free(m->events);
	free(m);
}

struct device *model_device(const struct model *m, const char *name)
{
	return index_get(m->index, name);
}

struct port *port_bond(const struct model *m, const struct port *p)
{
	struct port *bond;

	if (!p->more->bond[0] || port_is_bond(p))
		return NULL;
	bond = model_port(m, model_dev_of(m, p), p->more->bond);
	return bond && port_is_bond(bond) ? bond : NULL;
}

struct port *port_slave(const struct model *m, const struct port *bond, size_t i)
{
	const struct device *d = model_dev_of(m, bond);

	for (size_t k = 0; port_is_bond(bond) && k < d->ports.n; k++) {
		struct port *p = m->ports.at[d->ports.at[k]];

		if (p != bond && !p->merged && strcmp(p->more->bond, bond->name) == 0 && !i--)
			return p;
	}
	return NULL;
}

struct port *model_port(const struct model *m, const struct device *d, const char *name)
{
	(void)m;
	return index_get(d->index, name);
}

const struct cell *port_cell(const struct port *p, counter_id id, unsigned sub)
{
	uint8_t slot = p->layout->slot[counter_cell(id, sub)];

	return slot == SLOT_NONE ? NULL : &p->cells[slot];
}

/* Two slow polls and some time: a counter that is missing from the answers must not stay
 * current. */
#define CELL_STALE_US (660 * CLOCK_SEC)

enum validity device_cell_valid(const struct device *d, const struct cell *c, int64_t seen_us)
{
	if (c->valid != VALID_OK && c->valid != VALID_RESET)
		return (enum validity)c->valid;
	if (d->state >= DEV_STALE || d->last_ok_us - seen_us > CELL_STALE_US)
		return VALID_STALE;
	return (enum validity)c->valid;
}

enum validity port_cell_valid(
	const struct model *m, const struct port *p, counter_id id, unsigned sub)
{
	const struct cell *c = port_cell(p, id, sub);

	enum validity v;

	if (!c)
		return VALID_UNKNOWN;
	v = device_cell_valid(model_dev_of(m, p), c, cell_seen_us(p, c));
	return port_is_gone(p) && (v == VALID_OK || v == VALID_RESET) ? VALID_STALE : v;
}

double port_rate(const struct port *p, counter_id id, unsigned sub)
{
	const struct cell *c = port_cell(p, id, sub);

	if (!c || c->valid != VALID_OK || counter_info[id].kind != KIND_COUNT)
		return (double)NAN;
	return (double)c->rate;
}

double port_rate_prios(const struct port *p, counter_id id, uint8_t mask)
{
	const uint8_t *slot = &p->layout->slot[counter_info[id].first_cell];
	unsigned left = mask & p->layout->subs[id];
	double sum = (double)NAN;

	if (counter_info[id].kind != KIND_COUNT)
		return sum;
	for (; left; left &= left - 1) {
		const struct cell *c = &p->cells[slot[__builtin_ctz(left)]];

		if (c->valid == VALID_OK && !isnan(c->rate))
			sum = isnan(sum) ? (double)c->rate : sum + (double)c->rate;
	}
	return sum;
}

const char *wd_state_name(enum wd_state s)
{
	static const char *const names[] = {"unknown", "off", "operational", "stormed"};

	return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : "unknown";
}

const char *link_state_name(enum link_state s)
{
	static const char *const names[] = {"unknown", "ok", "planned", "found", "miswired"};

	return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : "unknown";
}

const struct event *model_event(const struct model *m, size_t i)
{
	if (i >= EVENT_RING || i >= m->event_seq)
		return NULL;
	return &m->events[(m->event_seq - 1 - i) % EVENT_RING];
}

void model_add_event(struct model *m, int64_t now_us, enum event_kind kind, const struct device *d,
	const struct port *p, int priority, int64_t device_us, const char *text)
{
	struct event *e = &m->events[m->event_seq % EVENT_RING];

	*e = (struct event){
		.seq = ++m->event_seq,
		.wall_us = now_us,
		.device_us = device_us,
		.kind = kind,
		.device = d ? d->id : EVENT_NO_ID,
		.port = p ? p->id : EVENT_NO_ID,
		.priority = (int8_t)priority,
	};
	str_sanitise(e->text, sizeof(e->text), text ? text : "", text ? strlen(text) : 0);
	tally_event(m, kind, d, p, now_us);
	m->generation++;
}

struct coverage model_coverage(const struct model *m)
{
	struct coverage c = {.devices = (unsigned)m->devices.n};

	for (size_t i = 0; i < m->devices.n; i++)
		c.by_state[m->devices.at[i]->state]++;
	return c;
}

char *coverage_words(const struct coverage *c, char *dst, size_t size)
{
	unsigned odd = c->by_state[DEV_NOT_UNDERSTOOD];
	char more[40] = "";

	if (odd)
		(void)str_printf(more, sizeof(more), ", %u not understood", odd);
	(void)str_printf(
		dst, size, "%u of %u devices fresh%s", c->by_state[DEV_FRESH], c->devices, more);
	return dst;
}

static void count_devices(const struct model *m, struct census *c)
{
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		c->expected[d->tier] += d->planned;
		c->seen[d->tier] += d->last_ok_us > 0;
	}
}

static void count_ports(const struct model *m, struct census *c)
{
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (p->plan_peer == PORT_NONE)
			continue;
		c->ports_expected++;
		c->ports_up += p->oper == OPER_UP;
		c->links_expected += p->id < p->plan_peer;
	}
}

static void count_links(const struct model *m, struct census *c)
{
	unsigned as_planned = 0, found = 0;

	for (size_t i = 0; i < m->links.n; i++) {
		as_planned += m->links.at[i].state == LINK_AS_PLANNED;
		found += m->links.at[i].state == LINK_FOUND;
	}
	c->links_found = c->links_expected ? as_planned : found;
}

struct census model_census(const struct model *m)
{
	struct census c = {0};

	count_devices(m, &c);
	count_ports(m, &c);
	count_links(m, &c);
	return c;
}

struct census model_census_links(const struct model *m)
{
	struct census_kept *k = m->census;
	struct census c;

	if (k->of != m->wiring_generation + 1 || k->ports != m->ports.n) {
		*k = (struct census_kept){.of = m->wiring_generation + 1, .ports = m->ports.n};
		count_ports(m, &k->links);
		count_links(m, &k->links);
		k->links.ports_up = 0;
	}
	c = k->links;
	count_devices(m, &c);
	return c;
}
