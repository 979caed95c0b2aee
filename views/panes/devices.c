/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/nets.h"
#include "views/columns/columns.h"
#include "views/common.h"
#include "views/panels/need_groups.h"

enum devices_column {
	DEVICES_NAME,
	DEVICES_TIER,
	DEVICES_RACK,
	DEVICES_DIALECT,
	DEVICES_TRANSPORT,
	DEVICES_ADDRESS,
	DEVICES_PATH,
	DEVICES_STATE,
	DEVICES_AGE,
	DEVICES_INTERVAL,
	DEVICES_TOOK,
	DEVICES_BYTES,
	DEVICES_POLLS,
	DEVICES_FAILURES,
	DEVICES_GAPS,
	DEVICES_BGP,
	DEVICES_ERROR,
	DEVICES_CURE,
	DEVICES_COLUMNS
};

static const struct table_column columns[DEVICES_COLUMNS] = {
	[DEVICES_NAME] = {"name", "name", 12, 0, 0, false, "Name in the inventory"},
	[DEVICES_TIER] = {"tier", "tier", 6, 0, 1, false, "host, leaf, spine, superspine"},
	[DEVICES_RACK] = {"rack", "rack", 8, 0, 4, false,
		"Rack and unit where it stands, by the inventory"},
	[DEVICES_DIALECT] = {"dialect", "dialect", 7, 0, 2, false, "Dialect of the device"},
	[DEVICES_TRANSPORT] = {"transport", "over", 6, 0, 3, false,
		"Source of the data: ssh, https or engine"},
	[DEVICES_ADDRESS] = {"address", "address", 16, 0, 3, false,
		"Address that railtop connects to"},
	[DEVICES_PATH] = {"path", "path", 11, 0, 3, false,
		"Path of the poll into the device: out-of-band, frontend, or in-band over the "
		"ports "
		"that railtop watches, by the address it reached"},
	[DEVICES_STATE] = {"state", "state", 14, 0, 0, false,
		"fresh: age up to 1.5 intervals; late: up to 2, longer where answers are slow; "
		"stale: older; unreachable; unauthorised; not_understood: it answers, but not in "
		"its dialect; pending: not asked yet"},
	[DEVICES_AGE] = {"age", "age", 5, 0, 0, true, "Time since the last answer, in steps"},
	[DEVICES_INTERVAL] = {"interval", "every", 5, 0, 2, true, "Polling interval"},
	[DEVICES_TOOK] = {"took", "ms", 6, 0, 1, true,
		"Milliseconds from the request to the last byte, last answer"},
	[DEVICES_BYTES] = {"bytes", "bytes", 6, 0, 2, true, "Size of the last answer"},
	[DEVICES_POLLS] = {"polls", "polls", 6, 0, 3, true, "Answers so far"},
	[DEVICES_FAILURES] = {"failures", "fails", 5, 0, 1, true, "Failed attempts so far"},
	[DEVICES_GAPS] = {"gaps", "gaps", 12, 0, 2, false,
		"Capabilities that are missing: n/a (the device cannot report it) or off (switched "
		"off there). Sorted by those that are off, which one command would cure. Enter "
		"lists them"},
	[DEVICES_BGP] = {"bgp", "bgp", 8, 0, 3, true,
		"BGP sessions: established or shut on purpose / all; sorted by the others"},
	[DEVICES_ERROR] = {"error", "last error", 25, 2, 1, false,
		"The last error; empty after a success"},
	[DEVICES_CURE] = {"cure", "cure", 30, 2, 3, false, "Cure of the last error"},
};

static void devices_rows(const struct view_ctx *ctx, row_vec *out)
{
	vec_reserve(out, out->n + ctx->model->devices.n);
	for (size_t i = 0; i < ctx->model->devices.n; i++)
		vec_push(out, ref_of_device(ctx->model->devices.at[i]));
}

static void cell_number(struct view_cell *out, double number, const char *text)
{
	cell_text(out, ROLE_NORMAL, "%s", text);
	out->number = number;
	out->has_number = true;
}

static void cell_age(const struct view_ctx *ctx, const struct device *d, struct view_cell *out)
{
	cell_unknown(out, VALID_UNKNOWN);
	if (d->last_ok_us > 0)
		cell_number(out, (double)(ctx->now_us - d->last_ok_us) / (double)CLOCK_SEC,
			age_step(ctx->now_us, d->last_ok_us));
}

static void cell_interval(const struct device *d, struct view_cell *out)
{
	char text[16];

	cell_unknown(out, VALID_UNKNOWN);
	if (d->interval_us <= 0)
		return;
	if (d->interval_us < CLOCK_SEC)
		(void)str_printf(text, sizeof(text), "%dms", (int)(d->interval_us / CLOCK_MSEC));
	else
		(void)str_age(d->interval_us, text, sizeof(text));
	cell_number(out, (double)d->interval_us / (double)CLOCK_SEC, text);
}

