/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/linux/dev_frr.h"

const struct sim_port *frr_far_end(const struct sim_port *p)
{
	return p->plan_peer ? p->plan_peer : p->peer;
}

void frr_uptime(const struct machine *m, int64_t since_us, char dst[24])
{
	int64_t s = (sim_now(m->ctx->sim) - since_us) / CLOCK_SEC;

	s = s < 0 ? 0 : s;
	if (s < 86400)
		(void)str_printf(dst, 24, "%02d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60),
			(int)(s % 60));
	else if (s < INT64_C(7) * 86400)
		(void)str_printf(dst, 24, "%dd%02dh%02dm", (int)(s / 86400), (int)(s / 3600 % 24),
			(int)(s / 60 % 60));
	else
		(void)str_printf(dst, 24, "%02dw%dd%02dh", (int)(s / 604800), (int)(s / 86400 % 7),
			(int)(s / 3600 % 24));
}

static const char *state_word(const struct sim_bgp *b)
{
	return b->established ? "Established" : b->shut ? "Idle (Admin)" : "Idle";
}

static json_int_t since_ms(const struct machine *m, const struct sim_bgp *b)
{
	return (json_int_t)((sim_now(m->ctx->sim) - b->since_us) / 1000);
}

static json_int_t since_epoch(const struct machine *m, const struct sim_bgp *b)
{
	return (json_int_t)((b->since_us + m->d->clock_skew_us) / CLOCK_SEC);
}

/* Counts keepalives every 3 s (datacenter defaults), and the routes. */
static int count_messages(const struct machine *m, const struct sim_bgp *b)
{
	return b->established ? (int)(since_ms(m, b) / 3000 + b->prefixes) : 0;
}

static json_t *json_peer(const struct machine *m, const struct sim_port *p)
{
	const struct sim_device *far = sim_device_of(m->ctx->sim, frr_far_end(p));
	const struct sim_bgp *b = &p->bgp;
	int prefixes = b->established ? (int)b->prefixes : 0;
	char up[24];

	frr_uptime(m, b->since_us, up);
	return json_pack("{s:s,s:I,s:I,s:i,s:i,s:i,s:i,s:i,s:i,s:s,s:I,s:I,s:i,s:i,s:s,s:s,s:i,s:i,"
			 "s:s}",
		"hostname", far->name, "remoteAs", (json_int_t)far->asn, "localAs",
		(json_int_t)m->d->asn, "version", 4, "msgRcvd", count_messages(m, b), "msgSent",
		count_messages(m, b), "tableVersion", 0, "outq", 0, "inq", 0, "peerUptime", up,
		"peerUptimeMsec", since_ms(m, b), "peerUptimeEstablishedEpoch", since_epoch(m, b),
		"pfxRcd", prefixes, "pfxSnt", prefixes, "state", state_word(b), "peerState",
		b->shut ? "Admin" : "OK", "connectionsEstablished",
		(int)b->resets + (b->established ? 1 : 0), "connectionsDropped", (int)b->resets,
		"idType", "interface");
}

json_t *frr_summary(const struct machine *m)
{
	json_t *peers = json_object();
	int total = 0, failed = 0;
	unsigned i, routes = 0;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!p->bgp.configured || !frr_far_end(p))
			continue;
		total++;
		failed += !p->bgp.established;
		routes += p->bgp.established ? p->bgp.prefixes : 0;
		(void)json_object_set_new(peers, p->name, json_peer(m, p));
	}
	if (!total) {
		json_decref(peers);
		return json_object();
	}
	return json_pack("{s:{s:s,s:I,s:i,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:o,s:i,s:i,s:i,s:i,s:{s:"
			 "s}}}",
		"ipv4Unicast", "routerId", m->d->router_id, "as", (json_int_t)m->d->asn, "vrfId", 0,
		"vrfName", "default", "tableVersion", (int)routes, "ribCount", (int)routes,
		"ribMemory", (int)routes * 192, "peerCount", total, "peerMemory", total * 741464,
		"peerGroupCount", 1, "peerGroupMemory", 64, "peers", peers, "failedPeers", failed,
		"displayedPeers", total, "totalPeers", total, "dynamicPeers", 0, "bestPath",
		"multiPathRelax", "true");
}

