/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "emulator/serve/server_internal.h"

/* Output that a defective device may send: binary noise with terminal escapes. */

/*
 * Moves the cursor, clears the screen, sets the title, opens a link, makes the terminal reply. A
 * console must pass none of these to its screen.
 */
static const char escapes[] = "\033[2J\033[H\033]0;owned\007\033[31;5m\033[?1049h\033[6n\033]52;c;"
			      "aGk=\007\033]8;;http://127.0.0.1/\007\033(0\x9b"
			      "1;1H\x00\xff\xfe\xc3\x28\xe2\x80\xae";

/* xorshift64 (Marsaglia 2003) */
static uint64_t noise_next(uint64_t *z)
{
	*z ^= *z << 13;
	*z ^= *z >> 7;
	*z ^= *z << 17;
	return *z;
}

void server_garbage(struct buf *out, uint64_t seed)
{
	uint64_t z = seed | 1;

	for (int i = 0; i < 512; i++) {
		(void)noise_next(&z);
		(void)buf_add(out, &z, sizeof(z));
		if (i % 16 == 0)
			(void)buf_add(out, escapes, sizeof(escapes) - 1);
	}
}

/* ---- answers that are almost right ---- */

static size_t noise_below(uint64_t *z, size_t n)
{
	return n ? (size_t)(noise_next(z) >> 16) % n : 0;
}

/* What stands where a parser expects something else. */
static const char *const pieces[] = {"-1", "0", "18446744073709551616", "1e999",
	"-9223372036854775809", "NaN", "null", "\"", "{", "]", ",,", "\n\n", "\\u0000", "\\ud800",
	"%n%s", "\t", "\r", "00000000000000000001", "true", "[[[[[[[[[[[[[[[[", ":", "=",
	"4294967296"};

/* Replaces n bytes of the answer at `at` by other ones. */
static void replace_bytes(struct buf *out, size_t at, size_t n, const char *bytes, size_t len)
{
	size_t rest = out->len - at - n;
	char *tail = mem_strndup(out->data + at + n, rest);

	out->len = at;
	(void)buf_add(out, bytes, len);
	(void)buf_add(out, tail, rest);
	free(tail);
}

static void mutate_once(struct buf *out, uint64_t *z)
{
	size_t at = noise_below(z, out->len), rest = out->len - at;
	size_t span = noise_below(z, rest < 200 ? rest : 200);
	const char *piece = pieces[noise_below(z, sizeof(pieces) / sizeof(pieces[0]))];
	char *copy;

	switch (noise_below(z, 8)) {
	case 0:
		out->data[at] = (char)noise_next(z);
		break;
	case 1:
		out->data[at] = (char)('0' + noise_below(z, 10));
		break;
	case 2:
		replace_bytes(out, at, span, "", 0);
		break;
	case 3:
		copy = mem_strndup(out->data + at, span);
		replace_bytes(out, at, 0, copy, span);
		free(copy);
		break;
	case 4:
		replace_bytes(out, at, 0, escapes, sizeof(escapes) - 1);
		break;
	case 5:
		replace_bytes(out, at, noise_below(z, rest < 12 ? rest : 12), piece, strlen(piece));
		break;
	case 6:
		if (noise_below(z, 4) == 0)
			out->len = at; /* ends in the middle */
		break;
	default:
		replace_bytes(out, at, 0, piece, strlen(piece));
		break;
	}
	out->data[out->len] = '\0';
}

void server_mutate(struct server *s, struct buf *out)
{
	uint64_t z = (s->o.mutate_seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
		     ++s->mutations * UINT64_C(0xbf58476d1ce4e5b9);
	size_t times;

	if (!s->o.mutate || !out->len)
		return;
	z |= 1;
	for (int i = 0; i < 8; i++)
		(void)noise_next(&z);
	if (noise_below(&z, 100) >= s->o.mutate)
		return;
	times = 1 + noise_below(&z, 6);
	for (size_t i = 0; i < times && out->len; i++)
		mutate_once(out, &z);
}
