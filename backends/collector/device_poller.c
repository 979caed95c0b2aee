/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/collector/verbatim_capture.h"
#include "backends/collector/shard.h"
#include "backends/contract/known_fields.h"
#include "base/clock.h"
#include "base/clock_track.h"
#include "base/mem.h"
#include "base/str.h"

/* The life of one device: connect, poll each tier when due, back off on failure. */

/* Requests of a slow or medium tier at a time, so that a channel stays free for the fast tier. */
#define BACKGROUND_PARALLEL 3
/* A slow device skips polls all the time: report them at this interval only. */
#define LEFT_OUT_EVERY_US (60 * CLOCK_SEC)

/* The operator may scroll through a list: do not connect to each of its devices. */
#define SETTLE_US (CLOCK_SEC / 2)

static void round_continue(struct device_poller *p, enum poll_tier tier);

static int64_t now_us(void)
{
	return clock_mono(&clock_system);
}

/* ---- batches ---- */

struct obs *device_poller_batch(const struct device_poller *p, const char *request)
{
	struct obs *o = obs_new(p->device->name, request);

	o->received_us = clock_session();
	return o;
}

void device_poller_push_failed(struct device_poller *p, const char *request, const struct err *why)
{
	struct obs *o = device_poller_batch(p, request);

	o->result = OBS_FAILED;
	o->err = *why;
	shard_push(p->shard, o);
}

void device_poller_keep_raw(const struct device_poller *p, struct obs *o, const struct request *r,
	const struct answer *a)
{
	if (atomic_load(&p->keep_raw))
		raw_keep(o, r, a->bytes, a->len);
}

/* Keeps the answer that was of no use, because it explains the failure best. */
static void push_refused(struct device_poller *p, const struct request *r, const struct answer *a,
	const struct err *why)
{
	struct obs *o = device_poller_batch(p, r->name);

	o->result = OBS_FAILED;
	o->err = *why;
	if (a->len)
		device_poller_keep_raw(p, o, r, a);
	shard_push(p->shard, o);
}

/* ---- rounds ---- */

static void round_clear(struct device_poller *p, enum poll_tier tier)
{
	struct round *r = &p->rounds[tier];

	if (r->questions)
		shard_asked(p->shard);
	for (size_t i = 0; r->questions && i < r->list->at.n; i++)
		requests_free(&r->questions[i].anew);
	free(r->questions);
	memset(r, 0, sizeof(*r));
}

/* Drops the plan and the round that uses it. */
static void plan_forget(struct device_poller *p, enum poll_tier tier)
{
	round_clear(p, tier);
	plan_drop(&p->shard->plans, p->plans[tier].plan);
	p->plans[tier].plan = NULL;
}

/* Drops all state of the connection. */
static void connection_forget(struct device_poller *p)
{
	for (int t = 0; t < POLL_TIER_COUNT; t++)
		plan_forget(p, (enum poll_tier)t);
	log_streams_drop(p);
	job_queries_drop(p);
	decode_forget(&p->decode);
	p->way_told = NULL;
	facts_free(&p->facts);
}

static void finish_once(struct device_poller *p)
{
	struct device_link *l = p->link;

	p->state = POLLER_FINISHED;
	p->link = NULL;
	uv_timer_stop(&p->timer);
	schedule_stop(&p->schedule);
	p->transport->close(l);
	connection_forget(p);
	/* Count it last: then all its batches are in the queue when the count is seen. */
	atomic_fetch_add(&p->shard->collector->finished, 1);
}

bool device_poller_finish(struct device_poller *p)
{
	if (p->state != POLLER_READY || !schedule_finished(&p->schedule) || !log_streams_told(p) ||
		!job_queries_done(p))
		return false;
	finish_once(p);
	return true;
}

