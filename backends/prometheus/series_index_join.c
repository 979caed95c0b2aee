/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/series_index_private.h"
#include "base/str.h"

/*
 * Joins network interfaces to the RDMA devices on top of them. Exporters have a collector for each,
 * and none says which belong together: mlx5_0 in one, rdma0 in another. In the order of certainty:
 *   1. a series with a word netdev names the interface;
 *   2. names by PCI place (systemd, rdma-core): rocep25s0f0 and enp25s0f0np0;
 *   3. bonds by their number: mlx5_bond_2 and bond2;
 *   4. a family of names whose numbers are those of the RDMA devices: rdma0, rdma1 and mlx5_0,
 *      mlx5_1; of interfaces that count priorities, else of all with a telling name; if two
 *      families have these numbers, or PCI addresses say otherwise, none;
 *   5. as many interfaces with the driver of the RDMA devices as there are devices: in the order of
 *      their PCI addresses, which is the order in which the kernel numbers RDMA devices.
 * An interface without a partner is a port by itself if it counts priorities.
 */

#define NICS_MAX 512 /* of a host */
#define JOINED   1

/* ---- rules ---- */

/*
 * Two rules of drivers for one counter never meet at one port, and there are many: those of
 * priorities.
 */
static bool same_cell(const struct prometheus_rule *a, const struct prometheus_rule *b)
{
	if (a->interface == b->interface && !a->joined && !b->joined)
		return false;
	return a->tells == PROMETHEUS_COUNTER && b->tells == PROMETHEUS_COUNTER &&
	       a->counter == b->counter && a->sub == b->sub && !a->sub_label == !b->sub_label;
}

static unsigned bit_of(struct series_index *b, size_t rule, unsigned *bits)
{
	if (!b->rule_bit.at[rule] && *bits < 63)
		b->rule_bit.at[rule] = (uint8_t)++ * bits;
	return b->rule_bit.at[rule];
}

void series_index_join_open(struct series_index *b)
{
	size_t n = b->map->rules.n;
	unsigned bits = 0;

	for (size_t i = 0; i < n; i++)
		b->joins |= b->map->rules.at[i]->interface;
	if (!b->joins)
		return;
	for (size_t i = 0; i < n; i++) {
		vec_push(&b->rule_bit, 0);
		vec_push(&b->better, 0);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			unsigned first;

			if (!same_cell(b->map->rules.at[i], b->map->rules.at[k]))
				continue;
			first = bit_of(b, i, &bits);
			if (bit_of(b, k, &bits) && first)
				b->better.at[k] |= UINT64_C(1) << first;
		}
}

void series_index_join_free(struct series_index *b)
{
	vec_free(&b->rule_bit);
	vec_free(&b->better);
	for (size_t i = 0; i < b->devices.n; i++)
		vec_free(&b->devices.at[i].nics);
}

/* ---- what is known of a port ---- */

void series_index_join_note(
	struct series_index *b, struct series_index_port *p, const struct prometheus_rule *r)
{
	struct series_index_device *d = &b->devices.at[p->device];
	uint8_t kind = !r->interface ? NIC_RDMA : r->joined ? NIC_WEAK : NIC_INTERFACE;

	if (p->kinds & kind)
		return;
	if (!p->kinds) {
		if (d->nics.n >= NICS_MAX)
			return;
		vec_push(&d->nics, p->index);
	}
	p->kinds |= kind;
	d->interfaces |= r->interface;
	d->join_again = true;
}

void series_index_join_named(
	struct series_index *b, const struct series_index_port *rdma, const char *interface)
{
	struct series_index_port *p = series_index_port_of(b, rdma->device, interface);

	if (!p || p == rdma || (p->named && p->joined == rdma->index + 1))
		return;
	p->named = true;
	p->joined = rdma->index + 1;
	b->devices.at[rdma->device].join_again = true;
}

/* "0000:19:00.1" as a number that orders as the kernel does; 0: it is none. */
static uint64_t read_pci(const char *text)
{
	unsigned domain, bus, slot, function;
	char end;

	if (sscanf(text, "%x:%x:%x.%x%c", &domain, &bus, &slot, &function, &end) != 4)
		return 0;
	return ((uint64_t)domain << 32 | (uint64_t)bus << 16 | slot << 8 | function) + 1;
}

