/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "tui/widgets.h"

#define LEVELS    8
#define WIDTH_MAX 512

static const char *const blocks[LEVELS + 1] = {" ", "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
	"\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
static const char *const signs[LEVELS + 1] = {" ", "_", ".", "-", "=", "+", "*", "%", "#"};
/* Columns filled by eighths from the left, for bars. */
static const char *const eighths[LEVELS] = {"", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d",
	"\xe2\x96\x8c", "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89"};

static size_t append_text(char *dst, size_t size, size_t at, const char *text)
{
	size_t n = strlen(text);

	if (at + n >= size)
		return at;
	memcpy(dst + at, text, n + 1);
	return at + n;
}

/* 0: unknown; 1: zero, so that zero and unknown look different. */
static unsigned char sample_level(double v, double top)
{
	if (isnan(v))
		return 0;
	if (!(v > 0) || !(top > 0))
		return 1;
	if (v >= top)
		return LEVELS;
	/* Every value above zero is drawn higher than zero. */
	return (unsigned char)(2 + (int)(v / top * (LEVELS - 1)));
}

static double largest_sample(const float *at, size_t size, size_t next, size_t used)
{
	double top = 0;

	for (size_t back = 1; back <= used; back++) {
		double v = (double)at[(next + size - back) % size];

		if (v > top && !isinf(v))
			top = v;
	}
	return top;
}

void spark_fold(const float *at, size_t size, size_t *next, size_t *used, float *out, size_t bins)
{
	size_t share = size / bins, newest = (*next + size - 1) % size / share;

	for (size_t b = 0; b < bins; b++)
		out[b] = NAN;
	for (size_t back = 1; back <= *used; back++) {
		size_t slot = (*next + size - back) % size, b = slot / share;

		/* The newest bin still holds the oldest samples behind the newest ones. */
		if (b == newest && back > share)
			break;
		if (isnan(out[b]) || at[slot] > out[b])
			out[b] = at[slot];
	}
	/* Bins without a sample are gaps, so all bins count as used. */
	*next = *used ? (newest + 1) % bins : 0;
	*used = *used ? bins : 0;
}

void spark_text(const struct term *t, const float *at, size_t size, size_t next, size_t used,
	double top, int width, char *dst, size_t dst_size)
{
	const char *const *table = term_blocks(t) ? blocks : signs;
	unsigned char column[WIDTH_MAX] = {0};
	bool taken[WIDTH_MAX] = {false};
	size_t w = width < 0 ? 0 : (size_t)width, out = 0;

	if (!dst_size)
		return;
	dst[0] = '\0';
	w = w < WIDTH_MAX ? w : WIDTH_MAX;
	w = w < size ? w : size;
	if (!w)
		return;
	used = used < size ? used : size;
	next %= size;
	if (!(top > 0))
		top = largest_sample(at, size, next, used);
	taken[next % w] = true;
	/*
	 * Goes from the newest sample back. If the ring's length is no multiple of the width, two
	 * samples share a column at the ring's end; the newer one is shown.
	 */
	for (size_t back = 1; back <= used; back++) {
		size_t slot = (next + size - back) % size;

		if (taken[slot % w])
			continue;
		taken[slot % w] = true;
		column[slot % w] = sample_level((double)at[slot], top);
	}
	for (size_t i = 0; i < w; i++)
		out = append_text(dst, dst_size, out, table[column[i]]);
}

static void bar_ascii(double share, int width, char *dst, size_t size)
{
	int inside = width - 2, full = (int)(share * inside + 0.5);
	size_t out = append_text(dst, size, 0, "[");

	/* A bar is empty only at zero and full only at one. */
	if (share > 0 && full == 0)
		full = 1;
	if (share < 1 && full == inside && inside > 1)
		full = inside - 1;
	for (int i = 0; i < inside; i++)
		out = append_text(dst, size, out, i < full ? "#" : " ");
	(void)append_text(dst, size, out, "]");
}

void bar_text(const struct term *t, double share, int width, char *dst, size_t dst_size)
{
	size_t out = 0;
	int full, fill;

	if (!dst_size)
		return;
	dst[0] = '\0';
	width = width < WIDTH_MAX ? width : WIDTH_MAX;
	if (isnan(share)) {
		for (int i = 0; i < width; i++)
			out = append_text(dst, dst_size, out, "-");
		return;
	}
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	if (!term_blocks(t) && width >= 3) {
		bar_ascii(share, width, dst, dst_size);
		return;
	}
	fill = (int)(share * width * LEVELS + 0.5);
	if (share > 0 && fill == 0)
		fill = 1;
	full = fill / LEVELS;
	for (int i = 0; i < width; i++) {
		const char *part = i < full ? blocks[LEVELS] : " ";

		if (i == full && fill % LEVELS)
			part = eighths[fill % LEVELS];
		if (!term_blocks(t))
			part = i < full ? "#" : " ";
		out = append_text(dst, dst_size, out, part);
	}
}
