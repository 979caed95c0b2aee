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
#define LINUX_FIRST_INDEX 5u /* interface index of the first port */

/* One counter of the NIC by name, and its offset in struct sim_port. */
struct nic_counter {
	const char *name;
	size_t offset; /* 0: this NIC never counts it and prints 0 */
	bool wide; /* 64 bits in the device; the others wrap at 32 bits although printed as u64 */
};
/* Sums over the slaves where the port is one of a bond. */
uint64_t linux_hw_value(const struct sim_port *p, const struct nic_counter *c);

/* What the NICs of a host say of themselves. */
struct nic_kind {
	const char *driver, *version, *firmware, *board, *hca; /* board "": none */
	const char *vendor, *device, *pci;                     /* PCI ids, and lspci's name */
	const struct nic_counter *hw_counters;                 /* ends with a NULL name */
	bool ib_counters;                                      /* has ports/N/counters */
	bool is_mlx5; /* ecn/ and qos/ in sysfs, mlnx_qos, the vendor's tunable */
};
const struct nic_kind *linux_nic(const struct sim_device *d);
/* The NIC of a port, from 0: two ports may be the functions of one. */
unsigned linux_nic_number(const struct sim_device *d, unsigned port);
/* The RDMA device of a port; both slaves of a bond have the same. */
void linux_rdma_name(const struct sim_device *d, const struct sim_port *p, char dst[24]);
/* "bond1", the bond of a slave. */
void linux_bond_name(const struct sim_port *p, char dst[16]);
/* True for the slave whose PCI function has the bond's RDMA device. */
bool linux_is_first_slave(const struct sim_port *p);

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
/*
 * True if the port has an RDMA device: backend and storage NICs. Of a bond only the first slave.
 */
/* Of the management controller: the operating system does not see it. */
bool linux_is_bmc(const struct sim_port *p);
bool linux_is_rdma(const struct sim_device *d, const struct sim_port *p);

/* The port by netdev name; NULL if the device has no such netdev. */
struct sim_port *linux_port(const struct machine *m, const char *netdev);
/* "0000:18:00.0" of the n-th port's NIC; a second port is function 1. */
void linux_pci(const struct sim_device *d, unsigned port, char dst[16]);
/* system: of the NIC, which both ports share. */
void linux_guid(const struct machine *m, unsigned port, bool system, char dst[24]);
/* Bus number of the n-th GPU; its PCI address is 0000:BUS:00.0. */
unsigned linux_gpu_bus(unsigned gpu);

/* dev_linux_files.c: /sys and /proc of machines with these ports. */
struct vfs *linux_files(const struct sim_device *d);
/* dev_linux_qos_files.c: the ecn/ and qos/ folders of a NIC at base. */
void linux_qos_files(struct vfs *tree, const char *base, unsigned port);
/* dev_linux_bond.c: /sys/class/net/bondN, and what its slaves have of it. */
void linux_bond_files(struct vfs *tree, const struct sim_device *d, unsigned port);
/* The links of ip(8) for bonds, appended to *all; details: linkinfo. */
void linux_bond_links(const struct machine *m, bool details, bool addresses, json_t *all);
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
/* dev_linux_stats_other.c: the same of ionic and bnxt_en. */
int linux_other_statistics(const struct sim_device *d, const struct sim_port *p, struct buf *out);
int linux_switch_statistics(const struct machine *m, const struct sim_port *p, struct buf *out);
int linux_rdma(struct machine *m, const struct shell_call *c);
int linux_ibdev2netdev(struct machine *m, const struct shell_call *c);
int linux_dcb(struct machine *m, const struct shell_call *c);
int linux_mlnx_qos(struct machine *m, const struct shell_call *c);
int linux_ipmitool(struct machine *m, const struct shell_call *c);
int linux_ip(struct machine *m, const struct shell_call *c);
int linux_lldpcli(struct machine *m, const struct shell_call *c);
int linux_nvidia_smi(struct machine *m, const struct shell_call *c);
int linux_systemctl(struct machine *m, const struct shell_call *c);
int linux_dmesg(struct machine *m, const struct shell_call *c);
int linux_journalctl(struct machine *m, const struct shell_call *c);
int linux_lspci(struct machine *m, const struct shell_call *c);
int frr_vtysh(struct machine *m, const struct shell_call *c);

#endif
