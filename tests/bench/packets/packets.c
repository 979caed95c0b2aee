/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/packets/packets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

#define RESERVE 4096.0
#define RESUME  3072.0
#define GAIN    (1.0 / 256)

/* ---- building ---- */

int pk_node(struct pk_net *n, const char *name, const char *role, int pod, int rail, int server)
{
	struct pk_node *node = vec_add(&n->nodes);

	(void)str_copy(node->name, sizeof(node->name), name);
	(void)str_copy(node->role, sizeof(node->role), role);
	node->nic = str_eq(role, "nic");
	node->pod = pod;
	node->rail = rail;
	node->server = server;
	return (int)n->nodes.n - 1;
}

bool pk_is_nic(const struct pk_net *n, int node)
{
	return n->nodes.at[node].nic;
}

static int add_port(
	struct pk_net *n, int node, double gbps, double delay_us, double kmin_kb, double kmax_kb)
{
	struct pk_port *p = vec_add(&n->ports);
	int id = (int)n->ports.n - 1;

	p->node = node;
	p->number = (int)n->nodes.at[node].ports.n + 1;
	p->gbps = p->planned_gbps = gbps;
	p->delay_us = delay_us;
	p->k_min = kmin_kb * 1000;
	p->k_max = kmax_kb * 1000;
	p->up = true;
	p->shift = gbps > 200 ? 1 : gbps > 100 ? 2 : 3;
	p->queue.at = mem_calloc(PK_QUEUE, sizeof(*p->queue.at));
	p->lossy.at = mem_calloc(PK_QUEUE, sizeof(*p->lossy.at));
	p->wire = mem_calloc(PK_WIRE, sizeof(*p->wire));
	p->wire_at = mem_calloc(PK_WIRE, sizeof(*p->wire_at));
	vec_push(&n->nodes.at[node].ports, id);
	return id;
}

int pk_link(struct pk_net *n, int a, int b, double gbps, double delay_us, double kmin_kb,
	double kmax_kb)
{
	int x = add_port(n, a, gbps, delay_us, kmin_kb, kmax_kb);
	int y = add_port(n, b, gbps, delay_us, kmin_kb, kmax_kb);

	n->ports.at[x].peer = y;
	n->ports.at[y].peer = x;
	return x;
}

int pk_to(const struct pk_net *n, int a, int b)
{
	const struct pk_node *node = &n->nodes.at[a];

	for (size_t i = 0; i < node->ports.n; i++)
		if (n->ports.at[n->ports.at[node->ports.at[i]].peer].node == b)
			return node->ports.at[i];
	return -1;
}

int pk_find(const struct pk_net *n, const char *name)
{
	for (size_t i = 0; i < n->nodes.n; i++)
		if (str_eq(n->nodes.at[i].name, name))
			return (int)i;
	return -1;
}

int pk_flow_over(struct pk_net *n, const int *port, unsigned hops, double bytes, double start_us,
	bool controlled)
{
	struct pk_flow *f = vec_add(&n->flows);
	const struct pk_port *last = &n->ports.at[port[hops - 1]];

	f->src = n->ports.at[port[0]].node;
	f->dst = n->ports.at[last->peer].node;
	f->hops = hops;
	for (unsigned i = 0; i < hops; i++)
		f->path[i] = port[i];
	f->rate = f->target = n->ports.at[port[0]].gbps;
	f->left = f->bytes = bytes;
	f->start_us = f->risen_us = start_us;
	f->controlled = controlled;
	f->alpha = 1;
	vec_push(&n->nodes.at[f->src].flows, (int)n->flows.n - 1);
	return (int)n->flows.n - 1;
}

int pk_flow(struct pk_net *n, const int *node, unsigned nodes, double bytes, double start_us,
	bool controlled)
{
	int port[PK_HOPS];

	for (unsigned i = 0; i + 1 < nodes; i++)
		port[i] = pk_to(n, node[i], node[i + 1]);
	return pk_flow_over(n, port, nodes - 1, bytes, start_us, controlled);
}

