/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/port_panel.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "views/columns/columns.h"
#include "views/common.h"
#include "views/panels/finding_text.h"
#include "views/panels/link_strip.h"
#include "views/panels/order_meter.h"
#include "views/panels/port_settings.h"
#include "fabric/vocabulary/shipped.h"
#include "views/summary.h"

#define SPARK_TEXT_COLUMN 20 /* a history starts behind the longest text of its lines */
#define SIDE_BY_SIDE      76
/* Columns of a history from which its full height, and its time too, stand behind it. */
#define SCALE_LEAST 16
#define SCALE_WIDE  34
#define SCALE_ROOM  12

/* A switch may remember a MAC for hours, so the line says how old it is. */
static void say_mac_peer(
	const struct view_ctx *ctx, const struct port *p, const char *there, struct panel_line *out)
{
	char age[24];

	(void)str_age(ctx->now_us - port_mac_heard_us(ctx->model, p), age, sizeof(age));
	panel_say(
		out, ROLE_ACCENT, "peer", "%s by MAC, heard %s ago: no plan, no LLDP", there, age);
}

void port_neighbour_line(const struct view_ctx *ctx, const struct port *p, struct panel_line *out)
{
	const struct model *m = ctx->model;
	enum peer_source source = PEER_NONE;
	const struct port *peer = port_peer(m, p, &source);
	const struct port *planned = model_port_at(m, p->plan_peer);
	char there[2 * NAME_MAX_LEN] = "", plan[2 * NAME_MAX_LEN] = "";

	(void)peer_locator(m, p, there, sizeof(there));
	if (planned)
		(void)port_locator(m, planned, plan, sizeof(plan));
	if (peer && source == PEER_LLDP && planned && planned != peer)
		panel_say(out, ROLE_CRIT, "miswired", "%s by LLDP, planned %s", there, plan);
	else if (peer && source == PEER_LLDP)
		panel_say(out, ROLE_ACCENT, "peer", "%s by LLDP%s", there,
			planned ? ", as planned" : ", not planned");
	else if (peer && source == PEER_PLAN)
		panel_say(out, ROLE_ACCENT, "peer", "%s by plan, not confirmed by LLDP", there);
	else if (peer)
		say_mac_peer(ctx, p, there, out);
	else if (there[0])
		panel_say(out, ROLE_ACCENT, "peer", "%s by LLDP, not in the inventory", there);
	else
		panel_say(out, ROLE_UNKNOWN, "peer",
			"unknown: no plan, no LLDP neighbour, no MAC of a NIC");
}

static void say_state(const struct view_ctx *ctx, const struct port *p, struct panel_line *out)
{
	struct health h = summary_health(ctx, p);
	const char *state = port_state_name(p);
	bool said = str_starts(h.why, state) && strchr(", ", h.why[strlen(state)]);

	/* "link down, the plan has a link here": the state is said once. */
	panel_say(out, role_of_severity(h.severity), severity_word(h.severity), "link %s%s%s%s%s",
		said ? "" : state, said || !h.why[0] ? "" : " ", h.why,
		p->more->down_reason[0] ? " " : "", p->more->down_reason);
}

static const char *or_dash(const char *s)
{
	return s[0] ? s : "-";
}

/* RoCE is the rule on these screens; the others are named. */
static bool is_roce(const struct port *p)
{
	return transport_has_pfc(p->more->link_layer);
}

static void say_speed(const struct port *p, struct panel_line *out)
{
	struct view_cell speed, plan;
	char mtu[16] = "-", planned[40] = "";

	cell_speed(&speed, p->speed_mbps, p->plan_speed_mbps);
	cell_speed(&plan, p->plan_speed_mbps, 0);
	if (p->plan_speed_mbps && p->speed_mbps && p->speed_mbps != p->plan_speed_mbps)
		(void)str_printf(planned, sizeof(planned), " (plan %.16s)", plan.text);
	if (p->mtu)
		(void)str_printf(mtu, sizeof(mtu), "%u", p->mtu);
	panel_say(out, speed.role, "", "%s%sspeed %s%s  mtu %s  fec %s",
		is_roce(p) ? "" : transport_title(p->more->link_layer), is_roce(p) ? "" : "  ",
		speed.text, planned, mtu, or_dash(p->more->fec));
}

