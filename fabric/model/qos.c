/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"
#include "base/state.h"

#define uthash_malloc(size) mem_alloc(size)
#include <uthash.h>

#define DSCPS 64

/*
 * Most different maps of one fabric. Real fabrics have a handful. A device that sends a new one
 * each time must not cost memory without bound: maps beyond the limit are unknown.
 */
#define MAPS_MAX 4096

struct map {
	char text[DSCPS + 1];
	uint32_t number; /* place in the list */
	UT_hash_handle hh;
};
struct maps {
	struct map *by_text;
	VEC(struct map *) list;
};

static bool is_map(const char *text, size_t entries)
{
	return strlen(text) == entries && strspn(text, "0123456789-") == entries;
}

/* The model's shared copy; NULL when there are too many. */
static const char *map_intern(struct model *m, const char *text)
{
	struct maps *maps = m->maps;
	struct map *e = NULL;

	if (!maps)
		maps = m->maps = mem_calloc(1, sizeof(*maps));
	HASH_FIND_STR(maps->by_text, text, e);
	if (e)
		return e->text;
	if (maps->list.n >= MAPS_MAX)
		return NULL;
	e = mem_calloc(1, sizeof(*e));
	(void)str_copy(e->text, sizeof(e->text), text);
	e->number = (uint32_t)maps->list.n;
	vec_push(&maps->list, e);
	HASH_ADD_STR(maps->by_text, text, e);
	return e->text;
}

void maps_free(struct model *m)
{
	struct maps *maps = m->maps;

	if (!maps)
		return;
	HASH_CLEAR(hh, maps->by_text);
	for (size_t i = 0; i < maps->list.n; i++)
		free(maps->list.at[i]);
	vec_free(&maps->list);
	free(maps);
	m->maps = NULL;
}

void maps_state(struct state *s, struct model *m)
{
	const struct maps *maps = m->maps;
	size_t n = maps ? maps->list.n : 0;

	state_count(s, &n, MAPS_MAX);
	for (size_t i = 0; i < n && !s->bad; i++) {
		char text[DSCPS + 1] = "";
		size_t entries;

		if (!s->loading && maps)
			(void)str_copy(text, sizeof(text), maps->list.at[i]->text);
		/* Digits, no names: there is nothing to rewrite. */
		entries = strlen(text);
		state_count(s, &entries, DSCPS);
		state_bytes(s, text, entries);
		if (!s->loading)
			continue;
		if (!is_map(text, entries) || (entries != DSCPS && entries != PRIORITIES))
			s->bad = true;
		else
			(void)map_intern(m, text);
	}
}

static void map_state(struct state *s, const struct model *m, const char **map, size_t entries)
{
	const struct maps *maps = m->maps;
	uint32_t number = UINT32_MAX;

	/* The text is the first member of the map. */
	if (*map)
		number = ((const struct map *)(const void *)*map)->number;
	state_index(s, &number, maps ? maps->list.n : 0);
	if (!s->loading)
		return;
	*map = number == UINT32_MAX || !maps ? NULL : maps->list.at[number]->text;
	if (*map && strlen(*map) != entries) {
		*map = NULL;
		s->bad = true;
	}
}

static void prio_state(struct state *s, struct qos_prio *p)
{
	STATE_SIZE(struct qos_prio, 24);
	state_index(s, &p->ecn_min_bytes, UINT32_MAX);
	state_index(s, &p->ecn_max_bytes, UINT32_MAX);
	state_real(s, &p->ecn_probability);
	state_index(s, &p->xoff_bytes, UINT32_MAX);
	state_index(s, &p->xon_bytes, UINT32_MAX);
	state_index(s, &p->headroom_bytes, UINT32_MAX);
}

static struct qos *qos_of(struct port *p)
{
	struct qos *q = p->qos;

	if (q)
		return q;
	q = p->qos = mem_calloc(1, sizeof(*q));
	q->roce_tclass = q->cnp_dscp = q->cnp_prio = -1;
	q->storm_tout_ms = -1;
	for (unsigned i = 0; i < PRIORITIES; i++)
		q->prio[i] = (struct qos_prio){
			UINT32_MAX, UINT32_MAX, NAN, UINT32_MAX, UINT32_MAX, UINT32_MAX};
	return q;
}

