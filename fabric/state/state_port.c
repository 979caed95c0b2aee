/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/cells_internal.h"
#include "fabric/model/model_internal.h"
#include "fabric/state/state_internal.h"
#include "fabric/vocabulary/counters.h"

/* ---- numbers ---- */

#define RAILS_MAX 65536

void state_rail(struct state *s, int *rail)
{
	int32_t wide = *rail;

	state_near32(s, &wide, -1);
	if (wide < -1 || wide >= RAILS_MAX) {
		s->bad = true;
		wide = -1;
	}
	*rail = wide;
}

/* ---- cells ---- */

/* Bits in the head of a cell, above the kind of its rate. */
enum {
	CELL_HAS_VALUE = 1 << 2,
	CELL_NOT_OK = 1 << 3,
	CELL_OTHER_SEEN = 1 << 4,
	CELL_OTHER_BASE = 1 << 5,
	CELL_OTHER_FLAGS = 1 << 6,
	CELL_HAS_BACKS = 1 << 7,
};

/* A cell as encoded, and the one before it. */
struct told_cell {
	struct cell c;
	int64_t seen_us, base_us;
};

static uint8_t cell_head(const struct told_cell *t, const struct told_cell *before)
{
	const struct cell *c = &t->c;

	return (uint8_t)(state_real_kind(c->rate) | (c->u64 ? CELL_HAS_VALUE : 0) |
			 (c->valid != VALID_OK ? CELL_NOT_OK : 0) |
			 (t->seen_us != before->seen_us ? CELL_OTHER_SEEN : 0) |
			 (t->base_us != before->base_us ? CELL_OTHER_BASE : 0) |
			 ((c->flags & CELL_FLAGS) != (before->c.flags & CELL_FLAGS)
					 ? CELL_OTHER_FLAGS
					 : 0) |
			 (cell_backs(c) ? CELL_HAS_BACKS : 0));
}

static void flags_state(struct state *s, struct cell *c, uint8_t head)
{
	uint8_t flags = c->flags & CELL_FLAGS, backs = (uint8_t)cell_backs(c);

	if (head & CELL_OTHER_FLAGS)
		state_small(s, &flags, CELL_FLAGS + 1);
	if (head & CELL_HAS_BACKS)
		state_small(s, &backs, CELL_BACKS_MOST + 1);
	c->flags = 0;
	cell_set_flags(c, flags);
	cell_set_backs(c, backs);
}

/*
 * Most cells of a port were read in the same answer and are zero, so only differences from the
 * cell before are saved. The place of a cell's history (chart) comes from the histories.
 */
static void cell_state(
	struct state *s, struct told_cell *t, const struct told_cell *before, bool gauge)
{
	uint8_t head = cell_head(t, before);
	struct cell *c = &t->c;

	STATE_SIZE(struct cell, 16);
	STATE_SIZE(struct cell_time, 24);
	state_bytes(s, &head, 1);
	if ((head & 3U) >= STATE_REAL_KINDS)
		s->bad = true;
	if (s->loading) {
		*t = *before;
		c->u64 = 0;
		c->valid = VALID_OK;
		cell_set_backs(c, 0);
	}
	if (head & CELL_HAS_VALUE && gauge)
		state_f64(s, &c->real);
	else if (head & CELL_HAS_VALUE)
		state_u64(s, &c->u64);
	state_real_of_kind(s, &c->rate, head & 3U);
	if (head & CELL_NOT_OK)
		state_small(s, &c->valid, VALID_RESET + 1);
	if (head & CELL_OTHER_SEEN)
		state_time(s, &t->seen_us, before->seen_us);
	if (head & CELL_OTHER_BASE)
		state_time(s, &t->base_us, before->base_us);
	flags_state(s, c, head);
}

