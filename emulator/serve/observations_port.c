/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "emulator/serve/observations_internal.h"

/*
 * One port in canonical counters, with the contract's names. Counters that the device does not have
 * are left out.
 */

struct member {
	const char *name;
	size_t offset;
};

#define PORT(name, member)                                                                         \
	{                                                                                          \
		name, offsetof(struct sim_port, member)                                            \
	}
#define QUEUE(name, member)                                                                        \
	{                                                                                          \
		name, offsetof(struct sim_queue, member)                                           \
	}

static const struct member port_counts[] = {
	PORT("rx_bytes", rx_bytes),
	PORT("tx_bytes", tx_bytes),
	PORT("rx_packets", rx_packets),
	PORT("tx_packets", tx_packets),
	PORT("rx_errors", rx_errors),
	PORT("tx_errors", tx_errors),
	PORT("rx_discards", rx_discards),
	PORT("tx_discards", tx_discards),
	PORT("rx_fcs_errors", rx_fcs_errors),
	PORT("rx_symbol_errors", rx_symbol_errors),
	PORT("fec_corrected_codewords", fec_corrected),
	PORT("fec_uncorrectable_codewords", fec_uncorrectable),
	PORT("fec_symbol_errors", fec_symbol_errors),
	PORT("fec_corrected_bits", fec_corrected_bits),
	PORT("link_down_events", carrier_down),
};

static const struct member nic_counts[] = {
	PORT("cnp_sent", nic.np_cnp_sent),
	PORT("cnp_handled", nic.rp_cnp_handled),
	PORT("cnp_ignored", nic.rp_cnp_ignored),
	PORT("ecn_marked_roce_packets", nic.np_ecn_marked_roce_packets),
	PORT("out_of_sequence", nic.out_of_sequence),
	PORT("packet_seq_err", nic.packet_seq_err),
	PORT("implied_nak_seq_err", nic.implied_nak_seq_err),
	PORT("local_ack_timeout_err", nic.local_ack_timeout_err),
	PORT("rnr_nak_retry_err", nic.rnr_nak_retry_err),
	PORT("roce_adp_retrans", nic.roce_adp_retrans),
	PORT("roce_slow_restart", nic.roce_slow_restart),
	PORT("rx_out_of_buffer", nic.out_of_buffer),
	PORT("duplicate_request", nic.duplicate_request),
	PORT("transport_retries_exceeded", nic.req_transport_retries_exceeded),
	PORT("rx_buffer_passed_threshold", nic.rx_buffer_passed_thres),
	PORT("pause_storm_warnings", nic.storm_warning_events),
	PORT("pause_storm_errors", nic.storm_error_events),
	PORT("rdma_rx_bytes", nic.rdma_rx_bytes),
	PORT("rdma_tx_bytes", nic.rdma_tx_bytes),
};

static const struct member frame_counts[] = {
	QUEUE("pfc_rx_frames", pfc_rx_frames),
	QUEUE("pfc_tx_frames", pfc_tx_frames),
};

static const struct member time_counts[] = {
	QUEUE("pfc_rx_duration_us", pfc_rx_us),
	QUEUE("pfc_tx_duration_us", pfc_tx_us),
};

static const struct member traffic_counts[] = {
	QUEUE("queue_tx_packets", tx_packets),
	QUEUE("queue_tx_bytes", tx_bytes),
	QUEUE("rx_prio_bytes", rx_bytes),
};

/* Switches only: hosts do not show their queues. */
static const struct member queue_counts[] = {
	QUEUE("queue_drops", drops),
	QUEUE("ecn_marked_packets", ecn_marked),
	QUEUE("wred_drops", wred_drops),
	QUEUE("queue_depth_bytes", depth_bytes),
	QUEUE("queue_watermark_bytes", watermark_bytes),
};

