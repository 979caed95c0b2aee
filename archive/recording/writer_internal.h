/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_WRITER_INTERNAL_H
#define ARCHIVE_RECORDING_WRITER_INTERNAL_H

#include <pthread.h>

#include "archive/recording/rts_internal.h"
#include "base/mem.h"

enum op_kind { OP_ENTRY, OP_BEGIN, OP_STEP, OP_END, OP_DROP, OP_RAW, OP_FLUSH };

/* What is asked of the thread, in order. */
struct op {
	struct op *next;
	enum op_kind kind;
	size_t weight; /* bytes that it holds */
	struct entry entry;
	int64_t t_us;
	bool whole;
	enum rts_section section;
	char *bytes;
	size_t n;
	char *name, *asked; /* of raw outputs */
	void (*done)(void *ctx, const struct err *e);
	void *ctx;
};

/* The keyframe that is being written. */
struct keying {
	bool on, failed;
	struct rts_key key;
	/* Steps of that section that no piece holds yet, and the number of the first of them. */
	struct buf pending;
	enum rts_section section;
	int64_t first;
};

/* Of the thread alone. */
struct filer {
	struct rts_file file;
	struct coder *coder;
	struct buf raw;
	struct rts_chunk chunk; /* the one that grows */
	int64_t batches;        /* of it */
	uint64_t items;         /* of it */
	int64_t open_mono_us;   /* when its first entry came */
	int64_t head;           /* of the run; 0: the next chunk begins one */
	struct keying keying;
	bool failing;
	int64_t retry_mono_us;
	uint64_t lost; /* batches, since the last ENTRY_GAP */
	char why[200]; /* they were */
	/* Rotations that found somebody who reads, since one did not; the next not before. */
	unsigned busy;
	int64_t rotate_mono_us;
};

struct rts_writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t news, room;
	/* Under the lock. */
	struct op *first, *last;
	size_t waiting; /* bytes */
	/* Of keyframes: bytes of steps that wait, of the one under way, of the last whole one. */
	size_t key_waiting, key_bytes, key_whole;
	bool closing;
	bool hurry; /* somebody waits for what the thread does */
	struct rts_status status;
	uint64_t dropped;    /* batches that found no room, since the last ENTRY_GAP */
	bool key_wanted;     /* by the thread: the file has none, must be rotated, ... */
	bool whole_wanted;   /* what the histories go on from is not there */
	bool keying;         /* a keyframe is under way */
	uint64_t since_cost; /* of replaying what came since the last keyframe */
	int64_t since_us;    /* time of the entries: when the last keyframe was */
	int64_t now_us;      /* of the last entry */
	int64_t whole_us;    /* when the last whole one was */
	unsigned keys;       /* since the last whole one */
	/* Of the caller's thread: what it opened with. */
	struct rts_writer_opts opts;
	char *path, *tool, *user, *host, *kind;
	char *fabric;
	struct buf plan; /* as text: files begin with it */
	struct filer filer;
};

/* The thread's side (filer.c); err of each is w->status.err. */
void filer_open(struct rts_writer *w);
void filer_do(struct rts_writer *w, struct op *op);
/* When something is due though nothing is asked, by the monotonic clock; INT64_MAX: never. */
int64_t filer_due(const struct rts_writer *w);
void filer_tick(struct rts_writer *w);
bool filer_close(struct rts_writer *w, struct err *err);
void op_free(struct op *op);

/* rotate.c */
bool rts_rotate_due(const struct rts_writer *w);
/* Closes the file, gives it its name for good, removes old ones. False: stays as it is. */
bool rts_rotate(struct rts_writer *w, struct err *err);
/* Forgets what is due. */
bool rts_forget_some(struct rts_writer *w, struct err *err);
struct rts_about rts_writer_about(const struct rts_writer *w);

#endif
