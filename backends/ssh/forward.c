/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"

/*
 * Connections to a port of the device itself, through the SSH session. The program on that port may
 * be absent or broken; that says nothing about the device or its SSH server. So a failure here
 * fails only the request.
 */

#define FORWARD_HOST "localhost"

/* RFC 4254, section 5.1. libssh has the code only in its error text: "... error (1) ..." */
enum { OPEN_PROHIBITED = 1, OPEN_CONNECT_FAILED = 2 };

static int refusal_code(const struct ssh_link *l)
{
	const char *at = strstr(ssh_link_reason(l), "error (");
	int code = 0;

	return at && sscanf(at, "error (%9d)", &code) == 1 ? code : 0;
}

static void set_cure(struct ssh_ask *a)
{
	if (a->err.code == ERR_UNAUTHORISED)
		err_cure(&a->err, "AllowTcpForwarding local (or yes) in the host's sshd_config; "
				  "some servers report the same where no NCCL job runs");
	else
		err_cure(
			&a->err, "check that an NCCL job runs there, and NCCL_RAS_ENABLE is not 0");
}

static void explain_refusal(struct ssh_ask *a)
{
	const struct ssh_link *l = a->link;
	const char *device = l->device->name, *name = a->request->name;

	switch (refusal_code(l)) {
	case OPEN_PROHIBITED:
		err_set(&a->err, ERR_UNAUTHORISED, device,
			"%s: the SSH server forwards no connection to " FORWARD_HOST
			" port %u of %s",
			name, a->port, l->host);
		break;
	case OPEN_CONNECT_FAILED:
		err_set(&a->err, ERR_UNREACHABLE, device,
			"%s: no process listens on " FORWARD_HOST " port %u of %s", name, a->port,
			l->host);
		break;
	default:
		err_set(&a->err, ERR_PROTOCOL, device, "%s: " FORWARD_HOST " port %u of %s: %s",
			name, a->port, l->host, ssh_link_reason(l));
		break;
	}
	set_cure(a);
}

void ssh_forward_late(struct ssh_ask *a)
{
	err_set(&a->err, ERR_TIMEOUT, a->link->device->name,
		"%s: " FORWARD_HOST " port %u of %s: no answer within %.3g s", a->request->name,
		a->port, a->link->host, (double)a->request->timeout_us / (double)CLOCK_SEC);
	set_cure(a);
}

int ssh_forward_open(struct ssh_ask *a)
{
	int rc = ssh_channel_open_forward(a->channel, FORWARD_HOST, a->port, FORWARD_HOST, 0);

	if (rc == SSH_ERROR && !a->abandoned && ssh_is_connected(a->link->session))
		explain_refusal(a);
	return rc;
}

static unsigned count_lines(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

/*
 * Checks whether the answers to the input are complete, or too long to be valid answers. It runs
 * for each piece that arrives, so a flood must not be scanned again and again.
 */
#define ANSWERS_MOST 4096

static bool is_answered(const struct ssh_ask *a)
{
	if (a->out.len > ANSWERS_MOST)
		return true;
	return a->out.len && count_lines(a->out.data, a->out.len) >=
				     count_lines(a->request->input, strlen(a->request->input));
}

static bool last_line_is(const struct buf *b, const char *word)
{
	size_t end = b->len - 1, from, n = strlen(word);

	if (b->data[end] != '\n')
		return false;
	if (end && b->data[end - 1] == '\r')
		end--;
	for (from = end; from && b->data[from - 1] != '\n';)
		from--;
	return end - from == n && memcmp(b->data + from, word, n) == 0;
}

bool ssh_forward_confirmed(struct ssh_ask *a)
{
	if (a->confirmed || a->eof || a->closed || !is_answered(a) ||
		!last_line_is(&a->out, a->request->confirm))
		return false;
	a->confirmed = true;
	a->sent = 0;
	return true;
}

bool ssh_forward_ended(const struct ssh_ask *a)
{
	return a->eof || (!a->confirmed && a->stage == ASK_READING && is_answered(a) &&
				 !last_line_is(&a->out, a->request->confirm));
}

bool ssh_forward_stuck(struct ssh_ask *a)
{
	const struct ssh_ask *other = a->link->asks;

	while (other && !(other->abandoned && other->port == a->port))
		other = other->next;
	if (!other)
		return false;
	err_set(&a->err, ERR_TIMEOUT, a->link->device->name,
		"%s: " FORWARD_HOST " port %u of %s has not accepted the last connection yet",
		a->request->name, a->port, a->link->host);
	set_cure(a);
	return true;
}
