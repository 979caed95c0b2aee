/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_MODEL_H
#define FABRIC_MODEL_MODEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/clock_track.h"
#include "base/err.h"
#include "base/vec.h"
#include "fabric/vocabulary/counter.h"
#include "fabric/vocabulary/event.h"
#include "fabric/history/history.h"
#include "fabric/vocabulary/job.h"
#include "fabric/vocabulary/observation.h"
#include "fabric/plan/plan.h"
#include "fabric/model/daily_counts.h"
#include "fabric/vocabulary/gpu_link.h"
#include "fabric/vocabulary/transport.h"
#include "fabric/vocabulary/pools.h"
#include "fabric/vocabulary/string_pool.h"
#include "fabric/vocabulary/types.h"

/*
 * The fabric in memory. One thread owns a model; there are no locks. Devices and ports are never
 * removed, so ids and pointers to struct device / struct port stay valid for the model's life.
 *
 * Time: the model has no clock. The caller passes "now" (session time in microseconds, see
 * base/clock_track.h) when it applies observations or asks for ages, so replay and pause need
 * nothing special.
 */

/* One number of one port. 16 bytes, because there are millions of them. */
struct cell {
	union {
		uint64_t u64; /* KIND_COUNT, KIND_PEAK */
		double real;  /* KIND_GAUGE */
	};
	float rate;    /* per second over the last refresh; NAN while there is none */
	uint8_t valid; /* enum validity */
	uint8_t flags; /* private: see cells_internal.h */
	uint8_t chart; /* 1 + index of its chart in the port, 0: none */
	uint8_t when;  /* private: index of its time in the port, see cell_seen_us() */
};

/* Read time of some cells of a port. Cells of one answer share it. */
struct cell_time {
	int64_t seen_us; /* wall time of the last sample */
	int64_t base_us; /* sample time of the refresh that the value is from (device clock if any)
			  */
	uint8_t cells;   /* number of cells with this time; 0: free */
	uint8_t look;    /* 1 + index of the device's look that read them; 0: none */
	/*
	 * calm: the flags of its link events, and CALM, when all of its cells stand still
	 * (partial_batch.c); else 0. calm_others: groups of its other numbers. calm_counts: flags
	 * of its counts, four bits a group.
	 */
	uint8_t calm, calm_others;
	uint32_t calm_counts;
};

/* The cells of a port and their places: ascending by cell. Ports with the same cells share it. */
struct cell_layout {
	uint8_t n;
	uint8_t slot[CELLS_MAX]; /* cell id -> index into cells, SLOT_NONE when never reported */
	uint8_t cell[CELLS_MAX]; /* the reverse: of the first n */
	/* Per counter: a bit for each of its first eight cells (priorities, lanes) that exists. */
	uint8_t subs[COUNTERS_MAX];
	/* Number of groups with cells here; per group 1 + its place, 0: none. */
	uint8_t ngroups, group[GROUP_COUNT];
};

/* The PFC watchdog of one queue. */
enum wd_state { WD_UNKNOWN, WD_OFF, WD_OPERATIONAL, WD_STORMED };
struct watchdog {
	uint8_t state;                  /* enum wd_state */
	char action[15];                /* "drop", "forward", "alert", "big red switch", "" */
	uint32_t detect_ms, restore_ms; /* 0: not known */
};
const char *wd_state_name(enum wd_state s); /* "unknown", "off", "operational", "stormed" */

/* Settings of one priority of a port. UINT32_MAX, NAN: unknown. */
struct qos_prio {
	uint32_t ecn_min_bytes, ecn_max_bytes;          /* of the egress queue */
	float ecn_probability;                          /* per cent */
	uint32_t xoff_bytes, xon_bytes, headroom_bytes; /* of the ingress priority group */
};

/*
 * Classification and congestion settings of a port. Maps have one digit an entry and '-' for an
 * unmapped one (see fabric/vocabulary/observation.h). The model owns the strings; equal maps are
 * the same pointer; NULL: unknown.
 */
