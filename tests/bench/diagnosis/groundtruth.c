/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/groundtruth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/diagnosis/groundtruth_internal.h"

enum of { ANY, SWITCH };
enum how { TIMES, AS_IS, PEAK };

/* Columns by counter, those of one counter together; prio GT_PRIO_ONE: it has none. */
struct map {
	const char *column, *counter;
	int prio;
	enum how how;
	enum of of;
};
static const struct map of_ports[] = {
	{"tx_bytes", "tx_bytes", GT_PRIO_ONE, TIMES, ANY},
	{"rx_bytes", "rx_bytes", GT_PRIO_ONE, TIMES, ANY},
	{"tx_pkts", "tx_packets", GT_PRIO_ONE, TIMES, ANY},
	{"rx_pkts", "rx_packets", GT_PRIO_ONE, TIMES, ANY},
	{"tx_bytes_p3", "queue_tx_bytes", 3, TIMES, ANY},
	{"tx_bytes_p1", "queue_tx_bytes", 1, TIMES, ANY},
	{"rx_bytes_p3", "rx_prio_bytes", 3, TIMES, ANY},
	{"rx_bytes_p1", "rx_prio_bytes", 1, TIMES, ANY},
	{"pfc_rx_frames_hw_p3", "pfc_rx_frames", 3, TIMES, ANY},
	{"pfc_tx_frames_hw_p3", "pfc_tx_frames", 3, TIMES, ANY},
	{"pfc_rx_pause_us_p3", "pfc_rx_duration_us", 3, TIMES, ANY},
	{"pfc_tx_pause_us_p3", "pfc_tx_duration_us", 3, TIMES, ANY},
	{"ecn_marked_tx", "ecn_marked_packets", 3, TIMES, SWITCH},
	{"drop_ingress_buffer", "pg_drops", 3, AS_IS, SWITCH},
	{"drop_egress_lossy", "queue_drops", 1, AS_IS, SWITCH},
	{"drop_no_link", "tx_discards", GT_PRIO_ONE, AS_IS, SWITCH},
	{"drop_pfcwd", "pfcwd_drops", 3, AS_IS, SWITCH},
	{"rx_crc_err", "rx_fcs_errors", GT_PRIO_ONE, AS_IS, ANY},
	{"carrier_down", "link_down_events", GT_PRIO_ONE, AS_IS, ANY},
	{"egress_q_max_p3", "queue_watermark_bytes", 3, PEAK, SWITCH},
	{"egress_q_max_p1", "queue_watermark_bytes", 1, PEAK, SWITCH},
	{"ingress_q_max_p3", "pg_watermark_bytes", 3, PEAK, SWITCH},
	{"headroom_max_p3", "headroom_watermark_bytes", 3, PEAK, SWITCH},
};
static const struct map of_nics[] = {
	{"np_ecn_marked_pkts", "ecn_marked_roce_packets", GT_PRIO_ONE, TIMES, ANY},
	{"np_cnp_sent", "cnp_sent", GT_PRIO_ONE, TIMES, ANY},
	{"rp_cnp_handled", "cnp_handled", GT_PRIO_ONE, TIMES, ANY},
	{"out_of_sequence", "out_of_sequence", GT_PRIO_ONE, AS_IS, ANY},
	{"packet_seq_err", "packet_seq_err", GT_PRIO_ONE, AS_IS, ANY},
	{"local_ack_timeout", "local_ack_timeout_err", GT_PRIO_ONE, AS_IS, ANY},
	{"rx_buf_over", "rx_out_of_buffer", GT_PRIO_ONE, AS_IS, ANY},
	{"rdma_tx_bytes", "rdma_tx_bytes", GT_PRIO_ONE, TIMES, ANY},
	{"rdma_rx_bytes", "rdma_rx_bytes", GT_PRIO_ONE, TIMES, ANY},
};
#define LEN(a) (sizeof(a) / sizeof((a)[0]))
_Static_assert(LEN(of_ports) + LEN(of_nics) <= GT_COLUMNS, "room for every column");

