/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#include "backends/transport/proxy_jump.h"
#include "backends/https/session_private.h"
#include "backends/transport/tunnel.h"
#include "base/str.h"

/*
 * HTTPS through a bastion. libcurl asks for a socket and gets the end of a tunnel, through which it
 * speaks TLS with the device. libcurl itself resolves no name and opens no connection.
 */

static curl_socket_t on_socket_wanted(void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
	const struct rest_link *l = ctx;
	int fd;

	(void)purpose;
	(void)to;
	fd = tunnel_socket(l->tunnel);
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static int on_socket_made(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
	(void)ctx;
	(void)fd;
	(void)purpose;
	return CURL_SOCKOPT_ALREADY_CONNECTED;
}

/* Kept connections outlive their link: then the socket belongs to libcurl alone. */
static int on_socket_done(void *ctx, curl_socket_t fd)
{
	const struct rest_multi *m = ctx;
	struct rest_link *l;

	LL_FOREACH2(m->tunnelled, l, next_tunnelled)
	{
		if (tunnel_drop(l->tunnel, fd))
			return 0;
	}
	return close(fd);
}

static void on_open(void *ctx)
{
	rest_link_open(ctx);
}

static void on_failed(void *ctx, const struct err *why)
{
	rest_link_fail(ctx, why);
}

static void on_again(void *ctx)
{
	const struct rest_link *l = ctx;

	if (l->events.again)
		l->events.again(l->events.ctx);
}

void rest_jump_open(struct rest_link *l)
{
	const struct tunnel_events events = {
		.open = on_open, .failed = on_failed, .again = on_again, .ctx = l};

	if (!l->device->jump || jump_is_none(l->device->jump))
		return;
	l->tunnel = tunnel_new(l->multi->shard->loop, l->device, l->address, l->port, &events);
	l->number = ++l->multi->numbers;
	LL_PREPEND2(l->multi->tunnelled, l, next_tunnelled);
}

void rest_jump_lane(struct rest_lane *lane)
{
	struct rest_link *l = lane->link;

	if (!l->tunnel)
		return;
	(void)curl_easy_setopt(lane->easy, CURLOPT_OPENSOCKETFUNCTION, on_socket_wanted);
	(void)curl_easy_setopt(lane->easy, CURLOPT_OPENSOCKETDATA, (void *)l);
	(void)curl_easy_setopt(lane->easy, CURLOPT_SOCKOPTFUNCTION, on_socket_made);
	(void)curl_easy_setopt(lane->easy, CURLOPT_CLOSESOCKETFUNCTION, on_socket_done);
	(void)curl_easy_setopt(lane->easy, CURLOPT_CLOSESOCKETDATA, (void *)l->multi);
}

void rest_jump_begin(struct rest_link *l)
{
	l->waiting = true;
	tunnel_begin(l->tunnel);
}

void rest_jump_close(struct rest_link *l)
{
	if (!l->tunnel)
		return;
	LL_DELETE2(l->multi->tunnelled, l, next_tunnelled);
	tunnel_close(l->tunnel);
	l->tunnel = NULL;
}

/*
 * Writes an address that no host uses, a different one for each device. Behind two bastions two
 * devices may have the same address, and neither may get the kept connection of the other.
 */
bool rest_jump_address(const struct rest_link *l, struct buf *to)
{
	return buf_addf(to, "::127.%u.%u.%u:%u", l->number >> 16 & 255, l->number >> 8 & 255,
		l->number & 255, l->port);
}

void rest_jump_explain(const struct rest_link *l, struct err *err)
{
	size_t n = strlen(err->text);

	if (!l->tunnel || strstr(err->text, "bastion"))
		return;
	if (err->code != ERR_UNAUTHORISED && tunnel_why(l->tunnel)->code != ERR_NONE)
		*err = *tunnel_why(l->tunnel);
	else if (tunnel_via(l->tunnel)[0])
		(void)str_printf(err->text + n, sizeof(err->text) - n, " (through bastion %s)",
			tunnel_via(l->tunnel));
}