/* Reports skipped polls, which leave no other trace. */
static void report_left_out(struct device_poller *p)
{
	uint64_t n = p->schedule.left_out;
	struct obs *o;
	char text[64];

	if (!n)
		return;
	o = device_poller_batch(p, "left-out");
	o->result = OBS_DATA;
	o->followed = true; /* it is no sign of life of the device */
	(void)str_printf(
		text, sizeof(text), "%llu poll%s skipped", (unsigned long long)n, str_plural(n));
	obs_event(o, OBS_NO_PORT, EV_POLLS_LEFT_OUT, 0, text);
	shard_push(p->shard, o);
	p->schedule.left_out = 0;
	p->left_out_due_us = now_us() + LEFT_OUT_EVERY_US;
}

static void round_end(struct device_poller *p, enum poll_tier tier)
{
	round_clear(p, tier);
	schedule_done(&p->schedule, tier, now_us());
	if (tier == POLL_FAST && now_us() >= p->left_out_due_us)
		report_left_out(p);
	if (tier == POLL_DETECT) {
		log_streams_begin(p);
		job_queries_begin(p);
	}
	if (!device_poller_finish(p))
		device_poller_arm(p);
}

void device_poller_add_complaint(struct err *e, const struct answer *a)
{
	size_t n = strlen(e->text);

	if (a->complaint[0] && n + 8 < sizeof(e->text))
		str_printf(e->text + n, sizeof(e->text) - n, "; the command reports: %.160s",
			a->complaint);
}

/* It only taught how to ask: the answer to the repeated request is the first that tells. */
static bool is_lesson(const struct obs *o)
{
	return o->again && o->err.code == ERR_NONE && !obs_tells(o);
}

/*
 * Learns facts from the batches of an answer and queues them. True: repeat the request. *lesson: a
 * batch that was not queued, for the case that the request is not repeated; or NULL.
 */
static bool queue_batches(
	struct device_poller *p, struct obs *o, const struct answer *a, struct obs **lesson)
{
	bool again = false;

	*lesson = NULL;
	while (o) {
		struct obs *more = o->more;

		o->more = NULL;
		o->took_us = a->took_us;
		o->bytes = a->received;
		facts_learn(&p->facts, o);
		again |= o->again;
		if (!*lesson && is_lesson(o))
			*lesson = o;
		else
			shard_push(p->shard, o);
		o = more;
	}
	return again;
}

static bool read_answer(struct device_poller *p, const struct request *r, enum poll_tier tier,
	const struct answer *a, struct obs *o, struct err *err)
{
	if (tier != POLL_FAST)
		return p->ops->parse(&p->target, r->name, a->bytes, a->len, o, err);
	p->decode.before = a->before;
	return decode_answer(
		&p->decode, p->ops, &p->target, r->name, a->bytes, a->len, now_us(), o, err);
}

/* True: the dialect wants the request repeated. *lesson: see queue_batches(). */
static bool decode_request(struct device_poller *p, const struct request *r, enum poll_tier tier,
	const struct answer *a, struct obs **lesson)
{
	struct obs *o = device_poller_batch(p, r->name);
	struct err err = {0};

	*lesson = NULL;
	o->took_us = a->took_us;
	o->bytes = a->received;
	if (read_answer(p, r, tier, a, o, &err)) {
		known_fields_check(p->ops->known, &p->target, a->bytes, a->len, o);
		known_fields_unread(&p->target, a->bytes, a->len, o);
		if (tier != POLL_FAST)
			decode_saw(&p->decode, o);
		if (o->err.code == ERR_NONE)
			o->err = a->err;
		p->failures = p->refusals = 0;
		device_poller_keep_raw(p, o, r, a);
		return queue_batches(p, o, a, lesson);
	}
	obs_free(o);
	if (a->err.code != ERR_NONE)
		err = a->err;
	else if (err.code == ERR_NONE)
		err_set(&err, ERR_PROTOCOL, p->device->name, "%s: not understood", r->name);
	device_poller_add_complaint(&err, a);
	push_refused(p, r, a, &err);
	return false;
}