/* Sets the history of a line. False: there is none. */
static bool set_chart(struct end_line *out, const struct port *p, enum counter_id id, unsigned sub)
{
	out->chart = port_charted(p, id, sub) ? p : NULL;
	out->counter = id;
	out->sub = sub;
	return out->chart;
}

static void say_rate(
	const struct view_ctx *ctx, const struct port *p, enum direction dir, struct end_line *out)
{
	struct view_cell rate, util;
	bool rx = dir == DIR_RX;

	port_column(ctx, p, rx ? COL_RX : COL_TX, &rate);
	port_column(ctx, p, rx ? COL_RX_UTIL : COL_TX_UTIL, &util);
	panel_say(&out->line, ROLE_NORMAL, "", "%s %s%s %s", rx ? "rx" : "tx", rate.text,
		view_in_bytes(ctx) && !isnan(rate.number) ? "/s" : "b/s", util.text);
	(void)set_chart(out, p, rx ? CTR_RX_BYTES : CTR_TX_BYTES, 0);
	/* The rates of this counter are bytes per second. */
	out->top = (p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps) * 1e6 / 8;
}

/* The most paused priority and its history: paused time if the device reports it. */
static void say_paused(
	const struct view_ctx *ctx, const struct port *p, enum direction dir, struct end_line *out)
{
	uint8_t mask = lossless_priorities(&ctx->model->lossless);
	bool rx = dir == DIR_RX;
	unsigned worst = PRIORITIES;
	double most = -1;
	struct view_cell cell;

	port_column(ctx, p, rx ? COL_PAUSED_RX : COL_PAUSED_TX, &cell);
	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		double percent = port_paused(p, prio, dir).percent;

		if (mask >> prio & 1 && percent > most) {
			most = percent;
			worst = prio;
		}
	}
	panel_say(&out->line, cell.role, "", "paused %s %s", rx ? "rx" : "tx", cell.text);
	if (worst == PRIORITIES)
		return;
	out->top = 1e6;
	if (set_chart(out, p, rx ? CTR_PFC_RX_DURATION_US : CTR_PFC_TX_DURATION_US, worst))
		return;
	/* Full scale is the whole time here too, not the largest of several tiny bounds. */
	(void)set_chart(out, p, rx ? CTR_PFC_RX_FRAMES : CTR_PFC_TX_FRAMES, worst);
	out->top = port_pfc_frames_full(p);
}

/* Growth of EFA's counters, in the driver's own words: it has no pauses. */
static size_t say_srd(const struct port *p, struct end_line *out)
{
	static const struct {
		enum counter_id id;
		enum role role; /* where it grows */
	} counters[] = {{CTR_ROCE_ADP_RETRANS, ROLE_NORMAL}, {CTR_LOCAL_ACK_TIMEOUT_ERR, ROLE_WARN},
		{CTR_TRANSPORT_RETRIES_EXCEEDED, ROLE_CRIT}, {CTR_ROCE_SLOW_RESTART, ROLE_WARN},
		{CTR_RX_DISCARDS, ROLE_WARN}};
	size_t n = 0;

	for (; n < sizeof(counters) / sizeof(counters[0]); n++) {
		double rate = port_rate(p, counters[n].id, 0);

		panel_say(&out[n].line, rate > 0 ? counters[n].role : ROLE_NORMAL, "", "%s %s%s",
			transport_counter(LAYER_EFA, counters[n].id),
			isnan(rate) ? "-" : STR_NUMBER(rate), isnan(rate) ? "" : "/s");
	}
	return n;
}

/* The reason that the sender waits, by transport. Returns the number of lines. */
static size_t say_holds(const struct view_ctx *ctx, const struct port *p, struct end_line *out)
{
	struct view_cell cell;

	if (p->more->link_layer == LAYER_EFA)
		return say_srd(p, out);
	if (port_is_infiniband(p)) {
		/* The peer alone knows how long it waited for credits of this port. */
		port_column(ctx, p, COL_PAUSED_RX, &cell);
		panel_say(&out->line, cell.role, "", "no credits %s  wait %s/s", cell.text,
			isnan(port_rate(p, CTR_TX_WAIT, 0))
				? "-"
				: STR_NUMBER(port_rate(p, CTR_TX_WAIT, 0)));
		return 1;
	}
	say_paused(ctx, p, DIR_RX, &out[0]);
	say_paused(ctx, p, DIR_TX, &out[1]);
	return 2;
}

