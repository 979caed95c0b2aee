/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/hostile.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* True when it was accepted without any complaint. */
static bool try_answer(const struct backend_ops *ops, const struct target *t, const char *request,
	const char *bytes, size_t len)
{
	char *exact = mem_alloc(len + 1);
	struct obs *o = obs_new(t->device, request);
	struct err err = {0};
	bool ok, whole;

	/* A copy of just this size: reading past it is seen. */
	memcpy(exact, bytes, len);
	exact[len] = '\0';
	ok = ops->parse(t, request, exact, len, o, &err);
	if (!ok && (!*err.text || err.code == ERR_NONE))
		fail_msg("%s %s: refused %zu bytes without a reason", ops->name, request, len);
	whole = ok && o->err.code == ERR_NONE;
	obs_free(o);
	free(exact);
	return whole;
}

static void cut_everywhere(const struct backend_ops *ops, const struct target *t,
	const char *request, const char *good, size_t len)
{
	size_t last = len;

	while (last && (good[last - 1] == '\n' || good[last - 1] == ' '))
		last--;
	for (size_t n = 0; n < len; n++)
		if (try_answer(ops, t, request, good, n) && n + 20 < last)
			fail_msg("%s %s: %zu of %zu bytes passed as whole", ops->name, request, n,
				len);
}

static void change_everywhere(const struct backend_ops *ops, const struct target *t,
	const char *request, const char *good, size_t len)
{
	static const char nasty[] = {'\0', '\n', '"', '{', ']', '-', '9', (char)0xff, '\x1b', ':'};
	char *copy = mem_alloc(len + 1);

	memcpy(copy, good, len + 1);
	for (size_t i = 0; i < len; i++) {
		char was = copy[i];

		copy[i] = nasty[i % sizeof(nasty)];
		(void)try_answer(ops, t, request, copy, len);
		copy[i] = was;
	}
	free(copy);
}

static void nested(const struct backend_ops *ops, const struct target *t, const char *request,
	const char *open, const char *prefix)
{
	struct buf b;

	buf_init(&b, 4u << 20);
	buf_adds(&b, prefix);
	for (int i = 0; i < 100000; i++)
		buf_adds(&b, open);
	(void)try_answer(ops, t, request, b.data, b.len);
	buf_free(&b);
}

void hostile_answers(const struct backend_ops *ops, const struct target *t, const char *request,
	const char *good, size_t len)
{
	static const char *const garbage[] = {"", "\n\n\n", "{", "}", "null", "{}", "[]", "[{}]",
		"{\"ports\":[]}", "{\"ports\":{}}", "{\"ports\":{\"Ethernet0\":7}}",
		"{\"ports\":{\"Ethernet0\":{\"c\":{},\"q\":[],\"g\":7,\"a\":\"x\",\"s\":{}}},"
		"\"pf\":[1,null,{}],\"t\":\"x\",\"df\":[[]],\"mf\":[{}]}",
		"{\"result\":7}", "{\"result\":[]}", "{\"result\":[[]]}",
		"{\"result\":[{\"interfaces\":{\"Ethernet1\":[]}},{\"interfaces\":{\"Ethernet1\":7}"
		"}]}",
		"{\"error\":7}", "{\"error\":{\"code\":\"x\",\"data\":{}}}",
		"{\"error\":{\"code\":99999999999999999999,\"message\":[],\"data\":[{\"errors\":[]}"
		"]}}",
		"@@", "@@begin", "@@begin 1\n@@ib\n/ports/\n/ports/1/state:\nx/ports/9999/a:b\n",
		"@@begin 1\n99999999999999999999999\n@@end\n-1\n",
		"@@begin 1\n1\n@@map\n*/device/net/*\n/device/net/\n@@stats *\nx: 1\n: 2\n",
		"login: \x1b[2J\x1b]0;title\x07 Password:"};

	assert_true(try_answer(ops, t, request, good, len));
	cut_everywhere(ops, t, request, good, len);
	change_everywhere(ops, t, request, good, len);
	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++)
		(void)try_answer(ops, t, request, garbage[i], strlen(garbage[i]));
	nested(ops, t, request, "[", "{\"ports\":");
	nested(ops, t, request, "{\"result\":", "");
	nested(ops, t, request, "@@ib x\n", "@@begin 1\n");
	nested(ops, t, request, "a/ports/1/state:4: ACTIVE\n", "@@begin 1\n1\n@@ib\n");
}
