/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_CUMULUS_NVUE_H
#define BACKENDS_DIALECTS_CUMULUS_NVUE_H

#include "backends/contract/backend.h"
#include "backends/contract/needs.h"
#include "backends/parse/tree.h"

/*
 * NVUE, the object tree of NVIDIA's network systems: by its REST API (GET /nvue_v1/PATH) or in a
 * shell (`nv show PATH -o json`). Both give the same objects, so that a dialect is a table of views
 * with a decoder each; how they are asked for, what a refusal looks like and which of them a
 * release has is here.
 *
 * What has no view of the whole box: the API selects a branch of all ports with
 * `interface?include=` and answers a row a port; a shell has to ask port by port, and `nv` takes
 * most of a second each time, so that over SSH such views belong to slower tiers.
 */

/*
 * Decodes what a view has of a port (OBS_NO_PORT: of the box). Returns those needs of the view that
 * have no counter and were met; those with one are judged by what was added to o.
 */
typedef need_set nvue_decode_fn(
	const struct target *t, struct obs *o, uint32_t port, const struct dv *v);

#define NVUE_NEVER POLL_TIER_COUNT

struct nvue_view {
	const char *request;
	enum poll_tier https, ssh; /* NVUE_NEVER: not asked over it */
	const char *path;          /* "interface/%/link": '%' is every port */
	nvue_decode_fn *decode;
	need_set needs;      /* what is lost without it */
	unsigned since;      /* the release that has it, 513 is 5.13; 0: any */
	const char *older;   /* its path before the release renamed, NULL: always the same */
	unsigned renamed;    /* a release */
	const char *command; /* over SSH, where it is not `nv show PATH -o json` */
	const char *unless;  /* over SSH not asked where this whole-box view is there */
	bool rows;           /* a row a port although there is no '%' in the path */
	bool spare;          /* of the whole box; where it is not, another view has the same */
	bool vital;          /* a system without it is none of this dialect */
	bool detect;         /* asked when the box has been connected to, too */
};

struct nvue {
	const struct nvue_view *views;
	size_t n;
	bool (*is_port)(const char *name); /* front-panel ports; others are left out */
};

/*
 * Over SSH, what asks for a branch of all ports; the branch's words stand in between. It prints
 * "@swp1" before each answer, and "@" when it has asked all. The kernel knows the ports sooner. It
 * ends itself after NVUE_LOOP_S: what it has is better than nothing.
 */
#define NVUE_LOOP_S 150
#define NVUE_LOOP_BEGIN                                                                            \
	"e=$(($(date +%s)+150)); for p in $(sed -n "                                               \
	"'s/^ *\\(swp[0-9s]*\\):.*/\\1/p' /proc/net/dev); do "                                     \
	"[ $(date +%s) -lt $e ] || exit 0; echo \"@$p\"; nv show interface $p "
#define NVUE_LOOP_END " -o json 2>&1; done; echo @"

/* Adds the requests of a tier, and over SSH "commands", the list of what can be shown, once. */
void nvue_plan(const struct nvue *n, const struct target *t, enum poll_tier tier,
	struct request_list *out);
/* backend_ops.parse() for what nvue_plan() asked. */
bool nvue_parse(const struct nvue *n, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *o, struct err *err);

/* The release that was learnt, 511 for 5.11.1; 0: not known (then all views are assumed). */
unsigned nvue_release(const struct target *t);
/*
 * Learns it from "Cumulus Linux 5.11.1", and says which needs it cannot meet yet. 0 when the text
 * has no release.
 */
unsigned nvue_learn_release(const struct nvue *n, struct obs *o, const char *text);
/* True when the box is known to have that view. */
bool nvue_has(const struct nvue *n, const struct target *t, const char *request);

#endif
