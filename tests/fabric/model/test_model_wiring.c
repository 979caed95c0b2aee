/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links follow the changes: after any changes they equal links that are computed anew. Two models
 * get the same batches; one of them computes all links each time.
 */
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/mac.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/plan_make.h"

#define LEAVES 4
#define HOSTS  6
#define NICS   4
#define ROUNDS 1500 /* with FULL=1 */

struct pair {
	struct model *follows, *looks;
	uint64_t dice;
	double now;
};

static unsigned roll(struct pair *t, unsigned sides)
{
	t->dice = t->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(t->dice >> 33) % sides;
}

/* Hosts of which the plan knows NICs by their network devices, NIC n of each on leaf n. */
static struct model *fabric(void)
{
	struct plan plan;
	struct model *m;
	char name[NAME_MAX_LEN], nic[NAME_MAX_LEN], port[NAME_MAX_LEN];

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "pair");
	plan.rails = LEAVES;
	for (unsigned i = 0; i < LEAVES; i++) {
		(void)str_printf(name, sizeof(name), "leaf%u", i);
		(void)plan_make_device(&plan, name, TIER_LEAF, (int)i);
	}
	for (unsigned i = 0; i < HOSTS; i++) {
		(void)str_printf(name, sizeof(name), "host%u", i);
		(void)plan_make_device(&plan, name, TIER_HOST, -1);
		for (unsigned k = 0; k < NICS; k++) {
			(void)str_printf(nic, sizeof(nic), "eth%u", k);
			(void)str_printf(port, sizeof(port), "swp%u", i);
			plan_make_link(&plan, LEAVES + i, nic, k, port, (int)k);
		}
	}
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

static void feed_both(struct pair *t, struct obs *o)
{
	model_apply(t->follows, o, feed_time(t->now));
	feed(t->looks, o, t->now);
	t->now += 0.01;
}

/* A device by its name, by a new name it may have got, or by an unknown one. */
static void some_device(struct pair *t, char *name, size_t size)
{
	switch (roll(t, 6)) {
	case 0:
		(void)str_printf(name, size, "leaf%u", roll(t, LEAVES));
		break;
	case 1:
		(void)str_printf(name, size, "leaf%u.example.net", roll(t, LEAVES));
		break;
	case 2:
		(void)str_printf(name, size, "node-%u", roll(t, 4));
		break;
	case 3:
		(void)str_printf(name, size, "node-%u.example.net", roll(t, 4));
		break;
	default:
		(void)str_printf(name, size, "host%u", roll(t, HOSTS));
		break;
	}
}

static void some_port(struct pair *t, char *name, size_t size)
{
	static const char *const kinds[] = {"eth%u", "mlx5_%u", "swp%u", "0c:42:a1:00:00:%02x"};

	switch (roll(t, 4)) {
	case 0:
		(void)str_printf(name, size, kinds[0], roll(t, NICS));
		break;
	case 1:
		(void)str_printf(name, size, kinds[1], roll(t, NICS));
		break;
	case 2:
		(void)str_printf(name, size, kinds[2], roll(t, HOSTS + 2));
		break;
	default:
		(void)str_printf(name, size, kinds[3], roll(t, 8));
		break;
	}
}

static void as_planned(struct pair *t)
{
	unsigned host = roll(t, HOSTS), nic = roll(t, NICS);
	char leaf[NAME_MAX_LEN], name[NAME_MAX_LEN], port[NAME_MAX_LEN], eth[NAME_MAX_LEN];
	struct obs *o;

	(void)str_printf(leaf, sizeof(leaf), "leaf%u", nic);
	(void)str_printf(name, sizeof(name), "host%u", host);
	(void)str_printf(port, sizeof(port), "swp%u", host);
	(void)str_printf(eth, sizeof(eth), "eth%u", nic);
	o = feed_batch_of(leaf, "lldp");
	obs_lldp(o, obs_port(o, port), name, eth);
	feed_both(t, o);
	o = feed_batch_of(name, "lldp");
	obs_lldp(o, obs_port(o, eth), roll(t, 2) ? leaf : "", port);
	feed_both(t, o);
}

/* The host calls the NIC that the plan knows as eth1 by another name of its own. */
static void other_name(struct pair *t, unsigned host)
{
	char name[NAME_MAX_LEN];
	struct obs *o;

	(void)str_printf(name, sizeof(name), "host%u", host);
	o = feed_batch_of(name, "slow");
	obs_word(o, obs_port(o, "mlx5_1"), ATTR_NETDEV, 0, "eth1");
	feed_both(t, o);
}

