/* SPDX-License-Identifier: Apache-2.0 */
#include "app/export/http.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/export/compress.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/* A copy of the metrics that clients read, or that the next scrape may share. */
struct picture {
	struct metrics *metrics; /* NULL: free */
	unsigned readers;
	int64_t taken_us; /* monotonic */
};

struct connection {
	int fd;
	int64_t since_us; /* monotonic: the start, or the end of its last answer */
	unsigned char address[16];
	bool asks;  /* its request is read or answered */
	bool known; /* it gave the token */
	struct connection *prev, *next;
};

struct export_http {
	struct export_http_opts opts;
	struct MHD_Daemon *mhd;
	uv_poll_t poll;
	uv_timer_t timer;
	int epoll; /* a duplicate: the daemon closes its own */
	unsigned handles;
	struct picture pictures[EXPORT_PICTURES];
	struct connection *connections;
	unsigned nconnections;
	uint64_t scrapes, refused;
	bool closing;
};

/* ---- copies of the metrics ---- */

struct answer {
	struct picture *picture;
	struct metrics_reader reader;
	struct compressor *compressor; /* NULL: the client asked for none */
	/* For output buffers that are too small for a line. */
	char small[METRICS_PIECE_LEAST];
	size_t from, to;
};

static struct picture *newest_picture(struct export_http *h, int64_t since)
{
	struct picture *best = NULL;

	for (unsigned i = 0; i < EXPORT_PICTURES; i++) {
		struct picture *p = &h->pictures[i];

		if (p->metrics && p->taken_us >= since && (!best || p->taken_us > best->taken_us))
			best = p;
	}
	return best;
}

static void drop_picture(struct picture *p)
{
	metrics_free(p->metrics);
	*p = (struct picture){0};
}

/* NULL: slow clients still read all copies. */
static struct picture *picture_now(struct export_http *h)
{
	int64_t now = clock_mono(&clock_system);
	struct picture *p = newest_picture(h, now - h->opts.shared_us);

	for (unsigned i = 0; i < EXPORT_PICTURES && !p; i++) {
		if (h->pictures[i].readers)
			continue;
		p = &h->pictures[i];
		drop_picture(p);
		p->metrics = h->opts.take(h->opts.ctx, h->scrapes, h->refused);
		p->taken_us = now;
	}
	return p;
}

static ssize_t read_small(struct answer *a, char *to, size_t most)
{
	size_t n;

	if (a->from == a->to) {
		a->from = 0;
		a->to = metrics_read(&a->reader, a->small, sizeof(a->small));
	}
	n = a->to - a->from < most ? a->to - a->from : most;
	memcpy(to, a->small + a->from, n);
	a->from += n;
	return n ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

static size_t read_text(void *ctx, char *dst, size_t size)
{
	struct answer *a = ctx;

	return metrics_read(&a->reader, dst, size);
}

static ssize_t read_compressed(struct answer *a, char *to, size_t most)
{
	bool failed;
	size_t n = compressor_read(a->compressor, to, most, &failed);

	if (failed)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	return n ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

static ssize_t read_answer(void *arg, uint64_t pos, char *to, size_t most)
{
	struct answer *a = arg;
	size_t n;

	(void)pos;
	if (!a)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (a->compressor)
		return read_compressed(a, to, most);
	if (most < METRICS_PIECE_LEAST || a->from < a->to)
		return read_small(a, to, most);
	n = metrics_read(&a->reader, to, most);
	return n ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

static void end_answer(void *arg)
{
	struct answer *a = arg;

	a->picture->readers--;
	compressor_free(a->compressor);
	free(a);
}

/* ---- answers ---- */

static enum MHD_Result send_response(
	struct MHD_Connection *c, unsigned status, struct MHD_Response *response, const char *type)
{
	enum MHD_Result rc;

	if (!response)
		return MHD_NO;
	(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_UNAUTHORIZED)
		(void)MHD_add_response_header(
			response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"railtop\"");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "15");
	rc = MHD_queue_response(c, status, response);
	MHD_destroy_response(response);
	return rc;
}

static enum MHD_Result send_text(struct MHD_Connection *c, unsigned status, const char *text)
{
	/* The texts are constants, so they need no copy. */
	union {
		const char *from;
		void *to;
	} words = {text};

	return send_response(c, status,
		MHD_create_response_from_buffer(strlen(text), words.to, MHD_RESPMEM_PERSISTENT),
		"text/plain; charset=utf-8");
}

static enum MHD_Result send_refusal(
	struct export_http *h, struct MHD_Connection *c, unsigned status, const char *text)
{
	h->refused++;
	return send_text(c, status, text);
}

static enum metrics_format format_for(struct MHD_Connection *c)
{
	const char *accept =
		MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);

	return accept && strstr(accept, "application/openmetrics-text") ? METRICS_OPENMETRICS
									: METRICS_TEXT;
}

/* ---- collect[] ---- */

struct collect {
	struct metrics_reader *reader;
	const char *unknown; /* the first unknown name; NULL: none */
};

/*
 * Sets of families by purpose. fabric: devices, findings, jobs, the verdict: a few thousand lines
 * at any size. ports: states of ports. counters: all else, nearly all of the bytes.
 */
static bool want_set(struct metrics_reader *reader, const char *name)
{
	static const char *const sets[] = {"@fabric", "@ports", "@counters"};
	size_t set = 0;

	while (set < sizeof(sets) / sizeof(sets[0]) && !str_eq(sets[set], name))
		set++;
	if (set == sizeof(sets) / sizeof(sets[0]))
		return false;
	for (unsigned id = 0; id < METRIC_COUNT; id++) {
		struct metric_family f;
		size_t in;

		metrics_family(id, &f);
		in = f.of != METRIC_PORTS ? 0 : f.type == METRIC_COUNTER ? 2 : 1;
		reader->wanted[id] |= in == set;
	}
	reader->some = true;
	return true;
}

static enum MHD_Result on_argument(
	void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct collect *x = arg;
	unsigned id;

	(void)kind;
	if (!str_eq(key, "collect[]") || want_set(x->reader, value ? value : ""))
		return MHD_YES;
	id = metrics_find(value ? value : "");
	if (id < METRIC_COUNT) {
		x->reader->wanted[id] = x->reader->some = true;
		return MHD_YES;
	}
	/* Stop at the first: a request may have thousands, and each lookup searches all
	 * families. */
	x->unknown = value ? value : "";
	return MHD_NO;
}

/* Reads the families of a scrape. False: *unknown is not the name of a family. */
static bool read_families(
	struct MHD_Connection *c, struct metrics_reader *reader, const char **unknown)
{
	struct collect x = {reader, NULL};

	(void)MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, on_argument, &x);
	*unknown = x.unknown;
	return !x.unknown;
}

