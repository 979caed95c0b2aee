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
 * A dialect: the commands and answers of one network system. It does no I/O and keeps no state:
 * plan() lists the requests, parse() decodes an answer. The same functions serve live polling,
 * captures, fuzzers and tests.
 */

enum transport_kind { TRANSPORT_SSH, TRANSPORT_HTTPS, TRANSPORT_COUNT };
const char *transport_name(enum transport_kind k); /* "ssh", "https" */
bool transport_by_name(const char *s, enum transport_kind *out);

/*
 * When a request is due. Each tier has its own period and never waits for a slower one.
 *   DETECT  once per connection, before all others: identifies the system and its features, and
 *           stores them as facts. It need not have requests.
 *   EVENTS  a request with follow set: its output never ends, and each piece of it is an answer.
 */
enum poll_tier { POLL_FAST, POLL_MEDIUM, POLL_SLOW, POLL_DETECT, POLL_EVENTS, POLL_TIER_COUNT };
#define POLL_MEDIUM_US INT64_C(30000000)
#define POLL_SLOW_US   INT64_C(300000000)
/* Period of MEDIUM on large fabrics: see backend_ops.medium_may_wait. */
#define POLL_MEDIUM_LARGE_US INT64_C(60000000)

struct number_positions; /* backends/parse/number_positions.h */

/* The information about a device that a dialect may use. Immutable during polling. */
struct target {
	const char *device;
	enum tier tier;
	enum transport_kind transport;
	uint8_t lossless;               /* lossless_priorities() of the plan */
	const struct facts *facts;      /* learnt since the connection; may be NULL */
	struct number_positions *slots; /* parse() records the positions of numbers here
					 * (backends/parse/number_positions.h); may be NULL */
};

/* One question. The list owns the strings. */
struct request {
	const char *name;   /* "fast", "optics": static; passed to parse() and obs.request */
	char *command;      /* SSH: the command line of an exec channel. HTTPS: NULL */
	char *input;        /* SSH: sent to its standard input, then EOF (not for a followed one);
			     * NULL: none */
	const char *method; /* HTTPS: "GET", "POST"; for changes also "PATCH", "PUT", "DELETE" */
	char *path;         /* HTTPS: "/command-api" */
	char *body;         /* HTTPS: NULL: none */
	const char *content_type;
	size_t cap; /* most bytes of an answer; a longer one is ERR_LIMIT */
	int64_t timeout_us;
	/* HTTPS: a late answer is no sign of device trouble, even in the fast tier. */
	bool spare;
	/*
	 * HTTPS: the system may lack this path or refuse its arguments. An answer with status 400,
	 * 404 or 501 is passed to parse(), whatever its body is.
	 */
	bool may_lack;
	/* SSH: on timeout the output so far is parsed; else it is discarded. */
	bool partial;
	/*
	 * SSH: the command line, or the script of `sh -s`, is for a POSIX shell and reads no input.
	 * It may run in a persistent shell (shell.c); so may quick commands of the medium and slow
	 * tiers. Without such a shell it runs in a channel of its own.
	 */
	bool shell;
	/*
	 * SSH and EVENTS only: the command runs for as long as the session. Whole lines are answers
	 * as they arrive: at most cap bytes each, never more than 256 KB, at most one a second.
	 * timeout_us limits its start only.
	 *
	 * When it ends, parse() gets the rest and its standard error as one last answer, to report
	 * why there is no log (need "event log"); both may be empty. It is retried after some
	 * minutes. If it runs for a second and the dialect does not report the need, the collector
	 * reports it as ok.
	 */
	bool follow;
	/*
	 * SSH: no command, but a connection through the session (direct-tcpip) to this TCP port of
	 * the device's localhost. input is written; the answer is everything until the far side
	 * closes. A closed or forbidden port fails this request only. 0: a command.
	 */
	uint16_t forward_port;
	/*
	 * Forwarded only: if as many lines came as input has and the last one equals confirm,
	 * confirmed is written, too; else the answer ends there. NULL: nothing.
	 */
	const char *confirm;
	char *confirmed;
	/*
	 * The request changes the device. Only command() of dialect_changes creates it, and only
	 * actions/ sends it. It is sent at most once, also if the connection breaks, and only over
	 * a link with a permission (transport.h).
	 */
	bool change;
};

