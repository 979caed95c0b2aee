/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_LINUX_H
#define EMULATOR_DEV_LINUX_H

#include "emulator/device/personality_internal.h"

/* A GPU host with ConnectX NICs: what its parts share. */

#define LINUX_KERNEL   "6.8.0-60-generic"
#define LINUX_FIRMWARE "28.43.2026"
#define LINUX_BOARD    "MT_0000000838"
#define LINUX_HCA      "MT4129"

/* One counter of the NIC by name: where it is in struct sim_port. */
struct nic_counter {
	const char *name;
	size_t offset; /* 0: this NIC never counts it, 0 is printed */
	bool wide;     /* 64 bits in the device; the others wrap at 32 although printed as u64 */
};
extern const struct nic_counter linux_hw_counters[]; /* ends with a NULL name */
uint64_t linux_hw_value(const struct sim_port *p, const struct nic_counter *c);

/* eth0..., or NULL when the device has no such netdev. */
struct sim_port *linux_port(const struct machine *m, const char *netdev);
/* "0000:18:00.0" of the n-th NIC */
void linux_pci(unsigned port, char dst[16]);
void linux_guid(const struct machine *m, unsigned port, char dst[24]);

/* A Linux machine with swpN ports and FRR; the others are hosts. */
bool linux_is_switch(const struct sim_device *d);
/* Whether the port is an RDMA device too (mlx5_N, N its number): backend and storage NICs. */
bool linux_is_rdma(const struct sim_device *d, const struct sim_port *p);

/* dev_linux_files.c: /sys and /proc of machines with these ports. */
struct vfs *linux_files(const struct sim_device *d);
/* dev_linux_trees.c: the same, kept. */
const struct vfs *linux_tree(struct personality_ctx *ctx, const struct sim_device *d);
void linux_trees_free(struct linux_trees *t); /* NULL is fine */

/* Programs; the exit status is returned. */
int linux_ethtool(struct machine *m, const struct shell_call *c);
int linux_ethtool_module(const struct sim_port *p, struct buf *out);
int linux_rdma(struct machine *m, const struct shell_call *c);
int linux_dcb(struct machine *m, const struct shell_call *c);
int linux_ip(struct machine *m, const struct shell_call *c);
int linux_lldpcli(struct machine *m, const struct shell_call *c);
int linux_nvidia_smi(struct machine *m, const struct shell_call *c);

#endif
