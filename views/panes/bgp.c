/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/panels/panel.h"
#include "views/summary.h"

enum bgp_column {
	SESSION_DEVICE,
	SESSION_PEER,
	SESSION_HOST,
	SESSION_VRF,
	SESSION_AFI,
	SESSION_STATE,
	SESSION_SINCE,
	SESSION_PREFIXES,
	SESSION_DOWNS,
	SESSION_DROPS,
	SESSION_AS,
	SESSION_LAST_DOWN,
	SESSION_DATA,
	SESSION_COLUMNS
};

static const struct table_column columns[SESSION_COLUMNS] = {
	[SESSION_DEVICE] = {"device", "device", 13, 0, 0, false, "Device that has the session"},
	[SESSION_PEER] = {"peer", "peer", 15, 1, 0, false,
		"Address of the neighbour, or the port of an unnumbered session"},
	[SESSION_HOST] = {"host", "host", 13, 1, 0, false,
		"Name that the neighbour announced, else the name of the link partner"},
	[SESSION_VRF] = {"vrf", "vrf", 8, 0, 2, false, "Routing instance"},
	[SESSION_AFI] = {"afi", "afi", 5, 0, 2, false, "Address family: ipv4, ipv6, evpn"},
	[SESSION_STATE] = {"state", "state", 12, 0, 0, false,
		"established; admin-down: shut on purpose; gone: the device does not list it any "
		"more; a filter compares the number: 0 established, 1 shut, 2 neither"},
	[SESSION_SINCE] = {"since", "since", 6, 0, 0, true,
		"Time since it went up or down, as reported by the device"},
	[SESSION_PREFIXES] = {"prefixes", "prefix", 7, 0, 2, true,
		"Prefixes accepted from the peer"},
	[SESSION_DOWNS] = {"downs", "downs", 6, 0, 1, true,
		"Times that it went down since railtop started, also between two polls"},
	[SESSION_DROPS] = {"drops", "drops", 6, 0, 2, true,
		"Times that it went down since the BGP process of the device started"},
	[SESSION_AS] = {"as", "as", 10, 0, 3, true, "Autonomous system of the neighbour"},
	[SESSION_LAST_DOWN] = {"last_down", "last down", 9, 0, 3, true,
		"Age of the last time that it went down, in steps"},
	[SESSION_DATA] = {"data", "data", 7, 0, 3, false,
		"State of the session list; its age where the list is old"},
};

static void push_sessions(const struct device *d, row_vec *out)
{
	for (size_t i = 0; i < d->bgp.n; i++)
		vec_push(out, (struct ref){.kind = REF_BGP,
				      .device = d->id,
				      .cell = (uint16_t)i,
				      .seq = bgp_session_key(&d->bgp.at[i])});
}

static void bgp_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	for (size_t i = 0; !d && i < ctx->model->devices.n; i++)
		push_sessions(ctx->model->devices.at[i], out);
	if (d)
		push_sessions(d, out);
}

static const struct device *row_device(const struct view_ctx *ctx, struct ref row)
{
	return row.kind == REF_BGP ? ref_device(ctx->model, row) : NULL;
}

/* A session moves within the list when others are added; the row has its old position. */
static const struct bgp_session *row_session(const struct view_ctx *ctx, struct ref row)
{
	const struct device *d = row_device(ctx, row);

	if (!d)
		return NULL;
	if (row.cell < d->bgp.n && bgp_session_key(&d->bgp.at[row.cell]) == row.seq)
		return &d->bgp.at[row.cell];
	for (size_t i = 0; i < d->bgp.n; i++)
		if (bgp_session_key(&d->bgp.at[i]) == row.seq)
			return &d->bgp.at[i];
	return NULL;
}

/* The age at which a counter is shown as old: two slow polls and a reserve. */
#define LIST_OLD_US (660 * CLOCK_SEC)

bool bgp_is_old(const struct view_ctx *ctx, const struct device *d)
{
	return d->state >= DEV_STALE || ctx->now_us - d->bgp_us > LIST_OLD_US;
}

