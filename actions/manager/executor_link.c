/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "actions/manager/executor_private.h"
#include "backends/contract/target.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * The connection to the device. It is separate from the collector's and has an account of its own.
 */

void heard_free(struct heard *h)
{
	free(h->bytes);
	h->bytes = NULL;
}

struct reply heard_reply(const struct heard *h)
{
	return (struct reply){.bytes = h->bytes ? h->bytes : "",
		.len = h->len,
		.status = h->status,
		.complaint = h->complaint};
}

bool executor_ready(const struct action_executor *a)
{
	return a->at.link && a->at.transport->ready(a->at.link);
}

static void on_up(void *ctx)
{
	struct action_executor *a = ctx;

	a->at.up = true;
	uv_stop(&a->loop);
}

static void on_down(void *ctx, const struct err *why)
{
	struct action_executor *a = ctx;

	a->at.up = true; /* ends the wait for the connection */
	a->at.down = *why;
	uv_stop(&a->loop);
}

void executor_disconnect(struct action_executor *a)
{
	struct executor_link *at = &a->at;

	if (at->link)
		at->transport->close(at->link);
	credentials_free(at->credentials);
	facts_free(&at->facts);
	memset(at, 0, sizeof(*at));
}

void executor_permit(struct action_executor *a)
{
	if (!a->at.permitted)
		a->at.transport->permit(a->at.link);
	a->at.permitted = true;
}

/* Uses the account for actions if the inventory names one. */
static bool take_account(
	struct action_executor *a, const struct credential **credential, struct err *err)
{
	const struct plan_actions *own = &a->o.plan->actions;
	struct plan_device *d = &a->at.device;
	const char *origin = d->source[0] ? d->source : d->name;

	if (own->user)
		d->user = own->user;
	if (own->identity)
		d->identity = own->identity;
	if (own->credentials) {
		d->credentials = own->credentials;
		origin = "actions.credentials";
	}
	*credential = NULL;
	if (!d->credentials || !d->credentials[0])
		return true;
	a->at.credentials = credentials_new();
	*credential = credentials_get(a->at.credentials, d->credentials, origin, err);
	return *credential != NULL;
}

static bool link_open(struct action_executor *a, struct err *err)
{
	struct executor_link *at = &a->at;
	struct link_events events = {.up = on_up, .down = on_down, .ctx = a};
	const struct credential *credential;
	enum transport_kind kind;

	if (!target_from_plan(&at->target, a->o.plan, &at->device, at->ops, err) ||
		!take_account(a, &credential, err))
		return false;
	kind = at->target.transport;
	at->target.facts = &at->facts;
	at->transport = a->o.transport(kind);
	if (!a->shards[kind])
		a->shards[kind] = at->transport->shard_open(&a->loop);
	at->link = at->transport->open(a->shards[kind], &at->device, at->ops, credential, &events);
	at->transport->connect(at->link);
	return true;
}

static bool link_await(struct action_executor *a, struct err *err)
{
	if (!executor_ready(a))
		(void)executor_wait(a, &a->at.up, executor_deadline(a, EXECUTOR_CONNECT_US));
	if (executor_ready(a))
		return true;
	if (a->at.down.code != ERR_NONE)
		*err = a->at.down;
	else if (executor_given_up(a))
		(void)err_set(err, ERR_REFUSED, a->at.device.name, "cancelled");
	else
		(void)err_set(err, ERR_TIMEOUT, a->at.device.name, "no connection within %d s",
			(int)(EXECUTOR_CONNECT_US / CLOCK_SEC));
	return false;
}

/* Learns facts from the answer. True: the dialect wants to ask the same once more. */
static bool learn_facts(struct action_executor *a, const struct request *r, const struct heard *h)
{
	struct obs *o = obs_new(a->at.device.name, r->name);
	struct err ignored = {0};
	bool again = false;

	o->received_us = executor_now(a);
	if (a->at.ops->parse(&a->at.target, r->name, h->bytes, h->len, o, &ignored)) {
		for (struct obs *at = o; at; at = at->more) {
			facts_learn(&a->at.facts, at);
			again |= at->again;
		}
	}
	obs_free(o);
	return again;
}

