/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_ENGINE_BOOK_PRIVATE_H
#define BACKENDS_ENGINE_BOOK_PRIVATE_H

#include <uthash.h>

#include "backends/engine_book.h"

/* Private to backends/engine_book*.c. */

/* Samples that are this close are of one scrape. */
#define SAME_SCRAPE_US INT64_C(1000000)

struct book_batch {
	int64_t us;
	bool news; /* it has numbers of ports, not just what was said about the device */
	struct obs *obs;
};

enum book_said { SAID_NOTHING, SAID_UNREACHABLE, SAID_UNAUTHORISED };

/* Who measures the device, of each mapping: it stays so while samples come. */
struct book_source {
	uint32_t is;       /* 0: nobody yet */
	int64_t newest_us; /* of its samples */
	uint32_t was;      /* who did in the moment of the past that is looked at */
	unsigned gather;   /* of that moment */
	int64_t floor_us;  /* it took over from another one, which had samples up to here */
};

/* What the last sample of a GPU said. */
struct book_gpu {
	uint32_t hash; /* of its PCI address */
	uint32_t xid;
	int64_t us;
};

struct book_device {
	const struct plan_device *plan;
	size_t index; /* in the plan */
	unsigned ports;
	bool heard;        /* something came of it before this gather */
	VEC(uint32_t) who; /* hashes of the labels that say who measures it */
	struct book_source sources[ENGINE_NAMES_MAX];
	int64_t said_us, told_us;
	enum book_said said;
	uint32_t warned; /* hash of the warning that it was told */
	VEC(struct book_batch) batches;
	VEC(struct book_gpu) gpus;
	struct obs *log; /* what they failed of in this gather; NULL: nothing */
};

/* A name or an address of a device. */
struct book_name {
	UT_hash_handle hh;
	uint32_t device;
	char name[];
};

struct book_port {
	UT_hash_handle hh;
	uint32_t device;
	uint32_t index; /* into ports */
	/* Where it is in batches of this gather. */
	struct {
		const struct obs *obs;
		uint32_t at;
	} in[2];
	unsigned gather;
	char name[]; /* with the device's number before it as the key */
};

struct book {
	const struct plan *plan;
	const struct engine_map *map;
	VEC(struct book_device) devices;
	struct book_name *names;
	VEC(struct book_port *) ports;
	struct book_port *by_name;
	VEC(uint32_t) touched; /* devices with batches or words */
	uint64_t seed;
	enum book_mode mode;
	unsigned gather;
	int64_t now_us, newest_us;
	struct book_counts counts;
};

/* ---- engine_book.c ---- */
/* Whether the samples of this source are taken, now that one of us came. */
bool book_source_ok(
	struct book *b, struct book_device *d, unsigned group, uint32_t source, int64_t us);

/* Whose the series at hand is. */
struct book_device *book_device_of(const struct book_query *q);

/* ---- engine_book_put.c ---- */
void book_put(struct book *b, struct book_query *q, const struct engine_sample *s);

#endif
