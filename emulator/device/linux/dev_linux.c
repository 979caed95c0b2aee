/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/linux/dev_linux.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define AT(member) offsetof(struct sim_port, member)

/* In the order in which the driver registers them. */
static const struct nic_counter mlx5_counters[] = {
	{"rx_write_requests", AT(nic.rx_write_requests), false},
	{"rx_read_requests", 0, false},
	{"rx_atomic_requests", 0, false},
	{"rx_dct_connect", 0, false},
	{"out_of_buffer", AT(nic.out_of_buffer), false},
	{"out_of_sequence", AT(nic.out_of_sequence), false},
	{"duplicate_request", AT(nic.duplicate_request), false},
	{"rnr_nak_retry_err", AT(nic.rnr_nak_retry_err), false},
	{"packet_seq_err", AT(nic.packet_seq_err), false},
	{"implied_nak_seq_err", AT(nic.implied_nak_seq_err), false},
	{"local_ack_timeout_err", AT(nic.local_ack_timeout_err), false},
	{"resp_local_length_error", 0, false},
	{"resp_cqe_error", 0, false},
	{"req_cqe_error", 0, false},
	{"req_remote_invalid_request", 0, false},
	{"req_remote_access_errors", 0, false},
	{"resp_remote_access_errors", 0, false},
	{"resp_cqe_flush_error", 0, false},
	{"req_cqe_flush_error", 0, false},
	{"req_transport_retries_exceeded", AT(nic.req_transport_retries_exceeded), false},
	{"req_rnr_retries_exceeded", 0, false},
	{"roce_adp_retrans", AT(nic.roce_adp_retrans), false},
	{"roce_adp_retrans_to", 0, false},
	{"roce_slow_restart", AT(nic.roce_slow_restart), false},
	{"roce_slow_restart_cnps", 0, false},
	{"roce_slow_restart_trans", 0, false},
	{"rp_cnp_ignored", AT(nic.rp_cnp_ignored), true},
	{"rp_cnp_handled", AT(nic.rp_cnp_handled), true},
	{"np_ecn_marked_roce_packets", AT(nic.np_ecn_marked_roce_packets), true},
	{"np_cnp_sent", AT(nic.np_cnp_sent), true},
	{"rx_icrc_encapsulated", 0, true},
	{NULL, 0, false},
};

uint64_t linux_hw_value(const struct sim_port *p, const struct nic_counter *c)
{
	uint64_t v = 0, other = 0;

	if (c->offset)
		memcpy(&v, (const char *)p + c->offset, sizeof(v));
	if (c->offset && p->bond)
		memcpy(&other, (const char *)p->bond + c->offset, sizeof(other));
	v += other;
	return c->wide ? v : v & UINT32_MAX;
}

/* Pollara: the firmware gives the names, one of them with its own spelling. */
static const struct nic_counter ionic_counters[] = {
	{"tx_rdma_ucast_bytes", AT(nic.rdma_tx_bytes), true},
	{"tx_rdma_ucast_pkts", AT(nic.rdma_tx_packets), true},
	{"tx_rdma_mcast_bytes", 0, true},
	{"tx_rdma_mcast_pkts", 0, true},
	{"tx_rdma_cnp_pkts", AT(nic.np_cnp_sent), true},
	{"rx_rdma_ucast_bytes", AT(nic.rdma_rx_bytes), true},
	{"rx_rdma_ucast_pkts", AT(nic.rdma_rx_packets), true},
	{"rx_rdma_mcast_bytes", 0, true},
	{"rx_rdma_mcast_pkts", 0, true},
	{"rx_rdma_cnp_pkts", AT(nic.rp_cnp_handled), true},
	{"rx_rdma_ecn_pkts", AT(nic.np_ecn_marked_roce_packets), true},
	{"rx_rdma_mtu_discard_pkts", 0, true},
	{"req_rx_pkt_seq_err", AT(nic.packet_seq_err), true},
	{"req_rx_rnr_retry_err", AT(nic.rnr_nak_retry_err), true},
	{"req_rx_rmt_acc_err", 0, true},
	{"req_rx_rmt_req_err", 0, true},
	{"req_rx_oper_err", 0, true},
	{"req_rx_impl_nak_seq_err", AT(nic.implied_nak_seq_err), true},
	{"req_rx_cqe_err", 0, true},
	{"req_rx_cqe_flush", 0, true},
	{"req_rx_dup_response", 0, true},
	{"req_rx_inval_pkts", 0, true},
	{"req_tx_loc_acc_err", 0, true},
	{"req_tx_loc_oper_err", 0, true},
	{"req_tx_mem_mgmt_err", 0, true},
	{"req_tx_retry_excd_err", AT(nic.req_transport_retries_exceeded), true},
	{"req_tx_loc_sgl_inv_err", 0, true},
	{"resp_rx_dup_request", AT(nic.duplicate_request), true},
	{"resp_rx_outof_buf", AT(nic.out_of_buffer), true},
	{"resp_rx_outouf_seq", AT(nic.out_of_sequence), true},
	{"resp_rx_cqe_err", 0, true},
	{"resp_rx_cqe_flush", 0, true},
	{"resp_rx_loc_len_err", 0, true},
	{"resp_rx_inval_request", 0, true},
	{"resp_rx_loc_oper_err", 0, true},
	{"resp_rx_outof_atomic", 0, true},
	{"tx_rdma_ack_timeout", AT(nic.local_ack_timeout_err), true},
	{"tx_rdma_retx_pkts", AT(nic.roce_adp_retrans), true},
	{NULL, 0, false},
};

