/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/personality_internal.h"

/* Formats that several dialects share. */

void personality_pause_frames(const struct sim_port *p, uint64_t *rx, uint64_t *tx)
{
	*rx = *tx = 0;
	for (unsigned i = 0; i < 8; i++) {
		*rx += p->q[i].pfc_rx_frames;
		*tx += p->q[i].pfc_tx_frames;
	}
}

void personality_dotted_mac(const char *mac, char dst[DOTTED_MAC])
{
	size_t n = 0, digits = 0;

	for (; *mac && n < DOTTED_MAC - 1; mac++) {
		if (*mac == ':')
			continue;
		if (digits && digits % 4 == 0)
			dst[n++] = '.';
		dst[n++] = *mac;
		digits++;
	}
	dst[n] = '\0';
}

void personality_ethtool_speed(const struct sim_port *p, struct buf *out)
{
	if (p->up)
		(void)buf_addf(out, "\tSpeed: %uMb/s\n\tLanes: %u\n\tDuplex: Full\n", p->speed_mbps,
			p->lanes);
	else
		(void)buf_adds(out, "\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n");
}

/* Compares member by member, because the padding may differ. */
static bool is_same_config(const struct sim_port_config *a, const struct sim_port_config *b)
{
	return a->admin_up == b->admin_up && a->pfc_mask == b->pfc_mask &&
	       a->wd_mask == b->wd_mask && a->wd_action == b->wd_action &&
	       a->wd_detect_ms == b->wd_detect_ms && a->wd_restore_ms == b->wd_restore_ms &&
	       a->ecn == b->ecn && a->ecn_min_bytes == b->ecn_min_bytes &&
	       a->ecn_max_bytes == b->ecn_max_bytes && a->ecn_max_percent == b->ecn_max_percent &&
	       a->np == b->np && a->rp == b->rp && a->beacon == b->beacon && a->mtu == b->mtu;
}

void personality_configure(struct personality_ctx *ctx, struct sim_port *p,
	const struct sim_port_config *c, const char *who)
{
	/* A command that changes nothing is a write too: it needs the write permission. */
	if (sim_write(ctx->sim, sim_device_of(ctx->sim, p)) != SIM_WRITE_TAKES)
		return;
	if (!is_same_config(&p->config, c))
		sim_configure(ctx->sim, p, c, who);
}