/* True: a command timed out, but its partial output is usable. */
static bool is_partial_answer(const struct question *q, const struct answer *a)
{
	return q->request->partial && a->err.code == ERR_TIMEOUT && a->len > 0 &&
	       q->poller->transport->ready(q->poller->link);
}

/* A tier with a period must end, so its requests are not followed. */
static void clear_follow(struct request_list *list)
{
	for (size_t i = 0; i < list->at.n; i++)
		list->at.at[i].follow = false;
}

/* Plans the question again, because new facts may change it; it keeps its place in the round. */
static bool renew_question(struct question *q)
{
	struct device_poller *p = q->poller;
	struct request_list anew = {0}, old = q->anew;
	const struct request *is = NULL;
	struct err err = {0};

	if (q->repeats >= REPEATS_MOST || !p->ops->plan(&p->target, q->tier, &anew, &err)) {
		requests_free(&anew);
		return false;
	}
	q->repeats++;
	clear_follow(&anew);
	for (size_t i = 0; i < anew.at.n && !is; i++)
		if (str_eq(anew.at.at[i].name, q->request->name))
			is = &anew.at.at[i];
	if (!is) {
		requests_free(&anew);
		return false;
	}
	/* The request may be one of the old list. */
	q->anew = anew;
	q->request = is;
	requests_free(&old);
	return true;
}

static void note_unanswered(struct device_poller *p, const struct request *r, enum err_code why)
{
	char key[32];

	if ((why == ERR_TIMEOUT || why == ERR_LIMIT) &&
		str_printf(key, sizeof(key), FACT_UNANSWERED "%s", r->name))
		facts_set(&p->facts, key, "1");
}

static void on_answer(void *ctx, const struct answer *a)
{
	struct question *q = ctx;
	struct device_poller *p = q->poller;
	enum poll_tier tier = q->tier;
	struct round *round = &p->rounds[tier];
	struct obs *lesson;

	if (tier == POLL_FAST) {
		device_poller_tell_way(p, q->request, a);
		schedule_answer(&p->schedule, now_us());
	}
	if (a->err.code == ERR_NONE || is_partial_answer(q, a)) {
		if (decode_request(p, q->request, tier, a, &lesson) && renew_question(q)) {
			obs_free(lesson);
			p->transport->ask(p->link, q->request, tier, on_answer, q);
			return;
		}
		if (lesson)
			shard_push(p->shard, lesson);
	} else if (!p->transport->ready(p->link)) {
		return; /* down() follows: it reports once for all requests, and drops the rounds */
	} else {
		note_unanswered(p, q->request, a->err.code);
		push_refused(p, q->request, a, &a->err);
	}
	if (++round->answered == round->list->at.n)
		round_end(p, tier);
	else
		round_continue(p, tier);
}

static void round_continue(struct device_poller *p, enum poll_tier tier)
{
	struct round *r = &p->rounds[tier];
	size_t most = tier == POLL_FAST ? SIZE_MAX : BACKGROUND_PARALLEL;
	struct question *q;

	/* An answer may come before ask() returns, and end the round. */
	while (p->state == POLLER_READY && r->list && r->sent < r->list->at.n &&
		r->sent - r->answered < most) {
		q = &r->questions[r->sent++];
		p->transport->ask(p->link, q->request, tier, on_answer, q);
	}
}

/* Plans the tier's requests again if facts have changed. False: there are none. */
static bool plan_tier(struct device_poller *p, enum poll_tier tier)
{
	struct request_list list = {0};
	struct err err = {0};
	bool ok;

	if (p->plans[tier].plan && p->plans[tier].edits == p->facts.edits)
		return true;
	plan_forget(p, tier);
	p->plans[tier].edits = p->facts.edits;
	ok = p->ops->plan(&p->target, tier, &list, &err);
	if (!ok)
		device_poller_push_failed(p, "plan", &err);
	if (!list.at.n) {
		requests_free(&list);
		return false;
	}
	clear_follow(&list);
	p->plans[tier].plan = plan_keep(&p->shard->plans, &list);
	/* Try again in the next round. */
	if (!ok)
		p->plans[tier].edits--;
	return true;
}

