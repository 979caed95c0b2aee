/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/sim/sim.h"

/*
 * Refresh periods. SONiC: FLEX_COUNTER_TABLE defaults (PORT 1 s, QUEUE 10 s, watermarks 60 s).
 * Cumulus: kernel counters 2 s. EOS and NX-OS: their agents, every few seconds; EOS gives the time
 * in counterRefreshTime. A host reads its NIC at each command. Only Spectrum counts the time a
 * priority was paused; Broadcom's SAI counts frames. NX-OS keeps PFC frames in 32 bits (Counter32
 * in CISCO-PFC-EXT-MIB).
 */
#define HOST(name, model, asic, nics)                                                              \
	{                                                                                          \
		name, "linux", model, "Ubuntu 24.04.2 LTS", asic, 4, 0, 0, 0, true, true, 64,      \
			"OpenSSH_9.6p1 Ubuntu-3ubuntu13.5", nics                                   \
	}
static const struct sim_platform platforms[] = {
	HOST("linux", "PowerEdge XE9680", "mlx5", NICS_CONNECTX),
	HOST("linux-two-port", "SYS-822GS-NB3RT", "mlx5", NICS_TWO_PORT),
	HOST("linux-bond", "PowerEdge XE9680", "mlx5", NICS_BOND),
	HOST("linux-ionic", "AS-8126GS-NB3RT", "ionic", NICS_IONIC),
	HOST("linux-bnxt", "PowerEdge XE9680", "bnxt", NICS_BNXT),
	{"sonic-spectrum", "sonic", "ACS-SN5400", "SONiC.202411.0", "mellanox", 4, CLOCK_SEC,
		10 * CLOCK_SEC, 60 * CLOCK_SEC, true, true, 64, "OpenSSH_9.2p1 Debian-2+deb12u3",
		NICS_CONNECTX},
	{"sonic-broadcom", "sonic", "Accton-AS9736-64D", "SONiC.202411.0", "broadcom", 4, CLOCK_SEC,
		10 * CLOCK_SEC, 60 * CLOCK_SEC, false, true, 64, "OpenSSH_9.2p1 Debian-2+deb12u3",
		NICS_CONNECTX},
	{"eos", "eos", "DCS-7060DX5-64S-F", "4.33.1F", "tomahawk4", 4, 2 * CLOCK_SEC, 2 * CLOCK_SEC,
		2 * CLOCK_SEC, false, true, 64, "OpenSSH_8.7", NICS_CONNECTX},
	{"cumulus", "cumulus", "SN5400", "5.11.1", "mellanox", 4, 2 * CLOCK_SEC, 2 * CLOCK_SEC,
		2 * CLOCK_SEC, true, true, 64, "OpenSSH_9.2p1 Debian-2+deb12u3", NICS_CONNECTX},
	{"nxos", "nxos", "N9K-C9364D-GX2A", "10.4(3)", "gx2", 4, 5 * CLOCK_SEC, 5 * CLOCK_SEC,
		10 * CLOCK_SEC, false, false, 32, "OpenSSH_8.3", NICS_CONNECTX},
	{"frr", "linux", "AS9736-64D", "Debian GNU/Linux 12", "switchdev", 4, CLOCK_SEC, CLOCK_SEC,
		CLOCK_SEC, false, true, 64, "OpenSSH_9.2p1 Debian-2+deb12u3", NICS_CONNECTX},
};

const struct sim_platform *sim_platform(const char *name)
{
	for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++)
		if (strcmp(platforms[i].name, name) == 0)
			return &platforms[i];
	return NULL;
}

#undef HOST

static const char *const nics_names[] = {
	[NICS_CONNECTX] = "connectx",
	[NICS_TWO_PORT] = "two-port",
	[NICS_BOND] = "bond",
	[NICS_IONIC] = "ionic",
	[NICS_BNXT] = "bnxt",
};

const struct sim_platform *sim_host_platform(const char *nics)
{
	char name[32];

	if (str_eq(nics, nics_names[NICS_CONNECTX]))
		return sim_platform("linux");
	return str_printf(name, sizeof(name), "linux-%s", nics) ? sim_platform(name) : NULL;
}

void sim_rdma_name(enum sim_nics nics, unsigned port, char dst[24])
{
	(void)str_printf(dst, 24,
		nics == NICS_BOND    ? "mlx5_bond_%u"
		: nics == NICS_IONIC ? "ionic_%u"
		: nics == NICS_BNXT  ? "bnxt_re%u"
				     : "mlx5_%u",
		nics == NICS_BOND ? port / 2 : port);
}

const char *sim_platform_names(void)
{
	return "sonic-spectrum, sonic-broadcom, eos, cumulus, nxos, frr";
}