void series_index_join_nic(
	struct series_index *b, struct series_index_port *p, const char *driver, const char *pci)
{
	uint64_t at = pci ? read_pci(pci) : 0;

	if ((!driver || str_eq(p->driver, driver)) && at == p->pci)
		return;
	p->pci = at;
	if (driver)
		(void)str_copy(p->driver, sizeof(p->driver), driver);
	b->devices.at[p->device].join_again = true;
}

/* ---- which belong together ---- */

struct nics {
	struct series_index *b;
	struct series_index_port *rdma[NICS_MAX], *net[NICS_MAX]; /* without a partner yet */
	size_t nrdma, nnet;
};

static void drop_joined(struct series_index_port **list, size_t *n, uint8_t mark)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (!(list[i]->mark & mark))
			list[kept++] = list[i];
	*n = kept;
}

static void join_two(struct series_index_port *rdma, struct series_index_port *net)
{
	net->joined = rdma->index + 1;
	net->mark = rdma->mark = JOINED;
}

static void drop_both(struct nics *x)
{
	drop_joined(x->rdma, &x->nrdma, JOINED);
	drop_joined(x->net, &x->nnet, JOINED);
}

/* The part of a systemd name that says where the card is: "p25s0f0" of rocep25s0f0, enp25s0f0np0.
 */
static const char *place_in(const char *name, const char *const *heads, size_t *n)
{
	for (; *heads; heads++) {
		size_t head = strlen(*heads);
		const char *at = name + head, *np;

		if (strncmp(name, *heads, head) != 0 || !*at || !strpbrk(at, "0123456789"))
			continue;
		np = strstr(at, "np");
		*n = np && np > at && isdigit((unsigned char)np[2]) ? (size_t)(np - at)
								    : strlen(at);
		return at;
	}
	return NULL;
}

static bool same_place(const char *rdma, const char *net)
{
	static const char *const rdma_heads[] = {"roce", "ib", "iw", "rdma", NULL};
	static const char *const net_heads[] = {"en", "ib", NULL};
	size_t n, m;
	const char *a = place_in(rdma, rdma_heads, &n), *b = place_in(net, net_heads, &m);

	return a && b && n == m && memcmp(a, b, n) == 0 && (*a == 'p' || *a == 'P' || *a == 's');
}

/* mlx5_bond_2 and bond2. */
static bool same_bond(const char *rdma, const char *net)
{
	const char *a = strstr(rdma, "_bond_");

	return a && strncmp(net, "bond", 4) == 0 && str_eq(a + 6, net + 4);
}

static void join_by(struct nics *x, bool (*same)(const char *rdma, const char *net))
{
	for (size_t i = 0; i < x->nrdma; i++)
		for (size_t k = 0; k < x->nnet; k++)
			if (!(x->net[k]->mark & JOINED) && !(x->rdma[i]->mark & JOINED) &&
				same(x->rdma[i]->name, x->net[k]->name))
				join_two(x->rdma[i], x->net[k]);
	drop_both(x);
}

/* Splits "rdma12" or "gpu3_eth" at its first number. Returns false without one. */
static bool split_name(const char *name, size_t *head, uint64_t *number, const char **tail)
{
	char *end;

	*head = strcspn(name, "0123456789");
	/* The digit of mlx5 is no number of the device. */
	if (name[*head] && strncmp(name, "mlx", 3) == 0 && strchr(name, '_'))
		*head = (size_t)(strchr(name, '_') - name) + 1;
	if (!isdigit((unsigned char)name[*head]))
		return false;
	*number = strtoull(name + *head, &end, 10);
	*tail = end;
	return true;
}

static bool same_family(const char *a, const char *b)
{
	size_t ha, hb;
	uint64_t na, nb;
	const char *ta, *tb;

	return split_name(a, &ha, &na, &ta) && split_name(b, &hb, &nb, &tb) && ha == hb &&
	       strncmp(a, b, ha) == 0 && str_eq(ta, tb);
}

