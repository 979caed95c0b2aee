/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_ASKED_H
#define TESTS_SUPPORT_ASKED_H

#include "backends/contract/backend.h"

/*
 * Files that hold an answer begin with a line that names the request and its device: "ssh fast",
 * "https pfc", "host slow" (a Linux host), then facts as "key=value".
 */
struct asked {
	struct target target; /* its facts are those below: do not copy */
	struct facts facts;
	char request[32];
	const char *answer; /* within the bytes given */
	size_t len;
};

/* False when there is no such line. asked_free() in any case. */
bool asked_read(struct asked *a, const char *bytes, size_t len);
void asked_free(struct asked *a);

#endif
