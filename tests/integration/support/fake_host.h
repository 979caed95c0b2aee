/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_FAKE_HOST_H
#define TESTS_INTEGRATION_SUPPORT_FAKE_HOST_H

#include "tests/integration/support/scratch.h"

/*
 * A host with two RDMA NICs, made of files: "sys" is its sysfs, "tools" its ethtool, dcb, lldpcli
 * and date. date says the same time at the begin and the end of a run, and ethtool's counters are
 * functions of just that time: rates come out exact however slow the machine is.
 */
void fake_host_write(const struct scratch *s);
/* The line for sshd_config that makes a login see these instead of the machine's own. */
void fake_host_environment(const struct scratch *s, char *dst, size_t size);

#define FAKE_RX_BYTES_PS  40e9 /* of mlx5_0; mlx5_1 has half of everything */
#define FAKE_TX_BYTES_PS  30e9
#define FAKE_PAUSE_PS     10e3 /* frames received on priority 3 */
#define FAKE_PAUSE_US_PS  20e3 /* microseconds a second: 2 % */
#define FAKE_CORRECTED_PS 50e3 /* codewords */
#define FAKE_CNP_HANDLED  1200 /* stands still, as does the next */
#define FAKE_OUT_OF_SEQ   34
#define FAKE_LINK_DOWN    7
#define FAKE_PCIE_WIDTH   16 /* of mlx5_0; mlx5_1 came up with half the lanes */

#endif
