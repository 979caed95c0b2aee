/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attacks by a device: the built program asks a server that means harm, beside an honest host. It
 * stays small, ends in time, names the device, keeps the password to itself, and the honest host is
 * fresh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/integration/attacks/hostile_server.h"
#include "tests/integration/https/https.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/integration/support/fake_host.h"
#include "tests/integration/support/lab.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* A run against an honest fabric of two devices takes 20 MB. */
enum { PEAK_KB = SANITIZED ? 900000 : 200000, RUN_S = 120, LONGEST_S = 60 };

static struct {
	struct scratch scratch;
	struct sshd sshd;
	char program[256], inventory[128];
} bench;

static const char *pem(const char *name)
{
	return scratch_path(&bench.scratch, name);
}

static void write_inventory(const char *evil)
{
	char text[1500];

	(void)str_printf(text, sizeof(text),
		"fabric: attack\nlossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: %s, identity: user_key, known_hosts: known_hosts, "
		"ssh_config: ssh_config, tls_ca: ca.pem}\n"
		"switches:\n  - {names: evil, address: 127.0.0.1, tier: leaf, %s}\n"
		"hosts:\n  - {names: gpu1, address: 127.0.0.1, port: %u, rails: \"mlx5_[0-1]\"}\n",
		bench.sshd.user, evil, bench.sshd.port);
	scratch_write(&bench.scratch, "fabric.yaml", text);
}

static struct measured check_run(const char *form)
{
	const char *const argv[] = {
		bench.program, "check", "-f", bench.inventory, "--for", "6s", form, NULL};

	return run_measured(argv, RUN_S);
}

static void expect_unharmed(const struct measured *m, const char *what)
{
	print_message("# figure %s: exit %d, %.1f s, at most %ld MB\n", what, m->code, m->seconds,
		m->peak_kb / 1024);
	if (m->code < 0 || m->code > 5)
		fail_msg("%s: exit %d: %.1000s", what, m->code, m->said);
	if (m->peak_kb > PEAK_KB)
		fail_msg("%s: it took %ld MB", what, m->peak_kb / 1024);
	if (m->seconds > LONGEST_S)
		fail_msg("%s: it took %.0f s", what, m->seconds);
	for (const char *p = m->said; *p; p++)
		if (((unsigned char)*p < ' ' && *p != '\n') || *p == 127)
			fail_msg("%s: a byte %d is printed: %.1000s", what, *p, m->said);
}

static void expect_evil_dark(const struct measured *m, const char *what, const char *reason)
{
	if (m->code != 3)
		fail_msg("%s: exit %d: %.2000s", what, m->code, m->said);
	if (!strstr(m->said, reason))
		fail_msg("%s: \"%s\" is not said: %.2000s", what, reason, m->said);
	if (!strstr(m->said, "2 devices: 1 fresh"))
		fail_msg("%s: the honest host suffers: %.2000s", what, m->said);
}

/* ---- HTTPS ---- */

static void attack_dialect(
	const char *dialect, enum hostility how, const char *what, const char *reason)
{
	unsigned port, stolen_port;
	struct hostile_server *thief =
		hostile_start(HOSTILE_REDIRECT, pem("good.pem"), pem("good.key"), 1, &stolen_port);
	struct hostile_server *s =
		hostile_start(how, pem("good.pem"), pem("good.key"), stolen_port, &port);
	struct measured m;
	char evil[200];

	(void)str_printf(evil, sizeof(evil),
		"port: %u, dialect: %s, transport: https, credentials: \"file:password\"", port,
		dialect);
	write_inventory(evil);
	m = check_run(NULL);
	if (!hostile_connections(s))
		fail_msg("%s: it was not asked: %s", what, m.said);
	expect_unharmed(&m, what);
	expect_evil_dark(&m, what, reason);
	if (hostile_connections(thief) || hostile_passwords(thief))
		fail_msg("%s: another server was asked", what);
	if (strstr(m.said, "planted"))
		fail_msg("%s: the password is printed: %s", what, m.said);
	free(m.said);
	hostile_stop(s);
	hostile_stop(thief);
}

static void attack_https(enum hostility how, const char *what, const char *reason)
{
	attack_dialect("eos", how, what, reason);
}

CASE(headers_without_an_end)
{
	attack_https(HOSTILE_HEADERS, "endless headers", "evil");
}

CASE(a_gzip_bomb)
{
	attack_https(HOSTILE_BOMB, "gzip bomb", "larger than");
}

CASE(a_redirect_to_another_server)
{
	attack_https(HOSTILE_REDIRECT, "redirect", "307");
}

CASE(an_answer_that_drips)
{
	attack_https(HOSTILE_DRIP, "dripping answer", "evil");
}

CASE(json_of_many_brackets)
{
	attack_https(HOSTILE_DEPTH, "deep JSON over HTTPS", "evil");
}

