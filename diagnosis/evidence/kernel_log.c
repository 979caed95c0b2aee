/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/kernel_log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/nic_driver.h"
#include "fabric/vocabulary/storage_client.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- NVIDIA GPUs ---- */

/*
 * NVIDIA's catalogue of Xid errors. Engines of video and display concern no job, and are not in it.
 * A number above the last one is of a later driver: it counts as one of the hardware, because
 * nobody knows better.
 */
static const struct xid {
	unsigned code;
	enum kernel_cause cause;
	bool is_fatal;
	const char *meaning;
} xids[] = {
	{13, KERNEL_APPLICATION, false, "graphics engine exception"},
	{31, KERNEL_APPLICATION, false, "memory page fault"},
	{32, KERNEL_APPLICATION, false, "invalid push buffer"},
	{39, KERNEL_APPLICATION, false, "copy engine error"},
	{40, KERNEL_APPLICATION, false, "copy engine error"},
	{41, KERNEL_APPLICATION, false, "copy engine error"},
	{43, KERNEL_APPLICATION, false, "a program stopped processing"},
	{44, KERNEL_HARDWARE, false, "fault while contexts were switched"},
	{45, KERNEL_ECHO, false, "cleanup after another error"},
	{46, KERNEL_HARDWARE, true, "GPU stopped processing"},
	{48, KERNEL_HARDWARE, true, "double bit ECC error"},
	{58, KERNEL_HARDWARE, true, "memory interface error"},
	{59, KERNEL_HARDWARE, true, "internal controller error"},
	{61, KERNEL_HARDWARE, true, "internal controller breakpoint"},
	{62, KERNEL_HARDWARE, true, "internal controller halt"},
	{63, KERNEL_HARDWARE, false, "memory row was remapped"},
	{64, KERNEL_HARDWARE, true, "memory row could not be remapped"},
	{68, KERNEL_APPLICATION, false, "video processor exception"},
	{69, KERNEL_APPLICATION, false, "graphics engine class error"},
	{70, KERNEL_APPLICATION, false, "copy engine error"},
	{71, KERNEL_APPLICATION, false, "copy engine error"},
	{72, KERNEL_APPLICATION, false, "copy engine error"},
	{74, KERNEL_NVLINK, true, "NVLink error"},
	{79, KERNEL_HARDWARE, true, "GPU has fallen off the bus"},
	{75, KERNEL_APPLICATION, false, "copy engine error"},
	{76, KERNEL_APPLICATION, false, "copy engine error"},
	{77, KERNEL_APPLICATION, false, "copy engine error"},
	{80, KERNEL_HARDWARE, true, "damaged data arrived at the GPU"},
	{85, KERNEL_APPLICATION, false, "copy engine error"},
	{87, KERNEL_ECHO, false, "report of the driver"},
	{92, KERNEL_HARDWARE, false, "many single bit ECC errors"},
	{94, KERNEL_HARDWARE, false, "contained memory error"},
	{95, KERNEL_HARDWARE, true, "uncontained memory error"},
	{108, KERNEL_ECHO, false, "access to a remote GPU failed"},
	{109, KERNEL_APPLICATION, false, "context switch timeout"},
	{110, KERNEL_HARDWARE, true, "security fault"},
	{119, KERNEL_HARDWARE, true, "GPU system processor does not answer"},
	{120, KERNEL_HARDWARE, true, "GPU system processor error"},
	{121, KERNEL_NVLINK, false, "C2C link error"},
	{122, KERNEL_HARDWARE, false, "its flash memory cannot be read"},
	{123, KERNEL_HARDWARE, false, "its flash memory cannot be written"},
	{124, KERNEL_HARDWARE, false, "its flash memory cannot be erased"},
	{125, KERNEL_HARDWARE, false, "the InfoROM in its flash memory is damaged"},
	{136, KERNEL_HARDWARE, true, "link training failed"},
	{137, KERNEL_ECHO, false, "access to a remote GPU failed"},
	{140, KERNEL_HARDWARE, true, "unrecovered ECC error"},
	{143, KERNEL_HARDWARE, true, "GPU initialisation failed"},
	{144, KERNEL_NVLINK, true, "NVLink: SAW error"},
	{145, KERNEL_NVLINK, true, "NVLink: RLW error"},
	{146, KERNEL_NVLINK, true, "NVLink: TLW error"},
	{147, KERNEL_NVLINK, true, "NVLink: TREX error"},
	{148, KERNEL_NVLINK, true, "NVLink: control error"},
	{149, KERNEL_NVLINK, true, "NVLink: NETIR error"},
	{150, KERNEL_NVLINK, true, "NVLink: MSE error"},
	{154, KERNEL_ECHO, false, "recovery action changed"},
	{155, KERNEL_NVLINK, false, "NVLink: error found by software"},
	{156, KERNEL_HARDWARE, false, "a part was retired"},
	{157, KERNEL_HARDWARE, true, "a part could not be retired"},
	{158, KERNEL_HARDWARE, true, "GPU fatal timeout"},
	{159, KERNEL_NVLINK, false, "C2C link: bus error"},
	{160, KERNEL_HARDWARE, false, "a memory channel was retired"},
	{161, KERNEL_HARDWARE, true, "a memory channel could not be retired"},
	{162, KERNEL_ECHO, false, "power smoothing is on again"},
	{163, KERNEL_ECHO, false, "power smoothing is off"},
	{164, KERNEL_HARDWARE, false, "power smoothing wears out"},
	{165, KERNEL_HARDWARE, false, "power smoothing is worn out"},
	{166, KERNEL_NVLINK, true, "NVLink: encryption error"},
	{167, KERNEL_HARDWARE, true, "PCIe fatal timeout"},
	{168, KERNEL_HARDWARE, false, "less memory than before"},
	{169, KERNEL_HARDWARE, true, "security processor halted"},
	{170, KERNEL_NVLINK, true, "NVLink: encryption error"},
	{171, KERNEL_HARDWARE, true, "DRAM error"},
	{172, KERNEL_HARDWARE, true, "SRAM error"},
	{173, KERNEL_HARDWARE, true, "C2C link failed"},
	{175, KERNEL_HARDWARE, true, "memory error"},
	{176, KERNEL_HARDWARE, false, "corrected PCIe errors"},
};