static enum MHD_Result refuse_name(
	struct export_http *h, struct MHD_Connection *c, const char *unknown)
{
	struct metric_family f;
	char name[96];
	enum MHD_Result rc;
	struct buf b;

	buf_init(&b, EXPORT_REQUEST_MOST);
	(void)str_sanitise(name, sizeof(name), unknown, strlen(unknown));
	(void)buf_addf(
		&b, "collect[]: there is no \"%s\". There is:\n@fabric\n@ports\n@counters\n", name);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		metrics_family(i, &f);
		metrics_sample_name(&f, name, sizeof(name));
		(void)buf_addf(&b, "%s\n", name);
	}
	h->refused++;
	rc = send_response(c, MHD_HTTP_BAD_REQUEST,
		MHD_create_response_from_buffer(b.len, b.data, MHD_RESPMEM_MUST_COPY),
		"text/plain; charset=utf-8");
	buf_free(&b);
	return rc;
}

/* Sends the metrics, or their headers alone (response without data). */
static enum MHD_Result send_coded(struct MHD_Connection *c, struct MHD_Response *response,
	enum content_coding coding, enum metrics_format format)
{
	const char *name = coding_name(coding);

	if (response && name)
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, name);
	if (response)
		(void)MHD_add_response_header(
			response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	return send_response(c, MHD_HTTP_OK, response, metrics_content_type(format));
}

static enum MHD_Result send_metrics(struct export_http *h, struct MHD_Connection *c, bool head)
{
	struct metrics_reader reader = {.format = format_for(c)};
	enum content_coding coding = coding_choose(
		MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	struct picture *p = NULL;
	const char *unknown;
	struct answer *a;

	if (!read_families(c, &reader, &unknown))
		return refuse_name(h, c, unknown);
	/* HEAD sends no metrics, so none are taken. */
	if (head)
		return send_coded(c,
			MHD_create_response_from_callback(
				MHD_SIZE_UNKNOWN, METRICS_PIECE_LEAST, read_answer, NULL, NULL),
			coding, reader.format);
	h->scrapes++;
	p = picture_now(h);
	if (!p)
		return send_refusal(h, c, MHD_HTTP_SERVICE_UNAVAILABLE,
			"Too many clients read too slowly. Try again later.\n");
	a = mem_calloc(1, sizeof(*a));
	a->picture = p;
	reader.of = p->metrics;
	a->reader = reader;
	if (coding != CODING_IDENTITY)
		a->compressor = compressor_new(coding, read_text, a);
	if (!a->compressor)
		coding = CODING_IDENTITY;
	p->readers++;
	return send_coded(c,
		MHD_create_response_from_callback(
			MHD_SIZE_UNKNOWN, EXPORT_REQUEST_MOST, read_answer, a, end_answer),
		coding, reader.format);
}

/* Constant time: the position of the first wrong byte does not matter. */
static bool same_token(const char *given, const char *token)
{
	size_t n = strlen(given), most = strlen(token);
	volatile unsigned char differs = n != most;

	for (size_t i = 0; i < most; i++)
		differs |= (unsigned char)(token[i] ^ given[i < n ? i : n]);
	return !differs;
}

static struct connection *connection_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static bool is_allowed(const struct export_http *h, struct MHD_Connection *c)
{
	static const char scheme[] = "Bearer ";
	const char *given;

