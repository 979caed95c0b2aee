/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/slot.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/support/cases.h"

enum {
	SLOTS = 100,       /* as in tests/run_one.sh; as many again for programs started by hand */
	FIRST_NET = 50,    /* 127.50.0.0 */
	FIRST_PORT = 2000, /* the kernel's own begin at 32768 */
	PORTS = 150,
};

static unsigned slot(void)
{
	const char *text = getenv("TEST_SLOT");

	return text ? (unsigned)atoi(text) % SLOTS : SLOTS + (unsigned)getpid() % SLOTS;
}

const char *slot_address(char *dst, size_t size)
{
	(void)str_printf(dst, size, "127.%u.0.1", FIRST_NET + slot());
	return dst;
}

static bool is_free(unsigned port)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int yes = 1;
	bool free;

	assert_true(fd >= 0);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	free = bind(fd, (struct sockaddr *)&in, sizeof(in)) == 0;
	(void)close(fd);
	return free;
}

unsigned slot_port(void)
{
	static unsigned next;

	for (unsigned tried = 0; tried < PORTS; tried++) {
		unsigned port = FIRST_PORT + slot() * PORTS + next++ % PORTS;

		if (is_free(port))
			return port;
	}
	fail_msg("no port is free in slot %u", slot());
	return 0;
}
