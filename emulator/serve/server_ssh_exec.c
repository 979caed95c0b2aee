/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/server_ssh_internal.h"

/* SSH exec: the device's shell or CLI answers one command line. */

int ssh_exec_request(ssh_session session, ssh_channel channel, const char *command, void *arg)
{
	struct ssh_chan *ch = arg;

	(void)session;
	(void)channel;
	if (ch->command)
		return 1;
	ch->command = mem_strdup(command);
	return 0;
}

/*
 * True if one of the words is a program that reads its standard input: then the answer waits for
 * EOF.
 */
static bool guess_reads_input(const char *command)
{
	static const char *const words[] = {
		"sh", "bash", "cat", "-x", "-s", "/dev/stdin", "-", "tee", "python3", NULL};
	char word[64];

	while (*command) {
		size_t n = strcspn(command, " \t;|&");

		if (n && n < sizeof(word)) {
			memcpy(word, command, n);
			word[n] = '\0';
			for (size_t i = 0; words[i]; i++)
				if (strcmp(word, words[i]) == 0)
					return true;
		}
		command += n;
		command += strspn(command, " \t;|&");
	}
	return false;
}

/* Applies the faults of write commands, which are known only after the command ran. */
static void apply_fate(struct ssh_chan *ch, enum sim_fate fate)
{
	if (fate == SIM_FATE_NONE)
		return;
	buf_reset(&ch->out);
	buf_reset(&ch->err);
	if (fate == SIM_FATE_DENIED)
		ch->status = personality_denied(ch->conn->device, ch->command, &ch->out, &ch->err);
	ch->conn->cut = ch->conn->cut || fate == SIM_FATE_CUT;
	ch->mute = fate == SIM_FATE_HANG || fate == SIM_FATE_CUT;
}

static void exec_command(struct ssh_chan *ch, const struct personality *p)
{
	struct sim_device *d = ch->conn->device;
	struct server *s = ch->conn->server->server;
	struct sim_request done;

	sim_request_begin(s->o.sim, d, false);
	ch->status = p->exec(s->o.personality, d, ch->command, ch->in.data ? ch->in.data : "",
		&ch->out, &ch->err);
	done = sim_request_end(s->o.sim);
	apply_fate(ch, done.fate);
	command_log_exec(s->log, d, ch->command, &ch->in, ch->status, &done);
	server_mutate(s, &ch->out);
}

static void make_output(struct ssh_chan *ch)
{
	struct sim_device *d = ch->conn->device;
	struct server *s = ch->conn->server->server;
	const struct personality *p = personality_for(d->dialect);

	if (ch->flood_left)
		return;
	if (d->garbage) {
		server_garbage(&ch->out, (uint64_t)sim_now(s->o.sim));
	} else if (!p || !p->exec) {
		(void)buf_addf(&ch->err, "%s: no shell\n", d->name);
		ch->status = 127;
	} else {
		exec_command(ch, p);
	}
}

static void answer_exec(struct ssh_chan *ch)
{
	struct sim_device *d = ch->conn->device;
	struct server *s = ch->conn->server->server;

	server_present(s, d);
	ch->answered = true;
	ch->flood_left = d->flood_bytes;
	ch->seen = d->logged;
	make_output(ch);
	ch->answered = !ch->mute;
	ch->due = 0;
	if (!ch->mute && !ch->err.len && !ch->flood_left && !d->garbage)
		ch->followed = personality_followed(ch->command);
	ch->conn->server->followers += ch->followed != NULL;
	server_answered(s);
}

/* ---- a persistent shell ---- */

/* True if whole lines of input are there, and all earlier output is sent. */
static bool has_lines(const struct ssh_chan *ch)
{
	return ch->in.len && memrchr(ch->in.data, '\n', ch->in.len) && ch->out_off == ch->out.len &&
	       ch->err_off == ch->err.len;
}

/*
 * A persistent shell: the client waits for answers before it has sent all its input. Its script
 * keeps a descriptor for them. A client that sends a script and then EOF gets the ordinary exec.
 */
static bool is_kept(const struct ssh_chan *ch, const struct personality *p)
{
	return ch->shell || (!ch->eof && p && p->has_shell && has_lines(ch) &&
				    str_eq(ch->command, PERSONALITY_SHELL) &&
				    strstr(ch->in.data, "\nexec 3>&1\n"));
}

