/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/https/curl_easy.h"
#include "base/regular_file.h"

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
	/* Of a FIFO libcurl would wait for the writer. */
	if (ca)
		(void)curl_easy_setopt(e, CURLOPT_CAINFO, regular_file_is(ca) ? ca : "/dev/null");
	return e;
}
