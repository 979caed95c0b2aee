/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_HTTPS_CURL_EASY_H
#define BACKENDS_HTTPS_CURL_EASY_H

#include <curl/curl.h>

/*
 * A handle with what holds for everything that is asked over HTTP: certificates and names verified,
 * no redirect, no proxy, HTTP/1.1, kept connections. protocols: "https". ca: a file, of which
 * libcurl keeps a copy of the name; NULL: the system's. NULL: no memory. The caller cleans it up.
 */
CURL *rest_easy_new(const char *protocols, const char *ca);

#endif
