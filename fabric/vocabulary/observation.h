/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_OBSERVATION_H
#define FABRIC_VOCABULARY_OBSERVATION_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "fabric/vocabulary/counter.h"
#include "fabric/vocabulary/event.h"
#include "fabric/vocabulary/types.h"

/*
 * An observation batch: one decoded answer of one device, without interpretation. One dialect's
 * parse() (or the JSON-lines reader) builds it. It is immutable once handed over; the main thread
 * applies it to the model and frees it. It holds no pointers into the model, so it can be
 * recorded, replayed and sent between threads.
 */

/* Facts about a port or a device that are words or settings, not counters. */
enum obs_attr {
	/* port */
	ATTR_OPER,       /* "up" | "down" */
	ATTR_ADMIN,      /* "up" | "down" */
	ATTR_SPEED_MBPS, /* number; the speed in operation */
	ATTR_MTU,        /* number */
	ATTR_FEC,        /* "rs", "none", ... */
	ATTR_ALIAS,      /* the vendor's second name of the port: etp3a */
	ATTR_DESCRIPTION,
	ATTR_NETDEV,     /* of an RDMA device: eth3 */
	ATTR_LINK_LAYER, /* of an RDMA device: "ethernet", "infiniband", "efa" */
	ATTR_MAC,
	ATTR_LAST_CHANGE, /* number: epoch seconds of the last state change, device clock */
	ATTR_DOWN_REASON, /* "Bad signal integrity", "errdisabled", ... */
	ATTR_MEDIA,       /* module type */
	ATTR_MODULE_SN,
	ATTR_PFC_ENABLED, /* number: bit mask of priorities with PFC on */
	ATTR_ECN_ENABLED, /* number: bit mask of priorities with an ECN-marking queue */
	ATTR_LLDP_MGMT,   /* management address that the LLDP neighbour announces */
	ATTR_LLDP_DESCR,  /* the LLDP neighbour's system description */
	ATTR_LLDP_PORT,   /* another name of the LLDP neighbour's port: its description or MAC */
	ATTR_PCI_ADDR,    /* of a NIC: 0000:5d:00.0 */
	ATTR_BOND,        /* port that is the bond of this one; a bond names itself; "": none */
	/*
	 * Of a member of a switch's bundle: "active", "standby", "suspended", "individual", "down",
	 * with the device's reason behind it. Of the bundle: "lacp" or "static".
	 */
	ATTR_LAG_STATE,
	ATTR_LAG_MIN,   /* number, of a bundle: members that must be active, or it goes down */
	ATTR_LAG_PAIR,  /* of a bundle that two switches share: "mlag 10 active-full", "vpc 7 up" */
	ATTR_SCHEDULER, /* of a switch's egress queues, by queue: "0:DWRR 20 3:DWRR 60 6:STRICT" */
	/*
	 * Maps, one character an entry, '-' for an unmapped one: 64 for DSCP 0-63, 8 for the
	 * others. "TC" is the vendor's class between DSCP and queue (a NIC's priority).
	 */
	ATTR_TRUST,         /* "dscp", "pcp", "port": field that classifies an arriving packet */
	ATTR_DSCP_TO_TC,    /* "0000000011111111...": 64 digits */
	ATTR_TC_TO_QUEUE,   /* 8 digits */
	ATTR_TC_TO_PG,      /* 8 digits */
	ATTR_PRIO_TO_QUEUE, /* 8 digits: the queue that a PFC frame of the priority pauses */
	/* port, congestion control of a NIC */
	ATTR_ROCE_TCLASS,    /* number: the ToS byte that the NIC forces, DSCP = it >> 2 */
	ATTR_CNP_DSCP,       /* number */
	ATTR_CNP_PRIO,       /* number */
	ATTR_DCQCN_RP,       /* number: bit mask of priorities that react to CNPs */
	ATTR_DCQCN_NP,       /* number: bit mask of priorities that send CNPs */
	ATTR_STORM_TOUT_MS,  /* number: pause storm prevention of the NIC; 0 off, 65535 auto */
	ATTR_PCIE_MAX_WIDTH, /* number: lanes that card and slot support */
	ATTR_PCIE_MAX_MTPS,  /* number: MT/s that card and slot support */
	/*
	 * Of a NIC, and of a host below: settings that siblings have alike, "key=value key=value"
	 * with the keys of diagnosis/lint/setup.c.
	 */
	ATTR_NIC_SETUP,
	/* port: the module's own warning and alarm limits; sub is enum optics_limit */
	ATTR_RX_POWER_LIMIT,    /* number, dBm */
	ATTR_TX_POWER_LIMIT,    /* number, dBm */
	ATTR_TX_BIAS_LIMIT,     /* number, mA */
	ATTR_TEMPERATURE_LIMIT, /* number, C */
	ATTR_VOLTAGE_LIMIT,     /* number, V */
	/* port, one per priority */
	ATTR_PFCWD_STATE, /* "operational", "stormed", "off" */
	ATTR_PFCWD_ACTION,
	ATTR_PFCWD_DETECT_MS,  /* number */
	ATTR_PFCWD_RESTORE_MS, /* number */
	ATTR_ECN_MIN_BYTES,    /* number: the queue starts marking packets here */
	ATTR_ECN_MAX_BYTES,    /* number: the queue marks all ECN-capable packets from here */
	ATTR_ECN_PROBABILITY,  /* number, per cent: share marked just below the maximum */
	ATTR_XOFF_BYTES,       /* number: the priority group pauses the peer above this */
	ATTR_XON_BYTES,        /* number: the priority group resumes the peer below this */
	ATTR_HEADROOM_BYTES,   /* number: buffer for packets that arrive after XOFF */
	/* device */
	ATTR_MODEL,
	ATTR_SERIAL,
	ATTR_OS_VERSION,
	ATTR_SCHEMA, /* version of the tables that the system keeps, where it has one */
	ATTR_HOSTNAME,
	ATTR_BOOT_ID,  /* any string that changes with a reboot */
	ATTR_UPTIME_S, /* number */
	ATTR_FIRMWARE,
	ATTR_BGP_AS,         /* number: its own autonomous system */
	ATTR_ROUTER_ID,      /* BGP router id */
	ATTR_ECMP_HASH,      /* fields that select an ECMP member, "src-ip dst-ip l4-src l4-dst" */
	ATTR_LAG_HASH,       /* the same for a LAG */
	ATTR_HASH_ALGORITHM, /* "crc", "crc-ccitt seed 10", ... */
	/*
	 * How packets are spread beyond a hash of each flow, with blanks between: "adaptive",
	 * "cluster", "dlb", "flowlet", "spray" (by packet); "hash": by the hash alone.
	 */
	ATTR_BALANCING,
	ATTR_PFCWD_POLL_MS, /* number: interval of the PFC watchdog's checks */
	ATTR_HOST_SETUP,    /* see ATTR_NIC_SETUP */
	/*
	 * The pair of switches that share bundles, "key=value key=value": kind (mlag, vpc, mclag),
	 * state (ok, down, split, unknown), domain, peer, link, why.
	 */
	ATTR_PAIR,
	ATTR_GPU_LINKS,  /* of a GPU, by its index: fabric/vocabulary/gpu_link.h */
	ATTR_GPU_FABRIC, /* likewise */
	ATTR_GPU_DOMAIN, /* of the host: see there */
	ATTR_GPU_COUNT,  /* number: GPUs in the answer that the links are from */
	ATTR_POLL_PATH,  /* network device that this poll came in by: "eno1", "lo" */
	ATTR_POOLS,      /* buffer pools of the switch and their peaks: fabric/vocabulary/pools.h */
	/*
	 * Number: the batch lists all ports that the device has, so many at least. A port that is
	 * not among them is gone: pulled, broken out, renamed. A batch with fewer ports says
	 * nothing.
	 */
	ATTR_PORT_LIST,
	ATTR_PROVIDER,   /* of a host: the cloud that it is a machine of, "AWS EC2"; "": none */
	ATTR_NOTE_COUNT, /* number: see fabric/vocabulary/manager_note.h; sub is enum
			    manager_note_kind */
	ATTR_NOTE,       /* likewise; sub is note_sub() */
	/*
	 * Port: overlay networks whose frames pass it, "Vrf-red vni 10100,10200; vni 5000"; "":
	 * none does.
	 */
	ATTR_TENANT,
	/*
	 * Port of a switch: the stations that it has heard there, "MAC MAC ...", ascending: from
	 * its ARP and ND entries and its forwarding table. Of more than MACS_MOST: "many". "": none
	 * is heard now. Device, number: the batch has every port at which any is heard, so many.
	 */
	ATTR_MACS,
	OBS_ATTR_COUNT
};

