/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/syslog/syslog_words.h"
#include "fabric/vocabulary/storage_client.h"

/*
 * Lines of the kernel of a host: NICs and GPUs and what stands before them, memory and processors,
 * and the clients of storage that a job waits for.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The first matching row decides: narrower rows stand above wider ones, recoveries above failures.
 */
static const struct syslog_row rows[] = {
	/* recoveries, and notices in words of trouble */
	{{"health recovery succeeded"}, SYSLOG_CHANGE},
	{{"health works are not permitted"}, SYSLOG_SKIP},
	{{"mlx5", "recovered after timeout"}, SYSLOG_CHANGE},
	{{"mlx5", "teardown"}, SYSLOG_CHANGE},
	{{"mlx5", "lag map"}, SYSLOG_CHANGE},
	{{"bnxt", "reset request successful"}, SYSLOG_CHANGE},
	{{"amdgpu", "gpu reset", "succeeded"}, SYSLOG_CHANGE},
	{{"aer:", "recovery successful"}, SYSLOG_CHANGE},
	{{"port: ", "link active"}, SYSLOG_CHANGE},
	{{"bond", "active interface up"}, SYSLOG_CHANGE},
	{{"nvme", "successfully reconnected"}, SYSLOG_CHANGE},
	{{"nfs: server", " ok"}, SYSLOG_CHANGE},
	{{"lustre", "connection restored"}, SYSLOG_CHANGE},
	{{"lustre", "previous similar message"}, SYSLOG_SKIP},
	{{"libceph", "session established"}, SYSLOG_CHANGE},
	{{"libceph: osd", " up"}, SYSLOG_CHANGE},
	{{"ceph", "recovery completed"}, SYSLOG_CHANGE},
	{{"temperature/speed normal"}, SYSLOG_CHANGE},
	/* NVIDIA calls it harmless; it comes by the thousand. */
	{{"nv_get_p2p_free_callback", "detected invalid context"}, SYSLOG_SKIP},

	/* bonds */
	{{"link status definitely down"}, SYSLOG_ALARM},
	{{"link status definitely up"}, SYSLOG_CHANGE},
	{{"(slave", "link status up"}, SYSLOG_CHANGE},
	{{"(slave", "link status down"}, SYSLOG_ALARM},
	{{"(slave", "removing"}, SYSLOG_CHANGE},
	{{"(slave", "failed to get link speed"}, SYSLOG_ALARM},
	{{"(slave", "illegal loopback"}, SYSLOG_ALARM},
	{{"without any active interface"}, SYSLOG_ALARM},
	{{"no 802.3ad response"}, SYSLOG_ALARM},

	/* NICs */
	{{"mlx5", "health"}, SYSLOG_ALARM},
	{{"mlx5", "assert"}, SYSLOG_ALARM},
	{{"mlx5", "insufficient power"}, SYSLOG_ALARM},
	{{"mlx5", "no done completion"}, SYSLOG_ALARM},
	{{"mlx5", "sw_reset"}, SYSLOG_ALARM},
	{{"mlx5", "fw_reset"}, SYSLOG_ALARM},
	{{"qplib:", "cmdq["}, SYSLOG_ALARM},
	{{"bnxt", "firmware", "reset"}, SYSLOG_ALARM},
	{{"ionic", "fw", "stopped"}, SYSLOG_ALARM},
	{{"ionic", "fw heartbeat"}, SYSLOG_ALARM},
	{{"ice ", "cqp opcode"}, SYSLOG_ALARM},
	{{"ice ", "oicr event"}, SYSLOG_ALARM},
	{{"abnormal ae_id"}, SYSLOG_ALARM},
	{{"irdma", "reset"}, SYSLOG_ALARM},
	{{"transmit queue", "timed out"}, SYSLOG_ALARM},
	{{"hw csum failure"}, SYSLOG_ALARM},
	{{"hardware unit hang"}, SYSLOG_ALARM},
	{{"tx timeout"}, SYSLOG_ALARM},
	{{"transmit timeout"}, SYSLOG_ALARM},
	{{"sends", "receives not completed"}, SYSLOG_ALARM},
	{{"failed send event (status="}, SYSLOG_ALARM},

	/* GPUs */
	{{"nvrm: xid"}, SYSLOG_ALARM},
	{{"sxid ("}, SYSLOG_ALARM},
	{{"amdgpu", "gpu reset"}, SYSLOG_ALARM},
	{{"amdgpu", "ring", "timeout"}, SYSLOG_ALARM},
	{{"[drm]", "is hung"}, SYSLOG_ALARM},
	{{"amdgpu", "hardware errors detected"}, SYSLOG_ALARM},
	{{"amdgpu", "uncorrectable"}, SYSLOG_ALARM},
	{{"amdgpu", "fatal"}, SYSLOG_ALARM},
	{{"fallen off the bus"}, SYSLOG_ALARM},
	{{"nvrm", "probe routine failed"}, SYSLOG_ALARM},
	{{"nv_get_p2p_free_callback", "invalid"}, SYSLOG_ALARM},

	/* PCIe and the IOMMU */
	{{"aer:", "correct"}, SYSLOG_ALARM},
	{{"aer:", "error"}, SYSLOG_ALARM},
	{{"aer:", "recovery failed"}, SYSLOG_ALARM},
	{{"aer:", "reset failed"}, SYSLOG_ALARM},
	{{"aer:", "has been reset"}, SYSLOG_ALARM},
	{{"pcie bus error"}, SYSLOG_ALARM},
	{{"dpc: containment event"}, SYSLOG_ALARM},
	{{"dpc:", "error detected"}, SYSLOG_ALARM},
	{{"after bus reset", "giving up"}, SYSLOG_ALARM},
	{{"after flr", "giving up"}, SYSLOG_ALARM},
	{{"broken device, retraining"}, SYSLOG_ALARM},
	{{"link active not set in"}, SYSLOG_ALARM},
	{{"dmar:", "fault addr"}, SYSLOG_ALARM},
	{{"io_page_fault"}, SYSLOG_ALARM},
	{{"iotlb_inv_timeout"}, SYSLOG_ALARM},
	{{"completion-wait loop timed out"}, SYSLOG_ALARM},

	/* tables and queues of the network stack that are full, and addresses that are not alone */
	{{"neighbor table overflow"}, SYSLOG_ALARM},
	{{"neighbour table overflow"}, SYSLOG_ALARM},
	{{"nf_conntrack", "table full"}, SYSLOG_ALARM},
	{{"possible syn flooding"}, SYSLOG_ALARM},
	{{"duplicate address", "detected"}, SYSLOG_ALARM},
	{{"with own address as source"}, SYSLOG_ALARM},

	/* memory, processors, the kernel itself */
	{{"page allocation failure"}, SYSLOG_ALARM},
	{{"edac", "memory error"}, SYSLOG_ALARM},
	{{"clock is throttled"}, SYSLOG_ALARM},
	{{"critical temperature reached"}, SYSLOG_ALARM},
	{{"detected stalls on cpus"}, SYSLOG_ALARM},
	{{"general protection fault"}, SYSLOG_ALARM},
	{{"kernel bug at"}, SYSLOG_ALARM},
	{{"bug: unable to handle"}, SYSLOG_ALARM},
	{{"bug: kernel null pointer"}, SYSLOG_ALARM},
	{{"fork rejected by pids controller"}, SYSLOG_ALARM},
};

const struct syslog_row *syslog_host_row(const char *line)
{
	static const struct syslog_row alarm = {{""}, SYSLOG_ALARM};
	const struct syslog_row *row = syslog_find_row(rows, ARRAY_LEN(rows), line);

	if (row)
		return row;
	return storage_client_error(line) ? &alarm : NULL;
}
