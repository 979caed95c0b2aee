/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Always terminates; returns false when src did not fit (dst then holds the beginning). */
bool str_copy(char *dst, size_t size, const char *src);
bool str_copyn(char *dst, size_t size, const char *src, size_t n);

/* printf into a fixed buffer; the same contract as str_copy(). */
bool str_printf(char *dst, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The word of a count: one for 1, many for any other number. */
static inline const char *str_count_word(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}
/* The ending of a noun behind its count: "%zu port%s", n, str_plural(n). */
static inline const char *str_plural(uint64_t n)
{
	return str_count_word(n, "", "s");
}

bool str_eq(const char *a, const char *b); /* NULL-safe: NULL equals only NULL */
bool str_starts(const char *s, const char *prefix);
bool str_is_one_of(const char *s, const char *const *words, size_t n); /* equals one of them */

/*
 * Copies text that a device or a user sent into dst so that it can be printed: control characters
 * (C0, DEL, C1), broken UTF-8, bidirectional controls and zero-width characters become '?', tabs
 * and line ends become a space. Never emits an escape. Returns the length written, < size.
 */
size_t str_sanitise(char *dst, size_t size, const char *src, size_t n);

/*
 * Writes text as one word of a POSIX shell: "'it'\''s'". Whatever is in it, the shell takes it as
 * it is. False: it does not fit, dst is "".
 */
bool str_quote_shell(char *dst, size_t size, const char *text);

/*
 * Three significant digits and an SI letter, at most 5 columns: "0", "7.3", "412", "9.99k",
 * "41.2G". decimal thousands. Negative and not-a-number print as "-".
 */
char *str_si(double v, char *dst, size_t size);
/*
 * A number as a person writes it: three significant digits without an exponent, "0", "0.034",
 * "34.2", "1840", "84.2k"; below 0.001 "<0.001". Not-a-number is "-".
 */
char *str_number(double v, char *dst, size_t size);
/* The same as an argument of printf; lives until the end of the block. */
#define STR_NUMBER(v) str_number((v), (char[24]){""}, 24)
/* A rate in bit/s with its unit: "84.2 Tb/s", "-" where str_si() has no number. */
char *str_bitrate(double bps, char *dst, size_t size);
/* Formats a share of 0 to 1 in per cent, "87%"; sign: "%" or " %". Unknown is "-", never "nan". */
char *str_share(double share, const char *sign, char *dst, size_t size);

/* Coarse age: "now", "12s", "3m", "2h", "4d"; negative prints "-". */
char *str_age(int64_t us, char *dst, size_t size);

/* Whole-string parsers: false on empty, trailing bytes, sign where none is allowed, or overflow. */
bool str_to_u64(const char *s, uint64_t *out);
bool str_to_double(const char *s, double *out);

/* Natural order: digit runs compare as numbers, so Ethernet8 sorts before Ethernet12. */
int str_natcmp(const char *a, const char *b);

/* "5s", "250ms", "2m", "1h" (a bare number is seconds) to microseconds. */
bool str_to_duration(const char *s, int64_t *us);
/* "500KB", "1.43 MB", "2MiB", "512M", "4096" to bytes; KB and K are 1000, KiB 1024. */
bool str_to_bytes(const char *s, uint64_t *bytes);

#endif
