/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_LOG_LOG_H
#define BACKENDS_JOBS_LOG_LOG_H

#include <uthash.h>

#include "backends/jobs/nccl_private.h"
#include "base/vec.h"

/* Private to this folder: one line of a job's log. */

#define LOG_NICS_MAX      64
#define LOG_PROCESSES_MAX 65536
#define LOG_TIMEOUTS_MAX  65536

/* Facts from earlier lines about one process; one log may hold all processes of a job. */
struct log_process {
	char key[96]; /* host, a blank, pid */
	uint32_t comm;
	int32_t rank, nranks;       /* in comm, -1: unknown */
	uint32_t nic[LOG_NICS_MAX]; /* by NCCL's index: texts of the batch, 0: none */
	bool has_nic;               /* a line named the NIC in use */
	bool no_rdma;               /* NCCL found no RDMA device or library */
	uint32_t address;           /* the last one that was reported of it */
	UT_hash_handle hh;
};

/* What the watchdog of one rank gave up on; several lines of its log add to it. */
struct log_timeout {
	int32_t global, rank;     /* in the job and in the group, -1: unknown */
	uint32_t comm, comm_name; /* texts of the batch, 0: unknown */
	uint32_t func;
	int64_t seq, enqueued, completed; /* as printed, -1 */
	int64_t elements;                 /* the larger of both sides; -1: not told */
	double took_us;
	int64_t time_us;
	/* Texts of the batch, 0: unknown: the pod, container or unit that wrote it, and the time as
	 * torch printed it. */
	uint32_t writer, stamp;
};

/* Origin and text of a message. */
struct log_line {
	const char *text; /* after "NCCL INFO " or "NCCL WARN " */
	bool warn;
	char host[64];    /* "": the line does not name it */
	int32_t pid, gpu; /* gpu: CUDA's index, -1: none */
	int32_t label;    /* the rank, as the launcher put it before the line; -1: none */
	int64_t time_us;  /* of the line itself, 0: unknown */
	struct log_process *process; /* NULL: too many processes, or no origin */
};

/* What the words of a line name; "" and -1: nothing. See named.c. */
struct log_named {
	char host[64], peer[64], nic[40];
	int32_t pid, rank, gpu;
	bool own_host; /* host is the one that wrote the line */
};

/* Several lines that are one message. */
struct log_block {
	enum { BLOCK_NONE, BLOCK_FAILURE, BLOCK_NEXT } kind;
	bool is_cause;  /* BLOCK_FAILURE: of the process that failed first */
	bool of_place;  /* BLOCK_NEXT: the machine that failed is sought, not the far end */
	unsigned lines; /* BLOCK_NEXT: lines that were read since */
	int64_t time_us;
	struct log_named named;
	char text[256];
};

struct log {
	struct obs *o;
	struct log_process *processes; /* hash */
	size_t n;
	VEC(struct log_timeout) timeouts;
	bool known; /* at least one line was from NCCL or the watchdog */
	/*
	 * The record of a framework's error that says "Last error:" and puts NCCL's own words on
	 * the next line: 1 + its index, 0: none. Both lines have the same prefix.
	 */
	size_t framework;
	bool last_error; /* the next line has the words */
	size_t prefix;   /* bytes of the prefix */
	bool has_zone;
	int64_t zone_s; /* of the host's clock, east of UTC */
	/* libmlx5 prints a completion's bytes behind its words: lines read, 0: none. */
	unsigned dumped;
	struct log_line dump; /* of its words; no text */
	struct log_block block;
	/* Python: the last line was a logger's warning; and a warning has the traceback that is
	 * read, so its exception was handled. */
	bool warned, handled;
	bool missing; /* the lines of Horovod's missing ranks are read */
	bool ignored; /* an exception follows that Python itself ignores */
	bool ruled; /* the last line was a rule of dashes: Open MPI's messages stand between two */
	bool inside, told;      /* such a message is read; one of its sentences was kept: the others
				   explain it */
	uint32_t writer, stamp; /* of the watchdog's line that is read, as in log_timeout */
	char held[1024];        /* the first half of a watchdog's line that a viewer wrapped, "" */
	bool through;           /* the traceback that is read goes through torch's process groups */
	bool unnamed;           /* an error was read of a process that its lines do not name */
	char inactive[40];      /* a NIC whose port a warning called not active, "" */
	bool nvshmem; /* an error of NVSHMEM was read: its callers repeat that they failed */
};