struct qos {
	const char *dscp_to_tc;                             /* 64 */
	const char *tc_to_queue, *tc_to_pg, *prio_to_queue; /* 8 each */
	char trust[8];                                      /* "dscp", "pcp", "port", "" */
	struct qos_prio prio[PRIORITIES];
	/* Of a NIC; -1: unknown. Masks as in struct port, bit 8 set: known. */
	int16_t roce_tclass, cnp_dscp, cnp_prio;
	uint16_t dcqcn_rp, dcqcn_np;
	int32_t storm_tout_ms;
};

/* The module's own warning and alarm limits, by enum optics_limit; NAN: not reported. */
struct optics_limits {
	float rx_power_dbm[LIMIT_COUNT], tx_power_dbm[LIMIT_COUNT], tx_bias_ma[LIMIT_COUNT];
	float temperature_c[LIMIT_COUNT], voltage_v[LIMIT_COUNT];
};

enum peer_source { PEER_NONE, PEER_MAC, PEER_PLAN, PEER_LLDP };
const char *peer_source_name(enum peer_source s); /* "", "mac", "plan", "lldp" */

/*
 * Rarely used data, which many ports lack. Its words belong to model.texts, "" if unknown, never
 * NULL.
 */
struct port_more {
	union {
		struct {
			const char *alias; /* the vendor's second name */
			const char *mac, *fec, *down_reason, *description, *media, *module_sn;
			const char *pci_addr;   /* of a NIC */
			const char *setup;      /* of a NIC: "key=value key=value" */
			const char *bond;       /* the port that is its bond; a bond names itself */
			const char *lldp_mgmt;  /* the neighbour's management address */
			const char *lldp_descr; /* the neighbour's system description */
			const char *lldp_also;  /* another name of the neighbour's port */
			const char *lag_state;  /* see ATTR_LAG_STATE */
			const char *lag_pair;   /* see ATTR_LAG_PAIR */
			const char *scheduler;  /* see ATTR_SCHEDULER */
			const char *tenant;     /* see ATTR_TENANT */
			const char *macs;       /* see ATTR_MACS; kept when no station is heard */
		};
		const char *word[18]; /* all of them */
	};
	struct optics_limits *limits; /* NULL: not reported */
	int64_t last_change_us;       /* device clock, 0: unknown */
	int64_t macs_us;              /* wall time at which macs were last heard, 0: never */
	unsigned metres;              /* of its cable, by the plan; 0: not stated */
	unsigned pcie_max_mtps;       /* 0: unknown */
	unsigned first_speed_mbps;    /* the first one in operation that was reported; 0: none */
	uint32_t lldp_was;            /* private: hash of the last neighbour, 0: never had one */
	uint32_t mac_peer;            /* 1 + id of the peer that its MAC tells, 0: none */
	uint8_t pcie_max_width;       /* 0: unknown */
	uint8_t lag_min;              /* of a bundle: least active members; 0: unknown */
	uint8_t listed;               /* enum port_listed */
	uint8_t link_layer;           /* enum link_layer, of a NIC */
	bool macs_old;                /* the device's last answer has no station here */
};

/* Whether the device lists the port, see ATTR_PORT_LIST. */
enum port_listed { PORT_UNLISTED, PORT_LISTED, PORT_MISSED, PORT_GONE };

