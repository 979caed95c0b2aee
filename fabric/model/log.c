/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "base/state.h"

/*
 * A polled log is read again and again, beside a followed one. A line is a repetition if its
 * device time and its text match a known line. The last LOG_KEPT lines are known individually.
 * Every line from before the oldest forgotten one counts as known.
 */
#define LOG_KEPT 64
/* On the first poll: the lines that led to the present trouble, not those of last month. */
#define HISTORY_US (INT64_C(3600) * CLOCK_SEC)
/* Lines of one device in a minute: a flooding device must not push the others' events out of the
 * ring. */
#define FLOOD_LINES 60
#define FLOOD_US    (60 * CLOCK_SEC)

/*
 * Lines of all devices together in a minute, by severity. In an incident every device logs, and
 * the model's own events must stay in the ring.
 */
#define FABRIC_CHANGES 120
#define FABRIC_ALARMS  240

struct log_memory {
	struct {
		int64_t us;
		uint32_t hash;
	} kept[LOG_KEPT];
	unsigned n;
	int64_t forgot_us; /* lines up to this time are known, or too old */
	int64_t flood_us;  /* start of the current minute, wall */
	unsigned lines;    /* in it */
};

struct line {
	int64_t us;
	size_t item;
};

/* Zones are at most this far behind UTC. */
#define ZONES_US (INT64_C(13) * 3600 * CLOCK_SEC)

/*
 * A log in local time of a device with an unknown clock would be too old as long as its zone is
 * behind UTC. Without a line of the last hour, every line from now on is new.
 */
static void start_at(struct batch *b, struct log_memory *l, int64_t newest)
{
	if (b->device_time || b->d->clock_skew_us || !newest)
		return;
	if (newest <= l->forgot_us && newest > b->received - ZONES_US)
		l->forgot_us = newest;
}

/* newest: time of the newest line that has one, 0: none. */
static struct log_memory *memory_of(struct batch *b, int64_t newest)
{
	struct log_memory *l = b->d->log;
	int64_t device_now = b->device_time ? b->sample : b->received + b->d->clock_skew_us;

	if (l)
		return l;
	l = b->d->log = mem_calloc(1, sizeof(*l));
	l->forgot_us = device_now - HISTORY_US;
	start_at(b, l, newest);
	return l;
}

/* Remembers the line; false when it is known. */
static bool is_new(struct log_memory *l, int64_t us, uint32_t hash)
{
	size_t at = l->n;

	if (!us)
		return true; /* live, and nothing distinguishes it from equal lines */
	if (us <= l->forgot_us)
		return false;
	for (size_t i = 0; i < l->n; i++)
		if (l->kept[i].us == us && l->kept[i].hash == hash)
			return false;
	if (l->n < LOG_KEPT) {
		l->n++;
	} else {
		at = 0;
		for (size_t i = 1; i < LOG_KEPT; i++)
			if (l->kept[i].us < l->kept[at].us)
				at = i;
		if (us <= l->kept[at].us) {
			l->forgot_us = us;
			return true;
		}
		l->forgot_us = l->kept[at].us;
	}
	l->kept[at].us = us;
	l->kept[at].hash = hash;
	return true;
}

bool is_log_item(const struct obs_item *it)
{
	return it->kind == OBS_EVENT &&
	       (it->code == EV_LOG || it->code == EV_LOG_ALARM || it->code == EV_LOG_UNREAD);
}

static int older_first(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	/* A line without a time happens now. */
	if (a->us != b->us)
		return !a->us ? 1 : !b->us ? -1 : a->us < b->us ? -1 : 1;
	return a->item < b->item ? -1 : 1;
}

static bool lines_left(struct batch *b, struct log_memory *l)
{
	if (b->now - l->flood_us >= FLOOD_US || b->now < l->flood_us) {
		l->flood_us = b->now;
		l->lines = 0;
	}
	l->lines++;
	if (l->lines == FLOOD_LINES + 1)
		model_add_event(b->m, b->now, EV_LOG_ALARM, b->d, NULL, -1, 0,
			"more than 60 log lines within a minute: the rest is skipped");
	return l->lines <= FLOOD_LINES;
}

