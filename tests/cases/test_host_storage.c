/* SPDX-License-Identifier: Apache-2.0 */
/* Storage that a host waits for, by the lines of its kernel's log. */
#include <string.h>

#include "base/str.h"
#include "tests/cases/host_rig.h"
#include "tests/support/cases.h"

#define STAMP "2026-11-26T14:40:39+00:00 node1 kernel: "

static const char nics[] = "sys infiniband/mlx5_1/ports/1/state 4: ACTIVE\n"
			   "sys infiniband/mlx5_1/ports/1/phys_state 5: LinkUp\n"
			   "sys infiniband/mlx5_1/ports/1/gid_attrs/ndevs/0 n1\n"
			   "pci mlx5_1 0000:3b:00.0 -\n"
			   "net n1 oper=up speed=400000\n";

CASE(storage_that_gives_no_data_is_a_finding_until_it_does)
{
	struct host_rig *r = host_rig_new(nics);
	const struct finding *f;

	host_rig_poll(r, 1);
	host_rig_log(r, STAMP "nfs: server fs.tcblab not responding, still trying\n" STAMP
			      "INFO: task python3:78808 blocked for more than 120 seconds.\n");
	host_rig_poll(r, 2);
	f = host_rig_found(r, "host.storage", "");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_string_equal(f->title, "storage: NFS gives no data");
	assert_null(host_rig_found(r, "host.gpu_error", ""));
	assert_null(host_rig_found(r, "host.nic_error", ""));
	host_rig_log(r, STAMP "nfs: server fs.tcblab OK\n");
	host_rig_poll(r, 40);
	assert_null(host_rig_found(r, "host.storage", ""));
	host_rig_free(r);
}

CASE(storage_by_the_words_of_its_clients)
{
	static const struct {
		const char *line, *title;
		enum severity severity;
	} lines[] = {
		{"LustreError: 11-0: fs1-OST0005-osc: operation ost_write failed: rc = -110",
			"storage: Lustre reports trouble", SEV_WARN},
		{"LustreError: 167-0: fs1-MDT0000-mdc: This client was evicted by fs1-MDT0000",
			"storage: Lustre gives no data", SEV_CRIT},
		{"libceph: osd12 (1)10.0.0.7:6801 socket closed (con state OPEN)",
			"storage: Ceph reports trouble", SEV_WARN},
		{"nvme nvme3: I/O 17 QID 4 timeout, aborting", "storage: NVMe reports trouble",
			SEV_WARN},
		{"blk_update_request: I/O error, dev nvme0n1, sector 2048",
			"storage: a disk reports trouble", SEV_WARN},
		{"INFO: task strat1_sim:78808 blocked for more than 120 seconds.",
			"storage: a task hangs in the kernel: storage or a driver does not answer",
			SEV_WARN},
		{"ata1: SATA link down (SStatus 0 SControl 300)", NULL, SEV_OK},
		{"Lustre: fs1-OST0005: Connection restored to 10.0.0.7@o2ib", NULL, SEV_OK},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct host_rig *r = host_rig_new_alike(nics);
		const struct finding *f;
		char text[400];

		host_rig_poll(r, 1);
		(void)str_printf(text, sizeof(text), STAMP "%s\n", lines[i].line);
		host_rig_log(r, text);
		f = host_rig_found(r, "host.storage", "");
		if (!f != !lines[i].title || (f && (!str_eq(f->title, lines[i].title) ||
							   f->severity != lines[i].severity)))
			fail_msg("%s: %s", lines[i].line, f ? f->title : "nothing");
		host_rig_free(r);
	}
}

CASES_MAIN(NULL, NULL)
