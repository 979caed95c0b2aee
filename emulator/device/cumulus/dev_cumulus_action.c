/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/*
 * `nv action clear`. A whole port is cleared in hardware; for a part of it the current counts are
 * stored and subtracted.
 */

enum part {
	PART_ALL,
	PART_QOS,
	PART_BUFFER,
	PART_DEADLOCK,
	PART_PHY,
	PART_EVERYTHING, /* all ports */
	PART_FLAP
};

static const struct {
	const char *path; /* after interface/swp1; for all ports from the root */
	enum part part;
	const char *text;
} actions[] = {
	{"counters", PART_ALL, "Interface counters cleared."},
	{"counters/qos", PART_QOS, "QoS counters cleared."},
	{"qos/counter", PART_QOS, "QoS counters cleared."},
	{"qos/counters", PART_QOS, "QoS counters cleared."},
	{"qos/roce/counters", PART_QOS, "QoS RoCE counters cleared."},
	{"qos/buffer", PART_BUFFER, "QoS buffers cleared."},
	{"qos/pfc-watchdog/deadlock-count", PART_DEADLOCK, "PFC watchdog deadlock count cleared."},
	{"link/phy-detail", PART_PHY, "PHY detail counters cleared."},
	{"link/phy/health", PART_PHY, "PHY health counters cleared."},
	{"link/flap-protection", PART_FLAP, "Flap protection violation cleared."},
	{"link/flap-protection/violation", PART_FLAP, "Flap protection violation cleared."},
};

/* ---- baselines ---- */

static struct sim_port *base_of(const struct machine *m, struct cumulus_box *box, unsigned port)
{
	if (box->base && box->base_boot_us != m->d->boot_us) {
		memset(box->base, 0, m->d->nports * sizeof(*box->base));
		memset(box->phy_us, 0, m->d->nports * sizeof(*box->phy_us));
	}
	if (!box->base) {
		box->base = mem_calloc(m->d->nports + 1, sizeof(*box->base));
		box->phy_us = mem_calloc(m->d->nports + 1, sizeof(*box->phy_us));
	}
	box->base_boot_us = m->d->boot_us;
	return &box->base[port];
}

/* Subtracts the stored count; a counter below it has restarted. */
static void subtract_base(uint64_t *value, uint64_t mark)
{
	*value -= *value < mark ? 0 : mark;
}

static void subtract_queue(struct sim_queue *q, const struct sim_queue *b)
{
	subtract_base(&q->tx_packets, b->tx_packets);
	subtract_base(&q->tx_bytes, b->tx_bytes);
	subtract_base(&q->drops, b->drops);
	subtract_base(&q->ecn_marked, b->ecn_marked);
	subtract_base(&q->wred_drops, b->wred_drops);
	subtract_base(&q->rx_packets, b->rx_packets);
	subtract_base(&q->rx_bytes, b->rx_bytes);
	subtract_base(&q->pg_drops, b->pg_drops);
	subtract_base(&q->pfc_rx_frames, b->pfc_rx_frames);
	subtract_base(&q->pfc_tx_frames, b->pfc_tx_frames);
	subtract_base(&q->pfc_rx_us, b->pfc_rx_us);
	subtract_base(&q->pfc_tx_us, b->pfc_tx_us);
	subtract_base(&q->wd_detected, b->wd_detected);
	/* A watermark shows again once it exceeds the cleared one, as far as the outside can tell.
	 */
	if (q->watermark_bytes <= b->watermark_bytes)
		q->watermark_bytes = b->watermark_bytes ? q->depth_bytes : q->watermark_bytes;
	if (q->pg_watermark_bytes <= b->pg_watermark_bytes)
		q->pg_watermark_bytes = b->pg_watermark_bytes ? 0 : q->pg_watermark_bytes;
}

static void subtract_phy(struct sim_port *p, const struct sim_port *b)
{
	unsigned i;

	subtract_base(&p->rx_symbol_errors, b->rx_symbol_errors);
	subtract_base(&p->fec_corrected, b->fec_corrected);
	subtract_base(&p->fec_uncorrectable, b->fec_uncorrectable);
	subtract_base(&p->fec_corrected_bits, b->fec_corrected_bits);
	for (i = 0; i < 17; i++)
		subtract_base(&p->fec_bin[i], b->fec_bin[i]);
	for (i = 0; i < 8; i++)
		subtract_base(&p->lane_corrected_bits[i], b->lane_corrected_bits[i]);
}

