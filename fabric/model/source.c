/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model_internal.h"

/*
 * A device that a metrics engine covers is polled directly while an operator views it. So the same
 * counters of the same hardware come alternately from two sources.
 */

/*
 * How far one source may lag behind the other: a scrape interval of a minute, and as much for the
 * scraped exporter.
 */
#define BEHIND_US (120 * CLOCK_SEC)

bool batch_is_engine(const struct batch *b)
{
	return str_eq(b->o->request, REQUEST_ENGINE);
}

bool batch_is_history(const struct obs *o)
{
	return str_eq(o->request, REQUEST_HISTORY);
}

static bool has_counters(const struct batch *b)
{
	if (b->o->unchanged_rest)
		return true;
	for (size_t i = 0; i < b->o->items.n; i++)
		if (b->o->items.at[i].kind == OBS_COUNT)
			return true;
	return false;
}

static void note_engine(struct batch *b)
{
	int64_t newest = 0;

	for (size_t i = 0; i < b->o->ports.n; i++)
		if (b->o->ports.at[i].sample_us > newest)
			newest = b->o->ports.at[i].sample_us;
	/* The engine's clock may be ahead: nothing is younger than now. */
	if (!newest || newest > b->received)
		newest = b->received;
	if (newest > b->d->engine_us)
		b->d->engine_us = newest;
}

/* Dates all cells before the change of source: an engine's samples may be older than the last poll
 * of the device. */
static void make_older(struct port *p, int64_t us)
{
	for (unsigned i = 0; i < p->ntimes; i++)
		if (p->times[i].cells && p->times[i].seen_us >= us)
			p->times[i].seen_us = us - 1;
}

static void change_source(struct batch *b, bool engine)
{
	struct device *d = b->d;

	d->engine = engine;
	d->source_us = b->received;
	b->changed = true;
	/* Measured by the other source's clock. */
	for (unsigned g = 0; g < GROUP_COUNT; g++)
		d->moved_us[g] = 0;
	for (size_t i = 0; i < d->ports.n; i++) {
		struct port *p = b->m->ports.at[d->ports.at[i]];

		p->unsampled = 0;
		make_older(p, b->received);
	}
}

void batch_source(struct batch *b)
{
	bool engine = batch_is_engine(b), before = b->d->counters_us != 0;

	if (engine)
		note_engine(b);
	else if (!batch_is_log(b) && b->d->not_asked[0])
		(void)batch_set_text(b, b->d->not_asked, sizeof(b->d->not_asked), "");
	if (engine == b->d->engine)
		return;
	/* A source without counters does not take them over from the other; an engine may have
	 * none. */
	if (!has_counters(b) && (before || !engine))
		return;
	if (before)
		change_source(b, engine);
	b->d->engine = engine;
}

bool batch_not_asked(struct batch *b, const struct err *e)
{
	bool lost =
		e->code == ERR_UNREACHABLE || e->code == ERR_UNAUTHORISED || e->code == ERR_TIMEOUT;

	if (batch_is_engine(b) || !b->d->engine_us || !(b->d->engine || lost))
		return false;
	(void)batch_set_text(b, b->d->not_asked, sizeof(b->d->not_asked), e->text);
	return true;
}

bool cell_is_others(const struct batch *b, const struct port *p, const struct cell *c)
{
	return b->d->source_us && c->when != TIME_NONE && cell_seen_us(p, c) < b->d->source_us;
}

static bool changed_lately(const struct batch *b)
{
	int64_t since = b->received - b->d->source_us;

	return since >= 0 && since < BEHIND_US;
}

bool batch_uptime_behind(const struct batch *b, double uptime)
{
	return (changed_lately(b) || batch_is_engine(b) != b->d->engine) &&
	       uptime < b->d->uptime_s &&
	       b->d->uptime_s - uptime < (double)BEHIND_US / (double)CLOCK_SEC;
}

bool batch_behind(const struct batch *b, const struct port *p, const struct cell *c, enum step step)
{
	return step == STEP_RESET && changed_lately(b) && cell_is_others(b, p, c);
}