/* The set of existing cells. */
static void places_state(struct state *s, struct port *p)
{
	struct cell_set set = port_cell_set(p);

	for (size_t i = 0; i < sizeof(set.has) / sizeof(set.has[0]); i++)
		state_u64(s, &set.has[i]);
	for (unsigned i = CELL_COUNT; i < 64 * sizeof(set.has) / sizeof(set.has[0]); i++)
		if (cell_set_has(&set, i))
			s->bad = true;
	if (s->loading && !s->bad)
		(void)port_cells_add(p, &set);
}

static uint8_t reader_of(const struct port *p, unsigned slot)
{
	uint8_t when = p->cells[slot].when;

	return when == TIME_NONE ? 0 : p->times[when].look;
}

/* The device's looks that read the cells: in runs, because a port has few. */
static void readers_state(struct state *s, struct port *p)
{
	for (unsigned at = 0; at < p->layout->n && !s->bad;) {
		uint8_t look = reader_of(p, at), n = 1;

		while (!s->loading && at + n < p->layout->n && reader_of(p, at + n) == look)
			n++;
		state_small(s, &look, DEVICE_LOOKS + 1);
		state_u8(s, &n);
		s->bad |= !n || n > p->layout->n - at;
		for (; s->loading && !s->bad && n; n--, at++) {
			struct cell *c = &p->cells[at];

			if (c->when != TIME_NONE)
				cell_stamp(p, c, cell_seen_us(p, c), cell_base_us(p, c), look);
		}
		at += s->loading ? 0 : n;
	}
}

static void cells_state(struct state *s, struct port *p, int64_t near)
{
	struct told_cell before = {.seen_us = near, .base_us = near};

	places_state(s, p);
	for (unsigned slot = 0; slot < p->layout->n && !s->bad; slot++) {
		struct cell *c = &p->cells[slot];
		struct told_cell t = {*c, cell_seen_us(p, c), cell_base_us(p, c)};

		cell_state(s, &t, &before, cell_info[p->layout->cell[slot]].kind == KIND_GAUGE);
		before = t;
		if (!s->loading || s->bad)
			continue;
		t.c.chart = 0;
		t.c.when = TIME_NONE;
		*c = t.c;
		if (t.seen_us)
			cell_stamp(p, c, t.seen_us, t.base_us, 0);
	}
	readers_state(s, p);
}

/* ---- the rest ---- */

static void watchdogs_state(struct state *s, struct port *p)
{
	STATE_SIZE(struct watchdog, 24);
	for (unsigned i = 0; i < PRIORITIES; i++) {
		struct watchdog *w = &port_watchdogs(p)[i];

		state_small(s, &w->state, WD_STORMED + 1);
		state_text(s, w->action, sizeof(w->action));
		state_u32(s, &w->detect_ms);
		state_u32(s, &w->restore_ms);
	}
	state_u8(s, &p->told_wd);
	state_u8(s, &p->told_wd_on);
}

static void text_state(struct state *s, const struct model *m, const char **at, size_t size)
{
	char text[PORT_TEXT_MOST] = "";

	if (!s->loading)
		(void)str_copy(text, sizeof(text), *at);
	state_text(s, text, size);
	if (s->loading)
		string_pool_set(m->texts, at, text);
}

static void word_state(
	struct state *s, struct model *m, struct port *p, const char *const *at, size_t size)
{
	char text[PORT_TEXT_MOST] = "";

	if (!s->loading)
		(void)str_copy(text, sizeof(text), *at);
	state_text(s, text, size);
	if (s->loading)
		port_word_set(m, p, at, text);
}

