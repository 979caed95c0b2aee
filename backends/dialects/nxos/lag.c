/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/lag.h"
#include "base/str.h"

/* Decodes "show port-channel summary", "show vpc" and "show nve ethernet-segment". */

/* "Po10", "port-channel10", "10": "port-channel10" as "show interface" prints it. */
static const char *bundle_name(const char *text, char *dst, size_t size)
{
	const char *digits = text + strcspn(text, "0123456789");
	size_t n = strspn(digits, "0123456789");

	*dst = '\0';
	if (n && n < 8)
		str_printf(dst, size, "port-channel%.*s", (int)n, digits);
	return dst;
}

/* The flags of the summary's legend. */
static enum lag_member_state state_of(char flag)
{
	switch (flag) {
	case 'P':
	case 'p':
		return LAG_ACTIVE;
	case 'H':
		return LAG_STANDBY;
	case 's':
	case 'b':
		return LAG_SUSPENDED;
	case 'I':
		return LAG_INDIVIDUAL;
	case 'D':
	case 'r':
		return LAG_DOWN;
	default:
		return LAG_UNKNOWN;
	}
}

struct bundle {
	struct nxos_job *j;
	const char *name;
};

static void member_row(void *ctx, const struct json_value *row)
{
	struct bundle *b = ctx;
	const char *flag = json_value_text_or(json_value_get(row, "port-status"), "");

	lag_member(b->j->o, nxos_port(b->j, json_value_get(row, "port")), b->name, state_of(*flag),
		*flag == 'r'   ? "module removed"
		: *flag == 'b' ? "waits for its BFD session"
		: *flag == 'p' ? "without LACP, delayed"
			       : "");
}

static void channel_row(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;
	const char *text = json_value_text_or(json_value_get(row, "port-channel"), "");
	const char *flag = json_value_text_or(json_value_get(row, "status"), "");
	const char *protocol = json_value_text_or(json_value_get(row, "prtcl"), "");
	char name[NAME_MAX_LEN];
	struct bundle b = {.j = j, .name = name};
	uint32_t port;

	if (!*text)
		text = json_value_text_or(json_value_get(row, "group"), "");
	port = lag_bundle(j->o, bundle_name(text, name, sizeof(name)),
		*flag == 'U' || str_eq(flag, "up") ? "up"
		: *flag                            ? "down"
						   : "",
		strcasecmp(protocol, "LACP") == 0 ? "lacp" : "static", 0);
	if (port == OBS_NO_PORT)
		return;
	if (*flag == 'M')
		obs_word(j->o, port, ATTR_DOWN_REASON, 0, "min-links not met");
	nxos_each(row, "member", member_row, &b);
}

static bool is_inconsistent(const struct json_value *row, const char *key)
{
	return strcasestr(json_value_text_or(json_value_get(row, key), ""), "inconsistent") != NULL;
}

static void vpc_row(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;
	const char *text = json_value_text_or(json_value_get(row, "vpc-ifindex"), "");
	const char *status = json_value_text_or(json_value_get(row, "vpc-port-status"), "");
	double state;
	char name[NAME_MAX_LEN], pair[64], id[16];
	uint32_t port;

	if (!*text)
		text = json_value_text_or(json_value_get(row, "vpc-port-channel"), "");
	if (!*bundle_name(text, name, sizeof(name)))
		return;
	if (json_value_real(json_value_get(row, "vpc-port-state"), &state) == NUMBER_OK)
		status = state > 0 ? "up" : "down";
	str_printf(pair, sizeof(pair), "vpc %s %s%s",
		nxos_number_text(json_value_get(row, "vpc-id"), id, sizeof(id)),
		*status ? status : "unknown",
		is_inconsistent(row, "vpc-consistency") ? " inconsistent" : "");
	port = lag_bundle(j->o, name, "", "", 0);
	if (port != OBS_NO_PORT)
		obs_word(j->o, port, ATTR_LAG_PAIR, 0, pair);
}

