/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"

/*
 * Ports that come and go: a breakout, a line card that is pulled or put in, a renamed port. A
 * switch deletes and adds ports one after the other while it reconfigures a card, so a port is gone
 * when it is missing from two lists in sequence.
 */
/* Events of one answer: a pulled line card is one event, not one for each port. */
#define EVENTS_EACH 4

const char *port_state_name(const struct port *p)
{
	return port_is_gone(p) ? "gone" : oper_name(p->oper);
}

/* Number of ports that the batch promises to list; 0: it does not list all. */
static size_t listed(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_NUMBER && it->code == ATTR_PORT_LIST && it->port == OBS_NO_PORT)
			return it->real >= 1 && it->real <= DEVICE_PORTS_MAX ? (size_t)it->real : 0;
	}
	return 0;
}

/* Nothing is measured any longer: the values stay, and grow old. */
static void forget_rates(struct port *p)
{
	for (size_t i = 0; i < p->layout->n; i++)
		p->cells[i].rate = NAN;
}

static void set_gone(struct batch *b, struct port *p, bool gone)
{
	port_more(p)->listed = gone ? PORT_GONE : PORT_LISTED;
	p->oper = gone ? OPER_UNKNOWN : p->oper;
	if (gone)
		forget_rates(p);
	b->changed = true;
	b->m->settings_generation++;
	wiring_port(b->m, p);
}

struct port_changes {
	unsigned gone;
	const struct port *first_gone, *last_gone;
};

static void tell_gone(struct batch *b, const struct port_changes *c)
{
	char text[3 * NAME_MAX_LEN];

	if (c->gone <= EVENTS_EACH)
		return;
	(void)str_printf(text, sizeof(text), "%u ports, %s to %s", c->gone, c->first_gone->name,
		c->last_gone->name);
	model_add_event(b->m, b->now, EV_PORT_GONE, b->d, NULL, -1, 0, text);
}

/* Ports that are missing for the second time. */
static struct port_changes find_gone(const struct batch *b)
{
	struct port_changes c = {0};

	for (size_t i = 0; i < b->d->ports.n; i++) {
		const struct port *p = b->m->ports.at[b->d->ports.at[i]];

		if (p->more->listed != PORT_MISSED)
			continue;
		c.gone++;
		c.first_gone = c.first_gone ? c.first_gone : p;
		c.last_gone = p;
	}
	return c;
}

static void note_listed(struct batch *b, bool *here)
{
	unsigned back = 0;

	for (size_t i = 0; i < b->o->ports.n; i++) {
		struct port *p = b->ports[i].port;

		if (!p)
			continue;
		here[p->id] = true;
		if (p->more->listed == PORT_GONE) {
			set_gone(b, p, false);
			if (++back <= EVENTS_EACH)
				model_add_event(
					b->m, b->now, EV_PORT_NEW, b->d, p, -1, 0, "it is back");
		} else if (p->more->listed != PORT_LISTED) {
			port_more(p)->listed = PORT_LISTED;
		}
	}
}

static void note_missing(struct batch *b, const bool *here)
{
	struct port_changes c = find_gone(b);

	for (size_t i = 0; i < b->d->ports.n; i++) {
		struct port *p = b->m->ports.at[b->d->ports.at[i]];

		if (here[p->id])
			continue;
		if (p->more->listed == PORT_LISTED) {
			port_more(p)->listed = PORT_MISSED;
		} else if (p->more->listed == PORT_MISSED) {
			set_gone(b, p, true);
			if (c.gone <= EVENTS_EACH)
				model_add_event(b->m, b->now, EV_PORT_GONE, b->d, p, -1, 0, "");
		}
	}
	tell_gone(b, &c);
}

void batch_port_list(struct batch *b)
{
	bool *here;

	if (!(b->kinds & 1U << OBS_NUMBER) || !listed(b->o) || listed(b->o) > b->o->ports.n)
		return;
	here = mem_calloc(b->m->ports.n, sizeof(*here));
	note_listed(b, here);
	note_missing(b, here);
	free(here);
}
