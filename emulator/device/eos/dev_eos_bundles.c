/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "emulator/device/eos/dev_eos.h"

/* show port-channel, show mlag. */

static json_t *member_of(const struct sim_port *p)
{
	if (sim_bundle_active(p))
		return json_pack("{s:s, s:s}", "protocol", "lacp", "lacpMode", "active");
	return json_pack("{s:s}", "reasonUnconfigured",
		p->up ? "waiting for LACP response" : "link down in LACP negotiation");
}

static json_t *bundle_json(const struct machine *m, unsigned bundle)
{
	json_t *active = json_object(), *inactive = json_object();
	struct sim_bundle b = sim_bundle_of(m->d, bundle);

	for (unsigned i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (p->bundle == bundle)
			(void)json_object_set_new(
				sim_bundle_active(p) ? active : inactive, p->name, member_of(p));
	}
	return json_pack("{s:o, s:o, s:[], s:s, s:i, s:b}", "activePorts", active, "inactivePorts",
		inactive, "recircFeature", "fallbackState", "unconfigured", "minLinks",
		(int)(b.least > 1 ? b.least : 0), "inactiveLag", 0);
}

json_t *eos_port_channel(const struct machine *m, const char *wanted)
{
	json_t *all = json_object();
	char name[32];

	(void)wanted;
	for (unsigned i = 1; i <= m->d->bundles; i++) {
		(void)snprintf(name, sizeof(name), "Port-Channel%u", i);
		(void)json_object_set_new(all, name, bundle_json(m, i));
	}
	return json_pack("{s:o}", "portChannels", all);
}

static unsigned count_shared(const struct sim_device *d, bool partial)
{
	unsigned n = 0;

	for (unsigned i = 1; i <= d->bundles; i++) {
		struct sim_bundle b = sim_bundle_of(d, i);

		n += b.shared && b.up && sim_bundle_of(d->pair, i).up != partial;
	}
	return n;
}

json_t *eos_mlag(const struct machine *m, const char *wanted)
{
	const struct sim_device *d = m->d;
	bool up = d->pair && !d->pair->unreachable && !d->pair->hung;

	(void)wanted;
	if (!d->pair)
		return json_pack("{s:s, s:{}}", "state", "disabled", "mlagPorts");
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:{s:i, s:i, s:i, s:i, s:i}}",
		"domainId", "pair", "peerAddress", d->pair->router_id, "peerLink",
		"Port-Channel1000", "state", up ? "active" : "inactive", "negStatus",
		up ? "connected" : "connecting", "peerLinkStatus", up ? "up" : "down",
		"localIntfStatus", "up", "mlagPorts", "Disabled", 0, "Configured", 0, "Inactive", 0,
		"Active-partial", (int)count_shared(d, true), "Active-full",
		(int)count_shared(d, false));
}
