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
 * Provides a session's batches: from the collectors, and from the metrics engine if the inventory
 * has one. A device of the engine is also polled directly while it has the focus. From its first
 * answer with counters the engine's batches of it are left out, so that it has one source at a
 * time. This ends when the focus leaves it or it becomes unreachable.
 */
struct sources;

struct sources_opts {
	const struct plan *plan; /* must outlive it */
	const char *dir;         /* of the inventory, the base of relative mapping paths */
	unsigned collectors;
	bool once;
	void (*wake)(void *ctx); /* called in any thread: batches can be drained */
	void *ctx;
};

/* NULL with err. ERR_CONFIG: the error is permanent. */
struct sources *sources_start(const struct sources_opts *o, struct err *err);
/* False: a thread did not end in time and uses plan and wake for ever. NULL is allowed. */
bool sources_stop(struct sources *s);

/* All waiting batches, oldest first per source, linked by next. The caller frees them. NULL:
 * none. */
struct obs *sources_drain(struct sources *s);
/* True: the batch must be applied. Also updates the source of the focused device. */
bool sources_take(struct sources *s, const struct model *m, const struct obs *o);
void sources_focus(struct sources *s, const char *device); /* NULL: none */
/* With once: every device has answered or failed. */
bool sources_finished(const struct sources *s);

/* Warns where the limit of open descriptors is too low for the devices. */
void sources_warn_of_limit(
	struct sources *s, void (*warn)(void *ctx, const char *message), void *ctx);

struct collector *sources_collector(struct sources *s);
struct prometheus *sources_prometheus(struct sources *s);              /* NULL: there is none */
const struct prometheus_map *sources_mapping(const struct sources *s); /* likewise */

/* True for an engine's batch, present or past: its times are those of its samples. */
bool sources_is_prometheus(const struct obs *o);
/*
 * Writes a line of the log where a device answers again, or fails in other words than before.
 * was: its error before the newest batch.
 */
void sources_log_device(const struct device *d, const struct err *was);

#endif
