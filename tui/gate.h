/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_GATE_H
#define TUI_GATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The frame gate without input or output: the time of the question, the state of the answer, and
 * the deadline. All times are monotonic microseconds given by the caller.
 */
#define GATE_QUESTION "\033[5n" /* DSR, ECMA-48 8.3.35; the answer is CSI 0 n (or CSI 3 n) */
/* A terminal without any answer after this time does not know the question. */
#define GATE_FIRST_US INT64_C(2000000)
/*
 * A terminal that did answer before may be slow (10 kB at 2,400 B/s take 4 s) or may have lost the
 * answer (a detached multiplexer): after this long one frame is sent without it.
 */
#define GATE_LOST_US INT64_C(10000000)

struct gate {
	bool on;
	bool answered; /* at least once */
	unsigned outstanding;
	int64_t asked; /* when the newest question was sent */
	int64_t rtt;   /* of the last answer, -1 unknown */
};

void gate_init(struct gate *g, bool on);
/* Whether a frame may be sent now. Stops waiting after the deadline. */
bool gate_open(struct gate *g, int64_t now);
/* A frame and its question were sent. */
void gate_asked(struct gate *g, int64_t now);
/* An answer came; it may be late or unsolicited. */
void gate_answer(struct gate *g, int64_t now);
/* When gate_open() stops waiting; INT64_MAX while nothing is waited for. */
int64_t gate_deadline(const struct gate *g);

#endif
