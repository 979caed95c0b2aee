/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_CODEC_BATCH_CODEC_INTERNAL_H
#define ARCHIVE_CODEC_BATCH_CODEC_INTERNAL_H

#include "archive/codec/entry.h"
#include "base/mem.h"

#define uthash_malloc(size)  mem_alloc(size)
#define uthash_free(p, size) free(p)
#include <uthash.h>

/* Limits of one batch: those of fabric/vocabulary/observation.c. */
#define CODER_PORTS_MAX 4096
#define CODER_ITEMS_MAX 1000000
#define CODER_BGP_MAX   4096
#define CODER_TEXT_MAX  512

/* Limit of a reader's memory. A writer is reset long before it, see coder_bytes(). */
#define CODER_MEMORY_MAX (256U << 20)

/* ---- names of enums (names.c) ---- */

#define CODER_NAMES_MAX 1024
#define UNKNOWN_HERE    UINT16_MAX
/* Maps the numbers of a file to the numbers of this program. */
struct name_map {
	uint16_t n;
	uint16_t here[CODER_NAMES_MAX];
};
struct name_maps {
	struct name_map counters, attrs, events, groups, kinds;
};
extern const char *const coder_attrs[OBS_ATTR_COUNT];
extern const char *const coder_groups[GROUP_COUNT];

/* Saves the tables of names, or loads them. Fills the maps either way. */
void names_visit(struct state *s, struct name_maps *maps);
uint16_t names_map(const struct name_map *map, uint32_t number);

/* ---- layouts: a batch without its values (layout.c) ---- */

struct layout_head {
	size_t items, ports, bgp, nccl;
	uint32_t refresh_ms[GROUP_COUNT];
	bool narrow[COUNTERS_MAX];
};

/*
 * Words describe a layout: its head, the names of the ports, and a key for each item. Two layouts
 * with equal words are equal.
 */
typedef VEC(uint64_t) words;
#define LAYOUT_HEAD ((sizeof(struct layout_head) + sizeof(uint64_t) - 1) / sizeof(uint64_t))
#define LAYOUT_NAME (NAME_MAX_LEN / sizeof(uint64_t))
void layout_words(const struct obs *o, words *w);

#define NOT_TOLD SIZE_MAX
struct layout {
	size_t number; /* in this run; NOT_TOLD */
	bool used;     /* private to coder_run() */
	struct layout_head head;
	uint64_t *words;
	size_t words_n;
	/* The slot of each item among the items of a row: counters of one kind stand together. */
	uint32_t *slot;
	UT_hash_handle hh;
};
struct layout *layout_new(const words *w);
void layout_free(struct layout *h);
size_t layout_bytes(const struct layout *h);
void layout_save(struct state *s, struct layout *h, const struct name_maps *maps);
struct layout *layout_load(struct state *s, const struct name_maps *maps); /* NULL: s->bad */
bool layout_is(const struct layout *h, const words *w);

const char *layout_port(const struct layout *h, size_t port);
/* A key for each item; KEY_UNKNOWN where this version does not know the item of a file. */
#define KEY_UNKNOWN UINT64_MAX
const uint64_t *layout_keys(const struct layout *h);
/* Sets the fields of an item that are not values. */
static inline void layout_item(uint64_t key, struct obs_item *it)
{
	it->kind = (uint8_t)key;
	it->code = (uint8_t)(key >> 8);
	it->sub = (uint8_t)(key >> 16);
	it->cell = (uint16_t)(key >> 24);
	it->port = (uint32_t)(key >> 40) - 1;
}

/*
 * A batch that has only some items of a layout. slots: those of its items, in their order. named:
 * for each slot, whether the batch has it.
 */
struct part {
	VEC(uint32_t) slots;
	VEC(bool) named;
};
/* w: the words of the batch. False: it has something that the layout lacks. */
bool layout_part(const struct layout *h, const words *w, struct part *p);
void part_visit(struct state *s, size_t items, struct part *p); /* named */

/* ---- coder ---- */

struct known_text {
	uint32_t id;
	uint32_t offset; /* in the batch being read, if batch is its number */
	uint64_t batch;
	UT_hash_handle hh;
	char text[];
};

struct stream_key {
	char device[NAME_MAX_LEN], request[32];
};

/* The batches of one request of one device. */
struct stream {
	struct stream_key key;
	size_t number;         /* in this run; NOT_TOLD */
	struct layout *layout; /* of the last whole batch; NULL: none */
	bool told;             /* row has values that this run has told */
	uint8_t quiet;         /* runs without a batch */
	uint32_t batch;        /* number of the last batch, see struct obs */
	unsigned char *row;    /* the last values, as row_save() writes them */
	size_t row_n;
	UT_hash_handle hh;
};

struct coder {
	bool named; /* the tables of names were visited in this run */
	int64_t t_us;
	size_t bytes;
	uint64_t batch; /* number of batches read */
	struct name_maps maps;
	struct known_text *texts_by_text;
	const struct known_text *text;  /* the last one looked up */
	VEC(struct known_text *) texts; /* by id - 1; id 0 is the empty text */
	size_t texts_told;
	struct stream *streams_by_key;
	VEC(struct stream *) streams; /* reader: by number */
	size_t streams_told;
	struct layout *layouts_by_words;
	VEC(struct layout *) layouts; /* reader: by number */
	size_t layouts_told;
	/* Scratch memory. */
	words words;    /* of the batch */
	words now, was; /* rows */
	struct part part;
	struct buf packed;
};

uint32_t coder_text(struct coder *c, const char *text); /* its id; adds a new text */
const char *coder_text_of(const struct coder *c, uint64_t id);
/* Reading: adds the text to the batch, once. */
uint32_t coder_text_into(struct coder *c, struct obs *o, uint64_t id);

/* ---- rows: the values of a batch (row.c) ---- */

size_t row_length(const struct layout *h);
/* Writes a batch to the row c->now, and back. p: NULL for a batch with all items. */
void row_fill(struct coder *c, const struct obs *o, int64_t t_us, const struct layout *h,
	const struct part *p);
void row_take(
	struct coder *c, struct obs *o, int64_t t_us, const struct layout *h, const struct part *p);
/* Saves a row of n numbers as differences to was. Loading adds the differences to the row. */
void row_save(struct state *s, const uint64_t *now, const uint64_t *was, size_t n);
void row_load(struct state *s, uint64_t *row, size_t n);
#endif