#define MACS_MOST 6
#define MACS_MANY "many"

/* How many sub indices the attribute has: of priorities, of GPUs, of notes. */
unsigned obs_attr_subs(enum obs_attr attr);

enum optics_limit {
	LIMIT_LOW_ALARM,
	LIMIT_LOW_WARN,
	LIMIT_HIGH_WARN,
	LIMIT_HIGH_ALARM,
	LIMIT_COUNT
};
const char *optics_limit_name(enum optics_limit l); /* "low_alarm", ... "high_alarm" */

enum obs_kind {
	OBS_COUNT,  /* .cell .u64 */
	OBS_GAUGE,  /* .cell .real */
	OBS_VALID,  /* .cell, .code = enum validity (unsupported, disabled), .text = cure or "" */
	OBS_NUMBER, /* .code = enum obs_attr, .real, .sub */
	OBS_WORD,   /* .code = enum obs_attr, .text, .sub */
	/*
	 * .text = peer device, .text2 = peer port; both "": neighbour gone. A device without a name
	 * is its MAC. A port may have several; ATTR_LLDP_* of the port belong to the one before
	 * them.
	 */
	OBS_LLDP,
	OBS_EVENT,      /* .code = enum event_kind, .text, .time_us = device time or 0; .sub =
			   priority + 1 or 0 */
	OBS_CAPABILITY, /* device: .text = need ("ECN marks"), .code = enum validity, .text2 = cure
			 */
	OBS_FACT, /* for the collector: .text = key, .text2 = value; see backends/contract/facts.h
		   */
};

