/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SANDBOX_SANDBOX_H
#define BASE_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Takes rights away from the own process, for good: a filter of system calls (seccomp(2)) and a
 * list of places that may be written (landlock(7)). Both hold for all threads that are started
 * afterwards, so they begin while there is one thread. Neither needs a privilege. A kernel without
 * one of them leaves the other; sandbox_status() says which holds.
 */

enum sandbox_profile {
	SANDBOX_NONE,
	SANDBOX_FILES,   /* decodes files: no socket, no process, a list of allowed calls */
	SANDBOX_LOCAL,   /* the same, and sockets of this machine, for its lists of users */
	SANDBOX_DEVICES, /* speaks to devices: sockets; no program, no call that rules the machine
			  */
};

/* What may be done at a place and below it. */
enum sandbox_may {
	SANDBOX_WRITE = 1,      /* write to a file, or to the files that are there */
	SANDBOX_MAKE = 2,       /* make and remove files and directories, and write */
	SANDBOX_REMOVE_DIR = 4, /* remove an empty directory */
};

struct sandbox_place {
	const char *path; /* one that does not exist is left out */
	unsigned may;
};

struct sandbox_status {
	enum sandbox_profile profile;
	bool off;               /* this run was told to do without */
	bool no_core;           /* no core dump, and no debugger of the same user */
	bool no_new_privs;      /* set-user-ID programs gain nothing */
	bool calls;             /* the filter of system calls holds */
	bool places;            /* the list of places holds */
	int calls_error;        /* errno of a filter that the kernel refused; else 0 */
	int places_error;       /* the same of the places: ENOSYS, EOPNOTSUPP: not in this kernel */
	unsigned kernel_places; /* version of Landlock in this kernel; 0: none */
};

/* No core dump, which would hold the memory of devices' passwords; no new privileges. */
void sandbox_harden(void);
/*
 * Begins the filter. A call that no part of railtop makes ends the process with SIGSYS and a line
 * on standard error with the call's name. False: the kernel has no seccomp.
 */
bool sandbox_filter_calls(enum sandbox_profile profile);
/*
 * From now on files are written at these places only, and no program is started. Reading stays as
 * it is. With SANDBOX_FILES TCP is closed as well. False: the kernel has no Landlock.
 */
bool sandbox_limit_places(
	enum sandbox_profile profile, const struct sandbox_place *places, size_t n);
/* The same for a program that is started next: it may start others. */
bool sandbox_limit_program(const struct sandbox_place *places, size_t n);

struct sandbox_status sandbox_status(void);
#define SANDBOX_TEXT 256 /* enough for each of the texts below */
/*
 * What the sandbox of this run lacks, in words: "system calls are not filtered (...)", "files
 * elsewhere can be truncated (Landlock 2, 3 is needed)". "" and false: it is whole, or nothing of
 * it was begun.
 */
bool sandbox_missing(char *dst, size_t size);
/* For a run that was told to do without: it lacks all. */
void sandbox_switched_off(void);
/* One line about it: "calls: filtered; files: ...". */
void sandbox_status_text(char *dst, size_t size);
/* The abilities of this kernel: "system calls can be filtered; writes can be limited (...)". */
void sandbox_kernel_text(char *dst, size_t size);
/* The kernel's version of Landlock; 0: none. */
unsigned sandbox_kernel_places(void);

/*
 * "railtop: ended by the sandbox: the system call ptrace (101) is forbidden ...": safe in a handler
 * of SIGSYS, whose si_syscall is the call. Returns its length.
 */
size_t sandbox_refusal(int call, char *dst, size_t size);

#endif
