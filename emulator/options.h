/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_OPTIONS_H
#define EMULATOR_OPTIONS_H

#include "base/err.h"
#include "emulator/sim/sim.h"

/* The command line of railtop-emulator. Strings are the caller's argv. */
struct options {
	const char *preset, *topology; /* one of them */
	const char *dir, *listen, *scenario;
	const char *command_log;  /* NULL: none */
	const char *observations; /* NULL: none; "-": standard output */
	char interval[16];
	const struct sim_platform *platform[TIER_COUNT]; /* NULL: the preset's own */
	unsigned with;                                   /* mask of enum net_kind */
	uint64_t seed;
	unsigned mutate; /* percent of the answers */
	double speed;
	int64_t run_for;          /* wall time; 0: until it is stopped */
	int64_t observe_interval; /* device time */
	bool steady, silent_hosts, stdin_watch, die_with_parent, actions;
	const char **faults, **jobs; /* jobs: NULL-terminated */
	size_t nfaults, njobs;
};

/*
 * Reads the command line. ERR_USAGE names the option, the value and the allowed values; ERR_NONE:
 * help was requested. Call options_free() whatever the result is.
 */
bool options_read(struct options *o, int argc, char **argv, struct err *err);
void options_free(struct options *o);
void options_print_help(void);

#endif
