/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_SERIES_INDEX_PRIVATE_H
#define BACKENDS_PROMETHEUS_SERIES_INDEX_PRIVATE_H

#include <uthash.h>

#include "backends/prometheus/series_index.h"

/* Private to backends/prometheus/series_index*.c. */

/* Samples less than this apart belong to one scrape. */
#define SAME_SCRAPE_US INT64_C(1000000)

struct series_index_batch {
	int64_t us;
	bool news; /* it has port counters, not only device states */
	struct obs *obs;
};

enum series_index_said { SAID_NOTHING, SAID_UNREACHABLE, SAID_UNAUTHORISED, SAID_NOT_UNDERSTOOD };

/*
 * The source (exporter) of a device's samples, one per mapping. It stays the same as long as its
 * samples arrive.
 */
struct series_index_source {
	uint32_t is;       /* hash of its labels; 0: none yet */
	int64_t newest_us; /* time of its newest sample */
	uint32_t was;      /* the source used in the past moment that is being read */
	unsigned gather;   /* the gather of that moment */
	int64_t floor_us;  /* samples up to this time belong to the source before it */
};

/* The last Xid sample of a GPU. */
struct series_index_gpu {
	uint32_t hash; /* hash of its PCI address */
	uint32_t xid;
	int64_t us;
};

struct series_index_device {
	const struct plan_device *plan;
	size_t index; /* index in the plan */
	unsigned ports;
	bool heard;        /* an earlier gather had samples of it */
	VEC(uint32_t) who; /* hashes of the labels of its sources */
	struct series_index_source sources[PROMETHEUS_NAMES_MAX];
	int64_t said_us, told_us;
	enum series_index_said said;
	uint32_t warned; /* hash of the last warning reported for it */
	VEC(struct series_index_batch) batches;
	VEC(struct series_index_gpu) gpus;
	/* Bit masks of needs that it does not meet: as last reported, and in this gather. */
	uint64_t needs, needs_now;
	unsigned needs_gather; /* the gather that listed all of them */
	size_t items;          /* number of items of its last batch */
	VEC(uint32_t) nics;    /* ports of series_index_join_note(); empty without such rules */
	bool interfaces;       /* one of them is an interface */
	bool join_again;       /* something was learnt of them */
	struct obs *log;       /* GPU errors of this gather; NULL: none */
};

/* A name or an address of a device. */
struct series_index_name {
	UT_hash_handle hh;
	uint32_t device;
	char name[];
};

/*
 * A port lives as long as its book. There may be hundreds of thousands, so ports have their own
 * memory.
 */
struct series_index_port {
	uint32_t device;
	uint32_t index; /* into ports */
	uint32_t hash;
	uint32_t next; /* index plus one of the port that was met after it; 0: none */
	/* Its place in the batches of this gather. */
	struct {
		const struct obs *obs;
		uint32_t at;
		uint32_t us; /* the lowest bits of its sample time there */
	} in[2];
	unsigned gather;
	/* Of a host's NIC, see series_index_join.c. */
	uint32_t joined; /* of an interface: its RDMA device, index plus one; 0: none */
	uint64_t pci;    /* 0: unknown */
	uint64_t seen;   /* rules that another rule may replace, a bit each */
	char driver[12]; /* without its end if it is longer */
	uint8_t kinds;   /* NIC_RDMA and so on; 0: not known */
	uint8_t mark;    /* while partners are sought */
	bool named;      /* a series names its partner */
	uint8_t len;
	char name[];
};
enum {
	NIC_RDMA = 1,      /* rules of RDMA devices name it */
	NIC_INTERFACE = 2, /* rules of network interfaces do */
	NIC_WEAK = 4,      /* rules that every interface of the host has */
};
/* Ports of one batch of a host. */
#define OBS_JOIN_PORTS 1024

struct series_index_room {
	struct series_index_room *before;
	size_t used;
};

