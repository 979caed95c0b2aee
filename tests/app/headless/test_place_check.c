/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong names are refused from the inventory alone, and names that answers may bring are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "app/headless/jobs_heard.h"
#include "app/headless/place_check.h"
#include "app/options/options.h"
#include "app/subcommands/act_check.h"
#include "backends/jobs/source_state.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

#define FABRIC                                                                                     \
	"fabric: t\nswitches:\n"                                                                   \
	"  - {names: \"leaf-r[0-1]-00\", tier: leaf, dialect: sonic, transport: ssh}\n"            \
	"  - {names: spine-0, tier: spine, dialect: eos, transport: https}\n"                      \
	"hosts:\n  - {names: \"node[000-003]\", dialect: linux, transport: ssh}\n"
#define JOBS "jobs: {source: nccl-ras}\n"

struct bed {
	struct plan plan;
	struct model *m;
};

static void open_bed(struct bed *b, const char *yaml)
{
	char path[] = "/tmp/railtop-places-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct err err = {0};

	assert_non_null(f);
	assert_true(fputs(yaml, f) >= 0);
	assert_int_equal(fclose(f), 0);
	if (!inventory_load(path, &b->plan, NULL, NULL, &err))
		fail_msg("%s", err.text);
	(void)remove(path);
	b->m = model_new(&b->plan);
}

static void close_bed(struct bed *b)
{
	model_free(b->m);
	plan_free(&b->plan);
}

static void expect_possible(const struct bed *b, const char *place)
{
	struct err err = {0};

	if (!place_possible(&b->plan, b->m, place, &err))
		fail_msg("%s: %s", place, err.text);
}

static void expect_refused(
	const struct bed *b, const char *place, const char *text, const char *cure)
{
	struct err err = {0};

	if (place_possible(&b->plan, b->m, place, &err))
		fail_msg("%s is taken", place);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, text);
	if (!strstr(err.cure, cure))
		fail_msg("%s: the cure is \"%s\"", place, err.cure);
}

CASE(names_of_the_inventory_pass)
{
	static const char *const list[] = {"cluster", "leaf", "leaf-r0-00", "LEAF-R0-00",
		"leaf-r0-00:Ethernet12", "leaf-r0-00:Ethernet12/3", "leaf-r0-00:Ethernet12:3",
		"node000:mlx5_3", "leaf-r0-00:Ethernet0 - node000:mlx5_3", "pfc.storm",
		"pfc.storm leaf-r0-00:Ethernet12"};
	struct bed b;

	open_bed(&b, FABRIC);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		expect_possible(&b, list[i]);
	close_bed(&b);
}

CASE(names_that_it_rules_out_are_refused_with_the_nearest)
{
	struct bed b;

	open_bed(&b, FABRIC);
	expect_refused(&b, "leaf-r9-00", "there is no device \"leaf-r9-00\"", "leaf-r0-00");
	expect_refused(
		&b, "leaf-r9-00:Ethernet0", "there is no device \"leaf-r9-00\"", "leaf-r1-00");
	expect_refused(
		&b, "nosuch", "there is no device \"nosuch\"", "the view devices lists them");
	expect_refused(&b, "leaf-r0-00:Ethernet0 - node009:mlx5_0",
		"there is no device \"node009\"", "node00");
	expect_refused(&b, "rail 9", "there is no rail 9: they are 0 to 1", "");
	expect_refused(&b, "pfc.strom", "there is no finding \"pfc.strom\"", "pfc.storm");
	close_bed(&b);
}

CASE(jobs_need_a_source_of_jobs)
{
	struct bed b;
	struct err err = {0};

	open_bed(&b, FABRIC);
	expect_refused(&b, "job pretrain",
		"this inventory has no source of jobs: no job or rank can be known", "jobs:");
	assert_false(jobs_possible(&b.plan, "--rank", &err));
	close_bed(&b);
	open_bed(&b, FABRIC JOBS);
	expect_possible(&b, "job pretrain");
	expect_possible(&b, "rank pretrain/19");
	/* A job by its bare name, but not where the name is nearly that of a device. */
	expect_possible(&b, "pretrain");
	expect_refused(&b, "nod000", "there is no device \"nod000\"", "node000");
	expect_refused(&b, "rail 9", "there is no rail 9: they are 0 to 1", "");
	close_bed(&b);
}

