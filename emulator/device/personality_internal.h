/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_PERSONALITY_INTERNAL_H
#define EMULATOR_PERSONALITY_INTERNAL_H

#include <jansson.h>

#include "emulator/device/personality.h"
#include "emulator/shell/shell.h"
#include "emulator/shell/vfs.h"

/* State and functions that the dialects share. */
#define LOSSLESS_MASK (1u << 3) /* priorities with PFC */
#define LOSSLESS_PRIO 3u
#define CNP_PRIO      6u
#define ROCE_DSCP     26u
#define CNP_DSCP      48u
#define ECN_MIN_BYTES 500000u
#define ECN_MAX_BYTES 1500000u
#define PORT_MTU      9100u

struct cumulus;
struct sonic_lua;
struct linux_trees;
struct eos_notes;
struct sonic_notes;

struct personality_ctx {
	struct sim *sim;
	struct shell_cache *cache;
	struct vfs *sonic_files;
	struct linux_trees *linux_trees; /* files of Linux machines, one tree per kind */
	struct eos_notes *eos_notes;     /* logins, and baselines of cleared counters */
	struct cumulus *cumulus;         /* state of Cumulus switches: revisions, baselines */
	struct sonic_lua *lua;
	struct sonic_notes *sonic_notes; /* settings of SONiC switches, by device */
	const char *user, *password;     /* of HTTPS logins; NULL: none can succeed */
	struct shell_session *feeding;   /* the session that gets the command's input; NULL: none */
	bool ended;                      /* the session has ended */
	bool follows; /* a command prints only the news of a file that it follows */
};

/* A device while it runs one command line. The first member is the view that vfs_shell_fs needs. */
struct machine {
	struct vfs_view view;
	struct personality_ctx *ctx;
	struct sim_device *d;
};

extern const struct personality personality_cumulus, personality_nxos;
extern const struct personality personality_sonic, personality_eos, personality_linux;

/* The LLDP data that one end receives about the other. */
struct lldp_peer {
	char name[32], chassis_id[18], system[192], address[24];
	char port_id[32], port_descr[32];
	bool local_id; /* port_id is a locally assigned alias, port_descr the interface's name */
};
/* Hosts may run no lldpd: then they neither send nor hear, and have no such program. */
bool personality_has_lldpd(const struct personality_ctx *ctx, const struct sim_device *d);
/* `ip -j neigh`: the far ends of the machine's links, by their addresses and MACs. */
json_t *personality_neighbours(const struct machine *m);
/* false if nothing is received: the link is down or has no peer. */
bool personality_lldp(
	const struct personality_ctx *ctx, const struct sim_port *p, struct lldp_peer *peer);
/* The MAC of a port ("02:00:0a:00:01:03"): the base with the port's number + 1 as last byte. */
void personality_mac(const struct sim_device *d, unsigned port, char dst[18]);
/*
 * This end's address on the /31 of its link ("10.64.3.1"); independent of the device that is
 * queried.
 */
void personality_link_address(const struct sim_port *p, char dst[16]);
/* The device's own clock: sim_now() plus its clock error, microseconds. */
int64_t personality_clock(const struct personality_ctx *ctx, const struct sim_device *d);

/* /proc/uptime and the like, for every device that has a shell. */
void personality_common_files(struct vfs *tree);
int personality_shell(struct machine *m, const struct shell_machine *base, const char *command,
	const char *input, struct buf *out, struct buf *err);

/* personality_words.c: all PFC frames of a port, over its priorities. */
void personality_pause_frames(const struct sim_port *p, uint64_t *rx, uint64_t *tx);
/* "02:00:0a:00:01:03" as EOS and NX-OS write it: "0200.0a00.0103". */
#define DOTTED_MAC 15
void personality_dotted_mac(const char *mac, char dst[DOTTED_MAC]);
/*
 * Calls sim_configure() unless nothing changes; each change makes the fabric compute its rates
 * again.
 */
void personality_configure(struct personality_ctx *ctx, struct sim_port *p,
	const struct sim_port_config *c, const char *who);
/* ethtool's lines on speed, lanes and duplex, the same on every Linux. */
void personality_ethtool_speed(const struct sim_port *p, struct buf *out);

/* Appends the decimal digits of v. Much of the devices' output consists of numbers. */
void add_u64(struct buf *out, uint64_t v);

#endif
