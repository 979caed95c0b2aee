/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/ssh/known_hosts_files.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* known_hosts as a table: every form of a line, and invalid lines. */

#define ED  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"
#define RSA "ssh-rsa AAAAB3NzaC1yc2EA"

static struct known_hosts *table(const char *text)
{
	return known_hosts_new(mem_strdup(text), strlen(text));
}

/* "1 3": the numbers of the lines about the host. */
static const char *lines_of(const struct known_hosts *k, const char *host, unsigned port)
{
	static char text[256];
	struct known_found found = {0};
	size_t n = 0;

	text[0] = '\0';
	known_hosts_find(k, host, port, &found);
	for (size_t i = 0; i < found.lines.n && n < sizeof(text); i++) {
		struct known_line l = known_hosts_line(k, found.lines.at[i]);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", i ? " " : "", l.number);
	}
	vec_free(&found.lines);
	return text;
}

static void one(const char *text, const char *host, unsigned port, const char *lines)
{
	struct known_hosts *k = table(text);

	assert_string_equal(lines_of(k, host, port), lines);
	known_hosts_free(k);
}

CASE(finds_a_name)
{
	const char *text = "leaf-1 " ED "\n"
			   "# leaf-2 " ED "\n"
			   "\n"
			   "leaf-1,10.0.0.1 " RSA " a comment\n"
			   "leaf-2 " ED "\n";

	one(text, "leaf-1", 22, "1 4");
	one(text, "LEAF-1", 22, "1 4");
	one(text, "10.0.0.1", 22, "4");
	one(text, "leaf-2", 22, "5");
	one(text, "leaf-", 22, "");
	one(text, "leaf-11", 22, "");
	one("Leaf-1 " ED "\n", "leaf-1", 22, "1");
	/* The same line twice is one. */
	one("a,a,b " ED "\n", "a", 22, "1");
	one("", "a", 22, "");
}

CASE(tells_ports_apart)
{
	const char *text = "host " ED "\n[host]:2222 " ED "\n[host]:22 " RSA "\n";

	one(text, "host", 22, "1 3");
	one(text, "host", 2222, "2");
	one(text, "host", 23, "");
	one("::1 " ED "\n[fe80::1]:830 " ED "\n", "::1", 22, "1");
	one("::1 " ED "\n[fe80::1]:830 " ED "\n", "FE80::1", 830, "2");
}

CASE(reads_fields_as_ssh_does)
{
	struct known_hosts *k = table(" \ta \t ssh-ed25519\tAAAA==\tx y\r\nb " ED);
	struct known_line l = known_hosts_line(k, 0);

	assert_int_equal(known_hosts_count(k), 2);
	assert_string_equal(l.type, "ssh-ed25519");
	assert_string_equal(l.key, "AAAA==");
	assert_int_equal(l.mark, KNOWN_KEY);
	assert_string_equal(lines_of(k, "a", 22), "1");
	assert_string_equal(lines_of(k, "b", 22), "2");
	assert_int_equal(known_hosts_unreadable(k, NULL), 0);
	known_hosts_free(k);
	one("a " ED "\r\n", "a", 22, "1");
}

CASE(tries_patterns)
{
	const char *text = "leaf-* " ED "\n"
			   "leaf-?? " ED "\n"
			   "*,!leaf-1 " ED "\n"
			   "!leaf-1 " ED "\n"
			   "[*.pod1]:* " ED "\n"
			   "spine,!spine " ED "\n"
			   "a*b*c " ED "\n";

	one(text, "leaf-1", 22, "1");
	one(text, "leaf-12", 22, "1 2 3");
	one(text, "LEAF-12", 22, "1 2 3");
	one(text, "leaf-12", 830, "3");
	one(text, "x.pod1", 22, "3 5");
	one(text, "x.pod1", 830, "3 5");
	one(text, "spine", 22, "3");
	one(text, "axxbxxbxc", 22, "3 7");
	one(text, "axxbxx", 22, "3");
	one("* " ED "\n", "[", 22, "1");
}

