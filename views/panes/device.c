/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/panels/need_groups.h"
#include "views/panels/order_meter.h"
#include "views/panels/panel.h"
#include "fabric/vocabulary/shipped.h"

enum caps_column { CAPS_GROUP, CAPS_NEED, CAPS_STATE, CAPS_CURE, CAPS_COLUMNS };

static const struct table_column columns[CAPS_COLUMNS] = {
	[CAPS_GROUP] = {"about", "about", 8, 0, 1, false, "Subject of the need"},
	[CAPS_NEED] = {"need", "need", 30, 0, 0, false, "Information that railtop asks for"},
	[CAPS_STATE] = {"state", "state", 11, 0, 0, false,
		"ok; unsupported: the device cannot report it; disabled: it is switched off there"},
	[CAPS_CURE] = {"cure", "cure", 28, 1, 1, false,
		"Command that switches it on, where it is disabled"},
};

struct place {
	unsigned order;
	uint16_t cap;
};

static int by_order(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return (int)a->cap - (int)b->cap;
}

static void device_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct device *d = view_device_of(ctx, ctx->scope);
	struct place *places;
	size_t n;

	if (!d || !d->caps.n)
		return;
	n = d->caps.n < UINT16_MAX ? d->caps.n : UINT16_MAX;
	places = mem_calloc(n, sizeof(*places));
	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){need_order(d->caps.at[i].need), (uint16_t)i};
	qsort(places, n, sizeof(*places), by_order);
	for (size_t i = 0; i < n; i++)
		vec_push(out,
			(struct ref){.kind = REF_NEED, .device = d->id, .cell = places[i].cap});
	free(places);
}

static enum role capability_role(enum validity v)
{
	switch (v) {
	case VALID_OK:
		return ROLE_OK;
	case VALID_DISABLED:
		return ROLE_WARN;
	default:
		return ROLE_UNKNOWN;
	}
}

static void device_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct capability *cap = ref_need(ctx->model, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (!cap)
		return;
	switch (col) {
	case CAPS_GROUP:
		cell_text(out, ROLE_DIM, "%s", need_group(cap->need));
		break;
	case CAPS_NEED:
		cell_text(out, ROLE_NORMAL, "%s", cap->need);
		break;
	case CAPS_STATE:
		cell_text(out, capability_role((enum validity)cap->valid), "%s",
			validity_name((enum validity)cap->valid));
		/*
		 * In descending order: needs that can be fixed, needs that cannot, needs that are
		 * met.
		 */
		out->number = cap->valid == VALID_DISABLED      ? 2
			      : cap->valid == VALID_UNSUPPORTED ? 1
								: 0;
		out->has_number = true;
		break;
	case CAPS_CURE:
		cell_text(out, ROLE_NORMAL, "%s", cap->cure);
		break;
	default:
		break;
	}
}

static const char *or_dash(const char *s)
{
	return s[0] ? s : "-";
}

static void say_uptime(const struct view_ctx *ctx, const struct device *d, struct panel_line *out)
{
	char up[16] = "-", skew[24] = "-";

	/* Steps of at least a minute, so that the line does not change between polls. */
	if (!isnan(d->uptime_s))
		(void)str_age((int64_t)(d->uptime_s / 60) * 60 * CLOCK_SEC, up, sizeof(up));
	if (d->clock_skew_us)
		(void)str_printf(skew, sizeof(skew), "%+.1f s",
			(double)device_skew_us(ctx->model, d) / (double)CLOCK_SEC);
	panel_say(out, ROLE_NORMAL, "", "up %s  boot %s  clock skew %s", up, or_dash(d->boot_id),
		skew);
}

/* The number of needs that the device meets, and the first need that one command would add. */
static void say_needs(const struct device *d, struct panel_line *out)
{
	struct need_count n = device_needs(d);
	const struct capability *off = NULL;

	for (size_t i = 0; i < d->caps.n && !off; i++)
		if (d->caps.at[i].valid == VALID_DISABLED)
			off = &d->caps.at[i];
	panel_say(out, n.off ? ROLE_WARN : ROLE_NORMAL, "needs", "%u ok  %u n/a  %u off%s%s%s%s",
		n.ok, n.unsupported, n.off, off ? ": " : "", off ? off->need : "",
		off && off->cure[0] ? "; cure: " : "", off ? off->cure : "");
}

static void say_bgp(const struct device *d, struct panel_line *out)
{
	struct bgp_count n = device_bgp(d);
	char as[16] = "-";
	unsigned shut = 0;

	for (size_t i = 0; i < d->bgp.n; i++)
		shut += d->bgp.at[i].state == BGP_ADMIN_DOWN;
	if (d->bgp_as)
		(void)str_printf(as, sizeof(as), "%u", d->bgp_as);
	panel_say(out, n.ok < n.all ? ROLE_CRIT : ROLE_NORMAL, "bgp",
		"%u of %u established, %u shut on purpose  as %s  router id %s", n.ok - shut, n.all,
		shut, as, or_dash(d->router_id));
}

