/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/dev_linux.h"

/* rdma, dcb, ip, lldpcli and nvidia-smi of a host. */

static int print_json(struct buf *out, json_t *value, size_t flags)
{
	char *text = json_dumps(value, flags);

	json_decref(value);
	if (!text)
		return 1;
	(void)buf_addf(out, "%s\n", text);
	free(text);
	return 0;
}

static bool has_word(const struct shell_call *c, const char *word)
{
	int i;

	for (i = 1; i < c->argc; i++)
		if (!strcmp(c->argv[i], word))
			return true;
	return false;
}

/* What follows a word on the command line. */
static const char *word_after(const struct shell_call *c, const char *word)
{
	int i;

	for (i = 1; i + 1 < c->argc; i++)
		if (!strcmp(c->argv[i], word))
			return c->argv[i + 1];
	return NULL;
}

static const char *first_word(const struct shell_call *c)
{
	int i;

	for (i = 1; i < c->argc; i++)
		if (c->argv[i][0] != '-')
			return c->argv[i];
	return "";
}

static json_t *rdma_link(const struct sim_port *p)
{
	return json_pack("{s:i,s:o,s:i,s:s,s:s,s:o,s:i}", "ifindex", (int)p->port, "ifname",
		json_sprintf("mlx5_%u", p->port), "port", 1, "state", p->up ? "ACTIVE" : "DOWN",
		"physical_state",
		p->up                ? "LINK_UP"
		: p->config.admin_up ? "POLLING"
				     : "DISABLED",
		"netdev", json_sprintf("eth%u", p->port), "netdev_index", (int)p->port + 5);
}

static json_t *rdma_dev(const struct machine *m, const struct sim_port *p)
{
	char guid[24];

	linux_guid(m, p->port, guid);
	return json_pack("{s:i,s:o,s:s,s:s,s:s,s:s}", "ifindex", (int)p->port, "ifname",
		json_sprintf("mlx5_%u", p->port), "node_type", "ca", "fw", LINUX_FIRMWARE,
		"node_guid", guid, "sys_image_guid", guid);
}

static json_t *rdma_statistic(const struct sim_port *p)
{
	json_t *o = json_pack("{s:o,s:i}", "ifname", json_sprintf("mlx5_%u", p->port), "port", 1);
	size_t i;

	for (i = 0; linux_hw_counters[i].name; i++)
		(void)json_object_set_new(o, linux_hw_counters[i].name,
			json_integer((json_int_t)linux_hw_value(p, &linux_hw_counters[i])));
	return o;
}

static json_t *rdma_res(const struct sim_port *p)
{
	int n = (int)p->port;

	return json_pack("{s:i,s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "ifindex", n, "ifname",
		json_sprintf("mlx5_%d", n), "pd", 4 + n, "cq", 22 + n, "qp", 67 + n, "cm_id", n,
		"mr", 37 + n, "ctx", 2 + n, "srq", 2 + n);
}

int linux_rdma(struct machine *m, const struct shell_call *c)
{
	const char *object = first_word(c);
	json_t *all;
	unsigned i;

	if (has_word(c, "-V")) {
		(void)buf_adds(c->out, "rdma utility, iproute2-6.1.0\n");
		return 0;
	}
	if (strcmp(object, "link") != 0 && strcmp(object, "dev") != 0 &&
		strcmp(object, "res") != 0 && !str_starts("statistic", object)) {
		(void)buf_addf(c->err, "Unknown argument \"%s\".\n", object);
		return 22;
	}
	all = json_array();
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		(void)json_array_append_new(all, object[0] == 'l'   ? rdma_link(p)
						 : object[0] == 'd' ? rdma_dev(m, p)
						 : object[0] == 'r' ? rdma_res(p)
								    : rdma_statistic(p));
	}
	return print_json(c->out, all, JSON_COMPACT);
}

static json_t *eight(
	uint64_t (*value)(const struct sim_port *p, unsigned prio), const struct sim_port *p)
{
	json_t *a = json_array();
	unsigned i;

	for (i = 0; i < 8; i++)
		(void)json_array_append_new(a, json_integer((json_int_t)value(p, i)));
	return a;
}

static uint64_t pfc_requests(const struct sim_port *p, unsigned prio)
{
	return p->q[prio].pfc_tx_frames;
}

