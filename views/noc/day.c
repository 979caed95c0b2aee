/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tui/text.h"
#include "views/common.h"
#include "views/noc/noc_private.h"

/* The page of the last 24 hours, and its summary on the first page. */

#define DAY_PORTS 8
#define LABEL     18

static bool knows_a_day(const struct wall *w, int64_t since_us)
{
	return w->n->data_us - since_us >= (int64_t)24 * 3600 * CLOCK_SEC - TALLY_BUCKET_US;
}

/* Writes "since 02:10", or "" when the data covers all of the 24 hours. */
static void since_text(const struct wall *w, int64_t since_us, char *dst, size_t size)
{
	char when[16];

	dst[0] = '\0';
	if (since_us && !knows_a_day(w, since_us))
		(void)str_printf(
			dst, size, "  (since %s)", noc_hhmm(w->n, since_us, when, sizeof(when)));
}

static int draw_line(struct region r, int y, enum role role, const char *label, const char *text)
{
	if (y >= r.h)
		return y;
	(void)draw_text(r, y, 0, ROLE_HEADER, label, LABEL - 1);
	(void)draw_text(r, y, LABEL, role, text, -1);
	return y + 1;
}

static void worst_text(
	const struct wall *w, const struct daily_worst *worst, char *dst, size_t size)
{
	const struct model *m = w->n->model;
	const struct port *p = m->ports.at[worst->port], *peer = port_peer(m, p, NULL);
	char at[2 * NAME_MAX_LEN], far[2 * NAME_MAX_LEN] = "", when[16];

	if (peer)
		(void)port_locator(m, peer, far, sizeof(far));
	(void)str_printf(dst, size, "%llu, last %s  %s%s%s", (unsigned long long)worst->n,
		noc_hhmm(w->n, worst->last_us, when, sizeof(when)),
		port_locator(m, p, at, sizeof(at)), far[0] ? " <-> " : "", far);
}

/* Draws the ports with the largest counts, largest first. */
static int draw_worst(const struct wall *w, struct region r, int y, enum tally_kind kind, int most)
{
	struct daily_worst worst[DAY_PORTS];
	char text[400];
	bool more;
	size_t n = daily_counts_worst(w->n->model, kind, w->n->data_us, worst,
		most < DAY_PORTS ? (size_t)most : DAY_PORTS, &more);

	for (size_t i = 0; i < n && y < r.h; i++) {
		worst_text(w, &worst[i], text, sizeof(text));
		(void)draw_text(r, y++, LABEL, ROLE_DIM, text, -1);
	}
	return y;
}

/* Without data from devices no count is green. */
static enum role role_of_count(const struct wall *w, uint64_t n)
{
	return n ? ROLE_WARN : w->f->word == NOC_BLIND ? ROLE_NORMAL : ROLE_OK;
}

static int draw_watchdog(const struct wall *w, struct region r, int y)
{
	int64_t since, ended_since;
	const struct model *m = w->n->model;
	uint64_t found = daily_counts_sum(m, TALLY_WD_DETECTED, w->n->data_us, 24, &since);
	uint64_t ended = daily_counts_sum(m, TALLY_WD_RESTORED, w->n->data_us, 24, &ended_since);
	char text[160], from[40], restored[40] = "";

	if (!since)
		return draw_line(r, y, ROLE_UNKNOWN, "24 h watchdog", "-");
	since_text(w, since, from, sizeof(from));
	/* Some devices count only detected storms: the number of restored ones is unknown then. */
	if (ended_since)
		(void)str_printf(
			restored, sizeof(restored), ", %llu restored", (unsigned long long)ended);
	(void)str_printf(
		text, sizeof(text), "%llu detected%s%s", (unsigned long long)found, restored, from);
	return draw_line(r, y, role_of_count(w, found), "24 h watchdog", text);
}

