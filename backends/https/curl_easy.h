/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_HTTPS_CURL_EASY_H
#define BACKENDS_HTTPS_CURL_EASY_H

#include <curl/curl.h>

/*
 * Begins the use of libcurl, in place of curl_global_init(): before the first handle, as often as
 * one likes. All memory of libcurl is wiped when it is freed.
 */
void rest_curl_begin(void);

/*
 * Returns a handle with the options common to all HTTP requests: certificates and names verified,
 * no redirect, no proxy, HTTP/1.1, kept connections. protocols: "https". ca: path of a file, which
 * libcurl copies; NULL: the system's CAs. Returns NULL without memory. The caller cleans the handle
 * up.
 */
CURL *rest_easy_new(const char *protocols, const char *ca);
/*
 * The file with the CAs of this machine: the one that the library was built for, or that of another
 * distribution, where a program of the archive (packaging/tarball) runs. NULL: none is there.
 */
const char *rest_system_ca(const char *built_in);

#endif