static void change(struct pair *t)
{
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN], other[NAME_MAX_LEN];
	struct obs *o;

	(void)str_printf(device, sizeof(device), "host%u", roll(t, HOSTS));
	if (roll(t, 3) == 0)
		(void)str_printf(device, sizeof(device), "leaf%u", roll(t, LEAVES));
	if (roll(t, 60) == 0)
		(void)str_printf(device, sizeof(device), "node-%u", roll(t, 4));
	o = feed_batch_of(device, "slow");
	some_port(t, port, sizeof(port));
	switch (roll(t, 8)) {
	case 0:
		some_device(t, other, sizeof(other));
		obs_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, other);
		break;
	case 1:
		some_port(t, other, sizeof(other));
		obs_word(o, obs_port(o, port), ATTR_NETDEV, 0, other);
		break;
	case 2:
		some_port(t, other, sizeof(other));
		obs_word(o, obs_port(o, port), ATTR_MAC, 0, other);
		break;
	case 3:
		obs_lldp(o, obs_port(o, port), "", "");
		break;
	case 4:
		as_planned(t);
		break;
	case 5:
		(void)str_printf(other, sizeof(other), "0c:42:a1:00:00:%02x", roll(t, 8));
		(void)str_printf(device, sizeof(device), "0c:42:a1:00:00:%02x", roll(t, 8));
		obs_lldp(o, obs_port(o, port), other, device);
		break;
	default:
		some_device(t, other, sizeof(other));
		obs_lldp(o, obs_port(o, port), other, port);
		some_port(t, port, sizeof(port));
		some_device(t, other, sizeof(other));
		obs_lldp(o, obs_port(o, port), other, "swp1");
		break;
	}
	feed_both(t, o);
}

static const struct device *device_named(const struct model *m, const char *name)
{
	const struct device *d = model_device(m, name);
	char shorter[NAME_MAX_LEN];

	/* The first device with a port of that MAC. */
	for (size_t i = 0; !d && mac_is(name) && i < m->devices.n; i++)
		for (size_t k = 0; !d && k < m->ports.n; k++)
			if (m->ports.at[k]->device == i &&
				strcmp(m->ports.at[k]->more->mac, name) == 0)
				d = m->devices.at[i];
	(void)str_copyn(shorter, sizeof(shorter), name, strcspn(name, "."));
	return d ? d : model_device(m, shorter);
}

/* The only port of the device with that MAC, or the planned one. */
static const struct port *port_of_mac(
	const struct model *m, const struct device *d, const char *mac, const struct port *p)
{
	const struct port *found = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *q = m->ports.at[i];

		if (q->device != d->id || q->merged || strcmp(q->more->mac, mac) != 0)
			continue;
		if (q->id == p->plan_peer)
			return q;
		found = q;
		n++;
	}
	return n == 1 ? found : NULL;
}

/* The port that the neighbour's names lead to, by the model's own look-ups. */
static const struct port *neighbour(const struct model *m, const struct port *p)
{
	const struct device *d = device_named(m, p->lldp_device);
	const struct port *q = NULL;

	if (!p->lldp_device[0])
		return NULL;
	if (!d && mac_is(p->lldp_port))
		d = device_named(m, p->lldp_port);
	if (d)
		q = mac_is(p->lldp_port) ? port_of_mac(m, d, p->lldp_port, p)
					 : model_port(m, d, p->lldp_port);
	if (d && !q && mac_is(p->lldp_device))
		q = port_of_mac(m, d, p->lldp_device, p);
	return q == p ? NULL : q;
}

static uint32_t peer_by_looking(const struct model *m, const struct port *p)
{
	const struct port *q = neighbour(m, p);

	if (p->lldp_device[0])
		return q ? q->id : PORT_NONE;
	for (size_t i = m->ports.n; i-- > 0;)
		if (neighbour(m, m->ports.at[i]) == p)
			return m->ports.at[i]->id;
	return PORT_NONE;
}

static void compare(struct pair *t, unsigned round)
{
	const struct model *a = t->follows, *b = t->looks;

	assert_int_equal(a->ports.n, b->ports.n);
	for (size_t i = 0; i < a->ports.n; i++) {
		const struct port *p = a->ports.at[i], *q = b->ports.at[i];

		if (p->lldp_peer != q->lldp_peer || p->lldp_peer != peer_by_looking(a, p))
			fail_msg("round %u: %s:%s is told another peer", round,
				model_dev_of(a, p)->name, p->name);
	}
	assert_int_equal(a->links.n, b->links.n);
	for (size_t i = 0; i < a->links.n; i++) {
		const struct link *l = &a->links.at[i], *k = &b->links.at[i];

		if (l->a != k->a || l->b != k->b || l->state != k->state || l->rail != k->rail)
			fail_msg("round %u: link %zu is another", round, i);
	}
}

CASE(links_are_those_of_looking_at_everything)
{
	struct pair t = {.follows = fabric(), .looks = fabric(), .dice = 7};
	unsigned kinds[LINK_MISWIRED + 1] = {0}, merged = 0;

	for (unsigned i = 0; i < effort(ROUNDS); i++) {
		if (i < HOSTS)
			other_name(&t, i);
		for (unsigned n = 1 + roll(&t, 4); n-- > 0;)
			change(&t);
		model_links(t.follows);
		t.looks->links_dirty = true;
		model_links(t.looks);
		compare(&t, i);
		for (size_t k = 0; k < t.follows->links.n; k++)
			kinds[t.follows->links.at[k].state]++;
	}
	for (size_t i = 0; i < t.follows->ports.n; i++)
		merged += t.follows->ports.at[i]->merged;
	/* All there is came by. */
	for (unsigned k = LINK_AS_PLANNED; k <= LINK_MISWIRED; k++)
		assert_true(kinds[k] > 100);
	assert_true(merged > 0);
	assert_true(t.follows->devices.n > LEAVES + HOSTS);
	model_free(t.follows);
	model_free(t.looks);
}

CASES_MAIN(NULL, NULL)
