/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/nic_driver.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Drivers, and the RDMA core, which names the device behind it. */
static const char *const drivers[] = {"mlx5_", "bnxt_", "ionic", "irdma", "ice 0", "efa ", "mana ",
	"erdma", "hns3 ", "hns_roce", "infiniband ", "(mlx5_core)", "(bnxt_en)", "(ice)", "(ionic)",
	"mlx4_", "ena 0", "i40e 0", "iavf 0", "idpf 0", "ixgbe 0", "rdma_cm:", "cxgb4 ", "hfi1 0"};

/* Drivers of GPUs and of memory that a NIC reads from them. */
static const char *const gpu_drivers[] = {"nvrm", "nvidia ", "nvidia-", "nvidia_uvm", "nvidia-uvm",
	"amdgpu", "gim error", "gdrdrv", "habanalabs", "xe 0", "i915 "};

static const char *const errors[] = {"error", "fail", "fatal", "timeout", "timed out", "stall",
	"abort", "unrecoverable", "compromised", "couldn't", "could not", "unable",
	"not responding", " hang", "hung", "corrupt", "lost", "insufficient", "!= expected",
	"cannot", "can't", "invalid", "exceeded", "overrun", "denied", "fault", "bad state",
	"not responsive", "isn't responsive", "unhealthy", "unreachable", "not accessible",
	"inaccessible", "didn't send", "did not return", "didn't turn", "malicious",
	"recovery mode", "safe mode", "giving up", "exhausted", "bad device", "state bad",
	"doorbells dropped", "heartbeat stopped", "temperature is above", "has gone above",
	"thermal shutdown", "high temperature", "on fw_err", "intr err", "unqualified",
	"unsupported module", "unsupported sfp", "with status 0x", "slower than device",
	"lower than device", "available pcie bandwidth, limited", "did not complete, state",
	"cold reset is required", "poison", "bad page", "not done with your previous command",
	"unilaterally", "crash dump", "api mismatch", "was not called for", "no nvidia gpu found",
	"buffer is full"};
/* The driver or the firmware begins it anew: its connections end. */
static const char *const resets[] = {"resetting", "reset issued", "reset requested",
	"reset is requested", "going to reset", "reset in progress", "reset is expected",
	"reset expected", "issuing fw reset", "got device reset", "trigger reset is on",
	"reset trigger:", "pfr requested", "corer requested", "globr requested", "empr requested",
	"request reset", "hard reset scheduled", "forced down"};

static const char *const benign[] = {"success", "succeeded", "recovered", "registered", "no error",
	"error 0x0,", "errors: 0", "stack trace", "reset done", "reset completed",
	"not issuing fw reset", "resetting quad",
	/* notices of a healthy start, an end, or a part that no traffic needs */
	"fwtracer", "waiting for fw", "ipsec", "macsec", "ktls", "devlink trap", "steering dump",
	"self test", "not supported", "isn't supported", "doesn't support", "falling back",
	"fallback", "skip cleanup", "not permitted at this stage", "because of prt request",
	"may trigger hung task", "with xsk", "for xsk", "offload"};

static const char *find_any(const char *line, const char *const *words, size_t n, bool whole)
{
	for (size_t i = 0; i < n; i++)
		for (const char *at = line; (at = strcasestr(at, words[i])); at++)
			/* "device 0000:3b:00.0" is not the driver ice. */
			if (!whole || at == line || !isalnum((unsigned char)at[-1]))
				return at;
	return NULL;
}

bool nic_driver_line(const char *line)
{
	return find_any(line, drivers, ARRAY_LEN(drivers), true) != NULL;
}

bool nic_driver_reset(const char *line)
{
	return nic_driver_line(line) && find_any(line, resets, ARRAY_LEN(resets), false) &&
	       !find_any(line, benign, ARRAY_LEN(benign), false);
}

bool nic_driver_error(const char *line)
{
	return nic_driver_reset(line) ||
	       (nic_driver_line(line) && find_any(line, errors, ARRAY_LEN(errors), false) &&
		       !find_any(line, benign, ARRAY_LEN(benign), false));
}

/* "0000:01:00.1" */
static const char *find_pci_address(const char *line)
{
	static const char form[] = "hhhh:hh:hh.h";

	for (const char *at = line; (at = strchr(at, ':')); at++) {
		const char *from = at - 4;
		size_t i = 0;

		if (at - line < 4 || (from > line && isalnum((unsigned char)from[-1])))
			continue;
		while (form[i] && (form[i] == 'h' ? isxdigit((unsigned char)from[i]) != 0
						  : from[i] == form[i]))
			i++;
		if (!form[i])
			return from;
	}
	return NULL;
}

bool pci_driver_error(const char *line)
{
	static const char *const buses[] = {"pci ", "pcieport ", "pci_bus ", "aer"};
	const char *at = find_pci_address(line);

	return at && at > line && at[-1] == ' ' && !find_any(line, buses, ARRAY_LEN(buses), true) &&
	       find_any(line, errors, ARRAY_LEN(errors), false) &&
	       !find_any(line, benign, ARRAY_LEN(benign), false);
}

bool gpu_driver_error(const char *line)
{
	/* Virtual functions of a GPU, which a host without guests does not have. */
	static const char *const virtual[] = {"_vfs", "sriov", "sr-iov"};

	return find_any(line, gpu_drivers, ARRAY_LEN(gpu_drivers), true) &&
	       find_any(line, errors, ARRAY_LEN(errors), false) &&
	       !find_any(line, virtual, ARRAY_LEN(virtual), false) &&
	       !find_any(line, benign, ARRAY_LEN(benign), false);
}
