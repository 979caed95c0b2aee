/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_ACCEPTANCE_MEASURE_H
#define APP_ACCEPTANCE_MEASURE_H

#include "actions/manager/manager.h"
#include "app/acceptance/baselines.h"
#include "app/headless/headless.h"
#include "diagnosis/acceptance/acceptance.h"

/*
 * The measurement of a host by perftest: the actions perftest-serve on a partner and perftest-run
 * on the host, with their guards and lines of the ledger. A refusal or a failure is no error of the
 * run: it becomes a row of the certificate. All functions but measure_begin() allow NULL.
 */
struct measure;

/* at: a host, or the port of a link with a host at one end. NULL with err: ERR_REFUSED, ERR_USAGE.
 */
struct measure *measure_begin(
	const struct collected *c, const struct options *o, struct ref at, struct err *err);
void measure_close(struct measure *m);
/* Ten times a second. True: it is over, and the counters were polled once more. */
bool measure_turn(struct measure *m, const struct collected *c, bool interrupted);

bool measure_refused(const struct measure *m);
const char *measure_partner(const struct measure *m); /* "": none */
const char *measure_act(const struct measure *m);     /* id of the act that measured; "" */
const char *measure_ledger(const struct measure *m);
/* Appends the rows of ACCEPT_TRAFFIC. */
void measure_rows(const struct measure *m, const struct model *model, const baseline_vec *base,
	accept_vec *rows);
/* Adds the results to a file of baselines. */
bool measure_store(
	const struct measure *m, const struct model *model, const char *path, struct err *err);

#endif