static void say_hash(const struct device *d, struct panel_line *out)
{
	panel_say(out, ROLE_NORMAL, "hash", "ecmp %s  lag %s  %s%s%s", or_dash(d->ecmp_hash),
		or_dash(d->lag_hash), or_dash(d->hash_algorithm),
		d->balancing[0] ? "  beside it: " : "", d->balancing);
}

/* Routing facts as far as the device has reported them. */
static size_t routing_lines(const struct model *m, const struct device *d, struct panel_line *out)
{
	size_t n = 0;

	if (d->caps.n)
		say_needs(d, &out[n++]);
	if (d->bgp.n || d->bgp_as || d->router_id[0])
		say_bgp(d, &out[n++]);
	if (d->ecmp_hash[0] || d->lag_hash[0] || d->hash_algorithm[0] || d->balancing[0])
		say_hash(d, &out[n++]);
	if (d->pair[0])
		panel_say(&out[n++], strstr(d->pair, "state=ok") ? ROLE_NORMAL : ROLE_WARN, "pair",
			"%s", d->pair);
	if (d->tier != TIER_HOST)
		n += order_line(order_of_device(m, d), &out[n]);
	if (d->pools[0])
		panel_say(&out[n++], ROLE_NORMAL, "pools", "peak %s", d->pools);
	if (d->pfcwd_poll_ms)
		panel_say(&out[n++], ROLE_NORMAL, "", "PFC watchdog polls every %u ms",
			d->pfcwd_poll_ms);
	return n;
}

static size_t identity_lines(
	const struct view_ctx *ctx, const struct device *d, struct panel_line *out)
{
	const char *chip = shipped_chip(d->dialect, d->model);
	size_t n = 0;

	panel_device_line(ctx, d, &out[n++]);
	if (d->err->code != ERR_NONE)
		panel_say(&out[n++], ROLE_ERROR, "error", "%s", d->err->text);
	if (d->err->code != ERR_NONE && d->err->cure[0])
		panel_say(&out[n++], ROLE_ACCENT, "cure", "%s", d->err->cure);
	n += not_asked_line(d, &out[n]);
	panel_say(&out[n++], ROLE_NORMAL, "", "model %s%s%s%s%s%s  serial %s  hostname %s",
		d->provider, d->provider[0] ? " " : "", or_dash(d->model), chip ? " (" : "",
		chip ? chip : "", chip ? ")" : "", or_dash(d->serial), or_dash(d->hostname));
	panel_say(&out[n++], ROLE_NORMAL, "", "os %s%s%s  firmware %s", or_dash(d->os_version),
		d->schema[0] ? "  schema " : "", d->schema, or_dash(d->firmware));
	if (d->setup[0])
		panel_say(&out[n++], ROLE_NORMAL, "setup", "%s", d->setup);
	say_uptime(ctx, d, &out[n++]);
	if (d->transport[0] || !d->engine_us)
		panel_say(&out[n++], ROLE_NORMAL, "", "%s over %s at %s", or_dash(d->dialect),
			or_dash(d->transport), or_dash(d->address));
	else
		panel_say(&out[n++], ROLE_NORMAL, "", "%s, only by the metrics engine",
			or_dash(d->dialect));
	n += poll_path_line(ctx, d, &out[n]);
	return n + routing_lines(ctx->model, d, &out[n]);
}

static int device_panel(const struct view_ctx *ctx, struct region r)
{
	const struct device *d = view_device_of(ctx, ctx->scope);
	struct panel_line lines[22];

	return d ? panel_draw(r, lines, identity_lines(ctx, d, lines)) : 0;
}

/* Enter opens the object of the need. */
static bool device_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct capability *cap = ref_need(ctx->model, row);

	if (!cap)
		return false;
	*scope = ref_wider(ctx->model, row);
	if (str_eq(need_group(cap->need), "BGP"))
		*view = "bgp";
	else
		*view = ref_device(ctx->model, row)->tier == TIER_HOST ? "host" : "leaf";
	return true;
}

static const char *device_empty(const struct view_ctx *ctx)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	if (!d)
		return "no device is chosen: open one from the devices view";
	if (d->engine)
		return "the metrics engine's mapping does not state the capabilities of the device";
	return d->last_ok_us ? "the device's dialect states no capabilities"
			     : "the device has not answered yet";
}

const struct view_ops view_device = {
	.name = "device",
	.title = "device",
	.help = "One device: its identity, its address, the last error with its cure, and its "
		"capabilities by subject. unsupported: the device cannot report this. disabled: it "
		"could, and the column cure has the command. Enter leads to its BGP sessions or "
		"ports.",
	.scope = REF_DEVICE,
	.columns = columns,
	.ncolumns = CAPS_COLUMNS,
	.rows = device_rows,
	.cell = device_cell,
	.enter = device_enter,
	.panel = device_panel,
	.empty = device_empty,
};
