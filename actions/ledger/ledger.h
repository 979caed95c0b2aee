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
 * The ledger records every change: operator, time, reason, exact commands and result. It is a file
 * of JSON lines, only ever appended to. Each line has its number and the hash of the line before,
 * and is forced to the disk before the step that it announces. PATH.head beside it keeps number and
 * hash of the last line, so that a truncated ledger is detected. Each line is copied to syslog
 * (authpriv.notice) with its number and hash, so that a rewritten ledger is detected there.
 *
 * A line: {"n":17,"t":"2026-11-22T01:02:03.250Z","event":"sent","act":ID,"user":"ann","uid":1001,
 * "tty":"pts/3","from":"10.0.0.7","host":"bastion","pid":4711, ...,"prev":HEX,"hash":HEX} where
 * hash is the SHA-256 of the line's bytes up to and without ,"hash":... . prev of line 1 is 64
 * zeros. The file is ASCII: all other characters are escaped.
 *
 * detail: the members between pid and prev, with these names where they apply.
 *   place: action, device, port, priority, place; reason, incident, approver;
 *   plan (object), snapshot, snapshot_sha256, expect;
 *   step (number), verb, request (as a person would type it), sent (the bytes);
 *   status, output, complaint, took_ms, condition (object), seen (the condition in words);
 *   guard, why, cure; outcome, error.
 * A detail with the name of one of the ledger's own members becomes detail_NAME: detail_hash is a
 * plan's.
 */

struct who {
	char user[32]; /* the account by uid, not $USER; the one before sudo or su is in via */
	char via[32]; /* the account that logged in, where it is another one that is not root, "" */
	uid_t uid;
	char tty[32];  /* "pts/3", "" */
	char from[64]; /* where the SSH session came from, "" */
	char host[64];
	long pid;
};
/*
 * Fills w with the operator's identity. Never fails; unknown members are "". Call it once, before
 * threads start: it reads the environment and the login record of the terminal. The account that
 * logged in comes from the kernel (/proc/self/loginuid), else from the terminal's owner. $SUDO_USER
 * is not believed: any root shell sets it.
 */
void who_am_i(struct who *w);
/* False for root of which no login is known: it identifies no person. */
bool who_is_known(const struct who *w);

