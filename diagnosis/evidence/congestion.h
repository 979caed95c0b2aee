/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_CONGESTION_H
#define DIAGNOSIS_EVIDENCE_CONGESTION_H

#include "base/vec.h"
#include "diagnosis/engine/detector.h"

/* Private to detect_congestion*.c: what one pass over the newest samples finds. */

/* An egress that is full and not held: where pauses end and marks begin. */
struct hot {
	uint32_t port;
	const struct sample *s;
	const struct sample *nic; /* of the NIC behind it, NULL */
	uint32_t peer;            /* port id, PORT_NONE */
	bool to_nic;
	double util, limit;            /* limit: queue bytes above which everything is marked */
	const struct pause_node *node; /* where pauses end here, NULL */
};

/* What one device has of that, from the last time that it brought something: ports only. */
struct congestion_part {
	VEC(uint32_t) hot; /* that would be, where pauses end */
	VEC(uint32_t) ignoring;
	VEC(uint32_t) other_send;
	unsigned receivers, nics, nics_wrong;
	bool marks, cnps;
	bool lossy; /* some NIC sends mostly on a priority that may drop */
};
struct congestion_memory {
	VEC(struct congestion_part) parts; /* of each device */
};
/* As struct detector has them. */
int64_t congestion_digest(struct diag_run *r, const struct device *d);
void congestion_free_memory(void *memory);

struct congestion {
	VEC(struct hot) hot;       /* egresses towards NICs only */
	VEC(uint32_t) ignoring;    /* NIC ports that ignore CNPs */
	VEC(uint32_t) other_send;  /* NIC ports that send other traffic on the lossless class */
	unsigned receivers;        /* egresses towards NICs that have a sample */
	bool marks, cnps;          /* somebody marks, some NIC sends CNPs: it is policy here */
	unsigned nics, nics_wrong; /* that send; of these on a priority that is not lossless */
};

/*
 * Above it a queue with ECN marks every packet: as configured, else the vendors' default for
 * lossless traffic (Onyx: 150 KB to 1500 KB, diagnosis reference section 3).
 */
double congestion_queue_limit(const struct model *m, const struct port *p, unsigned priority);
/* Packets that the egress marks, of those of the lossless priority that it sends; NAN. */
double congestion_marked_share(const struct model *m, const struct port *p, const struct sample *s);
void congestion_find(struct diag_run *r, struct congestion *c);
void congestion_free(struct congestion *c);
/* Evidence and victims that all findings about a hot egress have. */
void congestion_describe(struct diag_run *r, struct finding *f, const struct hot *h);

/* congestion_loss.c: PFC that is off or not heeded, RDMA on another priority. */
void congestion_losses(struct diag_run *r);
void congestion_wrong_priority(struct diag_run *r, const struct congestion *c);
/* Whether most of what the NIC sends is RDMA on a priority that may drop. */
bool congestion_sends_lossy(const struct port *p, const struct sample *s);

#endif
