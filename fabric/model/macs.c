/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fabric/model/index.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"

/*
 * The device of a MAC. Clones of a virtual machine and pairs of switches have the same one: then it
 * is the first device, so that a loaded model has the same.
 */

static struct device *holder(const struct model *m, const char *mac)
{
	struct device *d = NULL;

	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (strcmp(p->more->mac, mac) == 0 && (!d || p->device < d->id))
			d = m->devices.at[p->device];
	}
	return d;
}

static void add_mac(struct model *m, const char *mac, struct device *d)
{
	const struct device *was = index_get(m->macs, mac);

	if (!*mac || (was && was->id <= d->id))
		return;
	if (was)
		index_drop(&m->macs, mac, RANK_MAC, was);
	index_put(&m->macs, mac, RANK_MAC, d);
}

void macs_changed(struct model *m, const struct port *p, const char *was)
{
	struct device *d = m->devices.at[p->device], *other;

	if (*was && index_get(m->macs, was) == d) {
		index_drop(&m->macs, was, RANK_MAC, d);
		other = holder(m, was);
		if (other)
			index_put(&m->macs, was, RANK_MAC, other);
	}
	add_mac(m, p->more->mac, d);
	wiring_name(m, d);
}

void macs_rebuild(struct model *m)
{
	index_free(&m->macs);
	for (size_t i = 0; i < m->ports.n; i++)
		add_mac(m, m->ports.at[i]->more->mac, m->devices.at[m->ports.at[i]->device]);
}

struct device *macs_find(const struct model *m, const char *mac)
{
	return index_get(m->macs, mac);
}
