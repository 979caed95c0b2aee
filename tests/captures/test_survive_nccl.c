/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <jansson.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "tests/captures/mutants.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_parsers.h"
#include "tests/support/obs_find.h"

/*
 * The output of NCCL and its relatives, mangled: cut at every byte, with values of other types,
 * bytes changed, keys twice, nested deep, ten times as large. Nothing may crash (the sanitizers
 * watch), a refusal says why, and no record is out of bounds. The inputs are the fuzzer's corpus,
 * and captures where there are any.
 */

#ifdef __SANITIZE_ADDRESS__
#define CUTS_MAX 300
#else
#define CUTS_MAX 3000
#endif
#define MUTANTS_MAX 300
#define BIG_MAX     ((size_t)64 << 20)

struct seed {
	const struct nccl_parser *parser;
	char *file, *text; /* text is within file */
	size_t len;
};
static VEC(struct seed) seeds;

static size_t survives(const struct seed *s, const char *bytes, size_t len)
{
	char *exact = mem_alloc(len + 1);
	struct obs *o = obs_new("node-1", "nccl");
	struct err err = {0};
	const char *fault;
	size_t n;

	memcpy(exact, bytes, len);
	exact[len] = '\0';
	if (!s->parser->parse(exact, len, o, &err) && (!*err.text || err.code == ERR_NONE))
		fail_msg("%c: refused %zu bytes without a reason", s->parser->letter, len);
	fault = nccl_batch_fault(o);
	if (fault)
		fail_msg("%c: %s", s->parser->letter, fault);
	n = o->nccl.n;
	obs_free(o);
	free(exact);
	return n;
}

static size_t step_of(size_t n, size_t most)
{
	return n > most ? n / most + 1 : 1;
}

CASE(cut_off)
{
	for (size_t i = 0; i < seeds.n; i++) {
		const struct seed *s = &seeds.at[i];
		size_t step = step_of(s->len, CUTS_MAX);

		for (size_t n = 0; n <= s->len; n += n < 100 || n + 100 > s->len ? 1 : step)
			(void)survives(s, s->text, n);
	}
}

/* A byte that is another one, in a pickle also a word of its language. */
CASE(bytes_changed)
{
	static const char others[] = {'\0', '\xff', '(', 'c', 'R', '0', '\x1b', '9', '\n'};

	for (size_t i = 0; i < seeds.n; i++) {
		const struct seed *s = &seeds.at[i];
		size_t step = step_of(s->len, CUTS_MAX);
		char *copy = mem_alloc(s->len + 1);

		for (size_t n = 0; n < s->len; n += step) {
			memcpy(copy, s->text, s->len);
			copy[n] = others[(n + i) % sizeof(others)];
			(void)survives(s, copy, s->len);
		}
		free(copy);
	}
}

static json_t *json_of(const struct seed *s)
{
	const char *at = memchr(s->text, '{', s->len);
	const char *list = memchr(s->text, '[', s->len);

	if (list && (!at || list < at) && strchr("as", s->parser->letter))
		at = list;
	return at ? json_loadb(at, s->len - (size_t)(at - s->text), JSON_DISABLE_EOF_CHECK, NULL)
		  : NULL;
}

CASE(values_of_the_wrong_type)
{
	for (size_t i = 0; i < seeds.n; i++) {
		json_t *doc = json_of(&seeds.at[i]);
		size_t n = doc ? mutant_places(doc) : 0, step = step_of(n, MUTANTS_MAX);

		for (size_t k = 0; k < n; k += step) {
			size_t left = k;
			json_t *other = mutant_of(doc, &left, (unsigned)(k / step));
			char *text = json_dumps(other, JSON_ENCODE_ANY);

			(void)survives(&seeds.at[i], text, strlen(text));
			free(text);
			json_decref(other);
		}
		json_decref(doc);
	}
}

CASE(deeply_nested)
{
	static const char *const open[] = {"[", "{\"a\":", "{\"communicators\":[", "(", "]", "}",
		"{\"nccl\":{\"ops\":[", "](", "}(U\x01k"};

	for (size_t i = 0; i < NCCL_PARSERS; i++)
		for (size_t k = 0; k < sizeof(open) / sizeof(open[0]); k++) {
			struct seed s = {.parser = &nccl_parsers[i]};
			struct buf b;

			buf_init(&b, BIG_MAX);
			if (k > 2 && s.parser->letter == 'f')
				buf_adds(&b, "\x80\x02");
			for (int n = 0; n < 100000; n++)
				buf_adds(&b, open[k]);
			for (int n = 0; n < 100000 && k > 2; n++)
				buf_adds(&b, k == 8 ? "u" : k == 7 ? "e" : "a");
			(void)survives(&s, b.data, b.len);
			buf_free(&b);
		}
}

