/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_SESSION_PRIVATE_H
#define BACKENDS_SSH_SESSION_PRIVATE_H

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <uv.h>

#include "backends/incremental/text_delta.h"
#include "backends/ssh/known_hosts_files.h"
#include "backends/ssh/config.h"
#include "backends/transport/transport.h"
#include "backends/transport/resolve.h"
#include "base/buf.h"
#include "base/clock.h"

/* Private to the SSH transport. One link is one session to one device. */

enum ssh_stage {
	STAGE_DOWN,
	STAGE_RESOLVE,
	STAGE_TCP,
	STAGE_JUMP, /* a bastion connects for us */
	STAGE_KEX,
	STAGE_AUTH,
	STAGE_UP
};

struct ssh_keys;
struct ssh_bastion;
struct ssh_relay;
struct ssh_rider;

struct shell_text;
struct ssh_watch;

/*
 * The host key types of a file in memory with one known_hosts line each. libssh chooses among these
 * types.
 */
#define SHOWN_KINDS 8
struct shown_types {
	char types[128];
	int fd;
};

/* State shared by all sessions of one loop. */
struct ssh_shard {
	uv_loop_t *loop;
	unsigned users;
	struct ssh_keys *keys;
	struct ssh_files *config; /* cache of ssh_config and its includes */
	struct resolver *resolver;
	struct ssh_watch *watch;  /* NULL: no connection yet */
	struct shell_text *texts; /* texts of the functions of kept shells */
	struct ssh_ask *spare;    /* answered requests for reuse, see ssh_ask_take() */
	unsigned spare_n;
	struct delta_scratch scratch;
	uint64_t string_pool_told; /* last id of a kept text */
	struct ssh_bastion *bastions;
	struct shown_types shown[SHOWN_KINDS];
	unsigned shown_n;
};

/* Callbacks of a rider, a user of a bastion. None may free the rider. */
struct rider_ops {
	/* The bastion was asked for the connection: the connect timeout starts now. */
	void (*asked)(struct ssh_rider *r);
	/*
	 * The bastion has connected. fd becomes the rider's; -1: the rider had made its own socket.
	 */
	void (*take)(struct ssh_rider *r, int fd);
	/* The connection failed; the rider leaves. */
	void (*fail)(struct ssh_rider *r, const struct err *why);
	/* True: call again() when the bastion is back. Called after fail(). */
	bool (*waits)(const struct ssh_rider *r);
	void (*again)(struct ssh_rider *r);
	/* The other end of the rider's own socket was closed. May be NULL. */
	void (*left)(struct ssh_rider *r);
};

/* One connection through a bastion: a device's session, or a tunnel (tunnel.h). */
struct ssh_rider {
	const struct rider_ops *ops;
	const struct plan_device *device;
	const char *host; /* address for the bastion to connect to */
	unsigned port;
	const char *jump; /* ProxyJump list */
	unsigned hops;    /* bastions behind this one */
	char via[64];     /* last bastion of the list while the list is used */
	int ours; /* the bastion's end of the rider's own socket; -1: the bastion makes one */
	struct ssh_relay *relay; /* relay in the bastion's session, NULL: none */
};

/* Channels at a time; OpenSSH allows 10 per connection by default (MaxSessions). */
#define SSH_PARALLEL 8
/* Limit for requests of slow tiers; the others stay free for the fast tier. */
#define SSH_BACKGROUND 3
/*
 * A followed output keeps its channel, so it needs one more for slow requests and one for fast
 * ones.
 */
#define SSH_FOLLOW_NEEDS 3
/* The same holds for the kept shell. With fewer channels each question has a channel of its own. */
#define SSH_SHELL_NEEDS 3

/* Progress of one request. Each request is one exec channel. */
enum ask_stage { ASK_WAITING, ASK_OPENING, ASK_EXEC, ASK_INPUT, ASK_READING, ASK_DONE };

/* State of a followed request. out holds the bytes since the last piece. */
struct ssh_follow {
	bool told;     /* the start was reported */
	bool dropping; /* out is full: the bytes until the next piece are only counted */
	bool inside;   /* the last dropped byte is in the middle of a line */
	uint64_t lost; /* lines dropped */
	uint64_t came; /* bytes since the last piece */
	int64_t next_us;
};