/* An answer with two ports. all: it says that there are no others. */
static void answer(struct model *m, const char *device, bool all, int64_t us)
{
	struct obs *o = obs_new(device, "");

	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 1000);
	obs_count(o, obs_port(o, "Ethernet4"), CTR_RX_BYTES, 0, 1000);
	if (all)
		obs_port_list(o);
	o->result = OBS_DATA;
	model_apply(m, o, us);
	obs_free(o);
	(void)model_age(m, us);
}

/* A device that says that it listed all ports, or has answered for an interval: other names are
 * wrong. */
CASE(answers_rule_out_ports)
{
	struct bed b;

	open_bed(&b, FABRIC);
	expect_possible(&b, "leaf-r0-00:Ethernet99");
	answer(b.m, "leaf-r0-00", false, CLOCK_SEC);
	expect_possible(&b, "leaf-r0-00:Ethernet99");
	answer(b.m, "leaf-r1-00", true, CLOCK_SEC);
	expect_refused(&b, "leaf-r1-00:Ethernet99", "there is no port \"Ethernet99\"", "Ethernet");
	answer(b.m, "leaf-r0-00", false, CLOCK_SEC + b.m->devices.at[0]->interval_us);
	expect_possible(&b, "leaf-r0-00:Ethernet4");
	expect_possible(&b, "leaf-r0-00:Ethernet4/3");
	expect_possible(&b, "node000:mlx5_0");
	expect_refused(&b, "leaf-r0-00:Ethernet99", "there is no port \"Ethernet99\"", "Ethernet");
	expect_refused(&b, "leaf-r0-00:Ethernet99 - node000:mlx5_3",
		"there is no port \"Ethernet99\"", "Ethernet");
	close_bed(&b);
}

/* The first answer of a host with counters has all of its NICs. */
CASE(the_first_answer_of_a_host_rules_out_nics)
{
	struct bed b;

	open_bed(&b, FABRIC);
	expect_possible(&b, "node001:mlx5_99");
	answer(b.m, "node001", false, CLOCK_SEC);
	expect_possible(&b, "node001:Ethernet4");
	expect_possible(&b, "node002:mlx5_99");
	expect_refused(&b, "node001:mlx5_99", "there is no port \"mlx5_99\"",
		"node001 has answered, with 2 ports");
	expect_refused(&b, "node001/Ethernet0", "there is no device \"node001/Ethernet0\"",
		"node001:Ethernet0");
	close_bed(&b);
}

/* What a host says of a source of jobs, after it said that it lives. */
static void source_says(struct model *m, const char *device, const char *source, enum validity v,
	bool fails, int64_t us)
{
	struct obs *o = obs_new(device, "jobs");

	if (fails) {
		o->result = OBS_FAILED;
		err_set(&o->err, ERR_UNREACHABLE, device, "no route");
	} else {
		o->result = OBS_DATA;
		o->followed = true;
		job_source_say(o, source, v, "");
	}
	model_apply(m, o, us);
	obs_free(o);
	(void)model_age(m, us);
}

/* A job is refused when the last of the hosts has said that it has none, or cannot be asked. */
CASE(answers_rule_out_jobs)
{
	static const char *const names[] = {"job nosuch", "nosuch", "rank 9999", "rank nosuch/1"};
	struct bed b;

	open_bed(&b, FABRIC JOBS);
	answer(b.m, "node000", false, CLOCK_SEC);
	source_says(b.m, "node000", "nccl-ras", VALID_OK, false, CLOCK_SEC);
	source_says(b.m, "node001", "nccl-ras", VALID_UNKNOWN, false, CLOCK_SEC);
	source_says(b.m, "node002", "", VALID_OK, true, CLOCK_SEC);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_possible(&b, names[i]);
	source_says(b.m, "node003", "inspector", VALID_OK, false, CLOCK_SEC);
	expect_possible(&b, "job nosuch");
	source_says(b.m, "node003", "nccl-ras", VALID_UNKNOWN, false, CLOCK_SEC);
	expect_refused(
		&b, "job nosuch", "there is no job \"nosuch\"", "asked: nccl-ras on 4 hosts");
	expect_refused(&b, "nosuch", "there is no device \"nosuch\"", "asked: nccl-ras");
	expect_refused(&b, "rank 9999", "no ranks are known", "asked: nccl-ras on 4 hosts");
	expect_refused(&b, "rank nosuch/1", "there is no job \"nosuch\"", "asked: nccl-ras");
	close_bed(&b);
}

