/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of dialects, and the allow-list over all of them and the sources of jobs. */
#include <string.h>

#include "backends/contract/backend.h"
#include "backends/contract/reads.h"
#include "backends/jobs/source.h"

#include "base/str.h"

#define BACKEND(name) extern const struct backend_ops backend_##name;
#include "backends/backends.def"
#undef BACKEND

const struct backend_ops *const backend_table[] = {
#define BACKEND(name) &backend_##name,
#include "backends/backends.def"
#undef BACKEND
};
const size_t backend_count = sizeof(backend_table) / sizeof(backend_table[0]);

const struct backend_ops *backend_by_name(const char *name)
{
	for (size_t i = 0; i < backend_count; i++)
		if (str_eq(backend_table[i]->name, name))
			return backend_table[i];
	return NULL;
}

const char *backend_names(void)
{
	/* Built by the preprocessor, so it needs no memory and no lock. */
	static const char names[] =
#define BACKEND(name) ", " #name
#include "backends/backends.def"
#undef BACKEND
		;

	return names + 2;
}

static bool is_job_query(const struct request *r)
{
	for (size_t i = 0; i < job_source_count; i++)
		if (job_source_table[i]->reads && job_source_table[i]->reads(r))
			return true;
	return false;
}

bool reads_allow(
	const struct backend_ops *ops, const struct request *r, const char *device, struct err *err)
{
	char name[64];

	if (!r->change && ops && ops->reads && (ops->reads(r) || is_job_query(r)))
		return true;
	(void)str_sanitise(
		name, sizeof(name), r->name ? r->name : "?", strlen(r->name ? r->name : "?"));
	err_set(err, ERR_REFUSED, device, "%s: not sent: it is not a question of %s", name,
		ops && ops->name ? ops->name : "nobody");
	return err_cure(err, "this is a defect of railtop, not of the device: please report it; "
			     "only actions (railtop act) may change a device");
}
