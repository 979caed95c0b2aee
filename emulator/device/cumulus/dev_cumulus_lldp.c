/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/*
 * lldpctl: json (a single element is not wrapped in an array), json0 (everything in arrays),
 * keyvalue, plain.
 */

enum format { FORMAT_PLAIN, FORMAT_JSON, FORMAT_JSON0, FORMAT_KEYVALUE };

static json_t *json_value0(const char *value)
{
	return json_pack("[{s:s}]", "value", value);
}

/* "3 days, 04:12:55" */
static void format_age(const struct machine *m, const struct sim_port *p, char dst[32])
{
	long long s = (sim_now(m->ctx->sim) - p->last_change_us) / CLOCK_SEC;

	s = s < 0 ? 0 : s;
	(void)str_printf(dst, 32, "%lld day%s, %02lld:%02lld:%02lld", s / 86400,
		s / 86400 == 1 ? "" : "s", s / 3600 % 24, s / 60 % 60, s % 60);
}

static json_t *json_capability(void)
{
	return json_pack("[{s:s,s:b},{s:s,s:b}]", "type", "Bridge", "enabled", 1, "type", "Router",
		"enabled", 1);
}

static json_t *json_chassis(const struct lldp_peer *peer, bool uniform)
{
	json_t *id = json_pack("{s:s,s:s}", "type", "mac", "value", peer->chassis_id);

	if (uniform)
		return json_pack("[{s:[o],s:o,s:o,s:o,s:o}]", "id", id, "name",
			json_value0(peer->name), "descr", json_value0(peer->system), "mgmt-ip",
			json_value0(peer->address), "capability", json_capability());
	return json_pack("{s:{s:o,s:s,s:s,s:o}}", peer->name, "id", id, "descr", peer->system,
		"mgmt-ip", peer->address, "capability", json_capability());
}

static json_t *json_port(const struct lldp_peer *peer, bool uniform)
{
	json_t *id = json_pack(
		"{s:s,s:s}", "type", peer->local_id ? "local" : "ifname", "value", peer->port_id);
	json_t *o = uniform ? json_pack("{s:[o],s:o}", "id", id, "ttl", json_value0("120"))
			    : json_pack("{s:o,s:s}", "id", id, "ttl", "120");

	if (peer->port_descr[0])
		(void)json_object_set_new(o, "descr",
			uniform ? json_value0(peer->port_descr) : json_string(peer->port_descr));
	return uniform ? json_pack("[o]", o) : o;
}

static json_t *json_neighbor(const struct machine *m, const struct sim_port *p,
	const struct lldp_peer *peer, bool uniform)
{
	json_t *o;
	char text[32];

	format_age(m, p, text);
	o = json_pack("{s:s,s:o,s:s,s:o,s:o}", "via", "LLDP", "rid",
		json_sprintf("%u", p->port + 1), "age", text, "chassis",
		json_chassis(peer, uniform), "port", json_port(peer, uniform));
	if (!uniform)
		return json_pack("{s:o}", p->name, o);
	(void)json_object_set_new(o, "name", json_string(p->name));
	return o;
}

static void print_keyvalue(const struct machine *m, const struct sim_port *p,
	const struct lldp_peer *peer, struct buf *out)
{
	char text[32];
	const char *n = p->name;

	format_age(m, p, text);
	(void)buf_addf(out,
		"lldp.%s.via=LLDP\nlldp.%s.rid=%u\nlldp.%s.age=%s\nlldp.%s.chassis.mac=%s\n"
		"lldp.%s.chassis.name=%s\nlldp.%s.chassis.descr=%s\nlldp.%s.chassis.mgmt-ip=%s\n"
		"lldp.%s.chassis.Bridge.enabled=on\nlldp.%s.chassis.Router.enabled=on\n"
		"lldp.%s.port.%s=%s\nlldp.%s.port.ttl=120\n",
		n, n, p->port + 1, n, text, n, peer->chassis_id, n, peer->name, n, peer->system, n,
		peer->address, n, n, n, peer->local_id ? "local" : "ifname", peer->port_id, n);
	if (peer->port_descr[0])
		(void)buf_addf(out, "lldp.%s.port.descr=%s\n", n, peer->port_descr);
}

static void print_plain(const struct machine *m, const struct sim_port *p,
	const struct lldp_peer *peer, struct buf *out)
{
	char text[32];

	format_age(m, p, text);
	(void)buf_addf(out,
		"-------------------------------------------------------------------------------\n"
		"Interface:    %s, via: LLDP, RID: %u, Time: %s\n  Chassis:     \n"
		"    ChassisID:    mac %s\n    SysName:      %s\n    SysDescr:     %s\n"
		"    MgmtIP:       %s\n  Port:        \n    PortID:       %s %s\n"
		"    PortDescr:    %s\n    TTL:          120\n",
		p->name, p->port + 1, text, peer->chassis_id, peer->name, peer->system,
		peer->address, peer->local_id ? "local" : "ifname", peer->port_id,
		peer->port_descr);
}

static int print_json(const struct shell_call *c, json_t *all, bool uniform)
{
	json_t *list, *o;
	char *text;

	if (!json_array_size(all)) {
		json_decref(all);
		o = uniform ? json_pack("{s:[{}]}", "lldp") : json_pack("{s:{}}", "lldp");
	} else if (uniform) {
		o = json_pack("{s:[{s:o}]}", "lldp", "interface", all);
	} else {
		list = all;
		if (json_array_size(all) == 1) {
			list = json_incref(json_array_get(all, 0));
			json_decref(all);
		}
		o = json_pack("{s:{s:o}}", "lldp", "interface", list);
	}
	text = json_dumps(o, JSON_INDENT(2));
	json_decref(o);
	(void)buf_addf(c->out, "%s\n", text ? text : "");
	free(text);
	return 0;
}

static enum format format_of(const struct shell_call *c)
{
	const char *name = "plain";
	int i;

	for (i = 1; i < c->argc; i++) {
		if (!strcmp(c->argv[i], "-f") && i + 1 < c->argc)
			name = c->argv[i + 1];
		else if (str_starts(c->argv[i], "-f"))
			name = c->argv[i] + 2;
	}
	return !strcmp(name, "json")       ? FORMAT_JSON
	       : !strcmp(name, "json0")    ? FORMAT_JSON0
	       : !strcmp(name, "keyvalue") ? FORMAT_KEYVALUE
					   : FORMAT_PLAIN;
}

/* True if the command line names the port, or names none. */
static bool is_wanted(const struct machine *m, const struct shell_call *c, const struct sim_port *p)
{
	bool any = false;
	int i;

	for (i = 1; i < c->argc; i++) {
		const struct sim_port *named = cumulus_port(m, c->argv[i]);

		if (named == p)
			return true;
		any = any || named;
	}
	return !any;
}

int cumulus_lldpctl(struct machine *m, const struct shell_call *c)
{
	enum format format = format_of(c);
	json_t *all = json_array();
	struct lldp_peer peer;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!is_wanted(m, c, p) || !personality_lldp(m->ctx, p, &peer))
			continue;
		if (format == FORMAT_PLAIN)
			print_plain(m, p, &peer, c->out);
		else if (format == FORMAT_KEYVALUE)
			print_keyvalue(m, p, &peer, c->out);
		else
			(void)json_array_append_new(
				all, json_neighbor(m, p, &peer, format == FORMAT_JSON0));
	}
	if (format == FORMAT_JSON || format == FORMAT_JSON0)
		return print_json(c, all, format == FORMAT_JSON0);
	json_decref(all);
	return 0;
}
