/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/prometheus/http_client.h"
#include "backends/https/curl_easy.h"

#include <ctype.h>
#include <curl/curl.h>
#include <string.h>
#include <strings.h>

#include "backends/transport/credentials.h"
#include "backends/contract/target.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define CONNECT_MS    10000L
#define SECRETS_AGAIN (30 * CLOCK_SEC)
#define BUFFER_SIZE   262144L
#define URL_MAX       1024
#define ERROR_MAX     ((uint64_t)1 << 20) /* bytes read of an error page */

struct prometheus_http {
	CURLM *multi;
	const struct plan_engine *pe;
	struct credentials *secrets;
	bool refused;    /* a 401 came: the secrets may have changed since they were read */
	int64_t read_us; /* monotonic time of the last repeated read; 0: never */
	const struct credential *basic;
	const char *token;
	char *ca, *url; /* url has no slash at its end */
	struct curl_slist *headers;
	struct prometheus_transfer *first;
	CURL *idle[8]; /* easy handles kept for reuse, with their settings */
	unsigned n_idle;
};

struct prometheus_transfer {
	struct prometheus_http *http;
	struct prometheus_transfer *next;
	CURL *easy;  /* NULL: there was no memory for it */
	bool unsent; /* libcurl has not taken it, so prometheus_http_run() ends it */
	struct prometheus_transfer_fns fns;
	int64_t began_us;
	uint64_t received;
	bool large, stopped, deaf;
	int64_t date_us;
	size_t head_len;
	char head[160];
	char error[CURL_ERROR_SIZE];
};

/* ---- permanent configuration errors ---- */

static bool url_ok(const struct plan_engine *pe, struct err *err)
{
	CURLU *u = curl_url();
	char *user = NULL, *host = NULL, *query = NULL;
	bool ok = u && curl_url_set(u, CURLUPART_URL, pe->url, 0) == CURLUE_OK &&
		  strlen(pe->url) < URL_MAX &&
		  (strncasecmp(pe->url, "http://", 7) == 0 ||
			  strncasecmp(pe->url, "https://", 8) == 0);

	if (!ok) {
		(void)err_set(err, ERR_CONFIG, pe->source, "url: is not http://... or https://...");
	} else if (curl_url_get(u, CURLUPART_USER, &user, 0) == CURLUE_OK) {
		/* The text is not repeated: it may contain a secret. */
		ok = err_set(
			err, ERR_CONFIG, pe->source, "url: must not contain a user or a password");
		(void)err_cure(err, "use credentials: or token:, which are references");
	} else if (curl_url_get(u, CURLUPART_QUERY, &query, 0) == CURLUE_OK) {
		ok = err_set(err, ERR_CONFIG, pe->source, "url: must not contain a query");
	} else if (curl_url_get(u, CURLUPART_HOST, &host, 0) != CURLUE_OK || !*host) {
		ok = err_set(err, ERR_CONFIG, pe->source, "url: has no host");
	} else if ((pe->token || pe->credentials) && strncasecmp(pe->url, "http://", 7) == 0 &&
		   !str_eq(host, "localhost") &&
		   !(str_starts(host, "127.") && strspn(host, "0123456789.") == strlen(host)) &&
		   !str_eq(host, "[::1]")) {
		ok = err_set(err, ERR_CONFIG, pe->source,
			"url: a password or token would cross the network unencrypted");
		(void)err_cure(err, "use https://, with tls_ca: where the CA is the site's own");
	}
	curl_free(user);
	curl_free(host);
	curl_free(query);
	curl_url_cleanup(u);
	return ok;
}

static bool tenant_ok(const struct plan_engine *pe, struct err *err)
{
	for (const char *s = pe->tenant; s && *s; s++)
		if (!isgraph((unsigned char)*s))
			return err_set(err, ERR_CONFIG, pe->source,
				"tenant: must be one word without blanks");
	return true;
}

static bool secrets_ok(struct prometheus_http *h, struct err *err)
{
	h->secrets = credentials_new();
	if (h->pe->credentials) {
		h->basic = credentials_get(h->secrets, h->pe->credentials, h->pe->source, err);
		if (!h->basic)
			return false;
	}
	if (h->pe->token) {
		h->token = credentials_token(h->secrets, h->pe->token, h->pe->source, err);
		if (!h->token)
			return false;
	}
	if (h->basic && h->token)
		return err_set(err, ERR_CONFIG, h->pe->source,
			"credentials: and token: cannot be used together");
	return true;
}

