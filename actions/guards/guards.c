/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/guards/guard.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

const struct guard_info guard_table[] = {
#define GUARD(id, name, help) {name, help, guard_##id},
#include "actions/guards/guards.def"
#undef GUARD
};
const size_t guard_count = sizeof(guard_table) / sizeof(guard_table[0]);

/* Parts of the text come from devices and files, which may hold control characters. */
static void copy_sanitised(char *dst, size_t size, const char *src)
{
	(void)str_sanitise(dst, size, src, strlen(src));
}

bool refuse(struct refusal *r, const char *cure, const char *why, ...)
{
	char text[2 * sizeof(r->why)];
	va_list ap;

	va_start(ap, why);
	(void)vsnprintf(text, sizeof(text), why, ap);
	va_end(ap);
	copy_sanitised(r->why, sizeof(r->why), text);
	copy_sanitised(r->cure, sizeof(r->cure), cure);
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

char *guard_allowed_at(int64_t at_us, int64_t now_us, char *dst, size_t size)
{
	char when[32], today[32];

	/* Rounds up, so that the action is allowed at the second that the text names. */
	at_us += CLOCK_SEC - 1;
	(void)clock_format_utc(at_us, when, sizeof(when));
	(void)clock_format_utc(now_us, today, sizeof(today));
	if (strncmp(when, today, 10) == 0)
		(void)str_printf(dst, size, "allowed again at %.8s UTC", when + 11);
	else
		(void)str_printf(dst, size, "allowed again at %.10s %.8s UTC", when, when + 11);
	return dst;
}

enum guard_subject guard_subject(const struct guard_context *x)
{
	struct order o;
	struct err err;

	if (!x->action->wants(x->at, &o, &err))
		return ABOUT_NOTHING;
	switch (o.verb) {
	case VERB_WD_STOP:
	case VERB_WD_START:
	case VERB_WD_RECOVER:
		return ABOUT_WATCHDOG;
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
		return ABOUT_PORT;
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		return ABOUT_SESSION;
	case VERB_COUNTERS_ON:
	case VERB_COUNTERS_OFF:
		return ABOUT_COUNTERS;
	default:
		return ABOUT_NOTHING;
	}
}
