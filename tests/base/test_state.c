/* SPDX-License-Identifier: Apache-2.0 */
#include "base/state.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cases.h"

enum colour { RED, GREEN, BLUE, COLOURS };

struct all {
	uint8_t u8;
	uint16_t u16;
	uint32_t u32, index, none, below;
	uint64_t u64;
	int32_t i32;
	int64_t i64;
	float f32;
	double f64;
	bool yes, no;
	enum colour colour;
	size_t n;
	uint8_t at[4];
	char text[8], empty[8];
	char *owned, *nothing;
};

static void all_state(struct state *s, struct all *a)
{
	state_u8(s, &a->u8);
	state_u16(s, &a->u16);
	state_u32(s, &a->u32);
	state_index(s, &a->index, 10);
	state_index(s, &a->none, 10);
	state_below(s, &a->below, 10);
	state_u64(s, &a->u64);
	state_i32(s, &a->i32);
	state_i64(s, &a->i64);
	state_f32(s, &a->f32);
	state_f64(s, &a->f64);
	state_bool(s, &a->yes);
	state_bool(s, &a->no);
	STATE_ENUM(s, a->colour, COLOURS);
	state_text(s, a->text, sizeof(a->text));
	state_text(s, a->empty, sizeof(a->empty));
	state_owned(s, &a->owned, 100);
	state_owned(s, &a->nothing, 100);
	state_count(s, &a->n, 4);
	for (size_t i = 0; i < a->n; i++)
		state_u8(s, &a->at[i]);
}

static struct buf saved(struct all *a)
{
	struct buf b;
	struct state s;

	buf_init(&b, 4096);
	state_saves(&s, &b);
	all_state(&s, a);
	assert_false(s.bad);
	return b;
}

static struct all sample(void)
{
	return (struct all){.u8 = 255,
		.u16 = UINT16_MAX,
		.u32 = UINT32_MAX,
		.index = 9,
		.none = UINT32_MAX,
		.below = 9,
		.u64 = UINT64_MAX,
		.i32 = INT32_MIN,
		.i64 = INT64_MIN,
		.f32 = -0.0F,
		.f64 = 0.1,
		.yes = true,
		.colour = BLUE,
		.n = 3,
		.at = {1, 128, 0},
		.text = "sevenxx",
		.owned = (char *)(uintptr_t) "on the heap"};
}

CASE(test_everything_comes_back)
{
	struct all a = sample(), b = {.none = 3, .no = true, .empty = "gone"};
	struct buf bytes = saved(&a);
	struct state s;

	b.nothing = strdup("freed");
	state_loads(&s, bytes.data, bytes.len);
	all_state(&s, &b);
	assert_true(state_ended(&s));
	assert_int_equal(b.u8, a.u8);
	assert_int_equal(b.u16, a.u16);
	assert_int_equal(b.u32, a.u32);
	assert_int_equal(b.index, 9);
	assert_int_equal(b.none, UINT32_MAX);
	assert_int_equal(b.below, 9);
	assert_true(b.u64 == UINT64_MAX && b.i32 == INT32_MIN && b.i64 == INT64_MIN);
	assert_memory_equal(&b.f32, &a.f32, sizeof(a.f32));
	assert_memory_equal(&b.f64, &a.f64, sizeof(a.f64));
	assert_true(b.yes && !b.no);
	assert_int_equal(b.colour, BLUE);
	assert_string_equal(b.text, "sevenxx");
	assert_string_equal(b.empty, "");
	assert_string_equal(b.owned, "on the heap");
	assert_null(b.nothing);
	assert_int_equal(b.n, 3);
	assert_memory_equal(b.at, a.at, 3);
	free(b.owned);
	buf_free(&bytes);
}

/* Another thread may read it meanwhile. */
CASE(test_saving_writes_to_nothing)
{
	struct all *a =
		mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t child;

	assert_true(a != MAP_FAILED);
	*a = sample();
	assert_int_equal(mprotect(a, sizeof(*a), PROT_READ), 0);
	child = fork();
	if (child == 0) {
		struct buf b;

		(void)signal(SIGSEGV, SIG_DFL);
		b = saved(a);
		_exit(b.len == 0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)munmap(a, sizeof(*a));
}

CASE(test_signed_numbers)
{
	static const int64_t all[] = {0, -1, 1, -64, 63, 64, INT32_MAX, INT64_MAX, INT64_MIN};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int64_t v = all[i], back = 7;
		struct buf b;
		struct state s;

		buf_init(&b, 64);
		state_saves(&s, &b);
		state_i64(&s, &v);
		state_loads(&s, b.data, b.len);
		state_i64(&s, &back);
		assert_true(state_ended(&s) && back == all[i]);
		assert_true(b.len == 1 || all[i] > 63 || all[i] < -64);
		buf_free(&b);
	}
}