static struct gt_port *port_of(struct gt_node *n, int number)
{
	if (number < 0 || number >= GT_PORTS)
		return NULL;
	if (!n->port[number])
		n->port[number] = mem_calloc(1, sizeof(**n->port));
	return n->port[number];
}

/* Adds a row to the growth; first: the index of the table's first counter in the sums. */
static void take_row(struct groundtruth *g, const struct csv *c, struct gt_port *p,
	const struct map *map, size_t n, size_t first)
{
	for (size_t i = 0; i < n; i++) {
		double v = csv_real(c, csv_column(c, map[i].column));
		double *sum = &p->grown[first + i];

		if (map[i].how == PEAK)
			*sum = fmax(*sum, v);
		else
			*sum += map[i].how == TIMES ? v * g->scale : v;
	}
}

static void take_port(struct groundtruth *g)
{
	const struct csv *c = &g->ports;
	struct gt_node *n = gt_node(g, csv_text(c, csv_column(c, "node")));
	struct gt_port *p = n ? port_of(n, (int)csv_real(c, csv_column(c, "port"))) : NULL;

	if (!p)
		return;
	p->known = true;
	p->up = csv_real(c, csv_column(c, "link_up")) > 0;
	p->speed_gbps = csv_real(c, csv_column(c, "speed_gbps"));
	p->stormed = csv_real(c, csv_column(c, "pfcwd_active")) > 0;
	p->ever_stormed |= p->stormed;
	take_row(g, c, p, of_ports, LEN(of_ports), 0);
}

static void take_nic(struct groundtruth *g)
{
	struct gt_node *n = gt_node(g, csv_text(&g->nics, csv_column(&g->nics, "node")));
	struct gt_port *p = n ? port_of(n, 1) : NULL;

	if (p)
		take_row(g, &g->nics, p, of_nics, LEN(of_nics), LEN(of_ports));
}

/* ---- lines ---- */

static double share_of_bucket(const struct groundtruth *g, const struct gt_node *n)
{
	/* Counters of a moment inside the bucket: as late as the device happens to be asked. */
	return 1 - 2 * g->sweep->jitter * chance(n->device, g->poll, 4);
}

static void put_counters(struct groundtruth *g, const struct gt_port *p, bool nic,
	const struct map *map, size_t n, size_t first, double share)
{
	const char *open = NULL;

	for (size_t i = 0; i < n; i++) {
		double v = p->sum[first + i] + share * p->grown[first + i];
		bool comma = g->line.data[g->line.len - 1] != '{';

		if (map[i].how == PEAK)
			v = p->grown[first + i];
		if (nic && map[i].of == SWITCH)
			continue;
		if (open && !str_eq(open, map[i].counter)) {
			(void)buf_adds(&g->line, "}");
			open = NULL;
			comma = true;
		}
		if (!open)
			(void)buf_addf(&g->line, "%s\"%s\":%s", comma ? "," : "", map[i].counter,
				map[i].prio == GT_PRIO_ONE ? "" : "{");
		else
			(void)buf_adds(&g->line, ",");
		if (map[i].prio != GT_PRIO_ONE) {
			open = map[i].counter;
			(void)buf_addf(&g->line, "\"%d\":", map[i].prio);
		}
		(void)buf_addf(&g->line, "%.0f", floor(v + 1e-6));
	}
	if (open)
		(void)buf_adds(&g->line, "}");
}

static const struct gt_node *far_end(
	const struct groundtruth *g, const struct gt_node *n, int port, int *far_port)
{
	const json_t *l;
	size_t i;

	json_array_foreach(json_object_get(g->topology, "links"), i, l)
	{
		const char *a = json_string_value(json_object_get(l, "a")),
			   *b = json_string_value(json_object_get(l, "b"));
		int ap = (int)json_number_value(json_object_get(l, "a_port")),
		    bp = (int)json_number_value(json_object_get(l, "b_port"));

		if (str_eq(a, n->name) && ap == port) {
			*far_port = bp;
			return gt_node(g, b);
		}
		if (str_eq(b, n->name) && bp == port) {
			*far_port = ap;
			return gt_node(g, a);
		}
	}
	return NULL;
}

