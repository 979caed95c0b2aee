/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

/* Jobs of a scheduler or a file, GPUs, addresses, and the steps of profiler plugins. */

typedef bool parser(const char *bytes, size_t len, struct obs *out, struct err *err);

static struct obs *parse(parser *p, const char *text)
{
	struct obs *o = obs_new("node-1", "x");
	struct err err = {0};

	if (!p(text, strlen(text), o, &err))
		fail_msg("%s: %s", text, err.text);
	return o;
}

static void refused(parser *p, const char *text, const char *words)
{
	struct obs *o = obs_new("node-1", "x");
	struct err err = {0};

	assert_false(p(text, strlen(text), o, &err));
	if (!strstr(err.text, words))
		fail_msg("\"%s\" is not in: %s", words, err.text);
	obs_free(o);
}

CASE(slurm)
{
	struct obs *o = parse(nccl_slurm_parse,
		"{\"jobs\":["
		"{\"job_id\":7,\"name\":\"a\",\"user_name\":\"u\",\"job_state\":[\"RUNNING\"],"
		"\"nodes\":\"n[09-10]\",\"tasks\":{\"set\":true,\"infinite\":false,\"number\":8}},"
		"{\"job_id\":8,\"name\":\"a\",\"job_state\":\"RUNNING\",\"nodes\":\"m\",\"tasks\":"
		"4},"
		"{\"job_id\":9,\"name\":\"b\",\"job_state\":[\"RUNNING\"],\"nodes\":\"k\","
		"\"tasks\":"
		"{\"set\":false,\"infinite\":false,\"number\":0}},"
		"{\"job_id\":10,\"name\":\"c\",\"job_state\":[\"PENDING\"],\"nodes\":\"\"},"
		"{\"job_id\":11,\"name\":\"d\",\"job_state\":[\"RUNNING\"],\"nodes\":\"(null)\"}]"
		"}");
	const struct obs_nccl *r = nccl_nth(o, NCCL_JOB, 1);

	assert_int_equal(nccl_records(o, NCCL_JOB), 4);
	/* Two run under one name. */
	assert_string_equal(obs_text(o, r->job), "a-7");
	assert_string_equal(obs_text(o, r->host), "n10");
	assert_string_equal(obs_text(o, r->text), "u");
	assert_int_equal(r->nranks, 8);
	r = nccl_nth(o, NCCL_JOB, 2);
	assert_string_equal(obs_text(o, r->job), "a-8");
	assert_int_equal(r->nranks, 4);
	r = nccl_nth(o, NCCL_JOB, 3);
	assert_string_equal(obs_text(o, r->job), "b");
	assert_int_equal(r->nranks, -1);
	assert_int_equal(nccl_nth(o, NCCL_DONE, 0)->source, SOURCE_SLURM);
	obs_free(o);
	/* A list that cannot be read: the others stand, but it is not all. */
	o = parse(nccl_slurm_parse,
		"{\"jobs\":[{\"job_id\":1,\"name\":\"a\",\"job_state\":\"RUNNING\","
		"\"nodes\":\"n[1-\"},{\"job_id\":2,\"name\":\"b\",\"job_state\":"
		"\"RUNNING\",\"nodes\":\"m\"}]}");
	assert_int_equal(nccl_records(o, NCCL_JOB), 1);
	assert_int_equal(nccl_records(o, NCCL_DONE), 0);
	assert_int_not_equal(o->err.code, ERR_NONE);
	obs_free(o);
	refused(nccl_slurm_parse, "slurm_load_jobs error: Unable to contact", "slurm_load_jobs");
	refused(nccl_slurm_parse, "{\"errors\":[]}", "\"jobs\"");
}

CASE(a_file_of_jobs)
{
	struct obs *o = parse(nccl_jobs_parse, "# who runs where\n\npretrain: node[098-100],x # "
					       "the big one\r\n  eval :  node7  \n");

	assert_int_equal(nccl_records(o, NCCL_JOB), 5);
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_JOB, 2)->host), "node100");
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_JOB, 2)->job), "pretrain");
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_JOB, 4)->job), "eval");
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_JOB, 4)->host), "node7");
	assert_int_equal(nccl_records(o, NCCL_DONE), 1);
	obs_free(o);
	o = parse(nccl_jobs_parse, "");
	assert_int_equal(nccl_records(o, NCCL_DONE), 1);
	obs_free(o);
	refused(nccl_jobs_parse, "\npretrain node1\n", "line 2: no colon");
	refused(nccl_jobs_parse, "pretrain:\n", "line 1: a name and hosts");
	refused(nccl_jobs_parse, "a: b[1-\n", "line 1: ");
}

