/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_HTTPS_HTTPS_H
#define TESTS_INTEGRATION_HTTPS_HTTPS_H

#include "tests/integration/support/scratch.h"

/*
 * A small HTTPS server of the test's own on 127.0.0.1; its behaviour depends on the path. The user
 * is noc, the password sec:ret. POST /login with HTTPS_LOGIN as body gives a session, which
 * /session (else 401) and /token (else 403) need; /basic needs the password. /method returns the
 * method, /drop closes the connection without an answer.
 */
#define HTTPS_LOGIN "{\"name\":\"noc\",\"pwd\":\"sec:ret\"}"
struct https;

/* "ca", "other_ca" and, signed by ca: "good", "named" (spine-000), "foreign", "expired". */
void https_certificates(struct scratch *s);
struct https *https_start(const struct scratch *s, const char *certificate, unsigned *port);
void https_stop(struct https *h);
unsigned https_connections(const struct https *h); /* accepted since the start */
unsigned https_asked(const struct https *h);       /* requests but for logins that came whole */
unsigned https_logins(const struct https *h);      /* good ones */
unsigned https_refusals(const struct https *h);    /* wrong passwords, by any method */
/* Sessions that were given are not known any more. */
void https_forget_sessions(struct https *h);

#endif
