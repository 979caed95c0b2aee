/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

static const struct sim_port *far_end(const struct sim_port *p)
{
	return p->plan_peer ? p->plan_peer : p->peer;
}

/* Messages since the session came up: a keepalive each way every 60 s and the routes. */
static int count_messages(const struct machine *m, const struct sim_bgp *b)
{
	int64_t up = sim_now(m->ctx->sim) - b->since_us;

	return b->established && up > 0 ? (int)(up / (60 * CLOCK_SEC)) + (int)b->prefixes : 0;
}

static json_t *json_peer(const struct machine *m, const struct sim_port *p)
{
	const struct sim_bgp *b = &p->bgp;
	const struct sim_device *far = sim_device_of(m->ctx->sim, far_end(p));
	int prefixes = b->established ? (int)b->prefixes : 0;
	json_t *o = json_pack("{s:o,s:i,s:i,s:i,s:i,s:i,s:o,s:i,s:i,s:f,s:b,s:s}", "description",
		json_sprintf("%s_%s", far->name, far_end(p)->name), "version", 4, "msgReceived",
		count_messages(m, b), "msgSent", count_messages(m, b), "inMsgQueue", 0,
		"outMsgQueue", 0, "asn", json_sprintf("%u", far->asn), "prefixAccepted", prefixes,
		"prefixReceived", prefixes, "upDownTime", eos_seconds(m, b->since_us),
		"underMaintenance", 0, "peerState",
		b->established ? "Established"
		: b->shut      ? "Idle"
			       : "Active");

	if (b->shut)
		(void)json_object_set_new(o, "peerStateIdleReason", json_string("Admin"));
	return o;
}

json_t *eos_bgp_summary(const struct machine *m, const char *wanted)
{
	json_t *peers = json_object();
	char address[16];
	unsigned i;

	(void)wanted;
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!p->bgp.configured || !far_end(p))
			continue;
		personality_link_address(far_end(p), address);
		(void)json_object_set_new(peers, address, json_peer(m, p));
	}
	return json_pack("{s:{s:{s:s,s:s,s:o,s:o}}}", "vrfs", "default", "vrf", "default",
		"routerId", m->d->router_id, "asn", json_sprintf("%u", m->d->asn), "peers", peers);
}

static void add_age(const struct machine *m, int64_t since_us, struct buf *out)
{
	int64_t s = (sim_now(m->ctx->sim) - since_us) / CLOCK_SEC;

	if (s < 86400)
		(void)buf_addf(out, "%02lld:%02lld:%02lld", (long long)(s / 3600),
			(long long)(s / 60 % 60), (long long)(s % 60));
	else
		(void)buf_addf(
			out, "%lldd%02lldh", (long long)(s / 86400), (long long)(s / 3600 % 24));
}

void eos_bgp_summary_text(const struct machine *m, const char *wanted, struct buf *out)
{
	char address[16];
	unsigned i;

	(void)wanted;
	(void)buf_addf(out,
		"BGP summary information for VRF default\n"
		"Router identifier %s, local AS number %u\n"
		"Neighbor Status Codes: m - Under maintenance\n"
		"  %-15s V %-10s %8s %8s  InQ OutQ  Up/Down State   PfxRcd PfxAcc\n",
		m->d->router_id, m->d->asn, "Neighbor", "AS", "MsgRcvd", "MsgSent");
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];
		const struct sim_bgp *b = &p->bgp;

		if (!b->configured || !far_end(p))
			continue;
		personality_link_address(far_end(p), address);
		(void)buf_addf(out, "  %-15s 4 %-10u %8d %8d    0    0 ", address,
			sim_device_of(m->ctx->sim, far_end(p))->asn, count_messages(m, b),
			count_messages(m, b));
		add_age(m, b->since_us, out);
		(void)buf_addf(out, " %s",
			b->established ? "Estab  "
			: b->shut      ? "Idle(Admin)"
				       : "Active");
		if (b->established)
			(void)buf_addf(out, " %-6u %-6u", b->prefixes, b->prefixes);
		(void)buf_add(out, "\n", 1);
	}
}