static void clock_text(const struct view_ctx *ctx, int64_t us, char *dst, size_t size)
{
	char all[16];

	(void)view_hms(ctx, us, all, sizeof(all));
	all[5] = '\0';
	(void)str_copy(dst, size, all);
}

/* A note if all histories together need more memory than their budget. */
static size_t say_squeezed(const struct view_ctx *ctx, struct panel_line *out)
{
	struct history_status h = history_status(ctx->model);
	char used[16], budget[16];

	if (!h.squeeze)
		return 0;
	panel_say(out, ROLE_WARN, "",
		"all histories: %sB of %sB; green ports keep %d min (%d s polls)",
		str_si((double)h.used, used, sizeof(used)),
		str_si((double)h.budget, budget, sizeof(budget)),
		(int)(h.green_us / (60 * CLOCK_SEC)), (int)(h.green_fine_us / CLOCK_SEC));
	return 1;
}

/*
 * The peaks of the stored history, and the data that was dropped. Only when the history is longer
 * than the lines above show, or when polls were left out.
 */
static size_t say_past(const struct view_ctx *ctx, const struct port *p, const struct end_line *rx,
	const struct end_line *paused, struct end_line *out)
{
	struct history_kept k = history_kept(ctx->model, p, ctx->now_us);
	char fine[16], coarse[16], gone[32] = "";
	size_t n = 0;

	if (!k.fine_us || (!p->pinned && k.fine_us <= k.since_us &&
				  ctx->now_us - k.since_us < HISTORY_FINE_US))
		return 0;
	if (rx->chart) {
		out[n] = *rx;
		out[n].hour = true;
		panel_say(&out[n++].line, ROLE_NORMAL, "", "rx peaks, 1 h");
	}
	if (paused->chart) {
		out[n] = *paused;
		out[n].hour = true;
		panel_say(&out[n++].line, ROLE_NORMAL, "", "paused rx peaks");
	}
	clock_text(ctx, k.fine_us, fine, sizeof(fine));
	clock_text(ctx, k.coarse_us, coarse, sizeof(coarse));
	if (k.coarse_us > k.since_us + HISTORY_STEP_US)
		(void)str_copy(gone, sizeof(gone), ", dropped before");
	panel_say(&out[n++].line, ROLE_DIM, "", "history: %spolls from %s, %d s sums from %s%s",
		p->pinned ? "pinned, " : "", fine, (int)(HISTORY_STEP_US / CLOCK_SEC),
		k.coarse_us ? coarse : "-", gone);
	return n + say_squeezed(ctx, &out[n].line);
}

static void say_errors(const struct view_ctx *ctx, const struct port *p, struct panel_line *out)
{
	struct view_cell ber, flaps, drops;

	port_column(ctx, p, COL_BER, &ber);
	port_column(ctx, p, COL_FLAPS, &flaps);
	port_column(ctx, p, COL_DROPS, &drops);
	panel_say(out, ROLE_NORMAL, "", "ber %s  flaps %s  drop/s %s  changed %s", ber.text,
		flaps.text, drops.text, age_step(ctx->now_us, p->more->last_change_us));
}

static void lanes_text(const struct port *p, enum counter_id id, char *dst, size_t size)
{
	size_t len = 0;

	dst[0] = '\0';
	for (unsigned lane = 0; lane < LANES; lane++) {
		const struct cell *c = port_cell(p, id, lane);

		if (!c || c->valid != VALID_OK)
			continue;
		(void)str_printf(dst + len, size - len, " %.1f", no_minus_zero(c->real));
		len += strlen(dst + len);
	}
	if (!len)
		(void)str_copy(dst, size, " -");
}

static void say_optics(const struct port *p, struct panel_line *out)
{
	char rx[96], tx[96];
	bool dark = port_light_is_low(p);

	lanes_text(p, CTR_RX_POWER_DBM, rx, sizeof(rx));
	lanes_text(p, CTR_TX_POWER_DBM, tx, sizeof(tx));
	panel_say(out, dark ? ROLE_WARN : ROLE_NORMAL, "", "rx dBm%s%s  tx dBm%s", rx,
		dark ? "!" : "", tx);
}

