/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed scrapes: which coding a client gets, and that the pieces are the text again. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "app/export/compress.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

CASE(the_coding_is_what_the_client_prefers)
{
	static const struct {
		const char *header;
		enum content_coding coding;
	} asked[] = {
		{NULL, CODING_IDENTITY},
		{"", CODING_IDENTITY},
		{"gzip", CODING_GZIP},         /* Prometheus, vmagent */
		{"identity", CODING_IDENTITY}, /* Prometheus with enable_compression: false */
		{"zstd,gzip", CODING_ZSTD},    /* Prometheus with zstd-scrape */
		{"deflate, gzip, br, zstd", CODING_ZSTD}, /* curl --compressed */
		{"deflate, gzip", CODING_GZIP},
		{"GZIP", CODING_GZIP},
		{"x-gzip", CODING_GZIP},
		{" \tgzip \t", CODING_GZIP},
		{"gzip;q=1.0, zstd;q=0.5", CODING_GZIP},
		{"gzip;q=0.001", CODING_GZIP},
		{"gzip;q=0", CODING_IDENTITY},
		{"gzip;q=0.000, zstd;q=0.0", CODING_IDENTITY},
		{"gzip;q=0.5, identity", CODING_IDENTITY},
		{"gzip;q=0.5, identity;q=0.4", CODING_GZIP},
		{"gzip ; q=0.5 , zstd ; Q=0.6", CODING_ZSTD},
		{"*", CODING_ZSTD},
		{"*;q=0", CODING_IDENTITY},
		{"gzip, *;q=0", CODING_GZIP},
		{"zstd;q=0, *", CODING_GZIP},
		/* What is no weight is no wish. */
		{"gzip;q=2", CODING_IDENTITY},
		{"gzip;q=1.5", CODING_IDENTITY},
		{"gzip;q=", CODING_IDENTITY},
		{"gzip;q=x", CODING_IDENTITY},
		{"gzip;q=0.5x", CODING_IDENTITY},
		{"gzip;level=9", CODING_IDENTITY},
		{"gzip;", CODING_IDENTITY},
		{"gzi", CODING_IDENTITY},
		{"gzipp", CODING_IDENTITY},
		{"gzip zstd", CODING_IDENTITY},
		{",,;,=,;q=1,", CODING_IDENTITY},
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		if (coding_choose(asked[i].header) != asked[i].coding)
			fail_msg("\"%s\": %d, not %d", asked[i].header,
				coding_choose(asked[i].header), asked[i].coding);
	assert_null(coding_name(CODING_IDENTITY));
	assert_string_equal(coding_name(CODING_GZIP), "gzip");
	assert_string_equal(coding_name(CODING_ZSTD), "zstd");
}

/* ---- pieces ---- */

#define TEXT ((size_t)3 << 20)

struct text {
	char *bytes;
	size_t n, at;
};

/* Pieces of any size, as a reader of metrics gives them. */
static size_t next_piece(void *ctx, char *dst, size_t size)
{
	struct text *t = ctx;
	size_t n = 1 + (t->at * 7 + 13) % size;

	if (n > t->n - t->at)
		n = t->n - t->at;
	memcpy(dst, t->bytes + t->at, n);
	t->at += n;
	return n;
}

static struct text metrics_text(void)
{
	struct text t = {.bytes = mem_alloc(TEXT)};
	char line[128];

	for (unsigned i = 0;; i++) {
		size_t n = str_printf(line, sizeof(line),
				   "railtop_port_rx_bytes_total{device=\"leaf-r%u-00\",port="
				   "\"Ethernet%u\"} "
				   "%u\n",
				   i % 8, i % 512, i * 2654435761U)
				   ? strlen(line)
				   : 0;

		if (!n || t.n + n > TEXT)
			return t;
		memcpy(t.bytes + t.n, line, n);
		t.n += n;
	}
}

static size_t compressed(enum content_coding coding, struct text *t, size_t at_most, char *dst)
{
	struct compressor *z = compressor_new(coding, next_piece, t);
	size_t sum = 0, n;
	bool failed;

	assert_non_null(z);
	while ((n = compressor_read(z, dst + sum, at_most, &failed)))
		sum += n;
	assert_false(failed);
	/* The end stays the end. */
	assert_int_equal(compressor_read(z, dst + sum, at_most, &failed), 0);
	assert_false(failed);
	compressor_free(z);
	return sum;
}

static size_t unzip(char *from, size_t n, char *to)
{
	z_stream z = {.next_in = (Bytef *)from,
		.avail_in = (uInt)n,
		.next_out = (Bytef *)to,
		.avail_out = (uInt)(2 * TEXT)};

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(inflateEnd(&z), Z_OK);
	return z.total_out;
}

static size_t unzstd(const char *from, size_t n, char *to)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();
	ZSTD_inBuffer in = {from, n, 0};
	ZSTD_outBuffer out = {to, 2 * TEXT, 0};

	/* RFC 9659: a client may refuse windows of more than 8 MB. */
	assert_false(ZSTD_isError(ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, 23)));
	while (in.pos < n)
		assert_false(ZSTD_isError(ZSTD_decompressStream(d, &out, &in)));
	(void)ZSTD_freeDCtx(d);
	return out.pos;
}

CASE(the_pieces_are_the_text_again)
{
	static const size_t at_most[] = {1, 7, 1024, 131072};
	struct text t = metrics_text();
	char *small = mem_alloc(2 * TEXT), *back = mem_alloc(2 * TEXT);

	for (size_t i = 0; i < sizeof(at_most) / sizeof(at_most[0]); i++)
		for (int coding = CODING_GZIP; coding <= CODING_ZSTD; coding++) {
			size_t n;

			t.at = 0;
			n = compressed((enum content_coding)coding, &t, at_most[i], small);
			assert_true(n < t.n / 5);
			assert_int_equal(coding == CODING_GZIP ? unzip(small, n, back)
							       : unzstd(small, n, back),
				t.n);
			assert_memory_equal(back, t.bytes, t.n);
		}
	free(t.bytes);
	free(small);
	free(back);
}

/* Bytes that cannot be made smaller fit as well, and nothing at all is a whole stream. */
CASE(noise_and_nothing_are_compressed_too)
{
	struct text t = {.bytes = mem_alloc(TEXT), .n = TEXT};
	char *small = mem_alloc(2 * TEXT), *back = mem_alloc(2 * TEXT);
	uint64_t seed = 88172645463325252U;

	for (size_t i = 0; i < TEXT; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		t.bytes[i] = (char)(seed >> 24);
	}
	for (int coding = CODING_GZIP; coding <= CODING_ZSTD; coding++)
		for (int nothing = 0; nothing < 2; nothing++) {
			size_t n, out;

			t.at = 0;
			t.n = nothing ? 0 : TEXT;
			n = compressed((enum content_coding)coding, &t, 4096, small);
			assert_true(n > 0);
			out = coding == CODING_GZIP ? unzip(small, n, back)
						    : unzstd(small, n, back);
			assert_int_equal(out, t.n);
			assert_memory_equal(back, t.bytes, t.n);
		}
	free(t.bytes);
	free(small);
	free(back);
}

CASES_MAIN(NULL, NULL)
