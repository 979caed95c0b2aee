/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/detectors/trouble_meaning.h"

#include <string.h>

#include "base/str.h"

/* What the words say of the cause, and of what it is not. */
static const struct {
	const char *words, *means;
} by_words[] = {
	{"does not return", "this process hangs in a call: the others wait for it"},
	{"Call to recv",
		"a connection that was up: the far end or the path to it stopped answering"},
	{"Call to send",
		"a connection that was up: the far end or the path to it stopped answering"},
	{"No such device", "the NIC of this process is gone: driver or firmware"},
	{"work queue error", "memory registration, GPUDirect or ACS: not the path"},
	{"ibv_modify_qp: Invalid argument",
		"a setting of this host: GID index, MTU, or its NIC's driver"},
	{"roce_get_version_num", "an empty entry of the GID table: leave the GID index unset, and "
				 "compare show_gids of both hosts"},
	{"its port is not active", "the port of this NIC is down: cable, switch, or settings"},
	{"SHARP group", "aggregation in the switches (SHARP) is not used, the job goes on without "
			"it: look at the aggregation manager"},
	{"SHARP: ", "aggregation in the switches (SHARP) is not used, the job goes on without it: "
		    "look at the aggregation manager"},
	{" GID", "the GID table of this host's NIC: which index has its RoCE v2 address? See "
		 "show_gids"},
	{"RoceGetVersionNum", "an empty entry of the GID table: leave NCCL_IB_GID_INDEX "
			      "unset, and compare show_gids of both pods"},
	{"ibv_create_qp", "of this host: its limit of locked memory, of queue pairs, or its "
			  "NIC's driver"},
	{"ibv_create_cq", "of this host: its limit of locked memory, of queue pairs, or its "
			  "NIC's driver"},
	{"register memory",
		"memory registration: this host's limit of locked memory, or GPUDirect"},
	{"MR registration",
		"memory registration: this host's limit of locked memory, or GPUDirect"},
	{"Memory access fault", "GPU or the program on it, not the network"},
	{"HSA_STATUS_ERROR", "GPU, its driver or its links, not the network"},
	{"RLIMIT_MEMLOCK", "memory registration: this host's limit of locked memory"},
	{"no userspace device-specific driver",
		"a setting of this host: the container lacks the library of this NIC (rdma-core)"},
	{"o RDMA device",
		"a setting of this host: the container has no RDMA device, or its NICs are "
		"down"},
	{"ibv_reg_", "memory registration: this host's limit of locked memory, or GPUDirect"},
	{" operation to complete", "data of another rank did not arrive: it hangs or failed, or "
				   "its path is broken"},
	{"from another rank", "a consequence: another rank failed first"},
	{"kvcache from ",
		"the other instance, of prefill or decode: it ended or hangs, or the path "
		"to it is broken"},
	{"mooncake session", "the other instance, of prefill or decode: it ended or hangs, or the "
			     "path to it is broken"},
	{"KVPoll.",
		"the other instance, of prefill or decode: it ended or hangs, or the path to it "
		"is broken"},
	{"NIXL_ERR_INVALID_PARAM", "a call of the program, not the network"},
	{"NIXL_ERR_NOT_POSTED", "a call of the program, not the network"},
	{"NIXL_ERR_REPOST_ACTIVE", "a call of the program, not the network"},
	{"NIXL_ERR_NOT_ALLOWED", "a call of the program, not the network"},
	{"NIXL_ERR_MISMATCH", "the two ends do not agree: settings or software, not the network"},
	{"NIXL_ERR_NOT_SUPPORTED", "a setting of this host: NIXL's plugin cannot do it"},
	{"NIXL_ERR_BACKEND", "the library below NIXL failed: its own error stands before it"},
	{"DeepEP ", "data of another rank did not arrive: it hangs or failed, or its path is "
		    "broken"},
	{"IMEX", "the NVLink domain of these hosts (nvidia-imex), not the network"},
	{"MNNVL", "the NVLink domain of these hosts (nvidia-imex), not the network"},
	{"NVLINK connected GPUs", "NVLink of this host, not the network"},
	{"incompatible",
		"the NICs or settings of two hosts differ: compare NCCL_IB_HCA, and which NICs "
		"are up"},
	{"different number of devices",
		"the NICs of two hosts differ: compare NCCL_IB_HCA, and which "
		"NICs are up"},
	{"No transport", "NCCL finds no way between two of its ranks: devices in the container, "
			 "or NCCL_* settings"},
	{" is not a valid pointer", "a call of the program, not the network"},
	{" argument is NULL", "a call of the program, not the network"},
	{" : invalid ", "a call of the program, not the network"},
	{"without a matching", "a call of the program, not the network"},
	{"NVLink SHARP", "fabric manager or NVSwitch of this host, not the network"},
	{"cuMem", "GPU, its driver or NVLink, not the network"},
	{"nable to find address for",
		"a setting of this host: it has no such interface, or that has "
		"no address (GLOO_SOCKET_IFNAME)"},
	{"no socket interface found",
		"a setting of this host: NCCL_SOCKET_IFNAME fits no interface "
		"that is up, or it has none with an address"},
	{"nable to find interface", "a setting of this host: it has no such interface "
				    "(GLOO_SOCKET_IFNAME)"},
	{"CUDA", "GPU, its driver or NVLink, not the network"},
	{"cuda error", "GPU, its driver or NVLink, not the network"},
	{"Cuda failure", "GPU, its driver or NVLink, not the network"},
	{"illegal memory access", "GPU or the program on it, not the network"},
	{"unspecified launch failure", "GPU or the program on it, not the network"},
	{"uncorrectable ECC", "GPU, its driver or NVLink, not the network"},
	{"system not yet initialized", "fabric manager or NVSwitch of this host, not the network"},
	{"GPU is lost", "GPU, its driver or NVLink, not the network"},
	{"HIP error", "GPU, its driver or its links, not the network"},
	{"hipIpc", "GPU, its driver or its links, not the network"},
	{"ismatch error", "the ranks do not agree on sizes: settings or software, not the "
			  "network"},
	{"essage truncated", "the ranks do not agree on sizes: settings or software, not "
			     "the network"},
	{"init failed for transport", "a setting of this host: driver, modules or "
				      "container, not the far end"},
	{"data was damaged", "a GPU, its memory, NVLink or PCIe of these hosts: damaged packets "
			     "of a network are dropped"},
	{"mark it inactive", "the engine uses this NIC no longer: look for the errors "
			     "before it"},
};