/* The host that the line names has this address. */
void nccl_log_address(struct log *l, const struct log_line *line, const char *address);
/* Decodes lines of NCCL's network code. Returns false for other lines. */
bool nccl_log_net(struct log *l, const struct log_line *line);
/* net.c: adds the NIC and the far end that the line names to its record. */
void nccl_log_ends(struct log *l, const struct log_line *line, struct obs_nccl *r);
/* warnings.c: a warning that no other reader knows, in its own words. */
void nccl_log_other(struct log *l, const struct log_line *line);
/* What such words say of the process that prints them; TROUBLE_NOTE: unknown. */
enum nccl_trouble nccl_log_trouble(const char *words);
/* Decodes lines of ProcessGroupNCCL, several messages in one line too. */
bool nccl_log_watchdog(struct log *l, const char *line);
/*
 * The line behind one that a viewer wrapped, or "" after the last one: the first half is read with
 * it. False: nothing was held, or the line is another one.
 */
bool nccl_log_watchdog_rest(struct log *l, const char *line);
/* framework.c: an error of NCCL as the framework above it repeats it. */
bool nccl_log_framework(struct log *l, const char *line);
/*
 * engines.c: a line of another engine that moves data over RDMA (UCX, NVSHMEM, libfabric,
 * Mooncake), or of a GPU's failure as CUDA words it.
 */
bool nccl_log_engine(struct log *l, const char *line);
/* sharp.c: a line of the library or the daemon for aggregation in switches. */
bool nccl_log_sharp(struct log *l, const char *line);
/* phrases.c: a line of a launcher, a scheduler or a rendezvous, and any other line of failure. */
bool nccl_log_phrase(struct log *l, const char *line);
/*
 * verbs.c: a completion with an error, or an event of a device, in the words of libibverbs; and
 * results.c: a row of nccl-tests.
 */
bool nccl_log_verbs(struct log *l, const char *line);
bool nccl_log_results(struct log *l, const char *line);
/*
 * phrases.c: a record of the process, NIC and far end that the line names; says: NULL for the
 * line's own words; status: of ibv_wc_status, 0 for none.
 */
void nccl_log_record(struct log *l, const char *line, enum nccl_trouble trouble, const char *says,
	uint8_t status);
/*
 * title.c: a copy of a message without places in programs, and with long numbers cut; and where a
 * text that is too long for a row begins, so that the len bytes at `at` are shown (NULL: at its
 * begin).
 */
void nccl_log_condense(const char *s, char *dst, size_t size);
const char *nccl_log_near(const char *words, const char *at, size_t len);
/* phrases.c: the sentence of a block, which now has what its other lines named. */
void nccl_log_sentence(struct log *l, const struct log_block *b);
/* blocks.c: a line of a message of several lines; and after the last line of all. */
bool nccl_log_block(struct log *l, const char *line);
void nccl_log_blocks_end(struct log *l);

/* prefix.c: where the message begins behind the prefixes of launchers and loggers. */
const char *nccl_log_message(const char *s);
/* How bad the logger calls it. News and lines of a program's text are no trouble. */
/* FATAL: its logger ends the process. */
enum log_level { LEVEL_NEWS, LEVEL_PROGRAM, LEVEL_PLAIN, LEVEL_WARN, LEVEL_ERROR, LEVEL_FATAL };
/* Python's or C++'s last words of a process: "RuntimeError: ...", "what(): ...". */
bool nccl_log_is_exception(const char *message);
enum log_level nccl_log_level(const char *s, const char *message);

