/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "fabric/model/model.h"

void model_set_clock(struct model *m, const struct clock_track *t)
{
	if (!m->clock)
		m->clock = mem_calloc(1, sizeof(*m->clock));
	clock_track_copy(m->clock, t);
}

const struct clock_track *model_clock(const struct model *m)
{
	return m->clock && (m->clock->steps.n || m->clock->base_us) ? m->clock : NULL;
}

int64_t model_wall(const struct model *m, int64_t us)
{
	return clock_track_wall(m->clock, us);
}

int64_t device_skew_us(const struct model *m, const struct device *d)
{
	return d->clock_skew_us ? d->clock_skew_us - (model_wall(m, d->last_ok_us) - d->last_ok_us)
				: 0;
}

char *model_utc(const struct model *m, int64_t us, char *dst, size_t size)
{
	return clock_format_utc(model_wall(m, us), dst, size);
}

char *model_hms(const struct model *m, int64_t us, char *dst, size_t size)
{
	return clock_format_hms(model_wall(m, us), dst, size);
}
