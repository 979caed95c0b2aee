/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/responder/responder.h"

/* In the order of due_us. Most have the same interval, so that a new place is near the end. */
struct stream {
	struct stream *before, *after;
	void *who;
	int64_t begun_us, every_us, due_us;
	unsigned place;
};

struct streams {
	struct stream *first, *last;
};

struct streams *streams_new(void)
{
	return mem_calloc(1, sizeof(struct streams));
}

static void unlink_stream(struct streams *s, struct stream *t)
{
	*(t->before ? &t->before->after : &s->first) = t->after;
	*(t->after ? &t->after->before : &s->last) = t->before;
}

static void link_stream(struct streams *s, struct stream *t)
{
	struct stream *at = s->last;

	while (at && at->due_us > t->due_us)
		at = at->before;
	t->before = at;
	t->after = at ? at->after : s->first;
	*(t->before ? &t->before->after : &s->first) = t;
	*(t->after ? &t->after->before : &s->last) = t;
}

struct stream *stream_begin(struct streams *s, void *who, int64_t every_us)
{
	struct stream *t = mem_calloc(1, sizeof(*t));

	t->who = who;
	t->begun_us = clock_mono(&clock_system);
	t->every_us = every_us > 0 ? every_us : CLOCK_SEC;
	t->due_us = t->begun_us + t->every_us;
	link_stream(s, t);
	return t;
}

void stream_end(struct streams *s, struct stream *t)
{
	if (!t)
		return;
	unlink_stream(s, t);
	free(t);
}

int64_t streams_due(const struct streams *s)
{
	return s->first ? s->first->due_us : INT64_MAX;
}

void *streams_next(struct streams *s, int64_t now_us)
{
	struct stream *t = s->first;

	if (!t || t->due_us > now_us)
		return NULL;
	unlink_stream(s, t);
	t->place = (unsigned)((now_us - t->begun_us) / t->every_us);
	t->due_us = t->begun_us + ((int64_t)t->place + 1) * t->every_us;
	link_stream(s, t);
	return t->who;
}

unsigned stream_place(const struct stream *t)
{
	return t->place;
}
