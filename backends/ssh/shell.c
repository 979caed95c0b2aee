/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "backends/contract/reads.h"
#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * The kept shell: one `sh -s` per connection. Repeated questions are defined in it as functions. So
 * a question is a line of a few bytes, and no start-up files of a user run for it. A question runs
 * in a process of its own, without input.
 *
 * The output is followed by a line that begins with a random nonce, which only this shell was told.
 * So no output of a device can be mistaken for it. Only questions that passed the list of reads
 * come here, unmodified.
 */

#define GREETING_US     (10 * CLOCK_SEC)
#define ANSWER_CACHE_US (60 * CLOCK_SEC) /* a shell that was too slow is tried again */
#define LINE_US                                                                                    \
	CLOCK_SEC /* minimum time that a question waits for the shell, or for another question */
#define PROBE_US   (2 * CLOCK_SEC)
#define NOISE_MOST ((size_t)1 << 20)  /* from a shell, outside of answers */
#define NOISE_CAP  ((size_t)64 << 10) /* from a login, before the shell is ready */
#define INPUT_CAP  ((size_t)256 << 10)
#define INPUT_KEPT ((size_t)512)
#define WORDS_ROOM ((size_t)8 << 10) /* approximate size of its first input */
#define DEATHS     3

struct shell_text {
	struct shell_text *next;
	unsigned refs;
	char text[];
};

/* ---- texts, shared by all devices of a kind ---- */

static struct shell_text *text_take(struct ssh_shard *s, const char *text)
{
	struct shell_text *t = s->texts;
	size_t n = strlen(text) + 1;

	while (t && !str_eq(t->text, text))
		t = t->next;
	if (!t) {
		t = mem_calloc(1, sizeof(*t) + n);
		memcpy(t->text, text, n);
		t->next = s->texts;
		s->texts = t;
	}
	t->refs++;
	return t;
}

static void text_drop(struct ssh_shard *s, struct shell_text *t)
{
	struct shell_text **at = &s->texts;

	if (!t || --t->refs)
		return;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	free(t);
}

/* ---- callbacks of libssh: they only record data ---- */

static void send_functions(struct ssh_shell *sh);

/* The login's output precedes the first nonce. */
static void take_greeting(struct ssh_link *l, const char *data, size_t len)
{
	struct ssh_shell *sh = &l->shell;
	char line[sizeof(sh->nonce) + 1];

	(void)buf_add(&sh->main.tail, data, len);
	if (sh->filter == FILTER_ASKED && ssh_filter_greeting(l))
		send_functions(sh);
	(void)str_printf(line, sizeof(line), "%s\n", sh->nonce);
	if (sh->main.tail.data &&
		memmem(sh->main.tail.data, sh->main.tail.len, line, strlen(line))) {
		buf_free(&sh->main.tail);
		sh->stage = SHELL_READY;
	} else if (sh->main.tail.overflow) {
		sh->closed = true;
	}
}

static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t len,
	int is_stderr, void *userdata)
{
	struct ssh_link *l = userdata;
	struct ssh_shell *sh = &l->shell;

	(void)session;
	(void)channel;
	l->steps++;
	if (is_stderr)
		sh->noise += len;
	else if (sh->beside.ask)
		ssh_quick_data(sh, data, len);
	else if (sh->stage != SHELL_READY)
		take_greeting(l, data, len);
	else if (sh->main.ask && !sh->main.ask->eof)
		(void)ssh_lane_data(sh, &sh->main, data, len);
	else
		sh->noise += len;
	/*
	 * The count starts anew with each shell, so that occasional output of a login does no harm.
	 */
	if (sh->main.tail.overflow || sh->beside.tail.overflow || sh->noise > NOISE_MOST)
		sh->closed = true;
	return (int)len;
}

static void on_end(ssh_session session, ssh_channel channel, void *userdata)
{
	struct ssh_link *l = userdata;

	(void)session;
	(void)channel;
	l->shell.closed = true;
	l->steps++;
}

/* ---- ending ---- */

/* Returns NULL if the shell is not working on the request. */
static struct ssh_lane *lane_of(struct ssh_ask *a)
{
	struct ssh_shell *sh = &a->link->shell;

	return sh->main.ask == a ? &sh->main : sh->beside.ask == a ? &sh->beside : NULL;
}

