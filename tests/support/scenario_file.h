/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_SCENARIO_FILE_H
#define TESTS_SUPPORT_SCENARIO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * A labelled scenario: a file that railtop-emulator takes as --scenario, with lines that begin with
 * #! for this suite. README.md has the grammar.
 */
enum { SCENARIO_CHECKS = 48, SCENARIO_LABELS = 8, SCENARIO_SEEDS = 8, SCENARIO_SHAPES = 6 };

struct scenario_label {
	char class[32];
	char entity[64]; /* "leaf-r0-00:Ethernet4", "node003"; "*": any */
};

/*
 * A claim of a check about the harm of a fault: its number, from 1, and the count it is compared
 * with.
 */
struct scenario_harm {
	unsigned line, fault;
	char what[16]; /* "ports", "nics", "jobs", "innocent" */
	char op;
	double value;
};

struct scenario_check {
	unsigned line;
	int64_t from, to; /* after the start, microseconds */
	char metric[32], entity[64];
	char op; /* '<' or '>' */
	double value;
	/* With relative: value times the metric's own value over [ref_from, ref_to]. */
	bool relative;
	int64_t ref_from, ref_to;
};

struct scenario {
	char path[256];
	char presets[2][16];
	unsigned npresets;
	char unfit[SCENARIO_SHAPES][16]; /* shapes on which the fault makes no sense */
	unsigned nunfit;
	uint64_t seed[SCENARIO_SEEDS];
	unsigned nseeds;
	int64_t length; /* until when it runs */
	struct scenario_label label[SCENARIO_LABELS];
	unsigned nlabels;
	struct scenario_harm harm[SCENARIO_LABELS];
	unsigned nharms;
	struct scenario_check check[SCENARIO_CHECKS];
	unsigned nchecks;
};

/*
 * The fabrics of topologies/ that the scenario can be played on: all but those of its line
 * "#! not". Puts them into shape[], in a fixed order; returns their number.
 */
unsigned scenario_shapes(const struct scenario *s, const char *shape[SCENARIO_SHAPES]);
/* ERR_CONFIG with file and line: the error in the #! lines. */
bool scenario_read(struct scenario *s, const char *path, struct err *err);

#endif