void pk_more(struct pk_net *n, int flow, double bytes)
{
	struct pk_flow *f = &n->flows.at[flow];

	f->left += bytes;
	n->nodes.at[f->src].idle_until_us = 0;
}

void pk_ready(struct pk_net *n, double buffer)
{
	n->packet = n->packet > 0 ? n->packet : PK_BYTES;
	n->slot_us = n->slot_us > 0 ? n->slot_us : PK_SLOT;
	n->busy = mem_calloc(n->ports.n, sizeof(*n->busy));
	for (size_t i = 0; i < n->ports.n; i++) {
		struct pk_port *p = &n->ports.at[i];

		p->headroom = p->gbps * 1e3 / 8 * fmax(p->delay_us, 1) * 3;
		n->nodes.at[p->node].reserved += p->headroom + RESERVE;
	}
	for (size_t i = 0; i < n->nodes.n; i++)
		n->nodes.at[i].buffer = buffer;
}

/* ---- buffers and pauses ---- */

static double threshold(const struct pk_net *n, const struct pk_port *p)
{
	const struct pk_node *node = &n->nodes.at[p->node];

	return fmax(node->buffer - node->reserved - node->used, 0) / (1U << p->shift);
}

/* The port tells its peer to stop or to go on; it gets there a wire later. */
static void signal_peer(struct pk_net *n, struct pk_port *p, bool stop)
{
	struct pk_port *peer = &n->ports.at[p->peer];

	if (p->holds == stop || p->no_pause)
		return;
	p->holds = stop;
	p->c.xoff_tx += stop;
	peer->signal[peer->signal_tail % 64] = stop;
	peer->signal_at[peer->signal_tail++ % 64] =
		n->slot + (uint64_t)(p->delay_us / n->slot_us) + 1;
	n->busy[p->peer] = true;
}

static double shared_of(const struct pk_port *p)
{
	return fmax(p->ingress - RESERVE, 0);
}

static void weigh_ingress(struct pk_net *n, struct pk_port *p)
{
	double shared = shared_of(p), limit = threshold(n, p);

	if (!p->holds && (p->in_headroom > 0 || shared >= limit))
		signal_peer(n, p, true);
	else if (p->holds && p->in_headroom <= 0 && (shared <= 0 || shared + RESUME <= limit))
		signal_peer(n, p, false);
}

/* False: there is no room, not even the headroom for packets still on the wire. */
static bool take_in(struct pk_net *n, struct pk_port *p)
{
	bool fits = shared_of(p) + n->packet <= threshold(n, p);

	if (!fits && p->in_headroom + n->packet > p->headroom)
		return false;
	if (fits) {
		p->ingress += n->packet;
		n->nodes.at[p->node].used += n->packet;
	} else {
		p->in_headroom += n->packet;
	}
	p->c.ingress_peak = fmax(p->c.ingress_peak, p->ingress + p->in_headroom);
	p->c.headroom_peak = fmax(p->c.headroom_peak, p->in_headroom);
	weigh_ingress(n, p);
	return true;
}

/* The packet leaves the switch by which it came in. */
static void let_go(struct pk_net *n, struct pk pk)
{
	struct pk_port *p;

	if (pk.in < 0)
		return;
	p = &n->ports.at[pk.in];
	if (p->in_headroom > 0) {
		p->in_headroom -= n->packet;
	} else {
		p->ingress -= n->packet;
		n->nodes.at[p->node].used -= n->packet;
	}
	weigh_ingress(n, p);
}

/* ---- arrivals ---- */

static void slow_down(struct pk_net *n, struct pk_flow *f)
{
	n->nodes.at[f->src].cnp_got++;
	if (!f->controlled || n->now_us - f->cut_us < 4)
		return;
	f->alpha = f->alpha * pow(1 - GAIN, fmin(n->now_us - f->cut_us, 1000)) * (1 - GAIN) + GAIN;
	f->target = f->rate;
	f->rate = fmax(f->rate * (1 - f->alpha / 2), 0.1);
	f->cut_us = f->risen_us = n->now_us;
	f->rises = 0;
}

