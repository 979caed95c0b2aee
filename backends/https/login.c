/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/https/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/str.h"

/*
 * Sessions by cookie. Two rules keep accounts from being locked. A refused login ends the
 * connection, so it is repeated with the owner's back-off and not with every request. Only a
 * session that has worked is renewed.
 */

#define LOGIN_TIMEOUT_US (10 * CLOCK_SEC)
#define LOGIN_CAP        ((size_t)64 << 10)
/*
 * A 403 means either a forgotten session or missing rights. A new login tests that at most this
 * often.
 */
#define FORBIDDEN_US (600 * CLOCK_SEC)

static int64_t now_us(void)
{
	return clock_mono(&clock_system);
}

void rest_session_open(struct rest_link *l, const struct login *login)
{
	struct rest_session *s = &l->session;

	/* With a netrc file only libcurl knows the password. */
	if (!login || !l->credential || !l->credential->userpwd)
		return;
	s->login = login;
	s->auth = REST_LOGIN_DUE;
	s->cookies = curl_share_init();
	(void)curl_share_setopt(s->cookies, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
	for (int i = 0; i < REST_LANES; i++) {
		(void)curl_easy_setopt(l->lanes[i].easy, CURLOPT_SHARE, s->cookies);
		(void)curl_easy_setopt(l->lanes[i].easy, CURLOPT_COOKIEFILE, "");
	}
}

static void request_wipe(struct rest_session *s)
{
	secret_free(s->request.body);
	free(s->request.path);
	memset(&s->request, 0, sizeof(s->request));
}

void rest_session_reset(struct rest_link *l)
{
	struct rest_session *s = &l->session;

	request_wipe(s);
	s->proved = false;
	if (s->login)
		s->auth = REST_LOGIN_DUE;
}

void rest_session_close(struct rest_link *l)
{
	request_wipe(&l->session);
	free(l->session.basic_path);
	if (l->session.cookies)
		(void)curl_share_cleanup(l->session.cookies);
}

static char *login_body(const struct rest_link *l)
{
	const char *userpwd = l->credential->userpwd, *colon = strchr(userpwd, ':');
	char *user = mem_strndup(userpwd, colon ? (size_t)(colon - userpwd) : strlen(userpwd));
	char *body = l->session.login->body(user, colon ? colon + 1 : "");

	free(user);
	return body;
}

struct rest_ask *rest_login_due(struct rest_link *l)
{
	struct rest_session *s = &l->session;
	int64_t refresh;

	if (!s->login)
		return NULL;
	refresh = s->login->refresh_us;
	/* A session without a successful request is not renewed, however long the login took. */
	if (s->auth == REST_SESSION && s->proved && refresh &&
		now_us() - s->logged_in_us >= refresh)
		s->auth = REST_LOGIN_DUE;
	if (s->auth != REST_LOGIN_DUE)
		return NULL;
	request_wipe(s);
	s->auth = REST_LOGGING_IN;
	s->request = (struct request){.name = "login",
		.method = "POST",
		.path = mem_strdup(s->login->path),
		.body = login_body(l),
		.content_type = s->login->content_type,
		.cap = LOGIN_CAP,
		.timeout_us = LOGIN_TIMEOUT_US};
	s->ask = (struct rest_ask){.request = &s->request, .began_us = now_us()};
	/* Otherwise the old cookie could be mistaken for the new one. */
	(void)curl_easy_setopt(l->lanes[0].easy, CURLOPT_COOKIELIST, "ALL");
	return &s->ask;
}

void rest_authenticate(struct rest_lane *lane)
{
	const struct rest_link *l = lane->link;
	const struct rest_session *s = &l->session;
	const struct rest_ask *a = lane->current;
	bool basic;

	if (!l->credential || !l->credential->userpwd)
		return;
	basic = a != &s->ask &&
		(s->auth == REST_BASIC || a->basic || str_eq(a->request->path, s->basic_path));
	if (basic != lane->basic)
		(void)curl_easy_setopt(
			lane->easy, CURLOPT_USERPWD, basic ? l->credential->userpwd : NULL);
	lane->basic = basic;
}

static bool has_cookie(struct rest_lane *lane)
{
	struct curl_slist *list = NULL;
	bool any;

	(void)curl_easy_getinfo(lane->easy, CURLINFO_COOKIELIST, &list);
	any = list != NULL;
	curl_slist_free_all(list);
	return any;
}

static bool login_refused(const struct rest_link *l, long status, struct err *err)
{
	if (status != 401 && status != 403)
		return err_set(err, ERR_PROTOCOL, l->device->name, "login: HTTP %ld on POST %s",
			status, l->session.login->path);
	err_set(err, ERR_UNAUTHORISED, l->device->name,
		"%s port %u refuses the login of POST %s (HTTP %ld)", l->address, l->port,
		l->session.login->path, status);
	return err_cure(err,
		"check the content of %s; railtop now tries it rarely, so that the account is not "
		"locked",
		l->device->credentials ? l->device->credentials : "credentials:");
}

bool rest_login_ended(struct rest_lane *lane, CURLcode code, long status, struct err *err)
{
	struct rest_link *l = lane->link;
	struct rest_session *s = &l->session;

	s->auth = REST_LOGIN_DUE;
	if (lane->body.data) /* some devices send the token in the body */
		explicit_bzero(lane->body.data, lane->body.len);
	if (code != CURLE_OK) {
		(void)rest_judge(lane, code, status, err);
		request_wipe(s);
		return false;
	}
	request_wipe(s);
	if (status == 404 || status == 405 || status == 501) {
		s->auth = REST_BASIC;
		return true;
	}
	if (status < 200 || status >= 300)
		return login_refused(l, status, err);
	/* A device that sends no cookie knows only the password. */
	s->auth = has_cookie(lane) ? REST_SESSION : REST_BASIC;
	s->logged_in_us = now_us();
	s->proved = false;
	return true;
}

/* True: another login may help, or one is running or has just ended. */
static bool needs_login(struct rest_link *l, const struct rest_ask *a, long status)
{
	struct rest_session *s = &l->session;
	int64_t now = now_us();
	bool forgotten = status == 401;

	if (s->auth != REST_SESSION || a->started_us < s->logged_in_us)
		return true;
	if (!s->proved)
		return false;
	if (status == 403 && (!s->forbidden_us || now - s->forbidden_us >= FORBIDDEN_US)) {
		s->forbidden_us = now;
		forgotten = true;
	}
	if (forgotten)
		s->auth = REST_LOGIN_DUE;
	return forgotten;
}

bool rest_ask_again(struct rest_lane *lane, long status)
{
	struct rest_link *l = lane->link;
	struct rest_session *s = &l->session;
	struct rest_ask *a = lane->current;

	if (status != 401 && status != 403) {
		if (lane->basic && a->basic && !s->basic_path)
			s->basic_path = mem_strdup(a->request->path);
		else if (!lane->basic && s->auth == REST_SESSION && status < 500)
			s->proved = true;
		return false;
	}
	if (!s->login || s->auth == REST_BASIC || lane->basic)
		return false;
	/* A 401 was not carried out. A device may answer 403 after it has begun. */
	if (a->request->change && status != 401)
		return false;
	if (!a->retried && needs_login(l, a, status)) {
		a->retried = true;
		a->started_us = 0;
		return true;
	}
	/* The login has proved the password, so it cannot lock the account. */
	a->basic = status == 401;
	return a->basic;
}
