/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_BED_H
#define TESTS_BENCH_DIAGNOSIS_BED_H

#include "diagnosis/engine/diagnosis.h"
#include "fabric/plan/plan.h"

/*
 * A model and a diagnosis that read observation lines as the console does: parse, apply, note, run.
 * A sweep's losses are made here and by the source of the lines.
 */
struct sweep {
	const char *name;
	double lost;                /* share of polls of a device that never arrive */
	double silent;              /* share of devices that never report anything */
	bool no_hosts, no_switches; /* no device of these reports anything */
	double jitter;              /* of the interval, both ways: by the source of the lines */
	unsigned coarse;            /* polls in one: by the source of the lines */
	bool frames_only;           /* no pause durations */
	bool reset; /* every device clears its counters in the fault: by the source of the lines */
};
extern const struct sweep sweep_none;
extern const struct sweep sweeps[]; /* the named ones */
extern const size_t sweep_count;

struct bed {
	struct model *m;
	struct diag *d;
	const struct sweep *sweep;
	bool *touched; /* devices of the poll at hand */
	size_t ntouched;
	unsigned salt; /* another one makes other devices silent; 0 */
	unsigned poll;
	uint64_t lines, refused;
	char complaint[256]; /* of the first line that was refused */
	/* Sees each line before the model does; NULL: none. */
	void (*tap)(void *ctx, const char *text, size_t len);
	void *tap_ctx;
	/* CPU of notes and run: of the last poll, of the worst, of all. */
	int64_t last_us, worst_us, total_us;
};

/* Whether the device never reports anything in this sweep. */
bool bed_is_silent(const struct bed *b, const char *device);

void bed_open(struct bed *b, const struct plan *plan, const struct sweep *sweep);
void bed_close(struct bed *b);
void bed_line(void *bed, const char *text, size_t len);
/* The poll is over: notes the devices that reported, and judges. */
void bed_poll(struct bed *b, int64_t now_us);
/* With VERBOSE set: prints the state and the open findings, beside the time. */
void bed_print(const struct bed *b, int64_t t_us);
/* 0 up to below 1, equal for equal arguments. Draws the lost, silent and late devices. */
double chance(const char *name, unsigned n, unsigned salt);

#endif
