/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "app/discover/discover.h"
#include "base/str.h"
#include "fabric/vocabulary/mac.h"

/* The ports that a device reports of itself: by them the names in neighbours' LLDP are resolved. */

#define PORTS_MAX 2048

static struct found_port *port_named(struct found *f, const char *name)
{
	struct found_port *p;

	for (size_t i = 0; i < f->ports.n; i++)
		if (str_eq(f->ports.at[i].name, name))
			return &f->ports.at[i];
	if (f->ports.n >= PORTS_MAX)
		return NULL;
	p = vec_add(&f->ports);
	(void)str_copy(p->name, sizeof(p->name), name);
	return p;
}

static void learn_word(struct found_port *p, enum obs_attr attr, const char *text)
{
	char mac[MAC_TEXT];

	if (attr == ATTR_ALIAS)
		(void)str_copy(p->alias, sizeof(p->alias), text);
	else if (attr == ATTR_NETDEV)
		(void)str_copy(p->netdev, sizeof(p->netdev), text);
	else if (attr == ATTR_MAC && mac_read(text, mac))
		(void)str_copy(p->mac, sizeof(p->mac), mac);
	else if (attr == ATTR_BOND)
		p->is_bond = str_eq(p->name, text);
}

void discovery_learn_ports(struct found *f, const struct obs *o)
{
	struct found_port *p = NULL;
	uint32_t last = OBS_NO_PORT;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];
		bool speed = it->kind == OBS_NUMBER && it->code == ATTR_SPEED_MBPS;

		if (it->port >= o->ports.n || !(it->kind == OBS_WORD || speed))
			continue;
		if (it->port != last)
			p = port_named(f, o->ports.at[it->port].name);
		last = it->port;
		if (p && speed && it->real > 0 && it->real < 1e8)
			p->mbps = (unsigned)it->real;
		else if (p && it->kind == OBS_WORD)
			learn_word(p, (enum obs_attr)it->code, obs_text(o, it->text));
	}
}

const struct found_port *discovery_port(const struct found *f, const char *name)
{
	const struct found_port *found = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < f->ports.n; i++) {
		const struct found_port *p = &f->ports.at[i];

		if (str_eq(p->name, name))
			return p;
		if (p->is_bond || !*name ||
			!(str_eq(p->alias, name) || str_eq(p->netdev, name) ||
				str_eq(p->mac, name)))
			continue;
		found = p;
		n++;
	}
	/* The slaves of a bond share a MAC: then it names none of them. */
	return n == 1 ? found : NULL;
}

/* The only device with a port of that MAC; SIZE_MAX: none, or several. */
static size_t device_of_mac(const struct discovery *d, const char *mac)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < d->devices.n; i++)
		for (size_t k = 0; k < d->devices.at[i].ports.n; k++) {
			if (!str_eq(d->devices.at[i].ports.at[k].mac, mac) || found == i)
				continue;
			if (found != SIZE_MAX)
				return SIZE_MAX;
			found = i;
		}
	return found;
}

void discovery_match_macs(struct discovery *d)
{
	for (size_t i = 0; i < d->nameless.n; i++) {
		struct found_link l = d->nameless.at[i];

		l.b = device_of_mac(d, l.b_port);
		if (l.b != SIZE_MAX && l.b != l.a)
			vec_push(&d->links, l);
	}
	d->nameless.n = 0;
}
