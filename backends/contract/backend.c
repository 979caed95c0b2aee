/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/backend.h"

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
	/* Built by the preprocessor, so that it needs no memory and no lock. */
	static const char names[] =
#define BACKEND(name) ", " #name
#include "backends/backends.def"
#undef BACKEND
		;

	return names + 2;
}
