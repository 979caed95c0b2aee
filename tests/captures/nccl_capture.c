/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/nccl_capture.h"
#include "tests/support/cases.h"

static bool run(
	nccl_parser *parse, const char *before, const char *file, struct obs **out, struct err *err)
{
	char name[256];
	char *bytes;
	size_t len;
	struct buf b;
	bool ok;

	(void)str_printf(name, sizeof(name), "hosts/%s", file);
	bytes = capture_read(name, &len);
	buf_init(&b, (size_t)16 << 20);
	assert_true(buf_adds(&b, before ? before : "") && buf_add(&b, bytes, len));
	*out = obs_new("", file);
	*err = (struct err){0};
	ok = parse(b.data, b.len, *out, err);
	buf_free(&b);
	free(bytes);
	return ok;
}

struct obs *nccl_capture_behind(nccl_parser *parse, const char *before, const char *file)
{
	struct obs *o;
	struct err err;

	if (!run(parse, before, file, &o, &err))
		fail_msg("%s: %s", file, err.text);
	if (o->err.code != ERR_NONE)
		fail_msg("%s: only a part: %s", file, o->err.text);
	return o;
}

struct obs *nccl_capture(nccl_parser *parse, const char *file)
{
	return nccl_capture_behind(parse, NULL, file);
}

void nccl_capture_refused(nccl_parser *parse, const char *file, const char *words)
{
	struct obs *o;
	struct err err;

	if (run(parse, NULL, file, &o, &err))
		fail_msg("%s was taken", file);
	if (!strstr(err.text, words))
		fail_msg("%s: %s", file, err.text);
	assert_int_equal(o->nccl.n, 0);
	obs_free(o);
}
