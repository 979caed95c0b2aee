/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad networks between the console and three of its devices: a switch over SSH, a switch over
 * HTTPS, a host behind a real OpenSSH server. The console says of each what is really wrong, the
 * others stay fresh, links come back by themselves, and no descriptor stays behind.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/integration/support/fake_host.h"
#include "tests/integration/support/lab.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/chaos/proxy.h"
#include "tests/support/effort.h"
#include "tests/support/slot.h"
#include "tests/support/terminal/vt.h"

enum {
	BEHIND = 3, /* devices behind a proxy; the console's other devices are not */
	OTHERS = 2,
	PATIENCE_S = 90, /* only makes a hang a failure */
	SPARE_FDS = 6,   /* connections that are being made again */
};

/* The words about silence, libcurl's among them; the column cuts them. */
#define SILENT "no answ|Operation t|SSL conn|Failed t|timeout|timed out"

static const char *const behind[BEHIND] = {"leaf-r0-00", "spine-000", "gpu1"};
static const char *const others[OTHERS] = {"leaf-r1-00", "spine-001"};

static struct {
	struct lab lab;
	struct scratch scratch;
	struct sshd sshd;
	struct chaos_proxy *proxy[BEHIND];
	struct vt *vt;
	char inventory[128], log[160];
	int fds;
} bench;

/* ---- the console's words about a device ---- */

/* Its row in the table, without the panel beside it, which has another device. */
static const char *row_of(const char *device)
{
	static char row[512];

	for (int y = 0; y < vt_rows(bench.vt); y++) {
		const char *line = vt_line(bench.vt, y);

		const char *panel = strstr(line, "\xe2\x94\x82");

		if (!str_starts(line, device) || line[strlen(device)] != ' ')
			continue;
		(void)str_copyn(
			row, sizeof(row), line, panel ? (size_t)(panel - line) : strlen(line));
		return row;
	}
	return "";
}

static bool has_one(const char *text, const char *words)
{
	char word[64];

	for (const char *at = words; *at;) {
		size_t n = strcspn(at, "|");

		(void)str_copyn(word, sizeof(word), at, n);
		if (strstr(text, word))
			return true;
		at += n + (at[n] == '|');
	}
	return false;
}

/* Until the device's row has one of the words ("a|b"). */
static void await(const char *device, const char *words)
{
	int64_t end = now_ms() + PATIENCE_S * 1000;

	while (!has_one(row_of(device), words)) {
		if (now_ms() > end || vt_ended(bench.vt)) {
			char *screen = vt_screen(bench.vt);

			(void)fprintf(stderr, "%s\n", screen);
			free(screen);
			fail_msg("%s has none of \"%s\"", device, words);
		}
		vt_run_for(bench.vt, 0.2);
	}
}

/* The screen and the end of the console's own log. */
static void print_console(void)
{
	char text[8192], *screen = vt_screen(bench.vt);
	FILE *f = fopen(bench.log, "re");
	size_t n = 0;

	print_error("%s\n", screen);
	free(screen);
	if (f && fseek(f, -(long)sizeof(text), SEEK_END) != 0)
		rewind(f);
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		(void)fclose(f);
	}
	text[n] = '\0';
	print_error("%s\n", text);
}

static void others_are_fresh(enum chaos mode)
{
	for (size_t i = 0; i < OTHERS; i++) {
		if (has_one(row_of(others[i]), " fresh | late "))
			continue;
		print_console();
		fail_msg("%s: another device suffers: %s", chaos_names[mode], row_of(others[i]));
	}
}

/* Open descriptors of the console. */
static int count_fds(void)
{
	char path[64];
	int n = 0;
	DIR *d;

	(void)str_printf(path, sizeof(path), "/proc/%d/fd", vt_pid(bench.vt));
	d = opendir(path);
	assert_non_null(d);
	while (readdir(d))
		n++;
	(void)closedir(d);
	return n;
}

static void set_all(enum chaos mode)
{
	for (size_t i = 0; i < BEHIND; i++)
		chaos_proxy_set(bench.proxy[i], mode);
}

static void all_are_fresh(void)
{
	for (size_t i = 0; i < BEHIND; i++)
		await(behind[i], " fresh ");
}

/* words: what a row must have meanwhile, for each of the three; NULL: it is never called dark. */
static int heal(void **state)
{
	(void)state;
	set_all(CHAOS_PASS);
	return 0;
}