static void words_state(struct state *s, struct model *m, struct port *p)
{
	word_state(s, m, p, &p->more->alias, PORT_TEXT_alias);
	text_state(s, m, &p->netdev, PORT_TEXT_netdev);
	word_state(s, m, p, &p->more->mac, PORT_TEXT_mac);
	word_state(s, m, p, &p->more->fec, PORT_TEXT_fec);
	word_state(s, m, p, &p->more->down_reason, PORT_TEXT_down_reason);
	word_state(s, m, p, &p->more->description, PORT_TEXT_description);
	word_state(s, m, p, &p->more->media, PORT_TEXT_media);
	word_state(s, m, p, &p->more->module_sn, PORT_TEXT_module_sn);
	word_state(s, m, p, &p->more->pci_addr, PORT_TEXT_pci_addr);
	word_state(s, m, p, &p->more->setup, PORT_TEXT_setup);
	word_state(s, m, p, &p->more->bond, PORT_TEXT_bond);
	word_state(s, m, p, &p->more->lag_state, PORT_TEXT_lag_state);
	word_state(s, m, p, &p->more->lag_pair, PORT_TEXT_lag_pair);
	word_state(s, m, p, &p->more->scheduler, PORT_TEXT_scheduler);
	word_state(s, m, p, &p->more->tenant, PORT_TEXT_tenant);
	word_state(s, m, p, &p->more->macs, PORT_TEXT_macs);
}

static void lldp_state(struct state *s, struct model *m, struct port *p, int64_t near)
{
	uint32_t was = p->more->lldp_was;
	char now[2 * NAME_MAX_LEN];

	state_near_id(s, &p->lldp_peer, p->plan_peer, m->ports.n);
	text_state(s, m, &p->lldp_device, PORT_TEXT_lldp_device);
	text_state(s, m, &p->lldp_port, PORT_TEXT_lldp_port);
	word_state(s, m, p, &p->more->lldp_mgmt, PORT_TEXT_lldp_mgmt);
	word_state(s, m, p, &p->more->lldp_descr, PORT_TEXT_lldp_descr);
	word_state(s, m, p, &p->more->lldp_also, PORT_TEXT_lldp_also);
	state_time(s, &p->lldp_us, near);
	state_u32(s, &was);
	/* The hash of the rewritten names; 0 for a lost neighbour. */
	if (s->rewrite && was) {
		(void)str_printf(now, sizeof(now), "%s:%s", p->lldp_device, p->lldp_port);
		was = p->lldp_device[0] ? text_hash(now) : 0;
	}
	if (p->more->lldp_was != was)
		port_more(p)->lldp_was = was;
}

static void more_numbers_state(struct state *s, struct port *p, int64_t near)
{
	const struct port_more *more = p->more;
	int64_t changed_us = more->last_change_us, macs_us = more->macs_us;
	bool macs_old = more->macs_old;
	uint8_t width = more->pcie_max_width, least = more->lag_min;
	uint8_t listed = more->listed, layer = more->link_layer;
	uint32_t mtps = more->pcie_max_mtps, first = more->first_speed_mbps;

	state_time(s, &changed_us, near);
	state_u8(s, &width);
	state_u32(s, &mtps);
	state_u8(s, &least);
	state_u32(s, &first);
	state_small(s, &listed, PORT_GONE + 1);
	state_small(s, &layer, LAYER_COUNT);
	state_time(s, &macs_us, near);
	state_bool(s, &macs_old);
	if (!s->loading || (!changed_us && !macs_us && !macs_old && !width && !mtps && !least &&
				   !first && !listed && !layer))
		return;
	port_more(p)->link_layer = layer;
	port_more(p)->last_change_us = changed_us;
	port_more(p)->macs_us = macs_us;
	port_more(p)->macs_old = macs_old;
	port_more(p)->pcie_max_width = width;
	port_more(p)->pcie_max_mtps = mtps;
	port_more(p)->lag_min = least;
	port_more(p)->listed = listed;
	port_more(p)->first_speed_mbps = first;
}

