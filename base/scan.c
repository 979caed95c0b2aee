/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scan.h"

#include <string.h>

#include "base/digits.h"
#include "base/scan_private.h"

/* The next token that is expected. */
enum mode {
	M_DOCUMENT,
	M_VALUE,
	M_VALUE_OR_END, /* after [ */
	M_KEY,          /* after a comma */
	M_KEY_OR_END,   /* after { */
	M_COLON,
	M_NEXT, /* a comma or an end */
	M_STRING,
	M_ESCAPE, /* within a string: hold has the beginning of an escape */
	M_UTF8,   /* within a string: hold has the beginning of a character */
	M_NUMBER, /* hold has the beginning */
	M_WORD,   /* hold has the beginning */
	M_OVER,
};

/* The bytes of one call. */
struct input {
	const char *at, *end;
};

void scan_begin(struct scan *s, unsigned flags, bool (*on)(void *ctx, const struct scan_event *e),
	void *ctx)
{
	/* hold needs no initial value: it is read only as far as it was written. */
	s->on = on;
	s->ctx = ctx;
	s->flags = flags;
	s->state = SCAN_MORE;
	s->wrong = NULL;
	s->offset = 0;
	s->mode = M_DOCUMENT;
	s->in_key = false;
	s->depth = s->held = 0;
	s->objects = 0;
}

static bool scan_fail(struct scan *s, const char *wrong)
{
	s->state = SCAN_WRONG;
	s->wrong = wrong;
	return false;
}

static bool emit_event(struct scan *s, const struct scan_event *e)
{
	if (s->on(s->ctx, e))
		return true;
	s->state = SCAN_STOPPED;
	return false;
}

static bool emit_text(struct scan *s, bool is_whole, const char *text, size_t len)
{
	struct scan_event e = {.text = text, .len = len};

	if (is_whole)
		e.kind = s->in_key ? SCAN_KEY : SCAN_STRING;
	else if (len)
		e.kind = s->in_key ? SCAN_KEY_PART : SCAN_STRING_PART;
	else
		return true;
	return emit_event(s, &e);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Indented lines begin with many blanks. */
static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at)) {
		at++;
		while (end - at >= 8 && digits_load(at) == DIGITS_EACH(' '))
			at += 8;
	}
	return at;
}

/* ---- objects and arrays ---- */

static bool is_in_object(const struct scan *s)
{
	return s->objects >> (s->depth - 1) & 1;
}

static bool open_level(struct scan *s, bool is_object)
{
	struct scan_event e = {.kind = is_object ? SCAN_OBJECT : SCAN_ARRAY};

	if (s->depth == SCAN_DEPTH)
		return scan_fail(s, "at most 64 levels of objects and arrays");
	if (is_object)
		s->objects |= UINT64_C(1) << s->depth;
	else
		s->objects &= ~(UINT64_C(1) << s->depth);
	s->depth++;
	s->mode = is_object ? M_KEY_OR_END : M_VALUE_OR_END;
	return emit_event(s, &e);
}

static bool close_level(struct scan *s)
{
	struct scan_event e = {.kind = is_in_object(s) ? SCAN_OBJECT_END : SCAN_ARRAY_END};

	s->depth--;
	s->mode = s->depth ? M_NEXT : M_OVER;
	return emit_event(s, &e);
}

/* ---- strings ---- */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * The first byte that is not plain string content: a quote, a backslash, a control character or a
 * byte beyond ASCII. Tests eight bytes at a time: the top bit of a byte is set when it is special.
 * A borrow may set the bit of a higher byte as well, never of a lower one.
 */
static const char *skip_plain(const char *at, const char *end)
{
	while (end - at >= 8) {
		uint64_t w, quote, slash, found;

		memcpy(&w, at, sizeof(w));
		quote = w ^ EACH(0x22);
		slash = w ^ EACH(0x5c);
		found = ((quote - EACH(1)) | (slash - EACH(1)) | (w - EACH(0x20)) | w) & EACH(0x80);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		if (found)
			return at + (__builtin_ctzll(found) >> 3);
#else
		if (found)
			break;
#endif
		at += 8;
	}
	while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' &&
		*at != '\\')
		at++;
	return at;
}

