/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_CHAOS_PROXY_H
#define TESTS_SUPPORT_CHAOS_PROXY_H

/*
 * A TCP proxy between railtop and a device, that does what bad networks do. The mode may change at
 * any time, and holds for connections that exist as well. One thread, up to 64 connections.
 */
enum chaos {
	CHAOS_PASS,      /* nothing happens */
	CHAOS_DELAY,     /* each part of an answer comes 300 ms later */
	CHAOS_STALL,     /* connections stand, and nothing passes: packets are lost */
	CHAOS_HALF_OPEN, /* the device has closed, and nobody has told railtop */
	CHAOS_BLACKHOLE, /* as STALL, and who connects hears nothing */
	CHAOS_DRIP,      /* answers come at ten bytes a second */
	CHAOS_RESET,     /* each connection is reset in the middle of an answer */
	CHAOS_GARBAGE,   /* random bytes in the middle of an answer */
	CHAOS_MODES
};

extern const char *const chaos_names[CHAOS_MODES];

struct chaos_proxy;

/* Listens there and connects to the other; NULL: errno. Addresses are IPv4 in digits. */
struct chaos_proxy *chaos_proxy_open(
	const char *address, unsigned port, const char *to_address, unsigned to_port);
void chaos_proxy_close(struct chaos_proxy *p); /* NULL is allowed */
void chaos_proxy_set(struct chaos_proxy *p, enum chaos mode);
/* Connections that were taken since the start. */
unsigned chaos_proxy_taken(struct chaos_proxy *p);

#endif
