/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/actions/support/fake.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* The device: its settings, and how it answers each line. */

static struct fake *fakes;
static pthread_mutex_t fakes_lock = PTHREAD_MUTEX_INITIALIZER;

void fake_init(struct fake *f, const char *name)
{
	memset(f, 0, sizeof(*f));
	(void)str_copy(f->name, sizeof(f->name), name);
	pthread_mutex_init(&f->lock, NULL);
	f->now.admin_up = f->now.link_up = true;
	f->now.wd = 1;
	f->now.wd_set = (struct wd_setting){.action = "drop", .detect_ms = 200, .restore_ms = 400};
	f->pfc = 1 << 3;
	f->times = 1;
	f->waits = 2;
	pthread_mutex_lock(&fakes_lock);
	f->next = fakes;
	fakes = f;
	pthread_mutex_unlock(&fakes_lock);
}

void fake_free(struct fake *f)
{
	pthread_mutex_lock(&fakes_lock);
	for (struct fake **at = &fakes; *at; at = &(*at)->next) {
		if (*at == f) {
			*at = f->next;
			break;
		}
	}
	pthread_mutex_unlock(&fakes_lock);
	vec_free(&f->lines);
	pthread_mutex_destroy(&f->lock);
}

struct fake *fake_find(const char *name)
{
	struct fake *f;

	pthread_mutex_lock(&fakes_lock);
	for (f = fakes; f && !str_eq(f->name, name); f = f->next)
		;
	pthread_mutex_unlock(&fakes_lock);
	return f;
}

bool fake_setting_eq(const struct fake_setting *a, const struct fake_setting *b)
{
	return a->admin_up == b->admin_up && a->link_up == b->link_up && a->wd == b->wd &&
	       (!a->wd || wd_setting_eq(&a->wd_set, &b->wd_set)) && a->stormed == b->stormed &&
	       a->bgp_shut == b->bgp_shut && a->beacon == b->beacon && a->counters == b->counters;
}

struct fake_setting fake_now(struct fake *f)
{
	struct fake_setting s;

	pthread_mutex_lock(&f->lock);
	s = f->now;
	pthread_mutex_unlock(&f->lock);
	return s;
}

static unsigned count(struct fake *f, bool done)
{
	unsigned n = 0;

	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < f->lines.n; i++)
		n += f->lines.at[i].change && (!done || f->lines.at[i].done);
	pthread_mutex_unlock(&f->lock);
	return n;
}

unsigned fake_changes(struct fake *f)
{
	return count(f, false);
}

unsigned fake_done(struct fake *f)
{
	return count(f, true);
}

/* ---- reading ---- */

static void show_port(struct fake *f, char *out, size_t size)
{
	const struct fake_setting *s = &f->now;

	if (f->later_reads && --f->later_reads > 0)
		s = &f->later;
	(void)str_printf(out, size,
		"admin=%s oper=%s wd=%d action=%s detect=%u restore=%u history=%d state=%s pfc=%d "
		"rx3=%llu beacon=%s\n",
		s->admin_up ? "up" : "down", s->admin_up && s->link_up ? "up" : "down", s->wd,
		s->wd ? s->wd_set.action : "-", s->wd ? s->wd_set.detect_ms : 0,
		s->wd ? s->wd_set.restore_ms : 0, s->wd && s->wd_set.history,
		!s->wd       ? "off"
		: s->stormed ? "stormed"
			     : "operational",
		f->pfc, (unsigned long long)f->rx3,
		f->tells_no_beacon ? "?"
		: s->beacon        ? "on"
				   : "off");
}

static void show_device(struct fake *f, char *out, size_t size)
{
	const struct fake_setting *s = &f->now;

	(void)str_printf(out, size,
		"peer=" FAKE_PEER " asn=65001 bgp=%s shut=%d counters=%d pending=%d hazard=%s\n",
		!s->bgp_shut && s->admin_up && s->link_up ? "established" : "idle", s->bgp_shut,
		s->counters, f->pending || f->staged_line[0], f->hazard[0] ? f->hazard : "-");
}

/* ---- changing ---- */

