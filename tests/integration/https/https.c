/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/https/https.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tests/support/cases.h"

struct https {
	struct MHD_Daemon *daemon;
	char *key, *certificate;
	atomic_uint asked, connections, logins, refusals, session;
	pthread_mutex_t lock;
	struct MHD_Connection *stalled[8];
	unsigned n_stalled;
};

void https_certificates(struct scratch *s)
{
	static const char *const leaves[][3] = {{"good", "IP:127.0.0.1,DNS:localhost", "30"},
		{"named", "DNS:spine-000", "30"}, {"foreign", "DNS:other.example", "30"},
		{"expired", "IP:127.0.0.1", "-1"}};

	for (int i = 0; i < 2; i++)
		scratch_run(s,
			"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
			"-keyout %s.key -out %s.pem -days 30 -subj '/CN=test CA %d'",
			i ? "other_ca" : "ca", i ? "other_ca" : "ca", i);
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		const char *n = leaves[i][0];

		scratch_run(s,
			"openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "
			"%s.key -out %s.csr -subj /CN=device && printf 'subjectAltName=%s\\n' "
			">ext && openssl x509 -req -in %s.csr -CA ca.pem -CAkey ca.key "
			"-CAcreateserial -days %s -extfile ext -out %s.pem",
			n, n, leaves[i][1], n, leaves[i][2], n);
	}
}

static char *slurp(const char *path)
{
	struct buf b;
	char part[4096];
	size_t n;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	buf_init(&b, 65536);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		(void)buf_add(&b, part, n);
	(void)fclose(f);
	return buf_take(&b, NULL);
}

