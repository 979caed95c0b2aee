/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/port_settings.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/shipped.h"
#include "views/columns/columns.h"

#define DSCPS 64

static size_t add_range(char *dst, size_t size, size_t at, const char *fmt, unsigned a, unsigned b)
{
	if (at + 1 >= size)
		return at;
	if (a == b)
		(void)str_printf(dst + at, size - at, "%s%u", fmt, a);
	else
		(void)str_printf(dst + at, size - at, "%s%u-%u", fmt, a, b);
	return at + strlen(dst + at);
}

void settings_dscps(const struct port *p, unsigned tc, char *dst, size_t size)
{
	const char *map = p->qos ? p->qos->dscp_to_tc : NULL;
	size_t n = 0;

	(void)str_copy(dst, size, map ? "" : "-");
	for (unsigned i = 0; map && i < DSCPS; i++) {
		unsigned last = i;

		if (map[i] != (char)('0' + tc))
			continue;
		while (last + 1 < DSCPS && map[last + 1] == map[i])
			last++;
		n = add_range(dst, size, n, n ? "," : "", i, last);
		i = last;
	}
}

void settings_bytes(uint32_t bytes, char *dst, size_t size)
{
	if (bytes == UINT32_MAX)
		(void)str_copy(dst, size, "-");
	else
		(void)str_si(bytes, dst, size);
}

/* The class that the map gives to a class: "3", "-" when the map is unknown. */
static char class_of(const char *map, unsigned from)
{
	return map && from < strlen(map) ? map[from] : '-';
}

bool settings_map_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out)
{
	uint8_t lossless = lossless_priorities(&ctx->model->lossless);
	const struct qos *q = p->qos;
	char text[160] = "", dscps[64];
	size_t n = 0;

	if (!q || (!q->trust[0] && !q->dscp_to_tc && !q->tc_to_queue && !q->tc_to_pg &&
			  !q->prio_to_queue))
		return false;
	for (unsigned tc = 0; tc < PRIORITIES; tc++) {
		if (!(lossless >> tc & 1))
			continue;
		settings_dscps(p, tc, dscps, sizeof(dscps));
		(void)str_printf(text + n, sizeof(text) - n, "  dscp %s>tc %u>q %c pg %c",
			dscps[0] ? dscps : "none", tc, class_of(q->tc_to_queue, tc),
			class_of(q->tc_to_pg, tc));
		n += strlen(text + n);
	}
	panel_say(out, ROLE_NORMAL, "", "trust %s%s", q->trust[0] ? q->trust : "-", text);
	return true;
}

static bool prio_is_set(const struct qos_prio *q)
{
	return q->ecn_min_bytes != UINT32_MAX || q->ecn_max_bytes != UINT32_MAX ||
	       q->xoff_bytes != UINT32_MAX || q->headroom_bytes != UINT32_MAX;
}

static void say_prio(const struct device *d, const struct port *p, unsigned prio,
	const struct qos_prio *q, char *dst, size_t size)
{
	const char *by = shipped_ecn(d->dialect, q->ecn_min_bytes, q->ecn_max_bytes);
	bool usual = shipped_headroom_is(d->dialect, d->model, p->speed_mbps, q->headroom_bytes);
	char min[16], max[16], xoff[16], headroom[16], probability[16] = "-";

	settings_bytes(q->ecn_min_bytes, min, sizeof(min));
	settings_bytes(q->ecn_max_bytes, max, sizeof(max));
	settings_bytes(q->xoff_bytes, xoff, sizeof(xoff));
	settings_bytes(q->headroom_bytes, headroom, sizeof(headroom));
	if (!isnan(q->ecn_probability))
		(void)str_printf(
			probability, sizeof(probability), "%.3g%%", (double)q->ecn_probability);
	(void)str_printf(dst, size, "p%u ecn %s-%s %s%s%s%s  xoff %s  headroom %s%s%s%s", prio, min,
		max, probability, by ? " (default of " : "", by ? by : "", by ? ")" : "", xoff,
		headroom, usual ? " (default of " : "",
		usual ? shipped_chip(d->dialect, d->model) : "", usual ? ")" : "");
}