static const struct nic_counter bnxt_counters[] = {
	{"active_pds", 0, true},
	{"active_ahs", 0, true},
	{"active_qps", 0, true},
	{"active_srqs", 0, true},
	{"active_cqs", 0, true},
	{"active_mrs", 0, true},
	{"active_mws", 0, true},
	{"rx_pkts", AT(nic.rdma_rx_packets), true},
	{"rx_bytes", AT(nic.rdma_rx_bytes), true},
	{"tx_pkts", AT(nic.rdma_tx_packets), true},
	{"tx_bytes", AT(nic.rdma_tx_bytes), true},
	{"recoverable_errors", 0, true},
	{"tx_roce_errors", 0, true},
	{"tx_roce_discards", 0, true},
	{"rx_roce_errors", 0, true},
	{"rx_roce_discards", 0, true},
	{"to_retransmits", AT(nic.local_ack_timeout_err), true},
	{"seq_err_naks_rcvd", AT(nic.packet_seq_err), true},
	{"max_retry_exceeded", AT(nic.req_transport_retries_exceeded), true},
	{"rnr_naks_rcvd", AT(nic.rnr_nak_retry_err), true},
	{"missing_resp", AT(nic.implied_nak_seq_err), true},
	{"unrecoverable_err", 0, true},
	{"bad_resp_err", 0, true},
	{"local_qp_op_err", 0, true},
	{"local_protection_err", 0, true},
	{"mem_mgmt_op_err", 0, true},
	{"remote_invalid_req_err", 0, true},
	{"remote_access_err", 0, true},
	{"remote_op_err", 0, true},
	{"dup_req", AT(nic.duplicate_request), true},
	{"res_exceed_max", 0, true},
	{"res_oos_drop_count", 0, true},
	{"oos_drop_count", AT(nic.out_of_sequence), true},
	{"tx_write_req", 0, true},
	{"rx_write_req", AT(nic.rx_write_requests), true},
	{"rx_roce_good_pkts", AT(nic.rdma_rx_packets), true},
	{"rx_roce_good_bytes", AT(nic.rdma_rx_bytes), true},
	{"rx_out_of_buffer", AT(nic.out_of_buffer), true},
	{"tx_cnp_pkts", AT(nic.np_cnp_sent), true},
	{"rx_cnp_pkts", AT(nic.rp_cnp_handled), true},
	{"rx_ecn_marked_pkts", AT(nic.np_ecn_marked_roce_packets), true},
	{NULL, 0, false},
};

static const struct nic_kind connectx = {"mlx5_core", LINUX_KERNEL, "28.43.2026", "MT_0000000838",
	"MT4129", "0x15b3", "0x1021",
	"Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]", mlx5_counters,
	true, true};
static const struct nic_kind ionic = {"ionic", "25.08.4.004", "1.117.5-a-66", "", "0x1dd8",
	"0x1dd8", "0x1002",
	"Ethernet controller: AMD Pensando Systems DSC Ethernet Controller [Pollara 400]",
	ionic_counters, false, false};
static const struct nic_kind bnxt = {"bnxt_en", LINUX_KERNEL, "231.2.63.0/pkg 231.1.162.1", "",
	"0x1760", "0x14e4", "0x1760",
	"Ethernet controller: Broadcom Inc. and subsidiaries BCM57608 400Gb Ethernet "
	"[Thor 2] (rev 11)",
	bnxt_counters, false, false};

