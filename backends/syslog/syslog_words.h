/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SYSLOG_SYSLOG_WORDS_H
#define BACKENDS_SYSLOG_SYSLOG_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Classifies log lines by their words. Private to backends/syslog. */
enum syslog_class {
	SYSLOG_SKIP,   /* irrelevant to an operator on call */
	SYSLOG_CHANGE, /* something changed: EV_LOG */
	SYSLOG_ALARM,  /* trouble: EV_LOG_ALARM */
	SYSLOG_UNREAD, /* an error by its severity, of which no word is known: EV_LOG_UNREAD */
};

#define SYSLOG_WORDS 3
/* All words must be in the line (lower case). */
struct syslog_row {
	const char *word[SYSLOG_WORDS];
	enum syslog_class is;
};
/* The first row that matches; NULL: there is none. */
const struct syslog_row *syslog_find_row(const struct syslog_row *rows, size_t n, const char *line);
/* syslog_host.c: what the kernel of a host writes; NULL: another line. */
const struct syslog_row *syslog_host_row(const char *line);

/*
 * Classifies a line in lower case without its time stamp, but with severity words and program
 * names. is_switch: see syslog.h.
 */
enum syslog_class syslog_classify(const char *line, bool is_switch);

/*
 * Returns the length of the line (lower case) without secrets: sudo logs commands with the secrets
 * typed in them. The whole length when there is none.
 */
size_t syslog_public_len(const char *line);

/* Whether the character continues a word. */
bool syslog_in_word(char c);

/* Returns the priority or queue of a line (lower case) about PFC; -1: none. */
int syslog_priority(const char *line);

/*
 * Copies the first word that is a port; false: none. is_port NULL: words shaped like the port names
 * of network systems.
 */
bool syslog_find_port(const char *text, bool (*is_port)(const char *name), char *dst, size_t size);

/* The same for a short name: "Et2/1" with "Et" and "Ethernet" is "Ethernet2/1". */
bool syslog_find_brief(const char *text, const char *brief, const char *full,
	bool (*is_port)(const char *name), char *dst, size_t size);

/* Copies the first word that is the prefix and a number: "port-channel110"; false: none. */
bool syslog_find_numbered(const char *text, const char *prefix, char *dst, size_t size);

#endif
