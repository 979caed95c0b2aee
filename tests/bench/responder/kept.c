/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/responder/responder.h"

#define FUNCTIONS 16

struct kept {
	char word[64];
	char *function[FUNCTIONS];
	unsigned f, seq; /* of the question that is answered */
	bool greeted;
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

/* All of what is said once, up to the line that prints the word. */
static bool greet(struct kept *k, struct buf *in)
{
	static const char last[] = "\nprintf '%s\\n' \"$N\"\n";
	char *end = strstr(in->data, last);
	size_t n = strcspn(in->data + 2, "\n");

	if (!end)
		return false;
	(void)str_copyn(k->word, sizeof(k->word), in->data + 2,
		n < sizeof(k->word) ? n : sizeof(k->word) - 1);
	consume(in, (size_t)(end - in->data) + sizeof(last) - 1);
	k->greeted = true;
	return true;
}

bool kept_next(struct kept *k, struct buf *in, struct kept_line *line)
{
	char *end;
	unsigned f;

	line->script = NULL;
	if (!k->greeted)
		return greet(k, in);
	while (in->len && sscanf(in->data, "f%u() {", &f) == 1 && f < FUNCTIONS) {
		char *from = strchr(in->data, '\n');

		end = from ? strstr(from, "\n}\nr ") : NULL;
		if (!end)
			return false;
		free(k->function[f]);
		k->function[f] = mem_strndup(from + 1, (size_t)(end - from - 1));
		consume(in, (size_t)(end - in->data) + 3);
	}
	end = in->len ? strchr(in->data, '\n') : NULL;
	if (!end || sscanf(in->data, "r %u %u", &k->f, &k->seq) != 2 || k->f >= FUNCTIONS ||
		!k->function[k->f])
		return false;
	line->script = k->function[k->f];
	consume(in, (size_t)(end - in->data) + 1);
	return true;
}

struct reply *kept_frame(const struct kept *k, struct reply *r)
{
	struct reply *framed = mem_calloc(1, sizeof(*framed));
	struct buf b;

	framed->users = 1;
	buf_init(&b, (size_t)64 << 20);
	if (r) {
		(void)buf_add(&b, r->out, r->len);
		(void)buf_addf(&b, "\n%s %u %d\n", k->word, k->seq, r->status);
		(void)buf_add(&b, r->err, r->err_len);
		(void)buf_addf(&b, "\n%s\n", k->word);
		reply_drop(r);
	} else {
		(void)buf_addf(&b, "%s\n", k->word);
	}
	framed->out = buf_take(&b, &framed->len);
	framed->err = mem_strdup("");
	return framed;
}