static const struct member lossless_counts[] = {
	QUEUE("pg_watermark_bytes", pg_watermark_bytes),
	QUEUE("headroom_watermark_bytes", headroom_watermark_bytes),
	QUEUE("pg_drops", pg_drops),
	QUEUE("pfcwd_storm_detected", wd_detected),
	QUEUE("pfcwd_storm_restored", wd_restored),
	QUEUE("pfcwd_drops", wd_drops),
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t member_value(const void *base, const struct member *m)
{
	uint64_t v;

	memcpy(&v, (const char *)base + m->offset, sizeof(v));
	return v;
}

static void put_key(struct buf *b, const char *name)
{
	(void)buf_adds(b, b->data[b->len - 1] == '{' ? "\"" : ",\"");
	(void)buf_adds(b, name);
	(void)buf_adds(b, "\":");
}

static void put_one(struct buf *b, const char *name, uint64_t v)
{
	put_key(b, name);
	line_number(b, v);
}

/* Leaves out values that JSON cannot hold as a number: no light is -inf dBm. */
static void put_gauge(struct buf *b, const char *name, double v, unsigned decimals)
{
	if (!(fabs(v) < 1e15))
		return;
	put_key(b, name);
	line_fixed(b, v, decimals);
}

static void put_ratio(struct buf *b, const char *name, double v)
{
	if (!isfinite(v))
		return;
	put_key(b, name);
	(void)buf_addf(b, "%.4g", v);
}

static void put_port(struct buf *b, const struct sim_port *p, const struct member *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_one(b, m[i].name, member_value(p, &m[i]));
}

/* One object a counter, with the priorities of the mask. */
static void put_queues(
	struct buf *b, const struct sim_port *p, const struct member *m, size_t n, unsigned mask)
{
	char key[2] = "0";

	for (size_t i = 0; i < n; i++) {
		put_key(b, m[i].name);
		(void)buf_adds(b, "{");
		for (unsigned prio = 0; prio < 8; prio++) {
			if (!(mask >> prio & 1))
				continue;
			key[0] = (char)('0' + prio);
			put_one(b, key, member_value(&p->q[prio], &m[i]));
		}
		(void)buf_adds(b, "}");
	}
}

static void put_lanes(struct buf *b, const struct sim_port *p, const char *name, size_t offset)
{
	char key[2] = "0";
	double v;

	put_key(b, name);
	(void)buf_adds(b, "{");
	for (unsigned i = 0; i < p->lanes && i < LEN(p->lane); i++) {
		key[0] = (char)('0' + i);
		memcpy(&v, (const char *)&p->lane[i] + offset, sizeof(v));
		put_gauge(b, key, v, 3);
	}
	(void)buf_adds(b, "}");
}

static void put_optics(struct buf *b, const struct sim_port *p)
{
	put_ratio(b, "pre_fec_ber", p->pre_fec_ber);
	put_lanes(b, p, "rx_power_dbm", offsetof(struct sim_lane, rx_dbm));
	put_lanes(b, p, "tx_power_dbm", offsetof(struct sim_lane, tx_dbm));
	put_lanes(b, p, "tx_bias_ma", offsetof(struct sim_lane, bias_ma));
	put_gauge(b, "temperature_c", p->temperature_c, 2);
	put_gauge(b, "voltage_v", p->voltage_v, 3);
}

static void put_nic(struct buf *b, const struct sim_port *p)
{
	put_port(b, p, nic_counts, LEN(nic_counts));
	put_gauge(b, "pcie_width", p->nic.pcie_width, 0);
	put_gauge(b, "pcie_speed_mtps", p->nic.pcie_gts * 1000, 0);
	put_gauge(b, "pci_stalled_read_pct", p->nic.pci_stalled_percent, 0);
	put_gauge(b, "pci_stalled_write_pct", p->nic.pci_stalled_percent, 0);
}

/* Number of codewords by number of corrected symbols; the last bin is the uncorrectable ones. */
static void put_bins(struct buf *b, const struct sim_port *p)
{
	put_key(b, "fec_bin");
	for (unsigned i = 0; i < 16; i++) {
		(void)buf_adds(b, i ? ",\"" : "{\"");
		line_number(b, i);
		(void)buf_adds(b, "\":");
		line_number(b, p->fec_bin[i]);
	}
	(void)buf_adds(b, "}");
}

static void put_counters(struct buf *b, const struct sim_device *d, const struct sim_port *p)
{
	bool host = p->tier == TIER_HOST;
	unsigned lossless = p->config.pfc_mask | 1u << SIM_PRIO_ROCE;
	unsigned used = lossless | 1u << SIM_PRIO_DEFAULT;

	put_port(b, p, port_counts, LEN(port_counts));
	put_one(b, "carrier_changes", p->carrier_up + p->carrier_down);
	put_queues(b, p, frame_counts, LEN(frame_counts), lossless);
	if (!d->platform || d->platform->pause_us)
		put_queues(b, p, time_counts, LEN(time_counts), lossless);
	put_queues(b, p, traffic_counts, LEN(traffic_counts), used);
	if (host) {
		put_nic(b, p);
	} else {
		put_queues(b, p, queue_counts, LEN(queue_counts), used);
		put_queues(b, p, lossless_counts, LEN(lossless_counts), lossless);
	}
	if (!d->platform || d->platform->fec_bins)
		put_bins(b, p);
	put_optics(b, p);
}

static void put_state(struct buf *b, const struct sim_port *p)
{
	(void)buf_addf(b, "\"oper\":\"%s\",\"admin\":\"%s\",\"speed_mbps\":%u",
		p->up ? "up" : "down", p->config.admin_up ? "up" : "down", p->speed_mbps);
	if (p->tier == TIER_HOST) {
		(void)buf_adds(b, ",\"netdev\":");
		line_string(b, p->name);
	}
}

void observe_port_name(const struct sim_device *d, const struct sim_port *p, char *dst, size_t size)
{
	char name[24];

	(void)str_copy(name, sizeof(name), p->name);
	if (p->tier == TIER_HOST && !p->bond)
		sim_rdma_name(d->platform->nics == NICS_BOND ? NICS_CONNECTX : d->platform->nics,
			p->port, name);
	(void)str_copy(dst, size, name);
}

void observe_port(
	struct buf *b, const struct sim_device *d, const struct sim_port *p, struct port_memory *m)
{
	char name[32];

	observe_port_name(d, p, name, sizeof(name));
	(void)buf_adds(b, ",\"port\":");
	line_string(b, name);
	(void)buf_adds(b, ",\"counters\":{");
	put_counters(b, d, p);
	(void)buf_adds(b, "},\"state\":{");
	put_state(b, p);
	if (p->tier != TIER_HOST)
		observe_watchdog(b, p);
	observe_settings(b, d, p, m);
	(void)buf_adds(b, "}");
}
