/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_LAB_H
#define TESTS_INTEGRATION_SUPPORT_LAB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The emulated fabric as a child process, and railtop run against it, as a user would. */
struct lab {
	pid_t pid;
	int in, out;
	char dir[64];
	char inventory[128];
};

/* Starts the emulator with these further arguments (NULL-terminated); fails the test otherwise. */
void lab_start(struct lab *l, const char *const *args);
/* Ends it, asserts that it ended well, removes its directory. */
void lab_stop(struct lab *l);

struct lab_output {
	int code;        /* exit status; 128 + signal */
	char *out, *err; /* NUL-terminated, freed by lab_output_free() */
	size_t out_len;
};
/* Runs build/railtop with the arguments (NULL-terminated), at most `seconds`, which only a hang may
 * meet; fails the test beyond. */
struct lab_output lab_railtop(const char *const *args, int seconds);
void lab_output_free(struct lab_output *o);

/* Parses or fails the test, showing the beginning of the text. */
json_t *lab_json(const char *text);
json_t *lab_truth(const struct lab *l);
/* The device, or the port (by name or netdev) of a snapshot; NULL when there is none. */
json_t *lab_device(json_t *snapshot, const char *name);
json_t *lab_port(json_t *device, const char *name);
/* Number at counters.NAME.KEY, or counters.NAME.PRIO.KEY; NAN when null or absent. */
double lab_counter(json_t *port, const char *counter, const char *priority, const char *key);
const char *lab_validity(json_t *port, const char *counter, const char *priority);
/* Events of a kind for a device. */
unsigned lab_events(json_t *snapshot, const char *device, const char *kind);

#endif