/* phrase_table.c: sentences that are known. */
#define LOG_PHRASE_WORDS 3
enum {                  /* how a row is read */
	OF_PLACE = 1,   /* the machine in the sentence is the one that failed, not the far end */
	NEXT_LINES = 2, /* one of the next lines names the machine */
	OF_RANKS = 8,   /* the line is of other ranks than the one that wrote it */
	OF_OTHERS = 16, /* the line is of another machine, also where it does not name it */
	OF_HOST = 4 /* a host that is named is that of the process, an address is the far end's */
};
/* All words of a row must be in the line; the first matching row decides. */
struct log_phrase {
	const char *word[LOG_PHRASE_WORDS];
	enum nccl_trouble trouble; /* TROUBLE_OVER: the line says nothing */
	unsigned how;
	const char *says; /* NULL: its own words */
	uint8_t status;   /* of ibv_wc_status, 0: none */
};
/* NULL: there is none. Connections: that broke, in the words of the C library. */
const struct log_phrase *nccl_log_find_phrase(const char *s);
const struct log_phrase *nccl_log_find_connection(const char *s);

/*
 * grammar.c: what a sentence that no table has tells: TROUBLE_ERROR of something that runs and its
 * sudden end, TROUBLE_CONNECT of an attempt to connect or a wait that failed, TROUBLE_COUNT of
 * anything else. names_part: it names a part of the cluster.
 */
enum nccl_trouble nccl_log_grammar(const char *message, enum log_level level, bool names_part);
/* A connection that was up is closed by another one: "RemoteDisconnectError". */
bool nccl_log_tells_closed(const char *message);
/* What runs did not start. */
bool nccl_log_tells_no_start(const char *message);

/* named.c: what the words of a line name, and whether they name anything. */
void nccl_log_named(const char *s, struct log_named *out);
bool nccl_log_names_any(const struct log_named *n);
/* A new error record of the line's process; NULL: the batch is full. */
struct obs_nccl *nccl_log_error(
	struct log *l, const struct log_line *line, enum nccl_trouble trouble);
/* completions.c: how libraries word a completion with an error, or a connection that broke. */
struct log_completion {
	const char *words;
	uint8_t status; /* of ibv_wc_status, 0: none */
	enum nccl_trouble trouble;
	bool anywhere; /* the words name it by themselves, whoever wrote the line */
};
/* of_engine: the line is of a library for RDMA. NULL: there is none. */
const struct log_completion *nccl_log_completion(const char *s, bool of_engine);
/* The name of an ibv_wc_status; NULL: there is no such status. */
const char *nccl_wc_status(int64_t status);
/* The line behind "Last error:", and that line itself. */
bool nccl_log_last_error(struct log *l, const char *line);
/*
 * prefix.c: the words before the message that name who wrote the line, without times, levels and
 * ranks; "": none.
 */
void nccl_log_writer(const char *s, char *dst, size_t size);
/* groups.c: gives the groups of several jobs in one log names of their own, after the last line. */
void nccl_log_part_groups(struct log *l);
/* Adds the records of all ranks whose watchdog gave up, after the last line. */
void nccl_log_timeouts(struct log *l);

/*
 * time.c: the last time within the n bytes, preferably one with a zone: RFC 3339, NCCL's
 * own and glog's ("E1206 18:44:12.7"). A time without a zone is read by the host's zone if it was
 * told, and a time without a year by the time of receipt. 0: none, or it cannot be placed to within
 * minutes, and it may be of today.
 */
int64_t nccl_log_time(const struct log *l, const char *s, size_t n);
/* time.c: "+0200"; false: it is no zone. */
bool nccl_log_zone(const char *s, int64_t *east_s);

/* origin.c: the message that begins behind `from`. */
struct log_origin {
	const char *begin, *end; /* "gpu-node-03:25527:25778 [3]" */
};
/* Finds the last origin in from..to-1 and fills host, pid, gpu. */
bool nccl_log_origin(
	const char *from, const char *to, struct log_line *line, struct log_origin *at);
/* The rank that a launcher named in front: "19: ", "[1,19]<stdout>:", "[rank19]:"; -1. */
int32_t nccl_log_label(const char *s, size_t n);
/* Host and process of a line that Ray brought: "(Worker pid=1181, ip=172.16.0.2) ...". */
void nccl_log_launcher(const char *s, size_t n, struct log_line *line);
/* Copies the line without escape sequences; other control bytes become blanks. */
void nccl_log_plain(char *dst, size_t size, const char *s, size_t n);

#endif