/* 184 bytes and the 8 of malloc(): there are hundreds of thousands. */
struct port {
	/* Fields used for every port in every diagnosis come first: they share a few cache
	 * lines. */
	uint32_t id;     /* index into model.ports */
	uint32_t device; /* id of its device */
	enum oper oper, admin;
	unsigned speed_mbps; /* in operation; 0: unknown */
	unsigned plan_speed_mbps;
	uint32_t plan_peer; /* port id, or PORT_NONE */
	uint32_t lldp_peer; /* port id, or PORT_NONE when unknown or outside the model */
	uint32_t flaps; /* link-down transitions seen by us since start (from counters or state) */
	int rail;       /* -1: none */
	unsigned mtu;
	uint16_t pfc_enabled;      /* bit p; bit 8 set: the mask is known */
	uint16_t ecn_enabled;      /* likewise */
	bool seen;                 /* an observation named it (planned ports exist before that) */
	bool merged;               /* is another port under its second name: no longer listed */
	bool pinned;               /* its history is kept whole, see history_pin() */
	uint8_t ntimes, last_time; /* private to cells.c */
	uint8_t unsampled;  /* private: bit g: the port's sample time does not apply to group g */
	uint8_t told_admin; /* private to changes.c: last known enum oper */
	uint8_t told_wd, told_wd_on; /* likewise, bit p: the watchdog is known, and on */
	uint16_t down_credit;        /* private: downs seen as state, not yet seen in a counter */
	uint16_t flap_pending;       /* private: downs seen in a counter, state not yet seen */
	uint16_t
		carrier_credit; /* private: transitions seen as state, not yet as carrier changes */
	int64_t last_flap_us;
	/*
	 * Wall time since which no PFC frame came in on any priority, as far as polls show. It is
	 * the first poll that reported them, or the last one that saw their number grow or
	 * restart. 0: the port does not count them.
	 */
	int64_t pfc_quiet_us;
	const struct cell_layout *layout;
	struct cell *cells;           /* layout->n of them; before them: see port_moved_us() */
	struct cell_time *times;      /* private, as ntimes: see cell_seen_us() */
	struct qos *qos;              /* NULL: not reported */
	const struct watchdog *wd;    /* PRIORITIES of them; changed by port_watchdogs() */
	struct port_log *log;         /* private to fabric/history; NULL: nothing to chart */
	const char *name;             /* as all words: "" if unknown, never NULL */
	const char *netdev;           /* network device of an RDMA device */
	const struct port_more *more; /* never NULL; changed by port_more() */
	const char *lldp_device, *lldp_port; /* as the neighbour announces them */
	int64_t lldp_us;     /* when LLDP last showed a neighbour on this port, 0: never */
	struct since *since; /* private to marks.c; NULL: nothing has grown since a mark */
};
#define PORT_NONE UINT32_MAX
#define SLOT_NONE 0xff
#define TIME_NONE 0xff /* of a cell that was never read */

/* Maximum bytes of each text of a port, with its NUL: TEXT(field, bytes). */
#define PORT_TEXTS(TEXT)                                                                           \
	TEXT(name, NAME_MAX_LEN)                                                                   \
	TEXT(alias, NAME_MAX_LEN)                                                                  \
	TEXT(netdev, NAME_MAX_LEN)                                                                 \
	TEXT(mac, 24)                                                                              \
	TEXT(fec, 16)                                                                              \
	TEXT(down_reason, 80)                                                                      \
	TEXT(description, 80)                                                                      \
	TEXT(media, 48)                                                                            \
	TEXT(module_sn, 32)                                                                        \
	TEXT(pci_addr, 16)                                                                         \
	TEXT(setup, 120)                                                                           \
	TEXT(bond, NAME_MAX_LEN)                                                                   \
	TEXT(lldp_device, NAME_MAX_LEN)                                                            \
	TEXT(lldp_port, NAME_MAX_LEN)                                                              \
	TEXT(lldp_mgmt, NAME_MAX_LEN)                                                              \
	TEXT(lldp_descr, 80)                                                                       \
	TEXT(lldp_also, NAME_MAX_LEN)                                                              \
	TEXT(lag_state, 48)                                                                        \
	TEXT(lag_pair, 48)                                                                         \
	TEXT(scheduler, 96)                                                                        \
	TEXT(tenant, 120)                                                                          \
	TEXT(macs, 120)
enum {
#define PORT_TEXT_SIZE(field, bytes) PORT_TEXT_##field = (bytes),
	PORT_TEXTS(PORT_TEXT_SIZE)
#undef PORT_TEXT_SIZE
		PORT_TEXT_MOST = 120
};

/* The watchdogs of a port, for writing. A port without reports shares a constant set until then. */
struct watchdog *port_watchdogs(struct port *p);
/* The same for the rarely used data. */
struct port_more *port_more(struct port *p);

