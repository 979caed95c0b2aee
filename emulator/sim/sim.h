/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SIM_H
#define EMULATOR_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "fabric/plan/sizing.h"

/*
 * The emulated fabric: counters as the hardware keeps them. Flow level, no packets; deterministic
 * by seed. Counters are exact integrals of rates that are constant between changes. So the truth is
 * known at any instant, and all that leaves a port arrives at its peer. Personalities
 * (personality.h) only read it.
 */

#define SIM_RX_LOS_DBM (-14.0) /* below this a module sets rx_los */

/* One priority of one port, from the view of that port. */
struct sim_queue {
	uint64_t tx_packets, tx_bytes, drops, ecn_marked, wred_drops;
	uint64_t rx_packets, rx_bytes; /* arrived in this priority */
	uint64_t depth_bytes, watermark_bytes, pg_watermark_bytes, headroom_watermark_bytes,
		pg_drops;
	uint64_t pfc_rx_frames, pfc_tx_frames; /* frames that one end sends the other receives */
	uint64_t pfc_rx_us, pfc_tx_us; /* time that the peer paused this port / that this port
					  paused its peer */
	uint64_t wd_detected, wd_restored, wd_drops;
	bool wd_stormed;
};

struct sim_lane {
	double rx_dbm, tx_dbm, bias_ma;
};

enum sim_wd_action { SIM_WD_DROP, SIM_WD_FORWARD, SIM_WD_ALERT };

/*
 * Configuration that an operator may set on one port. Read it freely; change it only by
 * sim_configure().
 */
struct sim_port_config {
	bool admin_up;
	uint8_t pfc_mask; /* priorities with PFC; on a NIC as well */
	uint8_t wd_mask;  /* priorities that the PFC watchdog watches; 0: it is off here */
	enum sim_wd_action wd_action;
	unsigned wd_detect_ms, wd_restore_ms;
	bool weighted; /* switches: the queues share the egress by weight; else queue 0 goes first
			*/
	bool ecn;      /* switches: WRED/ECN profile on the lossless queue */
	unsigned ecn_min_bytes, ecn_max_bytes, ecn_max_percent;
	bool np, rp;  /* NICs: ECN notification point and reaction point (DCQCN) on */
	bool beacon;  /* the locate light blinks */
	uint16_t mtu; /* 9100 */
};

/*
 * Configuration that an operator may set on one device. Change it only by
 * sim_configure_device().
 */
struct sim_device_config {
	uint8_t dscp_prio[64]; /* DSCP to priority: 26 to 3, 48 to 6, the rest 0 */
	bool trust_dscp;
	bool wd_big_red;     /* SONiC BIG_RED_SWITCH */
	unsigned wd_poll_ms; /* SONiC polling interval, 200 */
	bool count_ecn;      /* SONiC counterpoll wredqueue: off by default */
	bool count_ports, count_queues, count_watermarks; /* counterpoll port, queue, watermark */
	unsigned refresh_ms[3]; /* counterpoll interval of the same; 0: the platform's own period */
};

/* One BGP session per link between switches; hosts have none. */
struct sim_bgp {
	bool configured, established, shut; /* shut: neighbor shutdown */
	int64_t since_us;                   /* of the state */
	unsigned resets;                    /* established and lost again */
	unsigned prefixes;                  /* received while established */
};

/* The NIC's own counters (hosts only), named as mlx5 names them. */
struct sim_nic {
	uint64_t np_cnp_sent, rp_cnp_handled, rp_cnp_ignored, np_ecn_marked_roce_packets;
	uint64_t out_of_sequence, packet_seq_err, implied_nak_seq_err, local_ack_timeout_err;
	uint64_t rnr_nak_retry_err, roce_adp_retrans, roce_slow_restart, out_of_buffer;
	uint64_t duplicate_request, req_transport_retries_exceeded, rx_write_requests;
	uint64_t rdma_tx_bytes, rdma_tx_packets, rdma_rx_bytes, rdma_rx_packets;
	uint64_t rx_buffer_passed_thres, storm_warning_events, storm_error_events;
	unsigned pci_stalled_percent; /* gauge: share of the last second without PCIe credits */
	unsigned pcie_width, pcie_width_max;
	double pcie_gts; /* 32.0 */
};

