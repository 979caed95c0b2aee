/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/dev_linux.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define AT(member) offsetof(struct sim_port, member)

/* In the order in which the driver registers them. */
const struct nic_counter linux_hw_counters[] = {
	{"rx_write_requests", AT(q[LOSSLESS_PRIO].rx_packets), false},
	{"rx_read_requests", 0, false},
	{"rx_atomic_requests", 0, false},
	{"rx_dct_connect", 0, false},
	{"out_of_buffer", AT(nic.out_of_buffer), false},
	{"out_of_sequence", AT(nic.out_of_sequence), false},
	{"duplicate_request", 0, false},
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
	{"req_transport_retries_exceeded", 0, false},
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
	uint64_t v = 0;

	if (c->offset)
		memcpy(&v, (const char *)p + c->offset, sizeof(v));
	return c->wide ? v : v & UINT32_MAX;
}

struct sim_port *linux_port(const struct machine *m, const char *netdev)
{
	unsigned i;

	for (i = 0; netdev && i < m->d->nports; i++)
		if (!strcmp(m->d->ports[i].name, netdev))
			return &m->d->ports[i];
	return NULL;
}

bool linux_is_switch(const struct sim_device *d)
{
	return d->tier != TIER_HOST;
}

bool linux_is_rdma(const struct sim_device *d, const struct sim_port *p)
{
	return !linux_is_switch(d) && (p->net == NET_BACKEND || p->net == NET_STORAGE);
}

void linux_pci(unsigned port, char dst[16])
{
	static const unsigned bus[] = {0x18, 0x40, 0x4f, 0x5e, 0x9a, 0xc0, 0xce, 0xdc};

	(void)str_printf(dst, 16, "0000:%02x:00.0", port < 8 ? bus[port] : 0xe0 + (port & 15));
}

void linux_guid(const struct machine *m, unsigned port, char dst[24])
{
	(void)str_printf(
		dst, 24, "a088:c203:%04x:%02x%02x", m->d->index & 0xffff, port & 255, 0xc0);
}

static int command(void *ctx, const struct shell_call *c)
{
	static const struct {
		const char *name;
		int (*run)(struct machine *m, const struct shell_call *c);
	} all[] = {
		{"ethtool", linux_ethtool},
		{"rdma", linux_rdma},
		{"dcb", linux_dcb},
		{"ip", linux_ip},
		{"lldpcli", linux_lldpcli},
		{"lldpctl", linux_lldpcli},
		{"nvidia-smi", linux_nvidia_smi},
	};
	const char *slash = strrchr(c->argv[0], '/'), *name = slash ? slash + 1 : c->argv[0];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, name))
			return all[i].run(ctx, c);
	return -1;
}

static int host_exec(struct personality_ctx *ctx, struct sim_device *d, const char *line,
	const char *input, struct buf *out, struct buf *err)
{
	static const char *const names[] = {
		"ethtool", "rdma", "dcb", "ip", "lldpcli", "lldpctl", "nvidia-smi", NULL};
	static const struct shell_machine base = {.command = command,
		.commands = names,
		.kernel = LINUX_KERNEL,
		.kernel_version = "#63-Ubuntu SMP PREEMPT_DYNAMIC Tue Apr 15 19:04:15 UTC 2025"};
	struct machine m = {.ctx = ctx, .d = d};

	m.view.tree = linux_tree(ctx, d);
	return personality_shell(&m, &base, line, input, out, err);
}

/* A shell that was given no script reads one. */
static bool reads_input(const char *line)
{
	const char *word = line + strspn(line, " ");
	size_t n = strcspn(word, " ");

	return ((n == 2 && str_starts(word, "sh")) || (n == 4 && str_starts(word, "bash")) ||
		       (n == 7 && str_starts(word, "/bin/sh"))) &&
	       !strstr(word, " -c");
}

const struct personality personality_linux = {"linux", host_exec, NULL, reads_input};