static json_t *json_neighbor(const struct machine *m, const struct sim_port *p)
{
	const struct sim_device *far = sim_device_of(m->ctx->sim, frr_far_end(p));
	const struct sim_bgp *b = &p->bgp;
	char up[24], mine[16], theirs[16];
	json_t *o;

	frr_uptime(m, b->since_us, up);
	personality_link_address(p, mine);
	personality_link_address(frr_far_end(p), theirs);
	o = json_pack("{s:s,s:I,s:I,s:b,s:s,s:s,s:i,s:s,s:s,s:s,s:i,s:i,s:i,s:i}",
		"bgpNeighborAddr", theirs, "remoteAs", (json_int_t)far->asn, "localAs",
		(json_int_t)m->d->asn, "nbrExternalLink", 1, "hostname", far->name, "peerGroup",
		"FABRIC", "bgpVersion", 4, "remoteRouterId",
		b->established ? far->router_id : "0.0.0.0", "localRouterId", m->d->router_id,
		"bgpState", b->established ? "Established" : "Idle",
		"bgpTimerConfiguredHoldTimeMsecs", 9000, "bgpTimerConfiguredKeepAliveIntervalMsecs",
		3000, "connectionsEstablished", (int)b->resets + (b->established ? 1 : 0),
		"connectionsDropped", (int)b->resets);
	if (b->shut)
		(void)json_object_set_new(o, "adminShutDown", json_true());
	if (b->established)
		(void)json_object_update_new(
			o, json_pack("{s:I,s:s,s:I,s:i,s:i,s:s,s:s,s:{s:{s:i,s:i}}}",
				   "bgpTimerUpMsec", since_ms(m, b), "bgpTimerUpString", up,
				   "bgpTimerUpEstablishedEpoch", since_epoch(m, b),
				   "bgpTimerHoldTimeMsecs", 9000, "bgpTimerKeepAliveIntervalMsecs",
				   3000, "hostLocal", mine, "hostForeign", theirs,
				   "addressFamilyInfo", "ipv4Unicast", "acceptedPrefixCounter",
				   (int)b->prefixes, "sentPrefixCounter", (int)b->prefixes));
	if (b->resets)
		(void)json_object_update_new(
			o, json_pack("{s:I,s:s,s:i}", "lastResetTimerMsecs", since_ms(m, b),
				   "lastResetDueTo",
				   b->shut ? "Admin. shutdown" : "Hold Timer Expired",
				   "lastResetCode", b->shut ? 5 : 8));
	return o;
}

json_t *frr_neighbors(const struct machine *m, const char *only)
{
	json_t *all = json_object();
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (p->bgp.configured && frr_far_end(p) && (!only || !strcmp(only, p->name)))
			(void)json_object_set_new(all, p->name, json_neighbor(m, p));
	}
	return all;
}

void frr_summary_text(const struct machine *m, struct buf *out)
{
	unsigned i, n = 0;
	char up[24], name[64];

	(void)buf_addf(out,
		"\nIPv4 Unicast Summary (VRF default):\nBGP router identifier %s, local AS number "
		"%u vrf-id 0\nBGP table version 37\n\nNeighbor                 V         AS   "
		"MsgRcvd   MsgSent   TblVer  InQ OutQ  Up/Down State/PfxRcd   PfxSnt Desc\n",
		m->d->router_id, m->d->asn);
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];
		const struct sim_bgp *b = &p->bgp;
		const struct sim_device *far;

		if (!b->configured || !frr_far_end(p))
			continue;
		n++;
		far = sim_device_of(m->ctx->sim, frr_far_end(p));
		frr_uptime(m, b->since_us, up);
		(void)str_printf(name, sizeof(name), "%s(%s)", far->name, p->name);
		(void)buf_addf(out, "%-24s 4 %10u %9d %9d        0    0    0 %8s ", name, far->asn,
			count_messages(m, b), count_messages(m, b), up);
		if (b->established)
			(void)buf_addf(out, "%12u %8u N/A\n", b->prefixes, b->prefixes);
		else
			(void)buf_addf(out, "%12s %8u N/A\n", state_word(b), 0);
	}
	(void)buf_addf(out, "\nTotal number of neighbors %u\n", n);
}
