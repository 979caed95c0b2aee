/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* ip(8): link and addr, as JSON and as text, and `ip link set`. */

struct ip_options {
	bool json, details, brief, addresses, oneline;
	const char *to;      /* only what has this address; NULL: all */
	unsigned statistics; /* number of -s options */
};

static json_t *json_side(uint64_t bytes, uint64_t packets, uint64_t errors, uint64_t dropped)
{
	return json_pack("{s:I,s:I,s:I,s:I}", "bytes", (json_int_t)bytes, "packets",
		(json_int_t)packets, "errors", (json_int_t)errors, "dropped", (json_int_t)dropped);
}

static void set_int(json_t *o, const char *key, uint64_t v)
{
	(void)json_object_set_new(o, key, json_integer((json_int_t)v));
}

static json_t *json_stats(const struct sim_port *p, bool more)
{
	struct kernel_counts k;
	json_t *rx, *tx;

	linux_kernel_counts(p, &k);
	rx = json_side(k.rx_bytes, k.rx_packets, p->rx_errors, p->rx_discards);
	tx = json_side(k.tx_bytes, k.tx_packets, p->tx_errors, p->tx_discards);
	set_int(rx, "over_errors", 0);
	set_int(rx, "multicast", 0);
	set_int(tx, "carrier_errors", 0);
	set_int(tx, "collisions", 0);
	if (more) {
		set_int(rx, "length_errors", 0);
		set_int(rx, "crc_errors", p->rx_fcs_errors);
		set_int(rx, "frame_errors", 0);
		set_int(rx, "fifo_errors", 0);
		set_int(rx, "missed_errors", 0);
		set_int(tx, "aborted_errors", 0);
		set_int(tx, "fifo_errors", 0);
		set_int(tx, "window_errors", 0);
		set_int(tx, "heartbeat_errors", 0);
		set_int(tx, "carrier_changes", p->carrier_up + p->carrier_down);
	}
	return json_pack("{s:o,s:o}", "rx", rx, "tx", tx);
}

static json_t *json_flags(const struct sim_port *p)
{
	if (!p->config.admin_up)
		return json_pack("[ss]", "BROADCAST", "MULTICAST");
	if (p->up)
		return json_pack("[ssss]", "BROADCAST", "MULTICAST", "UP", "LOWER_UP");
	return json_pack("[ssss]", "NO-CARRIER", "BROADCAST", "MULTICAST", "UP");
}

static void port_address(const struct machine *m, const struct sim_port *p, char dst[24])
{
	if (linux_is_switch(m->d))
		personality_link_address(p, dst);
	else
		(void)str_printf(dst, 24, "10.%u.%u.%u", 100 + p->port, (m->d->index + 1) >> 8,
			(m->d->index + 1) & 255);
}

/* A host's MTU is 100 bytes below the switch's, as room for the RoCE headers. */
static unsigned mtu_of(const struct machine *m, const struct sim_port *p)
{
	return linux_is_switch(m->d) || p->config.mtu < 9100 ? p->config.mtu : p->config.mtu - 100u;
}

static void add_details(const struct machine *m, const struct sim_port *p, json_t *o)
{
	char pci[16];

	linux_pci(m->d, p->port, pci);
	(void)json_object_update_new(
		o, json_pack("{s:i,s:i,s:i,s:i,s:s,s:i,s:i,s:i,s:i,s:s,s:s}", "promiscuity", 0,
			   "allmulti", 0, "min_mtu", 68, "max_mtu",
			   linux_is_switch(m->d) ? 10218 : 9978, "inet6_addr_gen_mode", "eui64",
			   "num_tx_queues", 64, "num_rx_queues", 63, "gso_max_size", 65536,
			   "gso_max_segs", 65535, "parentbus", "pci", "parentdev",
			   linux_is_switch(m->d) ? "0000:01:00.0" : pci));
	if (linux_is_switch(m->d))
		(void)json_object_update_new(o,
			json_pack("{s:o,s:s}", "phys_port_name", json_sprintf("p%u", p->port + 1),
				"phys_switch_id", "b8599fffe9d1a200"));
}

