/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>
#include <jansson.h>

#include "backends/contract/backend.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/need.h"
#include "tests/captures/mutants.h"
#include "tests/support/cases.h"
#include "tests/support/incremental/cache_both.h"
#include "tests/support/incremental/cache_numbers.h"
#include "tests/support/incremental/answer_change.h"
#include "tests/support/asked.h"
#include "tests/support/obs_find.h"
#include "tests/support/run_command.h"
#include "tests/support/effort.h"

/*
 * Every answer that a capture gives (tests/captures/seeds), mangled in the ways in which devices,
 * networks and people mangle answers. Nothing may crash (the sanitizers watch), a refusal says why,
 * and decoded data is never out of bounds.
 */

/* Every byte; under a sanitizer, ten times as slow, of large answers as many evenly spread ones. */
#ifdef __SANITIZE_ADDRESS__
#define CUTS_MAX 1000
#else
#define CUTS_MAX 1000000
#endif
#define MUTANTS_MAX  400
#define NEXT_ANSWERS 10
#define BIG_MAX      ((size_t)64 << 20)

struct seed {
	char dialect[16];
	char *file; /* all of it */
	struct asked asked;
	bool real; /* from a capture: it must be understood */
};
static struct {
	VEC(struct seed *) at;
	char dir[64];
} seeds;

/* ---- one answer ---- */

/* True when it was taken without complaint. */
static bool survives(const struct seed *s, const char *bytes, size_t len, struct obs **keep)
{
	const struct backend_ops *ops = backend_by_name(s->dialect);
	struct obs *o = obs_new(s->asked.target.device, s->asked.request);
	char *exact = malloc(len + 1);
	struct err err = {0};
	bool ok;

	assert_non_null(exact);
	memcpy(exact, bytes, len);
	exact[len] = '\0';
	o->received_us = INT64_C(1763750000000000);
	ok = ops->parse(&s->asked.target, s->asked.request, exact, len, o, &err);
	if (!ok && (!*err.text || err.code == ERR_NONE))
		fail_msg("%s %s: refused %zu bytes without a reason", s->dialect, s->asked.request,
			len);
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].port != OBS_NO_PORT && o->items.at[i].port >= o->ports.n)
			fail_msg("%s %s: an item of no port", s->dialect, s->asked.request);
	for (size_t i = 0; i < o->strings.n; i++)
		if (o->strings.at[i] == '\x1b')
			fail_msg("%s %s: an escape sequence came through", s->dialect,
				s->asked.request);
	if (!ok)
		o->err = err; /* for a caller that keeps it */
	ok = ok && o->err.code == ERR_NONE;
	free(exact);
	if (keep)
		*keep = o;
	else
		obs_free(o);
	return ok;
}

/* ---- cut off ---- */

static void cut(const struct seed *s)
{
	size_t step = s->asked.len > CUTS_MAX ? s->asked.len / CUTS_MAX + 1 : 1;

	for (size_t n = 0; n < s->asked.len; n += n < 200 || n + 200 > s->asked.len ? 1 : step)
		(void)survives(s, s->asked.answer, n, NULL);
}

/* ---- other JSON ---- */

/* The JSON inside the answer, and the lengths of the text before and behind it. */
static json_t *json_within(const struct seed *s, size_t *before, size_t *after)
{
	const char *at = s->asked.answer;
	json_error_t e;
	json_t *doc;

	*before = *after = 0;
	while (*at && *at != '{' && *at != '[')
		at++;
	if (!*at)
		return NULL;
	doc = json_loads(at, JSON_DISABLE_EOF_CHECK, &e);
	*before = (size_t)(at - s->asked.answer);
	*after = doc ? *before + (size_t)e.position : 0;
	return doc;
}

static void survives_json(const struct seed *s, const char *json, size_t before, size_t after)
{
	struct buf b;

	buf_init(&b, BIG_MAX);
	buf_add(&b, s->asked.answer, before);
	buf_adds(&b, json);
	buf_add(&b, s->asked.answer + after, s->asked.len - after);
	(void)survives(s, b.data, b.len, NULL);
	buf_free(&b);
}