static int draw_flaps(const struct wall *w, struct region r, int y)
{
	struct daily_worst worst[TALLY_PORTS];
	uint64_t flaps = 0;
	int64_t since;
	char text[160], from[40];
	bool more;
	size_t n;

	(void)daily_counts_sum(w->n->model, TALLY_FLAPS, w->n->data_us, 24, &since);
	if (!since)
		return draw_line(r, y, ROLE_UNKNOWN, "24 h flapping", "-");
	n = daily_counts_worst(w->n->model, TALLY_FLAPS, w->n->data_us, worst, TALLY_PORTS, &more);
	for (size_t i = 0; i < n; i++)
		flaps += worst[i].n;
	since_text(w, since, from, sizeof(from));
	(void)str_printf(text, sizeof(text), "%zu link%s%s, %llu time%s%s", n, str_plural(n),
		more ? " and more" : "", (unsigned long long)flaps, str_plural(flaps), from);
	return draw_line(r, y, role_of_count(w, n), "24 h flapping", text);
}

static int draw_drops(const struct wall *w, struct region r, int y)
{
	int64_t since;
	uint64_t n = daily_counts_sum(w->n->model, TALLY_LOSSLESS_DROPS, w->n->data_us, 24, &since);
	char text[160], from[40], si[16];

	if (!since)
		return draw_line(r, y, ROLE_UNKNOWN, "24 h drops", "-");
	since_text(w, since, from, sizeof(from));
	(void)str_printf(text, sizeof(text), "%s packet%s%s", str_si((double)n, si, sizeof(si)),
		str_plural(n), from);
	return draw_line(r, y, role_of_count(w, n), "24 h drops", text);
}

static int draw_sessions(const struct wall *w, struct region r, int y)
{
	int64_t since;
	uint64_t downs = daily_counts_sum(w->n->model, TALLY_BGP_DOWNS, w->n->data_us, 24, &since);
	char text[160], from[40];

	if (!w->f->bgp_known || w->f->word == NOC_BLIND)
		return draw_line(r, y, ROLE_UNKNOWN, "BGP established", "-");
	since_text(w, since, from, sizeof(from));
	(void)str_printf(text, sizeof(text), "%u of %u", w->f->bgp_ok, w->f->bgp_all);
	if (since)
		(void)str_printf(text + strlen(text), sizeof(text) - strlen(text),
			", went down %llu time%s%s", (unsigned long long)downs, str_plural(downs),
			from);
	return draw_line(r, y, w->f->bgp_ok < w->f->bgp_all ? ROLE_WARN : role_of_count(w, downs),
		"BGP established", text);
}

/* ---- silent devices ---- */

static bool longer_dark(const struct device *a, const struct device *b)
{
	return a->last_ok_us != b->last_ok_us ? a->last_ok_us < b->last_ok_us : a->id < b->id;
}

/* Lists the silent devices, longest first; returns their number. */
static size_t dark_devices(const struct model *m, const struct device **out, size_t max)
{
	size_t n = 0, all = 0;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		size_t at;

		if (!device_is_old(d))
			continue;
		all++;
		for (at = n; at > 0 && longer_dark(d, out[at - 1]); at--)
			if (at < max)
				out[at] = out[at - 1];
		if (at < max)
			out[at] = d;
		n = n < max ? n + 1 : max;
	}
	return all;
}

static void dark_text(const struct wall *w, const struct device *d, char *dst, size_t size)
{
	char since[16];

	if (d->last_ok_us > 0)
		(void)str_printf(dst, size, "%s %s, %s", d->name,
			noc_since(w->n, d->last_ok_us, since, sizeof(since)),
			device_blind(d) ? "no counters" : dev_state_words(d->state));
	else if (d->state == DEV_NOT_UNDERSTOOD)
		(void)str_printf(dst, size, "%s not understood", d->name);
	else
		(void)str_printf(dst, size, "%s never answered", d->name);
}

static int draw_dark(const struct wall *w, struct region r, int y, size_t most)
{
	const struct device *dark[DAY_PORTS];
	size_t max = most < DAY_PORTS ? most : DAY_PORTS, n;
	char text[200], one[120];

	n = dark_devices(w->n->model, dark, max);
	if (w->f->silent)
		return draw_line(r, y, ROLE_UNKNOWN, "unreachable", "all");
	if (!n)
		return draw_line(r, y, role_of_count(w, 0), "unreachable", "none");
	dark_text(w, dark[0], one, sizeof(one));
	(void)str_printf(text, sizeof(text), "%zu, longest %s", n, one);
	y = draw_line(r, y, ROLE_WARN, "unreachable", text);
	for (size_t i = 1; i < n && i < max && y < r.h; i++) {
		dark_text(w, dark[i], one, sizeof(one));
		(void)draw_text(r, y++, LABEL, ROLE_DIM, one, -1);
	}
	return y;
}

