/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "archive/recording/writer_internal.h"
#include "base/clock.h"
#include "base/str.h"

#define QUEUE_BYTES (128U << 20) /* default of queue_bytes */

/*
 * A scrub replays the entries between two keyframes and may take 200 ms. KEY_COST is that limit in
 * items and judgements, about 45 s of ref256; tests/bench/history/README.md has the figures.
 * Keyframes are at least 40 s apart whatever the fabric's size, and at most 15 minutes.
 */
#define KEY_COST     950000
#define JUDGE_COST   5000
#define BATCH_COST   20
#define KEY_LEAST_US (40 * CLOCK_SEC)
#define KEY_MOST_US  (900 * CLOCK_SEC)
#define WHOLE_EVERY  16

/*
 * Limit of queued keyframe steps: a quarter of the last whole keyframe, but at least
 * KEY_QUEUE_LEAST. Steps are made faster than they are compressed. Without a limit the queue would
 * hold a whole keyframe of a smaller fabric, beside the model itself.
 */
#define KEY_SHARE       4
#define KEY_QUEUE_LEAST (4U << 20)

/*
 * The writer thread wakes when GATHER_BYTES are queued or GATHER_US after the first batch; a chunk
 * is committed later still. One wake per batch cost both threads more than writing it. A flush does
 * not wait for this.
 */
#define GATHER_BYTES (512U << 10)
#define GATHER_US    (CLOCK_SEC / 5)

void op_free(struct op *op)
{
	entry_free(&op->entry);
	free(op->bytes);
	free(op->name);
	free(op->asked);
	free(op);
}

/* ---- the thread ---- */

static struct timespec timespec_of(int64_t us)
{
	return (struct timespec){
		.tv_sec = (time_t)(us / CLOCK_SEC), .tv_nsec = (long)(us % CLOCK_SEC) * 1000};
}

/* Locked. True when the queued bytes are worth a wake of the thread. */
static bool worth_wake(const struct rts_writer *w, size_t waiting)
{
	return waiting >= GATHER_BYTES || waiting >= w->opts.queue_bytes / 4;
}

/* Locked. After an idle time, waits until the queued bytes are worth the work. */
static void gather_ops(struct rts_writer *w)
{
	struct timespec at = timespec_of(clock_mono(&clock_system) + GATHER_US);

	while (!w->closing && !w->hurry && !worth_wake(w, w->waiting))
		if (pthread_cond_timedwait(&w->news, &w->lock, &at) != 0)
			return;
}

/* Locked. Removes the next operation. NULL: closing, or work is due by time. */
static struct op *next_op(struct rts_writer *w)
{
	bool idle = !w->first;
	struct op *op;

	w->hurry = w->hurry && !idle;
	while (!w->first && !w->closing) {
		int64_t due = filer_due(w);

		if (due == INT64_MAX) {
			pthread_cond_wait(&w->news, &w->lock);
		} else {
			struct timespec at = timespec_of(due);

			if (due <= clock_mono(&clock_system) ||
				pthread_cond_timedwait(&w->news, &w->lock, &at) != 0)
				return NULL;
		}
	}
	if (idle)
		gather_ops(w);
	op = w->first;
	if (op) {
		w->first = op->next;
		if (!w->first)
			w->last = NULL;
	}
	return op;
}

static void *writer_thread(void *arg)
{
	struct rts_writer *w = arg;

	for (;;) {
		struct op *op;
		bool ended;

		pthread_mutex_lock(&w->lock);
		op = next_op(w);
		ended = !op && w->closing;
		pthread_mutex_unlock(&w->lock);
		if (ended)
			break;
		if (!op) {
			filer_tick(w);
			continue;
		}
		filer_do(w, op);
		pthread_mutex_lock(&w->lock);
		w->waiting -= op->weight;
		w->key_waiting -= op->kind == OP_STEP ? op->weight : 0;
		pthread_cond_signal(&w->room);
		pthread_mutex_unlock(&w->lock);
		op_free(op);
	}
	return NULL;
}

/* ---- the caller's side ---- */

static char *copy_text(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

static char *clock_text(const struct clock_track *t)
{
	struct buf b;
	char *text;

	buf_init(&b, RTS_BLOB_MAX);
	if (t && (t->base_us || t->steps.n))
		(void)clock_track_print(t, &b);
	text = mem_strdup(b.data ? b.data : "");
	buf_free(&b);
	return text;
}

static void writer_free(struct rts_writer *w)
{
	while (w->first) {
		struct op *op = w->first;

		w->first = op->next;
		op_free(op);
	}
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->news);
	pthread_cond_destroy(&w->room);
	buf_free(&w->plan);
	free(w->fabric);
	free(w->path);
	free(w->tool);
	free(w->user);
	free(w->host);
	free(w->kind);
	free(w->clock);
	free(w);
}

