/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* ipmitool: the settings of the management controller's port, for root. */

static const struct sim_port *bmc_of(const struct sim_device *d)
{
	for (unsigned i = 0; i < d->nports; i++)
		if (linux_is_bmc(&d->ports[i]))
			return &d->ports[i];
	return NULL;
}

int linux_ipmitool(struct machine *m, const struct shell_call *c)
{
	const struct sim_port *p = bmc_of(m->d);
	char mac[18];

	if (!p || !c->root) {
		(void)buf_adds(c->err,
			"Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0: No "
			"such file or directory\n");
		return 1;
	}
	if (c->argc < 3 || strcmp(c->argv[1], "lan") != 0 || strcmp(c->argv[2], "print") != 0) {
		(void)buf_adds(c->err, "Invalid command\n");
		return 1;
	}
	personality_mac(m->d, p->port, mac);
	(void)buf_addf(c->out,
		"Set in Progress         : Set Complete\n"
		"Auth Type Support       : MD5 \n"
		"IP Address Source       : DHCP Address\n"
		"IP Address              : 10.20.%u.%u\n"
		"Subnet Mask             : 255.255.0.0\n"
		"MAC Address             : %s\n"
		"SNMP Community String   : public\n"
		"Default Gateway IP      : 10.20.0.254\n"
		"802.1q VLAN ID          : Disabled\n"
		"RMCP+ Cipher Suites     : 17\n",
		m->d->index / 250 % 256, m->d->index % 250 + 1, mac);
	return 0;
}