struct capability {
	char need[48]; /* "ECN marks per queue" */
	uint8_t valid; /* enum validity: ok, unsupported, disabled */
	char cure[160];
};
struct capability_list {
	struct capability *at;
	size_t n, size;
};

/* One BGP session of one address family. */
struct bgp_session {
	char peer[NAME_MAX_LEN], host[NAME_MAX_LEN], vrf[32];
	uint8_t afi, state; /* enum bgp_afi, enum bgp_state */
	bool gone;          /* was there, and is no longer listed */
	uint32_t remote_as;
	int64_t since_us;  /* wall time of the last change as the device reports it, 0: unknown */
	uint64_t prefixes; /* UINT64_MAX: unknown */
	uint64_t drops;    /* as counted by the device; UINT64_MAX: unknown */
	uint32_t downs;    /* seen by us since start, including those between two polls */
	int64_t last_down_us; /* wall time of the last one seen, 0: none */
	int64_t seen_us;      /* private: wall time of the last list that had it */
	uint16_t credit;      /* private: downs seen as state, not yet seen in drops */
	bool listed;          /* private: the current batch has it */
};

/*
 * A BGP session is right when it is established or shut on purpose. A gone session is not right: a
 * removed session looks like one that the daemon forgot.
 */
bool bgp_session_ok(const struct bgp_session *s);

struct manager_notes; /* fabric/vocabulary/manager_note.h */

#define DEVICE_LOOKS      12
#define DEVICE_COMPLAINTS 32
struct device {
	uint32_t id; /* index into model.devices */
	enum tier tier;
	enum net_kind net;
	int rail;                              /* -1: none */
	enum dev_state state;                  /* as of the last model_age() */
	char site[SITE_TEXT];                  /* by the inventory; "": not stated */
	char rack[RACK_TEXT], unit[UNIT_TEXT]; /* by the inventory: "R12", "40"; "": not stated */
	uint32_t
		merged; /* private: number of its ports that are hidden as second names of others */
	int64_t interval_us;
	VEC(uint32_t) ports; /* port ids in natural name order */
	char name[NAME_MAX_LEN];
	char dialect[16], transport[8];
	char address[128]; /* for messages */
	/* private: refreshes seen by any request, and by each request at its last answer */
	uint32_t refreshes[GROUP_COUNT];
	struct refresh_look {
		uint32_t request; /* hash of its name, 0: free */
		uint32_t refreshes[GROUP_COUNT];
		uint32_t number; /* of its last batch, see struct obs */
		int64_t told_us; /* wall time of that, 0: none */
	} looks[DEVICE_LOOKS];
	int64_t moved_us[GROUP_COUNT]; /* private: sample time that last saw the group move, 0 */
	bool planned;                  /* from the inventory, else it came with observations only */

	bool connected;
	int64_t heard_us;   /* wall time of the first OBS_DATA: nothing is known before; 0 */
	int64_t last_ok_us; /* wall time of the last OBS_DATA, 0: never */
	int64_t burst_us, burst_gap_us; /* private: of what it sends by itself, see age.c */
	int64_t counters_us; /* wall time of the last one with byte counters of a port, 0: never */
	int64_t last_attempt_us;
	const struct err *err; /* of the last failure; code ERR_NONE after a success, never NULL */
	char err_request[32];  /* the request that failed */
	/* private: the latest complaints, and those of the current minute */
	uint32_t bad_told[DEVICE_COMPLAINTS];
	unsigned bad_next, bad_minute;
	int64_t bad_us;
	uint64_t reset_seq;     /* private: event of the last re-baseline, 0: none */
	int64_t reset_us;       /* private: wall time of it */
	char reset_request[32]; /* private: the request that showed it */
	int64_t took_us;        /* last answer: request to last byte */
	uint64_t bytes;         /* last answer */
	uint64_t polls, failures;
	/* Source of the data: the device itself, or a metrics engine. */
	bool engine;         /* its newest counters are the engine's */
	int64_t engine_us;   /* wall time of the engine's newest sample, 0: never */
	int64_t source_us;   /* private: wall time of the last change of source, 0: never */
	char not_asked[200]; /* why the device itself could not be polled, "": it could, or was not
			      */