/* What no answer could name is not known, and what answers rule out is a mistake. */
CASE(a_place_that_nobody_could_name_is_not_known)
{
	struct err err = {0};
	struct bed b;

	open_bed(&b, FABRIC JOBS);
	assert_int_equal(place_missing(&b.plan, b.m, "node000:mlx5_0", &err), EXIT_UNREACHED);
	assert_string_equal(err.origin, "node000");
	assert_string_equal(err.text,
		"it has not listed its ports: whether node000:mlx5_0 is one is not known");
	assert_int_equal(place_missing(&b.plan, b.m, "job pretrain", &err), EXIT_UNREACHED);
	assert_non_null(strstr(err.text, "not each source of jobs has answered"));
	answer(b.m, "node000", false, CLOCK_SEC);
	err_set(&err, ERR_USAGE, "node000", "as it was");
	assert_int_equal(place_missing(&b.plan, b.m, "node000:mlx5_0", &err), EXIT_USAGE);
	assert_string_equal(err.text, "as it was");
	assert_int_equal(place_missing(&b.plan, b.m, "node009", &err), EXIT_USAGE);
	close_bed(&b);
}

/* The begin of a log is read for a while, a file of this machine and a URL at once. */
CASE(each_source_of_jobs_is_waited_for)
{
	char asked[200];
	struct bed b;

	open_bed(&b, FABRIC "jobs:\n  - {source: nccl-log, hosts: node001, path: /var/log/*.log}\n"
			    "  - {source: file, path: /tmp/jobs.yaml}\n");
	assert_false(jobs_heard(&b.plan, b.m, asked, sizeof(asked)));
	source_says(b.m, "node001", "nccl-log", VALID_UNKNOWN, false, CLOCK_SEC);
	source_says(b.m, "", "file jobs.yaml", VALID_OK, false, CLOCK_SEC);
	assert_false(jobs_heard(&b.plan, b.m, asked, sizeof(asked)));
	answer(b.m, "node001", false, 2 * CLOCK_SEC);
	assert_false(jobs_heard(&b.plan, b.m, asked, sizeof(asked)));
	answer(b.m, "node001", false, 8 * CLOCK_SEC);
	assert_true(jobs_heard(&b.plan, b.m, asked, sizeof(asked)));
	assert_string_equal(asked, "nccl-log on node001, file");
	close_bed(&b);
}

CASE(a_host_is_a_device)
{
	struct bed b;
	struct err err = {0};

	open_bed(&b, FABRIC JOBS);
	assert_true(device_possible(&b.plan, b.m, "node000", &err));
	assert_true(device_possible(&b.plan, b.m, "node000:mlx5_0", &err));
	assert_false(device_possible(&b.plan, b.m, "nosuch", &err));
	assert_false(device_possible(&b.plan, b.m, "cluster", &err));
	close_bed(&b);
}

/* ---- actions ---- */

static enum err_code refusal(
	const struct bed *b, const char *action, const char *place, const char *says)
{
	struct err err = {0};

	if (act_possible(&b->plan, b->m, action_by_name(action), place, &err))
		return ERR_NONE;
	if (!strstr(err.text, says))
		fail_msg("%s %s: %s", action, place, err.text);
	return err.code;
}

CASE(actions_are_refused_by_the_inventory_alone)
{
	struct bed b;

	open_bed(&b, FABRIC "actions: {allow: [port-drain], devices: \"leaf-r0-00,spine-0\"}\n");
	assert_int_equal(refusal(&b, "port-drain", "leaf-r0-00:Ethernet12", ""), ERR_NONE);
	assert_int_equal(refusal(&b, "port-drain", "leaf-r0-00:Ethernet12/3", ""), ERR_NONE);
	assert_int_equal(refusal(&b, "pfcwd-reset", "leaf-r0-00:Ethernet12", "not pfcwd-reset"),
		ERR_REFUSED);
	assert_int_equal(refusal(&b, "port-drain", "leaf-r1-00:Ethernet12", "not on leaf-r1-00"),
		ERR_REFUSED);
	assert_int_equal(
		refusal(&b, "port-drain", "leaf-r0-00", "does not apply to this place"), ERR_USAGE);
	assert_int_equal(refusal(&b, "port-drain", "leaf-r7-00:Ethernet12", "there is no device"),
		ERR_USAGE);
	close_bed(&b);
	open_bed(&b, FABRIC "actions: {allow: [locate]}\n");
	assert_int_equal(refusal(&b, "locate", "leaf-r0-00:Ethernet12", "cannot make a port blink"),
		ERR_UNSUPPORTED);
	close_bed(&b);
}

CASES_MAIN(NULL, NULL)