/* ---- the strips: an hour a cell ---- */

#define STRIPS      6 /* lines: an empty one, four strips, the hours */
#define STRIPS_FROM 18

/* The number if it fits, else "#": more than that. */
static void hour_text(uint64_t n, int width, char *dst, size_t size)
{
	if (n == TALLY_UNKNOWN)
		(void)str_copy(dst, size, "?");
	else if (!n)
		(void)str_copy(dst, size, ".");
	else if (str_printf(dst, size, "%llu", (unsigned long long)n), text_width(dst) > width)
		(void)str_copy(dst, size, "#");
}

static void draw_strip(const struct wall *w, struct region r, int y, const char *label,
	enum tally_kind kind, int each)
{
	uint64_t hours[TALLY_HOURS];

	daily_counts_hours(w->n->model, kind, w->n->data_us, hours);
	(void)draw_text(r, y, 0, ROLE_HEADER, label, LABEL - 1);
	for (int h = 0; h < TALLY_HOURS; h++) {
		bool quiet = !hours[h] || hours[h] == TALLY_UNKNOWN;
		char text[24];

		hour_text(hours[h], each > 1 ? each - 1 : 1, text, sizeof(text));
		draw_right(r, y, LABEL + h * each, each > 1 ? each - 1 : 1,
			quiet ? ROLE_DIM : ROLE_WARN, text);
	}
}

/* The beginning of each fourth hour, and the one under way. */
static void draw_hours(const struct wall *w, struct region r, int y, int each)
{
	int64_t hour_us = (int64_t)3600 * CLOCK_SEC, last = w->n->data_us / hour_us * hour_us;

	for (int h = 3; h < TALLY_HOURS; h += 4) {
		char when[16];

		(void)noc_hhmm(w->n, last - (TALLY_HOURS - 1 - h) * hour_us, when, sizeof(when));
		when[2] = '\0';
		draw_right(r, y, LABEL + h * each - 1, each > 1 ? each : 2, ROLE_DIM, when);
	}
}

static int draw_strips(const struct wall *w, struct region r, int y)
{
	static const struct {
		const char *label;
		enum tally_kind kind;
	} strips[] = {{"watchdog by hour", TALLY_WD_DETECTED}, {"flaps by hour", TALLY_FLAPS},
		{"drops by hour", TALLY_LOSSLESS_DROPS}, {"BGP downs by hour", TALLY_BGP_DOWNS}};
	int each = (r.w - LABEL) / TALLY_HOURS;

	if (r.h - y < STRIPS || each < 1)
		return y;
	each = each > 6 ? 6 : each;
	y++;
	for (size_t i = 0; i < sizeof(strips) / sizeof(strips[0]); i++)
		draw_strip(w, r, y++, strips[i].label, strips[i].kind, each);
	draw_hours(w, r, y++, each);
	return y;
}

int noc_draw_day(const struct wall *w, struct region r, bool ports)
{
	bool strips = ports && r.h >= STRIPS_FROM;
	/* Each list gets its share of the lines below the first five. */
	int list = ports ? (r.h - 7 - (strips ? STRIPS : 0)) / 4 : 0, y = 0;

	if (r.h < 1)
		return 0;
	if (!w->n->model)
		return 0;
	list = list < 0 ? 0 : list > DAY_PORTS ? DAY_PORTS : list;
	y = draw_watchdog(w, r, y);
	y = draw_worst(w, r, y, TALLY_WD_DETECTED, list);
	y = draw_flaps(w, r, y);
	y = draw_worst(w, r, y, TALLY_FLAPS, list);
	y = draw_drops(w, r, y);
	y = draw_worst(w, r, y, TALLY_LOSSLESS_DROPS, list);
	y = draw_sessions(w, r, y);
	y = draw_dark(w, r, y, list < 1 ? 1 : (size_t)list);
	return strips ? draw_strips(w, r, y) : y;
}
