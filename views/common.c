/* SPDX-License-Identifier: Apache-2.0 */
#include "views/common.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

struct device *view_device_of(const struct view_ctx *ctx, struct ref r)
{
	return r.kind == REF_DEVICE ? ref_device(ctx->model, r) : NULL;
}

struct port *view_port_of(const struct view_ctx *ctx, struct ref r)
{
	return ref_port(ctx->model, r);
}

struct ref ref_of_rail(int rail)
{
	return (struct ref){.kind = REF_RAIL, .rail = rail};
}

struct ref ref_of_device(const struct device *d)
{
	return (struct ref){.kind = REF_DEVICE, .device = d->id};
}

struct ref ref_of_port(const struct port *p)
{
	return (struct ref){.kind = REF_PORT, .port = p->id};
}

struct ref ref_of_priority(const struct port *p, unsigned priority)
{
	return (struct ref){
		.kind = REF_PRIORITY, .port = p->id, .priority = (uint8_t)(priority % PRIORITIES)};
}

int view_rails(const struct model *m)
{
	int rails = m->rails > VIEW_RAILS_MAX ? VIEW_RAILS_MAX : (int)m->rails;

	if (rails)
		return rails;
	for (size_t i = 0; i < m->devices.n; i++) {
		int rail = m->devices.at[i]->rail;

		if (rail >= rails && rail < VIEW_RAILS_MAX)
			rails = rail + 1;
	}
	return rails;
}

bool device_serves_rail(const struct model *m, const struct device *d, int rail)
{
	if (d->tier == TIER_HOST)
		return false;
	if (d->rail >= 0 || d->tier == TIER_LEAF)
		return d->rail == rail;
	if (d->tier != TIER_SPINE)
		return false;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];
		const struct port *peer = port_peer(m, p, NULL);

		if (p->rail == rail || (peer && model_dev_of(m, peer)->rail == rail))
			return true;
	}
	return false;
}

bool device_is_old(const struct device *d)
{
	return d->state >= DEV_STALE || device_blind(d);
}

char *port_locator(const struct model *m, const struct port *p, char *dst, size_t size)
{
	(void)str_printf(dst, size, "%s:%s", model_dev_of(m, p)->name, p->name);
	return dst;
}

/* The other ends of a bond's slaves, each once. */
static void bond_peers(const struct model *m, const struct port *bond, char *dst, size_t size)
{
	char one[2 * NAME_MAX_LEN];
	const struct port *p;
	size_t n = 0;

	*dst = '\0';
	for (size_t i = 0; (p = port_slave(m, bond, i)); i++) {
		(void)peer_locator(m, p, one, sizeof(one));
		if (*one && !strstr(dst, one) && n + strlen(one) + 2 < size) {
			(void)str_printf(dst + n, size - n, "%s%s", n ? " " : "", one);
			n = strlen(dst);
		}
	}
}

char *peer_locator(const struct model *m, const struct port *p, char *dst, size_t size)
{
	const struct port *peer = port_peer(m, p, NULL);

	if (port_is_bond(p)) {
		bond_peers(m, p, dst, size);
		return dst;
	}
	if (peer)
		return port_locator(m, peer, dst, size);
	if (p->lldp_device[0])
		(void)str_printf(dst, size, "%s:%s", p->lldp_device, p->lldp_port);
	else
		(void)str_copy(dst, size, "");
	return dst;
}

const char *age_step(int64_t now_us, int64_t then_us)
{
	static const struct {
		int64_t below_s;
		const char *text;
	} steps[] = {{10, "<10s"}, {60, "<1m"}, {600, "<10m"}, {3600, "<1h"}, {86400, "<1d"}};
	int64_t age_s = (now_us - then_us) / CLOCK_SEC;

	if (then_us <= 0)
		return "-";
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (age_s < steps[i].below_s)
			return steps[i].text;
	return ">1d";
}

