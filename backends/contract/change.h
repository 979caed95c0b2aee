/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_CHANGE_H
#define BACKENDS_CONTRACT_CHANGE_H

#include "backends/contract/backend.h"
#include "fabric/model/model.h"

/*
 * Changes of one thing on a device, as a dialect supports them for actions/: the requests that read
 * the condition of the port, the commands that change it, and the check of the answers. All
 * functions are pure, like plan() and parse(): the same ones serve a dry run, the real change and
 * the ledger. Only actions/ sends the requests of command(); see transport.h, permit().
 */

/* The elementary changes. An action is a sequence of some of them (actions/kinds/action.h). */
enum verb {
	VERB_WD_STOP,    /* remove the PFC watchdog from one port */
	VERB_WD_START,   /* start it on one port, with order.wd */
	VERB_WD_RECOVER, /* release a stormed queue without touching the configuration */
	VERB_PORT_DOWN,  /* admin state of a port, also of a NIC */
	VERB_PORT_UP,
	VERB_BGP_DOWN, /* the BGP session of a link: neighbor shutdown */
	VERB_BGP_UP,
	VERB_LOCATE_ON, /* blink the port */
	VERB_LOCATE_OFF,
	VERB_COUNTERS_ON, /* a group of counters that the device supports but does not report */
	VERB_COUNTERS_OFF,
	/* Perftest on one NIC: servers that end by themselves, and a client that measures. */
	VERB_PERFTEST_SERVE,
	VERB_PERFTEST_RUN,
	VERB_COUNT
};
const char *verb_name(enum verb v); /* "wd-stop", "port-down", ... */
bool verb_by_name(const char *s, enum verb *out);

/* The PFC watchdog's setting on a port. */
struct wd_setting {
	char action[16];     /* "drop", "forward", "alert"; "": the dialect has no choice */
	unsigned detect_ms;  /* 0: unknown, or set for the whole device */
	unsigned restore_ms; /* likewise; on SONiC 0 is a row without it: a storm never ends */
	bool history;        /* SONiC: pfc_stat_history */
};
bool wd_setting_eq(const struct wd_setting *a, const struct wd_setting *b);

/* What perftest measures of a NIC, by RDMA reads and writes. */
enum perftest_tool { PERFTEST_BANDWIDTH, PERFTEST_LATENCY, PERFTEST_TOOLS };
/* Length of a measurement of bandwidth, and the longest time that a server waits for it. */
#define PERFTEST_SECONDS      10
#define PERFTEST_SERVE_MOST_S 600
const char *perftest_program(enum perftest_tool t); /* "ib_write_bw", "ib_read_lat" */
const char *perftest_unit(enum perftest_tool t);    /* "Gb/s", "us" */

/* The result of a PERFTEST_RUN. */
struct measurement {
	char port[NAME_MAX_LEN]; /* of this device */
	enum perftest_tool tool;
	double value;  /* Gb/s, or microseconds of a typical read; NAN: nothing was measured */
	char why[160]; /* then the reason */
};

/* One change of one thing. order_check() has checked the words in it. */
struct order {
	enum verb verb;
	char port[NAME_MAX_LEN]; /* the device's name of it; "" for counters */
	int priority;            /* WD_RECOVER: the queue; -1: the whole port */
	struct wd_setting wd;    /* WD_START */
	/*
	 * BGP: the neighbour as named in the device's configuration. PERFTEST_RUN: the address of
	 * the server.
	 */
	char peer[64];
	uint32_t asn;            /* BGP: of the device itself; 0: unknown */
	unsigned seconds;        /* LOCATE_ON, PERFTEST: duration, if it ends by itself */
	char group[32];          /* COUNTERS: the dialect's name of the group, "wredqueue" */
	enum perftest_tool tool; /* PERFTEST_RUN */
	unsigned tcp_port;       /* PERFTEST: of the first tool; the next one has the next port */
	int tclass;              /* PERFTEST: ToS byte of its packets; -1: the NIC's own */
	/* The site's command lines (plan_commands.lines); NULL: use the dialect's. */
	const char *lines;
};

/*
 * Refuses (ERR_REFUSED) words that must never be in a command line. These are: a port with
 * characters other than letters, digits and "/._:-"; an empty one or one with '-' at its start; a
 * peer that is neither address nor interface; timers out of range. All words in command() have
 * passed it.
 */
bool order_check(const struct order *o, struct err *err);

/*
 * The condition of one port as the device reports it now. -1, UINT64_MAX, "", *_UNKNOWN: not
 * reported.
 */
