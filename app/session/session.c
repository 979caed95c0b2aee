/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app/session/observation_reader.h"
#include "app/session/memory_trim.h"
#include "app/session/batch_backlog.h"
#include "app/inventory/inventory_yaml.h"
#include "app/sandbox/confine.h"
#include "app/session/judge_throttle.h"
#include "app/config/planned_pins.h"
#include "app/session/phase.h"
#include "app/session/sources.h"
#include "backends/jobs/election.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/str.h"
#include "diagnosis/engine/changed_devices.h"

#define ASKED_ONCE_INTERVAL_US (3600 * CLOCK_SEC)
/* Data from a file is judged as often as live data: collectors publish once a second. */
#define JUDGE_US CLOCK_SEC
/*
 * Time to work in one turn of the loop. design.md section 3 allows 10 ms, but the last piece of a
 * turn may take longer than the one before it.
 */
#define PIECE_US 4000
/* Ports noted for the diagnosis in one turn of the loop: 2 to 4 ms. */
#define PIECE_PORTS 2048

struct session {
	struct session_opts opts;
	uv_loop_t *loop;
	struct plan plan;
	struct model *model;
	struct diag *diag;
	struct changed_devices news;   /* devices with batches that the diagnosis has not noted */
	int64_t judged_us;             /* time of the data at the last judgement */
	int64_t pause_us;              /* in a pause: time of the last judgement in the recording */
	struct sources *sources;       /* NULL: a file or a stream provides the batches */
	struct job_election *election; /* chooses the hosts to query for jobs; NULL: not needed */
	struct observation_reader *feed;
	uv_async_t wake;
	uv_timer_t age;
	enum phase phase;
	bool again;          /* news came during a phase with work: another round follows */
	uv_idle_t work;      /* active while the phase has work for each turn of the loop */
	struct obs *pending; /* drained batches that are not applied yet */
	struct judge_throttle rest;
	uv_timer_t rested; /* ends PHASE_RESTING */
	unsigned open_handles;
	struct memory_trim *give_back;
	struct planned_pins *pins; /* NULL: the inventory has none */
	int64_t pinning_us;        /* time of the last applied batch, for the records of pins */
	bool hold, closing;
	bool left; /* a collector thread did not end: the plan is never freed */
	struct batch_backlog held;
	bool held_lost;    /* some batches held back in a pause were dropped */
	size_t unrecorded; /* batches dropped during a keyframe, before they were recorded */
	struct recording *recording; /* NULL: none */
	bool releasing; /* batches of a pause are being applied: they are already recorded */
	struct clock_track clock;
};

int64_t session_now(const struct session *s)
{
	if (s->feed && observation_reader_is_file(s->feed))
		return observation_reader_time(s->feed);
	return clock_session();
}

int64_t session_judged(const struct session *s)
{
	return s->judged_us;
}

struct model *session_model(struct session *s)
{
	return s->model;
}

const struct plan *session_plan(const struct session *s)
{
	return &s->plan;
}

struct diag *session_diag(struct session *s)
{
	return s->diag;
}

size_t session_waiting(const struct session *s)
{
	return s->hold ? s->held.n : 0;
}

struct recording *session_recording(struct session *s)
{
	return s->recording;
}

static void on_work(uv_idle_t *idle);

static void watch_clock(struct session *s)
{
	char text[96];

	if ((s->feed && observation_reader_is_file(s->feed)) ||
		!recording_watch_clock(s->recording, &s->clock, s->model, text, sizeof(text)))
		return;
	if (s->opts.warn && !s->closing)
		s->opts.warn(s->opts.ctx, text);
}

static void file_stepped(void *ctx, int64_t session_us, int64_t wall_us)
{
	struct session *s = ctx;

	(void)recording_step_clock(s->recording, &s->clock, s->model, session_us, wall_us);
}

