/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <poll.h>
#include <string.h>

#include "app/notify/sender.h"
#include "backends/https/curl_easy.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * RFC 5425: the length before each message, over TLS, with an alert before the end. The name of the
 * address must be in the certificate. Railtop shows none of its own.
 */
struct tls {
	gnutls_session_t session;
	gnutls_certificate_credentials_t trust;
	int fd;
	int64_t until_us; /* monotonic */
};

/* Waits as the library wants. False: the time is over. */
static bool await_tls(const struct tls *t)
{
	struct pollfd p = {
		.fd = t->fd, .events = gnutls_record_get_direction(t->session) ? POLLOUT : POLLIN};
	int64_t left = t->until_us - clock_mono(&clock_system);

	if (left <= 0)
		return false;
	(void)poll(&p, 1, (int)(left / CLOCK_MSEC) + 1);
	return true;
}

/* Whether a call that returned this code is to be made again. */
static bool goes_on(const struct tls *t, int *code)
{
	if (*code >= 0 || gnutls_error_is_fatal(*code))
		return false;
	if (await_tls(t))
		return true;
	*code = GNUTLS_E_TIMEDOUT;
	return false;
}

static int trust_ca(struct tls *t, const char *ca)
{
	int n;

	if (!ca)
		ca = rest_system_ca(NULL);
	n = ca ? gnutls_certificate_set_x509_trust_file(t->trust, ca, GNUTLS_X509_FMT_PEM)
	       : gnutls_certificate_set_x509_system_trust(t->trust);
	return n == 0 ? GNUTLS_E_NO_CERTIFICATE_FOUND : n;
}

static int open_session(struct tls *t, const char *name, const char *ca)
{
	int code;

	if ((code = gnutls_certificate_allocate_credentials(&t->trust)) < 0 ||
		(code = trust_ca(t, ca)) < 0 ||
		(code = gnutls_init(
			 &t->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL)) < 0 ||
		(code = gnutls_set_default_priority(t->session)) < 0 ||
		(code = gnutls_credentials_set(t->session, GNUTLS_CRD_CERTIFICATE, t->trust)) < 0)
		return code;
	/* An address is no server name (RFC 6066, 3). */
	if (!strchr(name, ':') && name[strspn(name, "0123456789.")])
		(void)gnutls_server_name_set(t->session, GNUTLS_NAME_DNS, name, strlen(name));
	gnutls_session_set_verify_cert(t->session, name, 0);
	gnutls_transport_set_int(t->session, t->fd);
	do {
		code = gnutls_handshake(t->session);
	} while (goes_on(t, &code));
	return code;
}

static int write_record(struct tls *t, const char *bytes, size_t n)
{
	int code = 0;

	while (n && code >= 0) {
		do {
			code = (int)gnutls_record_send(t->session, bytes, n);
		} while (goes_on(t, &code));
		if (code > 0) {
			bytes += code;
			n -= (size_t)code;
		}
	}
	return code;
}

/* Why the certificate is not trusted, in words. */
static void say_distrust(const struct tls *t, char *why, size_t size)
{
	unsigned status = gnutls_session_get_verify_cert_status(t->session);
	gnutls_datum_t text = {0};

	if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) >= 0)
		(void)str_sanitise(why, size, (const char *)text.data, text.size);
	gnutls_free(text.data);
}

enum tls_end syslog_tls_send(const struct plan_receiver *r, const char *ca, int fd,
	const char *head, const char *body, size_t len, int64_t most_us, char *why, size_t size)
{
	struct tls t = {.fd = fd, .until_us = clock_mono(&clock_system) + most_us};
	int code = open_session(&t, r->address, ca);
	enum tls_end end;

	if (code >= 0 && (code = write_record(&t, head, strlen(head))) >= 0 &&
		(code = write_record(&t, body, len)) >= 0)
		do {
			code = gnutls_bye(t.session, GNUTLS_SHUT_WR);
		} while (goes_on(&t, &code));
	end = code >= 0                                         ? TLS_SENT
	      : code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR ? TLS_DISTRUSTED
	      : !t.session                                      ? TLS_NO_CA
								: TLS_FAILED;
	(void)str_copy(why, size, gnutls_strerror(code));
	if (end == TLS_DISTRUSTED)
		say_distrust(&t, why, size);
	if (t.session)
		gnutls_deinit(t.session);
	if (t.trust)
		gnutls_certificate_free_credentials(t.trust);
	return end;
}
