/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_JOBS_NCCL_INTERNAL_H
#define FABRIC_JOBS_NCCL_INTERNAL_H

#include "fabric/model/model_internal.h"

/* What the model_nccl*.c files share and nobody else may use. */

struct process; /* (host, pid) -> job */

struct nccl_index {
	void *comms;             /* key -> 1 + index into comms */
	void *jobs;              /* name -> 1 + index into jobs */
	void *addresses;         /* address -> 1 + device id */
	void *texts;             /* cache: host text -> 1 + device id */
	struct process *process; /* uthash */
	size_t op_cells, ntexts, naddresses;
	size_t free_comms; /* slots that were given back */
	int64_t aged_us;   /* nccl_age() looked last */
	int64_t texts_us;  /* since when the cache is filled */
	/* While a state is loaded: how much of each is to come; NULL else. */
	struct nccl_shape *shape;
	bool hosts_changed; /* an address, a GPU or a job was learnt: joins are to be tried again */
};

/* What is saved beside communicators. */
struct nccl_shape {
	size_t gpus, addresses, texts, processes, jobs;
};

#define NCCL_GPUS_MAX      262144
#define NCCL_ADDRESSES_MAX 262144
#define NCCL_TEXTS_MAX     65536
#define NCCL_HOSTS_MAX     131072 /* of one job */

/* A rank by its process, for records that name a process only. */
struct by_process {
	uint64_t key;
	uint32_t comm;
	int32_t rank;
};

#define NCCL_BATCH_EVENTS 8
/* Ranks that one batch may be searched for by the guess which NIC a GPU has. */
#define NCCL_BATCH_SCANS 67108864
/* Ranks in operations that one batch may open: an honest one stays far below. */
#define NCCL_BATCH_CELLS 8388608

/* One batch on its way into the model. */
struct nccl_batch {
	struct model *m;
	struct nccl *n;
	struct nccl_index *x;
	const struct obs *o;
	int64_t now;
	uint32_t from;                    /* device that answered, JOB_NONE */
	VEC(uint32_t) comm_of;            /* of each record: index into comms, JOB_NONE */
	VEC(uint32_t) comms;              /* touched */
	VEC(struct by_process) processes; /* sorted; filled when first needed */
	bool processes_known;
	size_t cells_left, scans_left;
	const struct comm *gpus_comm; /* whose GPUs on which host were counted last */
	uint32_t gpus_host;
	unsigned gpus;
	uint64_t told[NCCL_BATCH_EVENTS]; /* processes that events were made of */
	unsigned ntold, more;
	bool changed;
	bool no_slot, no_ranks, no_cells; /* nothing is left that could make room */
};

/* nccl_host.c */
/* Device of a host text, with a cache. */
uint32_t nccl_host(struct nccl_batch *b, const char *text);
void nccl_address(struct nccl_batch *b, const struct obs_nccl *r);
void nccl_gpu_record(struct nccl_batch *b, const struct obs_nccl *r);
/* Port of the device by the name that NCCL prints ("mlx5_3", "mlx5_3:1"); JOB_NONE. */
uint32_t nccl_nic(const struct model *m, uint32_t host, const char *text);
/* Fills what the rank's host and NIC can be learnt from. */
void nccl_place(struct nccl_batch *b, struct comm *c, struct rank *r);
/* Identifies a process: by device where it is known, else by the text. */
uint64_t process_key(const struct rank *r);

/* nccl_age.c */
/* Gives up the communicator that is missed least: false: all are of use. */
bool nccl_free_slot(struct nccl_batch *b);
/* Likewise until there is room for so many more ranks; keep stays. */
bool nccl_free_ranks(struct nccl_batch *b, const struct comm *keep, size_t ranks);
/* What nobody tells of any more is gone, then forgotten; true: something changed. */
bool nccl_age(struct nccl *n, int64_t now_us);

/* communicators.c */
struct comm *nccl_comm(struct nccl_batch *b, const struct obs_nccl *r, uint32_t *index);
void nccl_rank(struct nccl_batch *b, struct comm *c, const struct obs_nccl *r);
void nccl_count(struct nccl_batch *b, struct comm *c, const struct obs_nccl *r);
void nccl_state(struct nccl_batch *b, uint32_t comm, struct rank *r, enum nccl_state s,
	enum nccl_source source);
int nccl_func(struct comm *c, const char *name); /* -1: too many */
/* The communicator advanced at this time. */
void comm_grew(struct comm *c, int64_t now_us);
void comm_release(struct nccl *n, struct comm *c);

/* operations.c */
void nccl_op(struct nccl_batch *b, struct comm *c, const struct obs_nccl *r);
void ops_grow(struct nccl_index *x, struct comm *c, int32_t was, int32_t size);
void ops_release(struct nccl_index *x, struct comm *c);

/* jobs.c */
void nccl_job_record(struct nccl_batch *b, const struct obs_nccl *r);
/* Joins the touched communicators to jobs, and the jobs to names. */
void nccl_join(struct nccl_batch *b);
/* A complete answer of the source: what it did not name is missing or gone. */
void nccl_done(struct nccl_batch *b, enum nccl_source source);
struct job *nccl_job_named(struct nccl_batch *b, const char *name, enum nccl_source source,
	uint32_t *index); /* NULL: too many */
void job_drop_comm(struct nccl *n, uint32_t comm);
/* Leaves a slot that others may use. */
void job_empty(struct nccl *n, uint32_t index);
bool nccl_scheduler(enum nccl_source s); /* it says which jobs run */
void processes_free(struct nccl_index *x);
size_t processes_size(const struct nccl_index *x);
/* Saves or adds those from..to-1 of them, each with a job below njobs. */
void processes_state(struct state *s, struct nccl_index *x, size_t from, size_t to, size_t njobs);
/* The process is of the job, unless it was told before. */
void process_learn(struct nccl_index *x, uint64_t key, uint32_t job);
/* The name leads to the job again; false: to another one already. */
bool job_index(struct nccl *n, uint32_t index);

/* operations.c: those of ranks from..to-1 of one operation */
void op_cells_state(struct state *s, struct comm *c, struct op *op, size_t from, size_t to);

#endif
