/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/https/curl_easy.h"

#include <unistd.h>

#include "base/regular_file.h"

const char *rest_system_ca(const char *built_in)
{
	/* Debian, Red Hat, SUSE, Alpine. */
	static const char *const places[] = {"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

	if (built_in && access(built_in, R_OK) == 0)
		return built_in;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (access(places[i], R_OK) == 0)
			return places[i];
	return NULL;
}

CURL *rest_easy_new(const char *protocols, const char *ca)
{
	CURL *e = curl_easy_init();

	if (!e)
		return NULL;
	(void)curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
	(void)curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, protocols);
	(void)curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	/* Devices are never behind a web proxy. */
	(void)curl_easy_setopt(e, CURLOPT_PROXY, "");
	(void)curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	(void)curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
	(void)curl_easy_setopt(e, CURLOPT_USERAGENT, "railtop");
	(void)curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
	(void)curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
	/* A CA directory would switch off libcurl's cache of parsed CAs: 20 ms per connection. */
	(void)curl_easy_setopt(e, CURLOPT_CAPATH, NULL);
	if (!ca)
		ca = rest_system_ca(curl_version_info(CURLVERSION_NOW)->cainfo);
	/* Of a FIFO libcurl would wait for the writer. */
	if (ca)
		(void)curl_easy_setopt(e, CURLOPT_CAINFO, regular_file_is(ca) ? ca : "/dev/null");
	return e;
}
