/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/openmetrics/metrics_private.h"
#include "base/str.h"

/* Metrics of the whole fabric, of rails and of the program itself. */

static void add_one(struct metrics *x, enum metric_id id, double value)
{
	struct metric_few f;

	metric_few_begin(&f, x, id);
	metric_few_add(&f, value, NULL);
	metric_few_end(&f);
}

static void add_own(struct metrics *x, const struct metrics_own *own)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_BUILD);
	metric_few_add(&f, 1, "version", own->version, NULL);
	metric_few_end(&f);
	add_one(x, METRIC_SCRAPES, (double)own->scrapes);
	add_one(x, METRIC_REFUSED, (double)own->refused);
	if (own->took_s > 0)
		add_one(x, METRIC_TAKEN, own->took_s);
	if (own->cpu_s > 0)
		add_one(x, METRIC_CPU, own->cpu_s);
	if (own->rss_bytes)
		add_one(x, METRIC_RSS, (double)own->rss_bytes);
	if (own->start_us)
		add_one(x, METRIC_STARTED, (double)own->start_us / 1e6);
}

static void add_fabric(struct metrics *x, const struct model *m, int64_t now_us)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_FABRIC);
	metric_few_add(&f, 1, "fabric", m->fabric, NULL);
	metric_few_end(&f);
	add_one(x, METRIC_DATA_TIME, (double)now_us / 1e6);
	add_one(x, METRIC_BATCHES, (double)m->batches);
	add_one(x, METRIC_ITEMS, (double)m->items);
}

#define RAILS_MOST 64 /* rails with an own index; RAILS_MOST: no rail, or a higher one */

static unsigned rail_index(int rail)
{
	return rail >= 0 && rail < RAILS_MOST ? (unsigned)rail : RAILS_MOST;
}

static const char *rail_text(unsigned index, char *dst, size_t size)
{
	(void)str_printf(dst, size, "%u", index);
	return index < RAILS_MOST ? dst : "";
}

static void add_links(struct metrics *x, const struct model *m)
{
	unsigned n[RAILS_MOST + 1][LINK_MISWIRED + 1] = {{0}};
	struct metric_few f;
	char text[12];

	for (size_t i = 0; i < m->links.n; i++)
		n[rail_index(m->links.at[i].rail)][m->links.at[i].state]++;
	metric_few_begin(&f, x, METRIC_LINKS);
	for (unsigned r = 0; r <= RAILS_MOST; r++)
		for (unsigned s = 0; s <= LINK_MISWIRED; s++)
			if (n[r][s])
				metric_few_add(&f, n[r][s], "rail",
					rail_text(r, text, sizeof(text)), "state",
					link_state_name((enum link_state)s), NULL);
	metric_few_end(&f);
}

static void add_rail_ports(struct metrics *x, const struct model *m)
{
	unsigned n[RAILS_MOST + 1][TIER_COUNT][OPER_DOWN + 1] = {{{0}}};
	struct metric_few f;
	char text[12];

	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];
		const struct device *d = model_dev_of(m, p);

		if (p->merged || d->state == DEV_PENDING || metric_is_old(d))
			continue;
		n[rail_index(p->rail >= 0 ? p->rail : d->rail)][d->tier][p->oper]++;
	}
	metric_few_begin(&f, x, METRIC_RAIL_PORTS);
	for (unsigned r = 0; r <= RAILS_MOST; r++)
		for (unsigned t = 0; t < TIER_COUNT; t++)
			for (unsigned o = 0; o <= OPER_DOWN; o++)
				if (n[r][t][o])
					metric_few_add(&f, n[r][t][o], "rail",
						rail_text(r, text, sizeof(text)), "tier",
						tier_name((enum tier)t), "state",
						oper_name((enum oper)o), NULL);
	metric_few_end(&f);
}

void metrics_take_few(struct metrics *x, const struct model *m, const struct diag *d,
	const struct metrics_own *own, int64_t now_us)
{
	add_own(x, own);
	add_fabric(x, m, now_us);
	metrics_take_devices(x, m);
	add_links(x, m);
	add_rail_ports(x, m);
	if (d)
		metrics_take_findings(x, m, d);
	metrics_take_jobs(x, m, now_us);
	/* Last, because all families before may leave samples out. */
	add_one(x, METRIC_LEFT_OUT, (double)x->left_out);
}
