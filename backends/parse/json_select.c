/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/json_select.h"

#include <stdlib.h>
#include <string.h>

#include "backends/parse/first_line.h"
#include "base/mem.h"

#define HEAD_WORDS JSON_VALUE_HEAD_WORDS
#define WORDS_MAX  ((size_t)1 << 24) /* 128 MB; a real answer, 16 MB at most, needs half of it */

/* ---- setup ---- */

static void split_path(struct json_select *d, size_t w)
{
	const char *at = d->wants[w].path;
	uint8_t n = 0;

	while (*at && n < JSON_SELECT_LEVELS) {
		size_t len = strcspn(at, ".");

		d->parts[w][n++] = (struct doc_part){at, len};
		at += len + (at[len] == '.');
	}
	d->part_count[w] = n;
}

void json_select_begin(struct json_select *d, const struct json_want *wants, size_t n,
	bool (*piece)(void *ctx, size_t want, const char *name, const struct json_value *v),
	void *ctx, uint64_t *room, size_t words)
{
	d->piece = piece;
	d->ctx = ctx;
	d->wants = wants;
	d->want_count = n < JSON_SELECT_WANTS ? n : JSON_SELECT_WANTS;
	d->at = room;
	d->size = room ? words : 0;
	d->is_own = d->is_full = d->is_list = false;
	d->source = NULL;
	d->source_n = 0;
	d->places = NULL;
	d->opened = 0;
	d->n = d->base = 0;
	memset(d->kept, 0, sizeof(d->kept));
	for (size_t w = 0; w < d->want_count; w++)
		split_path(d, w);
	json_select_again(d, (1u << d->want_count) - 1);
}

static bool on_event(void *ctx, const struct scan_event *e);

void json_select_again(struct json_select *d, unsigned mask)
{
	scan_begin(&d->scan, SCAN_ANY_UTF8 | SCAN_BIG, on_event, d);
	d->n = d->base;
	d->depth = d->levels = 0;
	d->next = (uint16_t)mask;
	d->arrays = 0;
	d->want = d->want_count;
	d->began = d->in_text = d->has_head = false;
	d->line_start = true;
	d->name_n = 0;
	d->name[0] = '\0';
}

void json_select_free(struct json_select *d)
{
	if (d->is_own)
		free(d->at);
	free(d->places);
	d->places = NULL;
	d->at = NULL;
	d->n = d->size = d->base = 0;
	d->is_own = false;
}

void json_select_trace(struct json_select *d, const char *bytes, size_t len)
{
	if (len >= UINT32_MAX)
		return;
	d->source = bytes;
	d->source_n = len;
	free(d->places);
	d->places = mem_calloc(d->size + 1, sizeof(*d->places));
}

/* Notes the source offset of a value at word `at`. text: its source text; NULL: none. */
static void note_place(struct json_select *d, size_t at, const char *text)
{
	bool is_there = text && text >= d->source && text < d->source + d->source_n;

	d->places[at] = is_there ? (uint32_t)(text - d->source) + 1 : 0;
}

const char *json_select_source(const struct json_select *d, const struct json_value *v)
{
	const char *text = json_value_text(v);
	uint32_t place;

	if (!d->places || !v)
		return NULL;
	if (!text && !json_value_is(v, DV_INTEGER) && !json_value_is(v, DV_UNSIGNED) &&
		!json_value_is(v, DV_REAL))
		return NULL;
	place = d->places[(const uint64_t *)(text ? (const void *)text : (const void *)v) - d->at];
	return place ? d->source + place - 1 : NULL;
}

const struct json_value *json_select_kept(const struct json_select *d, size_t want)
{
	uint32_t at = d->kept[want];

	return at ? (const struct json_value *)(const void *)(d->at + at - 1) : NULL;
}

bool json_select_opened(const struct json_select *d, size_t want)
{
	return d->opened >> want & 1;
}

/* ---- memory: a run of 8-byte words ---- */

static bool grow_room(struct json_select *d, size_t words)
{
	size_t size = d->size ? d->size : 512;
	uint64_t *at;

	if (d->n + words > WORDS_MAX) {
		d->is_full = true;
		return false;
	}
	while (size < d->n + words)
		size *= 2;
	at = mem_realloc(d->is_own ? d->at : NULL, size, sizeof(*at));
	if (!d->is_own && d->n)
		memcpy(at, d->at, d->n * sizeof(*at));
	if (d->places) {
		d->places = mem_realloc(d->places, size + 1, sizeof(*d->places));
		memset(d->places + d->size + 1, 0, (size - d->size) * sizeof(*d->places));
	}
	d->at = at;
	d->size = size;
	d->is_own = true;
	return true;
}