const struct nic_kind *linux_nic(const struct sim_device *d)
{
	switch (d->platform->nics) {
	case NICS_IONIC:
		return &ionic;
	case NICS_BNXT:
		return &bnxt;
	case NICS_CONNECTX:
	case NICS_TWO_PORT:
	case NICS_BOND:
	default:
		return &connectx;
	}
}

static bool has_two_ports(const struct sim_device *d)
{
	return d->platform->nics == NICS_TWO_PORT || d->platform->nics == NICS_BOND;
}

unsigned linux_nic_number(const struct sim_device *d, unsigned port)
{
	return has_two_ports(d) ? port / 2 : port;
}

void linux_rdma_name(const struct sim_device *d, const struct sim_port *p, char dst[24])
{
	enum sim_nics nics = d->platform->nics;

	sim_rdma_name(nics == NICS_BOND && !p->bond ? NICS_CONNECTX : nics, p->port, dst);
}

void linux_bond_name(const struct sim_port *p, char dst[16])
{
	(void)str_printf(dst, 16, "bond%u", p->port / 2);
}

bool linux_is_first_slave(const struct sim_port *p)
{
	return p->bond && p->port < p->bond->port;
}

struct sim_port *linux_port(const struct machine *m, const char *netdev)
{
	unsigned i;

	for (i = 0; netdev && i < m->d->nports; i++)
		if (!strcmp(m->d->ports[i].name, netdev) && !linux_is_bmc(&m->d->ports[i]))
			return &m->d->ports[i];
	return NULL;
}

bool linux_is_switch(const struct sim_device *d)
{
	return d->tier != TIER_HOST;
}

bool linux_is_bmc(const struct sim_port *p)
{
	return !strcmp(p->name, SIM_BMC_PORT);
}

bool linux_is_rdma(const struct sim_device *d, const struct sim_port *p)
{
	return !linux_is_switch(d) && (p->net == NET_BACKEND || p->net == NET_STORAGE) &&
	       (!p->bond || linux_is_first_slave(p));
}

void linux_pci(const struct sim_device *d, unsigned port, char dst[16])
{
	static const unsigned bus[] = {0x18, 0x40, 0x4f, 0x5e, 0x9a, 0xc0, 0xce, 0xdc};

	unsigned nic = linux_nic_number(d, port);

	(void)str_printf(dst, 16, "0000:%02x:00.%u", nic < 8 ? bus[nic] : 0xe0 + (nic & 15),
		has_two_ports(d) ? port % 2 : 0);
}

void linux_guid(const struct machine *m, unsigned port, bool system, char dst[24])
{
	if (system && has_two_ports(m->d))
		port &= ~1U;
	(void)str_printf(
		dst, 24, "a088:c203:%04x:%02x%02x", m->d->index & 0xffff, port & 255, 0xc0);
}

unsigned linux_gpu_bus(unsigned gpu)
{
	static const unsigned bus[] = {0x19, 0x3b, 0x4c, 0x5d, 0x9b, 0xbb, 0xcb, 0xdb};

	return bus[gpu & 7];
}

bool linux_has_word(const struct shell_call *c, const char *word)
{
	int i;

	for (i = 1; i < c->argc; i++)
		if (!strcmp(c->argv[i], word))
			return true;
	return false;
}

const char *linux_word_after(const struct shell_call *c, const char *word)
{
	int i;

	for (i = 1; i + 1 < c->argc; i++)
		if (!strcmp(c->argv[i], word))
			return c->argv[i + 1];
	return NULL;
}

const char *linux_first_word(const struct shell_call *c)
{
	int i;

	for (i = 1; i < c->argc; i++)
		if (c->argv[i][0] != '-')
			return c->argv[i];
	return "";
}

int linux_print_json(struct buf *out, json_t *value, size_t flags)
{
	char *text = json_dumps(value, flags);

	json_decref(value);
	if (!text)
		return 1;
	(void)buf_addf(out, "%s\n", text);
	free(text);
	return 0;
}

enum { ON_HOST = 1, ON_SWITCH = 2, ON_BOTH = 3 };

