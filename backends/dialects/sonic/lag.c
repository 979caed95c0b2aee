/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/sonic/sonic.h"
#include "backends/parse/lag.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/pools.h"

/*
 * Decodes port-channels. teamd writes each member's LACP state to STATE_DB, orchagent's switch to
 * APPL_DB; the settings name the bundles. A row of a member: status, link.up, selected,
 * runner.state.
 */
enum column { STATUS, LINK_UP, SELECTED, RUNNER };

static const char *text_at(const struct json_value *row, enum column c)
{
	return json_value_text_or(json_value_at(row, c), "");
}

static void add_member(
	struct obs *o, const char *bundle, const char *name, const struct json_value *row)
{
	const char *runner = text_at(row, RUNNER);
	bool is_selected = str_eq(text_at(row, SELECTED), "true");
	char why[64] = "";

	if (str_eq(text_at(row, LINK_UP), "false")) {
		lag_member(o, obs_port(o, name), bundle, LAG_DOWN, "");
	} else if (is_selected && str_eq(text_at(row, STATUS), "enabled")) {
		lag_member(o, obs_port(o, name), bundle, LAG_ACTIVE, "");
	} else if (!*text_at(row, SELECTED)) {
		lag_member(o, obs_port(o, name), bundle, LAG_UNKNOWN, "");
	} else {
		if (is_selected)
			str_copy(why, sizeof(why), "selected, and disabled in the switch");
		else if (str_eq(runner, "defaulted") || str_eq(runner, "expired"))
			str_printf(why, sizeof(why), "no LACP from the peer, %s", runner);
		lag_member(o, obs_port(o, name), bundle, LAG_SUSPENDED, why);
	}
}

static void add_bundle(struct obs *o, const struct json_value *e)
{
	const char *name = json_value_name(e);
	const char *oper = json_value_text_or(json_value_get(e, "s"), "");
	const char *peer = json_value_text_or(json_value_get(e, "p"), "");
	double min = 0;
	uint32_t port;
	char text[48];

	(void)json_value_real(json_value_at(json_value_get(e, "c"), 0), &min);
	port = lag_bundle(o, name, oper, "lacp", min);
	if (port == OBS_NO_PORT)
		return;
	/* Shut by an operator. */
	obs_word(o, port, ATTR_ADMIN, 0,
		str_eq(json_value_text_or(json_value_at(json_value_get(e, "c"), 1), ""), "down")
			? "down"
			: "up");
	if (*peer) {
		str_printf(text, sizeof(text), "mclag, peer's %s", peer);
		obs_word(o, port, ATTR_LAG_PAIR, 0, text);
	}
	for (json_value_members(m, json_value_get(e, "m")))
		if (sonic_is_front_panel(json_value_name(m)))
			add_member(o, name, json_value_name(m), m);
}

static void add_pair(struct obs *o, const struct json_value *pair)
{
	const char *oper = json_value_text_or(json_value_get(pair, "s"), "");
	const struct json_value *c = json_value_get(pair, "c");
	char text[160];

	if (!json_value_is(pair, DV_OBJECT))
		return;
	str_printf(text, sizeof(text), "kind=mclag state=%s domain=%s peer=%s link=%s",
		str_eq(oper, "up") ? "ok"
		: *oper            ? "down"
				   : "unknown",
		json_value_text_or(json_value_get(pair, "id"), ""),
		json_value_text_or(json_value_at(c, 0), ""),
		json_value_text_or(json_value_at(c, 1), ""));
	obs_word(o, OBS_NO_PORT, ATTR_PAIR, 0, text);
}

static bool has_fact(const struct obs *o, const char *key)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_FACT &&
			str_eq(obs_text(o, o->items.at[i].text), key))
			return true;
	return false;
}

void sonic_parse_lags(const struct json_value *doc, struct obs *o)
{
	size_t ports = o->ports.n;
	bool *used = mem_calloc(ports + 1, sizeof(*used));

	for (json_value_members(e, json_value_get(doc, "lags")))
		add_bundle(o, e);
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_WORD && o->items.at[i].code == ATTR_BOND &&
			o->items.at[i].port < ports)
			used[o->items.at[i].port] = true;
	/* A port that left its bundle. */
	for (uint32_t i = 0; json_value_is(json_value_get(doc, "lags"), DV_OBJECT) && i < ports;
		i++)
		if (!used[i])
			lag_left(o, i);
	free(used);
	if (json_value_is(json_value_get(doc, "lags"), DV_OBJECT)) {
		need_say(o, NEED_BUNDLES, VALID_OK, "");
		/* The answer has a part for each ASIC: one that has bundles is enough. */
		if (json_value_size(json_value_get(doc, "lags")))
			obs_fact(o, SONIC_FACT_BUNDLES, "yes");
		else if (!has_fact(o, SONIC_FACT_BUNDLES))
			obs_fact(o, SONIC_FACT_BUNDLES, "no");
	}
	add_pair(o, json_value_get(doc, "pair"));
}

/* ---- buffer pools ---- */

static double bytes_at(const struct json_value *row, unsigned i)
{
	double v;

	return json_value_real(json_value_at(row, i), &v) == NUMBER_OK && v >= 0 ? v : (double)NAN;
}

/* A smaller pool could not hold one packet. */
#define POOL_LEAST 9216

/* A row: peak, peak of the shared headroom, size, size of that headroom. */
void sonic_parse_pools(const struct json_value *doc, struct obs *o)
{
	const struct json_value *pools = json_value_get(doc, "pools");
	char text[POOLS_TEXT] = "";
	bool is_counted = false;
	unsigned n = 0;

	if (!json_value_is(pools, DV_OBJECT))
		return;
	for (json_value_members(row, pools)) {
		struct pool p = pool_named(json_value_name(row));
		double size = bytes_at(row, 2), room = bytes_at(row, 3);

		if (!(size > 0) || n++ == POOLS_MOST)
			continue;
		/* While the sizes are computed, a pool has a byte or so. */
		if (size >= POOL_LEAST) {
			p.size = size;
			p.peak = bytes_at(row, 0) / size;
		}
		if (room > 0) {
			p.headroom_size = room;
			p.headroom_peak = bytes_at(row, 1) / room;
		}
		is_counted |= !isnan(p.peak);
		if (!pools_add(text, sizeof(text), &p))
			break;
	}
	obs_word(o, OBS_NO_PORT, ATTR_POOLS, 0, text);
	if (!n)
		need_say(o, NEED_POOLS, VALID_UNSUPPORTED, "the switch lists no pools with a size");
	else
		need_say(o, NEED_POOLS, is_counted ? VALID_OK : VALID_DISABLED,
			is_counted ? "" : "sudo counterpoll watermark enable");
}