static bool same_number(const char *a, const char *b)
{
	size_t ha, hb;
	uint64_t na, nb;
	const char *ta, *tb;

	return split_name(a, &ha, &na, &ta) && split_name(b, &hb, &nb, &tb) && na == nb;
}

/* Whether the interfaces of the family of this one have just the numbers of the RDMA devices. */
static bool has_numbers(const struct nics *x, uint8_t kind, const char *family)
{
	size_t members = 0, met = 0;

	for (size_t k = 0; k < x->nnet; k++) {
		if (!(x->net[k]->kinds & kind) || !same_family(x->net[k]->name, family))
			continue;
		members++;
		for (size_t i = 0; i < x->nrdma; i++)
			met += same_number(x->net[k]->name, x->rdma[i]->name);
	}
	return members == x->nrdma && met == x->nrdma;
}

/* eth0 and eth1 may be any card of the host, unless they count priorities. */
static bool is_telling(const struct series_index_port *net)
{
	static const char *const heads[] = {"rdma", "roce", "rail", "gpu", "hsn", "fab"};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (str_starts(net->name, heads[i]))
			return true;
	return net->kinds & NIC_INTERFACE;
}

/* kind: of the interfaces that are looked at. */
static void join_by_number(struct nics *x, uint8_t kind)
{
	const char *family = NULL;

	for (size_t k = 0; x->nrdma && k < x->nnet; k++) {
		const char *name = x->net[k]->name;

		if (!(x->net[k]->kinds & kind) || !is_telling(x->net[k]) ||
			!has_numbers(x, kind, name) || (family && same_family(family, name)))
			continue;
		if (family)
			return; /* two of them: either could be it */
		family = name;
	}
	for (size_t i = 0; family && i < x->nrdma; i++)
		for (size_t k = 0; k < x->nnet; k++)
			if (x->net[k]->kinds & kind && same_family(x->net[k]->name, family) &&
				same_number(x->net[k]->name, x->rdma[i]->name))
				join_two(x->rdma[i], x->net[k]);
	drop_both(x);
}

