/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "emulator/serve/server_ssh_internal.h"

/*
 * Forwarded connections (direct-tcpip), as a program on the device itself would open them. One port
 * is open there: NCCL's RAS, on hosts that run a job.
 */

static bool is_loopback(const char *name)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "::1"};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

static struct ras_client *connect_to(struct ssh_conn *c, const char *name, int port)
{
	struct server *s = c->server->server;

	if (c->device->tier != TIER_HOST || port != RAS_PORT || !is_loopback(name))
		return NULL;
	return ras_connect(s->ras, c->device);
}

int ssh_forward_request(ssh_session session, ssh_message message, void *arg)
{
	struct ssh_conn *c = arg;
	struct ras_client *ras;
	ssh_channel channel;

	(void)session;
	if (ssh_message_type(message) != SSH_REQUEST_CHANNEL_OPEN ||
		ssh_message_subtype(message) != SSH_CHANNEL_DIRECT_TCPIP ||
		c->nchannels == SSH_CHANNEL_MOST)
		return 1;
	command_log_forward(c->server->server->log, c->device,
		ssh_message_channel_request_open_destination_port(message), NULL);
	ras = connect_to(c, ssh_message_channel_request_open_destination(message),
		ssh_message_channel_request_open_destination_port(message));
	if (!ras)
		return 1;
	channel = ssh_message_channel_request_open_reply_accept(message);
	if (!channel) {
		ras_disconnect(ras);
		return 1;
	}
	ssh_channel_adopt(c, channel)->ras = ras;
	return 0;
}

/* Faults of the whole device replace this answer like any other. */
static bool apply_garbage(struct ssh_chan *ch)
{
	struct server *s = ch->conn->server->server;

	ch->flood_left = ch->conn->device->flood_bytes;
	if (!ch->flood_left && !ch->conn->device->garbage)
		return false;
	if (!ch->flood_left)
		server_garbage(&ch->out, (uint64_t)sim_now(s->o.sim));
	ch->answered = true;
	return true;
}

static void take_input(struct ssh_chan *ch)
{
	struct server *s = ch->conn->server->server;

	server_present(s, ch->conn->device);
	command_log_forward(s->log, ch->conn->device, RAS_PORT, &ch->in);
	if (!apply_garbage(ch))
		ras_input(ch->ras, ch->in.data, ch->in.len);
	buf_reset(&ch->in);
}

static void take_output(struct ssh_chan *ch)
{
	struct buf *from = ras_output(ch->ras);

	if (ch->out_off == ch->out.len) {
		buf_reset(&ch->out);
		ch->out_off = 0;
	}
	server_mutate(ch->conn->server->server, from);
	/* A monitor that does not read loses events, so that its buffer stays bounded. */
	if (from->len)
		(void)buf_add(&ch->out, from->data, from->len);
	buf_reset(from);
	if (ras_over(ch->ras))
		ch->answered = true;
}

/* Makes the channel wait for us microseconds from now, and sets the server's timer. */
static void wait_for(struct ssh_chan *ch, int64_t us)
{
	struct server *s = ch->conn->server->server;

	ch->due = us ? server_mono(s) + us : 0;
	ch->waited = true;
	if (us)
		ssh_server_wait(ch->conn->server, ch->due);
}

void ssh_forward_turn(struct ssh_chan *ch)
{
	struct server *s = ch->conn->server->server;
	int64_t now = server_mono(s);

	if (ch->answered)
		return;
	if (ch->in.len && !ch->waited)
		wait_for(ch, ch->conn->device->answer_delay_us);
	if (ch->waited && ch->due <= now) {
		if (ras_collecting(ch->ras)) {
			server_present(s, ch->conn->device);
			ras_collect(ch->ras);
			server_answered(s);
		} else {
			take_input(ch);
		}
		ch->waited = false;
		if (ras_collecting(ch->ras))
			wait_for(ch, ras_collecting(ch->ras));
	}
	take_output(ch);
	if (ch->eof && !ch->waited && !ch->in.len)
		ch->answered = true;
}
