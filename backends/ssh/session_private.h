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

/* Private to transport_ssh*.c: one link is one session to one device. */

enum ssh_stage {
	STAGE_DOWN,
	STAGE_RESOLVE,
	STAGE_TCP,
	STAGE_JUMP, /* a bastion connects in our place */
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

/* Types of host keys as a known_hosts of one line each, for libssh to choose from. */
#define SHOWN_KINDS 8
struct shown_types {
	char types[128];
	int fd;
};

/* One a loop, whoever opens it there. */
struct ssh_shard {
	uv_loop_t *loop;
	unsigned users;
	struct ssh_keys *keys;
	struct ssh_files *config; /* ssh_config, and what it includes */
	struct resolver *resolver;
	struct ssh_watch *watch;  /* NULL: nobody was connected to yet */
	struct shell_text *texts; /* what kept shells know as functions */
	struct ssh_ask *spare;    /* answered, see ssh_ask_take() */
	unsigned spare_n;
	struct delta_scratch scratch;
	uint64_t texts_told; /* ids of kept texts so far */
	struct ssh_bastion *bastions;
	struct shown_types shown[SHOWN_KINDS];
	unsigned shown_n;
};

/* Of who goes through a bastion; none may be freed in here. */
struct rider_ops {
	/* The bastion is asked from now on: it has as long as a connection may take. */
	void (*asked)(struct ssh_rider *r);
	/* The bastion has connected. fd becomes the rider's; -1: it had brought its own. */
	void (*take)(struct ssh_rider *r, int fd);
	/* It will not; the rider leaves. */
	void (*fail)(struct ssh_rider *r, const struct err *why);
	/* Whether it is to be told when the bastion is back, after that. */
	bool (*waits)(const struct ssh_rider *r);
	void (*again)(struct ssh_rider *r);
	/* Nobody has the other end of its own socket any more. May be NULL. */
	void (*left)(struct ssh_rider *r);
};

/* One connection through a bastion: a device's session, or a tunnel's (tunnel.h). */
struct ssh_rider {
	const struct rider_ops *ops;
	const struct plan_device *device;
	const char *host; /* as the bastion is asked for it */
	unsigned port;
	const char *jump; /* the way */
	unsigned hops;    /* bastions behind this one */
	char via[64];     /* the last bastion of the way, while that is the way */
	int ours; /* the bastion's end of a socket that the rider has made, -1: it is to be made */
	struct ssh_relay *relay; /* in the session to the bastion, NULL: none */
};

/* Channels at a time; OpenSSH allows 10 a connection by default (MaxSessions). */
#define SSH_PARALLEL 8
/* Of these, for requests of slow tiers: the rest is free for the fast one at any time. */
#define SSH_BACKGROUND 3
/* A followed output keeps its channel: one for it, one for slow requests, one for fast ones. */
#define SSH_FOLLOW_NEEDS 3
/* So does a shell that is kept: where there are fewer, each question has a channel of its own. */
#define SSH_SHELL_NEEDS 3

/* How far one request is. Each is one exec channel. */
enum ask_stage { ASK_WAITING, ASK_OPENING, ASK_EXEC, ASK_INPUT, ASK_READING, ASK_DONE };

/* What a followed request adds. out has what came since the last piece. */
struct ssh_follow {
	bool told;     /* that it runs */
	bool dropping; /* out is full: the rest until the next piece is counted only */
	bool inside;   /* the last byte that was dropped is not the end of a line */
	uint64_t lost; /* lines */
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
	size_t sent; /* of the input */
	uint64_t received;
	uint64_t wire_mark; /* bytes of the session when the request began */
	int64_t began_us, deadline_us;
	int64_t asked_us; /* its turn came: of the shell, or of a channel; 0: not yet */
	int status;
	bool eof, closed;
	bool left;              /* the command line, or what a connection gets, is on its way */
	bool shell;             /* asked of the kept shell: has no channel of its own */
	bool filtered;          /* out has the difference to another answer */
	struct kept_text *text; /* that out has led to; NULL: out is the answer */
	const struct text_change *changed; /* of it; NULL: not known. Until another one's answer */
	size_t changed_n;
	struct text_before before; /* what text was: in told, or in the scratch */
	char *told;                /* NULL: it is in the scratch */
	unsigned refused;          /* how often the device opened no channel */
	/* A forwarded connection. */
	uint16_t port;  /* 0: a command */
	bool confirmed; /* its second input is under way, or none is to come */
	bool abandoned; /* answered already: closed as soon as it is open */
	struct err err;
};

/* How far the kept shell is. */
enum shell_stage { SHELL_NONE, SHELL_OPENING, SHELL_EXEC, SHELL_GREETING, SHELL_READY };
/* As many as a device is asked, of all tiers: a host is asked most, and what it is is forgotten. */
#define SSH_SHELL_TEXTS 6

/* The last answer to a question; whoever reads it may outlive the shell. */
struct kept_text {
	struct answer_delta delta;
	unsigned users;
	uint64_t id; /* of the latest that was handed over, 0: none was */
	char *told;  /* that one, where others came since; NULL: it is delta's */
	size_t told_len;
};

/* Whether what the kept shell prints passes a filter of ours that leaves out what is as it was. */
enum filter_stage { FILTER_NONE, FILTER_ASKED, FILTER_ON };
#define SSH_NONCE_SIZE 33

struct ssh_stream;

/* A way in which the kept shell answers, and the question that is answered so. */
struct ssh_lane {
	struct ssh_ask *ask;            /* NULL: none */
	unsigned function;              /* that it is */
	char mark[SSH_NONCE_SIZE + 16]; /* what ends the answer */
	bool marked;                    /* that has come */
	struct buf tail;                /* what came behind it */
};

struct ssh_shell {
	enum shell_stage stage;
	bool off;        /* none is kept in this connection (any more) */
	unsigned deaths; /* in a row, with no answer between them */
	ssh_channel channel;
	struct ssh_channel_callbacks_struct callbacks;
	char nonce[SSH_NONCE_SIZE];
	struct shell_text *texts[SSH_SHELL_TEXTS];
	const char *names[SSH_SHELL_TEXTS]; /* of the requests that they are; NULL: none yet */
	bool as_input[SSH_SHELL_TEXTS];     /* they are what `sh -s` is given, not command lines */
	unsigned next_text, seq;
	struct buf in;          /* to be written */
	size_t sent;            /* of it */
	struct ssh_lane main;   /* behind the filter where there is one */
	struct ssh_lane beside; /* past it: shell_admission.c */
	bool beside_apart;      /* on standard error */
	bool beside_begun;      /* the line that comes before the answer has come */
	unsigned beside_seq;
	size_t noise;                 /* bytes that belong to no answer */
	size_t came[SSH_SHELL_TEXTS]; /* bytes that were the last answers */
	bool closed;
	enum filter_stage filter;
	const char *full_why;  /* why answers come in full in this connection; NULL: no reason */
	int64_t full_until_us; /* they do until then; 0: for good */
	struct kept_text *kept[SSH_SHELL_TEXTS]; /* of the questions; NULL: none came */
	struct delta_mark delta;                 /* of the answer that has come */
	unsigned mistakes;   /* differences that led nowhere, weighed against those that did not */
	int64_t deadline_us; /* of its beginning */
	int64_t again_us;    /* off until then, for it was too slow; 0: for good */
	int64_t probe_us;    /* until then something must come; 0: no doubt */
	uint64_t probe_mark;
	struct ssh_stream *stream; /* it answers by itself; NULL: it is asked */
	bool stream_known;         /* it was told how */
	unsigned strikes;          /* streams that failed, weighed against ticks that did not */
	const char *asked_why;     /* no stream in this connection (any more); NULL: no reason */
};

/* How long a question takes, that may be asked of the kept shell, but is not of the fast tier. */
#define SSH_QUICK (SSH_SHELL_TEXTS - 1)
struct ssh_quick {
	const char *name; /* of the request; NULL: none */
	int64_t took_us;  /* the last time; INT64_MAX: it had no answer */
	int64_t most_us;  /* in the shell; INT64_MAX: it hung there */
};

#define SSH_CONNECT_US (10 * CLOCK_SEC) /* from its beginning until the device lets us in */

struct ssh_link {
	struct device_link base;
	struct ssh_shard *shard;
	const struct plan_device *device;
	const struct backend_ops *ops; /* its list of reads; NULL: nothing may be asked */
	struct link_events events;
	enum ssh_stage stage;
	bool permitted; /* may change the device */
	bool closing, pumping;
	bool unblocked; /* the socket, after libssh has made it blocking */
	bool again;     /* the pump had its turns, and could have gone on */
	bool writing;   /* libssh has bytes that the socket has not taken */

