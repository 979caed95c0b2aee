/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_parse.h"
#include "backends/jobs/source.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"

/*
 * Answers of schedulers as public reports show them, rewritten small: tests/cases/hosts.md names
 * the reports. An answer becomes a text "job: hosts" by job, in the order of the answer.
 */

static void put_jobs(const struct obs *o, char *dst, size_t size)
{
	uint32_t last = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < o->nccl.n; i++) {
		const struct obs_nccl *r = &o->nccl.at[i];
		size_t n = strlen(dst);

		if (r->kind != NCCL_JOB)
			continue;
		if (!last || !str_eq(obs_text(o, last), obs_text(o, r->job)))
			(void)str_printf(
				dst + n, size - n, "%s%s:", n ? "; " : "", obs_text(o, r->job));
		n = strlen(dst);
		(void)str_printf(dst + n, size - n, " %s", obs_text(o, r->host));
		last = r->job;
	}
}

static bool is_done(const struct obs *o)
{
	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_DONE)
			return true;
	return false;
}

static bool has_address(const struct obs *o, const char *host, const char *text)
{
	for (size_t i = 0; i < o->nccl.n; i++) {
		const struct obs_nccl *r = &o->nccl.at[i];

		if (r->kind == NCCL_ADDRESS && str_eq(obs_text(o, r->host), host) &&
			str_eq(obs_text(o, r->text), text))
			return true;
	}
	return false;
}

