/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "backends/https/curl_easy.h"
#include "backends/https/session_private.h"
#include "base/mem.h"

struct watched {
	uv_poll_t poll;
	curl_socket_t fd;
	struct rest_multi *multi;
};

/* Handles finished transfers. This runs outside of libcurl, so handles may be removed. */
static void handle_finished(struct rest_multi *m)
{
	struct rest_lane *lane;
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(m->curl, &left))) {
		CURLcode code = msg->data.result;

		if (msg->msg != CURLMSG_DONE)
			continue;
		lane = NULL;
		(void)curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&lane);
		if (lane)
			rest_lane_done(lane, code);
	}
}

static void on_socket_ready(uv_poll_t *h, int status, int events)
{
	struct watched *w = h->data;
	struct rest_multi *m = w->multi;
	int flags = 0, running;

	if (status < 0)
		flags |= CURL_CSELECT_ERR;
	if (events & UV_READABLE)
		flags |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		flags |= CURL_CSELECT_OUT;
	(void)curl_multi_socket_action(m->curl, w->fd, flags, &running);
	handle_finished(m);
}

static void on_watched_closed(uv_handle_t *h)
{
	free(h->data);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
	struct rest_multi *m = ctx;
	struct watched *w = socket_ctx;
	int events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		(void)curl_multi_assign(m->curl, fd, NULL);
		if (w) {
			uv_poll_stop(&w->poll);
			uv_close((uv_handle_t *)&w->poll, on_watched_closed);
		}
		return 0;
	}
	if (!w) {
		w = mem_calloc(1, sizeof(*w));
		w->fd = fd;
		w->multi = m;
		w->poll.data = w;
		(void)uv_poll_init_socket(m->shard->loop, &w->poll, fd);
		(void)curl_multi_assign(m->curl, fd, w);
	}
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
		events |= UV_READABLE;
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
		events |= UV_WRITABLE;
	(void)uv_poll_start(&w->poll, events, on_socket_ready);
	return 0;
}

static void on_timeout(uv_timer_t *t);

/*
 * The loop's time is that of the start of its turn: a timer counted from there would fire too
 * early.
 */
static void wait_for(struct rest_multi *m, long ms)
{
	uv_update_time(m->shard->loop);
	(void)uv_timer_start(&m->timer, on_timeout, (uint64_t)ms, 0);
}

static void on_timeout(uv_timer_t *t)
{
	struct rest_multi *m = t->data;
	int running;
	long ms = -1;

	(void)curl_multi_socket_action(m->curl, CURL_SOCKET_TIMEOUT, 0, &running);
	/*
	 * libcurl rounds down and reports a time only once. If it is called before that time, it
	 * does nothing and reports nothing, and a transfer that waits for its timeout would hang
	 * forever.
	 */
	if (!uv_is_active((uv_handle_t *)&m->timer) &&
		curl_multi_timeout(m->curl, &ms) == CURLM_OK && ms >= 0)
		wait_for(m, ms ? ms : 1);
	handle_finished(m);
}

static int on_timer_wanted(CURLM *curl, long ms, void *ctx)
{
	struct rest_multi *m = ctx;

	(void)curl;
	if (ms < 0)
		(void)uv_timer_stop(&m->timer);
	else
		wait_for(m, ms);
	return 0;
}

struct rest_multi *rest_multi_with_room(struct rest_shard *s)
{
	struct rest_multi *m;

	for (m = s->multis; m; m = m->next)
		if (m->links < REST_MULTI_LINKS)
			return m;
	m = mem_calloc(1, sizeof(*m));
	m->shard = s;
	m->next = s->multis;
	s->multis = m;
	m->curl = curl_multi_init();
	(void)uv_timer_init(s->loop, &m->timer);
	m->timer.data = m;
	(void)curl_multi_setopt(m->curl, CURLMOPT_SOCKETFUNCTION, on_socket);
	(void)curl_multi_setopt(m->curl, CURLMOPT_SOCKETDATA, (void *)m);
	(void)curl_multi_setopt(m->curl, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
	(void)curl_multi_setopt(m->curl, CURLMOPT_TIMERDATA, (void *)m);
	(void)curl_multi_setopt(
		m->curl, CURLMOPT_MAXCONNECTS, (long)(2 * REST_LANES * REST_MULTI_LINKS));
	return m;
}

void *rest_shard_open(uv_loop_t *loop)
{
	struct rest_shard *s = mem_calloc(1, sizeof(*s));

	rest_curl_begin();
	s->loop = loop;
	return s;
}

static void on_multi_closed(uv_handle_t *h)
{
	free(h->data);
}

void rest_shard_close(void *shard)
{
	struct rest_shard *s = shard;
	struct rest_multi *next;

	for (struct rest_multi *m = s->multis; m; m = next) {
		next = m->next;
		(void)curl_multi_cleanup(m->curl);
		m->curl = NULL;
		uv_close((uv_handle_t *)&m->timer, on_multi_closed);
	}
	curl_global_cleanup();
	free(s);
}

static void on_free_now(uv_handle_t *h)
{
	struct rest_link *l = h->data;

	free(l->ca);
	free(l);
	free(h);
}

void rest_free_later(struct rest_multi *m, struct rest_link *l)
{
	uv_timer_t *t = mem_calloc(1, sizeof(*t));

	(void)uv_timer_init(m->shard->loop, t);
	t->data = l;
	uv_close((uv_handle_t *)t, on_free_now);
}