static json_t *json_port(
	const struct machine *m, const struct sim_port *p, const struct ip_options *opt)
{
	char mac[18], address[24];
	json_t *o;

	personality_mac(m->d, p->port, mac);
	o = json_pack("{s:i,s:s,s:o,s:i,s:s,s:s,s:s,s:s,s:i,s:s,s:s,s:s}", "ifindex",
		(int)(p->port + LINUX_FIRST_INDEX), "ifname", p->name, "flags", json_flags(p),
		"mtu", (int)mtu_of(m, p), "qdisc", "mq", "operstate", p->up ? "UP" : "DOWN",
		"linkmode", "DEFAULT", "group", "default", "txqlen", 1000, "link_type", "ether",
		"address", mac, "broadcast", "ff:ff:ff:ff:ff:ff");
	if (opt->details)
		add_details(m, p, o);
	if (p->bond) {
		char bond[16];

		linux_bond_name(p, bond);
		(void)json_object_set_new(o, "master", json_string(bond));
	}
	if (opt->addresses && p->bond)
		(void)json_object_set_new(o, "addr_info", json_array());
	else if (opt->addresses) {
		port_address(m, p, address);
		(void)json_object_set_new(o, "addr_info",
			json_pack("[{s:s,s:s,s:i,s:s,s:s}]", "family", "inet", "local", address,
				"prefixlen", linux_is_switch(m->d) ? 31 : 16, "scope", "global",
				"label", p->name));
	}
	if (opt->statistics)
		(void)json_object_set_new(o, "stats64", json_stats(p, opt->statistics > 1));
	return o;
}

/* lo and the management port. */
static json_t *json_other(const struct machine *m, bool loopback, const struct ip_options *opt)
{
	char address[24];
	json_t *o = json_pack("{s:i,s:s,s:[sss],s:i,s:s,s:s,s:s,s:s,s:i,s:s}", "ifindex",
		loopback ? 1 : 2, "ifname",
		loopback                ? "lo"
		: linux_is_switch(m->d) ? "eth0"
					: "eno1",
		"flags", loopback ? "LOOPBACK" : "BROADCAST", "UP", "LOWER_UP", "mtu",
		loopback ? 65536 : 1500, "qdisc", loopback ? "noqueue" : "mq", "operstate",
		loopback ? "UNKNOWN" : "UP", "linkmode", "DEFAULT", "group", "default", "txqlen",
		1000, "link_type", loopback ? "loopback" : "ether");

	personality_address(m->d, address);
	if (opt->addresses)
		(void)json_object_set_new(o, "addr_info",
			json_pack("[{s:s,s:s,s:i,s:s}]", "family", "inet", "local",
				loopback ? "127.0.0.1" : address, "prefixlen", loopback ? 8 : 24,
				"scope", loopback ? "host" : "global"));
	return o;
}

static void print_flags(const json_t *o, struct buf *out)
{
	const json_t *list = json_object_get(o, "flags");
	size_t i;

	for (i = 0; i < json_array_size(list); i++)
		(void)buf_addf(
			out, "%s%s", i ? "," : "<", json_string_value(json_array_get(list, i)));
	(void)buf_add(out, ">", 1);
}

