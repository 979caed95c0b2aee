/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/*
 * `ethtool -S` of ionic and bnxt_en, in the drivers' order. Only counters of the port: both print
 * those of hundreds of rings before them.
 */

#define AT(member) offsetof(struct sim_port, member)

struct other_line {
	const char *name;
	size_t offset; /* 0: this NIC never counts it */
};

/* A group with a line for each priority: its number stands between the two texts. */
struct other_group {
	const char *before, *after;
	size_t offset; /* in struct sim_queue; SIZE_MAX: zero */
};

#define IN(member) offsetof(struct sim_queue, member)

static const struct other_line ionic_lines[] = {
	{"frames_rx_ok", AT(rx_packets)},
	{"frames_rx_all", AT(rx_packets)},
	{"frames_rx_bad_fcs", AT(rx_fcs_errors)},
	{"frames_rx_bad_all", AT(rx_errors)},
	{"octets_rx_ok", AT(rx_bytes)},
	{"octets_rx_all", AT(rx_bytes)},
	{"frames_rx_bad_length", 0},
	{"frames_rx_undersized", 0},
	{"frames_rx_oversized", 0},
	{"frames_rx_fragments", 0},
	{"frames_rx_jabber", 0},
	{"frames_rx_pause", 0},
	{"frames_rx_stomped_crc", 0},
	{"frames_rx_dropped", AT(rx_discards)},
	{"frames_tx_ok", AT(tx_packets)},
	{"frames_tx_all", AT(tx_packets)},
	{"frames_tx_bad", AT(tx_errors)},
	{"octets_tx_ok", AT(tx_bytes)},
	{"octets_tx_total", AT(tx_bytes)},
	{"frames_tx_pause", 0},
	{"frames_tx_dropped", AT(tx_discards)},
	{"frames_tx_less_than_64b", 0},
	{"frames_tx_truncated", 0},
};

static const struct other_group ionic_groups[] = {
	{"frames_tx_pri_", "", IN(tx_packets)},
	{"frames_rx_pri_", "", IN(rx_packets)},
	{"tx_pripause_", "_1us_count", IN(pfc_tx_us)},
	{"rx_pripause_", "_1us_count", IN(pfc_rx_us)},
};

static const struct other_line bnxt_lines[] = {
	{"rx_total_ring_discards", 0},
	{"rx_good_frames", AT(rx_packets)},
	{"rx_total_frames", AT(rx_packets)},
	{"rx_fcs_err_frames", AT(rx_fcs_errors)},
	{"rx_pause_frames", 0},
	{"rx_align_err_frames", 0},
	{"rx_ovrsz_frames", 0},
	{"rx_jbr_frames", 0},
	{"rx_bytes", AT(rx_bytes)},
	{"rx_runt_frames", 0},
	{"rx_stat_discard", AT(rx_discards)},
	{"rx_stat_err", AT(rx_errors)},
	{"tx_good_frames", AT(tx_packets)},
	{"tx_total_frames", AT(tx_packets)},
	{"tx_pause_frames", 0},
	{"tx_fcs_err_frames", 0},
	{"tx_bytes", AT(tx_bytes)},
	{"tx_stat_discard", AT(tx_discards)},
	{"tx_stat_error", AT(tx_errors)},
	{"link_down_events", AT(carrier_down)},
	{"continuous_pause_events", AT(nic.storm_warning_events)},
	{"resume_pause_events", 0},
	{"continuous_roce_pause_events", 0},
	{"resume_roce_pause_events", 0},
	{"rx_buffer_passed_threshold", AT(nic.rx_buffer_passed_thres)},
	{"rx_pcs_symbol_err", AT(rx_symbol_errors)},
	{"rx_corrected_bits", AT(fec_corrected_bits)},
	{"rx_fec_corrected_blocks", AT(fec_corrected)},
	{"rx_fec_uncorrectable_blocks", AT(fec_uncorrectable)},
};

static const struct other_group bnxt_groups[] = {
	{"rx_pfc_ena_frames_pri", "", IN(pfc_rx_frames)},
	{"tx_pfc_ena_frames_pri", "", IN(pfc_tx_frames)},
	{"rx_bytes_cos", "", SIZE_MAX},
	{"rx_packets_cos", "", SIZE_MAX},
	{"pfc_pri", "_rx_duration_us", IN(pfc_rx_us)},
	{"pfc_pri", "_rx_transitions", IN(pfc_rx_frames)},
	{"pfc_pri", "_tx_duration_us", IN(pfc_tx_us)},
	{"rx_bytes_pri", "", IN(rx_bytes)},
	{"rx_packets_pri", "", IN(rx_packets)},
	{"tx_bytes_pri", "", IN(tx_bytes)},
	{"tx_packets_pri", "", IN(tx_packets)},
};

static void print_count(struct buf *out, const struct sim_port *p, size_t offset)
{
	uint64_t v = 0;

	if (offset)
		memcpy(&v, (const char *)p + offset, sizeof(v));
	(void)buf_addf(out, ": %llu\n", (unsigned long long)v);
}

static void print_lines(
	const struct sim_port *p, const struct other_line *l, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		(void)buf_addf(out, "     %s", l[i].name);
		print_count(out, p, l[i].offset);
	}
}

static void print_groups(
	const struct sim_port *p, const struct other_group *g, size_t n, struct buf *out)
{
	uint64_t v;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 8; k++) {
			v = 0;
			if (g[i].offset != SIZE_MAX)
				memcpy(&v, (const char *)&p->q[k] + g[i].offset, sizeof(v));
			(void)buf_addf(out, "     %s%u%s: %llu\n", g[i].before, k, g[i].after,
				(unsigned long long)v);
		}
}

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

int linux_other_statistics(const struct sim_device *d, const struct sim_port *p, struct buf *out)
{
	struct kernel_counts k;

	linux_kernel_counts(p, &k);
	(void)buf_adds(out, "NIC statistics:\n");
	if (d->platform->nics == NICS_IONIC) {
		(void)buf_addf(out,
			"     tx_packets: %llu\n     tx_bytes: %llu\n     rx_packets: %llu\n"
			"     rx_bytes: %llu\n",
			(unsigned long long)k.tx_packets, (unsigned long long)k.tx_bytes,
			(unsigned long long)k.rx_packets, (unsigned long long)k.rx_bytes);
		print_lines(p, ionic_lines, LEN(ionic_lines), out);
		print_groups(p, ionic_groups, LEN(ionic_groups), out);
	} else {
		print_lines(p, bnxt_lines, LEN(bnxt_lines), out);
		print_groups(p, bnxt_groups, LEN(bnxt_groups), out);
	}
	return 0;
}