static void receive(struct pk_net *n, struct pk_port *p, struct pk pk)
{
	struct pk_node *node = &n->nodes.at[p->node];
	struct pk_flow *f = &n->flows.at[pk.flow];

	f->got += n->packet;
	f->acks++;
	p->rx_buffer += p->drain > 0 ? n->packet : 0;
	if (f->plain) {
		node->plain_received += (uint64_t)n->packet;
		return;
	}
	node->received += (uint64_t)n->packet;
	if (!pk.marked)
		return;
	node->ce++;
	node->cnp_sent++;
	slow_down(n, f);
}

/* The receiver says that it is missing, and the sender sends it again. */
static void lose(struct pk_net *n, struct pk pk)
{
	struct pk_flow *f = &n->flows.at[pk.flow];

	n->nodes.at[f->dst].nak++;
	n->nodes.at[f->src].seq_err++;
	pk_more(n, pk.flow, n->packet);
	if (n->resend_us > 0)
		f->next_us = fmax(f->next_us, n->now_us + n->resend_us);
}

/* Nothing arrives behind it either, so the sender waits for its timer. */
static void lose_on_dead_link(struct pk_net *n, struct pk pk)
{
	struct pk_flow *f = &n->flows.at[pk.flow];

	if (n->timeout_us <= 0)
		return;
	pk_more(n, pk.flow, n->packet);
	if (f->timeout_until <= n->now_us) {
		n->nodes.at[f->src].timeouts++;
		f->timeout_until = n->now_us + n->timeout_us;
	}
	f->next_us = fmax(f->next_us, f->timeout_until);
}

static void push_pk(struct pk_net *n, struct pk_queue *q, struct pk pk)
{
	if (q->head == q->tail)
		q->head = q->tail = 0;
	q->at[q->tail++ % PK_QUEUE] = pk;
	q->bytes += n->packet;
}

static struct pk pop_pk(struct pk_net *n, struct pk_queue *q)
{
	q->bytes -= n->packet;
	return q->at[q->head++ % PK_QUEUE];
}

static void enqueue_lossy(struct pk_net *n, struct pk_port *p, struct pk pk)
{
	if (p->lossy.bytes + n->packet > PK_LOSSY) {
		p->c.drop_lossy++;
		lose(n, pk);
		return;
	}
	push_pk(n, &p->lossy, pk);
	p->c.lossy_peak = fmax(p->c.lossy_peak, p->lossy.bytes);
}

static void enqueue(struct pk_net *n, int out, struct pk pk)
{
	struct pk_port *p = &n->ports.at[out];
	double over = p->queue.bytes - p->k_min;

	if (!p->up || p->queue.tail - p->queue.head >= PK_QUEUE - 1) {
		p->c.drop_link++;
		let_go(n, pk);
		lose_on_dead_link(n, pk);
		return;
	}
	n->busy[out] = true;
	if (n->flows.at[pk.flow].lossy) {
		enqueue_lossy(n, p, pk);
		return;
	}
	n->seed = n->seed * 1664525 + 1013904223;
	if (!p->no_marks && !pk.marked && over > 0 &&
		(p->queue.bytes > p->k_max ||
			(n->seed >> 8) / 16777216.0 < 0.2 * over / (p->k_max - p->k_min))) {
		pk.marked = 1;
		p->c.marked++;
	}
	push_pk(n, &p->queue, pk);
	p->c.queue_peak = fmax(p->c.queue_peak, p->queue.bytes);
}

