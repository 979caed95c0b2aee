/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_BACKEND_H
#define BACKENDS_CONTRACT_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "backends/contract/facts.h"
#include "base/vec.h"
#include "fabric/vocabulary/observation.h"
#include "fabric/plan/plan.h"

/*
 * A dialect: one vendor's words. It does no I/O and keeps no state: plan() says what to ask,
 * parse() what an answer means. The same functions serve live polling, captures, fuzzers and tests.
 */

enum transport_kind { TRANSPORT_SSH, TRANSPORT_HTTPS, TRANSPORT_COUNT };
const char *transport_name(enum transport_kind k); /* "ssh", "https" */
bool transport_by_name(const char *s, enum transport_kind *out);

/*
 * When a request is due. Each tier has a period of its own and never waits for a slower one.
 *   DETECT  once, before all others, each time that the device has been connected to: what the
 *           system is and can. What it learns are facts; it need not ask anything.
 *   EVENTS  a request with follow set: its output never ends, each piece of it is an answer.
 */
enum poll_tier { POLL_FAST, POLL_MEDIUM, POLL_SLOW, POLL_DETECT, POLL_EVENTS, POLL_TIER_COUNT };
#define POLL_MEDIUM_US INT64_C(30000000)
#define POLL_SLOW_US   INT64_C(300000000)
/* Of MEDIUM on large fabrics: see backend_ops.medium_may_wait. */
#define POLL_MEDIUM_LARGE_US INT64_C(60000000)

/* What a dialect may know about the device it asks. Immutable during polling. */
struct slots; /* backends/parse/number_positions.h */

struct target {
	const char *device;
	enum tier tier;
	enum transport_kind transport;
	uint8_t lossless;          /* lossless_priorities() of the plan */
	const struct facts *facts; /* what was learnt since it was connected to; may be NULL */
	struct slots *slots;       /* parse() tells where numbers stand
				      (backends/parse/number_positions.h); or NULL */
};

/* One question. Strings are owned by the list. */
struct request {
	const char *name;   /* "fast", "optics": static; parse() and obs.request carry it */
	char *command;      /* SSH: the command line of an exec channel. HTTPS: NULL */
	char *input;        /* SSH: sent to its standard input, then EOF (but to a followed one);
			       NULL: none */
	const char *method; /* HTTPS: "GET", "POST", to change also "PATCH", "PUT", "DELETE" */
	char *path;         /* HTTPS: "/command-api" */
	char *body;         /* HTTPS: NULL: none */
	const char *content_type;
	size_t cap; /* most bytes of an answer; a longer one is ERR_LIMIT */
	int64_t timeout_us;
	/* HTTPS: that it is late says nothing about the device, even in the fast tier. */
	bool spare;
	/* SSH: what came before the time was up is parsed as well; else it is thrown away. */
	bool partial;
	/*
	 * SSH: the command line, or the script of `sh -s`, is for a POSIX shell and wants no input,
	 * so that it may be asked of one that is kept (shell.c; of the medium and the
	 * slow tier what is quick). It is no promise: where none can be kept it is asked as ever.
	 */
	bool shell;
	/*
	 * SSH and EVENTS only: the command runs for as long as the session. Whole lines are answers
	 * of their own as they come (at most cap bytes each, and never more than 256 KB, at most
	 * one a second). timeout_us is for its start only. When it ends, parse() gets what was left
	 * and its standard error as one last answer, so that it can tell why there is no log (need
	 * "event log"); that may be nothing at all. It is tried again after some minutes. Of one
	 * that runs for a second without a word of the dialect about the need, the collector says
	 * that it is ok.
	 */
	bool follow;
	/*
	 * SSH: no command, but a connection to this TCP port of the device's own localhost, through
	 * the session (direct-tcpip). input is written, then the answer is what comes until the far
	 * side closes. A port that is closed or forbidden costs this request only. 0: a command.
	 */
	uint16_t forward_port;
	/*
	 * Forwarded only: when as many lines have come as input has, and the last of them is
	 * confirm, confirmed is written as well; else the answer ends there. NULL: nothing.
	 */
	const char *confirm;
	char *confirmed;
	/*
	 * It changes the device: made by command() of dialect_changes and sent by actions/ only. It
	 * is sent at most once, whatever happens to the connection, and only over a link that was
	 * permitted to (transport.h).
	 */
	bool change;
};

