/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/eos/eos_private.h"
#include "base/str.h"

/*
 * Decodes ECN in the running configuration: thresholds stand under a queue of a port, or of a
 * profile that the port names. The grammar comes from the manual and from public configuration
 * generators.
 */

#define PROFILES 32 /* a switch has a handful of them */

struct queues {
	struct eos_ecn ecn[PRIORITIES];
	uint8_t mask; /* queues that mark */
};

struct profile {
	char name[64];
	struct queues queues;
};

struct running {
	struct profile profiles[PROFILES];
	size_t profile_count;
	struct obs *o;
	/* The current block: a profile, a port, or neither. */
	struct profile *profile;
	char port[NAME_MAX_LEN];
	const struct profile *used;
	struct queues own;
	int queue; /* -1: outside of a queue */
	unsigned ports, marking;
};

/* Returns the text after words, or NULL if the line begins otherwise. */
static const char *skip_words(const char *line, const char *words)
{
	return str_starts(line, words) ? line + strlen(words) : NULL;
}

static const struct profile *profile_find(const struct running *r, const char *name)
{
	for (size_t i = 0; i < r->profile_count; i++)
		if (str_eq(r->profiles[i].name, name))
			return &r->profiles[i];
	return NULL;
}

static void profile_begin(struct running *r, const char *name)
{
	if (r->profile_count == PROFILES)
		return;
	r->profile = &r->profiles[r->profile_count++];
	str_copy(r->profile->name, sizeof(r->profile->name), name);
}

/* A port's own queues override those of its profile. */
static void port_end(struct running *r)
{
	uint8_t from_profile = r->used ? (uint8_t)(r->used->queues.mask & ~r->own.mask) : 0;
	uint32_t port;

	if (!*r->port)
		return;
	port = obs_port(r->o, r->port);
	r->ports++;
	r->marking += (r->own.mask | from_profile) != 0;
	obs_number(r->o, port, ATTR_ECN_ENABLED, 0, r->own.mask | from_profile);
	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct eos_ecn *e = r->own.mask >> q & 1    ? &r->own.ecn[q]
					  : from_profile >> q & 1 ? &r->used->queues.ecn[q]
								  : NULL;

		if (e && e->max > 0)
			eos_emit_ecn(e, r->o, port);
	}
}

static void block_begin(struct running *r, const char *line, bool profiles)
{
	const char *name;

	port_end(r);
	r->profile = NULL;
	r->used = NULL;
	r->port[0] = '\0';
	r->own = (struct queues){0};
	r->queue = -1;
	if (profiles) {
		name = skip_words(line, "qos profile ");
		if (name)
			profile_begin(r, name);
		return;
	}
	name = skip_words(line, "interface ");
	if (name)
		(void)eos_port_name(name, strlen(name), r->port);
}

static void queue_begin(struct running *r, const char *number)
{
	uint64_t q;

	r->queue = str_to_u64(number, &q) && q < PRIORITIES ? (int)q : -1;
}

static void add_thresholds(struct running *r, const char *line)
{
	struct queues *to = r->profile ? &r->profile->queues : *r->port ? &r->own : NULL;
	struct eos_ecn e = {.queue = (unsigned)r->queue};

	if (!to || r->queue < 0)
		return;
	/* In segments: it marks, but the threshold in bytes is unknown. */
	if (!eos_read_thresholds(line, &e))
		e.max = 0;
	to->ecn[r->queue] = e;
	to->mask |= (uint8_t)(1u << r->queue);
}

static void block_line(struct running *r, const char *line)
{
	const char *rest;

	if ((rest = skip_words(line, "uc-tx-queue ")) || (rest = skip_words(line, "tx-queue ")))
		queue_begin(r, rest);
	else if (skip_words(line, "mc-tx-queue "))
		r->queue = -1;
	else if ((rest = skip_words(line, "service-profile ")))
		r->used = profile_find(r, rest);
	else if ((rest = skip_words(line, "random-detect ecn ")) &&
		 skip_words(rest, "minimum-threshold "))
		add_thresholds(r, rest);
}

static void read_pass(struct running *r, const char *text, size_t len, bool profiles)
{
	struct eos_lines l = {text, text + len};
	char line[256];

	while (eos_line(&l, line, sizeof(line))) {
		const char *words = line + strspn(line, " ");

		if (*words == '!' || !*words)
			continue;
		if (words == line)
			block_begin(r, line, profiles);
		else
			block_line(r, words);
	}
	block_begin(r, "", profiles);
}

bool eos_read_ecn_running(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct running r = {.o = o, .queue = -1};

	(void)t;
	/* Profiles first: a port may name one that is printed later. */
	read_pass(&r, text, len, true);
	read_pass(&r, text, len, false);
	if (!r.ports && strspn(text, " \r\n\t!") < len)
		return false;
	need_say(o, NEED_ECN_CONFIG, r.marking ? VALID_OK : VALID_DISABLED,
		r.marking ? "" : EOS_ECN_CURE);
	return true;
}