static void goes_through(enum chaos mode, const char *const words[BEHIND])
{
	all_are_fresh();
	set_all(mode);
	for (size_t i = 0; i < BEHIND; i++) {
		if (!words) {
			vt_run_for(bench.vt, 2);
			if (has_one(row_of(behind[i]), "unreach|not_under|unauth"))
				fail_msg("slow is not dark: %s", row_of(behind[i]));
			continue;
		}
		await(behind[i], words[i]);
		if (getenv("CHAOS_SAYS"))
			print_message("# %s: %s\n", chaos_names[mode], row_of(behind[i]));
		others_are_fresh(mode);
	}
	set_all(CHAOS_PASS);
	all_are_fresh();
	others_are_fresh(CHAOS_PASS);
	if (count_fds() > bench.fds + SPARE_FDS)
		fail_msg("%s: %d descriptors instead of %d", chaos_names[mode], count_fds(),
			bench.fds);
}

CASE_WITH(a_slow_network, NULL, heal)
{
	goes_through(CHAOS_DELAY, NULL);
}

CASE_WITH(connections_that_are_reset, NULL, heal)
{
	static const char *const words[BEHIND] = {"reset|closed|ended",
		"reset|closed|Recv fail|select/poll|SSL", "reset|closed|ended"};

	goes_through(CHAOS_RESET, words);
}

CASE_WITH(garbage_in_the_middle, NULL, heal)
{
	/* Not a word of a device that is down. */
	static const char *const words[BEHIND] = {
		"no SSH handshake|not_understood", "SSL|TLS", "no SSH handshake|not_understood"};

	goes_through(CHAOS_GARBAGE, words);
}

CASE_WITH(a_black_hole, NULL, heal)
{
	static const char *const words[BEHIND] = {SILENT, SILENT, SILENT};

	goes_through(CHAOS_BLACKHOLE, words);
}

CASE_WITH(packets_that_are_lost, NULL, heal)
{
	static const char *const words[BEHIND] = {SILENT, SILENT, SILENT};

	if (!effort_full())
		skip();
	goes_through(CHAOS_STALL, words);
}

CASE_WITH(half_open_connections, NULL, heal)
{
	static const char *const words[BEHIND] = {SILENT, SILENT, SILENT};

	if (!effort_full())
		skip();
	goes_through(CHAOS_HALF_OPEN, words);
}

CASE_WITH(ten_bytes_a_second, NULL, heal)
{
	static const char *const words[BEHIND] = {SILENT, SILENT, SILENT};

	if (!effort_full())
		skip();
	goes_through(CHAOS_DRIP, words);
}

/* ---- this machine, and not the devices ---- */

/* Who puts the console aside (Ctrl-Z, a laptop that sleeps, a debugger) finds no dark fabric. */
CASE(a_console_that_stood_still)
{
	all_are_fresh();
	assert_int_equal(kill(vt_pid(bench.vt), SIGSTOP), 0);
	vt_run_for(bench.vt, effort_full() ? 60 : 12);
	assert_int_equal(kill(vt_pid(bench.vt), SIGCONT), 0);
	vt_wait_text(bench.vt, "railtop itself stood still for", PATIENCE_S);
	for (int i = 0; i < 30; i++) {
		vt_run_for(bench.vt, 0.1);
		if (vt_has(bench.vt, "devices are dark"))
			fail_msg("the devices are blamed");
	}
	all_are_fresh();
}

/* The rows of all 44 devices, of a process that may have so many open files. */
static void rows_with(const char *files, char *dst, size_t size)
{
	char program[256], line[512];
	FILE *f;
	size_t n;

	(void)str_printf(line, sizeof(line),
		"ulimit -n %s; exec '%s' rows devices -f '%s' --for 4s --csv 2>&1", files,
		built_path("railtop", program, sizeof(program)), bench.lab.inventory);
	f = popen(line, "re");
	assert_non_null(f);
	n = fread(dst, 1, size - 1, f);
	dst[n] = '\0';
	(void)pclose(f);
}

CASE(out_of_descriptors)
{
	static char said[65536];

	rows_with("40", said, sizeof(said));
	if (!strstr(said, "this machine has no open file left for it") ||
		!strstr(said, "raise the limit of open files"))
		fail_msg("nothing of the limit: %.2000s", said);
	if (strstr(said, "check address") || strstr(said, "connect to server") ||
		strstr(said, "correct the line"))
		fail_msg("the devices are blamed: %.4000s", said);
}

/* ---- the bench ---- */

static char *line_with(const char *path, const char *word, char *dst, size_t size)
{
	FILE *f = fopen(path, "re");
	bool found = false;

	assert_non_null(f);
	while (!found && fgets(dst, (int)size, f))
		found = strstr(dst, word) != NULL;
	(void)fclose(f);
	if (!found)
		fail_msg("%s: no %s", path, word);
	return dst;
}

