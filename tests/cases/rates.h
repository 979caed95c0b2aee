/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_RATES_H
#define TESTS_CASES_RATES_H

#include "diagnosis/engine/diagnosis.h"
#include "fabric/plan/plan.h"
#include "tests/bench/diagnosis/bed.h"

/*
 * A fabric from an inventory and a wiring file, whose ports report constant rates until they are
 * set anew. The lines pass the console's own reader of observations, and every poll of 5 s is
 * judged. So a report that was read wrongly becomes a test in a few lines.
 */
#define RATES_INTERVAL_S 5
#define RATES_SPEED_MBPS 400000

struct port_rates {
	double tx, rx;      /* shares of the speed */
	double held, holds; /* shares of the time: paused by the peer, pausing the peer */
	double marked;      /* packets a second that the egress marks; switches only */
	double queue;       /* bytes, the peak; switches only */
	double drops;       /* packets a second that the priority group drops; switches only */
	double other;       /* share of the speed that a NIC sends on the priority without RDMA */
	double cnp_sent, cnp_handled, marks_received; /* a second; NICs only */
};

struct rates;
/* Port names of hosts begin with "mlx5_". Both texts are written to files of a directory. */
struct rates *rates_new(const char *inventory, const char *wiring);
void rates_free(struct rates *r);
struct port_rates *rates_of(struct rates *r, const char *device, const char *port);
/* Sets all ports of the wiring. */
void rates_all(struct rates *r, struct port_rates value);
/*
 * Polls n times. After each poll the test fails when the verdict is calmer than its evidence: a
 * critical finding, a failed check or many paused ports beside a state that says less.
 */
void rates_poll(struct rates *r, unsigned n);

/* "l1:1" or "h1"; NULL: no such finding is open. */
const struct finding *rates_found(const struct rates *r, const char *id, const char *at);
/* The first finding of the list, NULL: none. Of culprits alone, nth counts from 0. */
const struct finding *rates_culprit(const struct rates *r, size_t nth);
size_t rates_culprits(const struct rates *r);
const struct verdict_report *rates_verdict(const struct rates *r);
const struct model *rates_model(const struct rates *r);
/* Prints the open findings to stderr. */
void rates_print(const struct rates *r);
/* Fails, and prints the findings, unless the nth culprit has that name and place. */
void rates_expect(const struct rates *r, size_t nth, const char *id, const char *at);

#endif
