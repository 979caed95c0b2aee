/* SPDX-License-Identifier: Apache-2.0 */
#include "app/notify/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "app/notify/sender.h"
#include "app/notify/store.h"
#include "backends/https/post.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/version.h"

/* Pauses after failures: 5 s, 10 s, ... 5 min. */
#define PAUSE_LEAST_US (5 * CLOCK_SEC)
#define PAUSE_MOST_US  (300 * CLOCK_SEC)
#define LOCK_AGAIN_US  (30 * CLOCK_SEC)
#define STEP_US        CLOCK_SEC
#define STOP_US        (2 * CLOCK_SEC)
#define LINES_MOST     50
#define STACK_BYTES    ((size_t)512 << 10)

struct line {
	bool bad;
	char text[700];
};

/* One receiver: its thread owns all but what the lock protects. */
struct desk {
	struct notify *of;
	const struct plan_receiver *r;
	struct book_policy policy;
	struct sender *sender;
	struct store *store;
	struct book book;
	struct store_status status;
	bool loaded;
	unsigned failures;   /* in a row */
	int64_t pause_until; /* monotonic */
	pthread_t thread;
	bool started, ended; /* ended: under the lock */
	/* ---- under the lock ---- */
	struct notice_set *fresh; /* the newest set that the thread has not taken; NULL */
	notice_told_vec told;
	bool dead;
	unsigned open;
};

struct notify {
	struct notify_opts opts;
	struct plan_notify plan; /* its own copy: a thread that is left still reads it */
	char fabric[NAME_MAX_LEN];
	struct desk desks[NOTIFY_RECEIVERS];
	size_t n;
	atomic_bool stop;
	pthread_mutex_t lock;
	pthread_cond_t news;
	VEC(struct line) lines; /* under the lock */
	struct notice_watch watch;
	int64_t stepped_us; /* monotonic */
	enum severity least;
};

/* ---- words for the operator ---- */

static void say_line(struct notify *n, bool bad, const char *text)
{
	struct line *l;

	log_line("notify", "%s", text);
	(void)pthread_mutex_lock(&n->lock);
	if (n->lines.n < LINES_MOST) {
		l = vec_add(&n->lines);
		l->bad = bad;
		(void)str_copy(l->text, sizeof(l->text), text);
	}
	(void)pthread_mutex_unlock(&n->lock);
}

/* A dead receiver is told once, and that it is back. */
static void note_failure(struct desk *k, const struct err *err)
{
	char text[700], why[640];

	if (k->failures++ || k->status.problem_us) {
		log_line("notify", "%s", err_format(err, why, sizeof(why)));
		return;
	}
	k->status.problem_us = clock_wall(&clock_system);
	(void)str_printf(k->status.problem, sizeof(k->status.problem), "%s",
		err_format(err, why, sizeof(why)));
	(void)str_printf(text, sizeof(text), "%s; railtop tries again", why);
	say_line(k->of, true, text);
	store_note(k->store, &k->status);
}

static void note_success(struct desk *k)
{
	char text[160], age[16];
	int64_t now = clock_wall(&clock_system);
	bool was_dead = k->status.problem_us != 0;

	k->failures = 0;
	if (was_dead) {
		(void)str_printf(text, sizeof(text), "notify %s: reached again after %s",
			k->r->name, str_age(now - k->status.problem_us, age, sizeof(age)));
		say_line(k->of, false, text);
	}
	/* Once a minute is enough for `railtop check`. */
	if (was_dead || now - k->status.done_us > 60 * CLOCK_SEC) {
		k->status = (struct store_status){.done_us = now};
		store_note(k->store, &k->status);
	}
}

/* ---- a receiver's thread ---- */

static void publish_told(struct desk *k)
{
	notice_told_vec told = {0}, old;

	book_told(&k->book, &told);
	(void)pthread_mutex_lock(&k->of->lock);
	old = k->told;
	k->told = told;
	k->dead = k->status.problem_us != 0;
	k->open = (unsigned)told.n;
	(void)pthread_mutex_unlock(&k->of->lock);
	vec_free(&old);
}

static void save_book(struct desk *k)
{
	struct err err = {0};
	char text[700];
	static atomic_bool said;

	if (store_save(k->store, &k->book, &err) || atomic_exchange(&said, true))
		return;
	(void)str_printf(text, sizeof(text), "%s", err_format(&err, (char[640]){""}, 640));
	say_line(k->of, true, text);
}

static void fill_facts(const struct desk *k, const struct message *m, struct body_facts *f)
{
	const struct book_entry *e = &k->book.at.at[m->entry];
	const struct notice *now = k->book.last ? notice_find(k->book.last, e->n.key) : NULL;

	*f = (struct body_facts){.to = k->r,
		.notify = &k->of->plan,
		.fabric = k->of->fabric,
		.verdict = k->book.last && m->kind != MESSAGE_RESOLVE ? k->book.last->verdict : "",
		.version = RAILTOP_VERSION,
		.n = &e->n,
		.json = now ? now->json : NULL,
		.kind = m->kind,
		.severity = e->told_severity,
		.told_before = m->told_before,
		.why = m->why,
		.now_us = clock_wall(&clock_system)};
	if (m->kind == MESSAGE_TRIGGER || e->n.severity > e->told_severity)
		f->severity = e->n.severity;
}