/* The same text ten times, and for JSON every list ten times over. */
CASE(ten_times_the_size)
{
	for (size_t i = 0; i < seeds.n; i++) {
		const struct seed *s = &seeds.at[i];
		struct buf b;

		buf_init(&b, BIG_MAX);
		for (int n = 0; n < 10; n++)
			buf_add(&b, s->text, s->len);
		(void)survives(s, b.data, b.len);
		buf_free(&b);
	}
}

static json_t *twice(const json_t *v)
{
	const char *key;
	json_t *inner, *out;
	size_t i;

	if (json_is_object(v)) {
		out = json_object();
		json_object_foreach((json_t *)v, key, inner)
			json_object_set_new(out, key, twice(inner));
		return out;
	}
	if (json_is_array(v)) {
		out = json_array();
		for (unsigned n = 0; n < 3; n++)
			json_array_foreach(v, i, inner) json_array_append_new(out, twice(inner));
		return out;
	}
	return json_incref((json_t *)v);
}

CASE(lists_thrice)
{
	for (size_t i = 0; i < seeds.n; i++) {
		json_t *doc = json_of(&seeds.at[i]), *more = doc ? twice(doc) : NULL;
		char *text = more ? json_dumps(more, 0) : NULL;

		if (text)
			(void)survives(&seeds.at[i], text, strlen(text));
		free(text);
		json_decref(more);
		json_decref(doc);
	}
}

/* Every input to every decoder: a decoder refuses the input of others. */
CASE(given_to_the_wrong_decoder)
{
	for (size_t i = 0; i < seeds.n; i++)
		for (size_t k = 0; k < NCCL_PARSERS; k++) {
			struct seed s = seeds.at[i];

			s.parser = &nccl_parsers[k];
			(void)survives(&s, s.text, s.len);
		}
}

CASE(they_say_something)
{
	size_t n = 0;

	for (size_t i = 0; i < seeds.n; i++)
		n += survives(&seeds.at[i], seeds.at[i].text, seeds.at[i].len) > 0;
	assert_true(n >= 18);
	assert_true(n + 6 >= seeds.n);
}

static void add_seed(const char *path, char letter)
{
	struct seed s = {0};
	size_t len;

	s.file = read_file(path, &len);
	if (!s.file || !len) {
		free(s.file);
		return;
	}
	s.text = letter ? s.file : s.file + 1;
	s.len = letter ? len : len - 1;
	s.parser = nccl_parser_by_letter((unsigned char)(letter ? letter : *s.file));
	vec_push(&seeds, s);
}

static int make_seeds(void **state)
{
	static const struct {
		char letter;
		const char *file;
	} captures[] = {{'r', "ras/2.28.7/dead-rank25-late.status.json.invalid"},
		{'r', "ras/2.24.3/frozen-rank22-t1.status.txt"},
		{'r', "ras/2.24.3/straggler-rank19-behind.status.txt"},
		{'m', "ras/2.30.7/monitor-all.json.txt"},
		{'i', "inspector/straggler/gpu-node-03-pid28119.log"},
		{'p', "profiler/docs-samples/nccl_example_block00.txt"},
		{'f', "flight-recorder/nvrx/lock_gil_1st/_dump_0"},
		{'l', "nccl-logs/synthetic/completion_error_2.30.log"},
		{'l', "pytorch/synthetic/watchdog_genC_2.6+.log"},
		{'s', "slurm/synthetic/squeue_v0.0.42.json"},
		{'t', "topo/synthetic/nvidia-smi_topo_m_hgx_h100_8nic.ansi.txt"},
		{'a', "iproute2/ip-j-addr.json"}};
	const char *shared = getenv("RAILTOP_SHARED");
	const struct dirent *e;
	char path[512];
	DIR *dir = opendir("tests/fuzz/corpus/nccl");

	(void)state;
	while (dir && (e = readdir(dir))) {
		(void)str_printf(path, sizeof(path), "tests/fuzz/corpus/nccl/%s", e->d_name);
		if (e->d_name[0] != '.')
			add_seed(path, '\0');
	}
	if (dir)
		(void)closedir(dir);
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		(void)str_printf(path, sizeof(path), "%s/captures/hosts/%s",
			shared ? shared : "../shared", captures[i].file);
		add_seed(path, captures[i].letter);
	}
	print_message("# %zu texts\n", seeds.n);
	return seeds.n ? 0 : -1;
}

static int drop_seeds(void **state)
{
	(void)state;
	for (size_t i = 0; i < seeds.n; i++)
		free(seeds.at[i].file);
	vec_free(&seeds);
	return 0;
}

CASES_MAIN(make_seeds, drop_seeds)
