/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_RESPONDER_H
#define TESTS_BENCH_LOAD_RESPONDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/plan/plan.h"
#include "tests/bench/load/program.h"
#include "tests/bench/responder/kinds.h"

/*
 * Starts and stops a lean SSH server (tests/bench/load/responder): thousands of devices on loopback
 * that answer with bytes which the emulator made beforehand, so that a bench measures the client
 * and not the emulator. It is a program of its own, because the emulator and the dialects share
 * names.
 */
struct responder_opts {
	int64_t step_us;  /* of device time between two answers; 0: 5 s */
	int64_t think_us; /* before each answer */
	unsigned workers; /* processes, 0: one; see responder_workers() */
};

struct responder {
	/*
	 * With id_ed25519, known_hosts of one line, an empty ssh_config, and host.reply and
	 * switch.reply: the first answer to RESPONDER_PAYLOAD.
	 */
	char dir[64];
	const struct responder_counts *counts;
	unsigned port;
	struct program program;
};

/* False: the reason is on standard error. */
bool responder_start(struct responder *r, const struct responder_opts *o);
void responder_stop(struct responder *r);
/* As many as n devices need, each with two descriptors in it, for the limit that we have. */
unsigned responder_workers(unsigned n);
/* CPU seconds of all of its processes so far. */
double responder_cpu_s(const struct responder *r);

/* "127.60.0.1": of the i-th device, i < 62500. */
void responder_address(enum responder_kind kind, unsigned i, char *dst, size_t size);
/* Adds n devices of the kind that are reached here: node00000, leaf-00000. */
void responder_plan(
	const struct responder *r, enum responder_kind kind, unsigned n, struct plan *plan);
/* The bytes of a first answer; the caller frees. Exits when they cannot be read. */
char *responder_reply(const struct responder *r, enum responder_kind kind, size_t *len);

#endif
