/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "emulator/serve/observations_internal.h"

/*
 * Configuration, and the settings of modules: at the start and after a change. A setting is the
 * value that the device shows, even if the hardware behind it does not follow.
 */

#define ROCE SIM_PRIO_ROCE

static const char *action_name(enum sim_wd_action a)
{
	switch (a) {
	case SIM_WD_FORWARD:
		return "forward";
	case SIM_WD_ALERT:
		return "alert";
	case SIM_WD_DROP:
		break;
	}
	return "drop";
}

void observe_watchdog(struct buf *b, const struct sim_port *p)
{
	const struct sim_port_config *c = &p->config;

	(void)buf_addf(b, ",\"pfcwd_state\":{\"%d\":\"%s\"}", ROCE,
		!(c->wd_mask >> ROCE & 1) ? "off"
		: p->q[ROCE].wd_stormed   ? "stormed"
					  : "operational");
}

static void put_switch(struct buf *b, const struct sim_port *p)
{
	const struct sim_port_config *c = &p->config;

	(void)buf_addf(b, ",\"ecn_enabled\":%u", c->ecn ? 1U << ROCE : 0);
	if (c->wd_mask >> ROCE & 1)
		(void)buf_addf(b,
			",\"pfcwd_action\":{\"%d\":\"%s\"},\"pfcwd_detect_ms\":{\"%d\":%u},"
			"\"pfcwd_restore_ms\":{\"%d\":%u}",
			ROCE, action_name(c->wd_action), ROCE, c->wd_detect_ms, ROCE,
			c->wd_restore_ms);
	if (c->ecn)
		(void)buf_addf(b,
			",\"ecn_min_bytes\":{\"%d\":%u},\"ecn_max_bytes\":{\"%d\":%u},"
			"\"ecn_probability\":{\"%d\":%u}",
			ROCE, c->ecn_min_bytes, ROCE, c->ecn_max_bytes, ROCE, c->ecn_max_percent);
}

static void put_nic(struct buf *b, const struct sim_port *p)
{
	(void)buf_addf(b,
		",\"dcqcn_rp\":%u,\"dcqcn_np\":%u,\"cnp_dscp\":48,\"cnp_prio\":%d,"
		"\"pcie_max_width\":%u,\"pcie_max_mtps\":%.0f",
		p->config.rp ? 1U << ROCE : 0, p->config.np ? 1U << ROCE : 0, SIM_PRIO_CNP,
		p->nic.pcie_width_max, 32000.0);
}

static void put_maps(struct buf *b, const struct sim_device *d)
{
	char map[65];

	for (int i = 0; i < 64; i++)
		map[i] = (char)('0' + d->config.dscp_prio[i]);
	map[64] = '\0';
	(void)buf_addf(b,
		",\"trust\":\"%s\",\"dscp_to_tc\":\"%s\",\"tc_to_queue\":\"01234567\","
		"\"tc_to_pg\":\"01234567\",\"prio_to_queue\":\"01234567\"",
		d->config.trust_dscp ? "dscp" : "port", map);
}

/* The limits of a module, as in typical vendors' modules of this range. */
static const char limits[] =
	",\"rx_power_limit_dbm\":{\"low_alarm\":-9,\"low_warn\":-6.5,\"high_warn\":4,"
	"\"high_alarm\":5.5},\"tx_power_limit_dbm\":{\"low_alarm\":-5.5,\"low_warn\":-3,"
	"\"high_warn\":4,\"high_alarm\":5.5},\"tx_bias_limit_ma\":{\"low_alarm\":20,"
	"\"low_warn\":25,\"high_warn\":85,\"high_alarm\":90},\"temperature_limit_c\":"
	"{\"low_alarm\":-5,\"low_warn\":0,\"high_warn\":75,\"high_alarm\":80},"
	"\"voltage_limit_v\":{\"low_alarm\":2.97,\"low_warn\":3.135,\"high_warn\":3.465,"
	"\"high_alarm\":3.63}";

static bool same_config(const struct sim_port_config *a, const struct sim_port_config *b)
{
	return a->admin_up == b->admin_up && a->pfc_mask == b->pfc_mask &&
	       a->wd_mask == b->wd_mask && a->wd_action == b->wd_action &&
	       a->wd_detect_ms == b->wd_detect_ms && a->wd_restore_ms == b->wd_restore_ms &&
	       a->ecn == b->ecn && a->ecn_min_bytes == b->ecn_min_bytes &&
	       a->ecn_max_bytes == b->ecn_max_bytes && a->ecn_max_percent == b->ecn_max_percent &&
	       a->np == b->np && a->rp == b->rp && a->mtu == b->mtu;
}

void observe_settings(
	struct buf *b, const struct sim_device *d, const struct sim_port *p, struct port_memory *m)
{
	bool first = !m->set, mapped = first ||
				       memcmp(m->dscp_prio, d->config.dscp_prio, 64) != 0 ||
				       m->trust_dscp != d->config.trust_dscp;

	if (mapped)
		put_maps(b, d);
	if (first)
		(void)buf_adds(b, limits);
	if (first || !same_config(&m->config, &p->config)) {
		(void)buf_addf(
			b, ",\"pfc_enabled\":%u,\"mtu\":%u", p->config.pfc_mask, p->config.mtu);
		if (p->tier == TIER_HOST)
			put_nic(b, p);
		else
			put_switch(b, p);
	}
	m->set = true;
	m->config = p->config;
	m->trust_dscp = d->config.trust_dscp;
	memcpy(m->dscp_prio, d->config.dscp_prio, sizeof(m->dscp_prio));
}

static bool has_session(const struct sim_port *p)
{
	return p->tier != TIER_HOST && p->bgp.configured;
}

uint64_t observe_sessions_hash(const struct sim_device *d)
{
	uint64_t h = 1;

	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i];

		if (has_session(p))
			h = (h * 31 + p->bgp.established + UINT64_C(2) * p->bgp.shut) * 31 +
			    p->bgp.resets;
	}
	return h;
}

bool observe_sessions(struct buf *b, const struct sim *s, const struct sim_device *d, int64_t now)
{
	bool any = false;

	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i];

		if (!has_session(p))
			continue;
		(void)buf_adds(b, any ? ",{\"peer\":" : ",\"bgp_whole\":true,\"bgp\":[{\"peer\":");
		any = true;
		line_string(b, p->name);
		if (p->plan_peer) {
			(void)buf_adds(b, ",\"host\":");
			line_string(b, sim_device_of(s, p->plan_peer)->name);
		}
		(void)buf_addf(b,
			",\"state\":\"%s\",\"since_s\":%lld,\"prefixes\":%u,\"drops\":%u}",
			p->bgp.established ? "established"
			: p->bgp.shut      ? "admin-down"
					   : "active",
			(long long)((now - p->bgp.since_us) / 1000000), p->bgp.prefixes,
			p->bgp.resets);
	}
	if (any)
		(void)buf_adds(b, "]");
	return any;
}
