/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PROMETHEUS_MAPPING_H
#define BACKENDS_PROMETHEUS_MAPPING_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "fabric/vocabulary/counter.h"
#include "fabric/vocabulary/observation.h"

/*
 * Maps the series of a metrics engine to canonical counters, by rules from mapping files
 * (app/config/mapping_yaml.h). A rule covers the series of one metric; labels name their device,
 * port and priority.
 */

enum prometheus_tells {
	PROMETHEUS_COUNTER, /* a number of fabric/vocabulary/counters.def */
	PROMETHEUS_ATTR,    /* a number or a word of enum obs_attr */
	PROMETHEUS_WORDS,   /* labels are words about the device or the port */
	PROMETHEUS_UP,      /* 0: the exporter cannot reach the device */
	PROMETHEUS_STATE,   /* a label is the exporter's state of the device */
	PROMETHEUS_LLDP,    /* labels name the neighbour of the port */
	PROMETHEUS_NEED,    /* labels name a value that the device cannot report, and the reason */
	PROMETHEUS_NIC,     /* labels are driver and PCI address of a network interface */
	PROMETHEUS_GPU,     /* the last Xid error of a GPU; a label is its PCI address */
	PROMETHEUS_GPU_COUNTER, /* errors of a GPU, counted; likewise */
};

/* The source of a name. */
struct prometheus_label {
	char *label;   /* NULL: no label, the series is about the device */
	char *match;   /* extended regular expression for the whole value; its first group is the
			* name. NULL: the value is the name */
	regex_t regex; /* of match */
};

struct prometheus_word {
	enum obs_attr attr;
	char *label;
};

struct prometheus_value {
	double is;
	char *word;
};

struct prometheus_rule {
	char *metric; /* the exact name */
	char *where;  /* more label matchers in PromQL; NULL: none */
	struct prometheus_label device, port;
	enum prometheus_tells tells;
	counter_id counter;
	enum obs_attr attr;
	unsigned sub;    /* priority, lane or bin, if sub_label is NULL */
	char *sub_label; /* the label that holds it */
	double scale;    /* the series' value times scale is in our unit */
	VEC(struct prometheus_value)
	values; /* of PROMETHEUS_ATTR: its words; other values are ignored */
	VEC(struct prometheus_word) words; /* of PROMETHEUS_WORDS */
	/*
	 * PROMETHEUS_STATE: a. PROMETHEUS_LLDP: device a, port b. PROMETHEUS_NEED: need a, state b.
	 * PROMETHEUS_NIC: driver a, PCI address b. PROMETHEUS_GPU, PROMETHEUS_GPU_COUNTER: a;
	 * PROMETHEUS_GPU with b: the label of the code, the number counts recent errors.
	 */
	char *a, *b;
	bool interface;    /* port names a network interface; its RDMA device is the port, if any */
	bool joined;       /* only for interfaces that are or belong to a port by other rules */
	bool cursor;       /* only for the device under the cursor */
	int64_t every_us;  /* 0: each round */
	int64_t others_us; /* likewise for priorities that are not lossless; 0: every_us applies */
	unsigned group;    /* the mapping of the rule: index into the map's names */
	char source[96];   /* "railtop.map:12", for messages */
};

struct prometheus_map {
	VEC(struct prometheus_rule *) rules;
	VEC(char *) names; /* of the mappings, in order */
};

#define PROMETHEUS_RULES_MAX 4096
#define PROMETHEUS_NAMES_MAX 8

struct prometheus_map *prometheus_map_new(void);
void prometheus_map_free(struct prometheus_map *map); /* NULL is allowed */

struct prometheus_rule *prometheus_rule_new(void);
void prometheus_rule_free(struct prometheus_rule *r); /* NULL is allowed */

/*
 * Sets a name from a label; match may be NULL. ERR_CONFIG: match is not a regular expression, or
 * has no group.
 */
bool prometheus_label_set(
	struct prometheus_label *l, const char *label, const char *match, struct err *err);
void prometheus_label_free(struct prometheus_label *l);
/* Gets the name from a value of the label; false: it has none. dst has NAME_MAX_LEN bytes. */
bool prometheus_label_name(const struct prometheus_label *l, const char *value, char *dst);

/* An attribute as a mapping file may name it; see man/railtop-mapping.5. */
struct prometheus_attr {
	const char *name;
	enum obs_attr attr;
	bool word;   /* else a number */
	bool device; /* of the device, else of a port */
	bool sub;    /* one per priority */
};
/* Returns NULL for an unknown name. */
const struct prometheus_attr *prometheus_attr_by_name(const char *name);
const struct prometheus_attr *prometheus_attr_of(enum obs_attr attr);
const char *prometheus_attr_names(void); /* separated by ", " */

#endif