/* Makes room for more words. */
static inline bool reserve_words(struct json_select *d, size_t words)
{
	return d->n + words <= d->size || grow_room(d, words);
}

static inline struct json_value *value_at(struct json_select *d, size_t at)
{
	return (struct json_value *)(void *)(d->at + at);
}

static bool begin_value(struct json_select *d)
{
	if (!reserve_words(d, HEAD_WORDS))
		return false;
	d->head = d->n;
	d->n += HEAD_WORDS;
	*value_at(d, d->head) = (struct json_value){0};
	d->has_head = true;
	return true;
}

/* Appends to a name or a string. The text is always padded with NULs to a whole word. */
static bool add_text(struct json_select *d, const char *text, size_t len)
{
	size_t had, words;

	if (!d->in_text) {
		d->in_text = true;
		d->text_at = d->n;
		d->text_n = 0;
		if (d->places && reserve_words(d, 1))
			note_place(d, d->n, NULL);
	}
	had = d->n - d->text_at;
	words = json_value_text_words(d->text_n + len);
	if (words > had) {
		if (!reserve_words(d, words - had))
			return false;
		memset(d->at + d->text_at + words - 1, 0, sizeof(*d->at));
		d->n = d->text_at + words;
	}
	if (len)
		memcpy((char *)(d->at + d->text_at) + d->text_n, text, len);
	d->text_n += len;
	return true;
}

/*
 * Fast path: nearly every name and string arrives in one part. Copies all its words at once, and
 * adds the head of the value if needed.
 */
static bool add_whole(struct json_select *d, const struct scan_event *e)
{
	size_t words = json_value_text_words(e->len);

	if (!reserve_words(d, HEAD_WORDS + words))
		return false;
	if (!d->has_head) {
		d->head = d->n;
		d->n += HEAD_WORDS;
		*value_at(d, d->head) = (struct json_value){0};
		d->has_head = true;
	}
	d->at[d->n + words - 1] = 0;
	memcpy(d->at + d->n, e->text, e->len);
	if (d->places)
		note_place(d, d->n, e->text);
	d->n += words;
	return true;
}

static bool end_text(struct json_select *d, const struct scan_event *e, uint32_t *n)
{
	if (!add_text(d, e->text, e->len))
		return false;
	*n = (uint32_t)d->text_n;
	d->in_text = false;
	return true;
}

/* ---- inside a selected value ---- */

static bool deliver_value(struct json_select *d)
{
	size_t want = d->want;

	d->want = d->want_count;
	if (!d->wants[want].keep) {
		bool more = d->piece(d->ctx, want, d->name, value_at(d, d->base));

		d->n = d->base;
		return more;
	}
	d->kept[want] = (uint32_t)d->base + 1;
	d->base = d->n;
	return d->piece(d->ctx, want, d->name, json_select_kept(d, want));
}

/* Completes the value at head. */
static bool end_value(struct json_select *d, size_t head)
{
	value_at(d, head)->words = (uint32_t)(d->n - head);
	d->has_head = false;
	if (!d->levels)
		return deliver_value(d);
	value_at(d, d->open[d->levels - 1])->n++;
	return true;
}

static bool piece_key(struct json_select *d, const struct scan_event *e)
{
	uint32_t n = (uint32_t)e->len;

	if (e->kind == SCAN_KEY && !d->in_text) {
		if (!add_whole(d, e))
			return false;
	} else {
		if (!d->has_head && !begin_value(d))
			return false;
		if (e->kind == SCAN_KEY_PART)
			return add_text(d, e->text, e->len);
		if (!end_text(d, e, &n))
			return false;
	}
	value_at(d, d->head)->name_n = n;
	value_at(d, d->head)->has_name = true;
	return true;
}

static bool piece_whole(struct json_select *d, const struct scan_event *e)
{
	if (!add_whole(d, e))
		return false;
	value_at(d, d->head)->kind = DV_STRING;
	value_at(d, d->head)->n = (uint32_t)e->len;
	return end_value(d, d->head);
}

