/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/chaos/proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	PAIRS = 64,
	FILLERS = 4, /* connections of our own that fill the queue of a black hole */
	DELAY_MS = 300,
	DRIP_MS = 100,
	TURN_MS = 20,
	MIDDLE = 900, /* bytes of an answer before it is broken off: after the handshake's first */
};

const char *const chaos_names[CHAOS_MODES] = {
	"pass", "delay", "stall", "half-open", "blackhole", "drip", "reset", "garbage"};

struct pair {
	int client, device; /* -1: none */
	size_t passed;      /* bytes of the device under the present mode */
	int64_t next_ms;    /* not before, for delay and drip */
};

struct chaos_proxy {
	pthread_t thread;
	struct sockaddr_in at, to;
	int listener;
	int filler[FILLERS];
	struct pair pair[PAIRS];
	atomic_int mode;
	atomic_bool stop;
	atomic_uint taken;
	int present; /* the mode as the thread has it */
	uint64_t random;
};

static int64_t mono_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void drop(int *fd, bool reset)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};

	if (*fd < 0)
		return;
	if (reset)
		(void)setsockopt(*fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	(void)close(*fd);
	*fd = -1;
}

static void drop_pair(struct pair *p, bool reset)
{
	drop(&p->client, reset);
	drop(&p->device, reset);
}

static int connect_to(const struct sockaddr_in *to, int flags)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)to, sizeof(*to)) != 0 &&
		errno != EINPROGRESS)
		drop(&fd, false);
	return fd;
}

static void take_client(struct chaos_proxy *p)
{
	int client = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);

	if (client < 0)
		return;
	p->taken++;
	for (size_t i = 0; i < PAIRS; i++) {
		if (p->pair[i].client >= 0 || p->pair[i].device >= 0)
			continue;
		p->pair[i] = (struct pair){.client = client, .device = -1};
		if (p->present != CHAOS_HALF_OPEN)
			p->pair[i].device = connect_to(&p->to, 0);
		return;
	}
	drop(&client, true);
}

static bool send_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t w = send(fd, bytes, n, MSG_NOSIGNAL);

		if (w <= 0)
			return false;
		bytes += w;
		n -= (size_t)w;
	}
	return true;
}

static void put_garbage(struct chaos_proxy *p, int fd)
{
	char bytes[64];

	for (size_t i = 0; i < sizeof(bytes); i++) {
		p->random = p->random * UINT64_C(6364136223846793005) + 1;
		bytes[i] = (char)(p->random >> 56);
	}
	(void)send_all(fd, bytes, sizeof(bytes));
}

static void from_device(struct chaos_proxy *p, struct pair *x)
{
	char bytes[16384];
	size_t most = p->present == CHAOS_DRIP ? 1 : sizeof(bytes);
	ssize_t n = recv(x->device, bytes, most, 0);

	if (n <= 0) {
		drop_pair(x, false);
		return;
	}
	if (p->present == CHAOS_RESET && x->passed + (size_t)n > MIDDLE) {
		(void)send_all(x->client, bytes, (size_t)n / 2);
		drop_pair(x, true);
		return;
	}
	if (p->present == CHAOS_GARBAGE && x->passed + (size_t)n > MIDDLE) {
		(void)send_all(x->client, bytes, (size_t)n / 2);
		put_garbage(p, x->client);
		(void)send_all(x->client, bytes + n / 2, (size_t)(n - n / 2));
		x->passed = 0;
		return;
	}
	x->passed += (size_t)n;
	x->next_ms = p->present == CHAOS_DELAY  ? mono_ms() + DELAY_MS
		     : p->present == CHAOS_DRIP ? mono_ms() + DRIP_MS
						: 0;
	if (!send_all(x->client, bytes, (size_t)n))
		drop_pair(x, false);
}

static void from_client(struct chaos_proxy *p, struct pair *x)
{
	char bytes[16384];
	ssize_t n = recv(x->client, bytes, sizeof(bytes), 0);

	if (n <= 0 || (x->device >= 0 && !send_all(x->device, bytes, (size_t)n)))
		drop_pair(x, false);
	(void)p;
}

/* Nobody is accepted, and the queue is full: a further connect gets no answer at all. */
static void dig_hole(struct chaos_proxy *p)
{
	(void)listen(p->listener, 0);
	for (size_t i = 0; i < FILLERS; i++)
		p->filler[i] = connect_to(&p->at, SOCK_NONBLOCK);
}

