/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* lldpcli: json0 puts everything in arrays; json does not wrap single elements. */

static json_t *json_value0(const char *value)
{
	return json_pack("[{s:s}]", "value", value);
}

static json_t *id_of(const char *type, const char *value, bool uniform)
{
	json_t *id = json_pack("{s:s,s:s}", "type", type, "value", value);

	return uniform ? json_pack("[o]", id) : id;
}

static json_t *json_capabilities(void)
{
	return json_pack("[{s:s,s:b},{s:s,s:b},{s:s,s:b},{s:s,s:b}]", "type", "Bridge", "enabled",
		1, "type", "Router", "enabled", 1, "type", "Wlan", "enabled", 0, "type", "Station",
		"enabled", 0);
}

static json_t *lldp_port(const struct lldp_peer *peer, bool uniform)
{
	json_t *id = id_of(peer->local_id ? "local" : "ifname", peer->port_id, uniform);
	json_t *port = json_pack("{s:o}", "id", id);

	if (peer->port_descr[0])
		(void)json_object_set_new(port, "descr",
			uniform ? json_value0(peer->port_descr) : json_string(peer->port_descr));
	(void)json_object_set_new(port, "ttl", uniform ? json_value0("120") : json_string("120"));
	return port;
}

static json_t *lldp_chassis(const struct lldp_peer *peer, bool uniform)
{
	json_t *id = id_of("mac", peer->chassis_id, uniform);

	if (uniform)
		return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "id", id, "name",
			json_value0(peer->name), "descr", json_value0(peer->system), "mgmt-ip",
			json_value0(peer->address), "mgmt-iface", json_value0("2"), "capability",
			json_capabilities());
	return json_pack("{s:{s:o,s:s,s:s,s:s,s:o}}", peer->name, "id", id, "descr", peer->system,
		"mgmt-ip", peer->address, "mgmt-iface", "2", "capability", json_capabilities());
}

/* Time since the neighbour was first heard, which is the time since the link came up. */
static void heard_since(const struct machine *m, const struct sim_port *p, char dst[40])
{
	int64_t s = (sim_now(m->ctx->sim) - p->last_change_us) / CLOCK_SEC;
	long long days = s > 0 ? (long long)(s / 86400) : 0;

	(void)str_printf(dst, 40, "%lld day%s, %02d:%02d:%02d", days, days > 1 ? "s" : "",
		(int)(s / 3600 % 24), (int)(s / 60 % 60), (int)(s % 60));
}

static json_t *lldp_neighbor(const struct machine *m, const struct sim_port *p,
	const struct lldp_peer *peer, bool uniform)
{
	char age[40];
	json_t *chassis = lldp_chassis(peer, uniform), *port = lldp_port(peer, uniform), *o;

	heard_since(m, p, age);
	if (uniform)
		return json_pack("{s:o,s:s,s:o,s:s,s:[o],s:[o]}", "name", json_string(p->name),
			"via", "LLDP", "rid", json_sprintf("%u", p->port + 1), "age", age,
			"chassis", chassis, "port", port);
	o = json_object();
	(void)json_object_set_new(o, p->name,
		json_pack("{s:s,s:o,s:s,s:o,s:o}", "via", "LLDP", "rid",
			json_sprintf("%u", p->port + 1), "age", age, "chassis", chassis, "port",
			port));
	return o;
}

static json_t *lldp_all(const struct machine *m, const char *only, bool uniform)
{
	json_t *all = json_array(), *one;
	struct lldp_peer peer;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		if (linux_is_bmc(&m->d->ports[i]))
			continue;
		const struct sim_port *p = &m->d->ports[i];

		if ((!only || linux_port(m, only) == p) && personality_lldp(m->ctx, p, &peer))
			(void)json_array_append_new(all, lldp_neighbor(m, p, &peer, uniform));
	}
	if (!json_array_size(all)) {
		json_decref(all);
		return uniform ? json_pack("{s:[{}]}", "lldp") : json_pack("{s:{}}", "lldp");
	}
	if (uniform)
		return json_pack("{s:[{s:o}]}", "lldp", "interface", all);
	if (json_array_size(all) > 1)
		return json_pack("{s:{s:o}}", "lldp", "interface", all);
	one = json_incref(json_array_get(all, 0));
	json_decref(all);
	return json_pack("{s:{s:o}}", "lldp", "interface", one);
}

