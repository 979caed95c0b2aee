/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ARCHIVE_SUPPORT_LIVE_H
#define TESTS_ARCHIVE_SUPPORT_LIVE_H

#include "archive/replay/replay.h"
#include "tests/diagnosis/engine/incidents.h"

/*
 * A live session on the stand with a recorder, driven as app/session/session.c drives one. It keeps
 * the screens at its judgements, to compare a replay of the file with them.
 */
struct shot {
	int64_t t_us;
	char *text; /* snapshot, findings, traces of their places, the pause graph, the trail */
};
struct live_opts {
	uint32_t seed;
	unsigned keyframe_in; /* every keyframe_in-th judgement is followed by a keyframe, 0: when
			       * due */
	unsigned shot_in;     /* every shot_in-th judgement is kept, 0: all */
	bool no_keyframes;
	bool unjudged; /* judgements are not recorded: the next poll's time makes them */
	int64_t rotate_us;
	/* A second file, from within this poll until within that one; 0: none. */
	unsigned second_from, second_to;
};
struct live {
	struct live_opts o;
	char dir[256], path[512];
	struct plan plan;
	struct stand *s;
	struct ring r;
	char second_path[512];
	struct rts_writer *w, *second;
	struct recorder *rec;
	runbook_log trail;
	VEC(struct shot) shots;
	VEC(uint32_t) told;
	VEC(int64_t) told_us; /* last report of each device, 0: none */
	uint32_t seed;
	unsigned keyframes, judgements;
	unsigned pieces; /* calls that keyframes took */
};
void live_open(struct live *l, const struct live_opts *o);
/* The incident from its beginning to its end, with entries of the operator meanwhile. */
void live_play(struct live *l, enum incident which);
void live_close_file(struct live *l); /* the writer's */
void live_done(struct live *l);       /* removes the directory too */
uint32_t live_random(struct live *l, uint32_t below);

/* The screen at now_us as text; the caller frees it. */
char *shot_text(struct model *m, struct diag *d, const runbook_log *trail, int64_t now_us);
/* The replay is of the moment; when: for the message. */
void shot_expect(struct replay *p, const struct shot *shot, const char *when);
struct replay *replay_of(const char *path);
/* Until it is there, in pieces. */
void replay_go(struct replay *p, int64_t t_us);
void replay_arrive(struct replay *p);

#endif
