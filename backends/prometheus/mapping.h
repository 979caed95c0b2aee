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

enum engine_tells {
	ENGINE_COUNTER, /* a number of fabric/vocabulary/counters.def */
	ENGINE_ATTR,    /* a number or a word of enum obs_attr */
	ENGINE_WORDS,   /* labels are words about the device or the port */
	ENGINE_UP,      /* 0: the exporter cannot reach the device */
	ENGINE_STATE,   /* a label is the exporter's state of the device */
	ENGINE_LLDP,    /* labels name the neighbour of the port */
	ENGINE_NEED,    /* labels name a value that the device cannot report, and the reason */
	ENGINE_GPU,     /* the last Xid error of a GPU; a label is its PCI address */
};

/* The source of a name. */
struct engine_label {
	char *label;   /* NULL: no label, the series is about the device */
	char *match;   /* extended regular expression for the whole value; its first group is the
			* name. NULL: the value is the name */
	regex_t regex; /* of match */
};

struct engine_word {
	enum obs_attr attr;
	char *label;
};

struct engine_value {
	double is;
	char *word;
};

struct engine_rule {
	char *metric; /* the exact name */
	char *where;  /* more label matchers in PromQL; NULL: none */
	struct engine_label device, port;
	enum engine_tells tells;
	enum counter_id counter;
	enum obs_attr attr;
	unsigned sub;                    /* priority, lane or bin, if sub_label is NULL */
	char *sub_label;                 /* the label that holds it */
	double scale;                    /* the series' value times scale is in our unit */
	VEC(struct engine_value) values; /* of ENGINE_ATTR: its words; other values are ignored */
	VEC(struct engine_word) words;   /* of ENGINE_WORDS */
	/*
	 * ENGINE_STATE: a. ENGINE_LLDP: device a, port b. ENGINE_NEED: need a, state b.
	 * ENGINE_GPU: a.
	 */
	char *a, *b;
	bool cursor;       /* only for the device under the cursor */
	int64_t every_us;  /* 0: each round */
	int64_t others_us; /* likewise for priorities that are not lossless; 0: every_us applies */
	unsigned group;    /* the mapping of the rule: index into the map's names */
	char source[96];   /* "railtop.map:12", for messages */
};

struct engine_map {
	VEC(struct engine_rule *) rules;
	VEC(char *) names; /* of the mappings, in order */
};

#define ENGINE_RULES_MAX 4096
#define ENGINE_NAMES_MAX 8

struct engine_map *engine_map_new(void);
void engine_map_free(struct engine_map *map); /* NULL is allowed */

struct engine_rule *engine_rule_new(void);
void engine_rule_free(struct engine_rule *r); /* NULL is allowed */

/*
 * Sets a name from a label; match may be NULL. ERR_CONFIG: match is not a regular expression, or
 * has no group.
 */
bool engine_label_set(
	struct engine_label *l, const char *label, const char *match, struct err *err);
void engine_label_free(struct engine_label *l);
/* Gets the name from a value of the label; false: it has none. dst has NAME_MAX_LEN bytes. */
bool engine_label_name(const struct engine_label *l, const char *value, char *dst);

/* An attribute as a mapping file may name it; see man/railtop-mapping.5. */
struct engine_attr {
	const char *name;
	enum obs_attr attr;
	bool word;   /* else a number */
	bool device; /* of the device, else of a port */
	bool sub;    /* one per priority */
};
/* Returns NULL for an unknown name. */
const struct engine_attr *engine_attr_by_name(const char *name);
const struct engine_attr *engine_attr_of(enum obs_attr attr);
const char *engine_attr_names(void); /* separated by ", " */

#endif
