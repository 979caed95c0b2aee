/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_notes.h"

/* CONFIG_DB: identity, ports, planned neighbours, BGP, poll groups, hashing. */

const char *sonic_asic(const struct sim_device *d)
{
	return d->platform->asic;
}

const char *sonic_platform_name(const struct sim_device *d)
{
	return strcmp(sonic_asic(d), "mellanox") == 0 ? "x86_64-nvidia_sn5400-r0"
						      : "x86_64-accton_as9736_64d-r0";
}

static void give_metadata(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	redis_give_text(each, arg, "hostname", r->d->name);
	redis_give_text(each, arg, "hwsku", r->d->model);
	redis_give_text(each, arg, "platform", sonic_platform_name(r->d));
	redis_give_text(each, arg, "asic_type", sonic_asic(r->d));
	redis_give_text(each, arg, "mac", r->d->mac_base);
	redis_give_text(each, arg, "type", r->d->tier == TIER_LEAF ? "ToRRouter" : "LeafRouter");
	redis_give_u64(each, arg, "bgp_asn", r->d->asn);
	redis_give_text(each, arg, "default_pfcwd_status", "enable");
	redis_give_text(each, arg, "docker_routing_config_mode", "separated");
}

static void give_port(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	unsigned lane = p->port * SONIC_LANES + 1;
	struct redis_value v;

	(void)r;
	redis_textf(&v, "etp%u", p->port + 1);
	redis_give(each, arg, "alias", &v);
	redis_give_u64(each, arg, "index", p->port + 1);
	redis_textf(&v, "%u,%u,%u,%u", lane, lane + 1, lane + 2, lane + 3);
	redis_give(each, arg, "lanes", &v);
	redis_give_u64(each, arg, "mtu", p->config.mtu);
	redis_give_u64(each, arg, "speed", p->plan_mbps);
	redis_give_text(each, arg, "fec", "rs");
	redis_give_text(each, arg, "admin_status", p->config.admin_up ? "up" : "down");
	redis_give_text(each, arg, "pfc_asym", "off");
}

/* The planned neighbour, independent of the actual cabling. */
static void give_neighbor(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *far = row->port->plan_peer;

	if (!far)
		return;
	redis_give_text(each, arg, "name", sim_device_of(r->ctx->sim, far)->name);
	redis_give_text(each, arg, "port", far->name);
}

static void bgp_neighbor(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port, *far = p->plan_peer ? p->plan_peer : p->peer;
	const struct sim_device *d = sim_device_of(r->ctx->sim, far);
	char address[16];

	personality_link_address(p, address);
	redis_give_u64(each, arg, "asn", d->asn);
	redis_give_text(each, arg, "name", d->name);
	redis_give_text(each, arg, "local_addr", address);
	redis_give_text(each, arg, "holdtime", "10");
	redis_give_text(each, arg, "keepalive", "3");
	redis_give_text(each, arg, "nhopself", "0");
	redis_give_text(each, arg, "rrclient", "0");
	if (p->bgp.shut)
		redis_give_text(each, arg, "admin_status", "down");
}

static void give_group(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	enum sonic_group g = (enum sonic_group)row->index;
	bool set;
	unsigned ms = sonic_group_interval(r->ctx, r->d, g, &set);

	redis_give_text(each, arg, "FLEX_COUNTER_STATUS",
		sonic_group_on(r->ctx, r->d, g) ? "enable" : "disable");
	if (set)
		redis_give_u64(each, arg, "POLL_INTERVAL", ms);
}

static void switch_hash(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	static const char fields[] = "DST_IP,SRC_IP,IP_PROTOCOL,L4_DST_PORT,L4_SRC_PORT";

	(void)r, (void)row;
	redis_give_text(each, arg, "ecmp_hash", fields);
	redis_give_text(each, arg, "lag_hash", fields);
	redis_give_text(each, arg, "ecmp_hash_algorithm", "CRC");
	redis_give_text(each, arg, "lag_hash_algorithm", "CRC");
}

static void give_telemetry(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	redis_give_text(each, arg, "interval", "120");
}

/* INTERFACE|Ethernet0 and INTERFACE|Ethernet0|10.64.0.0/31: the links with BGP. */
static bool open_interface(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	size_t name = n;
	char own[24], address[16];

	row->port = redis_port(r, rest, &name);
	if (!row->port || !row->port->bgp.configured || name == n)
		return row->port && row->port->bgp.configured;
	personality_link_address(row->port, address);
	(void)str_printf(own, sizeof(own), "|%s/31", address);
	return n - name == strlen(own) && memcmp(rest + name, own, n - name) == 0;
}

static void interface_keys(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[64], address[16];

	for (unsigned i = 0; i < r->d->nports; i++) {
		const struct sim_port *p = &r->d->ports[i];

		if (!p->bgp.configured)
			continue;
		(void)str_printf(key, sizeof(key), "%s%s", t->prefix, p->name);
		each(arg, key);
		personality_link_address(p, address);
		(void)str_printf(key, sizeof(key), "%s%s|%s/31", t->prefix, p->name, address);
		each(arg, key);
	}
}

/* SONiC writes a row without fields with the field NULL. */
static void give_interface(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	redis_give_text(each, arg, "NULL", "NULL");
}

const struct redis_table redis_config_tables[] = {
	{CONFIG_DB, "DEVICE_METADATA|localhost", REDIS_SINGLE, give_metadata, NULL, NULL},
	{CONFIG_DB, "DEVICE_NEIGHBOR|", REDIS_PORTS, give_neighbor, NULL, NULL},
	{CONFIG_DB, "PORT|", REDIS_PORTS, give_port, NULL, NULL},
	{CONFIG_DB, "INTERFACE|", open_interface, interface_keys, give_interface, NULL, NULL},
	{CONFIG_DB, "BGP_NEIGHBOR|", REDIS_NEIGHBORS, bgp_neighbor, NULL, NULL},
	{CONFIG_DB, "FLEX_COUNTER_TABLE|", REDIS_NAMED, give_group, NULL, sonic_group_keys},
	{CONFIG_DB, "SWITCH_HASH|GLOBAL", REDIS_SINGLE, switch_hash, NULL, NULL},
	{CONFIG_DB, "WATERMARK_TABLE|TELEMETRY_INTERVAL", REDIS_SINGLE, give_telemetry, NULL, NULL},
	{0, NULL, NULL, NULL, NULL, NULL, NULL},
};
