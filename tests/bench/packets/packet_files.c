/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "tests/bench/packets/packets.h"

/* The files of a run: topology.json, ports.csv, nics.csv. */

#define ACK_BYTES 64

static void write_port(FILE *f, const struct pk_net *n, const struct pk_port *p)
{
	typedef unsigned long long count;
	const struct pk_port *q = &n->ports.at[p->peer];
	const struct pk_counts *c = &p->c;
	double half = 65535.0 * 512 / (p->gbps * 1e3) / 2;
	count tx = c->tx + ACK_BYTES * c->acks_tx, rx = c->rx + ACK_BYTES * c->acks_rx;

	(void)fprintf(f, "%.0f,%s,%d,%s,%d,%d,%g,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,",
		n->now_us, n->nodes.at[p->node].name, p->number, n->nodes.at[q->node].name,
		q->number, p->up, p->gbps, tx, rx, (count)((double)c->tx / n->packet) + c->acks_tx,
		(count)((double)c->rx / n->packet) + c->acks_rx, tx - c->tx_lossy, rx - c->rx_lossy,
		(count)c->tx_lossy, (count)c->rx_lossy);
	(void)fprintf(f, "%llu,%llu,%.2f,%.1f,%llu,%llu,%.2f,%.1f,", (count)c->xoff_rx,
		(count)c->xoff_rx, c->held, 2.0 * (double)c->xoff_rx + c->held / half,
		(count)c->xoff_tx, (count)c->xoff_tx, c->holds,
		2.0 * (double)c->xoff_tx + c->holds / half);
	(void)fprintf(f, "%llu,%llu,%llu,%llu,%llu,0,%llu,%llu,%.0f,%.0f,%.0f,%.0f,0\n",
		(count)(pk_is_nic(n, p->node) ? 0 : c->marked), (count)c->ce_rx,
		(count)c->drop_buffer, (count)c->drop_lossy, (count)c->drop_link, (count)c->crc,
		(count)c->down, c->queue_peak, c->ingress_peak, fmax(c->headroom_peak, 0),
		c->lossy_peak);
}

static void write_nic(FILE *f, const struct pk_net *n, struct pk_node *node)
{
	const uint64_t resent = node->seq_err * (uint64_t)n->packet;

	(void)fprintf(f, "%.0f,%s,%llu,%llu,%llu,%llu,%llu,%llu,%llu,0,0,%llu,%llu,%llu,%llu\n",
		n->now_us, node->name, (unsigned long long)node->ce,
		(unsigned long long)node->cnp_sent, (unsigned long long)node->cnp_got,
		(unsigned long long)node->nak, (unsigned long long)node->seq_err,
		(unsigned long long)node->timeouts, (unsigned long long)resent,
		(unsigned long long)node->sent, (unsigned long long)node->plain_sent,
		(unsigned long long)node->received, (unsigned long long)node->plain_received);
	node->ce = node->cnp_sent = node->cnp_got = node->nak = node->seq_err = 0;
	node->timeouts = node->sent = node->received = 0;
	node->plain_sent = node->plain_received = 0;
}

/* Acknowledgements are counted on their way back and take no room there. */
static void count_acks(struct pk_net *n)
{
	for (size_t i = 0; i < n->flows.n; i++) {
		struct pk_flow *f = &n->flows.at[i];

		for (unsigned h = 0; h < f->back_hops; h++) {
			struct pk_port *p = &n->ports.at[f->back[h]];

			p->c.acks_tx += f->acks;
			n->ports.at[p->peer].c.acks_rx += f->acks;
		}
		f->acks = 0;
	}
}

/* What the bucket had, for those who ask whether a fault shows. */
static void add_to_window(const struct pk_net *n, struct pk_port *p)
{
	const struct pk_counts *c = &p->c;
	struct pk_counts *w = &p->window;

	if (n->now_us <= n->window_from || n->now_us - n->bucket_us >= n->window_to)
		return;
	w->tx += c->tx;
	w->rx += c->rx;
	w->tx_lossy += c->tx_lossy;
	w->marked += c->marked;
	w->drop_buffer += c->drop_buffer;
	w->drop_lossy += c->drop_lossy;
	w->drop_link += c->drop_link;
	w->crc += c->crc;
	w->down += c->down;
	w->held += c->held;
	w->holds += c->holds;
	w->marked_buckets += c->marked >= 20;
	w->dropped_buckets += c->drop_buffer > 0;
	w->queue_peak = fmax(w->queue_peak, c->queue_peak);
}

void pk_write_bucket(struct pk_net *n, FILE *ports, FILE *nics)
{
	count_acks(n);
	for (size_t i = 0; i < n->ports.n; i++) {
		struct pk_port *p = &n->ports.at[i];

		write_port(ports, n, p);
		add_to_window(n, p);
		p->c = (struct pk_counts){.queue_peak = p->queue.bytes,
			.lossy_peak = p->lossy.bytes,
			.ingress_peak = p->ingress};
	}
	for (size_t i = 0; i < n->nodes.n; i++)
		if (pk_is_nic(n, (int)i))
			write_nic(nics, n, &n->nodes.at[i]);
}

FILE *pk_create(const char *dir, const char *name)
{
	char path[512];

	(void)str_printf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "we");
}

void pk_write_topology(const struct pk_net *n, FILE *f)
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

void pk_write_columns(FILE *ports, FILE *nics)
{
	(void)fputs(port_columns, ports);
	(void)fputs(nic_columns, nics);
}
