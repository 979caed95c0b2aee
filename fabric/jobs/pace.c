/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/state.h"
#include "fabric/jobs/nccl_internal.h"

/* The progress of a communicator over the last hour. */

/* More at once is another count, of a new process or of a broken source. */
#define JUMP_MOST INT64_C(1000000000)

void comm_pace_begin(struct comm *c)
{
	for (unsigned i = 0; i < NCCL_FUNCS; i++)
		c->pace.top[i] = -1;
}

void comm_pace_free(struct comm *c)
{
	free(c->pace.at);
	c->pace = (struct comm_pace){0};
}

void comm_pace_saw(struct comm *c, int func, int64_t seq)
{
	int64_t *top = &c->pace.top[func];

	if (*top >= 0 && seq > *top && seq - *top < JUMP_MOST)
		c->pace.ops += (uint64_t)(seq - *top);
	if (seq > *top)
		*top = seq;
}

/* The i-th point, the oldest first. */
static struct pace_point *point_at(const struct comm_pace *p, uint32_t i)
{
	return &p->at[(p->next + COMM_PACE - p->n + i) % COMM_PACE];
}

static bool has_counted(const struct comm *c)
{
	for (unsigned i = 0; i < c->nfuncs; i++)
		if (c->pace.top[i] >= 0)
			return true;
	return false;
}

void comm_pace_note(struct comm *c, int64_t now_us)
{
	struct comm_pace *p = &c->pace;

	if (!has_counted(c))
		return;
	if (!p->at)
		p->at = mem_calloc(COMM_PACE, sizeof(*p->at));
	/* A clock that was set back begins anew. */
	if (p->n && now_us < point_at(p, p->n - 1)->us)
		p->n = p->next = 0;
	if (p->n > 1 && now_us - point_at(p, p->n - 2)->us < COMM_PACE_US) {
		*point_at(p, p->n - 1) = (struct pace_point){now_us, p->ops};
		return;
	}
	p->at[p->next] = (struct pace_point){now_us, p->ops};
	p->next = (p->next + 1) % COMM_PACE;
	p->n += p->n < COMM_PACE;
}

/* Operations up to a time within the points, evenly between two of them. NAN: a long silence. */
static double ops_until(const struct comm_pace *p, int64_t us)
{
	uint32_t low = 0, high = p->n - 1;
	const struct pace_point *a, *b;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (point_at(p, middle)->us < us)
			low = middle + 1;
		else
			high = middle;
	}
	b = point_at(p, low);
	if (!low || b->us == us)
		return (double)(b->ops - point_at(p, 0)->ops);
	a = point_at(p, low - 1);
	if (b->us - a->us > COMM_SILENT_US)
		return NAN;
	return (double)(a->ops - point_at(p, 0)->ops) +
	       (double)(b->ops - a->ops) * (double)(us - a->us) / (double)(b->us - a->us);
}

double comm_pace_rate(const struct comm *c, int64_t from_us, int64_t to_us)
{
	const struct comm_pace *p = &c->pace;

	if (p->n < 2)
		return NAN;
	if (from_us < point_at(p, 0)->us)
		from_us = point_at(p, 0)->us;
	if (to_us > point_at(p, p->n - 1)->us)
		to_us = point_at(p, p->n - 1)->us;
	if (to_us <= from_us)
		return NAN;
	return (ops_until(p, to_us) - ops_until(p, from_us)) * 1e6 / (double)(to_us - from_us);
}

void comm_pace_state(struct state *s, struct comm *c)
{
	struct comm_pace *p = &c->pace;
	uint32_t n = p->n;
	int64_t us = c->seen_us;
	uint64_t ops = 0;

	STATE_SIZE(struct comm_pace, 120);
	for (unsigned i = 0; i < c->nfuncs; i++)
		state_i64(s, &p->top[i]);
	for (unsigned i = c->nfuncs; s->loading && i < NCCL_FUNCS; i++)
		p->top[i] = -1;
	state_u64(s, &p->ops);
	state_below(s, &n, COMM_PACE + 1);
	if (s->loading) {
		free(p->at);
		p->at = n && !s->bad ? mem_calloc(COMM_PACE, sizeof(*p->at)) : NULL;
		p->n = p->at ? n : 0;
		p->next = p->n % COMM_PACE;
	}
	for (uint32_t i = 0; i < p->n && !s->bad; i++) {
		struct pace_point *at = point_at(p, i);
		uint64_t more = at->ops - ops;

		state_time(s, &at->us, us);
		state_u64(s, &more);
		at->ops = ops + more;
		ops = at->ops;
		us = at->us;
	}
}
