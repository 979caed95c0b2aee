/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HISTORY_HISTORY_LOG_H
#define FABRIC_HISTORY_HISTORY_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the charted counters of one port did, as a log of records: a queue of blocks, written at its
 * end and dropped at its front, never changed in between. Growth is kept as whole numbers with the
 * time that it took, so a rate that is read back is the rate that was, and sums of records lose
 * nothing.
 *
 * A record is told by what is different from the one before it in its block: the time, a bitmap of
 * the counters that it has when it has others, then a bitmap of those that moved, the time that
 * their growth took, and the growth of each that moved. Bitmaps have 7 bits a byte, numbers too.
 * The first record of a block is told in full, so that any block can be read without those before
 * it.
 */
#define HLOG_SERIES 128 /* counters of one port that can be charted */
#define HLOG_WORDS  (HLOG_SERIES / 64)
/* Bytes of a block, its head included; a record that is larger has a block of its own. */
#define HLOG_BLOCK 504U

struct hlog_block {
	struct hlog_block *next;
	int64_t first_ms, last_ms; /* times of its first and its last record */
	uint16_t used, size;       /* bytes of data */
	uint16_t records;
	uint16_t room; /* private: bytes of data that there is memory for, see hlog_room() */
	unsigned char data[];
};

/* Times are wall times, 0 to HLOG_MS_MOST. */
#define HLOG_MS_MOST (INT64_MAX / 4000)
struct hlog_record {
	int64_t at_ms;                /* of the answer */
	uint64_t has[HLOG_WORDS];     /* bit s: series s has a value */
	uint64_t gap[HLOG_WORDS];     /* bit s: nothing is known before it, or at all */
	uint64_t growth[HLOG_SERIES]; /* where has */
	int64_t took_us[HLOG_SERIES]; /* likewise: time that the growth took, > 0 */
};

/* What the next record is told by. */
struct hlog_before {
	int64_t at_ms, took_us;
	uint64_t has[HLOG_WORDS];
};

struct hlog {
	struct hlog_block *first, *last;
	struct hlog_before before; /* at the end of the last block */
	uint32_t dropped;          /* blocks so far: the number of the first one */
	uint32_t records;
	uint32_t blocks, bytes; /* as hlog_bytes() says */
	/* Private to state_history.c: up to where it was saved last, block and byte. */
	uint32_t saved_block;
	uint16_t saved_used;
	uint8_t end; /* private: whether before is known */
};

static inline bool hlog_bit(const uint64_t *map, unsigned s)
{
	return map[s / 64] >> (s % 64) & 1U;
}

static inline void hlog_set(uint64_t *map, unsigned s)
{
	map[s / 64] |= UINT64_C(1) << (s % 64);
}

/* Bytes that a record of that many series may take. */
#define HLOG_RECORD_MOST (10 + 3 * (HLOG_SERIES / 7 + 1) + 20 * HLOG_SERIES + 1)

/* Appends. Returns the bytes of the block that it began: 0 when there was room. */
size_t hlog_append(struct hlog *l, const struct hlog_record *r);
/*
 * The same in two steps, for whoever must make room first: hlog_tell() returns what hlog_take()
 * will return. In between blocks may be dropped, but for the last, and nothing be appended.
 */
struct hlog_told {
	struct hlog_before after;
	size_t n;
	bool fits;
	unsigned char bytes[HLOG_RECORD_MOST];
};
size_t hlog_tell(struct hlog *l, const struct hlog_record *r, struct hlog_told *told);
size_t hlog_take(struct hlog *l, const struct hlog_record *r, const struct hlog_told *told);
/* Drops the first block; returns its bytes. Nothing when there is none. */
size_t hlog_drop(struct hlog *l);
size_t hlog_bytes(const struct hlog *l); /* of its blocks, as if all were full: they will be */
void hlog_free(struct hlog *l);

/* Reads records from a block on, oldest first. */
struct hlog_reader {
	const struct hlog_block *block;
	uint16_t at, record; /* in it */
	struct hlog_before before;
	bool bad; /* a block says what no writer wrote */
};
/* From the oldest one, or from the block where at most `newest` records more than that are left. */
void hlog_read(struct hlog_reader *r, const struct hlog *l, uint32_t newest);
/* False at the end. growth[] and took_us[] are set only where has is. */
bool hlog_next(struct hlog_reader *r, struct hlog_record *out);

/*
 * For loading: appends a block with room for size bytes, of which used are there; NULL when no
 * writer makes such a block.
 */
struct hlog_block *hlog_add_block(struct hlog *l, uint16_t size, uint16_t used);
/*
 * The last block, which may be elsewhere now, with memory for so many bytes of data. Most ports
 * have little to tell, so the first blocks of a log have memory as they need it.
 */
struct hlog_block *hlog_room(struct hlog *l, uint16_t bytes);
/*
 * Bytes of blocks were loaded. What they say is looked at when it is read, and what the next record
 * is told by when there is one: who looks for a moment passes by thousands of logs. A block that no
 * writer wrote ends its reading, and is not gone on with.
 */
void hlog_loaded(struct hlog *l);
/*
 * Whether every block from that one on is what a writer of that many series would have written;
 * sets what the next record is told by.
 */
bool hlog_valid(struct hlog *l, const struct hlog_block *from, unsigned series);

#endif