static void expect_slurm(const char *text, const char *jobs, int32_t nranks)
{
	struct obs *o = obs_new("login", "slurm");
	struct err err = {0};
	char got[512];

	if (!nccl_slurm_parse(text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	put_jobs(o, got, sizeof(got));
	assert_string_equal(got, jobs);
	assert_true(is_done(o));
	if (o->nccl.n > 1)
		assert_int_equal(o->nccl.at[0].nranks, nranks);
	obs_free(o);
}

/* ---- Slurm ---- */

CASE(slurm_22_05_has_bare_numbers_and_one_state)
{
	expect_slurm(
		"{\"meta\":{\"plugin\":{\"type\":\"openapi/v0.0.38\",\"name\":\"REST v0.0.38\"},"
		"\"Slurm\":{\"version\":{\"major\":22,\"micro\":4,\"minor\":5},\"release\":"
		"\"22.05.4\"}},\"errors\":[],\"jobs\":[{\"account\":\"a\",\"array_job_id\":0,"
		"\"array_task_id\":null,\"batch_host\":\"gpu01\",\"job_id\":771,\"job_resources\":"
		"{\"nodes\":\"gpu[01-02]\",\"allocated_nodes\":{\"0\":{\"sockets\":{}}}},"
		"\"job_state\":\"RUNNING\",\"name\":\"llm\",\"nodes\":\"gpu[01-02]\",\"tasks\":16,"
		"\"user_name\":\"ann\"},{\"job_id\":772,\"job_state\":\"PENDING\",\"name\":\"x\","
		"\"nodes\":\"\",\"tasks\":8}]}",
		"llm: gpu01 gpu02", 16);
}

CASE(slurm_24_05_has_a_structure_of_nodes_beside_the_text)
{
	expect_slurm(
		"{\"jobs\":[{\"job_id\":81,\"name\":\"rl\",\"job_state\":[\"RUNNING\"],\"nodes\":"
		"\"n-[001-002,007]\",\"node_count\":{\"set\":true,\"infinite\":false,\"number\":3},"
		"\"tasks\":{\"set\":false,\"infinite\":false,\"number\":0},\"job_resources\":{"
		"\"select_type\":[\"CPU\"],\"nodes\":{\"count\":3,\"select_type\":[\"ONE_ROW\"],"
		"\"list\":\"n-[001-002,007]\",\"whole\":false,\"allocation\":[{\"index\":0,"
		"\"name\":"
		"\"n-001\"}]}},\"user_name\":\"bob\"}],\"meta\":{\"plugin\":{\"data_parser\":"
		"\"data_parser/v0.0.41\"}},\"errors\":[],\"warnings\":[]}",
		"rl: n-001 n-002 n-007", -1);
}

/* squeue --json of 23.11 gives all jobs in the controller's memory, whatever the states asked. */
CASE(jobs_that_ended_do_not_hide_those_that_run)
{
	struct buf b;

	buf_init(&b, (size_t)4 << 20);
	(void)buf_adds(&b, "{\"jobs\":[");
	for (int i = 0; i < 5000; i++)
		(void)buf_addf(&b,
			"{\"job_id\":%d,\"name\":\"old\",\"job_state\":[\"COMPLETED\"],\"nodes\":"
			"\"n%d\"},",
			i + 1, i);
	(void)buf_adds(&b,
		"{\"job_id\":9999,\"name\":\"now\",\"job_state\":[\"RUNNING\"],\"nodes\":"
		"\"n1\",\"tasks\":{\"set\":true,\"infinite\":false,\"number\":8}}]}");
	expect_slurm(b.data, "now: n1", 8);
	buf_free(&b);
}

/* After JSON that took too long, or that this build lacks: lines, and a name with anything in it.
 */
CASE(lines_of_squeue_are_jobs_too)
{
	expect_slurm("{\"jobs\":[{\"job_id\":1,\n@@text\n4711|alice|n-[001-002]|pre|train\n"
		     "4712|bob|(null)|waits\n\n4713|carol|n-[a-b]|sweep\n4714|carol|n7|sweep\n",
		"pre|train: n-001 n-002; sweep-4713: n-a n-b; sweep-4714: n7", -1);
	expect_slurm("\n@@text\n", "", -1);
}

/* A job that runs and is being reconfigured, an array task, and a suspended one. */
CASE(states_of_slurm_are_a_set)
{
	expect_slurm(
		"{\"jobs\":[{\"job_id\":1,\"name\":\"a\",\"job_state\":[\"RUNNING\","
		"\"RECONFIG_FAIL\"],\"nodes\":\"n1\",\"tasks\":{\"set\":true,\"infinite\":false,"
		"\"number\":1}},{\"job_id\":2,\"name\":\"b\",\"job_state\":[\"COMPLETING\"],"
		"\"nodes\":\"n2\"},{\"job_id\":3,\"name\":\"a\",\"array_job_id\":{\"set\":true,"
		"\"number\":3},\"job_state\":[\"RUNNING\"],\"nodes\":\"n3\"}]}",
		"a-1: n1; a-3: n3", 1);
}

/* ---- Kubernetes ---- */

static struct obs *read_kubernetes(const char *pods, const char *claims)
{
	const struct job_document docs[] = {{"/api/v1/pods?limit=500", pods, strlen(pods), 200},
		{"/apis/resource.k8s.io/v1/resourceclaims", claims, strlen(claims),
			*claims ? 200 : 404}};
	struct obs *o = obs_new("", "kubernetes");
	struct err err = {0};

	if (!job_source_by_name("kubernetes")->read(docs, 2, o, &err))
		fail_msg("%s", err.text);
	return o;
}

/* dranet: eight devices of a claim, of which the driver told the addresses of two. */
CASE(addresses_of_claims_find_their_node)
{
	struct obs *o = read_kubernetes("{\"items\":null}",
		"{\"items\":[{\"metadata\":{\"name\":\"t-0-rdma-8dj8b\",\"namespace\":\"default\"},"
		"\"spec\":{\"devices\":{\"requests\":[{\"allocationMode\":\"ExactCount\",\"count\":"
		"8,"
		"\"deviceClassName\":\"dranet\",\"name\":\"rdma\"}]}},\"status\":{\"allocation\":{"
		"\"devices\":{\"results\":[{\"adminAccess\":null,\"device\":\"gpu0rdma0\","
		"\"driver\":"
		"\"dra.net\",\"pool\":\"node-lp53\",\"request\":\"rdma\"}]}},\"devices\":[{"
		"\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],\"data\":null,"
		"\"device\":"
		"\"gpu0rdma0\",\"driver\":\"dra.net\",\"networkData\":{\"hardwareAddress\":"
		"\"9a:41:63:b1:00:01\",\"interfaceName\":\"gpu0rdma0\",\"ips\":[\"10.128.0.4/"
		"32\"]},"
		"\"pool\":\"node-lp53\"},{\"device\":\"gpu1rdma0\",\"driver\":\"dra.net\","
		"\"networkData\":{\"ips\":[\"10.128.0.5/32\"]},\"pool\":\"node-lp53\"}],"
		"\"reservedFor\":[{\"name\":\"t-0\",\"resource\":\"pods\",\"uid\":\"u\"}]}}]}");

	assert_true(has_address(o, "node-lp53", "10.128.0.4"));
	assert_true(has_address(o, "node-lp53", "10.128.0.5"));
	assert_true(is_done(o));
	obs_free(o);
}

/* The NIC that a source names for an address; "": none. */
static const char *nic_of(const struct obs *o, const char *address)
{
	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_ADDRESS &&
			str_eq(obs_text(o, o->nccl.at[i].text), address))
			return obs_text(o, o->nccl.at[i].text2);
	return "no record";
}

/* google/dranet 154, and the names of later releases: a NIC and a GPU of two drivers in one claim.
 */
CASE(a_claim_leads_to_its_nic)
{
	struct obs *o = read_kubernetes("{\"items\":[]}",
		"{\"items\":[{\"metadata\":{\"name\":\"c\"},\"spec\":{},\"status\":{\"allocation\":"
		"{"
		"\"devices\":{\"results\":[{\"adminAccess\":null,\"device\":\"eth1\",\"driver\":"
		"\"dra.net\",\"pool\":\"my-node\",\"request\":\"nic\"},{\"device\":\"customgpu0\","
		"\"driver\":\"gpu.nvidia.com\",\"pool\":\"my-node\",\"request\":\"gpu\"}]}},"
		"\"devices\":[{\"device\":\"eth1\",\"driver\":\"dra.net\",\"pool\":\"my-node\","
		"\"networkData\":{\"interfaceName\":\"net1\",\"ips\":[\"10.9.0.1/"
		"24\"]}},{\"device\":"
		"\"pci-0000-a3-00-0\",\"driver\":\"dra.net\",\"pool\":\"my-node\",\"networkData\":{"
		"\"ips\":[\"10.9.1.1\"]}},{\"device\":\"customgpu0\",\"driver\":\"gpu.nvidia.com\","
		"\"pool\":\"my-node\"}]}}]}");

	assert_true(has_address(o, "my-node", "10.9.0.1"));
	assert_string_equal(nic_of(o, "10.9.0.1"), "eth1");
	assert_string_equal(nic_of(o, "10.9.1.1"), "0000:a3:00.0");
	obs_free(o);
}

/* k8snetworkplumbingwg/sriov-network-device-plugin 530: the annotation names the RDMA device. */
CASE(a_network_of_multus_leads_to_its_nic)
{
	struct obs *o = read_kubernetes(
		"{\"items\":[{\"metadata\":{\"name\":\"alg-test-master-0\",\"namespace\":\"a\","
		"\"annotations\":{\"k8s.v1.cni.cncf.io/network-status\":\"[{\\\"name\\\":"
		"\\\"k8s-pod-network\\\",\\\"ips\\\":[\\\"192.168.107.206\\\"],\\\"default\\\":"
		"true},{\\\"name\\\":\\\"default/sriov-net1\\\",\\\"interface\\\":\\\"net1\\\","
		"\\\"ips\\\":[\\\"10.56.217.2\\\"],\\\"device-info\\\":{\\\"type\\\":\\\"pci\\\","
		"\\\"version\\\":\\\"1.1.0\\\",\\\"pci\\\":{\\\"pci-address\\\":"
		"\\\"0000:03:00.3\\\",\\\"rdma-device\\\":\\\"mlx5_4\\\"}}}]\"}},\"spec\":{"
		"\"nodeName\":\"n1\",\"containers\":[{\"resources\":{\"limits\":{"
		"\"rdma/hca\":\"1\"}}}]},\"status\":{\"phase\":\"Running\"}}]}",
		"");

	assert_string_equal(nic_of(o, "192.168.107.206"), "");
	assert_string_equal(nic_of(o, "10.56.217.2"), "mlx5_4");
	/* The log of the pod says the pod's name for its host. */
	assert_true(has_address(o, "n1", "alg-test-master-0"));
	obs_free(o);
}

/* Multus before 3.7 wrote "networks-status". */
CASE(both_spellings_of_the_networks_are_read)
{
	struct obs *o = read_kubernetes(
		"{\"items\":[{\"metadata\":{\"name\":\"w-0\",\"namespace\":\"a\",\"labels\":{"
		"\"leaderworkerset.sigs.k8s.io/name\":\"vllm\"},\"annotations\":{"
		"\"k8s.v1.cni.cncf.io/"
		"networks-status\":\"[{\\\"name\\\":\\\"rail0\\\",\\\"ips\\\":["
		"\\\"10.9.0.3\\\"]}]\"}},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{"
		"\"resources\":{"
		"\"limits\":{\"amd.com/gpu\":\"8\"}}}]},\"status\":{\"phase\":\"Running\"}}]}",
		"");
	char got[128];

	put_jobs(o, got, sizeof(got));
	assert_string_equal(got, "a/vllm: n1");
	assert_true(has_address(o, "n1", "10.9.0.3"));
	obs_free(o);
}

/* ---- Ray ---- */

static void expect_ray(const char *jobs, const char *want)
{
	static const char
		nodes[] = "{\"result\":true,\"data\":{\"result\":{\"result\":[{\"node_id\":"
			  "\"n1\",\"node_ip\":\"172.21.96.91\",\"node_name\":"
			  "\"172.21.96.91\",\"state\":\"ALIVE\"}]}}}",
		actors[] = "{\"result\":true,\"data\":{\"result\":{\"result\":[{\"actor_id\":"
			   "\"a\",\"state\":\"ALIVE\",\"job_id\":\"02000000\",\"node_id\":"
			   "\"n1\",\"required_resources\":{\"GPU\":0.5}},{\"actor_id\":\"b\","
			   "\"state\":\"ALIVE\",\"job_id\":\"01000000\",\"node_id\":\"n1\","
			   "\"required_resources\":{}}]}}}";
	const struct job_document docs[] = {{"/api/v0/nodes", nodes, strlen(nodes), 200},
		{"/api/jobs/", jobs, strlen(jobs), 200},
		{"/api/v0/actors", actors, strlen(actors), 200}};
	struct obs *o = obs_new("", "ray");
	struct err err = {0};
	char got[128];

	if (!job_source_by_name("ray")->read(docs, 3, o, &err))
		fail_msg("%s", err.text);
	put_jobs(o, got, sizeof(got));
	assert_string_equal(got, want);
	obs_free(o);
}

CASE(a_ray_job_without_metadata_has_its_submission)
{
	expect_ray("[{\"type\":\"SUBMISSION\",\"entrypoint\":\"python test.py \",\"job_id\":"
		   "\"02000000\",\"submission_id\":\"1581939261491511297\",\"driver_info\":{\"id\":"
		   "\"02000000\",\"node_ip_address\":\"172.21.96.91\",\"pid\":\"500\"},\"status\":"
		   "\"RUNNING\",\"message\":\"\",\"error_type\":null,\"metadata\":null}]",
		"1581939261491511297: 172.21.96.91");
}

CASE(a_driver_of_ray_has_no_submission)
{
	expect_ray(
		"[{\"type\":\"DRIVER\",\"job_id\":\"02000000\",\"submission_id\":null,\"status\":"
		"\"RUNNING\",\"entrypoint\":\"\",\"metadata\":{}}]",
		"02000000: 172.21.96.91");
}

CASE(old_ray_lists_jobs_by_name)
{
	expect_ray(
		"{\"raysubmit_1\":{\"status\":\"RUNNING\",\"entrypoint\":\"x\",\"job_id\":"
		"\"02000000\",\"submission_id\":\"raysubmit_1\",\"metadata\":{\"name\":\"tune\"}}}",
		"tune: 172.21.96.91");
}

CASES_MAIN(NULL, NULL)
