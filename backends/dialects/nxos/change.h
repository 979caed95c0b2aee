/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_NXOS_CHANGE_H
#define BACKENDS_DIALECTS_NXOS_CHANGE_H

#include "backends/contract/change.h"

extern const struct dialect_changes nxos_changes;

/* change_readback.c: look() and see() of it. */
bool nxos_look(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err);
bool nxos_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

/* The CLI's own complaint in what it printed ("% Invalid ...", "ERROR: ..."); false: none. */
bool nxos_complaint(const char *bytes, size_t len, char *dst, size_t size);
/* ERR_UNAUTHORISED where the words say that the role may not, else ERR_PROTOCOL; false. */
bool nxos_said(const struct target *t, const char *words, struct err *err);

#endif
