/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/eos/eos.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/* Decodes the PFC watchdog, and the facts that tell an idle watchdog from a missing one. */

#define WATCH_CURE "configure on the port: priority-flow-control pause watchdog"

/* 24 facts of 255 bytes: about 700 ports of a modular system, more than any has. */
#define PORT_FACTS 24
#define PREFIX     "Ethernet"

/* ---- the ports ---- */

static void port_key(unsigned i, char dst[32])
{
	str_printf(dst, 32, "ports.%u", i);
}

static void learn_piece(const struct target *t, struct obs *o, unsigned i, const char *piece)
{
	char key[32];

	port_key(i, key);
	if (!str_eq(facts_get(t->facts, key), piece))
		obs_fact(o, key, piece);
}

void eos_learn_ports(const struct target *t, struct obs *o)
{
	char piece[FACT_VALUE_SIZE] = "";
	size_t used = 0;
	unsigned n = 0;

	for (size_t i = 0; i < o->ports.n && n < PORT_FACTS; i++) {
		const char *number = o->ports.at[i].name + strlen(PREFIX);
		size_t len = strlen(number);

		if (used + len + 1 >= sizeof(piece)) {
			learn_piece(t, o, n++, piece);
			used = 0;
		}
		used += (size_t)(str_printf(piece + used, sizeof(piece) - used, "%s%s",
					 used ? " " : "", number)
					 ? len + (used > 0)
					 : 0);
	}
	if (n < PORT_FACTS && used)
		learn_piece(t, o, n++, piece);
	/* A shorter list than before: clear the other facts. */
	if (n < PORT_FACTS)
		learn_piece(t, o, n, "");
}

size_t eos_known_ports(const struct target *t, void *ctx, void (*each)(void *ctx, const char *name))
{
	size_t count = 0, n;

	for (unsigned i = 0; i < PORT_FACTS; i++) {
		char key[32], name[NAME_MAX_LEN];
		const char *at, *w;

		port_key(i, key);
		at = facts_get(t->facts, key);
		if (!*at)
			break;
		while ((w = eos_word(&at, &n))) {
			if (!str_printf(name, sizeof(name), PREFIX "%.*s", (int)n, w))
				continue;
			each(ctx, name);
			count++;
		}
	}
	return count;
}

/* ---- monitored ports ---- */

void eos_watch_get(const struct target *t, struct eos_watch *w)
{
	uint64_t mask;

	*w = (struct eos_watch){.ports = facts_get(t->facts, "watch.only"),
		.not_ports = facts_get(t->facts, "watch.not")};
	if (!str_to_u64(facts_get(t->facts, "watch"), &mask) || mask > 0xff)
		return;
	w->is_known = true;
	w->mask = (uint8_t)mask;
}

static bool is_listed(const char *list, const char *port)
{
	const char *number = port + strlen(PREFIX), *w;
	size_t n;

	while ((w = eos_word(&list, &n)))
		if (strlen(number) == n && !memcmp(w, number, n))
			return true;
	return false;
}

bool eos_watch_covers(const struct eos_watch *w, const char *port)
{
	if (!w->mask)
		return false;
	return *w->ports ? is_listed(w->ports, port) : !is_listed(w->not_ports, port);
}

/* ---- storms: a queue is listed only after its first one ---- */

static void parse_watchdog_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	unsigned p;

	(void)t;
	for (json_value_members(c, json_value_get(v, "txQueues"))) {
		uint64_t stuck, recovered;

		if (!parse_index(json_value_name(c), "", PRIORITIES, &p) ||
			!json_value_u64(json_value_get(c, "stuckCount"), &stuck))
			continue;
		obs_count(o, port, CTR_PFCWD_STORM_DETECTED, p, stuck);
		if (json_value_u64(json_value_get(c, "recoveryCount"), &recovered)) {
			obs_count(o, port, CTR_PFCWD_STORM_RESTORED, p, recovered);
			obs_word(o, port, ATTR_PFCWD_STATE, p,
				stuck > recovered ? "stormed" : "operational");
		}
		obs_invalid(o, port, CTR_PFCWD_DROPS, p, VALID_UNSUPPORTED, "");
	}
}

struct silence {
	const struct target *t;
	struct obs *o;
	const struct json_value *listed;
	struct eos_watch watch;
};

/* A monitored port that is not listed had no storm; for other ports the number is unknown. */
static void silent_port(void *ctx, const char *name)
{
	const struct silence *s = ctx;
	const struct json_value *queues =
		json_value_get(json_value_get(s->listed, name), "txQueues");
	bool is_on = eos_watch_covers(&s->watch, name);
	uint32_t port = obs_port(s->o, name);

	for (unsigned p = 0; p < PRIORITIES; p++) {
		char key[4];

		str_printf(key, sizeof(key), "%u", p);
		if (json_value_get(queues, key))
			continue;
		if (is_on && (s->watch.mask >> p & 1)) {
			obs_count(s->o, port, CTR_PFCWD_STORM_DETECTED, p, 0);
			obs_count(s->o, port, CTR_PFCWD_STORM_RESTORED, p, 0);
			obs_word(s->o, port, ATTR_PFCWD_STATE, p, "operational");
		} else if (!is_on && (s->t->lossless >> p & 1)) {
			/* No cure: most such ports are unused, and the state shows it. */
			obs_invalid(s->o, port, CTR_PFCWD_STORM_DETECTED, p, VALID_DISABLED, "");
			obs_word(s->o, port, ATTR_PFCWD_STATE, p, "off");
		}
	}
}

/*
 * No public capture of this answer is known. Its format, and that queues appear with their first
 * storm, come from programs that use it.
 */
bool eos_parse_watchdog(const struct target *t, const struct json_value *body, struct obs *o)
{
	struct silence s = {.t = t, .o = o, .listed = json_value_get(body, "interfaces")};

	if (!json_value_is(s.listed, DV_OBJECT))
		return false;
	eos_each_port(t, s.listed, o, parse_watchdog_port);
	eos_watch_get(t, &s.watch);
	if (s.watch.is_known)
		eos_known_ports(t, &s, silent_port);
	if (s.watch.is_known && !s.watch.mask)
		need_say(o, NEED_WATCHDOG, VALID_DISABLED, WATCH_CURE);
	else
		need_say(o, NEED_WATCHDOG, VALID_OK, "");
	return true;
}