struct condition {
	int64_t at_us;   /* session time of the last answer */
	int64_t wall_us; /* what the wall clock showed then; 0: the same */
	enum oper admin, oper;
	int wd; /* 1: a watchdog is configured on the port, 0: none */
	struct wd_setting wd_set;
	/* 1: action and times apply to the whole device; a port only has the watchdog on or off. */
	int wd_global;
	unsigned wd_poll_ms;            /* poll interval of the watchdog; 0: not reported */
	uint8_t wd_state[PRIORITIES];   /* enum wd_state of each queue */
	uint64_t wd_storms[PRIORITIES]; /* detected since the device began to count */
	uint64_t rx_pause[PRIORITIES];  /* PFC frames received */
	int pfc;                        /* bit p: PFC is on for priority p */
	int beacon;                     /* 1: the light blinks */
	char bgp_peer[64];              /* neighbour of this link, as named in the configuration */
	uint32_t bgp_asn;               /* of the device itself; 0: not reported */
	enum bgp_state bgp;
	int bgp_shut; /* 1: administratively shut */
	int counters; /* 1: the group of order.group is on */
	/*
	 * Perftest: 1: its programs are installed, 0: they are not. The NIC and TCP port of each
	 * one that runs: " mlx5_0:18515 mlx5_1:18517 ".
	 */
	int perftest;
	char perftests[640];
	int pending;      /* 1: the device has unapplied changes of another user */
	char hazard[160]; /* another reason against a change: "the big red switch is on" */
	/* Only for systems with a shell. */
	char netdev[NAME_MAX_LEN]; /* the kernel's name of the port, "eth3" for "mlx5_3" */
	int root;                  /* 1: the login is root and needs no sudo */
	int session; /* 1: our own session to the device runs over the port; 0: it does not */
};
static inline int64_t condition_wall_us(const struct condition *c)
{
	return c->wall_us ? c->wall_us : c->at_us;
}
void condition_init(struct condition *c);
/* Whether a program of perftest runs on the NIC with this TCP port. */
bool perftest_runs(const struct condition *c, const char *port, unsigned tcp_port);

/* The answer to one request of an order. */
struct reply {
	const char *bytes; /* NUL-terminated at len */
	size_t len;
	int status;            /* exit status or HTTPS status; -1: none came */
	const char *complaint; /* SSH: standard error; never NULL */
};

/*
 * True: the device printed the word, in either stream and in any case. The whole output is
 * searched, also behind a NUL. Always false for an empty word.
 */
bool reply_says(const struct reply *r, const char *word);

enum taken {
	TAKEN_YES,
	TAKEN_NO,   /* the device refused; err has its message */
	TAKEN_WAIT, /* in progress: send the same request again in a moment (an NVUE apply) */
};

/* State between the requests of one command(): replaces "{revision}" in a path or body. */
struct change_notes {
	char revision[64];
	bool measured; /* measurement has the result of a PERFTEST_RUN */
	struct measurement measurement;
};

struct dialect_changes {
	unsigned verbs;    /* bit set of enum verb: the changes supported over t->transport */
	unsigned queues;   /* of these: those that take one queue */
	unsigned unproven; /* of these: not tried on hardware; the plan shows that */
	/*
	 * Appends the requests that read the condition needed and changed by o; each is on the
	 * dialect's list of reads. The answers may come in any order.
	 */
	bool (*look)(const struct target *t, const struct order *o, struct request_list *out,
		struct err *err);
	/* Adds one of these answers to c. False: it could not be read; err has the reason. */
	bool (*see)(const struct target *t, const struct order *o, const char *request,
		const struct reply *r, struct condition *c, struct err *err);
	/*
	 * Appends the exact requests of o, in order. Each is sent only once, after the one before
	 * it was accepted; each has request.change set. now: the condition; a change that is unsafe
	 * in it is refused (ERR_REFUSED), e.g. a watchdog on a port without PFC.
	 */
	bool (*command)(const struct target *t, const struct order *o, const struct condition *now,
		struct request_list *out, struct err *err);
	/* Judges the answer to one of them. May fill notes for the following requests. */
	enum taken (*taken)(const struct target *t, const struct order *o, const char *request,
		const struct reply *r, struct change_notes *notes, struct err *err);
};

/* Is the change visible in the condition? */
enum goal {
	GOAL_UNKNOWN, /* the device does not report it */
	GOAL_MET,
	GOAL_NOT_MET,
};
/* Compares c with o. why: the missing part, "watchdog of Ethernet12 is still on"; may be NULL. */
enum goal order_goal(const struct order *o, const struct condition *c, char *why, size_t size);
/* Returns the time that a device may need after the command until the change is visible, in us. */
int64_t order_settle_us(const struct order *o);

/*
 * Fills in the placeholders of a site's lines: "{port}", "{priority}", "{action}", "{detect_ms}",
 * "{restore_ms}", "{peer}", "{asn}", "{seconds}", "{group}", "{verb}", "{tcp_port}", "{program}".
 * False (ERR_CONFIG) on an unknown one. The caller frees *out.
 */
bool order_fill(const char *lines, const struct order *o, char **out, struct err *err);

#endif