CASE(knows_marks)
{
	struct known_hosts *k = table("@revoked * " ED "\n@cert-authority *.pod1,x " RSA "\n"
				      "@unheard-of x " ED "\n@revoked\nx " ED "\n");

	assert_string_equal(lines_of(k, "x", 22), "1 2 5");
	assert_int_equal(known_hosts_line(k, 0).mark, KNOWN_REVOKED);
	assert_int_equal(known_hosts_line(k, 1).mark, KNOWN_AUTHORITY);
	assert_int_equal(known_hosts_line(k, 2).mark, KNOWN_KEY);
	known_hosts_free(k);
}

/* By ssh-keygen -H of OpenSSH 9.2 for "leaf-1" and "[leaf-1]:2222". */
#define HASHED_22   "|1|0A5uapBrFQZk1yfd1kgubrMzZ6c=|Ubx/8AmjhAU1QFxUvZYeCOXe8Z8="
#define HASHED_2222 "|1|hflV48AoRXrfQtyWsMK9ZqKtCm8=|4FcKp9viUsu0SvZaYMoE6M+KOB0="

CASE(finds_hashed_names)
{
	const char *text = HASHED_22 " " ED "\nother " ED "\n" HASHED_2222 " " RSA "\n"
				     "@revoked " HASHED_22 " " RSA "\n";
	struct known_hosts *k = table(text);

	assert_int_equal(known_hosts_hashed(k), 3);
	assert_string_equal(lines_of(k, "leaf-1", 22), "1 4");
	assert_string_equal(lines_of(k, "Leaf-1", 22), "1 4");
	assert_string_equal(lines_of(k, "leaf-1", 2222), "3");
	assert_string_equal(lines_of(k, "leaf-2", 22), "");
	known_hosts_free(k);
}

CASE(leaves_out_what_is_no_line)
{
	static const char *const none[] = {"a", "a ssh-rsa", "a ssh-rsa !!!",
		"a ssh-rsa =", "a ss\033h AAAA", "|1|AAAA|BBBB " ED,
		"|1|XLCRAH8+0Ebyht9ZTQDT6pPIkBQ= " ED,
		"|2|XLCRAH8+0Ebyht9ZTQDT6pPIkBQ=|XLCRAH8+0Ebyht9ZTQDT6pPIkBQ= " ED, "| " ED,
		"@revoked", "@ a " ED, "a ssh-rsa AAAA=B"};
	struct buf b;
	unsigned first = 0;
	struct known_hosts *k;
	size_t len;
	char *text;

	buf_init(&b, 1 << 20);
	(void)buf_adds(&b, "good " ED "\n");
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		(void)buf_addf(&b, "%s\n", none[i]);
	(void)buf_add(&b, "a\0 " ED "\n", sizeof("a\0 " ED "\n") - 1);
	(void)buf_adds(&b, "last " ED "\n");
	text = buf_take(&b, &len);
	k = known_hosts_new(text, len);
	assert_int_equal(known_hosts_count(k), 2);
	assert_int_equal(known_hosts_unreadable(k, &first), sizeof(none) / sizeof(none[0]) + 1);
	assert_int_equal(first, 2);
	assert_string_equal(lines_of(k, "last", 22), "15");
	known_hosts_free(k);
}

CASE(bounds_what_it_reads)
{
	size_t len = KNOWN_HOSTS_LINE + 1000;
	char *text = malloc(len + 1), host[600];
	struct known_hosts *k;

	assert_non_null(text);
	memset(text, 'a', len);
	memcpy(text + len - sizeof("\nb " ED) + 1, "\nb " ED, sizeof("\nb " ED));
	k = known_hosts_new(text, len);
	assert_int_equal(known_hosts_unreadable(k, NULL), 1);
	assert_string_equal(lines_of(k, "b", 22), "2");
	/* No device has such a name. */
	memset(host, 'b', sizeof(host) - 1);
	host[sizeof(host) - 1] = '\0';
	assert_string_equal(lines_of(k, host, 22), "");
	known_hosts_free(k);
}

CASE(finds_one_of_very_many)
{
	struct known_hosts *k;
	struct buf b;
	size_t len;
	char *text;

	buf_init(&b, 16 << 20);
	for (int i = 0; i < 50000; i++)
		(void)buf_addf(
			&b, "node%d,10.%d.%d.%d " ED "\n", i, i >> 16, i >> 8 & 255, i & 255);
	text = buf_take(&b, &len);
	k = known_hosts_new(text, len);
	assert_int_equal(known_hosts_count(k), 50000);
	assert_string_equal(lines_of(k, "node0", 22), "1");
	assert_string_equal(lines_of(k, "node49999", 22), "50000");
	assert_string_equal(lines_of(k, "10.0.195.79", 22), "50000");
	assert_string_equal(lines_of(k, "node50000", 22), "");
	known_hosts_free(k);
}

