/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_SOURCES_H
#define APP_SESSION_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/collector/collector.h"
#include "backends/prometheus/prometheus.h"
#include "base/err.h"
#include "fabric/model/model.h"

/*
 * Where a session's batches come from: the collectors, and the metrics engine beside them where the
 * inventory has one. A device that the engine tells about is asked itself while it has the focus;
 * from its first answer with counters until the focus leaves it, or until it cannot be reached, the
 * engine's batches of it are left out, so that one source tells at a time.
 */
struct sources;

struct sources_opts {
	const struct plan *plan; /* must outlive it */
	const char *dir;         /* of the inventory: where paths of mappings start */
	unsigned collectors;
	bool once;
	void (*wake)(void *ctx); /* from any thread: there is something to drain */
	void *ctx;
};

/* ERR_CONFIG: what would fail for ever. */
struct sources *sources_start(const struct sources_opts *o, struct err *err);
/* False: a thread did not end in time; plan and wake must be left alone for ever. NULL is allowed.
 */
bool sources_stop(struct sources *s);

/* All that waits, oldest first of each source, linked by next; NULL: nothing. */
struct obs *sources_drain(struct sources *s);
/* Whether the batch is to be applied; of what it says of its source note is taken. */
bool sources_take(struct sources *s, const struct model *m, const struct obs *o);
void sources_focus(struct sources *s, const char *device); /* NULL: none */
/* With once: everything was answered or failed. */
bool sources_finished(const struct sources *s);

struct collector *sources_collector(struct sources *s);
struct engine *sources_engine(struct sources *s);                  /* NULL: there is none */
const struct engine_map *sources_mapping(const struct sources *s); /* likewise */

/* An engine's batch, of now or of the past: its times are those of its samples. */
bool sources_is_engine(const struct obs *o);

#endif