static void say_module(const struct port *p, struct panel_line *out)
{
	const struct cell *c = port_cell(p, CTR_TEMPERATURE_C, 0);
	char temp[24] = "-";

	if (c && c->valid == VALID_OK)
		(void)str_printf(temp, sizeof(temp), "%.0f", c->real);
	panel_say(out, ROLE_NORMAL, "", "module %s %s  temp %s C", or_dash(p->more->media),
		p->more->module_sn, temp);
}

static void say_masks(const struct view_ctx *ctx, const struct port *p, struct panel_line *out)
{
	uint8_t lossless = lossless_priorities(&ctx->model->lossless);
	enum wd_state wd = watchdog_worst(p, lossless);
	char pfc[24] = "-", ecn[24] = "-", times[48] = "";

	for (unsigned i = 0; i < 2; i++) {
		uint16_t mask = i ? p->ecn_enabled : p->pfc_enabled;
		char *dst = i ? ecn : pfc;
		size_t len = 0;

		if (!(mask >> 8 & 1))
			continue;
		for (unsigned prio = 0; prio < PRIORITIES; prio++)
			if (mask >> prio & 1)
				dst[len++] = (char)('0' + prio);
		(void)str_copy(dst + len, sizeof(pfc) - len, len ? "" : "none");
	}
	for (unsigned prio = 0; prio < PRIORITIES && !times[0]; prio++)
		if (lossless >> prio & 1 && p->wd[prio].detect_ms)
			(void)str_printf(times, sizeof(times), " %s %u/%u ms%s", p->wd[prio].action,
				p->wd[prio].detect_ms, p->wd[prio].restore_ms,
				shipped_watchdog(model_dev_of(ctx->model, p)->dialect,
					p->wd[prio].detect_ms, p->wd[prio].restore_ms)
					? " (default)"
					: "");
	if (p->pfc_enabled >> 8 & 1 &&
		shipped_pfc(model_dev_of(ctx->model, p)->dialect, (uint8_t)p->pfc_enabled))
		(void)str_copy(pfc + strlen(pfc), sizeof(pfc) - strlen(pfc), " (default)");
	panel_say(out, watchdog_role(wd), "", "pfc on %s  ecn on %s  watchdog %s%s", pfc, ecn,
		watchdog_word(wd), times);
}

/* A member names its bundle and LACP's state, a bundle the number of its members. */
static size_t say_bundle(const struct view_ctx *ctx, const struct port *p, struct panel_line *out)
{
	unsigned n = 0, up = 0;
	const struct port *member;

	if (!p->more->bond[0])
		return 0;
	if (!port_is_bond(p)) {
		panel_say(out,
			str_starts(p->more->lag_state, "suspended") ? ROLE_CRIT : ROLE_NORMAL,
			"bundle", "%s%s%s", p->more->bond, p->more->lag_state[0] ? "  " : "",
			p->more->lag_state);
		return 1;
	}
	for (size_t i = 0; (member = port_slave(ctx->model, p, i)); i++) {
		n++;
		up += member->oper == OPER_UP;
	}
	panel_say(out, up < n ? ROLE_WARN : ROLE_NORMAL, "bundle", "%u of %u links up%s%s%s%s", up,
		n, p->more->lag_state[0] ? "  " : "", p->more->lag_state,
		p->more->lag_pair[0] ? "  " : "", p->more->lag_pair);
	return 1;
}

/* The settings that the port has reported, one line each. */
static size_t say_settings(const struct view_ctx *ctx, const struct port *p, struct end_line *out)
{
	size_t n = 0;

	n += say_bundle(ctx, p, &out[n].line);
	n += settings_ecn_line(ctx, p, &out[n].line);
	n += settings_map_line(ctx, p, &out[n].line);
	n += settings_nic_line(p, &out[n].line);
	if (p->more->setup[0])
		panel_say(&out[n++].line, ROLE_NORMAL, "setup", "%s", p->more->setup);
	if (p->more->tenant[0])
		panel_say(&out[n++].line, ROLE_NORMAL, "tenant", "%s", p->more->tenant);
	if (p->more->scheduler[0])
		panel_say(&out[n++].line, ROLE_NORMAL, "scheduler", "%s%s", p->more->scheduler,
			shipped_scheduler(model_dev_of(ctx->model, p)->dialect, p->more->scheduler)
				? " (default)"
				: "");
	return n;
}

