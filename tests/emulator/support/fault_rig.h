/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RAILTOP_TESTS_EMULATOR_FAULT_RIG_H
#define RAILTOP_TESTS_EMULATOR_FAULT_RIG_H

#include <stdint.h>

#include "emulator/sim/faults/faults.h"

/* Shared by the tests of faults. Every function that may fail ends the test. */

#define SEC INT64_C(1000000)

/* A steady ref256 at its start, with this seed. To be freed with sim_free(). */
struct sim *fault_sim(uint64_t seed);

/* The fixture: *state is the sim of seed 1. */
int fault_setup(void **state);
int fault_teardown(void **state);

/* The fault that was injected last. */
struct fault *fault_last(struct sim *s);

/* Injects spec, which must be right. */
void fault_inject(struct sim *s, const char *spec);

/* Ends the faults that `what` names (an id, a class, a name, "all"); expected is their number. */
void fault_heal(struct sim *s, const char *what, unsigned expected);

/* The state of a port, which must exist. */
struct port_state *fault_port(struct sim *s, const char *device, const char *port);

#endif
