/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_CODEC_BATCH_CODEC_INTERNAL_H
#define ARCHIVE_CODEC_BATCH_CODEC_INTERNAL_H

#include "archive/codec/entry.h"
#include "base/mem.h"

#define uthash_malloc(size)  mem_alloc(size)
#define uthash_free(p, size) free(p)
#include <uthash.h>

/* Bounds of one batch: those of fabric/vocabulary/observation.c. */
#define CODER_PORTS_MAX 4096
#define CODER_ITEMS_MAX 1000000
#define CODER_BGP_MAX   4096
#define CODER_TEXT_MAX  512

/* What a coder that reads may remember; one that writes is reset long before (coder_bytes()). */
#define CODER_MEMORY_MAX (256U << 20)

/* How a number of a batch is written. */
enum slot_kind {
	SLOT_COUNT,  /* the difference to the one before */
	SLOT_REAL,   /* three decimals where that is exact, else its bits */
	SLOT_TEXT,   /* number in the table of texts */
	SLOT_SAMPLE, /* a time that advances as that of the slot before does */
};

/* What an item of a kind consists of; written beside the kind's name. */
enum item_parts {
	PART_COUNT = 1,
	PART_REAL = 2,
	PART_TEXT = 4,
	PART_TEXT2 = 8,
	PARTS_ALL = 15,
};

/* What the code and sub of an item of a kind are about. */
enum item_about { ABOUT_NOTHING, ABOUT_COUNTER, ABOUT_ATTR, ABOUT_EVENT, ABOUT_COUNT };

struct kind_info {
	const char *name;
	uint8_t parts, about;
};
/* By enum obs_kind; facts are the collector's and have no name. */
#define CODER_KINDS (OBS_FACT + 1)
extern const struct kind_info coder_kinds[CODER_KINDS];
extern const char *const coder_attrs[OBS_ATTR_COUNT];
extern const char *const coder_groups[GROUP_COUNT];

/* What the numbers of what is read mean here; UNKNOWN_HERE: nothing. */
#define CODER_NAMES_MAX 1024
#define UNKNOWN_HERE    UINT16_MAX
struct code_map {
	uint16_t n;
	uint16_t here[CODER_NAMES_MAX];
};
struct code_maps {
	struct code_map counters, attrs, events, groups, kinds;
	uint8_t parts[CODER_NAMES_MAX], about[CODER_NAMES_MAX];
};

/* Writes, or reads into maps, the tables of names. */
void coder_names(struct state *s, struct code_maps *maps);

/* What an item is about, as one number: kind, code, sub, cell, and one up from its port. */
static inline uint64_t shape_key(
	uint8_t kind, uint8_t code, uint8_t sub, uint16_t cell, uint32_t port)
{
	/* Ports are at most CODER_PORTS_MAX. */
	return (uint64_t)kind | (uint64_t)code << 8 | (uint64_t)sub << 16 | (uint64_t)cell << 24 |
	       (uint64_t)(port == OBS_NO_PORT ? 0 : port + 1) << 40;
}

static inline uint64_t shape_key_of(const struct obs_item *it)
{
	return shape_key(it->kind, it->code, it->sub, it->cell, it->port);
}

struct shape_item {
	uint64_t key;  /* shape_key() */
	uint32_t slot; /* its first */
	uint8_t parts;
	bool known; /* else it is read and left out */
};

static inline struct obs_item shape_unkey(uint64_t key)
{
	uint32_t port = (uint32_t)(key >> 40);

	return (struct obs_item){.kind = (uint8_t)key,
		.code = (uint8_t)(key >> 8),
		.sub = (uint8_t)(key >> 16),
		.cell = (uint16_t)(key >> 24),
		.port = port ? port - 1 : OBS_NO_PORT};
}

struct shape_port {
	char name[NAME_MAX_LEN];
};

/* Of what is known here, and not said yet in this run. */
#define NOT_TOLD SIZE_MAX

/* Everything about a batch that is the same in the next one: its slots hold the rest. */
struct shape {
	uint64_t hash;
	size_t number; /* in this run; NOT_TOLD */
	size_t at;     /* in c->shapes */
	bool hashed;   /* in c->shapes_by_hash */
	bool used;     /* private to run.c */
	VEC(struct shape_port) ports;
	VEC(struct shape_item) items;
	VEC(uint8_t) kinds; /* of the slots before those of the records */
	uint32_t refresh_ms[GROUP_COUNT];
	bool narrow[COUNTERS_MAX];
	size_t bgp, nccl;
	size_t slots;
	UT_hash_handle hh;
};

/* Slots of a batch as a whole: received, device time, took, bytes. */
#define HEAD_SLOTS 4
#define BGP_SLOTS  9
#define NCCL_SLOTS 26
extern const uint8_t coder_bgp_kinds[BGP_SLOTS];
extern const uint8_t coder_nccl_kinds[NCCL_SLOTS];
enum slot_kind shape_slot_kind(const struct shape *h, size_t slot);

struct shape *shape_of(const struct obs *o);
bool shape_fits(const struct shape *h, const struct obs *o);
/* All but the items. */
bool shape_heads_fit(const struct shape *h, const struct obs *o);
bool shape_equal(const struct shape *a, const struct shape *b);
void shape_free(struct shape *h);
size_t shape_bytes(const struct shape *h);
void shape_save(struct state *s, const struct shape *h);
/* NULL: s->bad. */
struct shape *shape_load(struct state *s, const struct code_maps *maps);

