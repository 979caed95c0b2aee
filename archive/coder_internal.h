/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_CODER_INTERNAL_H
#define ARCHIVE_CODER_INTERNAL_H

#include "archive/entry.h"
#include "base/mem.h"

#define uthash_malloc(size)  mem_alloc(size)
#define uthash_free(p, size) free(p)
#include <uthash.h>

/* Bounds of one batch: those of fabric/observation.c. */
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

struct shape_item {
	uint8_t kind, code, sub, parts;
	uint16_t cell;
	bool known; /* else it is read and left out */
	uint32_t port;
};

struct shape_port {
	char name[NAME_MAX_LEN];
};

/* Everything about a batch that is the same in the next one: its slots hold the rest. */
struct shape {
	uint64_t hash;
	size_t number;
	VEC(struct shape_port) ports;
	VEC(struct shape_item) items;
	VEC(uint8_t) kinds; /* of the slots before those of the records */
	uint32_t refresh_ms[GROUP_COUNT];
	bool narrow[COUNTER_COUNT];
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
bool shape_item_is(const struct shape_item *h, const struct obs_item *it);
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
	char key[NAME_MAX_LEN + 40]; /* device, blank, request */
	char device[NAME_MAX_LEN], request[32];
	size_t number;
	const struct shape *shape; /* of the last one; NULL none */
	unsigned char *packed;     /* what that said, see coder_before(); size bytes */
	size_t size;
	uint32_t batch; /* number of the last one, see struct obs */
	UT_hash_handle hh;
};

struct coder {
	bool named; /* the tables were written since the reset */
	int64_t t_us;
	size_t bytes;
	uint64_t batch;
	struct code_maps maps;
	struct known_text *texts_by_text;
	VEC(struct known_text *) texts; /* by id, 0 is the empty one */
	size_t texts_told;
	struct stream *streams_by_key;
	VEC(struct stream *) streams;
	struct shape *shapes_by_hash;
	VEC(struct shape *) shapes;
	VEC(uint64_t) now;
	VEC(uint64_t) before;
	VEC(unsigned char) pack;
	VEC(uint8_t) places; /* of the items of a shape: 1 where the batch names it */
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
/* The same of what c->places names; the other slots are as before. */
void coder_fill_places(struct coder *c, const struct obs *o, const struct shape *h, int64_t t_us,
	const uint64_t *before);
void coder_unfill_places(struct coder *c, struct obs *o, const struct shape *h, int64_t t_us);
/* coder_rest.c: c->places of a batch of that shape that names not all; false: it names others. */
bool coder_rest_fits(struct coder *c, const struct shape *h, const struct obs *o);
void coder_save_places(const struct coder *c, struct state *s);
void coder_load_places(struct coder *c, struct state *s, const struct shape *h);
/* What c->now says, of that shape, is what the next batch of the stream is compared with. */
void coder_remember(struct coder *c, struct stream *st, const struct shape *h);
/* The slots that were remembered last; valid until the next call. The stream has a shape. */
const uint64_t *coder_before(struct coder *c, const struct stream *st);
/* The slots as differences to before (NULL: nothing) */
void coder_save_slots(
	struct coder *c, struct state *s, const struct shape *h, const uint64_t *before);
void coder_load_slots(
	struct coder *c, struct state *s, const struct shape *h, const uint64_t *before);
#endif
