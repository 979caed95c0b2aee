/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/shard.h"

/*
 * A device that tells by itself (poll: stream) what it would be asked at each poll of the fast
 * tier. A tick is a poll like any other: planned, asked, decoded, only that the answer is there
 * already. Where the plan, the interval or the answer differ from the last time it is asked, and so
 * it is where a tick does not come; when its answers are steady again it tells by itself again.
 */

/* Answers that differed from the one before it in numbers only, in a row. */
#define STEADY 2
static bool is_wanted(const struct device_poller *p)
{
	return p->device->poll == POLL_WAY_STREAM && p->transport->stream && !p->schedule.once &&
	       !device_poller_parked(p);
}

void device_poller_stream_answer(struct device_poller *p, const struct answer *a)
{
	bool steady = a->err.code == ERR_NONE && a->changed;

	p->steady = !steady ? 0 : p->steady < STEADY ? p->steady + 1 : STEADY;
}

bool device_poller_stream_go_on(struct device_poller *p)
{
	const struct round *r = &p->rounds[POLL_FAST];
	bool on = is_wanted(p) && p->steady >= STEADY && r->list && r->list->at.n == 1;

	if (on)
		on = p->transport->stream(
			p->link, &r->list->at.at[0], schedule_interval_us(&p->schedule));
	else if (p->streams)
		(void)p->transport->stream(p->link, NULL, 0);
	p->streams = on;
	return on;
}
