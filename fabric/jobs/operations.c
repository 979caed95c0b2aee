/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "fabric/jobs/nccl_internal.h"

/* Operations of a communicator: a ring of the newest, each with one cell per rank. */

static void cells_clear(struct op_rank *r, int32_t from, int32_t to)
{
	for (int32_t i = from; i < to; i++)
		r[i] = (struct op_rank){.took_us = NAN,
			.send_us = NAN,
			.send_max_us = NAN,
			.wait_us = NAN,
			.credit_us = NAN,
			.peer = -1};
}

void ops_release(struct nccl_index *x, struct comm *c)
{
	for (unsigned i = 0; i < NCCL_OPS; i++) {
		if (!c->ops[i].rank)
			continue;
		free(c->ops[i].rank);
		x->op_cells -= (size_t)c->size;
		c->ops[i] = (struct op){0};
	}
	c->next_op = 0;
}

void ops_grow(struct nccl_index *x, struct comm *c, int32_t was, int32_t size)
{
	size_t more = 0;

	for (unsigned i = 0; i < NCCL_OPS; i++)
		more += c->ops[i].rank ? (size_t)(size - was) : 0;
	if (x->op_cells + more > OP_CELLS_MAX) {
		ops_release(x, c);
		return;
	}
	x->op_cells += more;
	for (unsigned i = 0; i < NCCL_OPS; i++) {
		if (!c->ops[i].rank)
			continue;
		c->ops[i].rank =
			mem_realloc(c->ops[i].rank, (size_t)size, sizeof(c->ops[i].rank[0]));
		cells_clear(c->ops[i].rank, was, size);
	}
}

/* Makes room for one more operation: gone or silent communicators lose theirs. */
static bool make_room(struct nccl_batch *b, const struct comm *c)
{
	size_t want = (size_t)c->size;

	for (size_t i = 0;
		!b->no_cells && b->x->op_cells + want > OP_CELLS_MAX && i < b->n->comms.n; i++) {
		struct comm *other = b->n->comms.at[i];

		if (other->gone || comm_is_silent(b->n, other, b->now))
			ops_release(b->x, other);
	}
	b->no_cells = b->x->op_cells + want > OP_CELLS_MAX;
	return b->x->op_cells + want <= OP_CELLS_MAX;
}

static struct op *find_op(struct comm *c, uint8_t func, int64_t seq, bool *older)
{
	unsigned n = c->next_op < NCCL_OPS ? (unsigned)c->next_op : NCCL_OPS;
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < n; i++) {
		struct op *op = &c->ops[(c->next_op - 1 - i) % NCCL_OPS];

		if (!op->rank || op->func != func)
			continue;
		if (op->seq == seq)
			return op;
		if (op->seq < least)
			least = op->seq;
	}
	/* A full ring has dropped all operations older than its oldest. */
	*older = n == NCCL_OPS && least != INT64_MAX && seq < least;
	return NULL;
}

static struct op *open_op(struct nccl_batch *b, struct comm *c, uint8_t func, int64_t seq)
{
	struct op *op = &c->ops[c->next_op % NCCL_OPS];
	struct op_rank *cells = op->rank;

	if (b->cells_left < (size_t)c->size || (!cells && !make_room(b, c)))
		return NULL;
	if (!cells) {
		cells = mem_alloc((size_t)c->size * sizeof(*cells));
		b->x->op_cells += (size_t)c->size;
	}
	b->cells_left -= (size_t)c->size;
	cells_clear(cells, 0, c->size);
	*op = (struct op){.seq = seq, .func = func, .first_us = b->now, .rank = cells};
	c->next_op++;
	comm_grew(c, b->now);
	return op;
}

static bool cell_is_empty(const struct op_rank *r)
{
	return !r->begin_us && !r->end_us && isnan(r->took_us) && isnan(r->send_us);
}

/* A plausible time: hostile or broken values would corrupt every median. */
static float time_of(double us)
{
	return us >= 0 && us < 1e12 ? (float)us : NAN;
}

static int64_t clock_of(int64_t us)
{
	return us > 0 && us < INT64_MAX / 4 ? us : 0;
}

