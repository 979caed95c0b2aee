/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/event.h"

#include <string.h>

const struct event_info event_info[EVENT_COUNT] = {
#define EVENT(id, name, sev, help) {name, SEV_##sev, help},
#include "fabric/vocabulary/events.def"
#undef EVENT
};

enum event_kind event_by_name(const char *name)
{
	unsigned i;

	for (i = 0; i < EVENT_COUNT; i++)
		if (strcmp(event_info[i].name, name) == 0)
			break;
	return (enum event_kind)i;
}