struct request_list {
	VEC(struct request) at;
};
void requests_free(struct request_list *l);
/* Adds an SSH request; takes copies. cap and timeout get their defaults (8 MB, 10 s). */
struct request *requests_ssh(
	struct request_list *l, const char *name, const char *command, const char *input);
/*
 * Adds a followed SSH request of a system whose users have a shell, for a command that does not
 * notice that its reader is gone: "dmesg --follow" waits for the next line, for days, and OpenSSH
 * delivers no signal to what root runs (tail -F and journalctl -f look after themselves). command
 * is one simple command; it ends with the session.
 */
struct request *requests_follow(struct request_list *l, const char *name, const char *command);
/* What requests_follow() was given for this command line, NULL: it is none of its. Caller frees. */
char *requests_followed(const char *line);
/* Adds a connection to a TCP port of the device itself; confirm and confirmed may be NULL. */
struct request *requests_forward(struct request_list *l, const char *name, uint16_t port,
	const char *input, const char *confirm, const char *confirmed);
struct request *requests_http(struct request_list *l, const char *name, const char *method,
	const char *path, const char *content_type, const char *body);

/*
 * How to log in where a session is cheaper for the device than a password with each request. The
 * transport logs in when it connects and again when the device has forgotten the session (401, or
 * 403 after refresh_us), keeps the cookies, and falls back to HTTP Basic where the device does not
 * know the path (404).
 */
struct dialect_changes; /* backends/contract/change.h */

struct login {
	const char *path; /* POST "/login" */
	const char *content_type;
	/* Makes the body of it; the caller wipes and frees it. */
	char *(*body)(const char *user, const char *password);
	int64_t refresh_us; /* log in anew before this age; 0: only when refused */
};

struct backend_ops {
	const char *name;          /* as in fabric.yaml: "sonic" */
	const char *title;         /* "SONiC (Redis over SSH)" */
	unsigned transports;       /* bit set: 1u << TRANSPORT_SSH */
	unsigned https_port;       /* 0: 443 */
	const struct login *login; /* HTTPS; NULL: HTTP Basic with each request */
	const char *refused;       /* HTTPS: a cure of its own for 401 and 403; NULL: none */
	const char *probe;         /* SSH command that identifies the system, NULL: none */
	/* 0..100: how surely the text a probe printed is this dialect. */
	int (*score)(const char *text, size_t len);
	/* Appends the requests of one tier; none is fine. */
	bool (*plan)(const struct target *t, enum poll_tier tier, struct request_list *out,
		struct err *err);
	/*
	 * Decodes one answer into out (already made, device and request set). False: nothing could
	 * be decoded, err says what was expected and what came. True with out->err set: part of it
	 * was decoded. bytes is NUL-terminated at len for convenience; it may hold other NULs.
	 * An answer to several questions at once may add batches with obs_more().
	 * out->received_us is set. A JSON body of an HTTPS status 400, 404 or 500 comes here too:
	 * that is how NX-API and NVUE refuse a command.
	 */
	bool (*parse)(const struct target *t, const char *request, const char *bytes, size_t len,
		struct obs *out, struct err *err);
	/*
	 * The allow-list: whether r, word by word, is one of the questions that this dialect asks,
	 * its detection and its look() included. A transport sends nothing else unless it was
	 * permitted to, so what is not on the list cannot leave, whoever made it. Pure.
	 */
	bool (*reads)(const struct request *r);
	/*
	 * Its medium tier holds no counters that rates are made of, but optics, neighbours, BGP:
	 * where the plan says no period and there are many devices, it is asked each
	 * POLL_MEDIUM_LARGE_US. SONiC itself reads its modules each 60 s (xcvrd).
	 */
	bool medium_may_wait;
	const struct dialect_changes *changes; /* NULL: nothing can be changed here */
};

/* Registered in backends/backends.def: one line a dialect. */
extern const struct backend_ops *const backend_table[];
extern const size_t backend_count;
const struct backend_ops *backend_by_name(const char *name);
/* "sonic, eos, linux", for error messages. */
const char *backend_names(void);

#endif
