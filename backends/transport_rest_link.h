/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_REST_LINK_H
#define BACKENDS_TRANSPORT_REST_LINK_H

#include <curl/curl.h>
#include <uv.h>

#include "backends/transport.h"
#include "base/buf.h"

/* Private to transport_rest*.c. */

/* libcurl walks lists of all handles: above some hundred in one multi handle, polls get dearer. */
#define REST_MULTI_LINKS 125 /* times two lanes: 250 easy handles */

struct rest_shard;

struct rest_multi {
	struct rest_multi *next;
	struct rest_shard *shard;
	CURLM *curl;
	uv_timer_t timer;
	unsigned links;
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
	int64_t began_us;
};

struct rest_link;

/* One easy handle: one question at a time, the others wait. */
struct rest_lane {
	struct rest_link *link;
	CURL *easy;
	bool active; /* in the multi handle */
	struct rest_ask *current, *queue;
	struct curl_slist *headers, *connect_to;
	struct buf body;
	uint64_t received;
	char error[CURL_ERROR_SIZE];
};

enum { REST_LANE_FAST, REST_LANE_BACKGROUND, REST_LANES };

struct rest_link {
	struct link base;
	struct rest_multi *multi;
	const struct plan_device *device;
	const struct credential *credential;
	struct link_events events;
	const char *address;
	unsigned port;
	char *ca;
	bool by_name; /* the certificate is for the device's name, not for its address */
	bool ready, seen, closing, broken;
	struct rest_lane lanes[REST_LANES];
};

/* ---- transport_rest.c ---- */
/* The transfer of this lane ended. */
void rest_lane_done(struct rest_lane *lane, CURLcode code);

/* ---- transport_rest_multi.c: libcurl on libuv ---- */
void *rest_shard_open(uv_loop_t *loop);
void rest_shard_close(void *shard);
struct rest_multi *rest_multi_with_room(struct rest_shard *s);
/* Frees a closed link when no caller can hold it any more. */
void rest_free_later(struct rest_multi *m, struct rest_link *l);

/* ---- transport_rest_errors.c ---- */
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