char *percent_text(double percent, char *dst, size_t size)
{
	if (isnan(percent))
		(void)str_copy(dst, size, "-");
	else if (percent < 0.05)
		(void)str_copy(dst, size, percent > 0 ? "<.1%" : "0%");
	else if (percent < 9.95)
		(void)str_printf(dst, size, "%.1f%%", percent);
	else
		(void)str_printf(dst, size, "%.0f%%", percent);
	return dst;
}

const char *severity_letter(enum severity s)
{
	static const char *const letters[SEV_COUNT] = {
		[SEV_UNKNOWN] = "?", [SEV_OK] = "", [SEV_WARN] = "W", [SEV_CRIT] = "C"};

	return s < SEV_COUNT ? letters[s] : "?";
}

const char *severity_word(enum severity s)
{
	static const char *const words[SEV_COUNT] = {
		[SEV_UNKNOWN] = "?", [SEV_OK] = "OK", [SEV_WARN] = "WARN", [SEV_CRIT] = "CRIT"};

	return s < SEV_COUNT ? words[s] : "?";
}

const char *watchdog_word(enum wd_state s)
{
	static const char *const words[] = {[WD_UNKNOWN] = "-",
		[WD_OFF] = "off",
		[WD_OPERATIONAL] = "ok",
		[WD_STORMED] = "STORM"};

	return (size_t)s < sizeof(words) / sizeof(words[0]) ? words[s] : "-";
}

enum role watchdog_role(enum wd_state s)
{
	switch (s) {
	case WD_STORMED:
		return ROLE_CRIT;
	case WD_OPERATIONAL:
		return ROLE_OK;
	case WD_OFF:
		return ROLE_DIM;
	case WD_UNKNOWN:
		break;
	}
	return ROLE_UNKNOWN;
}

enum wd_state watchdog_worst(const struct port *p, uint8_t mask)
{
	static const uint8_t order[] = {
		[WD_UNKNOWN] = 0, [WD_OPERATIONAL] = 1, [WD_OFF] = 2, [WD_STORMED] = 3};
	enum wd_state worst = WD_UNKNOWN;

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		unsigned s = p->wd[prio].state;

		if (mask >> prio & 1 && s <= WD_STORMED && order[s] > order[worst])
			worst = (enum wd_state)s;
	}
	return worst;
}

enum role role_of_device_state(enum dev_state s)
{
	static const enum role roles[DEV_STATE_COUNT] = {[DEV_PENDING] = ROLE_UNKNOWN,
		[DEV_FRESH] = ROLE_OK,
		[DEV_LATE] = ROLE_NORMAL,
		[DEV_STALE] = ROLE_WARN,
		[DEV_UNREACHABLE] = ROLE_CRIT,
		[DEV_UNAUTHORISED] = ROLE_CRIT,
		[DEV_NOT_UNDERSTOOD] = ROLE_CRIT};

	return s < DEV_STATE_COUNT ? roles[s] : ROLE_UNKNOWN;
}

void cell_counter(const struct view_ctx *ctx, struct view_cell *c, const struct port *p,
	counter_id id, unsigned sub)
{
	const struct cell *cell = port_cell(p, id, sub);
	enum validity valid = port_cell_valid(ctx->model, p, id, sub);
	double v = NAN;

	if (cell && (valid == VALID_OK || valid == VALID_STALE)) {
		if (counter_info[id].kind == KIND_COUNT)
			v = port_rate(p, id, sub);
		else if (counter_info[id].kind == KIND_GAUGE)
			v = cell->real;
		else
			v = (double)cell->u64;
	}
	if (isnan(v))
		cell_unknown(c, valid);
	else if (counter_info[id].trend == TREND_BAD && counter_info[id].kind == KIND_COUNT)
		cell_count_bad(c, v);
	else
		cell_rate(c, v);
	if (valid == VALID_STALE)
		cell_mark_old(c);
}

void cell_mark_old(struct view_cell *c)
{
	size_t len = strlen(c->text);

	if (!c->has_number || isnan(c->number) || c->text[0] == '~' || len + 2 > sizeof(c->text))
		return;
	memmove(c->text + 1, c->text, len + 1);
	c->text[0] = '~';
	c->role = ROLE_DIM;
}

