/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_KINDS_PERFTEST_H
#define ACTIONS_KINDS_PERFTEST_H

#include "actions/kinds/action.h"

/*
 * Measurements of an idle host by perftest (Debian's package of that name). perftest-serve begins
 * servers on the partner, perftest-run measures each rail of the host against them, one after the
 * other. Nothing stays: each program ends by itself.
 */

/* The host at the other end. host: its name in the inventory. */
struct perftest_partner {
	const char *host;
	const char *address; /* as the measured host reaches it; NULL: that of the inventory */
};

#define PERFTEST_NICS 16
/* The TCP port of a rail's first program: each rail has two. The first is perftest's own. */
#define PERFTEST_TCP_PORT(rail) (18515u + (unsigned)PERFTEST_TOOLS * (unsigned)(rail))

/*
 * The NICs of a host that have a rail and RDMA, by rail; only: just this one, NULL all. Returns
 * their number, at most PERFTEST_NICS.
 */
size_t perftest_nics(const struct model *m, const struct device *d, const struct port *only,
	const struct port *nics[PERFTEST_NICS]);
/*
 * Another host for a measurement: it answers, no job is known on it, and its NIC of the rail is up;
 * one on the same leaf first. NULL: none.
 */
const struct device *perftest_choose(const struct model *m, const struct device *d);

/* wants() and steps of both actions. */
bool perftest_wants(
	const struct place_of_action *at, enum verb v, struct order *look, struct err *err);
bool perftest_ready(const struct place_of_action *at, const struct condition *now, struct err *err);
struct order perftest_order(const struct place_of_action *at, enum verb v, const struct port *nic);

#endif
