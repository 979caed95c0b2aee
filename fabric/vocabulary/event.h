/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_EVENT_H
#define FABRIC_VOCABULARY_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/vocabulary/types.h"

enum event_kind {
#define EVENT(id, name, sev, help) EV_##id,
#include "fabric/vocabulary/events.def"
#undef EVENT
	EVENT_COUNT
};

struct event_info {
	const char *name; /* JSON name */
	enum severity severity;
	const char *help;
};
extern const struct event_info event_info[EVENT_COUNT];

/* EVENT_COUNT when there is no such name. */
enum event_kind event_by_name(const char *name);

#define EVENT_NO_ID UINT32_MAX

struct event {
	uint64_t seq;      /* 1, 2, ... over the life of the model */
	int64_t wall_us;   /* when railtop learnt of it */
	int64_t device_us; /* the device's own time, 0: not given */
	enum event_kind kind;
	uint32_t device; /* device id */
	uint32_t port;   /* port id or EVENT_NO_ID */
	int8_t priority; /* -1: none */
	char text[120];  /* sanitised detail */
};

#endif
