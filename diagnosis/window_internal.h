/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_WINDOW_INTERNAL_H
#define DIAGNOSIS_WINDOW_INTERNAL_H

#include "diagnosis/window.h"

/* Private to window.c and window_sample.c. */

enum peak_kind { PEAK_QUEUE, PEAK_PG, PEAK_HEADROOM, PEAK_KINDS };

/* High-water marks of one port: what is needed to know whether one is of this sample. */
struct peaks {
	int64_t seen_us[PEAK_KINDS]; /* of the report that was judged last */
	float now[PEAK_KINDS];       /* what it says about now; NAN: nothing */
	uint8_t falls[PEAK_KINDS];   /* the last 8 reports, bit 0 the newest: a mark went down */
	uint64_t was[PEAK_KINDS][PRIORITIES];
};

/* Downs are told by two sources at different times; both count the same ones. */
struct downs {
	uint32_t model_was;   /* p->flaps */
	uint64_t counter_was; /* link_down_events, or carrier_changes */
	uint32_t model, counter, told;
	bool known;
};

/* Reads everything but at_us and dt_s. interval_us: of the device. */
void sample_read(struct sample *s, struct peaks *peaks, struct downs *downs, const struct model *m,
	const struct port *p, int64_t interval_us, int64_t now_us);

#endif
