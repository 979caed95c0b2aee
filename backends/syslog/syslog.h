/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SYSLOG_SYSLOG_H
#define BACKENDS_SYSLOG_SYSLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/vocabulary/observation.h"

/*
 * Parses logs of network systems and hosts, line by line: RFC 3164 with or without a year and
 * fractions ("Nov 21 17:50:11.123456 leaf-r0-00 NOTICE swss#orchagent: ..."), ISO 8601, EOS ("Nov
 * 21 17:50:11 leaf1 Ebra: %LINEPROTO-5-UPDOWN: ..."), NX-OS ("2026 Nov 21 17:50:11 leaf1
 * %ETHPORT-5-IF_DOWN_LINK_FAILURE: ..."), kernel lines with or without "[12.3]".
 */
struct syslog_opts {
	/*
	 * True for a port of the device; lines are searched for one. NULL: any word that looks like
	 * a port.
	 */
	bool (*is_port)(const char *name);
	/* Ports are also written with this in place of "Ethernet": "Et2/1"; NULL: they are not. */
	const char *brief;
	/* Names of bundles are this and a number: "port-channel"; NULL: no names are known. */
	const char *bundle;
	/*
	 * Lines are read as soon as they are written: their time is about that of arrival, except
	 * for the zone.
	 */
	bool live;
	/*
	 * The device is a switch whose programs print no severity: the words of each of them count,
	 * not only of those that are known for links, pairs and routes.
	 */
	bool is_switch;
	int64_t not_before_us; /* skip older lines; 0: none */
	/* Zone of stamps without one, as printed by `date +%z`: "+0200". NULL, "": see below. */
	const char *zone;
};

/*
 * Adds an item (obs_log) for each line relevant to an operator on call: links, PFC storms, BGP,
 * optics, FEC, LLDP, hardware errors, restarts, logins that change the configuration. All others,
 * most of any log, are skipped; an error of which no word is known is not (EV_LOG_UNREAD).
 *
 * A missing year is chosen so that the time is the nearest before o->received_us. A missing zone is
 * UTC, or with live the zone that brings the time nearest to o->received_us. Returns the number of
 * lines with a time stamp: 0 for a text with lines means that it is no log.
 */
size_t syslog_parse(const struct syslog_opts *opts, const char *bytes, size_t len, struct obs *o);

#endif