static void print_keyvalue(
	const struct sim_port *p, const struct lldp_peer *peer, const char *age, struct buf *out)
{
	const char *n = p->name;

	(void)buf_addf(out,
		"lldp.%s.via=LLDP\nlldp.%s.rid=%u\nlldp.%s.age=%s\nlldp.%s.chassis.mac=%s\n"
		"lldp.%s.chassis.name=%s\nlldp.%s.chassis.descr=%s\nlldp.%s.chassis.mgmt-ip=%s\n",
		n, n, p->port + 1, n, age, n, peer->chassis_id, n, peer->name, n, peer->system, n,
		peer->address);
	(void)buf_addf(out, "lldp.%s.port.%s=%s\nlldp.%s.port.descr=%s\nlldp.%s.port.ttl=120\n", n,
		peer->local_id ? "local" : "ifname", peer->port_id, n, peer->port_descr, n);
}

static void print_plain(
	const struct sim_port *p, const struct lldp_peer *peer, const char *age, struct buf *out)
{
	(void)buf_addf(out,
		"Interface:    %s, via: LLDP, RID: %u, Time: %s\n  Chassis:     \n"
		"    ChassisID:    mac %s\n    SysName:      %s\n    SysDescr:     %s\n"
		"    MgmtIP:       %s\n  Port:        \n    PortID:       %s %s\n",
		p->name, p->port + 1, age, peer->chassis_id, peer->name, peer->system,
		peer->address, peer->local_id ? "local" : "ifname", peer->port_id);
	if (peer->port_descr[0])
		(void)buf_addf(out, "    PortDescr:    %s\n", peer->port_descr);
	(void)buf_adds(out, "    TTL:          120\n---------------------------------------------"
			    "----------------------------------\n");
}

static void lldp_text(const struct machine *m, const char *only, bool values, struct buf *out)
{
	struct lldp_peer peer;
	char age[40];
	unsigned i;

	if (!values)
		(void)buf_adds(out,
			"-----------------------------------------------------------"
			"--------------------\nLLDP neighbors:\n-------------------"
			"------------------------------------------------------------\n");
	for (i = 0; i < m->d->nports; i++) {
		if (linux_is_bmc(&m->d->ports[i]))
			continue;
		const struct sim_port *p = &m->d->ports[i];

		if ((only && linux_port(m, only) != p) || !personality_lldp(m->ctx, p, &peer))
			continue;
		heard_since(m, p, age);
		if (values)
			print_keyvalue(p, &peer, age, out);
		else
			print_plain(p, &peer, age, out);
	}
}

int linux_lldpcli(struct machine *m, const struct shell_call *c)
{
	const char *format = linux_word_after(c, "-f"), *only = linux_word_after(c, "ports");
	bool client = strstr(c->argv[0], "lldpcli") != NULL;

	if (!personality_has_lldpd(m->ctx, m->d)) {
		(void)buf_addf(c->err, "sh: 1: %s: not found\n", c->argv[0]);
		return 127;
	}
	if (linux_has_word(c, "-v")) {
		(void)buf_adds(c->out, "1.0.16\n");
		return 0;
	}
	if (client && !linux_has_word(c, "neighbors") && !linux_has_word(c, "neighbor")) {
		(void)buf_adds(c->err, "lldpcli: unknown command from argument 1\n");
		return 1;
	}
	if (format && str_starts(format, "json"))
		return linux_print_json(
			c->out, lldp_all(m, only, !strcmp(format, "json0")), JSON_INDENT(2));
	lldp_text(m, only, format && !strcmp(format, "keyvalue"), c->out);
	return 0;
}