static void put_op(struct op_rank *to, const struct comm *c, int func, const struct obs_nccl *r)
{
	struct rank *rank = &c->rank[r->rank];
	int64_t begin = clock_of(r->begin_us), end = clock_of(r->end_us);

	if (begin)
		to->begin_us = begin;
	if (end && end >= to->begin_us)
		to->end_us = end;
	if (!isnan(r->took_us))
		to->took_us = time_of(r->took_us);
	else if (to->begin_us && to->end_us)
		to->took_us = (float)(to->end_us - to->begin_us);
	if (to->end_us > rank->op_end_us)
		rank->op_end_us = to->end_us;
	/* Sending to one peer is the edge itself. */
	if (r->peer >= 0 && r->peer < c->nranks && strcmp(c->func[func], "Send") == 0) {
		to->peer = r->peer;
		to->send_us = to->took_us;
	}
}

/* Keeps the slowest of several peers of one rank. */
static void put_edge(struct op_rank *to, const struct comm *c, const struct obs_nccl *r)
{
	int32_t peer = r->peer >= 0 && r->peer < c->nranks ? r->peer : -1;

	if (to->peer >= 0 && to->peer != peer && !(r->took_us > (double)to->send_us))
		return;
	to->peer = peer;
	to->send_us = time_of(r->took_us);
	to->send_max_us = time_of(r->took_max_us);
	to->wait_us = time_of(r->wait_us);
	to->credit_us = time_of(r->credit_us);
}

void nccl_op(struct nccl_batch *b, struct comm *c, const struct obs_nccl *r)
{
	int func = r->func ? nccl_func(c, obs_text(b->o, r->func)) : -1;
	struct op_rank *to;
	struct op *op;
	bool older = false;

	if (func < 0 || r->seq < 0) {
		b->n->refused++;
		return;
	}
	comm_pace_saw(c, func, r->seq);
	if (r->seq <= c->newest[func] - NCCL_OPS)
		return; /* the same batch has newer operations that would push it out */
	op = find_op(c, (uint8_t)func, r->seq, &older);
	if (older)
		return;
	if (!op)
		op = open_op(b, c, (uint8_t)func, r->seq);
	if (!op) {
		b->n->refused++;
		return;
	}
	to = &op->rank[r->rank];
	if (cell_is_empty(to))
		op->told++;
	if (r->bytes > op->bytes)
		op->bytes = r->bytes;
	if (r->kind == NCCL_OP)
		put_op(to, c, func, r);
	else
		put_edge(to, c, r);
	b->changed = true;
}

/* Reported parts of a rank's cell in an operation. */
enum { CELL_BEGIN = 1, CELL_END = 2, CELL_TOOK = 4, CELL_EDGE = 8, CELL_PEER = 16, CELL_ALL = 31 };

static uint8_t cell_parts(const struct op_rank *r)
{
	bool edge = !state_is_nan(r->send_us) || !state_is_nan(r->send_max_us) ||
		    !state_is_nan(r->wait_us) || !state_is_nan(r->credit_us);

	return (uint8_t)((r->begin_us ? CELL_BEGIN : 0) | (r->end_us ? CELL_END : 0) |
			 (!state_is_nan(r->took_us) ? CELL_TOOK : 0) | (edge ? CELL_EDGE : 0) |
			 (r->peer != -1 ? CELL_PEER : 0));
}

static void cell_state(
	struct state *s, const struct comm *c, struct op_rank *r, int64_t *near, size_t i)
{
	uint8_t parts = cell_parts(r);

	STATE_SIZE(struct op_rank, 40);
	state_small(s, &parts, CELL_ALL + 1);
	if (parts & CELL_BEGIN)
		state_time(s, &r->begin_us, *near);
	if (parts & CELL_END)
		state_time(s, &r->end_us, r->begin_us ? r->begin_us : *near);
	if (r->begin_us)
		*near = r->begin_us;
	if (parts & CELL_TOOK)
		state_real(s, &r->took_us);
	if (parts & CELL_EDGE) {
		state_real(s, &r->send_us);
		state_real(s, &r->send_max_us);
		state_real(s, &r->wait_us);
		state_real(s, &r->credit_us);
	}
	if (parts & CELL_PEER)
		state_near32(s, &r->peer, (int32_t)i);
	if (r->peer < -1 || r->peer >= c->nranks)
		s->bad = true;
}

void op_cells_state(struct state *s, struct comm *c, struct op *op, size_t from, size_t to)
{
	int64_t near = op->first_us;

	if (s->loading && !from)
		cells_clear(op->rank, 0, c->size);
	for (size_t i = from; i < to && !s->bad; i++)
		cell_state(s, c, &op->rank[i], &near, i);
}