static void round_begin(struct device_poller *p, enum poll_tier tier)
{
	struct round *r = &p->rounds[tier];

	round_clear(p, tier);
	if (!plan_tier(p, tier)) {
		round_end(p, tier);
		return;
	}
	r->list = plan_requests(p->plans[tier].plan);
	r->questions = mem_calloc(r->list->at.n, sizeof(*r->questions));
	p->shard->asking++;
	for (size_t i = 0; i < r->list->at.n; i++)
		r->questions[i] =
			(struct question){.poller = p, .tier = tier, .request = &r->list->at.at[i]};
	round_continue(p, tier);
}

/* ---- connection ---- */

/* Closes the connection of a device that was out of focus for some time. */
static void rest_link(struct device_poller *p)
{
	struct device_link *l = p->link;

	p->link = NULL;
	p->state = POLLER_IDLE;
	p->failures = p->refusals = 0;
	uv_timer_stop(&p->timer);
	schedule_stop(&p->schedule);
	p->transport->close(l);
	connection_forget(p);
}

static void poll_due(struct device_poller *p)
{
	int tier;

	/* An unconnected link uses resources, too: a bastion that is down is retried for it. */
	if (device_poller_parked(p) && (p->state == POLLER_IDLE || p->state == POLLER_READY)) {
		if (p->link && now_us() >= p->rest_us)
			rest_link(p);
		device_poller_arm(p);
		return;
	}
	while (p->state == POLLER_READY && schedule_next_us(&p->schedule) <= now_us() &&
		shard_may_ask(p)) {
		tier = schedule_take(&p->schedule, now_us());
		if (tier < 0)
			break;
		round_begin(p, (enum poll_tier)tier);
	}
	if (p->state == POLLER_READY) {
		log_streams_due(p, now_us());
		job_queries_due(p, now_us());
	}
	if (!device_poller_finish(p))
		device_poller_arm(p);
}

static void become_ready(struct device_poller *p)
{
	if (p->state == POLLER_CONNECTING)
		shard_connect_ended(p);
	p->state = POLLER_READY;
	schedule_start(&p->schedule, now_us());
	poll_due(p);
}

static void on_up(void *ctx)
{
	struct device_poller *p = ctx;
	struct obs *o = device_poller_batch(p, "connect");

	o->result = OBS_CONNECTED;
	shard_push(p->shard, o);
	if (p->state == POLLER_CONNECTING)
		become_ready(p);
}

static void on_down(void *ctx, const struct err *why)
{
	struct device_poller *p = ctx;
	uint32_t random = shard_random(p->shard);
	int64_t wait;

	if (p->state == POLLER_CONNECTING)
		shard_connect_ended(p);
	schedule_stop(&p->schedule);
	connection_forget(p);
	p->state = POLLER_IDLE;
	p->failures++;
	p->refusals = why->code == ERR_UNAUTHORISED ? p->refusals + 1 : 0;
	wait = backoff_us(p->failures, why->code, random);
	/* Over HTTPS a password may have been refused; a refused key locks no account. */
	if (p->refusals && p->target.transport == TRANSPORT_HTTPS)
		wait = backoff_refused_us(p->refusals, random);
	p->retry_us = now_us() + wait;
	/* Report it now: the device may be away for long. */
	report_left_out(p);
	device_poller_push_failed(p, "connect", why);
	if (p->schedule.once)
		finish_once(p);
	else
		device_poller_arm(p);
}

/* The bastion is up again: the device itself may be fine. */
static void on_retry(void *ctx)
{
	struct device_poller *p = ctx;

	if (p->state != POLLER_IDLE)
		return;
	p->failures = 0;
	p->retry_us = now_us();
	device_poller_arm(p);
}

