/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/actions/support/fake.h"

/* The transport: each thing happens in a later turn of the loop, as with a real one. */

struct fake_link {
	struct device_link base; /* first */
	uv_loop_t *loop;
	struct fake *f;
	struct link_events events;
	bool up, permitted, closed;
	uv_timer_t timer; /* of the connection */
	unsigned handles; /* not closed yet */
	struct call *calls;
};

struct call {
	struct call *next;
	struct fake_link *link;
	const struct request *r;
	answer_fn *fn;
	void *ctx;
	bool left;
	uv_timer_t timer;
};

static void *shard_open(uv_loop_t *loop)
{
	return loop;
}

static void shard_close(void *shard)
{
	(void)shard;
}

static void link_put(struct fake_link *l)
{
	if (--l->handles == 0)
		free(l);
}

static void on_link_closed(uv_handle_t *h)
{
	link_put(h->data);
}

static void on_call_closed(uv_handle_t *h)
{
	struct call *c = h->data;

	link_put(c->link);
	free(c);
}

static struct device_link *fake_open(void *shard, const struct plan_device *d,
	const struct backend_ops *ops, const struct credential *c, const struct link_events *events)
{
	struct fake_link *l = mem_calloc(1, sizeof(*l));

	(void)ops;
	l->base.ops = &fake_transport;
	l->loop = shard;
	l->f = fake_find(d->address);
	l->events = *events;
	l->handles = 1;
	(void)uv_timer_init(l->loop, &l->timer);
	l->timer.data = l;
	pthread_mutex_lock(&l->f->lock);
	l->f->open_links++;
	(void)str_copy(l->f->user, sizeof(l->f->user), d->user ? d->user : "");
	(void)str_copy(l->f->userpwd, sizeof(l->f->userpwd), c && c->userpwd ? c->userpwd : "");
	pthread_mutex_unlock(&l->f->lock);
	return &l->base;
}

static void on_connected(uv_timer_t *t)
{
	struct fake_link *l = t->data;
	struct fake *f = l->f;
	struct err err = {0};
	bool dead, hang;

	pthread_mutex_lock(&f->lock);
	dead = f->dead > 0;
	f->dead -= dead;
	hang = f->hang_connect;
	f->connects++;
	if (dead)
		(void)err_set(&err, f->dead_code ? f->dead_code : ERR_UNREACHABLE, f->name,
			f->dead_code == ERR_UNAUTHORISED ? "login denied" : "refused");
	pthread_mutex_unlock(&f->lock);
	if (hang)
		return;
	l->up = !dead;
	if (dead)
		l->events.down(l->events.ctx, &err);
	else
		l->events.up(l->events.ctx);
}

static void fake_connect(struct device_link *base)
{
	struct fake_link *l = (struct fake_link *)base;

	(void)uv_timer_start(&l->timer, on_connected, 0, 0);
}

static bool fake_ready(const struct device_link *base)
{
	return ((const struct fake_link *)base)->up;
}

static void call_end(struct call *c)
{
	for (struct call **at = &c->link->calls; *at; at = &(*at)->next) {
		if (*at == c) {
			*at = c->next;
			break;
		}
	}
	uv_close((uv_handle_t *)&c->timer, on_call_closed);
}

static void answer(
	struct call *c, enum err_code code, int status, const char *bytes, const char *complaint)
{
	struct answer a = {
		.bytes = bytes, .len = strlen(bytes), .complaint = complaint, .left = c->left};
	answer_fn *fn = c->fn;
	void *ctx = c->ctx;

	a.status = code == ERR_NONE ? status : -1;
	a.received = a.len;
	if (code != ERR_NONE)
		(void)err_set(&a.err, code, c->link->f->name,
			code == ERR_TIMEOUT ? "no answer in time" : "the connection ended");
	call_end(c);
	fn(ctx, &a);
}

static void cut(struct fake_link *l)
{
	struct err err = {0};

	l->up = false;
	l->handles++; /* an answer may close it */
	while (l->calls)
		answer(l->calls, ERR_UNREACHABLE, -1, "", "");
	(void)err_set(&err, ERR_UNREACHABLE, l->f->name, "the connection ended");
	if (!l->closed)
		l->events.down(l->events.ctx, &err);
	link_put(l);
}

/* The fault for this request; the caller holds the lock. */
static enum fake_fault fault_of(struct fake *f, const struct request *r)
{
	if (!r->change) {
		f->reads++;
		if (f->silent_reads) {
			f->silent_reads--;
			return FAKE_SILENT;
		}
		return f->cut_read && --f->cut_read == 0 ? FAKE_CUT_BEFORE : FAKE_WELL;
	}
	f->changes++;
	if (f->fault == FAKE_WELL || f->changes < f->at || f->changes >= f->at + f->times)
		return FAKE_WELL;
	f->dead += f->dead_after_fault;
	f->dead_after_fault = 0;
	return f->fault;
}