	struct ssh_settings *said; /* by ssh_config; until the device has let us in */
	char host[256], user[128]; /* after it */
	unsigned port;
	int64_t connect_us;          /* as long as it may take */
	char *jump;                  /* the way through bastions; NULL: directly */
	unsigned hops;               /* bastions behind this one */
	struct ssh_bastion *bastion; /* this is the session to one */
	struct ssh_rider rider;      /* through another */
	struct lookup *lookup;
	struct resolved addresses;
	unsigned next_address;
	struct err last; /* why the latest address failed */

	int fd; /* until a session has it, -1: none; then it is libssh's, see ssh_get_fd() */
	uv_poll_t *poll;  /* of fd */
	unsigned slot;    /* + 1, of the shard's watch; 0: none */
	int armed;        /* events that are waited for there */
	uv_timer_t timer; /* connect deadline, then the earliest request deadline, or before it */
	int64_t timer_us; /* when it is to fire */
	int64_t connect_deadline_us;
	ssh_session session;
	ssh_event event;
	struct ssh_counter_struct wire;
	/* A connection that nothing goes over is forgotten by firewalls on its way. */
	int64_t keepalive_us; /* silence after which something is sent */
	uint64_t quiet_bytes; /* of wire, when it was looked at */
	int64_t quiet_since_us;
	uint64_t steps; /* counts state changes: the pump runs until it stands still */
	struct ssh_channel_callbacks_struct discard;
	uint64_t forgiven;  /* so many of these may come: a closed relay's window was open */
	uint64_t discarded; /* bytes after we closed their channel */