/* The name of a host's port that belongs to its management controller. */
#define SIM_BMC_PORT "bmc"

struct sim_port {
	enum tier tier;
	unsigned device, port;      /* index in its tier, port from 0 */
	struct sim_port *peer;      /* where the cable leads now; NULL: none */
	struct sim_port *plan_peer; /* where the plan has it lead; NULL: not wired */
	struct sim_port *bond;      /* hosts: the other slave of its bond; NULL: none */
	unsigned bundle;            /* switches: number of its bundle, from 1; 0: none */
	unsigned lacp_out;          /* > 0: LACP keeps it out of the bundle though its link is up */
	char name[24];              /* in the dialect of its device */
	int rail;                   /* -1: none */
	enum net_kind net;
	bool up;
	struct sim_port_config config;
	struct sim_bgp bgp;
	unsigned speed_mbps, plan_mbps; /* as trained, as built */
	int64_t last_change_us;         /* wall time of the last up/down, by the device's clock */
	uint64_t carrier_up, carrier_down;
	uint64_t rx_bytes, tx_bytes, rx_packets, tx_packets;
	uint64_t rx_errors, tx_errors, rx_discards, tx_discards, rx_fcs_errors, rx_symbol_errors;
	uint64_t fec_corrected, fec_uncorrectable, fec_symbol_errors, fec_corrected_bits;
	uint64_t fec_bin[17];            /* codewords by number of corrected symbols; 16: lost */
	uint64_t lane_corrected_bits[8]; /* NICs */
	bool rx_los, tx_fault;           /* the module's own flags */
	double pre_fec_ber;
	double temperature_c, voltage_v;
	struct sim_lane lane[8];
	unsigned lanes;
	struct sim_queue q[8];
	struct sim_nic nic;
	int64_t counters_us, queues_us, watermarks_us; /* device time when these were refreshed */
	/* rates in force now, per second, for truth */
	double rx_bytes_ps, tx_bytes_ps;
};

/*
 * The NICs of a host. ConnectX: a port a NIC. Two-port: ports 2k and 2k+1 are the two functions of
 * one ConnectX. Bond: these two are the slaves of one bond, with one RDMA device (RoCE LAG) where
 * the network carries RDMA. Ionic: AMD Pollara. Bnxt: Broadcom Thor.
 */
enum sim_nics { NICS_CONNECTX, NICS_TWO_PORT, NICS_BOND, NICS_IONIC, NICS_BNXT };

/*
 * Properties of a kind of device: how often it refreshes its counters, and which it cannot count.
 * Periods in microseconds of device time; 0: live. sim_platform.c has the table with sources.
 */
struct sim_platform {
	const char
		*name; /* "sonic-spectrum", "sonic-broadcom", "eos", "cumulus", "nxos", "linux" */
	const char *dialect; /* its personality */
	const char *model, *os, *asic;
	unsigned lanes; /* of a 400G port */
	int64_t port_us, queue_us, watermark_us;
	bool pause_us; /* counts the time paused, not only frames */
	bool fec_bins;
	unsigned wrap_bits; /* PFC frame counters wrap here; 64: never in practice */
	const char *ssh;    /* the identification string of its SSH server */
	enum sim_nics nics; /* hosts */
};
const struct sim_platform *sim_platform(const char *name); /* NULL: unknown */
const char *sim_platform_names(void);                      /* of switches, for messages */
/* The platform of hosts with these NICs: connectx, two-port, bond, ionic, bnxt. NULL: unknown. */
const struct sim_platform *sim_host_platform(const char *nics);
/*
 * The RDMA device of a host's port in a network that carries RDMA: mlx5_3, mlx5_bond_1, ionic_3,
 * bnxt_re3. Both slaves of a bond have the same.
 */
void sim_rdma_name(enum sim_nics nics, unsigned port, char dst[24]);

