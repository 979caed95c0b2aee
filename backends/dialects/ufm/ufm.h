/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_UFM_UFM_H
#define BACKENDS_DIALECTS_UFM_UFM_H

#include "backends/contract/backend.h"
#include "backends/parse/json_value.h"
#include "fabric/vocabulary/manager_note.h"

/* Private to this folder: the answers of UFM, row by row; ufm.c has the questions. */

#define UFM_API "/ufmRest"

/* Facts: GUID of the system; "1": there is no such system; "host" or "switch". */
#define UFM_FACT_GUID "guid"
#define UFM_FACT_ALL  "whole-fabric"
#define UFM_FACT_KIND "kind"

/* The GUID as a part of a path; "" for none, or for a text with other signs. */
const char *ufm_guid(const struct facts *facts);

#define UFM_NEED_ALARMS     "UFM alarms"
#define UFM_NEED_UNHEALTHY  "UFM unhealthy ports"
#define UFM_NEED_CONGESTION "UFM congestion"

/* The members of an array as they come, each with what is known of the device. */
struct ufm_reading {
	const struct target *t;
	struct obs *o;
	unsigned rows; /* objects in the answer */
	bool found;    /* "systems": the device is among them */
	/* Notes; the worst are kept. */
	enum manager_note_kind kind;
	unsigned notes;
	struct manager_note kept[NOTES_MOST];
	bool told; /* "congestion", "counters": a row has the number that was asked for */
};

typedef void ufm_row_fn(struct ufm_reading *r, const struct json_value *v);
ufm_row_fn ufm_take_system, ufm_take_version, ufm_take_port; /* system.c */
void ufm_take_history(struct ufm_reading *r, const struct json_value *doc);
void ufm_settle_systems(struct ufm_reading *r);
void ufm_settle_ports(struct ufm_reading *r);
ufm_row_fn ufm_take_alarm, ufm_take_unhealthy, ufm_take_congested; /* notes.c */
void ufm_emit_notes(const struct ufm_reading *r);

/* "": absent, null, "N/A". */
const char *ufm_word(const struct json_value *v, const char *name);
/* One of two names; "" if both are absent. */
const char *ufm_either(const struct json_value *v, const char *name, const char *other);
/* A port of a host's adapter, "luna-0218 mlx5_4", is that device; of a switch its number. */
void ufm_name_port(const char *description, const char *number, char *dst, size_t size);
/* "ec0d9a03007d7f0a_12": the number; "" if there is none. */
const char *ufm_number_in(const char *name);
/* The share that was lost: Infiniband_Normalized_CBW, Normalized_CBW, with or without a unit. */
bool ufm_lost_share(const struct json_value *v, double *percent);
/* Notes it at "r-dmz-ufm131 mlx5_0" or "sw-ufm-qm01:35"; guid: of the port, or "". */
void ufm_note_lost(struct ufm_reading *r, const char *name, const char *guid, double percent);

bool ufm_reads(const struct request *r); /* the list of reads: reads.c */

#endif