	if (!h->opts.token)
		return true;
	given = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
	return given && strncasecmp(given, scheme, sizeof(scheme) - 1) == 0 &&
	       same_token(given + sizeof(scheme) - 1, h->opts.token);
}

static enum MHD_Result route_request(
	struct export_http *h, struct MHD_Connection *c, const char *path, bool head)
{
	static const char page[] =
		"<!DOCTYPE html><html lang=\"en\"><head><title>railtop export</title></head><body>"
		"<h1>railtop export</h1><p><a href=\"/metrics\">Metrics</a> for Prometheus. "
		"<a href=\"/-/healthy\">Health</a> of this program.</p></body></html>\n";

	if (str_eq(path, "/-/healthy"))
		return send_text(c, MHD_HTTP_OK, "railtop export is healthy.\n");
	if (!is_allowed(h, c))
		return send_refusal(h, c, MHD_HTTP_UNAUTHORIZED,
			"A token is needed: Authorization: Bearer TOKEN.\n");
	if (str_eq(path, "/metrics"))
		return send_metrics(h, c, head);
	if (str_eq(path, "/")) {
		union {
			const char *from;
			void *to;
		} words = {page};

		return send_response(c, MHD_HTTP_OK,
			MHD_create_response_from_buffer(
				sizeof(page) - 1, words.to, MHD_RESPMEM_PERSISTENT),
			"text/html; charset=utf-8");
	}
	return send_refusal(h, c, MHD_HTTP_NOT_FOUND, "There is /metrics, /-/healthy and /.\n");
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **ctx)
{
	struct export_http *h = arg;
	bool head = str_eq(method, MHD_HTTP_METHOD_HEAD);

	(void)version;
	(void)upload;
	if (!head && !str_eq(method, MHD_HTTP_METHOD_GET))
		return send_refusal(h, c, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD.\n");
	if (!*ctx) {
		struct connection *k = connection_of(c);

		if (k) {
			k->asks = true;
			k->known |= h->opts.token && is_allowed(h, c);
		}
		*ctx = h;
		return MHD_YES;
	}
	/* No request has a body. */
	if (*upload_size)
		return MHD_NO;
	return route_request(h, c, path, head);
}

/* ---- connections ---- */

static void on_completed(
	void *arg, struct MHD_Connection *c, void **ctx, enum MHD_RequestTerminationCode toe)
{
	struct connection *k = connection_of(c);

	(void)arg;
	(void)ctx;
	(void)toe;
	if (k) {
		k->since_us = clock_mono(&clock_system);
		k->asks = false;
	}
}

static void note_address(struct connection *k, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *a = info ? info->client_addr : NULL;

	if (a && a->sa_family == AF_INET)
		memcpy(k->address, &((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
	else if (a && a->sa_family == AF_INET6)
		memcpy(k->address, &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, 8);
}

static void on_connection(
	void *arg, struct MHD_Connection *c, void **ctx, enum MHD_ConnectionNotificationCode toe)
{
	struct export_http *h = arg;
	struct connection *k = *ctx;

	if (toe == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

		k = mem_calloc(1, sizeof(*k));
		k->fd = info ? info->connect_fd : -1;
		k->since_us = clock_mono(&clock_system);
		note_address(k, c);
		h->nconnections++;
		k->next = h->connections;
		if (k->next)
			k->next->prev = k;
		h->connections = k;
		*ctx = k;
	} else if (k) {
		if (k->prev)
			k->prev->next = k->next;
		else
			h->connections = k->next;
		if (k->next)
			k->next->prev = k->prev;
		h->nconnections--;
		free(k);
		*ctx = NULL;
	}
}

/* ---- the loop ---- */

static void run_server(struct export_http *h);

static void on_timer(uv_timer_t *t)
{
	run_server(t->data);
}

/*
 * libmicrohttpd works in pieces: a timeout of 0 ms means that it has more to do at once. libuv runs
 * timers that are due until none is, and looks at nothing else meanwhile: so it waits a
 * millisecond, however long libmicrohttpd says so.
 */
static void run_server(struct export_http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (h->closing)
		return;
	(void)MHD_run(h->mhd);
	if (MHD_get_timeout(h->mhd, &ms) == MHD_YES)
		(void)uv_timer_start(&h->timer, on_timer, ms ? ms : 1, 0);
	else
		(void)uv_timer_stop(&h->timer);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	run_server(poll->data);
}

static bool is_silent(const struct connection *k, int64_t now)
{
	return !k->asks && !k->known && now - k->since_us > EXPORT_SILENT_US;
}

/* The oldest of a client stand last in the list, so of each address its newest ones stay. */
static void thin_out(const struct export_http *h, int64_t now)
{
	for (const struct connection *k = h->connections; k; k = k->next) {
		unsigned newer = 0;

		if (!is_silent(k, now))
			continue;
		for (const struct connection *o = h->connections; o != k && newer < EXPORT_SILENT;
			o = o->next)
			newer += !o->known && memcmp(o->address, k->address, 16) == 0;
		if (newer >= EXPORT_SILENT)
			(void)shutdown(k->fd, SHUT_RDWR);
	}
}

void export_http_tick(struct export_http *h)
{
	int64_t now = clock_mono(&clock_system);

	if (h->nconnections > EXPORT_CROWD)
		thin_out(h, now);

	for (struct connection *k = h->connections; k; k = k->next)
		if (now - k->since_us > h->opts.longest_us)
			(void)shutdown(k->fd, SHUT_RDWR);
	for (unsigned i = 0; i < EXPORT_PICTURES; i++)
		if (!h->pictures[i].readers && now - h->pictures[i].taken_us > h->opts.shared_us)
			drop_picture(&h->pictures[i]);
	run_server(h);
}

static struct MHD_Daemon *daemon_for(struct export_http *h)
{
	const struct export_http_opts *o = &h->opts;
	unsigned flags = MHD_USE_EPOLL | (o->cert ? MHD_USE_TLS : 0U);
	struct MHD_OptionItem tls[] = {
		{o->cert ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, NULL},
		{o->cert ? MHD_OPTION_HTTPS_MEM_KEY : MHD_OPTION_END, 0, NULL},
		{o->cert ? MHD_OPTION_HTTPS_PRIORITIES : MHD_OPTION_END, 0, NULL},
		{MHD_OPTION_END, 0, NULL}};
	union {
		const char *from;
		void *to;
	} cert = {o->cert}, key = {o->key},
	  suites = {"SECURE128:-VERS-ALL:+VERS-TLS1.2:+VERS-TLS1.3"};

	tls[0].ptr_value = cert.to;
	tls[1].ptr_value = key.to;
	tls[2].ptr_value = suites.to;
	return MHD_start_daemon(flags, 0, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET,
		o->fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)EXPORT_CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, EXPORT_IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)EXPORT_REQUEST_MOST, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_ARRAY, tls,
		MHD_OPTION_END);
}

static void on_closed(uv_handle_t *handle)
{
	struct export_http *h = handle->data;

	if (--h->handles)
		return;
	if (h->epoll >= 0)
		(void)close(h->epoll);
	free(h);
}

struct export_http *export_http_start(const struct export_http_opts *opts, struct err *err)
{
	struct export_http *h = mem_calloc(1, sizeof(*h));
	const union MHD_DaemonInfo *info;

	h->opts = *opts;
	h->opts.longest_us = opts->longest_us ? opts->longest_us : EXPORT_LONGEST_US;
	h->opts.shared_us = opts->shared_us ? opts->shared_us : EXPORT_SHARED_US;
	h->mhd = daemon_for(h);
	if (!h->mhd) {
		/* If TLS does not start, libmicrohttpd has closed the socket; its number may be
		 * reused. */
		if (!opts->cert)
			(void)close(opts->fd);
		free(h);
		err_set(err, ERR_CONFIG, "export", "the server does not start");
		(void)err_cure(err,
			opts->cert ? "check that certificate and key are PEM and belong together"
				   : "see --log");
		return NULL;
	}
	info = MHD_get_daemon_info(h->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	h->epoll = dup(info->epoll_fd);
	h->poll.data = h->timer.data = h;
	(void)uv_timer_init(opts->loop, &h->timer);
	(void)uv_poll_init(opts->loop, &h->poll, h->epoll);
	(void)uv_poll_start(&h->poll, UV_READABLE, on_poll);
	h->handles = 2;
	return h;
}

void export_http_stop(struct export_http *h)
{
	if (!h)
		return;
	h->closing = true;
	(void)uv_poll_stop(&h->poll);
	uv_close((uv_handle_t *)&h->poll, on_closed);
	uv_close((uv_handle_t *)&h->timer, on_closed);
	MHD_stop_daemon(h->mhd);
	for (unsigned i = 0; i < EXPORT_PICTURES; i++)
		drop_picture(&h->pictures[i]);
}