static uint64_t pfc_indications(const struct sim_port *p, unsigned prio)
{
	return p->q[prio].pfc_rx_frames;
}

static json_t *dcb_pfc(const struct sim_port *p, bool statistics)
{
	json_t *enabled = json_array(), *o;
	unsigned i;

	for (i = 0; i < 8; i++)
		(void)json_array_append_new(enabled, json_boolean(LOSSLESS_MASK >> i & 1));
	o = json_pack("{s:i,s:b,s:i,s:o}", "pfc_cap", 8, "macsec_bypass", 0, "delay", 7, "prio_pfc",
		enabled);
	if (statistics) {
		(void)json_object_set_new(o, "requests", eight(pfc_requests, p));
		(void)json_object_set_new(o, "indications", eight(pfc_indications, p));
	}
	return o;
}

static json_t *dcb_ets(void)
{
	return json_pack("{s:b,s:i,s:b,s:[iiiiiiii],s:[iiiiiiii],s:[ssssssss],s:[iiiiiiii]}",
		"willing", 0, "ets_cap", 8, "cbs", 0, "tc_bw", 10, 0, 0, 90, 0, 0, 0, 0, "pg_bw", 0,
		0, 0, 0, 0, 0, 0, 0, "tc_tsa", "ets", "strict", "strict", "ets", "strict", "strict",
		"strict", "strict", "prio_tc", 0, 1, 2, 3, 4, 5, 6, 7);
}

int linux_dcb(struct machine *m, const struct shell_call *c)
{
	const char *object = first_word(c);
	const struct sim_port *p = linux_port(m, word_after(c, "dev"));
	json_t *o;

	if (has_word(c, "-V")) {
		(void)buf_adds(c->out, "dcb utility, iproute2-6.1.0\n");
		return 0;
	}
	if (!p) {
		(void)buf_addf(c->err, "Cannot find device \"%s\"\n",
			word_after(c, "dev") ? word_after(c, "dev") : "");
		return 1;
	}
	if (!strcmp(object, "pfc")) {
		o = dcb_pfc(p, has_word(c, "-s"));
	} else if (!strcmp(object, "ets")) {
		o = dcb_ets();
	} else if (!strcmp(object, "app")) {
		o = json_pack("{s:[i],s:[[ii],[ii]],s:[[ii]]}", "default_prio", 0, "dscp_prio",
			(int)ROCE_DSCP, (int)LOSSLESS_PRIO, (int)CNP_DSCP, (int)CNP_PRIO,
			"dgram_port_prio", 4791, (int)LOSSLESS_PRIO);
	} else if (!strcmp(object, "buffer")) {
		o = json_pack("{s:[iiiiiiii],s:[iiiiiiii],s:i}", "prio_buffer", 0, 0, 0, 1, 0, 0, 0,
			0, "buffer_size", 20016, 364848, 0, 0, 0, 0, 0, 0, "total_size", 384864);
	} else if (!strcmp(object, "dcbx")) {
		o = json_pack("{s:b,s:b}", "host", 1, "ieee", 1);
	} else {
		(void)buf_addf(c->err, "Object \"%s\" is unknown\n", object);
		return 1;
	}
	return print_json(c->out, o, JSON_COMPACT);
}

static json_t *ip_counts(uint64_t bytes, uint64_t packets, uint64_t errors)
{
	return json_pack("{s:I,s:I,s:I,s:i,s:i,s:i}", "bytes", (json_int_t)bytes, "packets",
		(json_int_t)packets, "errors", (json_int_t)errors, "dropped", 0, "over_errors", 0,
		"multicast", 0);
}