static const struct program {
	const char *name;
	unsigned where;
	int (*run)(struct machine *m, const struct shell_call *c);
} programs[] = {
	{"ethtool", ON_BOTH, linux_ethtool},
	{"dcb", ON_BOTH, linux_dcb},
	{"ip", ON_BOTH, linux_ip},
	{"pkill", ON_BOTH, linux_pkill},
	{"lldpcli", ON_BOTH, linux_lldpcli},
	{"lldpctl", ON_BOTH, linux_lldpcli},
	{"dmesg", ON_BOTH, linux_dmesg},
	{"journalctl", ON_BOTH, linux_journalctl},
	{"ipmitool", ON_HOST, linux_ipmitool},
	{"lspci", ON_HOST, linux_lspci},
	{"rdma", ON_HOST, linux_rdma},
	{"ibdev2netdev", ON_HOST, linux_ibdev2netdev},
	{"mlnx_qos", ON_HOST, linux_mlnx_qos},
	{"nvidia-smi", ON_HOST, linux_nvidia_smi},
	{"systemctl", ON_HOST, linux_systemctl},
	{"vtysh", ON_SWITCH, frr_vtysh},
};

typedef int (*program_fn)(struct machine *m, const struct shell_call *c);

/* The tools of a vendor are on hosts with its hardware. */
static bool is_installed(const struct sim_device *d, program_fn run)
{
	if (run == linux_nvidia_smi)
		return d->net == NET_BACKEND && d->platform->nics != NICS_IONIC;
	if (run == linux_mlnx_qos || run == linux_ibdev2netdev)
		return linux_nic(d)->is_mlx5;
	return true;
}

static int run_command(void *ctx, const struct shell_call *c)
{
	struct machine *m = ctx;
	const char *slash = strrchr(c->argv[0], '/'), *name = slash ? slash + 1 : c->argv[0];
	unsigned here = linux_is_switch(m->d) ? ON_SWITCH : ON_HOST;
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if ((programs[i].where & here) == 0 || strcmp(programs[i].name, name) != 0 ||
			!is_installed(m->d, programs[i].run))
			continue;
		if (m->d->commands_fail) {
			(void)buf_addf(c->err,
				"%s: error while loading shared libraries: "
				"libmnl.so.0: cannot open shared object file\n",
				name);
			return 127;
		}
		return programs[i].run(m, c);
	}
	return -1;
}

static int linux_exec(struct personality_ctx *ctx, struct sim_device *d, const char *line,
	const char *input, struct buf *out, struct buf *err)
{
	static const char *const host[] = {"ethtool", "dcb", "ip", "pkill", "lldpcli", "lldpctl",
		"dmesg", "journalctl", "ipmitool", "lspci", "rdma", "ibdev2netdev", "mlnx_qos",
		"nvidia-smi", "systemctl", NULL};
	static const char *const other[] = {"ethtool", "dcb", "ip", "pkill", "lldpcli", "lldpctl",
		"dmesg", "journalctl", "vtysh", NULL};
	static const char *const bnxt_host[] = {"ethtool", "dcb", "ip", "pkill", "lldpcli",
		"lldpctl", "dmesg", "journalctl", "ipmitool", "lspci", "rdma", "nvidia-smi",
		"systemctl", NULL};
	static const char *const ionic_host[] = {"ethtool", "dcb", "ip", "pkill", "lldpcli",
		"lldpctl", "dmesg", "journalctl", "ipmitool", "lspci", "rdma", NULL};
	bool is_switch = linux_is_switch(d);
	const struct shell_machine base = {.command = run_command,
		.fs = &linux_fs,
		.commands = is_switch                         ? other
			    : d->platform->nics == NICS_IONIC ? ionic_host
			    : d->platform->nics == NICS_BNXT  ? bnxt_host
							      : host,
		.kernel = is_switch ? LINUX_FRR_KERNEL : LINUX_KERNEL,
		.kernel_version = is_switch
					  ? "#1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 (2025-05-22)"
					  : "#202602011200 SMP PREEMPT_DYNAMIC Sun Feb  1 12:04:17 "
					    "UTC 2026"};
	struct machine m = {.ctx = ctx, .d = d};

	m.view.tree = linux_tree(ctx, d);
	return personality_shell(&m, &base, line, input, out, err);
}

/* True if a shell without a script argument reads one from standard input. */
static bool reads_input(const char *line)
{
	const char *word = line + strspn(line, " ");
	size_t n = strcspn(word, " ");

	return ((n == 2 && str_starts(word, "sh")) || (n == 4 && str_starts(word, "bash")) ||
		       (n == 7 && str_starts(word, "/bin/sh"))) &&
	       !strstr(word, " -c");
}

const struct personality personality_linux = {"linux", linux_exec, NULL, reads_input, true};