static bool string_over(struct scan *s, const char *text, size_t len)
{
	s->mode = s->in_key ? M_COLON : M_NEXT;
	return emit_text(s, true, text, len);
}

/* Moves the rest of the input behind the bytes that are already held, and sets the mode. */
static void hold_rest(struct scan *s, struct input *in, enum mode mode)
{
	size_t n = (size_t)(in->end - in->at);

	memcpy(s->hold + s->held, in->at, n);
	s->held = (uint8_t)(s->held + n);
	s->mode = (uint8_t)mode;
	in->at = in->end;
}

/* A backslash and the characters of its escape; leaves in->at behind the escape. */
static bool read_escape(struct scan *s, struct input *in)
{
	char decoded[4];
	size_t n = 0;
	size_t used = scan_escape(in->at, (size_t)(in->end - in->at), decoded, &n, &s->wrong);

	if (s->wrong)
		return scan_fail(s, s->wrong);
	if (!used) {
		hold_rest(s, in, M_ESCAPE);
		return true;
	}
	if (s->in_key && !decoded[0])
		return scan_fail(s, "a key without a NUL");
	in->at += used;
	s->mode = M_STRING;
	return emit_text(s, false, decoded, n);
}

/* A character beyond ASCII. True: the run of text goes on, or the rest of the input is held. */
static bool read_character(struct scan *s, struct input *in)
{
	int n;

	if (s->flags & SCAN_ANY_UTF8) {
		in->at++;
		return true;
	}
	n = scan_utf8(in->at, (size_t)(in->end - in->at));
	if (n < 0)
		return scan_fail(s, "UTF-8");
	if (n)
		in->at += n;
	else
		hold_rest(s, in, M_UTF8);
	return true;
}

/* Reads the comma that nearly always follows a value. */
static bool follow_value(struct scan *s, struct input *in)
{
	if (in->at < in->end && *in->at == ',' && s->mode == M_NEXT) {
		in->at++;
		s->mode = is_in_object(s) ? M_KEY : M_VALUE;
		if (in->at < in->end && *in->at == '\n')
			in->at = skip_blanks(in->at, in->end);
	}
	return true;
}

/* Reads the separator that nearly always follows a string: a colon after a key, else a comma. */
static bool read_separator(struct scan *s, struct input *in)
{
	if (!s->in_key)
		return follow_value(s, in);
	if (in->at < in->end && *in->at == ':') {
		in->at++;
		s->mode = M_VALUE;
		in->at += in->at < in->end && *in->at == ' ';
	}
	return true;
}

static bool number_begins(struct scan *s, struct input *in);

/* Reads a number after a key in the same step. */
static bool number_follows(struct scan *s, struct input *in)
{
	if (s->mode != M_VALUE || in->at == in->end || *in->at < '0' || *in->at > '9')
		return true;
	return number_begins(s, in);
}

/* Strings often follow one another. True: the next one has begun as well. */
static bool string_again(struct scan *s, struct input *in)
{
	if (in->at == in->end || *in->at != '"' || (s->mode != M_VALUE && s->mode != M_KEY))
		return false;
	in->at++;
	s->in_key = s->mode == M_KEY;
	s->mode = M_STRING;
	return true;
}

/* Reads a string from its current position to its end, an escape, or the end of the input. */
static bool read_string(struct scan *s, struct input *in)
{
	const char *run = in->at;

	for (;;) {
		in->at = skip_plain(in->at, in->end);
		if (in->at == in->end)
			return emit_text(s, false, run, (size_t)(in->at - run));
		if (*in->at == '"') {
			size_t n = (size_t)(in->at++ - run);

			if (!string_over(s, run, n) || !read_separator(s, in) ||
				!number_follows(s, in))
				return false;
			if (!string_again(s, in))
				return true;
			run = in->at;
			continue;
		}
		if (*in->at == '\\')
			return emit_text(s, false, run, (size_t)(in->at - run)) &&
			       read_escape(s, in);
		if ((unsigned char)*in->at < 0x20)
			return scan_fail(s, "a string without control characters");
		if (!read_character(s, in))
			return false;
		if (s->mode == M_UTF8)
			return emit_text(s, false, run, (size_t)(in->end - run - s->held));
	}
}

