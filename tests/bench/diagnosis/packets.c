/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/packets.h"

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
	node->pod = pod;
	node->rail = rail;
	node->server = server;
	return (int)n->nodes.n - 1;
}

static bool is_nic(const struct pk_net *n, int node)
{
	return str_eq(n->nodes.at[node].role, "nic");
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
	p->queue = mem_calloc(PK_QUEUE, sizeof(*p->queue));
	p->wire = mem_calloc(PK_QUEUE, sizeof(*p->wire));
	p->wire_at = mem_calloc(PK_QUEUE, sizeof(*p->wire_at));
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

int pk_flow(struct pk_net *n, const int *node, unsigned nodes, double bytes, double start_us,
	bool controlled)
{
	struct pk_flow *f = vec_add(&n->flows);

	f->src = node[0];
	f->dst = node[nodes - 1];
	f->hops = nodes - 1;
	for (unsigned i = 0; i + 1 < nodes; i++)
		f->path[i] = pk_to(n, node[i], node[i + 1]);
	f->rate = f->target = n->ports.at[f->path[0]].gbps;
	f->left = f->bytes = bytes;
	f->start_us = f->risen_us = start_us;
	f->controlled = controlled;
	f->alpha = 1;
	vec_push(&n->nodes.at[f->src].flows, (int)n->flows.n - 1);
	return (int)n->flows.n - 1;
}

void pk_ready(struct pk_net *n, double buffer)
{
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
	peer->signal_at[peer->signal_tail++ % 64] = n->slot + (uint64_t)(p->delay_us / PK_SLOT) + 1;
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
	bool fits = shared_of(p) + PK_BYTES <= threshold(n, p);

	if (!fits && p->in_headroom + PK_BYTES > p->headroom)
		return false;
	if (fits) {
		p->ingress += PK_BYTES;
		n->nodes.at[p->node].used += PK_BYTES;
	} else {
		p->in_headroom += PK_BYTES;
	}
	p->c.ingress_peak = fmax(p->c.ingress_peak, p->ingress + p->in_headroom);
	p->c.headroom_peak = fmax(p->c.headroom_peak, p->in_headroom);
	weigh_ingress(n, p);
	return true;
}

static void let_go(struct pk_net *n, struct pk_port *p)
{
	if (p->in_headroom > 0) {
		p->in_headroom -= PK_BYTES;
	} else {
		p->ingress -= PK_BYTES;
		n->nodes.at[p->node].used -= PK_BYTES;
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
}

static void receive(struct pk_net *n, struct pk_port *p, struct pk pk)
{
	struct pk_node *node = &n->nodes.at[p->node];

	node->received += PK_BYTES;
	p->rx_buffer += p->drain > 0 ? PK_BYTES : 0;
	if (!pk.marked)
		return;
	node->ce++;
	node->cnp_sent++;
	slow_down(n, &n->flows.at[pk.flow]);
}

static void enqueue(struct pk_net *n, int out, struct pk pk)
{
	struct pk_port *p = &n->ports.at[out];
	double over = p->egress - p->k_min;

	if (!p->up || p->tail - p->head >= PK_QUEUE - 1) {
		p->c.drop_link++;
		let_go(n, &n->ports.at[pk.in]);
		return;
	}
	n->seed = n->seed * 1664525 + 1013904223;
	if (!p->no_marks && !pk.marked && over > 0 &&
		(p->egress > p->k_max ||
			(n->seed >> 8) / 16777216.0 < 0.2 * over / (p->k_max - p->k_min))) {
		pk.marked = 1;
		p->c.marked++;
	}
	p->queue[p->tail++ % PK_QUEUE] = pk;
	p->egress += PK_BYTES;
	p->c.queue_peak = fmax(p->c.queue_peak, p->egress);
}

static void lose(struct pk_net *n, struct pk pk)
{
	struct pk_flow *f = &n->flows.at[pk.flow];

	n->nodes.at[f->dst].nak++;
	n->nodes.at[f->src].seq_err++;
	f->left += PK_BYTES;
}

static void arrive(struct pk_net *n, int port, struct pk pk)
{
	struct pk_port *p = &n->ports.at[port];
	struct pk_flow *f = &n->flows.at[pk.flow];

	p->c.rx += PK_BYTES;
	p->lost += p->loss;
	if (p->lost >= 1) {
		p->lost -= 1;
		p->c.crc++;
		lose(n, pk);
		return;
	}
	p->c.ce_rx += pk.marked;
	if (is_nic(n, p->node)) {
		receive(n, p, pk);
		return;
	}
	if (!take_in(n, p)) {
		p->c.drop_buffer++;
		lose(n, pk);
		return;
	}
	pk.in = port;
	pk.hop++;
	enqueue(n, f->path[pk.hop], pk);
}

/* ---- departures ---- */

static void put_on_wire(struct pk_net *n, struct pk_port *p, struct pk pk)
{
	p->c.tx += PK_BYTES;
	p->wire[p->wire_tail % PK_QUEUE] = pk;
	p->wire_at[p->wire_tail++ % PK_QUEUE] = n->slot + (uint64_t)(p->delay_us / PK_SLOT) + 1;
}

static bool send_queued(struct pk_net *n, struct pk_port *p)
{
	struct pk pk;

	if (p->head == p->tail)
		return false;
	pk = p->queue[p->head++ % PK_QUEUE];
	p->egress -= PK_BYTES;
	let_go(n, &n->ports.at[pk.in]);
	put_on_wire(n, p, pk);
	return true;
}

static void speed_up(struct pk_net *n, struct pk_flow *f, double line)
{
	if (!f->controlled || n->now_us - f->risen_us < n->rise_us)
		return;
	f->risen_us = n->now_us;
	f->target = fmin(f->target + n->rise_gbps, line);
	f->rate = (f->rate + f->target) / 2;
}

static bool send_new(struct pk_net *n, struct pk_port *p)
{
	struct pk_node *node = &n->nodes.at[p->node];

	for (size_t i = 0; i < node->flows.n; i++) {
		size_t k = (node->turn + i) % node->flows.n;
		struct pk_flow *f = &n->flows.at[node->flows.at[k]];

		if (f->left < PK_BYTES || n->now_us < f->start_us)
			continue;
		speed_up(n, f, p->gbps);
		if (n->now_us < f->next_us)
			continue;
		f->next_us = fmax(f->next_us, n->now_us - 1) + PK_BYTES * 8e-3 / f->rate;
		f->left -= PK_BYTES;
		node->sent += PK_BYTES;
		node->turn = k + 1;
		put_on_wire(n, p, (struct pk){(uint16_t)node->flows.at[k], 0, 0, -1});
		return true;
	}
	return false;
}

static void send_some(struct pk_net *n, struct pk_port *p)
{
	double gain = p->gbps * 1e3 / 8 * PK_SLOT;
	bool nic = is_nic(n, p->node);

	p->credit = fmin(p->credit + gain, gain + PK_BYTES);
	if (!p->up || (p->held && !p->deaf)) {
		p->c.held += p->held ? PK_SLOT : 0;
		return;
	}
	p->c.held += p->held ? PK_SLOT : 0;
	while (p->credit >= PK_BYTES && (nic ? send_new(n, p) : send_queued(n, p)))
		p->credit -= PK_BYTES;
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
	p->rx_buffer = fmax(p->rx_buffer - p->drain * 1e3 / 8 * PK_SLOT, 0);
	if (p->rx_buffer > 600e3)
		signal_peer(n, p, true);
	else if (p->rx_buffer < 500e3)
		signal_peer(n, p, false);
}

static void step_port(struct pk_net *n, int port)
{
	struct pk_port *p = &n->ports.at[port];

	while (p->signal_head != p->signal_tail && p->signal_at[p->signal_head % 64] <= n->slot) {
		p->held = p->signal[p->signal_head++ % 64];
		p->c.xoff_rx += p->held;
	}
	while (p->wire_head != p->wire_tail && p->wire_at[p->wire_head % PK_QUEUE] <= n->slot) {
		struct pk pk = p->wire[p->wire_head++ % PK_QUEUE];

		if (p->up)
			arrive(n, p->peer, pk);
		else
			lose(n, pk);
	}
	if (is_nic(n, p->node))
		drain_nic(n, p);
	p->c.holds += p->holds ? PK_SLOT : 0;
	send_some(n, p);
}

/* All flows of the job begin again when all are done, after a rest. */
static void step_job(struct pk_net *n)
{
	bool any = false;

	if (n->now_us < n->rest_until_us)
		return;
	for (size_t i = 0; i < n->flows.n; i++) {
		any |= n->flows.at[i].job;
		if (n->flows.at[i].job && n->flows.at[i].left >= PK_BYTES)
			return;
	}
	n->rest_until_us = n->now_us + n->rest_us;
	for (size_t i = 0; any && i < n->flows.n; i++) {
		struct pk_flow *f = &n->flows.at[i];

		if (!f->job)
			continue;
		f->left += f->bytes;
		f->start_us = n->rest_until_us;
	}
}

void pk_set_up(struct pk_net *n, int port, bool up)
{
	struct pk_port *p = &n->ports.at[port], *q = &n->ports.at[p->peer];

	p->c.down += p->up && !up;
	q->c.down += q->up && !up;
	p->up = q->up = up;
	for (struct pk_port *e = p; !up && e; e = e == p ? q : NULL) {
		while (e->head != e->tail) {
			struct pk pk = e->queue[e->head++ % PK_QUEUE];

			e->egress -= PK_BYTES;
			let_go(n, &n->ports.at[pk.in]);
			e->c.drop_link++;
			lose(n, pk);
		}
	}
}

/* ---- files ---- */

static void write_port(FILE *f, const struct pk_net *n, const struct pk_port *p)
{
	const struct pk_port *q = &n->ports.at[p->peer];
	const struct pk_counts *c = &p->c;
	double half = 65535.0 * 512 / (p->gbps * 1e3) / 2;
	bool nic = is_nic(n, p->node);

	(void)fprintf(f, "%.0f,%s,%d,%s,%d,%d,%g,%llu,%llu,%llu,%llu,%llu,%llu,0,0,", n->now_us,
		n->nodes.at[p->node].name, p->number, n->nodes.at[q->node].name, q->number, p->up,
		p->gbps, (unsigned long long)c->tx, (unsigned long long)c->rx,
		(unsigned long long)c->tx / PK_BYTES, (unsigned long long)c->rx / PK_BYTES,
		(unsigned long long)c->tx, (unsigned long long)c->rx);
	(void)fprintf(f, "%llu,%llu,%.2f,%.1f,%llu,%llu,%.2f,%.1f,", (unsigned long long)c->xoff_rx,
		(unsigned long long)c->xoff_rx, c->held, 2.0 * (double)c->xoff_rx + c->held / half,
		(unsigned long long)c->xoff_tx, (unsigned long long)c->xoff_tx, c->holds,
		2.0 * (double)c->xoff_tx + c->holds / half);
	(void)fprintf(f, "%llu,%llu,%llu,0,%llu,0,%llu,%llu,%.0f,%.0f,%.0f,0,0\n",
		(unsigned long long)(nic ? 0 : c->marked), (unsigned long long)c->ce_rx,
		(unsigned long long)c->drop_buffer, (unsigned long long)c->drop_link,
		(unsigned long long)c->crc, (unsigned long long)c->down, c->queue_peak,
		c->ingress_peak, fmax(c->headroom_peak, 0));
}

static void write_nic(FILE *f, const struct pk_net *n, struct pk_node *node)
{
	(void)fprintf(f, "%.0f,%s,%llu,%llu,%llu,%llu,%llu,0,%llu,0,0,%llu,0,%llu,0\n", n->now_us,
		node->name, (unsigned long long)node->ce, (unsigned long long)node->cnp_sent,
		(unsigned long long)node->cnp_got, (unsigned long long)node->nak,
		(unsigned long long)node->seq_err, (unsigned long long)node->seq_err * PK_BYTES,
		(unsigned long long)node->sent, (unsigned long long)node->received);
	node->ce = node->cnp_sent = node->cnp_got = node->nak = node->seq_err = 0;
	node->sent = node->received = 0;
}

static void write_bucket(struct pk_net *n, FILE *ports, FILE *nics)
{
	for (size_t i = 0; i < n->ports.n; i++) {
		struct pk_port *p = &n->ports.at[i];

		write_port(ports, n, p);
		p->c = (struct pk_counts){.queue_peak = p->egress, .ingress_peak = p->ingress};
	}
	for (size_t i = 0; i < n->nodes.n; i++)
		if (is_nic(n, (int)i))
			write_nic(nics, n, &n->nodes.at[i]);
}

static FILE *create(const char *dir, const char *name)
{
	char path[512];

	(void)str_printf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "we");
}

static void write_topology(const struct pk_net *n, FILE *f)
{
	(void)fputs("{\"nodes\":[", f);
	for (size_t i = 0; i < n->nodes.n; i++) {
		const struct pk_node *v = &n->nodes.at[i];

		(void)fprintf(f,
			"%s{\"id\":%zu,\"name\":\"%s\",\"role\":\"%s\",\"pod\":%d,\"rail\":%d,"
			"\"server\":%d}",
			i ? ",\n" : "", i, v->name, v->role, v->pod, v->rail, v->server);
	}
	(void)fputs("],\"links\":[", f);
	for (size_t i = 0; i < n->ports.n; i += 2) {
		const struct pk_port *a = &n->ports.at[i], *b = &n->ports.at[i + 1];

		(void)fprintf(f,
			"%s{\"a\":\"%s\",\"a_port\":%d,\"b\":\"%s\",\"b_port\":%d,\"gbps\":%g}",
			i ? ",\n" : "", n->nodes.at[a->node].name, a->number,
			n->nodes.at[b->node].name, b->number, a->planned_gbps);
	}
	(void)fputs("]}\n", f);
}

static const char port_columns[] =
	"t_us,node,port,peer,peer_port,link_up,speed_gbps,tx_bytes,rx_bytes,tx_pkts,rx_pkts,"
	"tx_bytes_p3,rx_bytes_p3,tx_bytes_p1,rx_bytes_p1,pfc_rx_xoff_p3,pfc_rx_xon_p3,"
	"pfc_rx_pause_us_p3,pfc_rx_frames_hw_p3,pfc_tx_xoff_p3,pfc_tx_xon_p3,pfc_tx_pause_us_p3,"
	"pfc_tx_frames_hw_p3,ecn_marked_tx,ecn_ce_rx,drop_ingress_buffer,drop_egress_lossy,"
	"drop_no_link,drop_pfcwd,rx_crc_err,carrier_down,egress_q_max_p3,ingress_q_max_p3,"
	"headroom_max_p3,egress_q_max_p1,pfcwd_active\n";
static const char nic_columns[] =
	"t_us,node,np_ecn_marked_pkts,np_cnp_sent,rp_cnp_handled,out_of_sequence,packet_seq_err,"
	"local_ack_timeout,retx_bytes,rx_buf_max,rx_buf_over,rdma_tx_bytes,nonrdma_tx_bytes,"
	"rdma_rx_bytes,nonrdma_rx_bytes\n";

bool pk_run(struct pk_net *n, const char *dir, pk_event_fn *at, void *ctx)
{
	FILE *topology = create(dir, "topology.json"), *ports = create(dir, "ports.csv"),
	     *nics = create(dir, "nics.csv");
	uint64_t slots = (uint64_t)(n->duration_us / PK_SLOT + 0.5),
		 bucket = (uint64_t)(n->bucket_us / PK_SLOT + 0.5);
	bool ok = topology && ports && nics;

	if (ok) {
		write_topology(n, topology);
		(void)fputs(port_columns, ports);
		(void)fputs(nic_columns, nics);
	}
	for (n->slot = 0; ok && n->slot < slots; n->slot++) {
		n->now_us = (double)n->slot * PK_SLOT;
		if (n->slot && n->slot % bucket == 0)
			write_bucket(n, ports, nics);
		if (at && n->slot % bucket == 0)
			at(n, ctx);
		for (size_t i = 0; i < n->ports.n; i++)
			step_port(n, (int)i);
		if (n->slot % 10 == 0)
			step_job(n);
	}
	for (FILE **f = (FILE *[]){topology, ports, nics, NULL}; *f; f++)
		ok = fclose(*f) == 0 && ok;
	return ok;
}

void pk_free(struct pk_net *n)
{
	for (size_t i = 0; i < n->ports.n; i++) {
		free(n->ports.at[i].queue);
		free(n->ports.at[i].wire);
		free(n->ports.at[i].wire_at);
	}
	for (size_t i = 0; i < n->nodes.n; i++) {
		vec_free(&n->nodes.at[i].ports);
		vec_free(&n->nodes.at[i].flows);
	}
	vec_free(&n->nodes);
	vec_free(&n->ports);
	vec_free(&n->flows);
	*n = (struct pk_net){0};
}
