/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HISTORY_HISTORY_INTERNAL_H
#define FABRIC_HISTORY_HISTORY_INTERNAL_H

#include "base/vec.h"
#include "fabric/history/history.h"
#include "fabric/history/history_log.h"
#include "fabric/model/model.h"

/* What model_history*.c share with who saves it, and nobody else may use. */

/* flags of a series */
#define SERIES_GAPPED 0x01 /* its newest sample is a gap */
#define SERIES_LEADS  0x02 /* a zero comes before its first sample: it had stood still */
#define SERIES_SUMS   0x04 /* sum and sum_us have something */
#define SERIES_BROKEN 0x08 /* a gap came before or within what they have */
#define SERIES_FLAGS  0x0f

/* A counter of a port that is charted. */
struct series {
	uint16_t cell;
	uint8_t flags;
	uint8_t next, used; /* of struct history, as if it were one ring for ever */
	int64_t first_ms;   /* of its first sample */
	uint64_t sum;       /* growth in the step that is not over, and the time that it took */
	int64_t sum_us;
};

struct port_log {
	struct hlog fine, coarse;
	int64_t step;     /* number of the step that is not over */
	int64_t last_ms;  /* of the newest record */
	int64_t since_ms; /* of the first one */
	int64_t other_ms; /* when the port was not green last, 0: never */
	VEC(struct series) series;
	uint8_t saved; /* series that the last save told of */
	bool changed;  /* since it was saved */
};

struct push {
	uint32_t port, n; /* of the batch; which push it was */
	uint16_t series;
	bool gap;
	uint64_t growth;
	int64_t took_us;
};

struct history_store {
	uint64_t budget; /* bytes, 0: by the number of ports, see history_budget() */
	uint64_t used;   /* bytes */
	uint32_t squeeze;
	int64_t squeezed_ms; /* when that changed last */
	uint32_t cursor;     /* port that is looked at next when room is wanted */
	uint32_t looked;     /* ports, since squeeze changed */
	VEC(struct push) pushes;
	struct fill *fills; /* of fill.c: of a device each, until they are settled */
};

#define SQUEEZE_MOST 10

/* A new one for the cell, which has none; NULL: there are too many. */
struct series *series_add(struct port_log *l, struct cell *c, uint16_t cell);
struct port_log *port_log(struct port *p); /* made when there is none */
size_t port_log_bytes(const struct port_log *l);

/* Appends to one of the port's two logs, within the budget; drops what is too old at now_ms. */
void history_append(
	struct model *m, struct port_log *l, struct hlog *hl, const struct hlog_record *r);
void history_trim(struct history_store *h, const struct port *p, int64_t now_ms);
/* What was staged and not settled. */
void history_fills_free(struct history_store *h);

/* How long what is kept, in ms. */
int64_t kept_fine_ms(unsigned squeeze, bool other);
int64_t kept_coarse_ms(unsigned squeeze, bool other);
/* Bytes that all histories may have. */
uint64_t history_budget(const struct model *m);
/* It was not green within what is kept, or somebody wants all of it. */
bool is_other(const struct port *p, int64_t now_ms);

#endif
