/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/reads.h"
#include "backends/dialects/ufm/ufm.h"

/* Questions with a GUID have it in the place of "*". */
static const char *const gets[] = {
	UFM_API "/resources/systems",
	UFM_API "/app/ufm_version",
	UFM_API "/app/alarms",
	UFM_API "/app/unhealthy_ports",
	UFM_API "/telemetry?type=topX&membersType=Ports&PickBy=Infiniband_Normalized_CBW"
		"&limit=24&attributes=%5BInfiniband_Normalized_CBW,Infiniband_CBW%5D",
	UFM_API "/resources/ports?system=*",
	UFM_API "/telemetry?type=history&membersType=Device&attributes=%5B"
		"Infiniband_MBOut,Infiniband_MBIn,Infiniband_PckOut,Infiniband_PckIn,"
		"Infiniband_XmitWait,Infiniband_SymbolErrors,Infiniband_LinkRecovers,"
		"Infiniband_LinkDowned,Infiniband_RcvErrors,Infiniband_XmtDiscards,"
		"Infiniband_Normalized_CBW%5D&result_format=Port&members=%5B*%5D"
		"&start_time=-5min&end_time=-0min",
	NULL,
};

bool ufm_reads(const struct request *r)
{
	static const struct read_list list = {.gets = gets};

	return reads_listed(&list, r);
}
