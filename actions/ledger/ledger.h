/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_LEDGER_LEDGER_H
#define ACTIONS_LEDGER_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "fabric/plan/plan.h"

/*
 * The ledger: who changed what, when, why, with which words and what came of it. JSON lines, only
 * ever appended to, each with its number and the hash of the line before, forced to the disk
 * before what it announces is done. Beside it PATH.head keeps number and hash of the last line, so
 * that a ledger that was cut off is noticed; each line is copied to syslog (authpriv.notice) with
 * its number and hash, so that a ledger that was written anew is noticed elsewhere.
 *
 * A line: {"n":17,"t":"2026-11-22T01:02:03.250Z","event":"sent","act":ID,"user":"ann","uid":1001,
 * "tty":"pts/3","from":"10.0.0.7","host":"bastion","pid":4711, ...,"prev":HEX,"hash":HEX} where
 * hash is the SHA-256 of the line's bytes up to and without ,"hash":... . prev of line 1 is 64
 * zeros. The file is ASCII: what is not is escaped.
 *
 * detail, the members between pid and prev, by these names where they apply: action, device, port,
 * priority, place, reason, incident, approver, plan (object), snapshot, snapshot_sha256, step
 * (number), verb, request (as a person would type it), sent (the bytes), status, output, complaint,
 * took_ms, condition (object), seen (it in words), expect, guard, why, cure, outcome, error. A
 * member that is called as one of the ledger's own becomes detail_NAME: detail_hash is a plan's.
 */

struct who {
	char user[32]; /* the account by uid, not $USER; who sudo'ed is in via */
	char via[32];  /* $SUDO_USER where uid is 0, "" */
	uid_t uid;
	char tty[32];  /* "pts/3", "" */
	char from[64]; /* where the SSH session came from, "" */
	char host[64];
	long pid;
};
/*
 * Never fails; what is not known is "". Call it once, before there are threads: it reads the
 * environment and the login record of the terminal.
 */
void who_am_i(struct who *w);

/* What a line is about. */
enum ledger_event {
	LEDGER_REFUSED,  /* a guard said no to an execution */
	LEDGER_APPROVED, /* a second operator approved a hash */
	LEDGER_BEGUN, /* consent given; nothing has been sent yet: plan, reason, incident, snapshot
		       */
	LEDGER_SENDING,  /* this request is sent now */
	LEDGER_ANSWERED, /* what the device said to it; outcome "not sent": it never got there */
	LEDGER_LOST,    /* the connection or the command ended before the answer did: whether it was
			   done is unknown */
	LEDGER_READ,    /* the condition was read again */
	LEDGER_DONE,    /* the goal was seen: outcome "done" */
	LEDGER_FAILED,  /* it was not done, or taken back: the device is as it was */
	LEDGER_UNKNOWN, /* nobody knows; a person has to look */
	LEDGER_WATCHED, /* the watch ended: it held, or did not, or was given up */
	LEDGER_SETTLED, /* a person looked at an action whose outcome was unknown */
	LEDGER_MENDED,  /* a torn last line was put aside */
	LEDGER_EVENT_COUNT
};
const char *ledger_event_name(enum ledger_event e); /* "refused", ... */

struct ledger_opts {
	const char *path;
	const struct clock *clock;
	/* Copies a line elsewhere; NULL: syslog. */
	void (*copy)(void *ctx, const char *line);
	void *ctx;
};
struct ledger;

/*
 * Opens or makes it (directories 0700, file 0640, or 0660 in a directory that its group can
 * write: one of several operators, best with the set-group-id bit; never through a symbolic link,
 * not one that others than owner and group can write). Puts a torn last line aside (LEDGER_MENDED).
 * False (ERR_IO, ERR_CONFIG, ERR_REFUSED) also when the end of it does not fit PATH.head: the cure
 * names `railtop ledger verify`. One thread at a time; several processes may have it open.
 */
struct ledger *ledger_open(const struct ledger_opts *o, const struct who *who, struct err *err);
void ledger_close(struct ledger *l); /* NULL is allowed */

/*
 * The right to act: one holder among all processes that share the ledger, while it is open. False
 * (ERR_REFUSED) names who has it.
 */
bool ledger_lock(struct ledger *l, const char *what, struct err *err);
void ledger_unlock(struct ledger *l);

/*
 * Makes sure that a whole action's lines will fit on the disk, before it begins: blocks for them
 * are allocated behind the end of the file (which is neither extended nor ever cut, so that it may
 * have the append-only attribute), and the head is written again. False (ERR_IO): no room.
 */
bool ledger_reserve(struct ledger *l, size_t bytes, struct err *err);

/*
 * Appends one line, on the disk when it returns true. detail: an object whose members are added (a
 * reference is taken over, also on failure); NULL none. False (ERR_IO): nothing must be done that
 * the line announced.
 */
bool ledger_append(
	struct ledger *l, enum ledger_event e, const char *act, json_t *detail, struct err *err);

/*
 * A text of a device or a user for detail: what is no UTF-8 becomes U+FFFD, more than 4 KB is cut
 * and says so with the SHA-256 of all of it. json_string() refuses such texts (NULL).
 */
json_t *ledger_text(const char *bytes, size_t n);

