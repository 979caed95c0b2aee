/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_SYSLOG_WORDS_H
#define BACKENDS_PARSE_SYSLOG_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* What the words of a log line say. Private to backends/parse/syslog*.c. */
enum syslog_class {
	SYSLOG_SKIP,   /* nothing that an operator on call wants */
	SYSLOG_CHANGE, /* something changed: EV_LOG */
	SYSLOG_ALARM,  /* trouble: EV_LOG_ALARM */
};

/* line is in lower case, without its time stamp; severity words and program names included. */
enum syslog_class syslog_classify(const char *line);

/*
 * How much of the line (lower case) anybody may see: what sudo logs of a command holds the secrets
 * that were typed with it. The whole length when there is none.
 */
size_t syslog_public_len(const char *line);

/* The priority or queue that the line (lower case) is about, when it is about PFC; -1: none. */
int syslog_priority(const char *line);

/*
 * Finds the first word that is a port and copies it; false: none. is_port NULL: words shaped like
 * the names that network systems give ports.
 */
bool syslog_find_port(const char *text, bool (*is_port)(const char *name), char *dst, size_t size);

#endif
