/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/contract/reads.h"
#include "backends/contract/target.h"
#include "backends/https/session_private.h"
#include "backends/https/curl_easy.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * HTTPS with libcurl's socket interface on the shard's loop. A device has one lane per tier. Each
 * lane is one easy handle with its kept connection, so a slow question does not delay a faster one.
 */

/* As for SSH: the management processor of a switch may be too busy for TLS. */
#define CONNECT_TIMEOUT_MS 10000L
#define BUFFER_SIZE        65536L
#define KEEP_BODY          ((size_t)1 << 20)

static void lane_next(struct rest_lane *lane);

/* ---- one request ---- */

static size_t on_body(char *data, size_t size, size_t n, void *ctx)
{
	struct rest_lane *lane = ctx;
	size_t len = size * n;

	lane->received += len;
	return buf_add(&lane->body, data, len) ? len : 0;
}

static bool is_ipv6(const char *host)
{
	return strchr(host, ':') != NULL;
}

/* Sets the address to connect to and the name that the certificate must have. */
static void set_address(struct rest_lane *lane, const struct request *r)
{
	const struct rest_link *l = lane->link;
	const char *host = l->by_name ? l->device->name : l->address;
	const char *open = is_ipv6(host) ? "[" : "", *close = is_ipv6(host) ? "]" : "";
	struct buf url, to;

	buf_init(&url, 4096);
	buf_init(&to, 1024);
	(void)buf_addf(&url, "https://%s%s%s:%u%s", open, host, close, l->port, r->path);
	(void)curl_easy_setopt(lane->easy, CURLOPT_URL, url.data ? url.data : "");
	curl_slist_free_all(lane->connect_to);
	lane->connect_to = NULL;
	if (l->tunnel ? rest_jump_address(l, &to)
		      : l->by_name && buf_addf(&to, "::%s:%u", l->address, l->port))
		lane->connect_to = curl_slist_append(NULL, to.data);
	(void)curl_easy_setopt(lane->easy, CURLOPT_CONNECT_TO, lane->connect_to);
	buf_free(&url);
	buf_free(&to);
}

/*
 * Keeps the two deadlines well apart. If two times differ by one millisecond, libcurl 7.88 removes
 * the second from its list together with the first. A request to a hanging device would then never
 * end.
 */
static void set_deadlines(CURL *easy, long left_ms)
{
	long connect_ms = left_ms - left_ms / 10;

	if (connect_ms > CONNECT_TIMEOUT_MS)
		connect_ms = CONNECT_TIMEOUT_MS;
	(void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
	(void)curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, left_ms);
}

static void set_request(struct rest_lane *lane, const struct request *r, int64_t left_us)
{
	char type[128];

	set_address(lane, r);
	curl_slist_free_all(lane->headers);
	/* Otherwise large requests need a second round trip. */
	lane->headers = curl_slist_append(NULL, "Expect:");
	/*
	 * On a management network compression costs more than it saves. A compressed answer is
	 * still decoded.
	 */
	lane->headers = curl_slist_append(lane->headers, "Accept-Encoding: identity");
	if (r->content_type && str_printf(type, sizeof(type), "Content-Type: %s", r->content_type))
		lane->headers = curl_slist_append(lane->headers, type);
	(void)curl_easy_setopt(lane->easy, CURLOPT_HTTPHEADER, lane->headers);
	(void)curl_easy_setopt(lane->easy, CURLOPT_HTTPGET, 1L);
	(void)curl_easy_setopt(lane->easy, CURLOPT_CUSTOMREQUEST,
		str_eq(r->method, "GET") || str_eq(r->method, "POST") ? NULL : r->method);
	/* On a dead kept connection libcurl would send the change again. */
	(void)curl_easy_setopt(lane->easy, CURLOPT_FRESH_CONNECT, (long)r->change);
	(void)curl_easy_setopt(lane->easy, CURLOPT_FORBID_REUSE, (long)r->change);
	if (r->body || str_eq(r->method, "POST")) {
		(void)curl_easy_setopt(lane->easy, CURLOPT_POST, 1L);
		(void)curl_easy_setopt(lane->easy, CURLOPT_POSTFIELDS, r->body ? r->body : "");
		(void)curl_easy_setopt(lane->easy, CURLOPT_POSTFIELDSIZE_LARGE,
			(curl_off_t)(r->body ? strlen(r->body) : 0));
	}
	set_deadlines(lane->easy, (long)(left_us / CLOCK_MSEC) + 1);
}