struct known_text {
	uint32_t id;
	uint32_t offset; /* in the batch number batch that is being read */
	uint64_t batch;
	UT_hash_handle hh;
	char text[];
};

/* The batches of one request of one device. */
struct stream {
	size_t number;             /* in this run; NOT_TOLD */
	const struct shape *shape; /* of the last whole one; NULL none */
	bool said;                 /* packed is what was said last in this run */
	uint8_t quiet;             /* private to run.c: runs without a word */
	unsigned char *packed;     /* see pack.c; size bytes, used of them */
	size_t size, used;
	uint32_t batch; /* number of the last one, see struct obs */
	UT_hash_handle hh;
	uint16_t request, key_len; /* where that begins in key; bytes of key but its last NUL */
	char key[];                /* device, NUL, request, NUL */
};
#define STREAM_KEY_MAX (NAME_MAX_LEN + 32)

static inline size_t stream_bytes(const struct stream *st)
{
	return sizeof(*st) + st->key_len + 1U + st->size;
}

/* A number, and what was guessed. */
struct slot {
	size_t at;
	uint64_t now, was;
};

struct coder {
	bool named; /* the tables were written since the reset */
	int64_t t_us;
	size_t bytes;
	uint64_t batch;
	struct code_maps maps;
	struct known_text *string_pool_by_text;
	const struct known_text *text;  /* that was asked for last */
	VEC(struct known_text *) texts; /* by id, 0 is the empty one */
	size_t string_pool_told;
	struct stream *streams_by_key;
	VEC(struct stream *) streams; /* reading: by number */
	size_t streams_told;
	struct shape *shapes_by_hash;
	VEC(struct shape *) shapes; /* likewise */
	size_t shapes_told;
	VEC(uint64_t) now;
	VEC(uint64_t) before;
	VEC(unsigned char) pack;
	VEC(uint32_t) places;     /* items of a shape that the batch names, in order */
	VEC(struct slot) changed; /* slots that are not as guessed, in order */
	VEC(uint64_t) records;    /* of a batch, where they are not in now yet */
};

/* The number of a text that may be new. */
uint32_t coder_text(struct coder *c, const char *text);
/* Reading: adds the text to the batch, once. */
uint32_t coder_text_into(struct coder *c, struct obs *o, uint64_t id);
const char *coder_text_of(const struct coder *c, uint64_t id);
/* Writes a number of a text, with the text where it is new; or reads one. */
void coder_text_ref(struct coder *c, struct state *s, uint64_t *id);
/* What the batch says, as slots of its shape, into c->now. */
void coder_fill(struct coder *c, const struct obs *o, const struct shape *h, int64_t t_us);
void coder_unfill(struct coder *c, struct obs *o, const struct shape *h, int64_t t_us);
/* The same in pieces: slots up to the items' (their number), of one item, of the records. */
void coder_fill_head(const struct obs *o, int64_t t_us, uint64_t *to);
size_t shape_head(const struct shape *h);
size_t coder_fill_item(/* returns how many */
	struct coder *c, const struct obs *o, const struct obs_item *it, uint64_t *to);
void coder_fill_records(struct coder *c, const struct obs *o, uint64_t *to);
/* The items that c->places names, of c->now. */
void coder_unfill_places(struct coder *c, struct obs *o, const struct shape *h, int64_t t_us);

/* ---- batches that name only what moved (rest.c) ---- */

/* c->places of a batch of that shape that names not all; false: it names others. */
bool coder_rest_fits(struct coder *c, const struct shape *h, const struct obs *o);
void coder_save_places(const struct coder *c, struct state *s, const struct shape *h);
void coder_load_places(struct coder *c, struct state *s, const struct shape *h);
/* Writes the numbers of c->places; those of before are what the stream said in this run, if so. */
void coder_save_rest(
	struct coder *c, struct state *s, struct stream *st, const struct obs *o, int64_t t_us);

/* ---- what a stream said (pack.c) ---- */

/* What c->now says, of that shape, is what the next batch of the stream is compared with. */
void coder_remember(struct coder *c, struct stream *st, const struct shape *h);
/* The slots that were remembered last; valid until the next call. The stream has said something. */
const uint64_t *coder_before(struct coder *c, const struct stream *st);

/*
 * To change some of what a stream said, without looking at the rest: those of the head, which are
 * to be in c->now when it begins, then others in rising order.
 */
struct changing {
	struct coder *c;
	struct stream *st;
	size_t slot, at; /* of the group at hand: its first, and where it is */
};
const uint64_t *coder_before_head(struct coder *c, const struct stream *st);
void coder_change_begin(struct changing *g, struct coder *c, struct stream *st);
uint64_t coder_change(struct changing *g, size_t slot, uint64_t v); /* returns what it was */

/* ---- numbers as bytes (slots.c) ---- */

/* The slots as differences to before (NULL: nothing) */
void coder_save_slots(
	struct coder *c, struct state *s, const struct shape *h, const uint64_t *before);
/* The same where it is known which differ: c->changed. */
void coder_save_changed(struct coder *c, struct state *s, const struct shape *h);
/* Adds those of the head to c->changed. */
void coder_head_changed(struct coder *c, const struct shape *h, const uint64_t *before);
void coder_load_slots(
	struct coder *c, struct state *s, const struct shape *h, const uint64_t *before);
#endif
