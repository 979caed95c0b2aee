/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_SYSLOG_HEAD_H
#define BACKENDS_PARSE_SYSLOG_HEAD_H

#include <stddef.h>

/* What stands before the sentence of a log line. Private to backends/parse/syslog.c and this
 * folder. */

/* What a line is about. */
enum syslog_field {
	FIELD_UNKNOWN, /* words of the sentence tell, or nothing does */
	FIELD_FABRIC,  /* links, bundles, pairs, sessions, routes, optics, queues */
	FIELD_SYSTEM,  /* hardware, agents, the chip, restarts */
	FIELD_OTHER,   /* logins, clocks, management: of no link */
};

struct syslog_head {
	int severity; /* 0 to 7 as of RFC 5424; -1: the line tells none */
	enum syslog_field field;
	const char *mnemonic; /* not terminated; "" none */
	size_t mnemonic_len;
	const char *sentence; /* the rest of the line */
};

/*
 * Reads a line in lower case without time stamp and host: "%facility-3-mnemonic: ..." of EOS and
 * NX-OS, "err swss#orchagent: :- function: ..." of SONiC, "switchd[12]: ..." of the others.
 */
void syslog_head_read(const char *line, struct syslog_head *h);

#endif
