/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"
#include "fabric/vocabulary/mac.h"

/*
 * Several neighbours on one port: the firmware of a NIC and the host's lldpd, an agent that calls
 * home, a hypervisor's virtual switch. The planned one counts, else a known one, else one with a
 * name. Of equals the known neighbour stays, so that two do not alternate.
 */
enum neighbour_rank {
	RANK_NONE,     /* "no neighbour", which some devices report of all ports first */
	RANK_NAMELESS, /* a MAC in place of a name */
	RANK_NAMED,
	RANK_KNOWN,   /* a device of the model */
	RANK_PLANNED, /* the device that the plan has at this port */
	RANK_EXACT,   /* its planned port as well */
};

bool neighbour_attr(enum obs_attr attr)
{
	return attr == ATTR_LLDP_MGMT || attr == ATTR_LLDP_DESCR || attr == ATTR_LLDP_PORT;
}

static enum neighbour_rank rank_of(
	const struct model *m, const struct port *p, const char *device, const char *peer_port)
{
	static const struct port_more none = {
		.word = {"", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ""}};
	struct port heard = {.lldp_device = device, .lldp_port = peer_port, .more = &none};
	const struct device *d, *planned;
	const struct port *q;

	if (!*device)
		return RANK_NONE;
	d = port_heard_device(m, &heard);
	if (!d)
		return neighbour_is_nameless(device) ? RANK_NAMELESS : RANK_NAMED;
	if (p->plan_peer == PORT_NONE)
		return RANK_KNOWN;
	q = m->ports.at[p->plan_peer];
	planned = model_dev_of(m, q);
	if (d != planned)
		return RANK_KNOWN;
	return model_port(m, d, peer_port) == q ? RANK_EXACT : RANK_PLANNED;
}

static bool is_current(const struct batch *b, const struct port *p, const struct obs_item *it)
{
	return strcmp(p->lldp_device, obs_text(b->o, it->text)) == 0 &&
	       strcmp(p->lldp_port, obs_text(b->o, it->text2)) == 0;
}

void neighbour_note(struct batch *b, struct batch_port *bp, size_t item)
{
	const struct obs_item *it = &b->o->items.at[item];
	enum neighbour_rank rank;

	/* The ports of most answers have one neighbour, the known one. */
	if (!bp->lldp_item && is_current(b, bp->port, it)) {
		bp->lldp_item = item + 1;
		bp->lldp_rank = UINT8_MAX;
		return;
	}
	rank = rank_of(b->m, bp->port, obs_text(b->o, it->text), obs_text(b->o, it->text2));
	if (bp->lldp_item && bp->lldp_rank == UINT8_MAX)
		bp->lldp_rank = (uint8_t)rank_of(
			b->m, bp->port, bp->port->lldp_device, bp->port->lldp_port);
	if (bp->lldp_item &&
		(rank < bp->lldp_rank || (rank == bp->lldp_rank && !is_current(b, bp->port, it))))
		return;
	bp->lldp_item = item + 1;
	bp->lldp_rank = (uint8_t)rank;
}

/* Words about a neighbour follow it. Words without a neighbour before them are about any. */
static void apply_words(struct batch *b)
{
	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];
		struct batch_port *bp = it->port < b->o->ports.n ? &b->ports[it->port] : NULL;

		if (!bp || !bp->port)
			continue;
		if (it->kind == OBS_LLDP)
			bp->lldp_last = i + 1;
		else if (it->kind == OBS_WORD && neighbour_attr((enum obs_attr)it->code) &&
			 (!bp->lldp_last || bp->lldp_last == bp->lldp_item))
			batch_port_attr(b, bp, it);
	}
}

/*
 * A port hears nobody now. A link that went down empties the tables just when its other end is
 * asked for, so the last stations stay known until another port hears them.
 */
static void forget_stations(const struct batch *b, struct port *p)
{
	if (!p->more->macs[0] || p->more->macs_old)
		return;
	port_more(p)->macs_old = true;
	wiring_port(b->m, p);
}

void macs_apply(struct batch *b, struct batch_port *bp, const char *text)
{
	struct port *p = bp->port;
	bool was_old = p->more->macs_old;

	if (!*text) {
		forget_stations(b, p);
		return;
	}
	b->m->hears_macs = bp->heard = true;
	port_more(p)->macs_us = b->received;
	port_more(p)->macs_old = false;
	if (batch_port_word(b, p, &p->more->macs, PORT_TEXT_macs, text) || was_old)
		wiring_port(b->m, p);
}

/* The other ports of a device that has told of all. */
static void age_stations(const struct batch *b)
{
	bool *heard = mem_calloc(b->m->ports.n + 1, sizeof(*heard));

	for (size_t i = 0; i < b->o->ports.n; i++)
		if (b->ports[i].port)
			heard[b->ports[i].port->id] |= b->ports[i].heard;
	for (size_t i = 0; i < b->d->ports.n; i++) {
		struct port *p = b->m->ports.at[b->d->ports.at[i]];

		if (!heard[p->id])
			forget_stations(b, p);
	}
	free(heard);
}

void neighbours_apply(struct batch *b)
{
	if (b->stations)
		age_stations(b);
	if (!(b->kinds & 1U << OBS_LLDP) && !b->neighbour_words)
		return;
	for (size_t i = 0; i < b->o->ports.n; i++) {
		struct batch_port *bp = &b->ports[i];

		if (bp->port && bp->lldp_item)
			lldp_apply(b, bp, &b->o->items.at[bp->lldp_item - 1]);
	}
	apply_words(b);
}