#define OBS_NO_PORT UINT32_MAX
/* The name of a host's port that belongs to its management controller. */
#define HOST_BMC_PORT "bmc"

struct obs_item {
	uint8_t kind; /* enum obs_kind */
	uint8_t code;
	uint8_t sub; /* priority of a per-priority attribute */
	uint16_t cell;
	uint32_t port; /* index into ports, OBS_NO_PORT for the device */
	uint32_t text; /* offset into strings; 0 is the empty string */
	union {
		uint64_t u64;
		double real;
		int64_t time_us;
		uint32_t text2; /* as text; only of kinds without a number */
	};
};

/* Whether the union holds text2. */
static inline bool obs_has_text2(const struct obs_item *it)
{
	return it->kind == OBS_LLDP || it->kind == OBS_CAPABILITY || it->kind == OBS_FACT;
}

/* Outcome of a request: freshness and errors travel the same way as data. */
enum obs_result {
	OBS_DATA,      /* items hold an answer (perhaps empty) */
	OBS_CONNECTED, /* the transport is up; no data yet */
	OBS_FAILED,    /* err tells the reason; the model keeps old values and ages them */
};

struct obs_port {
	char name[NAME_MAX_LEN];
	int64_t sample_us; /* the device's own sample time of this port's counters, 0: that of the
			      batch */
};

enum bgp_state {
	BGP_UNKNOWN,
	BGP_IDLE,
	BGP_CONNECT,
	BGP_ACTIVE,
	BGP_OPENSENT,
	BGP_OPENCONFIRM,
	BGP_ESTABLISHED,
	BGP_ADMIN_DOWN, /* shut down on purpose */
	BGP_STATE_COUNT
};
const char *bgp_state_name(enum bgp_state s); /* "unknown", "idle", ... "admin-down" */
/* Any vendor's spelling ("Established", "Idle (Admin)", "Idle (PfxCt)"); BGP_UNKNOWN otherwise. */
enum bgp_state bgp_state_by_name(const char *s);

enum bgp_afi { BGP_IPV4, BGP_IPV6, BGP_EVPN, BGP_OTHER };
const char *bgp_afi_name(enum bgp_afi a);    /* "ipv4", "ipv6", "evpn", "other" */
enum bgp_afi bgp_afi_by_name(const char *s); /* BGP_OTHER when it is none of these */

/* One BGP session of one address family. Texts are offsets into the batch's strings. */
struct obs_bgp {
	uint32_t peer; /* "10.0.0.1", "fe80::1", "swp1" (unnumbered) */
	uint32_t host; /* host name that the peer announced, or "" */
	uint32_t vrf;  /* "default" */
	uint8_t afi;   /* enum bgp_afi */
	uint8_t state; /* enum bgp_state */
	uint32_t remote_as;
	double since_s;    /* seconds in this state, up or down; NAN: unknown */
	uint64_t prefixes; /* accepted from the peer; UINT64_MAX: unknown */
	uint64_t drops; /* times that it went down since the daemon started; UINT64_MAX: unknown */
};

