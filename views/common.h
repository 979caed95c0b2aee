/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_COMMON_H
#define VIEWS_COMMON_H

#include "views/view.h"

/* What several views need and nobody outside views/ does. */

#define VIEW_RAILS_MAX 1024 /* a plan with more is cut: a table nobody would read */

/* The object that a ref names, NULL when it has another kind or names nothing in the model. */
struct device *view_device_of(const struct view_ctx *ctx, struct ref r); /* REF_DEVICE */
/* REF_PORT, and what lies in a port: REF_PRIORITY, REF_COUNTER, REF_LINK (its end a). */
struct port *view_port_of(const struct view_ctx *ctx, struct ref r);

struct ref ref_of_rail(int rail);
struct ref ref_of_device(const struct device *d);
struct ref ref_of_port(const struct port *p);
struct ref ref_of_priority(const struct port *p, unsigned priority);

/* Rails of the plan, or of the devices where the plan states none. */
int view_rails(const struct model *m);
/* The device serves the rail: a leaf of it, or a switch above with a port of that rail. */
bool device_serves_rail(const struct model *m, const struct device *d, int rail);
/* The device no longer answers what its ports count: their numbers are of the past. */
bool device_is_old(const struct device *d);
/* The same for its BGP sessions: it may answer, but not about BGP any more (views/panes/bgp.c). */
bool bgp_is_old(const struct view_ctx *ctx, const struct device *d);

/* "leaf-r3-00:Ethernet12"; dst holds it whole from 2 * NAME_MAX_LEN on. Returns dst. */
char *port_locator(const struct model *m, const struct port *p, char *dst, size_t size);
/* The other end as a locator: as found or planned, else what LLDP said; "" when nothing is known.
 */
char *peer_locator(const struct model *m, const struct port *p, char *dst, size_t size);

/*
 * Age in steps ("<10s", "<1m", "<10m", "<1h", "<1d", ">1d") that does not tick each second; "-" for
 * a time that is 0 or less (never). A time after now counts as just now.
 */
const char *age_step(int64_t now_us, int64_t then_us);
/* The moments of the diff view: "22:13:20Z" and "23:15:00Z", with dates if these differ. */
void differences_span(
	const struct view_ctx *ctx, char *from, size_t from_size, char *to, size_t to_size);
/* The time of day of the model's time us in the operator's zone; dst of at least 16 bytes. */
char *view_hms(const struct view_ctx *ctx, int64_t us, char *dst, size_t size);
/* "11-22" of it. */
char *view_day(const struct view_ctx *ctx, int64_t us, char *dst, size_t size);
/* Whether rates of traffic are written in bytes. */
bool view_in_bytes(const struct view_ctx *ctx);
/* "99.2 Gb/s", "12.4 GB/s". */
char *view_bitrate(const struct view_ctx *ctx, double bps, char *dst, size_t size);
/* Percent with at most three digits: "0%", "7.3%", "84%"; "-" when NAN. Returns dst. */
/* A number that rounds to zero at one decimal has no sign: nobody writes -0.0. */
static inline double no_minus_zero(double v)
{
	return v > -0.05 && v < 0 ? 0 : v;
}
char *percent_text(double percent, char *dst, size_t size);
/* Takes off what is left of a character at the end of s that a cut went through (UTF-8). */
void trim_cut(char *s);
/* "W", "C", "?" and "" (ok). */
const char *severity_letter(enum severity s);
/* "OK", "WARN", "CRIT", "?": the word that heads a panel. */
const char *severity_word(enum severity s);
/* "ok", "STORM", "off", "-": watchdog states as short as a column needs them. */
const char *watchdog_word(enum wd_state s);
enum role watchdog_role(enum wd_state s);
/* The worst watchdog of the priorities in mask: stormed, off, operational, unknown. */
enum wd_state watchdog_worst(const struct port *p, uint8_t mask);
enum role role_of_device_state(enum dev_state s);

/*
 * The number of a counter in a cell, or the word why there is none: rate for counts, reading for
 * gauges and peaks.
 */
void cell_counter(const struct view_ctx *ctx, struct view_cell *c, const struct port *p,
	counter_id id, unsigned sub);
/* The time of day; older than half a day, the day, which says more; "-" for 0 and less. */
void cell_moment(const struct view_ctx *ctx, int64_t us, struct view_cell *out);
/* Likewise, of a clock that is not this session's: a device's own. */
void cell_clock(const struct view_ctx *ctx, int64_t wall_us, struct view_cell *out);
/* Marks a number of a device that does not answer: "~" before it, dim. */
void cell_mark_old(struct view_cell *c);

/* A stamp of view.h from the numbers that a row depends on; never 0. */
uint64_t stamp_of_parts(const uint64_t *parts, size_t n);

#endif
