/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of jobs that bring nothing, on a host behind a real OpenSSH server: `railtop check` names
 * the source, the host, the reason and the cure, and there is a finding.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/integration/support/fake_host.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/ssh/sshd.h"
#include "tests/support/cases.h"

struct fixture {
	struct scratch scratch;
	struct sshd sshd;
	char inventory[128];
};

static int set_up(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	char environment[512];

	assert_non_null(x);
	*state = x;
	scratch_open(&x->scratch);
	sshd_keys(&x->scratch);
	fake_host_write(&x->scratch);
	fake_host_environment(&x->scratch, environment, sizeof(environment));
	sshd_start(&x->sshd, &x->scratch, 0, environment);
	scratch_write(&x->scratch, "ssh_config", "");
	(void)str_copy(
		x->inventory, sizeof(x->inventory), scratch_path(&x->scratch, "fabric.yaml"));
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *x = *state;

	sshd_stop(&x->sshd);
	scratch_close(&x->scratch);
	free(x);
	return 0;
}

/* Writes an inventory of one host with these sources; {} in them is the scratch directory. */
static void write_inventory(const struct fixture *x, const char *jobs)
{
	char text[2048], expanded[1024] = "";

	for (const char *at = jobs; *at; at++) {
		char one[2] = {*at, '\0'};

		if (at[0] == '{' && at[1] == '}')
			at++;
		(void)strncat(expanded,
			at[0] == '}' && at > jobs && at[-1] == '{' ? x->scratch.dir : one,
			sizeof(expanded) - strlen(expanded) - 1);
	}
	(void)str_printf(text, sizeof(text),
		"fabric: lab\n"
		"lossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: %s, identity: user_key, known_hosts: known_hosts, "
		"ssh_config: ssh_config}\n"
		"hosts:\n"
		"  - {names: gpu1, address: 127.0.0.1, port: %u, rails: \"mlx5_[0-1]\"}\n"
		"jobs: %s\n",
		x->sshd.user, x->sshd.port, expanded);
	scratch_write(&x->scratch, "fabric.yaml", text);
}

static json_t *run_check(const struct fixture *x)
{
	const char *const args[] = {"check", "-f", x->inventory, "--for", "25s", "--json", NULL};
	struct lab_output o = lab_railtop(args, 240);
	json_t *root = lab_json(o.out);

	if (!root)
		fail_msg("exit %d: %s%s", o.code, o.out, o.err);
	lab_output_free(&o);
	return root;
}

static json_t *find_source(json_t *capabilities, const char *need)
{
	json_t *c;
	size_t i;

	json_array_foreach(capabilities, i,
		c) if (str_eq(json_string_value(json_object_get(c, "need")), need)) return c;
	return NULL;
}

static void assert_state(json_t *source, const char *valid, const char *reason, const char *cure)
{
	const char *text;

	assert_non_null(source);
	text = json_string_value(json_object_get(source, "cure"));
	assert_string_equal(json_string_value(json_object_get(source, "valid")), valid);
	if (!strstr(text, reason) || !strstr(text, cure))
		fail_msg("no \"%s\" and \"%s\" in \"%s\"", reason, cure, text);
}

/* Checks the state of the source in the check of the host. */
static void expect(const struct fixture *x, const char *jobs, const char *need, const char *valid,
	const char *reason, const char *cure)
{
	json_t *root;

	write_inventory(x, jobs);
	root = run_check(x);
	assert_state(
		find_source(json_object_get(json_array_get(json_object_get(root, "devices"), 0),
				    "capabilities"),
			need),
		valid, reason, cure);
	json_decref(root);
}

static void expect_finding(const struct fixture *x, const char *words)
{
	const char *const args[] = {"findings", "-f", x->inventory, "--for", "6s", "--json", NULL};
	struct lab_output o = lab_railtop(args, 240);

	if (!strstr(o.out, "monitor.job_source") || !strstr(o.out, words))
		fail_msg("no finding with \"%s\": %s%s", words, o.out, o.err);
	lab_output_free(&o);
}

CASE(a_missing_log_is_said)
{
	const struct fixture *x = *state;

	expect(x, "{source: nccl-log, path: /no/such.log}", "job source nccl-log", "disabled",
		"/no/such.log: No such file or directory", "check path:");
	expect_finding(x, "job source nccl-log brings nothing on gpu1");
}

CASE(a_pattern_that_matches_nothing_is_said)
{
	expect(*state, "{source: nccl-log, path: \"/no/[a-z]*.log\"}", "job source nccl-log",
		"disabled", "/no/[a-z]*.log: No such file or directory", "check path:");
}