static long long get_number(const json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

static const char *get_word(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void print_side(const char *title, const char *fifth, const json_t *o, struct buf *out)
{
	(void)buf_addf(out,
		"    %s:  bytes packets errors dropped %s\n    %14lld %7lld %6lld %7lld 0 0\n",
		title, fifth, get_number(o, "bytes"), get_number(o, "packets"),
		get_number(o, "errors"), get_number(o, "dropped"));
}

static void print_text(const json_t *o, const struct ip_options *opt, struct buf *out)
{
	const json_t *a = json_array_get(json_object_get(o, "addr_info"), 0);
	const json_t *s = json_object_get(o, "stats64");

	if (opt->oneline && opt->addresses) {
		if (a)
			(void)buf_addf(out,
				"%lld: %s    inet %s/%lld scope %s %s\\       valid_lft forever "
				"preferred_lft forever\n",
				get_number(o, "ifindex"), get_word(o, "ifname"),
				get_word(a, "local"), get_number(a, "prefixlen"),
				get_word(a, "scope"), get_word(o, "ifname"));
		return;
	}
	if (opt->brief) {
		(void)buf_addf(out, "%-16s %-14s %s ", get_word(o, "ifname"),
			get_word(o, "operstate"),
			opt->addresses ? get_word(a, "local") : get_word(o, "address"));
		if (!opt->addresses)
			print_flags(o, out);
		(void)buf_add(out, "\n", 1);
		return;
	}
	(void)buf_addf(out, "%lld: %s: ", get_number(o, "ifindex"), get_word(o, "ifname"));
	print_flags(o, out);
	(void)buf_addf(out,
		" mtu %lld qdisc %s state %s mode DEFAULT group default qlen 1000\n    link/%s "
		"%s brd ff:ff:ff:ff:ff:ff\n",
		get_number(o, "mtu"), get_word(o, "qdisc"), get_word(o, "operstate"),
		get_word(o, "link_type"), get_word(o, "address"));
	if (a)
		(void)buf_addf(out, "    inet %s/%lld scope %s %s\n", get_word(a, "local"),
			get_number(a, "prefixlen"), get_word(a, "scope"), get_word(o, "ifname"));
	if (!s)
		return;
	print_side("RX", " missed   mcast", json_object_get(s, "rx"), out);
	print_side("TX", "carrier collsns", json_object_get(s, "tx"), out);
}

static bool has_address(const json_t *o, const char *address)
{
	const json_t *a = json_array_get(json_object_get(o, "addr_info"), 0);

	return a && !strcmp(get_word(a, "local"), address);
}

static int show_links(const struct machine *m, const struct shell_call *c,
	const struct ip_options *opt, const char *only)
{
	json_t *all = json_array(), *each;
	const struct sim_port *p = linux_port(m, only);
	size_t i;

	if (only && !p) {
		json_decref(all);
		(void)buf_addf(c->err, "Device \"%s\" does not exist.\n", only);
		return 1;
	}
	if (!only) {
		(void)json_array_append_new(all, json_other(m, true, opt));
		(void)json_array_append_new(all, json_other(m, false, opt));
	}
	for (i = 0; i < m->d->nports; i++)
		if (p ? p == &m->d->ports[i] : !linux_is_bmc(&m->d->ports[i]))
			(void)json_array_append_new(all, json_port(m, &m->d->ports[i], opt));
	if (!only)
		linux_bond_links(m, opt->details, opt->addresses, all);
	if (opt->json)
		return linux_print_json(c->out, all, JSON_COMPACT);
	json_array_foreach(all, i, each) if (!opt->to || has_address(each, opt->to))
		print_text(each, opt, c->out);
	json_decref(all);
	return 0;
}

/* ip link set [dev] NAME {up | down | mtu N} */
static int set_link(struct machine *m, const struct shell_call *c, int at)
{
	struct sim_port_config config;
	struct sim_port *p;
	uint64_t n;

	if (at < c->argc && !strcmp(c->argv[at], "dev"))
		at++;
	p = at < c->argc ? linux_port(m, c->argv[at]) : NULL;
	if (!p) {
		(void)buf_addf(
			c->err, "Cannot find device \"%s\"\n", at < c->argc ? c->argv[at] : "");
		return 1;
	}
	if (!c->root) {
		(void)buf_adds(c->err, "RTNETLINK answers: Operation not permitted\n");
		return 2;
	}
	config = p->config;
	for (at++; at < c->argc; at++) {
		if (!strcmp(c->argv[at], "up") || !strcmp(c->argv[at], "down")) {
			config.admin_up = c->argv[at][0] == 'u';
		} else if (!strcmp(c->argv[at], "mtu") && at + 1 < c->argc &&
			   str_to_u64(c->argv[at + 1], &n) && n >= 68 && n <= 9978) {
			config.mtu = (uint16_t)(linux_is_switch(m->d) || n < 9000 ? n : n + 100);
			at++;
		} else {
			(void)buf_addf(c->err,
				"Error: either \"dev\" is duplicate, or \"%s\" is a garbage.\n",
				c->argv[at]);
			return 255;
		}
	}
	personality_configure(m->ctx, p, &config, "root");
	return 0;
}

static void read_options(const struct shell_call *c, struct ip_options *o, int *at)
{
	for (*at = 1; *at < c->argc && c->argv[*at][0] == '-'; ++*at) {
		const char *w = c->argv[*at] + strspn(c->argv[*at], "-");

		if (str_starts("json", w))
			o->json = true;
		else if (str_starts("statistics", w) || str_starts("stats", w))
			o->statistics++;
		else if (str_starts("details", w))
			o->details = true;
		else if (str_starts("oneline", w))
			o->oneline = true;
		else if (str_starts("brief", w) && w[1])
			o->brief = true;
	}
}

/* A port of the fabric has only the kernel's route to the two addresses of the link. */
static int routes_of_port(const struct machine *m, const struct shell_call *c, bool json)
{
	const struct sim_port *p = linux_port(m, linux_word_after(c, "dev"));
	const struct sim_port *far = p && p->plan_peer ? p->plan_peer : p ? p->peer : NULL;
	char own[16] = "", its[16];
	const char *low = own;

	if (p && p->up && p->bgp.configured && far) {
		personality_link_address(p, own);
		personality_link_address(far, its);
		low = str_natcmp(own, its) < 0 ? own : its;
	}
	if (json && !*own)
		return linux_print_json(c->out, json_array(), JSON_COMPACT);
	if (json) {
		char prefix[24];

		(void)str_printf(prefix, sizeof(prefix), "%s/31", low);
		return linux_print_json(c->out,
			json_pack("[{s:s,s:s,s:s,s:s,s:[]}]", "dst", prefix, "protocol", "kernel",
				"scope", "link", "prefsrc", own, "flags"),
			JSON_COMPACT);
	}
	if (*own)
		(void)buf_addf(c->out, "%s/31 proto kernel scope link src %s \n", low, own);
	return 0;
}

/*
 * ip route {show [default] [dev NAME] | get ADDRESS}. All routes except those of links use the
 * management port.
 */
static int show_route(const struct machine *m, const struct shell_call *c, bool json, int at)
{
	const char *word = at < c->argc ? c->argv[at] : "",
		   *dev = linux_is_switch(m->d) ? "eth0" : "eno1", *of = linux_word_after(c, "dev");
	char own[24], gateway[24];

	if (of && strcmp(of, dev) != 0)
		return routes_of_port(m, c, json);

	personality_address(m->d, own);
	personality_gateway(m->d, gateway);
	if (!strcmp(word, "get")) {
		word = at + 1 < c->argc ? c->argv[at + 1] : "";
		if (!strchr(word, '.') && !strchr(word, ':')) {
			(void)buf_addf(c->err,
				"Error: any valid prefix is expected rather than \"%s\".\n", word);
			return 1;
		}
		if (json)
			return linux_print_json(c->out,
				json_pack("[{s:s,s:s,s:s,s:[],s:i,s:[]}]", "dst", word, "dev", dev,
					"prefsrc", own, "flags", "uid", c->root ? 0 : 1000,
					"cache"),
				JSON_COMPACT);
		(void)buf_addf(c->out, "%s dev %s src %s uid %d \n    cache \n", word, dev, own,
			c->root ? 0 : 1000);
		return 0;
	}
	if (json)
		return linux_print_json(c->out,
			json_pack("[{s:s,s:s,s:s,s:s,s:[]}]", "dst", "default", "gateway", gateway,
				"dev", dev, "protocol", "static", "flags"),
			JSON_COMPACT);
	(void)buf_addf(c->out, "default via %s dev %s proto static \n", gateway, dev);
	return 0;
}

int linux_ip(struct machine *m, const struct shell_call *c)
{
	struct ip_options o = {0};
	const char *object, *only;
	int at;

	if (linux_has_word(c, "-V")) {
		(void)buf_addf(c->out, "ip utility, iproute2-%s\n",
			linux_is_switch(m->d) ? "6.1.0, libbpf 1.1.2" : "6.18.0, libbpf 1.5.0");
		return 0;
	}
	read_options(c, &o, &at);
	object = at < c->argc ? c->argv[at] : "";
	o.addresses = *object == 'a' && str_starts("address", object);
	if (*object == 'r' && str_starts("route", object))
		return show_route(m, c, o.json, at + 1);
	if (*object == 'n' && str_starts("neighbour", object))
		return o.json ? linux_print_json(c->out, personality_neighbours(m), JSON_COMPACT)
			      : 0;
	if (!*object || (!o.addresses && !str_starts("link", object))) {
		(void)buf_addf(c->err, "Object \"%s\" is unknown, try \"ip help\".\n", object);
		return 1;
	}
	at++;
	if (at < c->argc && !strcmp(c->argv[at], "set"))
		return set_link(m, c, at + 1);
	if (at < c->argc && (str_starts("show", c->argv[at]) || str_starts("list", c->argv[at])))
		at++;
	o.to = linux_word_after(c, "to");
	only = at < c->argc && strcmp(c->argv[at], "dev") != 0 && !o.to
		       ? c->argv[at]
		       : linux_word_after(c, "dev");
	return show_links(m, c, &o, only);
}
