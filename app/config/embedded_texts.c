/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/embedded_texts.h"

#include "base/str.h"
#include "embedded.h"

const struct embedded_text *embedded_text_at(size_t i)
{
	return i < sizeof(embedded_files) / sizeof(embedded_files[0]) ? &embedded_files[i] : NULL;
}

const struct embedded_text *embedded_text(const char *name)
{
	const struct embedded_text *t;

	for (size_t i = 0; (t = embedded_text_at(i)); i++)
		if (str_eq(t->name, name))
			return t;
	return NULL;
}
