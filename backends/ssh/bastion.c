/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "backends/transport/proxy_jump.h"
#include "backends/ssh/bastion.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Bastions. Each shard has one SSH session per bastion; every device behind it uses one channel of
 * that session. If the bastion is down, all its devices are down with the bastion's error. Only the
 * bastion is tried again, and its devices are notified when it is back.
 */

/* sshd needs one descriptor for each channel, and its default limit is 1,024. */
#define CHANNELS_MOST    500
#define RETRY_FIRST_US   CLOCK_SEC
#define RETRY_LONGEST_US (48 * CLOCK_SEC)
#define IDLE_US          (60 * CLOCK_SEC)

static void on_timer(uv_timer_t *t);

static char *copy_or_null(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

/* ---- time ---- */

static void arm_timer(struct ssh_bastion *b)
{
	int64_t now = clock_mono(&clock_system), due = INT64_MAX;

	if (b->closing)
		return;
	if (!b->n)
		due = b->idle_us;
	else if (b->state == BASTION_DOWN)
		due = b->retry_us;
	if (b->stirred)
		due = now;
	if (due == INT64_MAX) {
		(void)uv_timer_stop(&b->timer);
		return;
	}
	due = due > now ? (due - now) / CLOCK_MSEC + 1 : 0;
	(void)uv_timer_start(&b->timer, on_timer, (uint64_t)due, 0);
}

void ssh_bastion_stir(struct ssh_bastion *b)
{
	if (!b->n)
		b->idle_us = clock_mono(&clock_system) + IDLE_US;
	b->stirred = true;
	arm_timer(b);
}

/* ---- up and down ---- */

static struct ssh_relay *first_at(const struct ssh_bastion *b, enum relay_stage stage)
{
	struct ssh_relay *r;

	DL_FOREACH(b->relays, r)
	{
		if (r->stage == stage)
			return r;
	}
	return NULL;
}

static void on_up(void *ctx)
{
	struct ssh_bastion *b = ctx;
	struct ssh_relay *r;

	b->state = BASTION_UP;
	b->failures = 0;
	while (b->state == BASTION_UP && (r = first_at(b, RELAY_WAITING)))
		ssh_relay_open(r);
	while (b->state == BASTION_UP && (r = first_at(b, RELAY_BARRED))) {
		struct ssh_rider *l = r->rider;

		ssh_relay_drop(r);
		l->ops->again(l);
	}
}

/* Fails the rider with the bastion's error and notes it for ops->again(). */
static void bar_rider(struct ssh_bastion *b, struct ssh_rider *l)
{
	struct err err;

	err_set(&err, b->why.code, l->device->name, "bastion %s: %s", b->device.name, b->why.text);
	err_cure(&err, "%s", b->why.cure);
	l->ops->fail(l, &err);
	if (!b->closing && !l->relay && l->ops->waits(l))
		(void)ssh_relay_new(b, l, RELAY_BARRED);
	arm_timer(b);
}

static struct ssh_relay *first_wanted(const struct ssh_bastion *b)
{
	struct ssh_relay *r;

	DL_FOREACH(b->relays, r)
	{
		if (r->rider && r->stage != RELAY_BARRED)
			return r;
	}
	return NULL;
}

/* Adds jitter, so that all instances of a site do not reconnect to their bastion together. */
static int64_t retry_in(const struct ssh_bastion *b)
{
	int64_t wait = RETRY_FIRST_US;

	for (unsigned i = 1; i < b->failures && wait < RETRY_LONGEST_US; i++)
		wait *= 2;
	if (wait > RETRY_LONGEST_US)
		wait = RETRY_LONGEST_US;
	return wait * 3 / 4 + (int64_t)(uv_hrtime() / 1000 % (uint64_t)(wait / 2));
}

static void on_down(void *ctx, const struct err *why)
{
	struct ssh_bastion *b = ctx;
	struct ssh_relay *r;

	b->state = BASTION_DOWN;
	b->failures++;
	b->why = *why;
	b->retry_us = clock_mono(&clock_system) + retry_in(b);
	while (!b->closing && (r = first_wanted(b)))
		bar_rider(b, r->rider);
	arm_timer(b);
}

static void connect_bastion(struct ssh_bastion *b)
{
	b->state = BASTION_CONNECTING;
	transport_ssh.connect(&b->link->base);
}

/* ---- lookup ---- */

static void on_timer_closed(uv_handle_t *h)
{
	struct ssh_bastion *b = h->data;

	free(b->device.address);
	free(b->device.user);
	free(b->device.identity);
	free(b->device.ssh_config);
	free(b->device.known_hosts);
	free(b->device.jump);
	free(b);
}

/* Only for a bastion without riders. */
static void bastion_free(struct ssh_bastion *b)
{
	struct ssh_relay *r, *next;

	b->closing = true;
	LL_DELETE(b->shard->bastions, b);
	transport_ssh.close(&b->link->base);
	DL_FOREACH_SAFE(b->relays, r, next)
	{
		ssh_relay_drop(r);
	}
	uv_close((uv_handle_t *)&b->timer, on_timer_closed);
}

static void on_timer(uv_timer_t *t)
{
	struct ssh_bastion *b = t->data;
	int64_t now = clock_mono(&clock_system);

	if (b->stirred) {
		b->stirred = false;
		ssh_link_pump(b->link);
	}
	if (!b->n && now >= b->idle_us) {
		bastion_free(b);
		return;
	}
	if (b->n && b->state == BASTION_DOWN && now >= b->retry_us)
		connect_bastion(b);
	arm_timer(b);
}

/* ssh_config sets its user and keys; the files to read are those of the device. */
static struct ssh_bastion *bastion_new(struct ssh_shard *s, const struct ssh_rider *l,
	const struct jump_hop *hop, const char *before)
{
	struct ssh_bastion *b = mem_calloc(1, sizeof(*b));
	const struct plan_device *d = l->device;
	struct link_events events = {.up = on_up, .down = on_down, .ctx = b};

	b->shard = s;
	(void)str_copy(b->device.name, sizeof(b->device.name), hop->host);
	b->device.address = mem_strdup(hop->host);
	b->device.port = hop->port;
	b->device.user = hop->user[0] ? mem_strdup(hop->user) : NULL;
	b->device.identity = copy_or_null(d->identity);
	b->device.ssh_config = copy_or_null(d->ssh_config);
	b->device.known_hosts = copy_or_null(d->known_hosts);
	b->device.jump = *before ? mem_strdup(before) : NULL;
	(void)str_copy(b->device.source, sizeof(b->device.source), d->source);
	(void)uv_timer_init(b->shard->loop, &b->timer);
	b->timer.data = b;
	b->link = (struct ssh_link *)transport_ssh.open(b->shard, &b->device, NULL, NULL, &events);
	b->link->bastion = b;
	b->link->hops = l->hops + 1;
	LL_PREPEND(b->shard->bastions, b);
	return b;
}

static bool is_same(const struct ssh_bastion *b, const struct ssh_rider *l,
	const struct jump_hop *hop, const char *before)
{
	const struct plan_device *d = l->device, *own = &b->device;

	/* hops: the hops before it may differ if ssh_config has a cycle. */
	return str_eq(own->address, hop->host) && own->port == hop->port &&
	       str_eq(own->user ? own->user : "", hop->user) &&
	       str_eq(own->identity, d->identity) && str_eq(own->ssh_config, d->ssh_config) &&
	       str_eq(own->known_hosts, d->known_hosts) &&
	       str_eq(own->jump ? own->jump : "", before) && b->link->hops == l->hops + 1;
}

static struct ssh_bastion *bastion_for(
	struct ssh_shard *s, const struct ssh_rider *l, struct err *err)
{
	char before[JUMP_TEXT_MAX];
	struct ssh_bastion *b;
	struct jump_hop hop;

	if (!jump_last(l->jump, &hop, before, sizeof(before), l->device->name, err))
		return NULL;
	if (l->hops >= JUMP_HOPS_MOST) {
		err_set(err, ERR_CONFIG, l->device->name,
			"more than %d bastions in a row, the last is %s: ProxyJump in ssh_config "
			"forms a loop",
			JUMP_HOPS_MOST, hop.host);
		(void)err_cure(
			err, "ProxyJump none for the bastion itself, before the other lines");
		return NULL;
	}
	LL_FOREACH(s->bastions, b)
	{
		if (b->n < CHANNELS_MOST && is_same(b, l, &hop, before))
			return b;
	}
	return bastion_new(s, l, &hop, before);
}

/* ---- riders ---- */

void ssh_jump_connect(struct ssh_shard *s, struct ssh_rider *l)
{
	struct err err = {0};
	struct ssh_bastion *b = bastion_for(s, l, &err);
	struct ssh_relay *r;

	if (!b) {
		l->ops->fail(l, &err);
		return;
	}
	(void)str_copy(l->via, sizeof(l->via), b->device.name);
	/*
	 * A bastion that is down, or connects again after a failure, refuses at once: a waiting
	 * rider takes the place of a connection that could succeed.
	 */
	if (b->state == BASTION_DOWN || (b->state == BASTION_CONNECTING && b->failures)) {
		bar_rider(b, l);
		return;
	}
	r = ssh_relay_new(b, l, RELAY_WAITING);
	if (b->state == BASTION_NEW)
		connect_bastion(b);
	else if (b->state == BASTION_UP)
		ssh_relay_open(r);
}

void ssh_jump_leave(struct ssh_rider *l)
{
	if (l->relay)
		ssh_relay_drop(l->relay);
}

void ssh_jump_step(struct ssh_bastion *b)
{
	ssh_relays_step(b);
}

void ssh_jump_lost(struct ssh_bastion *b)
{
	ssh_relays_lost(b);
}

void ssh_jump_shut(struct ssh_shard *s)
{
	while (s->bastions)
		bastion_free(s->bastions);
}
