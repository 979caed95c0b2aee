/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/https/post.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "backends/https/curl_easy.h"
#include "base/clock.h"
#include "base/str.h"

#define CONNECT_MS  10000L
#define ANSWER_MOST ((size_t)64 << 10)
#define AGAIN_MOST  3600 /* seconds of a Retry-After */

struct post {
	const struct post_request *r;
	struct post_answer *answer;
	size_t received;
	char error[CURL_ERROR_SIZE];
};

static size_t on_post_body(char *data, size_t size, size_t n, void *ctx)
{
	struct post *p = ctx;
	struct post_answer *a = p->answer;
	size_t len = size * n, keep = sizeof(a->head) - a->head_len;

	keep = len < keep ? len : keep;
	memcpy(a->head + a->head_len, data, keep);
	a->head_len += keep;
	p->received += len;
	return p->received > ANSWER_MOST ? 0 : len;
}

static size_t on_post_header(char *data, size_t size, size_t n, void *ctx)
{
	static const char name[] = "Retry-After:";
	struct post *p = ctx;
	size_t len = size * n, skip = sizeof(name) - 1;
	char value[64];
	uint64_t seconds;

	if (len <= skip || len - skip >= sizeof(value) || strncasecmp(data, name, skip) != 0)
		return len;
	(void)str_copyn(value, sizeof(value), data + skip, len - skip);
	value[strcspn(value, "\r\n")] = '\0';
	/* A date in place of a number is left out: the caller has a pause of its own. */
	if (str_to_u64(value + strspn(value, " \t"), &seconds))
		p->answer->again_us =
			(int64_t)(seconds < AGAIN_MOST ? seconds : AGAIN_MOST) * CLOCK_SEC;
	return len;
}

static int on_progress(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct post *p = ctx;

	(void)a, (void)b, (void)c, (void)d;
	return p->r->stop && atomic_load(p->r->stop);
}

static void set_login(const struct post_request *r, CURL *e)
{
	if (r->token) {
		(void)curl_easy_setopt(e, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
		(void)curl_easy_setopt(e, CURLOPT_XOAUTH2_BEARER, r->token);
	} else if (r->userpwd) {
		(void)curl_easy_setopt(e, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		(void)curl_easy_setopt(e, CURLOPT_USERPWD, r->userpwd);
	} else if (r->netrc) {
		(void)curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_REQUIRED);
		(void)curl_easy_setopt(e, CURLOPT_NETRC_FILE, r->netrc);
	}
}

static bool explain_code(const struct post *p, CURLcode code, struct err *err)
{
	const struct post_request *r = p->r;

	/* curl's own text names the host, never the path. */
	(void)err_set(err, code == CURLE_OPERATION_TIMEDOUT ? ERR_TIMEOUT : ERR_UNREACHABLE,
		r->shown, "%.200s", p->error[0] ? p->error : curl_easy_strerror(code));
	switch (code) {
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
		err->code = ERR_UNAUTHORISED;
		return err_cure(err,
			"set tls_ca: of the receiver to the CA that signed its certificate "
			"(now: %.120s)",
			r->ca ? r->ca : "the system's CAs");
	case CURLE_COULDNT_RESOLVE_HOST:
		return err_cure(err, "check the name, and DNS");
	case CURLE_COULDNT_RESOLVE_PROXY:
		return err_cure(err, "check proxy: of the receiver");
	case CURLE_OUT_OF_MEMORY:
		return false;
	default:
		return err_cure(err,
			"check that it is up and reached from here; proxy: names a web proxy on "
			"the way");
	}
}

static bool explain_answer(const struct post *p, struct err *err)
{
	long status = p->answer->status;

	(void)err_set(err, status == 401 || status == 403 ? ERR_UNAUTHORISED : ERR_PROTOCOL,
		p->r->shown, "HTTP %ld%s%s", status, p->answer->said[0] ? ": " : "",
		p->answer->said);
	if (status == 401 || status == 403)
		return err_cure(err, "check the secret that its reference in the inventory gives");
	if (status == 404 || status == 410)
		return err_cure(err, "check its URL: the receiver does not know it (any more)");
	if (status == 429)
		return err_cure(err, "it limits the rate: set a smaller per_hour: of notify:");
	if (status >= 300 && status < 400)
		return err_cure(err, "a redirection is not followed: write its target as the URL");
	return false;
}

static bool take_answer(struct post *p, CURL *e, CURLcode code, struct err *err)
{
	(void)curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, &p->answer->status);
	(void)str_sanitise(
		p->answer->said, sizeof(p->answer->said), p->answer->head, p->answer->head_len);
	/* A body that breaks off after the status changes nothing. */
	if (code != CURLE_OK && (code != CURLE_WRITE_ERROR || !p->answer->status)) {
		p->answer->status = 0;
		return explain_code(p, code, err);
	}
	return (p->answer->status >= 200 && p->answer->status < 300) || explain_answer(p, err);
}

