/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "backends/https/session_private.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/str.h"

static const char *error_text(const struct rest_lane *lane, CURLcode code)
{
	return lane->error[0] ? lane->error : curl_easy_strerror(code);
}

bool rest_try_by_name(struct rest_lane *lane)
{
	struct rest_link *l = lane->link;
	bool mismatch = strstr(lane->error, "does not match") != NULL ||
			strstr(lane->error, "subject name") != NULL;

	if (!mismatch || l->by_name || str_eq(l->address, l->device->name))
		return false;
	l->by_name = true;
	return true;
}

static bool judge_certificate(struct rest_lane *lane, CURLcode code, struct err *err)
{
	struct rest_link *l = lane->link;

	err_set(err, ERR_UNAUTHORISED, l->device->name,
		"the certificate of %s port %u is not accepted: %s", l->address, l->port,
		error_text(lane, code));
	l->by_name = false; /* the next attempt starts with the address again */
	if (strstr(err->text, "expired"))
		err_cure(err, "renew the certificate on the device, or check this machine's clock");
	else if (strstr(err->text, "subject name") || strstr(err->text, "does not match"))
		err_cure(err, "the certificate must contain %s or %s: set address: to a name in it",
			l->address, l->device->name);
	else
		err_cure(err, "set tls_ca: to the CA that signed it (now: %s)",
			l->ca ? l->ca : "the system's CAs");
	return true;
}

static bool judge_timeout(struct rest_lane *lane, CURLcode code, struct err *err)
{
	const struct rest_link *l = lane->link;
	const struct request *r = lane->current->request;
	curl_off_t connected = 0;

	(void)curl_easy_getinfo(lane->easy, CURLINFO_APPCONNECT_TIME_T, &connected);
	if (!connected) {
		err_set(err, ERR_UNREACHABLE, l->device->name, "%s port %u: %s", l->address,
			l->port, error_text(lane, code));
		err_cure(err,
			"check that the device is up and not overloaded: curl -vk https://%s:%u/",
			l->address, l->port);
		return true;
	}
	err_set(err, ERR_TIMEOUT, l->device->name, "%s: no answer within %.3g s", r->name,
		(double)r->timeout_us / (double)CLOCK_SEC);
	err_cure(err, "the API is slow: look at the load of %s, or ask it less often (interval:)",
		l->address);
	/* A slow background question says nothing about the device. */
	return lane == &l->lanes[REST_LANE_FAST] && !r->spare;
}

static bool judge_failure(struct rest_lane *lane, CURLcode code, struct err *err)
{
	const struct rest_link *l = lane->link;
	const struct request *r = lane->current->request;

	switch (code) {
	case CURLE_WRITE_ERROR:
		if (!lane->body.overflow)
			break;
		err_set(err, ERR_LIMIT, l->device->name,
			"%s: the answer is larger than %zu bytes (%llu received)", r->name, r->cap,
			(unsigned long long)lane->received);
		return false;
	case CURLE_PARTIAL_FILE:
	case CURLE_BAD_CONTENT_ENCODING:
		err_set(err, ERR_PROTOCOL, l->device->name,
			"%s: the answer is broken after %llu bytes: %s", r->name,
			(unsigned long long)lane->received, error_text(lane, code));
		return false;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
		return judge_certificate(lane, code, err);
	case CURLE_SSL_CACERT_BADFILE:
		err_set(err, ERR_CONFIG, l->device->name, "tls_ca %s cannot be used: %s",
			l->ca ? l->ca : "(system)", error_text(lane, code));
		return true;
	case CURLE_OPERATION_TIMEDOUT:
		return judge_timeout(lane, code, err);
	case CURLE_SSL_CONNECT_ERROR:
		err_set(err, ERR_PROTOCOL, l->device->name, "no TLS with %s port %u: %s",
			l->address, l->port, error_text(lane, code));
		return true;
	case CURLE_COULDNT_RESOLVE_HOST:
		err_set(err, ERR_UNREACHABLE, l->device->name, "the name %s does not resolve",
			l->address);
		err_cure(err, "add address: to the device, or the name to DNS or /etc/hosts");
		return true;
	case CURLE_COULDNT_CONNECT:
		if (lane->no_descriptor)
			return descriptors_ran_out(EMFILE, l->device->name, err);
		err_set(err, ERR_UNREACHABLE, l->device->name, "%s port %u: %s", l->address,
			l->port, error_text(lane, code));
		err_cure(err, "check address and port of the device, and that its API is enabled");
		return true;
	default:
		break;
	}
	err_set(err, ERR_UNREACHABLE, l->device->name, "%s: %s", r->name, error_text(lane, code));
	return true;
}

/*
 * True: the API refused a command with a status and gives the reason as JSON, which the dialect
 * reads.
 */
static bool is_json_refusal(const struct rest_lane *lane, long status)
{
	/* The caller of a change must be able to tell a refusal from a lost answer. */
	bool change = lane->current->request->change && status >= 400 && status != 401;
	size_t i = 0;

	if (lane->current->request->may_lack && (status == 400 || status == 404 || status == 501))
		return true;
	if ((!change && status != 400 && status != 404 && status != 500) || !lane->body.len)
		return false;
	while (i < lane->body.len && strchr(" \t\r\n", lane->body.data[i]))
		i++;
	return i < lane->body.len && (lane->body.data[i] == '{' || lane->body.data[i] == '[');
}

static bool judge_status(struct rest_lane *lane, long status, struct err *err)
{
	const struct rest_link *l = lane->link;
	const struct request *r = lane->current->request;
	int shown = lane->body.len < 120 ? (int)lane->body.len : 120;

	if (is_json_refusal(lane, status))
		return false;
	if (status == 403 && l->seen) {
		err_set(err, r->change ? ERR_UNAUTHORISED : ERR_PROTOCOL, l->device->name,
			"%s: HTTP 403 on %s", r->name, r->path);
		(void)err_cure(
			err, "give the user the right to %s it", r->change ? "change" : "read");
		return false;
	}
	if (status == 401 || status == 403) {
		err_set(err, ERR_UNAUTHORISED, l->device->name,
			"%s port %u refuses the credentials (HTTP %ld)", l->address, l->port,
			status);
		err_cure(err, "check the content of %s, and the user's rights on the device%s%s",
			l->device->credentials ? l->device->credentials
					       : "credentials: (there are none)",
			l->refused ? "; " : "", l->refused ? l->refused : "");
		return true;
	}
	if (status >= 300 && status < 400)
		err_set(err, ERR_PROTOCOL, l->device->name,
			"%s: HTTP %ld: a redirection is not followed", r->name, status);
	else if (status < 200 || status >= 400)
		err_set(err, ERR_PROTOCOL, l->device->name, "%s: HTTP %ld on %s: %.*s", r->name,
			status, r->path, shown, lane->body.data ? lane->body.data : "");
	return false;
}

bool rest_judge(struct rest_lane *lane, CURLcode code, long status, struct err *err)
{
	if (code != CURLE_OK)
		return judge_failure(lane, code, err);
	return judge_status(lane, status, err);
}
