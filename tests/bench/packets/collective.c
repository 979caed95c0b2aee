/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/packets/collective.h"

#include <math.h>

#define UNDER_WAY 2 /* steps of an all-to-all at once */

void collective_add(struct collective *c, const struct pk_net *n, int node, int group, int place,
	int first_flow, double start_us)
{
	struct member *m = vec_add(&c->members);

	m->node = node;
	m->server = n->nodes.at[node].server;
	m->group = group;
	m->place = place;
	m->first_flow = first_flow;
	m->start_us = start_us;
}

/* Members of a group stand side by side. */
static int group_begin(const struct collective *c, int i)
{
	return i - c->members.at[i].place;
}

static int group_size(const struct collective *c, int i)
{
	int begin = group_begin(c, i), n = 0;

	while (begin + n < (int)c->members.n &&
		c->members.at[begin + n].group == c->members.at[i].group)
		n++;
	return n;
}

static struct member *peer_of(const struct collective *c, int i, int distance)
{
	int n = group_size(c, i);

	return &c->members.at[group_begin(c, i) + (c->members.at[i].place + distance % n + n) % n];
}

/* How many steps of this call the rank has been sent by the one before it. */
static int received(const struct collective *c, int i)
{
	const struct member *m = &c->members.at[i], *before = peer_of(c, i, -1);

	if (before->seq != m->seq)
		return before->seq > m->seq ? c->steps : 0;
	return before->delivered;
}

/* All others have sent this rank their part of the call. */
static bool has_all(const struct collective *c, int i)
{
	const struct member *m = &c->members.at[i];

	if (c->pattern == PATTERN_RING)
		return received(c, i) >= c->steps;
	for (int k = 1; k <= c->steps; k++) {
		const struct member *p = peer_of(c, i, -k);

		if (p->seq < m->seq || (p->seq == m->seq && p->delivered < k))
			return false;
	}
	return true;
}

static int step_flow(const struct collective *c, const struct member *m, int step)
{
	return c->pattern == PATTERN_RING ? m->first_flow : m->first_flow + step * c->qps;
}

static double got_of(const struct collective *c, const struct pk_net *n, int flow)
{
	double got = 0;

	for (int q = 0; q < c->qps; q++)
		got += n->flows.at[flow + q].got;
	return got;
}

static void post_step(struct collective *c, struct pk_net *n, struct member *m)
{
	int flow = step_flow(c, m, m->posted), slot = m->posted % UNDER_WAY;
	double each = fmax(1, floor(c->chunk / c->qps / n->packet + 0.5)) * n->packet;

	m->post_us[slot] = n->now_us;
	m->target[slot] = got_of(c, n, flow) + each * c->qps;
	for (int q = 0; q < c->qps; q++)
		pk_more(n, flow + q, each);
	m->posted++;
}

static void take_delivered(const struct collective *c, const struct pk_net *n, struct member *m)
{
	while (m->delivered < m->posted) {
		int slot = m->delivered % UNDER_WAY;
		double took = n->now_us - m->post_us[slot];

		if (got_of(c, n, step_flow(c, m, m->delivered)) < m->target[slot] - 1)
			return;
		m->step_sum += took;
		m->step_max = fmax(m->step_max, took);
		m->delivered++;
	}
}

/* ---- calls ---- */

static double late_of(const struct collective *c, const struct member *m)
{
	return m->server == c->late_server ? c->late_us : 0;
}

static void enter_call(const struct pk_net *n, struct member *m)
{
	m->in = true;
	m->enter_us = n->now_us;
	m->posted = m->delivered = 0;
	m->step_sum = m->step_max = m->receive_us = m->credit_us = 0;
}

static void write_call(const struct collective *c, const struct pk_net *n, int i, FILE *ops)
{
	const struct member *m = &c->members.at[i];
	bool ring = c->pattern == PATTERN_RING;

	(void)fprintf(ops, "%s,%d,%s,%s,%s,%s,%.1f,%.1f,%.0f,%d,%.1f,%.1f,%.1f,%.1f\n", c->name,
		m->seq, ring ? "allreduce_ring" : "alltoall", n->nodes.at[m->node].name,
		ring ? n->nodes.at[peer_of(c, i, -1)->node].name : "",
		ring ? n->nodes.at[peer_of(c, i, 1)->node].name : "", m->enter_us, m->exit_us,
		c->chunk * c->steps, c->steps, m->step_sum / c->steps, m->step_max, m->receive_us,
		m->credit_us);
}

static void count_call(struct collective *c, const struct pk_net *n, const struct member *m)
{
	double took = m->exit_us - m->enter_us;

	/* The first call has nobody's lateness in it. */
	if (n->now_us < n->window_from && m->seq > 0) {
		c->before++;
		c->before_us += took;
	} else if (n->now_us >= n->window_from && n->now_us <= n->window_to + n->bucket_us) {
		c->window++;
		c->window_us += took;
	}
}

/* The server's NICs wait for one another; when the last is through, all know their next start. */
static void meet_server(struct collective *c, const struct pk_net *n, const struct member *m)
{
	for (size_t i = 0; i < c->members.n; i++)
		if (c->members.at[i].server == m->server &&
			(c->members.at[i].in || c->members.at[i].seq != m->seq))
			return;
	for (size_t i = 0; i < c->members.n; i++)
		if (c->members.at[i].server == m->server)
			c->members.at[i].start_us = n->now_us + c->rest_us + late_of(c, m);
}

static void leave_call(struct collective *c, const struct pk_net *n, int i, FILE *ops)
{
	struct member *m = &c->members.at[i];

	m->exit_us = n->now_us;
	if (ops)
		write_call(c, n, i, ops);
	count_call(c, n, m);
	m->in = false;
	m->posted = m->delivered = 0;
	m->seq++;
	m->start_us = INFINITY;
	meet_server(c, n, m);
}

static void step_ring(struct collective *c, struct pk_net *n, int i, double us)
{
	struct member *m = &c->members.at[i];
	const struct member *next = peer_of(c, i, 1);

	if (m->posted > m->delivered)
		return;
	if (m->delivered == c->steps || m->delivered > received(c, i))
		m->receive_us += us;
	else if (next->seq < m->seq || (next->seq == m->seq && !next->in))
		m->credit_us += us;
	else
		post_step(c, n, m);
}

static void step_all_to_all(struct collective *c, struct pk_net *n, int i, double us)
{
	struct member *m = &c->members.at[i];

	while (m->posted < c->steps && m->posted - m->delivered < UNDER_WAY)
		post_step(c, n, m);
	if (m->delivered == c->steps)
		m->receive_us += us;
}

void collective_step(struct collective *c, struct pk_net *n, double us, FILE *ops)
{
	for (int i = 0; i < (int)c->members.n; i++) {
		struct member *m = &c->members.at[i];

		if (!m->in && n->now_us >= m->start_us &&
			(c->stop_us <= 0 || n->now_us < c->stop_us))
			enter_call(n, m);
		if (!m->in)
			continue;
		take_delivered(c, n, m);
		if (m->delivered == c->steps && has_all(c, i)) {
			leave_call(c, n, i, ops);
			continue;
		}
		if (c->pattern == PATTERN_RING)
			step_ring(c, n, i, us);
		else
			step_all_to_all(c, n, i, us);
	}
}

void collective_columns(FILE *ops)
{
	(void)fputs("job,op_seq,op,node,prev_peer,next_peer,t_enter_us,t_exit_us,bytes,steps,"
		    "send_step_us_mean,send_step_us_max,recv_wait_us,credit_wait_us\n",
		ops);
}

void collective_free(struct collective *c)
{
	vec_free(&c->members);
}
