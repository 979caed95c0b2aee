/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of evidence as a person writes them: one form for screens, tickets and findings. */
#include <math.h>

#include "base/str.h"
#include "diagnosis/engine/finding.h"

/* A ratio of errors keeps its exponent: 2.0e-05. Shares and rates of people's size have none. */
static void number_text(double v, const char *unit, char *dst, size_t size)
{
	double size_of = fabs(v);

	if (!unit[0] && size_of > 0 && size_of < 0.01)
		(void)str_printf(dst, size, "%.1e", v);
	else
		(void)str_number(v, dst, size);
}

/* Larger units, as a person writes them: 16.3 Tb/s, 1.50 s, 3.09 MB. False: there is none. */
static bool larger_unit(double v, const char *unit, char *dst, size_t size)
{
	static const struct {
		const char *unit, *larger;
		double factor;
	} units[] = {{"us", "s", 1e6}, {"us", "ms", 1e3}, {"ms", "s", 1e3}, {"bytes", "GB", 1e9},
		{"bytes", "MB", 1e6}, {"bytes", "kB", 1e3}, {"kB", "GB", 1e6}, {"kB", "MB", 1e3}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (str_eq(unit, units[i].unit) && fabs(v) >= units[i].factor)
			return str_printf(dst, size, "%s %s", STR_NUMBER(v / units[i].factor),
				units[i].larger);
	return false;
}

char *evidence_value(const struct evidence *e, char *dst, size_t size)
{
	char number[32];
	bool glued = e->unit[0] == '%' || e->unit[0] == '/' || !e->unit[0];

	if (!isfinite(e->value)) {
		(void)str_copy(dst, size, e->text[0] ? e->text : "-");
		return dst;
	}
	if (str_eq(e->unit, "Gb/s")) {
		(void)str_printf(dst, size, "%s%s%s",
			str_bitrate(e->value * 1e9, number, sizeof(number)), e->text[0] ? ", " : "",
			e->text);
		return dst;
	}
	if (larger_unit(e->value, e->unit, number, sizeof(number))) {
		(void)str_printf(dst, size, "%s%s%s", number, e->text[0] ? ", " : "", e->text);
		return dst;
	}
	number_text(e->value, e->unit, number, sizeof(number));
	(void)str_printf(dst, size, "%s%s%s%s%s", number, glued ? "" : " ", e->unit,
		e->text[0] ? ", " : "", e->text);
	return dst;
}
