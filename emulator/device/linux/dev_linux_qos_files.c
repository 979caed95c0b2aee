/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "emulator/device/linux/dev_linux.h"

/* /sys/class/net/N/ecn and /qos of the vendor's driver: DCQCN and trust. */

enum { NP_ENABLE, RP_ENABLE = 8, TRUST = 16 };

static int read_qos(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	const struct sim_port *p = port < m->d->nports ? &m->d->ports[port] : NULL;

	if (!p)
		return ENOENT;
	if (item >= TRUST)
		(void)buf_adds(out, m->d->config.trust_dscp ? "dscp\n" : "pcp\n");
	else
		(void)buf_adds(
			out, (item >= RP_ENABLE ? p->config.rp : p->config.np) ? "1\n" : "0\n");
	return 0;
}

void linux_qos_files(struct vfs *tree, const char *base, unsigned port)
{
	static const struct {
		const char *name, *text;
	} fixed[] = {
		{"roce_np/cnp_dscp", "48\n"},
		{"roce_np/cnp_802p_prio", "6\n"},
		{"roce_np/min_time_between_cnps", "4\n"},
		{"roce_rp/clamp_tgt_rate", "0\n"},
		{"roce_rp/clamp_tgt_rate_after_time_inc", "1\n"},
		{"roce_rp/dce_tcp_g", "1019\n"},
		{"roce_rp/dce_tcp_rtt", "1\n"},
		{"roce_rp/initial_alpha_value", "1023\n"},
		{"roce_rp/rate_reduce_monitor_period", "4\n"},
		{"roce_rp/rate_to_set_on_first_cnp", "0\n"},
		{"roce_rp/rpg_ai_rate", "5\n"},
		{"roce_rp/rpg_byte_reset", "32767\n"},
		{"roce_rp/rpg_gd", "11\n"},
		{"roce_rp/rpg_hai_rate", "50\n"},
		{"roce_rp/rpg_max_rate", "0\n"},
		{"roce_rp/rpg_min_dec_fac", "50\n"},
		{"roce_rp/rpg_min_rate", "1\n"},
		{"roce_rp/rpg_threshold", "1\n"},
		{"roce_rp/rpg_time_reset", "300\n"},
	};
	char path[256];
	unsigned i;

	for (i = 0; i < 8; i++) {
		(void)snprintf(path, sizeof(path), "%.120s/ecn/roce_np/enable/%u", base, i);
		vfs_file(tree, path, read_qos, port, NP_ENABLE + i);
		(void)snprintf(path, sizeof(path), "%.120s/ecn/roce_rp/enable/%u", base, i);
		vfs_file(tree, path, read_qos, port, RP_ENABLE + i);
	}
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		(void)snprintf(path, sizeof(path), "%.120s/ecn/%s", base, fixed[i].name);
		vfs_text(tree, path, fixed[i].text);
	}
	(void)snprintf(path, sizeof(path), "%.120s/qos/trust", base);
	vfs_file(tree, path, read_qos, port, TRUST);
}