/* Enters the phase after an event. An event that cannot happen in this phase changes nothing. */
static void enter_phase(struct session *s, enum phase_event event)
{
	enum phase to = phase_after(s->phase, event);

	if (to == PHASE_NONE)
		return;
	s->again |= event == PHASE_NEWS && phase_works(s->phase);
	s->phase = to;
	if (phase_works(to))
		uv_idle_start(&s->work, on_work);
	else
		uv_idle_stop(&s->work);
}

/*
 * Notes news, records the judgement and ages the model. Returns the time at which the next device
 * becomes old, from model_age().
 */
static int64_t prepare_to_judge(struct session *s, int64_t now_us)
{
	int64_t due;

	changed_devices_note(&s->news, s->diag, s->model);
	if (s->recording && !s->releasing)
		recording_judged(s->recording, now_us);
	due = model_age(s->model, now_us);
	model_links(s->model);
	s->judged_us = now_us;
	return due;
}

static int64_t judge_model(struct session *s, int64_t now_us)
{
	int64_t due = prepare_to_judge(s, now_us);

	diag_run(s->diag, s->model, now_us);
	enter_phase(s, PHASE_OVERTAKEN);
	return due;
}

static void record_batch(struct session *s, struct obs *o, int64_t at)
{
	if (s->recording)
		recording_obs(s->recording, obs_share(o), at);
}

/*
 * The batch's own time, so that a batch held back in a pause does not get the time of the pause's
 * end. An engine's batch gets the current time, because its own is older than batches applied
 * before it.
 */
static int64_t batch_time(const struct session *s, const struct obs *o)
{
	return o->received_us && !sources_is_prometheus(o) ? o->received_us : session_now(s);
}

static void record_pin(void *ctx, const char *locator)
{
	struct session *s = ctx;
	struct entry e = {.kind = ENTRY_PIN, .t_us = s->pinning_us};

	(void)str_copy(e.text, sizeof(e.text), locator);
	if (s->recording)
		recording_entry(s->recording, &e);
}

/*
 * Pins ports from the inventory. Not while the batches of a pause are applied: the recording has
 * these already, and the pin would follow too late. The next batch pins.
 */
static void pin_planned(struct session *s, const char *device, int64_t at)
{
	s->pinning_us = at;
	if (!s->releasing)
		planned_pins_applied(s->pins, s->model, device, record_pin, s);
}

static void apply_batch(struct session *s, struct obs *o)
{
	int64_t at = batch_time(s, o);
	const struct device *d;
	struct err was = {0};

	/* The model must not change during a judgement: completes the judgement under way first. */
	if (s->phase == PHASE_JUDGING) {
		diag_run(s->diag, s->model, at);
		enter_phase(s, PHASE_OVERTAKEN);
	} else if (s->phase == PHASE_NOTING) {
		(void)judge_model(s, at);
	}
	if (!phase_works(s->phase) && s->judged_us && at - s->judged_us >= JUDGE_US)
		(void)judge_model(s, at);
	if (!s->judged_us)
		s->judged_us = at;
	if (!s->releasing)
		record_batch(s, o, at);
	d = model_device(s->model, o->device);
	if (o->result == OBS_DATA && (!d || !d->last_ok_us))
		s->rest.arrived++;
	if (d)
		was = *d->err;
	model_apply(s->model, o, at);
	pin_planned(s, o->device, at);
	job_election_heard(s->election, s->model, o, clock_mono(&clock_system));
	d = model_device(s->model, o->device);
	if (d)
		sources_log_device(d, &was);
	/* Batches of the engine's history are about the past. */
	if (d && !str_eq(o->request, REQUEST_HISTORY))
		changed_devices_add(&s->news, d->id, at);
	obs_free(o);
}

/* Records a batch when it arrives in a pause: a kill during the pause loses no more data than at
 * other times. Judgements are as many as apply_batch() makes later. */
static void record_paused(struct session *s, struct obs *o)
{
	int64_t at = batch_time(s, o);

	if (s->recording && s->pause_us && at - s->pause_us >= JUDGE_US) {
		recording_judged(s->recording, at);
		s->pause_us = at;
	}
	if (!s->pause_us)
		s->pause_us = at;
	record_batch(s, o, at);
}