struct ssh_ask {
	struct ssh_ask *next;
	struct ssh_link *link;
	const struct request *request;
	enum poll_tier tier;
	struct ssh_follow follow;
	answer_fn *fn;
	void *ctx;
	enum ask_stage stage;
	ssh_channel channel;
	struct ssh_channel_callbacks_struct callbacks;
	struct buf out, complaint;
	size_t sent; /* bytes of the input sent */
	uint64_t received;
	uint64_t wire_mark; /* bytes received in the session when the request began */
	int64_t began_us, deadline_us;
	int64_t asked_us; /* when the shell or a channel took it; 0: not yet */
	int status;
	bool eof, closed;
	bool left; /* the command line, or the input of a connection, was sent in part or in full */
	bool shell;                /* goes to the kept shell, without a channel of its own */
	bool filtered;             /* out holds the difference to an earlier answer */
	struct kept_text *text;    /* the text after that difference; NULL: out is the answer */
	struct text_before before; /* the previous text: in the scratch */
	unsigned refused;          /* number of times that the device refused the channel */
	/* A forwarded connection. */
	uint16_t port;  /* 0: a command */
	bool confirmed; /* the second input is being sent, or there is none */
	bool abandoned; /* answered already: closed as soon as it is open */
	char *guarded;  /* the script with its guard, see guard.c; NULL: sent as it is */
	struct err err;
};

/* State of the kept shell. */
enum shell_stage { SHELL_NONE, SHELL_OPENING, SHELL_EXEC, SHELL_GREETING, SHELL_READY };
/*
 * The number of different requests per device, over all tiers. A host has most; one-time reads are
 * forgotten.
 */
#define SSH_SHELL_TEXTS 6

/* The last answer to a question; a reader may keep it longer than the shell lives. */
struct kept_text {
	struct text_delta delta;
	unsigned users;
	uint64_t id;
};

/* State of the filter that leaves out the unchanged parts of the kept shell's output. */
enum filter_stage { FILTER_NONE, FILTER_ASKED, FILTER_ON };
#define SSH_NONCE_SIZE 33

/* One output of the kept shell, and the question that is being answered there. */
struct ssh_lane {
	struct ssh_ask *ask;            /* NULL: none */
	unsigned function;              /* the function that was called */
	char mark[SSH_NONCE_SIZE + 16]; /* line that ends the answer */
	bool marked;                    /* the mark has come */
	struct buf tail;                /* bytes after the mark */
};

struct ssh_shell {
	enum shell_stage stage;
	bool off;        /* no shell is kept in this connection (any more) */
	unsigned deaths; /* in a row, without an answer between them */
	ssh_channel channel;
	struct ssh_channel_callbacks_struct callbacks;
	char nonce[SSH_NONCE_SIZE];
	struct shell_text *texts[SSH_SHELL_TEXTS];
	const char *names[SSH_SHELL_TEXTS]; /* of the functions' requests; NULL: free */
	bool as_input[SSH_SHELL_TEXTS];     /* the text is input for `sh -s`, not a command line */
	unsigned next_text, seq;
	struct buf in;          /* input to be written */
	size_t sent;            /* bytes of in that were written */
	struct ssh_lane main;   /* behind the filter, if there is one */
	struct ssh_lane beside; /* bypasses the filter: shell_admission.c */
	bool beside_begun;      /* the line before the answer has come */
	unsigned beside_seq;
	int64_t beat_us;              /* when it was last told that the console is there */
	size_t noise;                 /* bytes outside of answers */
	size_t came[SSH_SHELL_TEXTS]; /* sizes of the last answers */
	bool closed;
	enum filter_stage filter;
	const char *full_why;  /* why answers come in full in this connection; NULL: they do not */
	int64_t full_until_us; /* full answers until then; 0: for good */
	struct kept_text *kept[SSH_SHELL_TEXTS]; /* by function; NULL: no answer yet */
	struct delta_mark delta;                 /* of the answer that has come */
	unsigned mistakes;   /* score of differences that did not fit, less the good ones */
	int64_t deadline_us; /* until the shell is ready */
	int64_t again_us;    /* off until then, because it was too slow; 0: for good */
	int64_t probe_us;    /* something must arrive by then; 0: no doubt */
	uint64_t probe_mark;
};

/* Duration of a question of the slower tiers that the kept shell could answer. */
#define SSH_QUICK (SSH_SHELL_TEXTS - 1)
struct ssh_quick {
	const char *name; /* name of the request; NULL: free */
	int64_t took_us;  /* last duration; INT64_MAX: no answer */
	int64_t most_us;  /* longest duration in the shell; INT64_MAX: it hung there */
};

