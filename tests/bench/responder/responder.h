/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_RESPONDER_RESPONDER_H
#define TESTS_BENCH_RESPONDER_RESPONDER_H

#include <libssh/libssh.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/bench/responder/kinds.h"

/*
 * The program: an SSH server for all of loopback in one thread. Whatever a dialect asks is asked of
 * one emulated device of the kind; every further time that a session asks it, the counters are a
 * step older. So all sessions share the answers, and most cost the server nothing to make.
 */
struct reply {
	char *out, *err;
	size_t len, err_len;
	int status;
	unsigned users; /* freed by the last */
};

/* Different questions that devices may be asked. */
#define QUESTIONS_MOST 128

struct answers;
/* NULL: standard error says why. dir has the payload's words. */
struct answers *answers_new(const char *dir, int64_t step_us);
/* The number of a question (below QUESTIONS_MOST), -1: too many of them. */
int answers_question(
	struct answers *a, enum responder_kind kind, const char *command, const char *input);
/* Whether the answer has no end. */
bool answers_followed(const char *command);
/* Whether the command takes its input to the end before it answers. */
bool answers_reads_input(enum responder_kind kind, const char *command);
/*
 * What is answered the seq-th time (from 0) that a session asks this. Made when the first session
 * comes so far, then the same for all. The caller is a user of it until reply_drop().
 */
struct reply *answers_get(struct answers *a, int question, unsigned seq);
void reply_drop(struct reply *r);

struct serve_opts {
	int listener;
	int life; /* ends when there is something to read: the end of it */
	ssh_key host, user;
	struct answers *answers;
	int64_t think_us; /* before each answer */
};
/* False: it could not begin. */
bool serve(const struct serve_opts *o);

#endif