/* The manager of an InfiniBand fabric: its lists may be large, and each is read while it comes. */
CASE(a_manager_that_means_harm)
{
	attack_dialect("ufm", HOSTILE_BOMB, "gzip bomb of UFM", "larger than");
	attack_dialect("ufm", HOSTILE_REDIRECT, "redirect of UFM", "307");
	attack_dialect("ufm", HOSTILE_DEPTH, "deep JSON of UFM", "evil");
}

/* ---- SSH ---- */

static void attack_ssh(enum hostility how, const char *what)
{
	unsigned port;
	struct hostile_server *s = hostile_start(how, NULL, NULL, 0, &port);
	struct measured m;
	char evil[200];

	(void)str_printf(evil, sizeof(evil), "port: %u, dialect: sonic", port);
	write_inventory(evil);
	m = check_run(NULL);
	if (!hostile_connections(s))
		fail_msg("%s: it was not asked: %s", what, m.said);
	expect_unharmed(&m, what);
	expect_evil_dark(&m, what, "evil");
	free(m.said);
	hostile_stop(s);
}

CASE(lines_before_ssh_without_an_end)
{
	attack_ssh(HOSTILE_BANNER, "endless SSH banner");
}

CASE(a_version_of_ssh_without_an_end)
{
	attack_ssh(HOSTILE_WORD, "dripping SSH version");
}

/* ---- tools of a host ---- */

/* The same host has another lldpcli or ethtool meanwhile. */
static struct measured with_tool(const char *tool, const char *script, const char *form)
{
	struct measured m;

	scratch_run(&bench.scratch, "mv tools/%s tools/%s.own", tool, tool);
	scratch_write(&bench.scratch, "tool.new", script);
	scratch_run(&bench.scratch, "chmod +x tool.new && mv tool.new tools/%s", tool);
	write_inventory("port: 1, dialect: sonic");
	m = check_run(form);
	scratch_run(&bench.scratch, "mv tools/%s.own tools/%s", tool, tool);
	return m;
}

CASE(a_tool_that_prints_without_an_end)
{
	struct measured m = with_tool("lldpcli", "#!/bin/sh\nexec yes '{\"lldp\":'\n", NULL);

	expect_unharmed(&m, "endless tool");
	free(m.said);
}

/* A megabyte of name, with sequences that set a title, the clipboard and a pane's name of tmux. */
CASE(names_of_lldp_with_escapes)
{
	static const char script[] =
		"#!/bin/sh\n"
		"e=$(printf "
		"'\\\\u001b]2;owned\\\\u0007\\\\u001bkowned\\\\u001b\\\\\\\\\\\\u001b]52;c;b3duZWQ="
		"\\\\u0007\\\\u009b31m\\\\u202eowned')\n"
		"long=$(head -c 1000000 /dev/zero | tr '\\000' L)\n"
		"printf "
		"'{\"lldp\":[{\"interface\":[{\"name\":\"eth0\",\"chassis\":[{\"name\":[{\"value\":"
		"\"%s%s\"}]}],\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"%s\"}]}]}]}]}\\n'"
		" "
		"\"$e\" \"$long\" \"$e\"\n";
	struct measured m = with_tool("lldpcli", script, NULL);

	expect_unharmed(&m, "hostile LLDP");
	if (!strstr(m.said, "gpu1 "))
		fail_msg("the host is not listed: %.500s", m.said);
	free(m.said);
	m = with_tool("lldpcli", script, "--json");
	assert_true(m.code >= 0 && m.code <= 5);
	assert_true(strlen(m.said) < 200000);
	free(m.said);
}

CASE(a_tool_that_prints_brackets)
{
	struct measured m = with_tool(
		"lldpcli", "#!/bin/sh\nhead -c 1000000 /dev/zero | tr '\\000' '['\n", NULL);

	expect_unharmed(&m, "deep JSON over SSH");
	free(m.said);
}

/* ---- the bench ---- */

static int set_up(void **state)
{
	char environment[512];

	(void)state;
	(void)built_path("railtop", bench.program, sizeof(bench.program));
	scratch_open(&bench.scratch);
	https_certificates(&bench.scratch);
	sshd_keys(&bench.scratch);
	fake_host_write(&bench.scratch);
	fake_host_environment(&bench.scratch, environment, sizeof(environment));
	sshd_start(&bench.sshd, &bench.scratch, 0, environment);
	scratch_write(&bench.scratch, "ssh_config", "");
	scratch_write(&bench.scratch, "password", "noc:planted-4711\n");
	scratch_run(&bench.scratch, "chmod 600 password");
	(void)str_copy(bench.inventory, sizeof(bench.inventory), pem("fabric.yaml"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sshd_stop(&bench.sshd);
	scratch_close(&bench.scratch);
	return 0;
}

CASES_MAIN(set_up, tear_down)
