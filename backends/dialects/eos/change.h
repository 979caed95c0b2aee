/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_EOS_CHANGE_H
#define BACKENDS_DIALECTS_EOS_CHANGE_H

#include "backends/contract/change.h"
#include "backends/parse/json_value.h"

extern const struct dialect_changes eos_changes;

/* change_readback.c: reads the condition of a port before and after a change. */
bool eos_look(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err);
bool eos_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

/* Converts watchdog actions between EOS and wd_setting; an unknown word is returned as it is. */
const char *eos_action_word(const char *ours);
const char *eos_action_ours(const char *word);

/* Adds one POST to eAPI that runs the lines in this order. out owns the request. */
struct request *eos_rpc(struct request_list *out, const char *name, const char *format,
	const char *const *lines, size_t n);
/*
 * Converts a bad reply into err: an HTTPS status or an eAPI error. ran: number of commands that ran
 * before the failed one. Returns false.
 */
bool eos_rpc_failed(const struct target *t, const struct reply *r, const struct json_value *doc,
	size_t ran, struct err *err);
/*
 * Copies the CLI's own error from its output: the line after the first "% ". Returns false if there
 * is none.
 */
bool eos_complaint(const char *bytes, size_t len, char *dst, size_t size);
/*
 * Sets err: ERR_UNAUTHORISED if the text denies the user a right, else ERR_PROTOCOL. Returns false.
 */
bool eos_said(const struct target *t, const char *words, struct err *err);

#endif
