/* SPDX-License-Identifier: Apache-2.0 */
#include "app/notify/sender.h"

#include <string.h>
#include <unistd.h>

#include "backends/contract/target.h"
#include "backends/https/post.h"
#include "backends/transport/credentials.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/str.h"

#define BODY_MOST        ((size_t)512 << 10) /* PagerDuty takes no more */
#define PAGERDUTY_URL    "https://events.pagerduty.com/v2/enqueue"
#define ALERTMANAGER_URL "/api/v2/alerts"

struct sender {
	const struct plan_receiver *r;
	const atomic_bool *stop;
	struct credentials *secrets; /* NULL: to be read */
	char shown[64];
	char *url; /* without a secret; NULL: the secret is the URL */
	char *ca;
	char host[256]; /* of this machine */
};

static char *whole_url(const struct plan_receiver *r)
{
	char url[2048];
	size_t len;

	if (r->kind == RECEIVER_PAGERDUTY)
		return mem_strdup(r->url ? r->url : PAGERDUTY_URL);
	if (r->kind != RECEIVER_ALERTMANAGER || !r->url)
		return r->url ? mem_strdup(r->url) : NULL;
	(void)str_copy(url, sizeof(url) - sizeof(ALERTMANAGER_URL), r->url);
	for (len = strlen(url); len && url[len - 1] == '/'; len--)
		url[len - 1] = '\0';
	if (len < strlen(ALERTMANAGER_URL) ||
		!str_eq(url + len - strlen(ALERTMANAGER_URL), ALERTMANAGER_URL))
		(void)str_copy(url + len, sizeof(url) - len, ALERTMANAGER_URL);
	return mem_strdup(url);
}

struct sender *sender_new(const struct plan_receiver *r, const atomic_bool *stop)
{
	struct sender *s = mem_calloc(1, sizeof(*s));

	s->r = r;
	s->stop = stop;
	(void)str_printf(s->shown, sizeof(s->shown), "notify %s", r->name);
	s->url = whole_url(r);
	s->ca = r->tls_ca ? target_expand_home(r->tls_ca) : NULL;
	if (gethostname(s->host, sizeof(s->host) - 1) != 0)
		s->host[0] = '\0';
	post_begin();
	return s;
}

void sender_free(struct sender *s)
{
	if (!s)
		return;
	credentials_free(s->secrets);
	free(s->url);
	free(s->ca);
	free(s);
	post_end();
}

/* ---- HTTP ---- */

/* The text with the routing key in it is a secret, and so in memory for secrets. */
static char *with_routing_key(
	const char *key, const struct buf *body, size_t *len, const char *shown, struct err *err)
{
	size_t size = body->len + strlen(key) + 32;
	char *text;

	if (key[strspn(key, "0123456789abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-")]) {
		(void)err_set(err, ERR_CONFIG, shown, "the routing key is not letters and digits");
		return NULL;
	}
	text = secret_new(size);
	(void)str_printf(text, size, "{\"routing_key\":\"%s\",%s", key, body->data + 1);
	*len = strlen(text);
	return text;
}

static bool set_login(struct sender *s, struct post_request *q, struct err *err)
{
	const struct credential *c;

	if (s->r->token) {
		q->token = credentials_token(s->secrets, s->r->token, s->r->source, err);
		return q->token != NULL;
	}
	if (!s->r->credentials)
		return true;
	c = credentials_get(s->secrets, s->r->credentials, s->r->source, err);
	if (!c)
		return false;
	q->userpwd = c->userpwd;
	q->netrc = c->netrc;
	return true;
}

static enum send_result judge_answer(
	struct sender *s, const struct post_answer *a, int64_t *again_us)
{
	*again_us = a->again_us;
	/* They may have been replaced on the disk meanwhile. */
	if (a->status == 401 || a->status == 403 || a->status == 404 || a->status == 410) {
		credentials_free(s->secrets);
		s->secrets = NULL;
	}
	return a->status == 400 || a->status == 413 || a->status == 422 ? SEND_REFUSED
									: SEND_FAILED;
}

static enum send_result send_http(
	struct sender *s, const struct buf *body, int64_t *again_us, struct err *err)
{
	const char *secret = NULL;
	char *keyed = NULL;
	struct post_answer answer;
	struct post_request q = {.url = s->url,
		.shown = s->shown,
		.content_type = "application/json",
		.body = body->data,
		.len = body->len,
		.ca = s->ca,
		.proxy = s->r->proxy,
		.most_us = SENDER_MOST_US,
		.stop = s->stop};
	bool ok;

	if (!s->secrets)
		s->secrets = credentials_new();
	if (s->r->secret)
		secret = credentials_token(s->secrets, s->r->secret, s->r->source, err);
	if ((s->r->secret && !secret) || !set_login(s, &q, err))
		return SEND_FAILED;
	if (s->r->kind == RECEIVER_PAGERDUTY && secret) {
		keyed = with_routing_key(secret, body, &q.len, s->shown, err);
		q.body = keyed;
	} else if (secret) {
		q.url = secret;
	}
	if (s->r->kind == RECEIVER_PAGERDUTY ? !keyed
					     : secret && !post_url_ok(secret, s->r->source, err)) {
		credentials_free(s->secrets);
		s->secrets = NULL;
		return SEND_FAILED;
	}
	ok = post_send(&q, &answer, err);
	secret_free(keyed);
	return ok ? SEND_DONE : judge_answer(s, &answer, again_us);
}

enum send_result sender_send(
	struct sender *s, const struct body_facts *f, int64_t *again_us, struct err *err)
{
	struct buf body;
	enum send_result result = SEND_REFUSED;
	bool ok;

	*again_us = 0;
	buf_init(&body, BODY_MOST);
	switch (s->r->kind) {
	case RECEIVER_ALERTMANAGER:
		ok = body_alertmanager(f, &body, err);
		break;
	case RECEIVER_PAGERDUTY:
		ok = body_pagerduty(f, &body, err);
		break;
	case RECEIVER_SLACK:
		ok = body_slack(f, &body, err);
		break;
	case RECEIVER_SYSLOG:
		ok = body_syslog(f, s->host, (long)getpid(), &body);
		break;
	default:
		ok = body_webhook(f, &body, err);
		break;
	}
	if (ok && s->r->kind == RECEIVER_SYSLOG)
		result = syslog_send(s->r, s->ca, body.data, body.len, err) ? SEND_DONE
									    : SEND_FAILED;
	else if (ok && s->r->kind == RECEIVER_COMMAND)
		result = command_send(s->r, body.data, body.len, err) ? SEND_DONE : SEND_FAILED;
	else if (ok)
		result = send_http(s, &body, again_us, err);
	buf_free(&body);
	return result;
}
