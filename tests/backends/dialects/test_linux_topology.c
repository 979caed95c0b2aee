/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* Addresses, GPUs and the NICs next to them, from a host's answer. */

#define BEGIN "@@begin 1\n1700000000000000000\n"
#define END   "@@end\n1700000000100000000\n"
#define ADDR                                                                                       \
	"@@addr\n[{\"ifname\":\"lo\",\"addr_info\":[{\"family\":\"inet\",\"local\":\"127.0.0.1\"}" \
	"]},"                                                                                      \
	"{\"ifname\":\"eno1\",\"addr_info\":[{\"family\":\"inet\",\"local\":\"10.20.1.13\","       \
	"\"prefixlen\":24,\"scope\":\"global\"}]}]\n"
#define NO_SMI "@@gpus\nsh: 1: nvidia-smi: not found\n@@topo\nsh: 1: nvidia-smi: not found\n"
#define TREE                                                                                       \
	"@@pci\n"                                                                                  \
	"mlx5_0/device:/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/0000:18:00.0/"            \
	"0000:1a:00.0\n"                                                                           \
	"mlx5_1/device:/sys/devices/pci0000:5a/0000:5a:01.0/0000:5b:00.0/0000:5c:01.0/"            \
	"0000:5e:00.0\n"                                                                           \
	"mlx5_9/device:/sys/devices/pci0000:f0/0000:f0:01.0/0000:f1:00.0\n"                        \
	"@@gpupci\n"                                                                               \
	"/sys/devices/pci0000:5a/0000:5a:01.0/0000:5b:00.0/0000:5c:00.0/0000:5d:00.0\n"            \
	"/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/0000:18:00.0/0000:19:00.0\n"
#define SMI                                                                                        \
	"@@gpus\n0, 00000000:19:00.0\n1, 00000000:5D:00.0\n"                                       \
	"@@topo\n\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\n"                          \
	"GPU0\t X \tNV18\tSYS\tPIX\t0-55\t0\nGPU1\tNV18\t X \tPIX\tSYS\t56-111\t1\n"               \
	"NIC0\tSYS\tPIX\t X \tSYS\t\t\nNIC1\tPIX\tSYS\tSYS\t X \t\t\n\n"                           \
	"Legend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_7\n  NIC1: mlx5_3\n"

static struct obs *parse(const char *text)
{
	struct target t = {.device = "node003", .tier = TIER_HOST};
	struct obs *o = obs_new("node003", "topology");
	struct err err = {0};

	if (!backend_by_name("linux")->parse(&t, "topology", text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	return o;
}

static const struct obs_nccl *gpu(const struct obs *o, int32_t index, bool with_nic)
{
	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_GPU && o->nccl.at[i].gpu == index &&
			(o->nccl.at[i].nic != 0) == with_nic)
			return &o->nccl.at[i];
	return NULL;
}

static const char *need(const struct obs *o, const char *name, unsigned *validity)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_CAPABILITY &&
			str_eq(obs_text(o, o->items.at[i].text), name)) {
			*validity = o->items.at[i].code;
			return obs_text(o, o->items.at[i].text2);
		}
	fail_msg("nothing is said of %s", name);
	return "";
}

CASE(nvidia_smi_knows_best)
{
	struct obs *o = parse(BEGIN ADDR TREE SMI END);
	const struct obs_nccl *g;
	unsigned v = 99;

	g = gpu(o, 0, true);
	assert_non_null(g);
	assert_string_equal(obs_text(o, g->nic), "mlx5_3"); /* not the NIC that the tree implies */
	g = gpu(o, 1, false);
	assert_non_null(g);
	assert_string_equal(obs_text(o, g->text), "0000:5d:00.0");
	(void)need(o, "GPU to NIC map", &v);
	assert_int_equal(v, VALID_OK);
	(void)need(o, "host addresses", &v);
	assert_int_equal(v, VALID_OK);
	obs_free(o);
}

