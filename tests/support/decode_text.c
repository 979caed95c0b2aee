/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/decode_text.h"

#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"

struct obs *decode_text(
	const char *dialect, enum transport_kind way, const char *request, const char *text)
{
	static char bytes[16384];
	bool is_host = str_eq(dialect, "linux") && !str_starts(request, "sw-");
	const struct target t = {.device = "leaf-r0-00",
		.tier = is_host ? TIER_HOST : TIER_LEAF,
		.transport = way,
		.lossless = 8};
	struct obs *o = obs_new("leaf-r0-00", request);
	struct err err = {0};

	assert_true(str_copy(bytes, sizeof(bytes), text));
	for (char *c = bytes; *c; c++)
		*c = *c == '\'' ? '"' : *c == '`' ? '\'' : *c;
	if (!backend_by_name(dialect)->parse(&t, request, bytes, strlen(bytes), o, &err))
		fail_msg("%s %s: %s", dialect, request, err.text);
	return o;
}

struct obs *decode_ssh(const char *dialect, const char *request, const char *text)
{
	return decode_text(dialect, TRANSPORT_SSH, request, text);
}