/* The driver of interfaces below RDMA devices with such names; NULL: unknown. */
static const char *driver_of(const char *rdma)
{
	static const struct {
		const char *head, *driver;
	} known[] = {{"mlx5_", "mlx5_core"}, {"bnxt_re", "bnxt_en"}, {"ionic_", "ionic"},
		{"irdma", "ice"}, {"hns_", "hns3"}, {"erdma_", "erdma"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_starts(rdma, known[i].head))
			return known[i].driver;
	return NULL;
}

static int compare_rdma(const void *a, const void *b)
{
	const struct series_index_port *const *p = a, *const *q = b;

	return str_natcmp((*p)->name, (*q)->name);
}

static int compare_pci(const void *a, const void *b)
{
	const struct series_index_port *const *p = a, *const *q = b;

	return ((*p)->pci > (*q)->pci) - ((*p)->pci < (*q)->pci);
}

/* Interfaces with the driver of the RDMA devices, in the order of their PCI addresses. Both are
 * sorted. Returns false if they do not go together. */
static bool sort_by_pci(struct nics *x, struct series_index_port **fit)
{
	const char *driver = x->nrdma ? driver_of(x->rdma[0]->name) : NULL;
	size_t n = 0;

	for (size_t k = 0; driver && k < x->nnet; k++)
		if (x->net[k]->pci && str_eq(x->net[k]->driver, driver))
			fit[n++] = x->net[k];
	if (!n || n != x->nrdma)
		return false;
	qsort(fit, n, sizeof(fit[0]), compare_pci);
	qsort(x->rdma, n, sizeof(x->rdma[0]), compare_rdma);
	for (size_t i = 1; i < n; i++)
		if (fit[i]->pci == fit[i - 1]->pci)
			return false;
	return true;
}

static void join_by_order(struct nics *x)
{
	struct series_index_port *fit[NICS_MAX];
	bool sorted = sort_by_pci(x, fit);

	for (size_t i = 0; sorted && i < x->nrdma; i++)
		join_two(x->rdma[i], fit[i]);
	drop_both(x);
}

/* Whether numbers and PCI addresses say different things: one of them was changed by hand. */
static bool is_contradicted(struct nics *x)
{
	struct series_index_port *fit[NICS_MAX];
	bool wrong = false;

	if (!sort_by_pci(x, fit) || !has_numbers(x, NIC_INTERFACE, fit[0]->name))
		return false;
	for (size_t i = 0; i < x->nrdma; i++)
		wrong |= same_family(fit[0]->name, fit[i]->name) &&
			 !same_number(fit[i]->name, x->rdma[i]->name);
	return wrong;
}

/*
 * Joins the RDMA devices of one family of names, as that of x->rdma[0], and takes them out of x: a
 * host may have mlx5_0 beside the irdma0 of its board. sub: room for the family.
 */
static void join_family(struct nics *x, struct nics *sub)
{
	const char *family = x->rdma[0]->name;
	size_t kept = 0;

	sub->b = x->b;
	sub->nrdma = 0;
	for (size_t i = 0; i < x->nrdma; i++) {
		if (i == 0 || same_family(family, x->rdma[i]->name))
			sub->rdma[sub->nrdma++] = x->rdma[i];
		else
			x->rdma[kept++] = x->rdma[i];
	}
	x->nrdma = kept;
	sub->nnet = x->nnet;
	memcpy(sub->net, x->net, x->nnet * sizeof(x->net[0]));
	if (!is_contradicted(sub)) {
		join_by_number(sub, NIC_INTERFACE);
		join_by_number(sub, NIC_INTERFACE | NIC_WEAK);
		join_by_order(sub);
	}
	drop_joined(x->net, &x->nnet, JOINED);
}

static void find_partners(struct series_index *b, struct series_index_device *d)
{
	struct nics x = {.b = b}, sub;

	d->join_again = false;
	for (size_t i = 0; i < d->nics.n; i++) {
		struct series_index_port *p = b->ports.at[d->nics.at[i]];

		p->mark = 0;
		if (!p->named)
			p->joined = 0;
	}
	for (size_t i = 0; i < d->nics.n; i++) {
		struct series_index_port *p = b->ports.at[d->nics.at[i]];

		if (p->named && p->joined)
			join_two(b->ports.at[p->joined - 1], p);
	}
	for (size_t i = 0; i < d->nics.n; i++) {
		struct series_index_port *p = b->ports.at[d->nics.at[i]];

		if (p->kinds & NIC_RDMA)
			x.rdma[x.nrdma++] = p;
		else
			x.net[x.nnet++] = p;
	}
	drop_both(&x);
	join_by(&x, same_place);
	join_by(&x, same_bond);
	while (x.nrdma)
		join_family(&x, &sub);
}

/* ---- batches ---- */

/* The port of a name in a batch of the device. */
static struct series_index_port *port_named(
	struct series_index *b, const struct series_index_device *d, const char *name)
{
	for (size_t i = 0; i < d->nics.n; i++)
		if (str_eq(b->ports.at[d->nics.at[i]]->name, name))
			return b->ports.at[d->nics.at[i]];
	return NULL;
}

/* What becomes of the ports of a batch. */
struct moves {
	uint32_t to[OBS_JOIN_PORTS]; /* OBS_NO_PORT: dropped */
	struct series_index_port *target[OBS_JOIN_PORTS];
	bool interface[OBS_JOIN_PORTS];
};

/* An attribute that the RDMA device has too: its own one is right. */
static bool is_doubled(const struct obs_item *it)
{
	return (it->kind == OBS_WORD || it->kind == OBS_NUMBER) &&
	       (it->code == ATTR_OPER || it->code == ATTR_ADMIN || it->code == ATTR_SPEED_MBPS);
}

static bool keeps_item(const struct series_index *b, const struct moves *m, struct obs_item *it)
{
	uint32_t rule = it->text, port = it->port;
	const struct series_index_port *p;

	if (it->kind == OBS_COUNT || it->kind == OBS_GAUGE)
		it->text = 0;
	if (port == OBS_NO_PORT)
		return true;
	if (m->to[port] == OBS_NO_PORT)
		return false;
	it->port = m->to[port];
	p = m->target[port];
	if (m->interface[port] && p->kinds & NIC_RDMA && is_doubled(it))
		return false;
	return !rule || (it->kind != OBS_COUNT && it->kind != OBS_GAUGE) ||
	       !(p->seen & b->better.at[rule - 1]);
}

static void find_moves(struct series_index *b, const struct series_index_device *d,
	const struct obs *o, struct moves *m)
{
	for (size_t i = 0; i < o->ports.n; i++) {
		struct series_index_port *p = port_named(b, d, o->ports.at[i].name);
		bool alone = p && !(p->kinds & NIC_RDMA) && !p->joined;

		m->interface[i] = p && !(p->kinds & NIC_RDMA);
		m->target[i] = p && p->joined ? b->ports.at[p->joined - 1] : p;
		m->to[i] = !p || (alone && !(p->kinds & NIC_INTERFACE)) ? OBS_NO_PORT : (uint32_t)i;
	}
}

/* Notes the rules that numbers came by, before any batch of them is judged. */
static void note_rules(
	struct series_index *b, const struct series_index_device *d, const struct obs *o)
{
	struct moves m;

	if (o->ports.n > OBS_JOIN_PORTS)
		return;
	find_moves(b, d, o, &m);
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if ((it->kind == OBS_COUNT || it->kind == OBS_GAUGE) && it->text &&
			it->port < o->ports.n && m.target[it->port])
			m.target[it->port]->seen |=
				UINT64_C(1) << b->rule_bit.at[it->text - 1] & ~UINT64_C(1);
	}
}

