/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_REF_H
#define FABRIC_REF_H

#include "base/err.h"
#include "fabric/model/model.h"

/* Reference to an object of the fabric: the target of a row, a cursor, a view or a typed name. A
 * plain value; compares with ref_eq(). */
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
	REF_TIER,    /* all devices of a tier: for findings about the fabric's design or routing */
	REF_FINDING, /* seq: its key */
	REF_JOB,
	REF_COMM, /* a communicator */
	REF_RANK,
	REF_ROW, /* a row of a view's own, no object of the fabric: the view sets seq */
	REF_NEED /* a capability of a device: cell is its index in the list */
};
#define REF_KINDS (REF_NEED + 1)
/* Recordings store kinds below this; findings refer to no others. */
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
 * Resolve a reference. This is the only way (make layering): a reference may come from another
 * model with more objects, and its numbers mean nothing without its kind. NULL: the reference has
 * no such object, or the model does not have it.
 */
/* The port of a REF_PORT, or of a priority, counter or link (its end a). */
struct port *ref_port(const struct model *m, struct ref r);
/* The device of a REF_DEVICE, of a session or need, or of any reference with a port. */
struct device *ref_device(const struct model *m, struct ref r);
struct job *ref_job(const struct model *m, struct ref r);   /* also that of a comm or rank */
struct comm *ref_comm(const struct model *m, struct ref r); /* also that of a rank */
struct rank *ref_rank(const struct model *m, struct ref r);
const struct capability *ref_need(const struct model *m, struct ref r);
/*
 * The enclosing object: the port of a priority, counter or link; the device of a port, session or
 * need; the job of a communicator or rank. Otherwise REF_FABRIC.
 */
struct ref ref_wider(const struct model *m, struct ref r);
/* Whether the model has it. Always true for rails, findings and rows of a view: only their view
 * knows. */
bool ref_lives(const struct model *m, struct ref r);

/*
 * Parses a locator:
 *
 *   "cluster"; "rail 3"; "spine" (a tier); "leaf-r3-00";
 *   "leaf-r3-00:Ethernet12";
 *   "leaf-r3-00:Ethernet12:3" or "leaf-r3-00:Ethernet12/3" (priority 3; a port of that name wins);
 *   "leaf-r3-00:Ethernet0 - node000:mlx5_3" (a link by its ends);
 *   "job pretrain"; "comm pretrain/0x9bd8b4c5a3b1e8f7";
 *   "rank 19" (of the largest communicator); "rank pretrain/19" (of the job's largest);
 *   "rank pretrain/0x9bd8b4c5a3b1e8f7/3".
 *
 * "3" is rail 3; "pretrain" and "pretrain/19" need no word before them where no device has the
 * name. A job also goes by the hash of one of its communicators (six digits or more) or by the pid
 * of one of its processes ("job 41772"). Devices also go by hostname or address where only one has
 * it, ports by alias or netdev. The error names the missing object and lists near names.
 * railtop(1), PLACES, has the same for users.
 */
bool ref_parse(const struct model *m, const char *text, struct ref *out, struct err *err);
bool ref_format(const struct model *m, struct ref r, char *dst, size_t size);

/* The same for REF_JOB, REF_COMM, REF_RANK ("job pretrain", "rank pretrain/19"): in ref_job.c. */
bool ref_format_job(const struct model *m, struct ref r, char *dst, size_t size);
bool ref_parse_job(
	const struct model *m, const char *text, bool *is_job, struct ref *out, struct err *err);
/* "pretrain", "pretrain/19", "0x9bd8b4c5": a job or rank without the word before it. */
bool ref_parse_bare_job(const struct model *m, const char *text, struct ref *out);

/*
 * Completion: calls add for every locator that starts with prefix, in natural order, at most
 * limit. Before the ':' it offers rails and devices, after it the ports of that device.
 */
void ref_complete(const struct model *m, const char *prefix, size_t limit,
	void (*add)(void *ctx, const char *text), void *ctx);

#endif