static void arrive(struct pk_net *n, int port, struct pk pk)
{
	struct pk_port *p = &n->ports.at[port];
	struct pk_flow *f = &n->flows.at[pk.flow];

	p->c.rx += (uint64_t)n->packet;
	p->c.rx_lossy += f->lossy ? (uint64_t)n->packet : 0;
	p->lost += p->loss;
	if (p->lost >= 1) {
		p->lost -= 1;
		p->c.crc++;
		lose(n, pk);
		return;
	}
	p->c.ce_rx += pk.marked;
	if (pk_is_nic(n, p->node)) {
		receive(n, p, pk);
		return;
	}
	if (!f->lossy && !take_in(n, p)) {
		p->c.drop_buffer++;
		lose(n, pk);
		return;
	}
	pk.in = f->lossy ? -1 : port;
	pk.hop++;
	enqueue(n, f->path[pk.hop], pk);
}

/* ---- departures ---- */

static void put_on_wire(struct pk_net *n, struct pk_port *p, struct pk pk)
{
	p->c.tx += (uint64_t)n->packet;
	p->c.tx_lossy += n->flows.at[pk.flow].lossy ? (uint64_t)n->packet : 0;
	if (p->wire_head == p->wire_tail)
		p->wire_head = p->wire_tail = 0;
	p->wire[p->wire_tail % PK_WIRE] = pk;
	p->wire_at[p->wire_tail++ % PK_WIRE] = n->slot + (uint64_t)(p->delay_us / n->slot_us) + 1;
}

/* The two priorities take turns; a pause holds the lossless one only. */
static bool send_queued(struct pk_net *n, struct pk_port *p, bool held)
{
	bool lossy = p->lossy.head != p->lossy.tail, any = !held && p->queue.head != p->queue.tail;
	struct pk pk;

	if (!lossy && !any)
		return false;
	p->lossy_turn = lossy && (!any || !p->lossy_turn);
	pk = pop_pk(n, p->lossy_turn ? &p->lossy : &p->queue);
	let_go(n, pk);
	put_on_wire(n, p, pk);
	return true;
}

static double line_of(const struct pk_flow *f, double gbps)
{
	return f->limit > 0 ? fmin(f->limit, gbps) : gbps;
}

/* First back towards the old rate, then on in small steps, then in large ones. */
static double step_of(const struct pk_net *n, struct pk_flow *f)
{
	if (n->hyper_gbps <= 0)
		return n->rise_gbps;
	f->rises++;
	return f->rises <= 5 ? 0 : f->rises <= 10 ? n->rise_gbps : n->hyper_gbps;
}

/* A burst comes on connections that know of no mark yet. */
static void begin_period(struct pk_flow *f, double start_us, double gbps)
{
	if (start_us <= f->period_us)
		return;
	f->period_us = start_us;
	f->rate = f->target = line_of(f, gbps);
	f->alpha = 1;
	f->rises = 0;
}

static void speed_up(struct pk_net *n, struct pk_flow *f, double gbps)
{
	if (!f->controlled || n->now_us - f->risen_us < n->rise_us)
		return;
	f->risen_us = n->now_us;
	f->target = fmin(f->target + step_of(n, f), line_of(f, gbps));
	f->rate = (f->rate + f->target) / 2;
}

/* When the flow may send, or its rate may rise: now or before, if it may now. */
static double next_of(const struct pk_net *n, const struct pk_flow *f)
{
	double next = f->next_us, phase;

	if (f->stop_us > 0 && n->now_us >= f->stop_us)
		return INFINITY;
	if (n->now_us < f->start_us)
		return f->start_us;
	if (f->every_us > 0) {
		phase = fmod(n->now_us - f->start_us, f->every_us);
		if (phase >= f->on_us)
			return n->now_us + f->every_us - phase;
	}
	return f->controlled ? fmin(next, f->risen_us + n->rise_us) : next;
}

