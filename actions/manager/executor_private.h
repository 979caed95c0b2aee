/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_MANAGER_EXECUTOR_PRIVATE_H
#define ACTIONS_MANAGER_EXECUTOR_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

#include "actions/manager/executor.h"
#include "backends/transport/credentials.h"
#include "base/clock.h"

/*
 * Shared by executor*.c. Everything but the queues and the atomics belongs to the executor's
 * thread.
 */

#define EXECUTOR_CONNECT_US (15 * CLOCK_SEC)
#define EXECUTOR_LOOK_US    (30 * CLOCK_SEC)
#define EXECUTOR_AGAIN_US                                                                          \
	(500 * CLOCK_MSEC)         /* between two attempts of a request that has to wait */
#define EXECUTOR_READ_US CLOCK_SEC /* between two looks at the goal */
#define EXECUTOR_QUIET_US                                                                          \
	(10 * CLOCK_SEC) /* a connection without any answer for this long is replaced */
#define EXECUTOR_YIELD_US   CLOCK_SEC        /* longest rest of a look while a run waits for it */
#define EXECUTOR_LOST_US    (60 * CLOCK_SEC) /* reconnecting */
#define EXECUTOR_LOST_TRIES 3
#define EXECUTOR_SLACK_US   (5 * CLOCK_SEC) /* time for a transport to report a timeout */

enum job_kind { JOB_LOOK, JOB_COUNT, JOB_RUN, JOB_WRITE, JOB_LEAVE };
struct executor_job {
	struct executor_job *next;
	enum job_kind kind;
	unsigned turn;
	const struct plan_device *device;
	struct order order;
	const struct act_plan *plan;
	struct consent consent;
	char snapshot[1024], sha256[65], undoes[40];
	enum ledger_event event;
	char act[40];
	json_t *detail;
};

/* The connection to the device. */
struct executor_link {
	const struct plan_device *of; /* in the inventory; NULL: none */
	struct plan_device device;    /* with the account for actions */
	const struct backend_ops *ops;
	const struct transport *transport;
	struct target target;
	struct facts facts;
	struct credentials *credentials;
	struct device_link *link;
	bool up, permitted;
	struct err down;  /* ERR_NONE: it did not go down */
	int64_t heard_us; /* monotonic time of the last answer; 0: none yet */
};

struct action_executor {
	struct action_executor_opts o;
	pthread_t thread;
	uv_loop_t loop;
	uv_async_t async;
	uv_timer_t timer;
	pthread_mutex_t lock;
	pthread_cond_t end;
	bool ended; /* the thread does not touch this struct any more */
	struct executor_job *jobs;
	struct executor_event *events;
	atomic_bool stop, leave;
	atomic_bool acting; /* a run has sent something: it must come to its end */
	atomic_bool due;    /* a run waits for the look in progress */
	void *shards[TRANSPORT_COUNT];
	struct executor_link at;
};

/* ---- executor.c ---- */
int64_t executor_now(const struct action_executor *a);  /* session time */
int64_t executor_wall(const struct action_executor *a); /* wall clock: for the ledger */
/* A new event of the kind, for executor_tell(). */
struct executor_event *executor_event_new(enum executor_event_kind kind);
void executor_tell(struct action_executor *a, struct executor_event *e);
void executor_note(struct action_executor *a, enum plan_tone tone, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Whether to give up the job in progress: never once a run has sent something. */
bool executor_given_up(const struct action_executor *a);
/*
 * Runs the loop until *flag, or for us microseconds. False: time over, or given up. flag may be
 * NULL.
 */
bool executor_wait(struct action_executor *a, const bool *flag, int64_t us);
void executor_pause(struct action_executor *a, int64_t us); /* divided by hurry */
int64_t executor_deadline(const struct action_executor *a, int64_t us);

/* ---- executor_link.c ---- */
/* The result of one request; heard_free() frees bytes. */
struct heard {
	uv_loop_t *loop;
	bool done;
	bool left; /* the request may have reached the device, see struct answer */
	struct err err;
	char *bytes;
	size_t len;
	int status;
	char complaint[400];
	int64_t took_us;
};
void heard_free(struct heard *h);
struct reply heard_reply(const struct heard *h);
bool executor_ready(const struct action_executor *a);
/* Connects to d, including detection, unless it is connected already. */
bool executor_connect(struct action_executor *a, const struct plan_device *d, struct err *err);
void executor_disconnect(struct action_executor *a);
/* Permits changes over this connection from now on. */
void executor_permit(struct action_executor *a);
/* Sends a request and waits. False: h->err has the reason; the connection may be gone then. */
bool executor_ask(
	struct action_executor *a, const struct request *r, int64_t most_us, struct heard *h);
/* Reads the condition that o needs. */
bool executor_see(
	struct action_executor *a, const struct order *o, struct condition *c, struct err *err);

/* ---- executor_run.c ---- */
/* One run of a plan. */
struct run {
	struct action_executor *a;
	const struct executor_job *job;
	const struct act_plan *plan;
	struct order look;
	struct ledger *ledger;
	struct condition now; /* as read last */
	struct change_notes notes;
	int64_t used_us; /* the approval that began the last act with this hash; 0 none */
	size_t step;     /* index of the current step */
	bool sent;       /* a request that changes something may have reached the device */
	bool unseen;     /* the device accepted the command, but does not report its effect */
	bool lines_lost; /* a line of the ledger could not be written */
	char looks[200]; /* the command with which a person would read the condition */
	struct executor_event *end; /* sent after all resources are released */
};
enum step_end {
	STEP_DONE,
	STEP_FAILED, /* run->now shows the result */
	STEP_BLIND,  /* the result is unknown */
};
void run_plan(struct action_executor *a, const struct executor_job *job);
/*
 * Executes one order: announces, sends and judges each request, then reads back. why: the failure.
 */
enum step_end run_order(
	struct run *r, const struct order *o, const struct request_list *requests, struct err *why);
/* Appends a ledger line about the run; takes over detail's reference. */
bool run_say(struct run *r, enum ledger_event e, json_t *detail, struct err *err);
/* The same for a line about a past event: tries again, and remembers a missing line. */
void run_say_hard(struct run *r, enum ledger_event e, json_t *detail);
json_t *run_detail(const struct run *r);
/* Sends the last event and writes the last line. */
void run_end_done(struct run *r);
void run_end_failed(struct run *r, const char *outcome, const struct err *why);

/* ---- executor_words.c ---- */
/* Ends a run whose plan is words. */
void run_words(struct run *r);

/* ---- executor_send.c ---- */
enum sent {
	SENT_TAKEN,
	SENT_REFUSED, /* the device said no */
	SENT_LOST,    /* unknown whether it was executed */
	SENT_NOT,     /* it was not sent; why has the reason */
};
enum sent run_send(
	struct run *r, const struct order *o, const struct request *request, struct err *why);

/* ---- executor_lost.c ---- */
/* Reads the condition; connects again if the connection is lost. */
bool run_look(struct run *r, struct err *err);
/* Reads until the order's goal is met or its time is over; run->now is the last condition. */
enum step_end run_settle(struct run *r, const struct order *o, struct err *why);
/* Takes back the steps up to and with run->step, and ends the run. */
void run_take_back(struct run *r, enum step_end how, const struct err *why);

#endif
