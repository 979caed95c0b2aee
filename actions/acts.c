/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/acts.h"

#include "base/str.h"

const char *act_stage_name(enum act_stage s)
{
	static const char *const names[] = {"none", "looking", "refused", "planned", "running",
		"done", "watching", "held", "broke", "failed", "unknown"};

	return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : "unknown";
}

bool act_stage_ended(enum act_stage s)
{
	return s != ACT_LOOKING && s != ACT_RUNNING && s != ACT_WATCHING;
}

struct acts *acts_open(const struct acts_opts *o, struct err *err)
{
	(void)o;
	(void)err_set(err, ERR_REFUSED, "actions", "not yet");
	return NULL;
}

void acts_close(struct acts *a)
{
	(void)a;
}

bool acts_begin(struct acts *a, const struct action_ops *action, struct ref target,
	const struct model *m, int64_t now_us, struct err *err)
{
	(void)a, (void)action, (void)target, (void)m, (void)now_us;
	return err_set(err, ERR_REFUSED, "actions", "not yet");
}

bool acts_turn(struct acts *a, const struct model *m, int64_t now_us)
{
	(void)a, (void)m, (void)now_us;
	return false;
}

int64_t acts_due(const struct acts *a)
{
	(void)a;
	return INT64_MAX;
}

bool acts_go(struct acts *a, const struct consent *c, const char *typed, const struct model *m,
	int64_t now_us, struct err *err)
{
	(void)a, (void)c, (void)typed, (void)m, (void)now_us;
	return err_set(err, ERR_REFUSED, "actions", "not yet");
}

bool acts_undo(struct acts *a, const struct consent *c, const struct model *m, int64_t now_us,
	struct err *err)
{
	(void)a, (void)c, (void)m, (void)now_us;
	return err_set(err, ERR_REFUSED, "actions", "not yet");
}

bool acts_drop(struct acts *a, struct err *err)
{
	(void)a;
	return err_set(err, ERR_REFUSED, "actions", "not yet");
}

enum act_stage acts_stage(const struct acts *a)
{
	(void)a;
	return ACT_NONE;
}

const struct act_plan *acts_plan(const struct acts *a)
{
	(void)a;
	return NULL;
}

const refusal_vec *acts_refusals(const struct acts *a)
{
	static const refusal_vec none;

	(void)a;
	return &none;
}

const act_note_vec *acts_notes(const struct acts *a)
{
	static const act_note_vec none;

	(void)a;
	return &none;
}

void acts_summary(const struct acts *a, char *dst, size_t size)
{
	(void)a;
	(void)str_copy(dst, size, "");
}

int64_t acts_watch_ends(const struct acts *a)
{
	(void)a;
	return 0;
}

const char *acts_ledger_path(const struct acts *a)
{
	(void)a;
	return "";
}

const struct who *acts_who(const struct acts *a)
{
	(void)a;
	return NULL;
}