static bool send_new(struct pk_net *n, struct pk_port *p, bool held)
{
	struct pk_node *node = &n->nodes.at[p->node];
	double soonest = INFINITY;

	if (n->now_us < node->idle_until_us)
		return false;
	for (size_t i = 0; i < node->flows.n; i++) {
		size_t k = (node->turn + i) % node->flows.n;
		struct pk_flow *f = &n->flows.at[node->flows.at[k]];
		double next;

		if (f->left < n->packet)
			continue;
		next = next_of(n, f);
		soonest = fmin(soonest, next);
		if (next > n->now_us)
			continue;
		if (f->every_us > 0)
			begin_period(
				f, n->now_us - fmod(n->now_us - f->start_us, f->every_us), p->gbps);
		speed_up(n, f, p->gbps);
		if (n->now_us < f->next_us || (held && !f->lossy))
			continue;
		f->next_us = fmax(f->next_us, n->now_us - 1) +
			     n->packet * 8e-3 / fmin(f->rate, line_of(f, f->rate));
		f->left -= n->packet;
		*(f->plain ? &node->plain_sent : &node->sent) += (uint64_t)n->packet;
		node->turn = k + 1;
		put_on_wire(n, p, (struct pk){(uint16_t)node->flows.at[k], 0, 0, -1});
		return true;
	}
	node->idle_until_us = soonest;
	return false;
}

static void send_some(struct pk_net *n, struct pk_port *p)
{
	bool nic = pk_is_nic(n, p->node), held = p->held && !p->deaf;
	double gbps = nic && p->cap > 0 ? fmin(p->cap, p->gbps) : p->gbps;
	double gain = gbps * 1e3 / 8 * n->slot_us;

	/* A port that had nothing to do was not looked at for some slots. */
	p->credit = fmin(
		p->credit + gain * (double)(n->slot - p->stepped + !n->slot), gain + n->packet);
	p->stepped = n->slot;
	p->c.held += p->held ? n->slot_us : 0;
	if (!p->up)
		return;
	while (p->credit >= n->packet && (nic ? send_new(n, p, held) : send_queued(n, p, held)))
		p->credit -= n->packet;
}

/* ---- time ---- */

static void drain_nic(struct pk_net *n, struct pk_port *p)
{
	if (p->storm) {
		signal_peer(n, p, true);
		return;
	}
	if (p->drain <= 0) {
		signal_peer(n, p, false);
		return;
	}
	p->rx_buffer = fmax(p->rx_buffer - p->drain * 1e3 / 8 * n->slot_us, 0);
	if (p->rx_buffer > 600e3)
		signal_peer(n, p, true);
	else if (p->rx_buffer < 500e3)
		signal_peer(n, p, false);
}

static void take_signals(struct pk_net *n, struct pk_port *p)
{
	while (p->signal_head != p->signal_tail && p->signal_at[p->signal_head % 64] <= n->slot) {
		p->held = p->signal[p->signal_head++ % 64];
		p->c.xoff_rx += p->held;
	}
}

static void step_port(struct pk_net *n, int port)
{
	struct pk_port *p = &n->ports.at[port];
	bool nic = pk_is_nic(n, p->node);

	take_signals(n, p);
	while (p->wire_head != p->wire_tail && p->wire_at[p->wire_head % PK_WIRE] <= n->slot) {
		struct pk pk = p->wire[p->wire_head++ % PK_WIRE];

		if (p->up)
			arrive(n, p->peer, pk);
		else if (n->timeout_us > 0)
			lose_on_dead_link(n, pk);
		else
			lose(n, pk);
	}
	if (nic)
		drain_nic(n, p);
	p->c.holds += p->holds ? n->slot_us : 0;
	send_some(n, p);
	n->busy[port] = nic || p->held || p->holds || p->signal_head != p->signal_tail ||
			p->wire_head != p->wire_tail || p->queue.head != p->queue.tail ||
			p->lossy.head != p->lossy.tail;
}

/* All flows of the job begin again when all are done, after a rest. */
static void step_job(struct pk_net *n)
{
	bool any = false;

	if (n->now_us < n->rest_until_us)
		return;
	for (size_t i = 0; i < n->flows.n; i++) {
		any |= n->flows.at[i].job;
		if (n->flows.at[i].job && n->flows.at[i].left >= n->packet)
			return;
	}
	n->rest_until_us = n->now_us + n->rest_us;
	for (size_t i = 0; any && i < n->flows.n; i++) {
		struct pk_flow *f = &n->flows.at[i];

		if (!f->job)
			continue;
		pk_more(n, (int)i, f->bytes);
		f->start_us = n->rest_until_us;
	}
}

