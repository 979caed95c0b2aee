/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "emulator/device/eos/dev_eos.h"

/*
 * Configuration sessions. Their lines are stored, and executed at the commit. A session that is
 * neither committed nor aborted stays; a switch has few.
 */

#define SESSIONS_MAX 5u
#define LINES_MAX    512u

struct session {
	const struct sim_device *d;
	char name[32], user[32];
	VEC(char *) lines;
};

struct eos_sessions {
	VEC(struct session) at;
};

static void session_free(struct session *one)
{
	for (size_t i = 0; i < one->lines.n; i++)
		free(one->lines.at[i]);
	vec_free(&one->lines);
}

void eos_sessions_free(struct eos_sessions *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->at.n; i++)
		session_free(&all->at.at[i]);
	vec_free(&all->at);
	free(all);
}

static struct eos_sessions *get_sessions(struct personality_ctx *ctx)
{
	struct eos_sessions **all = eos_sessions_of(ctx);

	if (!*all)
		*all = mem_calloc(1, sizeof(**all));
	return *all;
}

static struct session *find_session(
	struct eos_sessions *all, const struct sim_device *d, const char *name)
{
	for (size_t i = 0; i < all->at.n; i++)
		if (all->at.at[i].d == d && str_eq(all->at.at[i].name, name))
			return &all->at.at[i];
	return NULL;
}

static unsigned count_sessions(const struct eos_sessions *all, const struct sim_device *d)
{
	unsigned n = 0;

	for (size_t i = 0; i < all->at.n; i++)
		n += all->at.at[i].d == d;
	return n;
}

bool eos_session_enter(struct eos_session *s, const char *name)
{
	struct eos_sessions *all = get_sessions(s->m->ctx);
	struct session *one;

	if (!find_session(all, s->m->d, name)) {
		if (count_sessions(all, s->m->d) >= SESSIONS_MAX)
			return false;
		one = vec_add(&all->at);
		*one = (struct session){.d = s->m->d};
		(void)str_copy(one->name, sizeof(one->name), name);
		(void)str_copy(one->user, sizeof(one->user), s->user);
	}
	(void)str_copy(s->session, sizeof(s->session), name);
	s->mode = EOS_CONFIG;
	return true;
}

void eos_session_record(struct eos_session *s, const char *line)
{
	struct session *one = find_session(get_sessions(s->m->ctx), s->m->d, s->session);

	if (one && one->lines.n < LINES_MAX)
		*vec_add(&one->lines) = mem_strdup(line);
}

bool eos_session_end(struct eos_session *s, const char *name, bool commit)
{
	struct eos_sessions *all = get_sessions(s->m->ctx);
	struct session *one = find_session(all, s->m->d, name), ended;
	struct eos_session plain = {
		.m = s->m, .user = s->user, .enabled = true, .mode = EOS_CONFIG};

	if (!one)
		return false;
	ended = *one;
	memmove(one, one + 1, (size_t)(all->at.at + all->at.n - (one + 1)) * sizeof(*one));
	all->at.n--;
	for (size_t i = 0; i < ended.lines.n && commit; i++)
		(void)eos_change(&plain, ended.lines.at[i]);
	session_free(&ended);
	s->session[0] = '\0';
	s->mode = EOS_EXEC;
	return true;
}

json_t *eos_sessions_show(const struct machine *m, const char *wanted)
{
	const struct eos_sessions *all = get_sessions(m->ctx);
	json_t *list = json_object();

	(void)wanted;
	for (size_t i = 0; i < all->at.n; i++)
		if (all->at.at[i].d == m->d)
			(void)json_object_set_new(list, all->at.at[i].name,
				json_pack("{s:s,s:s,s:s,s:{}}", "state", "pending", "commitUser",
					"", "description", "", "instances"));
	return json_pack("{s:i,s:i,s:b,s:o}", "maxSavedSessions", 1, "maxOpenSessions",
		(int)SESSIONS_MAX, "mergeOnCommit", 0, "sessions", list);
}
