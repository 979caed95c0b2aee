/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_FINDING_H
#define DIAGNOSIS_ENGINE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "fabric/model/model.h"
#include "fabric/ref.h"

enum finding_id {
#define FINDING(id, ...) FIND_##id,
#include "diagnosis/engine/findings.def"
#undef FINDING
	FIND_COUNT
};

enum finding_family {
	FAMILY_LINK,
	FAMILY_PFC,
	FAMILY_CONGESTION,
	FAMILY_HOST,
	FAMILY_ECMP,
	FAMILY_ROUTE,
	FAMILY_QOS,
	FAMILY_WIRING,
	FAMILY_NCCL,
	FAMILY_MONITOR,
};
enum finding_open { OPEN_FACT, OPEN_TWO, OPEN_ERROR, OPEN_THREE, OPEN_LONG };

struct finding_info {
	const char *name; /* contract: "link.flapping" */
	enum finding_family family;
	enum severity severity;
	enum finding_open open;
	double prior;
	const char *runbook, *view, *title, *help; /* runbook "": none */
};
extern const struct finding_info finding_info[FIND_COUNT];
/* Whether it is about a GPU or the links between GPUs: not about the NIC beside it. */
bool finding_is_of_gpu(enum finding_id id);
enum finding_id finding_by_name(const char *name); /* FIND_COUNT: none */

/* The part that a finding plays. A victim is never ranked before a culprit. */
enum finding_role {
	ROLE_CULPRIT, /* causes trouble now */
	ROLE_SYMPTOM, /* follows from another finding (root) */
	ROLE_VICTIM,  /* suffers, causes nothing */
	ROLE_RISK,    /* no harm now: settings, coverage, margins */
	ROLE_INFO,    /* a statement: heavy even load */
};
const char *finding_role_name(enum finding_role r); /* "culprit", ... (contract) */

/* A row of evidence, with the source of its number. */
struct evidence {
	struct ref at;      /* device, port or rank; REF_NONE: of the fabric */
	char what[40];      /* counter's JSON name, or words: "speed", "LLDP neighbour" */
	double value;       /* NAN: see text */
	char unit[12];      /* "%", "Gb/s", "/s", "dBm", "" */
	char text[80];      /* "400G, planned 800G"; "" where value suffices */
	char threshold[40]; /* "> 1 %", "= plan"; "" */
	char source[24];    /* "counter", "lldp", "config", "log", "nccl-ras", "plan" */
	int64_t t_us;       /* wall time of the observation */
	bool against;       /* speaks against the finding */
};

/* Another explanation that was examined and rejected. */
struct refuted {
	enum finding_id id;
	struct ref at;
	char why[96];
};

struct victim {
	struct ref at;
	float percent; /* of time paused */
};

/* Signals of one family are not added: only the strongest counts. */
enum signal {
	SIGNAL_FACT,    /* link state, speed, errors: facts that need no inference */
	SIGNAL_PAUSE,   /* pause duration, frames, watchdog */
	SIGNAL_QUEUE,   /* watermarks, ECN, CNP */
	SIGNAL_LOSS,    /* drops, NAKs, timeouts */
	SIGNAL_LOAD,    /* bytes: capped, idle, uneven */
	SIGNAL_CONFIG,  /* settings against plan and siblings */
	SIGNAL_NCCL,    /* slow edges, late ranks */
	SIGNAL_TIME,    /* order of onsets */
	SIGNAL_AGAINST, /* contradictions: likelihood ratios below 1 */
	SIGNAL_COUNT
};

#define FINDING_VICTIMS 64 /* victims with an entry; nvictims counts all */

struct finding {
	uint64_t key; /* of id and place */
	enum finding_id id;
	struct ref at;   /* the object to blame (or the subject of the finding) */
	struct ref peer; /* the other end, REF_NONE */
	enum severity severity;
	enum finding_role role;
	float signal[SIGNAL_COUNT]; /* ln of likelihood ratios */
	float confidence;           /* 0..1 */
	float rank;                 /* order among findings, greater first; set by the engine */
	float blame_gbps;           /* capacity that its pauses take away, 0: none */
	uint64_t root;              /* key of the finding that explains this one; 0: it is a root */
	int64_t onset_us;           /* start of the trouble as far as samples show */
	int64_t first_seen_us, last_seen_us; /* of the open finding */
	char title[120];   /* "link flapping: 7 times in 60 s, went down first here" */
	char command[160]; /* command to run on the device next; "" */
	unsigned gpus_blocked, gpus_slow; /* of jobs that are stalled, that are slowed */
	VEC(struct ref) members;    /* a cycle's egresses in order, ports of a group, cable ends */
	VEC(struct victim) victims; /* worst first, at most FINDING_VICTIMS */
	unsigned nvictims;
	VEC(struct evidence) evidence;
	VEC(struct refuted) refuted;

	/* The detector itself saw it in two samples of the window: OPEN_TWO opens at once. */
	bool recurs;

	/* ---- set by the engine ---- */
	bool open;
	uint32_t seen_bits; /* the last 32 samples, newest in bit 0 */
	uint8_t quiet;      /* samples without it */
	uint32_t sample;    /* number of the last judged sample */
	bool claimed;       /* in the current run */
	int64_t silent_us;  /* its device was last heard at this time; 0: it is current */
	int64_t acked_us, ack_until_us; /* 0: not acknowledged */
	char ack_note[80], ack_user[32];
};

/*
 * A number as a person writes it: "7", "34.2", "3.33 Mb/s", with its unit; or the text. Returns
 * dst.
 */
char *evidence_value(const struct evidence *e, char *dst, size_t size);

/* The key of the finding about id at a place, to name a root that another detector claims. */
uint64_t finding_key(enum finding_id id, struct ref at);
void finding_free(struct finding *f);
/* A copy that owns its lists. */
void finding_copy(struct finding *dst, const struct finding *src);
/* "link.flapping leaf-r3-00:Ethernet12": stable over restarts; used by ack and scripts. */
void finding_locator(const struct model *m, const struct finding *f, char *dst, size_t size);
/* Wall time of the last sample that showed an open finding, if newer ones do not show it: it is
 * about to close. 0: it is still there, or nothing newer was heard. */
int64_t finding_ended_us(const struct finding *f);
/*
 * The evidence with the number that convicts: within its limit, and a share of time paused before a
 * rate of events. NULL: no number has a limit.
 */
const struct evidence *finding_conviction(const struct finding *f);
/* Whether the evidence of that name is a time paused. */
bool evidence_is_pause(const char *what);
/* Whether the finding is acknowledged at now_us. */
bool finding_acked(const struct finding *f, int64_t now_us);

/* ---- for detectors: filling a claim ---- */

/* Adds a likelihood ratio: above 1 for, below 1 against. Only the strongest of a signal counts. */
void finding_weigh(struct finding *f, enum signal s, double likelihood_ratio);
/* Adds a row; the result is for setting against and text. At most 24 rows: further ones are
 * dropped. */
struct evidence *finding_number(struct finding *f, struct ref at, const char *what, double value,
	const char *unit, const char *threshold, const char *source);
struct evidence *finding_text(
	struct finding *f, struct ref at, const char *what, const char *text, const char *source);
void finding_refute(struct finding *f, enum finding_id other, struct ref at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void finding_victim(struct finding *f, struct ref at, double percent);
void finding_title(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct ref at_port(uint32_t port);
struct ref at_priority(uint32_t port, unsigned priority);
struct ref at_device(uint32_t device);

#endif
