/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HISTORY_HISTORY_INTERNAL_H
#define FABRIC_HISTORY_HISTORY_INTERNAL_H

#include "base/vec.h"
#include "fabric/history/history.h"
#include "fabric/history/history_log.h"
#include "fabric/model/model.h"

/* Shared by the files of fabric/history and fabric/state only. */

/* flags of a series */
#define SERIES_GAPPED 0x01 /* its newest sample is a gap */
#define SERIES_LEADS  0x02 /* a zero precedes its first sample: the counter had stood still */
#define SERIES_SUMS   0x04 /* sum and sum_us are in use */
#define SERIES_BROKEN 0x08 /* a gap before or within sum and sum_us */
#define SERIES_FLAGS  0x0f

/* A charted counter of a port. */
struct series {
	uint16_t cell;
	uint8_t flags;
	uint8_t next, used; /* as in struct history, counted as if the ring never wrapped */
	int64_t first_ms;   /* of its first sample */
	uint64_t sum;       /* growth in the current step, and the time that it took */
	int64_t sum_us;
};

struct port_log {
	struct hlog fine, coarse;
	int64_t step;     /* number of the current step */
	int64_t last_ms;  /* of the newest record */
	int64_t since_ms; /* of the first one */
	int64_t other_ms; /* when the port was last not green, 0: never */
	VEC(struct series) series;
	uint8_t saved; /* number of series in the last save */
	bool changed;  /* since the last save */
};

struct push {
	uint32_t port, n; /* port of the batch; number of the push */
	uint16_t series;
	bool gap;
	uint64_t growth;
	int64_t took_us;
};

struct gauge_series;
struct gauge_list {
	VEC(struct gauge_series *) of;
};

struct history_store {
	uint64_t budget; /* bytes, 0: derived from the number of ports, see history_budget() */
	uint64_t used;   /* bytes */
	uint32_t squeeze;
	int64_t squeezed_ms; /* time of its last change */
	uint32_t cursor;     /* the next port to examine for room */
	uint32_t looked;     /* ports examined since squeeze changed */
	VEC(struct push) pushes;
	/* Readings by port, and their memory; private to gauges.c. */
	VEC(struct gauge_list) gauges;
	uint64_t gauge_bytes;
	struct fill *fills; /* staged fills (fill.c), one per device, until they are settled */
};

#define SQUEEZE_MOST 10

/* Adds a series for a cell that has none. NULL: too many series. */
struct series *series_add(struct port_log *l, struct cell *c, uint16_t cell);
struct port_log *port_log(struct port *p); /* created on first use */
size_t port_log_bytes(const struct port_log *l);

/* Appends to one of the port's two logs, within the budget. Drops records that are too old at
 * now_ms. */
void history_append(
	struct model *m, struct port_log *l, struct hlog *hl, const struct hlog_record *r);
void history_trim(struct history_store *h, const struct port *p, int64_t now_ms);
void gauges_free(struct history_store *h);
/* Frees fills that were staged and not settled. */
void history_fills_free(struct history_store *h);

/* Retention in ms. */
int64_t kept_fine_ms(unsigned squeeze, bool other);
int64_t kept_coarse_ms(unsigned squeeze, bool other);
/* Budget of all histories, in bytes. */
uint64_t history_budget(const struct model *m);
/* Whether the port was not green within the retention, or is pinned. */
bool is_other(const struct port *p, int64_t now_ms);

#endif
