/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "emulator/sim/sim.h"

/*
 * Refresh periods. SONiC: FLEX_COUNTER_TABLE defaults (PORT 1 s, QUEUE 10 s, watermarks 60 s).
 * Cumulus: kernel counters 2 s. EOS and NX-OS: their agents, every few seconds; EOS gives the time
 * in counterRefreshTime. A host reads its NIC at each command. Only Spectrum counts the time a
 * priority was paused; Broadcom's SAI counts frames. NX-OS keeps PFC frames in 32 bits (Counter32
 * in CISCO-PFC-EXT-MIB).
 */
static const struct sim_platform platforms[] = {
	{"linux", "linux", "PowerEdge XE9680", "Ubuntu 24.04.2 LTS", "mlx5", 4, 0, 0, 0, true, true,
		64, "OpenSSH_9.6p1 Ubuntu-3ubuntu13.5"},
	{"sonic-spectrum", "sonic", "ACS-SN5400", "SONiC.202411.0", "mellanox", 4, CLOCK_SEC,
		10 * CLOCK_SEC, 60 * CLOCK_SEC, true, true, 64, "OpenSSH_9.2p1 Debian-2+deb12u3"},
	{"sonic-broadcom", "sonic", "Accton-AS9736-64D", "SONiC.202411.0", "broadcom", 4, CLOCK_SEC,
		10 * CLOCK_SEC, 60 * CLOCK_SEC, false, true, 64, "OpenSSH_9.2p1 Debian-2+deb12u3"},
	{"eos", "eos", "DCS-7060DX5-64S-F", "4.33.1F", "tomahawk4", 4, 2 * CLOCK_SEC, 2 * CLOCK_SEC,
		2 * CLOCK_SEC, false, true, 64, "OpenSSH_8.7"},
	{"cumulus", "cumulus", "SN5400", "5.11.1", "mellanox", 4, 2 * CLOCK_SEC, 2 * CLOCK_SEC,
		2 * CLOCK_SEC, true, true, 64, "OpenSSH_9.2p1 Debian-2+deb12u3"},
	{"nxos", "nxos", "N9K-C9364D-GX2A", "10.4(3)", "gx2", 4, 5 * CLOCK_SEC, 5 * CLOCK_SEC,
		10 * CLOCK_SEC, false, false, 32, "OpenSSH_8.3"},
	{"frr", "linux", "AS9736-64D", "Debian GNU/Linux 12", "switchdev", 4, CLOCK_SEC, CLOCK_SEC,
		CLOCK_SEC, false, true, 64, "OpenSSH_9.2p1 Debian-2+deb12u3"},
};

const struct sim_platform *sim_platform(const char *name)
{
	for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++)
		if (strcmp(platforms[i].name, name) == 0)
			return &platforms[i];
	return NULL;
}

const char *sim_platform_names(void)
{
	return "sonic-spectrum, sonic-broadcom, eos, cumulus, nxos, frr";
}
