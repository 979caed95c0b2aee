/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SANDBOX_CONFINE_H
#define APP_SANDBOX_CONFINE_H

#include "app/options/options.h"
#include "base/sandbox/sandbox.h"

struct plan;

/*
 * The sandbox of a run: which profile of base/sandbox/sandbox.h, and which places. The table is
 * profiles.def. main() begins it before the subcommand runs, while there is one thread.
 *
 * A subcommand that writes a ledger learns its place from the inventory. Its places begin to hold
 * in confine_plan(), which is after the inventory was read and before any device is asked.
 *
 * RAILTOP_SANDBOX=off is for developers: no sandbox, and core dumps as the shell says. Each run
 * says so, and --noc, --read-only and --execute refuse it.
 */

/* The profile for that command line. */
enum sandbox_profile confine_profile(const struct options *o);

/* Begins it. extra: one more directory to write into, NULL: none. False with err. */
bool confine_begin(const struct options *o, const char *extra, struct err *err);
/* Whether main() leaves the beginning to the subcommand. */
bool confine_is_late(const struct options *o);
/* Each reader of an inventory calls it. Closes the list of commands that run outside, and begins
 * the places if they wait for the ledger's. Without a sandbox it does nothing. */
void confine_plan(const struct plan *plan);
/* The run's temporary directory, which TMPDIR names; NULL: it has none. */
const char *confine_scratch(void);
/* Removes it. */
void confine_end(void);

/*
 * Where a file may be written that was named after the start: name itself if its directory is one
 * of the places, or has none and is a bare name: then in the state directory. False with err and
 * the cure. Without a sandbox the name stays.
 */
bool confine_output(const char *name, char *dst, size_t size, struct err *err);

#endif
