/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_PLAN_PLAN_H
#define FABRIC_PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "fabric/plan/plan_notify.h"
#include "fabric/vocabulary/types.h"

/* Form of a device's answers to polls of the fast tier, if it has a shell (poll:). */
enum poll_way {
	POLL_WAY_FULL,
	POLL_WAY_FILTERED, /* only changes, by a filter in the session's own shell */
	POLL_WAY_COUNT
};
const char *poll_way_name(enum poll_way w); /* "full", "filtered" */

/*
 * The planned fabric as plain data: the inventory after reading, before any poll. app/ fills it
 * from fabric.yaml; fabric/ builds the model from it, backends/ take their targets from it. The
 * plan owns all strings.
 */
struct plan_device {
	char name[NAME_MAX_LEN];
	enum tier tier;
	enum net_kind net;
	int rail;                              /* -1: none or all */
	char site[SITE_TEXT];                  /* "": not stated */
	char rack[RACK_TEXT], unit[UNIT_TEXT]; /* where it stands: "R12", "40"; "": not stated */
	char *dialect;     /* "sonic", "eos", "linux", ... checked by the composition root */
	char *transport;   /* "ssh" or "https" */
	char *address;     /* address to connect to; the name when the inventory gives none */
	unsigned port;     /* 0: the transport's default */
	char *user;        /* may be NULL: ssh_config or the current user decides */
	char *identity;    /* private key file, may be NULL */
	char *credentials; /* a reference: env:NAME, file:PATH, command:CMD, netrc:PATH; or NULL */
	char *ssh_config;  /* may be NULL */
	char *known_hosts; /* may be NULL: ~/.ssh/known_hosts */
	char *jump; /* bastions on the way, see backends/transport/proxy_jump.h; NULL: as ssh_config
		       says */
	char *tls_ca;        /* may be NULL: the system's CAs */
	int64_t interval_us; /* of the fast tier */
	int64_t medium_us;   /* of the medium tier: optics, BGP, LLDP; 0: its default, 30 or 60 s */
	int64_t slow_us;     /* of the slow tier: settings; 0: its default, 5 min */
	enum poll_way poll;
	bool by_engine;  /* the plan's engine reports about it; railtop polls it only while it is
			    under the cursor, and not at all without a transport */
	char source[96]; /* "fabric.yaml:12", for messages */
};

/*
 * A link that should exist. A port name may be of a device that was not seen yet. "": the device's
 * name for the port is unknown. It is then the port at that place by the preset's formula, and
 * nothing is planned before the device has reported its names (fabric/model/unnamed.h).
 */
struct plan_link {
	unsigned a, b; /* index into devices */
	char a_port[NAME_MAX_LEN], b_port[NAME_MAX_LEN];
	unsigned a_place, b_place; /* where the name is "" */
	int rail;
	unsigned speed_mbps; /* 0: not stated */
	unsigned metres;     /* length of the cable; 0: not stated */
};

struct lossless {
	uint8_t priorities;                    /* bit p set: priority p is lossless */
	int8_t dscp_prio[64];                  /* -1: not stated */
	int cnp_dscp;                          /* -1: not stated */
	uint64_t ecn_min_bytes, ecn_max_bytes; /* 0: not stated */
};
/*
 * The priorities that must not drop, for all readers, detectors and views; never 0. Without a
 * statement: priority 3, as in public RoCEv2 guides of all vendors.
 */
uint8_t lossless_priorities(const struct lossless *l);

/* One entry of pins: in the inventory. The port's history is kept whole, see history_pin(). */
struct plan_pin {
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	unsigned line; /* of the inventory, for messages */
};

/* One entry of jobs: in the inventory: a source of facts about jobs and ranks. */
struct plan_jobs {
	char source[24]; /* "nccl-ras", "inspector", "flight-recorder", "nccl-log", "slurm", "file",
			    "jsonl", "kubernetes", "ray", "processes" */
	char *path;      /* file, or glob on the hosts; NULL: the source's default */
	char *hosts;  /* bracket list of devices to ask over SSH; NULL: all hosts (nccl-ras), or a
			 local file */
	char *url;    /* of sources that are reached by HTTPS: kubernetes, ray; else NULL */
	char *token;  /* a reference to a bearer token for it; NULL */
	char *tls_ca; /* NULL: the system's CAs */
	int64_t interval_us; /* 0: the source's default */
	char *name;          /* default job of its records that name none; may be NULL */
	bool any_version;    /* nccl-ras: also ask versions with reported crashes */
	char where[96];      /* "fabric.yaml:12", for messages */
};

/* The site's own command lines that replace those of a dialect, see backends/contract/change.h. */
struct plan_commands {
	char dialect[16];
	char verb[24]; /* "wd-recover" */
	char *lines;   /* one command a line, with {port}, {priority}, ... in it */
};

