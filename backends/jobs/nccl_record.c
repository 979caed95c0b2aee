/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/json_select.h"
#include "base/buf.h"
#include "base/str.h"

struct obs_nccl *nccl_add(struct obs *out, enum nccl_kind kind, enum nccl_source source)
{
	struct obs_nccl *r = obs_nccl(out, kind, source);

	if (!r && out->err.code == ERR_NONE)
		err_set(&out->err, ERR_LIMIT, out->device,
			"more than %d facts about NCCL in one answer: the rest is skipped",
			OBS_NCCL_MAX);
	return r;
}

int64_t nccl_wide(const struct json_value *v)
{
	uint64_t n;

	return v && json_value_u64(v, &n) && n <= INT64_MAX ? (int64_t)n : -1;
}

int32_t nccl_int(const struct json_value *v, int32_t limit)
{
	int64_t n = nccl_wide(v);

	return n < limit ? (int32_t)n : -1;
}

double nccl_real(const struct json_value *v)
{
	double d;

	return v && json_value_real(v, &d) == NUMBER_OK ? d : (double)NAN;
}

uint32_t nccl_string(struct obs *out, const struct json_value *v)
{
	return obs_string(out, json_value_text(v));
}

uint32_t nccl_stringn(struct obs *out, const char *s, size_t n)
{
	char text[256];

	str_copyn(text, sizeof(text), s, n < sizeof(text) - 1 ? n : sizeof(text) - 1);
	return obs_string(out, text);
}

const char *nccl_result_text(int32_t result)
{
	switch (result) {
	case 0:
	case 7: /* ncclInProgress */
		return NULL;
	case 1:
		return "Unhandled CUDA error";
	case 2:
		return "System error";
	case 3:
		return "Internal error";
	case 4:
		return "Invalid argument";
	case 5:
		return "Invalid usage";
	case 6:
		return "Remote process error";
	case 8:
		return "Timeout";
	default:
		return "Unexpected error";
	}
}

bool nccl_lines(
	const char *bytes, size_t len, bool (*line)(void *ctx, const char *s, size_t n), void *ctx)
{
	for (size_t at = 0; at < len;) {
		const char *end = memchr(bytes + at, '\n', len - at);
		size_t n = end ? (size_t)(end - bytes) - at : len - at, text = n;

		if (text && bytes[at + text - 1] == '\r')
			text--;
		if (!line(ctx, bytes + at, text))
			return false;
		at += n + 1;
	}
	return true;
}

static void skip_blanks(const char **s)
{
	while (**s == ' ' || **s == '\t')
		++*s;
}

bool scan_text(const char **s, const char *literal)
{
	const char *at = *s;

	skip_blanks(&at);
	if (!str_starts(at, literal))
		return false;
	*s = at + strlen(literal);
	return true;
}

bool scan_int(const char **s, int64_t *out)
{
	const char *at = *s;
	int64_t n = 0;

	skip_blanks(&at);
	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (n > (INT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (*at - '0');
	}
	*out = n;
	*s = at;
	return true;
}

bool scan_word(const char **s, const char *stop, const char **word, size_t *n)
{
	const char *at = *s;

	skip_blanks(&at);
	*word = at;
	while (*at && *at != ' ' && *at != '\t' && !strchr(stop, *at))
		at++;
	*n = (size_t)(at - *word);
	if (*n == 0)
		return false;
	*s = at;
	return true;
}

bool scan_find(const char **s, const char *literal)
{
	const char *at = strstr(*s, literal);

	if (at)
		*s = at + strlen(literal);
	return at != NULL;
}

int64_t scan_after(const char *s, const char *literal, int64_t limit)
{
	int64_t n;

	return scan_find(&s, literal) && scan_int(&s, &n) && n < limit ? n : -1;
}

struct json_value *nccl_json_list(
	const char *bytes, size_t len, const char *device, struct err *err)
{
	struct json_value *doc;
	struct buf b;

	buf_init(&b, len + 16);
	(void)buf_adds(&b, "{\"list\":");
	(void)buf_add(&b, bytes, len);
	(void)buf_adds(&b, "}");
	doc = json_value_parse(b.data, b.len, device, err);
	buf_free(&b);
	return doc;
}