struct rts_writer *rts_writer_open(const struct rts_writer_opts *o, struct err *err)
{
	struct rts_writer *w = mem_calloc(1, sizeof(*w));
	pthread_condattr_t attr;
	struct rts_about about;

	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->news, &attr);
	pthread_cond_init(&w->room, &attr);
	pthread_condattr_destroy(&attr);
	buf_init(&w->plan, RTS_BLOB_MAX);
	w->opts = *o;
	w->opts.queue_bytes = o->queue_bytes ? o->queue_bytes : QUEUE_BYTES;
	w->path = mem_strdup(o->path);
	w->tool = copy_text(o->tool);
	w->user = copy_text(o->user);
	w->host = copy_text(o->host);
	w->kind = mem_strdup(o->kind ? o->kind : "recording");
	w->fabric = mem_strdup(o->plan->fabric);
	w->opts.plan = NULL; /* it belongs to the caller; the thread uses the text */
	w->key_wanted = w->whole_wanted = true;
	w->clock = o->clock ? clock_text(o->clock) : NULL;
	w->opts.clock = NULL; /* the text is used */
	about = rts_writer_about(w);
	if (!rts_plan_text(o->plan, &w->plan, err) ||
		!rts_file_open(&w->filer.file, w->path, &about, o->exclusive, err)) {
		writer_free(w);
		return NULL;
	}
	filer_open(w);
	if (pthread_create(&w->thread, NULL, writer_thread, w) != 0) {
		err_set(err, ERR_INTERNAL, w->path, "no thread can be started");
		(void)filer_close(w, NULL);
		writer_free(w);
		return NULL;
	}
	return w;
}

/* Locked. */
static void push_op(struct rts_writer *w, struct op *op)
{
	if (w->last)
		w->last->next = op;
	else
		w->first = op;
	w->last = op;
	w->hurry |= op->kind == OP_FLUSH;
	/* The thread slept on an empty queue, or gathers; otherwise it is at work. */
	if (w->first == op || w->hurry ||
		(!worth_wake(w, w->waiting) && worth_wake(w, w->waiting + op->weight)))
		pthread_cond_signal(&w->news);
	w->waiting += op->weight;
	w->key_waiting += op->kind == OP_STEP ? op->weight : 0;
}

static bool queue_fits(size_t waiting, size_t weight, size_t most)
{
	return waiting == 0 || waiting + weight <= most;
}

/* Locked. */
static bool has_room(const struct rts_writer *w, size_t weight, bool of_key)
{
	size_t share = w->key_whole / KEY_SHARE;

	return queue_fits(w->waiting, weight, w->opts.queue_bytes) &&
	       (!of_key || queue_fits(w->key_waiting, weight,
				   share > KEY_QUEUE_LEAST ? share : KEY_QUEUE_LEAST));
}

/* Locked. True when there is room; a patient writer waits for it. */
static bool room_for(struct rts_writer *w, size_t weight, bool of_key)
{
	while (w->opts.patient && !has_room(w, weight, of_key)) {
		w->hurry = true;
		pthread_cond_signal(&w->news);
		pthread_cond_wait(&w->room, &w->lock);
	}
	return has_room(w, weight, of_key);
}

/* Locked. Records a gap before the next entry when batches were dropped. */
static void record_dropped(struct rts_writer *w, int64_t t_us)
{
	struct op *op;

	if (!w->dropped)
		return;
	op = mem_calloc(1, sizeof(*op));
	op->kind = OP_ENTRY;
	op->weight = sizeof(*op);
	op->entry.kind = ENTRY_GAP;
	op->entry.t_us = t_us;
	(void)str_printf(op->entry.text, sizeof(op->entry.text),
		"%llu batch%s not recorded: the disk is too slow", (unsigned long long)w->dropped,
		str_count_word(w->dropped, "", "es"));
	w->dropped = 0;
	push_op(w, op);
}

static void count_cost(struct rts_writer *w, const struct entry *e)
{
	const struct obs *o = e->obs;

	w->now_us = e->t_us;
	if (!w->since_us)
		w->since_us = e->t_us;
	w->since_cost += e->kind == ENTRY_JUDGE ? JUDGE_COST : BATCH_COST;
	if (o)
		w->since_cost += o->items.n + o->ports.n + 8 * o->bgp.n + 8 * o->nccl.n;
}

void rts_writer_add(struct rts_writer *w, struct entry *e)
{
	struct op *op = mem_calloc(1, sizeof(*op));

	op->kind = OP_ENTRY;
	op->entry = *e;
	op->weight = sizeof(*op) - sizeof(*e) + entry_bytes(e);
	e->obs = NULL;
	pthread_mutex_lock(&w->lock);
	/* Only batches may be dropped, and each drop is counted. The other entries are small and a
	 * loss of one would go unnoticed. */
	if (room_for(w, op->weight, false) || op->entry.kind != ENTRY_OBS) {
		record_dropped(w, op->entry.t_us);
		count_cost(w, &op->entry);
		push_op(w, op);
		op = NULL;
	} else {
		w->dropped++;
		w->status.lost++;
	}
	pthread_mutex_unlock(&w->lock);
	if (op)
		op_free(op);
}

