/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_CUMULUS_H
#define EMULATOR_DEV_CUMULUS_H

#include <jansson.h>

#include "emulator/device/personality_internal.h"

/*
 * A Spectrum switch with Cumulus Linux: NVUE over HTTPS (/nvue_v1) and in a shell (`nv`), FRR's
 * vtysh, lldpd, and the Linux tools. The layouts follow NVIDIA's documentation. If only a table is
 * documented, the JSON has the table's columns.
 */

#define CUMULUS_PROFILES 16u
#define CUMULUS_PHASE_US INT64_C(500000) /* duration of each state during an apply */
#define CUMULUS_ASK_US                                                                             \
	INT64_C(60000000) /* how long NVUE waits for an answer to "are you sure?"                  \
			   */

/* Below, a path is given as its words: "interface/swp1/link". */
#define CUMULUS_WORDS 16u

/* A named QoS profile. A port belongs to it while their values are equal. */
struct cumulus_profile {
	char name[32];
	bool congestion; /* ECN thresholds; else PFC */
	uint8_t pfc_mask;
	bool ecn;
	unsigned min_bytes, max_bytes, max_percent;
};

enum cumulus_phase { CUMULUS_PENDING, CUMULUS_ASKING, CUMULUS_APPLIED, CUMULUS_FAILED };

/* A changeset. patch is NULL until something is written into it. */
struct cumulus_revision {
	unsigned id; /* 0: none */
	json_t *patch;
	enum cumulus_phase phase;
	int64_t since_us;  /* of the phase */
	char message[160]; /* reason of the failure */
};

struct cumulus_action {
	unsigned id; /* 0: none */
	bool failed;
	char text[96];
};

#define CUMULUS_REVISIONS 64u
#define CUMULUS_ACTIONS   64u

/* State of one switch that is not part of the physics. */
struct cumulus_box {
	const struct sim_device *d;
	struct cumulus_box *next;
	struct cumulus_profile profile[CUMULUS_PROFILES];
	unsigned nprofiles;
	struct cumulus_revision revision[CUMULUS_REVISIONS];
	unsigned revisions; /* ids assigned; the slot of an id is id % CUMULUS_REVISIONS */
	unsigned cli;       /* the revision that `nv set` writes into; 0: none */
	unsigned applied;   /* the last applied one; 0: factory state */
	struct cumulus_action action[CUMULUS_ACTIONS];
	unsigned actions;
	bool password_changed;
	int64_t base_boot_us;  /* base[] and phy_us[] are valid for this boot */
	struct sim_port *base; /* counts that partial clears subtract, per port; NULL: none */
	int64_t *phy_us;       /* when the PHY counters were cleared; 0: at boot */
};
struct cumulus {
	struct cumulus_box *first;
	struct vfs *files; /* shared by all switches */
};
struct cumulus_box *cumulus_box(struct personality_ctx *ctx, const struct sim_device *d);
void cumulus_free(struct cumulus *c);

/* The port with the name swp1...; NULL if the switch has no such port. */
struct sim_port *cumulus_port(const struct machine *m, const char *name);
/* 511 for "5.11.1" */
unsigned cumulus_release(const struct sim_device *d);
int64_t cumulus_now(const struct machine *m); /* the device's own clock */
int64_t cumulus_uptime_us(const struct machine *m);

/* ---- dev_cumulus_nvue.c: reading the object model ---- */

/*
 * Splits a path in place at '/'; returns the number of words. A path with too many words becomes
 * one word that matches no item.
 */
unsigned cumulus_split(char *path, const char *words[CUMULUS_WORDS]);
/*
 * The object at a path. rev: "operational", "applied", "startup", "pending" or a revision's id.
 * NULL: there is no such item, or no such revision (*bad_rev).
 */
json_t *cumulus_get(
	struct machine *m, const char *rev, const char *const *words, unsigned n, bool *bad_rev);
/*
 * Applies the parameters include= and omit= to a collection. They are patterns such as
 * "/swp1/link", separated by commas, with an asterisk for every row. Takes ownership of rows.
 */
json_t *cumulus_select(struct machine *m, json_t *rows, const char *include, const char *omit);
/* {"title":...,"status":...,"detail":...} */
json_t *cumulus_problem(unsigned status, const char *detail);
/* Prints every path that can be shown, like `nv list-commands`. */
void cumulus_list_commands(const struct machine *m, struct buf *out);
json_t *cumulus_u64(uint64_t v);
json_t *cumulus_size(uint64_t bytes); /* "144 Bytes", "1.20 KB", "92824.38 GB": base 1024 */

