/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_JOB_H
#define FABRIC_VOCABULARY_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "fabric/vocabulary/observation.h"
#include "fabric/vocabulary/types.h"

/*
 * Jobs on the fabric: job -> communicator -> rank -> process -> GPU -> NIC, as reported by NCCL,
 * its plugins, logs and the scheduler. Nothing is invented: an unreported value is -1, NAN, "" or
 * JOB_NONE, and each join names its source.
 *
 * Communicators are joined by the first 14 digits of their hash (the Inspector prints no more),
 * ranks by (communicator, rank), processes by (host, pid). A communicator belongs to the job that
 * a source named with it, else to the job that has all of its hosts. Otherwise it gets a job of
 * its own, named after the largest communicator. A "world" communicator is the largest one of its
 * job.
 */

#define JOB_NONE     UINT32_MAX
#define NCCL_FUNCS   12 /* functions of one communicator: AllReduce, AllGather, Send, ... */
#define NCCL_OPS     32 /* newest operations that a communicator remembers */
#define COMMS_MAX    16384
#define JOBS_MAX     4096
#define RANKS_MAX    1048576 /* over all communicators */
#define COMM_RANKS   131072  /* of one communicator: a larger number is not believed */
#define TROUBLES_MAX 8192    /* processes with trouble */
/* Ranks in all remembered operations together: 40 bytes each, 160 MB. The oldest operations are
 * dropped first. */
#define OP_CELLS_MAX 4194304
/* No source has reported a communicator for so long that its last report says nothing about now.
 * Longer than the longest pause between polls of a RAS host in the election (10 min). */
#define COMM_SILENT_US INT64_C(900000000)

/* Number of operations of each function that a rank has launched, and the time of the last
 * growth. */
struct rank_count {
	int64_t launched, completed; /* -1: not reported */
	int64_t grew_us;             /* wall time of the last growth of launched, 0: never */
};

struct rank {
	uint32_t host;                /* device id, JOB_NONE: host_text matches no known device */
	char host_text[NAME_MAX_LEN]; /* as reported: name or address */
	int32_t pid, gpu, local_gpu;  /* -1 */
	uint32_t nic;                 /* port id, JOB_NONE */
	uint8_t state;                /* enum nccl_state */
	uint8_t host_source, gpu_source,
		nic_source;        /* enum nccl_source; nic_source SOURCE_UNKNOWN
				      with a nic: by index, as many NICs as GPUs */
	int64_t seen_us, state_us; /* wall; state_us: start of this state */
	int64_t op_end_us;         /* end of its last known operation, host's clock; 0 */
	struct rank_count count[NCCL_FUNCS];
	char error[120]; /* first of its last trouble, "" */
	int64_t error_us;
};

/* One rank in one operation. NAN, 0: not reported. */
struct op_rank {
	int64_t begin_us, end_us;
	float took_us;
	float send_us, send_max_us, wait_us, credit_us; /* of its edge to the next rank */
	int32_t peer;                                   /* the next rank, -1 */
};
struct op {
	int64_t seq;
	uint8_t func; /* index into comm.func */
	uint64_t bytes;
	uint32_t told;        /* number of ranks reported */
	int64_t first_us;     /* wall time of the first report */
	struct op_rank *rank; /* nranks of them */
};

/*
 * Progress of a communicator over the last hour: how many operations had been seen by a report, a
 * point every COMM_PACE_US at most. The newest point moves until the one before it is that old.
 */
#define COMM_PACE_US INT64_C(30000000)
#define COMM_PACE    121
struct pace_point {
	int64_t us;   /* wall time of the report */
	uint64_t ops; /* sum over its functions since the first report */
};
struct comm_pace {
	struct pace_point *at;   /* ring of COMM_PACE; NULL: no operation was reported */
	uint32_t n, next;        /* the newest is at (next - 1) */
	uint64_t ops;            /* up to now */
	int64_t top[NCCL_FUNCS]; /* greatest number of an operation; -1: none */
};

