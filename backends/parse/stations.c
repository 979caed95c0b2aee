/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/stations.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A table of a large bridge; what is beyond it is of no port that leads to one NIC. */
#define STATIONS_MOST 100000

void stations_add(struct stations *s, uint32_t port, const char *mac)
{
	struct station_heard x = {.port = port};

	if (port == OBS_NO_PORT || s->at.n >= STATIONS_MOST || !mac_read(mac, x.mac) ||
		str_eq(x.mac, "00:00:00:00:00:00") || strchr("13579bdf", x.mac[1]))
		return;
	vec_push(&s->at, x);
}

static int compare_stations(const void *a, const void *b)
{
	const struct station_heard *x = a, *y = b;

	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return memcmp(x->mac, y->mac, sizeof(x->mac));
}

static void tell_port(const struct station_heard *at, size_t n, struct obs *o)
{
	char text[MACS_MOST * MAC_TEXT] = "";
	size_t many = 0;

	for (size_t i = 0; i < n; i++) {
		size_t end = strlen(text);

		if (i && str_eq(at[i].mac, at[i - 1].mac))
			continue;
		if (++many <= MACS_MOST)
			(void)str_printf(
				text + end, sizeof(text) - end, "%s%s", end ? " " : "", at[i].mac);
	}
	obs_word(o, at->port, ATTR_MACS, 0, many > MACS_MOST ? MACS_MANY : text);
}

void stations_tell(struct stations *s, struct obs *o, bool all)
{
	unsigned ports = 0;

	if (s->at.n)
		qsort(s->at.at, s->at.n, sizeof(*s->at.at), compare_stations);
	for (size_t i = 0, n; i < s->at.n; i += n) {
		for (n = 1; i + n < s->at.n && s->at.at[i + n].port == s->at.at[i].port;)
			n++;
		tell_port(&s->at.at[i], n, o);
		ports++;
	}
	if (all)
		obs_number(o, OBS_NO_PORT, ATTR_MACS, 0, ports);
	vec_free(&s->at);
}

static bool has_word(const struct json_value *list, const char *const *words, size_t n)
{
	for (json_value_items(v, list))
		for (size_t i = 0; i < n; i++)
			if (str_eq(json_value_text(v), words[i]))
				return true;
	return false;
}

/* "ifname", or "dev" as older programs have it. A routed subinterface is its port: swp1.100. */
static uint32_t port_at(
	const struct json_value *e, uint32_t (*port_of)(void *ctx, const char *netdev), void *ctx)
{
	const char *name = json_value_text_or(
		json_value_get(e, "ifname"), json_value_text_or(json_value_get(e, "dev"), ""));
	uint32_t port = port_of(ctx, name);
	char whole[NAME_MAX_LEN];
	const char *dot = strrchr(name, '.');

	if (port != OBS_NO_PORT || !dot)
		return port;
	(void)str_copyn(whole, sizeof(whole), name, (size_t)(dot - name));
	return port_of(ctx, whole);
}

void stations_neigh(struct stations *s, const struct json_value *list,
	uint32_t (*port_of)(void *ctx, const char *netdev), void *ctx)
{
	static const char *const none[] = {"FAILED", "INCOMPLETE", "NOARP", "NONE"};

	for (json_value_items(e, list))
		if (!has_word(json_value_get(e, "state"), none, ARRAY_LEN(none)))
			stations_add(s, port_at(e, port_of, ctx),
				json_value_text_or(json_value_get(e, "lladdr"), ""));
}

void stations_fdb(struct stations *s, const struct json_value *list,
	uint32_t (*port_of)(void *ctx, const char *netdev), void *ctx)
{
	for (json_value_items(e, list))
		if (!str_eq(json_value_text(json_value_get(e, "state")), "permanent"))
			stations_add(s, port_at(e, port_of, ctx),
				json_value_text_or(json_value_get(e, "mac"), ""));
}
