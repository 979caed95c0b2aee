/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_notes.h"

/*
 * Writes to CONFIG_DB take effect as through orchagent. A field that no daemon here reads is
 * accepted and ignored. A key that the emulator does not model is refused.
 */

static bool arg_is(const struct redis_arg *a, const char *word)
{
	return strlen(word) == a->n && !strncasecmp(a->p, word, a->n);
}

static bool arg_number(const struct redis_arg *a, unsigned *n)
{
	char text[16];
	uint64_t v;

	if (!str_copyn(text, sizeof(text), a->p, a->n) || !str_to_u64(text, &v) || v > 1000000)
		return false;
	*n = (unsigned)v;
	return true;
}

/* PFC_WD|<port>: without a detection time the watchdog is off. */
static void write_watchdog(
	struct sim_port_config *c, const struct redis_arg *field, const struct redis_arg *value)
{
	if (!c->wd_mask) {
		c->wd_mask = c->pfc_mask;
		c->wd_action = SIM_WD_DROP;
		c->wd_restore_ms = 0;
	}
	if (arg_is(field, "detection_time"))
		(void)arg_number(value, &c->wd_detect_ms);
	else if (arg_is(field, "restoration_time") && !arg_number(value, &c->wd_restore_ms))
		c->wd_restore_ms = 0;
	else if (arg_is(field, "action"))
		c->wd_action = arg_is(value, "forward") ? SIM_WD_FORWARD
			       : arg_is(value, "alert") ? SIM_WD_ALERT
							: SIM_WD_DROP;
}

static void write_port(const char *prefix, struct sim_port_config *c, const struct redis_arg *field,
	const struct redis_arg *value)
{
	if (str_eq(prefix, "PFC_WD|"))
		write_watchdog(c, field, value);
	else if (str_eq(prefix, "PORT_QOS_MAP|") && arg_is(field, "pfc_enable"))
		c->pfc_mask = (uint8_t)redis_mask(value->p, value->n);
	else if (str_eq(prefix, "PORT|") && arg_is(field, "admin_status"))
		c->admin_up = arg_is(value, "up");
}

static void write_thresholds(
	struct sim_port_config *c, const struct redis_arg *field, const struct redis_arg *value)
{
	if (arg_is(field, "green_min_threshold"))
		(void)arg_number(value, &c->ecn_min_bytes);
	else if (arg_is(field, "green_max_threshold"))
		(void)arg_number(value, &c->ecn_max_bytes);
	else if (arg_is(field, "green_drop_probability"))
		(void)arg_number(value, &c->ecn_max_percent);
	else if (arg_is(field, "ecn"))
		c->ecn = !arg_is(value, "ecn_none");
}

/* The common profile: changes all ports that use it. */
static void write_profile(struct redis *r, const struct redis_arg *pairs, size_t n, const char *who)
{
	for (unsigned i = 0; i < r->d->nports; i++) {
		struct sim_port *p = &r->d->ports[i];
		struct sim_port_config c = p->config;

		for (size_t k = 0; k + 1 < n; k += 2)
			write_thresholds(&c, &pairs[k], &pairs[k + 1]);
		personality_configure(r->ctx, p, &c, who);
	}
}

static void write_group(
	struct redis *r, enum sonic_group g, const struct redis_arg *pairs, size_t n)
{
	unsigned ms;

	for (size_t k = 0; k + 1 < n; k += 2) {
		if (arg_is(&pairs[k], "FLEX_COUNTER_STATUS"))
			sonic_group_enable(r->ctx, r->d, g, arg_is(&pairs[k + 1], "enable"));
		else if (arg_is(&pairs[k], "POLL_INTERVAL") && arg_number(&pairs[k + 1], &ms))
			sonic_group_set_interval(r->ctx, r->d, g, ms);
	}
}

static void write_global(struct redis *r, const struct redis_arg *pairs, size_t n)
{
	struct sim_device_config c = r->d->config;

	for (size_t k = 0; k + 1 < n; k += 2) {
		if (arg_is(&pairs[k], "POLL_INTERVAL"))
			(void)arg_number(&pairs[k + 1], &c.wd_poll_ms);
		else if (arg_is(&pairs[k], "BIG_RED_SWITCH"))
			c.wd_big_red = arg_is(&pairs[k + 1], "enable");
	}
	sim_configure_device(r->ctx->sim, r->d, &c, SONIC_USER);
}

static void write_maps(struct redis *r, const struct redis_arg *pairs, size_t n)
{
	struct sim_device_config c = r->d->config;
	unsigned dscp, tc;

	for (size_t k = 0; k + 1 < n; k += 2)
		if (arg_number(&pairs[k], &dscp) && arg_number(&pairs[k + 1], &tc) && dscp < 64 &&
			tc < 8)
			c.dscp_prio[dscp] = (uint8_t)tc;
	sim_configure_device(r->ctx->sim, r->d, &c, SONIC_USER);
}

/* false: no daemon acts on that row. */
static bool set_row(
	struct redis *r, const struct redis_row *row, const struct redis_arg *pairs, size_t n)
{
	const char *prefix = row->table->prefix;
	struct sim_port_config c;