CASE(the_nearest_nic)
{
	struct obs *o = parse(nccl_topo_parse,
		"\t\x1b[4mGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
		"GPU0\t X \tNV4\tNV4\tSYS\tPXB\t0-7\t0\n"
		"GPU1\tNV4\t X \tNV4\tNODE\tNODE\t0-7\t0\n"
		"GPU2\tNV4\tNV4\t X \tPIX\tPIX\t0-7\t0\n"
		"NIC0\tSYS\tNODE\tPIX\t X \tSYS\t\t\n\nNIC Legend:\n\n  NIC0: mlx5_7\n  NIC1: "
		"bnxt_re0\n");
	const struct obs_nccl *r = nccl_nth(o, NCCL_GPU, 0);

	assert_string_equal(obs_text(o, r->nic), "bnxt_re0");
	assert_string_equal(obs_text(o, r->text2), "PXB");
	/* Both are as far: neither is its own. */
	assert_int_equal(nccl_nth(o, NCCL_GPU, 1)->nic, 0);
	assert_int_equal(nccl_nth(o, NCCL_GPU, 1)->text2, 0);
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_GPU, 2)->nic), "mlx5_7");
	obs_free(o);
	/* Drivers before the legend name the columns. */
	o = parse(nccl_topo_parse,
		"\tGPU0\tmlx5_0\tmlx5_1\tCPU Affinity\nGPU0\t X \tSYS\tPHB\t0-7\n");
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_GPU, 0)->nic), "mlx5_1");
	obs_free(o);
	refused(nccl_topo_parse, "nvidia-smi: command not found", "command not found");
}

CASE(slots_and_addresses)
{
	struct obs *o = parse(
		nccl_gpus_parse, "0, 00000000:5D:00.0\n11, 0001000A:9B:1F.1, GPU-x\nNo devices\n");

	assert_int_equal(o->nccl.n, 2);
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_GPU, 0)->text), "0000:5d:00.0");
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_GPU, 1)->text), "1000a:9b:1f.1");
	assert_int_equal(nccl_nth(o, NCCL_GPU, 1)->gpu, 11);
	obs_free(o);
	refused(nccl_gpus_parse, "No devices were found\n", "No devices were found");
	o = parse(nccl_addresses_parse,
		"[{\"ifname\":\"lo\",\"addr_info\":[{\"local\":\"127.0.0.1\",\"scope\":\"host\"},"
		"{\"local\":\"203.0.113.1\",\"scope\":\"global\"}]},{\"ifname\":\"docker0\","
		"\"addr_info\":[{\"local\":\"172.17.0.1\",\"scope\":\"global\"}]},{\"ifname\":"
		"\"bond0.7\",\"addr_info\":[{\"local\":\"fe80::1\",\"scope\":\"link\"},{\"local\":"
		"\"2001:db8::7\",\"scope\":\"global\"}]},{},7]");
	assert_int_equal(o->nccl.n, 1);
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_ADDRESS, 0)->text), "2001:db8::7");
	assert_string_equal(obs_text(o, nccl_nth(o, NCCL_ADDRESS, 0)->text2), "bond0.7");
	obs_free(o);
	refused(nccl_addresses_parse, "{\"ifname\":\"lo\"}", "expected the list");
	refused(nccl_addresses_parse, "ip: not found", "not found");
}

CASE(steps_of_the_network)
{
	struct obs *o = parse(nccl_profiler_parse,
		"{\"comm_hash\":\"0xff\",\"name\":\"all_gather\",\"rank\":1,\"seq_num\":2,\"dur\":"
		"9,"
		"\"proxyops\":[{\"is_send\":true,\"peer\":2,\"steps\":[{\"start_time\":1,"
		"\"end_time\":4},{\"start_time\":2,\"end_time\":9}]},{\"is_send\":true,\"peer\":2,"
		"\"steps\":[{\"start_time\":0,\"end_time\":2}]},{\"is_send\":false,\"peer\":0,"
		"\"steps\":[{\"start_time\":0,\"end_time\":99}]}]}\n");
	const struct obs_nccl *r = nccl_nth(o, NCCL_EDGE, 0);

	assert_int_equal(nccl_records(o, NCCL_EDGE), 1);
	assert_int_equal(r->peer, 2);
	assert_true(r->took_us == 4);
	assert_true(r->took_max_us == 7);
	assert_string_equal(obs_text(o, r->func), "AllGather");
	assert_true(nccl_nth(o, NCCL_OP, 0)->took_us == 9);
	obs_free(o);
	o = parse(nccl_profiler_parse,
		"[\n{\"name\": \"AllReduce\", \"cat\": \"COLL\", \"ph\": \"b\", \"id\": 4, \"ts\": "
		"10.5, \"args\": {\"SeqNum\": 3, \"CommHash\": 18446744073709551615, \"Rank\": 1, "
		"\"Datatype\": ncclFloat}},\n"
		"{\"name\": \"ProgressSend\", \"cat\": \"PROXY\", \"ph\": \"b\", \"id\": 1, "
		"\"ts\": "
		"11, \"args\": {\"Peer\": 2}},\n"
		"{\"name\": \"SendPeerWait\", \"cat\": \"NET\", \"ph\": \"b\", \"ts\": 12},\n"
		"{\"name\": \"SendPeerWait\", \"cat\": \"NET\", \"ph\": \"e\", \"ts\": 13},\n"
		"{\"name\": \"SendWait\", \"cat\": \"NET\", \"ph\": \"b\", \"ts\": 13},\n"
		"{\"name\": \"SendWait\", \"cat\": \"NET\", \"ph\": \"e\", \"ts\": 15},\n"
		"{\"name\": \"ProgressSend\", \"cat\": \"PROXY\", \"ph\": \"e\", \"ts\": 16},\n"
		"{\"name\": \"AllReduce\", \"cat\": \"COLL\", \"ph\": \"e\", \"id\": 4, \"ts\": "
		"20.5},\n{}]\n");
	r = nccl_nth(o, NCCL_EDGE, 0);
	assert_string_equal(obs_text(o, r->comm), "0xffffffffffffffff");
	assert_int_equal(r->rank, 1);
	assert_int_equal(r->seq, 3);
	assert_int_equal(r->peer, 2);
	assert_true(r->took_us == 2);
	assert_true(r->credit_us == 1);
	assert_true(nccl_nth(o, NCCL_OP, 0)->took_us == 10);
	obs_free(o);
	refused(nccl_profiler_parse, "nothing of it\n", "nothing of it");
}

