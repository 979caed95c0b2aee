/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/*
 * The readable part of NVUE's object model: a table of paths, each with a function that makes its
 * object.
 */

typedef json_t *(*view_fn)(const struct machine *m, const struct sim_port *p);

struct view {
	const char *path;
	view_fn make;
	unsigned since; /* the first release that has it */
};

static json_t *view_system(const struct machine *m, const struct sim_port *p)
{
	char when[32];

	(void)p;
	return json_pack("{s:o,s:s,s:s,s:s,s:s,s:s,s:I,s:s}", "build",
		json_sprintf("Cumulus Linux %s", m->d->os_version), "hostname", m->d->name,
		"product-name", "Cumulus Linux", "product-release", m->d->os_version, "timezone",
		"Etc/UTC", "date-time", clock_format_utc(cumulus_now(m), when, sizeof(when)),
		"uptime", (json_int_t)(cumulus_uptime_us(m) / CLOCK_SEC), "health-status", "OK");
}

static json_t *view_version(const struct machine *m, const struct sim_port *p)
{
	(void)p;
	return json_pack("{s:s,s:s,s:o,s:s,s:s}", "kernel", "6.1.0-cl-1-amd64", "base-os",
		"Debian GNU/Linux 12.8", "image",
		json_sprintf("Cumulus Linux %s", m->d->os_version), "product-name", "Cumulus Linux",
		"product-release", m->d->os_version);
}

static json_t *view_platform(const struct machine *m, const struct sim_port *p)
{
	(void)p;
	return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:s,s:s}", "asic-model",
		"Spectrum-4", "asic-vendor", "Mellanox", "cpu",
		"x86_64 Intel Xeon D-1749NT 4x2.99GHz", "disk-size", "223.57 GB", "manufacturer",
		"NVIDIA", "memory", "31.15 GB", "part-number", "920-9N42F-00RI-7C0",
		"platform-name", "x86_64-nvidia_sn5400-r0", "product-name", m->d->model,
		"port-layout", json_sprintf("%u x 400G-QSFPDD", m->d->nports), "serial-number",
		m->d->serial, "system-mac", m->d->mac_base);
}

static json_t *on_off(const char *const *names, size_t n, const char *value)
{
	json_t *o = json_object();
	size_t i;

	for (i = 0; i < n; i++)
		(void)json_object_set_new(o, names[i], json_string(value));
	return o;
}

static json_t *view_forwarding(const struct machine *m, const struct sim_port *p)
{
	static const char *const on[] = {
		"destination-ip", "destination-port", "ip-protocol", "source-ip", "source-port"};
	static const char *const off[] = {"gtp-teid", "ingress-interface", "inner-destination-ip",
		"inner-destination-port", "inner-ip-protocol", "inner-source-ip",
		"inner-source-port"};
	static const char *const lag[] = {"destination-ip", "destination-mac", "destination-port",
		"ether-type", "ip-protocol", "source-ip", "source-mac", "source-port", "vlan"};
	json_t *ecmp = on_off(on, sizeof(on) / sizeof(on[0]), "on");
	json_t *other = on_off(off, sizeof(off) / sizeof(off[0]), "off");

	(void)m, (void)p;
	(void)json_object_update(ecmp, other);
	json_decref(other);
	return json_pack("{s:o,s:o}", "ecmp-hash", ecmp, "lag-hash",
		on_off(lag, sizeof(lag) / sizeof(lag[0]), "on"));
}

static json_t *view_transceivers(const struct machine *m, const struct sim_port *ignored)
{
	json_t *all = json_object();
	unsigned i;

	(void)ignored;
	for (i = 0; i < m->d->nports; i++)
		(void)json_object_set_new_nocheck(
			all, m->d->ports[i].name, cumulus_transceiver(m, &m->d->ports[i]));
	return all;
}

/* Applies a view of one port to all ports: one row each. */
static json_t *whole_box(const struct machine *m, view_fn make)
{
	json_t *all = json_object();
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		struct sim_port p = cumulus_counted(m, &m->d->ports[i]);

		(void)json_object_set_new_nocheck(all, p.name, make(m, &p));
	}
	return all;
}

static json_t *view_all_roce_counters(const struct machine *m, const struct sim_port *p)
{
	(void)p;
	return whole_box(m, cumulus_roce_counters);
}

static json_t *view_all_roce_status(const struct machine *m, const struct sim_port *p)
{
	(void)p;
	return whole_box(m, cumulus_roce_port);
}

