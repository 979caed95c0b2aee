/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_NOTICE_BODY_H
#define ARCHIVE_NOTICE_BODY_H

#include "archive/notice/book.h"
#include "base/buf.h"
#include "fabric/plan/plan_notify.h"

/*
 * A message in the form of each kind of receiver. Texts of devices are sanitised and cut to the
 * limits of the receiver. No secret is in a body: the sender adds it.
 */
struct body_facts {
	const struct plan_receiver *to;
	const struct plan_notify *notify; /* its templates of links */
	const char *fabric, *verdict;
	const char *version; /* of railtop */
	const struct notice *n;
	const char *json; /* the finding, see struct notice; NULL */
	enum message_kind kind;
	enum severity severity;    /* that the receiver knows, or is told now */
	enum severity told_before; /* of MESSAGE_UPDATE */
	const char *why;           /* "" */
	int64_t now_us;            /* wall */
};

/*
 * Alertmanager: POST api/v2/alerts (prometheus/alertmanager, api/v2/openapi.yaml). The labels are
 * the identity: alertname, fabric, class, place, severity, and those of the inventory. endsAt of an
 * open alert is four repetitions away, at least five minutes: one lost message ends no alert.
 */
bool body_alertmanager(const struct body_facts *f, struct buf *out, struct err *err);
/*
 * PagerDuty: POST v2/enqueue (PagerDuty/developer-docs, docs/events-API-v2). Limits: dedup_key 255
 * and summary 1,024 characters. The sender adds "routing_key" after the opening brace.
 */
bool body_pagerduty(const struct body_facts *f, struct buf *out, struct err *err);
/* Slack: an incoming webhook, docs.slack.dev/messaging: text of a section at most 3,000. */
bool body_slack(const struct body_facts *f, struct buf *out, struct err *err);
/* A webhook, and the standard input of a command: railtop's own form, see docs/guide/notify.md. */
bool body_webhook(const struct body_facts *f, struct buf *out, struct err *err);
#define BODY_SCHEMA 1
/*
 * Syslog: RFC 5424, one line without a frame. host: of this machine. The structured data has the ID
 * railtop@32473, the number that RFC 5612 gives to examples.
 */
bool body_syslog(const struct body_facts *f, const char *host, long pid, struct buf *out);

/* "critical", "warning", "info": as everywhere in railtop's JSON. */
const char *body_severity(enum severity s);
/* The notice of a test: nothing is wrong. */
void body_test_notice(struct notice *n, const char *fabric, int64_t now_us);

#endif
