/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_TORTURE_FAIL_CALLS_H
#define TESTS_SUPPORT_TORTURE_FAIL_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs a program in which one system call fails. The kernel asks us before each call that may fail
 * (seccomp user notification, Linux 5.6), so it works for every library and for sanitizers, leaks
 * included. Calls are counted over all threads, from the first open of a certain file on: what the
 * loader does before is not of interest.
 */
enum call_fault {
	CALL_EIO,    /* reads, writes, syncs, stats of a dying disk */
	CALL_ENOSPC, /* writes, syncs, new files on a full one */
	CALL_SHORT,  /* a read or write does half */
	CALL_EINTR,  /* a signal comes first */
	CALL_EMFILE, /* a new descriptor */
	CALL_EAGAIN, /* a new thread */
	CALL_EACCES, /* opens, links, renames, unlinks */
	CALL_RESET,  /* a connection is gone: reads, writes and connects of sockets */
	CALL_FAULTS
};

struct fail_calls {
	const char *const *argv; /* NULL-ended */
	const char *from;        /* the end of the path whose open begins the count; "" at once */
	const char *only;        /* part of the path of the file that calls are about; NULL: any */
	enum call_fault fault;
	unsigned n; /* the call that fails, from 1 */
	int seconds;
	/* The result. */
	bool here;     /* false: this kernel or user may not do it */
	bool failed;   /* a call was made to fail */
	char call[32]; /* its name, and of which file, where it has one */
	char path[256];
	unsigned seen;   /* calls that might have failed */
	int code;        /* exit status, 128 + signal, -1: it did not end in time */
	char *out, *err; /* the caller frees */
};

void fail_calls_run(struct fail_calls *f);

extern const char *const call_fault_names[CALL_FAULTS];

#endif