struct series_index {
	const struct plan *plan;
	const struct prometheus_map *map;
	VEC(struct series_index_device) devices;
	struct series_index_name *names;
	struct series_index_name
		*values; /* label values that hold more than a name, by rule and value */
	size_t n_values;
	VEC(uint16_t) alike; /* per rule: the first rule that finds devices in the same way */
	VEC(struct series_index_port *) ports;
	uint32_t *slots; /* ports by device and name: index plus one, 0: free */
	size_t n_slots;  /* a power of two; more than half of them are free */
	struct series_index_room *room;
	VEC(uint32_t) touched; /* devices with batches or states */
	uint64_t seed;
	enum series_index_mode mode;
	bool full; /* the list of series is full: see series_index_keep() */
	unsigned gather;
	int64_t now_us, newest_us;
	int64_t spacing_us[PROMETHEUS_NAMES_MAX]; /* per mapping, see series_index_spacing() */
	struct series_index_counts counts;
	bool joins;            /* the map has rules of network interfaces */
	VEC(uint8_t) rule_bit; /* per rule, with joins: its bit in `seen` of a port; 0: none */
	VEC(uint64_t) better;  /* likewise: bits of the rules before it that tell the same */
};

/* ---- series_index.c ---- */
/* Returns whether samples of this source are used; one with time us has arrived. */
bool series_index_source_ok(struct series_index *b, struct series_index_device *d, unsigned group,
	uint32_t source, int64_t us);

/* Finds a device by name or address; false: there is none. */
bool series_index_find_device(
	const struct series_index *b, const char *name, size_t len, uint32_t *device);
/* Finds or creates the port; NULL: the device has too many ports. */
struct series_index_port *series_index_port_of(
	struct series_index *b, uint32_t device, const char *name);
/* Returns the device of the series being read. */
static inline struct series_index_device *series_index_device_of(const struct series_index_query *q)
{
	const struct series_index *b = q->book;
	uint32_t place = q->series->place;

	return &b->devices.at[b->map->rules.at[q->series->rule]->port.label
				      ? b->ports.at[place]->device
				      : place];
}

/* ---- series_index_near.c ---- */
/* "3", "UC3", "Ethernet0:3": the number at the end; false: none of this rule. */
bool series_index_sub_of(
	const struct prometheus_rule *r, const char *text, size_t len, uint8_t *sub);
/*
 * Returns the hash of a source: of its values of the NEAR_WHO labels series_index_who_labels. NULL:
 * no value.
 */
extern const char *const series_index_who_labels[NEAR_WHO];
uint32_t series_index_who_hash(const char *const *values, const size_t *lens);
/* Returns the number of a source among those of the device; false: there are too many. */
bool series_index_who_of(struct series_index_device *d, uint32_t hash, uint16_t *source);

/* Words are in the labels; all else is known without them. */
bool series_index_says_labels(const struct prometheus_rule *r);
/* s was learnt: the next one is compared with it. raw: as of series() of the reader. */
void series_index_near_begin(struct series_index_query *q, const struct prometheus_labels *l,
	const char *raw, size_t len, const struct series *s);
/* Identifies a series by its differences from the last one; false: read its labels. */
bool series_index_near(struct series_index_query *q, const char *raw, size_t len, struct series *s);
/* The device that the value of a label names by the rule; false: none of the plan. */
bool series_index_device_named(
	struct series_index *b, uint16_t rule, const char *value, uint32_t *device);
void series_index_near_open(
	struct series_index *b); /* a part of series_index_new(), and of series_index_free() */
void series_index_near_free(struct series_index *b);

/* ---- series_index_join.c: interfaces of RDMA devices ---- */
/* A part of series_index_new(), and of series_index_free(). */
void series_index_join_open(struct series_index *b);
void series_index_join_free(struct series_index *b);
/* A sample of the port has come by this rule. */
void series_index_join_note(
	struct series_index *b, struct series_index_port *p, const struct prometheus_rule *r);
/* A series says which interface is below the RDMA device. */
void series_index_join_named(
	struct series_index *b, const struct series_index_port *rdma, const char *interface);
/* A series says the driver and the PCI address of an interface; each may be NULL. */
void series_index_join_nic(
	struct series_index *b, struct series_index_port *p, const char *driver, const char *pci);
/*
 * Joins the ports in the device's batches. Until then, the text of a number is its rule plus one.
 */
void series_index_join(struct series_index *b, struct series_index_device *d);

/* ---- series_index_put.c ---- */
void series_index_put(
	struct series_index *b, struct series_index_query *q, const struct prometheus_sample *s);

#endif
