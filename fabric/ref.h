/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_REF_H
#define FABRIC_REF_H

#include "base/err.h"
#include "fabric/model/model.h"

/* What a row, a cursor, a view or a typed name points at. Plain value, compares with ref_eq(). */
enum ref_kind {
	REF_NONE,
	REF_FABRIC,
	REF_RAIL,
	REF_DEVICE,
	REF_PORT,
	REF_PRIORITY,
	REF_LINK,
	REF_EVENT,
	REF_COUNTER,
	REF_BGP,
	REF_TIER,    /* all devices of a tier: what is wrong with the fabric's design or routing */
	REF_FINDING, /* seq: its key */
	REF_JOB,
	REF_COMM, /* a communicator */
	REF_RANK,
	REF_ROW, /* a row of a view's own, nothing of the fabric: seq is the view's */
	REF_NEED /* what a device can report, or not: cell is its place in the list */
};
#define REF_KINDS (REF_NEED + 1)
/* Recordings keep the numbers of the kinds up to here: findings are about no others. */
#define REF_SAVED (REF_ROW + 1)

struct ref {
	enum ref_kind kind;
	int rail;         /* REF_RAIL */
	uint32_t device;  /* REF_DEVICE, REF_BGP, REF_NEED */
	uint32_t port;    /* REF_PORT, REF_PRIORITY, REF_COUNTER; REF_LINK: its end a */
	uint8_t priority; /* REF_PRIORITY */
	uint16_t cell;    /* REF_COUNTER: cell id; REF_BGP, REF_NEED: place in the device's list */
	uint64_t seq;     /* REF_EVENT; REF_BGP: bgp_session_key(); REF_FINDING: its key; REF_ROW */
	uint8_t tier;     /* REF_TIER */
	uint32_t job;     /* REF_JOB: index into model.nccl->jobs */
	uint32_t comm;    /* REF_COMM, REF_RANK: index into model.nccl->comms */
	int32_t rank;     /* REF_RANK */
};

bool ref_eq(struct ref a, struct ref b);
/* A number that identifies the row across re-sorts. */
uint64_t ref_key(struct ref r);

/*
 * From a reference to what it stands for, and no other way: NULL where it stands for nothing of the
 * sort, or the model has nothing there. A reference may be of another model than this one, which
 * had more, and a number in it is worth nothing without a look at its kind. (make layering)
 */
/* Of a port, and of what lies in one: priority, counter, link (its end a). */
struct port *ref_port(const struct model *m, struct ref r);
/* Of a device, of what lies in one (session, need), and of all that has a port. */
struct device *ref_device(const struct model *m, struct ref r);
struct job *ref_job(const struct model *m, struct ref r);   /* also that of a comm or rank */
struct comm *ref_comm(const struct model *m, struct ref r); /* also that of a rank */
struct rank *ref_rank(const struct model *m, struct ref r);
const struct capability *ref_need(const struct model *m, struct ref r);
/*
 * What it lies in: the port of a priority, counter or link; the device of a port, session or need;
 * the job of a communicator or rank. REF_FABRIC when there is none.
 */
struct ref ref_wider(const struct model *m, struct ref r);
/* The model has it. Of rails, findings and rows of a view only their view can tell: true. */
bool ref_lives(const struct model *m, struct ref r);

/*
 * Locators: "cluster", "rail 3", "leaf-r3-00", "leaf-r3-00:Ethernet12", "leaf-r3-00:Ethernet12:3"
 * or "leaf-r3-00:Ethernet12/3" (priority 3; a port that is called so goes first), a link by its
 * ends, "leaf-r3-00:Ethernet0 - node000:mlx5_3", a tier ("spine"), "job pretrain", "rank 19" (of
 * the largest communicator), "rank pretrain/19" (of the job's largest), "rank
 * pretrain/0x9bd8b4c5a3b1e8f7/3", "comm pretrain/0x9bd8b4c5a3b1e8f7". Ports also by alias or
 * netdev. The error names what does not exist and lists near names.
 */
bool ref_parse(const struct model *m, const char *text, struct ref *out, struct err *err);
bool ref_format(const struct model *m, struct ref r, char *dst, size_t size);

/* Of REF_JOB, REF_COMM, REF_RANK ("job pretrain", "rank pretrain/19"): in ref_job.c. */
bool ref_format_job(const struct model *m, struct ref r, char *dst, size_t size);
bool ref_parse_job(
	const struct model *m, const char *text, bool *is_job, struct ref *out, struct err *err);

/*
 * Completion: calls add for every locator that starts with prefix, in natural order, at most limit.
 * Before the ':' it offers rails and devices, after it the ports of that device.
 */
void ref_complete(const struct model *m, const char *prefix, size_t limit,
	void (*add)(void *ctx, const char *text), void *ctx);

#endif