static void put_lldp(struct groundtruth *g, const struct gt_node *n, int port, struct gt_port *p)
{
	int far_port = 0;
	const struct gt_node *far = p->told || !p->up ? NULL : far_end(g, n, port, &far_port);
	char name[NAME_MAX_LEN];

	if (!far)
		return;
	p->told = true;
	gt_port_name(far, far_port, name, sizeof(name));
	(void)buf_addf(
		&g->line, ",\"lldp\":{\"device\":\"%s\",\"port\":\"%s\"}", far->device, name);
}

static void write_port(struct groundtruth *g, const struct gt_node *n, int number,
	struct gt_port *p, int64_t wall_us, line_fn *line, void *ctx)
{
	double share = share_of_bucket(g, n);
	char name[NAME_MAX_LEN];

	gt_port_name(n, number, name, sizeof(name));
	buf_reset(&g->line);
	(void)buf_addf(&g->line, "{\"t\":%.6f,\"device\":\"%s\",\"port\":\"%s\",\"counters\":{",
		((double)wall_us - (1 - share) * (double)GT_POLL_US * g->sweep->coarse) / 1e6,
		n->device, name);
	put_counters(g, p, n->nic, of_ports, LEN(of_ports), 0, share);
	if (n->nic)
		put_counters(g, p, true, of_nics, LEN(of_nics), LEN(of_ports), share);
	(void)buf_addf(&g->line, "},\"state\":{\"oper\":\"%s\"", p->up ? "up" : "down");
	if (p->speed_gbps > 0)
		(void)buf_addf(&g->line, ",\"speed_mbps\":%.0f", p->speed_gbps * 1000);
	if (p->ever_stormed)
		(void)buf_addf(&g->line, ",\"pfcwd_state\":{\"3\":\"%s\"}",
			p->stormed ? "stormed" : "operational");
	(void)buf_adds(&g->line, "}");
	put_lldp(g, n, number, p);
	(void)buf_adds(&g->line, "}");
	line(ctx, g->line.data, g->line.len);
}

static void settle_port(struct groundtruth *g, const struct gt_node *n, struct gt_port *p)
{
	/* Somewhere in the middle of the run, no two devices at once. */
	bool clear = g->sweep->reset && g->poll == 16 + (unsigned)(chance(n->device, 0, 5) * 8);

	for (size_t i = 0; i < GT_COLUMNS; i++) {
		p->sum[i] = clear ? 0 : p->sum[i] + p->grown[i];
		p->grown[i] = 0;
	}
}

static void write_ports(struct groundtruth *g, int64_t wall_us, line_fn *line, void *ctx)
{
	struct gt_node *n, *next;

	HASH_ITER (hh, g->nodes, n, next) {
		for (int i = 0; i < GT_PORTS; i++) {
			if (!n->port[i] || !n->port[i]->known)
				continue;
			write_port(g, n, i, n->port[i], wall_us, line, ctx);
			settle_port(g, n, n->port[i]);
		}
	}
}

static const char *event_name(const char *event)
{
	static const char *const names[][2] = {{"link_down", "link_down"}, {"link_up", "link_up"},
		{"bgp_session_down", "bgp_down"}, {"bgp_session_up", "bgp_up"},
		{"pfcwd_storm_detected", "storm_detected"}, {"pfcwd_restored", "storm_restored"},
		{"pfcwd_storm_restored", "storm_restored"}};

	for (size_t i = 0; i < LEN(names); i++)
		if (str_eq(event, names[i][0]))
			return names[i][1];
	return NULL;
}