size_t port_end_lines(const struct view_ctx *ctx, const struct port *p, struct end_line *out)
{
	const struct device *d = model_dev_of(ctx->model, p);
	struct end_line *rx, *paused;
	char stand[STAND_TEXT];
	size_t n = 0;

	memset(out, 0, END_LINES * sizeof(*out));
	(void)device_stand(d, stand, sizeof(stand));
	panel_say(&out[n++].line, ROLE_TITLE, "", "%s:%s  %s%s%s %s%s", d->name, p->name,
		model_tier_word(ctx->model, d->tier), stand[0] ? " " : "", stand,
		dev_state_words(d->state),
		d->engine      ? " engine"
		: d->engine_us ? " direct"
			       : "");
	say_state(ctx, p, &out[n++].line);
	if (link_strip_due(ctx, p)) {
		out[n].strip = p;
		panel_say(&out[n++].line, ROLE_NORMAL, "", "up, down in 1 h");
	}
	say_speed(p, &out[n++].line);
	say_rate(ctx, p, DIR_RX, rx = &out[n++]);
	say_rate(ctx, p, DIR_TX, &out[n++]);
	paused = &out[n];
	n += say_holds(ctx, p, paused);
	if (d->tier != TIER_HOST)
		n += order_line(order_of_port(ctx->model, p), &out[n].line);
	say_errors(ctx, p, &out[n++].line);
	n += say_past(ctx, p, rx, paused, &out[n]);
	say_optics(p, &out[n++].line);
	if (is_roce(p))
		say_masks(ctx, p, &out[n++].line);
	n += say_settings(ctx, p, &out[n]);
	n += settings_fec_line(ctx, p, &out[n].line);
	say_module(p, &out[n++].line);
	n += settings_limits_line(p, &out[n].line);
	return n;
}

/* Draws the newest polls as a ring, so that only the newest column changes. */
static bool spark_polls(
	const struct term *t, const struct end_line *l, int width, char *dst, size_t size)
{
	struct history h;

	if (!port_history(l->chart, l->counter, l->sub, &h))
		return false;
	spark_text(t, h.at, HISTORY_LEN, h.next, h.used, l->top, width, dst, size);
	return true;
}

/*
 * Draws the whole history; columns are at whole multiples of their width, so that they do not
 * crawl.
 */
static bool spark_hour(const struct view_ctx *ctx, const struct term *t, const struct end_line *l,
	int width, char *dst, size_t size)
{
	struct history_column columns[HISTORY_LEN - 1];
	unsigned n = (unsigned)width - 1;
	int64_t each = HISTORY_WHOLE_US / n, end = (ctx->now_us / each + 1) * each;
	float most[HISTORY_LEN];

	if (!history_columns(l->chart, l->counter, l->sub, end, each, columns, n))
		return false;
	for (unsigned i = 0; i < n; i++)
		most[i] = columns[i].most;
	most[n] = NAN;
	spark_text(t, most, n + 1, n, n, l->top, (int)n + 1, dst, size);
	return true;
}

/* The full height of a history, and where there is room how long its columns reach back. */
static int scale_text(
	const struct view_ctx *ctx, const struct end_line *l, int width, char *dst, size_t size)
{
	const struct device *d = model_dev_of(ctx->model, l->chart);
	bool paused = l->counter != CTR_RX_BYTES && l->counter != CTR_TX_BYTES;
	int64_t span = l->hour ? HISTORY_WHOLE_US : d->interval_us * (width - SCALE_ROOM);
	char top[24], age[24];

	dst[0] = '\0';
	if (width < SCALE_LEAST || !(l->top > 0))
		return 0;
	if (paused)
		(void)str_copy(top, sizeof(top), "100%");
	else
		(void)str_copy(top, sizeof(top), str_si(l->top * 8, age, sizeof(age)));
	if (width < SCALE_WIDE || span <= 0)
		(void)str_printf(dst, size, "%s", top);
	else
		(void)str_printf(dst, size, "%s, %s", top, str_age(span, age, sizeof(age)));
	return text_width(dst) + 1;
}