/*
 * A record from NCCL, its plugins, the framework around it or the scheduler. One flat record
 * serves all sources; a field that the source does not report keeps the value that obs_nccl()
 * sets. Texts are offsets into the batch's strings, 0: not reported.
 */
enum nccl_kind {
	NCCL_JOB,   /* job runs on host; nranks: of the whole job */
	NCCL_RANK,  /* rank of comm is process pid on host with gpu (and nic) */
	NCCL_COUNT, /* rank has launched seq operations of func (state: as reported with the count)
		     */
	NCCL_OP,    /* rank took part in operation seq of func; end_us 0: it has not finished */
	NCCL_EDGE,  /* duration of sending from rank to peer in operation seq of func */
	NCCL_STATE, /* the rank's process is in this state */
	NCCL_ERROR, /* a process logged trouble: text; func = its kind (below), nic = name or
		       address of the NIC, text2 = name or address of the far end, state = ibv
		       status, begin_us = time of the line, 0: unknown */
	NCCL_GPU,   /* host has GPU gpu at PCI text; nic is the nearest one (how: text2) */
	NCCL_ADDRESS, /* host has IP address text, on network device text2 */
	NCCL_DONE,    /* the answer of a source was complete: ranks and jobs missing from it do not
			 exist */
};
/* Source of a fact: shown beside each step of a trace. */
enum nccl_source {
	SOURCE_UNKNOWN,
	SOURCE_RAS,
	SOURCE_INSPECTOR,
	SOURCE_PROFILER,
	SOURCE_FLIGHT_RECORDER,
	SOURCE_NCCL_LOG,
	SOURCE_WATCHDOG_LOG, /* ProcessGroupNCCL */
	SOURCE_SLURM,
	SOURCE_FILE,      /* a list of jobs, or observation lines */
	SOURCE_TOPOLOGY,  /* nvidia-smi, sysfs */
	SOURCE_ADDRESSES, /* ip addr */
	SOURCE_KUBERNETES,
	SOURCE_RAY,
	SOURCE_PROCESSES, /* /proc of the host */
	NCCL_SOURCE_COUNT
};
const char *nccl_source_name(enum nccl_source s); /* "nccl-ras", "inspector", ... */

/* NCCL_STATE.state; also NCCL_COUNT.state where it is reported with the count. */
enum nccl_state {
	NCCL_UNKNOWN,
	NCCL_RUNNING,
	NCCL_INIT, /* the communicator is being made */
	NCCL_FINALIZING,
	NCCL_ABORTED,
	NCCL_ASYNC_ERROR,  /* the library reports an error */
	NCCL_UNRESPONSIVE, /* the process does not answer RAS: frozen or gone */
	NCCL_DEAD,         /* considered dead */
	NCCL_TIMED_OUT,    /* its watchdog gave up on operation seq */
	NCCL_STATE_COUNT
};
const char *nccl_state_name(enum nccl_state s);

/*
 * How trouble in a log counts, weakest first: the first of the strongest kind is the cause, all
 * that a process logs after it is a consequence.
 */
enum nccl_trouble {
	TROUBLE_OVER,   /* the NIC's port is active again: no trouble, but the end of one */
	TROUBLE_GIDS,   /* the addresses of a NIC changed: no trouble, but it may explain one */
	TROUBLE_HINT,   /* words of failure that name nothing railtop knows */
	TROUBLE_COPIES, /* GPUDirect RDMA is off: the data is copied through host memory */
	TROUBLE_ADVICE, /* a warning about settings, printed by every job on such a host */
	TROUBLE_NOTE,   /* a warning that railtop does not know */
	TROUBLE_AFTER,  /* it follows from an error elsewhere or before: flushed, closed by the peer
			 */
	TROUBLE_TIMEOUT, /* the watchdog gave up on operation seq of func; took_us */
	TROUBLE_STUCK,   /* the watchdog itself hangs: a call into NCCL or CUDA does not return */
	TROUBLE_ERROR,   /* an operation failed */
	TROUBLE_CONNECT, /* a connection never came up */
	TROUBLE_NIC,     /* the NIC itself reported it: port error, fatal device error */
	TROUBLE_COUNT
};
const char *nccl_trouble_name(enum nccl_trouble t);    /* "note", "after", ... */
enum nccl_trouble nccl_trouble_by_name(const char *s); /* TROUBLE_ERROR for other words */