/* How lines of a job's log get their first words. */
enum sim_launcher {
	LAUNCHED_PLAIN,
	LAUNCHED_MPIRUN,   /* mpirun --tag-output */
	LAUNCHED_SRUN,     /* srun --label */
	LAUNCHED_RAY,      /* an actor's output at its driver */
	LAUNCHED_KUBECTL,  /* kubectl logs --prefix --timestamps */
	LAUNCHED_TORCHRUN, /* torchrun --tee 3 */
	LAUNCHERS
};
/* Hosts: what their jobs log. */
struct sim_host_log {
	enum sim_launcher launcher;
	bool info; /* NCCL_DEBUG=INFO, else WARN */
};

enum sim_log_kind {
	SIM_LOG_LINK_UP,
	SIM_LOG_LINK_DOWN,
	SIM_LOG_BGP_UP,
	SIM_LOG_BGP_DOWN,
	SIM_LOG_STORM_DETECTED, /* PFC watchdog */
	SIM_LOG_STORM_RESTORED,
	SIM_LOG_CONFIG, /* the configuration was changed; text names the user */
	SIM_LOG_BOOT,
	SIM_LOG_OPTIC, /* module alarm; text names it */
	SIM_LOG_XID,   /* hosts: a GPU error; text is the rest of the line */
};

/* An entry of a device's log; the personalities word it. */
struct sim_log {
	int64_t t_us; /* device time without skew */
	enum sim_log_kind kind;
	unsigned port; /* UINT_MAX: none */
	unsigned prio;
	char text[64];
};

struct sim_device {
	enum tier tier;
	unsigned index;
	char name[32];
	const char *dialect; /* "sonic", "eos", "cumulus", "nxos", "linux" */
	const struct sim_platform *platform;
	struct sim_device_config config;
	unsigned asn; /* BGP; 0 on hosts */
	char router_id[16];
	int64_t refresh_from_us[3]; /* time of the last change of config.refresh_ms; 0: never */
	int64_t clock_skew_us;      /* how far the device's own clock is ahead of sim_now() */
	char model[48], serial[32], os_version[48], mac_base[18];
	char boot_id[40];
	int64_t boot_us;    /* wall time of the last boot */
	bool commands_fail; /* the agent behind the CLI is dead: commands end with an error */
	bool hung;          /* accepts, then never answers */
	bool refuses_key;   /* authentication fails */
	bool must_change_password; /* Cumulus: HTTPS answers 403 until changed; others refuse it */
	unsigned unreachable;      /* > 0: no listener, connections are refused */
	bool wrong_key, wrong_cert;
	unsigned nvlinks_down;    /* of GPU 0: so many of its links are inactive */
	int64_t nvlink_errors_us; /* time since which a link of GPU 0 is trained anew; 0: none is */
	bool garbage;             /* answers are binary noise with terminal escapes */
	unsigned write_faults;    /* > 0: faults of write commands are on: sim_write() */
	uint64_t flood_bytes;     /* every answer is this many bytes without a line end; 0: off */
	int64_t answer_delay_us;  /* every answer waits this long */
	struct sim_port *ports;
	unsigned nports;
	unsigned bundles, bundle_min; /* of a switch: how many, and the least members of uplinks */
	struct sim_device *pair;      /* the switch that serves the same bonds; NULL: none */
	int rail;                     /* -1: none */
	enum net_kind net;
	struct sim_host_log nccl;
	struct sim_log *log; /* the last SIM_LOG_KEPT lines, a ring */
	uint64_t logged; /* lines ever written: the newest is log[(logged - 1) % SIM_LOG_KEPT] */
};
#define SIM_LOG_KEPT 256U

/*
 * Bundles of a switch: its ports to slaves of one bond, and parallel ones to one switch. Another
 * switch with ports to the same bonds is its pair (sim_bundle.c).
 */
struct sim_bundle {
	unsigned members, active, least; /* least: it is down with fewer active ones */
	bool up;
	bool shared; /* the pair has a bundle to the same bond */
};
struct sim_bundle sim_bundle_of(const struct sim_device *d, unsigned bundle);
bool sim_bundle_active(const struct sim_port *p); /* the port carries packets of its bundle */

