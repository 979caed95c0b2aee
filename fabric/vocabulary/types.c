/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/types.h"

#include <stddef.h>
#include <strings.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static const char *const tiers[TIER_COUNT] = {"host", "leaf", "spine", "superspine"};

/* Tier names in use by operators of large fabrics. */
static const struct {
	const char *name;
	enum tier tier;
} tier_aliases[] = {
	{"node", TIER_HOST},
	{"rtsw", TIER_LEAF},
	{"tor", TIER_LEAF},
	{"ctsw", TIER_SPINE},
	{"atsw", TIER_SUPERSPINE},
	{"super-spine", TIER_SUPERSPINE},
};

const char *tier_name(enum tier t)
{
	return (unsigned)t < TIER_COUNT ? tiers[t] : "unknown";
}

bool tier_by_name(const char *s, enum tier *out)
{
	for (size_t i = 0; i < TIER_COUNT; i++) {
		if (strcasecmp(s, tiers[i]) == 0) {
			*out = (enum tier)i;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT_OF(tier_aliases); i++) {
		if (strcasecmp(s, tier_aliases[i].name) == 0) {
			*out = tier_aliases[i].tier;
			return true;
		}
	}
	return false;
}

const char *oper_name(enum oper o)
{
	static const char *const names[] = {"unknown", "up", "down"};

	return (unsigned)o < COUNT_OF(names) ? names[o] : "unknown";
}

const char *severity_name(enum severity s)
{
	static const char *const names[SEV_COUNT] = {"unknown", "ok", "warn", "crit"};

	return (unsigned)s < SEV_COUNT ? names[s] : "unknown";
}

const char *dev_state_name(enum dev_state s)
{
	static const char *const names[DEV_STATE_COUNT] = {"pending", "fresh", "late", "stale",
		"unreachable", "unauthorised", "not_understood"};

	return (unsigned)s < DEV_STATE_COUNT ? names[s] : "unknown";
}

const char *dev_state_words(enum dev_state s)
{
	return s == DEV_NOT_UNDERSTOOD ? "not understood" : dev_state_name(s);
}

const char *net_kind_name(enum net_kind n)
{
	static const char *const names[NET_COUNT] = {"backend", "storage", "frontend", "oob"};

	return (unsigned)n < NET_COUNT ? names[n] : "unknown";
}