/* The numeric data about the port's flaps and settings. */
static void numbers_state(struct state *s, struct port *p, int64_t *moved_us, int64_t near)
{
	STATE_ENUM(s, p->oper, OPER_DOWN + 1);
	STATE_ENUM(s, p->admin, OPER_DOWN + 1);
	state_small(s, &p->told_admin, OPER_DOWN + 1);
	state_u32(s, &p->speed_mbps);
	state_u32(s, &p->mtu);
	state_u32(s, &p->flaps);
	state_u16(s, &p->pfc_enabled);
	state_u16(s, &p->ecn_enabled);
	state_time(s, &p->last_flap_us, near);
	state_time(s, &p->pfc_quiet_us, near);
	for (unsigned g = 0; g < GROUP_COUNT; g++)
		state_time(s, &moved_us[g], near);
	more_numbers_state(s, p, near);
	state_u8(s, &p->unsampled);
	state_u16(s, &p->down_credit);
	state_u16(s, &p->flap_pending);
	state_u16(s, &p->carrier_credit);
	state_bool(s, &p->pinned);
}

/* Parts of a port that hold data. */
enum { PORT_SEEN = 1, PORT_MERGED = 2, PORT_WATCHDOGS = 4, PORT_LLDP = 8, PORT_TOLD = 16 };

static bool has_watchdogs(const struct port *p)
{
	/* Not by memcmp(): a shorter action leaves a part of the longer one behind its end. */
	for (unsigned i = 0; port_has_watchdogs(p) && i < PRIORITIES; i++)
		if (p->wd[i].state || p->wd[i].action[0] || p->wd[i].detect_ms ||
			p->wd[i].restore_ms)
			return true;
	return p->told_wd || p->told_wd_on;
}

static bool has_lldp(const struct port *p)
{
	return p->lldp_peer != PORT_NONE || p->lldp_device[0] || p->lldp_port[0] ||
	       p->more->lldp_mgmt[0] || p->more->lldp_descr[0] || p->more->lldp_also[0] ||
	       p->lldp_us || p->more->lldp_was;
}

static uint8_t port_parts(const struct port *p)
{
	/* A port that no answer named has nothing else, except from logs and events. */
	bool told = p->seen || p->pinned || p->flaps || p->oper || p->layout->n || p->qos ||
		    p->more->limits || p->since || p->down_credit || p->last_flap_us;

	return (uint8_t)((p->seen ? PORT_SEEN : 0) | (p->merged ? PORT_MERGED : 0) |
			 (has_watchdogs(p) ? PORT_WATCHDOGS : 0) | (has_lldp(p) ? PORT_LLDP : 0) |
			 (told ? PORT_TOLD : 0));
}

void port_state(struct state *s, struct model *m, struct port *p)
{
	int64_t near = m->devices.at[p->device]->last_ok_us;
	int64_t moved_us[GROUP_COUNT];
	uint8_t parts = port_parts(p);

	STATE_SIZE(struct port, 184);
	STATE_SIZE(struct port_more, 200);
	state_u8(s, &parts);
	p->seen = parts & PORT_SEEN;
	p->merged = parts & PORT_MERGED;
	text_state(s, m, &p->name, PORT_TEXT_name);
	state_near_id(s, &p->plan_peer, p->id, m->ports.n);
	state_u32(s, &p->plan_speed_mbps);
	state_rail(s, &p->rail);
	if (parts & PORT_LLDP)
		lldp_state(s, m, p, near);
	if (parts & PORT_WATCHDOGS)
		watchdogs_state(s, p);
	if (!(parts & PORT_TOLD))
		return;
	for (unsigned g = 0; g < GROUP_COUNT; g++)
		moved_us[g] = port_moved_us(p, (enum refresh_group)g);
	numbers_state(s, p, moved_us, near);
	words_state(s, m, p);
	qos_state(s, m, p);
	limits_state(s, p);
	/* Growth since a mark is stored by slot, so the cells come first. */
	cells_state(s, p, near);
	for (unsigned g = 0; g < GROUP_COUNT; g++)
		port_set_moved_us(p, (enum refresh_group)g, moved_us[g]);
	since_state(s, p);
}