static void take_batch(void *ctx, struct obs *o)
{
	struct session *s = ctx;

	if (s->hold)
		record_paused(s, o);
	if (s->hold)
		s->held_lost |= batch_backlog_add(&s->held, o, s->opts.held_max) > 0;
	else if (s->phase == PHASE_KEYFRAME)
		s->unrecorded += batch_backlog_add(&s->held, o, s->opts.held_max);
	else
		apply_batch(s, o);
}

static void on_age(uv_timer_t *timer);

static void wait_for_age(struct session *s, int64_t now, int64_t due)
{
	/* Data from a file does not age while it is shown. */
	if (due == INT64_MAX || (s->feed && observation_reader_is_file(s->feed))) {
		uv_timer_stop(&s->age);
		return;
	}
	due = due > now ? (due - now) / 1000 + 1 : 1;
	uv_timer_start(&s->age, on_age, (uint64_t)due, 0);
}

static void notify_changed(struct session *s)
{
	if (s->opts.changed)
		s->opts.changed(s->opts.ctx);
}

/* Begins a keyframe if one is due. It is written in pieces, between two rounds of collecting. */
static void begin_keyframe(struct session *s)
{
	if (s->recording && !s->hold && !phase_works(s->phase) && recording_due(s->recording))
		enter_phase(s, PHASE_KEYFRAME_DUE);
}

static void handle_change(struct session *s)
{
	int64_t now = session_now(s);

	watch_clock(s);
	if (!s->hold && !s->closing && s->phase != PHASE_KEYFRAME)
		wait_for_age(s, now, judge_model(s, now));
	notify_changed(s);
	if (!s->closing)
		begin_keyframe(s);
}

static void take_pending(struct session *s)
{
	struct obs *o = s->pending;

	s->pending = o->next;
	o->next = NULL;
	if (sources_take(s->sources, s->model, o))
		take_batch(s, o);
	else
		obs_free(o);
}

void session_drain(struct session *s)
{
	while (s->pending)
		take_pending(s);
	s->pending = s->sources ? sources_drain(s->sources) : NULL;
	while (s->pending)
		take_pending(s);
}

static void switch_job_polling(void *ctx, const char *device, bool on)
{
	collector_jobs(sources_collector(((struct session *)ctx)->sources), device, on);
}

static void elect_hosts(struct session *s)
{
	job_election_step(s->election, s->model, clock_mono(&clock_system), switch_job_polling, s);
}

/* ---- batches held back ---- */

static void record_gap(struct session *s)
{
	struct entry e = {.kind = ENTRY_GAP, .t_us = session_now(s)};

	if (s->held.first && s->held.first->received_us)
		e.t_us = s->held.first->received_us;
	(void)str_printf(e.text, sizeof(e.text), "%zu batch%s not recorded: the disk was too slow",
		s->unrecorded, str_count_word(s->unrecorded, "", "es"));
	s->unrecorded = 0;
	recording_entry(s->recording, &e);
}

static void report_lost(struct session *s)
{
	if (s->sources)
		collector_lost(sources_collector(s->sources));
}

/*
 * Applies and records the batches held back during a keyframe. They are not recorded yet, because
 * no other entry may stand between the parts of a keyframe.
 */
static void release_unrecorded(struct session *s)
{
	if (s->unrecorded) {
		record_gap(s);
		report_lost(s);
	}
	while (s->held.n && !s->hold)
		apply_batch(s, batch_backlog_take(&s->held));
}

/* Applies the batches held back in a pause. They were recorded on arrival, see record_paused(). */
static void release_paused(struct session *s)
{
	if (s->held_lost)
		report_lost(s);
	s->held_lost = false;
	s->releasing = true;
	while (s->held.n)
		apply_batch(s, batch_backlog_take(&s->held));
	s->releasing = false;
}

/* ---- work in pieces ---- */

