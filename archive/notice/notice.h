/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_NOTICE_NOTICE_H
#define ARCHIVE_NOTICE_NOTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/*
 * The open findings as receivers of messages see them. A notice is one root finding; the findings
 * that follow from it are counted in it. More than NOTICE_CROWD roots of one kind are one notice
 * about the kind. So a storm is one message with its number of victims. No I/O and no clock.
 *
 * A set of notices is made by the thread that owns the model. It never changes afterwards, and
 * several threads may read it; notice_set_drop() frees it with the last of them.
 */
#define NOTICE_KEY     224 /* bytes of a key; a longer one ends in a hash */
#define NOTICE_PLACE   160
#define NOTICE_CROWD   5
#define NOTICE_MOST    512 /* notices of a set, the most likely roots first; more are counted */
#define NOTICE_DEVICES 16  /* devices that a notice names as its evidence */

struct notice {
	char key[NOTICE_KEY];     /* "pod1 link.flapping leaf-r3-00:Ethernet12": stable */
	char id[40];              /* "link.flapping" */
	char place[NOTICE_PLACE]; /* a locator; "": of many places */
	char peer[NOTICE_PLACE];
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	char title[200]; /* without the place */
	char runbook[40], command[160];
	char role[12];
	enum severity severity;
	float confidence;
	unsigned members; /* roots in it: 1, or those of a kind */
	unsigned follows; /* open findings that it explains */
	unsigned victims, gpus_blocked, gpus_slow;
	int64_t onset_us, opened_us; /* wall */
	bool acked;
	char ack_user[32], ack_note[80];
	bool silent; /* its device is not heard: it was there when it was last heard */
	/* The devices whose data must be current before its absence means anything. */
	char devices[NOTICE_DEVICES][NAME_MAX_LEN];
	unsigned ndevices;
	bool every; /* all devices of the fabric: it has no single place, or too many */
	char *json; /* the finding as JSON (railtop(1)); NULL: of many, or not known any more */
};
typedef VEC(struct notice) notice_vec;

/* A key that a receiver was told, and its devices. The receivers' threads fill it. */
struct notice_told {
	char key[NOTICE_KEY];
	char devices[NOTICE_DEVICES][NAME_MAX_LEN];
	unsigned ndevices;
	bool every;
	int64_t long_us; /* its kind is seen only after so much time; 0: after a few samples */
};
typedef VEC(struct notice_told) notice_told_vec;

/* Why a key that was told is not among the notices. */
enum notice_fate {
	NOTICE_UNSEEN, /* not known: its devices are silent, or were not heard for long enough */
	NOTICE_HEALED, /* its devices were heard, and do not show it */
	NOTICE_MERGED  /* it is part of another notice: into */
};
struct notice_gone {
	char key[NOTICE_KEY];
	enum notice_fate fate;
	char into[NOTICE_KEY];
	char why[120]; /* for people: "leaf-r3-00 is unreachable" */
};

struct notice_set {
	int64_t now_us; /* wall */
	char fabric[NAME_MAX_LEN];
	char verdict[VERDICT_SENTENCE];
	notice_vec at;                /* most likely root first */
	size_t left_out;              /* notices above NOTICE_MOST */
	VEC(struct notice_gone) gone; /* of the keys that were told */
	unsigned refs;                /* private */
};

/* The memory of the thread that makes the sets. */
struct notice_watch {
	int64_t begun_us;         /* session time of the first set */
	VEC(int64_t) fresh_us;    /* by device: current since then; 0: it is not */
	bool crowded[FIND_COUNT]; /* the kind is told as one */
};
void notice_watch_free(struct notice_watch *w);
/* Looks which devices are current. To be called once a second, also when no set is made. */
void notice_watch_look(struct notice_watch *w, const struct model *m, int64_t now_us);

/*
 * Makes the set of now_us (session time). least: SEV_WARN or SEV_CRIT. told: keys that some
 * receiver was told. The result has one reference, of the caller.
 */
struct notice_set *notice_set_make(struct notice_watch *w, const struct model *m,
	const struct diag *d, enum severity least, const notice_told_vec *told, int64_t now_us);
struct notice_set *notice_set_keep(struct notice_set *s); /* one more reference; returns s */
void notice_set_drop(struct notice_set *s);               /* NULL is allowed */
/* NULL: not in the set. */
const struct notice *notice_find(const struct notice_set *s, const char *key);
const struct notice_gone *notice_find_gone(const struct notice_set *s, const char *key);

void notice_copy(struct notice *to, const struct notice *from); /* with its own json */
void notice_empty(struct notice *n);                            /* frees json */
/* How long a device must be heard before the absence of this kind of finding means anything. */
int64_t notice_least_us(const char *id);

/* The URL of a template with {place}, {device}, {port}, {key}, {fabric}, {runbook} and {id}
 * replaced, percent-encoded. "" if template is NULL or the result does not fit. */
char *notice_link(
	const char *template, const char *fabric, const struct notice *n, char *dst, size_t size);
/* "link flapping: 7 times in 60 s, went down first here; 226 findings follow, 64 victims". */
char *notice_summary(const struct notice *n, char *dst, size_t size);

#endif