static bool piece_text(struct json_select *d, const struct scan_event *e)
{
	uint32_t n;

	if (!d->has_head && !begin_value(d))
		return false;
	if (e->kind == SCAN_STRING_PART)
		return add_text(d, e->text, e->len);
	if (!end_text(d, e, &n))
		return false;
	value_at(d, d->head)->kind = DV_STRING;
	value_at(d, d->head)->n = n;
	return end_value(d, d->head);
}

static bool piece_open(struct json_select *d, enum json_value_kind kind)
{
	value_at(d, d->head)->kind = (uint8_t)kind;
	d->open[d->levels++] = (uint32_t)d->head;
	d->has_head = false;
	return true;
}

static bool piece_scalar(struct json_select *d, const struct scan_event *e)
{
	static const uint8_t kinds[] = {[SCAN_INTEGER] = DV_INTEGER,
		[SCAN_UNSIGNED] = DV_UNSIGNED,
		[SCAN_REAL] = DV_REAL,
		[SCAN_TRUE] = DV_TRUE,
		[SCAN_FALSE] = DV_FALSE,
		[SCAN_NULL] = DV_NULL};
	struct json_value *v = value_at(d, d->head);

	v->kind = kinds[e->kind];
	if (d->places)
		note_place(d, d->head, e->text);
	if (e->kind == SCAN_REAL)
		v->real = e->real;
	else if (e->kind == SCAN_INTEGER || e->kind == SCAN_UNSIGNED)
		v->u = e->u;
	return end_value(d, d->head);
}

/* Completes an object or array; a large object gets an index of its names. */
static bool piece_close(struct json_select *d, size_t head)
{
	struct json_value *v = value_at(d, head);
	size_t index = v->kind == DV_OBJECT ? json_value_index_words(v->n) : 0;

	v->end = (uint32_t)(d->n - head);
	v->slots = 0;
	if (index) {
		if (!reserve_words(d, index))
			return false;
		d->n += index;
		json_value_index(
			value_at(d, head), (uint64_t)(uintptr_t)d * UINT64_C(0x9e3779b97f4a7c15));
	}
	return end_value(d, head);
}

static bool piece_event(struct json_select *d, const struct scan_event *e)
{
	switch (e->kind) {
	case SCAN_OBJECT_END:
	case SCAN_ARRAY_END:
		return piece_close(d, d->open[--d->levels]);
	case SCAN_KEY:
	case SCAN_KEY_PART:
		return piece_key(d, e);
	case SCAN_STRING:
		return d->in_text ? piece_text(d, e) : piece_whole(d, e);
	case SCAN_STRING_PART:
		return piece_text(d, e);
	case SCAN_OBJECT:
	case SCAN_ARRAY:
		return (d->has_head || begin_value(d)) &&
		       piece_open(d, e->kind == SCAN_OBJECT ? DV_OBJECT : DV_ARRAY);
	default:
		return (d->has_head || begin_value(d)) && piece_scalar(d, e);
	}
}

/* ---- outside selected values ---- */

static bool is_element(const struct doc_part *part)
{
	return part->n == 2 && memcmp(part->at, "[]", 2) == 0;
}

static bool part_matches(const struct doc_part *part, const char *name, size_t n)
{
	return (part->n == 1 && *part->at == '*') ||
	       (part->n == n && memcmp(part->at, name, n) == 0);
}

/* Determines the wants whose path leads to this member of the innermost object. */
static void step_to(struct json_select *d, const char *name, size_t n)
{
	unsigned level = d->depth - 1;
	uint16_t alive = level < JSON_SELECT_LEVELS ? d->alive[level] : 0;

	d->next = 0;
	for (size_t w = 0; alive >> w; w++)
		if (alive >> w & 1 && part_matches(&d->parts[w][level], name, n))
			d->next |= (uint16_t)(1u << w);
}

static void way_key(struct json_select *d, const struct scan_event *e)
{
	size_t n = e->len;

	if (!d->in_text)
		d->name_n = 0;
	if (n > JSON_SELECT_NAME_MAX - d->name_n)
		n = JSON_SELECT_NAME_MAX - d->name_n;
	memcpy(d->name + d->name_n, e->text, n);
	d->name_n += n;
	d->name[d->name_n] = '\0';
	d->in_text = e->kind == SCAN_KEY_PART;
	if (!d->in_text)
		step_to(d, d->name, d->name_n);
}