bool settings_ecn_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out)
{
	uint8_t lossless = lossless_priorities(&ctx->model->lossless);
	char text[200] = "";
	size_t n = 0;

	for (unsigned prio = 0; p->qos && prio < PRIORITIES; prio++) {
		if (!(lossless >> prio & 1) || !prio_is_set(&p->qos->prio[prio]))
			continue;
		if (n)
			n += str_copy(text + n, sizeof(text) - n, "  ") ? 2 : 0;
		say_prio(model_dev_of(ctx->model, p), p, prio, &p->qos->prio[prio], text + n,
			sizeof(text) - n);
		n += strlen(text + n);
	}
	panel_say(out, ROLE_NORMAL, "", "%s", text);
	return n > 0;
}

static void number_text(int n, char *dst, size_t size)
{
	if (n < 0)
		(void)str_copy(dst, size, "-");
	else
		(void)str_printf(dst, size, "%d", n);
}

static void mask_text(uint16_t mask, char *dst, size_t size)
{
	size_t n = 0;

	(void)str_copy(dst, size, mask >> 8 & 1 ? "none" : "-");
	for (unsigned prio = 0; mask >> 8 & 1 && prio < PRIORITIES; prio++)
		if (mask >> prio & 1 && n + 1 < size) {
			dst[n++] = (char)('0' + prio);
			dst[n] = '\0';
		}
}

bool settings_nic_line(const struct port *p, struct panel_line *out)
{
	const struct qos *q = p->qos;
	char tos[24] = "-", dscp[8], prio[8], rp[12], np[12], storm[24] = "-";

	if (!q || (q->roce_tclass < 0 && q->cnp_dscp < 0 && q->cnp_prio < 0 && !q->dcqcn_rp &&
			  !q->dcqcn_np && q->storm_tout_ms < 0))
		return false;
	if (q->roce_tclass >= 0)
		(void)str_printf(
			tos, sizeof(tos), "%d (dscp %d)", q->roce_tclass, q->roce_tclass >> 2);
	number_text(q->cnp_dscp, dscp, sizeof(dscp));
	number_text(q->cnp_prio, prio, sizeof(prio));
	mask_text(q->dcqcn_rp, rp, sizeof(rp));
	mask_text(q->dcqcn_np, np, sizeof(np));
	if (q->storm_tout_ms == 65535)
		(void)str_copy(storm, sizeof(storm), "auto");
	else if (q->storm_tout_ms >= 0)
		(void)str_printf(
			storm, sizeof(storm), q->storm_tout_ms ? "%d ms" : "off", q->storm_tout_ms);
	panel_say(out, ROLE_NORMAL, "", "tclass %s  cnp dscp %s prio %s  rp %s np %s  storm %s",
		tos, dscp, prio, rp, np, storm);
	return true;
}

static void limit_text(float v, char *dst, size_t size)
{
	if (isnan(v))
		(void)str_copy(dst, size, "-");
	else
		(void)str_printf(dst, size, "%.1f", (double)v);
}

bool settings_limits_line(const struct port *p, struct panel_line *out)
{
	const struct optics_limits *l = p->more->limits;
	char rx_warn[16], rx_alarm[16], tx_warn[16], tx_alarm[16], temperature[16];

	if (!l)
		return false;
	limit_text(l->rx_power_dbm[LIMIT_LOW_WARN], rx_warn, sizeof(rx_warn));
	limit_text(l->rx_power_dbm[LIMIT_LOW_ALARM], rx_alarm, sizeof(rx_alarm));
	limit_text(l->tx_power_dbm[LIMIT_LOW_WARN], tx_warn, sizeof(tx_warn));
	limit_text(l->tx_power_dbm[LIMIT_LOW_ALARM], tx_alarm, sizeof(tx_alarm));
	limit_text(l->temperature_c[LIMIT_HIGH_ALARM], temperature, sizeof(temperature));
	panel_say(out, ROLE_DIM, "", "low warn/alarm  rx %s/%s  tx %s/%s dBm  hot above %s C",
		rx_warn, rx_alarm, tx_warn, tx_alarm, temperature);
	return true;
}

bool settings_fec_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out)
{
	struct view_cell cell;
	char bars[(FEC_BINS + 1) * 4 + 1];

	port_column(ctx, p, COL_FEC_BINS, &cell);
	if (isnan(cell.number) || !ctx->term)
		return false;
	fec_bins_text(ctx->term, p, bars, sizeof(bars));
	panel_say(out, ROLE_NORMAL, "", "fec bins 0-15 |%s| highest %.0f", bars, cell.number);
	return true;
}
