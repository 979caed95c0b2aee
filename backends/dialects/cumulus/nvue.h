/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_CUMULUS_NVUE_H
#define BACKENDS_DIALECTS_CUMULUS_NVUE_H

#include "backends/contract/backend.h"
#include "backends/contract/needs.h"
#include "backends/parse/tree.h"

/*
 * NVUE, the object tree of NVIDIA's network systems, through its REST API (GET /nvue_v1/PATH) or in
 * a shell (`nv show PATH -o json`). Both return the same objects. So a dialect is a table of views
 * with one decoder each. NVUE's requests, refusals and differences between releases are handled
 * here.
 *
 * Some branches have no view of the whole system. For these the API selects a branch of all ports
 * with `interface?include=` and returns a row per port. A shell must query port by port, and each
 * `nv` takes most of a second. So over SSH such views belong to slower tiers.
 */

/*
 * Decodes a view of a port (OBS_NO_PORT: of the system). Returns the met needs of the view that
 * have no counter; needs with a counter are derived from the additions to o.
 */
typedef need_set nvue_decode_fn(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v);

#define NVUE_NEVER POLL_TIER_COUNT

struct nvue_view {
	const char *request;
	enum poll_tier https, ssh; /* tier; NVUE_NEVER: not available */
	const char *path;          /* "interface/%/link": '%' is every port */
	nvue_decode_fn *decode;
	need_set needs;      /* unmet without this view */
	unsigned since;      /* first release with it, 513 is 5.13; 0: any */
	const char *older;   /* its path before the release renamed, NULL: always the same */
	unsigned renamed;    /* a release */
	const char *command; /* over SSH, if it is not `nv show PATH -o json` */
	const char *unless;  /* over SSH, skipped if this whole-box view exists */
	bool rows;           /* one row per port although there is no '%' in the path */
	bool spare;          /* a whole-box view; another view replaces it where it is missing */
	bool vital;          /* required: a system without it does not match this dialect */
	bool detect;         /* also requested right after connecting */
	bool others;         /* rows of interfaces that are no ports of the front panel */
};

struct nvue {
	const struct nvue_view *views;
	size_t n;
	bool (*is_port)(const char *name); /* front-panel ports; others are ignored */
};

/*
 * The loop that queries a branch of all ports over SSH; the branch's words stand between the two
 * parts. It prints "@swp1" before each answer, and "@" after the last. It takes the ports from the
 * kernel, which is faster. It ends after NVUE_LOOP_S: a partial result is better than none.
 */
#define NVUE_LOOP_S 150
#define NVUE_LOOP_BEGIN                                                                            \
	"e=$(($(date +%s)+150)); for p in $(sed -n "                                               \
	"'s/^ *\\(swp[0-9s]*\\):.*/\\1/p' /proc/net/dev); do "                                     \
	"[ $(date +%s) -lt $e ] || exit 0; echo \"@$p\"; nv show interface $p "
#define NVUE_LOOP_END " -o json 2>&1; done; echo @"

/* Adds the requests of a tier. Over SSH it adds "commands", the list of available views, once. */
void nvue_plan(const struct nvue *n, const struct target *t, enum poll_tier tier,
	struct request_list *out);
/* backend_ops.parse() for the requests of nvue_plan(). */
bool nvue_parse(const struct nvue *n, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *o, struct err *err);

/* Returns the known release, 511 for 5.11.1; 0: unknown (all views are assumed). */
unsigned nvue_release(const struct target *t);
/*
 * Learns the release from "Cumulus Linux 5.11.1", and reports the needs that it cannot meet.
 * Returns 0 if the text has no release.
 */
unsigned nvue_learn_release(const struct nvue *n, struct obs *o, const char *text);
/* True: the system is known to have that view. */
bool nvue_has(const struct nvue *n, const struct target *t, const char *request);

#endif
