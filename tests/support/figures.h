/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_FIGURES_H
#define TESTS_SUPPORT_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Figures of a bench: a table on standard output and build/bench/NAME.json with
 * {"figures":[{"name","value","unit","target","ok"}],"machine":...}.
 */
struct figures;

struct figures *figures_new(const char *name);
/*
 * QUICK=1: it is only to be seen that a bench can measure, within a second or so. It takes as
 * little as it can of everything; a bound is not missed, and no file is written.
 */
bool figures_quick(void);
unsigned figures_times(unsigned otherwise, unsigned quick);
/* target: at most; 0 means that there is none. */
void figure(struct figures *f, const char *name, double value, const char *unit, double target);
/* target: at least; the second one must be 0. An unknown value (NAN) misses. */
void figure_least(
	struct figures *f, const char *name, double value, const char *unit, double target);
void figure_none(struct figures *f, const char *name, double value, const char *unit);
/* Writes the file, frees; false when a figure missed its target or the file cannot be written. */
bool figures_end(struct figures *f);

/* CPU time of this thread. */
double thread_cpu_us(void);
/* The middle one of n values, which are in their order then. */
double median_of(double *values, size_t n);

#endif
