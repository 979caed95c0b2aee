/* SPDX-License-Identifier: Apache-2.0 */
/* calm.c over one half of the scenarios: a program of its own each, as it is minutes of a CPU. */
#include "tests/scenarios/calm.h"
#include "tests/support/cases.h"

CASE(no_verdict_is_calmer_than_its_evidence)
{
	calm_play('m', 'z');
}

CASES_MAIN(NULL, NULL)