/* True: a caller waits for an answer. */
static bool is_busy(const struct ssh_shell *sh)
{
	return sh->main.ask || sh->beside.ask;
}

static void forget_text(struct ssh_link *l, unsigned function)
{
	struct ssh_shell *sh = &l->shell;

	text_drop(l->shard, sh->texts[function]);
	sh->texts[function] = NULL;
	sh->names[function] = NULL;
	ssh_filter_forget(sh, function);
}

static void forget_shell(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;

	for (unsigned i = 0; i < SSH_SHELL_TEXTS; i++)
		forget_text(l, i);
	sh->filter = FILTER_NONE;
	buf_free(&sh->in);
	ssh_lane_clear(&sh->main);
	ssh_lane_clear(&sh->beside);
	sh->channel = NULL;
	sh->stage = SHELL_NONE;
	sh->closed = false;
	sh->sent = 0;
	l->steps++;
}

void ssh_shell_drop(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;
	ssh_channel channel = sh->channel;

	ssh_quick_leave(l);
	ssh_shell_signal(l);
	ssh_remove_channel_callbacks(channel, &sh->callbacks);
	(void)ssh_add_channel_callbacks(channel, &l->discard);
	forget_shell(l);
	ssh_channel_free(channel);
}

void ssh_shell_reset(struct ssh_link *l)
{
	forget_shell(l);
	l->shell.deaths = 0;
	l->shell.probe_us = l->shell.again_us = 0;
	l->shell.full_why = NULL;
	l->shell.mistakes = 0;
	memset(l->quick, 0, sizeof(l->quick));
	/* With so few channels none can be kept. */
	l->shell.off = l->limited && l->proven < SSH_SHELL_NEEDS;
}

void ssh_shell_signal(struct ssh_link *l)
{
	const struct ssh_shell *sh = &l->shell;

	if (sh->channel && is_busy(sh) && !sh->closed && ssh_is_connected(l->session))
		(void)ssh_channel_request_send_signal(sh->channel, "TERM");
}

void ssh_shell_done(struct ssh_ask *a)
{
	struct ssh_shell *sh = &a->link->shell;
	struct ssh_lane *w = lane_of(a);

	if (!w)
		return;
	if (!a->eof) {
		/* An answer that hangs halfway prints nothing through a filter. */
		if (w == &sh->main && sh->filter == FILTER_ON && a->request->partial)
			ssh_filter_off(a->link, "an answer was late",
				ssh_now_us(a->link) + ANSWER_CACHE_US);
		w->ask = NULL;
		ssh_shell_drop(a->link); /* its current answer is no longer needed */
		return;
	}
	sh->came[w->function] = a->received;
	/* One-time questions are forgotten. */
	if (a->tier == POLL_DETECT)
		forget_text(a->link, w->function);
	sh->deaths = 0;
	ssh_lane_clear(w);
	if (sh->off && !is_busy(sh))
		ssh_shell_drop(a->link);
}

/* The question moves to a channel of its own: it only reads, so it may be asked twice. */
void ssh_shell_give_back(struct ssh_ask *a)
{
	a->shell = a->filtered = false;
	a->stage = ASK_WAITING;
	buf_reset(&a->out);
	buf_reset(&a->complaint);
	a->out.cap = a->request->cap;
	a->status = -1;
	a->eof = false;
	a->link->steps++;
}

static void end_shell(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;

	/* If the shell never got ready, it never will; but the filter may be the cause. */
	if (sh->filter != FILTER_NONE)
		ssh_filter_off(
			l, "the shell with the filter ended", ssh_now_us(l) + ANSWER_CACHE_US);
	else if (sh->stage != SHELL_READY || ++sh->deaths >= DEATHS)
		sh->off = true;
	if (sh->main.ask) {
		ssh_shell_give_back(sh->main.ask);
		sh->main.ask = NULL;
	}
	if (sh->beside.ask)
		ssh_quick_never(sh->beside.ask);
	ssh_shell_drop(l);
}

/* ---- beginning ---- */