static void cell_data(const struct view_ctx *ctx, const struct device *d, struct view_cell *out)
{
	enum dev_state state = d->state >= DEV_STALE ? d->state : DEV_STALE;

	if (bgp_is_old(ctx, d))
		cell_text(out, role_of_device_state(state), "old %s",
			age_step(ctx->now_us, d->bgp_us));
	else
		cell_text(out, role_of_device_state(d->state), "%s", dev_state_name(d->state));
}

static void cell_word(struct view_cell *out, const char *text)
{
	if (text[0])
		cell_text(out, ROLE_NORMAL, "%s", text);
}

static void cell_host(const struct view_ctx *ctx, const struct device *d,
	const struct bgp_session *s, struct view_cell *out)
{
	const struct port *p = model_port(ctx->model, d, s->peer);
	const struct port *peer = p ? port_peer(ctx->model, p, NULL) : NULL;

	cell_word(out, s->host[0] ? s->host : peer ? model_dev_of(ctx->model, peer)->name : "");
}

/* Sets the number so that descending order puts bad sessions first. */
static void cell_state(const struct bgp_session *s, struct view_cell *out)
{
	bool ok = bgp_session_ok(s), shut = s->state == BGP_ADMIN_DOWN;

	cell_text(out,
		shut ? ROLE_DIM
		: ok ? ROLE_OK
		     : ROLE_CRIT,
		"%s%s", s->gone ? "gone" : bgp_state_name((enum bgp_state)s->state), ok ? "" : "!");
	if (s->state == BGP_UNKNOWN && !s->gone)
		cell_unknown(out, VALID_UNKNOWN);
	out->number = s->state == BGP_UNKNOWN && !s->gone ? NAN : shut ? 1 : ok ? 0 : 2;
	out->has_number = true;
}

static void cell_since_when(
	const struct view_ctx *ctx, const struct bgp_session *s, struct view_cell *out)
{
	int64_t age = ctx->now_us - s->since_us;
	char text[16];

	if (s->since_us <= 0)
		return;
	/* Shows minutes at least: seconds in every row would change each frame. */
	if (age < 60 * CLOCK_SEC)
		(void)str_copy(text, sizeof(text), "<1m");
	else
		(void)str_age(age, text, sizeof(text));
	cell_text(out, ROLE_NORMAL, "%s", text);
	out->number = (double)age / (double)CLOCK_SEC;
	out->has_number = true;
}

static void cell_count(uint64_t n, bool bad, struct view_cell *out)
{
	if (n == UINT64_MAX)
		return;
	if (bad)
		cell_count_bad(out, (double)n);
	else
		cell_rate(out, (double)n);
}

static void bgp_measured(
	const struct view_ctx *ctx, const struct bgp_session *s, size_t col, struct view_cell *out)
{
	switch (col) {
	case SESSION_SINCE:
		cell_since_when(ctx, s, out);
		break;
	case SESSION_PREFIXES:
		cell_count(s->prefixes, false, out);
		break;
	case SESSION_DOWNS:
		cell_count(s->downs, true, out);
		break;
	case SESSION_DROPS:
		cell_count(s->drops, false, out);
		break;
	case SESSION_LAST_DOWN:
		if (s->last_down_us) {
			cell_text(out, ROLE_WARN, "%s", age_step(ctx->now_us, s->last_down_us));
			out->number = (double)(ctx->now_us - s->last_down_us) / (double)CLOCK_SEC;
			out->has_number = true;
		}
		break;
	default:
		break;
	}
}

static void bgp_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct device *d = row_device(ctx, row);
	const struct bgp_session *s = row_session(ctx, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (!d || !s)
		return;
	switch (col) {
	case SESSION_DEVICE:
		cell_word(out, d->name);
		break;
	case SESSION_PEER:
		cell_word(out, s->peer);
		break;
	case SESSION_HOST:
		cell_host(ctx, d, s, out);
		break;
	case SESSION_VRF:
		cell_word(out, s->vrf);
		break;
	case SESSION_AFI:
		cell_word(out, bgp_afi_name((enum bgp_afi)s->afi));
		break;
	case SESSION_STATE:
		cell_state(s, out);
		break;
	case SESSION_AS:
		if (s->remote_as) {
			cell_text(out, ROLE_NORMAL, "%u", s->remote_as);
			out->number = s->remote_as;
			out->has_number = true;
		}
		break;
	case SESSION_DATA:
		cell_data(ctx, d, out);
		break;
	default:
		bgp_measured(ctx, s, col, out);
		break;
	}
	if ((col == SESSION_STATE || col == SESSION_PREFIXES || col == SESSION_DROPS) &&
		bgp_is_old(ctx, d))
		cell_mark_old(out);
}