static void cell_path(const struct view_ctx *ctx, const struct device *d, struct view_cell *out)
{
	struct poll_path w = device_poll_path(ctx->model, d);

	cell_unknown(out, VALID_UNKNOWN);
	if (w.kind != PATH_UNKNOWN)
		cell_text(out, w.kind == PATH_IN_BAND ? ROLE_WARN : ROLE_NORMAL, "%s",
			poll_path_name(w));
}

/* "3 n/a 1 off"; one need that is off counts more than all unsupported ones. */
static void cell_gaps(const struct device *d, struct view_cell *out)
{
	struct need_count n = device_needs(d);

	cell_unknown(out, VALID_UNKNOWN);
	if (!d->caps.n)
		return;
	if (n.unsupported && n.off)
		cell_text(out, ROLE_WARN, "%u n/a %u off", n.unsupported, n.off);
	else if (n.off)
		cell_text(out, ROLE_WARN, "%u off", n.off);
	else if (n.unsupported)
		cell_text(out, ROLE_NORMAL, "%u n/a", n.unsupported);
	else
		cell_text(out, ROLE_DIM, "none");
	out->number = n.off * 1000.0 + n.unsupported;
	out->has_number = true;
}

static void cell_sessions(const struct device *d, struct view_cell *out)
{
	struct bgp_count n = device_bgp(d);

	cell_unknown(out, VALID_UNKNOWN);
	if (!n.all)
		return;
	cell_text(out, n.ok < n.all ? ROLE_CRIT : ROLE_NORMAL, "%u/%u%s", n.ok, n.all,
		n.ok < n.all ? "!" : "");
	out->number = n.all - n.ok;
	out->has_number = true;
}

static void cell_measured(
	const struct view_ctx *ctx, const struct device *d, size_t col, struct view_cell *out)
{
	switch (col) {
	case DEVICES_AGE:
		cell_age(ctx, d, out);
		break;
	case DEVICES_INTERVAL:
		cell_interval(d, out);
		break;
	case DEVICES_TOOK:
		cell_rate(out, d->polls ? (double)d->took_us / 1e3 : NAN);
		out->second = 1e3;
		break;
	case DEVICES_BYTES:
		cell_rate(out, d->polls ? (double)d->bytes : NAN);
		break;
	case DEVICES_POLLS:
		cell_rate(out, (double)d->polls);
		break;
	case DEVICES_FAILURES:
		cell_count_bad(out, (double)d->failures);
		break;
	case DEVICES_GAPS:
		cell_gaps(d, out);
		break;
	default:
		cell_sessions(d, out);
		break;
	}
}

static void cell_word(struct view_cell *out, const char *text)
{
	cell_text(out, text[0] ? ROLE_NORMAL : ROLE_UNKNOWN, "%s", text[0] ? text : "-");
}

static void devices_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct device *d = view_device_of(ctx, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (!d)
		return;
	switch (col) {
	case DEVICES_NAME:
		cell_word(out, d->name);
		break;
	case DEVICES_TIER:
		cell_word(out, model_tier_word(ctx->model, d->tier));
		break;
	case DEVICES_RACK:
		cell_stand(d, out);
		break;
	case DEVICES_DIALECT:
		cell_word(out, d->dialect);
		break;
	case DEVICES_TRANSPORT:
		cell_word(out, d->engine ? "engine" : d->transport);
		break;
	case DEVICES_ADDRESS:
		cell_word(out, d->address);
		break;
	case DEVICES_PATH:
		cell_path(ctx, d, out);
		break;
	case DEVICES_STATE:
		/* The number orders the states, worst last. */
		cell_text(out, role_of_device_state(d->state), "%s", dev_state_name(d->state));
		out->number = d->state;
		out->has_number = true;
		break;
	case DEVICES_ERROR:
		cell_text(out, ROLE_ERROR, "%s", d->err->code != ERR_NONE ? d->err->text : "");
		break;
	case DEVICES_CURE:
		cell_text(out, ROLE_NORMAL, "%s", d->err->code != ERR_NONE ? d->err->cure : "");
		break;
	default:
		cell_measured(ctx, d, col, out);
		break;
	}
}

static bool devices_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	if (!view_device_of(ctx, row))
		return false;
	*view = "device";
	*scope = row;
	return true;
}

static const char *devices_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "the inventory has no device";
}

const struct view_ops view_devices = {
	.name = "devices",
	.title = "devices",
	.help = "Every device that is polled: the age of its data, the cost of an answer, and the "
		"last error with its cure. gaps counts capabilities that the device does not have "
		"(n/a), and those that are off. Enter lists them with the cures.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = DEVICES_COLUMNS,
	.sort = "-state",
	.rows = devices_rows,
	.cell = devices_cell,
	.enter = devices_enter,
	.empty = devices_empty,
};