/* Reads "(PCI:0000:5d:00): 79, ..."; returns the number, 0: none. */
static unsigned code_of(const char *at, char *bus, size_t size)
{
	const char *pci = strstr(at, "PCI:"), *close = strstr(at, "):");
	size_t n = pci && close && pci < close ? (size_t)(close - pci) - 4 : 0;

	*bus = '\0';
	if (n && n < size)
		(void)str_copyn(bus, size, pci + 4, n);
	at = close ? close + 2 : at;
	at += strspn(at, " ");
	return isdigit((unsigned char)*at) ? (unsigned)strtoul(at, NULL, 10) : 0;
}

static bool read_xid(const char *at, struct kernel_error *out)
{
	const char *previous = strstr(at, "previous Xid ");

	out->code = code_of(at, out->bus, sizeof(out->bus));
	if (!out->code)
		return false;
	/* A cleanup that names its cause stands for it: the line of the cause may be lost. */
	if (previous)
		out->code = (unsigned)strtoul(previous + strlen("previous Xid "), NULL, 10);
	out->part = KERNEL_GPU;
	out->cause = KERNEL_ECHO;
	out->meaning = "unknown number";
	if (out->code > xids[ARRAY_LEN(xids) - 1].code)
		out->cause = KERNEL_HARDWARE;
	for (size_t i = 0; i < ARRAY_LEN(xids); i++)
		if (xids[i].code == out->code) {
			out->cause = xids[i].cause;
			out->is_fatal = xids[i].is_fatal;
			out->meaning = xids[i].meaning;
		}
	/* "145, RLW_REMAP Nonfatal XC0 i0 Link 03": from Blackwell on the line tells. */
	if (strstr(at, " Nonfatal "))
		out->is_fatal = false;
	return true;
}

/*
 * "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 27 LTSSM Fault Up". Only the
 * first line of an error has a severity; the others hold its data. Errors of an egress come from
 * the GPU that sent the packet.
 */
static bool read_sxid(const char *at, struct kernel_error *out)
{
	bool is_fatal = strstr(at, ", Fatal,") != NULL;

	out->code = code_of(at, out->bus, sizeof(out->bus));
	if (!out->code || (!is_fatal && !strstr(at, ", Non-fatal,")))
		return false;
	out->part = KERNEL_NVSWITCH;
	out->is_fatal = is_fatal;
	out->cause = is_fatal                                            ? KERNEL_HARDWARE
		     : strstr(at, "egress") || strstr(at, "sourcetrack") ? KERNEL_ECHO
									 : KERNEL_NVLINK;
	out->meaning = is_fatal ? "fatal error of an NVSwitch" : "error of an NVSwitch";
	return true;
}