static void feed_shell(struct ssh_chan *ch)
{
	struct sim_device *d = ch->conn->device;
	struct server *s = ch->conn->server->server;
	struct sim_request done;
	char *rest = NULL;
	size_t n = (size_t)((char *)memrchr(ch->in.data, '\n', ch->in.len) - ch->in.data) + 1;

	buf_reset(&ch->out);
	buf_reset(&ch->err);
	ch->out_off = ch->err_off = 0;
	rest = mem_strndup(ch->in.data + n, ch->in.len - n);
	ch->in.len = n;
	ch->in.data[n] = '\0';
	sim_request_begin(s->o.sim, d, false);
	ch->answered = !personality_feed(
		s->o.personality, d, ch->shell, ch->in.data, &ch->out, &ch->err, &ch->status);
	done = sim_request_end(s->o.sim);
	command_log_exec(s->log, d, ch->command, &ch->in, ch->status, &done);
	server_mutate(s, &ch->out);
	buf_reset(&ch->in);
	(void)buf_adds(&ch->in, rest);
	free(rest);
}

/* If a device's fault replaces the answers, the shell ends. */
static void shell_turn(struct ssh_chan *ch)
{
	struct sim_device *d = ch->conn->device;
	struct server *s = ch->conn->server->server;

	if (!ch->shell)
		ch->shell = personality_session_new(s->o.personality, &ch->out, &ch->err);
	ch->waited = false;
	ch->due = 0;
	if (ch->eof && !has_lines(ch)) {
		ch->answered = true;
		return;
	}
	server_present(s, d);
	ch->flood_left = d->flood_bytes;
	ch->answered = d->garbage || ch->flood_left;
	if (d->garbage)
		server_garbage(&ch->out, (uint64_t)sim_now(s->o.sim));
	else if (!ch->flood_left)
		feed_shell(ch);
	server_answered(s);
}

bool ssh_exec_has_news(const struct ssh_chan *ch)
{
	/*
	 * Not before the earlier output is sent: a slow reader misses lines instead of making them
	 * pile up.
	 */
	return ch->followed && ch->conn->device->logged > ch->seen && ch->out_off == ch->out.len;
}

static void tell_news(struct ssh_chan *ch)
{
	struct sim_device *d = ch->conn->device;

	buf_reset(&ch->out);
	ch->out_off = 0;
	personality_follow(
		ch->conn->server->server->o.personality, d, ch->followed, ch->seen, &ch->out);
	server_mutate(ch->conn->server->server, &ch->out);
	ch->seen = d->logged;
}

/*
 * A script for `sh -s` may be in a guard, which waits for the client's end instead of an EOF: the
 * script is between these lines.
 */
static void take_guarded(struct ssh_chan *ch)
{
	static const char begin[] = "\ng_run() {\n", end[] = "\n}\n{ exec 3<&0 </dev/null\n",
			  last[] = "\nexit $s\n}\n";
	char *from, *to;
	size_t n;

	if (ch->eof || ch->shell || !str_eq(ch->command, PERSONALITY_SHELL) || !ch->in.data ||
		ch->in.len < sizeof(last) ||
		strcmp(ch->in.data + ch->in.len - strlen(last), last) != 0)
		return;
	from = strstr(ch->in.data, begin);
	to = from ? strstr(from, end) : NULL;
	if (!to)
		return;
	from += strlen(begin);
	n = (size_t)(to - from) + 1; /* with its line end */
	memmove(ch->in.data, from, n);
	ch->in.len = n;
	ch->in.data[n] = '\0';
	ch->eof = true;
}

void ssh_exec_turn(struct ssh_chan *ch)
{
	struct ssh_conn *c = ch->conn;
	struct server *s = c->server->server;
	const struct personality *p = personality_for(c->device->dialect);
	bool reads, kept;

	if (ssh_exec_has_news(ch))
		tell_news(ch);
	if (ch->answered || ch->mute || !ch->command)
		return;
	take_guarded(ch);
	kept = is_kept(ch, p);
	if (kept && !has_lines(ch) && !ch->eof)
		return;
	reads = p && p->reads_input ? p->reads_input(ch->command) : guess_reads_input(ch->command);
	if (!kept && reads && !ch->eof)
		return;
	if (c->device->answer_delay_us && !ch->waited) {
		ch->waited = true;
		ch->due = server_mono(s) + c->device->answer_delay_us;
		ssh_server_wait(c->server, ch->due);
	}
	if (ch->due > server_mono(s))
		return;
	if (kept)
		shell_turn(ch);
	else
		answer_exec(ch);
}