CASE(test_every_truncation_is_seen)
{
	struct all a = sample();
	struct buf bytes = saved(&a);

	for (size_t n = 0; n < bytes.len; n++) {
		struct all b = {.u8 = 1};
		/* A copy of its own, so that a look beyond the end is noticed. */
		char *cut = malloc(n ? n : 1);
		struct state s;

		assert_non_null(cut);
		memcpy(cut, bytes.data, n);
		state_loads(&s, cut, n);
		all_state(&s, &b);
		assert_true(s.bad);
		assert_false(state_ended(&s));
		free(b.owned);
		free(b.nothing);
		free(cut);
	}
	buf_free(&bytes);
}

CASE(test_what_is_left_over_is_seen)
{
	struct state s;
	uint8_t v = 0;

	state_loads(&s, "\1\2", 2);
	state_u8(&s, &v);
	assert_int_equal(v, 1);
	assert_false(state_ended(&s));
	assert_false(s.bad);
	state_loads(&s, NULL, 0);
	assert_true(state_ended(&s));
}

static bool loads_u64(const char *bytes, size_t n, uint64_t *v)
{
	struct state s;

	state_loads(&s, bytes, n);
	state_u64(&s, v);
	return state_ended(&s);
}

CASE(test_hostile_numbers)
{
	uint64_t v = 5;

	assert_true(loads_u64("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, &v));
	assert_true(v == UINT64_MAX);
	/* One bit too many, a byte too many, no end. */
	assert_false(loads_u64("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &v));
	assert_true(v == 0);
	assert_false(loads_u64("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11, &v));
	assert_false(loads_u64("\x80\x80\x80", 3, &v));
	assert_true(v == 0);
}

CASE(test_what_is_out_of_its_range)
{
	struct state s;
	uint8_t u8 = 1;
	uint16_t u16 = 1;
	uint32_t index = 1;
	bool yes = true;
	size_t n = 9;

	state_loads(&s, "\x80\x02", 2);
	state_u8(&s, &u8);
	assert_true(s.bad && u8 == 0);
	/* And the rest is empty. */
	state_u16(&s, &u16);
	assert_int_equal(u16, 0);
	state_loads(&s, "\x02", 1);
	state_bool(&s, &yes);
	assert_true(s.bad && !yes);
	state_loads(&s, "\x03", 1);
	state_index(&s, &index, 2);
	assert_true(s.bad && index == UINT32_MAX);
	state_loads(&s, "\x02", 1);
	state_index(&s, &index, 2);
	assert_true(!s.bad && index == 1);
	state_loads(&s, "\x02", 1);
	state_below(&s, &index, 2);
	assert_true(s.bad && index == 0);
	/* More things than there are bytes left. */
	state_loads(&s, "\x03\x01\x01", 3);
	state_count(&s, &n, 100);
	assert_true(s.bad && n == 0);
	state_loads(&s, "\x03\x01\x01\x01", 4);
	state_count(&s, &n, 2);
	assert_true(s.bad && n == 0);
}

CASE(test_what_cannot_be_loaded_is_not_saved)
{
	uint32_t v = 10;
	struct buf b;
	struct state s;

	buf_init(&b, 16);
	state_saves(&s, &b);
	state_below(&s, &v, 10);
	assert_true(s.bad);
	buf_free(&b);
}

CASE(test_reals_keep_their_bits)
{
	static const uint32_t all[] = {0x7fc00000, 0xffc00001, 0x7f800001, 0x80000000, 1};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct buf b;
		struct state s;
		float v, back = 0;

		memcpy(&v, &all[i], sizeof(v));
		buf_init(&b, 16);
		state_saves(&s, &b);
		state_f32(&s, &v);
		assert_int_equal(b.len, 4);
		/* Little endian, on any machine. */
		assert_int_equal((unsigned char)b.data[0], all[i] & 0xff);
		state_loads(&s, b.data, b.len);
		state_f32(&s, &back);
		assert_memory_equal(&back, &all[i], sizeof(back));
		buf_free(&b);
	}
}

CASE(test_a_full_buffer_is_seen)
{
	struct all a = sample();
	struct buf b;
	struct state s;

	buf_init(&b, 20);
	state_saves(&s, &b);
	all_state(&s, &a);
	assert_true(s.bad);
	assert_true(b.len <= 20);
	buf_free(&b);
}

CASE(test_texts_are_bounded_and_clean)
{
	char text[4] = "old";
	struct state s;

	state_loads(&s, "\3abc", 4);
	state_text(&s, text, sizeof(text));
	assert_true(state_ended(&s));
	assert_string_equal(text, "abc");
	state_loads(&s, "\4abcd", 5);
	state_text(&s, text, sizeof(text));
	assert_true(s.bad);
	assert_string_equal(text, "");
	state_loads(&s, "\2a\033", 3);
	state_text(&s, text, sizeof(text));
	assert_true(s.bad);
	assert_string_equal(text, "");
	state_loads(&s, "\3a\0b", 4);
	state_text(&s, text, sizeof(text));
	assert_true(s.bad);
	state_loads(&s, "\1\x7f", 2);
	state_text(&s, text, sizeof(text));
	assert_true(s.bad);
}

/* A crafted file must not reach the terminal: C1, bidirectional, zero width, no UTF-8 at all. */
CASE(test_texts_have_no_hidden_characters)
{
	static const struct {
		const char *is, *becomes;
	} all[] = {
		{"\xc2\x9b"
		 "2J",
			"?2J"},
		{"a\x9bz", "a?z"},
		{"a\xe2\x80\xaez", "a?z"},
		{"a\xe2\x80\x8bz", "a?z"},
		{"a\xef\xbb\xbfz", "a?z"},
		{"cut \xc3", "cut ?"},
		{"\xff\xfe\xfd\xfc\xfb\xfa\xf9", "???????"},
		{"Z\xc3\xbcrich", "Z\xc3\xbcrich"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char bytes[32] = "", text[8], *owned = NULL;
		size_t n = strlen(all[i].is);
		struct state s;

		assert_true(n < sizeof(text));
		bytes[0] = bytes[n + 2] = (char)n;
		bytes[n + 1] = 1;
		memcpy(bytes + 1, all[i].is, n);
		memcpy(bytes + n + 3, all[i].is, n);
		state_loads(&s, bytes, 2 * n + 3);
		state_text(&s, text, sizeof(text));
		state_owned(&s, &owned, n);
		assert_true(state_ended(&s));
		assert_string_equal(text, all[i].becomes);
		assert_string_equal(owned, all[i].becomes);
		free(owned);
	}
}

CASE(test_an_owned_text_is_bounded)
{
	char *text = NULL;
	struct state s;

	state_loads(&s, "\1\5abcde", 7);
	state_owned(&s, &text, 4);
	assert_true(s.bad);
	assert_true(!text || !text[0]);
	free(text);
}

static void doubled(void *ctx, char *text, size_t size)
{
	size_t n = strlen(text);

	++*(unsigned *)ctx;
	assert_true(size > n);
	if (2 * n < size)
		memmove(text + n, text, n + 1);
}

CASE(test_texts_are_rewritten)
{
	char text[8] = "", *owned = NULL;
	unsigned calls = 0;
	struct state s;

	state_loads(&s, "\3abc\1\2xy\2\033z", 10);
	s.rewrite = doubled;
	s.ctx = &calls;
	state_text(&s, text, sizeof(text));
	assert_string_equal(text, "abcabc");
	state_owned(&s, &owned, 5);
	assert_string_equal(owned, "xyxy");
	/* The rewriter is not called for a refused text. */
	state_text(&s, text, sizeof(text));
	assert_true(s.bad);
	assert_int_equal(calls, 2);
	free(owned);
}

/* Numbers and bytes of all lengths, until one finds no room. How many did. */
static unsigned save_some(struct buf *b, size_t cap)
{
	struct state s;
	unsigned n = 0;

	buf_init(b, cap);
	state_saves(&s, b);
	for (; n < 80 && !s.bad; n++) {
		uint64_t v = UINT64_MAX >> (n * 7 % 64);
		char bytes[] = "some bytes";

		if (n % 5 == 4)
			state_bytes(&s, bytes, n % sizeof(bytes));
		else
			state_u64(&s, &v);
	}
	assert_true(!b->data || b->data[b->len] == '\0');
	return n;
}

/* However near the end of the room it is, and wherever that grew. */
CASE(test_what_is_saved_does_not_depend_on_the_room)
{
	struct buf all;

	assert_int_equal(save_some(&all, 4096), 80);
	assert_true(all.len > 256);
	for (size_t cap = 0; cap < all.len + 12; cap++) {
		struct buf b;
		unsigned n = save_some(&b, cap);

		assert_true(b.len <= cap && b.len + 10 >= (cap < all.len ? cap : all.len));
		assert_true(cap >= all.len ? n == 80 && b.len == all.len : b.overflow);
		if (b.len)
			assert_memory_equal(b.data, all.data, b.len);
		buf_free(&b);
	}
	buf_free(&all);
}

/* The same as one by one, for any room in the buffer; never more than it may have. */
CASE(test_many_numbers_at_once)
{
	const uint64_t odd[] = {0, 1, 127, 128, 16383, 16384, UINT64_MAX >> 1, UINT64_MAX};
	struct buf b, each;
	struct state s, t;

	buf_init(&b, 100000);
	buf_init(&each, 100000);
	state_saves(&s, &b);
	state_saves(&t, &each);
	for (size_t n = 0; n < 200; n++) {
		char *to = state_room(&s, n);

		assert_non_null(to);
		for (size_t i = 0; i < n; i++) {
			uint64_t v = odd[(n + i) % 8];
			int64_t signed_v = (int64_t)v;

			to = state_put(to, i % 2 ? state_zigzag(signed_v) : v);
			if (i % 2)
				state_i64(&t, &signed_v);
			else
				state_u64(&t, &v);
		}
		state_put_to(&s, to);
		assert_int_equal(b.len, each.len);
		assert_true(b.len < b.size);
	}
	assert_memory_equal(b.data, each.data, b.len);
	assert_null(state_room(&s, 10001));
	assert_non_null(state_room(&s, 10));
	buf_free(&b);
	buf_init(&b, 5 * STATE_NUMBER_MOST);
	assert_non_null(state_room(&s, 5));
	assert_null(state_room(&s, 6));
	buf_free(&b);
	buf_free(&each);
}

CASES_MAIN(NULL, NULL)