struct outcome {
	enum fake_fault fault;
	int status;
	char bytes[400];
};

/* The device reads the line, with or without an answer. The caller holds the lock. */
static void obey(struct fake_link *l, const struct request *r, struct outcome *o)
{
	struct fake *f = l->f;
	struct fake_line line = {.change = r->change, .permitted = l->permitted};
	bool deaf;

	o->fault = fault_of(f, r);
	if (o->fault == FAKE_NOT_LEFT)
		return;
	deaf = o->fault == FAKE_CUT_BEFORE || o->fault == FAKE_HANG_BEFORE ||
	       o->fault == FAKE_REFUSE || o->fault == FAKE_DENY || o->fault == FAKE_NOOP;
	(void)str_copy(line.text, sizeof(line.text), r->command);
	(void)str_copy(o->bytes, sizeof(o->bytes),
		o->fault == FAKE_NOOP     ? "ok\n"
		: o->fault == FAKE_REFUSE ? "% no\n"
					  : "");
	o->status = o->fault == FAKE_REFUSE || o->fault == FAKE_DENY;
	if (!deaf)
		o->status = fake_obey(
			f, r->command, o->fault == FAKE_WRONG, o->bytes, sizeof(o->bytes));
	if (!r->change && f->garbage)
		(void)str_copy(o->bytes, sizeof(o->bytes), "\033[2Jsegmentation fault\n");
	line.done = !deaf && o->status == 0;
	line.answered = o->fault == FAKE_WELL || o->fault == FAKE_REFUSE || o->fault == FAKE_DENY ||
			o->fault == FAKE_NOOP || o->fault == FAKE_WRONG;
	vec_push(&f->lines, line);
}

static void on_call(uv_timer_t *t)
{
	struct call *c = t->data;
	struct fake_link *l = c->link;
	struct fake *f = l->f;
	struct outcome o = {0};
	void (*before)(void *ctx, struct fake *at, unsigned n);
	unsigned n;

	pthread_mutex_lock(&f->lock);
	before = c->r->change ? f->before_change : NULL;
	n = f->changes + 1;
	pthread_mutex_unlock(&f->lock);
	if (before)
		before(f->ctx, f, n);
	pthread_mutex_lock(&f->lock);
	obey(l, c->r, &o);
	c->left = o.fault != FAKE_NOT_LEFT;
	pthread_mutex_unlock(&f->lock);
	switch (o.fault) {
	case FAKE_SILENT:
		return;
	case FAKE_NOT_LEFT:
	case FAKE_CUT_BEFORE:
	case FAKE_CUT_AFTER:
		cut(l);
		return;
	case FAKE_HANG_BEFORE:
	case FAKE_HANG_AFTER:
		answer(c, ERR_TIMEOUT, -1, "", "");
		return;
	case FAKE_KILLED:
		answer(c, ERR_NONE, -1, "", "Killed");
		return;
	default:
		answer(c, ERR_NONE, o.status, o.bytes,
			o.fault == FAKE_DENY ? "permission denied" : "");
	}
}

static void fake_ask(struct device_link *base, const struct request *r, enum poll_tier tier,
	answer_fn *fn, void *ctx)
{
	struct fake_link *l = (struct fake_link *)base;
	struct call *c = mem_calloc(1, sizeof(*c));
	struct answer no = {.bytes = "", .complaint = "", .status = -1};

	(void)tier;
	if (!l->up || (!l->permitted && !fake_backend.reads(r))) {
		(void)err_set(&no.err, l->up ? ERR_REFUSED : ERR_UNREACHABLE, l->f->name,
			l->up ? "not on the list of reads" : "not connected");
		free(c);
		fn(ctx, &no);
		return;
	}
	*c = (struct call){.next = l->calls, .link = l, .r = r, .fn = fn, .ctx = ctx};
	l->calls = c;
	l->handles++;
	(void)uv_timer_init(l->loop, &c->timer);
	c->timer.data = c;
	(void)uv_timer_start(&c->timer, on_call, 0, 0);
}

static void fake_permit(struct device_link *base)
{
	((struct fake_link *)base)->permitted = true;
}

static void fake_close(struct device_link *base)
{
	struct fake_link *l = (struct fake_link *)base;

	l->closed = true;
	l->up = false;
	while (l->calls)
		call_end(l->calls);
	pthread_mutex_lock(&l->f->lock);
	l->f->open_links--;
	pthread_mutex_unlock(&l->f->lock);
	uv_close((uv_handle_t *)&l->timer, on_link_closed);
}

const struct transport fake_transport = {
	.shard_open = shard_open,
	.shard_close = shard_close,
	.open = fake_open,
	.connect = fake_connect,
	.ready = fake_ready,
	.ask = fake_ask,
	.permit = fake_permit,
	.close = fake_close,
};

const struct transport *fake_transport_of(enum transport_kind kind)
{
	(void)kind;
	return &fake_transport;
}
