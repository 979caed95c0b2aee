/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_HEADLESS_PLACE_CHECK_H
#define APP_HEADLESS_PLACE_CHECK_H

#include <stdbool.h>

#include "base/err.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Refuses a place that the inventory rules out, before half a minute of collecting: a device that
 * is not in it, a rail beyond its rails, a job where it has no source of jobs, a finding that
 * railtop does not have. m is its model, with the answers so far if there are any. So a port is
 * refused once its device has listed all ports, and a job or rank once each source of jobs has
 * answered. The cure says who was asked.
 */
bool place_possible(
	const struct plan *plan, const struct model *m, const char *text, struct err *err);
/*
 * The exit code for a place that was not found in collected data: EXIT_USAGE with the error as it
 * is; EXIT_UNREACHED with another one where the device or the source that would know the place has
 * not answered, so that nobody can say that it is not there.
 */
int place_missing(
	const struct plan *plan, const struct model *m, const char *text, struct err *err);
/* As place_possible(), for a text that must be a device: `trace --host`. */
bool device_possible(
	const struct plan *plan, const struct model *m, const char *text, struct err *err);
/* Whether the inventory has a source of jobs. subject: the option or word that needs one. */
bool jobs_possible(const struct plan *plan, const char *subject, struct err *err);

/* Joins words[first...] with blanks, so that "rail 3" and "a:b - c:d" need no quotes. dst is ""
 * where there are none. */
bool place_join(
	const char *const *words, size_t n, size_t first, char *dst, size_t size, struct err *err);

#endif
