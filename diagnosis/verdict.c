/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/verdict.h"

#include <string.h>

const char *verdict_name(enum verdict v)
{
	static const char *const names[VERDICT_COUNT] = {
		"unknown", "network", "gpu", "storage", "application"};

	return (unsigned)v < VERDICT_COUNT ? names[v] : names[0];
}

void verdict_make(struct verdict_report *out, const struct diag *d, const struct model *m,
	uint32_t job, int64_t now_us)
{
	(void)d, (void)m, (void)job, (void)now_us;
	verdict_free(out);
}

void verdict_free(struct verdict_report *v)
{
	vec_free(&v->evidence);
	vec_free(&v->proof);
	memset(v, 0, sizeof(*v));
}
