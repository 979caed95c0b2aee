/* SPDX-License-Identifier: Apache-2.0 */
#include "base/secret.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/mem.h"

/*
 * Thousands of links may log in at once, and RLIMIT_MEMLOCK is 8 MB or less: so secrets share
 * pages. A chunk is a row of blocks; each begins with its head.
 */
#define CHUNK ((size_t)64 << 10)
#define ALIGN sizeof(struct head)

struct head {
	uint32_t size; /* with the head */
	uint32_t used;
};

struct chunk {
	struct chunk *next;
	unsigned char *at;
	size_t size;
};

static struct {
	pthread_mutex_t mutex;
	struct chunk *chunks;
	size_t held;
	bool swappable;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct head *head_at(const struct chunk *c, size_t at)
{
	return (struct head *)(void *)(c->at + at);
}

static struct chunk *add_chunk(size_t least)
{
	struct chunk *c = mem_calloc(1, sizeof(*c));

	c->size = (least + CHUNK - 1) / CHUNK * CHUNK;
	c->at = mem_pages(NULL, 0, c->size);
	if (mlock(c->at, c->size) != 0 && !pool.swappable) {
		log_line("secret", "passwords may be swapped: %s (ulimit -l)", strerror(errno));
		pool.swappable = true;
	}
	(void)madvise(c->at, c->size, MADV_DONTDUMP);
	(void)madvise(c->at, c->size, MADV_WIPEONFORK);
	*head_at(c, 0) = (struct head){.size = (uint32_t)c->size};
	c->next = pool.chunks;
	pool.chunks = c;
	return c;
}

/* Joins the free blocks after the one at `at`. */
static void join_free(const struct chunk *c, size_t at)
{
	struct head *h = head_at(c, at);

	while (at + h->size < c->size && !head_at(c, at + h->size)->used)
		h->size += head_at(c, at + h->size)->size;
}

static char *take_block(struct chunk *c, size_t room)
{
	/* A child process got it empty. */
	if (!head_at(c, 0)->size)
		*head_at(c, 0) = (struct head){.size = (uint32_t)c->size};
	for (size_t at = 0; at < c->size; at += head_at(c, at)->size) {
		struct head *h = head_at(c, at);

		if (h->used)
			continue;
		join_free(c, at);
		if (h->size < room)
			continue;
		if (h->size > room) {
			*head_at(c, at + room) = (struct head){.size = (uint32_t)(h->size - room)};
			h->size = (uint32_t)room;
		}
		h->used = 1;
		pool.held += room;
		memset(h + 1, 0, room - sizeof(*h));
		return (char *)(h + 1);
	}
	return NULL;
}

char *secret_new(size_t size)
{
	/* One more byte, so that a text that fills its memory has an end. */
	size_t room = (sizeof(struct head) + size + 1 + ALIGN - 1) / ALIGN * ALIGN;
	char *found = NULL;

	/* No secret is that large; the size of a block has 32 bits. */
	if (size > (size_t)1 << 30)
		return mem_alloc(SIZE_MAX);
	(void)pthread_mutex_lock(&pool.mutex);
	for (struct chunk *c = pool.chunks; c && !found; c = c->next)
		found = take_block(c, room);
	if (!found)
		found = take_block(add_chunk(room), room);
	(void)pthread_mutex_unlock(&pool.mutex);
	return found;
}

char *secret_copy(const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	return text ? memcpy(secret_new(n), text, n) : NULL;
}

void secret_free(char *secret)
{
	struct head *h;

	if (!secret)
		return;
	h = (struct head *)(void *)secret - 1;
	(void)pthread_mutex_lock(&pool.mutex);
	pool.held -= h->size;
	h->used = 0;
	explicit_bzero(secret, h->size - sizeof(*h));
	(void)pthread_mutex_unlock(&pool.mutex);
}

bool secret_locked(void)
{
	bool locked;

	(void)pthread_mutex_lock(&pool.mutex);
	locked = !pool.swappable;
	(void)pthread_mutex_unlock(&pool.mutex);
	return locked;
}

size_t secret_held(void)
{
	size_t held;

	(void)pthread_mutex_lock(&pool.mutex);
	held = pool.held;
	(void)pthread_mutex_unlock(&pool.mutex);
	return held;
}