	VEC(struct hosts_file *) known; /* the user's, then the system's */
	int known_error;                /* of the first */
	int known_fd;                   /* what libssh may read of them, -1: none */
	bool known_shown;               /* that is one of the shard's */

	unsigned auth;          /* which step is tried, see auth.c */
	struct shared_key *key; /* being tried */
	bool auth_none, auth_none_done;
	bool agent_narrowed; /* libssh was told the agent's keys in our order, or some only */
	int agent;           /* our connection to ssh-agent while authenticating, -1: none */
	char tried[192];

	struct ssh_ask *asks;
	unsigned running;      /* with a channel */
	unsigned parallel;     /* at most */
	unsigned proven;       /* as many were open at the same time, in any connection */
	bool limited;          /* the device has refused to open one more */
	int64_t hold_until_us; /* no channel is opened before */
	struct ssh_shell shell;
	struct ssh_quick quick[SSH_QUICK]; /* in this connection */
};

/* ---- session.c ---- */
/* Ends the connection for this reason: answers all requests, then tells down(). */
void ssh_link_fail(struct ssh_link *l, const struct err *why);
int64_t ssh_now_us(const struct ssh_link *l);
/* What libssh says, or its status when it says nothing. */
const char *ssh_link_reason(const struct ssh_link *l);

/* ---- channel_io.c ---- */
/* Reads what has come, and goes on until it stands still. */
void ssh_link_pump(struct ssh_link *l);
/* The same where nothing need have come: what is new is to be done. */
void ssh_link_step(struct ssh_link *l);
/* Waits for what comes next: the socket, a deadline. */
void ssh_link_arm(struct ssh_link *l);

/* The shard of the loop, which is made where there is none; ssh_shard_close() gives it back. */
void *ssh_shard_open(uv_loop_t *loop);
void ssh_shard_close(void *shard);

/* ---- session_epoll.c: waiting for the sockets that libssh has ---- */
/* The session's socket is watched, for nothing yet. False with errno: it cannot be. */
bool ssh_watch_begin(struct ssh_link *l);
/* UV_READABLE, UV_WRITABLE: the pump turns when the socket is so. */
void ssh_watch_arm(struct ssh_link *l, int events);
/* Before the session is freed; without one that is watched it does nothing. */
void ssh_watch_end(struct ssh_link *l);
void ssh_watch_free(struct ssh_watch *w); /* NULL is allowed */

/* ---- bastion.c: through bastions ---- */
/* Instead of opening a TCP connection; take() or fail() follows, possibly in here. */
void ssh_jump_connect(struct ssh_shard *s, struct ssh_rider *r);
/* Gives back what ssh_jump_connect() has got. */
void ssh_jump_leave(struct ssh_rider *r);
/* For the session to a bastion: in each turn of its pump; before it is freed. */
void ssh_jump_step(struct ssh_bastion *b);
void ssh_jump_lost(struct ssh_bastion *b);
void ssh_jump_shut(struct ssh_shard *s);

/* ---- session_config.c ---- */
/* Makes the session and decides way, host, port and user. False: err says why there is none. */
bool ssh_config_apply(struct ssh_link *l, struct err *err);
/* AF_UNSPEC, or the one that ssh_config wants. */
int ssh_config_family(const struct ssh_link *l);
/* BindAddress and BindInterface; false with errno. */
bool ssh_config_bind(const struct ssh_link *l, int fd, int family);
/* Nothing more is asked of it in this connection. */
void ssh_config_done(struct ssh_link *l);

/* ---- host_keys.c ---- */
/*
 * Before the handshake: the server is asked for a key of a type that is known, if any is. False
 * with errno: there is no descriptor left for it.
 */
bool ssh_hosts_prepare(struct ssh_link *l);
/* ERR_NONE: the server's key is the known one. */
bool ssh_hostkey_verify(struct ssh_link *l, struct err *err);
/* Frees what ssh_hosts_prepare() made. */
void ssh_hosts_done(struct ssh_link *l);
/* Of the shard, at its end. */
void ssh_hosts_shut(struct ssh_shard *s);

/* ---- keys.c: private keys, read once a shard ---- */
struct shared_key {
	ssh_key key; /* with its certificate, if it has one */
	unsigned refs;
};
struct ssh_keys *ssh_keys_new(void);
void ssh_keys_free(struct ssh_keys *k);
/*
 * The key of the file as it is now; NULL: it needs a passphrase, or is none, or the certificate is
 * another key's. certificate: NULL: FILE-cert.pub where there is one. Whoever takes it gives it
 * back with ssh_key_release().
 */
struct shared_key *ssh_keys_take(struct ssh_keys *k, const char *file, const char *certificate);
void ssh_key_release(struct shared_key *key); /* NULL is allowed */

/* ---- agent.c ---- */
/* Asks the agent, or goes on with it: as ssh_userauth_agent(). */
int ssh_agent_step(struct ssh_link *l);
void ssh_agent_end(struct ssh_link *l);

/* ---- auth.c ---- */
/* The n-th key file that is stated, or one of the usual ones; NULL: there are no more. Freed. */
char *ssh_auth_file(const struct ssh_link *l, size_t n);
/* For the message, if none is taken. */
void ssh_auth_note(struct ssh_link *l, const char *what, const char *why);
/* One of SSH_AUTH_SUCCESS, SSH_AUTH_AGAIN, SSH_AUTH_DENIED or SSH_AUTH_ERROR (err filled). */
int ssh_auth_step(struct ssh_link *l, struct err *err);
void ssh_auth_reset(struct ssh_link *l);

/* ---- ask.c ---- */
/* A tier whose questions leave room for the fast one's. */
bool ssh_is_background(enum poll_tier tier);
struct ssh_ask *ssh_ask_new(
	struct ssh_link *l, const struct request *r, enum poll_tier tier, answer_fn *fn, void *ctx);
/* Moves every request on as far as it goes, answers those that ended. */
void ssh_asks_step(struct ssh_link *l);
/* Ends those past their deadline; false when the session was silent all that time. */
bool ssh_asks_expire(struct ssh_link *l, int64_t now_us, struct err *err);
/* The earliest deadline, 0: none. */
int64_t ssh_asks_deadline(const struct ssh_link *l);
/* Answers all with this error. */
void ssh_asks_fail(struct ssh_link *l, const struct err *why);
/* Frees all without an answer. */
void ssh_asks_drop(struct ssh_link *l);
/* So many channels were open at the same time. */
void ssh_channels_proven(struct ssh_link *l, unsigned n);
/* Tells the commands that run to end: the session is about to be closed. */
void ssh_asks_signal(struct ssh_link *l);

/* ---- request_pool.c ---- */
#define SSH_COMPLAINT_CAP ((size_t)4096)
/*
 * A question of its own, empty but for these. Of those that were given back some stay with the
 * shard, with the memory of their buffers: a thousand a second come and go.
 */
struct ssh_ask *ssh_ask_take(struct ssh_shard *s, struct ssh_link *l, const struct request *r);
/* Whatever it has is dropped. The link may be gone. */
void ssh_ask_give(struct ssh_shard *s, struct ssh_ask *a);
void ssh_asks_spare_free(struct ssh_shard *s);

/* ---- shell.c: one shell that is kept, for the fast tier ---- */
/* Whether the request may be asked of it. */
bool ssh_shell_wants(const struct ssh_link *l, const struct request *r);
/*
 * Whether the request is, byte for byte, one that this connection's shell knows already: then it
 * was on the list of reads, and need not be looked up once more.
 */
bool ssh_shell_knows(const struct ssh_link *l, const struct request *r);
/*
 * Hands the question to the shell, which is begun where there is none. False: not yet, or a->shell
 * is false now, and it needs a channel of its own.
 */
bool ssh_shell_take(struct ssh_ask *a);
/* When a question that waits for the shell is to be looked at again. */
int64_t ssh_shell_due(const struct ssh_ask *a);
/* The request is answered. A shell that is busy with it still is closed. */
void ssh_shell_done(struct ssh_ask *a);
/* Moves the shell on; questions of one that died go to channels of their own. */
void ssh_shell_step(struct ssh_link *l);
/* Whether it keeps a channel. */
bool ssh_shell_open(const struct ssh_link *l);
/* Whether it does, and is going to give it up. */
bool ssh_shell_leaving(const struct ssh_link *l);
/* Others need its channel. False: it has none. */
bool ssh_shell_yield(struct ssh_link *l);
/* A question had no answer at all: is the device there? ssh_shell_expire() tells. */
void ssh_shell_doubt(struct ssh_link *l);
/* False: nobody is there. */
bool ssh_shell_expire(struct ssh_link *l, int64_t now_us, struct err *err);
int64_t ssh_shell_deadline(const struct ssh_link *l); /* 0: none */
/* Tells what runs in it to end. */
void ssh_shell_signal(struct ssh_link *l);
/* The session is gone or about to begin: forgets all. */
void ssh_shell_reset(struct ssh_link *l);

/*
 * The answer is whole: a->text is it where only the difference came. False: that led nowhere, and
 * the same is asked once more.
 */
bool ssh_shell_text(struct ssh_ask *a);

/* ---- shell_admission.c: of the kept shell, questions of the medium and the slow tier ---- */
/* Whether the kept shell is there and the request is known to be answered at once. */
bool ssh_quick_wants(const struct ssh_link *l, const struct request *r, enum poll_tier tier);
/* Whether the question, which waits for the shell, lets one of the fast tier go first. */
bool ssh_quick_yields(const struct ssh_ask *a);
/* It is answered, after that long. */
void ssh_quick_note(const struct ssh_ask *a);
/* It is not to be asked there again in this connection. Of another tier's nothing is noted. */
void ssh_quick_never(const struct ssh_ask *a);
/* For how long one may wait for the shell where that is longer than for the fast tier; else 0. */
int64_t ssh_quick_patience(const struct ssh_shell *sh);
/* When the one that is being answered has taken too long, 0: there is none. */
int64_t ssh_quick_deadline(const struct ssh_shell *sh);
/* What ssh_shell_take() does for such a question. */
bool ssh_quick_take(struct ssh_ask *a);
/* A callback of libssh has got this from where the question is answered. */
void ssh_quick_data(struct ssh_shell *sh, const char *data, size_t len);
/* The shell is closed: what it has not answered goes to a channel of its own. */
void ssh_quick_leave(struct ssh_link *l);

/* ---- session_filter.c: of the kept shell, answers that name only what has changed ---- */
/* Whether a shell that begins now is to have a filter. */
bool ssh_filter_wanted(const struct ssh_link *l);
/* Whether the one that is there has none, and is to be replaced by one that has. */
bool ssh_filter_due(const struct ssh_link *l);
/* What a shell is told that is to have one. */
void ssh_filter_begin(struct ssh_link *l);
/* Reads the filter's own greeting in sh->tail. True: the shell itself is to be told its words. */
bool ssh_filter_greeting(struct ssh_link *l);
/* From now on answers come in full, until then (0: while the connection lasts); why is static. */
void ssh_filter_off(struct ssh_link *l, const char *why, int64_t until_us);
/* The shell knows another text by this number. */
void ssh_filter_forget(struct ssh_shell *sh, unsigned function);
/* How the next question is to be answered: " w", all of it, " d", the difference, or "". */
const char *ssh_filter_mode(const struct ssh_shell *sh, unsigned function);
/* Puts the answer together. False: its bytes do not lead to one. */
bool ssh_filter_text(struct ssh_ask *a);
/* The same of an answer that nobody will be given. */
bool ssh_filter_pass(struct ssh_ask *a);
/* Gives back what these two have taken. */
void ssh_filter_release(struct ssh_ask *a);
/* Why answers of this link come in full though less was wanted; NULL: they do not. */
const char *ssh_filter_told(const struct ssh_link *l);

/* ---- shell_framing.c: what the kept shell answers with ---- */
/* The question, by this number, is answered there from now on. nonce: the shell's. */
void ssh_lane_await(struct ssh_lane *w, struct ssh_ask *a, const char *nonce, unsigned number);
/* Takes bytes of the answer. What comes behind it stays at the end of w->tail: so many. */
size_t ssh_lane_data(struct ssh_shell *sh, struct ssh_lane *w, const char *data, size_t len);
/* Nothing is answered there any more. */
void ssh_lane_clear(struct ssh_lane *w);

/* ---- shell.c, for streams and the tiers that are not fast ---- */
/* What an answer is waited for with. */
void ssh_shell_await(struct ssh_shell *sh, struct ssh_lane *w, struct ssh_ask *a, unsigned function,
	unsigned number);
/* The number of the function that the request is; SSH_SHELL_TEXTS: none. */
unsigned ssh_shell_function(const struct ssh_shell *sh, const struct request *r);
/* The same, which the shell is told where it is new to it. */
unsigned ssh_shell_told(struct ssh_link *l, const struct request *r);
/* The question goes to a channel of its own: it only reads, so it may be asked twice. */
void ssh_shell_give_back(struct ssh_ask *a);
/* Closes the shell, with all that runs in it. */
void ssh_shell_drop(struct ssh_link *l);

/* ---- session_stream.c: of the kept shell, answers that come by themselves ---- */
/* transport.stream. */
bool ssh_stream_set(struct ssh_link *l, const struct request *r, int64_t every_us);
/* Whether it says answers by itself, and is to go on with that. */
bool ssh_stream_runs(const struct ssh_shell *sh);
/* Whether it says this function's answers by itself. */
bool ssh_stream_is_of(const struct ssh_shell *sh, unsigned function);
/* What ssh_stream_set() does where it may. False: not all of it could be written. */
bool ssh_stream_begin(struct ssh_link *l, unsigned function, int64_t every_us);
/* A callback of libssh has got this from a shell that streams, or is about to end that. */
void ssh_stream_data(struct ssh_link *l, const char *data, size_t len);
/* Reads what stands between status and mark of a tick, and is behind it then. */
const char *ssh_stream_mark(struct ssh_shell *sh, const char *text);
/* Tells of a tick that has come. */
void ssh_stream_step(struct ssh_link *l);
/*
 * A question for a shell that streams. True: the tick that has come is its answer. False: the
 * stream ends, and the question has to wait for that.
 */
bool ssh_stream_take(struct ssh_ask *a);
/* It cannot be gone on with: ends it. */
void ssh_stream_fail(struct ssh_link *l);
/* When its end has come too late, 0: it does not end. */
int64_t ssh_stream_deadline(const struct ssh_shell *sh);
/* The shell is gone. */
void ssh_stream_forget(struct ssh_shell *sh);

/* ---- follow.c ---- */
/* Takes what the command printed. */
void ssh_follow_data(struct ssh_ask *a, const char *data, size_t len);
/* Answers when a piece is due. The callback may close the link: then a is gone. */
void ssh_follow_step(struct ssh_ask *a);
/* When a piece is due, 0: nothing waits. */
int64_t ssh_follow_due(const struct ssh_ask *a);
/* True: it prints faster than anybody could read; a->err says so. */
bool ssh_follow_floods(struct ssh_ask *a);

/* ---- forward.c ---- */
/* Opens the connection: as ssh_channel_open_session(). False with a->err: refused, for this only.
 */
int ssh_forward_open(struct ssh_ask *a);
/* True: what came confirms the input, and there is more of it to write. */
bool ssh_forward_confirmed(struct ssh_ask *a);
/* True: nothing more is to be waited for. */
bool ssh_forward_ended(const struct ssh_ask *a);
/* True: an earlier connection to the port has not been opened yet, and a->err says so. */
bool ssh_forward_stuck(struct ssh_ask *a);
/* a->err: it did not answer in time. */
void ssh_forward_late(struct ssh_ask *a);

#endif