static ssize_t endless(void *ctx, uint64_t pos, char *buf, size_t max)
{
	(void)ctx;
	(void)pos;
	memset(buf, 'x', max);
	return (ssize_t)max;
}

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *text, size_t n)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(n, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result rc;

	if (status == 302)
		(void)MHD_add_response_header(r, "Location", "/ok");
	rc = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result reply_endless(struct MHD_Connection *c)
{
	struct MHD_Response *r =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 65536, endless, NULL, NULL);
	enum MHD_Result rc = MHD_queue_response(c, 200, r);

	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result stall(struct https *h, struct MHD_Connection *c)
{
	pthread_mutex_lock(&h->lock);
	if (h->n_stalled < 8) {
		MHD_suspend_connection(c);
		h->stalled[h->n_stalled++] = c;
	}
	pthread_mutex_unlock(&h->lock);
	return MHD_YES;
}

static ssize_t broken(void *ctx, uint64_t pos, char *buf, size_t max)
{
	(void)ctx;
	if (pos > 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	memset(buf, 'x', max < 10 ? max : 10);
	return max < 10 ? (ssize_t)max : 10;
}

/* Says a hundred bytes, sends ten, closes. */
static enum MHD_Result reply_partial(struct MHD_Connection *c)
{
	struct MHD_Response *r = MHD_create_response_from_callback(100, 4096, broken, NULL, NULL);
	enum MHD_Result rc = MHD_queue_response(c, 200, r);

	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result reply_packed(struct MHD_Connection *c)
{
	static unsigned char hello[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
		0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x86, 0xa6, 0x10, 0x36, 0x05, 0x00, 0x00,
		0x00};
	struct MHD_Response *r =
		MHD_create_response_from_buffer(sizeof(hello), hello, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result rc;

	(void)MHD_add_response_header(r, "Content-Encoding", "gzip");
	rc = MHD_queue_response(c, 200, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result log_in(struct https *h, struct MHD_Connection *c, const struct buf *body)
{
	struct MHD_Response *r;
	enum MHD_Result rc;
	char cookie[64];

	if (!body->data || strcmp(body->data, HTTPS_LOGIN) != 0) {
		atomic_fetch_add(&h->refusals, 1);
		return reply(c, 401, "", 0);
	}
	atomic_fetch_add(&h->logins, 1);
	(void)snprintf(cookie, sizeof(cookie), "Session=s%u; Path=/; Secure; HttpOnly",
		atomic_load(&h->session));
	r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	(void)MHD_add_response_header(r, "Set-Cookie", cookie);
	rc = MHD_queue_response(c, 200, r);
	MHD_destroy_response(r);
	return rc;
}

static bool in_session(struct https *h, struct MHD_Connection *c)
{
	const char *cookie = MHD_lookup_connection_value(c, MHD_COOKIE_KIND, "Session");
	char want[32];

	(void)snprintf(want, sizeof(want), "s%u", atomic_load(&h->session));
	/* A session makes the password needless: it must not travel. */
	return cookie && !strcmp(cookie, want) &&
	       !MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Authorization");
}

static bool authorised(struct https *h, struct MHD_Connection *c)
{
	char *password = NULL, *user = MHD_basic_auth_get_username_password(c, &password);
	bool ok = user && password && !strcmp(user, "noc") && !strcmp(password, "sec:ret");

	if (user && !ok)
		atomic_fetch_add(&h->refusals, 1);
	MHD_free(user);
	MHD_free(password);
	return ok;
}

static enum MHD_Result dispatch(
	struct https *h, struct MHD_Connection *c, const char *url, const struct buf *body)
{
	if (!strcmp(url, "/ok"))
		return reply(c, 200, "hello", 5);
	if (!strcmp(url, "/echo"))
		return reply(c, 200, body->data ? body->data : "", body->len);
	if (!strcmp(url, "/auth") || !strcmp(url, "/basic"))
		return authorised(h, c) ? reply(c, 200, "welcome", 7) : reply(c, 401, "", 0);
	if (!strcmp(url, "/session") || !strcmp(url, "/token"))
		return in_session(h, c) ? reply(c, 200, "welcome", 7)
					: reply(c, url[1] == 's' ? 401 : 403, "", 0);
	if (!strcmp(url, "/login"))
		return log_in(h, c, body);
	if (!strcmp(url, "/refused400"))
		return reply(c, 400, " {\"error\":\"no such command\"}", 29);
	if (!strcmp(url, "/partial"))
		return reply_partial(c);
	if (!strcmp(url, "/packed"))
		return reply_packed(c);
	if (!strcmp(url, "/forbidden"))
		return reply(c, 403, "", 0);
	if (!strcmp(url, "/redirect"))
		return reply(c, 302, "", 0);
	if (!strcmp(url, "/huge"))
		return reply_endless(c);
	if (!strcmp(url, "/drop"))
		return MHD_NO;
	if (!strcmp(url, "/error"))
		return reply(c, 500, "oops", 4);
	if (!strcmp(url, "/stall"))
		return stall(h, c);
	return reply(c, 404, "no \033[31msuch page", 17);
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *data, size_t *size, void **state)
{
	struct buf *body = *state;

	(void)version;
	if (!body) {
		body = mem_calloc(1, sizeof(*body));
		buf_init(body, 1 << 20);
		*state = body;
		return MHD_YES;
	}
	if (*size) {
		(void)buf_add(body, data, *size);
		*size = 0;
		return MHD_YES;
	}
	if (strcmp(url, "/login") != 0)
		atomic_fetch_add(&((struct https *)ctx)->asked, 1);
	if (!strcmp(url, "/method"))
		return reply(c, 200, method, strlen(method));
	return dispatch(ctx, c, url, body);
}

static void on_completed(
	void *ctx, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why)
{
	(void)ctx;
	(void)c;
	(void)why;
	if (*state)
		buf_free(*state);
	free(*state);
}

static void on_connection(void *ctx, struct MHD_Connection *c, void **socket,
	enum MHD_ConnectionNotificationCode code)
{
	struct https *h = ctx;

	(void)c;
	(void)socket;
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		atomic_fetch_add(&h->connections, 1);
}

struct https *https_start(const struct scratch *s, const char *certificate, unsigned *port)
{
	struct https *h = mem_calloc(1, sizeof(*h));
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char name[64];

	(void)snprintf(name, sizeof(name), "%s.key", certificate);
	h->key = slurp(scratch_path(s, name));
	(void)snprintf(name, sizeof(name), "%s.pem", certificate);
	h->certificate = slurp(scratch_path(s, name));
	pthread_mutex_init(&h->lock, NULL);
	in.sin_port = htons((uint16_t)*port);
	h->daemon = MHD_start_daemon(
		MHD_USE_TLS | MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
		NULL, on_request, h, MHD_OPTION_SOCK_ADDR, &in, MHD_OPTION_HTTPS_MEM_KEY, h->key,
		MHD_OPTION_HTTPS_MEM_CERT, h->certificate, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, h, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
	assert_non_null(h->daemon);
	*port = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	return h;
}

void https_stop(struct https *h)
{
	pthread_mutex_lock(&h->lock);
	for (unsigned i = 0; i < h->n_stalled; i++)
		MHD_resume_connection(h->stalled[i]);
	h->n_stalled = 8;
	pthread_mutex_unlock(&h->lock);
	MHD_stop_daemon(h->daemon);
	pthread_mutex_destroy(&h->lock);
	free(h->key);
	free(h->certificate);
	free(h);
}

void https_forget_sessions(struct https *h)
{
	atomic_fetch_add(&h->session, 1);
}

unsigned https_logins(const struct https *h)
{
	return atomic_load(&h->logins);
}

unsigned https_refusals(const struct https *h)
{
	return atomic_load(&h->refusals);
}

unsigned https_asked(const struct https *h)
{
	return atomic_load(&h->asked);
}

unsigned https_connections(const struct https *h)
{
	return atomic_load(&h->connections);
}
