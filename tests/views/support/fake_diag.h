/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VIEWS_SUPPORT_FAKE_DIAG_H
#define TESTS_VIEWS_SUPPORT_FAKE_DIAG_H

#include "diagnosis/engine/diagnosis.h"
#include "tests/views/support/fixture.h"

/*
 * A diagnosis with findings put in by hand, in their order, without a model that shows them: tests
 * of views are separate from tests of detectors.
 */

/* Opens a finding; root 0: it is one itself. Good until the next call; fill in the rest. */
struct finding *fake_finding(
	struct diag *d, enum finding_id id, struct ref at, enum finding_role role, uint64_t root);
/* Closes it, as the newest that did; f is no longer valid. */
void fake_close(struct diag *d, struct finding *f, int64_t closed_us);
/* The report that diag_verdict() gives, to be filled in. */
struct verdict_report *fake_verdict(struct diag *d);
/* A node of the pause graph; toward UINT32_MAX: itself, a terminal. Returns its index. */
uint32_t fake_pause(struct diag *d, uint32_t port, uint32_t toward, int64_t since_us);
struct pause_graph *fake_pauses(struct diag *d);

#endif
