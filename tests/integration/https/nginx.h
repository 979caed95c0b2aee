/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_HTTPS_NGINX_H
#define TESTS_INTEGRATION_HTTPS_NGINX_H

#include <sys/types.h>

#include "tests/integration/support/scratch.h"

/*
 * A real nginx on 127.0.0.1 that serves files over TLS (https_certificates() first) as switches
 * serve their APIs. The user is noc, the password sec:ret.
 *
 *   POST /command-api   bodies/eos/NAME.json, NAME from the id "railtop-NAME" of the question;
 *                       needs the session of POST /login, else 401
 *
 *   GET /api/...        bodies/api/...; needs the cookie of POST /api/aaaLogin.json, else 403
 *
 *   POST /ins           bodies/ins; needs the same
 *
 *   GET /nvue_v1/...    bodies/nvue_v1/...; needs the password. So does /ufmRest/...
 *
 * A NAME in `hangs` comes at one byte a second. Its file whole.log has each request as a line of
 * JSON: method, path with query, body.
 */
struct nginx {
	struct scratch *scratch;
	pid_t pid;
	unsigned port;
};

bool nginx_installed(void);
void nginx_start(struct nginx *n, struct scratch *s, const char *certificate, const char *hangs);
/* Sessions that were given are not known any more; connections end as they fall idle. */
void nginx_reload(struct nginx *n);
void nginx_stop(struct nginx *n);
/* Lines of its log of requests that contain the text. */
unsigned nginx_requests(const struct nginx *n, const char *text);

#endif