static json_t *view_all_pools(const struct machine *m, const struct sim_port *p)
{
	(void)p;
	return cumulus_pools(m);
}

static json_t *view_all_congestion(const struct machine *m, const struct sim_port *p)
{
	(void)p;
	return whole_box(m, cumulus_congestion);
}

static json_t *view_counters(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:o,s:{s:o,s:o,s:o},s:{s:o,s:o},s:o}", "netstat", cumulus_stats(m, p),
		"errors", "in-fcs-errors", cumulus_u64(p->rx_fcs_errors), "in-errors",
		cumulus_u64(p->rx_errors), "out-errors", cumulus_u64(p->tx_errors), "drops",
		"in-drops", cumulus_u64(p->rx_discards), "out-drops", cumulus_u64(p->tx_discards),
		"qos", cumulus_qos_counters(m, p));
}

static json_t *view_roce(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:o,s:o}", "counters", cumulus_roce_counters(m, p), "status",
		cumulus_roce_status(m, p));
}

static json_t *view_qos(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "buffer", cumulus_buffer(m, p),
		"congestion-control", cumulus_congestion(m, p), "pfc", cumulus_pfc(m, p),
		"pfc-watchdog", cumulus_watchdog(m, p), "mapping", cumulus_mapping(m, p),
		"egress-queue-mapping", cumulus_egress_mapping(m, p), "counters",
		cumulus_qos_counters(m, p), "roce", view_roce(m, p));
}

static json_t *view_flap(const struct machine *m, const struct sim_port *p)
{
	(void)m, (void)p;
	return json_pack("{s:s}", "enable", "on");
}

/* The configured profiles of one kind, by name. */
static json_t *get_profiles(const struct machine *m, bool congestion)
{
	json_t *config = cumulus_config((struct machine *)m, NULL);
	json_t *o = json_incref(json_object_get(
		json_object_get(config, "qos"), congestion ? "congestion-control" : "pfc"));

	json_decref(config);
	return o;
}

static json_t *view_global_congestion(const struct machine *m, const struct sim_port *p)
{
	(void)p;
	return get_profiles(m, true);
}

static json_t *view_global_pfc(const struct machine *m, const struct sim_port *p)
{
	(void)p;
	return get_profiles(m, false);
}

static json_t *view_global_qos(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:o,s:o,s:o,s:o}", "roce", cumulus_global_roce(m, p), "pfc-watchdog",
		cumulus_global_watchdog(m, p), "pfc", get_profiles(m, false), "congestion-control",
		get_profiles(m, true));
}

static json_t *view_bgp(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:s,s:i,s:s,s:o}", "enable", "on", "autonomous-system", (int)m->d->asn,
		"router-id", m->d->router_id, "neighbor", cumulus_neighbors(m, p));
}

static json_t *view_adaptive(const struct machine *m, const struct sim_port *p)
{
	(void)m, (void)p;
	return json_pack("{s:s}", "enable", "off");
}

/*
 * '%' matches a port. The longest matching path wins; the remaining words select inside its
 * object.
 */
static const struct view views[] = {
	{"system", view_system, 0},
	{"system/version", view_version, 510},
	{"system/forwarding", view_forwarding, 0},
	{"platform", view_platform, 0},
	{"platform/transceiver", view_transceivers, 511},
	{"platform/transceiver/detail", view_transceivers, 511},
	{"platform/transceiver/%", cumulus_transceiver, 0},
	{"interface", cumulus_interfaces, 0},
	{"interface/qos-roce-counters", view_all_roce_counters, 513},
	{"interface/qos-roce-status", view_all_roce_status, 513},
	{"interface/qos-roce-status-pool-map", view_all_pools, 513},
	{"interface/qos-congestion-control", view_all_congestion, 513},
	{"interface/%", cumulus_interface, 0},
	{"interface/%/lldp", cumulus_lldp, 0},
	{"interface/%/link/stats", cumulus_stats, 0},
	{"interface/%/link/phy-detail", cumulus_phy, 510},
	{"interface/%/link/flap-protection", view_flap, 510},
	{"interface/%/counters", view_counters, 505},
	{"interface/%/counters/qos", cumulus_qos_counters, 505},
	{"interface/%/qos", view_qos, 0},
	{"interface/%/qos/counters", cumulus_qos_counters, 0},
	{"interface/%/qos/roce", view_roce, 0},
	{"interface/%/qos/roce/counters", cumulus_roce_counters, 0},
	{"interface/%/qos/roce/status", cumulus_roce_status, 0},
	{"interface/%/qos/buffer", cumulus_buffer, 0},
	{"interface/%/qos/congestion-control", cumulus_congestion, 0},
	{"interface/%/qos/pfc", cumulus_pfc, 0},
	{"interface/%/qos/pfc-watchdog", cumulus_watchdog, 506},
	{"interface/%/qos/mapping", cumulus_mapping, 0},
	{"interface/%/qos/egress-queue-mapping", cumulus_egress_mapping, 0},
	{"interface/%/transceiver", cumulus_transceiver, 0},
	{"qos", view_global_qos, 0},
	{"qos/roce", cumulus_global_roce, 0},
	{"qos/pfc", view_global_pfc, 0},
	{"qos/congestion-control", view_global_congestion, 0},
	{"qos/pfc-watchdog", cumulus_global_watchdog, 506},
	{"router/adaptive-routing", view_adaptive, 0},
	{"vrf/default/router/bgp", view_bgp, 0},
	{"vrf/default/router/bgp/neighbor", cumulus_neighbors, 0},
};

