/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_DIFFERENCE_DIFFERENCE_H
#define DIAGNOSIS_DIFFERENCE_DIFFERENCE_H

#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * What changed between two moments: two models and diagnoses, of one recording or of two. Devices
 * and ports are matched by name. Pure; the views and `railtop diff` show the same list.
 */
enum difference_kind {
	DIFF_DEVICE,  /* appeared, disappeared, its state (fresh, unreachable, ...), reboot */
	DIFF_LINK,    /* oper or admin state, flaps between */
	DIFF_SPEED,   /* speed, lanes, FEC mode, MTU */
	DIFF_CONFIG,  /* QoS maps, thresholds, PFC and ECN masks, watchdog, hashes, BGP, versions */
	DIFF_WIRING,  /* another neighbour */
	DIFF_FINDING, /* opened, closed, more or less severe */
	DIFF_COUNTER, /* its rate left the band in which it was */
	DIFF_KIND_COUNT
};
const char *difference_kind_name(enum difference_kind k); /* "device", "link", "speed", ... */

struct difference {
	uint8_t kind;     /* enum difference_kind */
	uint8_t severity; /* enum severity, for order and colour */
	bool better;      /* it was worse before */
	struct ref at;    /* in the second model; REF_NONE when it is not there any more */
	char place[160];  /* its locator */
	char what[48];    /* "oper", "speed", "link.flapping", "pfc_rx_frames[3]" */
	char before[80], after[80]; /* "-": unknown or not there */
	double number; /* of a counter: distance from the median in halves of the band, > 1; NAN */
};
typedef VEC(struct difference) difference_vec;

struct moment {
	const struct model *m;
	const struct diag *d; /* NULL: findings are not compared */
	int64_t now_us;
};
/*
 * The worst first, then by place. Unknown in one of both is no difference of a setting: it is
 * listed as such only where something was known before and is not reported any more (kind device).
 *
 * A rate leaves its band when it is outside of median +- 3 x 1.4826 x MAD of what the first
 * moment's history has (at least 10 samples), by a twentieth of the median and by the smallest rate
 * that the counter is worth showing at, whichever is larger; a bad counter (TREND_BAD) that was
 * silent and counts now has left it. What never moved has no history; it was silent: its band is 0.
 * What is the rate of the first moment itself has not changed, wherever its band is. Rates of
 * devices that do not answer are not compared.
 */
void difference_find(const struct moment *a, const struct moment *b, difference_vec *out);
void difference_free(difference_vec *v);

#endif