/* 3 is standard output before the filter, 4 the channel's own. */
static const char prologue[] =
	/* clang-format off */
	"N=%s\n"
	"exec 4>&%u\n"
	"exec 3>&1\n"
	"%s"
	"r() {\n"
	"[ -z \"$3\" ] || printf '%%s %%s %%s\\n' \"$N\" \"$1\" \"$3\"\n"
	"e=$(u; \"f$1\" 2>&1 >&3 3>&- 4>&- </dev/null)\n"
	"s=$?\n"
	"printf '\\n%%s %%s %%s\\n%%s\\n%%s\\n' \"$N\" \"$2\" \"$s\" \"$e\" \"$N\"\n"
	"}\n"
	"q() {\n"
	"printf '%%s %%s\\n' \"$N\" \"$2\"\n"
	"{\n"
	"e=$(u; \"f$1\" 2>&1 >&5 3>&- 4>&- 5>&- </dev/null)\n"
	"s=$?\n"
	"} 5>&1\n"
	"printf '\\n%%s %%s %%s\\n%%s\\n%%s\\n' \"$N\" \"$2\" \"$s\" \"$e\" \"$N\"\n"
	"}\n"
	"printf '%%s\\n' \"$N\"\n";
/* clang-format on */

static bool make_nonce(char nonce[SSH_NONCE_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[(SSH_NONCE_SIZE - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		nonce[2 * i] = digits[bytes[i] >> 4];
		nonce[2 * i + 1] = digits[bytes[i] & 15];
	}
	nonce[SSH_NONCE_SIZE - 1] = '\0';
	return true;
}

static void send_functions(struct ssh_shell *sh)
{
	(void)buf_addf(
		&sh->in, prologue, sh->nonce, sh->filter == FILTER_NONE ? 1 : 3, ssh_guard_beat);
}

static bool begin_shell(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;

	if (!make_nonce(sh->nonce))
		return false;
	sh->channel = ssh_channel_new(l->session);
	if (!sh->channel)
		return false;
	memset(&sh->callbacks, 0, sizeof(sh->callbacks));
	sh->callbacks.userdata = l;
	sh->callbacks.channel_data_function = on_data;
	sh->callbacks.channel_eof_function = on_end;
	sh->callbacks.channel_close_function = on_end;
	ssh_callbacks_init(&sh->callbacks);
	(void)ssh_add_channel_callbacks(sh->channel, &sh->callbacks);
	buf_init(&sh->in, INPUT_CAP);
	buf_expect(&sh->in, WORDS_ROOM);
	buf_init(&sh->main.tail, NOISE_CAP);
	sh->noise = 0;
	if (ssh_filter_wanted(l))
		ssh_filter_begin(l);
	else
		send_functions(sh);
	sh->stage = SHELL_OPENING;
	sh->deadline_us = ssh_now_us(l) + GREETING_US;
	sh->beat_us = ssh_now_us(l);
	l->steps++;
	return true;
}

/* Returns SSH_OK to go on with the next stage. */
static int step_shell(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;
	size_t left;
	int n;

	switch (sh->stage) {
	case SHELL_OPENING:
		return ssh_channel_open_session(sh->channel);
	case SHELL_EXEC:
		return ssh_channel_request_exec(sh->channel, "sh -s");
	case SHELL_NONE:
		return SSH_AGAIN;
	case SHELL_GREETING:
	case SHELL_READY:
		break;
	}
	while ((left = sh->in.len - sh->sent)) {
		n = ssh_channel_write(sh->channel, sh->in.data + sh->sent, (uint32_t)left);
		if (n < 0)
			return SSH_ERROR;
		if (n == 0)
			return SSH_AGAIN;
		sh->sent += (size_t)n;
	}
	/* The first input is long, later questions are short. */
	if (sh->in.size > INPUT_KEPT)
		buf_free(&sh->in);
	else
		buf_reset(&sh->in);
	sh->sent = 0;
	return SSH_AGAIN;
}

void ssh_shell_step(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;
	int rc = SSH_OK;

	if (sh->stage == SHELL_NONE)
		return;
	while (rc == SSH_OK && !sh->closed) {
		rc = step_shell(l);
		if (rc == SSH_OK) {
			sh->stage++;
			ssh_channels_proven(l, 1);
			l->steps++;
		}
	}
	if (!ssh_is_connected(l->session))
		return;
	/* A complete answer is valid, whatever happened after it. */
	if ((rc == SSH_ERROR || sh->closed) && !(sh->main.ask && sh->main.ask->eof))
		end_shell(l);
	else if (sh->off && sh->stage != SHELL_OPENING && !is_busy(sh))
		ssh_shell_drop(l);
}

/* ---- questions ---- */

static const char *text_of(const struct request *r)
{
	return r->input ? r->input : r->command;
}

unsigned ssh_shell_function(const struct ssh_shell *sh, const struct request *r)
{
	unsigned i = 0;

	while (i < SSH_SHELL_TEXTS && !(sh->texts[i] && sh->as_input[i] == (r->input != NULL) &&
					      str_eq(sh->texts[i]->text, text_of(r))))
		i++;
	return i;
}

/* One request is one function: answers to its earlier text are of no use any more. */
static unsigned place_of(struct ssh_shell *sh, const char *name)
{
	unsigned i;

	for (i = 0; i < SSH_SHELL_TEXTS; i++)
		if (sh->names[i] && str_eq(sh->names[i], name))
			return i;
	for (i = 0; i < SSH_SHELL_TEXTS; i++)
		if (!sh->names[i])
			return i;
	return sh->next_text++ % SSH_SHELL_TEXTS;
}

unsigned ssh_shell_told(struct ssh_link *l, const struct request *r)
{
	struct ssh_shell *sh = &l->shell;
	const char *text = text_of(r);
	unsigned i = ssh_shell_function(sh, r);

	if (i < SSH_SHELL_TEXTS)
		return i;
	i = place_of(sh, r->name);
	text_drop(l->shard, sh->texts[i]);
	sh->texts[i] = text_take(l->shard, text);
	sh->names[i] = r->name;
	sh->as_input[i] = r->input != NULL;
	sh->came[i] = 0;
	ssh_filter_forget(sh, i);
	buf_expect(&sh->in, sh->in.len + strlen(text) + sizeof(sh->main.mark));
	(void)buf_addf(&sh->in, "f%u() {\n%s\n}\n", i, text);
	return i;
}

void ssh_shell_await(struct ssh_shell *sh, struct ssh_lane *w, struct ssh_ask *a, unsigned function,
	unsigned number)
{
	ssh_lane_await(w, a, sh->nonce, number);
	w->function = function;
	/* Leaves room for growing numbers. */
	buf_expect(&a->out, sh->came[function] + sh->came[function] / 64);
}

void ssh_shell_beat(struct ssh_link *l, int64_t now_us)
{
	struct ssh_shell *sh = &l->shell;

	if (sh->stage != SHELL_READY || now_us < sh->beat_us + SSH_BEAT_US)
		return;
	(void)buf_adds(&sh->in, "h\n");
	sh->beat_us = now_us;
}

static bool ask_shell(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;
	struct ssh_shell *sh = &l->shell;
	const struct request *r = a->request;
	unsigned f = ssh_shell_told(l, r);

	ssh_shell_beat(l, ssh_now_us(l));
	if (!buf_addf(&sh->in, "r %u %u%s\n", f, sh->seq + 1, ssh_filter_mode(sh, f)) ||
		sh->in.overflow) {
		sh->closed = true; /* part of it may be written */
		ssh_shell_give_back(a);
		return false;
	}
	ssh_shell_await(sh, &sh->main, a, f, ++sh->seq);
	a->left = true;
	a->stage = ASK_READING;
	a->filtered = sh->filter == FILTER_ON;
	ssh_shell_step(l);
	return true;
}

/* The mark that came is the latest one, so a later question's cannot be mistaken for it. */
bool ssh_shell_text(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;

	if (!a->filtered || ssh_filter_text(a))
		return true;
	buf_reset(&a->out);
	buf_reset(&a->complaint);
	a->status = -1;
	a->eof = false;
	if (ssh_filter_told(l)) {
		ssh_shell_give_back(a);
		ssh_shell_drop(l);
	} else {
		(void)ask_shell(a);
	}
	return false;
}

static bool is_due_again(const struct ssh_link *l)
{
	const struct ssh_shell *sh = &l->shell;

	return sh->again_us && sh->stage == SHELL_NONE && ssh_now_us(l) >= sh->again_us;
}

bool ssh_shell_wants(const struct ssh_link *l, const struct request *r)
{
	return r->shell && !r->change && !r->follow && !r->forward_port && r->command &&
	       (!r->input || str_eq(r->command, "sh -s")) && !l->permitted &&
	       (!l->shell.off || is_due_again(l));
}

bool ssh_shell_knows(const struct ssh_link *l, const struct request *r)
{
	return l->shell.stage == SHELL_READY && reads_plain(r) && ssh_shell_wants(l, r) &&
	       ssh_shell_function(&l->shell, r) < SSH_SHELL_TEXTS;
}

int64_t ssh_shell_due(const struct ssh_ask *a)
{
	return a->began_us + LINE_US;
}

bool ssh_shell_take(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;
	struct ssh_shell *sh = &l->shell;

	if (sh->off && is_due_again(l)) {
		sh->off = false;
		sh->again_us = 0;
	}
	if (sh->off || (sh->stage != SHELL_NONE && ssh_now_us(l) >= ssh_shell_due(a))) {
		ssh_shell_give_back(a);
		return false;
	}
	if (ssh_is_background(a->tier))
		return ssh_quick_take(a);
	if (ssh_filter_due(l))
		ssh_shell_drop(l);
	if (sh->stage == SHELL_NONE && !begin_shell(l)) {
		sh->off = true;
		ssh_shell_give_back(a);
		return false;
	}
	if (sh->stage == SHELL_OPENING)
		ssh_shell_step(l);
	return sh->stage == SHELL_READY && !is_busy(sh) && !sh->closed && ask_shell(a);
}

bool ssh_shell_open(const struct ssh_link *l)
{
	return l->shell.stage > SHELL_OPENING;
}

bool ssh_shell_leaving(const struct ssh_link *l)
{
	return l->shell.off && l->shell.stage > SHELL_OPENING;
}

bool ssh_shell_yield(struct ssh_link *l)
{
	if (!ssh_shell_open(l))
		return false;
	l->shell.off = true;
	l->shell.again_us = 0;
	if (!is_busy(&l->shell))
		ssh_shell_drop(l);
	return true;
}

/* ---- time ---- */

void ssh_shell_doubt(struct ssh_link *l)
{
	l->shell.probe_us = ssh_now_us(l) + PROBE_US;
	l->shell.probe_mark = l->wire.in_bytes;
	/* The probe: any device that is alive answers the start of a shell. */
	if (l->shell.stage == SHELL_NONE && !l->shell.off && !begin_shell(l))
		l->shell.off = true;
}

bool ssh_shell_expire(struct ssh_link *l, int64_t now_us, struct err *err)
{
	struct ssh_shell *sh = &l->shell;
	int64_t due;

	if (sh->probe_us && l->wire.in_bytes != sh->probe_mark)
		sh->probe_us = 0;
	if (sh->probe_us && now_us >= sh->probe_us)
		return err_set(err, ERR_TIMEOUT, l->device->name,
			"the connection is dead: a new channel gets no answer");
	due = ssh_quick_deadline(sh);
	if (due && now_us >= due) {
		ssh_quick_never(sh->beside.ask);
		ssh_shell_drop(l);
	}
	if (sh->stage == SHELL_READY && !is_busy(sh) && now_us >= sh->beat_us + SSH_BEAT_US) {
		ssh_shell_beat(l, now_us);
		ssh_shell_step(l);
	}
	if (sh->stage != SHELL_NONE && sh->stage != SHELL_READY && now_us >= sh->deadline_us) {
		if (sh->filter != FILTER_NONE && sh->stage == SHELL_GREETING) {
			ssh_filter_off(
				l, "awk did not begin in time", now_us + 10 * ANSWER_CACHE_US);
			ssh_shell_drop(l);
			return true;
		}
		sh->off = true;
		sh->again_us = now_us + ANSWER_CACHE_US;
		/*
		 * A channel that is being opened cannot be closed yet: that happens when it is
		 * open.
		 */
		if (sh->stage != SHELL_OPENING)
			ssh_shell_drop(l);
		else
			sh->deadline_us = INT64_MAX;
	}
	return true;
}

int64_t ssh_shell_deadline(const struct ssh_link *l)
{
	const struct ssh_shell *sh = &l->shell;
	int64_t due = ssh_quick_deadline(sh);

	if (sh->stage != SHELL_NONE && sh->stage != SHELL_READY && sh->deadline_us < INT64_MAX)
		due = sh->deadline_us;
	if (sh->stage == SHELL_READY && !is_busy(sh) && (!due || sh->beat_us + SSH_BEAT_US < due))
		due = sh->beat_us + SSH_BEAT_US;
	if (sh->probe_us && (!due || sh->probe_us < due))
		due = sh->probe_us;
	return due;
}
