/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "backends/ssh/session_private.h"
#include "base/mem.h"

/*
 * Watches the sockets that libssh owns. libssh closes the socket of a session at any time, and its
 * number may then belong to another thread. libuv identifies the sockets that it polls by that
 * number.
 *
 * So each shard has an epoll instance of its own, and libuv polls only that instance. There a
 * session is identified by a word that is never used again. A closed socket leaves the epoll
 * instance by itself. The number is read from libssh each time it is needed.
 */

/*
 * At most this many sessions run at one wake-up; then timers and the loop's other handles have
 * their turn.
 */
#define EVENTS_MOST 128

struct watch_slot {
	struct ssh_link *link; /* NULL: free */
	uint32_t generation;   /* counts the sessions that used this slot */
	unsigned next_free;    /* slot + 1; 0: end of the list */
};

struct ssh_watch {
	int epoll;
	uv_poll_t *poll;
	struct watch_slot *slots;
	unsigned n, room, free;
};

static uint64_t word_of(const struct ssh_watch *w, unsigned slot)
{
	return (uint64_t)w->slots[slot].generation << 32 | slot;
}

/* Returns NULL if the session of this event is gone. */
static struct ssh_link *link_of_word(const struct ssh_watch *w, uint64_t word)
{
	unsigned slot = (unsigned)(word & UINT32_MAX);

	return slot < w->n && word_of(w, slot) == word ? w->slots[slot].link : NULL;
}

static void on_readiness(uv_poll_t *h, int status, int events)
{
	struct ssh_watch *w = h->data;
	struct epoll_event came[EVENTS_MOST];
	struct ssh_link *l;
	int n;

	(void)status;
	(void)events;
	n = epoll_wait(w->epoll, came, EVENTS_MOST, 0);
	for (int i = 0; i < n; i++) {
		/* An earlier event of this batch may have closed it. */
		l = link_of_word(w, came[i].data.u64);
		if (l)
			ssh_link_pump(l);
	}
}

static void on_closed(uv_handle_t *h)
{
	free(h->data);
	free(h);
}

static struct ssh_watch *watch_new(uv_loop_t *loop)
{
	struct ssh_watch *w;
	int epoll = epoll_create1(EPOLL_CLOEXEC), rc;

	if (epoll < 0)
		return NULL;
	w = mem_calloc(1, sizeof(*w));
	w->epoll = epoll;
	w->poll = mem_calloc(1, sizeof(*w->poll));
	w->poll->data = w;
	rc = uv_poll_init(loop, w->poll, epoll);
	if (rc != 0) {
		(void)close(epoll);
		free(w->poll);
		free(w);
		errno = -rc;
		return NULL;
	}
	(void)uv_poll_start(w->poll, UV_READABLE, on_readiness);
	/* The timers of the sessions keep the loop alive. */
	uv_unref((uv_handle_t *)w->poll);
	return w;
}

void ssh_watch_free(struct ssh_watch *w)
{
	if (!w)
		return;
	(void)uv_poll_stop(w->poll);
	uv_close((uv_handle_t *)w->poll, on_closed);
	(void)close(w->epoll);
	free(w->slots);
	w->slots = NULL;
	w->n = 0;
}

static unsigned slot_take(struct ssh_watch *w, struct ssh_link *l)
{
	unsigned slot = w->free ? w->free - 1 : w->n;

	if (w->free) {
		w->free = w->slots[slot].next_free;
	} else {
		if (w->n == w->room) {
			w->room = w->room ? 2 * w->room : 16;
			w->slots = mem_realloc(w->slots, w->room, sizeof(w->slots[0]));
		}
		w->slots[w->n++] = (struct watch_slot){.generation = 1};
	}
	w->slots[slot].link = l;
	return slot;
}

bool ssh_watch_begin(struct ssh_link *l)
{
	struct ssh_shard *s = l->shard;
	struct epoll_event e = {.events = 0};
	int fd = ssh_get_fd(l->session);

	if (fd < 0) /* already closed; the pump finds the reason */
		return true;
	if (!s->watch)
		s->watch = watch_new(s->loop);
	if (!s->watch)
		return false;
	l->slot = slot_take(s->watch, l) + 1;
	l->armed = 0;
	e.data.u64 = word_of(s->watch, l->slot - 1);
	return epoll_ctl(s->watch->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

void ssh_watch_arm(struct ssh_link *l, int events)
{
	struct epoll_event e = {.events = (events & UV_READABLE ? EPOLLIN : 0u) |
					  (events & UV_WRITABLE ? EPOLLOUT : 0u)};
	int fd;

	if (!l->slot || l->armed == events)
		return;
	fd = ssh_get_fd(l->session);
	if (fd < 0)
		return;
	e.data.u64 = word_of(l->shard->watch, l->slot - 1);
	if (epoll_ctl(l->shard->watch->epoll, EPOLL_CTL_MOD, fd, &e) == 0)
		l->armed = events;
}

void ssh_watch_end(struct ssh_link *l)
{
	struct ssh_watch *w = l->shard->watch;
	struct watch_slot *slot;
	int fd = l->session ? ssh_get_fd(l->session) : -1;

	if (!l->slot)
		return;
	if (fd >= 0)
		(void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
	slot = &w->slots[l->slot - 1];
	slot->link = NULL;
	slot->generation++;
	slot->next_free = w->free;
	w->free = l->slot;
	l->slot = 0;
	l->armed = 0;
}
