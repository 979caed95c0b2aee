/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/acceptance/acceptance_private.h"
#include "fabric/model/nets.h"

const char *accept_result_name(enum accept_result r)
{
	static const char *const names[] = {"pass", "fail", "unknown"};

	return (unsigned)r < sizeof(names) / sizeof(names[0]) ? names[r] : "unknown";
}

const char *accept_check_name(enum accept_check c)
{
	static const char *const names[ACCEPT_CHECKS] = {"answers", "link", "wiring", "settings",
		"findings", "optics", "counters", "traffic"};

	return (unsigned)c < ACCEPT_CHECKS ? names[c] : "unknown";
}

struct accept_row *accept_add(
	const struct accepted *a, enum accept_check c, enum accept_result r, struct ref at)
{
	struct accept_row *row = vec_add(a->out);

	row->check = c;
	row->result = r;
	row->at = at;
	return row;
}

static bool has_port(const struct accepted *a, uint32_t id)
{
	for (size_t i = 0; i < a->ports.n; i++)
		if (a->ports.at[i]->id == id)
			return true;
	return false;
}

bool accept_concerns(const struct accepted *a, struct ref at)
{
	const struct port *p = ref_port(a->m, at);
	const struct device *d = ref_device(a->m, at);

	if (p && has_port(a, p->id))
		return true;
	/* Of a link the ports alone: what else its switches have is not its own. */
	if (a->at.kind != REF_DEVICE)
		return false;
	return d && d->id == a->at.device;
}

/* ---- what belongs to it ---- */

/* NICs of a host with a rail, and every port that the plan has a link for. */
static bool is_wanted(const struct model *m, const struct port *p)
{
	enum net_kind net = port_net(m, p);

	return !p->merged && (p->plan_peer != PORT_NONE ||
				     (p->rail >= 0 && (net == NET_BACKEND || net == NET_COUNT)));
}

static void take_device(struct accepted *a, const struct device *d)
{
	vec_push(&a->devices, d);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = a->m->ports.at[d->ports.at[i]];

		if (is_wanted(a->m, p))
			vec_push(&a->ports, p);
	}
}

static void take_link(struct accepted *a, const struct port *p)
{
	const struct port *q = port_peer(a->m, p, NULL);

	vec_push(&a->devices, model_dev_of(a->m, p));
	vec_push(&a->ports, p);
	if (!q)
		return;
	vec_push(&a->devices, model_dev_of(a->m, q));
	vec_push(&a->ports, q);
}

static void take_far_ends(struct accepted *a)
{
	for (size_t i = 0; i < a->ports.n; i++) {
		const struct port *q = port_peer(a->m, a->ports.at[i], NULL);

		if (q && !has_port(a, q->id))
			vec_push(&a->far, q);
	}
}

/* ---- the devices ---- */

static void check_answers(const struct accepted *a)
{
	for (size_t i = 0; i < a->devices.n; i++) {
		const struct device *d = a->devices.at[i];
		bool ok = (d->state == DEV_FRESH || d->state == DEV_LATE) && !device_blind(d);
		struct accept_row *row = accept_add(
			a, ACCEPT_ANSWERS, ok ? ACCEPT_PASS : ACCEPT_UNKNOWN, at_device(d->id));

		(void)str_printf(row->is, sizeof(row->is), "%s%s", dev_state_words(d->state),
			device_blind(d) ? ", without its port counters" : "");
		if (!ok)
			(void)str_printf(row->cure, sizeof(row->cure), "%s",
				d->err->cure[0] ? d->err->cure
						: "railtop check says what it lacks");
	}
}

void acceptance_check(const struct model *m, const struct diag *d, struct ref at, accept_vec *out)
{
	struct accepted a = {.m = m, .d = d, .at = at, .out = out};
	const struct port *p = ref_port(m, at);
	const struct device *dev = ref_device(m, at);

	if (p)
		take_link(&a, p);
	else if (dev)
		take_device(&a, dev);
	take_far_ends(&a);
	check_answers(&a);
	accept_links(&a);
	accept_wiring(&a);
	accept_settings(&a);
	accept_findings(&a);
	accept_optics(&a);
	accept_counters(&a);
	vec_free(&a.devices);
	vec_free(&a.ports);
	vec_free(&a.far);
}

/* ---- traffic ---- */

static struct accept_row *add_traffic(struct ref at, enum accept_result r, accept_vec *out)
{
	struct accept_row *row = vec_add(out);

	row->check = ACCEPT_TRAFFIC;
	row->result = r;
	row->at = at;
	return row;
}

void acceptance_add_unmeasured(struct ref at, const char *why, const char *cure, accept_vec *out)
{
	struct accept_row *row = add_traffic(at, ACCEPT_UNKNOWN, out);

	(void)str_printf(row->is, sizeof(row->is), "not measured: %s", why);
	(void)str_copy(row->cure, sizeof(row->cure), cure);
}

bool acceptance_is_possible(const struct accept_measured *w)
{
	return w->possible <= 0 || isnan(w->value) ||
	       (w->less_is_better ? w->value >= w->possible : w->value <= w->possible);
}

void acceptance_add_measured(const struct accept_measured *w, accept_vec *out)
{
	double limit = w->less_is_better ? w->baseline / ACCEPT_SHARE : w->baseline * ACCEPT_SHARE;
	struct accept_row *row;

	if (isnan(w->value)) {
		char why[160];

		(void)str_printf(why, sizeof(why), "%s: %s", w->what, w->why);
		/* The test was made and failed: that is a result, and no lack of one. */
		acceptance_add_unmeasured(
			w->at, why, "run it by hand on both hosts, then accept again", out);
		out->at[out->n - 1].result = ACCEPT_FAIL;
		return;
	}
	if (!acceptance_is_possible(w)) {
		row = add_traffic(w->at, ACCEPT_UNKNOWN, out);
		(void)str_printf(row->is, sizeof(row->is), "%s %.5g %s: that cannot be", w->what,
			w->value, w->unit);
		(void)str_printf(row->should, sizeof(row->should), "at %s %.5g %s, by the link",
			w->less_is_better ? "least" : "most", w->possible, w->unit);
		(void)str_printf(row->cure, sizeof(row->cure),
			"the host's answer is wrong: run perftest by hand, and look at its clock");
		return;
	}
	row = add_traffic(w->at,
		isnan(limit)                                                  ? ACCEPT_UNKNOWN
		: (w->less_is_better ? w->value <= limit : w->value >= limit) ? ACCEPT_PASS
									      : ACCEPT_FAIL,
		out);
	(void)str_printf(row->is, sizeof(row->is), "%s %.5g %s", w->what, w->value, w->unit);
	if (isnan(limit)) {
		(void)str_printf(row->cure, sizeof(row->cure),
			"no baseline to compare with: measure good hosts with --baselines FILE "
			"--store");
		return;
	}
	(void)str_printf(row->should, sizeof(row->should), "at %s %.5g %s: %d %% of %.5g (%s)",
		w->less_is_better ? "most" : "least", limit, w->unit,
		(int)(100 * (w->less_is_better ? 1 / ACCEPT_SHARE : ACCEPT_SHARE) + 0.5),
		w->baseline, w->source);
}

enum accept_result acceptance_overall(const accept_vec *rows)
{
	bool unknown = rows->n == 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (rows->at[i].result == ACCEPT_FAIL)
			return ACCEPT_FAIL;
		unknown |= rows->at[i].result == ACCEPT_UNKNOWN;
	}
	return unknown ? ACCEPT_UNKNOWN : ACCEPT_PASS;
}
