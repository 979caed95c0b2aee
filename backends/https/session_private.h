/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_HTTPS_SESSION_PRIVATE_H
#define BACKENDS_HTTPS_SESSION_PRIVATE_H

#include <curl/curl.h>
#include <uv.h>

#include "backends/transport/transport.h"
#include "base/buf.h"

/* Private to transport_rest*.c. */

/* libcurl walks lists of all handles: above some hundred in one multi handle, polls get dearer. */
#define REST_MULTI_LINKS 83 /* times three lanes: 249 easy handles */

struct rest_shard;
struct rest_link;
struct tunnel;

struct rest_multi {
	struct rest_multi *next;
	struct rest_shard *shard;
	CURLM *curl;
	uv_timer_t timer;
	unsigned links;
	struct rest_link *tunnelled; /* those of them that are behind a bastion */
	uint32_t numbers;            /* that these have got */
};

struct rest_shard {
	uv_loop_t *loop;
	struct rest_multi *multis;
};

struct rest_ask {
	struct rest_ask *next;
	const struct request *request;
	answer_fn *fn;
	void *ctx;
	int64_t began_us;   /* asked */
	int64_t started_us; /* its turn came, 0: not yet; its timeout counts from here */
	bool retried;       /* after another login */
	bool basic;         /* with the password: the session was not accepted for it */
};

/* How the device knows us. */
enum rest_auth {
	REST_BASIC,      /* the password with each request, or nothing at all */
	REST_LOGIN_DUE,  /* before the next request */
	REST_LOGGING_IN, /* on one lane; the others wait */
	REST_SESSION     /* by cookie */
};

struct rest_session {
	const struct login *login; /* NULL: always REST_BASIC */
	enum rest_auth auth;
	CURLSH *cookies;        /* of all lanes */
	int64_t logged_in_us;   /* when the login was answered */
	int64_t forbidden_us;   /* when another login was tried because of a 403 */
	bool proved;            /* a request was answered since the login */
	char *basic_path;       /* takes the password, not the session; NULL: none known */
	struct request request; /* the login itself */
	struct rest_ask ask;
};

/* One easy handle: one question at a time, the others wait. */
struct rest_lane {
	struct rest_link *link;
	CURL *easy;
	bool active; /* in the multi handle */
	bool basic;  /* the easy handle has the password */
	struct rest_ask *current, *queue;
	struct curl_slist *headers, *connect_to;
	struct buf body;
	uint64_t received;
	bool left; /* of the current one, something was sent */
	char error[CURL_ERROR_SIZE];
};

/* One each tier, so that none waits for a slower one. */
enum { REST_LANE_FAST, REST_LANE_MEDIUM, REST_LANE_SLOW, REST_LANES };

struct rest_link {
	struct device_link base;
	struct rest_multi *multi;
	bool permitted; /* may change the device */
	const struct plan_device *device;
	const struct backend_ops *ops; /* its list of reads; NULL: nothing may be asked */
	const struct credential *credential;
	struct link_events events;
	const char *address;
	unsigned port;
	char *ca;
	const char *refused;   /* the dialect's cure for 401 and 403, may be NULL */
	bool by_name;          /* the certificate is for the device's name, not for its address */
	struct tunnel *tunnel; /* through bastions; NULL: directly */
	struct rest_link *next_tunnelled;
	uint32_t number; /* of those that are */
	bool waiting;    /* for the first connection through the bastion: nothing is asked */
	bool ready, seen, closing, broken;
	struct rest_session session;
	struct rest_lane lanes[REST_LANES];
};

/* ---- session.c ---- */
/* The transfer of this lane ended. */
void rest_lane_done(struct rest_lane *lane, CURLcode code);
/* The bastion has connected to the device. */
void rest_link_open(struct rest_link *l);
/* The device is down: every question is answered so, then the owner told. */
void rest_link_fail(struct rest_link *l, const struct err *why);

/* ---- login.c ---- */
void rest_session_open(struct rest_link *l, const struct login *login);
/* Forgets the session, not how to get one. */
void rest_session_reset(struct rest_link *l);
void rest_session_close(struct rest_link *l);
/* The question of a login when there has to be one before the next request, else NULL. */
struct rest_ask *rest_login_due(struct rest_link *l);
/* Password or none, for what the lane asks now. */
void rest_authenticate(struct rest_lane *lane);
/*
 * The login's transfer ended. True: go on with the questions. False: the device is down for us,
 * err says why; a refused password is not tried again before the owner connects anew.
 */
bool rest_login_ended(struct rest_lane *lane, CURLcode code, long status, struct err *err);
/*
 * The device answered the lane's question with this status. True: it forgot the session, or wants
 * the password here: ask the same again.
 */
bool rest_ask_again(struct rest_lane *lane, long status);

/* ---- bastion.c: through bastions ---- */
/* Where the device is behind one. */
void rest_jump_open(struct rest_link *l);
/* Makes the first connection; rest_link_open() or rest_link_fail() follows. */
void rest_jump_begin(struct rest_link *l);
void rest_jump_close(struct rest_link *l);
/* A new handle of the link. */
void rest_jump_lane(struct rest_lane *lane);
/* Where libcurl believes to connect to. */
bool rest_jump_address(const struct rest_link *l, struct buf *to);
/*
 * An error that takes the device down: the bastion's, if that is what is behind it, else the
 * bastion is named in it.
 */
void rest_jump_explain(const struct rest_link *l, struct err *err);

/* ---- curl_multi.c: libcurl on libuv ---- */
void *rest_shard_open(uv_loop_t *loop);
void rest_shard_close(void *shard);
struct rest_multi *rest_multi_with_room(struct rest_shard *s);
/* Frees a closed link when no caller can hold it any more. */
void rest_free_later(struct rest_multi *m, struct rest_link *l);

/* ---- errors.c ---- */
/*
 * Words the end of a transfer into err (ERR_NONE: a good answer). True: the device is down for
 * us, not just this question.
 */
bool rest_judge(struct rest_lane *lane, CURLcode code, long status, struct err *err);
/*
 * A certificate that does not have the address may have the device's name, which the inventory
 * vouches for as well. True: try again so.
 */
bool rest_try_by_name(struct rest_lane *lane);

#endif