static json_t *ip_one(
	const struct machine *m, const struct sim_port *p, bool statistics, bool addresses)
{
	char mac[18];
	json_t *o;

	personality_mac(m->d, p->port, mac);
	o = json_pack("{s:i,s:o,s:o,s:i,s:s,s:s,s:s,s:s,s:i,s:s,s:s,s:s}", "ifindex",
		(int)p->port + 5, "ifname", json_sprintf("eth%u", p->port), "flags",
		p->up ? json_pack("[ssss]", "BROADCAST", "MULTICAST", "UP", "LOWER_UP")
		      : json_pack("[ssss]", "NO-CARRIER", "BROADCAST", "MULTICAST", "UP"),
		"mtu", 9000, "qdisc", "mq", "operstate", p->up ? "UP" : "DOWN", "linkmode",
		"DEFAULT", "group", "default", "txqlen", 1000, "link_type", "ether", "address", mac,
		"broadcast", "ff:ff:ff:ff:ff:ff");
	if (addresses)
		(void)json_object_set_new(o, "addr_info",
			json_pack("[{s:s,s:o,s:i,s:s}]", "family", "inet", "local",
				json_sprintf("10.%u.%u.%u", 100 + p->port, (m->d->index + 1) >> 8,
					(m->d->index + 1) & 255),
				"prefixlen", 16, "scope", "global"));
	if (statistics) {
		json_t *tx = ip_counts(p->q[0].tx_bytes, p->q[0].tx_packets, p->tx_errors);

		(void)json_object_set_new(tx, "carrier_changes",
			json_integer((json_int_t)p->carrier_up + (json_int_t)p->carrier_down));
		(void)json_object_set_new(o, "stats64",
			json_pack("{s:o,s:o}", "rx",
				ip_counts(p->q[0].rx_bytes, p->q[0].rx_packets, p->rx_errors), "tx",
				tx));
	}
	return o;
}

int linux_ip(struct machine *m, const struct shell_call *c)
{
	const char *object = first_word(c), *only = word_after(c, "dev");
	bool addresses = object[0] == 'a';
	json_t *all;
	unsigned i;

	if (has_word(c, "-V")) {
		(void)buf_adds(c->out, "ip utility, iproute2-6.1.0, libbpf 1.1.0\n");
		return 0;
	}
	if (!has_word(c, "-j") && !has_word(c, "-json")) {
		(void)buf_adds(c->err, "ip: only -json output is emulated\n");
		return 255;
	}
	if (!object[0] || (!addresses && object[0] != 'l')) {
		(void)buf_addf(c->err, "Object \"%s\" is unknown, try \"ip help\".\n", object);
		return 1;
	}
	all = json_array();
	if (!only)
		(void)json_array_append_new(
			all, json_pack("{s:i,s:s,s:[sss],s:i,s:s,s:s}", "ifindex", 1, "ifname",
				     "lo", "flags", "LOOPBACK", "UP", "LOWER_UP", "mtu", 65536,
				     "operstate", "UNKNOWN", "link_type", "loopback"));
	for (i = 0; i < m->d->nports; i++)
		if (!only || linux_port(m, only) == &m->d->ports[i])
			(void)json_array_append_new(
				all, ip_one(m, &m->d->ports[i], has_word(c, "-s"), addresses));
	return print_json(c->out, all, JSON_COMPACT);
}

/* ---- lldpcli: json0 is uniform (everything in arrays), json collapses what occurs once ---- */

static json_t *value0(const char *value)
{
	return json_pack("[{s:s}]", "value", value);
}

static json_t *id_of(const char *type, const char *value, bool uniform)
{
	json_t *id = json_pack("{s:s,s:s}", "type", type, "value", value);

	return uniform ? json_pack("[o]", id) : id;
}

static json_t *capabilities(void)
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
			uniform ? value0(peer->port_descr) : json_string(peer->port_descr));
	(void)json_object_set_new(port, "ttl", uniform ? value0("120") : json_string("120"));
	return port;
}

static json_t *lldp_chassis(const struct lldp_peer *peer, bool uniform)
{
	json_t *id = id_of("mac", peer->chassis_id, uniform);

	if (uniform)
		return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "id", id, "name", value0(peer->name),
			"descr", value0(peer->system), "mgmt-ip", value0(peer->address),
			"mgmt-iface", value0("2"), "capability", capabilities());
	return json_pack("{s:{s:o,s:s,s:s,s:s,s:o}}", peer->name, "id", id, "descr", peer->system,
		"mgmt-ip", peer->address, "mgmt-iface", "2", "capability", capabilities());
}

