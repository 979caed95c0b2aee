/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/net_tiles.h"

#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/engine/root_cause.h"
#include "views/diag_rows.h"
#include "views/summary.h"

/* Counting visits all ports: 1 s, and longer where there are many of them. */
#define AGAIN_US    CLOCK_SEC
#define PORTS_A_SEC 16384

static void count_finding(struct net_tile *t, const struct finding *f)
{
	if (f->role != ROLE_CULPRIT || f->severity < SEV_WARN || f->root)
		return;
	*(f->severity >= SEV_CRIT ? &t->crit : &t->warn) += 1;
	if (!t->worst[0] || (t->crit == 1 && f->severity >= SEV_CRIT))
		(void)str_copy(t->worst, sizeof(t->worst), f->title);
}

static void count_findings(const struct view_ctx *ctx, struct net_tile *tiles)
{
	const struct finding *const *f;
	size_t n;

	if (!ctx->diag)
		return;
	f = diag_findings(ctx->diag, &n);
	for (size_t i = 0; i < n; i++) {
		struct place at = place_of(ctx->model, f[i]);

		if (f[i]->open)
			count_finding(&tiles[place_net(ctx->model, &at)], f[i]);
	}
}

static void judge_tile(struct net_tile *t)
{
	const struct net_count *c = &t->count;

	t->why = "";
	t->severity = SEV_OK;
	if (t->crit || t->warn) {
		t->severity = t->crit ? SEV_CRIT : SEV_WARN;
		t->why = "findings";
	} else if (c->down) {
		t->severity = SEV_WARN;
		t->why = "ports down";
	} else if (!c->switches_seen && !c->hosts_seen) {
		t->severity = SEV_UNKNOWN;
		t->why = "nothing seen";
	} else if (c->switches_seen < c->switches || c->hosts_seen < c->hosts) {
		t->severity = SEV_UNKNOWN;
		t->why = "not all seen";
	} else if (!c->switches) {
		t->severity = SEV_UNKNOWN;
		t->why = "no switch is asked";
	} else if (c->up < c->ports) {
		t->severity = SEV_UNKNOWN;
		t->why = "ports not known";
	}
}

static bool is_due(const struct view_ctx *ctx, const struct diag_rows *d)
{
	int64_t wait = AGAIN_US * (int64_t)(1 + ctx->model->ports.n / PORTS_A_SEC);

	return d->nets_of != ctx->model || ctx->now_us < d->nets_us ||
	       (d->nets_generation != ctx->model->generation && ctx->now_us - d->nets_us >= wait);
}

const struct net_tile *net_tiles(const struct view_ctx *ctx)
{
	struct diag_rows *d = diag_rows_of(ctx);
	struct net_count counts[NET_COUNT + 1];

	if (!d)
		return NULL;
	if (!d->nets)
		d->nets = mem_calloc(NET_COUNT + 1, sizeof(*d->nets));
	if (!is_due(ctx, d))
		return d->nets;
	d->nets_of = ctx->model;
	d->nets_us = ctx->now_us;
	d->nets_generation = ctx->model->generation;
	memset(d->nets, 0, (NET_COUNT + 1) * sizeof(*d->nets));
	model_count_nets(ctx->model, counts);
	count_findings(ctx, d->nets);
	for (unsigned k = 0; k <= NET_COUNT; k++) {
		d->nets[k].count = counts[k];
		judge_tile(&d->nets[k]);
	}
	/* Nothing is known of them, so nothing of them is ok. */
	d->nets[NET_COUNT].severity = SEV_UNKNOWN;
	d->nets[NET_COUNT].why = "network not known";
	return d->nets;
}

bool net_tile_exists(const struct net_tile *t)
{
	return t->count.switches || t->count.ports;
}

bool net_tiles_line(const struct view_ctx *ctx, struct panel_line *out)
{
	const struct net_tile *t = net_tiles(ctx);
	enum severity worst = SEV_OK;
	unsigned n = 0;
	char text[160] = "";
	size_t len = 0;

	for (unsigned k = 0; t && k < NET_COUNT; k++) {
		if (!net_tile_exists(&t[k]))
			continue;
		(void)str_printf(text + len, sizeof(text) - len, "%s%s %s", n ? "  " : "",
			net_kind_name((enum net_kind)k), severity_word(t[k].severity));
		len += strlen(text + len);
		if (t[k].crit + t[k].warn)
			(void)str_printf(
				text + len, sizeof(text) - len, " %u", t[k].crit + t[k].warn);
		len += strlen(text + len);
		if (t[k].severity > worst || (t[k].severity == SEV_UNKNOWN && worst == SEV_OK))
			worst = t[k].severity;
		n++;
	}
	if (n < 2)
		return false;
	panel_say(out, role_of_severity(worst), "fabrics", "%s", text);
	return true;
}
