/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/responder/responder.h"

#define FUNCTIONS 16

/* The filter's memory of the last answer. */
struct last {
	bool known;
	unsigned n, seq;
	uint32_t sum;
};

struct kept {
	char word[64];
	char *function[FUNCTIONS];
	struct last last[FUNCTIONS];
	unsigned f, seq; /* of the question that is answered */
	bool whole;      /* all of it is wanted */
	bool filter, greeted;
	bool differs;        /* the last answer was a difference */
	unsigned beside_seq; /* of the question that is answered past the filter */
};

bool kept_begins(const char *command, const struct buf *in)
{
	return str_eq(command, "sh -s") && in->data && str_starts(in->data, "N=") &&
	       strstr(in->data, "\nexec 3>&1\n");
}

struct kept *kept_new(void)
{
	return mem_calloc(1, sizeof(struct kept));
}

void kept_free(struct kept *k)
{
	for (int i = 0; k && i < FUNCTIONS; i++)
		free(k->function[i]);
	free(k);
}

static void consume(struct buf *in, size_t n)
{
	memmove(in->data, in->data + n, in->len - n + 1);
	in->len -= n;
}

/* Consumes the lines that start the filter, up to the end of it. */
static bool start_filter(struct kept *k, struct buf *in)
{
	static const char last[] = "\nelse printf '%s 0\\n' \"$N\"\nfi\n";
	char *end = strstr(in->data, last);

	if (k->filter || !end)
		return false;
	consume(in, (size_t)(end - in->data) + sizeof(last) - 1);
	k->filter = true;
	return true;
}

/* Consumes the greeting, up to the line that prints the word. */
static bool greet(struct kept *k, struct buf *in)
{
	static const char last[] = "\nprintf '%s\\n' \"$N\"\n";
	char *end = strstr(in->data, last);
	size_t n = strcspn(in->data + 2, "\n");

	(void)str_copyn(k->word, sizeof(k->word), in->data + 2,
		n < sizeof(k->word) ? n : sizeof(k->word) - 1);
	if (start_filter(k, in))
		return true;
	if (!end)
		return false;
	consume(in, (size_t)(end - in->data) + sizeof(last) - 1);
	k->greeted = true;
	return true;
}

/* Behind a function comes the question that it is told for. */
static char *end_of_function(char *from)
{
	char *end = strstr(from, "\n}\n");

	while (end && !str_starts(end + 3, "r ") && !str_starts(end + 3, "q "))
		end = strstr(end + 1, "\n}\n");
	return end;
}

static bool next_beside(struct kept *k, struct buf *in, struct kept_line *line)
{
	char *end = in->len ? strchr(in->data, '\n') : NULL;
	unsigned f;

	if (!end || sscanf(in->data, "q %u %u >&4", &f, &k->beside_seq) != 2 || f >= FUNCTIONS ||
		!k->function[f])
		return false;
	line->script = k->function[f];
	line->beside = true;
	consume(in, (size_t)(end - in->data) + 1);
	return true;
}

/* The lines that say that the console is still there, which have no answer. */
static void skip_beats(struct buf *in)
{
	while (in->len && str_starts(in->data, "h\n"))
		consume(in, 2);
}

bool kept_next(struct kept *k, struct buf *in, struct kept_line *line)
{
	char *end, mode = '\0';
	unsigned f;

	*line = (struct kept_line){.script = NULL};
	if (!k->greeted)
		return greet(k, in);
	skip_beats(in);
	while (in->len && sscanf(in->data, "f%u() {", &f) == 1 && f < FUNCTIONS) {
		char *from = strchr(in->data, '\n');

		end = from ? end_of_function(from) : NULL;
		if (!end)
			return false;
		free(k->function[f]);
		k->function[f] = mem_strndup(from + 1, (size_t)(end - from - 1));
		consume(in, (size_t)(end - in->data) + 3);
	}
	if (next_beside(k, in, line))
		return true;
	end = in->len ? strchr(in->data, '\n') : NULL;
	if (!end || sscanf(in->data, "r %u %u %c", &k->f, &k->seq, &mode) < 2 ||
		k->f >= FUNCTIONS || !k->function[k->f])
		return false;
	k->whole = mode == 'w';
	line->script = k->function[k->f];
	consume(in, (size_t)(end - in->data) + 1);
	return true;
}

/* Adds the filter's bytes in front of the mark, and its additions to the mark. */
static void add_filtered(struct kept *k, const struct reply *r, struct buf *b, char mark[64])
{
	struct last *l = &k->last[k->f];
	bool differs = !k->whole && l->known && r->delta && r->n == l->n + 1;

	l->sum = differs ? (l->sum + r->sum) % 1000003 : 0;
	(void)str_printf(
		mark, 64, " %u %zu %u %u", r->tokens, r->len, l->sum, differs ? l->seq : 0);
	k->differs = differs;
	if (differs)
		(void)buf_add(b, r->delta, r->delta_len);
	else
		(void)buf_add(b, r->out, r->len);
	*l = (struct last){.known = true, .n = r->n, .seq = k->seq, .sum = l->sum};
}

static struct reply *framed_of(struct buf *b)
{
	struct reply *framed = mem_calloc(1, sizeof(*framed));

	framed->users = 1;
	framed->out = buf_take(b, &framed->len);
	framed->err = mem_strdup("");
	return framed;
}

struct reply *kept_frame_beside(const struct kept *k, struct reply *r)
{
	struct buf b;

	buf_init(&b, (size_t)64 << 20);
	(void)buf_addf(&b, "%s %u\n", k->word, k->beside_seq);
	(void)buf_add(&b, r->out, r->len);
	(void)buf_addf(&b, "\n%s %u %d\n", k->word, k->beside_seq, r->status);
	(void)buf_add(&b, r->err, r->err_len);
	(void)buf_addf(&b, "\n%s\n", k->word);
	reply_drop(r);
	return framed_of(&b);
}

struct reply *kept_frame(struct kept *k, struct reply *r)
{
	bool asked = r != NULL;
	char mark[64] = "";
	struct reply *framed;
	struct buf b;

	buf_init(&b, (size_t)64 << 20);
	if (r) {
		if (k->filter)
			add_filtered(k, r, &b, mark);
		else
			(void)buf_add(&b, r->out, r->len);
		(void)buf_addf(&b, "\n%s %u %d%s\n", k->word, k->seq, r->status, mark);
		(void)buf_add(&b, r->err, r->err_len);
		(void)buf_addf(&b, "\n%s\n", k->word);
		reply_drop(r);
	} else {
		(void)buf_addf(&b, "%s%s\n", k->word, k->greeted ? "" : " 1");
	}
	framed = framed_of(&b);
	framed->differs = asked && k->differs;
	return framed;
}
