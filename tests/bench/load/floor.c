/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/fail.h"
#include "tests/bench/load/floor.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "tests/bench/load/sweep.h"

#define RECORD ((size_t)32768)
#define TAG    ((size_t)16)
#define ROOM   ((size_t)262144) /* of one recv() */

static gnutls_aead_cipher_hd_t cipher_open(void)
{
	static unsigned char key[32] = "no secret, and used here only..";
	const gnutls_datum_t k = {key, sizeof(key)};
	gnutls_aead_cipher_hd_t h = NULL;

	return gnutls_aead_cipher_init(&h, GNUTLS_CIPHER_AES_256_GCM, &k) == 0 ? h : NULL;
}

/* The last record is shorter; all have a tag. */
static size_t records_of(size_t size)
{
	return (size + RECORD - 1) / RECORD;
}

static const unsigned char nonce[12];

/* The same bytes are sent again and again: the cost of decrypting them is the same. */
static char *sealed(const char *text, size_t size, size_t *total)
{
	gnutls_aead_cipher_hd_t h = cipher_open();
	char *out = mem_alloc(size + records_of(size) * TAG);
	size_t at = 0;

	for (size_t done = 0; h && done < size; done += RECORD) {
		size_t n = size - done < RECORD ? size - done : RECORD, room = n + TAG;

		(void)gnutls_aead_cipher_encrypt(
			h, nonce, sizeof(nonce), NULL, 0, TAG, text + done, n, out + at, &room);
		at += room;
	}
	if (h)
		gnutls_aead_cipher_deinit(h);
	*total = at;
	return out;
}

/* An answer for each byte that asks. */
static void answer_for_ever(int fd, const char *bytes, size_t n)
{
	char asked;

	while (read(fd, &asked, 1) == 1)
		for (size_t at = 0; at < n;) {
			ssize_t k = write(fd, bytes + at, n - at);

			if (k <= 0)
				bench_fail_child("write");
			at += (size_t)k;
		}
	_exit(0);
}

static int pair_of_sockets(int *far)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*far = -1;
	if (l >= 0 && fd >= 0 && bind(l, (const struct sockaddr *)&a, size) == 0 &&
		listen(l, 1) == 0 && getsockname(l, (struct sockaddr *)&a, &size) == 0 &&
		connect(fd, (const struct sockaddr *)&a, size) == 0)
		*far = accept4(l, NULL, NULL, SOCK_CLOEXEC);
	if (l >= 0)
		(void)close(l);
	return fd;
}

/*
 * A reader that knows the whole text except for its numbers. It compares the text between two
 * numbers, and converts each number. No reader of text does with less.
 */
struct token {
	uint32_t literal, digits; /* bytes */
};

struct tokens {
	VEC(struct token) at;
};

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static void learn(struct tokens *t, const unsigned char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		struct token *k = vec_add(&t->at);

		for (; i < n && !is_digit(text[i]); i++)
			k->literal++;
		for (; i < n && is_digit(text[i]); i++)
			k->digits++;
	}
}

static uint64_t look_through(
	const struct tokens *t, const unsigned char *text, const unsigned char *known)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->at.n; i++) {
		const struct token *k = &t->at.at[i];
		uint64_t v = 0;

		if (memcmp(text, known, k->literal) != 0)
			return 0;
		text += k->literal;
		known += k->literal + k->digits;
		for (uint32_t d = 0; d < k->digits; d++)
			v = v * 10 + (unsigned)(*text++ - '0');
		sum += v;
	}
	return sum;
}

struct client {
	int fd, epoll;
	gnutls_aead_cipher_hd_t cipher;
	unsigned char *in, *clear;
	size_t decrypted;
	struct tokens tokens;
	const unsigned char *known;
	volatile uint64_t sum; /* so that the looking is not optimised away */
};

static bool open_record(struct client *c, const unsigned char *at, size_t n)
{
	size_t room = RECORD;

	if (gnutls_aead_cipher_decrypt(c->cipher, nonce, sizeof(nonce), NULL, 0, TAG, at, n,
		    c->clear + c->decrypted, &room) != 0)
		return false;
	c->decrypted += room;
	return true;
}

static bool receive(struct client *c, size_t total)
{
	size_t have = 0, opened = 0;
	struct epoll_event e;

	c->decrypted = 0;
	if (write(c->fd, "?", 1) != 1)
		return false;
	while (opened < total) {
		size_t want = total - opened < RECORD + TAG ? total - opened : RECORD + TAG;
		ssize_t n;

		if (have - opened >= want) {
			if (!open_record(c, c->in + opened, want))
				return false;
			opened += want;
			continue;
		}
		n = recv(c->fd, c->in + have, total - have < ROOM ? total - have : ROOM,
			MSG_DONTWAIT);
		if (n > 0)
			have += (size_t)n;
		else if (n == 0 || errno != EAGAIN || epoll_wait(c->epoll, &e, 1, -1) != 1)
			return false;
	}
	c->sum += look_through(&c->tokens, c->clear, c->known);
	return true;
}

static double measure(struct client *c, size_t total, unsigned count)
{
	struct epoll_event e = {.events = EPOLLIN};
	double before;

	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!c->cipher || epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->fd, &e) != 0)
		return -1;
	before = sweep_cpu_s();
	for (unsigned i = 0; i < count; i++)
		if (!receive(c, total))
			return -1;
	return (sweep_cpu_s() - before) / count;
}

double floor_cpu_s(const char *text, size_t size, unsigned count)
{
	size_t total;
	char *bytes = sealed(text, size, &total);
	struct client c = {.cipher = cipher_open(), .epoll = -1};
	double cost = -1;
	int far;
	pid_t pid;

	c.fd = pair_of_sockets(&far);
	c.in = mem_alloc(total + 1);
	c.clear = mem_alloc(size + RECORD);
	c.known = (const unsigned char *)text;
	learn(&c.tokens, c.known, size);
	pid = far >= 0 ? fork() : -1;
	if (pid == 0) {
		(void)close(c.fd);
		answer_for_ever(far, bytes, total);
	}
	if (far >= 0)
		(void)close(far);
	if (pid > 0)
		cost = measure(&c, total, count);
	(void)close(c.fd);
	(void)close(c.epoll);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	if (c.cipher)
		gnutls_aead_cipher_deinit(c.cipher);
	free(c.in);
	free(c.clear);
	vec_free(&c.tokens.at);
	free(bytes);
	return cost;
}