static unsigned port_of(const char *word)
{
	char line[512],
		*at = strstr(line_with(bench.lab.inventory, word, line, sizeof(line)), "port: ");

	assert_non_null(at);
	return (unsigned)strtoul(at + 6, NULL, 10);
}

static void put_proxy(size_t i, const char *address, unsigned to, unsigned *port)
{
	*port = slot_port();
	bench.proxy[i] = chaos_proxy_open(address, *port, address, to);
	assert_non_null(bench.proxy[i]);
}

/* The device's own key, also at the port of the proxy before it. */
static void write_known_hosts(const char *first, unsigned port)
{
	char path[128], line[512], *key;
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/known_hosts", bench.lab.dir);
	key = strchr(line_with(path, "ssh-ed25519", line, sizeof(line)), ' ');
	assert_non_null(key);
	f = fopen(path, "ae");
	assert_non_null(f);
	(void)fprintf(f, "[%s]:%u%s", first, port, key);
	assert_int_equal(fclose(f), 0);
}

static void write_inventory(void)
{
	unsigned ssh = port_of("leaf-r["), https = port_of("spine-["), port[BEHIND];
	char first[32], net[32];
	FILE *f;

	(void)slot_address(first, sizeof(first));
	(void)str_copyn(net, sizeof(net), first, strlen(first) - 1);
	put_proxy(0, first, ssh, &port[0]);
	(void)str_printf(bench.inventory, sizeof(bench.inventory), "%s9", net);
	put_proxy(1, bench.inventory, https, &port[1]);
	put_proxy(2, "127.0.0.1", bench.sshd.port, &port[2]);
	write_known_hosts(first, port[0]);
	scratch_run(&bench.scratch, "sed -i 's/]:[0-9]*/]:%u/' known_hosts", port[2]);
	(void)str_printf(bench.inventory, sizeof(bench.inventory), "%s/chaos.yaml", bench.lab.dir);
	f = fopen(bench.inventory, "we");
	assert_non_null(f);
	(void)fprintf(f,
		"fabric: chaos\nlossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: noc, identity: id_ed25519, known_hosts: "
		"known_hosts, tls_ca: ca.pem, ssh_config: ssh_config}\n"
		"switches:\n"
		"  - {names: leaf-r0-00, address: %s1, port: %u, dialect: sonic, tier: leaf}\n"
		"  - {names: leaf-r1-00, address: %s2, port: %u, dialect: sonic, tier: leaf}\n"
		"  - {names: spine-000, address: %s9, port: %u, dialect: eos, transport: https, "
		"tier: spine, credentials: \"file:eapi.password\"}\n"
		"  - {names: spine-001, address: %s10, port: %u, dialect: eos, transport: https, "
		"tier: spine, credentials: \"file:eapi.password\"}\n"
		"hosts:\n"
		"  - {names: gpu1, address: 127.0.0.1, port: %u, user: %s, identity: %s/user_key, "
		"known_hosts: %s/known_hosts, rails: \"mlx5_[0-1]\"}\n",
		net, port[0], net, ssh, net, port[1], net, https, port[2], bench.sshd.user,
		bench.scratch.dir, bench.scratch.dir);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	const char *const args[] = {"--interval", "1s", "--steady", NULL};
	char program[256], environment[512];
	const char *const argv[] = {built_path("railtop", program, sizeof(program)), "-f",
		bench.inventory, "--log", bench.log, NULL};
	const struct vt_opts opts = {.rows = 40, .cols = 230, .idle = true};

	(void)state;
	lab_start(&bench.lab, args);
	scratch_open(&bench.scratch);
	sshd_keys(&bench.scratch);
	fake_host_write(&bench.scratch);
	fake_host_environment(&bench.scratch, environment, sizeof(environment));
	sshd_start(&bench.sshd, &bench.scratch, 0, environment);
	write_inventory();
	(void)str_printf(bench.log, sizeof(bench.log), "%s/console.log", bench.lab.dir);
	bench.vt = vt_spawn(&opts, argv);
	vt_wait_text(bench.vt, "data fresh 5", PATIENCE_S);
	vt_type(bench.vt, ":view devices\r");
	all_are_fresh();
	bench.fds = count_fds();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	vt_key(bench.vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(bench.vt), 0);
	vt_free(bench.vt);
	for (size_t i = 0; i < BEHIND; i++)
		chaos_proxy_close(bench.proxy[i]);
	sshd_stop(&bench.sshd);
	scratch_close(&bench.scratch);
	lab_stop(&bench.lab);
	return 0;
}

CASES_MAIN(set_up, tear_down)