#define SSH_CONNECT_US (10 * CLOCK_SEC) /* from the first step until authentication is done */

struct ssh_link {
	struct device_link base;
	struct ssh_shard *shard;
	const struct plan_device *device;
	const struct backend_ops *ops; /* its list of reads; NULL: no request is allowed */
	struct link_events events;
	enum ssh_stage stage;
	bool permitted; /* may change the device */
	bool closing, pumping;
	bool unblocked; /* the socket was set non-blocking after libssh had made it blocking */
	bool again;     /* the pump used up its turns and has more to do */
	bool writing;   /* libssh has bytes that the socket has not taken */

	struct ssh_settings *said; /* result of ssh_config; freed after authentication */
	char host[256], user[128]; /* after ssh_config */
	unsigned port;
	int64_t connect_us;          /* connect timeout */
	char *jump;                  /* ProxyJump list; NULL: direct */
	unsigned hops;               /* bastions behind this one */
	struct ssh_bastion *bastion; /* set if this is the session to a bastion */
	struct ssh_rider rider;      /* set if the session runs through a bastion */
	struct lookup *lookup;
	struct resolved addresses;
	unsigned next_address;
	struct err last; /* error of the latest address */

	int fd; /* before the session has it, -1: none; then libssh owns it, see ssh_get_fd() */
	uv_poll_t *poll;  /* watches fd */
	unsigned slot;    /* slot + 1 in the shard's watch; 0: none */
	int armed;        /* events that are watched there */
	uv_timer_t timer; /* connect deadline, then at or before the earliest request deadline */
	int64_t timer_us; /* when the timer fires */
	int64_t connect_deadline_us;
	ssh_session session;
	ssh_event event;
	struct ssh_counter_struct wire;
	/* Firewalls on the path forget an idle connection. */
	int64_t keepalive_us; /* silence after which a keepalive is sent */
	uint64_t quiet_bytes; /* bytes on the wire at the last check */
	int64_t quiet_since_us;
	uint64_t steps; /* counts state changes: the pump runs until there are none */
	struct ssh_channel_callbacks_struct discard;
	uint64_t forgiven;  /* allowed discarded bytes: closed relays had an open window */
	uint64_t discarded; /* bytes that came after we closed their channel */

	VEC(struct hosts_file *) known; /* the user's files, then the system's */
	int known_error;                /* errno of the first file */
	int known_fd;                   /* file that libssh reads instead, -1: none */
	bool known_shown;               /* known_fd belongs to the shard */

	unsigned auth;          /* current step, see auth.c */
	struct shared_key *key; /* the key being tried */
	bool auth_none, auth_none_done;
	bool agent_narrowed; /* libssh got the agent's keys in our order, or a selection */
	int agent;           /* connection to ssh-agent during authentication, -1: none */
	char tried[192];

	struct ssh_ask *asks;
	unsigned running;      /* open channels */
	unsigned parallel;     /* limit of open channels */
	unsigned proven;       /* this many were open at the same time, in any connection */
	bool limited;          /* the device has refused a further channel */
	int64_t hold_until_us; /* no channel is opened before then */
	struct ssh_shell shell;
	struct ssh_quick quick[SSH_QUICK]; /* for this connection */
};

/* ---- session.c ---- */
/* Ends the connection: answers all requests with why, then calls down(). */
void ssh_link_fail(struct ssh_link *l, const struct err *why);
int64_t ssh_now_us(const struct ssh_link *l);
/* Returns libssh's error text, or its status if there is none. */
const char *ssh_link_reason(const struct ssh_link *l);

/* ---- channel_io.c ---- */
/* Reads the bytes that have arrived and advances all requests until nothing changes. */
void ssh_link_pump(struct ssh_link *l);
/* The same for new work; bytes need not have arrived. */
void ssh_link_step(struct ssh_link *l);
/* Waits for the next event: the socket or a deadline. */
void ssh_link_arm(struct ssh_link *l);

/* Returns the shard of the loop and creates it if needed; ssh_shard_close() releases it. */
void *ssh_shard_open(uv_loop_t *loop);
void ssh_shard_close(void *shard);