struct prometheus_http *prometheus_http_open(const struct plan_engine *pe, struct err *err)
{
	struct prometheus_http *h;
	char tenant[256];
	size_t n;

	rest_curl_begin();
	h = mem_calloc(1, sizeof(*h));
	h->pe = pe;
	if (!url_ok(pe, err) || !tenant_ok(pe, err) || !secrets_ok(h, err)) {
		prometheus_http_close(h);
		return NULL;
	}
	h->url = mem_strdup(pe->url);
	for (n = strlen(h->url); n && h->url[n - 1] == '/'; n--)
		h->url[n - 1] = '\0';
	h->ca = pe->tls_ca ? target_expand_home(pe->tls_ca) : NULL;
	/* "Expect: 100-continue" costs a second round trip for a large form. */
	h->headers = curl_slist_append(NULL, "Expect:");
	if (pe->tenant && str_printf(tenant, sizeof(tenant), "X-Scope-OrgID: %s", pe->tenant))
		h->headers = curl_slist_append(h->headers, tenant);
	h->multi = curl_multi_init();
	return h;
}

void prometheus_http_close(struct prometheus_http *h)
{
	if (!h)
		return;
	while (h->first)
		prometheus_http_cancel(h->first);
	for (unsigned i = 0; i < h->n_idle; i++)
		curl_easy_cleanup(h->idle[i]);
	if (h->multi)
		(void)curl_multi_cleanup(h->multi);
	curl_slist_free_all(h->headers);
	credentials_free(h->secrets);
	free(h->ca);
	free(h->url);
	free(h);
	curl_global_cleanup();
}

/* ---- one query ---- */

static size_t on_body(char *data, size_t size, size_t n, void *ctx)
{
	struct prometheus_transfer *t = ctx;
	size_t len = size * n, keep = sizeof(t->head) - t->head_len;
	long status = 0;

	if (t->head_len < sizeof(t->head)) {
		keep = len < keep ? len : keep;
		memcpy(t->head + t->head_len, data, keep);
		t->head_len += keep;
	}
	t->received += len;
	if (t->received > PROMETHEUS_REPLY_BYTES) {
		t->large = true;
		return 0;
	}
	if (t->deaf || t->fns.bytes(t->fns.ctx, data, len))
		return !t->deaf || t->received <= ERROR_MAX ? len : 0;
	/* The reader does not understand an error page; keep only its beginning. */
	(void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	t->deaf = status != 200;
	t->stopped = status == 200;
	return t->deaf ? len : 0;
}

static size_t on_header(char *data, size_t size, size_t n, void *ctx)
{
	struct prometheus_transfer *t = ctx;
	char date[64];
	time_t at;

	if (n < 6 || strncasecmp(data, "Date:", 5) != 0)
		return size * n;
	(void)str_copyn(date, sizeof(date), data + 5, size * n - 5);
	at = curl_getdate(date, NULL);
	if (at > 0)
		t->date_us = (int64_t)at * CLOCK_SEC;
	return size * n;
}

static void set_secrets(const struct prometheus_http *h, CURL *e)
{
	if (h->basic && h->basic->userpwd) {
		(void)curl_easy_setopt(e, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		(void)curl_easy_setopt(e, CURLOPT_USERPWD, h->basic->userpwd);
	} else if (h->basic && h->basic->netrc) {
		(void)curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_REQUIRED);
		(void)curl_easy_setopt(e, CURLOPT_NETRC_FILE, h->basic->netrc);
	}
	if (h->token) {
		(void)curl_easy_setopt(e, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
		(void)curl_easy_setopt(e, CURLOPT_XOAUTH2_BEARER, h->token);
	}
}

/*
 * Tokens expire and are replaced on disk. After a 401 the secrets are read again, at most once in
 * SECRETS_AGAIN.
 */
static void reload_secrets(struct prometheus_http *h)
{
	struct credentials *old = h->secrets;
	const struct credential *basic = h->basic;
	const char *token = h->token;
	int64_t now = clock_mono(&clock_system);
	struct err err = {0};

	if (!h->refused || (h->read_us && now < h->read_us + SECRETS_AGAIN))
		return;
	h->refused = false;
	h->read_us = now;
	if (secrets_ok(h, &err)) {
		credentials_free(old);
		return;
	}
	credentials_free(h->secrets);
	h->secrets = old;
	h->basic = basic;
	h->token = token;
}

static CURL *easy_new(const struct prometheus_http *h)
{
	CURL *e = rest_easy_new("http,https", h->ca);

	if (!e)
		return NULL;
	(void)curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	(void)curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	(void)curl_easy_setopt(e, CURLOPT_BUFFERSIZE, BUFFER_SIZE);
	(void)curl_easy_setopt(e, CURLOPT_HTTPHEADER, h->headers);
	(void)curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	(void)curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)(PROMETHEUS_TIMEOUT_US / CLOCK_MSEC));
	return e;
}