CASE(the_tree_stands_in_for_it)
{
	struct obs *o = parse(BEGIN ADDR TREE NO_SMI END);
	const struct obs_nccl *g;
	unsigned v = 99;

	g = gpu(o, 0, true); /* in the order of their addresses */
	assert_non_null(g);
	assert_string_equal(obs_text(o, g->text), "0000:19:00.0");
	assert_string_equal(obs_text(o, g->nic), "mlx5_0");
	assert_string_equal(obs_text(o, g->text2), "PIX");
	g = gpu(o, 1, true);
	assert_non_null(g);
	assert_string_equal(obs_text(o, g->nic), "mlx5_1");
	(void)need(o, "GPU to NIC map", &v);
	assert_int_equal(v, VALID_OK);
	obs_free(o);
}

/* nvidia-smi lists the frontend's NIC alone: those of another vendor are in the tree. */
CASE(a_nic_that_nvidia_smi_does_not_list_is_found_in_the_tree)
{
	struct obs *o = parse(BEGIN ADDR
		"@@pci\n"
		"rocep26s0/device:/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/0000:18:00.0/"
		"0000:1a:00.0\n"
		"@@gpupci\n"
		"/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/0000:18:00.0/0000:19:00.0\n"
		"@@gpus\n0, 00000000:19:00.0\n"
		"@@topo\n\tGPU0\tNIC0\tCPU Affinity\nGPU0\t X \tNODE\t0-55\nNIC0\tNODE\t X "
		"\t\n\nNIC Legend:\n\n  NIC0: mlx5_0\n" END);
	const char *nic = "";

	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_GPU && o->nccl.at[i].nic)
			nic = obs_text(o, o->nccl.at[i].nic);
	assert_string_equal(nic, "rocep26s0");
	obs_free(o);
}

/* Two GPUs and two NICs of AMD behind one switch: NCCL and RCCL give each GPU one of them. */
CASE(gpus_of_amd_share_the_nics_of_their_switch)
{
	struct obs *o = parse(BEGIN ADDR
		"@@pci\n"
		"ionic_0/device:/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/"
		"0000:03:00.0\n"
		"ionic_1/device:/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:01.0/"
		"0000:04:00.0\n"
		"@@gpupci\n"
		"/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:02.0/0000:05:00.0\n"
		"/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:03.0/"
		"0000:06:00.0\n" NO_SMI END);

	assert_string_equal(obs_text(o, gpu(o, 0, true)->nic), "ionic_0");
	assert_string_equal(obs_text(o, gpu(o, 1, true)->nic), "ionic_1");
	obs_free(o);
}

CASE(each_absence_costs_itself)
{
	struct obs *o = parse(BEGIN "@@addr\nsh: 1: ip: not found\n@@pci\n@@gpupci\n" NO_SMI END);
	unsigned v = 99;

	assert_int_equal(o->nccl.n, 0);
	assert_string_equal(need(o, "GPU to NIC map", &v), "the host has no GPU of NVIDIA or AMD");
	assert_int_equal(v, VALID_UNSUPPORTED);
	assert_string_equal(
		need(o, "host addresses", &v), "install iproute2 on the host: ip -j addr");
	assert_int_equal(o->err.code, ERR_NONE);
	obs_free(o);
}

/* nvidia-smi hangs: the part before counts, and no capability is reported for the rest. */
CASE(half_an_answer_is_of_use)
{
	struct obs *o = parse(BEGIN ADDR TREE "@@gpus\n");
	bool address = false;

	for (size_t i = 0; i < o->nccl.n; i++)
		address |= o->nccl.at[i].kind == NCCL_ADDRESS &&
			   str_eq(obs_text(o, o->nccl.at[i].text), "10.20.1.13");
	assert_true(address);
	for (size_t i = 0; i < o->items.n; i++)
		assert_int_not_equal(o->items.at[i].kind, OBS_CAPABILITY);
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