static bool detect_round(struct action_executor *a, bool *again, struct err *err)
{
	struct request_list list = {0};
	struct heard h;

	*again = false;
	if (!a->at.ops->plan(&a->at.target, POLL_DETECT, &list, err)) {
		requests_free(&list);
		return false;
	}
	for (size_t i = 0; i < list.at.n && executor_ready(a); i++) {
		list.at.at[i].follow = false;
		/* A failure of one request shows in look() as a missing fact. */
		if (executor_ask(a, &list.at.at[i], EXECUTOR_LOOK_US, &h))
			*again |= learn_facts(a, &list.at.at[i], &h);
		else
			*err = h.err;
		heard_free(&h);
	}
	requests_free(&list);
	return executor_ready(a);
}

bool executor_connect(struct action_executor *a, const struct plan_device *d, struct err *err)
{
	struct executor_link *at = &a->at;
	bool again;

	/* A quiet connection may be dead, and only a deadline would reveal that: connect again. */
	if (at->of == d && executor_ready(a) && at->heard_us &&
		clock_mono(&clock_system) - at->heard_us < EXECUTOR_QUIET_US)
		return true;
	executor_disconnect(a);
	at->of = d;
	at->device = *d;
	at->ops = a->o.ops ? a->o.ops : backend_by_name(d->dialect);
	if (!at->ops || !at->ops->changes) {
		(void)err_set(err, ERR_UNSUPPORTED, d->name, "its dialect cannot change anything");
		return false;
	}
	if (link_open(a, err) && link_await(a, err) && detect_round(a, &again, err) &&
		(!again || detect_round(a, &again, err)))
		return true;
	executor_disconnect(a);
	return false;
}

/* ---- asking ---- */

static void on_answer(void *ctx, const struct answer *an)
{
	struct heard *h = ctx;

	if (h->done)
		return;
	uv_stop(h->loop);
	h->err = an->err;
	h->left = an->left;
	h->bytes = mem_alloc(an->len + 1);
	memcpy(h->bytes, an->bytes, an->len);
	h->bytes[an->len] = '\0';
	h->len = an->len;
	h->status = an->status;
	h->took_us = an->took_us;
	(void)str_sanitise(
		h->complaint, sizeof(h->complaint), an->complaint, strlen(an->complaint));
	h->done = true;
}

bool executor_ask(
	struct action_executor *a, const struct request *r, int64_t most_us, struct heard *h)
{
	int64_t us = r->timeout_us + EXECUTOR_SLACK_US;

	memset(h, 0, sizeof(*h));
	h->loop = &a->loop;
	h->status = -1;
	if (!executor_ready(a))
		return err_set(&h->err, ERR_UNREACHABLE, a->at.device.name, "not connected");
	h->left = true; /* until the answer shows that the request was not sent */
	a->at.transport->ask(a->at.link, r, POLL_FAST, on_answer, h);
	(void)executor_wait(a, &h->done, executor_deadline(a, us < most_us ? us : most_us));
	if (h->done) {
		if (h->err.code == ERR_NONE)
			a->at.heard_us = clock_mono(&clock_system);
		return h->err.code == ERR_NONE;
	}
	/* Closing ends the request as well: no callback may use h later. */
	if (executor_given_up(a))
		(void)err_set(&h->err, ERR_REFUSED, a->at.device.name, "cancelled");
	else
		(void)err_set(
			&h->err, ERR_TIMEOUT, a->at.device.name, "%s: no answer in time", r->name);
	a->at.transport->close(a->at.link);
	a->at.link = NULL;
	return false;
}

static bool see_one(struct action_executor *a, const struct order *o, const struct request *r,
	int64_t most_us, struct condition *c, struct err *err)
{
	struct heard h;
	struct reply reply;
	bool ok = executor_ask(a, r, most_us, &h);

	reply = heard_reply(&h);
	if (!ok)
		*err = h.err;
	else
		ok = a->at.ops->changes->see(&a->at.target, o, r->name, &reply, c, err);
	heard_free(&h);
	return ok;
}

bool executor_see(
	struct action_executor *a, const struct order *o, struct condition *c, struct err *err)
{
	struct request_list list = {0};
	int64_t end = clock_mono(&clock_system) + EXECUTOR_LOOK_US;
	bool ok;

	condition_init(c);
	ok = a->at.ops->changes->look(&a->at.target, o, &list, err);
	for (size_t i = 0; i < list.at.n && ok; i++)
		ok = see_one(a, o, &list.at.at[i], end - clock_mono(&clock_system), c, err);
	requests_free(&list);
	c->at_us = executor_now(a);
	c->wall_us = executor_wall(a);
	return ok;
}
