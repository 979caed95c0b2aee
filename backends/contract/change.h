/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_CHANGE_H
#define BACKENDS_CONTRACT_CHANGE_H

#include "backends/contract/backend.h"
#include "fabric/model/model.h"

/*
 * What a dialect must say so that actions/ can change one thing on a device: how to read the
 * condition of the port, which words change it, and whether the device took them. All of it is
 * pure, as plan() and parse() are: the same functions serve a dry run, the real thing and the
 * ledger. Only actions/ sends what command() gives; see transport.h, permit().
 */

/* The elementary changes. An action is a few of them in order (actions/kinds/action.h). */
enum verb {
	VERB_WD_STOP,    /* take the PFC watchdog off one port */
	VERB_WD_START,   /* put it on one port, with order.wd */
	VERB_WD_RECOVER, /* release a stormed queue without touching the configuration */
	VERB_PORT_DOWN,  /* admin state of a port, NIC included */
	VERB_PORT_UP,
	VERB_BGP_DOWN, /* the BGP session of a link: neighbor shutdown */
	VERB_BGP_UP,
	VERB_LOCATE_ON, /* blink the port */
	VERB_LOCATE_OFF,
	VERB_COUNTERS_ON, /* a group of counters that the device can report and does not */
	VERB_COUNTERS_OFF,
	VERB_COUNT
};
const char *verb_name(enum verb v); /* "wd-stop", "port-down", ... */
bool verb_by_name(const char *s, enum verb *out);

/* The PFC watchdog's setting on a port. */
struct wd_setting {
	char action[16];     /* "drop", "forward", "alert"; "": the dialect has no such choice */
	unsigned detect_ms;  /* 0: not told, or set for the whole device */
	unsigned restore_ms; /* likewise; on SONiC 0 is a row without it: a storm never ends */
	bool history;        /* SONiC: pfc_stat_history */
};
bool wd_setting_eq(const struct wd_setting *a, const struct wd_setting *b);

/* One change of one thing. A value; the words in it have been checked: see order_check(). */
struct order {
	enum verb verb;
	char port[NAME_MAX_LEN]; /* as the device calls it; "" for counters */
	int priority;            /* WD_RECOVER: the queue; -1: the whole port */
	struct wd_setting wd;    /* WD_START */
	char peer[64];           /* BGP: as the device's configuration names the neighbour */
	uint32_t asn;            /* BGP: of the device itself, 0: not known */
	unsigned seconds;        /* LOCATE_ON: how long, where it ends by itself */
	char group[32];          /* COUNTERS: the dialect's word, "wredqueue" */
	/* The site's lines instead of the dialect's (plan_commands.lines); NULL: the dialect's. */
	const char *lines;
};

/*
 * Refuses (ERR_REFUSED) what must never get into a command line: a port of other characters than
 * letters, digits and "/._:-", an empty one, one that begins with '-', a peer that is neither
 * address nor interface, timers out of range. Everything that goes into command() has passed.
 */
bool order_check(const struct order *o, struct err *err);

/*
 * The condition of one port as the device tells it now. -1, UINT64_MAX, "", *_UNKNOWN: not told.
 */
struct condition {
	int64_t at_us; /* wall time of the last answer */
	enum oper admin, oper;
	int wd; /* 1: a watchdog is configured on the port, 0: none */
	struct wd_setting wd_set;
	/* 1: action and times are the whole device's; a port only has the watchdog or has not. */
	int wd_global;
	unsigned wd_poll_ms;            /* how often the watchdog looks; 0: not told */
	uint8_t wd_state[PRIORITIES];   /* enum wd_state of each queue */
	uint64_t wd_storms[PRIORITIES]; /* detected since the device counts */
	uint64_t rx_pause[PRIORITIES];  /* PFC frames received */
	int pfc;                        /* bit p: PFC is on for priority p */
	int beacon;                     /* 1: the light blinks */
	char bgp_peer[64];              /* neighbour of this link, as its configuration has it */
	uint32_t bgp_asn;               /* of the device itself; 0: not told */
	enum bgp_state bgp;
	int bgp_shut;     /* 1: shut on purpose */
	int counters;     /* 1: the group of order.group is on */
	int pending;      /* 1: somebody has unapplied changes on the device */
	char hazard[160]; /* what else speaks against a change: "the big red switch is on" */
	/* Of systems with a shell. */
	char netdev[NAME_MAX_LEN]; /* the kernel's name of the port, "eth3" of "mlx5_3" */
	int root;                  /* 1: the login is root and needs no sudo */
	int session; /* 1: the way to the device itself leads over the port, 0: it does not */
};
void condition_init(struct condition *c);

/* What came back for one request of an order. */
struct reply {
	const char *bytes; /* NUL-terminated at len */
	size_t len;
	int status;            /* exit status or HTTPS status; -1: none came */
	const char *complaint; /* SSH: standard error; never NULL */
};

/*
 * Whether the device printed the word, in either stream and in any case. All of what it printed is
 * looked at: a NUL hides nothing behind it. An empty word is never there.
 */
bool reply_says(const struct reply *r, const char *word);

enum taken {
	TAKEN_YES,
	TAKEN_NO,   /* the device refused; err says in which words */
	TAKEN_WAIT, /* still at it: the same request again in a moment (an NVUE apply) */
};

/* Between the requests of one command(): "{revision}" in a path or body stands for it. */
struct change_notes {
	char revision[64];
};

struct dialect_changes {
	unsigned verbs;    /* bit set of enum verb: what it can change over t->transport */
	unsigned queues;   /* of these: those that take one queue */
	unsigned unproven; /* of these: words that nobody could try on hardware; the plan says so */
	/*
	 * Appends what reads the condition that o needs and changes; each is on the dialect's list
	 * of reads. Answers may come in any order.
	 */
	bool (*look)(const struct target *t, const struct order *o, struct request_list *out,
		struct err *err);
	/* Adds one of these answers to c. False: it could not be read, err says why. */
	bool (*see)(const struct target *t, const struct order *o, const char *request,
		const struct reply *r, struct condition *c, struct err *err);
	/*
	 * Appends the exact requests of o, in order, each to be sent only once and only after the
	 * one before was taken; every one has request.change set. now: the condition; what cannot
	 * be done safely in it is refused (ERR_REFUSED), e.g. a watchdog on a port without PFC.
	 */
	bool (*command)(const struct target *t, const struct order *o, const struct condition *now,
		struct request_list *out, struct err *err);
	/* What the answer to one of them means. notes may be filled for those that follow. */
	enum taken (*taken)(const struct target *t, const struct order *o, const char *request,
		const struct reply *r, struct change_notes *notes, struct err *err);
};

/* Whether o's change is to be seen in c. */
enum goal {
	GOAL_UNKNOWN, /* the device does not tell */
	GOAL_MET,
	GOAL_NOT_MET,
};
/* why: what is missing, "watchdog of Ethernet12 is still on"; may be NULL. */
enum goal order_goal(const struct order *o, const struct condition *c, char *why, size_t size);
/* How long a device may take until the change is to be seen, after it took the command. */
int64_t order_settle_us(const struct order *o);

/*
 * Fills a site's lines: "{port}", "{priority}", "{action}", "{detect_ms}", "{restore_ms}",
 * "{peer}", "{asn}", "{seconds}", "{group}", "{verb}". False (ERR_CONFIG) on an unknown word.
 * The caller frees *out.
 */
bool order_fill(const char *lines, const struct order *o, char **out, struct err *err);

#endif