	char model[64], serial[48], os_version[64], hostname[NAME_MAX_LEN], firmware[48];
	char boot_id[64];
	double uptime_s;       /* NAN: unknown */
	int64_t clock_skew_us; /* device clock minus session time at the last sample, 0: unknown */
	struct capability_list caps;
	VEC(struct bgp_session) bgp; /* natural order of vrf, peer, afi */
	int64_t bgp_us;              /* wall time of the last list of sessions, 0: never */
	uint32_t bgp_as;             /* 0: unknown */
	char router_id[48];
	char ecmp_hash[128], lag_hash[128], hash_algorithm[48];
	char balancing[48];           /* see ATTR_BALANCING, "": unknown */
	char schema[48];              /* see ATTR_SCHEMA, "": none */
	char setup[160];              /* of a host, as port_more.setup */
	char poll_path[NAME_MAX_LEN]; /* see ATTR_POLL_PATH, "": unknown */
	char pools[POOLS_TEXT];       /* see ATTR_POOLS, "": unknown */
	struct gpu_link *gpus; /* of a host: HOST_GPUS_MOST of them; NULL: none was reported */
	int64_t gpus_us;       /* wall time of the last answer about them, 0: never */
	unsigned ngpus;        /* in that answer */
	char gpu_domain[GPU_DOMAIN_TEXT]; /* see ATTR_GPU_DOMAIN, "": unknown */
	char provider[32];                /* see ATTR_PROVIDER, "": none, or unknown */
	struct manager_notes *notes;      /* of the manager of a fabric; NULL: there are none */
	char pair[160];            /* of a switch that shares bundles with another: ATTR_PAIR */
	unsigned pfcwd_poll_ms;    /* 0: unknown */
	int64_t reboot_us;         /* private: wall time at which a restart was last learnt, 0 */
	int64_t settings_us;       /* private to changes.c: start of the counting window, wall */
	unsigned settings_changes; /* in it */
	struct log_memory *log;    /* private to log.c: known lines; NULL: none */
	void *index;               /* name -> port, private to model.c */
};

/*
 * Whether the device spreads packets by more than a hash of each flow, as far as it says. Then
 * packets overtake each other, and the hash alone does not choose the path.
 */
bool device_spreads(const struct device *d);

/* Sets the error of the device; NULL clears it. */
void device_set_err(struct device *d, const struct err *e);

/* A link: two ports, as planned or as found. Every planned link is in the list, found or not. */
enum link_state {
	LINK_UNKNOWN,
	LINK_AS_PLANNED, /* LLDP agrees with the plan */
	LINK_PLANNED,    /* planned, LLDP neither agrees nor shows another peer */
	LINK_FOUND,      /* LLDP shows it, there is no plan for either port */
	LINK_MISWIRED,   /* LLDP shows another peer than the plan */
};
struct link {
	uint32_t a, b; /* port ids, a of the lower tier; as found if LLDP shows the link, else as
			  planned */
	int rail;
	enum link_state state;
};
const char *link_state_name(
	enum link_state s); /* "unknown", "ok", "planned", "found", "miswired" */

#define EVENT_RING 4096

/*
 * A named zero of all counters of the fabric, set at a moment. Local to railtop: nothing is
 * cleared on a device. Without a mark a port pays 8 bytes. Each mark costs 8 bytes a cell of the
 * ports that have moved since: at most 20 MB at the 4,000-GPU size (24,384 ports of about 100
 * cells).
 */
struct mark {
	char name[32];
	int64_t wall_us;
};
#define MARKS_MAX 4