struct prometheus_transfer *prometheus_http_start(struct prometheus_http *h, const char *path,
	const char *form, const struct prometheus_transfer_fns *fns)
{
	struct prometheus_transfer *t = mem_calloc(1, sizeof(*t));
	struct buf url;

	t->http = h;
	t->fns = *fns;
	t->began_us = clock_mono(&clock_system);
	t->easy = h->n_idle ? h->idle[--h->n_idle] : easy_new(h);
	t->next = h->first;
	h->first = t;
	t->unsent = !t->easy;
	if (t->unsent)
		return t;
	reload_secrets(h);
	set_secrets(h, t->easy);
	buf_init(&url, URL_MAX + 64);
	(void)buf_addf(&url, "%s%s", h->url, path);
	(void)curl_easy_setopt(t->easy, CURLOPT_URL, url.data);
	(void)curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(form));
	(void)curl_easy_setopt(t->easy, CURLOPT_COPYPOSTFIELDS, form);
	(void)curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, (void *)t);
	(void)curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, (void *)t);
	(void)curl_easy_setopt(t->easy, CURLOPT_PRIVATE, (void *)t);
	(void)curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->error);
	t->unsent = curl_multi_add_handle(h->multi, t->easy) != CURLM_OK;
	buf_free(&url);
	return t;
}

void prometheus_http_cancel(struct prometheus_transfer *t)
{
	struct prometheus_http *h = t->http;

	for (struct prometheus_transfer **at = &h->first; *at; at = &(*at)->next) {
		if (*at != t)
			continue;
		*at = t->next;
		break;
	}
	if (!t->unsent)
		(void)curl_multi_remove_handle(h->multi, t->easy);
	if (t->easy)
		(void)curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, NULL);
	if (t->easy && h->n_idle < sizeof(h->idle) / sizeof(h->idle[0]))
		h->idle[h->n_idle++] = t->easy;
	else
		curl_easy_cleanup(t->easy);
	free(t);
}

/* ---- end of a transfer ---- */

static void explain_failure(const struct prometheus_transfer *t, CURLcode code, struct err *err)
{
	const struct plan_engine *pe = t->http->pe;
	const char *said = t->error[0] ? t->error : curl_easy_strerror(code);

	(void)err_set(
		err, ERR_UNREACHABLE, pe->source, "metrics engine %.160s: %.160s", pe->url, said);
	switch (code) {
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
		err->code = ERR_UNAUTHORISED;
		(void)err_cure(err,
			"set tls_ca: of engine: to the CA that signed its certificate "
			"(now: %.120s)",
			t->http->ca ? t->http->ca : "the system's CAs");
		break;
	case CURLE_SSL_CONNECT_ERROR:
		(void)err_cure(err, "check that the port speaks TLS; http:// is without TLS");
		break;
	case CURLE_COULDNT_RESOLVE_HOST:
		(void)err_cure(err, "check the name in url: of engine:, and DNS");
		break;
	case CURLE_OUT_OF_MEMORY: /* nothing is wrong with the server */
		break;
	default:
		(void)err_cure(
			err, "check that it is up: curl %.160s/api/v1/status/buildinfo", pe->url);
		break;
	}
}