/* ---- session_epoll.c: watches the sockets that libssh owns ---- */
/* Adds the session's socket with no events. Returns false with errno. */
bool ssh_watch_begin(struct ssh_link *l);
/* events: UV_READABLE, UV_WRITABLE. The pump runs when the socket is ready. */
void ssh_watch_arm(struct ssh_link *l, int events);
/* Call before the session is freed. Does nothing if it is not watched. */
void ssh_watch_end(struct ssh_link *l);
void ssh_watch_free(struct ssh_watch *w); /* NULL is allowed */

/* ---- bastion.c ---- */
/* Connects through a bastion instead of TCP. take() or fail() follows, possibly inside the call. */
void ssh_jump_connect(struct ssh_shard *s, struct ssh_rider *r);
/* Undoes ssh_jump_connect(). */
void ssh_jump_leave(struct ssh_rider *r);
/*
 * For the session to a bastion. step: call in each turn of its pump; lost: call before it is freed.
 */
void ssh_jump_step(struct ssh_bastion *b);
void ssh_jump_lost(struct ssh_bastion *b);
void ssh_jump_shut(struct ssh_shard *s);

/* ---- session_config.c ---- */
/* Creates the session and decides path, host, port and user. Returns false with err. */
bool ssh_config_apply(struct ssh_link *l, struct err *err);
/* Returns AF_UNSPEC, or the family of ssh_config's AddressFamily. */
int ssh_config_family(const struct ssh_link *l);
/* Applies BindAddress and BindInterface. Returns false with errno. */
bool ssh_config_bind(const struct ssh_link *l, int fd, int family);
/* Frees the settings: this connection needs them no more. */
void ssh_config_done(struct ssh_link *l);

/* ---- host_keys.c ---- */
/*
 * Call before the handshake. Makes libssh request a key of a known type, if one is known. Returns
 * false with errno if no descriptor is left.
 */
bool ssh_hosts_prepare(struct ssh_link *l);
/* Sets err to ERR_NONE if the server's key is known. */
bool ssh_hostkey_verify(struct ssh_link *l, struct err *err);
/* Frees the results of ssh_hosts_prepare(). */
void ssh_hosts_done(struct ssh_link *l);
/* Frees the shard's files at its end. */
void ssh_hosts_shut(struct ssh_shard *s);

/* ---- keys.c: private keys, read once per shard ---- */
struct shared_key {
	ssh_key key; /* with its certificate, if any */
	unsigned refs;
};
struct ssh_keys *ssh_keys_new(void);
void ssh_keys_free(struct ssh_keys *k);
/*
 * Returns the key in the file as it is now. NULL: it needs a passphrase, is invalid, or the
 * certificate is for another key. certificate: path, or NULL for FILE-cert.pub if that exists. The
 * caller releases the key with ssh_key_release().
 */
struct shared_key *ssh_keys_take(struct ssh_keys *k, const char *file, const char *certificate);
void ssh_key_release(struct shared_key *key); /* NULL is allowed */

/* ---- agent.c ---- */
/* One step of authentication with the agent. Returns a code as ssh_userauth_agent() does. */
int ssh_agent_step(struct ssh_link *l);
void ssh_agent_end(struct ssh_link *l);

/* ---- auth.c ---- */
/*
 * Returns the n-th stated key file, or one of the usual ones; NULL: no more. The caller frees it.
 */
char *ssh_auth_file(const struct ssh_link *l, size_t n);
/* Records an attempt for the error message. */
void ssh_auth_note(struct ssh_link *l, const char *what, const char *why);
/* Returns SSH_AUTH_SUCCESS, SSH_AUTH_AGAIN, SSH_AUTH_DENIED or SSH_AUTH_ERROR (err is set). */
int ssh_auth_step(struct ssh_link *l, struct err *err);
void ssh_auth_reset(struct ssh_link *l);

/* ---- ask.c ---- */
/* True for the tiers that leave room for the fast tier. */
bool ssh_is_background(enum poll_tier tier);
struct ssh_ask *ssh_ask_new(
	struct ssh_link *l, const struct request *r, enum poll_tier tier, answer_fn *fn, void *ctx);