/* The C library's words for a connection that the far end gave up. */
static bool ended_from_afar(const char *text)
{
	return strstr(text, "reset by peer") || strstr(text, "roken pipe") ||
	       strstr(text, "closed by ");
}

const char *trouble_meaning(const struct trouble *t)
{
	static const char *const status[] = {[4] = "memory registration or GPUDirect, not the path",
		[5] = "aftermath: the error before it is not in this log",
		[9] = "memory registration at the far end",
		[10] = "memory access at the far end",
		[11] = "the far end failed to do it",
		[12] = "no acknowledgement: path, far end or its process",
		[13] = "the far end posts no receives: its process is stuck"};

	if (t->status && t->status < sizeof(status) / sizeof(status[0]) && status[t->status])
		return status[t->status];
	if (t->kind == TROUBLE_COPIES && strstr(t->text, "uses sockets"))
		return "TCP instead of RDMA: give the container /dev/infiniband and libibverbs, "
		       "and "
		       "look at NCCL_IB_HCA";
	if (t->kind == TROUBLE_COPIES)
		return "not the network: load nvidia_peermem, or use a driver and kernel with "
		       "DMA-BUF, and compare with hosts that have it";
	for (size_t i = 0; i < sizeof(by_words) / sizeof(by_words[0]); i++)
		if (t->kind != TROUBLE_AFTER && strstr(t->text, by_words[i].words))
			return by_words[i].means;
	if (t->kind == TROUBLE_AFTER || (t->kind == TROUBLE_NOTE && ended_from_afar(t->text)))
		return "a consequence: another process ended or failed first";
	if (t->kind == TROUBLE_HINT)
		return "a line with words of failure: railtop does not know what it is of, and "
		       "blames nothing for it";
	if (t->kind == TROUBLE_NOTE)
		return "an unread warning: railtop does not know these words, and blames nothing "
		       "for it";
	if (t->kind == TROUBLE_CONNECT)
		return "the connection never came up: address, routing or the far process";
	return NULL;
}

bool trouble_purpose(
	const struct nccl *n, const struct comm *c, const struct trouble *t, char *dst, size_t size)
{
	struct nccl_phase phase;

	if (strstr(t->text, NCCL_FEW_WORDS))
		return str_copy(dst, size,
			"few elements: a loss, a flag or a barrier, whatever the group is for");
	return nccl_phase(n, c, "", 0, &phase) &&
	       str_printf(dst, size, "%s, %s", phase.words, phase.why);
}