/* ---- views: p is the port with NVUE's counters (after partial clears) ---- */
json_t *cumulus_interface(const struct machine *m, const struct sim_port *p);
json_t *cumulus_interfaces(const struct machine *m, const struct sim_port *p);
json_t *cumulus_eth0(const struct machine *m);
json_t *cumulus_stats(const struct machine *m, const struct sim_port *p);
json_t *cumulus_lldp(const struct machine *m, const struct sim_port *p);
json_t *cumulus_phy(const struct machine *m, const struct sim_port *p);
json_t *cumulus_transceiver(const struct machine *m, const struct sim_port *p);
json_t *cumulus_qos_counters(const struct machine *m, const struct sim_port *p);
json_t *cumulus_roce_counters(const struct machine *m, const struct sim_port *p);
json_t *cumulus_roce_status(const struct machine *m, const struct sim_port *p);
/* The same without the pools, which belong to the switch. */
json_t *cumulus_roce_port(const struct machine *m, const struct sim_port *p);
json_t *cumulus_buffer(const struct machine *m, const struct sim_port *p);
json_t *cumulus_pools(const struct machine *m);
json_t *cumulus_congestion(const struct machine *m, const struct sim_port *p);
json_t *cumulus_pfc(const struct machine *m, const struct sim_port *p);
json_t *cumulus_watchdog(const struct machine *m, const struct sim_port *p);
json_t *cumulus_mapping(const struct machine *m, const struct sim_port *p);
json_t *cumulus_egress_mapping(const struct machine *m, const struct sim_port *p);
json_t *cumulus_global_watchdog(const struct machine *m, const struct sim_port *p);
json_t *cumulus_global_roce(const struct machine *m, const struct sim_port *p);
json_t *cumulus_neighbors(const struct machine *m, const struct sim_port *p);

/* The port with the cleared counts subtracted. */
struct sim_port cumulus_counted(const struct machine *m, const struct sim_port *p);

/* ---- dev_cumulus_config.c: the current configuration ---- */

const struct cumulus_profile *cumulus_profile_of(
	const struct cumulus_box *box, const struct sim_port_config *c, bool congestion);
/* The configuration in NVUE's model; patch may be NULL. */
json_t *cumulus_config(struct machine *m, const json_t *patch);
/* ---- dev_cumulus_settings.c: changes of the configuration ---- */

/*
 * Checks a patch, or with commit applies it. false: why has the reason. *disruptive: NVUE asks for
 * a confirmation.
 */
bool cumulus_patch(
	struct machine *m, const json_t *patch, bool commit, bool *disruptive, char why[160]);
/* Converts the words of `nv set` to a patch. NULL: no such setting (why). value NULL unsets. */
json_t *cumulus_patch_from_words(
	struct machine *m, const char *const *words, unsigned n, bool unset, char why[160]);

/* ---- dev_cumulus_revision.c ---- */
struct cumulus_revision *cumulus_revision_new(struct machine *m);
struct cumulus_revision *cumulus_revision(struct machine *m, const char *id); /* NULL: none */
const char *cumulus_revision_state(const struct machine *m, struct cumulus_revision *r);
json_t *cumulus_revision_json(const struct machine *m, struct cumulus_revision *r);
/* Applies a revision; yes: without asking. Its phase shows the result. */
void cumulus_apply(struct machine *m, struct cumulus_revision *r, bool yes);
/* Adds body at this path to the revision's patch; false: why has the reason. */
bool cumulus_stage(struct machine *m, struct cumulus_revision *r, const char *const *words,
	unsigned n, json_t *body, char why[160]);
void cumulus_merge(json_t *into, const json_t *from);

/* ---- dev_cumulus_action.c ---- */

/* Clears the counters that a path names; NULL: there is no such action. */
const struct cumulus_action *cumulus_clear(struct machine *m, const char *const *words, unsigned n);
const struct cumulus_action *cumulus_action(struct machine *m, const char *id);
json_t *cumulus_action_json(const struct cumulus_action *a);

/* ---- dev_cumulus_cli.c: programs in the shell ---- */
int cumulus_nv(struct machine *m, const struct shell_call *c);

int cumulus_vtysh(struct machine *m, const struct shell_call *c);
int cumulus_lldpctl(struct machine *m, const struct shell_call *c);
int cumulus_chpasswd(struct machine *m, const struct shell_call *c); /* user:password lines */
int cumulus_syseeprom(struct machine *m, const struct shell_call *c);
int cumulus_ip(struct machine *m, const struct shell_call *c);
int cumulus_ethtool(struct machine *m, const struct shell_call *c);
int cumulus_journalctl(struct machine *m, const struct shell_call *c);
struct vfs *cumulus_files(void);

#endif