void qos_state(struct state *s, const struct model *m, struct port *p)
{
	bool there = p->qos != NULL;
	struct qos *q;

	STATE_SIZE(struct qos, 248);
	state_bool(s, &there);
	if (!there)
		return;
	q = qos_of(p);
	map_state(s, m, &q->dscp_to_tc, DSCPS);
	map_state(s, m, &q->tc_to_queue, PRIORITIES);
	map_state(s, m, &q->tc_to_pg, PRIORITIES);
	map_state(s, m, &q->prio_to_queue, PRIORITIES);
	state_text(s, q->trust, sizeof(q->trust));
	for (unsigned i = 0; i < PRIORITIES; i++)
		prio_state(s, &q->prio[i]);
	state_i16(s, &q->roce_tclass);
	state_i16(s, &q->cnp_dscp);
	state_i16(s, &q->cnp_prio);
	state_u16(s, &q->dcqcn_rp);
	state_u16(s, &q->dcqcn_np);
	state_i32(s, &q->storm_tout_ms);
}

static struct optics_limits *limits_of(struct port *p)
{
	struct optics_limits *l = p->more->limits;

	if (l)
		return l;
	l = port_more(p)->limits = mem_alloc(sizeof(*l));
	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		l->rx_power_dbm[i] = l->tx_power_dbm[i] = l->tx_bias_ma[i] = l->temperature_c[i] =
			l->voltage_v[i] = NAN;
	return l;
}

void limits_state(struct state *s, struct port *p)
{
	bool there = p->more->limits != NULL;
	struct optics_limits *l;

	STATE_SIZE(struct optics_limits, 80);
	state_bool(s, &there);
	if (!there)
		return;
	l = limits_of(p);
	for (unsigned i = 0; i < LIMIT_COUNT; i++) {
		state_real(s, &l->rx_power_dbm[i]);
		state_real(s, &l->tx_power_dbm[i]);
		state_real(s, &l->tx_bias_ma[i]);
		state_real(s, &l->temperature_c[i]);
		state_real(s, &l->voltage_v[i]);
	}
}

/* Sets a map. "" removes it; a malformed map is ignored. */
static void set_map(struct batch *b, const char **dst, const char *text, size_t entries)
{
	const char *map;

	if (*text && !is_map(text, entries))
		return;
	map = *text ? map_intern(b->m, text) : NULL;
	b->changed |= *dst != map;
	*dst = map;
}

static void set_bytes(struct batch *b, uint32_t *dst, double v)
{
	uint32_t n;

	if (!(v >= 0 && v < (double)UINT32_MAX))
		return;
	n = (uint32_t)v;
	b->changed |= *dst != n;
	*dst = n;
}

static void set_small(struct batch *b, int16_t *dst, double v)
{
	if (!(v >= 0 && v <= 255))
		return;
	b->changed |= *dst != (int16_t)v;
	*dst = (int16_t)v;
}

static void set_priorities(struct batch *b, uint16_t *dst, double v)
{
	uint16_t mask;

	if (!(v >= 0 && v <= 255))
		return;
	mask = (uint16_t)((unsigned)v | 0x100U);
	b->changed |= *dst != mask;
	*dst = mask;
}

static void set_real(struct batch *b, float *dst, double v)
{
	float f = (float)v;

	b->changed |= !(*dst >= f && *dst <= f);
	*dst = f;
}

static bool set_word(struct batch *b, struct port *p, enum obs_attr attr, const char *text)
{
	switch (attr) {
	case ATTR_LLDP_MGMT:
		batch_port_word(b, p, &p->more->lldp_mgmt, PORT_TEXT_lldp_mgmt, text);
		return true;
	case ATTR_LLDP_DESCR:
		batch_port_word(b, p, &p->more->lldp_descr, PORT_TEXT_lldp_descr, text);
		return true;
	case ATTR_PCI_ADDR:
		batch_port_word(b, p, &p->more->pci_addr, PORT_TEXT_pci_addr, text);
		return true;
	case ATTR_NIC_SETUP:
		batch_port_word(b, p, &p->more->setup, PORT_TEXT_setup, text);
		return true;
	case ATTR_LLDP_PORT:
		batch_port_word(b, p, &p->more->lldp_also, PORT_TEXT_lldp_also, text);
		return true;
	case ATTR_BOND:
		/* A bond has the MAC of a slave, and is no end of a cable. */
		if (batch_port_word(b, p, &p->more->bond, PORT_TEXT_bond, text))
			wiring_ports_of(b->m, b->d);
		return true;
	case ATTR_LAG_STATE:
		batch_port_word(b, p, &p->more->lag_state, PORT_TEXT_lag_state, text);
		return true;
	case ATTR_LAG_PAIR:
		batch_port_word(b, p, &p->more->lag_pair, PORT_TEXT_lag_pair, text);
		return true;
	case ATTR_SCHEDULER:
		batch_port_word(b, p, &p->more->scheduler, PORT_TEXT_scheduler, text);
		return true;
	case ATTR_TRUST:
		batch_set_text(b, qos_of(p)->trust, sizeof(p->qos->trust), text);
		return true;
	case ATTR_DSCP_TO_TC:
		set_map(b, &qos_of(p)->dscp_to_tc, text, DSCPS);
		return true;
	case ATTR_TC_TO_QUEUE:
		set_map(b, &qos_of(p)->tc_to_queue, text, PRIORITIES);
		return true;
	case ATTR_TC_TO_PG:
		set_map(b, &qos_of(p)->tc_to_pg, text, PRIORITIES);
		return true;
	case ATTR_PRIO_TO_QUEUE:
		set_map(b, &qos_of(p)->prio_to_queue, text, PRIORITIES);
		return true;
	default:
		return false;
	}
}