/* True: it was sent, or is refused for good; the next one may follow at once. */
static bool send_one(struct desk *k, const struct message *m)
{
	struct body_facts f;
	struct err err = {0};
	int64_t again_us = 0, pause;
	enum send_result result;

	book_sending(&k->book, m);
	save_book(k);
	fill_facts(k, m, &f);
	result = sender_send(k->sender, &f, &again_us, &err);
	/* Before anything of the caller is touched: it may have given up waiting. */
	if (atomic_load(&k->of->stop) && result != SEND_DONE)
		return false;
	log_line("notify", "%s: %s %s: %s", k->r->name, message_kind_name(m->kind), f.n->key,
		result == SEND_DONE ? "sent" : err.text);
	if (result == SEND_DONE) {
		book_sent(&k->book, &k->policy, m, clock_wall(&clock_system));
		note_success(k);
	} else {
		book_failed(&k->book, m, result == SEND_REFUSED);
		note_failure(k, &err);
		pause = post_pause(k->failures, PAUSE_LEAST_US, PAUSE_MOST_US, again_us);
		k->pause_until = clock_mono(&clock_system) + pause;
	}
	save_book(k);
	publish_told(k);
	return result == SEND_DONE;
}

/* Takes the newest set, or waits for it until the time is over. */
static void wait_for_news(struct desk *k, int64_t until_mono)
{
	struct notify *n = k->of;
	struct timespec at = {
		.tv_sec = until_mono / CLOCK_SEC, .tv_nsec = until_mono % CLOCK_SEC * 1000};
	struct notice_set *set;

	(void)pthread_mutex_lock(&n->lock);
	while (!atomic_load(&n->stop) && !k->fresh &&
		pthread_cond_timedwait(&n->news, &n->lock, &at) == 0)
		;
	set = k->fresh;
	k->fresh = NULL;
	(void)pthread_mutex_unlock(&n->lock);
	if (!set)
		return;
	if (k->loaded)
		book_take(&k->book, &k->policy, set, clock_wall(&clock_system));
	notice_set_drop(set);
}

/* Two processes must not tell the same receiver: the second one waits for its turn. */
static bool own_the_book(struct desk *k)
{
	struct err err = {0};
	char text[700], why[640];

	if (k->loaded)
		return true;
	if (!store_lock(k->store, &err)) {
		if (!k->failures++) {
			(void)str_printf(text, sizeof(text), "notify %s: %s", k->r->name,
				err_format(&err, why, sizeof(why)));
			say_line(k->of, err.code != ERR_REFUSED, text);
		}
		/* Without a place for the book it is better to tell twice than not at all. */
		if (err.code == ERR_REFUSED) {
			k->pause_until = clock_mono(&clock_system) + LOCK_AGAIN_US;
			return false;
		}
	}
	k->failures = 0;
	k->loaded = true;
	if (!store_load(k->store, &k->book, &err)) {
		(void)str_printf(text, sizeof(text), "%s", err_format(&err, why, sizeof(why)));
		say_line(k->of, true, text);
	}
	publish_told(k);
	return true;
}

static void run_desk(struct desk *k)
{
	struct message m;
	int64_t due = 0, now, wall;

	while (!atomic_load(&k->of->stop)) {
		now = clock_mono(&clock_system);
		if (k->pause_until > now) {
			wait_for_news(k, k->pause_until);
			continue;
		}
		if (!own_the_book(k))
			continue;
		wall = clock_wall(&clock_system);
		if (book_next(&k->book, &k->policy, wall, &m, &due)) {
			(void)send_one(k, &m);
			continue;
		}
		due = due == INT64_MAX || due > wall + 60 * CLOCK_SEC ? 60 * CLOCK_SEC : due - wall;
		wait_for_news(k, now + (due > 0 ? due : 1000));
	}
}

static void *desk_thread(void *arg)
{
	struct desk *k = arg;

	run_desk(k);
	(void)pthread_mutex_lock(&k->of->lock);
	k->ended = true;
	(void)pthread_mutex_unlock(&k->of->lock);
	return NULL;
}

/* ---- the thread of the model ---- */

static void open_desk(struct notify *n, struct desk *k, const struct plan_receiver *r)
{
	k->of = n;
	k->r = r;
	k->policy = (struct book_policy){.severity = r->severity,
		.wait_us = n->plan.wait_us,
		.hold_us = n->plan.hold_us,
		.resend_us = r->kind == RECEIVER_ALERTMANAGER ? n->plan.resend_us : 0,
		.per_hour = n->plan.per_hour,
		.acknowledges = r->kind != RECEIVER_ALERTMANAGER};
	k->sender = sender_new(r, &n->stop);
	k->store = store_new(n->fabric, r->name);
	n->least = r->severity < n->least ? r->severity : n->least;
}

