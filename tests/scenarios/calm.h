/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SCENARIOS_CALM_H
#define TESTS_SCENARIOS_CALM_H

/* The scenarios with names that begin with these letters; SCENARIO: only files of that name. */
void calm_play(char from, char to);

#endif