/* t_us,event,node,port,...: a console does not see the start of flows. */
static void write_events(struct groundtruth *g, double until_us, line_fn *line, void *ctx)
{
	struct csv *c = &g->events;

	for (; g->events_row && csv_real(c, 0) <= until_us; g->events_row = csv_row(c)) {
		const char *event = event_name(c->field[1]);
		const struct gt_node *n = event ? gt_node(g, c->field[2]) : NULL;
		char name[NAME_MAX_LEN];

		if (!n)
			continue;
		gt_port_name(n, (int)csv_real(c, 3), name, sizeof(name));
		buf_reset(&g->line);
		(void)buf_addf(&g->line,
			"{\"t\":%.6f,\"device\":\"%s\",\"port\":\"%s\",\"event\":\"%s\"}",
			((double)GT_START + csv_real(c, 0) * g->scale) / 1e6, n->device, name,
			event);
		line(ctx, g->line.data, g->line.len);
	}
}

/* ---- polls ---- */

static bool read_bucket(struct groundtruth *g, double *t_us)
{
	int port_t = csv_column(&g->ports, "t_us"), nic_t = csv_column(&g->nics, "t_us");

	if (!g->ports_row)
		return false;
	*t_us = csv_real(&g->ports, port_t);
	for (; g->ports_row && csv_real(&g->ports, port_t) <= *t_us;
		g->ports_row = csv_row(&g->ports))
		take_port(g);
	for (; g->nics_row && csv_real(&g->nics, nic_t) <= *t_us; g->nics_row = csv_row(&g->nics))
		take_nic(g);
	return true;
}

bool groundtruth_poll(struct groundtruth *g, struct gt_poll *p, line_fn *line, void *ctx)
{
	double t = 0;
	bool any = false;

	for (unsigned i = 0; i < g->sweep->coarse && read_bucket(g, &t); i++) {
		any = true;
		/* The first bucket says how long one is. */
		if (g->scale <= 0)
			return false;
	}
	if (!any)
		return false;
	p->t_us = llround(t);
	p->wall_us = GT_START + llround(t * g->scale);
	write_events(g, t, line, ctx);
	write_ports(g, p->wall_us, line, ctx);
	if (g->ops.text)
		gt_write_ops(g, t, line, ctx);
	g->last_us = t;
	g->poll++;
	return true;
}

struct groundtruth *groundtruth_open(const char *dir, const struct sweep *sweep, struct err *err)
{
	struct groundtruth *g = mem_calloc(1, sizeof(*g));

	g->sweep = sweep;
	buf_init(&g->line, GT_LINE_BYTES);
	if (!gt_read_topology(g, dir, err))
		goto fail;
	if (!csv_open(&g->ports, dir, "ports.csv") || !csv_row(&g->ports)) {
		err_set(err, ERR_CONFIG, dir, "ports.csv(.gz) is missing or empty");
		goto fail;
	}
	g->ports_row = true;
	/* The end of the first bucket is its length: runs begin at 0. */
	g->scale = (double)GT_POLL_US / csv_real(&g->ports, csv_column(&g->ports, "t_us"));
	g->nics_row = csv_open(&g->nics, dir, "nics.csv") && csv_row(&g->nics);
	g->events_row = csv_open(&g->events, dir, "events.csv") && csv_row(&g->events);
	gt_read_ops(g, dir);
	return g;
fail:
	groundtruth_close(g);
	return NULL;
}

const struct plan *groundtruth_plan(const struct groundtruth *g)
{
	return &g->plan;
}

void groundtruth_close(struct groundtruth *g)
{
	struct gt_node *n, *next;

	HASH_ITER (hh, g->nodes, n, next) {
		HASH_DEL(g->nodes, n);
		for (int i = 0; i < GT_PORTS; i++)
			free(n->port[i]);
		free(n);
	}
	csv_close(&g->ports);
	csv_close(&g->nics);
	csv_close(&g->events);
	csv_close(&g->ops);
	vec_free(&g->ranks);
	json_decref(g->topology);
	plan_free(&g->plan);
	buf_free(&g->line);
	free(g);
}
