/* SPDX-License-Identifier: Apache-2.0 */
#include "app/subcommands/diff_side.h"

#include <stdio.h>
#include <string.h>

#include "archive/export/diff.h"
#include "base/clock.h"
#include "base/str.h"

static void set_title(struct diff_side *s)
{
	const char *slash = strrchr(s->file.path, '/');
	char when[32];

	(void)str_printf(s->title, sizeof(s->title), "%.40s %s", slash ? slash + 1 : s->file.path,
		model_hms(s->at.m, s->at.now_us, when, sizeof(when)));
}

bool diff_side_open(struct diff_side *s, const char *text, const char *before, struct err *err)
{
	char full[sizeof(s->file.path) + sizeof(s->file.when)];

	memset(s, 0, sizeof(*s));
	if (*text == '@' && before) {
		if (!str_printf(full, sizeof(full), "%s%s", before, text))
			return err_set(
				err, ERR_USAGE, "", "the name is longer than any known name");
		text = full;
	}
	if (!file_moment_read(text, &s->file, err))
		return false;
	s->replay = file_moment_replay(&s->file, err);
	if (!s->replay)
		return false;
	if (s->file.said[0])
		(void)fprintf(stderr, "railtop: %s\n", s->file.said);
	s->at = (struct moment){
		replay_model(s->replay), replay_diag(s->replay), replay_now(s->replay)};
	set_title(s);
	return true;
}

void diff_side_close(struct diff_side *s)
{
	replay_free(s->replay);
	memset(s, 0, sizeof(*s));
}

bool diff_side_match(const struct diff_side *a, const struct diff_side *b, struct err *err)
{
	if (diff_common(a->at.m, b->at.m))
		return true;
	err_set(err, ERR_USAGE, "", "fabric %s and fabric %s have no device in common",
		a->at.m->fabric, b->at.m->fabric);
	return err_cure(err, "compare recordings of the same fabric");
}
