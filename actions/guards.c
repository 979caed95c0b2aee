/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/guards.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"

#define GUARD(id, name, help) bool guard_##id(const struct guard_context *x, struct refusal *out);
#include "actions/guards.def"
#undef GUARD

const struct guard_info guard_table[] = {
#define GUARD(id, name, help) {name, help, guard_##id},
#include "actions/guards.def"
#undef GUARD
};
const size_t guard_count = sizeof(guard_table) / sizeof(guard_table[0]);

bool refuse(struct refusal *r, const char *cure, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	(void)vsnprintf(r->why, sizeof(r->why), why, ap);
	va_end(ap);
	(void)str_copy(r->cure, sizeof(r->cure), cure);
	return false;
}

bool guards_ask(const struct guard_context *x, refusal_vec *out)
{
	size_t before = out->n;

	for (size_t i = 0; i < guard_count; i++) {
		struct refusal r = {.guard = guard_table[i].name};

		if (!guard_table[i].ask(x, &r))
			vec_push(out, r);
	}
	return out->n == before;
}

void refusal_line(const struct refusal *r, char *dst, size_t size)
{
	(void)str_printf(dst, size, "refused by %s: %s%s%s", r->guard, r->why,
		r->cure[0] ? "; " : "", r->cure);
}

/* Until each has a body of its own, all of them refuse. */
#define GUARD(id, name, help)                                                                      \
	bool guard_##id(const struct guard_context *x, struct refusal *out)                        \
	{                                                                                          \
		(void)x;                                                                           \
		return refuse(out, "", "not yet");                                                 \
	}
#include "actions/guards.def"
#undef GUARD
