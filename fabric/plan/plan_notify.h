/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_PLAN_PLAN_NOTIFY_H
#define FABRIC_PLAN_PLAN_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "fabric/vocabulary/types.h"

/* The section notify: of the inventory: the receivers of findings. Plain data; the plan owns it. */

enum receiver_kind {
	RECEIVER_ALERTMANAGER,
	RECEIVER_PAGERDUTY,
	RECEIVER_SLACK,
	RECEIVER_WEBHOOK,
	RECEIVER_SYSLOG,
	RECEIVER_COMMAND,
	RECEIVER_COUNT
};
const char *receiver_kind_name(enum receiver_kind k); /* "alertmanager", ... (contract) */
bool receiver_kind_by_name(const char *name, enum receiver_kind *k);

enum syslog_way { SYSLOG_UDP, SYSLOG_TCP, SYSLOG_TLS, SYSLOG_UNIX, SYSLOG_WAYS };

/* A label of each alert of an Alertmanager. */
struct plan_label {
	char name[64], value[128];
};

struct plan_receiver {
	char name[32]; /* unique in the inventory; its state on disk has this name */
	enum receiver_kind kind;
	enum severity severity; /* least severity: SEV_WARN, SEV_CRIT */
	char *url;              /* without a secret; NULL: the kind's default, or in `secret` */
	/* A reference: PagerDuty's routing key, or the whole URL of Slack or a webhook. NULL. */
	char *secret;
	char *token, *credentials; /* references, for the HTTP header; NULL */
	char *tls_ca;              /* NULL: the system's CAs */
	char *proxy;               /* "http://proxy:3128"; NULL: none */
	enum syslog_way way;
	char *address; /* of syslog: host or path */
	unsigned port;
	unsigned facility; /* of syslog, 0 to 23 */
	VEC(char *) argv;  /* of a command */
	VEC(struct plan_label) labels;
	char source[96]; /* "fabric.yaml:12", for messages */
};

struct plan_notify {
	bool console;      /* the console tells the receivers too, and not `railtop watch` alone */
	int64_t wait_us;   /* a finding must be open for so long before it is told */
	int64_t hold_us;   /* and gone for so long before its end is told */
	int64_t resend_us; /* interval of repetitions to an Alertmanager */
	unsigned per_hour; /* new findings told to a receiver in an hour */
	char *link; /* URL with {place}, {key}, ...: see archive/notice/notice_link.c; NULL */
	char *runbook_url; /* URL with {runbook}; NULL */
	/* Folder of the acknowledgements that the operators share; NULL: each account has its own.
	 */
	char *acknowledgements;
	VEC(struct plan_receiver) to;
};
#define NOTIFY_WAIT_US   (INT64_C(20) * 1000000)
#define NOTIFY_HOLD_US   (INT64_C(60) * 1000000)
#define NOTIFY_RESEND_US (INT64_C(60) * 1000000)
#define NOTIFY_PER_HOUR  20
#define NOTIFY_RECEIVERS 16 /* limit of receivers */

void plan_notify_init(struct plan_notify *n);
/* to is not initialised before. */
void plan_notify_copy(struct plan_notify *to, const struct plan_notify *from);
void plan_notify_free(struct plan_notify *n); /* and empties it */

#endif
