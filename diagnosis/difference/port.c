/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/difference/difference_internal.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/* ---- link ---- */

static void differ_oper(struct differ *x, const struct port *a, const struct port *b)
{
	struct difference *d;

	if (a->oper == OPER_UNKNOWN || a->oper == b->oper)
		return;
	if (b->oper == OPER_UNKNOWN) {
		differ_lost(x, "link state");
		return;
	}
	/* A port that was shut on purpose is meant to be down. */
	d = differ_texts(x, DIFF_LINK,
		b->admin == OPER_DOWN || b->plan_peer == PORT_NONE ? SEV_WARN : SEV_CRIT, "oper",
		oper_name(a->oper), oper_name(b->oper));
	if (b->oper == OPER_UP)
		differ_better(d);
}

static void differ_admin(struct differ *x, const struct port *a, const struct port *b)
{
	struct difference *d = differ_words(x, DIFF_LINK, SEV_WARN, "admin",
		a->admin == OPER_UNKNOWN ? "" : oper_name(a->admin),
		b->admin == OPER_UNKNOWN ? "" : oper_name(b->admin));

	if (d && b->admin == OPER_UP)
		differ_better(d);
}

static bool read_downs(const struct port *p, uint64_t *n)
{
	const struct cell *c = port_cell(p, CTR_LINK_DOWN_EVENTS, 0);

	if (!c || c->valid != VALID_OK)
		return false;
	*n = c->u64;
	return true;
}

/*
 * The device's own count if both moments have it and it was not cleared. Else the observed flaps,
 * which start at 0 with each recording: then the time of the last one tells whether it lies
 * between the moments.
 */
static void differ_flaps(struct differ *x, const struct port *a, const struct port *b)
{
	const struct port *first = x->forward ? a : b, *last = x->forward ? b : a;
	int64_t since = x->forward ? x->a->now_us : x->b->now_us;
	uint64_t was = first->flaps, is = last->flaps, n[2];
	struct difference *d;

	if (read_downs(first, &n[0]) && read_downs(last, &n[1]) && n[1] >= n[0]) {
		was = n[0];
		is = n[1];
	} else if (last->last_flap_us <= since) {
		return;
	} else if (is <= was) {
		was = 0;
	}
	if (is <= was)
		return;
	d = differ_add(x, DIFF_LINK, SEV_WARN, "flaps");
	(void)str_printf(
		d->before, sizeof(d->before), "%llu", (unsigned long long)(x->forward ? was : is));
	(void)str_printf(
		d->after, sizeof(d->after), "%llu", (unsigned long long)(x->forward ? is : was));
	if (!x->forward)
		differ_better(d);
}

/* ---- speed ---- */

static void speed_text(unsigned mbps, char *dst, size_t size)
{
	if (mbps % 1000)
		(void)str_printf(dst, size, "%uM", mbps);
	else
		(void)str_printf(dst, size, "%uG", mbps / 1000);
}

static void differ_speed(struct differ *x, const struct port *a, const struct port *b)
{
	char was[24] = "", is[24] = "";
	struct difference *d;

	if (a->speed_mbps)
		speed_text(a->speed_mbps, was, sizeof(was));
	if (b->speed_mbps)
		speed_text(b->speed_mbps, is, sizeof(is));
	d = differ_words(x, DIFF_SPEED, SEV_WARN, "speed", was, is);
	if (d && b->speed_mbps > a->speed_mbps)
		differ_better(d);
	(void)differ_words(x, DIFF_SPEED, SEV_WARN, "fec", a->more->fec, b->more->fec);
	(void)differ_numbers(
		x, DIFF_SPEED, SEV_WARN, "mtu", a->mtu != 0, a->mtu, b->mtu != 0, b->mtu);
}

static bool read_gauge(const struct port *p, enum counter_id id, double *v)
{
	const struct cell *c = port_cell(p, id, 0);

	if (!c || c->valid != VALID_OK || !(c->real >= 0))
		return false;
	*v = c->real;
	return true;
}

/* A NIC that came back with fewer lanes. */
static void differ_lanes(struct differ *x, const struct port *a, const struct port *b)
{
	static const struct {
		enum counter_id id;
		const char *what;
	} list[] = {{CTR_PCIE_WIDTH, "pcie_width"}, {CTR_PCIE_SPEED_MTPS, "pcie_speed_mtps"}};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		double was = 0, is = 0;
		bool known_a = read_gauge(a, list[i].id, &was),
		     known_b = read_gauge(b, list[i].id, &is);
		struct difference *d = differ_numbers(x, DIFF_SPEED, SEV_WARN, list[i].what,
			known_a, (uint64_t)was, known_b, (uint64_t)is);

		if (d && is > was)
			differ_better(d);
	}
}

/* ---- wiring ---- */

/* The LLDP neighbour, by the names of the model if it is known there. */
static void neighbour_text(const struct model *m, const struct port *p, char *dst, size_t size)
{
	*dst = '\0';
	if (p->lldp_peer != PORT_NONE)
		(void)ref_format(
			m, (struct ref){.kind = REF_PORT, .port = p->lldp_peer}, dst, size);
	else if (*p->lldp_device)
		(void)str_printf(dst, size, "%s%s%s", p->lldp_device, *p->lldp_port ? ":" : "",
			p->lldp_port);
}

static void differ_wiring(struct differ *x, const struct port *a, const struct port *b)
{
	char was[160], is[160];
	struct difference *d;

	neighbour_text(x->a->m, a, was, sizeof(was));
	neighbour_text(x->b->m, b, is, sizeof(is));
	d = differ_words(x, DIFF_WIRING, port_miswired(x->b->m, b) ? SEV_CRIT : SEV_WARN,
		"neighbour", was, is);
	if (d && port_miswired(x->a->m, a) && !port_miswired(x->b->m, b))
		differ_better(d);
}

void differ_port(struct differ *x, const struct port *a, const struct port *b)
{
	differ_oper(x, a, b);
	differ_admin(x, a, b);
	differ_flaps(x, a, b);
	differ_speed(x, a, b);
	differ_lanes(x, a, b);
	differ_wiring(x, a, b);
	differ_port_settings(x, a, b);
	differ_counters(x, a, b);
}