struct obs_nccl {
	uint8_t kind, source, state; /* enums above; state 0 */
	uint32_t job, comm; /* comm: hash as printed ("0x9bd8b4c5a3b1e8f7"; 14 digits from the
			       Inspector) */
	uint32_t comm_name; /* "world", "tp0" */
	int32_t rank, nranks, peer; /* within comm; -1 */
	uint32_t host;              /* name or address, as printed; 0: the batch's device */
	int32_t pid, gpu;           /* gpu: NVML index, not CUDA's; -1 */
	int32_t local_gpu;          /* CUDA device index; -1 */
	uint32_t nic;               /* RDMA device, "mlx5_3" */
	uint32_t func;              /* "AllReduce", "Send" */
	int64_t seq;                /* number of the operation among those of func in comm, from 0;
				       NCCL_COUNT: operations launched; -1 */
	int64_t completed;          /* NCCL_COUNT: operations completed; -1 */
	int64_t begin_us, end_us;   /* the host's clock; 0 */
	double took_us; /* NCCL_OP: time in the operation; NCCL_EDGE: per step, post to delivered;
			   NAN */
	double took_max_us; /* NCCL_EDGE: the longest step; NAN */
	double wait_us;    /* NCCL_EDGE: waiting for the peer's data after own was delivered; NAN */
	double credit_us;  /* NCCL_EDGE: waiting for the peer to enter the operation; NAN */
	uint64_t bytes;    /* message size; 0 */
	uint64_t elements; /* NCCL_TIMED_OUT: of the operation; 0: not told */
	uint32_t text, text2;
};

/* Lines of a file that a job source follows. Texts are offsets into the batch's strings. */
struct obs_lines {
	uint32_t seen, known; /* lines, and those that the source understood */
	uint32_t example;     /* the first line that it did not understand; 0: none */
	uint32_t trouble;     /* why a file cannot be read, and the cure; 0: it can */
};

struct obs {
	char device[NAME_MAX_LEN];
	char request[32]; /* which of the dialect's requests answered: "fast", "optics" */
	enum obs_result result;
	struct err err;      /* with OBS_FAILED, or a part that could not be decoded beside data */
	int64_t received_us; /* wall time here */
	int64_t device_us;   /* sample time by the device's clock, 0: none, use received_us */
	int64_t took_us;     /* request to last byte, 0: nobody asked, the device sends by itself */
	uint64_t bytes;      /* of the answer */
	/* Refresh period of each group of counters in the device, ms; 0: unknown. */
	uint32_t refresh_ms[GROUP_COUNT];
	VEC(struct obs_port) ports;
	VEC(struct obs_item) items;
	VEC(struct obs_bgp) bgp;
	bool bgp_whole; /* bgp lists all sessions of the device: a session that is not in it is gone
			 */
	/* Counters that are 32 bits wide in this device, whatever counters.def says. */
	bool narrow[COUNTERS_MAX];
	/*
	 * Sequence number of the batch among those of this request of this device, counted one by
	 * one by its producer; 0: not counted.
	 */
	uint32_t number;
	/*
	 * The batch names only some of the cells. For the ports that it lists: a cell that the
	 * batch before it (number) held, and that this batch does not name, was read again and has
	 * not moved. A batch holds the cells that it names and those that stood still.
	 *
	 * The first batch of a request names all its cells. So does each batch after the previous
	 * values became unknown, and each batch after a lost one. A word or a setting of a port
	 * that is not named keeps its last value. ATTR_OPER and ATTR_LAST_CHANGE, which another
	 * request reports too, and everything else are always named.
	 *
	 * A receiver that missed the batch before takes only the named values. The others grow old
	 * until a batch names them, and the rate of those that moved is unknown.
	 */
	bool unchanged_rest;
	bool again; /* for the collector: repeat this request at once */
	/* A piece of an endless output. It arrives at any time, so it is no sign of freshness. */
	bool followed;
	VEC(struct obs_nccl) nccl;
	struct obs_lines lines; /* for the collector */
	VEC(char) strings;
	uint32_t last_cure; /* private: in strings; ports often lack the same things for the same
			       reason */
	/* The device's answer, verbatim, and the command that it answers; NULL: not kept. */
	char *raw, *asked;
	size_t raw_len;
	/* Further batches of the same answer, one for each of several questions. Owned by this
	 * batch until the collector hands them over one by one. parse() sets their result. */
	struct obs *more;
	struct obs *next;   /* for the queue that owns it */
	atomic_uint shares; /* private: owners beyond the first */
};

