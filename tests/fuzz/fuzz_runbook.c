/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a runbook. Any text is refused with a problem, or has steps that end. */
#include <stdint.h>
#include <stdlib.h>

#include "app/config/runbooks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *ctx, const struct err *problem)
{
	if (!problem->text[0])
		abort();
	++*(unsigned *)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum step_outcome outcomes[] = {STEP_PASS, STEP_FAIL, STEP_UNKNOWN};
	unsigned problems = 0;
	struct runbook *b = runbook_parse("input", (const char *)data, size, count, &problems);

	if (!b == !problems)
		abort();
	for (size_t i = 0; b && i < b->steps.n; i++) {
		const struct runbook_step *s = &b->steps.at[i];

		/* A person or a query can judge it, and each outcome leads somewhere. */
		if ((!s->query && !s->question[0]) || (s->query && !s->view))
			abort();
		for (size_t o = 0; o < 3; o++)
			if (runbook_step_after(b, i, runbook_step_next(s, outcomes[o])) >
				b->steps.n)
				abort();
	}
	runbook_free(b);
	return 0;
}
