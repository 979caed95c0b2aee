/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_TREE_H
#define TESTS_BENCH_LOAD_TREE_H

#include <stdbool.h>
#include <sys/types.h>

/* The cost of a program and all processes that it starts. */
struct tree_cost {
	bool ok;              /* it ended in time, with status 0 */
	double cpu_s, wall_s; /* user and system, of all that were waited for */
	double peak_mb;       /* proportional: memory shared by processes counts once; sampled */
};

/* Runs argv in a session of its own; it is killed after limit_s seconds. */
struct tree_cost tree_run(const char *const *argv, double limit_s);

/* CPU seconds that a process has used so far, all its threads, exactly; 0 when it is gone. */
double tree_cpu_of(pid_t pid);
/* Proportional memory of a process, MB. */
double tree_memory_of(pid_t pid);

#endif
