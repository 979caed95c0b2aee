/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SCREENS_FIXTURE_H
#define TESTS_SCREENS_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * The ref256 fabric as observation lines, made by formula, so that screens can be compared letter
 * by letter: four samples five seconds apart, and these things wrong:
 * - node007:mlx5_2 sends PFC without end, leaf-r2-00:Ethernet28 suffers; its watchdog fired
 * - rank 19 of the job pretrain (node000 to node003) has stopped launching operations
 * - leaf-r5-00:Ethernet48 to node012 is down; it flapped before
 * - leaf-r1-00:Ethernet160 has a bad optic: pre-FEC BER 2e-5, uncorrectable codewords
 * - leaf-r3-00:Ethernet80 drops on the lossless priority; its session with spine-002 is down
 * - leaf-r6-00 does not count ECN marks: that is switched off
 * - node019 has not answered for ten seconds
 * - node004 and node005 are swapped on rail 6
 */
bool fixture_observations(FILE *out, unsigned samples);
/* The same fabric with the storm of node007:mlx5_2 as the only thing wrong. */
bool fixture_storm(FILE *out, unsigned samples);
/* The inventory that goes with it. */
bool fixture_inventory(FILE *out);

/* Four samples and the inventory in a directory of their own: *state of cmocka is that. */
struct fixture_files {
	char dir[64], observations[96], inventory[96];
};
int fixture_set_up(void **state);
int fixture_set_up_storm(void **state);
int fixture_tear_down(void **state);

#define FIXTURE_START 1795260000 /* epoch seconds of the first sample */
#define FIXTURE_STEP  5

#endif
