/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/backpressure.h"

#include "base/clock.h"

#define AFTER_LESS_US PACE_LATE_US
#define AFTER_MORE_US (100 * CLOCK_MSEC)

void pace_init(struct pace *p, unsigned top)
{
	top = top ? top : PACE_MOST;
	*p = (struct pace){.most = top, .top = top};
}

void pace_note(struct pace *p, int64_t late_us, int64_t now_us)
{
	if (now_us < p->next_us)
		return;
	if (late_us >= PACE_LATE_US) {
		if (p->most > PACE_LEAST)
			p->most = PACE_LEAST;
		p->next_us = now_us + AFTER_LESS_US;
	} else if (late_us < PACE_LATE_US / 4 && p->most < p->top) {
		p->most += p->most / 8;
		if (p->most > p->top)
			p->most = p->top;
		p->next_us = now_us + AFTER_MORE_US;
	}
}