/*
 * Completes an escape or a character that the edge of the input cut, byte by byte. The longest,
 * two \u escapes, has twelve bytes.
 */
static bool resume_cut(struct scan *s, struct input *in)
{
	struct input one = {s->hold, s->hold};
	bool is_escape = s->mode == M_ESCAPE;

	s->hold[s->held++] = *in->at;
	one.end = s->hold + s->held;
	if (is_escape) {
		char kept[12];

		memcpy(kept, s->hold, s->held);
		one = (struct input){kept, kept + s->held};
		s->held = 0;
		if (!read_escape(s, &one))
			return false;
		in->at++;
		return true;
	}
	if (scan_utf8(s->hold, s->held) < 0)
		return scan_fail(s, "UTF-8");
	in->at++;
	if (!scan_utf8(s->hold, s->held))
		return true;
	s->mode = M_STRING;
	one.at = s->hold;
	s->held = 0;
	return emit_text(s, false, one.at, (size_t)(one.end - one.at));
}

static bool begin_string(struct scan *s, struct input *in, bool is_key)
{
	in->at++;
	s->in_key = is_key;
	s->mode = M_STRING;
	return read_string(s, in);
}

/* ---- numbers and words ---- */

static bool number_over(struct scan *s, const char *text, size_t len)
{
	struct scan_event e;

	s->mode = M_NEXT;
	s->held = 0;
	if (!scan_number(text, len, s->flags & SCAN_BIG, &e, &s->wrong))
		return scan_fail(s, s->wrong);
	return emit_event(s, &e);
}

/*
 * Fast path for nearly every number: a complete integer of at most 15 digits. False: the number
 * has another form, and nothing of it was read.
 */
static bool plain_integer(const struct input *in, struct scan_event *e)
{
	const char *first = in->at + (*in->at == '-'), *at = first;
	uint64_t v = 0;

	if (in->end - first > 16)
		at += digits_16(first, &v);
	else
		while (at < in->end && *at >= '0' && *at <= '9' && at - first < 16)
			v = v * 10 + (unsigned)(*at++ - '0');
	if (at == in->end || at == first || at - first > 15 || (*first == '0' && at > first + 1) ||
		scan_is_number(*at))
		return false;
	e->kind = SCAN_INTEGER;
	e->text = in->at;
	e->len = (size_t)(at - in->at);
	e->i = first == in->at ? (int64_t)v : -(int64_t)v;
	return true;
}

static bool read_number(struct scan *s, struct input *in)
{
	const char *start = in->at, *at = start;

	while (at < in->end && scan_is_number(*at))
		at++;
	if ((size_t)(at - start) + s->held > SCAN_NUMBER)
		return scan_fail(s, "a number of at most 128 characters");
	if (at == in->end) {
		hold_rest(s, in, M_NUMBER);
		return true;
	}
	if (!s->held) {
		in->at = at;
		return number_over(s, start, (size_t)(at - start));
	}
	memcpy(s->hold + s->held, start, (size_t)(at - start));
	in->at = at;
	return number_over(s, s->hold, s->held + (size_t)(at - start));
}

static bool number_begins(struct scan *s, struct input *in)
{
	struct scan_event e;

	if (!plain_integer(in, &e))
		return read_number(s, in);
	in->at += e.len;
	s->mode = M_NEXT;
	return emit_event(s, &e) && follow_value(s, in);
}

static bool read_word(struct scan *s, struct input *in)
{
	static const struct {
		const char *text;
		size_t len;
		enum scan_event_kind kind;
	} words[] = {{"true", 4, SCAN_TRUE}, {"false", 5, SCAN_FALSE}, {"null", 4, SCAN_NULL}};
	size_t w = s->held ? (size_t)s->hold[0] : *in->at == 't' ? 0 : *in->at == 'f' ? 1 : 2;
	size_t i = s->held ? (size_t)s->hold[1] : 0;
	struct scan_event e = {.kind = words[w].kind};

	for (; in->at < in->end && i < words[w].len; i++)
		if (*in->at++ != words[w].text[i]) {
			in->at--;
			return scan_fail(s, "true, false or null");
		}
	if (i < words[w].len) {
		s->hold[0] = (char)w;
		s->hold[1] = (char)i;
		s->held = 2;
		s->mode = M_WORD;
		return true;
	}
	s->held = 0;
	s->mode = M_NEXT;
	return emit_event(s, &e);
}