bool rts_writer_wants_keyframe(const struct rts_writer *writer, bool *all_history)
{
	struct rts_writer *w = (struct rts_writer *)writer;
	int64_t age;
	bool due;

	pthread_mutex_lock(&w->lock);
	age = w->now_us - w->since_us;
	due = w->key_wanted || (w->since_cost > KEY_COST && age >= KEY_LEAST_US) ||
	      (w->since_cost && age >= KEY_MOST_US) || (w->since_cost > KEY_COST && age < 0);
	/* Forgetting stops at a whole keyframe. A short forget_us needs more of them. */
	*all_history = w->whole_wanted || w->keys >= WHOLE_EVERY ||
		       (w->opts.forget_us && w->now_us - w->whole_us > w->opts.forget_us / 4);
	due = due && !w->keying && !w->status.failed;
	pthread_mutex_unlock(&w->lock);
	return due;
}

static void queue_op(struct rts_writer *w, struct op *op)
{
	op->weight = sizeof(*op) + op->n;
	pthread_mutex_lock(&w->lock);
	push_op(w, op);
	pthread_mutex_unlock(&w->lock);
}

static struct op *op_new(enum op_kind kind)
{
	struct op *op = mem_calloc(1, sizeof(*op));

	op->kind = kind;
	return op;
}

void rts_keyframe_begin(struct rts_writer *w, int64_t t_us, bool all_history)
{
	struct op *op = op_new(OP_BEGIN);

	op->t_us = t_us;
	op->whole = all_history;
	pthread_mutex_lock(&w->lock);
	w->keying = true;
	w->key_bytes = 0;
	w->key_wanted = false;
	w->whole_wanted = w->whole_wanted && !all_history;
	w->keys = all_history ? 1 : w->keys + 1;
	w->whole_us = all_history ? t_us : w->whole_us;
	w->since_cost = 0;
	w->since_us = w->now_us = t_us;
	op->weight = sizeof(*op);
	push_op(w, op);
	pthread_mutex_unlock(&w->lock);
}

bool rts_keyframe_step(struct rts_writer *w, enum rts_section section, const void *bytes, size_t n)
{
	struct op *op;
	bool room;

	pthread_mutex_lock(&w->lock);
	room = room_for(w, n + sizeof(*op), true);
	w->key_bytes += room ? n : 0;
	pthread_mutex_unlock(&w->lock);
	if (!room)
		return false;
	op = op_new(OP_STEP);
	op->section = section;
	op->bytes = mem_alloc(n ? n : 1);
	if (n)
		memcpy(op->bytes, bytes, n);
	op->n = n;
	queue_op(w, op);
	return true;
}

static void end_keyframe(struct rts_writer *w, enum op_kind how)
{
	pthread_mutex_lock(&w->lock);
	w->keying = false;
	if (how == OP_END && w->keys == 1)
		w->key_whole = w->key_bytes;
	/* Histories saved into a dropped keyframe would be missing from the next one. */
	if (how == OP_DROP)
		w->key_wanted = w->whole_wanted = true;
	pthread_mutex_unlock(&w->lock);
	queue_op(w, op_new(how));
}

void rts_keyframe_end(struct rts_writer *w)
{
	end_keyframe(w, OP_END);
}

void rts_keyframe_drop(struct rts_writer *w)
{
	end_keyframe(w, OP_DROP);
}

void rts_writer_clock(struct rts_writer *w, const struct clock_track *t)
{
	struct op *op = op_new(OP_CLOCK);

	op->name = clock_text(t);
	queue_op(w, op);
}

void rts_writer_raw(struct rts_writer *w, const char *device, const char *request,
	const char *asked, int64_t t_us, const char *bytes, size_t n)
{
	struct op *op;
	char name[200];
	bool room;

	pthread_mutex_lock(&w->lock);
	room = room_for(w, n + sizeof(*op), false);
	pthread_mutex_unlock(&w->lock);
	if (!room)
		return;
	op = op_new(OP_RAW);
	(void)str_printf(name, sizeof(name), "raw/%s/%s", device, request);
	op->name = mem_strdup(name);
	op->asked = copy_text(asked);
	op->t_us = t_us;
	op->bytes = mem_alloc(n ? n : 1);
	if (n)
		memcpy(op->bytes, bytes, n);
	op->n = n;
	queue_op(w, op);
}

void rts_writer_flush(struct rts_writer *w, void (*done)(void *ctx, const struct err *e), void *ctx)
{
	struct op *op = op_new(OP_FLUSH);

	op->done = done;
	op->ctx = ctx;
	queue_op(w, op);
}

struct rts_status rts_writer_status(struct rts_writer *w)
{
	struct rts_status s;

	pthread_mutex_lock(&w->lock);
	s = w->status;
	pthread_mutex_unlock(&w->lock);
	return s;
}

bool rts_writer_close(struct rts_writer *w, struct err *err)
{
	bool good;

	pthread_mutex_lock(&w->lock);
	record_dropped(w, w->now_us);
	w->closing = true;
	pthread_cond_signal(&w->news);
	pthread_mutex_unlock(&w->lock);
	(void)pthread_join(w->thread, NULL);
	good = filer_close(w, err);
	writer_free(w);
	return good;
}
