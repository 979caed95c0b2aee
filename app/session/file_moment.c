/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/file_moment.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

bool file_moment_read(const char *text, struct file_moment *out, struct err *err)
{
	const char *at = strrchr(text, '@');
	size_t n = at && access(text, F_OK) != 0 ? (size_t)(at - text) : strlen(text);

	*out = (struct file_moment){0};
	if (n == 0 || !str_copyn(out->path, sizeof(out->path), text, n))
		return err_set(err, ERR_USAGE, text, "is not a file");
	if (text[n] && (!text[n + 1] || !str_copy(out->when, sizeof(out->when), text + n + 1))) {
		err_set(err, ERR_USAGE, text, "the time behind the @ is missing");
		return err_cure(err, "FILE@02:13:30, FILE@2026-11-22T02:13:30, FILE@-5m");
	}
	return true;
}

bool file_moment_time(struct file_moment *f, const struct clock_track *clock, int64_t from_us,
	int64_t to_us, int64_t *t_us, struct err *err)
{
	char from[32], to[32];
	struct clock_moment found;

	*t_us = f->t_us ? f->t_us : to_us;
	if (!f->when[0])
		return true;
	if (clock_track_find(clock, f->when, to_us, from_us, to_us, &found) == CLOCK_FOUND) {
		*t_us = found.us;
		(void)str_copy(f->said, sizeof(f->said), found.said);
		return true;
	}
	err_set(err, ERR_USAGE, f->when, "is not a time between %s and %s, the range of %s%s%s",
		clock_format_utc(clock_track_wall(clock, from_us), from, sizeof(from)),
		clock_format_utc(clock_track_wall(clock, to_us), to, sizeof(to)), f->path,
		found.said[0] ? ": " : "", found.said);
	return err_cure(err, "02:13:30, 2026-11-22T02:13:30 (UTC), or -5m from the end");
}

struct replay *file_moment_replay(struct file_moment *f, struct err *err)
{
	struct rts *file = rts_open(f->path, err);
	struct replay *r = file ? replay_new(file, err) : NULL;
	int64_t t_us;

	if (!r)
		return NULL;
	if (file_moment_time(f, replay_clock(r), replay_from(r), replay_to(r), &t_us, err) &&
		replay_go_to(r, t_us, err))
		return r;
	replay_free(r);
	return NULL;
}
