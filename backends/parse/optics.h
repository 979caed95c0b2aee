/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_OPTICS_H
#define BACKENDS_PARSE_OPTICS_H

#include "backends/contract/needs.h"
#include "backends/parse/cells.h"
#include "backends/parse/number.h"
#include "fabric/vocabulary/observation.h"

/* The readings of one lane; has_*: NUMBER_MINUS_INF means no light. */
struct optics_lane {
	enum number has_rx, has_tx, has_bias;
	double rx_dbm, tx_dbm, bias_ma;
};

/* The readings of a module. All zero: no measurements (copper, no module, no access). */
struct optics {
	bool has_temperature, has_voltage;
	double temperature, voltage;
	struct optics_lane lane[LANES];
};

/*
 * Adds the readings of a port. Modules have more lanes than a port uses. A lane without light in
 * both directions and without bias is omitted as unused. If all are so, the link is dark, and all
 * are shown. No light is DARK_DBM. A missing reading is reported as unsupported; so is everything
 * of a module that reports 0 V.
 */
void optics_emit(const struct optics *x, struct obs *o, uint32_t port);

/* Reports ATTR_MEDIA: "OSFP MMA4Z00-NS", the kind of module and the part number; "": not printed.
 */
void optics_media(struct obs *o, uint32_t port, const char *kind, const char *part);

/*
 * Reports the limits of one reading, attr, by enum optics_limit; NAN: not printed. Modules have
 * nonsense in unused fields, and a limit made of it would be a false finding: alarms of no range
 * mean that there are no limits; infinite ones, and warnings outside of the alarms, are left out.
 * True: any was reported.
 */
bool optics_limits(
	struct obs *o, uint32_t port, enum obs_attr attr, const double limit[LIMIT_COUNT]);

/*
 * Copies the application of a module, "400GBASE-DR4" or "2x400G-FR4", out of a text about it: an
 * entry of SONiC's application_advertisement, a media interface code, a compliance code. False, and
 * "": there is none.
 */
bool optics_application(const char *text, char *dst, size_t size);

/*
 * Reports whether any port of the batch has diagnostics of its signal (VDM of CMIS: ratio of signal
 * to noise, bit errors, laser); why: the reason if none has.
 */
void optics_report_vdm(struct obs *o, const char *why);
extern const enum need_id optics_needs[];
extern const size_t optics_needs_count;

#endif
