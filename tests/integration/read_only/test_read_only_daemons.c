/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/integration/support/fake_host.h"
#include "tests/integration/https/https.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/https/nginx.h"
#include "tests/integration/read_only/read_check.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/support/cases.h"
#include "tests/support/sonic_redis.h"

/*
 * As test_read_only.c, with real daemons that log their input. These are an OpenSSH server with a
 * forced command that keeps each command line and its standard input, a Redis under MONITOR, and an
 * nginx that logs bodies. The program polls them as it polls devices.
 */

#define KEEPER                                                                                     \
	"#!/bin/sh\n"                                                                              \
	"n=$(mktemp %s/sent/XXXXXX)\n"                                                             \
	"printf '%%s' \"$SSH_ORIGINAL_COMMAND\" >$n.command\n"                                     \
	"case $SSH_ORIGINAL_COMMAND in\n"                                                          \
	"*tail*|*journalctl*|*dmesg*) exec sh -c \"$SSH_ORIGINAL_COMMAND\" ;;\n"                   \
	"esac\n"                                                                                   \
	"tee $n.input | sh -c \"$SSH_ORIGINAL_COMMAND\"\n"

struct fixture {
	struct scratch scratch;
	struct sshd sshd;
	char inventory[128];
};

static void keep_all(struct fixture *f, const char *environment)
{
	char text[1024], extra[6000];

	scratch_run(&f->scratch, "mkdir sent");
	(void)str_printf(text, sizeof(text), KEEPER, f->scratch.dir);
	scratch_write(&f->scratch, "keeper", text);
	scratch_run(&f->scratch, "chmod 755 keeper");
	(void)str_printf(extra, sizeof(extra), "%s\nForceCommand %s", environment,
		scratch_path(&f->scratch, "keeper"));
	sshd_start(&f->sshd, &f->scratch, 0, extra);
	scratch_write(&f->scratch, "ssh_config", "");
	(void)str_copy(
		f->inventory, sizeof(f->inventory), scratch_path(&f->scratch, "fabric.yaml"));
}

/* These must change nothing, with any result; so their exit status does not count. */
static void run_all(const char *inventory, const char *target)
{
	const char *const runs[][12] = {
		{"check", "-f", inventory, NULL},
		{"snapshot", "-f", inventory, "--for", "4s", "--json", "/dev/null", NULL},
		{"findings", "-f", inventory, "--for", "2s", NULL},
		{"lint", "-f", inventory, NULL},
		{"act", "port-drain", target, "-f", inventory, "--execute", "--reason",
			"the walk of a test", NULL},
		{"act", "pfcwd-reset", target, "-f", inventory, "--read-only", "--execute",
			"--reason", "the walk of a test", NULL},
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct lab_output o = lab_railtop(runs[i], 240);

		if (o.code >= 5 || (str_eq(runs[i][0], "act") && o.code != 4))
			fail_msg("%s: exit %d\n%s", runs[i][0], o.code, o.err);
		lab_output_free(&o);
	}
}

static char *read_whole(const char *path)
{
	struct buf b;
	char part[4096];
	FILE *f = fopen(path, "re");
	size_t n;

	assert_non_null(f);
	buf_init(&b, (size_t)64 << 20);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		(void)buf_add(&b, part, n);
	(void)fclose(f);
	return buf_take(&b, NULL);
}

/* Every command line, and every byte of standard input. */
static unsigned judge_sent(const struct fixture *f)
{
	DIR *d = opendir(scratch_path(&f->scratch, "sent"));
	struct dirent *e;
	char path[512], why[256];
	unsigned n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		char *text;

		if (!strchr(e->d_name, '.') || e->d_name[0] == '.')
			continue;
		(void)str_printf(path, sizeof(path), "%s/sent/%s", f->scratch.dir, e->d_name);
		text = read_whole(path);
		if (!read_check_shell(text, why, sizeof(why)))
			fail_msg("%s\n%s", why, text);
		n += *text != '\0';
		free(text);
	}
	(void)closedir(d);
	return n;
}

CASE(a_host_behind_openssh)
{
	struct fixture f = {.inventory = ""};
	char environment[512], text[1024];

	scratch_open(&f.scratch);
	sshd_keys(&f.scratch);
	fake_host_write(&f.scratch);
	fake_host_environment(&f.scratch, environment, sizeof(environment));
	keep_all(&f, environment);
	(void)str_printf(text, sizeof(text),
		"fabric: lab\nlossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: %s, identity: user_key, known_hosts: known_hosts, "
		"ssh_config: ssh_config}\n"
		"switches:\n  - {names: sw1, address: 127.0.0.1, port: %u, dialect: linux, "
		"transport: ssh, tier: leaf}\n"
		"hosts:\n  - {names: gpu1, address: 127.0.0.1, port: %u, rails: \"mlx5_[0-1]\"}\n",
		f.sshd.user, f.sshd.port, f.sshd.port);
	scratch_write(&f.scratch, "fabric.yaml", text);
	run_all(f.inventory, "gpu1:mlx5_0");
	assert_true(judge_sent(&f) > 30);
	sshd_stop(&f.sshd);
	scratch_close(&f.scratch);
}

/* ---- Redis ---- */