static void wrong_types(const struct seed *s)
{
	size_t before, after, n, step;
	json_t *doc = json_within(s, &before, &after);

	if (!doc)
		return;
	n = mutant_places(doc);
	step = n > MUTANTS_MAX ? n / MUTANTS_MAX + 1 : 1;
	for (size_t i = 0; i < n; i += step) {
		size_t left = i;
		json_t *other = mutant_of(doc, &left, (unsigned)(i / step));
		char *text = json_dumps(other, JSON_ENCODE_ANY);

		survives_json(s, text, before, after);
		free(text);
		json_decref(other);
	}
	json_decref(doc);
}

/* Every key twice, first with nonsense: a decoder may take either, and must not mind. */
static void put_doubled(const json_t *v, struct buf *b)
{
	const char *key;
	json_t *inner;
	size_t i;
	char *text;

	if (json_is_object(v)) {
		const char *comma = "";

		buf_adds(b, "{");
		json_object_foreach((json_t *)v, key, inner)
		{
			json_t *name = json_string(key);

			text = json_dumps(name, JSON_ENCODE_ANY);
			buf_addf(b, "%s%s:[{\"x\":null}],%s:", comma, text, text);
			put_doubled(inner, b);
			comma = ",";
			free(text);
			json_decref(name);
		}
		buf_adds(b, "}");
	} else if (json_is_array(v)) {
		buf_adds(b, "[");
		json_array_foreach(v, i, inner)
		{
			buf_adds(b, i ? "," : "");
			put_doubled(inner, b);
		}
		buf_adds(b, "]");
	} else {
		text = json_dumps(v, JSON_ENCODE_ANY);
		buf_adds(b, text);
		free(text);
	}
}

static void doubled_keys(const struct seed *s)
{
	size_t before, after;
	json_t *doc = json_within(s, &before, &after);
	struct buf b;

	if (!doc)
		return;
	buf_init(&b, BIG_MAX);
	put_doubled(doc, &b);
	survives_json(s, b.data, before, after);
	buf_free(&b);
	json_decref(doc);
}

static void nested(const struct seed *s)
{
	static const char *const open[] = {"[", "{\"a\":", "{\"interfaces\":{\"Ethernet1\":"};
	struct buf b;

	for (size_t k = 0; k < sizeof(open) / sizeof(open[0]); k++) {
		buf_init(&b, BIG_MAX);
		for (int i = 0; i < 100000; i++)
			buf_adds(&b, open[k]);
		(void)survives(s, b.data, b.len, NULL);
		buf_free(&b);
	}
}

/* ---- other ports, more of everything ---- */

static void replace_all(const char *from, const char *to, const char *text, struct buf *b)
{
	const char *at;

	while ((at = strstr(text, from))) {
		buf_add(b, text, (size_t)(at - text));
		buf_adds(b, to);
		text = at + strlen(from);
	}
	buf_adds(b, text);
}

static void unknown_ports(const struct seed *s)
{
	static const char *const ports[] = {"Ethernet", "swp", "mlx5_", "Eth", "eth", "ens"};

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		struct buf b;

		if (!strstr(s->asked.answer, ports[i]))
			continue;
		buf_init(&b, BIG_MAX);
		replace_all(ports[i], "\xc3\xa4 /../\x01;$(reboot)", s->asked.answer, &b);
		(void)survives(s, b.data, b.len, NULL);
		buf_free(&b);
	}
}

/* Ten times as many members of each object and elements of each list of rows. */
static json_t *ten_times(const json_t *v, unsigned depth)
{
	const char *key;
	json_t *inner, *out;
	size_t i;
	char name[160];

	if (depth > 0 && json_is_object(v)) {
		out = json_object();
		json_object_foreach((json_t *)v, key, inner)
		{
			json_object_set_new(out, key, ten_times(inner, depth - 1));
			for (unsigned n = 0; json_is_object(inner) && n < 9; n++) {
				(void)str_printf(name, sizeof(name), "%.100s%u", key, n);
				json_object_set(out, name, inner);
			}
		}
		return out;
	}
	if (depth > 0 && json_is_array(v)) {
		out = json_array();
		for (unsigned n = 0; n < 10; n++)
			json_array_foreach(v, i, inner)
				json_array_append_new(out, ten_times(inner, depth - 1));
		return out;
	}
	return json_incref((json_t *)v);
}

