/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* BGP sessions with the neighbours. */

typedef unsigned long long ull;

/* Counts a keepalive per minute each way, and a few updates. */
static uint64_t count_messages(const struct machine *m, const struct sim_port *p)
{
	int64_t up = sim_now(m->ctx->sim) - p->bgp.since_us;

	return p->bgp.established && up > 0 ? 12 + (uint64_t)(up / (60 * CLOCK_SEC)) : 0;
}

static json_t *summary_row(
	const struct nxos_query *q, const struct sim_port *p, const char *address, unsigned asn)
{
	json_t *row = json_object();
	char since[40];

	nxos_duration(sim_now(q->m->ctx->sim) - p->bgp.since_us, since);
	nxos_str(row, "neighborid", address);
	nxos_num(q, row, "neighborversion", 4);
	nxos_int(row, "msgrecvd", count_messages(q->m, p));
	nxos_int(row, "msgsent", count_messages(q->m, p));
	nxos_num(q, row, "neighbortableversion", p->bgp.established ? 42 : 0);
	nxos_num(q, row, "inq", 0);
	nxos_num(q, row, "outq", 0);
	nxos_strf(row, "neighboras", "%u", asn);
	nxos_str(row, "time", since);
	nxos_str(row, "state", nxos_bgp_state(p));
	nxos_num(q, row, "prefixreceived", p->bgp.established ? p->bgp.prefixes : 0);
	return row;
}

static json_t *session_row(
	const struct nxos_query *q, const struct sim_port *p, const char *address, unsigned asn)
{
	json_t *row = json_object();
	char since[40];

	nxos_duration(sim_now(q->m->ctx->sim) - p->bgp.since_us, since);
	nxos_str(row, "neighbor-id", address);
	nxos_num(q, row, "connectionsdropped", p->bgp.resets);
	nxos_strf(row, "remoteas", "%u", asn);
	nxos_str(row, "lastflap", since);
	nxos_str(row, "lastread", "PT23S");
	nxos_str(row, "lastwrite", "PT41S");
	nxos_str(row, "state", p->bgp.shut ? "Shutdown" : nxos_bgp_state(p));
	nxos_num(q, row, "localport", p->bgp.established ? 179 : 0);
	nxos_num(q, row, "remoteport", p->bgp.established ? 20480 + p->port : 0);
	nxos_num(q, row, "notificationssent", p->bgp.resets);
	nxos_num(q, row, "notificationsreceived", 0);
	return row;
}

typedef json_t *(*neighbor_fn)(
	const struct nxos_query *q, const struct sim_port *p, const char *address, unsigned asn);

static json_t *bgp_rows(const struct nxos_query *q, neighbor_fn make, size_t *established)
{
	json_t *rows = json_array();
	char address[16];
	unsigned asn;

	*established = 0;
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_neighbor(q->m, p, address, &asn))
			continue;
		*established += p->bgp.established;
		(void)json_array_append_new(rows, make(q, p, address, asn));
	}
	return rows;
}

static json_t *json_family(const struct nxos_query *q)
{
	size_t established;
	json_t *peers = bgp_rows(q, summary_row, &established), *o = json_object();

	nxos_int(o, "safi", 1);
	nxos_str(o, "af-name", "IPv4 Unicast");
	nxos_num(q, o, "tableversion", 42);
	nxos_num(q, o, "configuredpeers", json_array_size(peers));
	nxos_num(q, o, "capablepeers", established);
	nxos_num(q, o, "totalnetworks", 544);
	nxos_num(q, o, "totalpaths", 544 * (established ? established : 1));
	nxos_num(q, o, "memoryused", 135616);
	nxos_num(q, o, "numberattrs", 38);
	nxos_num(q, o, "bytesattrs", 13376);
	nxos_num(q, o, "numberpaths", 34);
	nxos_num(q, o, "bytespaths", 340);
	nxos_num(q, o, "numbercommunities", 0);
	nxos_num(q, o, "bytescommunities", 0);
	nxos_num(q, o, "numberclusterlist", 0);
	nxos_num(q, o, "bytesclusterlist", 0);
	nxos_str(o, "dampening", q->native ? "false" : "Disabled");
	nxos_table(q, o, "neighbor", peers);
	return o;
}

static json_t *json_single(json_t *row)
{
	return json_pack("[o]", row);
}

