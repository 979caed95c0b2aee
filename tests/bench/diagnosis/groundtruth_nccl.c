/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/bench/diagnosis/groundtruth_internal.h"

/* Collectives of a run. Each ring of NICs is a communicator; its ranks are its NICs by name. */

static struct gt_rank *rank_of(struct groundtruth *g, const char *job, const char *node)
{
	for (size_t i = 0; i < g->ranks.n; i++)
		if (str_eq(g->ranks.at[i].node, node) && str_eq(g->ranks.at[i].job, job))
			return &g->ranks.at[i];
	return NULL;
}

static size_t add_rank(struct groundtruth *g, const char *job, const char *node)
{
	struct gt_rank *r = rank_of(g, job, node);

	if (r)
		return (size_t)(r - g->ranks.at);
	r = vec_add(&g->ranks);
	(void)str_copy(r->job, sizeof(r->job), job);
	(void)str_copy(r->node, sizeof(r->node), node);
	r->group = g->ranks.n - 1;
	return r->group;
}

static void join(struct groundtruth *g, size_t a, size_t b)
{
	size_t from = g->ranks.at[b].group, to = g->ranks.at[a].group;

	for (size_t i = 0; i < g->ranks.n; i++)
		if (g->ranks.at[i].group == from)
			g->ranks.at[i].group = to;
}

static int by_name(const void *a, const void *b)
{
	const struct gt_rank *x = a, *y = b;
	int order = x->group < y->group ? -1 : x->group > y->group;

	return order ? order : str_natcmp(x->node, y->node);
}

static void number_ranks(struct groundtruth *g)
{
	size_t first = 0;

	if (g->ranks.n)
		qsort(g->ranks.at, g->ranks.n, sizeof(*g->ranks.at), by_name);
	for (size_t i = 0; i <= g->ranks.n; i++) {
		if (i < g->ranks.n && g->ranks.at[i].group == g->ranks.at[first].group)
			continue;
		for (size_t k = first; k < i; k++) {
			g->ranks.at[k].rank = (int)(k - first);
			g->ranks.at[k].nranks = (int)(i - first);
		}
		first = i;
	}
}

/* Without a next peer all of the job's ranks talk to one another. */
static void find_ranks(struct groundtruth *g)
{
	int job = csv_column(&g->ops, "job"), node = csv_column(&g->ops, "node");
	int next = csv_column(&g->ops, "next_peer");

	while (csv_row(&g->ops)) {
		size_t me = add_rank(g, csv_text(&g->ops, job), csv_text(&g->ops, node));
		const char *peer = csv_text(&g->ops, next);
		size_t other = me;

		if (gt_node(g, peer))
			other = add_rank(g, csv_text(&g->ops, job), peer);
		for (size_t i = 0; other == me && i < g->ranks.n; i++)
			if (str_eq(g->ranks.at[i].job, g->ranks.at[me].job))
				other = i;
		if (g->ranks.at[other].group != g->ranks.at[me].group)
			join(g, me, other);
	}
	number_ranks(g);
}

void gt_read_ops(struct groundtruth *g, const char *dir)
{
	if (!csv_open(&g->ops, dir, "nccl_ops.csv"))
		return;
	find_ranks(g);
	csv_close(&g->ops);
	(void)csv_open(&g->ops, dir, "nccl_ops.csv");
	g->ops_row = csv_row(&g->ops);
}

static long long wall(const struct groundtruth *g, double t_us)
{
	return (long long)GT_START + llround(t_us * g->scale);
}

static void put_number(struct groundtruth *g, const char *key, const char *column, double scale)
{
	int c = csv_column(&g->ops, column);

	if (c >= 0 && *csv_text(&g->ops, c))
		(void)buf_addf(&g->line, ",\"%s\":%.3f", key, csv_real(&g->ops, c) * scale);
}

static const char *func_of(const char *op)
{
	return str_starts(op, "alltoall") ? "AllToAll" : "AllReduce";
}

static void put_op(struct groundtruth *g, const struct gt_rank *r)
{
	const struct csv *c = &g->ops;
	const struct gt_node *n = gt_node(g, r->node);
	const struct gt_rank *next = rank_of(g, r->job, csv_text(c, csv_column(c, "next_peer")));

	(void)buf_addf(&g->line,
		"%s{\"job\":\"%s\",\"comm\":\"0x%012zx%02x\",\"func\":\"%s\",\"seq\":%.0f,"
		"\"rank\":%d,\"nranks\":%d,\"host\":\"%s\",\"nic\":\"%s\",\"bytes\":%.0f,"
		"\"begin_us\":%lld,\"end_us\":%lld",
		g->line.data[g->line.len - 1] == '[' ? "" : ",", r->job, r->group + 1,
		(unsigned)(chance(r->job, 0, 3) * 256), func_of(csv_text(c, csv_column(c, "op"))),
		csv_real(c, csv_column(c, "op_seq")), r->rank, r->nranks, n ? n->device : r->node,
		r->node, csv_real(c, csv_column(c, "bytes")),
		wall(g, csv_real(c, csv_column(c, "t_enter_us"))),
		wall(g, csv_real(c, csv_column(c, "t_exit_us"))));
	if (next && next->group == r->group)
		(void)buf_addf(&g->line, ",\"peer\":%d", next->rank);
	if (n && n->rail >= 0)
		(void)buf_addf(&g->line, ",\"gpu\":%d", n->rail);
	put_number(g, "send_us", "send_step_us_mean", g->scale);
	put_number(g, "send_max_us", "send_step_us_max", g->scale);
	put_number(g, "wait_us", "recv_wait_us", g->scale);
	put_number(g, "credit_us", "credit_wait_us", g->scale);
	(void)buf_adds(&g->line, "}");
}

void gt_write_ops(struct groundtruth *g, double until_us, line_fn *line, void *ctx)
{
	int exit = csv_column(&g->ops, "t_exit_us"), job = csv_column(&g->ops, "job"),
	    node = csv_column(&g->ops, "node");
	bool any = false;

	buf_reset(&g->line);
	(void)buf_addf(
		&g->line, "{\"t\":%.6f,\"nccl\":{\"ops\":[", (double)wall(g, until_us) / 1e6);
	while (g->ops_row && csv_real(&g->ops, exit) <= until_us) {
		const struct gt_rank *r =
			rank_of(g, csv_text(&g->ops, job), csv_text(&g->ops, node));

		if (r) {
			put_op(g, r);
			any = true;
		}
		g->ops_row = csv_row(&g->ops);
	}
	(void)buf_adds(&g->line, "]}}");
	if (any)
		line(ctx, g->line.data, g->line.len);
}