unsigned cumulus_split(char *path, const char *words[CUMULUS_WORDS])
{
	unsigned n = 0;

	while (*path) {
		size_t len = strcspn(path, "/");

		if (len) {
			if (n == CUMULUS_WORDS) {
				words[0] = "";
				return 1;
			}
			words[n++] = path;
		}
		path += len;
		if (*path)
			*path++ = '\0';
	}
	return n;
}

/* Number of words that the pattern matches; 0 unless all of it matches. */
static unsigned match_path(const struct machine *m, const char *pattern, const char *const *words,
	unsigned n, const struct sim_port **p)
{
	unsigned i = 0;

	*p = NULL;
	while (*pattern) {
		size_t len = strcspn(pattern, "/");

		if (i == n)
			return 0;
		if (*pattern == '%')
			*p = cumulus_port(m, words[i]);
		if (*pattern == '%'
				? !*p
				: strlen(words[i]) != len || memcmp(words[i], pattern, len) != 0)
			return 0;
		i++;
		pattern += len + (pattern[len] == '/');
	}
	return i;
}

/* Follows the words inside o and takes ownership of o; a scalar at the end is an item too. */
static json_t *follow_words(json_t *o, const char *const *words, unsigned n)
{
	json_t *at = o;
	unsigned i;

	for (i = 0; i < n && at; i++)
		at = json_object_get(at, words[i]);
	json_incref(at);
	json_decref(o);
	return at;
}

static json_t *get_operational(const struct machine *m, const char *const *words, unsigned n)
{
	const struct sim_port *p, *best_port = NULL;
	const struct view *best = NULL;
	struct sim_port counted;
	unsigned used = 0, k;
	size_t i;

	if (n >= 2 && !strcmp(words[0], "interface") && !strcmp(words[1], "eth0"))
		return follow_words(cumulus_eth0(m), words + 2, n - 2);
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		k = match_path(m, views[i].path, words, n, &p);
		if (k <= used || cumulus_release(m->d) < views[i].since)
			continue;
		used = k;
		best = &views[i];
		best_port = p;
	}
	if (!best)
		return NULL;
	if (best_port)
		counted = cumulus_counted(m, best_port);
	return follow_words(best->make(m, best_port ? &counted : NULL), words + used, n - used);
}

json_t *cumulus_get(
	struct machine *m, const char *rev, const char *const *words, unsigned n, bool *bad_rev)
{
	const struct cumulus_revision *r = NULL;

	*bad_rev = false;
	if (!rev || !rev[0] || !strcmp(rev, "operational"))
		return get_operational(m, words, n);
	if (strcmp(rev, "applied") != 0 && strcmp(rev, "startup") != 0) {
		r = cumulus_revision(m, rev);
		*bad_rev = !r;
		if (!r)
			return NULL;
	}
	return follow_words(
		cumulus_config(m, r && r->phase != CUMULUS_APPLIED ? r->patch : NULL), words, n);
}

/* Sets value at the path given by the words, inside o. */
static void put_at(json_t *o, const char *const *words, unsigned n, json_t *value)
{
	unsigned i;

	for (i = 0; i + 1 < n; i++) {
		json_t *next = json_object_get(o, words[i]);

		if (!json_is_object(next)) {
			next = json_object();
			(void)json_object_set_new_nocheck(o, words[i], next);
		}
		o = next;
	}
	(void)json_object_set_new_nocheck(o, words[n - 1], value);
}

