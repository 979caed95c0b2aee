/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_JOBS_NCCL_INTERNAL_H
#define FABRIC_JOBS_NCCL_INTERNAL_H

#include "fabric/model/model_internal.h"

/* Shared by the files of fabric/jobs and the state of NCCL only. */

struct process; /* (host, pid) -> job */

/* A name in a log, and an address of the host that it names. */
struct nccl_alias {
	char name[NAME_MAX_LEN], address[46];
};
#define NCCL_ALIASES_MAX 4096

struct nccl_index {
	void *comms;                    /* key -> 1 + index into comms */
	void *jobs;                     /* name -> 1 + index into jobs */
	void *addresses;                /* address, or name of a pod -> 1 + device id */
	void *nics;                     /* address -> 1 + port id */
	VEC(struct nccl_alias) aliases; /* names whose address is not known so far */
	void *texts;                    /* cache: host text -> 1 + device id */
	struct process *process;        /* uthash */
	size_t op_cells, ntexts, naddresses;
	size_t free_comms;      /* released slots */
	int64_t aged_us;        /* last run of nccl_age() */
	int64_t string_pool_us; /* since when the cache has been filled */
	/* While a state is loaded: the number of items to come; else NULL. */
	struct nccl_shape *shape;
	bool hosts_changed; /* an address, a GPU or a job was learnt: joins are tried again */
};

/* Numbers of saved items besides communicators. */
struct nccl_shape {
	size_t gpus, addresses, nics, texts, processes, jobs, troubles;
};

#define NCCL_GPUS_MAX      262144
#define NCCL_ADDRESSES_MAX 262144
#define NCCL_TEXTS_MAX     65536
#define NCCL_HOSTS_MAX     131072 /* of one job */

/* A rank by its process, for records that name only a process. */
struct by_process {
	uint64_t key;
	uint32_t comm;
	int32_t rank;
};

#define NCCL_BATCH_EVENTS 8
/* Most ranks that one batch may scan to guess the NIC of a GPU. */
#define NCCL_BATCH_SCANS 67108864
/* Most cells of ranks in operations that one batch may open: a genuine one stays far below. */
#define NCCL_BATCH_CELLS 8388608

/* The batch that is being applied. */
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
	const struct comm *gpus_comm; /* cache: GPUs counted for this communicator and host */
	uint32_t gpus_host;
	unsigned gpus;
	uint64_t told[NCCL_BATCH_EVENTS]; /* processes that already have an event */
	unsigned ntold, more;
	bool changed, troubled;           /* troubled: a process has its first trouble */
	bool no_slot, no_ranks, no_cells; /* no more room can be made */
};

/* nccl_host.c */
/* Device of a host text, with a cache. */
uint32_t nccl_host(struct nccl_batch *b, const char *text);
void nccl_address(struct nccl_batch *b, const struct obs_nccl *r);
/* The device that reports the address as its own; UINT32_MAX: none. */
uint32_t nccl_address_host(const struct model *m, const char *address);
void nccl_gpu_record(struct nccl_batch *b, const struct obs_nccl *r);
/* Port of the device by the name in NCCL's output ("mlx5_3", "mlx5_3:1"); JOB_NONE. */
uint32_t nccl_nic(const struct model *m, uint32_t host, const char *text);
/* Sets the rank's host and NIC from the known facts. */
void nccl_place(struct nccl_batch *b, struct comm *c, struct rank *r);
/* Identifies a process: by device where it is known, else by the text. */
uint64_t process_key(const struct rank *r);

/* Canonical form of an address: one text for each; false: it is none. */
bool nccl_canonical(const char *text, char *dst, size_t size);
/* Port by name on the host, or by address; PORT_NONE. */
uint32_t nccl_port_by_text(const struct model *m, uint32_t host, const char *text);

