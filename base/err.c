/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

bool err_set(struct err *e, enum err_code code, const char *origin, const char *fmt, ...)
{
	char raw[sizeof(e->text)];
	va_list ap;

	if (!e)
		return false;
	va_start(ap, fmt);
	(void)vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	e->code = code;
	e->cure[0] = '\0';
	str_sanitise(e->text, sizeof(e->text), raw, strlen(raw));
	str_sanitise(
		e->origin, sizeof(e->origin), origin ? origin : "", origin ? strlen(origin) : 0);
	return false;
}

bool err_cure(struct err *e, const char *fmt, ...)
{
	char raw[sizeof(e->cure)];
	va_list ap;

	if (!e)
		return false;
	va_start(ap, fmt);
	(void)vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	str_sanitise(e->cure, sizeof(e->cure), raw, strlen(raw));
	return false;
}

const char *err_code_name(enum err_code code)
{
	static const char *const names[] = {
		[ERR_NONE] = "none",
		[ERR_USAGE] = "usage",
		[ERR_CONFIG] = "config",
		[ERR_IO] = "io",
		[ERR_UNREACHABLE] = "unreachable",
		[ERR_UNAUTHORISED] = "unauthorised",
		[ERR_TIMEOUT] = "timeout",
		[ERR_PROTOCOL] = "protocol",
		[ERR_LIMIT] = "limit",
		[ERR_UNSUPPORTED] = "unsupported",
		[ERR_REFUSED] = "refused",
		[ERR_INTERNAL] = "internal",
	};

	if ((unsigned)code >= sizeof(names) / sizeof(names[0]))
		return "internal";
	return names[code];
}

char *err_format(const struct err *e, char *dst, unsigned long size)
{
	(void)snprintf(dst, size, "%s%s%s%s%s%s", e->origin, e->origin[0] ? ": " : "", e->text,
		e->cure[0] ? " (" : "", e->cure, e->cure[0] ? ")" : "");
	return dst;
}

void err_print(const struct err *e)
{
	char text[sizeof(e->origin) + sizeof(e->text) + sizeof(e->cure) + 8];

	(void)fprintf(stderr, "railtop: %s\n", err_format(e, text, sizeof(text)));
}
