/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/diagnosis/engine/ring.h"

#include <math.h>

#include "base/str.h"

struct ring ring_make(struct stand *s)
{
	struct ring r = {.s = s, .all = 1};

	for (int i = 0; i < RING_RANKS; i++) {
		r.gap[i] = RING_GAP;
		for (int k = 0; k < RING_RAILS; k++)
			r.slow[k][i] = 1;
	}
	return r;
}

static struct obs_nccl *add(
	struct obs *o, enum nccl_kind kind, enum nccl_source source, int rail, int rank)
{
	struct obs_nccl *n = obs_nccl(o, kind, source);
	char text[32];

	(void)str_printf(text, sizeof(text), "0xabcdef%08d", rail);
	n->comm = obs_string(o, text);
	n->job = obs_string(o, "train");
	n->rank = rank;
	n->nranks = RING_RANKS;
	(void)str_printf(text, sizeof(text), "node%03d", rank);
	n->host = obs_string(o, text);
	(void)str_printf(text, sizeof(text), "mlx5_%d", rail);
	n->nic = obs_string(o, text);
	n->gpu = rail;
	n->pid = 100 + rail;
	n->func = obs_string(o, "AllReduce");
	return n;
}

static void tell(struct ring *r, struct obs *o, int rail, int rank, double enter, double end,
	const double *enters)
{
	struct obs_nccl *n = add(o, NCCL_OP, SOURCE_INSPECTOR, rail, rank);
	int peer = (rank + 1) % RING_RANKS;

	if (r->func)
		n->func = obs_string(o, r->func);
	n->seq = r->seq;
	n->bytes = 1 << 20;
	n->took_us = end - enter;
	if (!r->times_only) {
		n->begin_us = STAND_T0 + (int64_t)enter;
		n->end_us = STAND_T0 + (int64_t)end;
	}
	if (r->no_edges)
		return;
	n = add(o, NCCL_EDGE, SOURCE_INSPECTOR, rail, rank);
	if (r->func)
		n->func = obs_string(o, r->func);
	n->seq = r->seq;
	n->peer = peer;
	n->took_us = RING_STEP * r->slow[rail][rank];
	n->credit_us = fmax(0, enters[peer] - enter);
	if (r->backlog && n->credit_us > RING_GAP)
		n->took_us *= 4;
}

static void play_one(struct ring *r, struct obs *o)
{
	double enter[RING_RANKS], start = 0, left[RING_RANKS] = {0};

	for (int i = 0; i < RING_RANKS; i++) {
		/* A few microseconds of jitter, the same each time. */
		enter[i] = r->exit[i] + r->gap[i] + (double)((i * 7 + r->seq * 3) % 11);
		start = fmax(start, enter[i]);
	}
	for (int k = 0; k < RING_RAILS; k++) {
		double slowest = 1;

		for (int i = 0; i < RING_RANKS; i++)
			slowest = fmax(slowest, r->slow[k][i]);
		for (int i = 0; i < RING_RANKS; i++) {
			double end = start + RING_US * r->all * slowest + r->exit_late[i];

			tell(r, o, k, i, enter[i], end, enter);
			left[i] = fmax(left[i], end);
		}
	}
	for (int i = 0; i < RING_RANKS; i++) {
		r->exit[i] = left[i];
		r->exit_late[i] = 0;
	}
	r->seq++;
}

static void apply(struct ring *r, struct obs *o)
{
	o->result = OBS_DATA;
	if (r->s->driver.apply) {
		/* With the poll to come: nobody leaves it unjudged until then. */
		r->s->driver.apply(r->s->driver.ctx, o, r->s->now_us + STAND_INTERVAL);
		return;
	}
	model_apply(r->s->m, o, r->s->now_us);
	obs_free(o);
}

void ring_play(struct ring *r, unsigned n)
{
	struct obs *o = obs_new("", "jsonl");

	for (unsigned i = 0; i < n; i++)
		play_one(r, o);
	apply(r, o);
}

void ring_ras(struct ring *r, const int64_t *launched, const enum nccl_state *state)
{
	struct obs *o = obs_new("", "nccl-ras");

	for (int i = 0; i < RING_RANKS; i++) {
		struct obs_nccl *n = add(o, NCCL_RANK, SOURCE_RAS, 0, i);

		n->state = (uint8_t)(state ? state[i] : NCCL_RUNNING);
		if (launched[i] < 0)
			continue;
		n = add(o, NCCL_COUNT, SOURCE_RAS, 0, i);
		n->seq = launched[i];
	}
	(void)add(o, NCCL_DONE, SOURCE_RAS, 0, -1);
	apply(r, o);
}