static void ten_times_as_large(const struct seed *s)
{
	size_t before, after;
	json_t *doc = json_within(s, &before, &after);
	json_t *large = doc ? ten_times(doc, 4) : NULL;
	char *text = large ? json_dumps(large, 0) : NULL;
	struct buf b;

	if (text && strlen(text) < BIG_MAX / 2)
		survives_json(s, text, before, after);
	buf_init(&b, BIG_MAX);
	for (int i = 0; i < 10; i++)
		buf_add(&b, s->asked.answer, s->asked.len);
	(void)survives(s, b.data, b.len, NULL);
	buf_free(&b);
	free(text);
	json_decref(large);
	json_decref(doc);
}

/* ---- the next answer ---- */

/* Answers like this one, and others, read with the positions learnt from the one before. */
static void next_answers(const struct seed *s)
{
	const struct backend_ops *ops = backend_by_name(s->dialect);
	struct answer_change c = {.seed = s->asked.len * 2 + 1};
	struct answer_cache_both both;

	again_both_begin(&both);
	for (int i = 0; i < NEXT_ANSWERS; i++) {
		struct buf next = {0};
		bool same = again_both_read(&both, ops, &s->asked.target, s->asked.request,
			s->asked.answer, s->asked.len);

		answer_mangle(&c, s->asked.answer, s->asked.len, &next);
		if (!same || !again_both_read(&both, ops, &s->asked.target, s->asked.request,
				     next.data ? next.data : "", next.len))
			fail_msg("%s %s: %s, in answer %d", s->dialect, s->asked.request, both.why,
				i);
		buf_free(&next);
	}
	again_both_end(&both);
}

/* Numbers that a device might have one larger next time, alone and all at once. */
static void next_numbers(const struct seed *s)
{
	struct answer_cache_both both;

	again_both_begin(&both);
	if (!again_numbers_read(&both, backend_by_name(s->dialect), &s->asked.target,
		    s->asked.request, s->asked.answer, s->asked.len, 100))
		fail_msg("%s %s: %s", s->dialect, s->asked.request, both.why);
	again_both_end(&both);
}

/* ---- the tests ---- */

static void each(void (*mangle)(const struct seed *s))
{
	static unsigned turn;

	if (!seeds.at.n)
		skip();
	/* Each in its turn with another quarter of them. */
	for (size_t i = effort_full() ? 0 : turn++ % 4; i < seeds.at.n; i += effort_full() ? 1 : 4)
		mangle(seeds.at.at[i]);
}

static void whole(const struct seed *s)
{
	struct obs *o = NULL;

	if (!s->real)
		return;
	if (!survives(s, s->asked.answer, s->asked.len, &o))
		fail_msg("%s %s: a capture is not understood: %s", s->dialect, s->asked.request,
			o->err.text);
	for (size_t i = 0; i < o->items.n; i++) {
		enum need_id need = need_by_name(obs_text(o, o->items.at[i].text));

		if (o->items.at[i].kind == OBS_CAPABILITY && need != NEED_COUNT &&
			!need_applies(need, s->asked.target.tier))
			fail_msg("%s %s: nobody asks %s of a %s", s->dialect, s->asked.request,
				need_info[need].name, tier_name(s->asked.target.tier));
	}
	if (!o->items.n && !o->bgp.n)
		fail_msg("%s %s: a capture says nothing", s->dialect, s->asked.request);
	obs_free(o);
}

CASE(captures_are_understood)
{
	each(whole);
}

CASE(cut_off_at_every_byte)
{
	each(cut);
}

CASE(values_of_the_wrong_type)
{
	each(wrong_types);
}

CASE(keys_twice)
{
	each(doubled_keys);
}

CASE(deeply_nested)
{
	each(nested);
}

CASE(ports_that_are_none)
{
	each(unknown_ports);
}

