/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_SYSLOG_H
#define BACKENDS_PARSE_SYSLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/vocabulary/observation.h"

/*
 * Logs of network systems and hosts, line by line: RFC 3164 with or without a year and fractions
 * ("Nov 21 17:50:11.123456 leaf-r0-00 NOTICE swss#orchagent: ..."), ISO 8601, EOS
 * ("Nov 21 17:50:11 leaf1 Ebra: %LINEPROTO-5-UPDOWN: ..."), NX-OS ("2026 Nov 21 17:50:11 leaf1
 * %ETHPORT-5-IF_DOWN_LINK_FAILURE: ..."), kernel lines with or without "[12.3]".
 */
struct syslog_opts {
	/* A name that is a port of the device; lines are searched for one. NULL: any word. */
	bool (*is_port)(const char *name);
	/* Lines are read as they are written: their time is that of arrival, but for the zone. */
	bool live;
	int64_t not_before_us; /* older lines are left out; 0: none */
	/* The zone of stamps that name none, as `date +%z` prints it: "+0200". NULL, "": see below.
	 */
	const char *zone;
};

/*
 * Adds an item (obs_log) for each line that an operator on call wants: links, PFC storms, BGP,
 * optics, FEC, LLDP, hardware errors, restarts, logins that change the configuration. The rest,
 * most of any log, is left out. The year, where there is none, is the one that puts the line
 * nearest before o->received_us; the zone is UTC unless live, then it is whatever puts it nearest
 * to it. Returns the number of lines that had a time stamp: 0 of a text with lines says that this
 * is no log.
 */
size_t syslog_parse(const struct syslog_opts *opts, const char *bytes, size_t len, struct obs *o);

#endif