static void drop_queue(struct pk_net *n, struct pk_port *p, struct pk_queue *q)
{
	while (q->head != q->tail) {
		struct pk pk = pop_pk(n, q);

		let_go(n, pk);
		p->c.drop_link++;
		if (n->timeout_us > 0)
			lose_on_dead_link(n, pk);
		else
			lose(n, pk);
	}
}

static void tell_link(const struct pk_net *n, const struct pk_port *p, bool up)
{
	const char *name = n->nodes.at[p->node].name;

	(void)fprintf(n->events, "%.3f,%s,%s,%d\n", n->now_us, up ? "link_up" : "link_down", name,
		p->number);
}

void pk_set_up(struct pk_net *n, int port, bool up)
{
	struct pk_port *p = &n->ports.at[port], *q = &n->ports.at[p->peer];

	if (n->events && p->up != up) {
		tell_link(n, p, up);
		tell_link(n, q, up);
	}
	p->c.down += p->up && !up;
	q->c.down += q->up && !up;
	p->up = q->up = up;
	for (struct pk_port *e = p; !up && e; e = e == p ? q : NULL) {
		drop_queue(n, e, &e->queue);
		drop_queue(n, e, &e->lossy);
	}
}

/* ---- a run ---- */

static bool every(const struct pk_net *n, double us)
{
	uint64_t slots = (uint64_t)(us / n->slot_us + 0.5);

	return slots <= 1 || n->slot % slots == 0;
}

static void step(struct pk_net *n, pk_event_fn *at, void *ctx)
{
	if (at && every(n, n->event_us > 0 ? n->event_us : n->bucket_us))
		at(n, ctx);
	for (size_t i = 0; i < n->ports.n; i++)
		if (n->busy[i])
			step_port(n, (int)i);
	if (!every(n, n->tick_us > 0 ? n->tick_us : 1))
		return;
	step_job(n);
	if (n->tick)
		n->tick(n, ctx);
}

bool pk_run(struct pk_net *n, const char *dir, pk_event_fn *at, void *ctx)
{
	FILE *topology = pk_create(dir, "topology.json"), *ports = pk_create(dir, "ports.csv"),
	     *nics = pk_create(dir, "nics.csv"), *const files[] = {topology, ports, nics};
	uint64_t slots = (uint64_t)(n->duration_us / n->slot_us + 0.5);
	bool ok = topology && ports && nics;

	if (ok) {
		pk_write_topology(n, topology);
		pk_write_columns(ports, nics);
	}
	for (size_t i = 0; i < n->ports.n; i++)
		n->busy[i] = true;
	for (n->slot = 0; ok && n->slot < slots; n->slot++) {
		n->now_us = (double)n->slot * n->slot_us;
		if (n->slot && every(n, n->bucket_us))
			pk_write_bucket(n, ports, nics);
		step(n, at, ctx);
	}
	for (size_t i = 0; i < 3; i++)
		ok = files[i] && fclose(files[i]) == 0 && ok;
	return ok;
}

void pk_free(struct pk_net *n)
{
	for (size_t i = 0; i < n->ports.n; i++) {
		free(n->ports.at[i].queue.at);
		free(n->ports.at[i].lossy.at);
		free(n->ports.at[i].wire);
		free(n->ports.at[i].wire_at);
	}
	for (size_t i = 0; i < n->nodes.n; i++) {
		vec_free(&n->nodes.at[i].ports);
		vec_free(&n->nodes.at[i].flows);
	}
	free(n->busy);
	vec_free(&n->nodes);
	vec_free(&n->ports);
	vec_free(&n->flows);
	*n = (struct pk_net){0};
}