static void lane_start(struct rest_lane *lane)
{
	struct rest_ask *a = lane->current;
	int64_t now = clock_mono(&clock_system), left;

	if (!a->started_us)
		a->started_us = now;
	left = a->started_us + a->request->timeout_us - now;
	lane->error[0] = '\0';
	lane->received = 0;
	lane->left = false;
	buf_reset(&lane->body);
	lane->body.cap = a->request->cap;
	set_request(lane, a->request, left > 0 ? left : 0);
	rest_authenticate(lane);
	lane->active = curl_multi_add_handle(lane->link->multi->curl, lane->easy) == CURLM_OK;
}

/* True: part of the request was sent. A failed handshake sends nothing of it. */
static bool has_left(const struct rest_lane *lane)
{
	curl_off_t began = 0;
	long sent = 0;

	(void)curl_easy_getinfo(lane->easy, CURLINFO_REQUEST_SIZE, &sent);
	(void)curl_easy_getinfo(lane->easy, CURLINFO_PRETRANSFER_TIME_T, &began);
	return sent > 0 || began > 0 || lane->received > 0;
}

static void lane_stop(struct rest_lane *lane)
{
	if (lane->active)
		lane->left = has_left(lane);
	if (lane->active)
		(void)curl_multi_remove_handle(lane->link->multi->curl, lane->easy);
	lane->active = false;
}

/*
 * One lane logs in for all lanes. With a password in each request, only one lane sends until the
 * device has answered: three lanes with a wrong password would be three refusals.
 */
static bool must_wait(const struct rest_lane *lane)
{
	const struct rest_link *l = lane->link;
	bool password = l->credential && (l->credential->userpwd || l->credential->netrc);
	bool untried = !l->seen && password && l->session.auth == REST_BASIC;
	bool other = false;

	for (int i = 0; i < REST_LANES; i++)
		other = other || l->lanes[i].current;
	return l->session.auth == REST_LOGGING_IN || (untried && other);
}

static void lane_next(struct rest_lane *lane)
{
	struct rest_link *l = lane->link;

	if (lane->current || !lane->queue || l->closing || !l->ready || l->waiting ||
		must_wait(lane))
		return;
	lane->current = rest_login_due(l);
	if (!lane->current) {
		lane->current = lane->queue;
		lane->queue = lane->current->next;
	}
	lane_start(lane);
}

static void lanes_next(struct rest_link *l)
{
	for (int i = 0; i < REST_LANES; i++)
		lane_next(&l->lanes[i]);
}

/* ---- answers ---- */

static void answer_with(
	struct rest_lane *lane, struct rest_ask *a, int status, const struct err *err, bool left)
{
	bool whole = err->code == ERR_NONE && lane->body.data;
	struct answer answer = {.bytes = whole ? lane->body.data : "",
		.len = whole ? lane->body.len : 0,
		.complaint = "",
		.status = status,
		.received = lane->received,
		.took_us = clock_mono(&clock_system) - a->began_us,
		.left = left,
		.err = *err};

	a->fn(a->ctx, &answer);
	free(a);
}

static void lane_fail(struct rest_lane *lane, const struct err *why)
{
	struct rest_ask *a = lane->current;

	lane_stop(lane);
	lane->current = NULL;
	lane->received = 0;
	if (a && a != &lane->link->session.ask)
		answer_with(lane, a, -1, why, lane->left);
	while ((a = lane->queue)) {
		lane->queue = a->next;
		answer_with(lane, a, -1, why, false);
	}
}

void rest_link_open(struct rest_link *l)
{
	l->waiting = false;
	lanes_next(l);
}

