/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"

/* BGP and LLDP: vtysh, `show ip bgp summary`, lldpctl, `show lldp` */

static const struct sim_port *far_end(const struct sim_port *p)
{
	return !p->bgp.configured ? NULL : p->plan_peer ? p->plan_peer : p->peer;
}

static const char *bgp_state(const struct sim_port *p)
{
	return p->bgp.established ? "Established"
	       : p->bgp.shut      ? "Idle (Admin)"
	       : p->up            ? "Active"
				  : "Idle";
}

/* FRR has a date of a session's last change, unless it never came up. */
static bool was_up(const struct sim_bgp *b)
{
	return b->established || b->resets;
}

/* FRR's format: 00:02:05, 1d02h03m, 01w2d03h */
static void peer_uptime(int64_t s, char dst[16])
{
	if (s < 86400)
		(void)str_printf(dst, 16, "%02d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60),
			(int)(s % 60));
	else if (s < 604800)
		(void)str_printf(dst, 16, "%dd%02dh%02dm", (int)(s / 86400), (int)(s / 3600 % 24),
			(int)(s / 60 % 60));
	else
		(void)str_printf(dst, 16, "%02dw%dd%02dh", (int)(s / 604800), (int)(s / 86400 % 7),
			(int)(s / 3600 % 24));
}

struct session {
	const struct sim_port *p;
	const struct sim_device *far;
	char address[16], uptime[16];
	int64_t age_s, messages;
	unsigned prefixes;
};

/* The session of the i-th port; false: it has none. */
static bool get_session(const struct machine *m, unsigned i, struct session *s)
{
	const struct sim_port *p = &m->d->ports[i], *far = far_end(p);

	if (!far)
		return false;
	s->p = p;
	s->far = sim_device_of(m->ctx->sim, far);
	personality_link_address(far, s->address);
	s->age_s = (sim_now(m->ctx->sim) - p->bgp.since_us) / CLOCK_SEC;
	if (s->age_s < 0)
		s->age_s = 0;
	peer_uptime(s->age_s, s->uptime);
	s->messages = p->bgp.established ? 12 + s->age_s / 3 : 12 + p->bgp.resets;
	s->prefixes = p->bgp.established ? p->bgp.prefixes : 0;
	return true;
}

static json_t *peer_json(const struct machine *m, const struct session *s)
{
	const struct sim_bgp *b = &s->p->bgp;
	json_t *o = json_pack("{s:s,s:I,s:I,s:i,s:I,s:I,s:i,s:i,s:i,s:s,s:I}", "hostname",
		s->far->name, "remoteAs", (json_int_t)s->far->asn, "localAs", (json_int_t)m->d->asn,
		"version", 4, "msgRcvd", (json_int_t)s->messages, "msgSent",
		(json_int_t)s->messages + 1, "tableVersion", 0, "outq", 0, "inq", 0, "peerUptime",
		was_up(b) ? s->uptime : "never", "peerUptimeMsec",
		(json_int_t)(was_up(b) ? s->age_s * 1000 : 0));

	if (b->established)
		(void)json_object_set_new(o, "peerUptimeEstablishedEpoch",
			json_integer((b->since_us + m->d->clock_skew_us) / CLOCK_SEC));
	(void)json_object_set_new(o, "pfxRcd", json_integer(s->prefixes));
	(void)json_object_set_new(o, "pfxSnt", json_integer(b->established ? s->prefixes + 1 : 0));
	(void)json_object_set_new(o, "state", json_string(bgp_state(s->p)));
	(void)json_object_set_new(o, "peerState",
		json_string(b->shut          ? "Admin"
			    : b->established ? "OK"
					     : "Idle"));
	(void)json_object_set_new(
		o, "connectionsEstablished", json_integer(b->resets + b->established));
	(void)json_object_set_new(o, "connectionsDropped", json_integer(b->resets));
	(void)json_object_set_new(o, "desc", json_string(s->far->name));
	(void)json_object_set_new(o, "idType", json_string("ipv4"));
	return o;
}