	if (str_eq(prefix, "FLEX_COUNTER_TABLE|")) {
		write_group(r, (enum sonic_group)row->index, pairs, n);
	} else if (str_eq(prefix, "PFC_WD|GLOBAL")) {
		write_global(r, pairs, n);
	} else if (str_eq(prefix, "DSCP_TO_TC_MAP|AZURE")) {
		write_maps(r, pairs, n);
	} else if (str_eq(prefix, "WRED_PROFILE|AZURE_LOSSLESS")) {
		write_profile(r, pairs, n, SONIC_USER);
	} else if (str_eq(prefix, "BGP_NEIGHBOR|")) {
		for (size_t k = 0; k + 1 < n; k += 2)
			if (arg_is(&pairs[k], "admin_status"))
				sim_configure_bgp(r->ctx->sim, row->port,
					arg_is(&pairs[k + 1], "down"), SONIC_USER);
	} else if (row->port && (str_eq(prefix, "PFC_WD|") || str_eq(prefix, "PORT_QOS_MAP|") ||
					str_eq(prefix, "PORT|"))) {
		c = row->port->config;
		for (size_t k = 0; k + 1 < n; k += 2)
			write_port(prefix, &c, &pairs[k], &pairs[k + 1]);
		sim_configure(r->ctx->sim, row->port, &c, SONIC_USER);
	} else {
		return false;
	}
	return true;
}

/* Clears a whole row (fields NULL), or resets the given fields to their defaults. */
static bool clear_row(
	struct redis *r, const struct redis_row *row, const struct redis_arg *fields, size_t n)
{
	struct sim_port_config c;
	bool all = !fields;

	if (!row->port || r->db != CONFIG_DB)
		return false;
	c = row->port->config;
	if (str_eq(row->table->prefix, "PFC_WD|")) {
		c.wd_mask = all ? 0 : c.wd_mask;
		for (size_t i = 0; i < n; i++)
			if (arg_is(&fields[i], "restoration_time"))
				c.wd_restore_ms = 0;
	} else if (str_eq(row->table->prefix, "PORT_QOS_MAP|")) {
		for (size_t i = 0; i < n; i++)
			if (arg_is(&fields[i], "pfc_enable"))
				c.pfc_mask = 0;
		c.pfc_mask = all ? 0 : c.pfc_mask;
	} else {
		return false;
	}
	sim_configure(r->ctx->sim, row->port, &c, SONIC_USER);
	return true;
}

static void refuse_write(const struct redis_sink *sink)
{
	sink->error(sink->arg, "READONLY You can't write against a read only replica.");
}

static void do_set(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink)
{
	struct redis_row row;

	if (argc % 2)
		sink->error(sink->arg, "ERR wrong number of arguments for 'hset' command");
	else if (r->db != CONFIG_DB || !redis_find(r, argv[1].p, argv[1].n, &row) ||
		 !set_row(r, &row, argv + 2, argc - 2))
		refuse_write(sink);
	else if (arg_is(&argv[0], "HMSET"))
		sink->status(sink->arg, "OK");
	else
		sink->integer(sink->arg, 0);
}

static void do_delete(struct redis *r, const struct redis_arg *key, const struct redis_arg *fields,
	size_t n, const struct redis_sink *sink)
{
	struct redis_row row;

	if (!redis_find(r, key->p, key->n, &row))
		sink->integer(sink->arg, 0);
	else if (!clear_row(r, &row, fields, n))
		refuse_write(sink);
	else
		sink->integer(sink->arg, 1);
}

/* PFC_WD_ACTION ["oid:0x15...","restore"]: orchagent ends the action until the next detection. */
static void do_publish(struct redis *r, const struct redis_arg *argv, const struct redis_sink *sink)
{
	char *text = mem_strndup(argv[2].p, argv[2].n);
	const char *oid = strstr(text, "oid:");
	struct redis_row row;
	char key[64];

	if (arg_is(&argv[1], "PFC_WD_ACTION") && oid && strstr(text, "restore")) {
		(void)str_printf(
			key, sizeof(key), "COUNTERS:%.*s", (int)strcspn(oid, "\"'] "), oid);
		if (redis_find(r, key, strlen(key), &row) && row.port && row.index < 8 &&
			row.port->q[row.index].wd_stormed) {
			struct sim_port_config now = row.port->config, off = now;

			off.wd_mask = 0;
			sim_configure(r->ctx->sim, row.port, &off, SONIC_USER);
			sim_configure(r->ctx->sim, row.port, &now, SONIC_USER);
		}
	}
	free(text);
	sink->integer(sink->arg, 1);
}

void redis_write(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink)
{
	if (arg_is(&argv[0], "HSET") || arg_is(&argv[0], "HMSET"))
		do_set(r, argc, argv, sink);
	else if (arg_is(&argv[0], "HDEL"))
		do_delete(r, &argv[1], argv + 2, argc - 2, sink);
	else if (arg_is(&argv[0], "DEL"))
		do_delete(r, &argv[1], NULL, 0, sink);
	else
		do_publish(r, argv, sink);
}
