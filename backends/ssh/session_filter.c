/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/incremental/device_filter.h"
#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * The filter stands between the kept shell and its channel: one awk process that lives as long as
 * the shell. It sends only the part of an answer that has changed. If a difference does not fit,
 * the whole answer is requested at once. Answers come in full on a device where that happens again
 * and again, without awk or with an unsuitable one, or with answers larger than the filter's
 * memory.
 */

/*
 * Score for a mistake. Each good answer takes one point off; above MISTAKES_MOST the filter is off.
 * So the third mistake in a short time is one too many.
 */
#define MISTAKE       100U
#define MISTAKES_MOST 200U

/*
 * The outer shell reads no further input until the pipe has ended, because the program's first line
 * says so. All later input belongs to the inner shell, even if a shell reads ahead. mawk would read
 * its input in blocks and answer only when one is full.
 */
static const char start[] =
	/* clang-format off */
	"N=%s\n"
	"exec 3>&1\n"
	"P='%s'\n"
	"A=\n"
	"case $(awk -W version 2>&1 </dev/null) in mawk*) A='-W interactive' ;; esac\n"
	"if LC_ALL=C N=$N awk $A \"$P\" >/dev/null 2>&1 </dev/null\n"
	"then sh -s | LC_ALL=C N=$N awk $A \"$P\"; exit\n"
	"else printf '%%s 0\\n' \"$N\"\n"
	"fi\n";
/* clang-format on */

static bool is_over(const struct ssh_link *l)
{
	return l->shell.full_why && l->shell.full_until_us &&
	       ssh_now_us(l) >= l->shell.full_until_us;
}

bool ssh_filter_wanted(const struct ssh_link *l)
{
	return l->device->poll != POLL_WAY_FULL && (!l->shell.full_why || is_over(l));
}

bool ssh_filter_due(const struct ssh_link *l)
{
	return l->shell.stage == SHELL_READY && l->shell.filter == FILTER_NONE &&
	       !l->shell.main.ask && !l->shell.beside.ask && ssh_filter_wanted(l);
}

void ssh_filter_begin(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;

	sh->full_why = NULL;
	sh->filter = FILTER_ASKED;
	(void)buf_addf(&sh->in, start, sh->nonce, answer_filter_awk);
}

bool ssh_filter_greeting(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;
	char line[sizeof(sh->nonce) + 3];
	bool on, none;

	(void)str_printf(line, sizeof(line), "%s 1\n", sh->nonce);
	on = sh->main.tail.data &&
	     memmem(sh->main.tail.data, sh->main.tail.len, line, strlen(line));
	line[strlen(line) - 2] = '0';
	none = !on && sh->main.tail.data &&
	       memmem(sh->main.tail.data, sh->main.tail.len, line, strlen(line));
	if (none)
		ssh_filter_off(l, "no suitable awk", 0);
	sh->filter = on ? FILTER_ON : none ? FILTER_NONE : FILTER_ASKED;
	return on || none;
}

void ssh_filter_off(struct ssh_link *l, const char *why, int64_t until_us)
{
	l->shell.full_why = why;
	l->shell.full_until_us = until_us;
	l->shell.mistakes = 0;
}

const char *ssh_filter_told(const struct ssh_link *l)
{
	if (l->device->poll == POLL_WAY_FULL)
		return NULL;
	return l->shell.full_why ? l->shell.full_why
	       : l->shell.off    ? "no shell that stays open"
				 : NULL;
}

/* ---- kept texts ---- */

static void release_text(struct kept_text *k)
{
	if (!k || --k->users)
		return;
	text_delta_free(&k->delta);
	free(k);
}

void ssh_filter_release(struct ssh_ask *a)
{
	release_text(a->text);
	a->text = NULL;
	a->before = (struct text_before){.id = 0};
}

void ssh_filter_forget(struct ssh_shell *sh, unsigned function)
{
	release_text(sh->kept[function]);
	sh->kept[function] = NULL;
}

const char *ssh_filter_mode(const struct ssh_shell *sh, unsigned function)
{
	return sh->filter != FILTER_ON ? "" : sh->kept[function] ? " d" : " w";
}

/* Copies the text that was handed over last, because no difference to it can be given. */
static void copy_before(struct ssh_ask *a, const struct kept_text *k)
{
	struct delta_scratch *s = &a->link->shard->scratch;

	s->before.n = 0;
	vec_reserve(&s->before, k->delta.len + 1);
	memcpy(s->before.at, k->delta.text, k->delta.len);
	a->before.bytes = s->before.at;
	a->before.len = k->delta.len;
}

/* Applies the difference in a->out to the kept text of the last answer. */
static bool apply_difference(struct ssh_ask *a, struct kept_text *k)
{
	struct ssh_link *l = a->link;
	struct delta_scratch *s = &l->shard->scratch;

	if (!k || !a->out.data ||
		!text_delta_apply(&k->delta, a->out.data, a->out.len, &l->shell.delta, s))
		return false;
	l->shell.mistakes -= l->shell.mistakes > 0;
	a->before.bytes = s->was.at ? s->was.at : "";
	a->before.len = s->was.n;
	a->before.changes = s->changes.at;
	a->before.changes_n = s->changes.n;
	return true;
}

static bool build_text(struct ssh_ask *a)
{
	struct ssh_shell *sh = &a->link->shell;
	struct kept_text *k = sh->kept[sh->main.function];

	if (!sh->delta.seq)
		return false;
	if (k) {
		a->before = (struct text_before){.was = k->id};
		if (k->delta.text && !sh->delta.base)
			copy_before(a, k);
	}
	if (sh->delta.base)
		return apply_difference(a, k);
	ssh_filter_forget(sh, sh->main.function);
	k = sh->kept[sh->main.function] = mem_calloc(1, sizeof(*k));
	k->users = 1;
	return text_delta_whole(&k->delta, &a->out, &sh->delta);
}

static bool take_answer(struct ssh_ask *a)
{
	struct ssh_shell *sh = &a->link->shell;

	if (build_text(a))
		return true;
	ssh_filter_release(a);
	ssh_filter_forget(sh, sh->main.function);
	sh->mistakes += MISTAKE;
	if (sh->mistakes > MISTAKES_MOST)
		ssh_filter_off(a->link, "the changes reported by awk do not give an answer", 0);
	return false;
}

bool ssh_filter_text(struct ssh_ask *a)
{
	struct ssh_shell *sh = &a->link->shell;
	struct kept_text *k;

	if (!take_answer(a))
		return false;
	k = a->text = sh->kept[sh->main.function];
	k->users++;
	a->before.id = k->id = ++a->link->shard->string_pool_told;
	a->before.tokens = &k->delta;
	return true;
}