struct sim;

/*
 * A fabric as a list of devices, ports and cables: the form of both a preset's formula and a
 * fabric.yaml.
 */
struct topo_device {
	char name[32];
	enum tier tier;
	enum net_kind net;
	int rail; /* -1 */
	const struct sim_platform *platform;
	struct sim_host_log nccl;
	unsigned bundle_min; /* switches: links that belong together are bundles; 0: they are not */
};
struct topo_port {
	unsigned device; /* index into device[] */
	char name[24];   /* in the device's dialect */
	unsigned speed_mbps;
	int rail;
};
struct topo_cable {
	unsigned a, b; /* indices into port[] */
};
struct topology {
	char name[64];               /* of the fabric, for the inventory */
	char job_source[16];         /* for the inventory; "": nccl-ras */
	const struct sizing *sizing; /* NULL: not made from a formula */
	struct topo_device *device;  /* hosts first, then leaves, spines, superspines */
	struct topo_port *port;      /* in the order of their devices */
	struct topo_cable *cable;
	size_t ndevices, nports, ncables;
};

/*
 * sim_topology.c: the list of a preset's formula. platform: one per tier; NULL entries (or NULL)
 * mean linux hosts, sonic-spectrum leaves, and eos above. The caller frees the result.
 */
struct topology *topology_of_sizing(
	const struct sizing *z, const struct sim_platform *const platform[TIER_COUNT]);
void topology_free(struct topology *t); /* NULL is allowed */
/*
 * sim_networks.c: adds the networks of mask (1U << NET_STORAGE | ...). Each has its own switches,
 * one more port on every GPU host, and storage servers. Afterwards t->sizing is NULL. Networks that
 * t already has stay as they are.
 */
void topology_add_networks(struct topology *t, unsigned mask);
/* Parses "storage,frontend,oob" to a mask; ERR_USAGE names the allowed networks. */
bool topology_networks(const char *list, unsigned *mask, struct err *err);
/*
 * Gives the platform p to all switches of a tier that have p's dialect, for example sonic-broadcom
 * instead of sonic-spectrum. Returns their number. Ports keep their names, so the dialect must be
 * the same.
 */
size_t topology_use_platform(struct topology *t, enum tier tier, const struct sim_platform *p);

/* Jobs that run on the hosts. */
enum sim_job_kind { SIM_JOB_RING, SIM_JOB_TREE, SIM_JOB_ALLTOALL, SIM_JOB_PIPELINE };

struct sim_job_view {
	const char *name;
	unsigned id;
	uint64_t comm; /* NCCL's communicator hash */
	unsigned nranks, gpus_per_host;
	uint64_t step;     /* steps completed */
	uint64_t finished; /* collectives completed: see sim_rank_past() */
	const char *phase; /* "compute", "collective", "checkpoint", "waiting" */
	int64_t phase_since_us;
	bool stalled; /* a collective is under way and moves no bytes */
};

/* NCCL's functions as RAS counts them: operations launched by the host. */
enum sim_coll {
	SIM_BROADCAST,
	SIM_REDUCE,
	SIM_ALLGATHER,
	SIM_REDUCESCATTER,
	SIM_ALLREDUCE,
	SIM_COLLS
};

struct sim_rank_view {
	unsigned rank, gpu; /* gpu: index on its host */
	const struct sim_device *host;
	const struct sim_port *nic;
	unsigned pid;
	bool unresponsive, dead; /* frozen process, dead process */
	uint64_t counts[SIM_COLLS];
	/* The last finished collective: device times of this rank's launch and end, bytes per rank.
	 */
	enum sim_coll coll;
	uint64_t coll_sn; /* number of this operation among those of its function, from 0 */
	int64_t entered_us, ended_us;
	uint64_t bytes;
};

struct sim_opts {
	const struct topology *topology; /* outlives the sim; NULL: of sizing */
	const struct sizing *sizing;     /* ignored when topology is given */
	uint64_t seed;
	int64_t start_us;  /* wall time of t = 0 */
	double speed;      /* simulated seconds a second, 1; the devices' clocks run as fast */
	bool steady;       /* constant offered load: rates stand still between faults */
	bool hosts_silent; /* hosts run no lldpd */
};

