/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_EOS_CHANGE_H
#define BACKENDS_DIALECTS_EOS_CHANGE_H

#include <jansson.h>

#include "backends/contract/change.h"

extern const struct dialect_changes eos_changes;

/* change_readback.c: look() and see() of it. */
bool eos_look(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err);
bool eos_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

/* What the watchdog does, in EOS's words and in those of wd_setting; the word itself if unknown. */
const char *eos_action_word(const char *ours);
const char *eos_action_ours(const char *word);

/* One POST to eAPI that runs the lines in this order. The caller owns nothing. */
struct request *eos_rpc(struct request_list *out, const char *name, const char *format,
	const char *const *lines, size_t n);
/*
 * Why the switch did not answer as it should: a status of HTTPS, an error of eAPI. ran: how many
 * commands were run before the one that failed. False, err filled.
 */
bool eos_rpc_failed(const struct target *t, const struct reply *r, const json_t *doc, size_t ran,
	struct err *err);
/* The CLI's own complaint in what it printed: the line behind the first "% "; false: none. */
bool eos_complaint(const char *bytes, size_t len, char *dst, size_t size);
/* ERR_UNAUTHORISED where the words say that the user may not, else ERR_PROTOCOL; false. */
bool eos_said(const struct target *t, const char *words, struct err *err);

#endif
