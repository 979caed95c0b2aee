/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_WRITER_INTERNAL_H
#define ARCHIVE_RECORDING_WRITER_INTERNAL_H

#include <pthread.h>

#include "archive/recording/rts_internal.h"
#include "base/mem.h"

enum op_kind { OP_ENTRY, OP_BEGIN, OP_STEP, OP_END, OP_DROP, OP_RAW, OP_FLUSH, OP_CLOCK };

/* One operation of the thread's queue. */
struct op {
	struct op *next;
	enum op_kind kind;
	size_t weight; /* bytes of memory */
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

/* The keyframe under way. */
struct keying {
	bool on, failed;
	struct rts_key key;
	/* Steps of section that are not yet in a piece, and the number of the first of them. */
	struct buf pending;
	enum rts_section section;
	int64_t first;
};

/* Used by the thread only. */
struct filer {
	struct rts_file file;
	struct coder *coder;
	struct buf raw;
	struct rts_chunk chunk; /* the growing chunk */
	int64_t batches;        /* in that chunk */
	uint64_t items;         /* in that chunk */
	int64_t open_mono_us;   /* arrival of its first entry */
	int64_t head;           /* id of the run's first chunk; 0: the next chunk begins a run */
	struct keying keying;
	bool failing;
	int64_t retry_mono_us;
	uint64_t lost; /* batches since the last ENTRY_GAP */
	char why[200]; /* reason of the loss */
	/* Consecutive rotations that found a reader; no rotation before rotate_mono_us. */
	unsigned busy;
	int64_t rotate_mono_us;
};

struct rts_writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t news, room;
	/* Protected by the lock. */
	struct op *first, *last;
	size_t waiting; /* bytes */
	/* Bytes of keyframe steps: queued, of the keyframe under way, of the last whole one. */
	size_t key_waiting, key_bytes, key_whole;
	bool closing;
	bool hurry; /* a caller waits for the thread */
	struct rts_status status;
	uint64_t dropped;    /* batches dropped from a full queue since the last ENTRY_GAP */
	bool key_wanted;     /* set by the thread: no keyframe yet, rotation due, ... */
	bool whole_wanted;   /* a keyframe whose histories the next one would continue is missing */
	bool keying;         /* a keyframe is under way */
	uint64_t since_cost; /* cost of replaying the entries since the last keyframe */
	int64_t since_us;    /* time of the last keyframe, on the clock of the entries */
	int64_t now_us;      /* time of the last entry */
	int64_t whole_us;    /* time of the last whole keyframe */
	unsigned keys;       /* keyframes since the last whole one */
	/* Used by the caller's thread only: its options. */
	struct rts_writer_opts opts;
	char *path, *tool, *user, *host, *kind;
	char *fabric;
	struct buf plan; /* as text: each file begins with it */
	char *clock;     /* used by the thread: clock_track_print() */
	struct filer filer;
};

/* The thread's side (filer.c). Errors go to w->status.err. */
void filer_open(struct rts_writer *w);
void filer_do(struct rts_writer *w, struct op *op);
/* Monotonic time of the next work without an operation; INT64_MAX: none. */
int64_t filer_due(const struct rts_writer *w);
void filer_tick(struct rts_writer *w);
bool filer_close(struct rts_writer *w, struct err *err);
void op_free(struct op *op);

/* rotate.c */
bool rts_rotate_due(const struct rts_writer *w);
/* Closes the file, renames it for good and removes old ones. False: the file is unchanged. */
bool rts_rotate(struct rts_writer *w, struct err *err);
/* Deletes the entries that are due. */
bool rts_forget_some(struct rts_writer *w, struct err *err);
struct rts_about rts_writer_about(const struct rts_writer *w);

#endif