static pid_t monitor(const struct sonic_redis *r, const char *file)
{
	char line[400];
	char *const argv[] = {"sh", "-c", line, NULL};
	pid_t pid;

	(void)str_printf(
		line, sizeof(line), "exec redis-cli -s %s/redis.sock MONITOR >%s", r->dir, file);
	assert_int_equal(posix_spawnp(&pid, "sh", NULL, NULL, argv, environ), 0);
	return pid;
}

/* 1763769600.250000 [2 unix:/...] "HGETALL" "COUNTERS_PORT_NAME_MAP"; [0 lua] from a script. */
static unsigned judge_monitor(const char *file)
{
	char *text = read_whole(file), *save = NULL;
	unsigned n = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *word = strstr(line, "] \"");

		if (!word)
			continue;
		word += 3;
		word[strcspn(word, "\"")] = '\0';
		if (!read_check_redis(word))
			fail_msg("Redis was told %s", word);
		n++;
	}
	free(text);
	return n;
}

CASE(a_sonic_switch_with_a_real_redis)
{
	struct fixture f = {.inventory = ""};
	struct sonic_redis redis = {.pid = 0};
	char environment[5000], text[1024], log[128];
	struct stat st;
	int64_t until;
	pid_t pid;

	if (!sonic_redis_start(&redis))
		skip();
	sonic_redis_load(&redis, -1, APPL_DB, "tests/captures/fixtures/sonic_appl.json");
	sonic_redis_load(&redis, -1, COUNTERS_DB, "tests/captures/fixtures/sonic_counters.json");
	sonic_redis_load(&redis, -1, CONFIG_DB, "tests/captures/fixtures/sonic_config.json");
	sonic_redis_load(&redis, -1, STATE_DB, "tests/captures/fixtures/sonic_state.json");
	scratch_open(&f.scratch);
	sshd_keys(&f.scratch);
	(void)str_printf(environment, sizeof(environment),
		"Match all\nSetEnv SHLVL=2 \"PATH=%s:/usr/bin:/bin\"", redis.dir);
	keep_all(&f, environment);
	(void)str_printf(text, sizeof(text),
		"fabric: lab\nlossless: {priorities: [3, 4]}\n"
		"defaults: {interval: 1s, user: %s, identity: user_key, known_hosts: known_hosts, "
		"ssh_config: ssh_config}\n"
		"switches:\n  - {names: leaf1, address: 127.0.0.1, port: %u, dialect: sonic, "
		"transport: ssh, tier: leaf}\n",
		f.sshd.user, f.sshd.port);
	scratch_write(&f.scratch, "fabric.yaml", text);
	(void)str_copy(log, sizeof(log), scratch_path(&f.scratch, "monitor"));
	pid = monitor(&redis, log);
	/* It says OK when it listens. */
	for (until = now_ms() + 10000; stat(log, &st) != 0 || st.st_size == 0;)
		assert_true(now_ms() < until);
	run_all(f.inventory, "leaf1:Ethernet0");
	assert_true(judge_sent(&f) > 10);
	assert_true(judge_monitor(log) > 100);
	(void)kill(pid, SIGTERM);
	(void)waitpid(pid, NULL, 0);
	sshd_stop(&f.sshd);
	sonic_redis_stop(&redis);
	scratch_close(&f.scratch);
}

/* ---- HTTPS ---- */

CASE(switches_behind_nginx)
{
	struct scratch s;
	struct nginx nginx;
	char text[1500], inventory[128], why[256];
	char *log, *save = NULL;
	unsigned n = 0;

	if (!nginx_installed())
		skip();
	scratch_open(&s);
	https_certificates(&s);
	scratch_run(&s, "mkdir -p bodies/eos bodies/api/node/class bodies/nvue_v1/platform");
	nginx_start(&nginx, &s, "good", "");
	scratch_write(&s, "password", "noc:sec:ret\n");
	scratch_run(&s, "chmod 600 password");
	(void)str_printf(text, sizeof(text),
		"fabric: lab\nlossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: noc, tls_ca: ca.pem}\nswitches:\n"
		"  - {names: a, address: 127.0.0.1, port: %u, dialect: eos, transport: https, "
		"tier: "
		"leaf, credentials: \"file:password\"}\n"
		"  - {names: b, address: 127.0.0.1, port: %u, dialect: nxos, transport: https, "
		"tier: "
		"leaf, credentials: \"file:password\"}\n"
		"  - {names: c, address: 127.0.0.1, port: %u, dialect: cumulus, transport: https, "
		"tier: leaf, credentials: \"file:password\"}\n",
		nginx.port, nginx.port, nginx.port);
	scratch_write(&s, "fabric.yaml", text);
	(void)str_copy(inventory, sizeof(inventory), scratch_path(&s, "fabric.yaml"));
	run_all(inventory, "a:Ethernet1/1");
	log = read_whole(scratch_path(&s, "whole.log"));
	for (char *line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *e = lab_json(line);
		const char *path = json_string_value(json_object_get(e, "path"));

		/* Refused before its body was read: asked again after the login. */
		if (str_eq(path, "/ins") && !*json_string_value(json_object_get(e, "body"))) {
			json_decref(e);
			continue;
		}
		if (!read_check_https(json_string_value(json_object_get(e, "method")), path,
			    json_string_value(json_object_get(e, "body")), why, sizeof(why)))
			fail_msg("%s\n%s", why, line);
		json_decref(e);
		n++;
	}
	assert_true(n > 30);
	free(log);
	nginx_stop(&nginx);
	scratch_close(&s);
}

CASES_MAIN(NULL, NULL)