/* ---- files ---- */

static char path[] = "/tmp/railtop-known-XXXXXX";

static void put(const char *mode, const char *text)
{
	FILE *f = fopen(path, mode);

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static size_t count(struct hosts_file *f, const char *host, int error)
{
	struct known_matches m = {0};
	size_t n;

	assert_int_equal(hosts_file_find(f, host, 22, &m), error);
	n = m.n;
	for (size_t i = 0; i < n; i++)
		assert_string_equal(m.at[i].file, path);
	known_matches_free(&m);
	return n;
}

static int setup_file(void **state)
{
	int fd;

	(void)state;
	(void)strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	hosts_files_open();
	return fd < 0 || close(fd) != 0;
}

static int teardown_file(void **state)
{
	(void)state;
	hosts_files_close();
	(void)unlink(path);
	return 0;
}

CASE_WITH(sees_that_a_file_changed, setup_file, teardown_file)
{
	struct hosts_file *f = hosts_file_at(path);

	assert_ptr_equal(hosts_file_at(path), f);
	assert_string_equal(hosts_file_path(f), path);
	assert_int_equal(count(f, "a", 0), 0);
	put("w", "a " ED "\n");
	assert_int_equal(count(f, "a", 0), 1);
	put("a", "a " RSA "\n" HASHED_22 " " ED "\n");
	assert_int_equal(count(f, "a", 0), 2);
	assert_int_equal(count(f, "leaf-1", 0), 1);
	assert_int_equal(count(f, "leaf-1", 0), 1);
	/* The same size in the same moment. */
	put("w", "a " ED "\n");
	assert_int_equal(count(f, "a", 0), 1);
	put("w", "b " ED "\n");
	assert_int_equal(count(f, "a", 0), 0);
	assert_int_equal(count(f, "b", 0), 1);
	assert_int_equal(count(f, "leaf-1", 0), 0);
}

CASE_WITH(says_why_there_is_no_file, setup_file, teardown_file)
{
	struct hosts_file *f = hosts_file_at(path);

	put("w", "a " ED "\n");
	assert_int_equal(count(f, "a", 0), 1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(count(f, "a", ENOENT), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(count(f, "a", EISDIR), 0);
	assert_int_equal(rmdir(path), 0);
	/* Nobody waits for a writer. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(count(f, "a", 0), 0);
	assert_int_equal(unlink(path), 0);
	put("w", "a " ED "\n");
	assert_int_equal(count(f, "a", 0), 1);
}

enum { THREADS = 4, LOOKS = 300, CHANGES = 100 };

/* Looks up while others do and the file is replaced; returns the number of wrong results. */
static void *look_often(void *ctx)
{
	uintptr_t wrong = 0;

	for (int i = 0; i < LOOKS; i++) {
		struct known_matches m = {0};

		wrong += hosts_file_find(ctx, "leaf-1", 22, &m) != 0;
		wrong += m.n != 2 || strcmp(m.at[0].type, "ssh-ed25519") != 0 ||
			 strcmp(m.at[1].type, "ssh-rsa") != 0;
		known_matches_free(&m);
	}
	return (void *)wrong;
}

CASE_WITH(serves_several_threads, setup_file, teardown_file)
{
	struct hosts_file *f = hosts_file_at(path);
	char other[sizeof(path) + 8], text[1024];
	pthread_t threads[THREADS];
	void *wrong = NULL;

	(void)str_printf(other, sizeof(other), "%s.new", path);
	put("w", HASHED_22 " " ED "\nleaf-1 " RSA "\n");
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, look_often, f), 0);
	for (int i = 0; i < CHANGES; i++) {
		FILE *new = fopen(other, "w");

		assert_non_null(new);
		(void)str_printf(text, sizeof(text), "# %*d\n%s", i, i,
			HASHED_22 " " ED "\nleaf-1 " RSA "\n");
		assert_true(fputs(text, new) >= 0);
		assert_int_equal(fclose(new), 0);
		assert_int_equal(rename(other, path), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
}

CASES_MAIN(NULL, NULL)
