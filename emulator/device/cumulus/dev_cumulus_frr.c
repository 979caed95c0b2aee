/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/* FRR on the switch: BGP unnumbered, so a neighbour has the name of the port. */

struct session {
	const struct sim_port *p;
	const struct sim_device *far;
	bool up;
	int64_t age_us; /* of the state */
	const char *state;
};

static bool get_session(const struct machine *m, const struct sim_port *p, struct session *s)
{
	if (!p->bgp.configured)
		return false;
	*s = (struct session){.p = p, .up = p->bgp.established};
	s->far = p->peer ? sim_device_of(m->ctx->sim, p->peer) : NULL;
	s->age_us = sim_now(m->ctx->sim) - p->bgp.since_us;
	s->age_us = s->age_us < 0 ? 0 : s->age_us;
	s->state = p->bgp.shut ? "Idle (Admin)" : s->up ? "Established" : p->up ? "Active" : "Idle";
	return true;
}

/* "00:03:34", "2d03h04m", "01w2d03h" */
static void format_uptime(int64_t us, char *dst, size_t size)
{
	long long s = us / CLOCK_SEC;

	if (s < 86400)
		(void)str_printf(dst, size, "%02lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
	else if (s < 604800)
		(void)str_printf(
			dst, size, "%lldd%02lldh%02lldm", s / 86400, s / 3600 % 24, s / 60 % 60);
	else
		(void)str_printf(
			dst, size, "%02lldw%lldd%02lldh", s / 604800, s / 86400 % 7, s / 3600 % 24);
}

/* Counts keepalives every three seconds both ways, and an update per prefix. */
static json_int_t count_messages(const struct session *s)
{
	return s->up ? (json_int_t)(s->age_us / (3 * CLOCK_SEC) + s->p->bgp.prefixes + 3) : 0;
}

static json_t *summary_row(const struct session *s)
{
	unsigned resets = s->p->bgp.resets;
	char text[24];

	format_uptime(s->age_us, text, sizeof(text));
	return json_pack("{s:s,s:I,s:I,s:i,s:I,s:I,s:i,s:i,s:i,s:s,s:I,s:I,s:i,s:i,s:s,s:s,s:i,s:i,"
			 "s:s}",
		"hostname", s->far ? s->far->name : "", "remoteAs",
		(json_int_t)(s->far ? s->far->asn : 0), "localAs", (json_int_t)0, "version", 4,
		"msgRcvd", count_messages(s), "msgSent", count_messages(s), "tableVersion", 0,
		"outq", 0, "inq", 0, "peerUptime", text, "peerUptimeMsec",
		(json_int_t)(s->age_us / 1000), "peerUptimeEstablishedEpoch", (json_int_t)0,
		"pfxRcd", s->up ? (int)s->p->bgp.prefixes : 0, "pfxSnt",
		s->up ? (int)s->p->bgp.prefixes : 0, "state", s->state, "peerState",
		s->p->bgp.shut ? "Admin" : "OK", "connectionsEstablished",
		(int)(resets + (s->up ? 1 : 0)), "connectionsDropped", (int)resets, "idType",
		"interface");
}

static json_t *json_summary(const struct machine *m)
{
	json_t *peers = json_object(), *row;
	unsigned i, failed = 0, total = 0;
	struct session s;

	for (i = 0; i < m->d->nports; i++) {
		if (!get_session(m, &m->d->ports[i], &s))
			continue;
		row = summary_row(&s);
		(void)json_object_set_new(row, "localAs", json_integer((json_int_t)m->d->asn));
		if (s.up)
			(void)json_object_set_new(row, "peerUptimeEstablishedEpoch",
				json_integer((cumulus_now(m) - s.age_us) / CLOCK_SEC));
		else
			(void)json_object_del(row, "peerUptimeEstablishedEpoch");
		(void)json_object_set_new_nocheck(peers, s.p->name, row);
		total++;
		failed += !s.up;
	}
	return json_pack("{s:s,s:I,s:i,s:s,s:i,s:i,s:i,s:i,s:i,s:o,s:i,s:i,s:i,s:i}", "routerId",
		m->d->router_id, "as", (json_int_t)m->d->asn, "vrfId", 0, "vrfName", "default",
		"tableVersion", 148, "ribCount", 295, "ribMemory", 67260, "peerCount", (int)total,
		"peerMemory", (int)total * 20920, "peers", peers, "failedPeers", (int)failed,
		"displayedPeers", (int)total, "totalPeers", (int)total, "dynamicPeers", 0);
}

static json_t *neighbor_detail(const struct machine *m, const struct session *s)
{
	char text[24];
	json_t *o;

	format_uptime(s->age_us, text, sizeof(text));
	o = json_pack("{s:s,s:I,s:I,s:b,s:s,s:i,s:s,s:s,s:i,s:i,s:i,s:i,s:{s:I,s:I},s:{s:{s:i}}}",
		"bgpNeighborAddr", s->p->name, "remoteAs", (json_int_t)(s->far ? s->far->asn : 0),
		"localAs", (json_int_t)m->d->asn, "nbrExternalLink", 1, "hostname",
		s->far ? s->far->name : "", "bgpVersion", 4, "remoteRouterId",
		s->far && s->up ? s->far->router_id : "0.0.0.0", "bgpState",
		s->p->bgp.shut ? "Idle" : s->state, "bgpTimerHoldTimeMsecs", 9000,
		"bgpTimerKeepAliveIntervalMsecs", 3000, "connectionsEstablished",
		(int)(s->p->bgp.resets + (s->up ? 1 : 0)), "connectionsDropped",
		(int)s->p->bgp.resets, "messageStats", "totalSent", count_messages(s), "totalRecv",
		count_messages(s), "addressFamilyInfo", "ipv4Unicast", "acceptedPrefixCounter",
		s->up ? (int)s->p->bgp.prefixes : 0);
	if (s->p->bgp.shut)
		(void)json_object_set_new(o, "adminShutDown", json_true());
	if (s->up) {
		(void)json_object_set_new(o, "bgpTimerUp", json_integer(s->age_us / 1000));
		(void)json_object_set_new(o, "bgpTimerUpMsec", json_integer(s->age_us / 1000));
		(void)json_object_set_new(o, "bgpTimerUpString", json_string(text));
		(void)json_object_set_new(o, "bgpTimerUpEstablishedEpoch",
			json_integer((cumulus_now(m) - s->age_us) / CLOCK_SEC));
	} else if (s->p->bgp.resets) {
		(void)json_object_set_new(o, "lastResetTimerMsecs", json_integer(s->age_us / 1000));
		(void)json_object_set_new(o, "lastResetDueTo",
			json_string(s->p->bgp.shut ? "Admin. shutdown"
				    : s->p->up     ? "Hold Timer Expired"
						   : "Interface down"));
	}
	return o;
}

static json_t *neighbors_detail(const struct machine *m)
{
	json_t *all = json_object();
	struct session s;
	unsigned i;

	for (i = 0; i < m->d->nports; i++)
		if (get_session(m, &m->d->ports[i], &s))
			(void)json_object_set_new_nocheck(all, s.p->name, neighbor_detail(m, &s));
	return all;
}

json_t *cumulus_neighbors(const struct machine *m, const struct sim_port *ignored)
{
	json_t *all = json_object();
	struct session s;
	char text[24], state[16];
	unsigned i, k;

	(void)ignored;
	for (i = 0; i < m->d->nports; i++) {
		if (!get_session(m, &m->d->ports[i], &s))
			continue;
		format_uptime(s.age_us, text, sizeof(text));
		(void)str_copy(state, sizeof(state), s.p->bgp.shut ? "idle" : s.state);
		for (k = 0; state[k]; k++)
			state[k] = (char)(state[k] >= 'A' && state[k] <= 'Z' ? state[k] + 32
									     : state[k]);
		(void)json_object_set_new_nocheck(all, s.p->name,
			json_pack("{s:s,s:I,s:I,s:s,s:s,s:s,s:i,s:i,s:{s:I,s:I},s:{s:{s:i}}}",
				"hostname", s.far ? s.far->name : "", "remote-as",
				(json_int_t)(s.far ? s.far->asn : 0), "local-as",
				(json_int_t)m->d->asn, "state", state, "shutdown",
				s.p->bgp.shut ? "on" : "off", "uptime", s.up ? text : "never",
				"established-transitions", (int)(s.p->bgp.resets + (s.up ? 1 : 0)),
				"dropped", (int)s.p->bgp.resets, "message-stats", "received",
				count_messages(&s), "sent", count_messages(&s), "address-family",
				"ipv4-unicast", "prefix-received",
				s.up ? (int)s.p->bgp.prefixes : 0));
	}
	return all;
}

/*
 * Copies the words after -c without "vrf all", "ip" and the like, which only change the wrapping of
 * the output.
 */
static void strip_words(const char *command, char dst[128], bool *wrapped)
{
	static const char *const noise[] = {"ip", "unicast", "ipv4"};
	size_t n, i, used = 0;

	*wrapped = strstr(command, "vrf all") != NULL;
	for (dst[0] = '\0'; *command; command += n) {
		command += strspn(command, " ");
		n = strcspn(command, " ");
		for (i = 0; i < 3; i++)
			if (n == strlen(noise[i]) && !memcmp(noise[i], command, n))
				break;
		if (i < 3 || !n)
			continue;
		if (str_starts(command, "vrf ")) {
			command += 4 + strspn(command + 4, " ");
			n = strcspn(command, " ");
			continue;
		}
		if (used + n + 2 > 128)
			break;
		(void)str_printf(
			dst + used, 128 - used, "%s%.*s", used ? " " : "", (int)n, command);
		used = strlen(dst);
	}
}

static void summary_text(const struct machine *m, struct buf *out)
{
	char text[24], count[16];
	struct session s;
	unsigned i;

	(void)buf_addf(out,
		"IPv4 Unicast Summary (VRF default):\nBGP router identifier %s, local AS number %u "
		"vrf-id 0\n\nNeighbor        V         AS   MsgRcvd   MsgSent   TblVer  InQ OutQ  "
		"Up/Down State/PfxRcd   PfxSnt Desc\n",
		m->d->router_id, m->d->asn);
	for (i = 0; i < m->d->nports; i++) {
		if (!get_session(m, &m->d->ports[i], &s))
			continue;
		format_uptime(s.age_us, text, sizeof(text));
		(void)str_printf(count, sizeof(count), "%u", s.p->bgp.prefixes);
		(void)buf_addf(out,
			"%-15s 4 %10u %9lld %9lld        0    0    0 %8s %12s %8u N/A\n", s.p->name,
			s.far ? s.far->asn : 0, (long long)count_messages(&s),
			(long long)count_messages(&s), text, s.up ? count : s.state,
			s.up ? s.p->bgp.prefixes : 0);
	}
}

/* Carries out "neighbor swp33 shutdown" and "no neighbor swp33 shutdown" below "router bgp". */
static bool configure_neighbor(struct machine *m, const char *line)
{
	bool no = str_starts(line, "no ");
	char name[24] = "", verb[24] = "";
	struct sim_port *p;
	size_t n;

	line += no ? 3 : 0;
	if (!str_starts(line, "neighbor "))
		return false;
	line += 9;
	n = strcspn(line, " ");
	(void)str_copyn(name, sizeof(name), line, n);
	line += n + strspn(line + n, " ");
	(void)str_copy(verb, sizeof(verb), line);
	p = cumulus_port(m, name);
	if (!p || !p->bgp.configured || strcmp(verb, "shutdown") != 0)
		return false;
	sim_configure_bgp(m->ctx->sim, p, !no, "vtysh");
	return true;
}

/*
 * vtysh -c "configure terminal" -c "router bgp" -c ...: returns true if the lines were
 * configuration.
 */
static bool run_configuration(struct machine *m, const struct shell_call *c, int *status)
{
	bool inside = false;
	int i;

	*status = 0;
	for (i = 1; i + 1 < c->argc; i++) {
		const char *line = c->argv[i + 1];

		if (strcmp(c->argv[i++], "-c") != 0)
			continue;
		if (str_starts(line, "conf"))
			inside = true;
		else if (inside && !str_starts(line, "router bgp") && strcmp(line, "end") != 0 &&
			 strcmp(line, "exit") != 0 && !configure_neighbor(m, line)) {
			(void)buf_addf(c->out, "%% Unknown command: %s\n", line);
			*status = 1;
		}
	}
	return inside;
}

int cumulus_vtysh(struct machine *m, const struct shell_call *c)
{
	const char *line = "";
	char command[128], *text;
	bool wrapped;
	json_t *o;
	int i, status;

	if (m->d->commands_fail) {
		(void)buf_adds(c->err, "Exiting: failed to connect to any daemons.\n");
		return 1;
	}
	if (run_configuration(m, c, &status))
		return status;
	for (i = 1; i + 1 < c->argc; i++)
		if (!strcmp(c->argv[i], "-c"))
			line = c->argv[i + 1];
	strip_words(line, command, &wrapped);
	if (!strcmp(command, "show bgp summary")) {
		summary_text(m, c->out);
		return 0;
	}
	if (!strcmp(command, "show bgp summary json"))
		o = json_pack("{s:o}", "ipv4Unicast", json_summary(m));
	else if (!strcmp(command, "show bgp neighbor json") ||
		 !strcmp(command, "show bgp neighbors json"))
		o = neighbors_detail(m);
	else {
		(void)buf_addf(c->out, "%% Unknown command: %s\n", line);
		return 1;
	}
	if (wrapped)
		o = json_pack("{s:o}", "default", o);
	text = json_dumps(o, JSON_INDENT(2));
	json_decref(o);
	(void)buf_addf(c->out, "%s\n", text ? text : "");
	free(text);
	return 0;
}