/* ---- the grammar: allowed tokens by mode ---- */

static bool read_value(struct scan *s, struct input *in)
{
	switch (*in->at) {
	case '"':
		return begin_string(s, in, false);
	case '{':
	case '[':
		return open_level(s, *in->at++ == '{');
	case 't':
	case 'f':
	case 'n':
		return read_word(s, in);
	case ']':
		if (s->mode == M_VALUE_OR_END) {
			in->at++;
			return close_level(s);
		}
		return scan_fail(s, "a value");
	default:
		if (*in->at == '-' || (*in->at >= '0' && *in->at <= '9'))
			return number_begins(s, in);
		return scan_fail(s, "a value");
	}
}

static bool read_document(struct scan *s, struct input *in)
{
	if (*in->at != '{' && *in->at != '[')
		return scan_fail(s, "an object or an array");
	return open_level(s, *in->at++ == '{');
}

static bool read_key(struct scan *s, struct input *in)
{
	if (*in->at == '"')
		return begin_string(s, in, true);
	if (*in->at == '}' && s->mode == M_KEY_OR_END) {
		in->at++;
		return close_level(s);
	}
	return scan_fail(s, s->mode == M_KEY ? "a key" : "a key or '}'");
}

static bool read_colon(struct scan *s, struct input *in)
{
	if (*in->at != ':')
		return scan_fail(s, "':'");
	in->at++;
	s->mode = M_VALUE;
	return true;
}

static bool read_next(struct scan *s, struct input *in)
{
	bool is_object = is_in_object(s);

	if (*in->at == ',') {
		in->at++;
		s->mode = is_object ? M_KEY : M_VALUE;
		return true;
	}
	if (*in->at != (is_object ? '}' : ']'))
		return scan_fail(s, is_object ? "',' or '}'" : "',' or ']'");
	in->at++;
	return close_level(s) && follow_value(s, in);
}

static bool read_step(struct scan *s, struct input *in)
{
	switch ((enum mode)s->mode) {
	case M_STRING:
		return read_string(s, in);
	case M_ESCAPE:
	case M_UTF8:
		return resume_cut(s, in);
	case M_NUMBER:
		return read_number(s, in);
	case M_WORD:
		return read_word(s, in);
	default:
		break;
	}
	if (is_blank(*in->at))
		in->at = skip_blanks(in->at, in->end);
	if (in->at == in->end)
		return true;
	switch ((enum mode)s->mode) {
	case M_DOCUMENT:
		return read_document(s, in);
	case M_VALUE:
	case M_VALUE_OR_END:
		return read_value(s, in);
	case M_KEY:
	case M_KEY_OR_END:
		return read_key(s, in);
	case M_COLON:
		return read_colon(s, in);
	case M_NEXT:
		return read_next(s, in);
	default:
		return scan_fail(s, "the end of the document");
	}
}

enum scan_state scan_feed(struct scan *s, const char *bytes, size_t len, size_t *used)
{
	struct input in = {bytes, bytes + len};

	while (in.at < in.end && s->state == SCAN_MORE && s->mode != M_OVER)
		(void)read_step(s, &in);
	if (s->mode == M_OVER && s->state == SCAN_MORE)
		s->state = SCAN_DONE;
	if (s->state == SCAN_DONE && s->flags & SCAN_ALONE) {
		in.at = skip_blanks(in.at, in.end);
		if (in.at < in.end)
			(void)scan_fail(s, "the end of the document");
	}
	s->offset += (uint64_t)(in.at - bytes);
	if (used)
		*used = (size_t)(in.at - bytes);
	return s->state;
}

enum scan_state scan_end(struct scan *s)
{
	if (s->state == SCAN_MORE)
		(void)scan_fail(s, "more");
	return s->state;
}
