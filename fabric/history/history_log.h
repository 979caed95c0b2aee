/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HISTORY_HISTORY_LOG_H
#define FABRIC_HISTORY_HISTORY_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A log of the charted counters of one port: a queue of blocks of records. Records are written at
 * the end, blocks are dropped at the front, and nothing in between changes. Growth is kept as
 * whole numbers with the time that it took. So a rate reads back exactly as it was, and sums of
 * records lose nothing.
 *
 * A record is encoded as the difference from the record before it in its block:
 *   the time;
 *   a bitmap of its counters when it has others than the record before;
 *   a bitmap of the counters that moved;
 *   the time that their growth took;
 *   and the growth of each.
 * Bitmaps and numbers have 7 bits a byte. The first record of a block is complete, so any block
 * can be read without the blocks before it.
 */
#define HLOG_SERIES 128 /* charted counters of one port */
#define HLOG_WORDS  (HLOG_SERIES / 64)
/* Bytes of a block, its header included. A larger record gets a block of its own. */
#define HLOG_BLOCK 504U

struct hlog_block {
	struct hlog_block *next;
	int64_t first_ms, last_ms; /* times of its first and its last record */
	uint16_t used, size;       /* bytes of data */
	uint16_t records;
	uint16_t room; /* private: bytes of data allocated, see hlog_room() */
	unsigned char data[];
};

/* Times are wall times, 0 to HLOG_MS_MOST. */
#define HLOG_MS_MOST (INT64_MAX / 4000)
struct hlog_record {
	int64_t at_ms;                /* of the answer */
	uint64_t has[HLOG_WORDS];     /* bit s: series s has a value */
	uint64_t gap[HLOG_WORDS];     /* bit s: a gap before it, or no data at all */
	uint64_t growth[HLOG_SERIES]; /* valid where has is set */
	int64_t took_us[HLOG_SERIES]; /* the same: time that the growth took, > 0 */
};

/* The state that the next record is encoded against. */
struct hlog_before {
	int64_t at_ms, took_us;
	uint64_t has[HLOG_WORDS];
};

struct hlog {
	struct hlog_block *first, *last;
	struct hlog_before before; /* at the end of the last block */
	uint32_t dropped;          /* blocks dropped so far: the number of the first one */
	uint32_t records;
	uint32_t blocks, bytes; /* bytes: as in hlog_bytes() */
	/* Private to state_history.c: end of the last save, block and byte. */
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

/* Most bytes of a record with that many series. */
#define HLOG_RECORD_MOST (10 + 3 * (HLOG_SERIES / 7 + 1) + 20 * HLOG_SERIES + 1)

/* Appends a record. Returns the bytes of the block that it began; 0: the last block had room. */
size_t hlog_append(struct hlog *l, const struct hlog_record *r);
/*
 * The same in two steps, for a caller that must make room first. hlog_tell() returns the result
 * that hlog_take() will return. In between, blocks other than the last may be dropped, and nothing
 * may be appended.
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
size_t hlog_bytes(const struct hlog *l); /* of its blocks, counted as full */
void hlog_free(struct hlog *l);

/* Reads records from a block on, oldest first. */
struct hlog_reader {
	const struct hlog_block *block;
	uint16_t at, record; /* position in the block */
	struct hlog_before before;
	bool bad; /* the block is not one that this code writes */
};
/* Starts at the oldest record, or at the latest block from which at least `newest` records
 * remain. */
void hlog_read(struct hlog_reader *r, const struct hlog *l, uint32_t newest);
/* False at the end. growth[] and took_us[] are set only where has is. */
bool hlog_next(struct hlog_reader *r, struct hlog_record *out);

/*
 * For loading: appends a block with room for size bytes, of which `used` are in use. NULL: no
 * writer makes such a block.
 */
struct hlog_block *hlog_add_block(struct hlog *l, uint16_t size, uint16_t used);
/*
 * The last block with memory for that many bytes of data; it may have moved. Most ports have few
 * records, so the first blocks of a log grow as needed.
 */
struct hlog_block *hlog_room(struct hlog *l, uint16_t bytes);
/*
 * Call this after the bytes of blocks were loaded. Their content is checked when it is read. The
 * state for the next record is found when one is appended: a viewer of one moment skips thousands
 * of logs. A malformed block ends its reading, and nothing is appended to it.
 */
void hlog_loaded(struct hlog *l);
/*
 * Whether every block from that one on is one that a writer with that many series could have
 * written. Sets the state that the next record is encoded against.
 */
bool hlog_valid(struct hlog *l, const struct hlog_block *from, unsigned series);

#endif
