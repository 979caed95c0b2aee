/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_RESPONDER_RESPONDER_H
#define TESTS_BENCH_RESPONDER_RESPONDER_H

#include <libssh/libssh.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#include "tests/bench/responder/kinds.h"

/*
 * The program: an SSH server for all of loopback, in one or more processes of one thread each. The
 * kernel shares the connections out among them. One emulated device of the kind answers every
 * question of a dialect. Each further time that a session asks it, the counters are a step older.
 * So all sessions of a process share the answers, and most cost nothing to make.
 */
struct reply {
	char *out, *err;
	size_t len, err_len;
	int status;
	unsigned users; /* freed by the last */
	unsigned n;     /* how many came before it to the same question */
	/* The difference from the answer before, as tests/support/incremental/delta_make.h; NULL:
	 * too much differs. */
	char *delta;
	size_t delta_len;
	bool differs; /* out has this difference only */
	uint32_t tokens, sum;
};

/* Different questions that devices may be asked. */
#define QUESTIONS_MOST 128

struct answers;
/* NULL: the reason is on standard error. dir has the payload's command. */
struct answers *answers_new(const char *dir, int64_t step_us);
/* The number of a question (below QUESTIONS_MOST), -1: too many of them. */
int answers_question(
	struct answers *a, enum responder_kind kind, const char *command, const char *input);
/* Whether the answer has no end. */
bool answers_followed(const char *command);
/* Whether the command takes its input to the end before it answers. */
bool answers_reads_input(enum responder_kind kind, const char *command);
/*
 * The seq-th answer (from 0) to this question in a session. Made when the first session comes so
 * far, then the same for all. The caller is a user of it until reply_drop().
 */
struct reply *answers_get(struct answers *a, int question, unsigned seq);
void reply_drop(struct reply *r);

/*
 * kept.c: `sh -s` that is kept for many questions, as railtop keeps one. Its input has a word that
 * ends answers ("N=..."), scripts as functions ("f0() {"), and questions ("r 0 7": function,
 * number). Only these are understood, because a real shell would add costs that the bench does not
 * measure. The filter comes first ("if ... awk"): it is known by its place, and done in C.
 */
struct kept;
struct kept_line {
	const char *script; /* the question; NULL: only a greeting */
	bool beside;        /* it is answered past the filter */
};
bool kept_begins(const char *command, const struct buf *in);
struct kept *kept_new(void);
void kept_free(struct kept *k);
/* Takes the next question out of in. False: there is none yet. */
bool kept_next(struct kept *k, struct buf *in, struct kept_line *line);
/* The reply as the shell prints it, instead of r, which is dropped; NULL: the greeting. */
struct reply *kept_frame(struct kept *k, struct reply *r);
/* The same for an answer past the filter. */
struct reply *kept_frame_beside(const struct kept *k, struct reply *r);
struct serve_opts {
	int listener;
	int life; /* ends when there is something to read: the end of it */
	ssh_key host, user;
	struct answers *answers;
	int64_t think_us; /* before each answer */
	struct responder_counts *counts;
};
/* False: it could not begin. */
bool serve(const struct serve_opts *o);

#endif
