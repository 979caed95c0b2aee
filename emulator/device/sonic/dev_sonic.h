/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_SONIC_H
#define EMULATOR_DEV_SONIC_H

#include "emulator/device/sonic/sonic_redis.h"

/* A SONiC switch: types and functions that the programs in its shell share. */

#define SONIC_KERNEL "6.1.0-22-2-amd64"
/* The user that logs in to the switch; sudo makes it root. */
#define SONIC_USER "noc"

/* "x86_64-nvidia_sn5400-r0" */
const char *sonic_platform_name(const struct sim_device *d);
const char *sonic_asic(const struct sim_device *d); /* "mellanox", "broadcom" */

/* ---- sonic_click.c: output in the format of the Python tools ---- */

/*
 * Usage error of a command: three lines on stderr, exit status 2. usage: "config pfcwd [OPTIONS]
 * COMMAND [ARGS]..."; the part before the first '[' or '<' is the command's name.
 */
int sonic_usage(const struct shell_call *c, const char *usage, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "No such command 'x'." of a group; without a word the group's usage (status 0). */
int sonic_no_command(const struct shell_call *c, const char *group, const char *word);
/* "Root privileges are required for this operation", 1 */
int sonic_root_needed(const struct shell_call *c);
/* The port with this name; NULL: none. */
struct sim_port *sonic_port(const struct machine *m, const char *name);

/* A table in tabulate's "simple" format. Cells are copied; rows are filled in order. */
struct sonic_table {
	const char *const *titles; /* NULL-terminated, 32 at most */
	const char *align;         /* one 'l' or 'r' per column; the last one repeats */
	unsigned columns;
	struct {
		char **at;
		size_t n, size;
	} cells;
};
void sonic_table_init(struct sonic_table *t, const char *const *titles, const char *align);
void sonic_cell(struct sonic_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* With thousands separators: 1,234 */
void sonic_cell_number(struct sonic_table *t, uint64_t n);
/* Prints the table and frees it. */
void sonic_table_print(struct sonic_table *t, struct buf *out);

/* ---- programs; they return the exit status ---- */

int sonic_show(struct machine *m, const struct shell_call *c);
int sonic_show_interfaces(struct machine *m, const struct shell_call *c);
int sonic_transceiver(struct machine *m, const struct shell_call *c);
int sonic_show_pfc(struct machine *m, const struct shell_call *c);
int sonic_pfcstat(struct machine *m, const struct shell_call *c);
int sonic_show_queue(struct machine *m, const struct shell_call *c);
int sonic_show_pg(struct machine *m, const struct shell_call *c);
int sonic_show_ecn(struct machine *m, const struct shell_call *c);
int sonic_show_lldp(struct machine *m, const struct shell_call *c);
int sonic_show_bgp(struct machine *m, const struct shell_call *c);
int sonic_vtysh(struct machine *m, const struct shell_call *c);
int sonic_ip(struct machine *m, const struct shell_call *c);
int sonic_lldpctl(struct machine *m, const struct shell_call *c);
int sonic_config(struct machine *m, const struct shell_call *c);
int sonic_counterpoll(struct machine *m, const struct shell_call *c);
/* argv[first] is the word after pfcwd; shown: "pfcwd" or "config pfcwd", for messages */
int sonic_pfcwd(struct machine *m, const struct shell_call *c, int first, const char *shown);
int sonic_pfcwd_show(struct machine *m, const struct shell_call *c, int first);
int sonic_ecnconfig(struct machine *m, const struct shell_call *c);

/* The remembered part of the switch's /var/log/syslog, in SONiC's format. */
void sonic_syslog(struct personality_ctx *ctx, struct sim_device *d, struct buf *out);

#endif
