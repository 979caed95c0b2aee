/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/personality_internal.h"

/* What several dialects say in the same way. */

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