static void fill_hole(struct chaos_proxy *p)
{
	(void)listen(p->listener, 128);
	for (size_t i = 0; i < FILLERS; i++)
		drop(&p->filler[i], false);
}

static void change_mode(struct chaos_proxy *p)
{
	int mode = p->mode;

	if (mode == p->present)
		return;
	if (p->present == CHAOS_BLACKHOLE)
		fill_hole(p);
	/* What stood still in the network for so long is over. */
	if (mode == CHAOS_PASS && p->present != CHAOS_DELAY)
		for (size_t i = 0; i < PAIRS; i++)
			if (p->present == CHAOS_HALF_OPEN)
				drop_pair(&p->pair[i], true);
	p->present = mode;
	for (size_t i = 0; i < PAIRS; i++) {
		p->pair[i].passed = 0;
		if (mode == CHAOS_HALF_OPEN)
			drop(&p->pair[i].device, false);
	}
	if (mode == CHAOS_BLACKHOLE)
		dig_hole(p);
}

static bool stands_still(int mode)
{
	return mode == CHAOS_STALL || mode == CHAOS_BLACKHOLE;
}

static void turn(struct chaos_proxy *p)
{
	struct pollfd fds[2 * PAIRS + 1];
	int64_t now = mono_ms();

	change_mode(p);
	fds[0] = (struct pollfd){
		.fd = p->present == CHAOS_BLACKHOLE ? -1 : p->listener, .events = POLLIN};
	for (size_t i = 0; i < PAIRS; i++) {
		const struct pair *x = &p->pair[i];
		bool still = stands_still(p->present);

		fds[1 + 2 * i] = (struct pollfd){.fd = still ? -1 : x->client, .events = POLLIN};
		fds[2 + 2 * i] = (struct pollfd){
			.fd = still || x->next_ms > now ? -1 : x->device, .events = POLLIN};
	}
	if (poll(fds, 2 * PAIRS + 1, TURN_MS) <= 0)
		return;
	for (size_t i = 0; i < PAIRS; i++) {
		struct pair *x = &p->pair[i];

		if (fds[2 + 2 * i].revents && x->device >= 0)
			from_device(p, x);
		if (fds[1 + 2 * i].revents && x->client >= 0)
			from_client(p, x);
	}
	if (fds[0].revents)
		take_client(p);
}

static void *run(void *arg)
{
	struct chaos_proxy *p = arg;

	while (!p->stop)
		turn(p);
	return NULL;
}

static bool fill_address(struct sockaddr_in *a, const char *address, unsigned port)
{
	*a = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	return inet_pton(AF_INET, address, &a->sin_addr) == 1;
}

struct chaos_proxy *chaos_proxy_open(
	const char *address, unsigned port, const char *to_address, unsigned to_port)
{
	struct chaos_proxy *p = calloc(1, sizeof(*p));
	int yes = 1;

	if (!p)
		return NULL;
	p->random = 7;
	for (size_t i = 0; i < PAIRS; i++)
		p->pair[i] = (struct pair){.client = -1, .device = -1};
	for (size_t i = 0; i < FILLERS; i++)
		p->filler[i] = -1;
	p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (p->listener >= 0 && fill_address(&p->at, address, port) &&
		fill_address(&p->to, to_address, to_port) &&
		setsockopt(p->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
		bind(p->listener, (struct sockaddr *)&p->at, sizeof(p->at)) == 0 &&
		listen(p->listener, 128) == 0 && pthread_create(&p->thread, NULL, run, p) == 0)
		return p;
	if (p->listener >= 0)
		(void)close(p->listener);
	free(p);
	return NULL;
}

void chaos_proxy_close(struct chaos_proxy *p)
{
	if (!p)
		return;
	p->stop = true;
	(void)pthread_join(p->thread, NULL);
	for (size_t i = 0; i < PAIRS; i++)
		drop_pair(&p->pair[i], true);
	for (size_t i = 0; i < FILLERS; i++)
		drop(&p->filler[i], true);
	(void)close(p->listener);
	free(p);
}

void chaos_proxy_set(struct chaos_proxy *p, enum chaos mode)
{
	p->mode = (int)mode;
}

unsigned chaos_proxy_taken(struct chaos_proxy *p)
{
	return p->taken;
}
