/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs and the links between them: NVLink or xGMI, its errors, and its domain. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/gpu_link.h"
#include "views/panels/finding_text.h"
#include "views/panels/gpu_panel.h"
#include "views/summary.h"

enum gpu_column {
	GPU_HOST,
	GPU_INDEX,
	GPU_LINKS,
	GPU_RATE,
	GPU_NEW,
	GPU_COL_RECOVERY,
	GPU_COL_CRC,
	GPU_COL_REPLAY,
	GPU_COL_OTHER,
	GPU_STATE,
	GPU_HEALTH,
	GPU_CLIQUE,
	GPU_CLUSTER,
	GPU_BUS,
	GPU_NAME,
	GPU_AGE,
	GPU_COLUMNS
};

static const struct table_column columns[GPU_COLUMNS] = {
	[GPU_HOST] = {"host", "host", 12, 0, 0, false, "Host of the GPU"},
	[GPU_INDEX] = {"gpu", "gpu", 3, 0, 0, true, "Index as the vendor's tool counts"},
	[GPU_LINKS] = {"links", "links", 9, 0, 0, true,
		"Active links to other GPUs or switches, and the number listed; a filter compares "
		"the active ones"},
	[GPU_RATE] = {"rate", "GB/s", 6, 0, 1, true,
		"Rate of the slowest active link, in one direction"},
	[GPU_NEW] = {"grown", "grown", 6, 0, 0, true,
		"Errors that came between the last two readings in which any came, while that is "
		"less than ten minutes ago"},
	[GPU_COL_RECOVERY] = {"recovery", "recov", 6, 0, 1, true,
		"Times that a link was trained anew, since the driver was loaded"},
	[GPU_COL_CRC] = {"crc", "crc", 6, 0, 2, true, "Damaged packets, which were sent again"},
	[GPU_COL_REPLAY] = {"replay", "replay", 6, 0, 2, true, "Packets sent again"},
	[GPU_COL_OTHER] = {"other", "other", 6, 0, 2, true,
		"Other errors: malformed packets, overruns, symbols, those of the far end"},
	[GPU_STATE] = {"state", "fabric", 12, 0, 0, false,
		"Registration with the NVSwitches: completed, in-progress, not-started, or its "
		"error"},
	[GPU_HEALTH] = {"health", "health", 10, 0, 1, false,
		"Health that the NVSwitches report, with the reason"},
	[GPU_CLIQUE] = {"clique", "clique", 7, 0, 2, true,
		"GPUs of one clique reach each other over NVLink"},
	[GPU_CLUSTER] = {"cluster", "cluster", 9, 0, 3, false,
		"NVLink domain, by its UUID; '-' where it is one host"},
	[GPU_BUS] = {"bus", "bus", 13, 0, 2, false, "PCI address"},
	[GPU_NAME] = {"name", "name", 18, 1, 2, false, "Product"},
	[GPU_AGE] = {"data", "data", 7, 0, 1, false, "Age of the reading of its links"},
};

#define GREW_US (10 * INT64_C(60) * 1000000)

static void push_host(const struct device *d, row_vec *out)
{
	for (unsigned i = 0; d->gpus && i < HOST_GPUS_MOST; i++)
		if (d->gpus[i].known)
			vec_push(out, (struct ref){.kind = REF_ROW,
					      .seq = (uint64_t)d->id * HOST_GPUS_MOST + i});
}

static void gpus_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	for (size_t i = 0; !d && i < ctx->model->devices.n; i++)
		push_host(ctx->model->devices.at[i], out);
	if (d)
		push_host(d, out);
}

static const struct gpu_link *gpu_of(
	const struct view_ctx *ctx, struct ref row, const struct device **host)
{
	*host = NULL;
	if (row.kind != REF_ROW || row.seq / HOST_GPUS_MOST > UINT32_MAX)
		return NULL;
	*host = model_device_at(ctx->model, (uint32_t)(row.seq / HOST_GPUS_MOST));
	if (!*host || !(*host)->gpus)
		return NULL;
	return &(*host)->gpus[row.seq % HOST_GPUS_MOST];
}

static void cell_links(const struct gpu_link *g, struct view_cell *out)
{
	bool lost = g->active < g->most, fewer = lost || g->active < g->links;

	if (g->no_links) {
		cell_unknown(out, VALID_UNSUPPORTED);
		return;
	}
	if (g->active < 0)
		return;
	cell_text(out,
		lost    ? ROLE_CRIT
		: fewer ? ROLE_WARN
			: ROLE_NORMAL,
		"%d of %d%s", g->active, g->most > g->links ? g->most : g->links, fewer ? "!" : "");
	out->number = g->active;
	out->has_number = true;
}

static void cell_errors(uint64_t v, struct view_cell *out)
{
	if (v == UINT64_MAX)
		return;
	cell_text(out, v ? ROLE_NORMAL : ROLE_DIM, "%s", STR_NUMBER((double)v));
	out->number = (double)v;
	out->has_number = true;
}

static void cell_grown(const struct device *d, const struct gpu_link *g, struct view_cell *out)
{
	bool recent = g->grew_us && d->gpus_us - g->grew_us <= GREW_US;
	double sum = 0;

	if (gpu_errors_sum(g) == UINT64_MAX)
		return;
	for (unsigned e = 0; recent && e < GPU_ERRORS; e++)
		sum += e == GPU_FAILED ? 0 : (double)g->grew[e];
	cell_count_bad(out, sum);
}