/* Drains the collectors: now, or at the end of the work under way. */
static void begin_work(struct session *s)
{
	bool busy = phase_works(s->phase);

	enter_phase(s, PHASE_NEWS);
	if (busy)
		return;
	s->again = false;
	watch_clock(s);
	s->pending = sources_drain(s->sources);
}

/* Called when the work of a round has ended: begins the next round, or a keyframe. */
static void end_round(struct session *s)
{
	if (s->closing)
		return;
	if (s->again)
		begin_work(s);
	else
		begin_keyframe(s);
}

static void on_rested(uv_timer_t *timer)
{
	begin_work(timer->data);
}

/* True: the last judgement is so recent that the next one waits. A timer then ends the rest. */
static bool start_rest(struct session *s)
{
	int64_t left = judge_throttle_left(&s->rest, clock_mono(&clock_system));

	if (!left)
		uv_timer_stop(&s->rested);
	else
		uv_timer_start(&s->rested, on_rested, (uint64_t)left / 1000 + 1, 0);
	return left > 0;
}

static void turn_applying(struct session *s)
{
	int64_t start = clock_mono(&clock_system);

	while (s->pending) {
		take_pending(s);
		if (clock_mono(&clock_system) - start > PIECE_US)
			return;
	}
	elect_hosts(s);
	if (s->hold) {
		enter_phase(s, PHASE_PAUSED);
		notify_changed(s);
		end_round(s);
		return;
	}
	/* The history of one device can have a hundred ports, so it is settled in pieces. */
	while (!model_history_settle(s->model, 4))
		if (clock_mono(&clock_system) - start > PIECE_US)
			return;
	if (!start_rest(s)) {
		enter_phase(s, PHASE_APPLIED);
		return;
	}
	enter_phase(s, PHASE_TIRED);
	if (s->again && !s->closing)
		begin_work(s);
}

/* Adds this turn to the cost of the judgement, which determines the rest after it. */
static void count_turn(struct session *s, int64_t start_us)
{
	s->rest.spent_us += clock_mono(&clock_system) - start_us;
}

static void turn_noting(struct session *s)
{
	int64_t start = clock_mono(&clock_system), now;

	if (changed_devices_note_some(&s->news, s->diag, s->model, PIECE_PORTS)) {
		now = session_now(s);
		wait_for_age(s, now, prepare_to_judge(s, now));
		if (s->hold)
			s->pause_us = s->judged_us;
		enter_phase(s, PHASE_NOTED);
	}
	count_turn(s, start);
}

static void turn_judging(struct session *s)
{
	int64_t start = clock_mono(&clock_system);
	bool complete = diag_run_some(s->diag, s->model, s->judged_us, PIECE_US);

	count_turn(s, start);
	if (!complete)
		return;
	judge_throttle_begin(&s->rest, clock_mono(&clock_system), s->model->devices.n);
	enter_phase(s, PHASE_JUDGED);
	notify_changed(s);
	end_round(s);
}

static void turn_keyframe(struct session *s)
{
	bool applied = s->held.n > 0;

	if (!recording_work(s->recording, s->model, s->diag, s->judged_us, PIECE_US))
		return;
	enter_phase(s, PHASE_KEYFRAME_OVER);
	release_unrecorded(s);
	if (s->closing)
		return;
	/* The lines of a stream are applied now, but no source will wake the session for them. */
	if (s->again)
		begin_work(s);
	else if (applied && !s->sources)
		handle_change(s);
}

static void on_work(uv_idle_t *idle)
{
	static void (*const turns[PHASE_COUNT])(struct session *) = {
		[PHASE_APPLYING] = turn_applying,
		[PHASE_NOTING] = turn_noting,
		[PHASE_JUDGING] = turn_judging,
		[PHASE_KEYFRAME] = turn_keyframe,
	};
	struct session *s = idle->data;

	if (turns[s->phase])
		turns[s->phase](s);
}

static void on_age(uv_timer_t *timer)
{
	struct session *s = timer->data;

	if (s->sources && s->opts.in_pieces) {
		begin_work(s);
		return;
	}
	/* Takes batches that wait for publication, so that their devices do not count as old. */
	session_drain(s);
	handle_change(s);
}