/* Limits the lines of all devices within a minute; alarms have a limit of their own. */
static bool fabric_affords(struct batch *b, enum event_kind kind)
{
	struct model *m = b->m;
	unsigned *n = kind == EV_LOG_ALARM ? &m->log_alarms : &m->log_changes;
	unsigned most = kind == EV_LOG_ALARM ? FABRIC_ALARMS : FABRIC_CHANGES;

	if (b->now - m->log_us >= FLOOD_US || b->now < m->log_us) {
		m->log_us = b->now;
		m->log_changes = m->log_alarms = 0;
	}
	if (++*n == most + 1)
		model_add_event(m, b->now, EV_LOG_ALARM, NULL, NULL, -1, 0,
			kind == EV_LOG_ALARM
				? "more than 240 alarms logged within a minute: the rest is skipped"
				: "more than 120 changes logged within a minute: the rest is "
				  "skipped");
	return *n <= most;
}

static void add_line(struct batch *b, const struct obs_item *it)
{
	const struct port *p = it->port < b->o->ports.n ? b->ports[it->port].port : NULL;

	if (fabric_affords(b, (enum event_kind)it->code))
		model_add_event(b->m, b->now, (enum event_kind)it->code, b->d, p, (int)it->sub - 1,
			it->time_us, obs_text(b->o, it->text));
}

void batch_log(struct batch *b)
{
	struct line *lines;
	struct log_memory *l;
	size_t n = 0, fresh = 0;
	int64_t newest = 0;

	if (!(b->kinds & 1U << OBS_EVENT))
		return;
	for (size_t i = 0; i < b->o->items.n; i++)
		n += is_log_item(&b->o->items.at[i]);
	if (!n)
		return;
	lines = mem_calloc(n, sizeof(*lines));
	n = 0;
	for (size_t i = 0; i < b->o->items.n; i++)
		if (is_log_item(&b->o->items.at[i]))
			lines[n++] = (struct line){b->o->items.at[i].time_us, i};
	qsort(lines, n, sizeof(*lines), older_first);
	/* Lines without a time come last. */
	for (size_t i = 0; i < n && lines[i].us; i++)
		newest = lines[i].us;
	l = memory_of(b, newest);
	for (size_t i = 0; i < n; i++) {
		const struct obs_item *it = &b->o->items.at[lines[i].item];

		if (is_new(l, lines[i].us, text_hash(obs_text(b->o, it->text))))
			lines[fresh++] = lines[i];
	}
	/* The end of a long history matters most. */
	for (size_t i = fresh > FLOOD_LINES ? fresh - FLOOD_LINES : 0; i < fresh; i++)
		if (lines_left(b, l))
			add_line(b, &b->o->items.at[lines[i].item]);
	free(lines);
}

void log_state(struct state *s, struct device *d)
{
	bool there = d->log != NULL;
	struct log_memory *l;
	size_t n;

	STATE_SIZE(struct log_memory, 1056);
	state_bool(s, &there);
	if (!there)
		return;
	l = d->log ? d->log : mem_calloc(1, sizeof(*l));
	d->log = l;
	n = l->n;
	state_count(s, &n, LOG_KEPT);
	l->n = (unsigned)n;
	state_time(s, &l->forgot_us, d->last_ok_us);
	state_time(s, &l->flood_us, d->last_ok_us);
	state_u32(s, &l->lines);
	for (size_t i = 0; i < n; i++) {
		state_time(s, &l->kept[i].us, l->forgot_us);
		state_u32(s, &l->kept[i].hash);
	}
	if (!s->rewrite)
		return;
	/* The texts changed, and so did their hashes: lines so far are known by their time only. */
	for (size_t i = 0; i < n; i++)
		if (l->kept[i].us > l->forgot_us)
			l->forgot_us = l->kept[i].us;
	l->n = 0;
}
