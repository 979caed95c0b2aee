/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool str_copyn(char *dst, size_t size, const char *src, size_t n)
{
	bool fits = n < size;

	if (!size)
		return false;
	if (!fits)
		n = size - 1;
	memcpy(dst, src, n);
	dst[n] = '\0';
	return fits;
}

bool str_copy(char *dst, size_t size, const char *src)
{
	return str_copyn(dst, size, src, strlen(src));
}

bool str_printf(char *dst, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(dst, size, fmt, ap);
	va_end(ap);
	return n >= 0 && (size_t)n < size;
}

bool str_eq(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool str_is_one_of(const char *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(words[i], s))
			return true;
	return false;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Length of the well-formed UTF-8 sequence at s (RFC 3629), 0 when there is none; *cp its value. */
static size_t utf8_decode(const unsigned char *s, size_t n, uint32_t *cp)
{
	size_t need;
	uint32_t v, least;

	if (s[0] < 0x80) {
		*cp = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		need = 2, v = s[0] & 0x1fU, least = 0x80;
	} else if ((s[0] & 0xf0) == 0xe0) {
		need = 3, v = s[0] & 0x0fU, least = 0x800;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		need = 4, v = s[0] & 0x07U, least = 0x10000;
	} else {
		return 0;
	}
	if (n < need)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (s[i] & 0x3fU);
	}
	if (v < least || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*cp = v;
	return need;
}

static bool is_printable(uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp <= 0x9f))
		return false;
	/* Zero width, bidirectional controls, byte order mark: they can make a line read as
	 * another. */
	if ((cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
		(cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || cp == 0x061c)
		return false;
	return true;
}

/*
 * Whether all eight bytes are printable ASCII. A borrow or carry comes only from a byte that is
 * not.
 */
static bool is_plain(uint64_t w)
{
	const uint64_t each = UINT64_C(0x0101010101010101);

	return !((w | (w - each * ' ') | (w + each)) & each * 0x80);
}

bool str_quote_shell(char *dst, size_t size, const char *text)
{
	size_t n = 0;
	bool ok = size > 2;

	if (ok)
		dst[n++] = '\'';
	for (; ok && *text; text++) {
		const char one[2] = {*text, '\0'}, *put = *text == '\'' ? "'\\''" : one;

		ok = n + strlen(put) + 1 < size;
		if (ok)
			n += (size_t)snprintf(dst + n, size - n, "%s", put);
	}
	if (ok)
		dst[n++] = '\'';
	if (size)
		dst[ok ? n : 0] = '\0';
	return ok;
}

size_t str_sanitise(char *dst, size_t size, const char *src, size_t n)
{
	size_t out = 0, i = 0;

	if (!size)
		return 0;
	/* Fast path: nearly all text is plain ASCII. */
	while (i + sizeof(uint64_t) <= n && i + sizeof(uint64_t) < size) {
		uint64_t w;

		memcpy(&w, src + i, sizeof(w));
		if (!is_plain(w))
			break;
		memcpy(dst + i, &w, sizeof(w));
		i += sizeof(w);
	}
	while (i < n && i + 1 < size && src[i] >= ' ' && src[i] < 0x7f) {
		dst[i] = src[i];
		i++;
	}
	out = i;
	while (i < n) {
		uint32_t cp = 0;
		size_t len = utf8_decode((const unsigned char *)src + i, n - i, &cp);

		if (len && is_printable(cp)) {
			if (out + len >= size)
				break;
			memcpy(dst + out, src + i, len);
			out += len;
		} else {
			char c = src[i] == '\t' || src[i] == '\n' || src[i] == '\r' ? ' ' : '?';

			if (out + 1 >= size)
				break;
			dst[out++] = c;
		}
		i += len ? len : 1;
	}
	dst[out] = '\0';
	return out;
}

char *str_share(double share, const char *sign, char *dst, size_t size)
{
	if (!isfinite(share))
		(void)str_copy(dst, size, "-");
	else
		(void)str_printf(dst, size, "%.0f%s", share * 100, sign);
	return dst;
}

char *str_si(double v, char *dst, size_t size)
{
	static const char units[] = {0, 'k', 'M', 'G', 'T', 'P', 'E'};
	size_t u = 0;

	if (!(v >= 0) || isinf(v)) {
		(void)str_copy(dst, size, "-");
		return dst;
	}
	/* 999.5 would print as "1000": the step up comes at the point where rounding reaches it. */
	while (v >= 999.5 && u + 1 < sizeof(units)) {
		v /= 1000;
		u++;
	}
	if (v == 0)
		(void)str_copy(dst, size, "0");
	else if (v < 0.01)
		(void)str_copy(dst, size, "<.01");
	else if (v < 9.995)
		(void)str_printf(dst, size, u ? "%.2f%c" : "%.2f", v, units[u]);
	else if (v < 99.95)
		(void)str_printf(dst, size, u ? "%.1f%c" : "%.1f", v, units[u]);
	else
		(void)str_printf(dst, size, u ? "%.0f%c" : "%.0f", v, units[u]);
	return dst;
}

char *str_number(double v, char *dst, size_t size)
{
	double a = v < 0 ? -v : v;
	const char *sign = v < 0 ? "-" : "";
	char si[16];

	if (!isfinite(v))
		(void)str_copy(dst, size, "-");
	else if (a >= 9999.5)
		(void)str_printf(dst, size, "%s%s", sign, str_si(a, si, sizeof(si)));
	else if (a >= 999.5 || (a >= 1 && a == (double)(long)a))
		(void)str_printf(dst, size, "%s%.0f", sign, a);
	else if (a >= 0.001)
		(void)str_printf(dst, size, "%s%.3g", sign, a);
	else
		(void)str_copy(dst, size, a > 0 ? "<0.001" : "0");
	return dst;
}

char *str_bitrate(double bps, char *dst, size_t size)
{
	char si[16];
	size_t n = strlen(str_si(bps, si, sizeof(si)));
	bool has_unit = n > 0 && si[n - 1] >= 'A';

	if (si[0] == '-')
		(void)str_copy(dst, size, si);
	else if (has_unit)
		(void)str_printf(dst, size, "%.*s %cb/s", (int)(n - 1), si, si[n - 1]);
	else
		(void)str_printf(dst, size, "%s b/s", si);
	return dst;
}

char *str_age(int64_t us, char *dst, size_t size)
{
	int64_t s = us / 1000000;

	if (us < 0)
		(void)str_copy(dst, size, "-");
	else if (s < 1)
		(void)str_copy(dst, size, "now");
	else if (s < 120)
		(void)str_printf(dst, size, "%llds", (long long)s);
	else if (s < 7200)
		(void)str_printf(dst, size, "%lldm", (long long)(s / 60));
	else if (s < 172800)
		(void)str_printf(dst, size, "%lldh", (long long)(s / 3600));
	else
		(void)str_printf(dst, size, "%lldd", (long long)(s / 86400));
	return dst;
}

bool str_to_u64(const char *s, uint64_t *out)
{
	uint64_t v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned d = (unsigned)(*s - '0');

		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

bool str_to_double(const char *s, double *out)
{
	char *end;
	double v;

	if (!*s || isspace((unsigned char)*s))
		return false;
	errno = 0;
	v = strtod(s, &end);
	if (*end || isnan(v) || isinf(v))
		return false;
	*out = v;
	return true;
}

int str_natcmp(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t la, lb;
			int c;

			while (*a == '0' && isdigit((unsigned char)a[1]))
				a++;
			while (*b == '0' && isdigit((unsigned char)b[1]))
				b++;
			la = strspn(a, "0123456789");
			lb = strspn(b, "0123456789");
			if (la != lb)
				return la < lb ? -1 : 1;
			c = strncmp(a, b, la);
			if (c)
				return c;
			a += la;
			b += lb;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		a++;
		b++;
	}
	return *a ? 1 : *b ? -1 : 0;
}

struct unit {
	const char *name;
	double scale;
};

static bool parse_with_unit(const char *s, const struct unit *units, double *out)
{
	char *end;
	double v;

	if (!isdigit((unsigned char)*s) && *s != '.')
		return false;
	v = strtod(s, &end);
	while (*end == ' ')
		end++;
	for (; units->name; units++) {
		if (strcasecmp(end, units->name) == 0) {
			*out = v * units->scale;
			return *out < 9.2e18;
		}
	}
	return false;
}

bool str_to_duration(const char *s, int64_t *us)
{
	static const struct unit units[] = {
		{"", 1e6}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 6e7}, {"h", 3.6e9}, {NULL, 0}};
	double v;

	if (!parse_with_unit(s, units, &v))
		return false;
	*us = (int64_t)v;
	return true;
}

bool str_to_bytes(const char *s, uint64_t *bytes)
{
	static const struct unit units[] = {{"", 1}, {"B", 1}, {"KB", 1e3}, {"MB", 1e6},
		{"GB", 1e9}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"KiB", 1024}, {"MiB", 1048576},
		{"GiB", 1073741824}, {NULL, 0}};
	double v;

	if (!parse_with_unit(s, units, &v))
		return false;
	*bytes = (uint64_t)v;
	return true;
}