static void peer_link_row(void *ctx, const struct json_value *row)
{
	char *dst = ctx;

	(void)bundle_name(
		json_value_text_or(json_value_get(row, "peerlink-ifindex"), ""), dst, NAME_MAX_LEN);
}

static bool is_adjacent(const char *peer)
{
	return str_eq(peer, "peer-ok") || strcasestr(peer, "formed ok");
}

/* "peer-not-configured", "peer link not configured" */
static bool is_not_set(const char *peer)
{
	return strcasestr(peer, "not-configured") || strcasestr(peer, "not configured");
}

void nxos_vpc(struct nxos_job *j, const struct json_value *body)
{
	const char *peer = json_value_text_or(json_value_get(body, "vpc-peer-status"), "");
	const char *alive =
		json_value_text_or(json_value_get(body, "vpc-peer-keepalive-status"), "");
	bool heard = strcasestr(alive, "alive") && !strcasestr(alive, "not");
	/* Settings that must be alike differ: the switches suspend bundles. */
	bool differs = is_inconsistent(body, "vpc-peer-consistency") ||
		       is_inconsistent(body, "vpc-per-vlan-peer-consistency");
	char text[160], link[NAME_MAX_LEN] = "", domain[24];

	nxos_number_text(json_value_get(body, "vpc-domain-id"), domain, sizeof(domain));
	if (!*peer)
		return;
	/* The feature is on, and no pair was set up. */
	if (is_not_set(peer) && !isdigit((unsigned char)*domain)) {
		obs_word(j->o, OBS_NO_PORT, ATTR_PAIR, 0, "");
		return;
	}
	nxos_each(body, "peerlink", peer_link_row, link);
	nxos_each(body, "vpc", vpc_row, j);
	/* "peer-ok" and "peer-alive"; older releases spell them out. */
	str_printf(text, sizeof(text), "kind=vpc state=%s domain=%s link=%s why=%.40s",
		is_not_set(peer)     ? "down"
		: !is_adjacent(peer) ? "split"
		: heard && !differs  ? "ok"
				     : "down",
		domain, link,
		!str_eq(peer, "peer-ok") ? peer
		: heard && differs       ? "peer-inconsistent"
					 : alive);
	for (char *c = strstr(text, "why=") + 4; *c; c++)
		*c = *c == ' ' ? '-' : *c;
	obs_word(j->o, OBS_NO_PORT, ATTR_PAIR, 0, text);
}

/* ---- segments of EVPN multihoming ---- */

/*
 * A segment of a multisite gateway has nve1 in place of a bundle: none of ours. num-es-mem counts
 * this switch too; a release that does not print it says nothing about others.
 */
static void segment_row(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;
	const char *bundle = json_value_text_or(json_value_get(row, "if-name"), "");
	const char *state = json_value_text_or(json_value_get(row, "es-state"), "");
	char name[NAME_MAX_LEN];
	double members = 2;

	if (strncasecmp(bundle, "po", 2) != 0 || !*bundle_name(bundle, name, sizeof(name)))
		return;
	(void)json_value_real(json_value_get(row, "num-es-mem"), &members);
	lag_segment(j->o, name, json_value_text_or(json_value_get(row, "esi"), ""),
		!*state                          ? "unknown"
		: strcasecmp(state, "up") == 0   ? "up"
		: strcasecmp(state, "down") == 0 ? "down"
						 : state,
		members > 1 ? 1 : 0);
}

void nxos_segments(struct nxos_job *j, const struct json_value *body)
{
	nxos_each(body, "es", segment_row, j);
	lag_segments_end(j->t, j->o);
}

void nxos_lag(struct nxos_job *j, const struct json_value *body)
{
	nxos_each(body, "channel", channel_row, j);
	need_say(j->o, NEED_BUNDLES, VALID_OK, "");
}