json_t *nxos_bgp_summary(const struct nxos_query *q)
{
	json_t *body = json_object(), *vrf = json_object(), *af = json_object();

	nxos_table(q, af, "saf", json_single(json_family(q)));
	nxos_num(q, af, "af-id", 1);
	nxos_str(vrf, "vrf-name-out", "default");
	nxos_str(vrf, "vrf-router-id", q->m->d->router_id);
	nxos_strf(vrf, "vrf-local-as", "%u", q->m->d->asn);
	nxos_table(q, vrf, "af", json_single(af));
	nxos_table(q, body, "vrf", json_single(vrf));
	return body;
}

json_t *nxos_bgp_sessions(const struct nxos_query *q)
{
	json_t *body = json_object(), *vrf = json_object();
	size_t established;
	json_t *peers = bgp_rows(q, session_row, &established);

	nxos_num(q, body, "totalpeers", json_array_size(peers));
	nxos_num(q, body, "totalestablishedpeers", established);
	nxos_strf(body, "localas", "%u", q->m->d->asn);
	nxos_str(vrf, "vrf-name-out", "default");
	nxos_strf(vrf, "local-as", "%u", q->m->d->asn);
	nxos_num(q, vrf, "vrfpeers", json_array_size(peers));
	nxos_num(q, vrf, "vrfestablishedpeers", established);
	nxos_str(vrf, "router-id", q->m->d->router_id);
	nxos_table(q, vrf, "neighbor", peers);
	nxos_table(q, body, "vrf", json_single(vrf));
	return body;
}

void nxos_bgp_summary_text(const struct nxos_query *q, struct buf *out)
{
	unsigned n = 0, established = 0, asn;
	char address[16], since[40];

	for (unsigned i = 0; i < q->m->d->nports; i++) {
		n += nxos_neighbor(q->m, &q->m->d->ports[i], address, &asn);
		established += q->m->d->ports[i].bgp.established;
	}
	(void)buf_addf(out,
		"\nBGP summary information for VRF default, address family IPv4 Unicast\n"
		"BGP router identifier %s, local AS number %u\n"
		"BGP table version is 42, IPv4 Unicast config peers %u, capable peers %u\n\n"
		"Neighbor        V    AS    MsgRcvd    MsgSent   TblVer  InQ OutQ Up/Down  "
		"State/PfxRcd\n",
		q->m->d->router_id, q->m->d->asn, n, established);
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_neighbor(q->m, p, address, &asn))
			continue;
		nxos_ago(sim_now(q->m->ctx->sim) - p->bgp.since_us, since);
		(void)buf_addf(out, "%-15s 4 %5u %10llu %10llu %8d    0    0 %8s ", address, asn,
			(ull)count_messages(q->m, p), (ull)count_messages(q->m, p),
			p->bgp.established ? 42 : 0, since);
		if (p->bgp.established)
			(void)buf_addf(out, "%u\n", p->bgp.prefixes);
		else
			(void)buf_addf(out, "%s\n", nxos_bgp_state(p));
	}
}

void nxos_bgp_sessions_text(const struct nxos_query *q, struct buf *out)
{
	size_t established, n;
	char address[16], since[40];
	unsigned asn;
	json_t *peers = bgp_rows(q, session_row, &established);

	n = json_array_size(peers);
	json_decref(peers);
	(void)buf_addf(out,
		"Total peers %zu, established peers %zu\nASN %u\nVRF default, local ASN %u\n"
		"peers %zu, established peers %zu, local router-id %s\n"
		"State: I-Idle, A-Active, O-Open, E-Established, C-Closing, S-Shutdown\n\n"
		"Neighbor        ASN     Flaps LastUpDn|LastRead|LastWrit St Port(L/R)  "
		"Notif(S/R)\n",
		n, established, q->m->d->asn, q->m->d->asn, n, established, q->m->d->router_id);
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_neighbor(q->m, p, address, &asn))
			continue;
		nxos_ago(sim_now(q->m->ctx->sim) - p->bgp.since_us, since);
		(void)buf_addf(out, "%-15s %-7u %-5u %-8s|00:00:23|00:00:41 %c  %u/%u %u/0\n",
			address, asn, p->bgp.resets, since, nxos_bgp_state(p)[0],
			p->bgp.established ? 179 : 0, p->bgp.established ? 20480 + p->port : 0,
			p->bgp.resets);
	}
}
