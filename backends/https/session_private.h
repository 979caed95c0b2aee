/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_HTTPS_SESSION_PRIVATE_H
#define BACKENDS_HTTPS_SESSION_PRIVATE_H

#include <curl/curl.h>
#include <uv.h>

#include "backends/transport/transport.h"
#include "base/buf.h"

/* Private to backends/https. */

/*
 * libcurl walks lists of all handles: with more than some hundred in one multi handle each poll
 * costs more.
 */
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
	struct rest_link *tunnelled; /* those of the links that are behind a bastion */
	uint32_t numbers;            /* last number given to one of them */
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
	int64_t began_us;   /* when the caller asked */
	int64_t started_us; /* when its turn came, 0: not yet; the timeout counts from here */
	bool retried;       /* repeated after another login */
	bool basic;         /* sent with the password because the session was refused for it */
};

/* How requests are authenticated. */
enum rest_auth {
	REST_BASIC,      /* the password with each request, or nothing */
	REST_LOGIN_DUE,  /* log in before the next request */
	REST_LOGGING_IN, /* on one lane; the others wait */
	REST_SESSION     /* by cookie */
};

struct rest_session {
	const struct login *login; /* NULL: always REST_BASIC */
	enum rest_auth auth;
	CURLSH *cookies;        /* shared by all lanes */
	int64_t logged_in_us;   /* time of the login's answer */
	int64_t forbidden_us;   /* time of the last new login because of a 403 */
	bool proved;            /* a request succeeded since the login */
	char *basic_path;       /* needs the password instead of the session; NULL: none known */
	struct request request; /* the login itself */
	struct rest_ask ask;
};

/* One easy handle: one request at a time, the others wait. */
struct rest_lane {
	struct rest_link *link;
	CURL *easy;
	bool active; /* in the multi handle */
	bool basic;  /* the easy handle has the password */
	struct rest_ask *current, *queue;
	struct curl_slist *headers, *connect_to;
	struct buf body;
	uint64_t received;
	bool no_descriptor; /* for its last connection; nothing about the device */
	bool left;          /* part of the current request was sent */
	char error[CURL_ERROR_SIZE];
};

/* One per tier, so that no request waits for one of a slower tier. */
enum { REST_LANE_FAST, REST_LANE_MEDIUM, REST_LANE_SLOW, REST_LANES };

struct rest_link {
	struct device_link base;
	struct rest_multi *multi;
	bool permitted; /* may change the device */
	const struct plan_device *device;
	const struct backend_ops *ops; /* its list of reads; NULL: no request is allowed */
	const struct credential *credential;
	struct link_events events;
	const char *address;
	unsigned port;
	char *ca;
	const char *refused; /* the dialect's cure for 401 and 403, may be NULL */
	bool by_name;        /* verify the certificate against the device's name, not its address */
	struct tunnel *tunnel; /* through bastions; NULL: direct */
	struct rest_link *next_tunnelled;
	uint32_t number; /* number among the tunnelled links */
	bool waiting; /* the first connection through the bastion is still opening: no requests */
	bool ready, seen, closing, broken;
	struct rest_session session;
	struct rest_lane lanes[REST_LANES];
};

/* ---- session.c ---- */
/* Called when the transfer of this lane ended. */
void rest_lane_done(struct rest_lane *lane, CURLcode code);
/* Called when the bastion has connected to the device. */
void rest_link_open(struct rest_link *l);
/* The device is down: answers every request with why, then notifies the owner. */
void rest_link_fail(struct rest_link *l, const struct err *why);

/* ---- login.c ---- */
void rest_session_open(struct rest_link *l, const struct login *login);
/* Forgets the session but keeps the login method. */
void rest_session_reset(struct rest_link *l);
void rest_session_close(struct rest_link *l);
/* Returns the login request if one must precede the next request, else NULL. */
struct rest_ask *rest_login_due(struct rest_link *l);
/* Sets or removes the password for the lane's current request. */
void rest_authenticate(struct rest_lane *lane);
/*
 * The login's transfer ended. True: continue with the requests. False: the device counts as down,
 * err is set. A refused password is not tried again before the owner reconnects.
 */
bool rest_login_ended(struct rest_lane *lane, CURLcode code, long status, struct err *err);
/*
 * Handles the status of the lane's request. True: repeat the request, because the device forgot the
 * session or needs the password here.
 */
bool rest_ask_again(struct rest_lane *lane, long status);

/* ---- bastion.c: through bastions ---- */
/* Does nothing if the device is not behind a bastion. */
void rest_jump_open(struct rest_link *l);
/* Makes the first connection; rest_link_open() or rest_link_fail() follows. */
void rest_jump_begin(struct rest_link *l);
void rest_jump_close(struct rest_link *l);
/* Prepares a new handle of the link. */
void rest_jump_lane(struct rest_lane *lane);
/* Writes the address that libcurl seems to connect to. */
bool rest_jump_address(const struct rest_link *l, struct buf *to);
/*
 * Adjusts an error that takes the device down: replaces it by the bastion's error if that is the
 * cause, otherwise adds the bastion's name.
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
 * Converts the end of a transfer into err (ERR_NONE: a good answer). Returns true if the device
 * counts as down, false if only this request failed.
 */
bool rest_judge(struct rest_lane *lane, CURLcode code, long status, struct err *err);
/*
 * A certificate without the address may have the device's name, for which the inventory vouches as
 * well. True: try again with the name.
 */
bool rest_try_by_name(struct rest_lane *lane);

#endif
