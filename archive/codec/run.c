/* SPDX-License-Identifier: Apache-2.0 */
/* What a coder remembers, for how long. */
#include <string.h>

#include "archive/codec/batch_codec_internal.h"

/*
 * Who reads begins a run with nothing. Who writes goes on with the shapes of the streams: a batch
 * that names only what moved needs the whole one before it, which may be minutes away. They are
 * told anew, each when it is needed first. A shape that no stream has is let go of with its run, a
 * stream after so many runs without a word.
 */
#define QUIET_RUNS 32

struct coder *coder_new(void)
{
	struct coder *c = mem_calloc(1, sizeof(*c));

	coder_reset(c);
	return c;
}

static void begin(struct coder *c)
{
	HASH_CLEAR(hh, c->string_pool_by_text);
	for (size_t i = 0; i < c->texts.n; i++)
		free(c->texts.at[i]);
	c->text = NULL;
	c->texts.n = c->string_pool_told = c->streams_told = c->shapes_told = 0;
	c->bytes = 0;
	c->t_us = 0;
	c->named = false;
}

static void free_stream(struct stream *st)
{
	free(st->packed);
	free(st);
}

void coder_reset(struct coder *c)
{
	begin(c);
	HASH_CLEAR(hh, c->streams_by_key);
	HASH_CLEAR(hh, c->shapes_by_hash);
	for (size_t i = 0; i < c->streams.n; i++)
		free_stream(c->streams.at[i]);
	for (size_t i = 0; i < c->shapes.n; i++)
		shape_free(c->shapes.at[i]);
	c->streams.n = c->shapes.n = 0;
}

void coder_free(struct coder *c)
{
	if (!c)
		return;
	coder_reset(c);
	vec_free(&c->texts);
	vec_free(&c->streams);
	vec_free(&c->shapes);
	vec_free(&c->now);
	vec_free(&c->before);
	vec_free(&c->pack);
	vec_free(&c->places);
	vec_free(&c->changed);
	vec_free(&c->records);
	free(c);
}

size_t coder_bytes(const struct coder *c)
{
	return c->bytes;
}

/* False: it is not wanted any more. */
static bool stays(struct stream *st)
{
	st->quiet = st->number == NOT_TOLD ? (uint8_t)(st->quiet + 1) : 0;
	return st->shape && st->quiet < QUIET_RUNS;
}

static void keep_streams(struct coder *c)
{
	size_t n = 0;

	HASH_CLEAR(hh, c->streams_by_key);
	for (size_t i = 0; i < c->streams.n; i++) {
		struct stream *st = c->streams.at[i];

		if (!stays(st)) {
			free_stream(st);
			continue;
		}
		HASH_ADD_KEYPTR(hh, c->streams_by_key, st->key, st->key_len, st);
		free(st->packed);
		st->packed = NULL;
		st->size = st->used = 0;
		st->number = NOT_TOLD;
		st->said = false;
		st->batch = 0;
		c->shapes.at[st->shape->at]->used = true;
		c->bytes += stream_bytes(st);
		c->streams.at[n++] = st;
	}
	c->streams.n = n;
}

static void keep_shapes(struct coder *c)
{
	size_t n = 0;

	HASH_CLEAR(hh, c->shapes_by_hash);
	for (size_t i = 0; i < c->shapes.n; i++) {
		struct shape *h = c->shapes.at[i];

		if (!h->used) {
			shape_free(h);
			continue;
		}
		if (h->hashed)
			HASH_ADD(hh, c->shapes_by_hash, hash, sizeof(h->hash), h);
		h->used = false;
		h->number = NOT_TOLD;
		h->at = n;
		c->bytes += shape_bytes(h);
		c->shapes.at[n++] = h;
	}
	c->shapes.n = n;
}

void coder_run(struct coder *c)
{
	begin(c);
	keep_streams(c);
	keep_shapes(c);
}
