/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/panel.h"

enum caps_column { CAPS_NEED, CAPS_STATE, CAPS_CURE, CAPS_COLUMNS };

static const struct table_column columns[CAPS_COLUMNS] = {
	[CAPS_NEED] = {"need", "need", 30, 0, 0, false, "What railtop would like to know"},
	[CAPS_STATE] = {"state", "state", 11, 0, 0, false,
		"ok; unsupported: the device cannot tell; disabled: it could, but it is off"},
	[CAPS_CURE] = {"cure", "cure", 30, 1, 1, false, "How to switch it on, where that is so"},
};

/*
 * A capability is no object that one could name elsewhere: its row is a counter of no port, the
 * cell being its place in the list.
 */
static void device_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	for (size_t i = 0; d && i < d->caps.n && i < UINT16_MAX; i++)
		vec_push(out,
			(struct ref){.kind = REF_COUNTER, .port = PORT_NONE, .cell = (uint16_t)i});
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
	const struct device *d = view_device_of(ctx, ctx->scope);
	const struct capability *cap;

	cell_unknown(out, VALID_UNKNOWN);
	if (!d || row.kind != REF_COUNTER || row.cell >= d->caps.n)
		return;
	cap = &d->caps.at[row.cell];
	switch (col) {
	case CAPS_NEED:
		cell_text(out, ROLE_NORMAL, "%s", cap->need);
		break;
	case CAPS_STATE:
		cell_text(out, capability_role((enum validity)cap->valid), "%s",
			validity_name((enum validity)cap->valid));
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

static void say_uptime(const struct device *d, struct panel_line *out)
{
	char up[16] = "-", skew[24] = "-";

	/* In steps of minutes at least, so that the line stands still between polls. */
	if (!isnan(d->uptime_s))
		(void)str_age((int64_t)(d->uptime_s / 60) * 60 * CLOCK_SEC, up, sizeof(up));
	if (d->clock_skew_us)
		(void)str_printf(skew, sizeof(skew), "%+.1f s",
			(double)d->clock_skew_us / (double)CLOCK_SEC);
	panel_say(out, ROLE_NORMAL, "", "up %s  boot %s  clock skew %s", up, or_dash(d->boot_id),
		skew);
}

static size_t identity_lines(
	const struct view_ctx *ctx, const struct device *d, struct panel_line *out)
{
	size_t n = 0;

	panel_device_line(ctx, d, &out[n++]);
	panel_say(&out[n++], ROLE_NORMAL, "", "model %s  serial %s  hostname %s", or_dash(d->model),
		or_dash(d->serial), or_dash(d->hostname));
	panel_say(&out[n++], ROLE_NORMAL, "", "os %s  firmware %s", or_dash(d->os_version),
		or_dash(d->firmware));
	say_uptime(d, &out[n++]);
	panel_say(&out[n++], ROLE_NORMAL, "", "%s over %s at %s", or_dash(d->dialect),
		or_dash(d->transport), or_dash(d->address));
	if (d->err.code == ERR_NONE)
		return n;
	panel_say(&out[n++], ROLE_ERROR, "error", "%s", d->err.text);
	if (d->err.cure[0])
		panel_say(&out[n++], ROLE_ACCENT, "cure", "%s", d->err.cure);
	return n;
}

static int device_panel(const struct view_ctx *ctx, struct region r)
{
	const struct device *d = view_device_of(ctx, ctx->scope);
	struct panel_line lines[7];

	return d ? panel_draw(r, lines, identity_lines(ctx, d, lines)) : 0;
}

static const char *device_empty(const struct view_ctx *ctx)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	if (!d)
		return "no device chosen: open it from the devices view";
	return d->last_ok_us ? "the device's dialect states no capabilities"
			     : "the device has not answered yet";
}

const struct view_ops view_device = {
	.name = "device",
	.title = "device",
	.help = "One device: what it is, how it is reached, the last error with its cure, and what "
		"it can report. unsupported means that the device cannot tell; disabled that it "
		"could, and cure says how.",
	.scope = REF_DEVICE,
	.columns = columns,
	.ncolumns = CAPS_COLUMNS,
	.rows = device_rows,
	.cell = device_cell,
	.panel = device_panel,
	.empty = device_empty,
};
