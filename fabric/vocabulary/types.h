/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_TYPES_H
#define FABRIC_VOCABULARY_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* Basic types shared by the model, the inventory and the observations. */

enum net_kind { NET_BACKEND, NET_STORAGE, NET_FRONTEND, NET_OOB, NET_COUNT };
enum tier { TIER_HOST, TIER_LEAF, TIER_SPINE, TIER_SUPERSPINE, TIER_COUNT };
enum oper { OPER_UNKNOWN, OPER_UP, OPER_DOWN };

/* Severity, used in all panes. The order matters: worse is greater. */
enum severity { SEV_UNKNOWN, SEV_OK, SEV_WARN, SEV_CRIT, SEV_COUNT };

/* Freshness of a device's data. */
enum dev_state {
	DEV_PENDING,        /* no data yet, and no error */
	DEV_FRESH,          /* age <= 1.5 intervals */
	DEV_LATE,           /* age <= 2 intervals */
	DEV_STALE,          /* older: values are shown with their age */
	DEV_UNREACHABLE,    /* no connection, or no answer on it */
	DEV_UNAUTHORISED,   /* key, password, host key or certificate refused */
	DEV_NOT_UNDERSTOOD, /* it answers, but not in its dialect */
	DEV_STATE_COUNT
};

const char *tier_name(enum tier t);               /* "host", "leaf", ... (contract) */
bool tier_by_name(const char *s, enum tier *out); /* knows the aliases rtsw, tor, ctsw, atsw */
const char *oper_name(enum oper o);               /* "unknown", "up", "down" */
const char *severity_name(enum severity s);       /* "unknown", "ok", "warn", "crit" */
const char *dev_state_name(enum dev_state s);     /* "pending", "fresh", "late", ... (contract) */
const char *dev_state_words(enum dev_state s);    /* for people: "not understood" */
const char *net_kind_name(enum net_kind n);

#define NAME_MAX_LEN 64 /* device and port names, with the NUL; longer ones are refused */
#define RACK_TEXT    32 /* the name of a rack, with the NUL */
#define SITE_TEXT    24 /* the name of a site, with the NUL */
#define TIER_TEXT    12 /* the site's word for a tier */
#define UNIT_TEXT    8  /* a unit of a rack: "40", "1-2", "top" */
#define STAND_TEXT   48 /* both, see device_stand() */

#endif