/* ---- reading ---- */

/* One line for people and views. Strings are cut to fit and sanitised. */
struct ledger_line {
	uint64_t n;
	int64_t t_us;
	enum ledger_event event;
	char act[40], action[32], user[32], from[64], tty[32];
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	char incident[64], text[240]; /* in one sentence what the line says */
};
typedef VEC(struct ledger_line) ledger_line_vec;
/*
 * Appends the lines since since_us (0: all), oldest first, the newest most (0: all), from the last
 * 64 MB. What a line does not say of action, place and incident is taken from the act's earlier
 * lines. A ledger that is not there has no lines. Hashes are not looked at: ledger_verify(). Waits
 * for nobody; costs the main thread about 10 ms a megabyte.
 */
bool ledger_read(
	const char *path, int64_t since_us, size_t most, ledger_line_vec *out, struct err *err);

/*
 * The same for who shows it all the time: ledger_reader_next() appends only what came since the
 * last call, at first the newest most lines. *anew: the file is another one, or was cut; what was
 * in out has been dropped. False: it cannot be read; what is in out stands.
 */
struct ledger_reader;
struct ledger_reader *ledger_reader_new(const char *path, size_t most);
void ledger_reader_free(struct ledger_reader *r); /* NULL is allowed */
bool ledger_reader_next(struct ledger_reader *r, ledger_line_vec *out, bool *anew, struct err *err);

/* What guards want to know. Actions that are harmless (action.h) do not count as begun. */
struct ledger_facts {
	struct err unusable;        /* ERR_NONE: it can be written, and is whole */
	unsigned users_last_hour;   /* begun by this user; who became root by sudo is himself */
	int64_t users_oldest_us;    /* the oldest of these; 0: none */
	int64_t device_us, port_us; /* the last one begun on it; 0: never */
	char device_by[32], port_by[32];
	char port_action[32]; /* what it was */
	char unfinished[40];  /* act on the device without an end, or with an unknown one */
	char unfinished_by[32];
	/* Which other process holds the lock now; "" nobody. What it does is not unfinished. */
	char held_by[96];
};
/*
 * From the last 8 MB, whose chain is verified on the way. Waits for the file's lock, reads, writes
 * nothing. who: of whom users_* are.
 */
void ledger_facts(const char *path, const struct who *who, const char *device, const char *port,
	int64_t now_us, struct ledger_facts *out);

struct ledger_report {
	uint64_t lines, acts, unfinished;
	int64_t first_us, last_us;
	char hash[65];     /* of the last line */
	uint64_t bad_line; /* 0: all is well; else where it breaks */
	char why[200];
	char note[200]; /* what is odd, but no fault: torn lines that were put aside, the clock */
};
/*
 * The whole chain and the head. False (ERR_IO, ...): it cannot be read. True with report->bad_line
 * or why: altered, cut or torn.
 *
 * What this cannot notice: somebody who may write the ledger wrote it and the head anew, hashes and
 * all, or put a valid older copy of both in place. Only what is kept elsewhere can: the syslog
 * copy, or a line's number and hash in a ticket: ledger_verify_noted().
 */
bool ledger_verify(const char *path, struct ledger_report *out, struct err *err);
/* The same, and whether line n has this hash, as somebody noted it elsewhere. n 0: nothing noted.
 */
bool ledger_verify_noted(
	const char *path, uint64_t n, const char *hash, struct ledger_report *out, struct err *err);

/* "~/.local/state/railtop/actions.jsonl", $XDG_STATE_HOME in front; the caller frees it. */
char *ledger_default_path(void);
/* A file or directory beside the ledger: "/dir/actions.jsonl" -> "/dir/NAME"; the caller frees. */
char *ledger_beside(const char *path, const char *name);

/* SHA-256 as 64 hex digits. */
void sha256_hex(const void *bytes, size_t n, char out[65]);

/* ---- approvals (four eyes) ---- */

/*
 * DIR/HASH.plan is what the first operator wants approved, DIR/HASH.json the approval, written by
 * another operator's account (HASH.UID.json where a third one's old approval has the name). Who
 * owns that file counts, not what it says; root counts as who became it by sudo, and approves
 * nothing as nobody else than root. Both accounts must reach DIR: it is made with the rights of the
 * directory around it, and the sticky bit. What cannot be noticed: one person with two accounts,
 * and root pretending to be anybody.
 */

/* Offers the plan (a reference is taken over) for its hash. */
bool approval_offer(const char *dir, const char *hash, json_t *plan, struct err *err);
/* What was offered, to be read before it is approved; a new reference. NULL with err. */
json_t *approval_plan(const char *dir, const char *hash, struct err *err);
/* Approves. False also when nothing was offered, or by the same account (ERR_REFUSED). */
bool approval_give(const char *dir, const char *hash, const struct who *who, const struct clock *c,
	struct err *err);
/*
 * Whether somebody else than who approved hash within ACTIONS_APPROVED_US. by: who it was. False
 * (ERR_REFUSED) with why and what to do; what cannot be trusted does not count.
 */
bool approval_found(const char *dir, const char *hash, const struct who *who, int64_t now_us,
	char *by, size_t size, struct err *why);

#endif