static void start_thread(struct notify *n, struct desk *k)
{
	pthread_attr_t attr;
	char text[160];
	int rc;

	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&k->thread, &attr, desk_thread, k);
	(void)pthread_attr_destroy(&attr);
	k->started = rc == 0;
	if (rc == 0)
		return;
	(void)str_printf(text, sizeof(text), "notify %s: no thread: %s", k->r->name, strerror(rc));
	say_line(n, true, text);
}

struct notify *notify_start(const struct notify_opts *opts)
{
	struct notify *n;
	pthread_condattr_t attr;

	if (!opts->plan->notify.to.n)
		return NULL;
	n = mem_calloc(1, sizeof(*n));
	n->opts = *opts;
	n->least = SEV_CRIT;
	plan_notify_copy(&n->plan, &opts->plan->notify);
	(void)str_copy(n->fabric, sizeof(n->fabric), opts->plan->fabric);
	(void)pthread_mutex_init(&n->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&n->news, &attr);
	(void)pthread_condattr_destroy(&attr);
	n->n = n->plan.to.n < NOTIFY_RECEIVERS ? n->plan.to.n : NOTIFY_RECEIVERS;
	for (size_t i = 0; i < n->n; i++)
		open_desk(n, &n->desks[i], &n->plan.to.at[i]);
	for (size_t i = 0; i < n->n; i++)
		start_thread(n, &n->desks[i]);
	return n;
}

static void hand_out_lines(struct notify *n)
{
	VEC(struct line) lines = {0};

	(void)pthread_mutex_lock(&n->lock);
	lines.at = n->lines.at;
	lines.n = n->lines.n;
	memset(&n->lines, 0, sizeof(n->lines));
	(void)pthread_mutex_unlock(&n->lock);
	for (size_t i = 0; i < lines.n && n->opts.say; i++)
		n->opts.say(n->opts.ctx, lines.at[i].bad, lines.at[i].text);
	vec_free(&lines);
}

static void gather_told(struct notify *n, notice_told_vec *told)
{
	(void)pthread_mutex_lock(&n->lock);
	for (size_t i = 0; i < n->n; i++)
		for (size_t t = 0; t < n->desks[i].told.n; t++)
			vec_push(told, n->desks[i].told.at[t]);
	(void)pthread_mutex_unlock(&n->lock);
}

void notify_step(struct notify *n, const struct model *m, const struct diag *d, int64_t now_us)
{
	int64_t now = clock_mono(&clock_system);
	notice_told_vec told = {0};
	struct notice_set *set;

	if (n->stepped_us && now - n->stepped_us < STEP_US)
		return;
	n->stepped_us = now;
	hand_out_lines(n);
	gather_told(n, &told);
	set = notice_set_make(&n->watch, m, d, n->least, &told, now_us);
	vec_free(&told);
	(void)pthread_mutex_lock(&n->lock);
	for (size_t i = 0; i < n->n; i++) {
		notice_set_drop(n->desks[i].fresh);
		n->desks[i].fresh = notice_set_keep(set);
	}
	(void)pthread_cond_broadcast(&n->news);
	(void)pthread_mutex_unlock(&n->lock);
	notice_set_drop(set);
}

char *notify_words(struct notify *n, char *dst, size_t size)
{
	unsigned dead = 0, open = 0;

	(void)pthread_mutex_lock(&n->lock);
	for (size_t i = 0; i < n->n; i++) {
		dead += n->desks[i].dead;
		open = n->desks[i].open > open ? n->desks[i].open : open;
	}
	(void)pthread_mutex_unlock(&n->lock);
	(void)str_printf(dst, size, "%zu receiver%s, %u not reached, %u told and open", n->n,
		str_plural(n->n), dead, open);
	return dst;
}

static void close_desk(struct desk *k)
{
	sender_free(k->sender);
	store_free(k->store);
	book_free(&k->book);
	vec_free(&k->told);
	notice_set_drop(k->fresh);
}

/* False: it hangs, and all that it uses stays. */
static bool join_desk(struct desk *k, const struct timespec *until)
{
	if (!k->started)
		return true;
	if (pthread_timedjoin_np(k->thread, NULL, until) == 0)
		return true;
	(void)pthread_detach(k->thread);
	log_line("notify", "%s: left behind in a request", k->r->name);
	return false;
}

void notify_stop(struct notify *n)
{
	struct timespec until;
	bool all = true;
	int64_t at;

	if (!n)
		return;
	hand_out_lines(n);
	(void)pthread_mutex_lock(&n->lock);
	atomic_store(&n->stop, true);
	(void)pthread_cond_broadcast(&n->news);
	(void)pthread_mutex_unlock(&n->lock);
	at = clock_wall(&clock_system) + STOP_US;
	until = (struct timespec){.tv_sec = at / CLOCK_SEC, .tv_nsec = at % CLOCK_SEC * 1000};
	for (size_t i = 0; i < n->n; i++) {
		if (join_desk(&n->desks[i], &until))
			close_desk(&n->desks[i]);
		else
			all = false;
	}
	notice_watch_free(&n->watch);
	vec_free(&n->lines);
	if (!all)
		return;
	plan_notify_free(&n->plan);
	(void)pthread_cond_destroy(&n->news);
	(void)pthread_mutex_destroy(&n->lock);
	free(n);
}
