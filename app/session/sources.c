/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/sources.h"

#include <stdlib.h>

#include "app/config/mapping_yaml.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

struct sources {
	struct sources_opts opts;
	struct collector *collector;
	struct prometheus *engine;
	struct prometheus_map *map;
	char focus[NAME_MAX_LEN];
	bool direct; /* the focused device is normally polled by the engine, and reports itself now
		      */
};

bool sources_is_prometheus(const struct obs *o)
{
	return str_eq(o->request, REQUEST_ENGINE) || str_eq(o->request, REQUEST_HISTORY);
}

static bool start_engine(struct sources *s, struct err *err)
{
	struct prometheus_opts eopts = {
		.wake = s->opts.wake, .ctx = s->opts.ctx, .once = s->opts.once};

	s->map = mapping_read(s->opts.plan->engine.mapping, s->opts.dir, err);
	if (s->map)
		s->engine = prometheus_start(s->opts.plan, s->map, &eopts, err);
	return s->engine != NULL;
}

struct sources *sources_start(const struct sources_opts *o, struct err *err)
{
	struct sources *s = mem_calloc(1, sizeof(*s));
	struct collector_opts copts = {
		.threads = o->collectors, .wake = o->wake, .ctx = o->ctx, .once = o->once};

	s->opts = *o;
	s->collector = collector_start(o->plan, &copts, err);
	if (s->collector && (!o->plan->engine.url || start_engine(s, err)))
		return s;
	(void)sources_stop(s);
	return NULL;
}

bool sources_stop(struct sources *s)
{
	bool ended;

	if (!s)
		return true;
	ended = !s->engine || prometheus_stop(s->engine);
	ended = collector_stop(s->collector) && ended;
	/* A thread that did not end still uses the mapping. */
	if (!ended)
		return false;
	prometheus_map_free(s->map);
	free(s);
	return true;
}

struct obs *sources_drain(struct sources *s)
{
	struct obs *first = s->engine ? prometheus_drain(s->engine) : NULL, *last = first;

	if (!first)
		return collector_drain(s->collector);
	while (last->next)
		last = last->next;
	last->next = collector_drain(s->collector);
	return first;
}

/* ---- one source at a time ---- */

static bool by_engine(const struct sources *s, const struct model *m, const char *device)
{
	const struct device *d = s->engine ? model_device(m, device) : NULL;

	return d && d->planned && d->id < s->opts.plan->devices.n &&
	       s->opts.plan->devices.at[d->id].by_engine;
}

static bool has_counters(const struct obs *o)
{
	if (o->unchanged_rest)
		return true;
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_COUNT)
			return true;
	return false;
}

static void set_direct(struct sources *s, bool on)
{
	if (s->direct == on)
		return;
	s->direct = on;
	prometheus_leave(s->engine, s->focus, on);
}

bool sources_take(struct sources *s, const struct model *m, const struct obs *o)
{
	bool focused = str_eq(o->device, s->focus);

	if (str_eq(o->request, REQUEST_HISTORY))
		return true;
	if (sources_is_prometheus(o))
		return !(focused && s->direct);
	if (!by_engine(s, m, o->device))
		return true;
	/* Batches that were under way when the focus left. */
	if (!focused)
		return false;
	if (o->result == OBS_DATA && has_counters(o))
		set_direct(s, true);
	else if (o->result == OBS_FAILED &&
		 (o->err.code == ERR_UNREACHABLE || o->err.code == ERR_UNAUTHORISED ||
			 o->err.code == ERR_TIMEOUT))
		set_direct(s, false);
	return true;
}

void sources_focus(struct sources *s, const char *device)
{
	if (str_eq(s->focus, device ? device : ""))
		return;
	if (s->engine)
		set_direct(s, false);
	(void)str_copy(s->focus, sizeof(s->focus), device ? device : "");
	collector_focus(s->collector, device);
	if (s->engine)
		prometheus_focus(s->engine, device);
}

bool sources_finished(const struct sources *s)
{
	return collector_finished(s->collector) && (!s->engine || prometheus_finished(s->engine));
}

void sources_warn_of_limit(
	struct sources *s, void (*warn)(void *ctx, const char *message), void *ctx)
{
	char text[sizeof(struct err)];
	struct err few;

	if (warn && !collector_descriptors(s->collector, &few))
		warn(ctx, err_format(&few, text, sizeof(text)));
}

struct collector *sources_collector(struct sources *s)
{
	return s->collector;
}

const struct prometheus_map *sources_mapping(const struct sources *s)
{
	return s->map;
}

struct prometheus *sources_prometheus(struct sources *s)
{
	return s->engine;
}

void sources_log_device(const struct device *d, const struct err *was)
{
	char line[640];

	if (d->err->code == was->code && str_eq(d->err->text, was->text))
		return;
	/* The message of an error begins with the name of the device. */
	log_line("device", "%s%s", d->err->code == ERR_NONE ? d->name : "",
		d->err->code == ERR_NONE ? ": answers again"
					 : err_format(d->err, line, sizeof(line)));
}
