/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/https/fetch.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/https/curl_easy.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/* One document by GET, for sources that are no devices. */

static bool is_local(const char *host)
{
	return str_eq(host, "localhost") || str_eq(host, "[::1]") ||
	       (str_starts(host, "127.") && strspn(host, "0123456789.") == strlen(host));
}

bool rest_fetch_check(const char *url, bool secret, const char *origin, struct err *err)
{
	CURLU *u = curl_url();
	char *user = NULL, *host = NULL;
	bool plain = strncasecmp(url, "http://", 7) == 0;
	bool ok = (plain || strncasecmp(url, "https://", 8) == 0) &&
		  curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
		  curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK && *host;

	if (!ok) {
		err_set(err, ERR_CONFIG, origin, "url: is not https://...");
	} else if (curl_url_get(u, CURLUPART_USER, &user, 0) == CURLUE_OK) {
		ok = err_set(err, ERR_CONFIG, origin, "url: must not contain a user or a password");
		(void)err_cure(err, "use token:, which is a reference");
	} else if (plain && secret && !is_local(host)) {
		ok = err_set(err, ERR_CONFIG, origin,
			"url: the token would cross the network unencrypted");
		(void)err_cure(err, "use https://, with tls_ca: where the CA is the site's own");
	}
	curl_free(user);
	curl_free(host);
	curl_url_cleanup(u);
	return ok;
}

static size_t on_body(char *data, size_t size, size_t n, void *ctx)
{
	return buf_add(ctx, data, size * n) ? size * n : 0;
}

static int on_progress(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const atomic_bool *stop = ctx;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return stop && atomic_load(stop);
}

static bool set_error(const struct rest_fetch *f, const struct buf *out, CURLcode code,
	const char *why, struct err *err)
{
	bool tls = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;

	if (out->overflow)
		return err_set(err, ERR_LIMIT, f->url, "%.80s: the answer is larger than %zu bytes",
			f->path, out->cap);
	err_set(err,
		tls                                ? ERR_UNAUTHORISED
		: code == CURLE_OPERATION_TIMEDOUT ? ERR_TIMEOUT
						   : ERR_UNREACHABLE,
		f->url, "%s", *why ? why : curl_easy_strerror(code));
	return tls ? err_cure(err, "name the CA of its certificate in tls_ca:")
		   : err_cure(err, "check url:, and whether its API is reached from here");
}

bool rest_fetch(const struct rest_fetch *f, struct buf *out, long *status, struct err *err)
{
	CURL *e = rest_easy_new("https,http", f->tls_ca);
	struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json");
	char why[CURL_ERROR_SIZE] = "", *url;
	size_t n = strlen(f->url), size;
	CURLcode code;

	while (n && f->url[n - 1] == '/')
		n--;
	size = n + strlen(f->path) + 1;
	url = mem_alloc(size);
	(void)str_printf(url, size, "%.*s%s", (int)n, f->url, f->path);
	(void)curl_easy_setopt(e, CURLOPT_URL, url);
	(void)curl_easy_setopt(e, CURLOPT_HTTPHEADER, headers);
	(void)curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)(f->timeout_us / CLOCK_MSEC));
	(void)curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	(void)curl_easy_setopt(e, CURLOPT_WRITEDATA, out);
	(void)curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
	(void)curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
	(void)curl_easy_setopt(e, CURLOPT_XFERINFODATA, f->stop);
	(void)curl_easy_setopt(e, CURLOPT_ERRORBUFFER, why);
	if (f->token) {
		(void)curl_easy_setopt(e, CURLOPT_HTTPAUTH, (unsigned long)CURLAUTH_BEARER);
		(void)curl_easy_setopt(e, CURLOPT_XOAUTH2_BEARER, f->token);
	}
	code = curl_easy_perform(e);
	(void)curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, status);
	curl_easy_cleanup(e);
	curl_slist_free_all(headers);
	free(url);
	return code == CURLE_OK || set_error(f, out, code, why, err);
}