/* Descends one level and determines the wants that are still possible. */
static void way_open(struct json_select *d, bool is_object)
{
	unsigned level = d->depth++;

	if (level >= JSON_SELECT_LEVELS)
		return;
	d->alive[level] = 0;
	d->arrays = (uint8_t)((d->arrays & ~(1u << level)) | (is_object ? 0u : 1u << level));
	for (size_t w = 0; d->next >> w; w++)
		if (d->next >> w & 1 && is_element(&d->parts[w][level]) != is_object) {
			d->alive[level] |= (uint16_t)(1u << w);
			if (d->part_count[w] == d->depth)
				d->opened |= (uint16_t)(1u << w);
		}
	d->next = 0;
}

static void way_close(struct json_select *d)
{
	d->depth--;
	d->next = 0;
}

/* An array element has no name. */
static void way_element(struct json_select *d)
{
	unsigned level = d->depth - 1;

	d->next = level < JSON_SELECT_LEVELS ? d->alive[level] : 0;
	d->name_n = 0;
	d->name[0] = '\0';
}

static bool in_array(const struct json_select *d)
{
	return d->depth && d->depth <= JSON_SELECT_LEVELS && d->arrays >> (d->depth - 1) & 1;
}

/* Returns the want whose path ends at the next value; want_count: none. */
static size_t find_want(const struct json_select *d)
{
	for (size_t w = 0; d->next >> w; w++)
		if (d->next >> w & 1 && d->part_count[w] == d->depth)
			return w;
	return d->want_count;
}

static bool way_event(struct json_select *d, const struct scan_event *e)
{
	switch (e->kind) {
	case SCAN_KEY:
	case SCAN_KEY_PART:
		way_key(d, e);
		return true;
	case SCAN_OBJECT_END:
	case SCAN_ARRAY_END:
		way_close(d);
		return true;
	default:
		break;
	}
	if (in_array(d))
		way_element(d);
	d->want = find_want(d);
	if (d->want < d->want_count)
		return piece_event(d, e);
	if (e->kind == SCAN_OBJECT || e->kind == SCAN_ARRAY)
		way_open(d, e->kind == SCAN_OBJECT);
	return true;
}

static bool on_event(void *ctx, const struct scan_event *e)
{
	struct json_select *d = ctx;

	return d->want < d->want_count ? piece_event(d, e) : way_event(d, e);
}

/* ---- the document ---- */

/* True for "[" of an array of objects, but not for "[WARNING] ...". */
static bool is_list(const char *bytes, size_t len)
{
	size_t i = 1;

	while (i < len && (unsigned char)bytes[i] <= ' ')
		i++;
	return i < len && bytes[i] == '{';
}

size_t json_select_start(const char *bytes, size_t len, bool *line_start, bool lists)
{
	for (size_t i = 0; i < len; i++) {
		if ((bytes[i] == '{' && *line_start) ||
			(lists && bytes[i] == '[' && is_list(bytes + i, len - i)))
			return i;
		if (bytes[i] == '\n')
			*line_start = true;
		else if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r')
			*line_start = false;
	}
	return len;
}

bool json_select_feed(struct json_select *d, const char *bytes, size_t len)
{
	size_t at =
		d->began || d->is_list ? 0 : json_select_start(bytes, len, &d->line_start, false);

	d->began = d->began || at < len;
	return scan_feed(&d->scan, bytes + at, len - at, NULL) == SCAN_MORE;
}

bool json_select_end(struct json_select *d, uint64_t total, const char *origin, struct err *err)
{
	if (!d->began)
		return err_set(err, ERR_PROTOCOL, origin, "expected JSON, got none in %llu bytes",
			(unsigned long long)total);
	switch (scan_end(&d->scan)) {
	case SCAN_DONE:
		return true;
	case SCAN_STOPPED:
		return d->is_full && err_set(err, ERR_LIMIT, origin,
					     "a part of the JSON answer is larger than %zu MB",
					     WORDS_MAX * sizeof(uint64_t) >> 20);
	default:
		return err_set(err, ERR_PROTOCOL, origin,
			"the JSON answer of %llu bytes breaks off or is wrong at byte %llu: "
			"expected %s",
			(unsigned long long)total, (unsigned long long)d->scan.offset,
			d->scan.wrong);
	}
}

bool json_select_read(
	struct json_select *d, const char *bytes, size_t len, const char *origin, struct err *err)
{
	char line[128];

	(void)json_select_feed(d, bytes, len);
	if (!d->began)
		return err_set(err, ERR_PROTOCOL, origin, "expected JSON, got: %s",
			parse_first_line(bytes, len, line, sizeof(line)));
	return json_select_end(d, len, origin, err);
}