static void summary_json(const struct machine *m, struct buf *out, bool wrapped)
{
	json_t *peers = json_object(), *family;
	unsigned failed = 0, total = 0, routes = 0;
	struct session s;
	char *text;

	for (unsigned i = 0; i < m->d->nports; i++) {
		if (!get_session(m, i, &s))
			continue;
		total++;
		failed += !s.p->bgp.established;
		routes += s.prefixes;
		(void)json_object_set_new(peers, s.address, peer_json(m, &s));
	}
	family = json_pack("{s:s,s:I,s:i,s:s,s:I,s:I,s:I,s:I,s:I,s:o,s:I,s:I,s:I,s:i,s:{s:s}}",
		"routerId", m->d->router_id, "as", (json_int_t)m->d->asn, "vrfId", 0, "vrfName",
		"default", "tableVersion", (json_int_t)routes, "ribCount", (json_int_t)routes * 2,
		"ribMemory", (json_int_t)routes * 384, "peerCount", (json_int_t)total, "peerMemory",
		(json_int_t)total * 741464, "peers", peers, "failedPeers", (json_int_t)failed,
		"displayedPeers", (json_int_t)total, "totalPeers", (json_int_t)total,
		"dynamicPeers", 0, "bestPath", "multiPathRelax", "true");
	if (wrapped)
		family = total ? json_pack("{s:o}", "ipv4Unicast", family)
			       : (json_decref(family), json_object());
	text = json_dumps(family, JSON_INDENT(2));
	json_decref(family);
	(void)buf_addf(out, "%s\n", text ? text : "{}");
	free(text);
}

static void summary_head(const struct machine *m, struct buf *out, unsigned peers, unsigned routes)
{
	(void)buf_addf(out,
		"\nIPv4 Unicast Summary:\nBGP router identifier %s, local AS number %u vrf-id 0\n"
		"BGP table version %u\nRIB entries %u, using %u bytes of memory\n"
		"Peers %u, using %u KiB of memory\nPeer groups 0, using 0 bytes of memory\n\n\n",
		m->d->router_id, m->d->asn, routes, routes * 2, routes * 384, peers,
		peers * 741464);
}

/* The heading's spelling is the tool's. */
int sonic_show_bgp(struct machine *m, const struct shell_call *c)
{
	static const char *const titles[] = {"Neighbhor", "V", "AS", "MsgRcvd", "MsgSent", "TblVer",
		"InQ", "OutQ", "Up/Down", "State/PfxRcd", "NeighborName", NULL};
	unsigned peers = 0, routes = 0;
	struct session s;
	struct sonic_table t;

	sonic_table_init(&t, titles, "lrrrrrrrlrl");
	for (unsigned i = 0; i < m->d->nports; i++) {
		if (!get_session(m, i, &s))
			continue;
		peers++;
		routes += s.prefixes;
		sonic_cell(&t, "%s", s.address);
		sonic_cell(&t, "4");
		sonic_cell(&t, "%u", s.far->asn);
		sonic_cell(&t, "%lld", (long long)s.messages);
		sonic_cell(&t, "%lld", (long long)s.messages + 1);
		sonic_cell(&t, "0");
		sonic_cell(&t, "0");
		sonic_cell(&t, "0");
		sonic_cell(&t, "%s", was_up(&s.p->bgp) ? s.uptime : "never");
		if (s.p->bgp.established)
			sonic_cell(&t, "%u", s.prefixes);
		else
			sonic_cell(&t, "%s", bgp_state(s.p));
		sonic_cell(&t, "%s", s.far->name);
	}
	summary_head(m, c->out, peers, routes);
	sonic_table_print(&t, c->out);
	(void)buf_addf(c->out, "\nTotal number of neighbors %u\n", peers);
	return 0;
}

static bool has_word(const char *line, const char *word)
{
	return strstr(line, word) != NULL;
}

