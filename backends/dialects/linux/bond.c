/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Bonds. In RoCE LAG one RDMA device (mlx5_bond_0) sends over all slaves of a bond. The bond itself
 * counts nothing, so each slave becomes a port of its own, and the device has their sums. Without
 * RoCE LAG each slave has an RDMA device, and all of them name the bond as their netdev. A bond of
 * Ethernet NICs has no RDMA device: then the bond is a port as well.
 */

/* Returns the number of RDMA ports with this netdev, and the last of them. */
static unsigned count_ports(const struct host *h, const char *netdev, struct host_port **last)
{
	unsigned n = 0;

	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *p = h->ports.at[i];

		if (!str_eq(p->netdev, netdev))
			continue;
		n++;
		*last = p;
	}
	return n;
}

static bool is_listed(const char *slaves, const char *netdev)
{
	size_t n = strlen(netdev);

	for (const char *at = slaves; n && *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == n && memcmp(at, netdev, n) == 0)
			return true;
		at += word;
	}
	return false;
}

/* Several RDMA devices under one bond: each has the netdev of its own PCI function. */
static void split_devices(struct host *h, const char *bond, const char *slaves)
{
	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *p = h->ports.at[i];
		const char *own = host_only_netdev(h, p->rdma);

		if (str_eq(p->netdev, bond) && is_listed(slaves, own))
			str_copy(p->netdev, sizeof(p->netdev), own);
	}
}

/*
 * The RDMA device of the bond; NULL: there is none. A device without a GID has the netdev of its
 * PCI function, which is one of the slaves: then its name tells.
 */
static struct host_port *find_lag(struct host *h, const char *bond, const char *slaves)
{
	struct host_port *p = NULL, *found = NULL;
	unsigned own = 0;

	if (count_ports(h, bond, &p) == 1)
		return p;
	split_devices(h, bond, slaves);
	for (size_t i = 0; i < h->ports.n; i++) {
		p = h->ports.at[i];
		if (!is_listed(slaves, p->netdev))
			continue;
		own++;
		if (strstr(p->rdma, "bond"))
			found = p;
	}
	if (own != 1 || !found)
		return NULL;
	str_copy(found->netdev, sizeof(found->netdev), bond);
	return found;
}

static struct host_port *named_port(struct host *h, const char *netdev)
{
	struct host_port *p = host_by_netdev(h, netdev);

	if (p)
		return p;
	p = host_port(h, netdev, 1);
	if (p && !*p->netdev)
		str_copy(p->netdev, sizeof(p->netdev), netdev);
	return p;
}

static void add_slave(struct host *h, struct host_port *bond, bool is_lag, const char *netdev)
{
	struct host_port *p = named_port(h, netdev);

	if (!p || p == bond || p->is_bond)
		return;
	p->bond = bond;
	bond->slaves++;
	if (*p->phys || p->is_active)
		return; /* an RDMA device of its own */
	p->is_slave = true;
	/* The kernel does not see the RDMA traffic of a LAG. */
	p->is_nic = is_lag;
	p->is_ethernet = !is_lag;
}

/* Reads "bond0 ens1f0np0 ens1f1np1". */
void host_bonds_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		char *slaves = strchr(line, ' ');
		struct host_port *lag, *bond;

		if (!slaves)
			continue;
		*slaves++ = '\0';
		lag = find_lag(h, line, slaves);
		bond = lag ? lag : named_port(h, line);
		if (!bond)
			continue;
		h->has_bonds = bond->is_bond = true;
		bond->is_ethernet = !lag;
		while (*slaves) {
			size_t n = strcspn(slaves, " ");
			char netdev[NAME_MAX_LEN];

			if (n && str_copyn(netdev, sizeof(netdev), slaves, n))
				add_slave(h, bond, lag != NULL, netdev);
			slaves += n;
			slaves += strspn(slaves, " ");
		}
	}
	for (size_t i = 0; h->has_bonds && i < h->ports.n; i++)
		host_bond_emit(h, h->ports.at[i]);
}

/* Reads the names of Ethernet ports beside the NICs of the fabric: a line each. */
void host_plain_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		struct host_port *p = *line ? named_port(h, line) : NULL;

		if (p && !p->is_bond && str_eq(p->rdma, line))
			p->is_ethernet = true;
	}
}

static void sum_cell(struct host *h, struct host_port *bond, uint16_t cell)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < h->ports.n; i++) {
		const struct host_port *p = h->ports.at[i];

		if (p->bond != bond)
			continue;
		if (!p->cells.rank[cell])
			return; /* a part of the slaves is no sum */
		sum += p->cells.value[cell];
	}
	bond->cells.value[cell] = sum;
	bond->cells.rank[cell] = UINT8_MAX;
}

void host_bonds_sum(struct host *h)
{
	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *bond = h->ports.at[i];

		for (unsigned id = 0; bond->is_bond && bond->slaves && id < COUNTER_COUNT; id++) {
			const struct counter_info *info = &counter_info[id];

			for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++)
				if (info->kind == KIND_COUNT)
					sum_cell(h, bond, (uint16_t)(info->first_cell + sub));
		}
	}
	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *p = h->ports.at[i];

		/* The sums are as old as the oldest part. */
		if (p->bond)
			p->bond->is_hung |= p->is_hung;
	}
}

/* The link monitor's view of a slave, and the bond's mode: "802.3ad 4". */
void host_bond_line(struct host_port *p, struct span rest, struct span value)
{
	const char *blank = memchr(value.at, ' ', value.n);
	size_t n = blank ? (size_t)(blank - value.at) : value.n;

	if (span_is(rest, "bonding_slave/mii_status"))
		p->is_out = value.n && !span_is(value, "up");
	else if (span_is(rest, "bonding/mode"))
		str_copyn(p->mode, sizeof(p->mode), value.at,
			n < sizeof(p->mode) ? n : sizeof(p->mode) - 1);
}

void host_bond_emit(const struct host *h, const struct host_port *p)
{
	const struct host_port *bond = p->is_bond ? p : p->bond;

	obs_word(h->o, p->port, ATTR_BOND, 0, bond ? h->o->ports.at[bond->port].name : "");
	/* What has the name of its netdev is no RDMA device. */
	if (p->is_bond || p->is_slave)
		obs_word(h->o, p->port, ATTR_NETDEV, 0, p->netdev);
}

void host_bond_describe(const struct host *h, const struct host_port *p)
{
	char text[LINE_TEXT] = "";
	size_t n;

	n = (size_t)snprintf(text, sizeof(text), "bond%s%s of", *p->mode ? " " : "", p->mode);
	for (size_t i = 0; i < h->ports.n; i++) {
		const struct host_port *q = h->ports.at[i];

		if (q->bond == p && n + strlen(q->netdev) + 2 < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %s", q->netdev);
	}
	obs_word(h->o, p->port, ATTR_DESCRIPTION, 0, text);
}
