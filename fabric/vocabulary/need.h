/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_NEED_H
#define FABRIC_VOCABULARY_NEED_H

#include <stdbool.h>

#include "fabric/vocabulary/counter.h"
#include "fabric/vocabulary/types.h"

/* The capabilities that operators need from a device, see capabilities.def. */
enum need_id {
#define NEED(id, number, who, group, counter, name) NEED_##id,
#include "fabric/vocabulary/capabilities.def"
#undef NEED
	NEED_COUNT
};

enum need_who { NEED_OF_ANY, NEED_OF_SWITCH, NEED_OF_HOST };

struct need_info {
	const char *name; /* name of the capability in the model */
	unsigned number;
	enum need_who who;
	const char *group;  /* "PFC", "queues", ... */
	counter_id counter; /* COUNTER_COUNT: none */
};
extern const struct need_info need_info[NEED_COUNT];

/*
 * The need of a source of jobs: this word before the source's name ("job source nccl-log"). Its
 * cure says why the source brings nothing.
 */
#define NEED_JOB_SOURCE "job source "

/* NEED_COUNT when there is no such name. */
enum need_id need_by_name(const char *name);
/* Whether devices of the tier should have it: nobody misses BGP on a GPU host. */
bool need_applies(enum need_id need, enum tier tier);

#endif