/* vtysh -c 'show [ip] bgp [vrf all] [ipv4 unicast] summary [json]' */
int sonic_vtysh(struct machine *m, const struct shell_call *c)
{
	const char *line = NULL;

	for (int i = 1; i + 1 < c->argc; i++)
		if (str_eq(c->argv[i], "-c"))
			line = c->argv[++i];
	if (!line) {
		(void)buf_adds(c->out, "\nHello, this is FRRouting (version 8.5.4).\n"
				       "Copyright 1996-2005 Kunihiro Ishiguro, et al.\n\n");
		return 0;
	}
	if (!str_starts(line, "show ") || !has_word(line, "bgp") || !has_word(line, "summary")) {
		(void)buf_addf(c->out, "%% Unknown command: %s\n", line);
		return 1;
	}
	if (has_word(line, "ipv6")) {
		(void)buf_adds(
			c->out, has_word(line, "json") ? "{}\n" : "% No BGP neighbors found\n");
		return 0;
	}
	if (has_word(line, "json"))
		summary_json(m, c->out, !has_word(line, "ipv4"));
	else
		(void)sonic_show_bgp(m, c);
	return 0;
}

/* ---- LLDP ---- */

static int show_table(struct machine *m, const struct shell_call *c)
{
	static const char *const titles[] = {
		"LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr", NULL};
	struct sonic_table t;
	struct lldp_peer peer;
	unsigned n = 0;

	(void)buf_adds(c->out, "Capability codes: (R) Router, (B) Bridge, (O) Other\n");
	sonic_table_init(&t, titles, "l");
	for (unsigned i = 0; i < m->d->nports; i++) {
		if (!personality_lldp(m->ctx, &m->d->ports[i], &peer))
			continue;
		n++;
		sonic_cell(&t, "%s", m->d->ports[i].name);
		sonic_cell(&t, "%s", peer.name);
		sonic_cell(&t, "%s", peer.port_id);
		sonic_cell(&t, "BR");
		sonic_cell(&t, "%s", peer.port_descr);
	}
	sonic_table_print(&t, c->out);
	(void)buf_addf(c->out,
		"--------------------------------------------------\nTotal entries displayed:  "
		"%u\n",
		n);
	return 0;
}

static void neighbor_age(const struct machine *m, const struct sim_port *p, char dst[32])
{
	int64_t s = (sim_now(m->ctx->sim) - p->last_change_us) / CLOCK_SEC;

	s = s < 0 ? 0 : s;
	(void)str_printf(dst, 32, "%lld day%s, %02lld:%02lld:%02lld", (long long)(s / 86400),
		s / 86400 == 1 ? "" : "s", (long long)(s / 3600 % 24), (long long)(s / 60 % 60),
		(long long)(s % 60));
}

static const char rule[] = "-----------------------------------------------------------------------"
			   "--------\n";

static int show_neighbors(struct machine *m, const struct shell_call *c, const char *only)
{
	struct lldp_peer peer;
	char age[32];

	(void)buf_addf(c->out, "%sLLDP neighbors:\n%s", rule, rule);
	for (unsigned i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if ((only && !str_eq(only, p->name)) || !personality_lldp(m->ctx, p, &peer))
			continue;
		neighbor_age(m, p, age);
		(void)buf_addf(c->out,
			"Interface:    %s, via: LLDP, RID: %u, Time: %s\n  Chassis:     \n"
			"    ChassisID:    mac %s\n    SysName:      %s\n    SysDescr:     %s\n"
			"    MgmtIP:       %s\n    MgmtIface:    2\n    Capability:   Bridge, on\n"
			"    Capability:   Router, on\n    Capability:   Wlan, off\n"
			"    Capability:   Station, off\n  Port:        \n    PortID:       %s %s\n"
			"    PortDescr:    %s\n    TTL:          120\n%s",
			p->name, p->port + 1, age, peer.chassis_id, peer.name, peer.system,
			peer.address, peer.local_id ? "local" : "ifname", peer.port_id,
			peer.port_descr, rule);
	}
	return 0;
}

int sonic_show_lldp(struct machine *m, const struct shell_call *c)
{
	const char *word = c->argc > 2 ? c->argv[2] : NULL;

	if (str_eq(word, "table"))
		return show_table(m, c);
	if (str_eq(word, "neighbors"))
		return show_neighbors(m, c, c->argc > 3 ? c->argv[3] : NULL);
	return sonic_no_command(c, "show lldp", word);
}

/* json0 puts everything in lists; json does not wrap single elements. */
static json_t *text_value(const char *text, bool uniform)
{
	return uniform ? json_pack("[{s:s}]", "value", text) : json_string(text);
}

