/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/scenarios/metric.h"

#include <math.h>
#include <string.h>

#define ROCE SIM_PRIO_ROCE

#define COUNTER(fn, expr)                                                                          \
	static double fn(const struct sim_port *p)                                                 \
	{                                                                                          \
		return (double)(expr);                                                             \
	}

COUNTER(paused_us, p->q[ROCE].pfc_rx_us)
COUNTER(holds_us, p->q[ROCE].pfc_tx_us)
COUNTER(pause_frames_in, p->q[ROCE].pfc_rx_frames)
COUNTER(pause_frames_out, p->q[ROCE].pfc_tx_frames)
COUNTER(tx_share, (double)p->tx_bytes * 8e-6 / p->plan_mbps)
COUNTER(rx_share, (double)p->rx_bytes * 8e-6 / p->plan_mbps)
COUNTER(rdma_tx, p->nic.rdma_tx_bytes)
COUNTER(roce_tx, p->q[ROCE].tx_bytes)
COUNTER(lossy_tx, p->q[SIM_PRIO_DEFAULT].tx_bytes)
COUNTER(lossy_drops, p->q[SIM_PRIO_DEFAULT].drops)
COUNTER(drops, p->q[ROCE].drops)
COUNTER(ingress_drops, p->q[ROCE].pg_drops)
COUNTER(ecn, p->q[ROCE].ecn_marked)
COUNTER(ce_received, p->nic.np_ecn_marked_roce_packets)
COUNTER(cnp_sent, p->nic.np_cnp_sent)
COUNTER(cnp_handled, p->nic.rp_cnp_handled)
COUNTER(cnp_ignored, p->nic.rp_cnp_ignored)
COUNTER(naks, p->nic.packet_seq_err)
COUNTER(out_of_sequence, p->nic.out_of_sequence)
COUNTER(timeouts, p->nic.local_ack_timeout_err)
COUNTER(fcs, p->rx_fcs_errors)
COUNTER(downs, p->carrier_down)
COUNTER(uncorrectable, p->fec_uncorrectable)
COUNTER(wd_detected, p->q[ROCE].wd_detected)
COUNTER(wd_restored, p->q[ROCE].wd_restored)
COUNTER(wd_drops, p->q[ROCE].wd_drops)
COUNTER(bgp_resets, p->bgp.resets)
COUNTER(out_of_buffer, p->nic.rx_buffer_passed_thres)
COUNTER(storm_events, p->nic.storm_warning_events)
COUNTER(queue_bytes, p->q[ROCE].depth_bytes)
COUNTER(headroom, p->q[ROCE].headroom_watermark_bytes)
COUNTER(ber, p->pre_fec_ber)
COUNTER(speed_share, (double)p->speed_mbps / p->plan_mbps)
COUNTER(up, p->up)
COUNTER(bgp_up, p->bgp.established)
COUNTER(pcie_share, (double)p->nic.pcie_width / p->nic.pcie_width_max)
COUNTER(pfc_on, p->config.pfc_mask >> ROCE & 1U)
COUNTER(wd_on, p->config.wd_mask >> ROCE & 1U)
COUNTER(ecn_on, p->config.ecn)
COUNTER(np_on, p->config.np)
COUNTER(rp_on, p->config.rp)

static double fec_tail(const struct sim_port *p)
{
	double n = 0;

	/* Half of the errors that RS(544,514) corrects, and more: the tail, in the thresholds'
	 * terms. */
	for (int i = 8; i < 16; i++)
		n += (double)p->fec_bin[i];
	return n;
}

static double rx_dbm(const struct sim_port *p)
{
	double least = INFINITY;

	for (unsigned i = 0; i < p->lanes; i++)
		least = fmin(least, p->lane[i].rx_dbm);
	return least;
}

static const struct metric metrics[] = {
	{"paused", false, 1e-6, paused_us, false},
	{"holds", false, 1e-6, holds_us, false},
	{"pause_frames_in", false, 1, pause_frames_in, false},
	{"pause_frames_out", false, 1, pause_frames_out, false},
	{"tx", false, 1, tx_share, false},
	{"rx", false, 1, rx_share, false},
	{"rdma_tx", false, 1, rdma_tx, false},
	{"roce_tx", false, 1, roce_tx, false},
	{"lossy_tx", false, 1, lossy_tx, false},
	{"lossy_drops", false, 1, lossy_drops, false},
	{"drops", false, 1, drops, false},
	{"ingress_drops", false, 1, ingress_drops, false},
	{"ecn", false, 1, ecn, false},
	{"ce_received", false, 1, ce_received, false},
	{"cnp_sent", false, 1, cnp_sent, false},
	{"cnp_handled", false, 1, cnp_handled, false},
	{"cnp_ignored", false, 1, cnp_ignored, false},
	{"naks", false, 1, naks, false},
	{"out_of_sequence", false, 1, out_of_sequence, false},
	{"timeouts", false, 1, timeouts, false},
	{"fcs", false, 1, fcs, false},
	{"downs", false, 1, downs, true},
	{"uncorrectable", false, 1, uncorrectable, true},
	{"wd_detected", false, 1, wd_detected, true},
	{"wd_restored", false, 1, wd_restored, true},
	{"wd_drops", false, 1, wd_drops, false},
	{"bgp_resets", false, 1, bgp_resets, true},
	{"rx_buffer_full", false, 1, out_of_buffer, false},
	{"storm_events", false, 1, storm_events, true},
	{"fec_tail", false, 1, fec_tail, false},
	{"queue_bytes", true, 1, queue_bytes, false},
	{"headroom", true, 1, headroom, false},
	{"ber", true, 1, ber, false},
	{"rx_dbm", true, 1, rx_dbm, false},
	{"speed", true, 1, speed_share, false},
	{"up", true, 1, up, false},
	{"bgp_up", true, 1, bgp_up, false},
	{"pcie", true, 1, pcie_share, false},
	{"pfc_on", true, 1, pfc_on, false},
	{"wd_on", true, 1, wd_on, false},
	{"ecn_on", true, 1, ecn_on, false},
	{"np_on", true, 1, np_on, false},
	{"rp_on", true, 1, rp_on, false},
};

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i];
	return NULL;
}