static void cell_state(const struct gpu_link *g, struct view_cell *out)
{
	bool done = str_eq(g->state, "completed");
	bool bad = done && *g->status && !str_eq(g->status, "success") &&
		   !strstr(g->status, "nothing");

	if (bad)
		cell_text(out, ROLE_CRIT, "%s!", g->status);
	else if (*g->state)
		cell_text(out, done ? ROLE_OK : ROLE_CRIT, "%s%s", g->state, done ? "" : "!");
}

static void cell_health(const struct gpu_link *g, struct view_cell *out)
{
	bool ok = str_eq(g->health, "healthy") && !*g->why;

	if (*g->health || *g->why)
		cell_text(out, ok ? ROLE_OK : ROLE_WARN, "%s%s%s%s", g->health, *g->why ? " " : "",
			g->why, ok ? "" : "!");
}

/* A GPU that the last answer did not name is not there any more, or its tool cannot reach it. */
static void cell_age(const struct view_ctx *ctx, const struct device *d, const struct gpu_link *g,
	struct view_cell *out)
{
	if (g->seen_us && g->seen_us == d->gpus_us)
		cell_text(out, role_of_device_state(d->state), "%s",
			age_step(ctx->now_us, g->seen_us));
	else if (g->seen_us)
		cell_text(out, ROLE_CRIT, "gone %s", age_step(ctx->now_us, g->seen_us));
}

static uint64_t other_errors(const struct gpu_link *g)
{
	uint64_t local = g->errors[GPU_LOCAL], remote = g->errors[GPU_REMOTE];

	if (local == UINT64_MAX)
		return remote;
	return local + (remote == UINT64_MAX ? 0 : remote);
}

static void word_cell(struct view_cell *out, const char *text)
{
	if (*text)
		cell_text(out, ROLE_NORMAL, "%s", text);
}

static void gpus_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct device *d;
	const struct gpu_link *g = gpu_of(ctx, row, &d);

	cell_unknown(out, VALID_UNKNOWN);
	if (!g)
		return;
	switch (col) {
	case GPU_HOST:
		cell_text(out, ROLE_NORMAL, "%s", d->name);
		break;
	case GPU_INDEX:
		cell_text(out, ROLE_NORMAL, "%u", (unsigned)(g - d->gpus));
		out->number = (double)(g - d->gpus);
		out->has_number = true;
		break;
	case GPU_LINKS:
		cell_links(g, out);
		break;
	case GPU_RATE:
		if (isnan(g->gbs))
			break;
		cell_text(out, ROLE_NORMAL, "%.3g", (double)g->gbs);
		out->number = (double)g->gbs;
		out->has_number = true;
		break;
	case GPU_NEW:
		cell_grown(d, g, out);
		break;
	case GPU_COL_RECOVERY:
		cell_errors(g->errors[GPU_RECOVERY], out);
		break;
	case GPU_COL_CRC:
		cell_errors(g->errors[GPU_CRC], out);
		break;
	case GPU_COL_REPLAY:
		cell_errors(g->errors[GPU_REPLAY], out);
		break;
	case GPU_COL_OTHER:
		cell_errors(other_errors(g), out);
		break;
	case GPU_STATE:
		cell_state(g, out);
		break;
	case GPU_HEALTH:
		cell_health(g, out);
		break;
	case GPU_CLIQUE:
		word_cell(out, g->clique);
		break;
	case GPU_CLUSTER:
		if (gpu_cluster_is_set(g->cluster))
			word_cell(out, g->cluster);
		break;
	case GPU_BUS:
		word_cell(out, g->bus);
		break;
	case GPU_NAME:
		word_cell(out, g->name);
		break;
	case GPU_AGE:
		cell_age(ctx, d, g, out);
		break;
	default:
		break;
	}
}

static struct ref gpus_about(const struct view_ctx *ctx, struct ref row)
{
	const struct device *d;

	(void)gpu_of(ctx, row, &d);
	return d ? ref_of_device(d) : (struct ref){.kind = REF_NONE};
}

static bool gpus_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	*scope = gpus_about(ctx, row);
	*view = "host";
	return scope->kind == REF_DEVICE;
}

static int gpus_panel(const struct view_ctx *ctx, struct region r)
{
	const struct device *d = view_device_of(ctx, ctx->scope);
	struct panel_line lines[4];
	size_t n = 0;

	if (!d)
		return 0;
	panel_device_line(ctx, d, &lines[n++]);
	n += finding_at_line(ctx, ref_of_device(d), &lines[n]);
	n += panel_gpus_line(d, &lines[n]);
	return panel_draw(r, lines, n);
}

static const char *gpus_empty(const struct view_ctx *ctx)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	if (d && !d->last_ok_us)
		return "the device has not answered yet";
	return d ? "the host has not told of links between GPUs: see its capabilities (device)"
		 : "no host has told of links between GPUs: nvidia-smi or amd-smi must be there";
}

const struct view_ops view_gpus = {
	.name = "gpus",
	.title = "GPUs",
	.help = "GPUs and the links between them, which are not part of the network: NVLink, or "
		"xGMI. All GPUs of a host should have as many active links, no errors that grow, "
		"and the same clique. A link of 50 GB/s is as fast as a 400G port in each "
		"direction, so 18 of them are 18 such ports: figures of 36 count both directions "
		"of the links and one of the port. Enter shows the NICs of the host.",
	.scope = REF_NONE,
	.narrows = REF_DEVICE,
	.columns = columns,
	.ncolumns = GPU_COLUMNS,
	.rows = gpus_rows,
	.cell = gpus_cell,
	.enter = gpus_enter,
	.about = gpus_about,
	.panel = gpus_panel,
	.empty = gpus_empty,
};