static bool set_wd(struct fake *f, const char *text, bool wrong)
{
	struct wd_setting w = {0};
	int history = 0;

	if (str_eq(text, "off")) {
		f->now.wd = wrong ? f->now.wd : 0;
		f->now.stormed = wrong && f->now.stormed;
		return true;
	}
	if (str_starts(text, "recover ")) {
		f->now.stormed = wrong && f->now.stormed;
		return true;
	}
	if (sscanf(text, "on %15s %u %u %d", w.action, &w.detect_ms, &w.restore_ms, &history) != 4)
		return false;
	w.history = history != 0;
	if (wrong)
		w.restore_ms *= 2;
	f->now.wd = 1;
	f->now.wd_set = w;
	return true;
}

static bool set_switch(bool *what, const char *word, bool wrong)
{
	bool on = str_eq(word, "up") || str_eq(word, "on");

	if (!on && !str_eq(word, "down") && !str_eq(word, "off"))
		return false;
	if (!wrong)
		*what = on;
	return true;
}

static bool set_line(struct fake *f, const char *text, bool wrong)
{
	char port[64], what[32], word[32];
	int n = 0;
	bool up = !f->now.bgp_shut;

	if (sscanf(text, "set counters %63s %31s", port, word) == 2)
		return set_switch(&f->now.counters, word, wrong);
	if (sscanf(text, "set bgp %63s %31s", port, word) == 2) {
		if (!str_eq(port, FAKE_PEER) || !set_switch(&up, word, wrong))
			return false;
		f->now.bgp_shut = !up;
		return true;
	}
	if (sscanf(text, "set %63s %31s %n", port, what, &n) != 2 || !str_eq(port, FAKE_PORT))
		return false;
	if (str_eq(what, "wd"))
		return set_wd(f, text + n, wrong);
	if (str_eq(what, "admin"))
		return set_switch(&f->now.admin_up, text + n, wrong);
	if (str_eq(what, "beacon"))
		return set_switch(&f->now.beacon, text + n, wrong);
	return false;
}

static int obey_staged(struct fake *f, const char *text, bool wrong, char *out, size_t size)
{
	char revision[16] = "";
	int n = 0;

	if (str_eq(text, "open")) {
		(void)str_printf(f->revision, sizeof(f->revision), "r%u", ++f->revisions);
		(void)str_printf(out, size, "revision %s\n", f->revision);
		f->staged_line[0] = '\0';
		f->waited = 0;
		return 0;
	}
	if (sscanf(text, "stage %15s %n", revision, &n) == 1 && str_eq(revision, f->revision)) {
		(void)str_copy(f->staged_line, sizeof(f->staged_line), text + n);
		(void)str_copy(out, size, "ok\n");
		return 0;
	}
	if (sscanf(text, "apply %15s", revision) != 1 || !str_eq(revision, f->revision)) {
		(void)str_copy(out, size, "% no such revision\n");
		return 1;
	}
	if (f->waited++ < f->waits) {
		(void)str_copy(out, size, "wait\n");
		return 0;
	}
	if (f->staged_line[0] && !set_line(f, f->staged_line, wrong)) {
		(void)str_copy(out, size, "% invalid\n");
		return 1;
	}
	f->staged_line[0] = '\0';
	(void)str_copy(out, size, "ok\n");
	return 0;
}

int fake_obey(struct fake *f, const char *text, bool wrong, char *out, size_t size)
{
	struct fake_setting before = f->now;

	out[0] = '\0';
	if (str_eq(text, "show version"))
		return str_printf(out, size, "version %d\n", f->staged ? 8 : 7), 0;
	if (str_eq(text, "show device"))
		return show_device(f, out, size), 0;
	if (str_eq(text, "show port " FAKE_PORT))
		return show_port(f, out, size), 0;
	if (f->staged)
		return obey_staged(f, text, wrong, out, size);
	if (!set_line(f, text, wrong)) {
		(void)str_copy(out, size, "% invalid\n");
		return 1;
	}
	if (f->slow) {
		f->later = before;
		f->later_reads = f->slow + 1;
	}
	(void)str_copy(out, size, "ok\n");
	return 0;
}
