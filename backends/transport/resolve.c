/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport/resolve.h"

#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct resolver {
	pthread_mutex_t lock;
	uv_async_t async;
	struct lookup *done;
	unsigned refs; /* of the handle and each running thread */
	bool open;
};

struct lookup {
	struct resolver *resolver;
	struct lookup *next;
	char host[256];
	unsigned port;
	int family;
	resolved_fn *fn; /* NULL: cancelled */
	void *ctx;
	struct resolved result;
};

/* Call it with the lock held; it releases the lock. */
static void resolver_unref(struct resolver *r)
{
	bool last = --r->refs == 0;

	pthread_mutex_unlock(&r->lock);
	if (last) {
		pthread_mutex_destroy(&r->lock);
		free(r);
	}
}

static void on_done(uv_async_t *async)
{
	struct resolver *r = async->data;
	struct lookup *done, *next;

	pthread_mutex_lock(&r->lock);
	done = r->done;
	r->done = NULL;
	pthread_mutex_unlock(&r->lock);
	for (; done; done = next) {
		next = done->next;
		if (done->fn)
			done->fn(done->ctx, &done->result);
		free(done);
	}
}

struct resolver *resolver_new(uv_loop_t *loop)
{
	struct resolver *r = mem_calloc(1, sizeof(*r));

	pthread_mutex_init(&r->lock, NULL);
	uv_async_init(loop, &r->async, on_done);
	r->async.data = r;
	r->refs = 1;
	r->open = true;
	return r;
}

static void on_closed(uv_handle_t *h)
{
	struct resolver *r = h->data;

	pthread_mutex_lock(&r->lock);
	resolver_unref(r);
}

void resolver_close(struct resolver *r)
{
	struct lookup *next;

	pthread_mutex_lock(&r->lock);
	r->open = false;
	for (; r->done; r->done = next) {
		next = r->done->next;
		free(r->done);
	}
	pthread_mutex_unlock(&r->lock);
	uv_close((uv_handle_t *)&r->async, on_closed);
}

static void copy_addresses(struct resolved *out, const struct addrinfo *ai)
{
	for (out->n = 0; ai && out->n < RESOLVE_MAX; ai = ai->ai_next) {
		if (ai->ai_addrlen > sizeof(out->at[0]))
			continue;
		memcpy(&out->at[out->n], ai->ai_addr, ai->ai_addrlen);
		out->len[out->n++] = ai->ai_addrlen;
	}
}

static void resolve_host(
	const char *host, unsigned port, int family, int flags, struct resolved *out)
{
	struct addrinfo hints = {.ai_family = family,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = flags | AI_NUMERICSERV};
	struct addrinfo *ai = NULL;
	char service[16];
	int rc;

	(void)snprintf(service, sizeof(service), "%u", port);
	rc = getaddrinfo(host, service, &hints, &ai);
	out->n = 0;
	if (rc)
		str_copy(out->error, sizeof(out->error), gai_strerror(rc));
	else
		copy_addresses(out, ai);
	if (ai)
		freeaddrinfo(ai);
}

bool resolve_numeric(const char *host, unsigned port, int family, struct resolved *out)
{
	memset(out, 0, sizeof(*out));
	resolve_host(host, port, family, AI_NUMERICHOST, out);
	return out->n > 0;
}

static void *lookup_thread(void *arg)
{
	struct lookup *l = arg;
	struct resolver *r = l->resolver;

	resolve_host(l->host, l->port, l->family, AI_ADDRCONFIG, &l->result);
	pthread_mutex_lock(&r->lock);
	if (r->open) {
		l->next = r->done;
		r->done = l;
		uv_async_send(&r->async);
	} else {
		free(l);
	}
	resolver_unref(r);
	return NULL;
}

struct lookup *resolver_lookup(
	struct resolver *r, const char *host, unsigned port, int family, resolved_fn *fn, void *ctx)
{
	struct lookup *l = mem_calloc(1, sizeof(*l));
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	*l = (struct lookup){.resolver = r, .port = port, .family = family, .fn = fn, .ctx = ctx};
	str_copy(l->host, sizeof(l->host), host);
	pthread_mutex_lock(&r->lock);
	r->refs++;
	pthread_mutex_unlock(&r->lock);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, (size_t)256 * 1024);
	rc = pthread_create(&thread, &attr, lookup_thread, l);
	pthread_attr_destroy(&attr);
	if (rc == 0)
		return l;
	pthread_mutex_lock(&r->lock);
	resolver_unref(r);
	free(l);
	return NULL;
}

void lookup_cancel(struct lookup *l)
{
	/* Only the loop thread accesses fn, so no lock is needed. */
	if (l)
		l->fn = NULL;
}
