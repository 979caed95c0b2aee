/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ACTIONS_SUPPORT_FAKE_H
#define TESTS_ACTIONS_SUPPORT_FAKE_H

#include <pthread.h>

#include "backends/contract/change.h"
#include "backends/transport/transport.h"

/*
 * A device in memory with one port, Ethernet12, a dialect that speaks to it and a transport that
 * fails where a test wants it. The device logs the lines it received, so that a test can compare
 * them with the ledger. Every plan_device whose address is the fake's name reaches it.
 *
 * Its commands: "show port P", "show device"; "set P wd off", "set P wd on drop 200 400 0", "set P
 * wd recover 3", "set P admin down|up", "set P beacon on|off", "set bgp PEER down|up", "set
 * counters GROUP on|off". A staged device takes changes in three requests instead: "open", "stage
 * REVISION set ...", "apply REVISION", which answers "wait" a few times.
 */
#define FAKE_PORT "Ethernet12"
#define FAKE_PEER "Ethernet12"

enum fake_fault {
	FAKE_WELL,
	FAKE_NOT_LEFT,    /* the connection ends before any of it was handed over */
	FAKE_CUT_BEFORE,  /* the connection ends, nothing was done */
	FAKE_CUT_AFTER,   /* it was done, the connection ends before the answer */
	FAKE_HANG_BEFORE, /* no answer in time, nothing was done; still connected */
	FAKE_HANG_AFTER,  /* no answer in time, it was done */
	FAKE_REFUSE,      /* "no": nothing was done */
	FAKE_DENY,        /* the account may not: status 1, "permission denied" */
	FAKE_NOOP,        /* "ok", and nothing was done */
	FAKE_WRONG,       /* "ok", and something else was done: timers doubled, or nothing */
	FAKE_KILLED,      /* done, but the command ended without an exit status */
	FAKE_SILENT,      /* done, but neither an answer nor an end of the connection */
};

struct fake_setting {
	bool admin_up, link_up;
	int wd;
	struct wd_setting wd_set;
	bool stormed;
	bool bgp_shut, beacon, counters;
};

/* One line that the device received. */
struct fake_line {
	char text[200];
	bool change;    /* it was marked as one */
	bool permitted; /* over a link that was permitted to */
	bool done;      /* the device carried out the line */
	bool answered;  /* and its answer went out */
};

struct fake {
	char name[32];
	pthread_mutex_t lock; /* of everything below, once a link is open */
	struct fake_setting now;
	int pfc;              /* mask of priorities */
	bool pending;         /* unapplied changes of another user */
	bool staged;          /* changes are staged and applied */
	bool tells_no_beacon; /* "show" does not report the state of the light */
	char hazard[80];      /* "" */
	uint64_t rx3;         /* PFC frames received on priority 3 */
	unsigned waits;       /* how often "apply" answers "wait" */
	unsigned slow;        /* changes show after this number of reads */
	/* Trouble with the n-th change (from 1) and times - 1 more; then with reads. */
	enum fake_fault fault;
	unsigned at, times;
	unsigned cut_read;     /* the n-th read from now on ends the connection; 0: none */
	unsigned silent_reads; /* this number of reads from now on are never answered */
	bool garbage;          /* reads answer nonsense */
	/* Connections that fail from now on; why. */
	unsigned dead;
	enum err_code dead_code;
	unsigned dead_after_fault; /* becomes dead when the fault strikes */
	bool hang_connect;         /* neither up nor down follows */
	/* Called on the actor's thread before the n-th change is looked at; may be NULL. */
	void (*before_change)(void *ctx, struct fake *f, unsigned n);
	void *ctx;
	/* The log of this run. */
	VEC(struct fake_line) lines;
	unsigned changes, reads, connects, open_links;
	char user[32], userpwd[64]; /* of the last connection */
	struct fake_setting later;  /* private: the settings that a slow device will show */
	unsigned later_reads;       /* private */
	char revision[16], staged_line[160];
	unsigned revisions, waited;
	struct fake *next;
};

/* Up, watchdog "drop" 200/400 ms and operational, PFC on 3, BGP established. */
void fake_init(struct fake *f, const char *name);
void fake_free(struct fake *f);
bool fake_setting_eq(const struct fake_setting *a, const struct fake_setting *b);
struct fake_setting fake_now(struct fake *f);
/* The number of change lines that the device received, and of those that it carried out. */
unsigned fake_changes(struct fake *f);
unsigned fake_done(struct fake *f);

extern const struct backend_ops fake_backend; /* dialect "fake", SSH */
extern const struct dialect_changes fake_changes_ops;
extern const struct transport fake_transport;
const struct transport *fake_transport_of(enum transport_kind kind);

/* private to fake*.c */
struct fake *fake_find(const char *name);
/* The device reads one line; out gets the answer. Called with the lock. */
int fake_obey(struct fake *f, const char *text, bool wrong, char *out, size_t size);

#endif
