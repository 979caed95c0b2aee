/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of secrets: locked, not in a child, and without a trace after use. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/secret.h"
#include "tests/support/cases.h"
#include "tests/support/memory_search.h"

/* Made at run time, so that the program's own constants do not have it. */
static void make_word(char *dst, size_t size)
{
	(void)snprintf(dst, size, "%s-%d-%s", "planted", 4711, "password");
}

CASE(a_secret_is_gone_after_use)
{
	char word[64], *copy;

	make_word(word, sizeof(word));
	copy = secret_copy(word);
	assert_string_equal(copy, word);
	assert_true(secret_held() > 0);
	explicit_bzero(word, sizeof(word));
	/* The search finds it while it is held: so that it finds none later means something. */
	assert_int_equal(memory_search("-4711-", "planted", "password"), 1);
	secret_free(copy);
	assert_int_equal(memory_search("-4711-", "planted", "password"), 0);
	assert_int_equal(secret_held(), 0);
}

CASE(memory_is_zero_and_used_again)
{
	char *first = secret_new(100), *again;

	memset(first, 'x', 100);
	secret_free(first);
	again = secret_new(100);
	assert_ptr_equal(first, again);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(again[i], 0);
	secret_free(again);
	secret_free(NULL);
	assert_null(secret_copy(NULL));
}

CASE(many_of_all_sizes_stay_apart)
{
	enum { MANY = 2000 };
	static char *held[MANY];

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < MANY; i++) {
			size_t n = 1 + (i * 37 + (size_t)round * 11) % 700;

			held[i] = secret_new(n);
			memset(held[i], (int)(i % 251), n);
		}
		for (size_t i = 0; i < MANY; i++) {
			size_t n = 1 + (i * 37 + (size_t)round * 11) % 700;

			for (size_t k = 0; k < n; k++)
				assert_int_equal((unsigned char)held[i][k], i % 251);
		}
		for (size_t i = 0; i < MANY; i++)
			secret_free(held[(i * 7) % MANY]);
		assert_int_equal(secret_held(), 0);
	}
	/* One that is larger than a chunk. */
	held[0] = secret_new((size_t)1 << 20);
	memset(held[0], 1, (size_t)1 << 20);
	secret_free(held[0]);
}

static void *use_many(void *arg)
{
	for (int i = 0; i < 5000; i++) {
		char *s = secret_copy("a word of some length");

		if (strcmp(s, "a word of some length") != 0)
			return NULL;
		secret_free(s);
	}
	return arg;
}

CASE(threads_share_it)
{
	pthread_t t[4];
	void *ok;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, use_many, t), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(t[i], &ok), 0);
		assert_non_null(ok);
	}
	assert_int_equal(secret_held(), 0);
}

/* Of the mapping of an address: the flags of smaps(5). */
static bool mapping_has(const void *at, const char *flag)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	char line[512];
	bool here = false, has = false;

	while (f && fgets(line, sizeof(line), f)) {
		uintptr_t from, to;

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
			here = (uintptr_t)at >= from && (uintptr_t)at < to;
		else if (here && strncmp(line, "VmFlags:", 8) == 0)
			has = strstr(line, flag) != NULL;
	}
	if (f)
		(void)fclose(f);
	return has;
}

CASE(it_is_neither_swapped_nor_dumped)
{
	char *s = secret_copy("word"), *other = malloc(4096);

	assert_true(secret_locked());
	if (memory_locks())
		assert_true(mapping_has(s, " lo")); /* locked */
	assert_true(mapping_has(s, " dd"));         /* not in a dump */
	assert_true(mapping_has(s, " wf"));         /* wiped in a child */
	assert_false(mapping_has(other, " dd"));
	free(other);
	secret_free(s);
}

CASE(a_child_has_none)
{
	char *s = secret_copy("word");
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(s[0] == '\0' && s[3] == '\0' ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(s, "word");
	secret_free(s);
}

/* Last: the limit cannot be raised again by everyone. */
CASE(without_room_to_lock_it_is_said)
{
	struct rlimit none = {0, 0};
	char *s;
	int status;
	pid_t pid;

	if (!memory_locks()) {
		print_message("# skip: the sanitizer locks no memory\n");
		skip();
	}
	pid = fork();
	if (pid == 0) {
		/* A user that may lock all memory has no limit. */
		if (setrlimit(RLIMIT_MEMLOCK, &none) != 0 || setuid(65534) != 0)
			_exit(2);
		s = secret_new((size_t)4 << 20);
		memset(s, 1, 100);
		_exit(secret_locked() ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
		print_message("# skip: the user cannot be changed here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

CASES_MAIN(NULL, NULL)