/* ---- tables of public reports: see tests/cases/hosts.md ---- */

static const char *nic_of(const struct obs *o, int32_t gpu)
{
	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_GPU && o->nccl.at[i].gpu == gpu)
			return obs_text(o, o->nccl.at[i].nic);
	return "no record";
}

/* NVIDIA/nccl 1405: GPUs 0 to 3 are equally near to NICs 1, 3, 4 and 5; NCCL's rule decides. */
CASE(gpus_that_share_nics_do_not_share_the_first_one)
{
	struct obs *o = parse(nccl_topo_parse,
		"\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tNIC1\tNIC2\tNIC3\tNIC4\tNIC5\tCPU Affinity\n"
		"GPU0\t X \tPIX\tPIX\tPIX\tSYS\tPIX\tSYS\tPIX\tPIX\tPIX\t0-37\n"
		"GPU1\tPIX\t X \tPIX\tPIX\tSYS\tPIX\tSYS\tPIX\tPIX\tPIX\t0-37\n"
		"GPU2\tPIX\tPIX\t X \tPIX\tSYS\tPIX\tSYS\tPIX\tPIX\tPIX\t0-37\n"
		"GPU3\tPIX\tPIX\tPIX\t X \tSYS\tPIX\tSYS\tPIX\tPIX\tPIX\t0-37\n"
		"\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n  NIC2: mlx5_2\n  NIC3: mlx5_3\n"
		"  NIC4: mlx5_4\n  NIC5: mlx5_5\n");

	assert_string_equal(nic_of(o, 0), "mlx5_1");
	assert_string_equal(nic_of(o, 1), "mlx5_4");
	assert_string_equal(nic_of(o, 2), "mlx5_3");
	assert_string_equal(nic_of(o, 3), "mlx5_5");
	obs_free(o);
}

/* NVIDIA/nccl 933: NICs of the frontend stand between. */
CASE(a_nic_behind_the_gpus_switch_is_its_own)
{
	struct obs *o = parse(nccl_topo_parse,
		"\tGPU0\tGPU1\tNIC0\tNIC1\tNIC2\tNIC3\tNIC4\tCPU Affinity\tNUMA Affinity\n"
		"GPU0\t X \tNV8\tNODE\tSYS\tPIX\tSYS\tNODE\t0-47\t0\n"
		"GPU1\tNV8\t X \tNODE\tSYS\tNODE\tSYS\tPIX\t0-47\t0\n"
		"\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n  NIC2: mlx5_2\n  NIC3: mlx5_3\n"
		"  NIC4: mlx5_4\n");

	assert_string_equal(nic_of(o, 0), "mlx5_2");
	assert_string_equal(nic_of(o, 1), "mlx5_4");
	obs_free(o);
}

/* NVIDIA/nccl 2150: bonds, one PXB a GPU. */
CASE(a_bond_behind_two_switches_is_its_gpus)
{
	struct obs *o = parse(nccl_topo_parse,
		"\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
		"GPU0\t X \tNV18\tPXB\tNODE\t0-63\t0\t\tN/A\n"
		"GPU1\tNV18\t X \tNODE\tPXB\t0-63\t0\t\tN/A\n"
		"\nNIC Legend:\n\n  NIC0: mlx5_bond_0\n  NIC1: mlx5_bond_1\n");

	assert_string_equal(nic_of(o, 0), "mlx5_bond_0");
	assert_string_equal(nic_of(o, 1), "mlx5_bond_1");
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