struct sim_port cumulus_counted(const struct machine *m, const struct sim_port *p)
{
	struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	struct sim_port view = *p;
	const struct sim_port *b;
	unsigned i;

	if (!box->base)
		return view;
	b = base_of(m, box, p->port);
	for (i = 0; i < 8; i++)
		subtract_queue(&view.q[i], &b->q[i]);
	subtract_phy(&view, b);
	return view;
}

static void mark_qos(struct sim_queue *b, const struct sim_queue *q)
{
	struct sim_queue old = *b;

	*b = *q;
	b->wd_detected = old.wd_detected;
	b->watermark_bytes = old.watermark_bytes;
	b->pg_watermark_bytes = old.pg_watermark_bytes;
}

static void mark_phy(struct sim_port *b, const struct sim_port *p)
{
	b->rx_symbol_errors = p->rx_symbol_errors;
	b->fec_corrected = p->fec_corrected;
	b->fec_uncorrectable = p->fec_uncorrectable;
	b->fec_corrected_bits = p->fec_corrected_bits;
	memcpy(b->fec_bin, p->fec_bin, sizeof(b->fec_bin));
	memcpy(b->lane_corrected_bits, p->lane_corrected_bits, sizeof(b->lane_corrected_bits));
}

static void clear_part(struct machine *m, struct sim_port *p, enum part part)
{
	struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	struct sim_port *b;
	unsigned i;

	if (part == PART_ALL || part == PART_EVERYTHING) {
		sim_clear_counters(m->ctx->sim, m->d, p);
		if (box->base)
			memset(base_of(m, box, p->port), 0, sizeof(*box->base));
		return;
	}
	if (part == PART_FLAP)
		return;
	b = base_of(m, box, p->port);
	for (i = 0; i < 8; i++) {
		if (part == PART_QOS)
			mark_qos(&b->q[i], &p->q[i]);
		if (part == PART_DEADLOCK)
			b->q[i].wd_detected = p->q[i].wd_detected;
		if (part == PART_BUFFER) {
			b->q[i].watermark_bytes = p->q[i].watermark_bytes;
			b->q[i].pg_watermark_bytes = p->q[i].pg_watermark_bytes;
		}
	}
	if (part == PART_PHY) {
		mark_phy(b, p);
		box->phy_us[p->port] = sim_now(m->ctx->sim);
	}
}

/* ---- actions ---- */

static const struct cumulus_action *record_action(struct machine *m, const char *text)
{
	struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	unsigned id = ++box->actions;
	struct cumulus_action *a = &box->action[id % CUMULUS_ACTIONS];

	*a = (struct cumulus_action){.id = id};
	(void)str_copy(a->text, sizeof(a->text), text);
	return a;
}

static bool is_path(const char *path, const char *const *words, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		size_t len = strlen(words[i]);

		if (strncmp(path, words[i], len) != 0 || path[len] != (i + 1 < n ? '/' : '\0'))
			return false;
		path += len + 1;
	}
	return n > 0;
}

const struct cumulus_action *cumulus_clear(struct machine *m, const char *const *words, unsigned n)
{
	struct sim_port *p = n > 2 ? cumulus_port(m, words[1]) : NULL;
	size_t i;
	unsigned k;

	if (is_path("interface/counters", words, n) ||
		is_path("interface/all/counters", words, n)) {
		for (k = 0; k < m->d->nports; k++)
			clear_part(m, &m->d->ports[k], PART_EVERYTHING);
		return record_action(m, "All interface counters cleared.");
	}
	if (!p || strcmp(words[0], "interface") != 0)
		return NULL;
	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (is_path(actions[i].path, words + 2, n - 2)) {
			clear_part(m, p, actions[i].part);
			return record_action(m, actions[i].text);
		}
	return NULL;
}

const struct cumulus_action *cumulus_action(struct machine *m, const char *id)
{
	struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	uint64_t n;
	const struct cumulus_action *a;

	if (!str_to_u64(id, &n))
		return NULL;
	a = &box->action[n % CUMULUS_ACTIONS];
	return n && a->id == n ? a : NULL;
}

json_t *cumulus_action_json(const struct cumulus_action *a)
{
	return json_pack("{s:s,s:s,s:s,s:i,s:[],s:s,s:i,s:s}", "state",
		a->failed ? "action_error" : "action_success", "status", a->text, "detail", a->text,
		"http_status", a->failed ? 500 : 200, "issue", "percentage", "", "timeout", 60,
		"type", "");
}
