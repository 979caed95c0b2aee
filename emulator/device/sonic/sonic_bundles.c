/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_redis.h"

/* Port-channels as teamd and orchagent store them, and the pair of switches (MCLAG). */

#define NAME   "PortChannel"
#define DOMAIN "1"

/* Reads "PortChannel12"; *used: its length. 0: there is no such bundle. */
static unsigned read_bundle(const struct redis *r, const char *text, size_t n, size_t *used)
{
	size_t i = sizeof(NAME) - 1;
	unsigned v = 0;

	if (n <= i || memcmp(text, NAME, i) != 0)
		return 0;
	for (; i < n && isdigit((unsigned char)text[i]) && v < 100000; i++)
		v = v * 10 + (unsigned)(text[i] - '0');
	*used = i;
	return v <= r->d->bundles ? v : 0;
}

static bool open_bundle(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	size_t used = 0;

	row->index = read_bundle(r, rest, n, &used);
	return row->index && used == n;
}

static void bundle_keys(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[96];

	for (unsigned i = 1; i <= r->d->bundles; i++) {
		(void)snprintf(key, sizeof(key), "%s" NAME "%u", t->prefix, i);
		each(arg, key);
	}
}

/* "PortChannel1|Ethernet0", or with a colon in APPL_DB. */
static bool open_member(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	size_t used = 0, left;

	row->index = read_bundle(r, rest, n, &used);
	if (!row->index || used + 1 >= n || !strchr("|:", rest[used]))
		return false;
	left = n - used - 1;
	row->port = redis_port(r, rest + used + 1, &left);
	return row->port && left == n - used - 1 && row->port->bundle == row->index;
}

static void member_keys(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[96];

	for (unsigned i = 0; i < r->d->nports; i++) {
		const struct sim_port *p = &r->d->ports[i];

		if (!p->bundle)
			continue;
		(void)snprintf(key, sizeof(key), "%s" NAME "%u%c%s", t->prefix, p->bundle,
			t->db == APPL_DB ? ':' : '|', p->name);
		each(arg, key);
	}
}

static bool open_domain(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	(void)row;
	return r->d->pair && n == 1 && *rest == *DOMAIN;
}

static void domain_keys(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[96];

	(void)snprintf(key, sizeof(key), "%s" DOMAIN, t->prefix);
	if (r->d->pair)
		each(arg, key);
}

/* ---- values ---- */

static void give_bundle(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	redis_give_text(each, arg, "admin_status", "up");
	redis_give_u64(each, arg, "min_links", sim_bundle_of(r->d, row->index).least);
	redis_give_text(each, arg, "mtu", "9100");
	redis_give_text(each, arg, "lacp_key", "auto");
}

static void give_nothing(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	redis_give_text(each, arg, "NULL", "NULL");
}

static void appl_bundle(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	redis_give_text(each, arg, "admin_status", "up");
	redis_give_text(
		each, arg, "oper_status", sim_bundle_of(r->d, row->index).up ? "up" : "down");
	redis_give_text(each, arg, "mtu", "9100");
}

static void appl_member(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r;
	redis_give_text(each, arg, "status", sim_bundle_active(row->port) ? "enabled" : "disabled");
}

static void state_bundle(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	redis_give_text(each, arg, "runner.active", "true");
	redis_give_text(each, arg, "setup.runner_name", "lacp");
}

static void state_member(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;

	(void)r;
	redis_give_text(each, arg, "link.up", p->up ? "true" : "false");
	redis_give_text(
		each, arg, "runner.aggregator.selected", sim_bundle_active(p) ? "true" : "false");
	redis_give_text(each, arg, "runner.state",
		p->lacp_out ? "defaulted"
		: p->up     ? "current"
			    : "expired");
}

static bool has_pair(const struct redis *r)
{
	return !r->d->pair->unreachable && !r->d->pair->hung;
}

static void give_domain(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	redis_give_text(each, arg, "peer_ip", r->d->pair->router_id);
	redis_give_text(each, arg, "source_ip", r->d->router_id);
}

static void state_domain(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	redis_give_text(each, arg, "oper_status", has_pair(r) ? "up" : "down");
	redis_give_text(each, arg, "role", r->d->index < r->d->pair->index ? "active" : "standby");
}

/* "1|PortChannel3": the pair's part of the bundle. */
static bool open_remote(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	size_t used = 0;

	if (!r->d->pair || n < 3 || rest[0] != *DOMAIN || rest[1] != '|')
		return false;
	row->index = read_bundle(r, rest + 2, n - 2, &used);
	return row->index && used == n - 2 && sim_bundle_of(r->d, row->index).shared;
}

static void remote_keys(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[96];

	for (unsigned i = 1; r->d->pair && i <= r->d->bundles; i++) {
		if (!sim_bundle_of(r->d, i).shared)
			continue;
		(void)snprintf(key, sizeof(key), "%s" DOMAIN "|" NAME "%u", t->prefix, i);
		each(arg, key);
	}
}

static void state_remote(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	bool up = has_pair(r) && sim_bundle_of(r->d->pair, row->index).up;

	redis_give_text(each, arg, "oper_status", up ? "up" : "down");
}

const struct redis_table redis_bundle_tables[] = {
	{CONFIG_DB, "PORTCHANNEL|", open_bundle, bundle_keys, give_bundle, NULL, NULL},
	{CONFIG_DB, "PORTCHANNEL_MEMBER|", open_member, member_keys, give_nothing, NULL, NULL},
	{CONFIG_DB, "MCLAG_DOMAIN|", open_domain, domain_keys, give_domain, NULL, NULL},
	{APPL_DB, "LAG_TABLE:", open_bundle, bundle_keys, appl_bundle, NULL, NULL},
	{APPL_DB, "LAG_MEMBER_TABLE:", open_member, member_keys, appl_member, NULL, NULL},
	{STATE_DB, "LAG_TABLE|", open_bundle, bundle_keys, state_bundle, NULL, NULL},
	{STATE_DB, "LAG_MEMBER_TABLE|", open_member, member_keys, state_member, NULL, NULL},
	{STATE_DB, "MCLAG_TABLE|", open_domain, domain_keys, state_domain, NULL, NULL},
	{STATE_DB, "MCLAG_REMOTE_INTF_TABLE|", open_remote, remote_keys, state_remote, NULL, NULL},
	{0, NULL, NULL, NULL, NULL, NULL, NULL},
};