/* Advances every request as far as possible and answers those that ended. */
void ssh_asks_step(struct ssh_link *l);
/* Ends requests past their deadline. Returns false if the session was silent all that time. */
bool ssh_asks_expire(struct ssh_link *l, int64_t now_us, struct err *err);
/* Returns the earliest deadline, 0: none. */
int64_t ssh_asks_deadline(const struct ssh_link *l);
/* Answers all requests with this error. */
void ssh_asks_fail(struct ssh_link *l, const struct err *why);
/* Frees all requests without an answer. */
void ssh_asks_drop(struct ssh_link *l);
/* Records that n channels were open at the same time. */
void ssh_channels_proven(struct ssh_link *l, unsigned n);
/* Sends running commands a signal to end, before the session is closed. */
void ssh_asks_signal(struct ssh_link *l);

/* ---- request_pool.c ---- */
#define SSH_COMPLAINT_CAP ((size_t)4096)
/*
 * Returns a new request with all other fields zero. The shard keeps some released requests with
 * their buffers for reuse, because a thousand a second come and go.
 */
struct ssh_ask *ssh_ask_take(struct ssh_shard *s, struct ssh_link *l, const struct request *r);
/* Releases a and all it owns. The link may be gone. */
void ssh_ask_give(struct ssh_shard *s, struct ssh_ask *a);
void ssh_asks_spare_free(struct ssh_shard *s);

/* ---- shell.c: one kept shell for the fast tier ---- */
/* True: the kept shell may answer the request. */
bool ssh_shell_wants(const struct ssh_link *l, const struct request *r);
/*
 * True: the request is, byte for byte, a function of this connection's shell already. It then
 * passed the list of reads and need not be looked up again.
 */
bool ssh_shell_knows(const struct ssh_link *l, const struct request *r);
/*
 * Gives the question to the shell and starts one if needed. False: not yet, or a->shell is now
 * false and a needs a channel of its own.
 */
bool ssh_shell_take(struct ssh_ask *a);
/* Returns when to retry a question that waits for the shell. */
int64_t ssh_shell_due(const struct ssh_ask *a);
/* The request is answered. A shell that is still busy with it is closed. */
void ssh_shell_done(struct ssh_ask *a);
/* Advances the shell. If it died, its questions go to channels of their own. */
void ssh_shell_step(struct ssh_link *l);
/* True: the shell occupies a channel. */
bool ssh_shell_open(const struct ssh_link *l);
/* True: the shell occupies a channel and will release it. */
bool ssh_shell_leaving(const struct ssh_link *l);
/* Releases the shell's channel for other requests. Returns false if it has none. */
bool ssh_shell_yield(struct ssh_link *l);
/*
 * A question had no answer at all. Starts a probe of the device; ssh_shell_expire() has the result.
 */
void ssh_shell_doubt(struct ssh_link *l);
/* Returns false if the probe got no answer. */
bool ssh_shell_expire(struct ssh_link *l, int64_t now_us, struct err *err);
int64_t ssh_shell_deadline(const struct ssh_link *l); /* 0: none */
/* Sends the running commands of the shell a signal to end. */
void ssh_shell_signal(struct ssh_link *l);
/* The session is gone or about to begin: resets all state of the shell. */
void ssh_shell_reset(struct ssh_link *l);

/*
 * Completes an answer. If only the difference came, a->text is the whole text. False: the
 * difference did not fit, and the question is asked again.
 */
bool ssh_shell_text(struct ssh_ask *a);

/* ---- guard.c: nothing stays on a host after the console is gone ---- */
#define SSH_BEAT_US (8 * CLOCK_SEC)
/*
 * The kept shell's first input. Its function h passes on that the console is there; u limits a
 * subshell and the tools in it.
 */
extern const char ssh_guard_beat[];
/* True: the request is a script that only reads, in a channel of its own. */
bool ssh_guard_wants(const struct ssh_ask *a);
/* Fills a->guarded. */
void ssh_guard_wrap(struct ssh_ask *a);

/* ---- shell_admission.c: questions of the medium and slow tiers in the kept shell ---- */
/* True: the kept shell is ready and the request is known to be quick. */
bool ssh_quick_wants(const struct ssh_link *l, const struct request *r, enum poll_tier tier);
/* True: the waiting question must let one of the fast tier go first. */
bool ssh_quick_yields(const struct ssh_ask *a);
/* Records the duration of an answered question. */
void ssh_quick_note(const struct ssh_ask *a);
/* Bars the question from the shell for this connection. Ignores questions of other tiers. */
void ssh_quick_never(const struct ssh_ask *a);
/* Returns the deadline of the question that is being answered, 0: none. */
int64_t ssh_quick_deadline(const struct ssh_shell *sh);
/* ssh_shell_take() for such a question. */
bool ssh_quick_take(struct ssh_ask *a);
/* Takes bytes from the output where the question is answered. */
void ssh_quick_data(struct ssh_shell *sh, const char *data, size_t len);
/* The shell is closed: an unanswered question goes to a channel of its own. */
void ssh_quick_leave(struct ssh_link *l);

