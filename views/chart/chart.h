/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_CHART_CHART_H
#define VIEWS_CHART_CHART_H

#include "fabric/history/history.h"
#include "tui/plot.h"
#include "views/view.h"

/*
 * A chart: counters of ports, priorities, devices, rails or jobs over a stretch of time. The value
 * of a device, rail or job is the sum over its ports, of readings (light, temperature, queues) the
 * worst one. The console owns the chart; views read it.
 */
#define CHART_SERIES    PLOT_LINES
#define CHART_LEAST_US  (INT64_C(60) * 1000000)
#define CHART_PORTS_MAX 128 /* ports that one sum reads */

/* No counter of a port: operations a second of a job. */
#define CHART_OPS ((counter_id)COUNTERS_MAX)

struct chart_series {
	struct ref at; /* REF_PORT, REF_DEVICE, REF_RAIL, REF_JOB */
	counter_id id;
	uint8_t sub; /* priority or lane */
};

/*
 * Values from before the history that is kept here: of a metrics engine. Each point is the mean
 * rate, or the reading, of the step that ends at from_us + i * step_us; NAN: there was none.
 */
struct chart_past {
	int64_t from_us, step_us; /* wall times of this session */
	unsigned n;
	struct chart_series series[CHART_SERIES];
	size_t n_series;
	float *at[CHART_SERIES]; /* n points a series */
};

struct chart {
	struct chart_series series[CHART_SERIES];
	size_t n;
	int64_t span_us;   /* time from the left edge to the right */
	int64_t back_us;   /* the right edge is that long before the present */
	int64_t cursor_us; /* wall time under the cursor; 0: at the right edge */
	bool log;
	enum plot_choice choice;
	struct chart_past past;
	bool of_file;    /* the past is that of an open recording */
	bool asking;     /* the engine, or the recording, is being asked */
	char source[64]; /* the name of the engine; "": there is none */
	char why[128];   /* the reason why it gave nothing; "" */
};

/* The time of a chart on a screen. */
struct chart_window {
	int64_t end_us, width_us; /* of the last column; of one column */
	unsigned n;
};
struct chart_window chart_window(const struct chart *c, int64_t now_us, unsigned columns);

/*
 * Sets the series for a place: the evidence of a finding, both directions of a port, the load of
 * a device, rail or job. False: nothing there has a history.
 */
bool chart_begin(struct chart *c, const struct view_ctx *ctx, struct ref at);
/* Adds a series; false: there is no room, or it is there. */
bool chart_add(struct chart *c, struct ref at, counter_id id, unsigned sub);
void chart_drop(struct chart *c, size_t i);
/* Replaces the counters of all series by this one; both directions when it has two. */
void chart_metric(struct chart *c, const struct view_ctx *ctx, counter_id id);
/* The next of the usual ones that the places have: pause, load, drops, ..., light, temperature. */
counter_id chart_next_metric(const struct chart *c, const struct view_ctx *ctx);

/* ---- values ---- */

/* As counter_info, with those that are no counters of ports. */
const struct counter_info *chart_info(counter_id id);
/* Whether a progress of the job is known. */
bool chart_has_pace(const struct view_ctx *ctx, struct ref at);

/*
 * Fills n columns with values in the unit of chart_unit(); NAN: not known. False: no history is
 * kept there, or the counter never moved. *ports: number of ports read, *of: of how many.
 */
struct chart_values {
	float mean[PLOT_COLUMNS];
	double now, least, most, average, at_cursor;
	unsigned ports, of;
	unsigned borrowed; /* columns whose value is of the engine: the first ones */
	bool known;
};
void chart_read(const struct view_ctx *ctx, const struct chart *c, size_t i,
	const struct chart_window *w, struct chart_values *out);
/* "%", "b/s" or "B/s", "/s"; of readings "dBm", "C", ... */
const char *chart_unit(const struct view_ctx *ctx, counter_id id);
/* Whether it is a reading (light, depth), not a rate. */
bool chart_is_reading(counter_id id);
/* Whether the scale begins with zero: not that of light or of a temperature. */
bool chart_from_zero(counter_id id);
/* Of several ports' readings the least is the worst: of light. */
bool chart_worst_is_least(counter_id id);
/* Whether a history of the port is kept. */
bool chart_has_past(const struct view_ctx *ctx, const struct port *p, counter_id id, unsigned sub);
/* A value with its unit, as a person writes it: "99%", "41.2 Gb/s", "120/s". */
char *chart_value_text(const struct view_ctx *ctx, counter_id id, double v, char *dst, size_t size);
/* "leaf-r3-00:Ethernet8 p3". */
char *chart_place_text(
	const struct view_ctx *ctx, const struct chart_series *s, char *dst, size_t size);

/* ---- the past of a metrics engine ---- */
/*
 * Fills the past from batches of the engine, oldest first, for the series of the chart. from_us,
 * step_us, to_us: as they were asked for.
 */
struct obs;
void chart_past_fill(struct chart *c, const struct view_ctx *ctx, const struct obs *list,
	int64_t from_us, int64_t to_us, int64_t step_us);
void chart_past_drop(struct chart *c);
/* Puts the values of the past where a column has none. */
void chart_past_read(const struct chart *c, size_t i, const struct chart_window *w, double factor,
	struct chart_values *out);
/* Whether a port is a part of the place: it, its device, its rail, its job. */
bool chart_has_port(const struct view_ctx *ctx, struct ref at, const struct port *p);

/* ---- drawing ---- */
int chart_draw(const struct view_ctx *ctx, struct region r);

#endif