struct comm {
	char id[24];   /* "0x9bd8b4c5a3b1e8f7" */
	char name[32]; /* "world", "" */
	uint32_t job;  /* index into jobs */
	int32_t nranks;
	struct rank *rank; /* nranks of them */
	char func[NCCL_FUNCS][20];
	unsigned nfuncs;
	struct op ops[NCCL_OPS]; /* ring, newest at (next_op - 1) % NCCL_OPS */
	uint64_t next_op;
	int64_t seen_us;
	uint8_t source;   /* enum nccl_source of the last report */
	unsigned missing; /* ranks missing from a complete answer: unresponsive or dead ones */
	int64_t made_us;  /* wall time of the first report */
	bool gone;        /* no longer in a complete answer, or RAS fell silent */
	/*
	 * Last advance: a new operation was launched or reported (wall, 0: never). Time between
	 * advances: usual (a running mean), and the longest recent one. As coarse as the polls of
	 * its source.
	 */
	int64_t grew_us, rhythm_us, longest_us;
	struct comm_pace pace;

	/* ---- private to fabric/jobs ---- */
	char key[NAME_MAX_LEN];     /* lookup key */
	int32_t size;               /* capacity in ranks */
	int64_t newest[NCCL_FUNCS]; /* greatest seq in the current batch */
	uint32_t named;             /* ranks that the current batch names */
	bool touched, sized, hosts_changed;
};

struct job {
	char name[NAME_MAX_LEN];
	char user[32];
	uint8_t source;      /* enum nccl_source */
	VEC(uint32_t) hosts; /* device ids, ascending */
	VEC(uint32_t) comms; /* indices, largest first */
	int32_t gpus;        /* -1: not known */
	int64_t seen_us;
	bool gone; /* its source no longer names it */

	/* ---- private to fabric/jobs ---- */
	VEC(uint32_t) told; /* hosts reported by a scheduler, ascending */
	bool given;         /* the name was reported, not generated */
	bool touched, retold;
};
/* A slot that was merged into another job: not to be shown. */
static inline bool job_is_free(const struct job *j)
{
	return !j->name[0];
}

/* A GPU of a host, from its driver and PCI tree. */
struct gpu {
	uint32_t host; /* device id */
	int32_t index; /* NVML */
	char bdf[16];  /* "0000:5d:00.0" */
	uint32_t nic;  /* port id of the nearest NIC, JOB_NONE */
	char how[8];   /* "PIX", "PXB", ... */
	uint8_t source;
};

/*
 * What a process logged, of any communicator or none: the first message of the strongest kind. What
 * it logs afterwards is a consequence.
 */
struct trouble {
	uint64_t process;                 /* its key */
	uint32_t comm;                    /* index, JOB_NONE: in no communicator that is known */
	int32_t rank, nranks;             /* within comm, or as its log says; -1 */
	uint32_t host;                    /* device id, JOB_NONE */
	uint32_t from;                    /* device whose log it is, JOB_NONE */
	char host_text[NAME_MAX_LEN];     /* as printed, "" */
	int32_t pid, local_gpu;           /* -1 */
	uint64_t gpus;                    /* bit n: CUDA device n of the process said the same */
	uint8_t kind;                     /* enum nccl_trouble */
	uint8_t status;                   /* enum ibv_wc_status, 0: none */
	uint8_t source;                   /* enum nccl_source */
	char text[200];                   /* the first message */
	char after[80];                   /* the first consequence, "" */
	char nic_text[64], peer_text[64]; /* name or address of both ends, "" */
	uint32_t nic, peer_nic;           /* port ids, PORT_NONE */
	uint32_t peer_host;               /* device id, JOB_NONE */
	int64_t first_us, last_us;        /* wall: by the line's own time, else of receipt */
	/* TROUBLE_TIMEOUT: the operation, from 0 (-1: not named), its function, time in it, 0. */
	int64_t seq, took_us;
	int64_t over_us; /* TROUBLE_NIC: the port was active again, 0: it was not */
	int64_t gids_us; /* wall: the last change of a NIC's addresses that it logged, 0: none */
	char func[20];
};

