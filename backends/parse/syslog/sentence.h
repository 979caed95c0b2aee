/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_SYSLOG_SENTENCE_H
#define BACKENDS_PARSE_SYSLOG_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What a sentence of a log says of its subject, by its parts: a state and the word that turns it
 * ("not", "no longer", "cleared"), or a change from one state to another. Private to
 * backends/parse/syslog.c and this folder.
 */
enum syslog_said {
	SAID_NOTHING, /* no word of a state or a change */
	SAID_CHANGE,  /* something is another way, neither better nor worse */
	SAID_WORKS,   /* something works */
	SAID_GOOD,    /* a trouble is over */
	SAID_BY_HAND, /* an operator did what would be trouble otherwise */
	SAID_BAD,     /* something does not work */
};

/*
 * Reads a sentence in lower case. is_warning: it comes with a severity of trouble, so that "high",
 * "full" or "reset" count as well.
 */
enum syslog_said syslog_sentence(const char *text, bool is_warning);

/*
 * Reads the words of a mnemonic ("if_down_link_failure"), of which the last state counts:
 * "down_cleared" is good.
 */
enum syslog_said syslog_mnemonic(const char *name, size_t len);

/* Whether something was tried and not done: "failed", "timeout", "refused". */
bool syslog_tells_failure(const char *text);

/*
 * Whether the sentence names something of the forwarding (a port, a queue, a bundle, a route, a
 * session) or a part that a switch needs. in_parts: parts of words count, as in "lag_member".
 */
bool syslog_names_subject(const char *text, bool in_parts);

#endif