struct model {
	char fabric[NAME_MAX_LEN];
	unsigned rails;
	struct lossless lossless;
	char tier_words[TIER_COUNT][TIER_TEXT]; /* of the inventory, see model_tier_word() */
	VEC(struct device *) devices;
	VEC(struct port *) ports;
	VEC(struct plan_nic) nics; /* the rails of NICs that the inventory lists */
	VEC(struct plan_net) nets; /* ports of other networks than their devices, see nets.h */
	VEC(struct link) links;    /* updated from the wiring by model_links() */
	bool has_racks;            /* the inventory states where a device stands */
	bool hears_macs;           /* private: a switch has told which stations it heard */
	bool links_dirty;     /* an unspecified part of the wiring changed: all links are rebuilt */
	struct event *events; /* ring of EVENT_RING */
	uint64_t event_seq;   /* of the newest event; 0: none */
	struct daily_counts tally;    /* of the last 24 hours */
	struct mark marks[MARKS_MAX]; /* oldest first */
	unsigned nmarks;
	uint64_t generation;     /* grows with every applied change: tells a view to redraw */
	uint64_t batches, items; /* applied so far */
	/*
	 * wiring_generation grows when a neighbour or a name used by neighbours changes.
	 * settings_generation grows when a setting, speed or state of a port or a hash changes.
	 * Detectors skip work while they are unchanged.
	 */
	uint64_t wiring_generation, settings_generation;
	struct wires *wiring;             /* private to wiring.c; NULL: not known yet */
	struct open_links *open_links;    /* private to unnamed.c; NULL: all names are known */
	struct census_kept *census;       /* private to model.c */
	void *index;                      /* name -> device, private to model.c */
	void *macs;                       /* MAC -> device, private to macs.c */
	struct string_pool *texts;        /* of ports */
	void *layouts;                    /* of the cells of ports, private to cells.c */
	void *maps;                       /* QoS maps by their text, private to qos.c */
	int64_t log_us;                   /* private to log.c: start of the current minute, wall */
	unsigned log_changes, log_alarms; /* lines in it */
	struct nccl *nccl;                /* jobs, communicators, ranks; never NULL */
	struct capability_list sources;   /* job sources that no device is asked for */
	struct history_store *history;    /* private to fabric/history */
	int64_t bgp_us;                   /* private to bgp.c: the same */
	unsigned bgp_events;              /* in it */
	struct clock_track *clock;        /* private to session_time.c; NULL: never stepped */
};

/* Ports that one device may have; more are refused and recorded as a bad answer. */
#define DEVICE_PORTS_MAX 2048
/* Devices that may come with observations only, beyond those of the plan. */
#define UNPLANNED_MAX 4096

/* Where it stands: "R12 U40", "R12"; "": the inventory does not say. size: STAND_TEXT. */
const char *device_stand(const struct device *d, char *out, size_t size);

/*
 * The word for a tier on screens and in texts: the site's own (RTSW, CTSW, ATSW), else
 * tier_name(). JSON and metrics have tier_name() always.
 */
const char *model_tier_word(const struct model *m, enum tier t);

/*
 * The steps of the wall clock, see base/clock_track.h. All times in the model are session times.
 * Texts and JSON say the time that the clock showed: they use these functions and never
 * clock_format_utc() with a time of the model.
 */
void model_set_clock(struct model *m, const struct clock_track *t); /* copies */
/* NULL: the clock was never stepped. */
const struct clock_track *model_clock(const struct model *m);
int64_t model_wall(const struct model *m, int64_t us);
/* Device clock minus wall clock at the last sample; 0: unknown. */
int64_t device_skew_us(const struct model *m, const struct device *d);
/* As clock_format_utc() and clock_format_hms(); dst of at least 32 bytes, returns dst. */
char *model_utc(const struct model *m, int64_t us, char *dst, size_t size);
char *model_hms(const struct model *m, int64_t us, char *dst, size_t size);

/* Builds devices, planned ports and planned links. The plan is not referenced afterwards. */
struct model *model_new(const struct plan *plan);
void model_free(struct model *m);

/*
 * Applies one batch at wall time now_us. Rates, history, flaps and events follow from it: - a rate
 * is taken between two refreshes of the counter's group on that port (fabric/model/rate.h); - a
 * reboot (boot id or uptime), a clear or a renumbering re-baselines and adds one event for the
 * device; - a wrap adds one event and gives a right rate; - devices outside the plan are added
 * with the tier of their dialect, or TIER_LEAF.
 */
void model_apply(struct model *m, const struct obs *o, int64_t now_us);

