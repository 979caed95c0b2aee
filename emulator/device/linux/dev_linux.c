/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/linux/dev_linux.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define AT(member) offsetof(struct sim_port, member)

/* In the order in which the driver registers them. */
const struct nic_counter linux_hw_counters[] = {
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
	{"lspci", ON_HOST, linux_lspci},
	{"rdma", ON_HOST, linux_rdma},
	{"ibdev2netdev", ON_HOST, linux_ibdev2netdev},
	{"mlnx_qos", ON_HOST, linux_mlnx_qos},
	{"nvidia-smi", ON_HOST, linux_nvidia_smi},
	{"vtysh", ON_SWITCH, frr_vtysh},
};

static int run_command(void *ctx, const struct shell_call *c)
{
	struct machine *m = ctx;
	const char *slash = strrchr(c->argv[0], '/'), *name = slash ? slash + 1 : c->argv[0];
	unsigned here = linux_is_switch(m->d) ? ON_SWITCH : ON_HOST;
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if ((programs[i].where & here) == 0 || strcmp(programs[i].name, name) != 0 ||
			(programs[i].run == linux_nvidia_smi && m->d->net != NET_BACKEND))
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
		"dmesg", "journalctl", "lspci", "rdma", "ibdev2netdev", "mlnx_qos", "nvidia-smi",
		NULL};
	static const char *const other[] = {"ethtool", "dcb", "ip", "pkill", "lldpcli", "lldpctl",
		"dmesg", "journalctl", "vtysh", NULL};
	bool is_switch = linux_is_switch(d);
	const struct shell_machine base = {.command = run_command,
		.fs = &linux_fs,
		.commands = is_switch ? other : host,
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
