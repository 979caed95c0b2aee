/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/nccl_capture.h"
#include "tests/support/cases.h"
#include "tests/support/nccl_find.h"

/* A host's report of its GPUs and addresses, and a scheduler's of its jobs. */

CASE(gpus_and_their_nics)
{
	static const char *const files[] = {"topo/synthetic/nvidia-smi_topo_m_hgx_h100_8nic.txt",
		"topo/synthetic/nvidia-smi_topo_m_hgx_h100_8nic.ansi.txt"};

	for (size_t k = 0; k < 2; k++) {
		struct obs *o = nccl_capture(nccl_topo_parse, files[k]);

		assert_int_equal(o->nccl.n, 8);
		for (int32_t i = 0; i < 8; i++) {
			const struct obs_nccl *r = nccl_nth(o, NCCL_GPU, (size_t)i);
			char nic[16];

			(void)str_printf(nic, sizeof(nic), "mlx5_%d", i);
			assert_int_equal(r->gpu, i);
			assert_string_equal(obs_text(o, r->nic), nic);
			assert_string_equal(obs_text(o, r->text2), "PIX");
			assert_int_equal(r->source, SOURCE_TOPOLOGY);
		}
		obs_free(o);
	}
}

CASE(gpus_and_their_slots)
{
	static const char *const slots[8] = {"0000:19:00.0", "0000:3b:00.0", "0000:4c:00.0",
		"0000:5d:00.0", "0000:9b:00.0", "0000:bb:00.0", "0000:cb:00.0", "0000:db:00.0"};
	struct obs *o = nccl_capture(nccl_gpus_parse, "topo/synthetic/nvidia-smi_query-gpu.csv");

	assert_int_equal(o->nccl.n, 8);
	for (int32_t i = 0; i < 8; i++) {
		assert_int_equal(nccl_nth(o, NCCL_GPU, (size_t)i)->gpu, i);
		assert_string_equal(obs_text(o, nccl_nth(o, NCCL_GPU, (size_t)i)->text), slots[i]);
	}
	obs_free(o);
}

/* `nvidia-smi nvlink -s` of real hosts, as the script brings it. */
static struct obs *read_nvlink(const char *file)
{
	struct target t = {.device = "node", .tier = TIER_HOST};
	struct obs *o = obs_new("node", "nvlink");
	struct err err = {0};
	char name[128], *bytes;
	struct buf b;
	size_t len;

	(void)str_printf(name, sizeof(name), "hosts/topo/%s", file);
	bytes = capture_read(name, &len);
	buf_init(&b, (size_t)1 << 20);
	(void)buf_adds(&b, "@@begin 1\n1700000000000000000\n@@links\n");
	(void)buf_add(&b, bytes, len);
	(void)buf_adds(&b, "\n@@told 0\n@@end\n1700000000100000000\n");
	if (!backend_by_name("linux")->parse(&t, "nvlink", b.data, b.len, o, &err))
		fail_msg("%s", err.text);
	buf_free(&b);
	free(bytes);
	return o;
}

static const char *links_of(const struct obs *o, unsigned gpu)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_WORD && o->items.at[i].code == ATTR_GPU_LINKS &&
			o->items.at[i].sub == gpu)
			return obs_text(o, o->items.at[i].text);
	return "";
}

CASE(links_of_gpus)
{
	struct obs *o = read_nvlink("azure_nvidia-smi_nvlink_status_good.txt");

	assert_string_equal(
		links_of(o, 7), "kind=nvlink name=NVIDIA-A100-SXM4-80GB links=12 active=12 gbs=25");
	assert_string_equal(links_of(o, 0), "");
	obs_free(o);
	o = read_nvlink("azure_nvidia-smi_nvlink_status_bad.txt");
	assert_string_equal(
		links_of(o, 6), "kind=nvlink name=NVIDIA-A100-SXM4-80GB links=0 active=0");
	obs_free(o);
	o = read_nvlink("gpud_nvidia-smi_nvlink_status_a100.txt");
	for (unsigned i = 0; i < 8; i++)
		assert_string_equal(links_of(o, i),
			"kind=nvlink name=NVIDIA-A100-SXM4-80GB links=12 active=12 gbs=25");
	obs_free(o);
}

/* Eight rails and the management port; not ::1, and no address that begins with fe80. */
CASE(addresses)
{
	struct obs *o = nccl_capture(nccl_addresses_parse, "iproute2/ip-j-addr.json");

	assert_int_equal(nccl_records(o, NCCL_ADDRESS), 9);
	for (int i = 0; i < 9; i++) {
		const struct obs_nccl *r = nccl_nth(o, NCCL_ADDRESS, (size_t)i);
		char address[32], netdev[16];

		(void)str_printf(address, sizeof(address), "10.100.%d.5", i);
		(void)str_printf(netdev, sizeof(netdev), "rdma%d", i);
		assert_string_equal(obs_text(o, r->text), i < 8 ? address : "10.20.1.13");
		assert_string_equal(obs_text(o, r->text2), i < 8 ? netdev : "eth0");
	}
	obs_free(o);
}

CASE(a_job_of_slurm)
{
	struct obs *o = nccl_capture(nccl_slurm_parse, "slurm/synthetic/squeue_v0.0.42.json");

	assert_int_equal(nccl_records(o, NCCL_JOB), 4);
	assert_int_equal(nccl_records(o, NCCL_DONE), 1);
	for (int i = 0; i < 4; i++) {
		const struct obs_nccl *r = nccl_nth(o, NCCL_JOB, (size_t)i);
		char host[32];

		(void)str_printf(host, sizeof(host), "gpu-node-%02d", i + 1);
		assert_string_equal(obs_text(o, r->job), "llm-pretrain");
		assert_string_equal(obs_text(o, r->text), "trainer");
		assert_string_equal(obs_text(o, r->host), host);
		assert_int_equal(r->nranks, 32);
	}
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