/* Requests of batches from a metrics engine, of now and of the past. */
#define REQUEST_ENGINE  "engine"
#define REQUEST_HISTORY "history"

/*
 * Whether the device answers, but without its port counters: one of its commands fails or hangs
 * while others succeed. Its port numbers are as old as counters_us, whatever its state.
 */
bool device_blind(const struct device *d);

/*
 * Recomputes freshness of every device at now_us and records state changes as events. Returns the
 * wall time at which the next change is due if nothing arrives, INT64_MAX when none is.
 */
int64_t model_age(struct model *m, int64_t now_us);

/* Updates the list of links. The cost depends on the changes; the first time, and after loading,
 * all ports are examined. */
void model_links(struct model *m);

struct device *model_device(const struct model *m, const char *name); /* NULL when unknown */
/* By name, alias or netdev, in this order. NULL when unknown. */
struct port *model_port(const struct model *m, const struct device *d, const char *name);
static inline struct device *model_dev_of(const struct model *m, const struct port *p)
{
	return m->devices.at[p->device];
}

/* The port with that id; NULL when there is none. */
static inline struct port *model_port_at(const struct model *m, uint32_t id)
{
	return id < m->ports.n ? m->ports.at[id] : NULL;
}
static inline struct device *model_device_at(const struct model *m, uint32_t id)
{
	return id < m->devices.n ? m->devices.at[id] : NULL;
}
static inline struct job *model_job_at(const struct model *m, uint32_t id)
{
	return id < m->nccl->jobs.n ? m->nccl->jobs.at[id] : NULL;
}
static inline struct comm *model_comm_at(const struct model *m, uint32_t id)
{
	return id < m->nccl->comms.n ? m->nccl->comms.at[id] : NULL;
}

/* The cell, or NULL when the counter was never reported for the port. */
const struct cell *port_cell(const struct port *p, counter_id id, unsigned sub);
/* Validity as seen at now: VALID_STALE when the device is stale, VALID_UNKNOWN without a cell. */
enum validity port_cell_valid(
	const struct model *m, const struct port *p, counter_id id, unsigned sub);
/* The same for a cell of a port of the device, read at seen_us. */
enum validity device_cell_valid(const struct device *d, const struct cell *c, int64_t seen_us);
/*
 * Wall time of the last poll that saw a refresh of the group, 0: none. The port has such a time
 * for each group with cells: in the same memory block, before its cells.
 */
static inline int64_t port_moved_us(const struct port *p, enum refresh_group g)
{
	unsigned place = p->layout->group[g];

	return place ? ((const int64_t *)(const void *)p->cells)[-(int)place] : 0;
}
/* Wall time of the last sample of a cell of the port, 0: never. */
static inline int64_t cell_seen_us(const struct port *p, const struct cell *c)
{
	return c->when == TIME_NONE ? 0 : p->times[c->when].seen_us;
}
/* Rate per second; NAN when there is none (unknown, unsupported, reset, first sample). */
double port_rate(const struct port *p, counter_id id, unsigned sub);
/* Sum of rates over the priorities in mask; NAN when none of them has a rate. */
double port_rate_prios(const struct port *p, counter_id id, uint8_t mask);

/*
 * Sets a mark at now_us; an empty name becomes "m1", "m2", ... An existing name is set again.
 * Fails (ERR_LIMIT) when there are MARKS_MAX others: the cure explains how to drop one.
 */
bool model_mark(struct model *m, const char *name, int64_t now_us, struct err *err);
bool model_unmark(struct model *m, const char *name, struct err *err);
/* Index of the mark; the newest for "". -1: none. */
int model_mark_find(const struct model *m, const char *name);
/*
 * Growth of a counter since the mark. Growth before a clear, reboot or wrap counts. Growth lost in
 * it does not: counting resumes at the first value after a clear or reboot. A counter that was
 * first reported after the mark counts from its first report. False: not a counter, never
 * reported, or no such mark.
 */
bool port_since(const struct model *m, const struct port *p, int mark, counter_id id, unsigned sub,
	uint64_t *out);