static void on_wake(uv_async_t *async)
{
	struct session *s = async->data;

	if (s->closing)
		return;
	if (s->opts.in_pieces && s->sources) {
		begin_work(s);
	} else {
		session_drain(s);
		elect_hosts(s);
		handle_change(s);
	}
}

static void wake_from_source(void *ctx)
{
	(void)uv_async_send(&((struct session *)ctx)->wake);
}

/*
 * Gives up a keyframe under way, because the model is about to change. It becomes due again later.
 */
static void stop_keyframe(struct session *s)
{
	if (s->phase != PHASE_KEYFRAME)
		return;
	recording_drop(s->recording);
	enter_phase(s, PHASE_KEYFRAME_OVER);
	release_unrecorded(s);
	if (s->again && !s->closing)
		begin_work(s);
}

void session_judge(struct session *s)
{
	stop_keyframe(s);
	(void)judge_model(s, session_now(s));
}

void session_hold(struct session *s, bool hold_now)
{
	stop_keyframe(s);
	if (hold_now && !s->hold)
		s->pause_us = s->judged_us;
	s->hold = hold_now;
	if (!hold_now)
		release_paused(s);
	handle_change(s);
}

void session_note(struct session *s, struct entry *e)
{
	if (!s->recording) {
		entry_free(e);
		return;
	}
	stop_keyframe(s);
	recording_entry(s->recording, e);
}

void session_note_taken(void *session, const struct finding *f, bool withdrawn)
{
	struct session *s = session;
	struct entry e = {.kind = withdrawn ? ENTRY_UNACK : ENTRY_ACK,
		.t_us = session_now(s),
		.key = f->key,
		.until_us = withdrawn ? 0 : f->ack_until_us};

	(void)str_copy(e.user, sizeof(e.user), f->ack_user);
	(void)str_copy(e.text, sizeof(e.text), f->ack_note);
	session_note(s, &e);
}

void session_focus(struct session *s, const char *device)
{
	if (s->sources)
		sources_focus(s->sources, device);
}

bool session_poll(struct session *s, const char *device)
{
	if (s->sources)
		collector_poll_now(sources_collector(s->sources), device);
	return s->sources != NULL;
}

void session_keep_raw(struct session *s, const char *device, bool on)
{
	if (s->sources)
		collector_keep_raw(sources_collector(s->sources), device, on);
}

const struct prometheus_map *session_mapping(const struct session *s)
{
	return s->sources ? sources_mapping(s->sources) : NULL;
}

struct prometheus *session_prometheus(struct session *s)
{
	return s->sources ? sources_prometheus(s->sources) : NULL;
}

bool session_ended(const struct session *s)
{
	return s->feed && observation_reader_ended(s->feed);
}

bool session_all_heard(const struct session *s)
{
	return s->sources ? sources_finished(s->sources) : observation_reader_ended(s->feed);
}

static void on_feed(void *ctx)
{
	handle_change(ctx);
}

static bool start_source(struct session *s, struct err *err)
{
	char dir[PATH_MAX];
	struct sources_opts sopts = {.plan = &s->plan,
		.dir = dir,
		.collectors = s->opts.collectors,
		.wake = wake_from_source,
		.ctx = s,
		.once = s->opts.once};
	struct observation_reader_opts fopts = {.path = s->opts.observations,
		.fd = s->opts.observations_fd,
		.take = take_batch,
		.stepped = file_stepped,
		.progress = on_feed,
		.warn = s->opts.warn,
		.ctx = s,
		.warn_ctx = s->opts.ctx};

	(void)path_directory(s->opts.inventory ? s->opts.inventory : "", dir, sizeof(dir));
	if (s->opts.observations)
		s->feed = observation_reader_open(s->loop, &fopts, err);
	else
		s->sources = sources_start(&sopts, err);
	if (!s->sources)
		return s->feed != NULL;
	sources_warn_of_limit(s->sources, s->opts.warn, s->opts.ctx);
	if (!s->opts.once)
		s->election = job_election_new(&s->plan);
	return true;
}

