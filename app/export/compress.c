/* SPDX-License-Identifier: Apache-2.0 */
#include "app/export/compress.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/str.h"

/* ---- Accept-Encoding ---- */

/* Weights are in thousandths: RFC 9110 has three digits at most. */
#define WEIGHT_FULL   1000
#define WEIGHT_ABSENT (-1)

static const struct {
	const char *name, *other; /* other: the name that old clients use */
	enum content_coding coding;
} codings[] = {
	{"identity", "identity", CODING_IDENTITY},
	{"gzip", "x-gzip", CODING_GZIP},
	{"zstd", "zstd", CODING_ZSTD},
};
#define CODINGS (sizeof(codings) / sizeof(codings[0]))

/* "0.5" is 500. A weight that is none counts as 0: what the client means is not known. */
static int read_weight(const char *at, const char *end)
{
	int weight, digit = 100;

	if (at == end || (*at != '0' && *at != '1'))
		return 0;
	weight = (*at++ - '0') * WEIGHT_FULL;
	if (at < end && *at == '.')
		for (at++; at < end && *at >= '0' && *at <= '9'; at++, digit /= 10)
			weight += (*at - '0') * digit;
	return at == end && weight <= WEIGHT_FULL ? weight : 0;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* One element, "gzip;q=0.5": its weight, and the end of its name in *name_end. */
static int read_element(const char *at, const char *end, const char **name_end)
{
	const char *q = memchr(at, ';', (size_t)(end - at));

	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*name_end = q ? q : end;
	while (*name_end > at && ((*name_end)[-1] == ' ' || (*name_end)[-1] == '\t'))
		(*name_end)--;
	if (!q)
		return WEIGHT_FULL;
	q = skip_blanks(q + 1, end);
	if (end - q < 2 || (*q != 'q' && *q != 'Q') || q[1] != '=')
		return 0;
	return read_weight(q + 2, end);
}

static bool is_name(const char *at, size_t n, const char *name)
{
	return strlen(name) == n && strncasecmp(at, name, n) == 0;
}

static void read_weights(const char *header, int weights[CODINGS], int *rest)
{
	while (*header) {
		size_t n = strcspn(header, ",");
		const char *at = skip_blanks(header, header + n), *name_end;
		int weight = read_element(at, header + n, &name_end);
		size_t name = (size_t)(name_end - at);

		for (size_t i = 0; i < CODINGS; i++)
			if (is_name(at, name, codings[i].name) ||
				is_name(at, name, codings[i].other))
				weights[i] = weight;
		if (is_name(at, name, "*"))
			*rest = weight;
		header += n + (header[n] == ',');
	}
}

enum content_coding coding_choose(const char *accept_encoding)
{
	int weights[CODINGS] = {WEIGHT_ABSENT, WEIGHT_ABSENT, WEIGHT_ABSENT}, rest = WEIGHT_ABSENT;
	size_t best = 0;

	if (!accept_encoding)
		return CODING_IDENTITY;
	read_weights(accept_encoding, weights, &rest);
	for (size_t i = 0; i < CODINGS; i++) {
		if (weights[i] == WEIGHT_ABSENT && rest != WEIGHT_ABSENT)
			weights[i] = rest;
		/* identity that is not mentioned is allowed, and wanted least. */
		if (weights[i] > 0 && weights[i] >= weights[best])
			best = i;
	}
	return codings[best].coding;
}

const char *coding_name(enum content_coding coding)
{
	return coding == CODING_IDENTITY ? NULL : codings[coding].name;
}

/* ---- pieces ---- */

struct compressor {
	enum content_coding coding;
	compress_source *source;
	void *ctx;
	z_stream gzip;
	ZSTD_CStream *zstd;
	char *in, *out;
	size_t size;     /* of out: it holds a piece that cannot be compressed */
	size_t from, to; /* of out: not read yet */
	bool over;       /* the source ended, and so did the stream */
};

/*
 * The fastest level of each: metrics repeat themselves so much that level 6 of gzip costs four
 * times as much for a quarter less. The window of 128 kB is what is left of a context of half a
 * megabyte.
 */
#define GZIP_LEVEL  1
#define GZIP_WINDOW (15 + 16) /* 32 kB, with the header of gzip */
#define GZIP_MEMORY 8
#define ZSTD_LEVEL  1
#define ZSTD_WINDOW 17

static bool begin_stream(struct compressor *z)
{
	if (z->coding == CODING_GZIP) {
		z->size = compressBound(COMPRESS_PIECE) + 64;
		return deflateInit2(&z->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			       Z_DEFAULT_STRATEGY) == Z_OK;
	}
	z->size = ZSTD_compressBound(COMPRESS_PIECE) + 64;
	z->zstd = ZSTD_createCStream();
	return z->zstd &&
	       !ZSTD_isError(
		       ZSTD_CCtx_setParameter(z->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(z->zstd, ZSTD_c_windowLog, ZSTD_WINDOW));
}

struct compressor *compressor_new(enum content_coding coding, compress_source *source, void *ctx)
{
	struct compressor *z = mem_calloc(1, sizeof(*z));

	z->coding = coding;
	z->source = source;
	z->ctx = ctx;
	if (!begin_stream(z)) {
		compressor_free(z);
		return NULL;
	}
	z->in = mem_alloc(COMPRESS_PIECE);
	z->out = mem_alloc(z->size);
	return z;
}

/* Each piece is flushed, so that no call has to take another one before there is a byte to send. */
static bool press_gzip(struct compressor *z, size_t n)
{
	int rc;

	z->gzip.next_in = (Bytef *)z->in;
	z->gzip.avail_in = (uInt)n;
	z->gzip.next_out = (Bytef *)z->out;
	z->gzip.avail_out = (uInt)z->size;
	rc = deflate(&z->gzip, n ? Z_SYNC_FLUSH : Z_FINISH);
	z->to = z->size - z->gzip.avail_out;
	return rc == (n ? Z_OK : Z_STREAM_END) && !z->gzip.avail_in && z->gzip.avail_out;
}

static bool press_zstd(struct compressor *z, size_t n)
{
	ZSTD_inBuffer in = {z->in, n, 0};
	ZSTD_outBuffer out = {z->out, z->size, 0};
	size_t left = ZSTD_compressStream2(z->zstd, &out, &in, n ? ZSTD_e_flush : ZSTD_e_end);

	z->to = out.pos;
	return left == 0 && in.pos == n;
}

static bool press_piece(struct compressor *z)
{
	size_t n = z->source(z->ctx, z->in, COMPRESS_PIECE);

	z->from = z->to = 0;
	z->over = n == 0;
	return z->coding == CODING_GZIP ? press_gzip(z, n) : press_zstd(z, n);
}

size_t compressor_read(struct compressor *z, char *dst, size_t size, bool *failed)
{
	size_t n;

	*failed = false;
	if (z->from == z->to && !z->over && !press_piece(z)) {
		z->over = *failed = true;
		z->from = z->to = 0;
		return 0;
	}
	n = z->to - z->from < size ? z->to - z->from : size;
	memcpy(dst, z->out + z->from, n);
	z->from += n;
	return n;
}

void compressor_free(struct compressor *z)
{
	if (!z)
		return;
	/* Of a stream that has not begun it does nothing. */
	(void)deflateEnd(&z->gzip);
	(void)ZSTD_freeCStream(z->zstd);
	free(z->in);
	free(z->out);
	free(z);
}