/* A watchdog gave up on an operation of so few elements: its trouble's text has these words. */
#define NCCL_FEW_ELEMENTS 1024
#define NCCL_FEW_WORDS    ", of few elements"

struct nccl {
	VEC(struct job *) jobs;
	VEC(struct comm *) comms;
	VEC(struct gpu) gpus;           /* by host, index */
	VEC(struct trouble *) troubles; /* by process, kind: at most TROUBLES_MAX */
	size_t nranks;                  /* over all communicators */
	uint64_t generation;            /* grows with every change */
	uint64_t refused;               /* records beyond the limits */
	void *index;                    /* private to nccl.c */
};

struct model;
/* Applies the NCCL records of a batch; part of model_apply(). */
void model_nccl_apply(struct model *m, const struct obs *o, int64_t now_us);
struct nccl *nccl_new(void);
void nccl_free(struct nccl *n);

/* A job by name; NULL. */
const struct job *nccl_job(const struct nccl *n, const char *name, uint32_t *index);
/* The communicator that has all ranks of the job: the largest. NULL: none was reported. */
const struct comm *job_world(const struct nccl *n, const struct job *j, uint32_t *index);
/*
 * Operations per second between two wall times, from the reports around them. NAN: none was made
 * near there, as before the first and after the last.
 */
double comm_pace_rate(const struct comm *c, int64_t from_us, int64_t to_us);
/* The newest operations first, i from 0; NULL past the end. */
const struct op *comm_op(const struct comm *c, unsigned i);
/* Whether no source reported it for COMM_SILENT_US, and no scheduler says that its job runs. */
bool comm_is_silent(const struct nccl *n, const struct comm *c, int64_t now_us);
/* How long it may stand still before it counts as stuck, by its own rhythm. */
int64_t comm_patience(const struct comm *c);
/*
 * Whether an operation of the job was seen within that time. Otherwise nothing shows that it runs:
 * its source may name hosts and processes alone.
 */
bool job_advances(const struct nccl *n, const struct job *j, int64_t now_us);
/*
 * The parallelism that an operation likely serves, for texts: a hint and no proof. By the name that
 * the framework gave to the group, else by the function: sums and gathers are data parallel, or
 * tensor parallel within one host of several; sends are a pipeline; all-to-all are experts or
 * sequences. c NULL: not known. bytes 0: not known; a small sum serves anything. False: no hint.
 */
struct nccl_phase {
	const char *words; /* "data parallel", "pipeline" */
	const char *why;   /* "by its collectives", "by its group's name" */
};
bool nccl_phase(const struct nccl *n, const struct comm *c, const char *func, uint64_t bytes,
	struct nccl_phase *out);
/* Greatest count of launched operations of the function over all ranks; -1: none was reported. */
int64_t comm_launched(const struct comm *c, unsigned func);
const struct gpu *nccl_gpu(const struct nccl *n, uint32_t host, int32_t index);
/* The newest trouble of the rank's process that is not a mere note or timeout; NULL. */
const struct trouble *nccl_trouble_of(const struct nccl *n, uint32_t comm, int32_t rank);
/* Whether the trouble is of now: recent, or fatal and nothing has advanced since. */
bool nccl_trouble_is_new(const struct nccl *n, const struct trouble *t, int64_t now_us);
/* The device with the address or name that a source printed; JOB_NONE. */
uint32_t model_host_by_text(const struct model *m, const char *text);
bool job_has_host(const struct job *j, uint32_t device);
/* The job that uses the device (the most recently seen one); JOB_NONE. */
uint32_t model_job_of(const struct model *m, uint32_t device);

#endif