/*
 * Ends a text that is too wide between two of its facts, which stand two blanks apart: half a
 * number is another number. A single long fact is cut.
 */
static void fit_facts(const struct term *t, char *text, int width)
{
	while (draw_width(t, text) > width) {
		char *last = NULL;

		for (char *at = text; (at = strstr(at, "  ")); at += 2)
			last = at;
		if (!last || last == text)
			return;
		*last = '\0';
	}
}

/* For a line without a head the role applies to the text. */
static void draw_end_line(
	const struct view_ctx *ctx, struct region r, int y, const struct end_line *l)
{
	char spark[HISTORY_LEN * 4 + 1], text[sizeof(l->line.text)];
	int x = 0, width = r.w - SPARK_TEXT_COLUMN - 1, used;

	(void)str_copy(text, sizeof(text), l->line.text);

	if (l->line.head[0]) {
		x = draw_text(r, y, 0, l->line.role, l->line.head, -1) + 1;
		fit_facts(r.term, text, r.w - x);
		(void)draw_brief(r, y, x, ROLE_NORMAL, text);
	} else {
		fit_facts(r.term, text, r.w);
		(void)draw_brief(r, y, x, l->line.role, text);
	}
	if (width >= 4 && l->strip) {
		link_strip_text(ctx, l->strip, width, spark, sizeof(spark));
		(void)draw_text(r, y, SPARK_TEXT_COLUMN, ROLE_ACCENT, spark, width);
	}
	if (!l->chart || width < 4)
		return;
	if (width > HISTORY_LEN)
		width = HISTORY_LEN;
	used = scale_text(ctx, l, width, text, sizeof(text));
	width -= used;
	if (used)
		(void)draw_text(r, y, SPARK_TEXT_COLUMN + width + 1, ROLE_DIM, text, -1);
	if (l->hour ? spark_hour(ctx, r.term, l, width, spark, sizeof(spark))
		    : spark_polls(r.term, l, width, spark, sizeof(spark)))
		(void)draw_text(r, y, SPARK_TEXT_COLUMN, ROLE_ACCENT, spark, width);
}

static int draw_end(const struct view_ctx *ctx, struct region r, const struct port *p)
{
	struct end_line lines[END_LINES];
	size_t n = port_end_lines(ctx, p, lines);
	int y = 0;

	for (; y < r.h && (size_t)y < n; y++)
		draw_end_line(ctx, r, y, &lines[y]);
	return y;
}

int port_panel(const struct view_ctx *ctx, struct region r)
{
	const struct port *p = view_port_of(ctx, ctx->scope), *peer;
	struct panel_line neighbour, finding;
	int y, half = r.w / 2, here, there = 0;

	if (!p)
		return 0;
	r.h = panel_height(r.h);
	peer = port_peer(ctx->model, p, NULL);
	port_neighbour_line(ctx, p, &neighbour);
	y = panel_draw(r, &neighbour, 1);
	if (finding_at_line(ctx, ref_of_port(p), &finding))
		y += panel_draw(region_sub(r, y, 0, r.h - y, r.w), &finding, 1);
	if (!peer)
		return y + draw_end(ctx, region_sub(r, y, 0, r.h - y, r.w), p);
	if (r.w < SIDE_BY_SIDE) {
		/* Each end gets half of the lines, so that both are visible. */
		here = draw_end(ctx, region_sub(r, y, 0, (r.h - y + 1) / 2, r.w), p);
		there = draw_end(ctx, region_sub(r, y + here, 0, r.h - y - here, r.w), peer);
		return y + here + there;
	}
	here = draw_end(ctx, region_sub(r, y, 0, r.h - y, half - 1), p);
	there = draw_end(ctx, region_sub(r, y, half + 1, r.h - y, r.w - half - 1), peer);
	draw_vline(region_sub(r, y, 0, here > there ? here : there, r.w), half - 1, ROLE_DIM);
	return y + (here > there ? here : there);
}