/* ---- other drivers ---- */

#define WORDS 3
/*
 * All words of a row must be in the line; the first matching row decides. Rows that quote a
 * recovery stand first, with no part.
 */
static const struct message {
	const char *word[WORDS];
	enum kernel_part part;
	bool is_fatal;
	const char *meaning;
} messages[] = {
	{{"GPU reset", "succeeded"}, KERNEL_NONE, false, ""},
	{{"GPU reset"}, KERNEL_GPU, true, "AMD GPU was reset"},
	{{"[drm]", "is hung"}, KERNEL_GPU, true, "AMD GPU does not answer"},
	{{"amdgpu", "ring", "timeout"}, KERNEL_GPU, true, "AMD GPU does not answer"},
	{{"amdgpu", "hardware errors detected", "uncorrectable"}, KERNEL_GPU, true,
		"AMD GPU: uncorrectable memory error"},
	{{"amdgpu", "ncorrectable"}, KERNEL_GPU, true, "AMD GPU: uncorrectable error"},
	{{"amdgpu", "fatal"}, KERNEL_GPU, true, "AMD GPU: fatal error"},
	{{"amdgpu", "Fatal error"}, KERNEL_GPU, true, "AMD GPU: fatal error"},
	{{"amdgpu", "poison"}, KERNEL_GPU, true, "AMD GPU: uncorrectable memory error"},
	{{"amdgpu", "bad page"}, KERNEL_GPU, true, "AMD GPU: too many bad pages of memory"},
	{{"amdgpu", "hanged state"}, KERNEL_GPU, true, "AMD GPU does not answer"},
	{{"amdgpu", "previous command"}, KERNEL_GPU, true, "AMD GPU does not answer"},
	{{"amdgpu", "MES failed to respon"}, KERNEL_GPU, true, "AMD GPU does not answer"},
	/* In several lines, or without an Xid, when the driver finds it gone. */
	{{"NVRM", "waiting for RPC from GSP"}, KERNEL_GPU, true,
		"GPU system processor does not answer"},
	{{"nvidia ", "device inaccessible"}, KERNEL_GPU, true, "GPU has fallen off the bus"},
	{{"NVRM", "API mismatch"}, KERNEL_GPU, false,
		"the driver's module and its libraries are of different releases"},
	{{"fabricmanager", "Success"}, KERNEL_NONE, false, ""},
	{{"fabricmanager", "FAILURE"}, KERNEL_GPU, false,
		"the fabric manager failed: a host with NVSwitches cannot use its GPUs"},
	{{"NVRM", "allen off the bus"}, KERNEL_GPU, true, "GPU has fallen off the bus"},
	{{"NVRM", "GPU_ATTACHED", "failed"}, KERNEL_GPU, true, "GPU has fallen off the bus"},
	{{"NVRM", "critical error 79"}, KERNEL_GPU, true, "GPU has fallen off the bus"},
	{{"gim error", "imeout"}, KERNEL_GPU, true, "AMD GPU does not answer"},
	{{"gim error"}, KERNEL_GPU, false, "AMD's driver of the host reports an error"},
	{{"NVRM", "probe routine failed"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"NVRM", "RmInitAdapter"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"NVRM", "rm_init_adapter failed"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"NVRM", "bad state"}, KERNEL_GPU, true, "a GPU is in a bad state: it needs a reset"},
	{{"NVRM", "cannot proceed"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"NVRM", "annot boot"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"NVRM", "annot attach"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"NVRM", "annot init"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"amdgpu", "discovery", "invalid"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"NVRM", "GFW"}, KERNEL_GPU, true, "the firmware of a GPU does not start"},
	{{"nvidia ", "probe ", "failed"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	{{"amdgpu", "probe ", "failed"}, KERNEL_GPU, true, "the driver cannot start a GPU"},
	/* mlx5 */
	{{"mlx5", "timeout. Will cause a leak"}, KERNEL_NIC, true, "its firmware does not answer"},
	/* Long lines arrive without their end: "... No done completion". */
	{{"mlx5", "recovered after"}, KERNEL_NONE, false, ""},
	{{"mlx5", "handle_exec_timeout"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"mlx5", "health recovery flow aborted"}, KERNEL_NIC, true,
		"its driver cannot recover it"},
	{{"mlx5", "CQ error"}, KERNEL_NIC, false, "a completion queue failed"},
	{{"mlx5", "No done completion"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"mlx5", "device's health compromised"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"mlx5", "Fatal error"}, KERNEL_NIC, true, "its firmware reports a fatal error"},
	{{"mlx5", "unrecoverable"}, KERNEL_NIC, true, "it reports an unrecoverable hardware error"},
	{{"mlx5", "Health issue"}, KERNEL_NIC, true, "its firmware reports a health issue"},
	{{"mlx5", "error_sw_reset"}, KERNEL_NIC, true, "the driver reset it"},
	{{"mlx5", "fw_reset"}, KERNEL_NIC, true, "its firmware was reset"},
	{{"mlx5", "health recovery succeeded"}, KERNEL_NONE, false, ""},
	{{"mlx5", "health recovery flow"}, KERNEL_NIC, true, "its driver recovers it"},
	{{"mlx5", "reset reload flow aborted"}, KERNEL_NIC, true, "its driver cannot recover it"},
	{{"mlx5", "is in error state"}, KERNEL_NIC, true, "its driver gave it up"},
	{{"mlx5", "not responsive"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"mlx5", "CMD slots are stalled"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"mlx5", "out of queue timeout"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"mlx5", "waiting for a slot"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"mlx5", "waiting for command semaphore"}, KERNEL_NIC, true,
		"its firmware does not answer"},
	{{"mlx5", "Firmware over ", "state, aborting"}, KERNEL_NIC, true,
		"its firmware does not start"},
	{{"mlx5", "igh temperature"}, KERNEL_NIC, false, "it is too hot"},
	{{"mlx5", "GID table exhausted"}, KERNEL_NIC, false, "its GID table is full"},
	{{"PCIe speed is slower"}, KERNEL_NIC, false, "its PCIe link is slower than it could be"},
	{{"PCIe width is lower"}, KERNEL_NIC, false, "its PCIe link is narrower than it could be"},
	{{"available PCIe bandwidth, limited"}, KERNEL_NIC, false,
		"its PCIe link is slower than it could be"},
	{{"mlx5", "insufficient power"}, KERNEL_NIC, false, "its slot gives too little power"},
	{{"mlx5", "failed, status"}, KERNEL_NIC, false, "a command of the driver failed"},
	{{"mlx5", "rror cqe"}, KERNEL_NIC, false, "a work request failed"},
	{{"mlx5", "QP ", "error"}, KERNEL_NIC, false, "a queue pair failed"},
	/* bnxt, ionic, irdma and ice, efa */
	{{"bnxt", "reset request successful"}, KERNEL_NONE, false, ""},
	{{"mlx5", "mlx5_load_one", "failed"}, KERNEL_NIC, true, "its driver cannot start it"},
	{{"mlx5_core", "probe of", "failed"}, KERNEL_NIC, true, "its driver cannot start it"},
	{{"bnxt_en", "probe of", "failed"}, KERNEL_NIC, true, "its driver cannot start it"},
	{{"ice", "probe of", "failed"}, KERNEL_NIC, true, "its driver cannot start it"},
	{{"ionic", "probe of", "failed"}, KERNEL_NIC, true, "its driver cannot start it"},
	{{"bnxt", "hwrm", "error"}, KERNEL_NIC, false, "a command of the driver failed"},
	{{"bnxt", "FW STALL"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"QPLIB:", "timedout"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"QPLIB:", "cmdq["}, KERNEL_NIC, false, "a command of the driver failed"},
	{{"bnxt", "TPA end"}, KERNEL_NIC, false, "its receive ring is out of step"},
	{{"bnxt", "heartbeat stopped"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"bnxt", "temperature"}, KERNEL_NIC, false, "it is too hot"},
	{{"bnxt", "hermal"}, KERNEL_NIC, true, "it is too hot"},
	{{"bnxt", "Pause Storm"}, KERNEL_NIC, true, "it sends pause frames without an end"},
	{{"bnxt", "with status 0x"}, KERNEL_NIC, false, "a work request failed"},
	{{"bnxt", "not responding"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"bnxt", "Error (timeout"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"bnxt", "irmware", "reset"}, KERNEL_NIC, true, "its firmware was reset"},
	{{"bnxt", "fatal"}, KERNEL_NIC, true, "its firmware reports a fatal error"},
	{{"ionic", "FW heartbeat"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"ionic", "FW stopped"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"ionic", "timeout"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"ionic", "timed out"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"ionic", "FW_ERR"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"ionic", "opcode", "error"}, KERNEL_NIC, false, "a command of the driver failed"},
	{{"on MAD QP"}, KERNEL_NIC, false, "a queue pair failed"},
	{{"abnormal ae_id"}, KERNEL_NIC, false, "a queue pair failed"},
	{{"critical PE Error"}, KERNEL_NIC, true, "its protocol engine reports a fatal error"},
	{{"ice ", "cqp opcode"}, KERNEL_NIC, false, "a command of the driver failed"},
	{{"ice ", "OICR event"}, KERNEL_NIC, false, "it reports an error of its own"},
	{{"irdma", "eset"}, KERNEL_NIC, true, "the driver reset it"},
	{{"ecovery mode detected"}, KERNEL_NIC, true, "its firmware is in recovery mode"},
	{{"in firmware recovery mode"}, KERNEL_NIC, true, "its firmware is in recovery mode"},
	{{"efa ", "polling) timeout"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"send any completion for admin"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"Keep alive watchdog timeout"}, KERNEL_NIC, true, "its firmware does not answer"},
	{{"an unhealthy state"}, KERNEL_NIC, true, "it reports a failed state"},
	/* common to all */
	{{"NETDEV WATCHDOG", "timed out"}, KERNEL_NIC, true, "its send queue hangs"},
	{{"TX timeout"}, KERNEL_NIC, true, "its send queue hangs"},
	{{"tx_timeout"}, KERNEL_NIC, true, "its send queue hangs"},
	{{"ransmit timeout"}, KERNEL_NIC, true, "its send queue hangs"},
	{{"receives not completed"}, KERNEL_NIC, false, "its send queue hangs"},
	{{"Malicious Driver Detection"}, KERNEL_NIC, false, "it stopped a queue of its driver"},
	{{"nsupported module"}, KERNEL_NIC, false, "its module is not supported"},
	{{"nqualified ", "module"}, KERNEL_NIC, false, "its module is not supported"},
	{{"PCIe link lost"}, KERNEL_NIC, true, "it is gone from the PCIe bus"},
	{{"device inaccessible"}, KERNEL_NIC, true, "it is gone from the PCIe bus"},
	{{"PCI bus bridge is not accessible"}, KERNEL_NIC, true, "it is gone from the PCIe bus"},
	{{"after bus reset; giving up"}, KERNEL_NIC, true, "it is gone from the PCIe bus"},
	{{"AMD-Vi: Event logged [IO_PAGE_FAULT"}, KERNEL_NIC, false,
		"the IOMMU refused its access to memory"},
	{{"Port module event[error]"}, KERNEL_NIC, false, "its module or cable reports an error"},
	{{"Cable unplugged"}, KERNEL_NIC, false, "its cable is unplugged"},
	{{"No 802.3ad response"}, KERNEL_NIC, false, "the bond has no LACP partner"},
	{{"without any active interface"}, KERNEL_NIC, true, "the bond has no link"},
	{{"link status definitely down"}, KERNEL_NIC, false,
		"the bond does not use the slave: its link is down"},
	{{"AER:", "recovery successful"}, KERNEL_NONE, false, ""},
	{{"AER:", "recovery failed"}, KERNEL_NIC, true, "its PCIe link did not recover"},
	{{"AER:", "reset failed"}, KERNEL_NIC, true, "its PCIe link did not recover"},
	{{"AER:", "can't recover"}, KERNEL_NIC, true, "its PCIe link did not recover"},
	{{"AER:", "has been reset"}, KERNEL_NIC, true, "its PCIe link was reset"},
	{{"DPC: containment event"}, KERNEL_NIC, true, "its PCIe link was taken down (DPC)"},
	{{"DPC:", "error detected"}, KERNEL_NIC, true, "its PCIe link was taken down (DPC)"},
	{{"AER:", "ncorrect"}, KERNEL_NIC, true, "uncorrected PCIe error"},
	{{"AER:", "orrect"}, KERNEL_NIC, false, "corrected PCIe error"},
	{{"AER:", "Fatal"}, KERNEL_NIC, true, "uncorrected PCIe error"},
	{{"PCIe Bus Error", "severity=Uncorrect"}, KERNEL_NIC, true, "uncorrected PCIe error"},
	{{"PCIe Bus Error", "severity=Correct"}, KERNEL_NIC, false, "corrected PCIe error"},
};

/* "nvidia 0000:03:00.0: AER: ...": what the bus says of a device is said by its driver. */
static bool is_of_gpu(const char *text)
{
	static const char kernel[] = "kernel: ";

	if (str_starts(text, kernel))
		text += strlen(kernel);
	return str_starts(text, "nvidia ") || str_starts(text, "amdgpu ");
}

static bool has_all(const char *line, const char *const *word)
{
	for (unsigned i = 0; i < WORDS && word[i]; i++)
		if (!strstr(line, word[i]))
			return false;
	return true;
}

/*
 * Storage over a network that a job may wait for. Of what is local only an error of the medium is
 * told: disks that no job uses come and go.
 */
static bool read_storage(const char *text, struct kernel_error *out)
{
	bool is_net = false;
	const char *name = storage_client(text, &is_net);

	if (strstr(text, " blocked for more than ")) {
		out->part = KERNEL_STORAGE;
		out->cause = KERNEL_HARDWARE;
		out->meaning = "a task hangs in the kernel: storage or a driver does not answer";
		return true;
	}
	if (!name || storage_client_over(text) || !storage_client_error(text) ||
		(!is_net && !strcasestr(text, "I/O err")))
		return false;
	out->part = KERNEL_STORAGE;
	out->cause = KERNEL_HARDWARE;
	out->is_fatal = is_net && storage_client_stopped(text);
	out->storage = name;
	out->meaning = out->is_fatal ? "gives no data" : "reports trouble";
	return true;
}

bool kernel_error_read(const char *text, struct kernel_error *out)
{
	const char *xid = strstr(text, "Xid (");

	*out = (struct kernel_error){.meaning = ""};
	if (xid)
		return xid > text && xid[-1] == 'S' ? read_sxid(xid, out) : read_xid(xid, out);
	if (read_storage(text, out))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		const struct message *m = &messages[i];

		if (!has_all(text, m->word))
			continue;
		out->part = m->part == KERNEL_NIC && is_of_gpu(text) ? KERNEL_GPU : m->part;
		out->cause = KERNEL_HARDWARE;
		out->is_fatal = m->is_fatal;
		out->meaning = m->meaning;
		out->is_of_link = str_eq(m->word[0], "Cable unplugged") ||
				  str_eq(m->word[0], "link status definitely down");
		return m->part != KERNEL_NONE;
	}
	/* Messages that are not known above. A page fault is one of the program, as Xid 31 is. */
	out->cause = strstr(text, "page fault") ? KERNEL_APPLICATION : KERNEL_HARDWARE;
	if (gpu_driver_error(text) && !nic_driver_line(text)) {
		out->part = KERNEL_GPU;
		out->is_fatal = strcasestr(text, "fatal") || strcasestr(text, "is_lost") ||
				strcasestr(text, "reboot");
		out->meaning = out->is_fatal ? "a driver of GPUs reports a fatal error"
					     : "a driver of GPUs reports an error";
		return true;
	}
	if (!nic_driver_error(text) && !pci_driver_error(text))
		return false;
	out->part = KERNEL_NIC;
	out->is_fatal = nic_driver_reset(text) || strstr(text, "HMC Error");
	out->meaning = nic_driver_reset(text)  ? "it was reset"
		       : strstr(text, "ailed") ? "a command of the driver failed"
					       : "its driver reports an error";
	return true;
}

/*
 * Of Blackwell's NVLink errors, 149 (NETIR) is logged by the GPU whose link went down; all others
 * of the domain log 145 and its like.
 */
static bool names_a_link(const struct kernel_error *k)
{
	return k->part == KERNEL_GPU && k->code == 149;
}

int kernel_error_compare(const struct kernel_error *a, const struct kernel_error *b)
{
	bool hard_a = a->cause >= KERNEL_NVLINK, hard_b = b->cause >= KERNEL_NVLINK;

	if (hard_a != hard_b)
		return hard_a - hard_b;
	if (a->is_fatal != b->is_fatal)
		return a->is_fatal - b->is_fatal;
	if (a->cause == KERNEL_NVLINK && b->cause == KERNEL_NVLINK &&
		names_a_link(a) != names_a_link(b))
		return names_a_link(a) - names_a_link(b);
	return (int)a->cause - (int)b->cause;
}