static void include_row(struct machine *m, json_t *into, const char **words, unsigned n)
{
	bool bad_rev;
	/*
	 * An item below the collection's depth: the collection omits statistics, but they can be
	 * addressed.
	 */
	json_t *value = cumulus_get(m, NULL, words, n, &bad_rev);

	if (value)
		put_at(into, words + 2, n - 2, value);
}

static void omit_row(json_t *row, const char *const *words, unsigned n)
{
	unsigned i;

	for (i = 0; i + 1 < n && row; i++)
		row = json_object_get(row, words[i]);
	if (row)
		(void)json_object_del(row, words[n - 1]);
}

/* Applies each pattern of the list; words[0] and [1] are the row's. */
static void each_pattern(
	struct machine *m, json_t *rows, json_t *into, const char *list, const char *name)
{
	const char *words[CUMULUS_WORDS], *parts[CUMULUS_WORDS];
	char path[128];
	unsigned i, n;
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (!str_copyn(path, sizeof(path), list, len))
			continue;
		n = cumulus_split(path, parts);
		if (n < 2 || n + 1 > CUMULUS_WORDS ||
			(strcmp(parts[0], "*") != 0 && strcmp(parts[0], name) != 0))
			continue;
		words[0] = "interface";
		words[1] = name;
		for (i = 1; i < n; i++)
			words[i + 1] = parts[i];
		if (into)
			include_row(m, into, words, n + 1);
		else
			omit_row(json_object_get(rows, name), words + 2, n - 1);
	}
}

json_t *cumulus_select(struct machine *m, json_t *rows, const char *include, const char *omit)
{
	json_t *chosen = include[0] ? json_object() : NULL, *row;
	const char *name;

	json_object_foreach(rows, name, row)
	{
		if (omit[0])
			each_pattern(m, rows, NULL, omit, name);
		if (!chosen)
			continue;
		row = json_object();
		each_pattern(m, rows, row, include, name);
		(void)json_object_set_new_nocheck(chosen, name, row);
	}
	if (!chosen)
		return rows;
	json_decref(rows);
	return chosen;
}

json_t *cumulus_problem(unsigned status, const char *detail)
{
	static const struct {
		unsigned status;
		const char *title;
	} all[] = {{400, "Bad Request"}, {401, "Unauthorized"}, {403, "Forbidden"},
		{404, "Not Found"}, {405, "Method Not Allowed"}, {500, "Internal Server Error"}};
	const char *title = "Error";
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].status == status)
			title = all[i].title;
	return json_pack("{s:s,s:i,s:s,s:s}", "detail", detail, "status", (int)status, "title",
		title, "type", "about:blank");
}

void cumulus_list_commands(const struct machine *m, struct buf *out)
{
	size_t i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		const char *p;

		if (cumulus_release(m->d) < views[i].since)
			continue;
		(void)buf_adds(out, "nv show ");
		for (p = views[i].path; *p; p++)
			(void)buf_adds(out, *p == '/' ? " "
					    : *p == '%' && views[i].path[0] == 'p'
						    ? "<transceiver-id>"
					    : *p == '%' ? "<interface-id>"
							: (char[]){*p, 0});
		(void)buf_adds(out, "\n");
	}
	(void)buf_adds(out,
		"nv action clear interface <interface-id> counters\n"
		"nv action clear interface <interface-id> link phy-detail\n"
		"nv action clear interface <interface-id> qos buffer\n"
		"nv action clear interface <interface-id> qos pfc-watchdog deadlock-count\n"
		"nv action clear interface <interface-id> qos roce counters\n"
		"nv set interface <interface-id> link mtu <value>\n"
		"nv set interface <interface-id> link state (up|down)\n"
		"nv set interface <interface-id> qos congestion-control profile <name>\n"
		"nv set interface <interface-id> qos pfc profile <name>\n"
		"nv set interface <interface-id> qos pfc-watchdog state (enable|disable)\n"
		"nv set qos congestion-control <profile> traffic-class <id> ecn (enable|disable)\n"
		"nv set qos pfc <profile> switch-priority <id>\n"
		"nv set qos pfc-watchdog polling-interval <ms>\n"
		"nv set qos pfc-watchdog robustness <n>\n"
		"nv set vrf default router bgp neighbor <neighbor-id> shutdown (on|off)\n"
		"nv config apply\nnv config detach\nnv config diff\nnv config show\n");
}
