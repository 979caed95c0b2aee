/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/export/findings.h"
#include "archive/export/snapshot.h"
#include "base/str.h"
#include "tests/app/support/shown.h"
#include "tests/support/cases.h"
#include "views/rows.h"

typedef VEC(struct ref) place_vec;

static void add_device(place_vec *v, const struct model *m, size_t i)
{
	const struct device *d;

	if (i >= m->devices.n)
		return;
	d = m->devices.at[i];
	vec_push(v, ((struct ref){.kind = REF_DEVICE, .device = d->id}));
	for (size_t p = 0; p < m->ports.n; p++) {
		if (m->ports.at[p]->device != d->id)
			continue;
		vec_push(v, ((struct ref){.kind = REF_PORT, .device = d->id, .port = (uint32_t)p}));
		vec_push(v, ((struct ref){.kind = REF_PRIORITY,
				    .device = d->id,
				    .port = (uint32_t)p,
				    .priority = 3}));
		break;
	}
}

/* Some places of each kind, and the places of the findings. */
static void find_places(const struct model *m, const struct diag *d, place_vec *v)
{
	size_t n;
	const struct finding *const *all = diag_findings(d, &n);

	vec_push(v, ((struct ref){.kind = REF_RAIL, .rail = 0}));
	vec_push(v, ((struct ref){.kind = REF_RAIL, .rail = 3}));
	vec_push(v, ((struct ref){.kind = REF_JOB, .job = 0}));
	vec_push(v, ((struct ref){.kind = REF_COMM, .comm = 0}));
	vec_push(v, ((struct ref){.kind = REF_RANK, .comm = 0, .rank = 0}));
	add_device(v, m, 0);
	add_device(v, m, m->devices.n / 2);
	add_device(v, m, m->devices.n - 1);
	for (size_t i = 0; i < n; i++) {
		vec_push(v, ((struct ref){.kind = REF_FINDING, .seq = all[i]->key}));
		vec_push(v, all[i]->at);
	}
}

static void write_view(const struct view_ctx *ctx, const struct view_ops *v, FILE *out)
{
	row_vec rows = {0};
	char place[256];

	if (!ref_format(ctx->model, ctx->scope, place, sizeof(place)))
		place[0] = '\0';
	v->rows(ctx, &rows);
	fprintf(out, "view %s of %d %s: %zu rows\n", v->name, (int)ctx->scope.kind, place, rows.n);
	for (size_t i = 0; i < rows.n; i++) {
		if (ref_format(ctx->model, rows.at[i], place, sizeof(place)))
			fprintf(out, "%s %s row %zu: %s\n", v->name, v->title, i, place);
		for (size_t col = 0; col < v->ncolumns; col++) {
			struct view_cell c = {0};

			v->cell(ctx, rows.at[i], col, &c);
			fprintf(out, "%s.%s %d %s", v->name, v->columns[col].id, (int)c.role,
				c.text);
			if (c.has_number)
				fprintf(out, " %a", c.number);
			fputc('\n', out);
		}
	}
	vec_free(&rows);
}

static void write_views(struct view_ctx *ctx, FILE *out)
{
	place_vec places = {0};

	find_places(ctx->model, ctx->diag, &places);
	for (size_t i = 0; i < view_count; i++) {
		const struct view_ops *v = view_table[i];

		ctx->scope = (struct ref){.kind = REF_NONE};
		if (view_is_whole(v))
			write_view(ctx, v, out);
		for (size_t p = 0; p < places.n; p++) {
			ctx->scope = places.at[p];
			if (view_takes(v, places.at[p].kind))
				write_view(ctx, v, out);
		}
	}
	vec_free(&places);
}

static void write_traces(const struct model *m, const struct diag *d, int64_t now_us, FILE *out)
{
	size_t n;
	const struct finding *const *all = diag_findings(d, &n);
	struct err err = {0};

	for (size_t i = 0; i < n; i++) {
		struct trace t;

		if (!trace_from(d, m, all[i]->at, now_us, &t, &err)) {
			fprintf(out, "no trace: %s\n", err.text);
			continue;
		}
		assert_true(trace_json(m, d, &t, out, &err));
		trace_free(&t);
	}
}

static void write_pauses(const struct pause_graph *g, FILE *out)
{
	fprintf(out, "storm: %u held\n", g->held);
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct pause_node *n = &g->nodes.at[i];

		fprintf(out, "%u:%u %d %a %a %a %lld\n", n->port, n->priority, n->bound,
			(double)n->held, (double)n->lost_bps, (double)n->blame_bps,
			(long long)n->since_us);
	}
	for (size_t i = 0; i < g->edges.n; i++)
		fprintf(out, "%u>%u %a\n", g->edges.at[i].from, g->edges.at[i].to,
			(double)g->edges.at[i].weight);
}

char *shown_at(struct model *m, struct diag *d, const runbook_log *trail, int64_t now_us)
{
	struct view_ctx ctx = {.model = m, .diag = d, .now_us = now_us, .trail = trail};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct err err = {0};

	assert_non_null(out);
	ctx.cache = view_cache_new();
	assert_true(findings_json(m, d, now_us, out, &err));
	assert_true(findings_text(m, d, now_us, out, &err));
	write_traces(m, d, now_us, out);
	write_pauses(diag_pauses(d), out);
	assert_true(snapshot_text(m, d, now_us, out, &err));
	write_views(&ctx, out);
	assert_true(snapshot_json(m, d, now_us, out, &err));
	view_cache_free(ctx.cache);
	assert_int_equal(fclose(out), 0);
	return text;
}

void shown_expect(const char *was, const char *is, const char *when)
{
	size_t at = 0, from, line = 1;

	while (was[at] && was[at] == is[at]) {
		line += was[at] == '\n';
		at++;
	}
	if (was[at] == is[at])
		return;
	for (from = at; from && at - from < 400 && (was[from - 1] != '\n' || at - from < 100);)
		from--;
	fail_msg("%s: line %zu differs\nlive:   %.700s\nreplay: %.700s", when, line, was + from,
		is + from);
}
