/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_PLAN_PLAN_H
#define ACTIONS_PLAN_PLAN_H

#include <jansson.h>

#include "actions/kinds/action.h"

/*
 * The plan of one action: the requests for the device, the reasons, and the way back. An operator
 * reads it before typing the port's name. A second operator approves it by its hash. The ledger
 * keeps it.
 */
struct act_plan {
	char id[40];   /* "20261122T010203Z-4f2a91": of this attempt */
	char hash[65]; /* SHA-256 of the plan's content (act_plan_seal()) */
	const struct action_ops *action;
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN]; /* port "": the device */
	int priority;                                  /* -1: none */
	char place[2 * NAME_MAX_LEN + 4];              /* locator: "leaf-r3-00:Ethernet12:3" */
	char peer[2 * NAME_MAX_LEN + 4]; /* the link's other end, "node012:mlx5_3"; "" not known */
	char typed[NAME_MAX_LEN]; /* the confirmation that the operator types: the port's name, else
				     the device's */
	char dialect[16], transport[8];
	struct condition before;
	struct blast blast;
	step_vec steps;
	words_vec words; /* of an action in words, which has no steps */
	char expect[200];
	int64_t made_us; /* wall clock */
};

/*
 * Makes the plan from the condition that was read: compose(), then the dialect's command() for each
 * step and its undo, with the site's lines from the inventory if there are any. False (ERR_REFUSED,
 * ...): nothing can be planned.
 */
bool act_plan_make(const struct place_of_action *at, const struct action_ops *action,
	const struct condition *now, struct act_plan *out, struct err *err);
void act_plan_free(struct act_plan *p);
/*
 * Makes an id from the time to the second and 24 random bits, unique among all machines. ERR_IO
 * without random bits.
 */
bool act_plan_name(int64_t wall_us, char *dst, size_t size, struct err *err);
/*
 * Computes the hash over action, device, port, priority, the condition's settings (not its counters
 * and times) and every request byte. So the approval covers exactly the requests that are sent.
 */
void act_plan_seal(struct act_plan *p);

/*
 * Writes one request as a person would type it: "sudo -n pfcwd stop Ethernet12". HTTPS: method and
 * path, then the body: commands joined by "; ", else the body itself on one line.
 */
void request_line(const struct request *r, char *dst, size_t size);
/* The same with one line for each command of a body or of standard input. */
void request_each_line(
	const struct request *r, void (*line)(void *ctx, const char *text), void *ctx);
/* Writes a line of struct words with the incident in its place; false: it does not fit. */
bool words_line(const char *line, const char *incident, char *dst, size_t size);
/* Every byte of the request: {"command":...,"input":...} or {"method":...,"path":...}. */
json_t *request_json(const struct request *r);
/* Warnings for the operator: unproven commands, protection that is off for a second. */
void act_plan_warnings(
	const struct act_plan *p, void (*warn)(void *ctx, const char *text), void *ctx);
/*
 * The condition that the device reported, in one line: "watchdog drop 200/400 ms; admin up, link
 * up".
 */
void condition_line(const struct condition *c, char *dst, size_t size);

enum plan_tone { TONE_NORMAL, TONE_HEAD, TONE_DIM, TONE_WARN, TONE_COMMAND };
/* Writes the plan as lines of at most width columns, for screen and terminal. */
void act_plan_lines(const struct act_plan *p, int width,
	void (*line)(void *ctx, enum plan_tone tone, const char *text), void *ctx);
/* The same without its first line (action and place), for callers that show their own title. */
void act_plan_body(const struct act_plan *p, int width,
	void (*line)(void *ctx, enum plan_tone tone, const char *text), void *ctx);
/*
 * Wraps text into lines of at most width columns, broken at blanks. first stands before the first
 * line; the other lines are indented by its width.
 */
void plan_text_wrap(enum plan_tone tone, const char *first, const char *text, int width,
	void (*line)(void *ctx, enum plan_tone tone, const char *text), void *ctx);
/* The plan for the ledger, --json and approvals; the caller owns the reference. */
json_t *act_plan_json(const struct act_plan *p);
/* The exact text under the hash, as a JSON string: the second operator reads and approves it. */
json_t *act_plan_sealed(const struct act_plan *p);
json_t *condition_json(const struct condition *c);

#endif