/* The section actions: grants, and their conditions. */
struct plan_actions {
	bool granted;
	char *allow;   /* names of actions, separated by commas; NULL: all */
	char *devices; /* bracket list; NULL: all */
	/* Login for actions if it differs from the polling login; NULL: the device's own. */
	char *user, *identity, *credentials;
	char *ledger;       /* file; NULL: the user's state directory */
	char *kill_switch;  /* while this file exists, no action runs; NULL: beside the ledger */
	bool four_eyes;     /* a second operator approves the plan's hash */
	unsigned per_hour;  /* of one user; 0: ACTIONS_PER_HOUR */
	unsigned hosts_out; /* hosts that may be out of service; 0: see plan_hosts_out() */
	/* Minimum time between two actions on a switch, on a port; watch time of the outcome. 0:
	 * default. */
	int64_t switch_us, port_us, watch_us;
	/* The site's PFC watchdog, for pfcwd-enable; 0, "": not stated, and the action is
	 * refused. */
	unsigned wd_detect_ms, wd_restore_ms;
	char wd_action[16];
	bool drain_bgp; /* a link between switches is drained by shutting its BGP session */
	VEC(struct plan_commands) commands;
};
/* Public practice: reference figures of GPU fleet operators' action guards. */
#define ACTIONS_PER_HOUR    3
#define ACTIONS_SWITCH_US   (INT64_C(600) * 1000000)
#define ACTIONS_PORT_US     (INT64_C(3600) * 1000000)
#define ACTIONS_WATCH_US    (INT64_C(900) * 1000000)
#define ACTIONS_APPROVED_US (INT64_C(600) * 1000000) /* validity of an approval */

/*
 * A metrics engine (Prometheus, Thanos, Mimir, VictoriaMetrics) that reports about the devices in
 * place of the devices: the section engine: of the inventory.
 */
struct plan_engine {
	char *url; /* "https://prometheus.example:9090/select/0/prometheus"; NULL: there is none */
	char *mapping; /* names of embedded mappings or files, separated by commas; NULL: railtop */
	char *match; /* additional label matchers for every query, "cluster=\"b200\""; NULL: none */
	char *credentials; /* a reference as of a device: basic authentication; NULL */
	char *token;       /* a reference to a bearer token; NULL */
	char *tenant;      /* Mimir, Thanos: X-Scope-OrgID; NULL */
	char *tls_ca;      /* NULL: the system's CAs */
	int64_t interval_us;
	int64_t history_us; /* length of a device's history to fill in; 0: none */
	char source[96];    /* "fabric.yaml:12", for messages */
};

/* A NIC that the inventory lists, by its place in the list. */
struct plan_nic {
	unsigned device; /* index into plan.devices; in ascending order */
	int rail;
	char port[NAME_MAX_LEN];
};

/* Ports of the devices from..to-1 that are of a network, whatever is at their other end. */
struct plan_net {
	unsigned from, to; /* indices into plan.devices */
	enum net_kind net;
	char ports[NAME_MAX_LEN]; /* a port's name or network device; '*' stands for any text */
};

struct plan {
	char fabric[NAME_MAX_LEN];
	char preset[16]; /* "" when explicit */
	unsigned rails;
	struct lossless lossless;
	char tier_words[TIER_COUNT][TIER_TEXT]; /* the site's own: "RTSW"; "": it has none */
	VEC(struct plan_device) devices;
	VEC(struct plan_link) links;
	VEC(struct plan_nic) nics; /* of hosts with a list `rails` */
	VEC(struct plan_net) nets; /* of groups with nets: */
	VEC(struct plan_jobs) jobs;
	VEC(struct plan_pin) pins;
	struct plan_actions actions;
	struct plan_engine engine;
	struct plan_notify notify;
	char warning[200]; /* about the file, for the operator; "": none */
};

void plan_init(struct plan *p);
void plan_free(struct plan *p);
void plan_actions_free(struct plan_actions *a); /* and empties it */
void plan_engine_free(struct plan_engine *e);   /* likewise */
/* Hosts that may be out of service at a time: as stated, else a tenth of all, and at least one. */
unsigned plan_hosts_out(const struct plan *p);
/* Index of the device, or -1. Linear search: for loading, not for polling. */
int plan_find(const struct plan *p, const char *name);

/*
 * Expands the Slurm/pdsh bracket form ("leaf-r[0-7]-[00-15],spine-1") into names; leading zeros
 * give the width. Calls add for every name; at most limit names (ERR_LIMIT above it). The error
 * names the wrong bracket.
 */
bool hostlist_expand(const char *list, size_t limit, void (*add)(void *ctx, const char *name),
	void *ctx, struct err *err);

#endif
