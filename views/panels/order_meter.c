/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/order_meter.h"

#include <math.h>

#include "base/str.h"

#define CELLS 10

/* "####......": each cell is 0.4 of a decade between 0.01 and 100 per cent. */
static void bar(double percent, char dst[CELLS + 1])
{
	double full = percent > 0 ? (log10(percent) + 2) / 4 * CELLS : 0;

	for (unsigned i = 0; i < CELLS; i++)
		dst[i] = full >= i + 0.5 ? '#' : '.';
	dst[CELLS] = '\0';
}

static void number(double percent, bool bound, char *dst, size_t size)
{
	if (isnan(percent))
		(void)str_copy(dst, size, "-");
	else if (percent > 0 && percent < ORDER_NOTHING)
		(void)str_copy(dst, size, "<.01%");
	else
		(void)str_printf(
			dst, size, "%s%.*f%%", bound ? "<=" : "", percent < 10 ? 2 : 0, percent);
}

size_t order_line(struct order o, struct panel_line *out)
{
	static const char *const words[] = {"", "neither", "ECN alone", "ECN first", "PFC first",
		"PFC without ECN", "share of marks not known"};
	enum order_kind kind = order_kind(o);
	char ecn[CELLS + 1], pfc[CELLS + 1], marked[16], paused[16];

	if (isnan(o.marked) && isnan(o.paused))
		return 0;
	bar(o.marked, ecn);
	bar(o.paused, pfc);
	number(o.marked, false, marked, sizeof(marked));
	number(o.paused, o.bound, paused, sizeof(paused));
	panel_say(out, kind == ORDER_PFC_FIRST || kind == ORDER_PFC_ALONE ? ROLE_WARN : ROLE_NORMAL,
		"", "ECN %s %s  PFC %s %s  %s", ecn, marked, pfc, paused, words[kind]);
	return 1;
}