/* The priorities that carry traffic here. */
#define SIM_PRIO_ROCE    3
#define SIM_PRIO_DEFAULT 0
#define SIM_PRIO_CNP     6 /* congestion notifications: DSCP 48, small packets */

struct sim *sim_new(const struct sim_opts *o);
/*
 * Replaces the jobs, the default ones at first. Later, jobs that are the same go on, the others
 * end, and new ones begin with numbers of their own; RAS of before (emulator/serve/ras.h) must not
 * be used any more. specs: NULL-terminated, each
 * "name=pretrain,kind=ring+alltoall,hosts=0-23,step=2s,gap=400ms,checkpoint=60s,qps=4". hosts= is
 * required, with + between ranges; kinds run one after another in every step. Defaults of the other
 * keys: name=train, kind=ring, step=2s, gap=400ms, checkpoint=60s (0: none), qps=8. A connection
 * behind one leaf is one flow; so is each of an all-to-all in presets of 4k and more. ERR_USAGE
 * names the key and the allowed values; nothing changes then.
 */
bool sim_set_jobs(struct sim *s, const char *const *specs, struct err *err);
void sim_free(struct sim *s);
bool sim_hosts_silent(const struct sim *s);
/* Brings every counter to wall time now_us, applying faults that are due in between. */
void sim_advance(struct sim *s, int64_t now_us);
/* The same for the counters of d only. A server calls it before each answer. */
void sim_advance_device(struct sim *s, struct sim_device *d, int64_t now_us);
/*
 * Fills d's ports with the values that the hardware holds at sim_now(), instead of those of the
 * platform's last refresh. The next sim_advance*() of d restores the platform's view.
 */
void sim_live(struct sim *s, struct sim_device *d);
/*
 * The devices' clock, microseconds since the epoch, as of the last sim_advance*(). Answers carry
 * this time, so that rates are exact at any --speed.
 */
int64_t sim_now(const struct sim *s);
/* Wall time of the next change of rates or state; INT64_MAX if none is planned. */
int64_t sim_next_change(const struct sim *s);
/* Incremented by every change of rates or state. While it is constant, so is the truth. */
uint64_t sim_generation(const struct sim *s);
const struct sizing *sim_sizing(const struct sim *s); /* NULL: not of a formula */
const struct topology *sim_topology(const struct sim *s);

size_t sim_device_count(const struct sim *s);
struct sim_device *sim_device(struct sim *s, size_t i);
struct sim_device *sim_device_by_name(struct sim *s, const char *name);
/* The port's name in its device's dialect, as LLDP and the CLI print it. hosts: netdev eth3. */
void sim_port_name(const struct sim *s, const struct sim_port *p, char *dst, size_t size);
struct sim_device *sim_device_of(const struct sim *s, const struct sim_port *p);

/* The number of the peer's BGP session is the port's; hosts and links to hosts have none. */

/*
 * A write command on a device, at device time now: takes effect at once and is logged. who: the
 * user's name in the device's log.
 */
void sim_configure(
	struct sim *s, struct sim_port *p, const struct sim_port_config *c, const char *who);
void sim_configure_device(
	struct sim *s, struct sim_device *d, const struct sim_device_config *c, const char *who);
void sim_configure_bgp(struct sim *s, struct sim_port *p, bool shut, const char *who);
/*
 * The faults of write commands (write-cut, write-denied, ...) decide over a whole request: a
 * command line, an HTTPS request. The server marks its begin and end; the first write within it
 * draws its fate. A write outside a request always takes effect.
 */