CASE(ten_times_the_size)
{
	each(ten_times_as_large);
}

CASE(answers_like_the_last)
{
	each(next_answers);
	each(next_numbers);
}

static void same_in_another_locale(const struct seed *s)
{
	struct obs *a = NULL, *b = NULL;

	(void)survives(s, s->asked.answer, s->asked.len, &a);
	assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
	(void)survives(s, s->asked.answer, s->asked.len, &b);
	(void)setlocale(LC_ALL, "C");
	assert_int_equal(a->items.n, b->items.n);
	assert_int_equal(a->strings.n, b->strings.n);
	if (memcmp(a->strings.at, b->strings.at, a->strings.n) != 0)
		fail_msg("%s: another decimal point: \"%.60s\"", s->asked.request,
			a->strings.at + 1);
	for (size_t i = 0; i < a->items.n; i++)
		assert_memory_equal(&a->items.at[i], &b->items.at[i], sizeof(a->items.at[i]));
	obs_free(a);
	obs_free(b);
}

/* A comma as the decimal point. The locale is compiled here: machines have only C. */
CASE(in_another_locale)
{
	const char *argv[] = {"localedef", "-i", "de_DE", "-f", "UTF-8", NULL, NULL};
	char path[128];
	int status;

	if (!seeds.at.n)
		skip();
	(void)str_printf(path, sizeof(path), "%s/de_DE.UTF-8", seeds.dir);
	argv[5] = path;
	(void)setenv("LOCPATH", seeds.dir, 1);
	free(run_command(argv, NULL, NULL, NULL, &status));
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		print_message(
			"# skipped: the locale de_DE cannot be made here (package locales)\n");
		skip();
	}
	(void)setlocale(LC_ALL, "C");
	each(same_in_another_locale);
}

static void add_seed(const char *dialect, const char *path, bool real)
{
	struct seed *s = mem_calloc(1, sizeof(*s));
	size_t len = 0;

	(void)str_copy(s->dialect, sizeof(s->dialect), dialect);
	s->real = real;
	s->file = read_file(path, &len);
	if (s->file && asked_read(&s->asked, s->file, len)) {
		vec_push(&seeds.at, s);
		return;
	}
	free(s->file);
	free(s);
}

static void add_folder(const char *root, const char *dialect, bool real)
{
	char folder[512], path[1024];
	const struct dirent *e;
	DIR *dir;

	(void)str_printf(folder, sizeof(folder), "%s/%s", root, dialect);
	dir = opendir(folder);
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] != '.' &&
			str_printf(path, sizeof(path), "%s/%s", folder, e->d_name))
			add_seed(dialect, path, real);
	}
	if (dir)
		(void)closedir(dir);
}

/* Where there are no captures, the fuzzers' own corpus is all. */
static int make_seeds(void **state)
{
	const char *argv[] = {"tests/captures/seeds/make.sh", NULL, NULL};
	int status = -1;

	(void)state;
	(void)str_copy(seeds.dir, sizeof(seeds.dir), "/tmp/railtop-seeds-XXXXXX");
	if (!mkdtemp(seeds.dir))
		return -1;
	argv[1] = seeds.dir;
	free(run_command(argv, NULL, NULL, NULL, &status));
	for (size_t i = 0; i < backend_count; i++) {
		add_folder(seeds.dir, backend_table[i]->name, true);
		add_folder("tests/fuzz/corpus", backend_table[i]->name, false);
	}
	print_message("# %zu answers\n", seeds.at.n);
	return status == 0 || status == 77 ? 0 : -1;
}

static int drop_seeds(void **state)
{
	const char *argv[] = {"rm", "-r", seeds.dir, NULL};
	int status;

	(void)state;
	for (size_t i = 0; i < seeds.at.n; i++) {
		asked_free(&seeds.at.at[i]->asked);
		free(seeds.at.at[i]->file);
		free(seeds.at.at[i]);
	}
	vec_free(&seeds.at);
	free(run_command(argv, NULL, NULL, NULL, &status));
	return 0;
}

CASES_MAIN(make_seeds, drop_seeds)