/* Enter opens the port of an unnumbered session, else the session's device. */
static bool bgp_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct device *d = row_device(ctx, row);
	const struct bgp_session *s = row_session(ctx, row);
	const struct port *p;

	if (!d || !s)
		return false;
	p = model_port(ctx->model, d, s->peer);
	*view = p ? "port" : "device";
	*scope = p ? ref_of_port(p) : ref_of_device(d);
	return true;
}

/* Ages change in steps of a minute. */
static uint64_t bgp_stamp(const struct view_ctx *ctx, struct ref row)
{
	const struct device *d = row_device(ctx, row);

	if (!ctx->cache || !d)
		return 0;
	return (summary_version(ctx, d) * UINT64_C(0x9e3779b97f4a7c15) ^
		       (uint64_t)(ctx->now_us / (10 * CLOCK_SEC))) |
	       1;
}

static void add_sessions(const struct device *d, struct bgp_count *n, unsigned *shut)
{
	struct bgp_count one = device_bgp(d);

	n->ok += one.ok;
	n->all += one.all;
	for (size_t i = 0; i < d->bgp.n; i++)
		*shut += d->bgp.at[i].state == BGP_ADMIN_DOWN;
}

static int bgp_panel(const struct view_ctx *ctx, struct region r)
{
	const struct device *d = view_device_of(ctx, ctx->scope);
	struct bgp_count n = {0};
	unsigned shut = 0, speakers = 0, bad = 0, old = 0;
	char late[48] = "";
	struct panel_line line;

	for (size_t i = 0; i < ctx->model->devices.n; i++) {
		const struct device *one = ctx->model->devices.at[i];

		if (d && one != d)
			continue;
		add_sessions(one, &n, &shut);
		speakers += one->bgp.n > 0;
		bad += device_bgp(one).ok < one->bgp.n;
		old += one->bgp.n && bgp_is_old(ctx, one);
	}
	if (!n.all)
		return 0;
	if (old)
		(void)str_printf(
			late, sizeof(late), "; %u device%s not current", old, str_plural(old));
	if (n.ok == n.all) /* of these, some are shut on purpose */
		panel_say(&line, old ? ROLE_WARN : ROLE_OK, old ? "WARN" : "OK",
			"%u of %u established on %u device%s, %u shut on purpose%s", n.all - shut,
			n.all, speakers, str_plural(speakers), shut, late);
	else
		panel_say(&line, ROLE_CRIT, "CRIT",
			"%u of %u not established on %u device%s, %u shut on purpose%s",
			n.all - n.ok, n.all, bad, str_plural(bad), shut, late);
	return panel_draw(r, &line, 1);
}

static const char *bgp_empty(const struct view_ctx *ctx)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	if (d && !d->bgp_us)
		return "the device has reported no BGP session; its device view shows if it "
		       "supports that";
	return "no device has reported a BGP session yet";
}

const struct view_ops view_bgp = {
	.name = "bgp",
	.title = "BGP",
	.help = "Every BGP session of the fabric, or of one device. Sessions that are not "
		"established come first. downs counts the times that railtop saw, drops the times "
		"that the device counted. Enter leads to the port of an unnumbered session, else "
		"to the device.",
	.scope = REF_NONE,
	.narrows = REF_DEVICE,
	.columns = columns,
	.ncolumns = SESSION_COLUMNS,
	.sort = "-state",
	.rows = bgp_rows,
	.cell = bgp_cell,
	.stamp = bgp_stamp,
	.enter = bgp_enter,
	.panel = bgp_panel,
	.empty = bgp_empty,
};