enum sim_write {
	SIM_WRITE_TAKES,
	SIM_WRITE_PRETENDED, /* reported as done, but changes nothing */
	SIM_WRITE_LOST,      /* never arrives; see sim_request_end() */
};
enum sim_fate {
	SIM_FATE_NONE,
	SIM_FATE_CUT,     /* the connection ends without an answer */
	SIM_FATE_HANG,    /* no answer comes */
	SIM_FATE_DENIED,  /* the user has no permission; worded as the vendor does */
	SIM_FATE_EXPIRED, /* the HTTPS session has expired */
};
struct sim_request {
	bool tried;   /* it contained a write */
	bool changed; /* a write took effect */
	enum sim_fate fate;
};
/* https: the request has a session, which can expire. */
void sim_request_begin(struct sim *s, struct sim_device *d, bool https);
struct sim_request sim_request_end(struct sim *s);
/*
 * The fate of a write that is not a sim_configure*() call. Those call it themselves; calling it
 * twice has the same result as once.
 */
enum sim_write sim_write(struct sim *s, const struct sim_device *d);
/* True if the request under way was denied because its user has no write permission. */
bool sim_write_denied(const struct sim *s);
bool sim_write_expired(const struct sim *s);
/*
 * Resets the watchdog of a port: effect of stopping it, or of a vendor's own command for it that
 * leaves the configuration as it is. It detects a real storm again.
 */
void sim_watchdog_restart(struct sim *s, struct sim_port *p, const char *who);
/* The device's own "clear counters" (EOS, NX-OS, Cumulus); p NULL: all ports of d. */
void sim_clear_counters(struct sim *s, struct sim_device *d, struct sim_port *p);

size_t sim_job_count(const struct sim *s);
void sim_job(const struct sim *s, size_t job, struct sim_job_view *out);
/* rank < nranks; as of the last sim_advance*(). */
void sim_rank(const struct sim *s, size_t job, unsigned rank, struct sim_rank_view *out);
/*
 * Puts the job's n-th finished collective (from 0, of sim_job_view.finished) in the place of the
 * last one in a view that sim_rank() has filled. False: not finished yet, or forgotten.
 */
#define SIM_PAST 16 /* collectives that a job remembers */
bool sim_rank_past(const struct sim *s, size_t job, uint64_t n, struct sim_rank_view *out);

/*
 * Schedules a fault: "class:device[:port][,at=20s,period=8s,for=60s]". Classes are the table in
 * emulator/sim/faults/faults.def. ERR_USAGE names the allowed classes and keys.
 */
bool sim_fault(struct sim *s, const char *spec, struct err *err);
/*
 * The same while the fabric lives: at= counts from now. *id (may be NULL) names it for sim_heal().
 */
bool sim_inject(struct sim *s, const char *spec, unsigned *id, struct err *err);
/*
 * what: an id, a class, a device, or "all". *healed: number of faults ended. ERR_USAGE: no
 * match.
 */
bool sim_heal(struct sim *s, const char *what, unsigned *healed, struct err *err);
/* A table of the faults given so far, with ids and whether they are on; for ctl list. */
void sim_fault_status(const struct sim *s, struct buf *out);

/* Incremented when a fault begins, ends or changes, and at every change of a configuration. */
uint64_t sim_fault_generation(const struct sim *s);

/* One line per class: name, entity, keys, help; for --help and error messages. */
void sim_fault_list(struct buf *out);
/* The same for the man page, with the symptoms: one .TP entry per class. */
void sim_fault_manual(struct buf *out);

/*
 * Reads a scenario file. Each line is one of: "AT SPEC" ("20s
 * link-flap:leaf-r3-00:Ethernet12,for=60s"); "AT heal WHAT" ("95s heal link-flap"); a spec with its
 * own at=; "job name=...,kind=..." (all of these go to sim_set_jobs()). # begins a comment. Times
 * count from the fabric's start. Fails with ERR_CONFIG or ERR_USAGE; the origin is file:line.
 */
bool sim_scenario(struct sim *s, const char *path, struct err *err);

/*
 * The truth as JSON; the caller frees it. It has the faults (class, entity, both ends, start, end,
 * victims, innocent ports), the jobs, and the current port rates.
 */
char *sim_truth(const struct sim *s);
/* The same with every port; sim_truth() leaves most out above 4,000 ports. */
char *sim_truth_full(const struct sim *s);

#endif
