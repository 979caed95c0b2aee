/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "base/buf.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

/* The jobs: of an inventory. */

#define HEAD "fabric: t\n"
#define LEAF "switches: [{names: leaf-1, dialect: sonic, tier: leaf}]\n"

CASE(jobs_are_entries_of_the_plan)
{
	struct plan plan;

	inventory_expect(HEAD
		"hosts: [{names: \"n[0-3]\"}]\n"
		"jobs:\n"
		"- {source: nccl-ras, versions: any, interval: 20s}\n"
		"- {source: inspector, path: /var/log/nccl/*.log, hosts: \"n[0-1]\"}\n"
		"- {source: nccl-log, path: \"/home/u/job[0-9].out\", name: llm}\n"
		"- {source: \"file:jobs.txt\"}\n"
		"- {source: slurm, hosts: n3}\n",
		"", &plan);
	assert_int_equal(plan.jobs.n, 5);
	assert_string_equal(plan.jobs.at[0].source, "nccl-ras");
	assert_true(plan.jobs.at[0].any_version);
	assert_int_equal(plan.jobs.at[0].interval_us, 20000000);
	assert_string_equal(plan.jobs.at[0].where, "f.yaml:4");
	assert_string_equal(plan.jobs.at[1].path, "/var/log/nccl/*.log");
	assert_string_equal(plan.jobs.at[1].hosts, "n[0-1]");
	assert_string_equal(plan.jobs.at[2].name, "llm");
	assert_string_equal(plan.jobs.at[3].source, "file");
	assert_non_null(strstr(plan.jobs.at[3].path, "jobs.txt"));
	assert_string_equal(plan.jobs.at[4].hosts, "n3");
	plan_free(&plan);
}

CASE(entries_of_jobs_say_what_they_lack)
{
	inventory_says(
		HEAD LEAF "jobs: {interval: 5s}\n", "f.yaml:3: jobs: \"source\" is missing\n");
	inventory_says(HEAD LEAF "jobs: {source: inspector}\n",
		"f.yaml:3: jobs: source inspector needs path:, the files on the hosts\n");
	inventory_says(HEAD LEAF "jobs: [{source: slurm}]\n",
		"f.yaml:3: jobs[0]: source slurm needs hosts: to ask\n");
	inventory_says(HEAD LEAF "jobs: {source: slurm, hosts: zz9}\n",
		"f.yaml:3: jobs.hosts: there is no device zz9 (name devices of hosts: or "
		"switches:)\n");
	inventory_says(HEAD LEAF "jobs: {source: nccl-log, path: \"/tmp/$(reboot)\"}\n",
		"f.yaml:3: jobs: path: \"/tmp/$(reboot)\": a path must not have \"$\" (allowed: "
		"letters, digits, /._-+=,:@%, and the wildcards * ? [ ])\n");
	inventory_says(HEAD LEAF "jobs: {source: nccl-log, path: out.log}\n",
		"f.yaml:3: jobs: path: \"out.log\" is not an absolute path (allowed: "
		"letters, digits, /._-+=,:@%, and the wildcards * ? [ ])\n");
	inventory_says(HEAD LEAF "jobs: {source: kubernetes}\n",
		"f.yaml:3: jobs: source kubernetes needs url: of its API, https://...\n");
	inventory_says(HEAD LEAF "jobs: {source: ray, url: \"https://head:8265\", hosts: a}\n",
		"f.yaml:3: jobs: source ray is reached by url:, without hosts: and path:\n");
	inventory_says(HEAD LEAF "jobs: {source: nccl-ras, url: \"https://head:8265\"}\n",
		"f.yaml:3: jobs: url:, token: and tls_ca: are for the sources kubernetes and "
		"ray\n");
	inventory_says(HEAD LEAF "jobs: {source: slurm, hosts: a, versions: any}\n",
		"f.yaml:3: jobs: versions: is for source nccl-ras only\n");
}

CASES_MAIN(NULL, NULL)