struct session *session_open(uv_loop_t *loop, const struct session_opts *opts, struct err *err)
{
	struct session *s = mem_calloc(1, sizeof(*s));

	s->opts = *opts;
	if (!s->opts.held_max)
		s->opts.held_max = SESSION_HELD_BYTES;
	s->loop = loop;
	s->phase = PHASE_IDLE;
	plan_init(&s->plan);
	if (opts->inventory &&
		!inventory_load(opts->inventory, &s->plan, opts->warn, opts->ctx, err)) {
		plan_free(&s->plan);
		free(s);
		return NULL;
	}
	/* Before a device is asked, and before there is another thread. */
	confine_plan(&s->plan);
	if (s->plan.warning[0] && opts->warn)
		opts->warn(opts->ctx, s->plan.warning);
	/* With once, a device must not become old while slower devices still answer. */
	for (size_t i = 0; opts->once && i < s->plan.devices.n; i++)
		s->plan.devices.at[i].interval_us = ASKED_ONCE_INTERVAL_US;
	if (opts->recording) {
		struct recording_opts ropts = *opts->recording;

		ropts.clock = &s->clock;
		s->recording = recording_open(&ropts, &s->plan, err);
		if (!s->recording) {
			plan_free(&s->plan);
			free(s);
			return NULL;
		}
	}
	s->model = model_new(&s->plan);
	model_set_clock(s->model, &s->clock);
	if (opts->memory)
		history_set_budget(s->model, opts->memory);
	s->pins = planned_pins_new(&s->plan);
	s->diag = diag_new();
	uv_async_init(loop, &s->wake, on_wake);
	uv_timer_init(loop, &s->age);
	uv_timer_init(loop, &s->rested);
	uv_idle_init(loop, &s->work);
	s->wake.data = s->age.data = s->rested.data = s->work.data = s;
	s->open_handles = 4;
	s->give_back = memory_trim_new(loop);
	recording_begun(s->recording, opts->warn, opts->ctx);
	if (!start_source(s, err)) {
		(void)session_close(s);
		return NULL;
	}
	/* No device has answered yet, so the first screen need not wait for a judgement. */
	if (s->sources && opts->in_pieces)
		wake_from_source(s);
	else
		handle_change(s);
	return s;
}

static void drop_pending(struct session *s)
{
	while (s->pending) {
		struct obs *next = s->pending->next;

		obs_free(s->pending);
		s->pending = next;
	}
}

static void on_closed(uv_handle_t *handle)
{
	struct session *s = handle->data;

	if (--s->open_handles)
		return;
	while (s->held.n)
		obs_free(batch_backlog_take(&s->held));
	drop_pending(s);
	diag_free(s->diag);
	changed_devices_free(&s->news);
	job_election_free(s->election);
	model_free(s->model);
	clock_track_free(&s->clock);
	planned_pins_free(s->pins);
	if (s->left)
		return;
	plan_free(&s->plan);
	free(s);
}

bool session_close(struct session *s)
{
	struct err err = {0};
	char text[640];
	bool whole;

	s->closing = true;
	/* Records the batches held back during a keyframe, which exist nowhere else. */
	stop_keyframe(s);
	/* Threads first: after this no thread can wake the handle that is closed below. */
	s->left = !sources_stop(s->sources);
	if (s->feed)
		observation_reader_close(s->feed);
	whole = recording_close(s->recording, &err);
	if (!whole && s->opts.warn)
		s->opts.warn(s->opts.ctx, err_format(&err, text, sizeof(text)));
	s->recording = NULL;
	memory_trim_close(s->give_back);
	uv_close((uv_handle_t *)&s->wake, on_closed);
	uv_close((uv_handle_t *)&s->age, on_closed);
	uv_close((uv_handle_t *)&s->rested, on_closed);
	uv_close((uv_handle_t *)&s->work, on_closed);
	return whole;
}
