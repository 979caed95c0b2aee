/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_HTTPS_H
#define TESTS_INTEGRATION_HTTPS_H

#include "tests/integration/scratch.h"

/* A small HTTPS server of the test's own on 127.0.0.1; what it does depends on the path. */
struct https;

/* "ca", "other_ca" and, signed by ca: "good", "named" (spine-000), "foreign", "expired". */
void https_certificates(struct scratch *s);
struct https *https_start(const struct scratch *s, const char *certificate, unsigned *port);
void https_stop(struct https *h);
unsigned https_connections(const struct https *h); /* accepted since the start */

#endif