/* A number that identifies the session on its device: from VRF, peer and address family. */
uint64_t bgp_session_key(const struct bgp_session *s);
/* Number of sessions that are right, and of all. */
struct bgp_count {
	unsigned ok, all;
};
struct bgp_count device_bgp(const struct device *d);

/*
 * The device no longer has the port: pulled, broken out or renamed. It has no state and no rates
 * until the device lists it again.
 */
static inline bool port_is_gone(const struct port *p)
{
	return p->more->listed == PORT_GONE;
}

static inline bool port_is_infiniband(const struct port *p)
{
	return p->more->link_layer == LAYER_INFINIBAND;
}

/* "up", "down", "unknown", or "gone". */
const char *port_state_name(const struct port *p);

/* A bond has several slaves, which are ports of the same device. Its counters are their sums. */
static inline bool port_is_bond(const struct port *p)
{
	return p->more->bond[0] && strcmp(p->more->bond, p->name) == 0;
}
/* The bond that the port is a slave of; NULL: none. */
struct port *port_bond(const struct model *m, const struct port *p);
/* The i-th slave of a bond, from 0; NULL past the end. */
struct port *port_slave(const struct model *m, const struct port *bond, size_t i);

/*
 * The port at the other end: LLDP first, else the plan, else the one NIC whose MAC the switch has
 * heard there. NULL when none of them tells a port of the model. The last is a good guess: a switch
 * may remember a station for hours. It never convicts anybody of a wrong cable.
 */
static inline struct port *port_peer(
	const struct model *m, const struct port *p, enum peer_source *source)
{
	enum peer_source s = p->lldp_peer != PORT_NONE   ? PEER_LLDP
			     : p->plan_peer != PORT_NONE ? PEER_PLAN
			     : p->more->mac_peer         ? PEER_MAC
							 : PEER_NONE;

	if (source)
		*source = s;
	return s == PEER_LLDP   ? m->ports.at[p->lldp_peer]
	       : s == PEER_PLAN ? m->ports.at[p->plan_peer]
	       : s == PEER_MAC  ? m->ports.at[p->more->mac_peer - 1]
				: NULL;
}
/* When a switch last heard the NIC of a link that MACs tell; 0: it is no such link. */
int64_t port_mac_heard_us(const struct model *m, const struct port *p);
/*
 * The device of the neighbour that LLDP shows: by its name, else by a MAC or an address that a
 * device of the model reports. NULL: none, or a stranger.
 */
struct device *port_heard_device(const struct model *m, const struct port *p);
/*
 * Whether LLDP shows another peer than the plan: another port of the model, or another device. The
 * planned device under an unknown port name proves nothing (hosts announce names of their own), so
 * it is not miswired. Nor is a neighbour without a name that no device is known by: the firmware of
 * a NIC. False without a plan or a neighbour.
 */
bool port_miswired(const struct model *m, const struct port *p);

/* The i-th newest event, i from 0; NULL past the end of the ring. */
const struct event *model_event(const struct model *m, size_t i);
/*
 * Whether the port's newest down was told by a line of the device, and the answer behind it that
 * says up may be older than that line: nobody knows yet whether it came back.
 */
bool port_down_unsure(const struct model *m, const struct port *p, int64_t now_us);
/* Adds an event; port may be NULL. The text is sanitised. */
void model_add_event(struct model *m, int64_t now_us, enum event_kind kind, const struct device *d,
	const struct port *p, int priority, int64_t device_us, const char *text);

struct coverage {
	unsigned devices, by_state[DEV_STATE_COUNT];
};
struct coverage model_coverage(const struct model *m);
/* "12 of 44 devices fresh, 32 not understood": a device with unreadable answers is not silent. */
char *coverage_words(const struct coverage *c, char *dst, size_t size);

struct census {
	unsigned expected[TIER_COUNT], seen[TIER_COUNT]; /* devices */
	unsigned ports_expected, ports_up, links_expected, links_found;
};
struct census model_census(const struct model *m);
/* The same without ports_up, which is 0. Counts of links are cached until the wiring changes, so a
 * caller in each frame does not visit all ports. */
struct census model_census_links(const struct model *m);

#endif
