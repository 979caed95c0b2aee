/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_NOTIFY_SENDER_H
#define APP_NOTIFY_SENDER_H

#include <stdatomic.h>

#include "archive/notice/body.h"
#include "base/err.h"

/*
 * Sends one message to one receiver. Blocks its thread for at most SENDER_MOST_US, and a look-up of
 * a name. Secrets are read when they are needed first, and again after the receiver refused them.
 */
#define SENDER_MOST_US (INT64_C(30) * 1000000)

struct sender;
/* r must outlive the sender. stop: ends a request soon after it is true; NULL. */
struct sender *sender_new(const struct plan_receiver *r, const atomic_bool *stop);
void sender_free(struct sender *s); /* NULL is allowed */

enum send_result {
	SEND_DONE,
	SEND_FAILED,  /* try again later: err, and again_us if the receiver named a time */
	SEND_REFUSED, /* the receiver does not want this message */
};
enum send_result sender_send(
	struct sender *s, const struct body_facts *f, int64_t *again_us, struct err *err);

/* ---- private to sender*.c ---- */

/* sender_syslog.c; body: without a frame. ca: a path; NULL: the system's CAs. */
bool syslog_send(const struct plan_receiver *r, const char *ca, const char *body, size_t len,
	struct err *err);
/*
 * syslog_tls.c: the message with its frame, head and body, over a connected socket that does not
 * block, in at most most_us. why: the reason where it is not sent.
 */
enum tls_end { TLS_SENT, TLS_FAILED, TLS_DISTRUSTED, TLS_NO_CA };
enum tls_end syslog_tls_send(const struct plan_receiver *r, const char *ca, int fd,
	const char *head, const char *body, size_t len, int64_t most_us, char *why, size_t size);
/* sender_command.c; body: its standard input. */
bool command_send(const struct plan_receiver *r, const char *body, size_t len, struct err *err);

#endif