static json_t *id_value(const char *type, const char *value, bool uniform)
{
	json_t *o = json_pack("{s:s,s:s}", "type", type, "value", value);

	return uniform ? json_pack("[o]", o) : o;
}

static json_t *chassis_json(const struct lldp_peer *peer, bool uniform)
{
	json_t *o = json_pack("{s:o}", "id", id_value("mac", peer->chassis_id, uniform));

	if (uniform)
		(void)json_object_set_new(o, "name", text_value(peer->name, true));
	(void)json_object_set_new(o, "descr", text_value(peer->system, uniform));
	(void)json_object_set_new(o, "mgmt-ip", text_value(peer->address, uniform));
	(void)json_object_set_new(o, "mgmt-iface", text_value("2", uniform));
	(void)json_object_set_new(o, "capability",
		json_pack("[{s:s,s:b},{s:s,s:b},{s:s,s:b},{s:s,s:b}]", "type", "Bridge", "enabled",
			1, "type", "Router", "enabled", 1, "type", "Wlan", "enabled", 0, "type",
			"Station", "enabled", 0));
	return uniform ? json_pack("[o]", o) : json_pack("{s:o}", peer->name, o);
}

static json_t *port_json(const struct lldp_peer *peer, bool uniform)
{
	json_t *o = json_pack("{s:o}", "id",
		id_value(peer->local_id ? "local" : "ifname", peer->port_id, uniform));

	if (peer->port_descr[0])
		(void)json_object_set_new(o, "descr", text_value(peer->port_descr, uniform));
	(void)json_object_set_new(o, "ttl", text_value("120", uniform));
	return uniform ? json_pack("[o]", o) : o;
}

static json_t *neighbor_json(const struct machine *m, const struct sim_port *p,
	const struct lldp_peer *peer, bool uniform)
{
	char age[32];
	json_t *o = json_object();

	neighbor_age(m, p, age);
	if (uniform)
		(void)json_object_set_new(o, "name", json_string(p->name));
	(void)json_object_set_new(o, "via", json_string("LLDP"));
	(void)json_object_set_new(o, "rid", json_sprintf("%u", p->port + 1));
	(void)json_object_set_new(o, "age", json_string(age));
	(void)json_object_set_new(o, "chassis", chassis_json(peer, uniform));
	(void)json_object_set_new(o, "port", port_json(peer, uniform));
	return uniform ? o : json_pack("{s:o}", p->name, o);
}

static void neighbors_json(const struct machine *m, struct buf *out, bool uniform)
{
	json_t *list = json_array(), *doc;
	struct lldp_peer peer;
	char *text;

	for (unsigned i = 0; i < m->d->nports; i++)
		if (personality_lldp(m->ctx, &m->d->ports[i], &peer))
			(void)json_array_append_new(
				list, neighbor_json(m, &m->d->ports[i], &peer, uniform));
	if (uniform) {
		doc = json_pack("{s:[{s:o}]}", "lldp", "interface", list);
	} else if (json_array_size(list) == 1) {
		doc = json_pack("{s:{s:O}}", "lldp", "interface", json_array_get(list, 0));
		json_decref(list);
	} else {
		doc = json_pack("{s:{s:o}}", "lldp", "interface", list);
	}
	text = json_dumps(doc, JSON_INDENT(2));
	json_decref(doc);
	(void)buf_addf(out, "%s\n", text ? text : "");
	free(text);
}

/* lldpctl [-f plain|json|json0] [PORT]; lldpcli's "show neighbors" is the same. */
int sonic_lldpctl(struct machine *m, const struct shell_call *c)
{
	const char *format = "plain", *only = NULL;

	for (int i = 1; i < c->argc; i++) {
		if (str_eq(c->argv[i], "-f") && i + 1 < c->argc)
			format = c->argv[++i];
		else if (str_starts(c->argv[i], "Ethernet"))
			only = c->argv[i];
	}
	if (str_starts(format, "json"))
		neighbors_json(m, c->out, str_eq(format, "json0"));
	else
		return show_neighbors(m, c, only);
	return 0;
}