static json_t *lldp_neighbor(const struct sim_port *p, const struct lldp_peer *peer, bool uniform)
{
	json_t *chassis = lldp_chassis(peer, uniform), *port = lldp_port(peer, uniform), *o;

	if (uniform)
		return json_pack("{s:o,s:s,s:o,s:s,s:[o],s:[o]}", "name",
			json_sprintf("eth%u", p->port), "via", "LLDP", "rid",
			json_sprintf("%u", p->port + 1), "age", "3 days, 04:12:55", "chassis",
			chassis, "port", port);
	o = json_object();
	{
		char name[16];

		(void)str_printf(name, sizeof(name), "eth%u", p->port);
		(void)json_object_set_new(o, name,
			json_pack("{s:s,s:o,s:s,s:o,s:o}", "via", "LLDP", "rid",
				json_sprintf("%u", p->port + 1), "age", "3 days, 04:12:55",
				"chassis", chassis, "port", port));
	}
	return o;
}

static json_t *lldp_all(const struct machine *m, const char *only, bool uniform)
{
	json_t *all = json_array(), *one;
	struct lldp_peer peer;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if ((!only || linux_port(m, only) == p) && personality_lldp(m->ctx, p, &peer))
			(void)json_array_append_new(all, lldp_neighbor(p, &peer, uniform));
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

int linux_lldpcli(struct machine *m, const struct shell_call *c)
{
	const char *format = word_after(c, "-f");
	bool client = strstr(c->argv[0], "lldpcli") != NULL;

	if (has_word(c, "-v")) {
		(void)buf_adds(c->out, "1.0.16\n");
		return 0;
	}
	if (client && !has_word(c, "neighbors") && !has_word(c, "neighbor")) {
		(void)buf_adds(c->err, "lldpcli: unknown command from argument 1\n");
		return 1;
	}
	if (!format || (strcmp(format, "json0") != 0 && strcmp(format, "json") != 0)) {
		(void)buf_adds(c->err, "lldpcli: only -f json and -f json0 are emulated\n");
		return 1;
	}
	return print_json(c->out, lldp_all(m, word_after(c, "ports"), !strcmp(format, "json0")),
		JSON_INDENT(2));
}

static void gpu_field(
	const struct machine *m, unsigned gpu, const char *field, size_t n, struct buf *out)
{
	static const unsigned bus[] = {0x19, 0x3b, 0x4c, 0x5d, 0x9b, 0xbb, 0xcb, 0xdb};

	if (n == 5 && !memcmp(field, "index", 5))
		(void)buf_addf(out, "%u", gpu);
	else if (n == 10 && !memcmp(field, "pci.bus_id", 10))
		(void)buf_addf(out, "00000000:%02X:00.0", bus[gpu & 7]);
	else if ((n == 4 && !memcmp(field, "uuid", 4)) || (n == 8 && !memcmp(field, "gpu_uuid", 8)))
		(void)buf_addf(
			out, "GPU-%08x-0000-4000-8000-%08x%04x", m->d->index, m->d->index, gpu);
	else if ((n == 4 && !memcmp(field, "name", 4)) || (n == 8 && !memcmp(field, "gpu_name", 8)))
		(void)buf_adds(out, "NVIDIA H100 80GB HBM3");
	else
		(void)buf_adds(out, "[N/A]");
}

int linux_nvidia_smi(struct machine *m, const struct shell_call *c)
{
	const char *query = NULL;
	unsigned gpu;
	int i;

	for (i = 1; i < c->argc; i++) {
		if (str_starts(c->argv[i], "--query-gpu="))
			query = c->argv[i] + strlen("--query-gpu=");
		if (str_starts(c->argv[i], "--query-compute-apps="))
			return 0; /* no job runs on the GPUs */
	}
	for (gpu = 0; gpu < m->d->nports && gpu < 8; gpu++) {
		const char *p = query;

		if (!query) {
			(void)buf_addf(c->out, "GPU %u: NVIDIA H100 80GB HBM3 (UUID: ", gpu);
			gpu_field(m, gpu, "uuid", 4, c->out);
			(void)buf_adds(c->out, ")");
		}
		while (p && *p) {
			size_t n = strcspn(p, ",");

			gpu_field(m, gpu, p, n, c->out);
			p += n;
			if (*p)
				(void)buf_adds(c->out, ", ");
			p += strspn(p, ", ");
		}
		(void)buf_add(c->out, "\n", 1);
	}
	return 0;
}