void rest_link_fail(struct rest_link *l, const struct err *why)
{
	struct err named = *why;

	rest_jump_explain(l, &named);
	why = &named;
	l->ready = l->seen = l->waiting = false;
	rest_session_reset(l);
	for (int i = 0; i < REST_LANES && !l->closing; i++)
		lane_fail(&l->lanes[i], why);
	if (!l->closing && l->events.down)
		l->events.down(l->events.ctx, why);
}

static void login_done(struct rest_lane *lane, CURLcode code, long status)
{
	struct rest_link *l = lane->link;
	struct err err = {0};
	bool ok = rest_login_ended(lane, code, status, &err);

	lane->current = NULL;
	if (ok)
		lanes_next(l);
	else
		rest_link_fail(l, &err);
}

/* Puts the request back to the head of the queue; a login may have to go first. */
static void ask_once_more(struct rest_lane *lane)
{
	struct rest_ask *a = lane->current;

	lane->current = NULL;
	a->next = lane->queue;
	lane->queue = a;
	lanes_next(lane->link);
}

static void link_seen(struct rest_link *l)
{
	if (l->seen)
		return;
	l->seen = true;
	if (l->events.up)
		l->events.up(l->events.ctx);
}

static void ask_done(struct rest_lane *lane, CURLcode code, long status)
{
	struct rest_link *l = lane->link;
	struct rest_ask *a = lane->current;
	struct err err = {0};
	bool down = rest_judge(lane, code, status, &err);

	if (code == CURLE_OK && !down)
		link_seen(l);
	if (l->closing || lane->current != a)
		return;
	if (down) {
		rest_link_fail(l, &err);
		return;
	}
	lane->current = NULL;
	answer_with(lane, a, (int)status, &err, lane->left);
	if (l->closing)
		return;
	if (!lane->current && lane->body.size > KEEP_BODY)
		buf_free(&lane->body);
	lanes_next(l);
}

void rest_lane_done(struct rest_lane *lane, CURLcode code)
{
	long status = -1;

	(void)curl_easy_getinfo(lane->easy, CURLINFO_RESPONSE_CODE, &status);
	lane_stop(lane);
	if (code == CURLE_PEER_FAILED_VERIFICATION && rest_try_by_name(lane))
		lane_start(lane);
	else if (lane->current == &lane->link->session.ask)
		login_done(lane, code, status);
	else if (code == CURLE_OK && rest_ask_again(lane, status))
		ask_once_more(lane);
	else
		ask_done(lane, code, status);
}

/* ---- the transport ---- */

/* libcurl says "couldn't connect" of a socket that this machine has not got. */
static curl_socket_t on_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct rest_lane *lane = ctx;
	int fd = socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);

	(void)purpose;
	lane->no_descriptor = fd < 0 && (errno == EMFILE || errno == ENFILE);
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static bool lane_open(struct rest_link *l, struct rest_lane *lane)
{
	CURL *e = rest_easy_new("https", l->ca);
	const struct credential *c = l->credential;

	lane->link = l;
	lane->easy = e;
	if (!e)
		return false;
	(void)curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, on_socket);
	(void)curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, (void *)lane);
	rest_jump_lane(lane);
	(void)curl_easy_setopt(e, CURLOPT_PRIVATE, (void *)lane);
	(void)curl_easy_setopt(e, CURLOPT_ERRORBUFFER, lane->error);
	(void)curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	(void)curl_easy_setopt(e, CURLOPT_WRITEDATA, (void *)lane);
	(void)curl_easy_setopt(e, CURLOPT_BUFFERSIZE, BUFFER_SIZE);
	(void)curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "gzip");
	(void)curl_easy_setopt(e, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
	if (c && c->netrc) {
		(void)curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_REQUIRED);
		(void)curl_easy_setopt(e, CURLOPT_NETRC_FILE, c->netrc);
	}
	return true;
}

