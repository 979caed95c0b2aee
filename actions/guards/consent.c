/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of consent: the inventory's grant, the kill switch, reason, snapshot and approval. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/kinds/common.h"
#include "actions/guards/guard.h"
#include "base/clock.h"
#include "base/str.h"

#define REASON_LEAST 10
#define DEVICES_MAX  131072

/* ---- grant ---- */

/* Whether name is one of a list of names, separated by commas. */
static bool list_contains(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (*list) {
		size_t len = strcspn(list, ", ");

		if (len == n && strncmp(list, name, n) == 0)
			return true;
		list += len;
		list += strspn(list, ", ");
	}
	return false;
}

struct wanted {
	const char *name;
	bool found;
};

static void compare_name(void *ctx, const char *name)
{
	struct wanted *w = ctx;

	w->found |= str_eq(w->name, name);
}

bool guard_grant(const struct guard_context *x, struct refusal *out)
{
	const struct plan_actions *a = &x->at->plan->actions;
	struct wanted w = {x->at->device->name, false};
	struct err err = {0};
	char cure[160];

	if (!a->granted)
		return refuse(
			out, "state actions: in fabric.yaml", "the inventory grants no actions");
	(void)str_printf(
		cure, sizeof(cure), "add %s to actions.allow in fabric.yaml", x->action->name);
	if (a->allow && !list_contains(a->allow, x->action->name))
		return refuse(
			out, cure, "the inventory grants %s, not %s", a->allow, x->action->name);
	if (!a->allow && x->action->by_name)
		return refuse(out, cure, "%s loads the fabric and has to be granted by its name",
			x->action->name);
	if (a->devices && !hostlist_expand(a->devices, DEVICES_MAX, compare_name, &w, &err))
		return refuse(out, "correct actions.devices in fabric.yaml",
			"railtop cannot determine the granted devices: %s", err.text);
	if (a->devices && !w.found) {
		(void)str_printf(
			cure, sizeof(cure), "add %s to actions.devices in fabric.yaml", w.name);
		return refuse(out, cure, "the inventory grants actions on %s, not on %s",
			a->devices, w.name);
	}
	return true;
}

/* ---- kill switch ---- */

static void first_line(const char *path, char *dst, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, dst, size - 1);

	if (fd >= 0)
		(void)close(fd);
	dst[n > 0 ? n : 0] = '\0';
	dst[strcspn(dst, "\r\n")] = '\0';
}

bool guard_kill_switch(const struct guard_context *x, struct refusal *out)
{
	char cure[240], text[96], age[16];
	struct stat st;

	if (!x->kill_switch || !x->kill_switch[0])
		return refuse(out, "set actions.kill_switch in fabric.yaml",
			"the path of the kill switch is not known");
	if (lstat(x->kill_switch, &st) != 0) {
		if (errno == ENOENT)
			return true;
		return refuse(out, "make the directory of actions.kill_switch readable",
			"railtop cannot check if %s exists: %s", x->kill_switch, strerror(errno));
	}
	first_line(x->kill_switch, text, sizeof(text));
	(void)str_printf(cure, sizeof(cure), "when the stop is over: rm %s", x->kill_switch);
	return refuse(out, cure, "all actions were stopped %s ago (%s exists%s%s)",
		str_age(x->wall_us - (int64_t)st.st_mtime * CLOCK_SEC, age, sizeof(age)),
		x->kill_switch, text[0] ? ": " : "", text);
}

/* ---- supported ---- */

bool guard_supported(const struct guard_context *x, struct refusal *out)
{
	struct order look;
	struct err err = {0};
	words_vec words = {0};
	bool worded;

	if (x->action->words) {
		worded = x->action->words(x->at, &words, &err);
		vec_free(&words);
		return worded || refuse(out, err.cure, "%s", err.text);
	}
	if (!x->action->wants(x->at, &look, &err))
		return refuse(out, err.cure, "%s", err.text);
	for (size_t i = 0; x->plan && i < x->plan->steps.n; i++) {
		const struct step *s = &x->plan->steps.at[i];

		if (!action_can(x->at, s->order.verb) ||
			(s->has_undo && !action_can(x->at, s->undo.verb)))
			return refuse(out, "make the change on the device",
				"%s has no commands for %s", x->at->device->dialect,
				verb_name(s->order.verb));
	}
	return true;
}

/* ---- reason and incident ---- */

static bool has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return true;
	return false;
}

/* Counts characters without the blanks at both ends; a UTF-8 sequence counts as one. */
static unsigned length_of(const char *s)
{
	const char *end = s + strlen(s);
	unsigned n = 0;

	while (*s == ' ')
		s++;
	while (end > s && end[-1] == ' ')
		end--;
	for (; s < end; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool incident_ok(const char *s)
{
	size_t n = strlen(s);

	if (n < 2 || n > 63 || !is_alnum(s[0]))
		return false;
	for (; *s; s++)
		if (!is_alnum(*s) && !strchr("._#/-", *s))
			return false;
	return true;
}

bool guard_reason(const struct guard_context *x, struct refusal *out)
{
	unsigned n;

	if (x->dry_run)
		return true;
	if (!x->consent)
		return refuse(out, "give --reason TEXT and --incident KEY",
			"no reason and no incident were given");
	n = length_of(x->consent->reason);
	if (has_control(x->consent->reason))
		return refuse(out, "give a reason of printable characters",
			"the reason has control characters");
	if (n < REASON_LEAST)
		return refuse(out, "give a reason of ten characters or more: --reason TEXT",
			"the reason has %u characters, %d are needed", n, REASON_LEAST);
	if (!x->consent->incident[0])
		return refuse(
			out, "give the ticket's key: --incident INC-1234", "no incident was given");
	if (!incident_ok(x->consent->incident))
		return refuse(out,
			"use 2 to 63 letters, digits and . _ # / -, a letter or digit first: "
			"--incident INC-1234",
			"\"%s\" is not an incident key", x->consent->incident);
	return true;
}

/* ---- snapshot, four eyes ---- */

bool guard_snapshot(const struct guard_context *x, struct refusal *out)
{
	if (!(x->action->needs & NEED_SNAPSHOT) || x->action->harmless || x->dry_run ||
		x->snapshot_taken)
		return true;
	return refuse(out, "free disk space and allow writing beside actions.ledger",
		"the state before the action was not written to a file");
}

bool guard_four_eyes(const struct guard_context *x, struct refusal *out)
{
	struct approval by;
	char cure[240];
	struct err why = {0};

	if (!x->at->plan->actions.four_eyes || x->action->harmless || x->dry_run)
		return true;
	if (!x->plan || !x->plan->hash[0] || !x->approvals || !x->who)
		return refuse(out, CURE_AGAIN, "railtop cannot check if the plan was approved: %s",
			!x->who         ? "the operator is not known"
			: !x->approvals ? "there is not a directory for approvals"
					: "there is no plan yet");
	if (approval_found(x->approvals, x->plan->hash, x->who, x->wall_us,
		    x->ledger ? x->ledger->approved_us : 0, &by, &why))
		return true;
	if (!who_is_known(x->who))
		(void)str_copy(cure, sizeof(cure), why.cure);
	else
		(void)str_printf(cure, sizeof(cure),
			"ask another operator to run: railtop approve %s %s", x->plan->hash,
			x->plan->place);
	return refuse(out, cure, "%s",
		why.text[0] ? why.text : "no second operator has approved this plan");
}
