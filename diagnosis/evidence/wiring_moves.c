/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "diagnosis/evidence/wiring.h"

/* ---- moves of a chain ---- */

static struct cable_move lower_move(const uint32_t *peers, const struct wiring_chain *c, size_t i)
{
	uint32_t next = i + 1 < c->ends.n ? c->ends.at[i + 1] : c->next;

	if (c->cycle && i + 1 == c->ends.n)
		next = c->ends.at[0];
	return (struct cable_move){
		.cable_at = peers[c->ends.at[i]], .from = c->ends.at[i], .to = next};
}

static struct cable_move upper_move(
	const struct model *m, const uint32_t *peers, const struct wiring_chain *c, size_t i)
{
	uint32_t x = c->ends.at[i];

	return (struct cable_move){
		.cable_at = x, .from = peers[x], .to = m->ports.at[x]->plan_peer};
}

/*
 * Index of the i-th cable to plug in. At the lower end a cable waits for its successor to leave,
 * at the upper end for its predecessor. In a cycle the first one hangs loose and goes in last.
 */
static size_t nth_cable(const struct wiring_chain *c, bool upper, size_t i)
{
	size_t n = c->ends.n;

	if (c->cycle)
		return upper ? (i + 1) % n : n - 1 - i;
	return upper ? i : n - 1 - i;
}

/* ---- the side to move at ---- */

static void count_device(
	const struct model *m, uint32_t port, uint32_t *seen, size_t max, size_t *n)
{
	uint32_t device = m->ports.at[port]->device;

	for (size_t i = 0; i < *n; i++)
		if (seen[i] == device)
			return;
	if (*n < max)
		seen[(*n)++] = device;
}

#define WALK_MAX 64 /* devices; beyond it both sides are a long walk */

/* Number of devices to visit; SIZE_MAX: the repair is impossible at this side. */
static size_t count_visits(const struct model *m, const uint32_t *peers,
	const struct wiring_chain *chains, size_t n, bool upper)
{
	uint32_t seen[WALK_MAX];
	size_t devices = 0;

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < chains[k].ends.n; i++) {
			struct cable_move v = upper ? upper_move(m, peers, &chains[k], i)
						    : lower_move(peers, &chains[k], i);

			if (v.to == PORT_NONE)
				return SIZE_MAX;
			count_device(m, v.from, seen, WALK_MAX, &devices);
			count_device(m, v.to, seen, WALK_MAX, &devices);
		}
	return devices;
}

void wiring_moves(const struct model *m, const uint32_t *peers, const struct wiring_chain *chains,
	size_t n, struct wiring_fault *f)
{
	bool upper =
		count_visits(m, peers, chains, n, true) < count_visits(m, peers, chains, n, false);
	unsigned step = 0;

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < chains[k].ends.n; i++) {
			size_t at = nth_cable(&chains[k], upper, i);
			struct cable_move v = upper ? upper_move(m, peers, &chains[k], at)
						    : lower_move(peers, &chains[k], at);

			v.step = ++step;
			v.group = (unsigned)k + 1;
			v.parked = chains[k].cycle && i + 1 == chains[k].ends.n;
			vec_push(&f->moves, v);
		}
}

bool wiring_port_name(const struct model *m, uint32_t port, char *dst, size_t size)
{
	const struct port *p = m->ports.at[port];

	return str_printf(dst, size, "%s %s", model_dev_of(m, p)->name, p->name);
}

bool wiring_move_text(const struct model *m, const struct cable_move *c, char *dst, size_t size)
{
	const struct port *from = m->ports.at[c->from], *to = m->ports.at[c->to];
	char stays[2 * NAME_MAX_LEN], at[2 * NAME_MAX_LEN], into[2 * NAME_MAX_LEN];

	(void)wiring_port_name(m, c->cable_at, stays, sizeof(stays));
	(void)wiring_port_name(m, c->from, at, sizeof(at));
	if (from->device == to->device)
		(void)str_copy(into, sizeof(into), to->name);
	else
		(void)wiring_port_name(m, c->to, into, sizeof(into));
	return str_printf(dst, size, "%u. %s: %s -> %s%s", c->step, stays, at, into,
		c->parked ? " (pull first, park)" : "");
}