/* ---- session_filter.c: answers of the kept shell that name only the changes ---- */
/* True: a shell that begins now should have a filter. */
bool ssh_filter_wanted(const struct ssh_link *l);
/* True: the running shell has no filter and should be replaced by one that has. */
bool ssh_filter_due(const struct ssh_link *l);
/* Writes the program that starts the filter. */
void ssh_filter_begin(struct ssh_link *l);
/* Reads the filter's greeting in sh->main.tail. True: now send the shell its functions. */
bool ssh_filter_greeting(struct ssh_link *l);
/* Answers come in full until then (0: while the connection lasts). why is a static string. */
void ssh_filter_off(struct ssh_link *l, const char *why, int64_t until_us);
/* The shell has another text under this number. */
void ssh_filter_forget(struct ssh_shell *sh, unsigned function);
/* Mode of the next question: " w" the whole answer, " d" the difference, or "". */
const char *ssh_filter_mode(const struct ssh_shell *sh, unsigned function);
/* Builds the whole answer. Returns false if the difference does not fit. */
bool ssh_filter_text(struct ssh_ask *a);
/* Releases the text that it has taken. */
void ssh_filter_release(struct ssh_ask *a);
/* Why answers of this link come in full although differences were wanted; NULL: they do not. */
const char *ssh_filter_told(const struct ssh_link *l);

/* ---- shell_framing.c: the format of the kept shell's answers ---- */
/* Starts to wait for the answer to question number. nonce: the shell's. */
void ssh_lane_await(struct ssh_lane *w, struct ssh_ask *a, const char *nonce, unsigned number);
/*
 * Takes bytes of the answer. Bytes behind the answer stay at the end of w->tail; returns their
 * number.
 */
size_t ssh_lane_data(struct ssh_shell *sh, struct ssh_lane *w, const char *data, size_t len);
/* No answer is expected there any more. */
void ssh_lane_clear(struct ssh_lane *w);

/* ---- shell.c, for the slower tiers ---- */
/* Starts to wait for an answer in w. */
void ssh_shell_await(struct ssh_shell *sh, struct ssh_lane *w, struct ssh_ask *a, unsigned function,
	unsigned number);
/* Returns the number of the request's function; SSH_SHELL_TEXTS: none. */
unsigned ssh_shell_function(const struct ssh_shell *sh, const struct request *r);
/* The same, but defines the function in the shell if it is new. */
unsigned ssh_shell_told(struct ssh_link *l, const struct request *r);
/* The question moves to a channel of its own: it only reads, so it may be asked twice. */
void ssh_shell_give_back(struct ssh_ask *a);
/* Adds a line to its input if it was not told for SSH_BEAT_US that the console is there. */
void ssh_shell_beat(struct ssh_link *l, int64_t now_us);
/* Closes the shell and everything that runs in it. */
void ssh_shell_drop(struct ssh_link *l);

/* ---- follow.c ---- */
/* Takes output of the command. */
void ssh_follow_data(struct ssh_ask *a, const char *data, size_t len);
/* Delivers a piece if one is due. The callback may close the link: then a is gone. */
void ssh_follow_step(struct ssh_ask *a);
/* Returns when a piece is due, 0: nothing waits. */
int64_t ssh_follow_due(const struct ssh_ask *a);
/* True: the command prints too fast to be read; a->err is set. */
bool ssh_follow_floods(struct ssh_ask *a);

/* ---- forward.c ---- */
/*
 * Opens the connection, like ssh_channel_open_session(). On refusal a->err is set; only this
 * request fails.
 */
int ssh_forward_open(struct ssh_ask *a);
/* True: the bytes confirm the input, and there is more input to write. */
bool ssh_forward_confirmed(struct ssh_ask *a);
/* True: the connection is complete. */
bool ssh_forward_ended(const struct ssh_ask *a);
/* True: an earlier connection to the port is not open yet; a->err is set. */
bool ssh_forward_stuck(struct ssh_ask *a);
/* Sets a->err: no answer in time. */
void ssh_forward_late(struct ssh_ask *a);

#endif
