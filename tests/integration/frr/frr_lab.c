/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/frr/frr_lab.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define PATIENCE_MS 20000
#define SCRIPT      "tests/integration/frr/frr_lab.sh"

extern char **environ;

static const struct {
	const char *name;
	enum tier tier;
} nodes[FRR_LAB_NODES] = {{"spine1", TIER_SPINE}, {"spine2", TIER_SPINE}, {"leaf1", TIER_LEAF},
	{"leaf2", TIER_LEAF}, {"leaf3", TIER_LEAF}, {"leaf4", TIER_LEAF}, {"host1", TIER_HOST},
	{"host2", TIER_HOST}, {"host3", TIER_HOST}, {"host4", TIER_HOST}, {"host5", TIER_HOST},
	{"host6", TIER_HOST}, {"host7", TIER_HOST}, {"host8", TIER_HOST}};

/* ---- requirements of the machine ---- */

static bool missing(const char *what)
{
	print_message("# skipped: %s\n", what);
	return false;
}

static bool machine_can(void)
{
	static const struct {
		const char *path, *package;
	} programs[] = {{"/usr/lib/frr/bgpd", "frr"}, {"/usr/bin/vtysh", "frr"},
		{"/usr/sbin/lldpd", "lldpd"}, {"/usr/sbin/sshd", "openssh-server"},
		{"/usr/sbin/ip", "iproute2"}, {"/usr/bin/nsenter", "util-linux"}};
	char text[128];

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (access(programs[i].path, X_OK) == 0)
			continue;
		str_printf(
			text, sizeof(text), "the package %s is not installed", programs[i].package);
		return missing(text);
	}
	if (getuid() != 0)
		return missing("network namespaces need root");
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) {
		str_printf(text, sizeof(text), "this machine allows no namespaces: %s",
			strerror(errno));
		return missing(text);
	}
	return true;
}

/* ---- its process ---- */

static void spawn(struct frr_lab *l, const char *script, const char *argument)
{
	char *argv[] = {"unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc",
		"sh", (char *)(uintptr_t)script, l->scratch.dir, (char *)(uintptr_t)argument, NULL};
	posix_spawn_file_actions_t actions;
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawnp(&l->pid, argv[0], &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	(void)close(in[0]);
	(void)close(out[1]);
	l->in = in[1];
	l->out = out[0];
}

/* The next line that it prints; the deadline makes a hang a failure. */
static void line_of(struct frr_lab *l, char *line, size_t size)
{
	struct pollfd p = {.fd = l->out, .events = POLLIN};
	int64_t until = now_ms() + PATIENCE_MS;
	char *end;
	ssize_t got;

	while (!(end = memchr(l->text, '\n', l->len))) {
		if (now_ms() > until || poll(&p, 1, PATIENCE_MS) <= 0)
			fail_msg("the lab says nothing");
		got = read(l->out, l->text + l->len, sizeof(l->text) - l->len);
		if (got <= 0)
			fail_msg("the lab ended");
		l->len += (size_t)got;
	}
	str_copyn(line, size, l->text, (size_t)(end - l->text));
	l->len -= (size_t)(end + 1 - l->text);
	memmove(l->text, end + 1, l->len);
}

static void write_keys(struct frr_lab *l, unsigned count)
{
	scratch_run(&l->scratch, "ssh-keygen -q -t ed25519 -N '' -f host_key");
	scratch_run(&l->scratch, "ssh-keygen -q -t ed25519 -N '' -f user_key");
	scratch_run(&l->scratch, "cp user_key.pub authorized_keys; : >ssh_config");
	for (unsigned i = 0; i < count; i++)
		scratch_run(&l->scratch,
			"printf '192.0.2.%u %%s\\n' \"$(cut -d' ' -f1,2 host_key.pub)\""
			" >>known_hosts",
			11 + i);
}

void frr_lab_word(struct frr_lab *l, const char *word)
{
	char line[256];

	do
		line_of(l, line, sizeof(line));
	while (!str_eq(line, word) && !str_starts(line, "failed"));
	if (!str_eq(line, word))
		fail_msg("the lab did not start: %s", line);
}

bool frr_lab_start_as(struct frr_lab *l, const char *script, const char *argument, unsigned count)
{
	memset(l, 0, sizeof(*l));
	if (!machine_can())
		return false;
	scratch_open(&l->scratch);
	write_keys(l, count);
	scratch_run(&l->scratch, "/usr/sbin/ip link set lo up");
	spawn(l, script, argument);
	frr_lab_word(l, "ready");
	return true;
}

bool frr_lab_start(struct frr_lab *l)
{
	return frr_lab_start_as(l, SCRIPT, NULL, FRR_LAB_NODES);
}

void frr_lab_stop(struct frr_lab *l)
{
	if (l->pid <= 0)
		return;
	/* Its first process ends with its input, and the kernel ends the rest with that. */
	(void)close(l->in);
	(void)waitpid(l->pid, NULL, 0);
	(void)close(l->out);
	scratch_close(&l->scratch);
	l->pid = 0;
}

/* ---- operations of tests ---- */

static int run(struct frr_lab *l, const char *node, const char *command)
{
	char line[256];

	if (dprintf(l->in, "%s %s\n", node, command) < 0)
		fail_msg("the lab is gone");
	do
		line_of(l, line, sizeof(line));
	while (!str_starts(line, "done "));
	return atoi(line + strlen("done "));
}

void frr_lab_run(struct frr_lab *l, const char *node, const char *command)
{
	int status = run(l, node, command);

	if (status != 0)
		fail_msg("%s: %s: exit %d", node, command, status);
}

bool frr_lab_is(struct frr_lab *l, const char *node, const char *command)
{
	return run(l, node, command) == 0;
}

void frr_lab_until(struct frr_lab *l, const char *node, const char *command)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (run(l, node, command) != 0)
		if (now_ms() > until)
			fail_msg("%s: never so: %s", node, command);
}

void frr_lab_plan(const struct frr_lab *l, struct plan *plan)
{
	plan_init(plan);
	for (unsigned i = 0; i < FRR_LAB_NODES; i++) {
		struct plan_device *d = vec_add(&plan->devices);
		char address[32];

		str_printf(address, sizeof(address), "192.0.2.%u", 11 + i);
		str_copy(d->name, sizeof(d->name), nodes[i].name);
		d->tier = nodes[i].tier;
		d->net = NET_BACKEND;
		d->rail = -1;
		d->dialect = mem_strdup("linux");
		d->transport = mem_strdup("ssh");
		d->address = mem_strdup(address);
		d->user = mem_strdup("root");
		d->identity = mem_strdup(scratch_path(&l->scratch, "user_key"));
		d->known_hosts = mem_strdup(scratch_path(&l->scratch, "known_hosts"));
		d->ssh_config = mem_strdup(scratch_path(&l->scratch, "ssh_config"));
		d->interval_us = d->medium_us = d->slow_us = CLOCK_SEC;
	}
}
