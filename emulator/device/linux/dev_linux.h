/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_LINUX_H
#define EMULATOR_DEV_LINUX_H

#include <jansson.h>

#include "emulator/device/personality_internal.h"

/*
 * Linux machines: GPU hosts with ConnectX NICs, and switches with FRR. Types and functions that
 * their parts share.
 */

#define LINUX_KERNEL      "6.18.9-061809-generic" /* the first kernel with FEC histograms */
#define LINUX_FRR_KERNEL  "6.1.0-37-amd64"
#define LINUX_FIRMWARE    "28.43.2026"
#define LINUX_BOARD       "MT_0000000838"
#define LINUX_HCA         "MT4129"
#define LINUX_FIRST_INDEX 5u /* interface index of the first port */

/* One counter of the NIC by name, and its offset in struct sim_port. */
struct nic_counter {
	const char *name;
	size_t offset; /* 0: this NIC never counts it and prints 0 */
	bool wide; /* 64 bits in the device; the others wrap at 32 bits although printed as u64 */
};
extern const struct nic_counter linux_hw_counters[]; /* ends with a NULL name */
uint64_t linux_hw_value(const struct sim_port *p, const struct nic_counter *c);

/*
 * Traffic that passes the kernel: all of it on a switch or a plain NIC; all but RDMA on RDMA
 * NICs.
 */
struct kernel_counts {
	uint64_t rx_bytes, tx_bytes, rx_packets, tx_packets;
};
void linux_kernel_counts(const struct sim_port *p, struct kernel_counts *k);

/* True for a Linux machine with swpN ports and FRR; the others are hosts. */
bool linux_is_switch(const struct sim_device *d);
/* True if the port is an RDMA device too (mlx5_N, N its number): backend and storage NICs. */
bool linux_is_rdma(const struct sim_device *d, const struct sim_port *p);

/* The port by netdev name; NULL if the device has no such netdev. */
struct sim_port *linux_port(const struct machine *m, const char *netdev);
/* "0000:18:00.0" of the n-th NIC */
void linux_pci(unsigned port, char dst[16]);
void linux_guid(const struct machine *m, unsigned port, char dst[24]);
/* Bus number of the n-th GPU; its PCI address is 0000:BUS:00.0. */
unsigned linux_gpu_bus(unsigned gpu);

/* dev_linux_files.c: /sys and /proc of machines with these ports. */
struct vfs *linux_files(const struct sim_device *d);
/* dev_linux_qos_files.c: the ecn/ and qos/ folders of a NIC at base. */
void linux_qos_files(struct vfs *tree, const char *base, unsigned port);
/* dev_linux_nccl.c: /var/log/nccl, the log directory of jobs. */
void linux_nccl_files(struct vfs *tree);
/* dev_linux_trees.c: the files of linux_files(), cached. */
const struct vfs *linux_tree(struct personality_ctx *ctx, const struct sim_device *d);
void linux_trees_free(struct linux_trees *t); /* NULL is allowed */

/* dev_linux_ranks.c: the processes of jobs on this host, and /proc/PID with them. */
typedef void (*linux_rank_fn)(
	void *arg, const struct sim_job_view *job, const struct sim_rank_view *rank);
void linux_ranks(const struct machine *m, linux_rank_fn each, void *arg);
extern const struct shell_fs linux_fs; /* the tree, and /proc/PID */

/* True if the command line has the word. */
bool linux_has_word(const struct shell_call *c, const char *word);
/* The word after this one; NULL: there is none, or the word is missing. */
const char *linux_word_after(const struct shell_call *c, const char *word);
const char *linux_first_word(const struct shell_call *c); /* first word without '-'; "": none */
/* Prints value and frees it; returns the exit status. */
int linux_print_json(struct buf *out, json_t *value, size_t flags);

/* Programs; they return the exit status. */
int linux_pkill(struct machine *m, const struct shell_call *c);
int linux_ethtool(struct machine *m, const struct shell_call *c);
/* The output of `--json`; NULL: the object has no JSON. The caller owns the result. */
json_t *linux_ethtool_json(const struct sim_port *p, const char *what, bool statistics);
int linux_ethtool_module(const struct sim_port *p, struct buf *out);
int linux_ethtool_statistics(const struct machine *m, const struct sim_port *p, struct buf *out);
int linux_switch_statistics(const struct machine *m, const struct sim_port *p, struct buf *out);
int linux_rdma(struct machine *m, const struct shell_call *c);
int linux_ibdev2netdev(struct machine *m, const struct shell_call *c);
int linux_dcb(struct machine *m, const struct shell_call *c);
int linux_mlnx_qos(struct machine *m, const struct shell_call *c);
int linux_ip(struct machine *m, const struct shell_call *c);
int linux_lldpcli(struct machine *m, const struct shell_call *c);
int linux_nvidia_smi(struct machine *m, const struct shell_call *c);
int linux_dmesg(struct machine *m, const struct shell_call *c);
int linux_journalctl(struct machine *m, const struct shell_call *c);
int linux_lspci(struct machine *m, const struct shell_call *c);
int frr_vtysh(struct machine *m, const struct shell_call *c);

#endif