/* trouble.c */
/* Notes what the record says; rank may be NULL. */
void nccl_trouble(struct nccl_batch *b, const struct obs_nccl *r, uint32_t comm, struct rank *rank);
/* Finds hosts, NICs and ranks of troubles that were noted before these were known. */
void nccl_trouble_join(struct nccl_batch *b);
/* Drops old ones. */
bool nccl_trouble_age(struct nccl *n, int64_t now_us);
/* The communicator's slot is free again. */
void nccl_trouble_drop_comm(struct nccl *n, uint32_t comm);
void nccl_trouble_sort(struct nccl *n);

/* nccl_age.c */
/* Releases the least useful communicator. False: all are in use. */
bool nccl_free_slot(struct nccl_batch *b);
/* Releases until there is room for that many more ranks; keep stays. */
bool nccl_free_ranks(struct nccl_batch *b, const struct comm *keep, size_t ranks);
/* Marks communicators and jobs without recent reports as gone, and frees old gone ones. True:
 * something changed. */
bool nccl_age(struct nccl *n, int64_t now_us);

/* communicators.c */
struct comm *nccl_comm(struct nccl_batch *b, const struct obs_nccl *r, uint32_t *index);
void nccl_rank(struct nccl_batch *b, struct comm *c, const struct obs_nccl *r);
void nccl_count(struct nccl_batch *b, struct comm *c, const struct obs_nccl *r);
void nccl_state(struct nccl_batch *b, uint32_t comm, struct rank *r, enum nccl_state s,
	enum nccl_source source);
int nccl_func(struct comm *c, const char *name); /* -1: too many */
/* Makes it have so many ranks at least. False: no room. */
bool comm_make_room(struct nccl_batch *b, struct comm *c, int32_t nranks);
/* The communicator advanced at now_us. */
void comm_grew(struct comm *c, int64_t now_us);
void comm_release(struct nccl *n, struct comm *c);

/* pace.c */
void comm_pace_begin(struct comm *c);
void comm_pace_free(struct comm *c);
void comm_pace_saw(struct comm *c, int func, int64_t seq); /* an operation of that number */
void comm_pace_note(struct comm *c, int64_t now_us);       /* once a batch */
void comm_pace_state(struct state *s, struct comm *c);

/* operations.c */
void nccl_op(struct nccl_batch *b, struct comm *c, const struct obs_nccl *r);
void ops_grow(struct nccl_index *x, struct comm *c, int32_t was, int32_t size);
void ops_release(struct nccl_index *x, struct comm *c);

/* jobs.c */
void nccl_job_record(struct nccl_batch *b, const struct obs_nccl *r);
/* Joins the touched communicators to jobs, and the jobs to names. */
void nccl_join(struct nccl_batch *b);
/* Handles a complete answer of the source: ranks and jobs not in it are missing or gone. */
void nccl_done(struct nccl_batch *b, enum nccl_source source);
struct job *nccl_job_named(struct nccl_batch *b, const char *name, enum nccl_source source,
	uint32_t *index); /* NULL: too many */
/* The job of the host, if it has one only that is known by more than numbers of ranks. */
uint32_t job_only_on(const struct nccl *n, uint32_t host);
void job_drop_comm(struct nccl *n, uint32_t comm);
/* Frees the slot for reuse. */
void job_empty(struct nccl *n, uint32_t index);
bool nccl_scheduler(enum nccl_source s); /* whether the source reports running jobs */
void processes_free(struct nccl_index *x);
size_t processes_size(const struct nccl_index *x);
/* Saves or adds processes from..to-1, each with a job below njobs. */
void processes_state(struct state *s, struct nccl_index *x, size_t from, size_t to, size_t njobs);
/* Assigns the process to the job, unless it has one. */
void process_learn(struct nccl_index *x, uint64_t key, uint32_t job);
/* Makes the job's name lead to it again. False: it already leads to another job. */
bool job_index(struct nccl *n, uint32_t index);

/* operations.c: the cells of ranks from..to-1 in one operation */
void op_cells_state(struct state *s, struct comm *c, struct op *op, size_t from, size_t to);

#endif