static const struct clock_zone *view_zone(const struct view_ctx *ctx)
{
	return ctx->units ? &ctx->units->zone : NULL;
}

char *view_hms(const struct view_ctx *ctx, int64_t us, char *dst, size_t size)
{
	return clock_format_hms(
		clock_zone_shown(view_zone(ctx), model_wall(ctx->model, us)), dst, size);
}

static void moment_text(const struct view_ctx *ctx, int64_t wall_us, char *dst, size_t size)
{
	const struct clock_zone *zone = view_zone(ctx);
	char suffix[8];

	(void)str_copy(dst, size, "?");
	if (wall_us <= 0)
		return;
	(void)clock_format_utc(clock_zone_shown(zone, wall_us), dst, size);
	dst[strcspn(dst, "Z")] = '\0';
	(void)str_printf(dst + strlen(dst), size - strlen(dst), "%s",
		clock_zone_suffix(zone, wall_us, suffix, sizeof(suffix)));
}

void differences_span(
	const struct view_ctx *ctx, char *from, size_t from_size, char *to, size_t to_size)
{
	const struct differences *d = ctx->differences;
	size_t date;

	moment_text(ctx, d ? d->from_us : 0, from, from_size);
	moment_text(ctx, d ? d->to_us : 0, to, to_size);
	/* Moments of one day are shown without the date: a narrow title has no room for it. */
	date = strcspn(from, "T") + 1;
	if (strncmp(from, to, date) != 0 || date >= strlen(from))
		return;
	memmove(from, from + date, strlen(from + date) + 1);
	memmove(to, to + date, strlen(to + date) + 1);
}

char *view_day(const struct view_ctx *ctx, int64_t us, char *dst, size_t size)
{
	char date[32];

	(void)clock_format_utc(
		clock_zone_shown(view_zone(ctx), model_wall(ctx->model, us)), date, sizeof(date));
	(void)str_printf(dst, size, "%.5s", date + 5);
	return dst;
}

bool view_in_bytes(const struct view_ctx *ctx)
{
	return ctx->units && ctx->units->bytes;
}

char *view_bitrate(const struct view_ctx *ctx, double bps, char *dst, size_t size)
{
	size_t n;

	if (!view_in_bytes(ctx))
		return str_bitrate(bps, dst, size);
	n = strlen(str_bitrate(bps / 8, dst, size));
	/* "12.4 Gb/s" of an eighth of the bits. */
	if (n > 3 && str_eq(dst + n - 3, "b/s"))
		dst[n - 3] = 'B';
	return dst;
}

static void clock_cell(
	const struct clock_zone *zone, int64_t now_us, int64_t us, struct view_cell *out)
{
	int64_t shown = clock_zone_shown(zone, us);
	char text[32];

	cell_unknown(out, VALID_UNKNOWN);
	if (us <= 0)
		return;
	if (now_us - us > INT64_C(12) * 3600 * CLOCK_SEC) {
		(void)clock_format_utc(shown, text, sizeof(text));
		text[10] = '\0';
	} else {
		(void)clock_format_hms(shown, text, sizeof(text));
	}
	cell_text(out, ROLE_NORMAL, "%s", text);
	out->number = (double)us / (double)CLOCK_SEC;
	out->has_number = true;
}

void cell_clock(const struct view_ctx *ctx, int64_t wall_us, struct view_cell *out)
{
	clock_cell(view_zone(ctx), model_wall(ctx->model, ctx->now_us), wall_us, out);
}

/* Sorts by session time: an hour that was there twice keeps its order. */
void cell_moment(const struct view_ctx *ctx, int64_t us, struct view_cell *out)
{
	cell_clock(ctx, model_wall(ctx->model, us), out);
	if (us > 0)
		out->number = (double)us / (double)CLOCK_SEC;
}

uint64_t stamp_of_parts(const uint64_t *parts, size_t n)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
	return hash | 1;
}
