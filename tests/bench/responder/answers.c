/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/device/personality.h"
#include "tests/bench/responder/responder.h"
#include "tests/support/incremental/delta_make.h"

#define OUTPUT_CAP ((size_t)64 << 20)
/* A session that is KEPT answers behind the first skips some. */
#define KEPT 64

struct question {
	enum responder_kind kind;
	char *command, *input;
	struct reply *at[KEPT]; /* the answer number n is at n % KEPT */
	unsigned made;          /* answers so far */
	int64_t first_us;       /* the device's time of the first */
};

/*
 * The device that stands for all of a kind, in a fabric of its own. Its clock must go on by a step
 * from one answer to the next, however often the other kind is asked. A clock that jumps counts as
 * one that was set, and the console's work then is not the cost of a fabric.
 */
struct stand_in {
	struct sim *sim;
	struct personality_ctx *ctx;
	struct sim_device *device;
	char *payload, *payload_input;
	int64_t now_us;
};

struct answers {
	struct stand_in of[RESPONDER_KINDS];
	struct question question[QUESTIONS_MOST];
	int n;
	int64_t step_us;
};

static const char *const names[] = RESPONDER_NAMES;
static const char *const dialects[] = RESPONDER_DIALECTS;

static struct sim_device *of_dialect(struct sim *s, const char *dialect)
{
	for (size_t i = 0; i < sim_device_count(s); i++)
		if (str_eq(sim_device(s, i)->dialect, dialect))
			return sim_device(s, i);
	return NULL;
}

/* An empty file is an empty text. */
static char *read_text(const char *dir, const char *name, const char *what)
{
	char path[256], *text = NULL;
	size_t room = 0;
	ssize_t n = -1;
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s.%s", dir, name, what);
	f = fopen(path, "re");
	if (f)
		n = getdelim(&text, &room, '\0', f);
	else
		perror(path);
	if (f)
		(void)fclose(f);
	if (n >= 0)
		return text;
	free(text);
	return mem_strdup("");
}

static bool stand_in_open(struct stand_in *d, enum responder_kind kind, const char *dir)
{
	const struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 1,
		.start_us = clock_wall(&clock_system),
		.speed = 1};

	d->sim = sim_new(&o);
	d->ctx = personality_new(d->sim);
	/* The counters of a device that has been up for a while. */
	d->now_us = o.start_us + 10 * CLOCK_SEC;
	sim_advance(d->sim, d->now_us);
	d->device = of_dialect(d->sim, dialects[kind]);
	d->payload = read_text(dir, names[kind], "command");
	d->payload_input = read_text(dir, names[kind], "input");
	if (!d->device)
		(void)fprintf(stderr, "responder: no %s in ref256\n", dialects[kind]);
	return d->device != NULL;
}

struct answers *answers_new(const char *dir, int64_t step_us)
{
	struct answers *a = mem_calloc(1, sizeof(*a));

	a->step_us = step_us;
	for (int k = 0; k < RESPONDER_KINDS; k++)
		if (!stand_in_open(&a->of[k], (enum responder_kind)k, dir))
			return NULL;
	return a;
}

int answers_question(
	struct answers *a, enum responder_kind kind, const char *command, const char *input)
{
	struct question *q;

	/* Some put a shell or a PATH around it. */
	if (strstr(command, RESPONDER_PAYLOAD)) {
		command = RESPONDER_PAYLOAD;
		input = "";
	}
	for (int i = 0; i < a->n; i++) {
		q = &a->question[i];
		if (q->kind == kind && str_eq(q->command, command) && str_eq(q->input, input))
			return i;
	}
	if (a->n == QUESTIONS_MOST)
		return -1;
	q = &a->question[a->n];
	q->kind = kind;
	q->command = mem_strdup(command);
	q->input = mem_strdup(input);
	return a->n++;
}

bool answers_followed(const char *command)
{
	char *followed = personality_followed(command);
	bool yes = followed != NULL;

	free(followed);
	return yes;
}

bool answers_reads_input(enum responder_kind kind, const char *command)
{
	const struct personality *p = personality_for(dialects[kind]);

	return !strstr(command, RESPONDER_PAYLOAD) && p->reads_input && p->reads_input(command);
}

/*
 * All devices would name the same neighbours, which is nothing but wrong cables: they are asked as
 * if LLDP was off.
 */
static char *without_neighbours(const char *text)
{
	static const char *const words[][2] = {{"LLDP_ENTRY_TABLE", "LLDP_NO_TABLE"},
		{"lldp=lldp,", "lldp='disabled',"}, {"lldpcli", "no-lldpcli"}};
	struct buf b;
	size_t i;

	buf_init(&b, OUTPUT_CAP);
	while (*text) {
		for (i = 0; i < 3 && !str_starts(text, words[i][0]); i++)
			;
		if (i < 3)
			(void)buf_adds(&b, words[i][1]);
		else
			(void)buf_add(&b, text, 1);
		text += i < 3 ? strlen(words[i][0]) : 1;
	}
	return buf_take(&b, NULL);
}

static struct reply *make(struct stand_in *d, const struct question *q)
{
	const struct personality *p = personality_for(dialects[q->kind]);
	struct reply *r = mem_calloc(1, sizeof(*r));
	bool is_payload = str_eq(q->command, RESPONDER_PAYLOAD);
	char *command = without_neighbours(is_payload ? d->payload : q->command);
	char *input = without_neighbours(is_payload ? d->payload_input : q->input);
	struct buf out, err;

	buf_init(&out, OUTPUT_CAP);
	buf_init(&err, OUTPUT_CAP);
	sim_request_begin(d->sim, d->device, false);
	r->status = p->exec(d->ctx, d->device, command, input, &out, &err);
	(void)sim_request_end(d->sim);
	r->out = buf_take(&out, &r->len);
	r->err = buf_take(&err, &r->err_len);
	r->users = 1;
	free(command);
	free(input);
	return r;
}

/* The difference that a filter would report. */
static void compare(struct reply *r, const struct reply *before)
{
	struct buf b;

	buf_init(&b, OUTPUT_CAP);
	r->tokens = delta_tokens(r->out, r->len);
	if (before && delta_make(before->out, before->len, r->out, r->len, &b, &r->sum) &&
		b.len < r->len)
		r->delta = buf_take(&b, &r->delta_len);
	buf_free(&b);
}

struct reply *answers_get(struct answers *a, int question, unsigned seq)
{
	struct question *q = &a->question[question];
	struct stand_in *d = &a->of[q->kind];
	struct reply **place;

	while (seq >= q->made) {
		int64_t at_us = q->first_us + q->made * a->step_us;

		if (!q->made)
			q->first_us = d->now_us;
		else if (at_us > d->now_us)
			d->now_us = at_us;
		sim_advance_device(d->sim, d->device, d->now_us);
		place = &q->at[q->made % KEPT];
		if (*place)
			reply_drop(*place);
		*place = make(d, q);
		(*place)->n = q->made;
		compare(*place, q->made ? q->at[(q->made - 1) % KEPT] : NULL);
		q->made++;
	}
	if (q->made - seq > KEPT)
		seq = q->made - KEPT;
	place = &q->at[seq % KEPT];
	(*place)->users++;
	return *place;
}

void reply_drop(struct reply *r)
{
	if (--r->users)
		return;
	free(r->out);
	free(r->err);
	free(r->delta);
	free(r);
}