struct request_list {
	VEC(struct request) at;
};
void requests_free(struct request_list *l);
/* Adds an SSH request and copies the strings. cap and timeout get their defaults (8 MB, 10 s). */
struct request *requests_ssh(
	struct request_list *l, const char *name, const char *command, const char *input);
/*
 * Adds a followed SSH request for a command that does not notice the loss of its reader, on a
 * system with a shell. "dmesg --follow" waits for the next line, for days, and OpenSSH delivers no
 * signal to processes of root. tail -F and journalctl -f do not need it. command is one simple
 * command; it ends with the session.
 */
struct request *requests_follow(struct request_list *l, const char *name, const char *command);
/*
 * Returns the command given to requests_follow() for this command line; NULL: it is not from
 * requests_follow(). The caller frees it.
 */
char *requests_followed(const char *line);
/* Adds a connection to a TCP port of the device itself; confirm and confirmed may be NULL. */
struct request *requests_forward(struct request_list *l, const char *name, uint16_t port,
	const char *input, const char *confirm, const char *confirmed);
struct request *requests_http(struct request_list *l, const char *name, const char *method,
	const char *path, const char *content_type, const char *body);

/*
 * Login for devices where a session costs less than a password with each request. The transport
 * logs in when it connects, and again when the device has forgotten the session (401, or 403 after
 * refresh_us). It keeps the cookies. If the device does not know the path (404), it uses HTTP
 * Basic.
 */
struct known_fields;
struct dialect_changes; /* backends/contract/change.h */

struct login {
	const char *path; /* POST "/login" */
	const char *content_type;
	/* Returns the request body in memory of secret_new(), which the caller releases. */
	char *(*body)(const char *user, const char *password);
	int64_t refresh_us; /* log in again before this age; 0: only after a refusal */
};

struct backend_ops {
	const char *name;          /* as in fabric.yaml: "sonic" */
	const char *title;         /* "SONiC (Redis over SSH)" */
	unsigned transports;       /* bit set: 1u << TRANSPORT_SSH */
	unsigned https_port;       /* 0: 443 */
	const struct login *login; /* HTTPS; NULL: HTTP Basic with each request */
	const char *refused;       /* HTTPS: the cure shown for 401 and 403; NULL: the default */
	const char *probe;         /* SSH command that identifies the system; NULL: none */
	/* Returns 0..100: the likelihood that this text of a probe is from this dialect. */
	int (*score)(const char *text, size_t len);
	/* Appends the requests of one tier; there may be none. */
	bool (*plan)(const struct target *t, enum poll_tier tier, struct request_list *out,
		struct err *err);
	/*
	 * Decodes one answer into out (device, request and received_us are set). False: nothing
	 * could be decoded; err says what was expected and what came. True with out->err set: part
	 * of it was decoded. bytes is NUL-terminated at len for convenience and may contain other
	 * NULs.
	 *
	 * An answer to several questions may add batches with obs_more(). A JSON body with HTTPS
	 * status 400, 404 or 500 is passed, too: that is how NX-API and NVUE refuse a command.
	 */
	bool (*parse)(const struct target *t, const char *request, const char *bytes, size_t len,
		struct obs *out, struct err *err);
	/*
	 * The allow-list: returns true if r is, word by word, a question of this dialect, including
	 * detection and look(). Without a permission a transport sends nothing else, whichever code
	 * created the request. Pure.
	 */
	bool (*reads)(const struct request *r);
	/*
	 * Its medium tier has no counters for rates, only optics, neighbours and BGP. If the plan
	 * has no period and there are many devices, the period is POLL_MEDIUM_LARGE_US. SONiC
	 * itself reads its modules every 60 s (xcvrd).
	 */
	bool medium_may_wait;
	const struct known_fields *known;      /* backends/contract/known_fields.h; NULL: none */
	const struct dialect_changes *changes; /* NULL: changes are not supported */
};

/* All dialects, from backends/backends.def. */
extern const struct backend_ops *const backend_table[];
extern const size_t backend_count;
const struct backend_ops *backend_by_name(const char *name);
/* "sonic, eos, linux", for error messages. */
const char *backend_names(void);

#endif
