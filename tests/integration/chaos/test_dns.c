/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name server that takes questions and never answers, in namespaces of the test's own. Devices
 * with addresses do not wait for one whose name is not resolved, the reason is said, and the end of
 * the program does not wait for the answer.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"

/* glibc asks for 5 s, and so often for each name server. */
#define RESOLVER "nameserver 127.0.0.1\noptions timeout:20 attempts:3\n"

struct silence {
	struct scratch scratch;
	struct lab lab;
	int server;
	char inventory[160];
};

static bool enter_namespaces(void)
{
	return unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void listen_in_silence(struct silence *s)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(53), .sin_addr = {htonl(INADDR_LOOPBACK)}};

	s->server = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(s->server >= 0);
	assert_int_equal(bind(s->server, (struct sockaddr *)&at, sizeof(at)), 0);
}

static int setup(void **state)
{
	struct silence *s = calloc(1, sizeof(*s));

	*state = s;
	scratch_open(&s->scratch);
	s->server = -1;
	if (!enter_namespaces()) {
		print_message("# skipped: namespaces need root: %s\n", strerror(errno));
		return 0;
	}
	scratch_run(&s->scratch, "ip link set lo up");
	scratch_write(&s->scratch, "resolv.conf", RESOLVER);
	scratch_run(&s->scratch, "mount --bind resolv.conf /etc/resolv.conf");
	listen_in_silence(s);
	lab_start(&s->lab, (const char *const[]){"--steady", NULL});
	/* The fabric, and one device that has a name only. */
	(void)str_printf(s->inventory, sizeof(s->inventory), "%s/ghost.yaml", s->lab.dir);
	scratch_run(&s->scratch,
		"sed 's/^switches:/switches:\\n  - {names: ghost, tier: leaf, rail: 0, dialect: "
		"sonic, transport: ssh, address: ghost.example.net}/' '%s' >'%s'",
		s->lab.inventory, s->inventory);
	return 0;
}

static int teardown(void **state)
{
	struct silence *s = *state;

	if (s->server >= 0) {
		lab_stop(&s->lab);
		(void)close(s->server);
	}
	scratch_close(&s->scratch);
	free(s);
	return 0;
}

CASE_WITH(a_name_server_that_never_answers, setup, teardown)
{
	struct silence *s = *state;
	int64_t begun = clock_mono(&clock_system), took;
	struct lab_output o;
	char text[2048];

	if (s->server < 0)
		skip();
	o = lab_railtop(
		(const char *const[]){"check", "-f", s->inventory, "--for", "12s", NULL}, 240);
	took = (clock_mono(&clock_system) - begun) / CLOCK_SEC;
	/* It was asked, so the wait was real. */
	assert_true(recv(s->server, text, sizeof(text), MSG_DONTWAIT) > 0);
	if (o.code != 3 || !strstr(o.out, "44 fresh"))
		fail_msg("exit %d after %lld s\n%s%s", o.code, (long long)took, o.out, o.err);
	/* Up to three times of what was asked for, and not the resolver's minute. */
	if (took > 50)
		fail_msg("it took %lld s", (long long)took);
	if (!strstr(o.out, "ghost.example.net") && !strstr(o.err, "ghost.example.net"))
		fail_msg("the name is not said: %s%s", o.out, o.err);
	print_message("# figure a silent name server: %lld s\n", (long long)took);
	lab_output_free(&o);
}

CASES_MAIN(NULL, NULL)