static void explain_status(const struct prometheus_transfer *t, struct prometheus_ended *e)
{
	const struct plan_engine *pe = t->http->pe;

	(void)err_set(&e->err,
		e->status == 401 || e->status == 403 ? ERR_UNAUTHORISED : ERR_PROTOCOL, pe->source,
		"metrics engine %.120s: HTTP %ld: %.140s", pe->url, e->status, e->said);
	if (e->status == 401 || e->status == 403)
		(void)err_cure(&e->err, "check the content of %.80s, and tenant: if it has tenants",
			pe->token         ? pe->token
			: pe->credentials ? pe->credentials
					  : "credentials: or token: of engine: (there are none)");
	else if (e->status == 404)
		(void)err_cure(&e->err, "check the prefix in url:: Mimir has /prometheus, "
					"VictoriaMetrics' cluster /select/0/prometheus");
	else if (e->status >= 300 && e->status < 400)
		(void)err_cure(
			&e->err, "a redirection is not followed: write its target into url:");
	else if (e->status == 429 || e->status == 503)
		(void)err_cure(
			&e->err, "the engine is overloaded: set a longer interval: of engine:");
}

static void finish_transfer(struct prometheus_transfer *t, CURLcode code)
{
	struct prometheus_ended e = {.date_us = t->date_us,
		.took_us = clock_mono(&clock_system) - t->began_us,
		.bytes = t->received};
	const struct plan_engine *pe = t->http->pe;
	struct prometheus_transfer_fns fns = t->fns;
	curl_off_t connected = 0;

	if (!t->unsent) {
		(void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &e.status);
		(void)curl_easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
	}
	(void)str_sanitise(e.said, sizeof(e.said), t->head, t->head_len);
	if (t->large) {
		e.end = END_LARGE;
		(void)err_set(&e.err, ERR_LIMIT, pe->source,
			"metrics engine %.160s: a reply of more than %llu bytes", pe->url,
			(unsigned long long)PROMETHEUS_REPLY_BYTES);
	} else if (t->stopped) {
		e.end = END_STOPPED;
	} else if (code == CURLE_OPERATION_TIMEDOUT && connected > 0) {
		e.end = END_SLOW;
		(void)err_set(&e.err, ERR_TIMEOUT, pe->source,
			"metrics engine %.160s: no answer within %d s", pe->url,
			(int)(PROMETHEUS_TIMEOUT_US / CLOCK_SEC));
	} else if (code != CURLE_OK && !t->deaf) {
		e.end = END_DOWN;
		explain_failure(t, code, &e.err);
	} else if (e.status != 200) {
		e.end = END_REFUSED;
		t->http->refused |= e.status == 401;
		explain_status(t, &e);
	}
	prometheus_http_cancel(t);
	fns.done(fns.ctx, &e);
}

/* Ends a transfer that libcurl has not taken; false: there is none. */
static bool finish_unsent(struct prometheus_http *h)
{
	struct prometheus_transfer *t = h->first;

	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a finished one has left the list */
	while (t && !t->unsent)
		t = t->next;
	if (t)
		finish_transfer(t, CURLE_OUT_OF_MEMORY);
	return t != NULL;
}

void prometheus_http_run(struct prometheus_http *h, int64_t timeout_us)
{
	int running = 0, left, ms;
	CURLMsg *msg;

	if (finish_unsent(h)) {
		while (finish_unsent(h))
			;
		return;
	}
	ms = timeout_us < 0                ? 0
	     : timeout_us > 60 * CLOCK_SEC ? 60000
					   : (int)(timeout_us / CLOCK_MSEC);
	(void)curl_multi_perform(h->multi, &running);
	msg = curl_multi_info_read(h->multi, &left);
	if (!msg) {
		(void)curl_multi_poll(h->multi, NULL, 0, ms, NULL);
		(void)curl_multi_perform(h->multi, &running);
		msg = curl_multi_info_read(h->multi, &left);
	}
	for (; msg; msg = curl_multi_info_read(h->multi, &left)) {
		struct prometheus_transfer *t = NULL;
		CURLcode code = msg->data.result;

		if (msg->msg != CURLMSG_DONE)
			continue;
		(void)curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&t);
		if (t)
			finish_transfer(t, code);
	}
}

void prometheus_http_wake(struct prometheus_http *h)
{
	(void)curl_multi_wakeup(h->multi);
}

bool prometheus_form_add(struct buf *form, const char *name, const char *value)
{
	static const char hex[] = "0123456789ABCDEF";
	bool ok = buf_addf(form, "%s%s=", form->len ? "&" : "", name);

	for (; *value && ok; value++) {
		unsigned char c = (unsigned char)*value;
		char coded[3] = {'%', hex[c >> 4], hex[c & 15]};

		ok = isalnum(c) || strchr("-._~", c) ? buf_add(form, value, 1)
						     : buf_add(form, coded, 3);
	}
	return ok;
}
