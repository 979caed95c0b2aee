/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `railtop accept --execute` over real SSH: two hosts behind OpenSSH servers of their own. Their
 * ib_write_bw and ib_read_lat meet by a pipe as the real ones meet by TCP, run as long as they are
 * told to, and print the lines of perftest. Their arguments are read from their files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/support/acting_host.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"

static struct acting_host hosts[2];
static char *said, *complained;

/*
 * A server waits at a pipe in its own directory; a client knocks at that of the other host, which
 * stands for the address. rate.DEV and lat.DEV of the client's host are the result; "broken" makes
 * the connection fail behind the hand-shake.
 */
static const char perftest_tool[] =
	"#!/bin/sh\n"
	"d=${0%%/*}/..\n"
	"other=%s\n"
	"echo \"${0##*/} $*\" >>\"$d/perftests\"\n"
	"for peer; do :; done\n"
	"while getopts d:p:D:F-: o; do\n"
	"case $o in d) dev=$OPTARG ;; p) port=$OPTARG ;; esac\n"
	"done\n"
	"shift $((OPTIND - 1))\n"
	"if [ $# = 0 ]; then\n"
	"rm -f \"$d/serve.$port\"; mkfifo \"$d/serve.$port\"\n"
	"read -r word <\"$d/serve.$port\"\n"
	"rm -f \"$d/serve.$port\"; exit 0\n"
	"fi\n"
	"if [ ! -p \"$other/serve.$port\" ]; then\n"
	"echo \"Couldn't connect to $peer:$port\"\n"
	"echo ' Unable to open file descriptor for socket connection' >&2; exit 1\n"
	"fi\n"
	"echo hello >\"$other/serve.$port\"\n"
	"v=$(cat \"$d/${0##*/}.$dev\")\n"
	"if [ \"$v\" = broken ]; then\n"
	"echo ' Completion with error at client'\n"
	"echo ' Failed status 12: wr_id 0 syndrom 0x81'; exit 1\n"
	"fi\n"
	"echo \" WARNING: BW peak won't be measured in this run.\"\n"
	"echo '                    RDMA_Write BW Test'\n"
	"echo ' local address: LID 0000 QPN 0x008a PSN 0xfffb6d'\n"
	"case $0 in\n"
	"*_bw) echo ' #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   "
	"MsgRate[Mpps]'\n"
	"echo 'Conflicting CPU frequency values detected: 1500.0 != 3300.0. CPU Frequency is not "
	"max.'\n"
	"echo \" 65536      560845           0.00               $v                0.186950\" ;;\n"
	"*) echo ' #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    "
	"t_avg[usec]    "
	"t_stdev[usec]   99%% percentile[usec]   99.9%% percentile[usec]'\n"
	"echo \" 2       1000          3.31           16.81        $v     \t       4.01        "
	"\t0.31  "
	" \t\t7.38    \t\t16.81  \" ;;\n"
	"esac\n";

static void write_result(unsigned host, const char *name, const char *value)
{
	scratch_write(&hosts[host].scratch, name, value);
}

static void write_tools(unsigned host, const char *other)
{
	char text[4096];

	(void)str_printf(text, sizeof(text), perftest_tool, other);
	scratch_write(&hosts[host].scratch, "tools/ib_write_bw", text);
	scratch_write(&hosts[host].scratch, "tools/ib_read_lat", text);
	scratch_run(&hosts[host].scratch, "chmod +x tools/ib_write_bw tools/ib_read_lat");
}

static void write_inventory(const char *more)
{
	char text[4096];

	(void)str_printf(text, sizeof(text),
		"fabric: acting\n"
		"lossless: {priorities: [3], dscp: {26: 3}, cnp_dscp: 48}\n"
		"defaults: {interval: 1s, user: %s, ssh_config: ssh_config}\n"
		"hosts:\n"
		"  - {names: gpu1, address: 127.0.0.1, port: %u, rails: \"mlx5_[0-1]\", identity: "
		"user_key, known_hosts: known_hosts}\n"
		"  - {names: gpu2, address: 127.0.0.1, port: %u, rails: \"mlx5_[0-1]\", identity: "
		"%s/user_key, known_hosts: %s/known_hosts}\n"
		"%s"
		"actions: {allow: [perftest-serve, perftest-run], ledger: %s}\n",
		hosts[0].sshd.user, hosts[0].sshd.port, hosts[1].sshd.port, hosts[1].scratch.dir,
		hosts[1].scratch.dir, more, hosts[0].ledger);
	scratch_write(&hosts[0].scratch, "fabric.yaml", text);
}

