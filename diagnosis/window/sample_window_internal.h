/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_WINDOW_SAMPLE_WINDOW_INTERNAL_H
#define DIAGNOSIS_WINDOW_SAMPLE_WINDOW_INTERNAL_H

#include "base/vec.h"
#include "diagnosis/window/sample_window.h"

/* Private to window*.c. */

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

/* Of one port, beside its samples. */
struct track {
	int64_t moved_us;   /* refresh that the newest sample is of, 0: none */
	uint8_t next, used; /* ring of samples */
	struct downs downs;
	double tx_sum, tx_s, rx_sum, rx_s; /* decayed bits and seconds */
	double seen_s;                     /* with a known load, not decayed */
};

struct windows {
	VEC(uint32_t) samples; /* of each device */
	/* WINDOW_SAMPLES of each port, room for size of them: mem_pages(). */
	struct {
		struct sample *at;
		size_t size;
	} rings;
	VEC(struct track) tracks; /* of each port */
	/* Of each port, apart from the rest because every detector asks for it: when its newest
	 * sample gets too old, and where that is. */
	VEC(int64_t) until_us;
	VEC(uint8_t) last;
	VEC(uint64_t) marks[WINDOW_MARKS]; /* a bit of each port */
	VEC(struct peaks *) peaks;         /* of each port that has such counters */
	int64_t now_us;
};

/* Room for so many ports. */
void windows_grow(struct windows *w, size_t ports);
/* After the newest sample of the port was made or read: window_marked() looks at no other. */
void windows_mark(struct windows *w, uint32_t port);
/* Reads everything but at_us and dt_s. interval_us: of the device. */
void sample_read(struct sample *s, struct peaks *peaks, struct downs *downs, const struct model *m,
	const struct port *p, int64_t interval_us, int64_t now_us);

#endif
