/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_DIFFERENCE_DIFFERENCE_H
#define DIAGNOSIS_DIFFERENCE_DIFFERENCE_H

#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * Differences between two moments: two models and diagnoses, of one recording or of two. Devices
 * and ports are matched by name. Pure; the views and `railtop diff` show the same list.
 */
enum difference_kind {
	DIFF_DEVICE,  /* appeared, disappeared, its state (fresh, unreachable, ...), reboot */
	DIFF_LINK,    /* oper or admin state, flaps between */
	DIFF_SPEED,   /* speed, lanes, FEC mode, MTU */
	DIFF_CONFIG,  /* QoS maps, thresholds, PFC and ECN masks, watchdog, hashes, BGP, versions */
	DIFF_WIRING,  /* another neighbour */
	DIFF_FINDING, /* opened, closed, more or less severe */
	DIFF_COUNTER, /* its rate left its former band */
	DIFF_KIND_COUNT
};
const char *difference_kind_name(enum difference_kind k); /* "device", "link", "speed", ... */

struct difference {
	uint8_t kind;     /* enum difference_kind */
	uint8_t severity; /* enum severity, for order and colour */
	bool better;      /* it was worse before */
	uint8_t cause;    /* 2: a culprit's finding, 1: trouble at a culprit's ports, 0: neither */
	struct ref at;    /* in the second model; REF_NONE when it no longer exists there */
	char place[160];  /* its locator */
	char what[48];    /* "oper", "speed", "link.flapping", "pfc_rx_frames[3]" */
	char before[80], after[80]; /* "-": unknown or not there */
	double number; /* of a counter: distance from the median in half bands, > 1; NAN */
};
typedef VEC(struct difference) difference_vec;

struct moment {
	const struct model *m;
	const struct diag *d; /* NULL: findings are not compared */
	int64_t now_us;
};
/*
 * Finds the differences: culprits, then what is wrong at their ports, then the rest, each the
 * worst first, then by place. A setting that is unknown in one moment
 * is no difference. It is listed only if it was known before and is no longer reported (kind
 * device).
 *
 * The band of a rate is median +- the largest of three values: 3 x 1.4826 x MAD of the first
 * moment's history (at least 10 samples), a twentieth of the median, and the smallest rate worth
 * showing. A bad counter (TREND_BAD) that was silent and counts now has left its band. A counter
 * that never moved has no history; it was silent: its band is 0. A rate equal to that of the first
 * moment has not changed, wherever its band is. Rates of devices that do not answer are not
 * compared.
 */
void difference_find(const struct moment *a, const struct moment *b, difference_vec *out);
void difference_free(difference_vec *v);

#endif