static int setup(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++)
		acting_host_open(&hosts[i]);
	for (unsigned i = 0; i < 2; i++) {
		write_tools(i, hosts[1 - i].scratch.dir);
		scratch_run(&hosts[i].scratch,
			"echo 16 >sys/class/infiniband/mlx5_1/device/current_link_width");
	}
	write_inventory("");
	write_result(0, "ib_write_bw.mlx5_0", "389.20\n");
	write_result(0, "ib_write_bw.mlx5_1", "391.40\n");
	write_result(0, "ib_read_lat.mlx5_0", "3.52\n");
	write_result(0, "ib_read_lat.mlx5_1", "3.61\n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(said);
	free(complained);
	said = complained = NULL;
	for (unsigned i = 0; i < 2; i++) {
		/* Servers that nobody came to. */
		scratch_run(&hosts[i].scratch,
			"for f in serve.*; do [ ! -p $f ] || echo over >$f; done");
		acting_host_close(&hosts[i]);
	}
	return 0;
}

/* Runs `railtop accept` with these words; the exit code. */
static int accept_with(const char *words)
{
	char program[256], line[1024], path[160];
	int status;

	(void)built_path("railtop", program, sizeof(program));
	(void)str_printf(line, sizeof(line),
		"timeout 120 %s accept -f %s --for 3s %s >%s/said 2>%s/complained </dev/null",
		program, hosts[0].inventory, words, hosts[0].scratch.dir, hosts[0].scratch.dir);
	status = system(line);
	free(said);
	free(complained);
	(void)str_printf(path, sizeof(path), "%s/said", hosts[0].scratch.dir);
	said = acting_host_read(path);
	(void)str_printf(path, sizeof(path), "%s/complained", hosts[0].scratch.dir);
	complained = acting_host_read(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void says(const char *text)
{
	if (!strstr(said, text) && !strstr(complained, text))
		fail_msg("without \"%s\":\n%s\n%s", text, said, complained);
}

static void exits(int want, int code)
{
	if (code != want)
		fail_msg("exit code %d and not %d:\n%s\n%s", code, want, said, complained);
}

/* The arguments of the programs of a host; "" before that. */
static char *called(unsigned host)
{
	char path[160];

	(void)str_printf(path, sizeof(path), "%s/perftests", hosts[host].scratch.dir);
	return acting_host_read(path);
}

static void nothing_ran(void)
{
	for (unsigned i = 0; i < 2; i++) {
		char *text = called(i);

		assert_string_equal(text, "");
		free(text);
	}
}

static void was_called(unsigned host, const char *line)
{
	char *text = called(host);

	if (!strstr(text, line))
		fail_msg("host %u was not told \"%s\":\n%s", host, line, text);
	free(text);
}

#define EXECUTE                                                                                    \
	"gpu1 --execute --partner gpu2 --reason 'acceptance after repair' --incident INC-4711 "

CASE_WITH(each_rail_is_measured_and_stored_and_compared, setup, teardown)
{
	char store[256], words[700];
	char *ledger;

	/* The first time there is no baseline: nothing passes by itself. */
	(void)str_printf(store, sizeof(store), "%s/base/lines", hosts[0].scratch.dir);
	scratch_run(&hosts[0].scratch, "mkdir base");
	(void)str_printf(words, sizeof(words), EXECUTE "--store %s", store);
	(void)accept_with(words);
	says("unknown  traffic  gpu1:mlx5_0: ib_write_bw 389.2 Gb/s");
	says("unknown  traffic  gpu1:mlx5_1: ib_read_lat 3.61 us");
	says("no baseline to compare with");
	says("measured against gpu2");
	/* The same size, duration and class at both ends; servers end by themselves. */
	was_called(1, "ib_write_bw -d mlx5_0 -p 18515 -F --report_gbits -D 10 --tclass=104\n");
	was_called(1, "ib_read_lat -d mlx5_1 -p 18518 -F --tclass=104\n");
	was_called(0,
		"ib_write_bw -d mlx5_0 -p 18515 -F --report_gbits -D 10 --tclass=104 127.0.0.1\n");
	was_called(0, "ib_read_lat -d mlx5_1 -p 18518 -F --tclass=104 127.0.0.1\n");
	/* Audited like an action. */
	ledger = acting_host_read(hosts[0].ledger);
	assert_non_null(strstr(ledger, "\"action\":\"perftest-serve\""));
	assert_non_null(strstr(ledger, "\"action\":\"perftest-run\""));
	assert_non_null(strstr(ledger, "timeout 30 ib_write_bw -d mlx5_0"));
	assert_non_null(strstr(ledger, "389.20"));
	assert_non_null(strstr(ledger, "acceptance after repair"));
	free(ledger);

	/* One rail has lost a fifth of it. */
	write_result(0, "ib_write_bw.mlx5_1", "310.00\n");
	(void)str_printf(words, sizeof(words), EXECUTE "--baselines %s", store);
	exits(1, accept_with(words));
	says("pass     traffic  gpu1:mlx5_0:\n                  ib_write_bw 389.2 Gb/s; should be");
	says("FAIL     traffic  gpu1:mlx5_1:");
	says("310 Gb/s; should be at least 352.26 Gb/s: 90 % of 391.4 (this port");
	says("NOT accepted: a check failed");
	/* As JSON. */
	(void)str_printf(words, sizeof(words), EXECUTE "--baselines %s --json", store);
	exits(1, accept_with(words));
	says("\"schema\": 1");
	says("\"result\": \"fail\"");
	says("\"partner\": \"gpu2\"");
}

CASE_WITH(a_rail_that_fails_does_not_hide_the_others, setup, teardown)
{
	write_result(0, "ib_write_bw.mlx5_0", "broken\n");
	exits(1, accept_with(EXECUTE));
	says("FAIL     traffic  gpu1:mlx5_0:");
	says("Completion with error at client; Failed status 12");
	says("ib_write_bw 391.4 Gb/s");
	says("ib_read_lat 3.52 us");
}

CASE_WITH(without_consent_or_in_read_only_mode_nothing_runs, setup, teardown)
{
	exits(3, accept_with("gpu1"));
	says("not measured: perftest runs with --execute only");
	nothing_ran();
	exits(4, accept_with(EXECUTE "--read-only"));
	says("refused by mode");
	exits(4, accept_with("gpu1 --execute --partner gpu2 --reason short --incident INC-1"));
	says("not measured: refused by reason");
	nothing_ran();
	exits(2, accept_with("gpu1 --execute --partner gpu9"));
	says("gpu9");
	exits(2, accept_with("gpu1 --partner gpu2"));
	nothing_ran();
}

CASE_WITH(a_host_with_a_job_is_not_measured, setup, teardown)
{
	char more[300];

	scratch_write(&hosts[0].scratch, "jobs", "pretrain: gpu1\n");
	(void)str_printf(more, sizeof(more), "jobs: {source: file, path: jobs, interval: 1s}\n");
	write_inventory(more);
	exits(4, accept_with(EXECUTE));
	says("refused by idle-host: job pretrain runs on gpu1");
	/* Nor does a partner serve while it has one. */
	scratch_write(&hosts[0].scratch, "jobs", "pretrain: gpu2\n");
	exits(4, accept_with(EXECUTE));
	says("refused by idle-host: job pretrain runs on gpu2");
	nothing_ran();
}

CASE_WITH(without_perftest_the_certificate_says_so, setup, teardown)
{
	/* A machine that has perftest itself cannot play one that lacks it. */
	if (access("/usr/bin/ib_read_lat", X_OK) == 0) {
		print_message("# skipped: this machine has perftest\n");
		return;
	}
	scratch_run(&hosts[1].scratch, "rm tools/ib_read_lat");
	exits(3, accept_with(EXECUTE));
	says("not measured: on gpu2: perftest is not installed");
	says("apt install perftest");
	nothing_ran();
}

CASES_MAIN(NULL, NULL)