void post_begin(void)
{
	rest_curl_begin();
}

void post_end(void)
{
	curl_global_cleanup();
}

bool post_send(const struct post_request *r, struct post_answer *answer, struct err *err)
{
	struct post p = {.r = r, .answer = answer};
	struct curl_slist *headers = NULL;
	char type[80], encoding[80];
	CURL *e;
	bool ok;

	memset(answer, 0, sizeof(*answer));
	e = rest_easy_new("http,https", r->ca);
	if (!e)
		return err_set(err, ERR_INTERNAL, r->shown, "no memory for a request");
	(void)str_printf(type, sizeof(type), "Content-Type: %.60s", r->content_type);
	headers = curl_slist_append(NULL, type);
	headers = curl_slist_append(headers, "Expect:");
	if (r->encoding) {
		(void)str_printf(
			encoding, sizeof(encoding), "Content-Encoding: %.40s", r->encoding);
		headers = curl_slist_append(headers, encoding);
	}
	(void)curl_easy_setopt(e, CURLOPT_URL, r->url);
	if (r->proxy)
		(void)curl_easy_setopt(e, CURLOPT_PROXY, r->proxy);
	(void)curl_easy_setopt(e, CURLOPT_HTTPHEADER, headers);
	(void)curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->len);
	(void)curl_easy_setopt(e, CURLOPT_POSTFIELDS, r->body);
	(void)curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_post_body);
	(void)curl_easy_setopt(e, CURLOPT_WRITEDATA, (void *)&p);
	(void)curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_post_header);
	(void)curl_easy_setopt(e, CURLOPT_HEADERDATA, (void *)&p);
	(void)curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
	(void)curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
	(void)curl_easy_setopt(e, CURLOPT_XFERINFODATA, (void *)&p);
	(void)curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	(void)curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)(r->most_us / CLOCK_MSEC));
	(void)curl_easy_setopt(e, CURLOPT_ERRORBUFFER, p.error);
	set_login(r, e);
	ok = take_answer(&p, e, curl_easy_perform(e), err);
	curl_slist_free_all(headers);
	curl_easy_cleanup(e);
	return ok;
}

static bool host_is_local(const char *host)
{
	struct in_addr a;

	return str_eq(host, "localhost") || str_eq(host, "[::1]") ||
	       (str_starts(host, "127.") && inet_pton(AF_INET, host, &a) == 1);
}

int64_t post_pause(unsigned failures, int64_t least_us, int64_t most_us, int64_t again_us)
{
	int64_t us = least_us;

	if (!failures)
		return 0;
	for (unsigned i = 1; i < failures && us < most_us; i++)
		us *= 2;
	us = us > most_us ? most_us : us;
	us = us > again_us ? us : again_us;
	return us + us * (clock_mono(&clock_system) % 100) / 1000;
}

bool post_is_local(const char *url)
{
	CURLU *u = curl_url();
	char *host = NULL;
	bool local = u && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
		     curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK && host_is_local(host);

	curl_free(host);
	curl_url_cleanup(u);
	return local;
}

bool post_url_ok(const char *url, const char *origin, struct err *err)
{
	CURLU *u;
	char *host = NULL, *scheme = NULL, *user = NULL;
	bool ok;

	u = curl_url();
	ok = u && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
	     curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK && *host &&
	     curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	     curl_url_get(u, CURLUPART_USER, &user, 0) != CURLUE_OK;
	if (!ok)
		(void)err_set(err, ERR_CONFIG, origin, "the secret is no URL https://HOST/...");
	else if (strcasecmp(scheme, "https") != 0 &&
		 !(strcasecmp(scheme, "http") == 0 && host_is_local(host)))
		ok = err_set(err, ERR_CONFIG, origin,
			"the URL is a secret and would cross the network unencrypted: it must "
			"begin "
			"with https://");
	curl_free(host);
	curl_free(scheme);
	curl_free(user);
	curl_url_cleanup(u);
	return ok;
}