/* The timer fired: connect or poll. */
static void on_timer(uv_timer_t *t)
{
	struct device_poller *p = t->data;
	int64_t now = now_us();

	if (now < p->armed_us) {
		device_poller_arm(p);
		return;
	}
	pace_note(&p->shard->pace, now - p->armed_us, now);
	if (p->state == POLLER_IDLE && !device_poller_parked(p))
		shard_connect(p);
	else
		poll_due(p);
}

void device_poller_arm(struct device_poller *p)
{
	int64_t due = INT64_MAX, events = INT64_MAX, now = now_us();

	if (device_poller_parked(p) && (p->state == POLLER_IDLE || p->state == POLLER_READY))
		due = p->link ? p->rest_us : INT64_MAX;
	else if (p->state == POLLER_IDLE)
		due = p->retry_us;
	else if (p->state == POLLER_READY) {
		/* A held device is resumed when others have finished, unless it is in focus. */
		if (!p->held || p == p->shard->focused)
			due = schedule_next_us(&p->schedule);
		events = log_streams_next_us(p);
	}
	if (events < due)
		due = events;
	if (p->state == POLLER_READY && !device_poller_parked(p) && job_queries_next_us(p) < due)
		due = job_queries_next_us(p);
	if (due == INT64_MAX) {
		uv_timer_stop(&p->timer);
		return;
	}
	p->armed_us = due > now ? due : now;
	/* An earlier timer is re-armed when it fires. */
	if (uv_is_active((uv_handle_t *)&p->timer) && p->timer_us <= p->armed_us)
		return;
	p->timer_us = p->armed_us;
	due = due > now ? (due - now + CLOCK_MSEC - 1) / CLOCK_MSEC : 0;
	(void)uv_timer_start(&p->timer, on_timer, (uint64_t)due, 0);
}

void device_poller_go_on(struct device_poller *p)
{
	if (p->state == POLLER_READY)
		poll_due(p);
}

void device_poller_connect(struct device_poller *p)
{
	p->transport->connect(p->link);
	if (p->state == POLLER_CONNECTING && p->transport->ready(p->link))
		become_ready(p);
}

static void open_link(struct device_poller *p)
{
	struct link_events events = {.up = on_up, .down = on_down, .again = on_retry, .ctx = p};

	p->link = p->transport->open(p->shard->transports[p->target.transport], p->device, p->ops,
		p->credential, &events);
}

void device_poller_start(struct device_poller *p, int64_t now)
{
	(void)uv_timer_init(&p->shard->loop, &p->timer);
	p->timer.data = p;
	p->target.facts = &p->facts;
	if (!p->ops) {
		p->state = POLLER_FINISHED;
		return;
	}
	if (!device_poller_parked(p))
		open_link(p);
	p->state = POLLER_IDLE;
	p->retry_us = now + schedule_first_us(&p->schedule);
	device_poller_arm(p);
}

void device_poller_stop(struct device_poller *p)
{
	if (p->link)
		p->transport->close(p->link);
	p->link = NULL;
	p->state = POLLER_FINISHED;
	connection_forget(p);
	uv_close((uv_handle_t *)&p->timer, NULL);
}

static int64_t rest_after(const struct collector *c)
{
	return c->opts.rest_us ? c->opts.rest_us : COLLECTOR_REST_US;
}

void device_poller_focus(struct device_poller *p, bool focused)
{
	schedule_focus(&p->schedule, focused, now_us());
	if (p->device->by_engine && p->state != POLLER_FINISHED) {
		p->rest_us = now_us() + rest_after(p->shard->collector);
		if (focused && !p->link)
			open_link(p);
		if (focused && p->state == POLLER_IDLE)
			p->retry_us = now_us() + SETTLE_US;
	}
	device_poller_arm(p);
}

void device_poller_now(struct device_poller *p)
{
	if (p->state == POLLER_IDLE)
		p->retry_us = 0;
	p->refusals = 0; /* the operator has fixed the password, or insists */
	schedule_now(&p->schedule, now_us());
	device_poller_arm(p);
}
