/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_WINDOW_SAMPLE_WINDOW_INTERNAL_H
#define DIAGNOSIS_WINDOW_SAMPLE_WINDOW_INTERNAL_H

#include "base/vec.h"
#include "diagnosis/window/sample_window.h"

/* Private to diagnosis/window. */

enum peak_kind { PEAK_QUEUE, PEAK_PG, PEAK_HEADROOM, PEAK_KINDS };

/* High-water marks of one port: the data that shows whether a mark belongs to this sample. */
struct peaks {
	int64_t seen_us[PEAK_KINDS]; /* time of the last judged report */
	float now[PEAK_KINDS];       /* its current value; NAN: unknown */
	uint8_t falls[PEAK_KINDS];   /* the last 8 reports, bit 0 the newest: set when a mark went
					down */
	uint64_t was[PEAK_KINDS][PRIORITIES];
};

/* Two sources report downs at different times; both count the same ones. */
struct downs {
	uint32_t model_was;   /* p->flaps */
	uint64_t counter_was; /* link_down_events, or carrier_changes */
	uint32_t model, counter, told;
	bool known;
};

/* Of one port, besides its samples. */
struct track {
	int64_t moved_us;   /* refresh of the newest sample, 0: none */
	uint8_t next, used; /* ring of samples */
	struct downs downs;
	double tx_sum, tx_s, rx_sum, rx_s; /* decayed bits and seconds */
	double seen_s;                     /* time with a known load, not decayed */
};

struct sample_windows {
	VEC(uint32_t) samples; /* of each device */
	/* WINDOW_SAMPLES for each port, with room for `size`: mem_pages(). */
	struct {
		struct sample *at;
		size_t size;
	} rings;
	VEC(struct track) tracks; /* of each port */
	/* Per port, apart from the rest because every detector reads it: when its newest sample
	 * expires, and its index in the ring. */
	VEC(int64_t) until_us;
	VEC(uint8_t) last;
	VEC(uint8_t) following; /* how many of its samples follow one another up to the newest */
	VEC(uint64_t) marks[WINDOW_MARKS]; /* one bit per port */
	VEC(struct peaks *) peaks;         /* per port with such counters */
	int64_t now_us;
};

/* Makes room for that many ports. */
void windows_grow(struct sample_windows *w, size_t ports);
/* After the port's newest sample was taken or loaded: counts those that follow one another. */
void windows_follow(struct sample_windows *w, uint32_t port);
/* Likewise: window_marked() reads no other. */
void windows_mark(struct sample_windows *w, uint32_t port);
/* Reads everything except at_us and dt_s. interval_us: of the device. */
void sample_read(struct sample *s, struct peaks *peaks, struct downs *downs, const struct model *m,
	const struct port *p, int64_t interval_us, int64_t now_us);

#endif