static bool congestion_number(struct batch *b, struct port *p, enum obs_attr attr, double v)
{
	switch (attr) {
	case ATTR_ROCE_TCLASS:
		set_small(b, &qos_of(p)->roce_tclass, v);
		return true;
	case ATTR_CNP_DSCP:
		set_small(b, &qos_of(p)->cnp_dscp, v);
		return true;
	case ATTR_CNP_PRIO:
		set_small(b, &qos_of(p)->cnp_prio, v);
		return true;
	case ATTR_DCQCN_RP:
		set_priorities(b, &qos_of(p)->dcqcn_rp, v);
		return true;
	case ATTR_DCQCN_NP:
		set_priorities(b, &qos_of(p)->dcqcn_np, v);
		return true;
	case ATTR_STORM_TOUT_MS:
		if (v >= 0 && v <= 1e9) {
			b->changed |= qos_of(p)->storm_tout_ms != (int32_t)v;
			p->qos->storm_tout_ms = (int32_t)v;
		}
		return true;
	case ATTR_PCIE_MAX_WIDTH:
		if (v >= 0 && v <= 255) {
			b->changed |= p->more->pcie_max_width != (uint8_t)v;
			port_more(p)->pcie_max_width = (uint8_t)v;
		}
		return true;
	case ATTR_LAG_MIN:
		if (v >= 0 && v <= 255) {
			b->changed |= p->more->lag_min != (uint8_t)v;
			port_more(p)->lag_min = (uint8_t)v;
		}
		return true;
	case ATTR_PCIE_MAX_MTPS:
		if (v >= 0 && v <= 1e9) {
			b->changed |= p->more->pcie_max_mtps != (unsigned)v;
			port_more(p)->pcie_max_mtps = (unsigned)v;
		}
		return true;
	default:
		return false;
	}
}

static bool priority_number(
	struct batch *b, struct port *p, enum obs_attr attr, unsigned prio, double v)
{
	switch (attr) {
	case ATTR_ECN_MIN_BYTES:
		set_bytes(b, &qos_of(p)->prio[prio].ecn_min_bytes, v);
		return true;
	case ATTR_ECN_MAX_BYTES:
		set_bytes(b, &qos_of(p)->prio[prio].ecn_max_bytes, v);
		return true;
	case ATTR_ECN_PROBABILITY:
		if (v >= 0 && v <= 100)
			set_real(b, &qos_of(p)->prio[prio].ecn_probability, v);
		return true;
	case ATTR_XOFF_BYTES:
		set_bytes(b, &qos_of(p)->prio[prio].xoff_bytes, v);
		return true;
	case ATTR_XON_BYTES:
		set_bytes(b, &qos_of(p)->prio[prio].xon_bytes, v);
		return true;
	case ATTR_HEADROOM_BYTES:
		set_bytes(b, &qos_of(p)->prio[prio].headroom_bytes, v);
		return true;
	default:
		return false;
	}
}

static bool limit_number(
	struct batch *b, struct port *p, enum obs_attr attr, unsigned which, double v)
{
	float *list;

	if (attr < ATTR_RX_POWER_LIMIT || attr > ATTR_VOLTAGE_LIMIT)
		return false;
	if (which >= LIMIT_COUNT || !(fabs(v) < 1e6))
		return true;
	list = attr == ATTR_RX_POWER_LIMIT      ? limits_of(p)->rx_power_dbm
	       : attr == ATTR_TX_POWER_LIMIT    ? limits_of(p)->tx_power_dbm
	       : attr == ATTR_TX_BIAS_LIMIT     ? limits_of(p)->tx_bias_ma
	       : attr == ATTR_TEMPERATURE_LIMIT ? limits_of(p)->temperature_c
						: limits_of(p)->voltage_v;
	set_real(b, &list[which], v);
	return true;
}

bool batch_port_setting(struct batch *b, struct port *p, const struct obs_item *it)
{
	enum obs_attr attr = (enum obs_attr)it->code;

	if (it->kind == OBS_WORD)
		return set_word(b, p, attr, obs_text(b->o, it->text));
	return isfinite(it->real) && (congestion_number(b, p, attr, it->real) ||
					     priority_number(b, p, attr, it->sub, it->real) ||
					     limit_number(b, p, attr, it->sub, it->real));
}
