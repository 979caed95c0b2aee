/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_DIFFERENCE_DIFFERENCE_INTERNAL_H
#define DIAGNOSIS_DIFFERENCE_DIFFERENCE_INTERNAL_H

#include "diagnosis/difference/difference.h"

/* Shared by the files of diagnosis/difference. */

/* A setting that is no longer reported, and the number of ports of the device. */
struct lost {
	const char *what;
	unsigned n;
};
#define LOST_MAX 40

/* Ports of culprits, by name. */
#define CULPRITS_MAX 32
struct differ {
	const struct moment *a, *b;
	difference_vec *out;
	bool forward;  /* b is not before a */
	struct ref at; /* the object being compared: in b, or REF_NONE */
	char place[160];
	bool placed; /* place is filled, which is done late: most compared objects are equal */
	char culprits[CULPRITS_MAX][160];
	size_t nculprits;
	struct lost lost[LOST_MAX];
	size_t nlost;
	struct history_set *past; /* of the port of a that was read last */
};

/* Sets the place of the following differences. differ_gone(): the locator is of a, and b has no
 * such object. */
void differ_at(struct differ *x, struct ref at);
void differ_gone(struct differ *x, struct ref at_a);
/* Adds a difference at the current place; before and after are "-" until they are filled. */
struct difference *differ_add(
	struct differ *x, enum difference_kind kind, enum severity s, const char *what);
/* The same, with both texts; NULL and "": "-". */
struct difference *differ_texts(struct differ *x, enum difference_kind kind, enum severity s,
	const char *what, const char *before, const char *after);
/* A setting was known and no longer is. Its name must be a literal. */
void differ_lost(struct differ *x, const char *what);
/* Adds a difference when both are known and differ. "": unknown. The name must be a literal. */
struct difference *differ_words(struct differ *x, enum difference_kind kind, enum severity s,
	const char *what, const char *before, const char *after);
/* The same for whole numbers, with flags for known ones. */
struct difference *differ_numbers(struct differ *x, enum difference_kind kind, enum severity s,
	const char *what, bool known_a, uint64_t before, bool known_b, uint64_t after);
/* It was worse before. */
void differ_better(struct difference *d);

void differ_port(struct differ *x, const struct port *a, const struct port *b);
void differ_port_settings(struct differ *x, const struct port *a, const struct port *b);
void differ_counters(struct differ *x, const struct port *a, const struct port *b);
void differ_device_settings(struct differ *x, const struct device *a, const struct device *b);
void differ_sessions(struct differ *x, const struct device *a, const struct device *b);
void differ_findings(struct differ *x);

#endif
