/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_NXOS_CHANGE_H
#define BACKENDS_DIALECTS_NXOS_CHANGE_H

#include "backends/contract/change.h"

extern const struct dialect_changes nxos_changes;

/* change_readback.c: reads the condition of a port before and after a change. */
bool nxos_look(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err);
bool nxos_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

/*
 * Copies the CLI's own error from its output ("% Invalid ...", "ERROR: ..."). Returns false if
 * there is none.
 */
bool nxos_complaint(const char *bytes, size_t len, char *dst, size_t size);
/*
 * Sets err: ERR_UNAUTHORISED if the text denies the role a right, else ERR_PROTOCOL. Returns false.
 */
bool nxos_said(const struct target *t, const char *words, struct err *err);

#endif