struct obs *obs_new(const char *device, const char *request);
/* Hint: makes room for as many items and bytes of text as the last answer to this request had. */
void obs_expect(struct obs *o, size_t items, size_t strings);
void obs_free(struct obs *o); /* NULL is allowed; frees this one and more, not next */
/*
 * Adds an owner, in any thread: each owner frees it, and the last call releases the memory. From
 * then on nobody changes it, except next, which belongs to the first owner.
 */
struct obs *obs_share(struct obs *o);
/* Appends a batch to more: another request that the same answer covers. */
struct obs *obs_more(struct obs *o, const char *request);
/*
 * Whether it reports data of the device. Missing capabilities, facts for the collector and log
 * lines do not count: any answer at all can look like "the device does not have that".
 */
bool obs_tells(const struct obs *o);

/*
 * Marks the current end of a batch, and returns to a mark: everything added since is removed. For
 * an answer that is decoded while it arrives and turns out to be broken. Batches of obs_more(),
 * sessions and NCCL records stay.
 */
struct obs_mark {
	size_t ports, items, strings;
	uint32_t refresh_ms[GROUP_COUNT];
};
struct obs_mark obs_mark(const struct obs *o);
void obs_rewind(struct obs *o, const struct obs_mark *mark);

/* Finds or adds a port; the name is sanitised. OBS_NO_PORT when it is empty or too long. */
uint32_t obs_port(struct obs *o, const char *name);

void obs_count(struct obs *o, uint32_t port, counter_id id, unsigned sub, uint64_t value);
/* Calls obs_count() for each cell with has[] set, in order; both arrays have CELL_COUNT
 * elements. */
void obs_cells(struct obs *o, uint32_t port, const uint64_t *value, const uint8_t *has);
void obs_gauge(struct obs *o, uint32_t port, counter_id id, unsigned sub, double value);
/* Marks a cell that the device cannot report, or that is switched off. cure: "" or a command for
 * the user. */
void obs_invalid(struct obs *o, uint32_t port, counter_id id, unsigned sub, enum validity v,
	const char *cure);
void obs_number(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, double value);
void obs_word(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const char *text);
void obs_lldp(struct obs *o, uint32_t port, const char *device, const char *peer_port);
/* States that the batch lists all ports of the device: ATTR_PORT_LIST. */
void obs_port_list(struct obs *o);
void obs_event(
	struct obs *o, uint32_t port, enum event_kind kind, int64_t device_us, const char *text);
/*
 * Adds a line of the device's own log that is worth an operator's attention. alarm: it reports
 * trouble (EV_LOG_ALARM), else a change (EV_LOG). priority: -1 none. device_us: time of the line
 * by the device's clock; 0: unknown. The model drops lines that it already has, so a log may be
 * read repeatedly.
 */
void obs_log(struct obs *o, uint32_t port, int priority, bool alarm, int64_t device_us,
	const char *text);
/* The same with the kind: EV_LOG, EV_LOG_ALARM, or EV_LOG_UNREAD for what nobody understands. */
void obs_log_line(struct obs *o, uint32_t port, int priority, enum event_kind kind,
	int64_t device_us, const char *text);
void obs_capability(struct obs *o, const char *need, enum validity v, const char *cure);
/* Adds a session; peer must not be empty. The caller fills the numbers of the result. NULL: too
 * many. */
struct obs_bgp *obs_bgp(struct obs *o, enum bgp_afi afi, const char *vrf, const char *peer,
	const char *host, enum bgp_state state);
/*
 * Adds a record with every field "not reported"; the caller fills the known ones, texts with
 * obs_string(). NULL: too many (OBS_NCCL_MAX of one answer).
 */
#define OBS_NCCL_MAX 262144
struct obs_nccl *obs_nccl(struct obs *o, enum nccl_kind kind, enum nccl_source source);
/* Adds a sanitised text (at most 255 bytes) to the batch; 0 for NULL and "". */
uint32_t obs_string(struct obs *o, const char *text);
/* A fact for the collector to remember about the device while it is connected. */
void obs_fact(struct obs *o, const char *key, const char *value);

/* Text of an item, never NULL. All strings were sanitised when they were added. */
const char *obs_text(const struct obs *o, uint32_t offset);

#endif