static struct device_link *link_open(void *shard, const struct plan_device *d,
	const struct backend_ops *ops, const struct credential *c, const struct link_events *events)
{
	struct rest_link *l = mem_calloc(1, sizeof(*l));

	l->base.ops = &transport_rest;
	l->multi = rest_multi_with_room(shard);
	l->multi->links++;
	l->device = d;
	l->ops = ops;
	l->credential = c;
	l->events = *events;
	l->address = d->address && d->address[0] ? d->address : d->name;
	l->port = d->port ? d->port : ops && ops->https_port ? ops->https_port : 443;
	l->refused = ops ? ops->refused : NULL;
	l->ca = d->tls_ca ? target_expand_home(d->tls_ca) : NULL;
	rest_jump_open(l);
	for (int i = 0; i < REST_LANES; i++)
		if (!lane_open(l, &l->lanes[i]))
			l->broken = true;
	rest_session_open(l, ops ? ops->login : NULL);
	return &l->base;
}

static void link_connect(struct device_link *base)
{
	struct rest_link *l = (struct rest_link *)base;
	struct err err;

	if (l->closing)
		return;
	l->ready = !l->broken;
	if (l->broken) {
		err_set(&err, ERR_INTERNAL, l->device->name, "libcurl cannot create a handle");
		rest_link_fail(l, &err);
	} else if (l->tunnel) {
		rest_jump_begin(l);
	}
}

static bool link_ready(const struct device_link *base)
{
	return ((const struct rest_link *)base)->ready;
}

static struct rest_lane *lane_of(struct rest_link *l, enum poll_tier tier)
{
	if (tier == POLL_FAST)
		return &l->lanes[REST_LANE_FAST];
	return &l->lanes[tier == POLL_MEDIUM ? REST_LANE_MEDIUM : REST_LANE_SLOW];
}

static void link_ask(struct device_link *base, const struct request *r, enum poll_tier tier,
	answer_fn *fn, void *ctx)
{
	struct rest_link *l = (struct rest_link *)base;
	struct rest_lane *lane = lane_of(l, tier);
	struct rest_ask *a = mem_calloc(1, sizeof(*a)), **at = &lane->queue;
	struct err err;

	*a = (struct rest_ask){.request = r, .fn = fn, .ctx = ctx};
	a->began_us = clock_mono(&clock_system);
	if (!l->permitted && !reads_allow(l->ops, r, l->device->name, &err)) {
		answer_with(lane, a, -1, &err, false);
		return;
	}
	if (!l->ready || r->follow) {
		if (r->follow)
			err_set(&err, ERR_UNSUPPORTED, l->device->name,
				"%s: a log cannot be followed over HTTPS", r->name);
		else
			err_set(&err, ERR_UNREACHABLE, l->device->name, "not connected");
		answer_with(lane, a, -1, &err, false);
		return;
	}
	while (*at)
		at = &(*at)->next;
	*at = a;
	lane_next(lane);
}

static void lane_close(struct rest_lane *lane)
{
	struct rest_ask *next;

	lane_stop(lane);
	if (lane->current != &lane->link->session.ask)
		free(lane->current);
	lane->current = NULL;
	for (; lane->queue; lane->queue = next) {
		next = lane->queue->next;
		free(lane->queue);
	}
	curl_easy_cleanup(lane->easy);
	curl_slist_free_all(lane->headers);
	curl_slist_free_all(lane->connect_to);
	buf_free(&lane->body);
}

static void link_close(struct device_link *base)
{
	struct rest_link *l = (struct rest_link *)base;

	if (l->closing)
		return;
	l->closing = true;
	l->ready = false;
	for (int i = 0; i < REST_LANES; i++)
		lane_close(&l->lanes[i]);
	rest_session_close(l);
	rest_jump_close(l);
	l->multi->links--;
	rest_free_later(l->multi, l);
}

static void link_permit(struct device_link *base)
{
	((struct rest_link *)base)->permitted = true;
}

const struct transport transport_rest = {
	.shard_open = rest_shard_open,
	.shard_close = rest_shard_close,
	.open = link_open,
	.connect = link_connect,
	.ready = link_ready,
	.ask = link_ask,
	.permit = link_permit,
	.close = link_close,
};
