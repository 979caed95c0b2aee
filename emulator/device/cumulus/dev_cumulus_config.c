/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/* Makes the configuration from the switch's current state, so that there is only one source. */

static bool matches_profile(const struct cumulus_profile *f, const struct sim_port_config *c)
{
	if (!f->congestion)
		return f->pfc_mask == c->pfc_mask;
	if (!f->ecn || !c->ecn)
		return f->ecn == c->ecn;
	return f->min_bytes == c->ecn_min_bytes && f->max_bytes == c->ecn_max_bytes &&
	       f->max_percent == c->ecn_max_percent;
}

const struct cumulus_profile *cumulus_profile_of(
	const struct cumulus_box *box, const struct sim_port_config *c, bool congestion)
{
	unsigned i;

	for (i = 0; i < box->nprofiles; i++)
		if (box->profile[i].congestion == congestion &&
			matches_profile(&box->profile[i], c))
			return &box->profile[i];
	return NULL;
}

static json_t *port_config(const struct cumulus_box *box, const struct sim_port *p)
{
	const struct sim_port_config *c = &p->config;
	const struct cumulus_profile *cc = cumulus_profile_of(box, c, true);
	const struct cumulus_profile *pfc = cumulus_profile_of(box, c, false);
	char own_cc[40], own_pfc[40];

	(void)str_printf(own_cc, sizeof(own_cc), "%s-cc", p->name);
	(void)str_printf(own_pfc, sizeof(own_pfc), "%s-pfc", p->name);
	return json_pack("{s:s,s:{s:{s:{}},s:i,s:s,s:s},s:{s:{s:s},s:{s:s},s:{s:s}}}", "type",
		"swp", "link", "state", c->admin_up ? "up" : "down", "mtu", (int)c->mtu, "speed",
		"auto", "fec", "auto", "qos", "pfc-watchdog", "state",
		c->wd_mask ? "enable" : "disable", "pfc", "profile", pfc ? pfc->name : own_pfc,
		"congestion-control", "profile", cc ? cc->name : own_cc);
}

static json_t *profile_config(const struct cumulus_profile *f)
{
	json_t *prios;
	char key[4];
	unsigned i;

	if (f->congestion)
		return json_pack("{s:{s:{s:s,s:s,s:i,s:i,s:i}}}", "traffic-class", "3", "ecn",
			f->ecn ? "enable" : "disable", "red", "disable", "min-threshold",
			(int)f->min_bytes, "max-threshold", (int)f->max_bytes, "probability",
			(int)f->max_percent);
	prios = json_object();
	for (i = 0; i < 8; i++) {
		(void)str_printf(key, sizeof(key), "%u", i);
		if (f->pfc_mask >> i & 1)
			(void)json_object_set_new(prios, key, json_object());
	}
	return json_pack("{s:o,s:s,s:s,s:i}", "switch-priority", prios, "rx-enable", "enable",
		"tx-enable", "enable", "cable-length", 100);
}

static void add_profile(json_t *cc, json_t *pfc, const struct cumulus_profile *f)
{
	(void)json_object_set_new(f->congestion ? cc : pfc, f->name, profile_config(f));
}

static json_t *profiles_config(const struct machine *m, const struct cumulus_box *box)
{
	json_t *cc = json_object(), *pfc = json_object();
	unsigned i;

	for (i = 0; i < box->nprofiles; i++)
		add_profile(cc, pfc, &box->profile[i]);
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port_config *c = &m->d->ports[i].config;
		struct cumulus_profile own = {.pfc_mask = c->pfc_mask,
			.ecn = c->ecn,
			.min_bytes = c->ecn_min_bytes,
			.max_bytes = c->ecn_max_bytes,
			.max_percent = c->ecn_max_percent};

		(void)str_printf(own.name, sizeof(own.name), "%s-pfc", m->d->ports[i].name);
		if (!cumulus_profile_of(box, c, false))
			add_profile(cc, pfc, &own);
		own.congestion = true;
		(void)str_printf(own.name, sizeof(own.name), "%s-cc", m->d->ports[i].name);
		if (!cumulus_profile_of(box, c, true))
			add_profile(cc, pfc, &own);
	}
	return json_pack("{s:{s:s,s:s},s:o,s:o}", "roce", "enable", "on", "mode", "lossless",
		"congestion-control", cc, "pfc", pfc);
}

json_t *cumulus_config(struct machine *m, const json_t *patch)
{
	const struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	json_t *ports = json_object(), *neighbors = json_object(), *all;
	json_t *qos = profiles_config(m, box);
	unsigned i;

	(void)json_object_set_new(qos, "pfc-watchdog", cumulus_global_watchdog(m, NULL));
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		(void)json_object_set_new(ports, p->name, port_config(box, p));
		if (p->bgp.configured)
			(void)json_object_set_new(neighbors, p->name,
				json_pack("{s:s,s:s,s:s}", "remote-as", "external", "type",
					"unnumbered", "shutdown", p->bgp.shut ? "on" : "off"));
	}
	all = json_pack("{s:{s:s},s:o,s:o,s:{s:{s:{s:{s:i,s:s,s:s,s:o}}}}}", "system", "hostname",
		m->d->name, "interface", ports, "qos", qos, "vrf", "default", "router", "bgp",
		"autonomous-system", (int)m->d->asn, "router-id", m->d->router_id, "enable", "on",
		"neighbor", neighbors);
	if (patch)
		cumulus_merge(all, patch);
	return all;
}
