/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/trace.h"

#include <string.h>

const char *hop_step_name(enum hop_step s)
{
	static const char *const names[HOP_STEP_COUNT] = {
		"rank", "gpu", "nic", "host_port", "leaf_port", "uplink", "spine_port"};

	return (unsigned)s < HOP_STEP_COUNT ? names[s] : "unknown";
}

const char *hop_state_name(enum hop_state s)
{
	static const char *const names[] = {"unknown", "ok", "suspect", "culprit", "victim"};

	return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : names[0];
}

bool trace_from(const struct diag *d, const struct model *m, struct ref from, int64_t now_us,
	struct trace *out, struct err *err)
{
	(void)d, (void)now_us;
	memset(out, 0, sizeof(*out));
	out->from = from;
	return err_set(err, ERR_USAGE, m->fabric, "nothing can be traced from there");
}

void trace_free(struct trace *t)
{
	vec_free(&t->chain);
	vec_free(&t->alternatives);
	memset(t, 0, sizeof(*t));
}