/* Merges ports of the same target, and drops those that are none. */
static void move_ports(struct obs *o, struct moves *m)
{
	struct series_index_port *is[OBS_JOIN_PORTS];
	size_t n = 0;

	for (size_t i = 0; i < o->ports.n; i++) {
		struct obs_port port = o->ports.at[i];
		size_t at = 0;

		if (m->to[i] == OBS_NO_PORT)
			continue;
		while (at < n && is[at] != m->target[i])
			at++;
		m->to[i] = (uint32_t)at;
		if (at < n) {
			if (port.sample_us > o->ports.at[at].sample_us)
				o->ports.at[at].sample_us = port.sample_us;
			continue;
		}
		is[n++] = m->target[i];
		(void)str_copy(port.name, sizeof(port.name), m->target[i]->name);
		o->ports.at[at] = port;
	}
	o->ports.n = n;
}

static void join_batch(struct series_index *b, const struct series_index_device *d, struct obs *o)
{
	struct moves m;
	bool named[OBS_JOIN_PORTS] = {false};
	size_t kept = 0, had = o->ports.n;

	if (o->ports.n > OBS_JOIN_PORTS)
		return;
	find_moves(b, d, o, &m);
	move_ports(o, &m);
	for (size_t i = 0; i < o->items.n; i++) {
		struct obs_item it = o->items.at[i];

		if (keeps_item(b, &m, &it))
			o->items.at[kept++] = it;
	}
	o->items.n = kept;
	for (size_t i = 0; i < d->nics.n; i++) {
		const struct series_index_port *p = b->ports.at[d->nics.at[i]];

		for (size_t k = 0; p->joined && k < had; k++) {
			if (m.to[k] == OBS_NO_PORT || m.target[k] != b->ports.at[p->joined - 1] ||
				named[m.to[k]])
				continue;
			named[m.to[k]] = true;
			obs_word(o, m.to[k], ATTR_NETDEV, 0, p->name);
		}
	}
}

void series_index_join(struct series_index *b, struct series_index_device *d)
{
	if (!b->joins)
		return;
	if (d->join_again)
		find_partners(b, d);
	for (size_t i = 0; d->interfaces && i < d->batches.n; i++)
		note_rules(b, d, d->batches.at[i].obs);
	for (size_t i = 0; i < d->batches.n; i++) {
		struct obs *o = d->batches.at[i].obs;

		if (d->interfaces) {
			join_batch(b, d, o);
			continue;
		}
		for (size_t k = 0; k < o->items.n; k++)
			if (o->items.at[k].kind == OBS_COUNT || o->items.at[k].kind == OBS_GAUGE)
				o->items.at[k].text = 0;
	}
}
