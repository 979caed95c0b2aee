/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "emulator/device/eos/dev_eos.h"

#define LOGINS_MAX  32u /* per switch; a new login replaces the oldest */
#define TOKEN_CHARS 32u

struct login {
	const struct sim_device *d;
	int64_t boot_us; /* a reboot ends all logins */
	char token[TOKEN_CHARS + 1];
};

struct cleared {
	const struct sim_port *port;
	unsigned prio;
	uint64_t stuck, recovered;
};

/* Settings of one port that differ from those of the whole switch. */
struct own {
	const struct sim_port *port;
	bool timers, action;
};

struct eos_notes {
	VEC(struct login) logins;
	VEC(struct own) own;
	VEC(struct cleared) cleared;
	uint64_t drawn; /* number of tokens given out */
	struct eos_sessions *sessions;
};

static struct eos_notes *get_notes(struct personality_ctx *ctx)
{
	if (!ctx->eos_notes)
		ctx->eos_notes = mem_calloc(1, sizeof(*ctx->eos_notes));
	return ctx->eos_notes;
}

void eos_notes_free(struct eos_notes *n)
{
	if (!n)
		return;
	vec_free(&n->logins);
	vec_free(&n->cleared);
	vec_free(&n->own);
	eos_sessions_free(n->sessions);
	free(n);
}

static uint64_t mix_bits(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static void remove_at(struct eos_notes *n, size_t i)
{
	memmove(n->logins.at + i, n->logins.at + i + 1,
		(n->logins.n - 1 - i) * sizeof(*n->logins.at));
	n->logins.n--;
}

static void make_room(struct eos_notes *n, const struct sim_device *d)
{
	size_t i, first = 0, count = 0;

	for (i = n->logins.n; i-- > 0;)
		if (n->logins.at[i].d == d) {
			first = i;
			count++;
		}
	if (count >= LOGINS_MAX)
		remove_at(n, first);
}

void eos_login(struct personality_ctx *ctx, const struct sim_device *d, char cookie[256])
{
	struct eos_notes *n = get_notes(ctx);
	struct login l = {.d = d, .boot_us = d->boot_us};
	uint64_t a =
		mix_bits(mix_bits((uint64_t)d->boot_us, n->drawn++), (uint64_t)sim_now(ctx->sim));
	uint64_t b = mix_bits(a, (uint64_t)d->tier << 32 | d->index);

	make_room(n, d);
	(void)str_printf(l.token, sizeof(l.token), "%016llx%016llx", (unsigned long long)a,
		(unsigned long long)b);
	vec_push(&n->logins, l);
	(void)str_printf(cookie, 256, "Session=%s; Path=/; HttpOnly; Secure", l.token);
}

/* The index of the login that a Cookie header names, or the number of logins. */
static size_t find_login(const struct eos_notes *n, const struct sim_device *d, const char *cookie)
{
	const char *at = cookie;
	size_t i;

	while (*at && !str_starts(at, "Session=")) {
		at += strcspn(at, ";");
		at += strspn(at, "; ");
	}
	at += *at ? strlen("Session=") : 0;
	for (i = 0; i < n->logins.n; i++) {
		const struct login *l = &n->logins.at[i];

		if (l->d == d && l->boot_us == d->boot_us && strcspn(at, "; ") == TOKEN_CHARS &&
			!memcmp(at, l->token, TOKEN_CHARS))
			return i;
	}
	return n->logins.n;
}

bool eos_logged_in(
	const struct personality_ctx *ctx, const struct sim_device *d, const char *cookie)
{
	const struct eos_notes *n = ctx->eos_notes;

	return n && !d->refuses_key && find_login(n, d, cookie) < n->logins.n;
}

void eos_logout(struct personality_ctx *ctx, const struct sim_device *d, const char *cookie)
{
	struct eos_notes *n = get_notes(ctx);
	size_t i = find_login(n, d, cookie);

	if (i < n->logins.n)
		remove_at(n, i);
}

static struct cleared *cleared_find(
	const struct eos_notes *n, const struct sim_port *p, unsigned prio)
{
	size_t i;

	for (i = 0; n && i < n->cleared.n; i++)
		if (n->cleared.at[i].port == p && n->cleared.at[i].prio == prio)
			return &n->cleared.at[i];
	return NULL;
}

void eos_clear_watchdog(struct personality_ctx *ctx, const struct sim_device *d)
{
	struct eos_notes *n = get_notes(ctx);
	unsigned i, prio;

	for (i = 0; i < d->nports; i++) {
		for (prio = 0; prio < 8; prio++) {
			const struct sim_port *p = &d->ports[i];
			const struct sim_queue *q = &p->q[prio];
			struct cleared *c = cleared_find(n, p, prio);
			struct cleared now = {p, prio, q->wd_detected, q->wd_restored};

			if (c)
				*c = now;
			else if (q->wd_detected)
				vec_push(&n->cleared, now);
		}
	}
}

void eos_storms(const struct personality_ctx *ctx, const struct sim_port *p, unsigned prio,
	uint64_t *stuck, uint64_t *recovered)
{
	const struct sim_queue *q = &p->q[prio];
	const struct cleared *c = q->wd_detected ? cleared_find(ctx->eos_notes, p, prio) : NULL;

	*stuck = q->wd_detected;
	*recovered = q->wd_restored;
	/* Counts below those at the clear: the hardware has restarted since. */
	if (c && c->stuck <= *stuck && c->recovered <= *recovered) {
		*stuck -= c->stuck;
		*recovered -= c->recovered;
	}
}

static struct own *own_of(struct personality_ctx *ctx, const struct sim_port *p, bool make)
{
	struct eos_notes *n = get_notes(ctx);
	struct own *o;

	for (size_t i = 0; i < n->own.n; i++)
		if (n->own.at[i].port == p)
			return &n->own.at[i];
	if (!make)
		return NULL;
	o = vec_add(&n->own);
	*o = (struct own){.port = p};
	return o;
}

void eos_own_timers(struct personality_ctx *ctx, const struct sim_port *p, bool own)
{
	own_of(ctx, p, true)->timers = own;
}

void eos_own_action(struct personality_ctx *ctx, const struct sim_port *p, bool own)
{
	own_of(ctx, p, true)->action = own;
}

bool eos_has_own_timers(const struct personality_ctx *ctx, const struct sim_port *p)
{
	const struct own *o =
		ctx->eos_notes ? own_of((struct personality_ctx *)ctx, p, false) : NULL;

	return o && o->timers;
}

bool eos_has_own_action(const struct personality_ctx *ctx, const struct sim_port *p)
{
	const struct own *o =
		ctx->eos_notes ? own_of((struct personality_ctx *)ctx, p, false) : NULL;

	return o && o->action;
}

const struct sim_port *eos_default_timers(const struct machine *m)
{
	for (unsigned i = 0; i < m->d->nports; i++)
		if (!eos_has_own_timers(m->ctx, &m->d->ports[i]))
			return &m->d->ports[i];
	return &m->d->ports[0];
}

const struct sim_port *eos_default_action(const struct machine *m)
{
	for (unsigned i = 0; i < m->d->nports; i++)
		if (!eos_has_own_action(m->ctx, &m->d->ports[i]))
			return &m->d->ports[i];
	return &m->d->ports[0];
}

struct eos_sessions **eos_sessions_of(struct personality_ctx *ctx)
{
	return &get_notes(ctx)->sessions;
}