/* The event of a line. */
enum ledger_event {
	LEDGER_REFUSED,  /* a guard said no to an execution */
	LEDGER_APPROVED, /* a second operator approved a hash */
	LEDGER_BEGUN,   /* the operator consented, and nothing was sent yet: plan, reason, incident,
			   snapshot */
	LEDGER_SENDING, /* this request is about to be sent */
	LEDGER_ANSWERED, /* the device's answer to the request; outcome "not sent": the request
			    never reached it */
	LEDGER_LOST,   /* connection or command ended before the answer: unknown whether the request
			  was executed */
	LEDGER_READ,   /* the condition was read again */
	LEDGER_DONE,   /* the goal was seen: outcome "done" */
	LEDGER_FAILED, /* it was not done, or was taken back: the device is as before */
	LEDGER_UNKNOWN, /* the result is unknown; a person has to look */
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
 * Opens or creates the ledger. New directories have mode 0700, the file 0640, or 0660 in a
 * directory that its group can write (several operators, best with the set-group-id bit). Never
 * follows a symbolic link; refuses a file that others than owner and group can write. Puts a torn
 * last line aside (LEDGER_MENDED). NULL (ERR_IO, ERR_CONFIG, ERR_REFUSED) also when the end does
 * not fit PATH.head: the cure names `railtop ledger verify`. One thread at a time; several
 * processes may have it open.
 */
struct ledger *ledger_open(const struct ledger_opts *o, const struct who *who, struct err *err);
void ledger_close(struct ledger *l); /* NULL is allowed */

/*
 * Takes the right to act: one holder among all processes that share the ledger. It is lost with
 * ledger_close(). False (ERR_REFUSED): err names the holder.
 */
bool ledger_lock(struct ledger *l, const char *what, struct err *err);
void ledger_unlock(struct ledger *l);

/*
 * Makes sure, before an action begins, that all of its lines will fit on the disk. Allocates blocks
 * behind the end of the file and writes the head again. The file is neither extended nor cut, so
 * that it may have the append-only attribute. False (ERR_IO): no room.
 */
bool ledger_reserve(struct ledger *l, size_t bytes, struct err *err);

/*
 * Appends one line and forces it to the disk before it returns true. detail: an object with more
 * members (takes over the reference, also on failure); NULL none. False (ERR_IO): the caller must
 * not do the step that the line announced.
 */
bool ledger_append(
	struct ledger *l, enum ledger_event e, const char *act, json_t *detail, struct err *err);

/*
 * Makes a JSON text from bytes of a device or a user. Bytes that are not UTF-8 become U+FFFD. A
 * text above 4 KB is cut, with a note and the SHA-256 of all of it. json_string() returns NULL for
 * such texts.
 */
json_t *ledger_text(const char *bytes, size_t n);

/* The time as the lines have it: "2026-11-22T01:02:03.250Z". */
void ledger_time_format(int64_t t_us, char *dst, size_t size);

/* ---- reading ---- */

/* One line for people and views. Strings are cut to fit and sanitised. */
struct ledger_line {
	uint64_t n;
	int64_t t_us;
	enum ledger_event event;
	char act[40], action[32], user[32], from[64], tty[32];
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	char incident[64], text[240]; /* the line in one sentence */
};
typedef VEC(struct ledger_line) ledger_line_vec;
/*
 * Appends the lines since since_us (0: all), oldest first, at most the newest most (0: all), from
 * the last 64 MB. A line without action, place or incident takes them from earlier lines of its
 * act. A missing ledger has no lines. Does not check hashes: ledger_verify() does. Never waits for
 * a lock; costs the main thread about 10 ms a megabyte.
 */
bool ledger_read(
	const char *path, int64_t since_us, size_t most, ledger_line_vec *out, struct err *err);

/*
 * Incremental ledger_read(), for views that show the ledger all the time. ledger_reader_next()
 * appends only the lines since the last call, at first the newest most lines. *anew: the file was
 * replaced or cut; the old content of out was dropped. False: the file cannot be read; out is
 * unchanged.
 */
struct ledger_reader;
struct ledger_reader *ledger_reader_new(const char *path, size_t most);
void ledger_reader_free(struct ledger_reader *r); /* NULL is allowed */
bool ledger_reader_next(struct ledger_reader *r, ledger_line_vec *out, bool *anew, struct err *err);

/* The facts for the guards. Harmless actions (action.h) do not count as begun. */
struct ledger_facts {
	struct err unusable;      /* ERR_NONE: the ledger is writable and whole */
	unsigned users_last_hour; /* begun by this user; sudo to root does not make another user */
	int64_t users_oldest_us;  /* the oldest of these; 0: none */
	int64_t device_us, port_us; /* the last action begun on it; 0: never */
	char device_by[32], port_by[32];
	char port_action[32]; /* the last action on the port */
	char unfinished[40];  /* act on the device without an end, or with an unknown one */
	char unfinished_by[32];
	/*
	 * When the approval was given of the last act begun with the hash that was asked for; 0:
	 * none, or it needed no approval.
	 */
	int64_t approved_us;
	/*
	 * The other process that holds the lock now; "" none. Its act does not count as unfinished.
	 */
	char held_by[96];
};
/*
 * Gathers the facts from the last 8 MB and verifies their chain. Waits for the file's lock; writes
 * nothing. users_* are of the operator in the second parameter, approved_us of the plan with this
 * hash (NULL: not asked).
 */
void ledger_facts(const char *path, const struct who *who, const char *device, const char *port,
	const char *hash, int64_t now_us, struct ledger_facts *out);

/* An action that began and has no known end: railtop was killed, or nobody could tell. */
struct ledger_open {
	char act[40], user[32], action[32], device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	int64_t begun_us;
	char sent[200]; /* the last request that was announced; "": none was sent */
	bool answered;  /* the device's answer to it is in the ledger */
	/* From the plan: the commands of the step that was sent last, and those that take it back.
	 */
	char again[240], undo[240];
};
typedef VEC(struct ledger_open) ledger_open_vec;
/*
 * Appends the actions without an end, oldest first, but not one that runs now. From the last 8 MB;
 * a missing ledger has none. False (ERR_IO): it cannot be read.
 */
bool ledger_open_acts(const char *path, ledger_open_vec *out, struct err *err);
/* What is left, as subject and cause; and the cure, which ends with `railtop ledger settle`. */
void ledger_open_text(const struct ledger_open *o, struct err *out);

struct ledger_report {
	uint64_t lines, acts, unfinished;
	int64_t first_us, last_us;
	char hash[65];     /* of the last line */
	uint64_t bad_line; /* 0: the chain is whole; else the line where it breaks */
	char why[200];
	char note[200]; /* remarks that are no fault: torn lines that were put aside, a clock that
			   went back */
};
/*
 * Verifies the whole chain and the head. False (ERR_IO, ...): the file cannot be read. True with
 * report->bad_line or why: altered, cut or torn.
 *
 * Limits: an account with write access can rewrite ledger and head with valid hashes, or restore an
 * older valid copy of both. Only a copy elsewhere reveals that: the syslog copy, or a line's number
 * and hash in a ticket (ledger_verify_noted()).
 */
bool ledger_verify(const char *path, struct ledger_report *out, struct err *err);
/* The same, and whether line n has the hash that was noted elsewhere. n 0: nothing noted. */
bool ledger_verify_noted(
	const char *path, uint64_t n, const char *hash, struct ledger_report *out, struct err *err);

/* "~/.local/state/railtop/actions.jsonl", $XDG_STATE_HOME in front; the caller frees it. */
char *ledger_default_path(void);
/*
 * The path of a file beside the ledger: "/dir/actions.jsonl" -> "/dir/NAME"; the caller frees it.
 */
char *ledger_beside(const char *path, const char *name);

/* SHA-256 as 64 hex digits. */
void sha256_hex(const void *bytes, size_t n, char out[65]);

/* ---- approvals (four eyes) ---- */

/*
 * DIR/HASH.plan is the plan that the first operator offers for approval. DIR/HASH.json is the
 * approval by another operator's account (HASH.UID.json where an old approval of a third account
 * has that name). The owner of the file counts, not its content, but for the account that logged in
 * before sudo or su. Root of which no login is known approves nothing and begins nothing. An
 * approval begins one act: the ledger's line of that act has the approval's time. Both accounts
 * must reach DIR: it is made with the rights of the directory around it, and the sticky bit.
 *
 * Limits: one person with two logins is not detected, nor is root that writes such a file itself.
 */

/* Offers the plan for its hash. Takes over the reference of plan. */
bool approval_offer(const char *dir, const char *hash, json_t *plan, struct err *err);
/* Returns the offered plan, to be read before approval; a new reference. NULL with err. */
json_t *approval_plan(const char *dir, const char *hash, struct err *err);
/*
 * Approves the plan. False also if nothing was offered, or the same account offered it
 * (ERR_REFUSED).
 */
bool approval_give(const char *dir, const char *hash, const struct who *who, const struct clock *c,
	struct err *err);
struct approval {
	char by[32]; /* the second operator */
	int64_t t_us;
};
/*
 * Whether another operator approved hash within ACTIONS_APPROVED_US, and after used_us: that of
 * the last act with this hash (ledger_facts: approved_us), 0 none. Fills out. False (ERR_REFUSED)
 * with reason and cure, out empty; an approval that cannot be trusted does not count.
 */
bool approval_found(const char *dir, const char *hash, const struct who *who, int64_t now_us,
	int64_t used_us, struct approval *out, struct err *why);

#endif