CASE(a_log_of_other_lines_is_said_with_an_example)
{
	const struct fixture *x = *state;

	scratch_write(&x->scratch, "train.log", "epoch 1, loss 2.31\nepoch 2, loss 2.30\n");
	expect(x, "{source: nccl-log, path: {}/train.log}", "job source nccl-log", "disabled",
		"0 of 2 lines understood, such as \"epoch 1, loss 2.31\"", "NCCL_DEBUG");
	expect_finding(x, "0 of 2 lines understood");
}

CASE(a_log_without_a_line_is_unknown_and_not_ok)
{
	const struct fixture *x = *state;

	scratch_write(&x->scratch, "empty.log", "");
	expect(x, "{source: nccl-log, path: {}/empty.log}", "job source nccl-log", "unknown",
		"no line yet", "");
}

CASE(a_log_of_nccl_is_ok)
{
	const struct fixture *x = *state;

	scratch_write(&x->scratch, "nccl.log",
		"starting\ngpu1:771:771 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; "
		"OOB eth0:10.0.0.1<0>\n");
	expect(x, "{source: nccl-log, path: {}/nccl.log}", "job source nccl-log", "ok", "", "");
}

/* The tool of the host: SLURM prints this and ends with this status. */
static void write_squeue(const struct fixture *x, const char *script)
{
	scratch_write(&x->scratch, "tools/squeue", script);
	scratch_run(&x->scratch, "chmod +x tools/squeue");
}

CASE(slurm_without_json_is_said)
{
	const struct fixture *x = *state;

	write_squeue(x, "#!/bin/sh\n"
			"echo \"squeue: fatal: Could not find the specified plugin name for "
			"serializer/json looking at all files\" >&2\nexit 1\n");
	expect(x, "{source: slurm, hosts: gpu1}", "job source slurm", "unsupported",
		"Slurm was built without JSON", "JSON plugin");
	expect_finding(x, "Slurm was built without JSON");
	write_squeue(x, "#!/bin/sh\necho \"squeue: unrecognized option '--json'\" >&2\n"
			"echo \"Try 'squeue --help' for more information\" >&2\nexit 1\n");
	expect(x, "{source: slurm, hosts: gpu1}", "job source slurm", "unsupported",
		"squeue has no --json", "21.08");
	write_squeue(x, "#!/bin/sh\necho 'slurm_load_jobs error: Unable to contact slurm "
			"controller (connect failure)' >&2\nexit 1\n");
	expect(x, "{source: slurm, hosts: gpu1}", "job source slurm", "unsupported",
		"slurmctld does not answer", "check slurmctld");
}

CASE(slurm_without_json_gives_lines)
{
	const struct fixture *x = *state;

	write_squeue(x, "#!/bin/sh\ncase $* in *--json*) echo 'squeue: fatal: no serializer' >&2; "
			"exit 1 ;; esac\necho '4711|alice|gpu1|pretrain'\n");
	expect(x, "{source: slurm, hosts: gpu1}", "job source slurm", "ok", "", "");
}

CASE(a_host_without_squeue_is_said)
{
	const struct fixture *x = *state;

	scratch_run(&x->scratch, "rm -f tools/squeue");
	expect(x, "{source: slurm, hosts: gpu1}", "job source slurm", "unsupported",
		"squeue is not found", "PATH");
}

CASE(a_queue_without_jobs_is_ok)
{
	const struct fixture *x = *state;

	write_squeue(x, "#!/bin/sh\necho '{\"jobs\":[],\"errors\":[],\"warnings\":[]}'\n");
	expect(x, "{source: slurm, hosts: gpu1}", "job source slurm", "ok", "", "");
}

CASE(a_host_without_ras_is_unknown)
{
	expect(*state, "{source: nccl-ras}", "job source nccl-ras", "unknown",
		"no process listens on", "");
}

CASE(an_inspector_without_a_file_is_said)
{
	expect(*state, "{source: inspector, path: /no/dump/*.log}", "job source inspector",
		"disabled", "no readable file is /no/dump/*.log", "NCCL_INSPECTOR_DUMP_DIR");
}

/* A list of jobs of this machine has no host. */
CASE(a_missing_list_of_jobs_is_said)
{
	const struct fixture *x = *state;
	json_t *root;

	write_inventory(x, "{source: file, path: /no/jobs.txt}");
	root = run_check(x);
	assert_state(find_source(json_object_get(root, "job_sources"), "job source file jobs.txt"),
		"disabled", "cannot be read", "the file must list the jobs");
	json_decref(root);
	expect_finding(x, "job source file jobs.txt brings nothing");
}

CASES_MAIN(set_up, tear_down)
