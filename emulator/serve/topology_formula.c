/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/topology_internal.h"

/* Puts the inventory's devices in the places of a preset. */

static bool wrong_count(struct topo_load *l, enum tier t, unsigned have)
{
	const struct sizing *z = l->file->sizing;
	char first[NAME_MAX_LEN];

	(void)sizing_device_name(z, t, 0, first, sizeof(first));
	err_set(l->err, ERR_CONFIG, l->file->path,
		"the preset %s has %u devices of tier %s, the inventory %u", z->preset,
		sizing_devices(z, t), tier_name(t), have);
	return err_cure(l->err, "use the preset's names (%s, ...), or list all of them", first);
}

/*
 * Maps the preset's device numbers to devices: by the preset's own names, else by the order in the
 * file.
 */
static bool map_tier(struct topo_load *l, enum tier t)
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
		at = topo_find(l->devices, name);
		l->index[t][i] =
			at != TOPO_NONE && l->draft.device.at[at].tier == t ? at : TOPO_NONE;
		named += l->index[t][i] != TOPO_NONE;
	}
	if (!named && have == want)
		memcpy(l->index[t], order, want * sizeof(*order));
	else if (named != have)
		ok = wrong_count(l, t, have);
	free(order);
	return ok;
}

/* Adds the device in the place (t, i) of the formula, in the formula's order. */
static bool place_device(
	struct topo_load *l, struct topo_draft *to, enum tier t, unsigned i, unsigned *first)
{
	const struct sizing *z = l->file->sizing;
	unsigned from = l->index[t][i], at, rails;
	const struct topo_device *d;
	char name[TOPO_PORT_LEN];
	int rail;

	*first = TOPO_NONE;
	if (from == TOPO_NONE)
		return true;
	d = &l->draft.device.at[from];
	if (!topo_rails_of(l, from, &rails))
		return false;
	if (rails && rails != z->rails)
		return topo_placed(l, &l->file->groups.at[l->group.at[from]],
			err_set(l->err, ERR_CONFIG, "", "%u rails, the preset %s has %u", rails,
				z->preset, z->rails));
	rail = l->file->groups.at[l->group.at[from]].rail;
	if (rail < 0)
		rail = sizing_rail(z, t, i);
	at = topo_draft_device(to, d->name, t, NET_BACKEND, rail, d->platform);
	to->device.at[at].nccl = d->nccl;
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

		if (a != TOPO_NONE && b != TOPO_NONE)
			topo_draft_cable(to, a + w.a.port, b + w.b.port);
	}
}

struct topology *topo_by_formula(struct topo_load *l)
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
			ok = place_device(l, &to, (enum tier)k, i, &first[k][i]);
			whole = whole && first[k][i] != TOPO_NONE;
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
